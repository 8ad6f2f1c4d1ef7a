/* SPDX-License-Identifier: Apache-2.0
 *
 * Tensor maps in memory that holds other things too: a core dump, a params buffer, a cubin's
 * constants.
 *
 * All functions here are pure: no allocation, no globals, no input or output, safe on any thread.
 * They read the caller's bytes and assume no alignment.
 */
#ifndef TMA_FIND_H
#define TMA_FIND_H

#include "map.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Maps are looked for at multiples of this, counted from the first byte that was passed. A map's
 * own alignment is 64 or 128, but what was copied into a packet or a file's section keeps less. */
#define TMA_FIND_STEP_B 16

/* What was seen at an offset, from the surest to the least sure. */
typedef enum tma_found_form {
    /* All 128 bytes are as an encode call writes them, derived words and zeros included, the
     * allocation class apart, which has a call of its own; and the driver accepts the arguments on
     * some target: certain. */
    TMA_FOUND_WHOLE = 0,
    /* The same, but for words that edits leave stale or arguments that the driver refuses. */
    TMA_FOUND_EDITED = 1,
    /* The first 64 bytes are a map's and the other 64 zero: built by tensormap.replace on zeros, as
     * Triton's and CUTLASS's kernels do. */
    TMA_FOUND_BUILT = 2,
    /* The first 64 bytes are a map's with the mark of the CuTe DSL's compiler, word 2 [3:1] = 1; it
     * writes no others (84 of 84 maps of nvidia-cutlass-dsl 4.7.0). */
    TMA_FOUND_CUTE_DSL = 3,
    TMA_FOUND_FORMS
} tma_found_form;

/* Whether nothing but a map looks like that. The other forms are likely: they ask for arguments
 * that the driver accepts and for strides under which no row lies in another. */
#define TMA_FOUND_IS_CERTAIN(form) ((form) == TMA_FOUND_WHOLE)

typedef struct tma_found {
    size_t offset;       /* of the map's first byte */
    uint32_t form;       /* tma_found_form */
    tma_decoded decoded; /* a CuTe DSL's: as if its mark were clear and its last 64 bytes zero */
} tma_found;

/* The first map that begins at or after *at and before `end`, in the `size` bytes at `bytes`.
 * Returns true, fills *found and moves *at past the map; or returns false with *at at `end`. Maps
 * do not overlap: after a map of 128 bytes the search goes on after them, after one of 64 after
 * those. `end` lets a caller cut a long file into pieces: pass all bytes and one piece's end after
 * the other. A multiple of TMA_FIND_STEP_B is taken from *at upwards. What ends in the file's last
 * bytes is not read beyond `size`; a null argument finds nothing.
 *
 * Two kinds of maps are not found, because other data often look like them: maps of rank 1, of
 * plain bytes without swizzle, that a device built (their third word is 0), and 64-byte maps whose
 * rows overlap. */
TMA_EXPORT TMA_MUST_USE bool tma_find_next(tma_found *found, const void *bytes, size_t size,
                                           size_t *at, size_t end);

/* A form in one word ("whole", "edited", "built", "cute-dsl") and in one sentence; "" for anything
 * else. */
TMA_EXPORT const char *tma_found_form_name(uint32_t form);
TMA_EXPORT const char *tma_found_form_text(uint32_t form);

#ifdef __cplusplus
}
#endif
#endif
