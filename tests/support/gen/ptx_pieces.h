/* SPDX-License-Identifier: Apache-2.0
 *
 * All readers of a piece of a PTX file, whatever it is. 0: one says that something lies outside it.
 */
#ifndef SUPPORT_PTX_PIECES_H
#define SUPPORT_PTX_PIECES_H

#include "tma/ptx_file.h"

int ptx_piece_as_directive(const tma_ptx_piece *piece);
int ptx_piece_as_instruction(const tma_ptx_piece *piece);

#endif
