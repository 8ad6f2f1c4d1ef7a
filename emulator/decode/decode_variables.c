/* SPDX-License-Identifier: Apache-2.0
 *
 * Variables: their spaces, sizes, alignments.
 */
#include "decode.h"
#include "ptx_constant.h"
#include "tma/text.h"

#define MOST_DIMS 16
#define MOST_B    (UINT64_C(1) << 40)

/* What stands around a variable's name. */
typedef struct declaration {
    uint32_t type, vector;
    uint64_t align_B;
    uint64_t dim[MOST_DIMS]; /* 0: [] */
    uint32_t dims;
} declaration;

static void advance(tma_ptx_span *span, size_t count) {
    span->at += count;
    span->length -= count;
}

/* A directive's word: letters and digits behind its dot. */
static tma_ptx_span take_word(tma_ptx_span *rest) {
    tma_ptx_span word = {rest->at + 1, 0};
    for (advance(rest, 1); rest->length && text_is_word(rest->at[0]); advance(rest, 1)) {
        word.length++;
    }
    return word;
}

static void skip_parentheses(tma_ptx_span *rest) {
    ptx_skip_blanks(rest);
    if (rest->length && rest->at[0] == '(') {
        const size_t end = text_until(rest->at, rest->length, ')');
        advance(rest, end < rest->length ? end + 1 : end);
    }
}

/* ".align 16 .v4 .f32", up to the name. What stands behind .ptr is of what it points to. */
static void take_words(declaration *out, tma_ptx_span rest) {
    int is_pointed = 0;
    for (ptx_skip_blanks(&rest); rest.length && rest.at[0] == '.'; ptx_skip_blanks(&rest)) {
        const tma_ptx_span word = take_word(&rest);
        int64_t number = 0;
        ptx_skip_blanks(&rest);
        if (ptx_is_text(word, "align") && ptx_constant_take(&rest, &number)) {
            out->align_B = is_pointed ? out->align_B : (uint64_t)number;
        } else if (ptx_is_text(word, "attribute")) {
            skip_parentheses(&rest);
        } else if (ptx_is_text(word, "ptr")) {
            is_pointed = 1;
        } else if (word.length == 2 && word.at[0] == 'v') {
            out->vector = (uint32_t)(word.at[1] - '0');
        } else if (decode_type_of(word) != EMU_NO_TYPE) {
            out->type = decode_type_of(word);
        }
    }
}

static int take_dims(declaration *out, tma_ptx_span rest) {
    for (ptx_skip_blanks(&rest); rest.length && rest.at[0] == '['; ptx_skip_blanks(&rest)) {
        int64_t number = 0;
        advance(&rest, 1);
        ptx_skip_blanks(&rest);
        if (rest.length && rest.at[0] != ']' && !ptx_constant_take(&rest, &number)) {
            return 0;
        }
        const size_t end = text_until(rest.at, rest.length, ']');
        advance(&rest, end < rest.length ? end + 1 : end);
        if (out->dims == MOST_DIMS || number < 0) {
            return 0;
        }
        out->dim[out->dims++] = (uint64_t)number;
    }
    return 1;
}

/* How many elements a first [] has: of the initialiser's list. */
static uint64_t listed(tma_ptx_span values) {
    uint64_t count = 0;
    while (values.length) {
        decode_cut(&values);
        count++;
    }
    return count;
}

static uint8_t space_of(const decode *d, const ptx_variable *v) {
    static const struct {
        const char *word;
        uint8_t space;
    } spaces[] = {{"shared", EMU_SHARED_CTA},
                  {"global", EMU_GLOBAL},
                  {"const", EMU_CONST},
                  {"local", EMU_LOCAL},
                  {"param", EMU_PARAM_CALL}};
    uint8_t space = EMU_GENERIC;
    for (size_t i = 0; i < sizeof(spaces) / sizeof(spaces[0]); i++) {
        space = ptx_is_text(v->v.space, spaces[i].word) ? spaces[i].space : space;
    }
    const int is_entrys =
        v->is_head && v->function != PTX_NONE && d->rows->function[v->function].is_entry;
    return space == EMU_PARAM_CALL && is_entrys ? EMU_PARAM_ENTRY : space;
}

