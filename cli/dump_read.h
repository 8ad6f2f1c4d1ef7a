/* SPDX-License-Identifier: Apache-2.0
 *
 * 128 bytes out of what people have: raw bytes, hex in any spacing, a debugger's x/16gx, x/32wx and
 * print, xxd, hexdump -C, a C initialiser. What could mean two things, or is not 128 bytes, is a
 * message that says how many were found.
 */
#ifndef CLI_DUMP_READ_H
#define CLI_DUMP_READ_H

#include <stddef.h>
#include <stdint.h>

#include "cli_error.h"
#include "tma/map.h"

/* Reads `size` bytes at `data`; *map is unchanged on error. */
int dump_read(const char *data, size_t size, uint8_t map[TMA_MAP_BYTES], cli_error *error);

/* The parts: values in words or in braces (dump_values.c), lines with addresses (dump_lines.c),
 * each over text without a byte 0 in it. */
int dump_values(const char *data, size_t size, uint8_t map[TMA_MAP_BYTES], cli_error *error);
int dump_braces(const char *data, size_t size, uint8_t map[TMA_MAP_BYTES], cli_error *error);
int dump_lines(const char *text, size_t size, uint8_t map[TMA_MAP_BYTES], cli_error *error);

/* Whether a line of the text begins with an address as debuggers and dump programs print it. */
int dump_has_addresses(const char *text, size_t size);

/* Value of a hexadecimal digit, or -1. */
int dump_digit(char c);

/* "found 64 bytes, a map has 128" */
int dump_wrong_size(size_t found, cli_error *error);

#endif
