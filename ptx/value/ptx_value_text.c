/* SPDX-License-Identifier: Apache-2.0
 *
 * Values in words.
 */
#include "ptx_value_text.h"

#define MOST_DEEP 6    /* operations in operations */
#define MOST_PUT  8192 /* characters; what an operation is of is left out behind them */

static void put_name(tma_out *out, tma_ptx_span name) {
    tma_put_printable(out, name.at, name.length < 200 ? name.length : 200);
}

static size_t line_of(const ptx_values *v, uint32_t step) {
    return v->g->rows->row[v->g->step[step].row].piece.line;
}

size_t ptx_block_line(const ptx_values *v, uint32_t block) {
    const uint32_t row = ptx_block_row(v->g, block);
    return row == PTX_NONE ? 0 : v->g->rows->row[row].piece.line;
}

static void put_place(tma_out *out, const ptx_values *v, uint32_t place) {
    const ptx_rows *rows = v->g->rows;
    const ptx_symbol *s = &rows->symbol[rows->place[place].symbol];
    put_name(out, s->name);
    if (s->kind != PTX_IS_REGISTER && rows->place[place].number) {
        tma_putf(out, s->kind == PTX_IS_REGISTERS ? "%u" : "+%u", rows->place[place].number);
    }
}

void ptx_place_put(tma_out *out, const ptx_values *v, uint32_t place) {
    const ptx_context *c = &v->g->context[ptx_place_context(v->g, place)];
    put_place(out, v, v->g->rows->function[c->function].first_place + (place - c->first_place));
}

static void put_value(tma_out *out, const ptx_values *v, ptx_value value, int deep, size_t most);

// NOLINTBEGIN(misc-no-recursion): at most MOST_DEEP deep
static void put_operation(tma_out *out, const ptx_values *v, const ptx_atom *a, int deep,
                          size_t most) {
    static const char *const own[] = {"zero-extended", "sign-extended", "selected", "product",
                                      "sum"};
    const ptx_value of[] = {a->b, a->c, a->d};
    if (a->a >= PTX_DO_ZERO_EXTEND) {
        tma_put(out, own[a->a - PTX_DO_ZERO_EXTEND]);
    } else {
        put_name(out, v->g->codes->opcode[a->a]);
    }
    for (size_t i = 0; i < 3 && of[i] != PTX_UNKNOWN; i++) {
        tma_put(out, i ? ", " : "(");
        if (deep < MOST_DEEP && out->length < most) {
            put_value(out, v, of[i], deep + 1, most);
        } else {
            tma_put(out, "...");
        }
    }
    tma_put(out, ")");
}

static void put_atom(tma_out *out, const ptx_values *v, const ptx_atom *a, int deep, size_t most) {
    const ptx_graph *g = v->g;
    switch (a->kind) {
    case PTX_ATOM_SPECIAL:
        tma_put(out, ptx_special_name(a->a));
        break;
    case PTX_ATOM_ADDRESS:
        tma_put(out, "&");
        put_name(out, g->rows->variable[a->a].v.name);
        break;
    case PTX_ATOM_PARAMETER:
        tma_put(out, "[");
        put_name(out, g->rows->variable[a->a].v.name);
        tma_putf(out, a->b ? "+%u]" : "]", a->b);
        break;
    case PTX_ATOM_NAMED:
        put_name(out, g->codes->opcode[a->a]);
        break;
    case PTX_ATOM_INPUT:
        put_place(out, v, a->a);
        tma_put(out, " at first");
        break;
    case PTX_ATOM_WINDOW:
        tma_putf(out, "window of %s",
                 a->a == 's'   ? "shared"
                 : a->a == 'l' ? "local"
                 : a->a == 'c' ? "const"
                               : "param");
        break;
    case PTX_ATOM_TURN:
        tma_putf(out, "iterations of the loop at line %zu", ptx_block_line(v, g->loop[a->a].head));
        break;
    case PTX_ATOM_MERGED:
        tma_putf(out, "what paths bring together at line %zu", ptx_block_line(v, a->a));
        break;
    case PTX_ATOM_RESULT:
        tma_putf(out, "the result of line %zu", line_of(v, a->a));
        break;
    default:
        put_operation(out, v, a, deep, most);
        break;
    }
}

/* What a form adds to its terms. */
static void put_number(tma_out *out, const ptx_form *f, int64_t number) {
    if (number || !f->terms) {
        const int minus = f->terms && number < 0;
        tma_put(out, !f->terms ? "" : minus ? " - " : " + ");
        tma_putf(out, minus ? "%" TMA_U64 : "%" TMA_D64,
                 minus ? 0 - (uint64_t)number : (uint64_t)number);
    }
}

static void put_value(tma_out *out, const ptx_values *v, ptx_value value, int deep, size_t most) {
    const ptx_form *f = &v->forms.form[value];
    const int64_t number = ptx_value_signed(v, value);
    if (value == PTX_UNKNOWN) {
        tma_put(out, "not known");
        return;
    }
    const int is_predicate = f->bits == 1 && f->terms;
    tma_put(out, is_predicate && number ? "not " : "");
    for (uint32_t i = 0; i < f->terms; i++) {
        const uint32_t shift = 64 - (f->bits < 64 ? f->bits : 64);
        const int64_t times = (int64_t)(f->term[i].times << shift) >> shift;
        tma_put(out, !i ? "" : is_predicate ? " xor " : " + ");
        if (times != 1 && f->bits > 1) {
            tma_putf(out, "%" TMA_D64 " * ", times);
        }
        put_atom(out, v, &v->forms.atom[f->term[i].atom], deep, most);
    }
    if (!is_predicate) {
        put_number(out, f, number);
    }
}
// NOLINTEND(misc-no-recursion)

void ptx_value_put(tma_out *out, const ptx_values *v, ptx_value value) {
    put_value(out, v, value, 0, out->length + MOST_PUT);
}
