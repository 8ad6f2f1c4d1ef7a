/* SPDX-License-Identifier: Apache-2.0
 *
 * Random copies: a small tensor, a map of it, an instruction that the target has, and coordinates
 * about the tensor's edges.
 */
#ifndef TESTS_GEN_COPY_H
#define TESTS_GEN_COPY_H

#include "random.h"
#include <tma/instruction.h>
#include <tma/map.h>

#define GEN_COPY_SHARED_B (64u << 10) /* a copy's rows take no more */

struct gen_copy {
    tma_target target;
    tma_spec spec;
    tma_map map;
    tma_instruction instruction;
    tma_position at;
};

enum gen_size {
    GEN_SMALL, /* the whole tensor is within GEN_COPY_EXTENT_B */
    GEN_ANY    /* now and then a size or a coordinate beyond everything */
};

#define GEN_COPY_EXTENT_B (256u << 10)

/* All modes, types, interleaves, swizzles. The copy nearly always runs; a few have a coordinate or
 * a shared address that traps. */
void gen_copy(struct random_source *r, enum gen_size size, struct gen_copy *c);

/* Bytes from the map's address on that any copy of a GEN_SMALL map can touch: to the end of the
 * last row, in whole 16-byte units. */
uint64_t gen_copy_extent_B(const tma_spec *spec);

/* Whether every element has bytes of its own, the 16-byte units that end the rows included. */
int gen_copy_is_dense(const tma_spec *spec);

/* Another position for the same map and instruction. */
void gen_copy_position(struct random_source *r, enum gen_size size, struct gen_copy *c);

/* The case in one line, for the messages of a failing test. */
#define GEN_COPY_LINE_BYTES 1400
char *gen_copy_line(const struct gen_copy *c, char text[GEN_COPY_LINE_BYTES]);

#endif
