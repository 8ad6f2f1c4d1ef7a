/* SPDX-License-Identifier: Apache-2.0
 *
 * Encodes and decodes each map once, under callgrind, which counts the instructions; a dump behind
 * each call. instructions.py runs it and reads the dumps. Alone it shows that all maps are right.
 */
#include "map_cases.h"
#include <tma/tma.h>

#include <stdio.h>
#include <string.h>
#include <valgrind/callgrind.h>

/* The first call may resolve memset and the like; it is not counted. */
static unsigned run(const struct map_case *c) {
    tma_target target;
    const tma_spec spec = map_case_spec(c, &target);
    const tma_target *const named = strstr(c->words, "--arch") ? &target : NULL;
    tma_map map;
    tma_decoded decoded;
    char dump[128];
    unsigned wrong = TMA_OK;
    if (tma_encode(map.bytes, &spec, named) != TMA_OK ||
        tma_decode(&decoded, map.bytes) != TMA_OK || decoded.odd ||
        memcmp(decoded.spec.dim_el, spec.dim_el, sizeof(spec.dim_el)) != 0) {
        fprintf(stderr, "count_map: '%s' is not encoded\n", c->name);
        return 1;
    }
    CALLGRIND_ZERO_STATS;
    wrong |= tma_encode(map.bytes, &spec, named);
    snprintf(dump, sizeof(dump), "encode: %s", c->name);
    CALLGRIND_DUMP_STATS_AT(dump);
    wrong |= tma_decode(&decoded, map.bytes);
    snprintf(dump, sizeof(dump), "decode: %s", c->name);
    CALLGRIND_DUMP_STATS_AT(dump);
    return wrong;
}

static unsigned run_mma(uint32_t family, const char *dump) {
    const tma_mma_descriptor d = {.family = family,
                                  .swizzle = TMA_SWIZZLE_128B,
                                  .start_B = 1024,
                                  .leading_B = 16,
                                  .stride_B = 1024};
    uint64_t bits = 0;
    CALLGRIND_ZERO_STATS;
    const unsigned wrong = tma_mma_encode(&bits, &d) != TMA_OK || bits >> 61 != 2;
    CALLGRIND_DUMP_STATS_AT(dump);
    return wrong;
}

/* A tile of 128 x 64 held against its map, each element. */
static unsigned run_compare(void) {
    const tma_spec spec = {.dtype = TMA_DTYPE_FLOAT16,
                           .rank = 2,
                           .dim_el = {64, 128},
                           .box_el = {64, 128},
                           .swizzle = TMA_SWIZZLE_128B};
    const tma_mma_tile tile = {.shared_address = 1024};
    const tma_mma_operand operand = {
        .type = TMA_MMA_TYPE_F16, .major = TMA_MMA_K_MAJOR, .mn_el = 128, .k_el = 64};
    const tma_mma_descriptor d = {
        .swizzle = TMA_SWIZZLE_128B, .start_B = 1024, .leading_B = 16, .stride_B = 1024};
    tma_mma_difference said;
    CALLGRIND_ZERO_STATS;
    const unsigned wrong = tma_mma_compare(&said, &d, &operand, &spec, &tile, 0, 0);
    CALLGRIND_DUMP_STATS_AT("compare: a tile of 128 x 64");
    return wrong != TMA_OK || said.equal_el != 128 * 64 || said.all_el != 128 * 64;
}

int main(void) {
    unsigned failed = run_mma(TMA_MMA_WGMMA, "mma: a descriptor of wgmma") |
                      run_mma(TMA_MMA_TCGEN05, "mma: a descriptor of tcgen05") | run_compare();
    for (unsigned i = 0; i < map_case_count; i++) {
        failed |= run(&map_cases[i]);
    }
    return failed != 0;
}
