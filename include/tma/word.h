/* SPDX-License-Identifier: Apache-2.0
 *
 * A word of 64 bits that somebody saw in a debugger, a log or a kernel's printf: an mbarrier's word
 * (tma/barrier.h), or a matrix descriptor of wgmma or tcgen05 (tma/mma.h). The bits alone do not
 * say which; most words are neither.
 *
 * All functions here are pure: no allocation, no globals, no input or output, safe on any thread.
 */
#ifndef TMA_WORD_H
#define TMA_WORD_H

#include "text.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum tma_word_kind {
    TMA_WORD_BARRIER,
    TMA_WORD_WGMMA,
    TMA_WORD_TCGEN05,
    TMA_WORD_KINDS
} tma_word_kind;

/* Bit n: the word can be kind n. An mbarrier has a count of at most 1,024 and lacks no more bytes
 * than a CTA has shared memory. A descriptor has a swizzle, its offsets lie in a CTA's shared
 * memory, and bits that no field has are 0. Of 100,000,000 random words 1,438 pass. Real barriers
 * of larger counts and descriptors without a swizzle do not pass: tma_word_kinds_near(). / */
TMA_EXPORT TMA_MUST_USE uint32_t tma_word_kinds(uint64_t word);

/* The same beside words that name a kind: "barrier" or "mbar" takes all that
 * tma_barrier_is_likely() takes and no descriptor; "desc", without "map", "addr" or "ptr", takes
 * descriptors without a swizzle too and no barrier. Neither, or both: as tma_word_kinds(). */
TMA_EXPORT TMA_MUST_USE uint32_t tma_word_kinds_near(uint64_t word, const char *text, size_t size);

typedef struct tma_word {
    uint64_t word;
    size_t line;    /* from 1 */
    uint32_t kinds; /* tma_word_kinds_near(): its line; never 0 */
} tma_word;

typedef void (*tma_word_visit)(void *context, const tma_word *found);

/* Visits the words of a text that can be of some kind: 0x and 9 to 16 digits that stand alone.
 * Returns how many there were. */
TMA_EXPORT size_t tma_word_read(const char *text, size_t size, tma_word_visit visit, void *context);

/* "an mbarrier's word", "a matrix descriptor of wgmma (sm_90a)"; "" for anything else. */
TMA_EXPORT const char *tma_word_kind_name(uint32_t kind);

/* What the word says if it is of this kind, a sentence: "16384 B missing and no arrival; phase
 * parity 0 is open: ...", "start 0x400, leading 16 B, stride 1024 B, base offset 0, swizzle 128B".
 */
TMA_EXPORT void tma_word_put(tma_out *out, uint64_t word, uint32_t kind);

#ifdef __cplusplus
}
#endif
#endif