/* Bytes of what one index of each level steps over; strides[dims] is one element's. 0: too many. */
static int take_strides(const declaration *of, uint64_t element_B,
                        uint64_t strides[MOST_DIMS + 1]) {
    strides[of->dims] = element_B;
    for (uint32_t i = of->dims; i-- > 0;) {
        if (of->dim[i] && strides[i + 1] > MOST_B / of->dim[i]) {
            return 0;
        }
        strides[i] = strides[i + 1] * of->dim[i];
    }
    return 1;
}

static int fails(const decode *d, uint32_t variable, const char *what, tma_error *error) {
    const ptx_variable *v = &d->rows->variable[variable];
    size_t line = 1;
    for (const char *at = d->rows->rows ? d->rows->row[0].piece.at : v->v.name.at;
         at < v->v.name.at; at++) {
        line += *at == '\n';
    }
    line += d->rows->rows ? d->rows->row[0].piece.line - 1 : 0;
    return tma_fail(error, "line %zu: %.*s: %s", line, text_shown(v->v.name.length), v->v.name.at,
                    what);
}

static int take_variable(decode *d, uint32_t index, tma_error *error) {
    const ptx_variable *from = &d->rows->variable[index];
    emu_variable *v = &d->p->variable[index];
    declaration of = {.vector = 1};
    uint64_t strides[MOST_DIMS + 1];
    const char *const behind = from->v.name.at + from->v.name.length;
    const char *const first = from->v.space.at + from->v.space.length;
    take_words(&of, (tma_ptx_span){first, (size_t)(from->v.name.at - first)});
    if (!of.type || of.align_B > UINT32_MAX ||
        !take_dims(&of, (tma_ptx_span){behind, (size_t)(d->text_end - behind)})) {
        return fails(d, index, "a declaration that is not understood", error);
    }
    const uint64_t element_B = (uint64_t)(emu_type_of(of.type)->bits + 7u) / 8 * of.vector;
    if (of.dims && !of.dim[0] && from->v.values.length) {
        of.dim[0] = listed(from->v.values);
    }
    if (!take_strides(&of, element_B, strides)) {
        return fails(d, index, "more than 2^40 bytes", error);
    }
    *v = (emu_variable){.name = from->v.name,
                        .space = space_of(d, from),
                        .is_extern = from->is_extern != 0,
                        .type = (uint8_t)of.type,
                        .align_B = (uint32_t)(of.align_B ? of.align_B : element_B),
                        .function = from->function == PTX_NONE ? EMU_NONE : from->function,
                        .slot = EMU_NO_SLOT,
                        .step_B = of.dims == 1 ? element_B : 0,
                        .size_B = strides[0]};
    v->is_written = v->space == EMU_CONST || v->space == EMU_GLOBAL;
    if (from->v.values.length && decode_initialiser(d, index, strides, of.dims, of.type)) {
        return d->memory->failed ? -1
                                 : fails(d, index, "an initialiser that is not understood", error);
    }
    return 0;
}

static void number_placed(emu_program *p) {
    for (uint32_t i = 0; i < p->variables; i++) {
        if (emu_is_placed(&p->variable[i])) {
            p->variable[i].placed = p->all_placed;
            PTX_APPEND(p, placed, all_placed, i);
        }
    }
}

int decode_variables(decode *d, tma_error *error) {
    const uint32_t count = d->rows->variables;
    for (uint32_t i = 0; i < count; i++) {
        PTX_APPEND(d->p, variable, variables, (emu_variable){.function = EMU_NONE});
    }
    if (d->memory->failed || decode_globals(d)) {
        return -1;
    }
    for (uint32_t i = 0; i < count && !d->memory->failed; i++) {
        if (take_variable(d, i, error)) {
            return -1;
        }
    }
    number_placed(d->p);
    return d->memory->failed ? -1 : 0;
}
