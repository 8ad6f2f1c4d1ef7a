/* SPDX-License-Identifier: Apache-2.0
 *
 * Cases as lines of tests/vectors/README.md, and differences in words.
 */
#ifndef HARDWARE_CASE_LINES_H
#define HARDWARE_CASE_LINES_H

#include <stdint.h>
#include <stdio.h>
#include <tma/map.h>

#include "random_copies.h"

/* The beginning of a line: its kind and the map that is asked for. `target` may be null. */
void print_case(FILE *out, const char *kind, const tma_spec *spec, const tma_target *target);

/* The rest of a copy's request; space= where it is not what hw lines of the target have. */
void print_copy_request(FILE *out, const struct copy_case *copy, const tma_target *target);

/* " key=" and bytes in hexadecimal. */
void print_bytes(FILE *out, const char *key, const void *bytes, size_t count);

/* The fields in which two maps differ, a line each. */
void print_map_differences(FILE *out, const tma_map *theirs, const tma_map *ours);

/* How many bytes differ, and the first of them; returns how many. */
uint64_t print_byte_differences(FILE *out, const char *what, const uint8_t *theirs,
                                const uint8_t *ours, uint64_t count);

#endif
