/* SPDX-License-Identifier: Apache-2.0
 *
 * An mbarrier: its word of 64 bits, as GPU core dumps show it, and what PTX's operations do to it.
 *
 * A running kernel does not see the word: a load of it gives what lay there before mbarrier.init.
 * The state that an arrival returns has its upper 32 bits, as they were before that arrival.
 *
 * All functions here are pure: no allocation, no globals, no input or output, safe on any thread.
 * A null barrier and an operation that there is not are nothing to do: false, 0, no change.
 * Measured on an H200 with driver 580.159 (barrier.def says how); other chips were not asked.
 */
#ifndef TMA_BARRIER_H
#define TMA_BARRIER_H

#include "export.h"

#ifdef __cplusplus
extern "C" {
#endif

/* What a phase waits for. It is complete when neither is missing; then the next begins. */
typedef struct tma_barrier {
    uint32_t count;            /* arrivals that each phase takes, at most 2^20 - 1 */
    uint32_t arrivals_missing; /* in the phase that is open */
    int32_t bytes_missing_B; /* in the phase that is open; below 0: more came than were expected */
    uint32_t parity;         /* of the phase that is open: 0 or 1 */
    uint32_t error;          /* 1: an operation was an error (the word's bit 42) */
    uint32_t zero;           /* the word's bit 0; 0 in every barrier with a legal count */
} tma_barrier;

/* Reads the fields of a barrier's word; every word can be read. The second makes the same word of
 * the fields again. */
TMA_EXPORT void tma_barrier_read(tma_barrier *barrier, uint64_t word);
TMA_EXPORT uint64_t tma_barrier_word(const tma_barrier *barrier);

/* Whether a word can be a barrier's at all: a count from 1 to 2^20 - 1, no more arrivals missing
 * than that, something missing, bit 0 clear. That is weak: 1 in 4 random words passes (2,501,502 of
 * 10,000,000), though zeros and most small numbers do not. Where data may lie, look at words
 * that a warp waits at. A barrier whose threads all dropped out is not recognised. */
TMA_EXPORT TMA_MUST_USE bool tma_barrier_is_likely(uint64_t word);

/* Whether mbarrier.test_wait.parity and try_wait.parity with this parity (0 or 1) wait: the phase
 * of that parity is the one that is open. */
TMA_EXPORT TMA_MUST_USE bool tma_barrier_waits(const tma_barrier *barrier, uint32_t parity);

/* mbarrier.init with a count from 1 to 2^20 - 1; false and unchanged for any other. */
TMA_EXPORT TMA_MUST_USE bool tma_barrier_init(tma_barrier *barrier, uint32_t count);

typedef enum tma_barrier_operation {
#define TMA_BARRIER_OPERATION(id, ...) TMA_BARRIER_##id,
#include "barrier.def"
    TMA_BARRIER_OPERATIONS
} tma_barrier_operation;

typedef enum tma_barrier_death {
    TMA_BARRIER_LIVES = 0,
#define TMA_BARRIER_DEATH(id, text) TMA_BARRIER_DIES_##id,
#include "barrier.def"
    TMA_BARRIER_DEATHS
} tma_barrier_death;

/* One operation: `count` arrivals where it arrives (0 changes nothing), `bytes_B` bytes where it
 * expects or completes, below 2^20 as PTX asks; a number that the operation does not take is
 * ignored. Returns what kills the kernel, and changes nothing then. cp.async.mbarrier.arrive
 * expects one byte and completes it later; with .noinc it is an arrival. mbarrier.inval leaves the
 * word as it is. Expecting comes before arriving.
 *
 * The bytes of one copy come in pieces. Where no arrival is missing and fewer bytes than the copy
 * brings, the phase may be complete between two pieces, and the other bytes count for the next one.
 * An H200 did so at 2 of 4,879 barriers, with bulk copies of 192 and 256 B. Here they come at once.
 * Kernels with thousands of cp.async.mbarrier.arrive without .noinc ended with an illegal
 * instruction on the H200: why is not known. */
TMA_EXPORT tma_barrier_death tma_barrier_apply(tma_barrier *barrier,
                                               tma_barrier_operation operation, uint32_t count,
                                               uint32_t bytes_B);

/* An operation in words ("mbarrier.arrive"), and why a kernel died ("more arrivals than were
 * missing"); "" for anything else. */
TMA_EXPORT const char *tma_barrier_operation_name(uint32_t operation);
TMA_EXPORT const char *tma_barrier_death_text(uint32_t death);

typedef struct tma_barrier_field {
    const char *name;
    const char *meaning;
    const char *evidence;
    uint32_t bit;
    uint32_t width_bit;
} tma_barrier_field;

/* The word's fields from its lowest bit upwards; null after the last. */
TMA_EXPORT const tma_barrier_field *tma_barrier_field_at(size_t number);

#ifdef __cplusplus
}
#endif
#endif
