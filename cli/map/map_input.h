/* SPDX-License-Identifier: Apache-2.0
 *
 * An argument that stands for 128 bytes: the bytes themselves as text, a file, or - for standard
 * input.
 */
#ifndef CLI_MAP_INPUT_H
#define CLI_MAP_INPUT_H

#include "tma/map.h"
#include "tma/text.h"

int map_input(const char *argument, tma_map *map, tma_error *error);

/* The same, and the options of tma encode: "--dtype float16 --dim 64,32 --box 64,8". */
int map_input_or_options(const char *argument, tma_map *map, tma_error *error);

/* map_input(), and 1 where it is the word of an mbarrier instead, by itself in the argument, in the
 * file or on standard input. */
int map_input_or_word(const char *argument, uint64_t *word, tma_map *map, tma_error *error);

#endif
