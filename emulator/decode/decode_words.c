/* SPDX-License-Identifier: Apache-2.0
 *
 * An opcode's words: qualifiers.def, types.def and the numbers in shapes.
 */
#include <string.h>

#include "decode.h"
#include "ptx_code.h"
#include "ptx_constant.h"
#include "ptx_names.h"

typedef enum word_kind {
    WORD_SPACE,
    WORD_SCOPE,
    WORD_ORDER,
    WORD_ROUNDING,
    WORD_COMPARE,
    WORD_BOOLEAN,
    WORD_OPERATION,
    WORD_HINT,
    WORD_FLAG, /* the kinds before it need no mention */
} word_kind;

static const struct {
    const char *word;
    uint8_t kind, value;
} WORDS[] = {
#define EMU_SPACE(word, space)       {word, WORD_SPACE, space},
#define EMU_SCOPE(word, scope)       {word, WORD_SCOPE, scope},
#define EMU_ORDER(id, word)          {word, WORD_ORDER, EMU_##id},
#define EMU_ROUNDING(id, word)       {word, WORD_ROUNDING, EMU_##id},
#define EMU_COMPARE(id, word)        {word, WORD_COMPARE, EMU_COMPARE_##id},
#define EMU_BOOLEAN(id, word)        {word, WORD_BOOLEAN, EMU_BOOLEAN_##id},
#define EMU_OPERATION_WORD(id, word) {word, WORD_OPERATION, EMU_OPERATION_##id},
#define EMU_FLAG(id, word)           {word, WORD_FLAG, EMU_FLAG_##id},
#define EMU_HINT(word)               {word, WORD_HINT, 0},
#include "qualifiers.def"
};

uint32_t decode_type_of(tma_ptx_span word) {
    for (uint32_t i = 1; i < EMU_TYPES; i++) {
        if (ptx_is_text(word, emu_type_of(i)->word)) {
            return i;
        }
    }
    return EMU_NO_TYPE;
}

static void take_space(emu_instruction *in, uint8_t space) {
    if (in->spaces < sizeof(in->space)) {
        in->space[in->spaces++] = space;
    }
}

/* One row's meaning into the instruction; whether it is free of mention. */
static int take_meaning(emu_instruction *in, uint8_t kind, uint8_t value) {
    uint8_t *const member[] = {
        [WORD_SCOPE] = &in->scope,       [WORD_ORDER] = &in->order,
        [WORD_ROUNDING] = &in->rounding, [WORD_COMPARE] = &in->compare,
        [WORD_BOOLEAN] = &in->boolean,   [WORD_OPERATION] = &in->operation,
    };
    if (kind == WORD_SPACE) {
        take_space(in, value);
    } else if (kind == WORD_FLAG) {
        in->flags[value / 64] |= UINT64_C(1) << (value % 64);
        if (value == EMU_FLAG_ROW || value == EMU_FLAG_COL) {
            in->layout[in->layout[0] ? 1 : 0] = value;
        }
    } else if (kind != WORD_HINT) {
        *member[kind] = value;
    }
    return kind != WORD_FLAG;
}

/* A number that a word goes on with; -1: there is none. */
static int32_t take_count(tma_ptx_span *word) {
    int32_t n = -1;
    while (word->length && text_is_digit(word->at[0]) && n < 10000) {
        n = 10 * (n < 0 ? 0 : n) + (word->at[0] - '0');
        word->at++;
        word->length--;
    }
    return n;
}

static int take_letter(tma_ptx_span *word, char letter) {
    if (!word->length || word->at[0] != letter) {
        return 0;
    }
    word->at++;
    word->length--;
    return 1;
}

/* v4, m64n128k16, m8n8, x4, 32x32b, 16x32bx2. */
static int take_shape(emu_instruction *in, tma_ptx_span word) {
    static const char LETTERS[] = "mnk";
    int32_t number = 0;
    if (take_letter(&word, 'v')) {
        number = take_count(&word);
        in->vector = (uint8_t)number;
        return number > 0 && number <= 8 && !word.length;
    }
    if (take_letter(&word, 'x')) {
        number = take_count(&word);
        in->times = (uint16_t)number;
        return number > 0 && !word.length;
    }
    for (uint32_t i = 0; i < 3 && take_letter(&word, LETTERS[i]); i++) {
        number = take_count(&word);
        in->shape[i] = (uint16_t)number;
        if (number <= 0 || (i && !word.length)) {
            return number > 0;
        }
    }
    if ((number = take_count(&word)) > 0 && take_letter(&word, 'x')) {
        in->shape[0] = (uint16_t)number;
        in->shape[1] = (uint16_t)(number = take_count(&word));
        in->shape[2] = ptx_is_text(word, "bx2") ? 2 : 0;
        return number > 0 && (!word.length || ptx_is_text(word, "b") || in->shape[2]);
    }
    return 0;
}

