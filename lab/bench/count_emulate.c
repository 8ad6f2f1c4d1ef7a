/* SPDX-License-Identifier: Apache-2.0
 *
 * Kernels executed once each under callgrind, which counts the instructions; a dump behind each,
 * and a line with the warp instructions that it executed. emulate_instructions.py divides the two.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <tma/emulate.h>
#include <valgrind/callgrind.h>

#include "support/plain/plain_host.h"

#define LANES     32
#define THREADS   256
#define MEMORY_AT UINT64_C(0x7f0000000)

#define KERNEL(body)                                                                               \
    ".version 8.6\n.target sm_90a\n.address_size 64\n.visible .entry k(.param .u64 p)\n{\n"        \
    ".reg .b64 %rd<9>; .reg .b32 %r<32>; .reg .pred %p<9>; .shared .align 16 .b32 s[256];\n"       \
    "ld.param.u64 %rd1, [p];\nmov.u32 %r1, %tid.x;\nmul.wide.u32 %rd2, %r1, 4;\n"                  \
    "add.u64 %rd3, %rd1, %rd2;\nmov.u32 %r7, s;\nmad.lo.u32 %r7, %r1, 4, %r7;\n"                   \
    "mov.b32 %r2, 0;\nmov.b32 %r3, 1;\nmov.b32 %r4, 7;\nst.shared.u32 [%r7], %r1;\n"               \
    "L:\n" body "add.u32 %r2, %r2, 1;\nsetp.lt.u32 %p1, %r2, 200;\n@%p1 bra L;\n"                  \
    "st.global.u32 [%rd3], %r4;\nret;\n}\n"

#define ARITHMETIC                                                                                 \
    "add.u32 %r3, %r3, %r1;\nxor.b32 %r4, %r4, %r3;\nshl.b32 %r5, %r4, 3;\n"                       \
    "add.u32 %r4, %r4, %r5;\nmad.lo.u32 %r3, %r4, %r1, %r3;\nand.b32 %r6, %r3, 0xffff;\n"          \
    "add.u32 %r4, %r4, %r6;\n"
#define MEMORY                                                                                     \
    "ld.shared.u32 %r5, [%r7];\nadd.u32 %r5, %r5, 1;\nst.shared.u32 [%r7], %r5;\n"                 \
    "ld.global.u32 %r6, [%rd3];\nst.global.u32 [%rd3], %r5;\n"
#define DIVERGENT                                                                                  \
    "and.b32 %r5, %r2, %r1;\nsetp.eq.u32 %p2, %r5, 0;\n@%p2 bra A;\nadd.u32 %r4, %r4, 3;\n"        \
    "bra.uni B;\nA: xor.b32 %r4, %r4, %r1;\nB:\n"

typedef struct counted {
    const char *name, *ptx;
    uint32_t no_order;
} counted;

static const counted KERNELS[] = {
    {"arithmetic", KERNEL(ARITHMETIC), 1},
    {"arithmetic, with order", KERNEL(ARITHMETIC), 0},
    {"loads and stores", KERNEL(MEMORY), 1},
    {"loads and stores, with order", KERNEL(MEMORY), 0},
    {"divergent branches", KERNEL(DIVERGENT), 1},
};

/* Warp instructions of the run, or 0 where it did not come to its end. */
static uint64_t run(const counted *k) {
    static uint32_t bytes[THREADS];
    const uint64_t address = MEMORY_AT;
    const tma_emulate_host host = plain_host();
    const tma_emulate_memory memory = {
        .address = MEMORY_AT, .size_B = sizeof(bytes), .bytes = bytes};
    const tma_emulate_launch launch = {.block = {THREADS},
                                       .params = &address,
                                       .params_B = sizeof(address),
                                       .memory = &memory,
                                       .memories = 1,
                                       .no_order = k->no_order};
    tma_error error;
    tma_emulate_line line;
    uint64_t count = 0;
    tma_emulator *e = tma_emulator_new(&host, k->ptx, strlen(k->ptx), &error);
    if (!e || tma_emulator_begin(e, &launch, &error) != TMA_OK) {
        fprintf(stderr, "count_emulate: %s: %s\n", k->name, error.text);
        exit(1);
    }
    CALLGRIND_TOGGLE_COLLECT;
    while (tma_emulator_step(e, UINT64_MAX)) {
    }
    CALLGRIND_TOGGLE_COLLECT;
    CALLGRIND_DUMP_STATS_AT(k->name);
    for (size_t i = 0; tma_emulator_line_at(e, i, &line); i++) {
        count += line.executed;
    }
    const int failed = tma_emulator_end(e, NULL, NULL) != TMA_EMULATE_COMPLETED;
    tma_emulator_free(e);
    return failed ? 0 : count;
}

int main(void) {
    for (size_t i = 0; i < sizeof(KERNELS) / sizeof(KERNELS[0]); i++) {
        printf("%s\t%llu\n", KERNELS[i].name, (unsigned long long)run(&KERNELS[i]));
    }
    return 0;
}
