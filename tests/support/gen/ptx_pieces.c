/* SPDX-License-Identifier: Apache-2.0 */
#include "ptx_pieces.h"

int ptx_piece_as_directive(const tma_ptx_piece *piece) {
    tma_ptx_loc loc;
    tma_ptx_span span;
    tma_ptx_variable variable;
    uint32_t number;
    int flag;
    size_t from = 0;
    tma_ptx_loc_of(&loc, piece);
    tma_ptx_file_of(&number, &span, piece);
    tma_ptx_version_of(&number, piece);
    tma_ptx_target_of(&span, piece);
    tma_ptx_function_of(&span, &flag, piece);
    while (tma_ptx_variable_of(&variable, &from, piece)) {
        if (from > piece->size || !variable.name.length) {
            return 0;
        }
    }
    return 1;
}

int ptx_piece_as_instruction(const tma_ptx_piece *piece) {
    tma_ptx_parts parts;
    if (tma_ptx_split(&parts, piece)) {
        return 1;
    }
    for (uint32_t i = 0; i < parts.count && i < TMA_PTX_PARTS; i++) {
        tma_ptx_span rest = parts.operand[i];
        if (rest.at < piece->at || rest.at + rest.length > piece->at + piece->size) {
            return 0;
        }
        tma_ptx_operand_of(rest, NULL);
        while (tma_ptx_next_name(&rest).length) {
        }
    }
    return 1;
}