static void take_word(decode_opcode *o, tma_ptx_span word) {
    const uint32_t type = decode_type_of(word);
    int is_known = type != EMU_NO_TYPE;
    int is_free = is_known;
    for (size_t i = 0; i < sizeof(WORDS) / sizeof(WORDS[0]); i++) {
        if (ptx_is_text(word, WORDS[i].word)) {
            is_known = 1;
            is_free |= take_meaning(&o->in, WORDS[i].kind, WORDS[i].value);
        }
    }
    if (type != EMU_NO_TYPE) {
        uint32_t at = 0;
        while (at < sizeof(o->in.type) && o->in.type[at]) {
            at++;
        }
        is_known = at < sizeof(o->in.type);
        o->in.type[is_known ? at : 0] = (uint8_t)type;
    } else if (!is_known) {
        is_known = is_free = take_shape(&o->in, word);
    }
    if (!is_known && !o->has_statement) {
        o->unread = o->why == DECODE_NO_WORD ? o->unread : word;
        o->why = DECODE_NO_WORD;
    }
    o->is_free[o->words] = (uint8_t)is_free;
}

static uint8_t flow_of(ptx_op op) {
    static const uint8_t flows[PTX_OPS] = {
        [PTX_OP_BRANCH] = DECODE_BRA, [PTX_OP_BRANCH_TABLE] = DECODE_BRX,
        [PTX_OP_CALL] = DECODE_CALL,  [PTX_OP_RETURN] = DECODE_RET,
        [PTX_OP_EXIT] = DECODE_EXIT,  [PTX_OP_TRAP] = DECODE_TRAP};
    return flows[op]; /* DECODE_ON */
}

/* mov and ret stand for themselves, whatever instruction they were put in front of. */
static int is_ours(tma_ptx_span opcode) {
    return ptx_begins(opcode, "mov") || ptx_begins(opcode, "ret");
}

static int is_protocol(ptx_op op, const emu_instruction *in) {
    return ptx_op_does(op, 'P') || ptx_op_does(op, 'O') ||
           emu_flag(in, EMU_FLAG_ASYNC); /* st.async, red.async */
}

static void take_opcode(decode *d, decode_opcode *o) {
    tma_ptx_statement statement;
    tma_ptx_span rest = o->text;
    const tma_ptx_piece *piece = &d->rows->row[d->row].piece;
    tma_ptx_parse(&statement, piece->at, piece->size, NULL);
    o->has_statement = statement.kind != TMA_PTX_OTHER && !is_ours(o->text);
    o->in.vector = 1;
    o->in.guard = EMU_NO_GUARD;
    o->in.statement = o->in.function = o->in.join = EMU_NONE;
    while (o->words < DECODE_WORDS) {
        const size_t length = text_until(rest.at, rest.length, '.');
        const tma_ptx_span word = {rest.at, length};
        if (o->words) {
            take_word(o, word);
        }
        o->word[o->words++] = word;
        if (length >= rest.length) {
            break;
        }
        rest.at += length + 1;
        rest.length -= length + 1;
    }
    const ptx_op op = ptx_op_of(o->text);
    o->flow = flow_of(op);
    o->in.protocol = (uint8_t)is_protocol(op, &o->in);
    decode_operation(o);
}

static uint32_t *slot_of(const decode *d, tma_ptx_span text) {
    uint32_t at = ptx_hash(text, 0) & (d->opcode_slots - 1);
    while (d->opcode_slot[at] != EMU_NONE && !ptx_same(d->opcode[d->opcode_slot[at]].text, text)) {
        at = (at + 1) & (d->opcode_slots - 1);
    }
    return &d->opcode_slot[at];
}

static int grow(decode *d) {
    d->opcode_slots = d->opcode_slots ? 2 * d->opcode_slots : 256;
    d->opcode_slot = ptx_memory_take(d->memory, d->opcode_slots, sizeof(*d->opcode_slot));
    if (!d->opcode_slot) {
        return -1;
    }
    memset(d->opcode_slot, 0xFF, d->opcode_slots * sizeof(*d->opcode_slot));
    for (uint32_t i = 0; i < d->opcodes; i++) {
        *slot_of(d, d->opcode[i].text) = i;
    }
    return 0;
}

/* "mov .b32", "add.cc\n.u32": without blanks and comments. */
static tma_ptx_span tight(decode *d, tma_ptx_span opcode) {
    tma_ptx_span rest = opcode;
    size_t length = 0;
    char *out = NULL;
    for (size_t i = 0; i < opcode.length && !out; i++) {
        if (text_is_space(opcode.at[i]) || opcode.at[i] == '/') {
            out = ptx_memory_take(d->memory, opcode.length, 1);
        }
    }
    for (; out && rest.length; ptx_skip_blanks(&rest)) {
        out[length++] = *rest.at++;
        rest.length--;
    }
    return out ? (tma_ptx_span){out, length} : opcode;
}

const decode_opcode *decode_opcode_of(decode *d, tma_ptx_span text) {
    text = tight(d, text);
    if (d->memory->failed || (2 * (d->opcodes + 1) > d->opcode_slots && grow(d))) {
        return NULL;
    }
    uint32_t *slot = slot_of(d, text);
    if (*slot == EMU_NONE) {
        const uint32_t at = d->opcodes;
        PTX_APPEND(d, opcode, opcodes, (decode_opcode){.text = text});
        if (d->opcodes == at) {
            return NULL;
        }
        *slot = at;
        take_opcode(d, &d->opcode[at]);
    }
    return &d->opcode[*slot];
}
