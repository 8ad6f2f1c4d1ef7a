/* SPDX-License-Identifier: Apache-2.0
 *
 * Prints a digest of the library's answers about many random specs, right and wrong ones. Linked
 * to the library and to the amalgamation, it must print the same.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "tma.h"

#define SPECS    20000
#define FINDINGS 16
#define SHARED_B (256u * 1024)

static uint64_t random_state = 1;
static uint64_t digest = 0xcbf29ce484222325u;

static uint32_t below(uint32_t limit) {
    random_state = random_state * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(random_state >> 33) % limit;
}

static void take(const void *data, size_t size) {
    const unsigned char *bytes = (const unsigned char *)data;
    for (size_t i = 0; i < size; i++) {
        digest = (digest ^ bytes[i]) * 0x100000001b3u;
    }
}

static void take_number(uint64_t number) {
    take(&number, sizeof number);
}

/* Mostly right; one in sixteen is anything. One draw a statement: the order in which an expression
 * draws is the compiler's. */
static uint32_t pick(uint32_t right, uint32_t anything) {
    const uint32_t wrong = below(16) == 0;
    return below(wrong ? anything : right);
}

/* A multiple of `unit`, mostly. */
static uint64_t multiple(uint32_t unit, uint32_t right, uint32_t anything) {
    const uint64_t number = pick(right, anything);
    return below(16) ? number * unit : number;
}

static tma_spec random_spec(void) {
    tma_spec s;
    memset(&s, 0, sizeof s);
    s.api = below(3);
    s.dtype = pick(13, 17);
    s.rank = s.api ? 3 + pick(3, 7) : 1 + pick(5, 7);
    s.interleave = below(4) ? 0 : pick(3, 4);
    s.swizzle = pick(4, 8);
    s.l2 = pick(4, 5);
    s.fill = pick(1, 3);
    s.wide_mode = pick(2, 3);
    s.address = multiple(32, 1u << 30, 1u << 31);
    for (int i = 0; i < TMA_MAX_RANK; i++) {
        s.dim_el[i] = 1 + multiple(8, 1u << 16, 1u << 31);
        s.box_el[i] = i ? 1 + pick(6, 300) : (uint32_t)multiple(16, 8, 300);
        s.element_stride[i] = below(8) ? 1 : pick(8, 10);
    }
    for (int i = 0; i < TMA_MAX_STRIDES; i++) {
        s.stride_B[i] = multiple(32, 1u << 20, 1u << 31);
    }
    for (int i = 0; i < TMA_MAX_SPATIAL; i++) {
        s.lower_px[i] = (int32_t)pick(8, 1u << 17) - 4;
        s.upper_px[i] = (int32_t)pick(8, 1u << 17) - 4;
    }
    s.channels_per_pixel = (uint32_t)multiple(16, 8, 300);
    s.pixels_per_column = pick(256, 2048);
    return s;
}

static void take_findings(const tma_spec *spec, const tma_target *target) {
    tma_finding findings[FINDINGS];
    char text[512];
    const size_t count = tma_check(findings, FINDINGS, spec, target);
    take_number(count);
    for (size_t i = 0; i < count && i < FINDINGS; i++) {
        take_number(tma_finding_text(text, sizeof text, &findings[i]));
        take(text, strlen(text));
    }
}

static void take_map(const tma_spec *spec, const tma_target *target) {
    tma_map map;
    tma_decoded decoded;
    tma_measure_result measured;
    uint64_t unfit = 0;
    memset(&map, 0, sizeof map);
    const tma_status status = tma_encode(map.bytes, spec, target);
    take_number((uint64_t)status);
    if (status != TMA_OK) {
        take_number((uint64_t)tma_encode_forced(map.bytes, spec, target, &unfit));
        take_number(unfit);
    }
    take(map.bytes, sizeof map.bytes);
    const tma_replace_field field = (tma_replace_field)below(TMA_REPLACE_FIELDS);
    const uint32_t ordinal = below(4);
    take_number((uint64_t)tma_replace(
        map.bytes, &(tma_edit){.field = field, .ordinal = ordinal, .value = pick(3, 300)}, NULL));
    take(map.bytes, sizeof map.bytes);
    take_number((uint64_t)tma_decode(&decoded, map.bytes));
    take_number(decoded.odd);
    take_number(decoded.spec.stride_B[0]);
    if (tma_measure(&measured, spec, target) == TMA_OK) {
        take_number(measured.footprint_B);
        take_number(measured.copies);
    }
}

static int take_run(void *context, const tma_run *run) {
    (void)context;
    take_number(run->kind);
    take_number(run->address);
    take_number(run->shared_address);
    take_number(run->length_B);
    return 0;
}

/* One load or store of a map, by the widest path that the machine has. */
static void take_copy(const tma_spec *accepted) {
    static uint8_t global[1 << 16];
    static uint8_t shared[SHARED_B];
    tma_spec spec = *accepted;
    tma_map map;
    tma_plan plan;
    tma_position at;
    memset(&at, 0, sizeof at);
    for (uint32_t i = 0; i < TMA_MAX_RANK; i++) { /* a tensor that fits its memory */
        spec.dim_el[i] = i ? 4 : 64;
        spec.stride_B[i < TMA_MAX_STRIDES ? i : 0] = 512u << (i < 4 ? i : 0);
        at.coord[i] = (int32_t)below(i ? 4 : 3) * (i ? 1 : 16);
    }
    spec.address = 4096;
    const tma_instruction instruction = {.op = below(4) ? TMA_OP_LOAD : TMA_OP_STORE,
                                         .mode = spec.api ? TMA_MODE_IM2COL : TMA_MODE_TILE};
    if (tma_encode(map.bytes, &spec, NULL) != TMA_OK ||
        tma_plan_make(&plan, map.bytes, &instruction, NULL, NULL) != TMA_OK) {
        return;
    }
    const tma_range range = {.address = spec.address, .size_B = sizeof global, .host = global};
    const tma_global memory = {.ranges = &range, .count = 1};
    const tma_window window = {.address = 0, .size_B = sizeof shared, .host = shared};
    for (uint32_t i = 0; i < sizeof global; i++) {
        global[i] = (uint8_t)(i * 7 + i / 256);
    }
    take_number((uint64_t)tma_copy(&plan, &at, &memory, &window, NULL));
    take(instruction.op == TMA_OP_LOAD ? shared : global, 4096);
    take_number((uint64_t)tma_walk_rows(&plan, &at, take_run, NULL));
}

int main(void) {
    const size_t archs = tma_arch_count();
    for (int i = 0; i < SPECS; i++) {
        const tma_spec spec = random_spec();
        const tma_arch_row *row = tma_arch_at(below((uint32_t)archs));
        const tma_target target = {
            .sm = row->sm, .suffix = row->suffix, .driver = below(4) ? 13000 : 12040};
        take_findings(&spec, below(2) ? NULL : &target);
        take_map(&spec, below(2) ? NULL : &target);
        if (i % 8 == 0) {
            take_copy(&spec);
        }
    }
    for (size_t i = 0; i < tma_rule_count(); i++) {
        take(tma_rule_at(i)->statement, strlen(tma_rule_at(i)->statement));
    }
    printf("%016" PRIx64 "\n", digest);
    return 0;
}
