/* SPDX-License-Identifier: Apache-2.0
 *
 * 128 bytes as a person reads them: their fields, what is odd about them, where two maps differ.
 */
#ifndef TMA_VIEW_H
#define TMA_VIEW_H

#include "barrier.h"
#include "check.h"
#include "grammar.h"
#include "map.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Whether the field means something in a map of this kind and rank. The second is also true for a
 * field that should be 0 and is not. */
TMA_EXPORT bool tma_field_is_live(const tma_field_row *row, const tma_decoded *decoded);
TMA_EXPORT bool tma_field_is_shown(const tma_field_row *row, const tma_decoded *decoded,
                                   const uint8_t *map);

/* What the bits mean: "64", "512 x 16 B", "10 (bfloat16)", "-3"; and where they are: "[10:7]". */
TMA_EXPORT void tma_put_field(tma_out *out, const tma_field_row *row, const tma_decoded *decoded,
                              const uint8_t *map);
TMA_EXPORT void tma_put_field_bits(tma_out *out, const tma_field_row *row);

/* Something odd about a map: TMA_ODD_* of map.h, or bit 21 ("large_tensor"), or what was done to
 * it ("class_mask"). */
typedef struct tma_oddity {
    const char *name; /* "box_bytes" */
    char text[512];   /* a sentence, with the numbers */
} tma_oddity;

#define TMA_ODDITIES 13 /* the bits of TMA_ODD_ALL, and two about bit 21 */

/* A map with all that is said about it. */
typedef struct tma_judged {
    tma_map map;
    tma_decoded decoded;
    tma_oddity odd[TMA_ODDITIES];
    size_t count;
    int has_bytes;   /* whether encoding the spec gives the same 128 bytes back */
    int needs_force; /* which takes tma_encode_forced() */
} tma_judged;

/* A target decides about bit 21 if one of its options was given; else it is odd only where no known
 * driver would set it. */
TMA_EXPORT void tma_judge(tma_judged *judged, const uint8_t *map, const tma_target_words *target);
TMA_EXPORT bool tma_judged_has(const tma_judged *judged, const char *oddity_name);

/* The readings by which a map was made, of these questions (bit i: tma_reading_at(i); UINT32_MAX:
 * of all), as "atom-repeat=span, packed-box=zero". Returns whether anything was written. */
TMA_EXPORT bool tma_put_map_readings(tma_out *out, const tma_decoded *map, uint32_t questions);

/* One field in which two maps differ, or one word with bits that no field owns; "-" where one of
 * the maps has no such field. */
typedef struct tma_difference {
    char name[32];
    const tma_field_row *row; /* null: bits of no field */
    char a[40];
    char b[40];
} tma_difference;

#define TMA_DIFFERENCES 128 /* all fields, and 32 words of bits that no field owns */

/* Writes how two maps differ and returns how many differences there are; every differing bit is in
 * one of them. */
TMA_EXPORT size_t tma_diff(tma_difference out[TMA_DIFFERENCES], const uint8_t *a, const uint8_t *b);

/* A word of an mbarrier written as 0x and at most 16 digits, and nothing else. False: it is none.
 */
TMA_EXPORT bool tma_read_barrier_word(uint64_t *word, const char *text);

/* What the open phase lacks: "16384 B missing and no arrival", "1 of 2 arrivals missing and 16384
 * B more than expected". */
TMA_EXPORT void tma_put_barrier_missing(tma_out *out, const tma_barrier *barrier);

#ifdef __cplusplus
}
#endif

#endif
