/* SPDX-License-Identifier: Apache-2.0
 *
 * The shared window of a block, and the wait for its barrier.
 */
#ifndef HARDWARE_COPY_WINDOW_H
#define HARDWARE_COPY_WINDOW_H

#include "cuda_check.h"
#include "device.h"
#include <tma/instruction.h>
#include <tma/pattern.h>

#define THREADS        128
#define WINDOW_ALIGN_B 1024 /* after which every swizzle's pattern repeats */
#define TIMEOUT_CYCLES 4000000
#define QUIET_CYCLES   4000 /* after completion: time for bytes that nobody expected */

static __device__ void fill_window(const struct device_copy &c, uint64_t *words) {
    const uint64_t seed = tma_window_seed(c.fill, c.seed);
    const bool untouched = c.op == TMA_OP_LOAD || c.op == TMA_OP_PREFETCH;
    for (uint32_t i = threadIdx.x; i < c.window_B / 8; i += blockDim.x) {
        words[i] = untouched ? 0x0101010101010101u * TMA_WINDOW_UNTOUCHED
                             : tma_pattern_word(c.fill, seed, i);
    }
}

static __device__ uint32_t wait_for(uint32_t barrier, uint32_t parity) {
    const long long start = clock64();
    while (!barrier_completed(barrier, parity)) {
        if (clock64() - start > TIMEOUT_CYCLES) {
            return 0;
        }
    }
    return 1;
}

#endif
