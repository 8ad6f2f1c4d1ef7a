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

#endif
