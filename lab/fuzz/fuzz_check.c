/* SPDX-License-Identifier: Apache-2.0
 *
 * Any spec for any target: findings, verdict, bytes and measures agree with one another, findings
 * read as text, and what a finding offers helps.
 */
#include "fuzz_assert.h"
#include "fuzz_said.h"

#include "support/cases/rule_cases.h"
#include <tma/tma.h>

#define FINDINGS 64

/* Bytes become numbers so that small ones and those beside powers of two are short to say. */
struct source {
    const uint8_t *at;
    size_t left;
};

static uint8_t next_byte(struct source *s) {
    if (s->left == 0) {
        return 0;
    }
    s->left--;
    return *s->at++;
}

static uint64_t next_number(struct source *s) {
    const uint8_t first = next_byte(s);
    uint64_t number = 0;
    if (first < 160) {
        return first;
    }
    if (first < 224) { /* 2^k, and up to 64 on either side */
        return (UINT64_C(1) << (first - 160)) + next_byte(s) - 128;
    }
    if (first < 240) { /* a multiple of 16 */
        number = next_byte(s);
        return (number << 8 | next_byte(s)) << 4;
    }
    for (int i = 0; i < 8; i++) {
        number = number << 8 | next_byte(s);
    }
    return number;
}

static void fill(struct source *from, tma_spec *s, tma_target *target) {
    const tma_arch_row *arch = tma_arch_at(next_byte(from) % tma_arch_count());
    target->sm = arch->sm;
    target->suffix = arch->suffix;
    target->driver = 12000 + 10 * (uint32_t)next_byte(from);
    if (target->driver > 14000) { /* and now and then a target that nobody knows */
        target->sm = (uint16_t)next_number(from);
        target->suffix = (char)next_byte(from);
    }
    uint32_t *enums[] = {
        &s->api, &s->dtype, &s->rank,      &s->interleave,         &s->swizzle,
        &s->l2,  &s->fill,  &s->wide_mode, &s->channels_per_pixel, &s->pixels_per_column};
    for (size_t i = 0; i < sizeof(enums) / sizeof(enums[0]); i++) {
        *enums[i] = (uint32_t)next_number(from);
    }
    s->address = next_number(from);
    for (int i = 0; i < TMA_MAX_RANK; i++) {
        s->dim_el[i] = next_number(from);
        s->box_el[i] = (uint32_t)next_number(from);
        s->element_stride[i] = (uint32_t)next_number(from);
        if (i < TMA_MAX_STRIDES) {
            s->stride_B[i] = next_number(from);
        }
        if (i < TMA_MAX_SPATIAL) {
            s->lower_px[i] = (int32_t)(uint32_t)next_number(from);
            s->upper_px[i] = (int32_t)(uint32_t)next_number(from);
        }
    }
}

static void check_text(const tma_finding *f) {
    char whole[1024];
    char part[64];
    const size_t length = tma_finding_text(whole, sizeof(whole), f);
    DEMAND(length > 0 && length < sizeof(whole) && strlen(whole) == length);
    DEMAND(tma_finding_text(part, sizeof(part), f) == length);
    DEMAND(strncmp(part, whole, strlen(part)) == 0);
    DEMAND(tma_finding_given(part, sizeof(part), f) > 0);
    fuzz_said_text(whole);
    fuzz_said_text(part);
}

static int has(const tma_finding *f, const tma_finding *in, size_t count) {
    for (size_t i = 0; i < count; i++) {
        if (in[i].rule == f->rule && in[i].argument == f->argument && in[i].index == f->index) {
            return 1;
        }
    }
    return 0;
}

static void check_offer(const tma_finding *f, const tma_spec *spec, const tma_target *target) {
    tma_spec mended = *spec;
    tma_target other = *target;
    tma_finding after[FINDINGS];
    DEMAND(rule_argument_set((tma_argument)f->argument, f->index, f->legal, &mended, &other));
    fuzz_said_number("legal", f->legal);
    DEMAND(!has(f, after, tma_check(after, FINDINGS, &mended, &other)));
}

static void check_bytes(const tma_spec *spec, const tma_target *target, int accepted) {
    tma_map map;
    tma_map forced;
    tma_decoded decoded;
    tma_measure_result measure;
    uint64_t unfit = 0;
    memset(&map, 0, sizeof(map));
    DEMAND(tma_encode_forced(forced.bytes, spec, target, &unfit) == TMA_OK);
    DEMAND(tma_encode(map.bytes, spec, target) == (accepted ? TMA_OK : TMA_REFUSED));
    DEMAND(tma_measure(&measure, spec, target) == (accepted ? TMA_OK : TMA_REFUSED));
    if (accepted) {
        DEMAND(unfit == 0 && memcmp(&map, &forced, sizeof(map)) == 0);
        DEMAND(tma_decode(&decoded, map.bytes) == TMA_OK && decoded.odd == 0);
        DEMAND(measure.copy_B <= measure.footprint_B);
        fuzz_said_number("footprint_B", measure.footprint_B);
        fuzz_said_number("copy_B", measure.copy_B);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    struct source from = {data, size};
    tma_spec spec;
    tma_target target = {.sm = 0, .driver = 0};
    tma_finding findings[FINDINGS];
    memset(&spec, 0, sizeof(spec));
    fill(&from, &spec, &target);
    const size_t count = tma_check(findings, FINDINGS, &spec, &target);
    DEMAND(count <= FINDINGS);
    size_t refused = 0;
    for (size_t i = 0; i < count; i++) {
        DEMAND(i == 0 || findings[i].severity >= findings[i - 1].severity);
        refused += findings[i].severity == TMA_SEVERITY_REFUSED;
        check_text(&findings[i]);
        if (findings[i].has_legal) {
            check_offer(&findings[i], &spec, &target);
        }
    }
    DEMAND(tma_accepts(&spec, &target) == (refused == 0));
    if (tma_arch_of(&target)) {
        check_bytes(&spec, &target, refused == 0);
    }
    return 0;
}
