/* SPDX-License-Identifier: Apache-2.0
 *
 * The 128 bytes of a map as text, both ways.
 */
#ifndef TMA_DUMP_H
#define TMA_DUMP_H

#include "map.h"
#include "text.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Reads `size` bytes of what people have: raw bytes, hex in any spacing, base64, printf loops with
 * indices, a C initialiser, Python's bytes and lists, NumPy, PyTorch, Rust. Debuggers: x/16gx,
 * x/32wx or x/128xb and print. Programs: xxd (-p, -i, -e too), hexdump, also -C, od -x and -t x1 to
 * x8. 0x34567880 is a little-endian word, 34567880 four bytes in order. Text that is not 128 bytes
 * is an error that says how many there are; text that could be two maps is one that says which two,
 * and what to ask the other program for.
 *
 * Where bare groups make no map as bytes in order, but do as words, they are taken as words; *how
 * (may be null) then says so, and is "" else. */
TMA_EXPORT TMA_MUST_USE int tma_read_dump_how(uint8_t map[TMA_MAP_BYTES], const char **how,
                                              const char *data, size_t size, tma_error *error);
TMA_EXPORT TMA_MUST_USE int tma_read_dump(uint8_t map[TMA_MAP_BYTES], const char *data, size_t size,
                                          tma_error *error);

/* A map that stands somewhere in a text, as a dump in any of those forms: in a debugger's session,
 * in a log. Only what is a map by all its bytes counts: find.h. */
typedef struct tma_dump_found {
    uint8_t map[TMA_MAP_BYTES];
    size_t line, last_line; /* from 1 */
    const char *how;        /* as of tma_read_dump_how() */
} tma_dump_found;

/* How far a text was searched: zeros to begin with. */
typedef struct tma_dump_cursor {
    size_t at, line;
} tma_dump_cursor;

/* The next one from *at on whose first line begins before byte `end` (SIZE_MAX: anywhere). True:
 * *at is after its last line. False: *at is at the first line that was not looked at, to go on from
 * with a later end. Takes about 20 KiB of stack. */
TMA_EXPORT TMA_MUST_USE bool tma_dump_next(tma_dump_found *found, const char *text, size_t size,
                                           tma_dump_cursor *at, size_t end);

/* Forms that read back: "hex" (256 digits), "c" (an initialiser of CUtensorMap), "words" (as
 * x/32wx) and "raw" (the bytes themselves). */
typedef enum tma_map_form {
    TMA_FORM_HEX,
    TMA_FORM_C,
    TMA_FORM_WORDS,
    TMA_FORM_RAW,
    TMA_FORMS
} tma_map_form;

/* The name of a form of the 128 bytes; null from TMA_FORMS on. */
TMA_EXPORT const char *tma_map_form_name(size_t form);

/* Writes the 128 bytes in a form, with a newline after each line; raw bytes have none. */
TMA_EXPORT void tma_put_map(tma_out *out, const uint8_t *map, tma_map_form form);

#ifdef __cplusplus
}
#endif

#endif
