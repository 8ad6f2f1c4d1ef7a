/* SPDX-License-Identifier: Apache-2.0
 *
 * A compiler's pass: lower a copy to TMA, or say why not and what would do. What it asks about, the
 * map and the instruction, need not exist yet.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <tma/tma.h>

static void note(const char *what, const tma_finding *f) {
    char line[512];
    tma_finding_text(line, sizeof(line), f);
    printf("%s: note: %s\n", what, line);
}

/* The bytes to wait for, 0 if the copy cannot be lowered. */
static uint64_t lower(const char *what, const tma_spec *spec, const tma_instruction *instruction,
                      const tma_target *target) {
    tma_finding found[16];
    tma_finding why;
    tma_map map;
    tma_plan plan;
    const size_t count = tma_check(found, 16, spec, target);
    for (size_t i = 0; i < count && i < 16; i++) {
        note(what, &found[i]);
    }
    if (tma_encode(map.bytes, spec, target) != TMA_OK) {
        return 0;
    }
    switch (tma_plan_make(&plan, map.bytes, instruction, target, &why)) {
    case TMA_OK:
        return tma_plan_info(&plan)->tx_B;
    case TMA_PTXAS:
        printf("%s: ptxas would reject it for the target\n", what);
        break;
    case TMA_TRAP:
        printf("%s: it would kill the kernel: %s\n", what, tma_trap_name(&why));
        break;
    default:
        printf("%s: nobody knows what it would do\n", what);
    }
    note(what, &why);
    return 0;
}

static void emit(const char *what, const tma_spec *spec, const tma_instruction *instruction,
                 const tma_target *target) {
    const uint64_t tx_B = lower(what, spec, instruction, target);
    if (tx_B) {
        printf("%s: mbarrier.arrive.expect_tx %" PRIu64 "\n", what, tx_B);
    } else {
        printf("%s: falls back to cp.async\n", what);
    }
}

int main(void) {
    const tma_target hopper = {.sm = 90, .suffix = 'a', .driver = 12080};
    const tma_instruction load = {.op = TMA_OP_LOAD, .cluster = 1};
    const tma_instruction gather = {.op = TMA_OP_LOAD, .mode = TMA_MODE_GATHER4};
    tma_spec tile = {
        .api = TMA_API_TILED,
        .dtype = TMA_DTYPE_FLOAT16,
        .rank = 2,
        .address = 0x7f0000000000, /* any aligned one: it is not known at compile time */
        .dim_el = {4096, 4096},
        .box_el = {64, 128},
        .swizzle = TMA_SWIZZLE_128B,
    };
    if (tma_spec_fill(&tile) != TMA_OK) {
        return 1;
    }
    emit("tile", &tile, &load, &hopper);
    emit("gather", &tile, &gather, &hopper);
    tile.stride_B[0] = 8200;
    emit("padded", &tile, &load, &hopper);
    return 0;
}
