/* SPDX-License-Identifier: Apache-2.0
 *
 * libtma-text: text to specs, targets, maps, instructions, positions, and back. A library of its
 * own on top of libtma (CMake libtma::text, pkg-config libtma-text).
 *
 * What all its headers share stands here: how text goes out, how a reader says what is wrong, and
 * numbers.
 *
 * Text goes out through a tma_out: into the caller's buffer, or in pieces through the caller's
 * function. A reader returns 0, or -1 with a message in the caller's tma_error; what it was to fill
 * in is unchanged then, unless the header says otherwise. Text that is read is `length` bytes that
 * need no 0 behind them, or a string where no length is asked for; it may not lie in what is
 * written, a buffer or a tma_error.
 *
 * No function of the library allocates, does input or output, or keeps state: all are safe on any
 * thread as long as no two write the same tma_out or tma_error.
 */
#ifndef TMA_TEXT_H
#define TMA_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "export.h"

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__MINGW32__) && !defined(__clang__) /* there __printf__ is Microsoft's: no %zu */
#define TMA_FORMAT(text, first) __attribute__((__format__(__gnu_printf__, text, first)))
#elif defined(__GNUC__) || defined(__clang__)
#define TMA_FORMAT(text, first) __attribute__((__format__(__printf__, text, first)))
#else
#define TMA_FORMAT(text, first)
#endif

/* Takes `length` bytes of text, which are not terminated. */
typedef void (*tma_write)(void *context, const char *text, size_t length);

/* Where text goes. With `write` each piece is handed on; without it what fits goes to `at`, which
 * is terminated whenever size > 0. `length` counts all of it, whether it fitted or not: a result is
 * whole if length < size. */
typedef struct tma_out {
    char *at;
    size_t size;
    size_t length;
    tma_write write;
    void *context;
} tma_out;

/* An output into a buffer (null where size is 0, to count only), and one through a function. */
TMA_EXPORT tma_out tma_out_into(char *buffer, size_t size);
TMA_EXPORT tma_out tma_out_to(tma_write write, void *context);

/* A string; `length` bytes; and printf's way with these conversions and no others:
 *   %s %.*s %c %u %d %x, with l, ll and z before u, d and x; a width, with 0 or - before it.
 * Anything else after % comes out as it stands. */
TMA_EXPORT void tma_put(tma_out *out, const char *text);
TMA_EXPORT void tma_put_bytes(tma_out *out, const char *text, size_t length);
TMA_EXPORT void tma_putf(tma_out *out, const char *format, ...) TMA_FORMAT(2, 3);

/* Bytes as lower-case hexadecimal digits, two each. */
TMA_EXPORT void tma_put_hex_bytes(tma_out *out, const void *bytes, size_t count);

/* Text of unknown origin, for a terminal: control characters and bytes that are no UTF-8 as \xNN.
 */
TMA_EXPORT void tma_put_printable(tma_out *out, const char *text, size_t length);

/* printf's letters for 64 bits, as PRIu64 but without the C library's header. */
#if UINTPTR_MAX == UINT64_MAX && !defined(__APPLE__) && !defined(_WIN32)
#define TMA_U64 "lu"
#define TMA_D64 "ld"
#define TMA_X64 "lx"
#else
#define TMA_U64 "llu"
#define TMA_D64 "lld"
#define TMA_X64 "llx"
#endif

/* What is wrong with text that was read: a sentence that names the argument, the value, the limit
 * and the unit; without a full stop. `at` is the byte of the text that it is about, from 0, or
 * TMA_NOWHERE where it is about all of it. */
#define TMA_ERROR_SIZE 2048
#define TMA_NOWHERE    ((size_t)-1)

typedef struct tma_error {
    size_t at;
    char text[TMA_ERROR_SIZE];
} tma_error;

/* Sets the message (and `at` to TMA_NOWHERE), and returns -1; the second form is about byte `at`.
 * tma_fail_more() puts more after the message. The formats are tma_putf()'s. Control characters in
 * it become \xNN, so that a message can go to a terminal. A null error is fine: the message is
 * lost. */
TMA_EXPORT int tma_fail(tma_error *error, const char *format, ...) TMA_FORMAT(2, 3);
TMA_EXPORT int tma_fail_at(tma_error *error, size_t at, const char *format, ...) TMA_FORMAT(3, 4);
TMA_EXPORT int tma_fail_more(tma_error *error, const char *format, ...) TMA_FORMAT(2, 3);

/* Numbers. Nothing is skipped: no blanks, no signs but where said, nothing behind the end. */
typedef enum tma_number { TMA_NUMBER_OK, TMA_NUMBER_MALFORMED, TMA_NUMBER_TOO_BIG } tma_number;

/* Decimal digits, or 0x and hexadecimal ones; on TMA_NUMBER_TOO_BIG *out is 2^64 - 1. */
TMA_EXPORT TMA_MUST_USE tma_number tma_number_of(uint64_t *out, const char *text, size_t length);

/* The same or a power of two (2^32), with a message if the text is no such number; `what` names
 * the argument ("--window"). The second takes numbers up to `most`, the third a sign and 32 bits.
 */
TMA_EXPORT TMA_MUST_USE int tma_read_u64(uint64_t *out, const char *text, size_t length,
                                         const char *what, tma_error *error);
TMA_EXPORT TMA_MUST_USE int tma_read_u32(uint32_t *out, const char *text, size_t length,
                                         uint32_t most, const char *what, tma_error *error);
TMA_EXPORT TMA_MUST_USE int tma_read_i32(int32_t *out, const char *text, size_t length,
                                         const char *what, tma_error *error);

/* The i-th of some names; null after the last. */
typedef const char *(*tma_name_at)(size_t i);

/* Which of the names `text` is. Where it is none, the message names up to three that are near, or
 * lists the first ones where none is; tma_fail_name() makes that message alone. */
TMA_EXPORT TMA_MUST_USE int tma_read_name(size_t *out, const char *text, const char *what,
                                          tma_name_at names, tma_error *error);
TMA_EXPORT int tma_fail_name(tma_error *error, const char *text, const char *what,
                             tma_name_at names);

#ifdef __cplusplus
}
#endif

#endif
