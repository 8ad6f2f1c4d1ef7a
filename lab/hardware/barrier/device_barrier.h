/* SPDX-License-Identifier: Apache-2.0
 *
 * What the part `barrier` asks of a GPU: operations on many mbarriers, each by one thread.
 */
#ifndef HARDWARE_DEVICE_BARRIER_H
#define HARDWARE_DEVICE_BARRIER_H

#include <stddef.h>
#include <stdint.h>
#include <tma/barrier.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Behind tma_barrier_operation. */
enum device_barrier_operation {
    DEVICE_BARRIER_INIT = TMA_BARRIER_OPERATIONS, /* after mbarrier.inval, but for the first */
    DEVICE_BARRIER_COPY,                          /* a bulk copy of bytes_B */
    DEVICE_BARRIER_ASYNC_NOINC,                   /* cp.async.mbarrier.arrive.noinc */
    DEVICE_BARRIER_OPERATIONS
};

#define DEVICE_BARRIER_COPY_B   256 /* a bulk copy's most */
#define DEVICE_BARRIERS_A_BLOCK 16384

struct device_barrier_step {
    uint32_t operation;
    uint32_t count;
    uint32_t bytes_B;
};

/* What a kernel sees behind a step. */
struct device_barrier_seen {
    uint64_t loaded; /* the barrier's memory by a plain load */
    uint32_t before; /* the upper half of the state that an arrival returned, else 0 */
    uint32_t done;   /* test_wait.parity: bit 0 of parity 0, bit 1 of parity 1 */
};

/* Barrier b makes steps[firsts[b]] to steps[firsts[b + 1] - 1]; the first is an init. If it
 * `stays`, device_barrier_words() ends the kernel. Behind an error `seen` ends where each barrier
 * did: 0 from there on. */
const char *device_barriers(const struct device_barrier_step *steps, const uint64_t *firsts,
                            size_t barriers, int stays, struct device_barrier_seen *seen);

/* Waits until the kernel that stayed has ended. */
const char *device_barriers_end(void);

/* The barriers' words, out of the core dump that the driver writes of the kernel that stayed. */
const char *device_barrier_words(uint64_t *words, size_t barriers);

/* A block's shared memory: DEVICE_BARRIER_MAGIC plus the block's number, then its barriers. */
#define DEVICE_BARRIER_MAGIC UINT64_C(0x6261727269657200)
#define DEVICE_BARRIER_AT_B  16

#ifdef __cplusplus
}
#endif
#endif
