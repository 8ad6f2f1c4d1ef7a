/* SPDX-License-Identifier: Apache-2.0
 *
 * The row of operations.def that an opcode fits.
 */
#include "decode.h"

#define EMU_OPERATION(id, first, has, may, choose, how, evidence)                                  \
    emu_run choose(const emu_instruction *in);
#include "operations.def"

static const struct row {
    const char *first, *has, *may;
    emu_run (*choose)(const emu_instruction *in);
    char how;
} ROWS[EMU_OPS] = {
    [EMU_OP_UNKNOWN] = {"", "", "", NULL, 'X'},
#define EMU_OPERATION(id, first, has, may, choose, how, evidence)                                  \
    [EMU_OP_##id] = {first, has, may, choose, #how[0]},
#include "operations.def"
};

static int is_listed(const char *list, tma_ptx_span word) {
    while (*list) {
        const size_t length = text_until(list, text_length(list), ' ');
        if (ptx_same((tma_ptx_span){list, length}, word)) {
            return 1;
        }
        list += length + (list[length] == ' ');
    }
    return 0;
}

static int has_word(const decode_opcode *o, tma_ptx_span word) {
    for (uint32_t i = 1; i < o->words; i++) {
        if (ptx_same(o->word[i], word)) {
            return 1;
        }
    }
    return 0;
}

static int has_all(const decode_opcode *o, const char *list) {
    while (*list) {
        const size_t length = text_until(list, text_length(list), ' ');
        if (!has_word(o, (tma_ptx_span){list, length})) {
            return 0;
        }
        list += length + (list[length] == ' ');
    }
    return 1;
}

static int fits(const decode_opcode *o, const struct row *row) {
    if (!ptx_is_text(o->word[0], row->first) || !has_all(o, row->has)) {
        return 0;
    }
    for (uint32_t i = 1; i < o->words && !o->has_statement; i++) {
        if (!o->is_free[i] && !is_listed(row->has, o->word[i]) &&
            !is_listed(row->may, o->word[i])) {
            return 0;
        }
    }
    return 1;
}

void decode_operation(decode_opcode *o) {
    for (uint32_t i = EMU_OP_UNKNOWN + 1; i < EMU_OPS && !o->why; i++) {
        if (fits(o, &ROWS[i])) {
            o->in.op = (uint16_t)i;
            o->choose = ROWS[i].choose;
            return;
        }
    }
    o->why = o->why ? o->why : DECODE_NO_ROW;
}

int decode_is_pure(uint32_t op) {
    return ROWS[op].how == 'P';
}
