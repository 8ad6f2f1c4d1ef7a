/* SPDX-License-Identifier: Apache-2.0
 *
 * Whether an instruction may be executed later.
 */
#include "ptx_group.h"

#include <string.h>

static int reads(const ptx_rows *rows, uint32_t row, uint32_t place) {
    const ptx_row *r = &rows->row[row];
    for (uint32_t i = 0; i < r->refs; i++) {
        if (rows->ref[r->first_ref + i].place == place) {
            return 1;
        }
    }
    return 0;
}

/* Arithmetic on registers that none of them reads. */
static int leaves_alone(const ptx_rows *rows, const ptx_codes *codes, uint32_t between,
                        const uint32_t *row, uint32_t count) {
    const ptx_code *code = &codes->code[between];
    if (code->op < PTX_OP_MOVE || code->op >= PTX_OPS) { /* a function of its operands: .def */
        return 0;
    }
    for (uint32_t i = 0; i < code->defs; i++) {
        const uint32_t place = codes->def[code->first_def + i];
        for (uint32_t k = 0; k < count; k++) {
            if (place == PTX_NONE || reads(rows, row[k], place)) {
                return 0;
            }
        }
    }
    return 1;
}

static int is_about_source(const tma_ptx_piece *piece) {
    static const char *const words[] = {".loc", ".reg"};
    for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
        const size_t length = strlen(words[i]);
        if (piece->size > length && !memcmp(piece->at, words[i], length)) {
            return 1;
        }
    }
    return 0;
}

int ptx_may_wait(const ptx_rows *rows, const ptx_codes *codes, const uint32_t *row, uint32_t count,
                 uint32_t next) {
    const uint32_t last = row[count - 1];
    if (rows->row[last].block != rows->row[next].block) {
        return 0;
    }
    for (uint32_t i = last + 1; i < next; i++) {
        switch (rows->row[i].piece.kind) {
        case TMA_PTX_PIECE_INSTRUCTION:
            if (!leaves_alone(rows, codes, i, row, count)) {
                return 0;
            }
            break;
        case TMA_PTX_PIECE_DIRECTIVE:
            if (!is_about_source(&rows->row[i].piece)) {
                return 0;
            }
            break;
        case TMA_PTX_PIECE_OPEN:
        case TMA_PTX_PIECE_CLOSE: /* of the same block again at `next` */
            break;
        default:
            return 0;
        }
    }
    return 1;
}
