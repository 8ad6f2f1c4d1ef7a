/* SPDX-License-Identifier: Apache-2.0
 *
 * Instructions in words: operations and modes as PTX and the case lines name them, and the whole
 * instruction as PTX writes it.
 */
#ifndef CLI_COPY_WORDS_H
#define CLI_COPY_WORDS_H

#include <stdio.h>

#include "cli_error.h"
#include "tma/plan.h"

/* "load", "store", "add" ... "prefetch". */
int copy_op_named(const char *text, const char *what, uint32_t *op, cli_error *error);

/* PTX's load modes and store modes, and the case lines' short ones ("gather4", "im2col_w"). */
int copy_mode_named(const char *text, const char *what, uint32_t *mode, cli_error *error);

/* How many coordinates an instruction has: the map's rank, 5 with gather4 and scatter4. */
uint32_t copy_coords(uint32_t mode, uint32_t rank);

/* How many im2col offsets it has: none for stores and tile modes; 2 are wHalo and wOffset. */
uint32_t copy_offsets(uint32_t op, uint32_t mode, uint32_t rank);

int copy_is_im2col(uint32_t mode);
int copy_is_wide(uint32_t mode);
int copy_is_rows4(uint32_t mode);

/* "cp.async.bulk.tensor.2d.shared::cta.global.tile.mbarrier::complete_tx::bytes [0x400], [map, {64,
 * 0}], [mbar]" */
void copy_ptx(FILE *out, const tma_instruction *in, uint32_t map_rank, const tma_position *at);

#endif
