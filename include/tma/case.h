/* SPDX-License-Identifier: Apache-2.0
 *
 * Case lines: a kind, then key=value fields; the request, and from rc= on the answer. The form of
 * the captured answers (tests/vectors/README.md), of `tma replay`, LIBTMA_LOG and tma-conformance.
 *   enc api=tiled dtype=9 rank=2 addr=0x7f0000000000 dim=4096,8192 stride=8192 box=64,128 es=1,1
 *   il=0 sw=3 l2=0 oob=0 rc=0 desc=...
 */
#ifndef TMA_CASE_H
#define TMA_CASE_H

#include "grammar.h"

#ifdef __cplusplus
extern "C" {
#endif

#define TMA_CASE_FIELDS 64

typedef struct tma_case_field {
    const char *key;
    const char *value;
} tma_case_field;

/* One line, cut up: all strings point into the text that was read. */
typedef struct tma_case {
    const char *kind;
    tma_case_field fields[TMA_CASE_FIELDS];
    size_t request; /* fields before the answer: rc=, desc64=, bit= or read= */
    size_t count;   /* all fields */
} tma_case;

/* Cuts up `text` in place; text[length] has to be there, and becomes 0. Returns 1 for a line that
 * asks nothing (blank, or # ...), -1 on error. */
TMA_EXPORT TMA_MUST_USE int tma_case_read(tma_case *line, char *text, size_t length,
                                          tma_error *error);

/* The request's map. Beside the map's own keys (spec_options.def, and arch, driver, id) only those
 * in `also` (with blanks between them) may be there. *target is set where the line has arch= or
 * driver=, else left. On error *spec and *target may be half set. */
TMA_EXPORT TMA_MUST_USE int tma_case_spec(tma_spec *spec, tma_target *target, const tma_case *line,
                                          const char *also, tma_error *error);

/* The same for a line that asks about a tensor alone: dtype=, dim= and stride= and no other key of
 * a map; the rank is the number of sizes before one that is 0, box and element strides are 1. */
TMA_EXPORT TMA_MUST_USE int tma_case_tensor(tma_spec *spec, tma_target *target,
                                            const tma_case *line, tma_error *error);

/* A field of the request, or of the answer; null if it is not there. */
TMA_EXPORT const char *tma_case_request(const tma_case *line, const char *key);
TMA_EXPORT const char *tma_case_answer(const tma_case *line, const char *key);

/* A number of the request that has to be there. */
TMA_EXPORT TMA_MUST_USE int tma_case_u64(uint64_t *out, const tma_case *line, const char *key,
                                         tma_error *error);

/* The lines' spelling of a number: decimal or hexadecimal, maybe negative (two's complement);
 * 2^64 - 1 for larger ones, as strtoull has it. Returns -1 for what is none, or below -2^63. */
TMA_EXPORT TMA_MUST_USE int tma_case_number(uint64_t *out, const char *text, size_t length);

/* Whether the words, with blanks between them, hold the key. */
TMA_EXPORT bool tma_case_word_in(const char *key, const char *words);

/* The beginning of a line: its kind and the map that it asks for, in numbers. A target (may be
 * null) adds arch= if it is not sm_90, and driver= if it is not 0. */
TMA_EXPORT void tma_put_case(tma_out *out, const char *kind, const tma_spec *spec,
                             const tma_target *target);

#ifdef __cplusplus
}
#endif

#endif
