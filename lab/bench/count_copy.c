/* SPDX-License-Identifier: Apache-2.0
 *
 * Plans and runs a fixed set of copies once each under callgrind, which counts the instructions; a
 * dump behind each. copy_instructions.py holds the counts against copy_instructions.tsv.
 */
#include <stdio.h>
#include <string.h>
#include <tma/tma.h>
#include <valgrind/callgrind.h>

#define WINDOW_ADDRESS 0x400

typedef struct counted {
    const char *name;
    tma_spec spec;
    uint32_t op, mode;
    tma_position at;
} counted;

#define TILE(dtype_, box0, box1, swizzle_)                                                         \
    {                                                                                              \
        .dtype = TMA_DTYPE_##dtype_, .rank = 2, .dim_el = {512, 512}, .stride_B = {2048},          \
        .box_el = {box0, box1}, .element_stride = {1, 1}, .swizzle = TMA_SWIZZLE_##swizzle_        \
    }

static counted copies[] = {
    {"load 64 B", TILE(BFLOAT16, 32, 1, 64B), TMA_OP_LOAD, TMA_MODE_TILE, {.coord = {64, 5}}},
    {"load 64 x 128, 128B swizzle",
     TILE(BFLOAT16, 64, 128, 128B),
     TMA_OP_LOAD,
     TMA_MODE_TILE,
     {.coord = {64, 5}}},
    {"load 64 x 128, over the edge",
     TILE(BFLOAT16, 64, 128, 128B),
     TMA_OP_LOAD,
     TMA_MODE_TILE,
     {.coord = {480, 450}}},
    {"load 64 x 128, no swizzle",
     TILE(BFLOAT16, 64, 128, NONE),
     TMA_OP_LOAD,
     TMA_MODE_TILE,
     {.coord = {64, 5}}},
    {"load TF32 32 x 64",
     TILE(TFLOAT32, 32, 64, 128B),
     TMA_OP_LOAD,
     TMA_MODE_TILE,
     {.coord = {32, 5}}},
    {"store 64 x 128",
     TILE(BFLOAT16, 64, 128, 128B),
     TMA_OP_STORE,
     TMA_MODE_TILE,
     {.coord = {64, 5}}},
    {"add f32 32 x 64", TILE(FLOAT32, 32, 64, 128B), TMA_OP_ADD, TMA_MODE_TILE, {.coord = {32, 5}}},
    {"gather4 64",
     TILE(BFLOAT16, 64, 1, 128B),
     TMA_OP_LOAD,
     TMA_MODE_GATHER4,
     {.coord = {64, 5, 300, 17, 80}}},
    {"load 4-bit 128 x 128, padded",
     TILE(16U4_ALIGN16B, 128, 128, 128B),
     TMA_OP_LOAD,
     TMA_MODE_TILE,
     {.coord = {128, 5}}},
    {"load 6-bit 128 x 128, padded",
     TILE(16U6_ALIGN16B, 128, 128, 128B),
     TMA_OP_LOAD,
     TMA_MODE_TILE,
     {.coord = {128, 5}}},
    {"load 64 x 4 x 32",
     {.dtype = TMA_DTYPE_BFLOAT16,
      .rank = 3,
      .dim_el = {128, 32, 128},
      .stride_B = {256, 8192},
      .box_el = {64, 4, 32},
      .element_stride = {1, 1, 1},
      .swizzle = TMA_SWIZZLE_128B},
     TMA_OP_LOAD,
     TMA_MODE_TILE,
     {.coord = {64, 5, 7}}},
    {"im2col 128 px",
     {.api = TMA_API_IM2COL,
      .dtype = TMA_DTYPE_FLOAT16,
      .rank = 4,
      .dim_el = {64, 28, 28, 4},
      .stride_B = {128, 3584, 100352},
      .element_stride = {1, 1, 1, 1},
      .lower_px = {-1, -1},
      .upper_px = {-1, -1},
      .channels_per_pixel = 64,
      .pixels_per_column = 128,
      .swizzle = TMA_SWIZZLE_128B},
     TMA_OP_LOAD,
     TMA_MODE_IM2COL,
     {.coord = {0, -1, -1, 1}, .offset = {1, 1}}},
};

