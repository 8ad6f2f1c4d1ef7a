/* SPDX-License-Identifier: Apache-2.0
 *
 * The bases of the cases about instructions, and what is done with an edited one.
 */
#include "plan_cases.h"

#include "support/testing.h"
#include <tma/map.h>

#define SET(member, number)                                                                        \
    {                                                                                              \
        offsetof(struct plan_ask, member), sizeof(((struct plan_ask *)0)->member),                 \
            (uint64_t)(number)                                                                     \
    }
#define EDITS(...)                                                                                 \
    { __VA_ARGS__ }
#define NOTHING                                                                                    \
    {                                                                                              \
        { 0, 0, 0 }                                                                                \
    }

#define CASE(rule, base, setup, inside, outside, status, index, given, value, limit)               \
    {TMA_RULE_##rule,   PLAN_##base,       setup,   inside,                                        \
     outside,           TMA_##status,      index,   (uint64_t)(given),                             \
     (uint64_t)(value), (uint64_t)(limit), __LINE__},
/* A refused instruction or map: the number refused stands for value and limit too. */
#define REFUSED(status, rule, base, setup, inside, outside, given)                                 \
    {TMA_RULE_##rule, PLAN_##base, setup, inside,  outside, TMA_##status, -1,                      \
     given,           given,       given, __LINE__},

const struct plan_case plan_cases[] = {
#include "plan_cases.def"
};
const size_t plan_case_count = sizeof(plan_cases) / sizeof(plan_cases[0]);

#define ADDRESS UINT64_C(0x7f0000000000)

static const tma_spec tile = {.dtype = TMA_DTYPE_FLOAT16,
                              .rank = 2,
                              .address = ADDRESS,
                              .dim_el = {64, 4},
                              .stride_B = {128},
                              .box_el = {8, 4},
                              .element_stride = {1, 1}};

static const tma_spec conv = {.api = TMA_API_IM2COL,
                              .dtype = TMA_DTYPE_FLOAT16,
                              .rank = 4,
                              .address = ADDRESS,
                              .dim_el = {64, 9, 7, 2},
                              .stride_B = {128, 1152, 8064},
                              .element_stride = {1, 1, 1, 1},
                              .channels_per_pixel = 8,
                              .pixels_per_column = 16};

static tma_spec packed(uint32_t dtype, uint64_t row_B) {
    tma_spec s = tile;
    s.dtype = dtype;
    s.dim_el[0] = s.box_el[0] = 128;
    s.stride_B[0] = row_B;
    return s;
}

struct plan_ask plan_base_make(enum plan_base base) {
    struct plan_ask ask = {.spec = tile, .target = {.sm = 90, .driver = 13000}, .range_B = 1 << 20};
    ask.at.shared_address = 1024;
    ask.window_B = 1 << 16;
    if (base != PLAN_TILE && base != PLAN_CONV) {
        ask.target = (tma_target){.sm = 100, .suffix = 'a', .driver = 13000};
    }
    switch (base) {
    case PLAN_CONV:
        ask.spec = conv;
        ask.in.mode = TMA_MODE_IM2COL;
        break;
    case PLAN_WIDE:
        ask.spec = conv;
        ask.spec.swizzle = TMA_SWIZZLE_64B;
        ask.in.mode = TMA_MODE_IM2COL_W;
        break;
    case PLAN_GATHER:
        ask.spec.box_el[1] = 1;
        ask.in.mode = TMA_MODE_GATHER4;
        break;
    case PLAN_NEWEST:
        ask.target.sm = 107;
        break;
    case PLAN_SCATTER:
        ask.target.sm = 107;
        ask.spec.box_el[1] = 1;
        ask.in = (tma_instruction){.op = TMA_OP_STORE, .mode = TMA_MODE_SCATTER4};
        break;
    case PLAN_ALONG_W:
        ask.target.sm = 107;
        ask.spec = conv;
        ask.spec.swizzle = TMA_SWIZZLE_64B;
        ask.spec.pixels_per_column = 9;
        ask.in = (tma_instruction){.op = TMA_OP_STORE, .mode = TMA_MODE_IM2COL_W};
        break;
    case PLAN_U4:
        ask.spec = packed(TMA_DTYPE_16U4_ALIGN8B, 64);
        break;
    case PLAN_U4_PADDED:
        ask.spec = packed(TMA_DTYPE_16U4_ALIGN16B, 64);
        break;
    case PLAN_U6:
        ask.spec = packed(TMA_DTYPE_16U6_ALIGN16B, 96);
        break;
    default:
        break;
    }
    return ask;
}

void plan_edit_make(const struct plan_edit *edits, struct plan_ask *ask) {
    for (int i = 0; i < PLAN_EDITS && edits[i].size; i++) {
        const size_t skipped = little_endian(1) == 1 ? 0 : sizeof(edits[i].value) - edits[i].size;
        memcpy((char *)ask + edits[i].at, (const char *)&edits[i].value + skipped, edits[i].size);
    }
}

tma_status plan_ask_map(const struct plan_ask *ask, tma_map *map) {
    const tma_status status = tma_encode_forced(map->bytes, &ask->spec, &ask->target, NULL);
    for (uint32_t i = 0; i < 4; i++) {
        uint8_t *byte = &map->bytes[4 * (size_t)ask->map_word + i];
        *byte = (uint8_t)((*byte & ~(ask->map_clear >> 8 * i)) | ask->map_set >> 8 * i);
    }
    return status;
}

static tma_status plan_of(const struct plan_ask *ask, tma_plan *plan, tma_finding *why) {
    tma_map map;
    assert_int_equal(plan_ask_map(ask, &map), TMA_OK);
    if (ask->in.overrides) {
        const tma_status status =
            tma_override(map.bytes, map.bytes, &ask->in, &ask->over, &ask->target, why);
        if (status != TMA_OK) {
            return status;
        }
    }
    return tma_plan_make(plan, map.bytes, &ask->in, &ask->target, why);
}

size_t plan_ask_notes(const struct plan_ask *ask, tma_finding *out, size_t capacity) {
    tma_plan plan;
    assert_int_equal(plan_of(ask, &plan, NULL), TMA_OK);
    return tma_plan_notes(out, capacity, &plan, &ask->at);
}

tma_status plan_ask_run(const struct plan_ask *ask, tma_finding *why) {
    static uint8_t memory[1 << 20];
    static uint8_t shared[1 << 16];
    tma_range range = {.address = ask->spec.address, .size_B = ask->range_B, .host = memory};
    const tma_global global = {.ranges = &range, .count = 1};
    const tma_window window = {
        .address = ask->at.shared_address, .size_B = ask->window_B, .host = shared};
    tma_plan plan;
    tma_status status = plan_of(ask, &plan, why);
    if (status == TMA_OK) {
        status = tma_plan_at(&plan, &ask->at, why);
    }
    if (ask->read_only) {
        range.read_only = range.host;
        range.host = NULL;
    }
    if (status == TMA_OK && ask->in.cta_mask && !ask->one_window) {
        tma_window windows[32];
        for (int i = 0; i < 32; i++) {
            windows[i] = window;
        }
        return tma_copy_multicast(&plan, &ask->at, &global, windows, ask->ctas ? ask->ctas : 16,
                                  why);
    }
    return status == TMA_OK ? tma_copy(&plan, &ask->at, &global, &window, why) : status;
}
