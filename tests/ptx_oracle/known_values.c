/* SPDX-License-Identifier: Apache-2.0
 *
 * ptx_known_values FILE...: what ptx/ knows of the operands of copies. A JSON object a copy and a
 * way to it through calls: {"file", "line", "chain": lines of the calls, "operands": coordinates
 * and the shared address, as numbers of forms, 0: nothing}; and for each kernel its "forms", [bits,
 * number,
 * [[times, atom] ...]], and "atoms".
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "each_file.h"
#include "ptx_heap.h"
#include "ptx_values.h"

static size_t line_of(const ptx_values *v, uint32_t row) {
    return v->g->rows->row[row].piece.line;
}

/* The calls' lines, the innermost first. */
static void put_chain(const ptx_values *v, uint32_t context) {
    const ptx_context *c = &v->g->context[context];
    for (; c->parent != PTX_NONE; c = &v->g->context[c->parent]) {
        printf("%zu%s", line_of(v, c->row), v->g->context[c->parent].parent == PTX_NONE ? "" : ",");
    }
}

static void put_operation(const ptx_values *v, const ptx_atom *a) {
    static const char *const own[] = {"zero-extended", "sign-extended", "selected", "product"};
    const ptx_value of[] = {a->b, a->c, a->d};
    if (a->a >= PTX_DO_ZERO_EXTEND) {
        printf("[\"operation\",\"%s\",%u,[", own[a->a - PTX_DO_ZERO_EXTEND], a->bits);
    } else {
        const tma_ptx_span name = v->g->codes->opcode[a->a];
        printf("[\"operation\",\"%.*s\",%u,[", (int)name.length, name.at, a->bits);
    }
    for (size_t i = 0; i < 3 && of[i] != PTX_UNKNOWN; i++) {
        printf(i ? ",%u" : "%u", of[i]);
    }
    printf("]]");
}

static void put_atom(const ptx_values *v, uint32_t atom) {
    const ptx_atom *a = &v->forms.atom[atom];
    const ptx_graph *g = v->g;
    if (a->kind == PTX_ATOM_SPECIAL) {
        printf("[\"special\",\"%s\"]", ptx_special_name(a->a));
    } else if (a->kind == PTX_ATOM_PARAMETER) {
        const tma_ptx_span name = g->rows->variable[a->a].v.name;
        printf("[\"parameter\",\"%.*s\",%u,%u]", (int)name.length, name.at, a->b, a->c);
    } else if (a->kind == PTX_ATOM_TURN) {
        const ptx_node *head = &g->node[g->loop[a->a].head];
        printf("[\"turn\",%zu,[", line_of(v, g->step[head->first].row));
        put_chain(v, g->step[head->first].context);
        printf("]]");
    } else if (a->kind == PTX_ATOM_OPERATION) {
        put_operation(v, a);
    } else {
        printf("[\"opaque\",%u,%u]", atom, a->bits);
    }
}

/* All forms and atoms, in which forms name atoms and operations forms by their number. */
static void put_tables(const char *file, const ptx_values *v) {
    printf("{\"file\":\"%s\",\"atoms\":[", file);
    for (uint32_t i = 0; i < v->forms.atoms; i++) {
        printf(i ? "," : "");
        put_atom(v, i);
    }
    printf("],\"forms\":[");
    for (uint32_t i = 0; i < v->forms.forms; i++) {
        const ptx_form *f = &v->forms.form[i];
        printf(i ? ",[%u,%" PRIu64 ",[" : "[%u,%" PRIu64 ",[", f->bits, f->number);
        for (uint32_t k = 0; k < f->terms; k++) {
            printf(k ? ",[%" PRIu64 ",%u]" : "[%" PRIu64 ",%u]", f->term[k].times, f->term[k].atom);
        }
        printf("]]");
    }
    printf("]}\n");
}

static void put_copy(const char *file, ptx_values *v, const ptx_step *step) {
    tma_ptx_statement s;
    const tma_ptx_piece *piece = &v->g->rows->row[step->row].piece;
    if (tma_ptx_parse(&s, piece->at, piece->size, NULL) != TMA_OK || s.kind != TMA_PTX_COPY) {
        return;
    }
    printf("{\"file\":\"%s\",\"line\":%zu,\"chain\":[", file, piece->line);
    put_chain(v, step->context);
    printf("],\"operands\":[");
    for (uint32_t i = 0; i <= s.coords; i++) {
        const tma_ptx_operand *o = i < s.coords ? &s.coord[i] : &s.shared;
        printf(i ? "," : "");
        printf("%u", ptx_form_cut(&v->forms, ptx_value_at(v, step, o), 32));
    }
    printf("]}\n");
}

static int dump_kernel(const char *file, ptx_memory *memory, const ptx_functions *functions,
                       const ptx_codes *codes, uint32_t function) {
    ptx_graph g;
    ptx_values v;
    if (ptx_graph_make(&g, memory, functions, codes, function, 1) ||
        ptx_values_make(&v, memory, &g)) {
        return -1;
    }
    for (uint32_t i = 0; i < g.steps; i++) {
        if (g.step[i].kind == PTX_STEP_ROW && g.node[g.step[i].block].order != PTX_NONE) {
            put_copy(file, &v, &g.step[i]);
        }
    }
    put_tables(file, &v);
    return 0;
}

static int dump(const char *file, const char *text, size_t size) {
    ptx_heap heap = {NULL};
    ptx_memory memory = ptx_heap_memory(&heap);
    ptx_rows rows;
    ptx_codes codes;
    ptx_functions functions;
    int failed = ptx_rows_read(&rows, &memory, text, size) ||
                 ptx_codes_read(&codes, &memory, &rows) ||
                 ptx_functions_read(&functions, &memory, &rows);
    for (uint32_t i = 0; !failed && i < rows.functions; i++) {
        if (rows.function[i].is_entry) {
            failed = dump_kernel(file, &memory, &functions, &codes, i);
        }
    }
    ptx_heap_free(&heap);
    return failed;
}

int main(int argc, char **argv) {
    return each_file(argc, argv, dump);
}