static counted of_two_ranges = {"load 64 x 128, two ranges",
                                TILE(BFLOAT16, 64, 128, 128B),
                                TMA_OP_LOAD,
                                TMA_MODE_TILE,
                                {.coord = {64, 5}}};

static _Alignas(1024) uint8_t tensor[1 << 20];
static _Alignas(1024) uint8_t shared[1 << 16];

static const tma_target blackwell = {.sm = 100, .suffix = 'a', .driver = 13000};

/* Counted by this name: tma_copy() calls tma_plan_at() itself. */
__attribute__((noinline)) tma_status judge_alone(const tma_plan *plan, const tma_position *at);

tma_status judge_alone(const tma_plan *plan, const tma_position *at) {
    return tma_plan_at(plan, at, NULL);
}

static const tma_target *target_of(const counted *c) {
    const int is_new = c->mode == TMA_MODE_GATHER4 || c->spec.dtype >= TMA_DTYPE_16U4_ALIGN8B;
    return is_new ? &blackwell : NULL;
}

/* The first first_B bytes of the tensor in a range of their own; 0: all are in one. */
static unsigned run(counted *c, size_t first_B) {
    const tma_window window = {.address = WINDOW_ADDRESS, .size_B = sizeof(shared), .host = shared};
    const tma_instruction in = {.op = c->op, .mode = c->mode, .cluster = 1};
    const uint64_t address = (uint64_t)(uintptr_t)tensor;
    const tma_range ranges[] = {
        {.address = address + first_B,
         .size_B = sizeof(tensor) - first_B,
         .host = tensor + first_B},
        {.address = address, .size_B = first_B, .host = tensor},
    };
    const tma_global global = {.ranges = ranges, .count = first_B ? 2 : 1};
    const tma_target *const target = target_of(c);
    tma_map map;
    tma_plan plan;
    char dump[128];
    unsigned wrong = TMA_OK;
    c->spec.address = address;
    c->at.shared_address = WINDOW_ADDRESS;
    if (tma_encode(map.bytes, &c->spec, target) != TMA_OK ||
        tma_plan_make(&plan, map.bytes, &in, target, NULL) != TMA_OK ||
        tma_plan_set_path(&plan, TMA_PATH_PORTABLE) != TMA_OK ||
        tma_copy(&plan, &c->at, &global, &window, NULL) != TMA_OK) {
        fprintf(stderr, "count_copy: '%s' does not run\n", c->name);
        return 1;
    }
    CALLGRIND_ZERO_STATS;
    wrong |= tma_plan_make(&plan, map.bytes, &in, target, NULL);
    snprintf(dump, sizeof(dump), "plan: %s", c->name);
    CALLGRIND_DUMP_STATS_AT(dump);
    CALLGRIND_ZERO_STATS;
    wrong |= judge_alone(&plan, &c->at);
    snprintf(dump, sizeof(dump), "judge: %s", c->name);
    CALLGRIND_DUMP_STATS_AT(dump);
    wrong |= tma_plan_set_path(&plan, TMA_PATH_PORTABLE); /* the same loops on every machine */
    CALLGRIND_ZERO_STATS;
    wrong |= tma_copy(&plan, &c->at, &global, &window, NULL);
    snprintf(dump, sizeof(dump), "copy: %s", c->name);
    CALLGRIND_DUMP_STATS_AT(dump);
    return wrong;
}

int main(void) {
    unsigned failed = 0;
    for (size_t i = 0; i < sizeof(copies) / sizeof(copies[0]); i++) {
        failed |= run(&copies[i], 0);
    }
    failed |= run(&of_two_ranges, (size_t)70 * 2048);
    return failed != 0;
}
