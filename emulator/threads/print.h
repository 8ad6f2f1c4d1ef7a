/* SPDX-License-Identifier: Apache-2.0
 *
 * printf as kernels have it: a format and its arguments as bytes, each aligned to its size.
 */
#ifndef EMULATOR_PRINT_H
#define EMULATOR_PRINT_H

#include <stddef.h>
#include <stdint.h>

#define EMU_PRINT_TEXT_B 65536u /* of a format and of %s, and the widest width: no more */

typedef void (*emu_print_put)(void *context, const char *text, size_t length);
/* The text at a kernel's address, its length; null: there is none. */
typedef const char *(*emu_print_text)(void *context, uint64_t address, size_t *length);

/* How many arguments the format has, as CUDA's printf returns it; -1: the arguments end before. */
int32_t emu_print(emu_print_put put, void *put_context, const char *format, size_t length,
                  const char *bytes, size_t bytes_B, emu_print_text text, void *text_context);

/* ---- between print.c and print_float.c ---- */

typedef struct emu_conversion {
    char kind; /* d i u o x X c s p f F e E g G a A */
    uint8_t left, plus, blank, form, zeros;
    uint8_t is_long; /* 8 bytes */
    uint8_t shorts;  /* h: 1, hh: 2 */
    uint32_t width;
    int32_t precision; /* -1: none */
} emu_conversion;

typedef struct emu_printer {
    emu_print_put put;
    void *context;
} emu_printer;

/* A piece with its sign or prefix, padded to the conversion's width. */
void emu_print_padded(const emu_printer *p, const emu_conversion *c, const char *prefix,
                      const char *text, size_t length);
void emu_print_double(const emu_printer *p, const emu_conversion *c, uint64_t bits);

#endif
