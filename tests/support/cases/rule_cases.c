/* SPDX-License-Identifier: Apache-2.0
 *
 * The bases of the rules' cases, and how an edit is made.
 */
#include "rule_cases.h"

#include <string.h>

#define E(argument, index, value)                                                                  \
    { TMA_ARG_##argument, index, (uint64_t)(value) }
#define EDITS(...)                                                                                 \
    { __VA_ARGS__ }
#define NOTHING                                                                                    \
    {                                                                                              \
        { TMA_ARG_NONE, 0, 0 }                                                                     \
    }
#define LEGAL(value) 1, (uint64_t)(value)
#define NO_LEGAL     0, 0
/* given, value, limit, then LEGAL(...) or NO_LEGAL */
#define FINDING_(argument_, at, unit_, relation_, given_, value_, limit_, has, legal_)             \
    {                                                                                              \
        .argument = TMA_ARG_##argument_, .index = (int8_t)(at), .unit = TMA_UNIT_##unit_,          \
        .relation = TMA_MUST_##relation_, .has_legal = has, .given = (uint64_t)(given_),           \
        .value = (uint64_t)(value_), .limit = (uint64_t)(limit_), .legal = legal_                  \
    }
#define FINDING(...) FINDING_(__VA_ARGS__)

#define CASE(rule, base, setup, inside, outside, finding)                                          \
    {TMA_RULE_##rule, BASE_##base, setup, inside, outside, finding, __LINE__},
/* The common kind: one argument, inside and outside; it is also what the finding is about. */
#define STEP(rule, base, setup, argument, index, in, out, unit, relation, value, limit, ...)       \
    {TMA_RULE_##rule,                                                                              \
     BASE_##base,                                                                                  \
     setup,                                                                                        \
     {E(argument, index, in)},                                                                     \
     {E(argument, index, out)},                                                                    \
     FINDING(argument, index, unit, relation, out, value, limit, __VA_ARGS__),                     \
     __LINE__},

const struct rule_case rule_cases[] = {
#include "rule_cases.def"
};
const size_t rule_case_count = sizeof(rule_cases) / sizeof(rule_cases[0]);

#define BASE_ADDRESS 0x7f0000000000

static const tma_spec bases[BASES] = {
    [BASE_TILE] = {.api = TMA_API_TILED,
                   .dtype = TMA_DTYPE_FLOAT16,
                   .rank = 2,
                   .dim_el = {4096, 1024},
                   .stride_B = {8192},
                   .box_el = {64, 128}},
    [BASE_CUBE] = {.api = TMA_API_TILED,
                   .dtype = TMA_DTYPE_FLOAT32,
                   .rank = 5,
                   .dim_el = {64, 512, 256, 8, 4},
                   .stride_B = {256, 131072, 33554432, 268435456},
                   .box_el = {32, 4, 2, 2, 2}},
    [BASE_SLICES_16B] = {.api = TMA_API_TILED,
                         .dtype = TMA_DTYPE_FLOAT16,
                         .rank = 3,
                         .interleave = TMA_INTERLEAVE_16B,
                         .dim_el = {512, 16, 8},
                         .stride_B = {8192, 131072},
                         .box_el = {16, 1, 4}},
    [BASE_SLICES_32B] = {.api = TMA_API_TILED,
                         .dtype = TMA_DTYPE_FLOAT16,
                         .rank = 3,
                         .interleave = TMA_INTERLEAVE_32B,
                         .swizzle = TMA_SWIZZLE_32B,
                         .dim_el = {512, 16, 8},
                         .stride_B = {16384, 262144},
                         .box_el = {16, 1, 4}},
    [BASE_CONV_3D] = {.api = TMA_API_IM2COL,
                      .dtype = TMA_DTYPE_FLOAT16,
                      .rank = 3,
                      .dim_el = {64, 100000, 32},
                      .stride_B = {128, 12800000},
                      .channels_per_pixel = 64,
                      .pixels_per_column = 128},
    [BASE_CONV_4D] = {.api = TMA_API_IM2COL,
                      .dtype = TMA_DTYPE_FLOAT16,
                      .rank = 4,
                      .dim_el = {64, 56, 56, 32},
                      .stride_B = {128, 7168, 401408},
                      .channels_per_pixel = 64,
                      .pixels_per_column = 128},
    [BASE_CONV_5D] = {.api = TMA_API_IM2COL,
                      .dtype = TMA_DTYPE_FLOAT16,
                      .rank = 5,
                      .dim_el = {64, 56, 56, 56, 32},
                      .stride_B = {128, 7168, 401408, 22478848},
                      .channels_per_pixel = 64,
                      .pixels_per_column = 128},
    [BASE_CONV_SLICES] = {.api = TMA_API_IM2COL,
                          .dtype = TMA_DTYPE_FLOAT16,
                          .rank = 4,
                          .interleave = TMA_INTERLEAVE_16B,
                          .dim_el = {56, 56, 8, 32},
                          .stride_B = {896, 50176, 401408},
                          .channels_per_pixel = 8,
                          .pixels_per_column = 128},
    [BASE_WIDE] = {.api = TMA_API_WIDE,
                   .dtype = TMA_DTYPE_FLOAT16,
                   .rank = 4,
                   .swizzle = TMA_SWIZZLE_128B,
                   .dim_el = {64, 56, 56, 32},
                   .stride_B = {128, 7168, 401408},
                   .channels_per_pixel = 64,
                   .pixels_per_column = 128},
    [BASE_U4] = {.api = TMA_API_TILED,
                 .dtype = TMA_DTYPE_16U4_ALIGN8B,
                 .rank = 3,
                 .dim_el = {4096, 1024, 8},
                 .stride_B = {2080, 2129920},
                 .box_el = {128, 64, 1}},
    [BASE_U4_PADDED] = {.api = TMA_API_TILED,
                        .dtype = TMA_DTYPE_16U4_ALIGN16B,
                        .rank = 3,
                        .dim_el = {4096, 1024, 8},
                        .stride_B = {2080, 2129920},
                        .box_el = {128, 64, 1}},
    [BASE_U6] = {.api = TMA_API_TILED,
                 .dtype = TMA_DTYPE_16U6_ALIGN16B,
                 .rank = 3,
                 .dim_el = {4096, 1024, 8},
                 .stride_B = {3104, 3178496},
                 .box_el = {128, 64, 1}},
};

void rule_base_make(enum rule_base base, tma_spec *spec, tma_target *target) {
    const tma_target sm_90 = {.sm = 90, .driver = 13000};
    const tma_target sm_100a = {.sm = 100, .suffix = 'a', .driver = 13000};
    *spec = bases[base];
    spec->address = BASE_ADDRESS;
    for (uint32_t i = 0; i < TMA_MAX_RANK; i++) {
        spec->element_stride[i] = 1;
    }
    *target = base >= BASE_WIDE ? sm_100a : sm_90;
}

int rule_argument_set(tma_argument argument, int index, uint64_t value, tma_spec *s,
                      tma_target *target) {
    const uint32_t narrow = (uint32_t)value;
    switch (argument) {
#define NUMBER(id, member)                                                                         \
    case TMA_ARG_##id:                                                                             \
        s->member = narrow;                                                                        \
        return value == narrow;
        NUMBER(API, api)
        NUMBER(DTYPE, dtype)
        NUMBER(RANK, rank)
        NUMBER(BOX, box_el[index])
        NUMBER(ELEMENT_STRIDE, element_stride[index])
        NUMBER(CHANNELS, channels_per_pixel)
        NUMBER(PIXELS, pixels_per_column)
        NUMBER(INTERLEAVE, interleave)
        NUMBER(SWIZZLE, swizzle)
        NUMBER(L2, l2)
        NUMBER(FILL, fill)
        NUMBER(WIDE_MODE, wide_mode)
#undef NUMBER
    case TMA_ARG_ADDRESS:
        s->address = value;
        return 1;
    case TMA_ARG_DIM:
        s->dim_el[index] = value;
        return 1;
    case TMA_ARG_STRIDE:
        s->stride_B[index] = value;
        return 1;
    case TMA_ARG_LOWER:
        s->lower_px[index] = (int32_t)(int64_t)value;
        return 1;
    case TMA_ARG_UPPER:
        s->upper_px[index] = (int32_t)(int64_t)value;
        return 1;
    case TMA_ARG_ARCH:
        target->sm = (uint16_t)value;
        target->suffix = (char)(index > 0 ? index : 0);
        return 1;
    case TMA_ARG_RESERVED:
        *(index < 0 ? &s->reserved_0 : &s->reserved[index]) = narrow;
        return value == narrow;
    case TMA_ARG_DRIVER:
        target->driver = narrow;
        return 1;
    default:
        return 0;
    }
}

void rule_edit_make(const struct rule_edit *edits, tma_spec *spec, tma_target *target) {
    for (size_t i = 0; i < RULE_EDITS && edits[i].argument != TMA_ARG_NONE; i++) {
        rule_argument_set(edits[i].argument, edits[i].index, edits[i].value, spec, target);
    }
}
