/* SPDX-License-Identifier: Apache-2.0
 *
 * 128 bytes as text, in forms that decode reads back.
 */
#ifndef CLI_MAP_OUTPUT_H
#define CLI_MAP_OUTPUT_H

#include <stdio.h>

#include "cli_error.h"
#include "tma/map.h"

typedef enum map_format { MAP_HEX, MAP_C, MAP_WORDS, MAP_RAW } map_format;

/* "hex", "c", "words" or "raw". */
int map_format_named(const char *text, map_format *format, cli_error *error);

void map_output(FILE *out, const tma_map *map, map_format format);

#define MAP_HEX_DIGITS ((size_t)2 * TMA_MAP_BYTES)

/* 256 digits and a 0. */
void map_hex(const void *map, char text[MAP_HEX_DIGITS + 1]);

#endif
