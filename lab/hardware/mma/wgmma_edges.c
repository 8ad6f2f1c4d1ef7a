/* SPDX-License-Identifier: Apache-2.0
 *
 * wgmma at the edges of shared memory, each descriptor in a process of its own: what is read, or
 * what ends the kernel. Printed, compared with nothing.
 */
#include <inttypes.h>
#include <string.h>

#include "parts.h"
#include "wgmma_cases.h"
#include "worker.h"

static const struct {
    const char *name;
    uint32_t start_B, leading_B, stride_B, swizzle;
} edges[] = {
    {"stride beyond 2^18: -16", 0x30000, 1024, 0x3FFF0, TMA_SWIZZLE_NONE},
    {"leading beyond 2^18: -1024", 0x30000, 0x3FC00, 128, TMA_SWIZZLE_NONE},
    {"stride beyond 2^18 with 128B: -1024", 0x30000, 16, 0x3FC00, TMA_SWIZZLE_128B},
    {"the last 2 KiB of 228, the other operand here", 0x39000 - 2048, 1024, 128, TMA_SWIZZLE_NONE},
    {"the first KiB, the system's", 0, 1024, 128, TMA_SWIZZLE_NONE},
    {"over the end of 228 KiB", 0x39000 - 1024, 1024, 128, TMA_SWIZZLE_NONE},
    {"beyond 228 KiB", 0x3A000, 1024, 128, TMA_SWIZZLE_NONE},
    {"over 2^18 by the rows", 0x3FC00, 16, 1024, TMA_SWIZZLE_128B},
    {"over 2^18 by stride, from inside", 0x38000, 16, 0x2000, TMA_SWIZZLE_128B},
};

#define EDGES (sizeof(edges) / sizeof(edges[0]))

int wgmma_worker(const struct session *s) {
    static uint32_t numbers[64 * 16];
    struct wgmma_kind kind;
    uint64_t bits;
    wgmma_kind_at(&kind, 0);
    const uint64_t i = s->first % EDGES;
    const tma_mma_descriptor d = {.start_B = edges[i].start_B,
                                  .leading_B = edges[i].leading_B,
                                  .stride_B = edges[i].stride_B,
                                  .swizzle = edges[i].swizzle};
    if (tma_mma_encode(&bits, &d) != TMA_OK) {
        return 1;
    }
    const char *error = device_mma_reads(&kind.operand, kind.n, 0, &bits, 1, numbers);
    if (error) {
        printf("killed: %s\n", error);
        return 0;
    }
    uint32_t nothing = 0, wrapped = 0;
    for (uint32_t e = 0; e < 64 * 16; e++) {
        const uint32_t at = tma_mma_read(&d, &kind.operand, e / 16, e % 16).address_B % (1u << 18);
        nothing += numbers[e] == DEVICE_MMA_NOTHING;
        wrapped += numbers[e] == at / 2;
    }
    printf("%u of 1024 elements read modulo 2^18, %u no element's number; (0,0) 0x%x (8,0) 0x%x "
           "(63,15) 0x%x\n",
           wrapped, nothing, numbers[0] * 2, numbers[8 * 16] * 2, numbers[1023] * 2);
    return 0;
}

static void take(void *context, const char *line) {
    printf("edge: %s: %s", (const char *)context, line);
    fflush(stdout);
}

void wgmma_edges(const struct session *s) {
    for (uint64_t i = 0; i < EDGES; i++) {
        struct worker worker = worker_start(s, "wgmma", i, 1, 0, 1);
        char name[64];
        snprintf(name, sizeof(name), "%s", edges[i].name);
        worker_finish(&worker, take, name);
    }
}
