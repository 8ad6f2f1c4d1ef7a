/* SPDX-License-Identifier: Apache-2.0
 *
 * Copies whose bytes depend on the order of a machine's bytes and on how it adds, on every path,
 * against bytes that are typed here. No library but libtma: for machines that have nothing else.
 */
#include <stdio.h>
#include <string.h>
#include <tma/copy.h>
#include <tma/map.h>

#define ADDRESS UINT64_C(0x7f0000000000)
#define ROW_B   16

typedef struct known {
    const char *name;
    uint8_t dtype, op, fill;
    int32_t coord; /* of a box of 16 bytes in a tensor of 16 bytes */
    uint8_t global[8], shared[8], after[8];
} known;

static const known all[] = {
    {"int32 add", TMA_DTYPE_INT32, TMA_OP_ADD, 0, 0, {0xFF}, {1}, {0, 1}},
    {"uint64 add",
     TMA_DTYPE_UINT64,
     TMA_OP_ADD,
     0,
     0,
     {0xFF, 0xFF, 0xFF, 0xFF},
     {1},
     {0, 0, 0, 0, 1}},
    {"int32 min", TMA_DTYPE_INT32, TMA_OP_MIN, 0, 0, {0, 1}, {0xFF}, {0xFF}},
    {"uint32 inc", TMA_DTYPE_UINT32, TMA_OP_INC, 0, 0, {0xFF}, {0, 2}, {0, 1}},
    {"float32 add, 1 + 2",
     TMA_DTYPE_FLOAT32,
     TMA_OP_ADD,
     0,
     0,
     {0, 0, 0x80, 0x3F},
     {0, 0, 0, 0x40},
     {0, 0, 0x40, 0x40}},
    {"float16 add, 1 + 2", TMA_DTYPE_FLOAT16, TMA_OP_ADD, 0, 0, {0, 0x3C}, {0, 0x40}, {0, 0x42}},
    {"bfloat16 max, 1 and 2",
     TMA_DTYPE_BFLOAT16,
     TMA_OP_MAX,
     0,
     0,
     {0x80, 0x3F},
     {0, 0x40},
     {0, 0x40}},
    /* 1 + 2^-52, and just less than 2^-53: more than half of nothing, rounded twice it goes up */
    {"float64 add, rounded once",
     TMA_DTYPE_FLOAT64,
     TMA_OP_ADD,
     0,
     0,
     {1, 0, 0, 0, 0, 0, 0xF0, 0x3F},
     {0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0x9F, 0x3C},
     {1, 0, 0, 0, 0, 0, 0xF0, 0x3F}},
    {"NaN fill",
     TMA_DTYPE_FLOAT16,
     TMA_OP_LOAD,
     TMA_FILL_NAN,
     8,
     {1, 2},
     {0},
     {0xF7, 0x7F, 0xF7, 0x7F, 0xF7, 0x7F, 0xF7, 0x7F}},
    {"TF32",
     TMA_DTYPE_TFLOAT32,
     TMA_OP_LOAD,
     0,
     0,
     {0x00, 0x10, 0x80, 0x3F, 0xFF, 0x0F, 0x80, 0x3F},
     {0},
     {0, 0, 0x80, 0x3F, 0, 0, 0x80, 0x3F}},
};

/* Whether the copy left what is typed; `path` is one of tma_path. */
static int runs(const known *k, uint32_t path) {
    uint8_t global[ROW_B] = {0};
    _Alignas(128) uint8_t shared[128] = {0};
    const uint32_t size = ROW_B * 8 / tma_dtype_bits(k->dtype);
    const tma_spec spec = {.dtype = k->dtype,
                           .rank = 1,
                           .address = ADDRESS,
                           .dim_el = {size},
                           .box_el = {size},
                           .element_stride = {1},
                           .fill = k->fill};
    const tma_instruction in = {.op = k->op};
    const tma_range range = {.address = ADDRESS, .size_B = ROW_B, .host = global};
    const tma_global memory = {.ranges = &range, .count = 1};
    const tma_window window = {.size_B = sizeof(shared), .host = shared};
    const tma_position at = {.coord = {k->coord}};
    uint8_t map[TMA_MAP_BYTES];
    tma_plan plan;
    memcpy(global, k->global, 8);
    memcpy(shared, k->shared, 8);
    if (tma_encode(map, &spec, NULL) != TMA_OK ||
        tma_plan_make(&plan, map, &in, NULL, NULL) != TMA_OK) {
        return 0;
    }
    if (tma_plan_set_path(&plan, path) != TMA_OK) {
        return 1; /* a path that this machine has not */
    }
    return tma_copy(&plan, &at, &memory, &window, NULL) == TMA_OK &&
           !memcmp(k->op == TMA_OP_LOAD ? shared : global, k->after, 8);
}

int main(void) {
    int failed = 0;
    for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
        for (uint32_t path = TMA_PATH_REFERENCE; path < TMA_PATHS; path++) {
            if (!runs(&all[i], path)) {
                printf("%s, path %u: other bytes\n", all[i].name, (unsigned)path);
                failed++;
            }
        }
    }
    printf("%d failed\n", failed);
    return failed != 0;
}
