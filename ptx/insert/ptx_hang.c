/* SPDX-License-Identifier: Apache-2.0
 *
 * Finds the loops that wait at an mbarrier, and bounds them. What a wait costs where it succeeds at
 * once is a branch that the loop has anyway: all that counts stands where it failed.
 */
#include "ptx_hang.h"

#include <inttypes.h>
#include <string.h>

#include "../check/ptx_hang.inc"
#include "ptx_heap.h"
#include "ptx_values.h"
#include "ptx_writer.h"
#include "tma/judge_record.h"

#define OWN           "libtma_hang_"
#define FIRST_VERSION 80
#define TRIES         15u /* a mask: the time is read at each 16th failure, where nothing waits long */
#define MOST_NOTED    160
#define MOST_CALLS    6
#define NAME_B        64
#define FINE_SHIFT    8u
#define COARSE_SHIFT  20u
#define MOST_FINE_MS  600000u /* 2^32 units are 18 minutes */

typedef struct wait_site {
    uint32_t row;
    tma_ptx_parts parts;
    tma_ptx_operand at, phase;
    uint32_t at_bits;    /* of the register; 0: a variable or a number */
    uint32_t phase_bits; /* of the register; 0: a number */
    int is_generic;
    int is_parity;
    int has_hint;
    const char *left; /* why, or null */
} wait_site;

typedef struct hang_map {
    uint32_t function;
    uint32_t variable;
    int64_t added;
    uint32_t row; /* of the first copy */
} hang_map;

typedef struct bounding {
    ptx_memory *memory;
    ptx_memory work;
    ptx_rows rows;
    ptx_codes codes;
    ptx_functions functions;
    wait_site *site;
    hang_map *map;
    uint32_t sites, maps;
    uint32_t record; /* the row that declares the record's address, or PTX_NONE */
    uint32_t limit_ms;
} bounding;

/* --- finding --- */

/* What a loop may do that only waits. */
static int may_wait(tma_ptx_span opcode) {
    const ptx_op op = ptx_op_of(opcode);
    return ptx_op_does(op, 'N') || ptx_op_does(op, 'O') || op == PTX_OP_MBARRIER_TEST_WAIT ||
           op == PTX_OP_MBARRIER_TRY_WAIT;
}

static uint32_t register_bits(const bounding *b, uint32_t row, const tma_ptx_operand *o) {
    const ptx_symbol *s =
        o->kind == TMA_PTX_NAME ? ptx_rows_register(&b->rows, row, o->name) : NULL;
    return s ? s->bits : 0;
}

static const char *operands_lack(const bounding *b, wait_site *w) {
    int bracketed = 0;
    const tma_ptx_operand done = tma_ptx_operand_of(w->parts.operand[0], NULL);
    w->at = tma_ptx_operand_of(w->parts.operand[1], &bracketed);
    w->phase = tma_ptx_operand_of(w->parts.operand[2], NULL);
    w->at_bits = register_bits(b, w->row, &w->at);
    w->phase_bits = register_bits(b, w->row, &w->phase);
    w->is_parity = tma_ptx_is(&w->parts, "mbarrier", "parity");
    w->has_hint = w->parts.count > 3;
    w->is_generic = w->at_bits == 64 && !tma_ptx_is(&w->parts, "mbarrier", "shared") &&
                    !tma_ptx_is(&w->parts, "mbarrier", "shared::cta");
    if (done.kind != TMA_PTX_NAME || !ptx_rows_register(&b->rows, w->row, done.name)) {
        return "its result is in no predicate";
    }
    const int known =
        w->at_bits == 32 || w->at_bits == 64 || w->at.kind == TMA_PTX_NUMBER ||
        (w->at.kind == TMA_PTX_NAME && ptx_rows_variable(&b->rows, w->row, w->at.name) != NULL);
    if (!bracketed || !known) {
        return "nothing says where its mbarrier is";
    }
    const int is_number = w->is_parity && w->phase.kind == TMA_PTX_NUMBER;
    return is_number || (w->phase_bits == (w->is_parity ? 32 : 64) && !w->phase.value)
               ? NULL
               : "its phase is in no register";
}

static void take_site(bounding *b, uint32_t row, const char *file_left) {
    wait_site w = {.row = row, .left = file_left};
    if (tma_ptx_split(&w.parts, &b->rows.row[row].piece) ||
        !(tma_ptx_is(&w.parts, "mbarrier", "try_wait") ||
          tma_ptx_is(&w.parts, "mbarrier", "test_wait"))) {
        return;
    }
    if (!w.left && (b->rows.row[row].function == PTX_NONE || w.parts.count < 3)) {
        w.left = "it is not understood";
    }
    if (!w.left && b->record != PTX_NONE &&
        b->rows.function[b->rows.row[row].function].first < b->record) {
        w.left = "the file declares " TMA_JUDGE_RECORD_VARIABLE " after it";
    }
    w.left = w.left ? w.left : operands_lack(b, &w);
    PTX_APPEND(b, site, sites, w);
}

static const char *loop_lacks(const ptx_graph *g, uint32_t block) {
    const uint32_t loop = g->node[block].loop;
    if (g->node[block].order == PTX_NONE || loop == PTX_NONE) {
        return "it is in no loop";
    }
    for (uint32_t n = 0; n < g->nodes; n++) {
        if (g->node[n].order == PTX_NONE || !ptx_block_in_loop(g, n, loop)) {
            continue;
        }
        for (uint32_t i = g->node[n].first; i < g->node[n].end; i++) {
            if (ptx_step_is_opaque(g, &g->step[i]) ||
                !may_wait(ptx_row_opcode(g->codes, g->step[i].row))) {
                return "its loop does more than wait";
            }
        }
    }
    return NULL;
}

/* A copy's map, where it is a kernel's parameter or a constant. */
static void take_map(bounding *b, ptx_values *v, const ptx_step *step) {
    tma_ptx_statement s;
    int64_t added = 0;
    const tma_ptx_piece *piece = &b->rows.row[step->row].piece;
    const uint32_t function = b->rows.row[step->row].function;
    if (tma_ptx_parse(&s, piece->at, piece->size, NULL) != TMA_OK || s.kind != TMA_PTX_COPY ||
        s.in.op != TMA_OP_LOAD) {
        return;
    }
    const ptx_atom *base =
        ptx_value_base(v, ptx_value_bare(v, ptx_value_at(v, step, &s.map)), &added);
    if (!base || base->kind != PTX_ATOM_ADDRESS) {
        return;
    }
    const tma_ptx_span space = b->rows.variable[base->a].v.space;
    uint32_t of_function = 0;
    for (uint32_t i = 0; i < b->maps; i++) {
        const hang_map *m = &b->map[i];
        of_function += m->function == function;
        if (m->function == function && m->variable == base->a && m->added == added) {
            return;
        }
    }
    if (of_function < TMA_HANG_MAPS &&
        (ptx_is_text(space, "param") || ptx_is_text(space, "const"))) {
        PTX_APPEND(b, map, maps, (hang_map){function, base->a, added, step->row});
    }
}

/* The loops and the maps of one function with waits. */
static void take_function(bounding *b, uint32_t function) {
    ptx_graph g;
    ptx_values v;
    uint32_t at = 0;
    const ptx_mark mark = ptx_memory_mark(&b->work);
    if (ptx_graph_make(&g, &b->work, &b->functions, &b->codes, function, 0)) {
        b->memory->failed = 1;
        return;
    }
    for (; at < b->sites && b->rows.row[b->site[at].row].function != function; at++) {
    }
    uint32_t bounded = 0;
    for (uint32_t n = 0; n < g.nodes; n++) {
        for (uint32_t i = g.node[n].first; i < g.node[n].end; i++) {
            for (uint32_t k = at; k < b->sites && b->site[k].row <= g.step[i].row; k++) {
                wait_site *w = &b->site[k];
                if (w->row == g.step[i].row && !w->left) {
                    w->left = loop_lacks(&g, n);
                    bounded += !w->left;
                }
            }
        }
    }
    if (bounded && b->rows.function[function].is_entry) {
        if (ptx_values_make(&v, &b->work, &g)) {
            b->memory->failed = 1;
            return;
        }
        for (uint32_t i = 0; i < g.steps; i++) {
            take_map(b, &v, &g.step[i]);
        }
    }
    ptx_memory_back(&b->work, mark);
}

static const char *file_lacks(const bounding *b, const char *text, size_t size) {
    const ptx_module *m = &b->rows.module[0];
    if (b->rows.modules != 1 || m->version < FIRST_VERSION) {
        return "the file's PTX version has no tensor copies, or it has two";
    }
    return text_within(text, size, OWN) ? "the file has names of libtma's own" : NULL;
}

static uint32_t record_row(const bounding *b) {
    for (uint32_t row = 0; ptx_own_has_record(&b->rows) && row < b->rows.rows; row++) {
        const tma_ptx_piece *p = &b->rows.row[row].piece;
        if (p->kind == TMA_PTX_PIECE_DIRECTIVE &&
            text_within(p->at, p->size, TMA_JUDGE_RECORD_VARIABLE)) {
            return row;
        }
    }
    return PTX_NONE;
}

static int take_all(bounding *b, const char *text, size_t size, ptx_hang_count *count) {
    if (ptx_rows_read(&b->rows, b->memory, text, size) ||
        ptx_codes_read(&b->codes, b->memory, &b->rows) ||
        ptx_functions_read(&b->functions, b->memory, &b->rows)) {
        return -1;
    }
    const char *left = file_lacks(b, text, size);
    b->record = record_row(b);
    for (uint32_t row = 0; row < b->rows.rows && !b->memory->failed; row++) {
        if (b->rows.row[row].piece.kind == TMA_PTX_PIECE_INSTRUCTION) {
            take_site(b, row, left);
        }
    }
    uint32_t function = PTX_NONE;
    for (uint32_t i = 0; i < b->sites && !b->memory->failed; i++) {
        const uint32_t its = b->rows.row[b->site[i].row].function;
        if (its != function && its != PTX_NONE && !left) {
            function = its;
            take_function(b, function);
        }
    }
    count->found = b->sites;
    for (uint32_t i = 0; i < b->sites; i++) {
        count->bounded += !b->site[i].left;
    }
    return b->memory->failed ? -1 : 0;
}

/* --- writing --- */

static void put_span(tma_out *out, tma_ptx_span span) {
    tma_put_bytes(out, span.at, span.length);
}

static void put_string(tma_out *out, const char *what, uint32_t number, const char *text,
                       size_t length) {
    tma_putf(out, ".global .align 1 .b8 " OWN "%s_%" PRIu32 "[%zu] = {", what, number, length + 1);
    for (size_t i = 0; i < length; i++) {
        tma_putf(out, "%u,", (unsigned)(uint8_t)text[i]);
    }
    tma_put(out, "0};\n");
}

/* Times are in units of 2^shift ns, in 32 bits. */
static uint32_t shift_of(const bounding *b) {
    return b->limit_ms <= MOST_FINE_MS ? FINE_SHIFT : COARSE_SHIFT;
}

/* "kernel.cu:118, inlined from pipeline.h:40, barriers.h:12", as tma hang says it. */
static void put_line(tma_out *out, const bounding *b, uint32_t row) {
    ptx_source source[MOST_CALLS];
    const uint32_t count = ptx_rows_chain(&b->rows, row, source, MOST_CALLS);
    for (uint32_t i = count; i-- > 0;) {
        tma_ptx_span name = source[i].file;
        for (size_t k = name.length; k-- > 0;) {
            if (name.at[k] == '/') {
                name = (tma_ptx_span){name.at + k + 1, name.length - k - 1};
                break;
            }
        }
        if (name.length > NAME_B) {
            name.length = NAME_B;
        }
        tma_put_printable(out, name.length ? name.at : "?", name.length ? name.length : 1);
        tma_putf(out, ":%" PRIu32, source[i].line);
        tma_put(out, !i ? "" : i == count - 1 ? ", inlined from " : ", ");
    }
    if (!count) {
        tma_putf(out, "PTX line %zu", b->rows.row[row].piece.line);
    }
}

static void put_site(tma_out *out, const bounding *b, uint32_t number) {
    char text[TMA_HANG_LINE_BYTES];
    tma_out line = tma_out_into(text, sizeof(text));
    const wait_site *w = &b->site[number];
    put_line(&line, b, w->row);
    put_string(out, "line", number, text, strlen(text));
    const tma_ptx_span name = b->rows.function[b->rows.row[w->row].function].name;
    put_string(out, "function", number, name.at, name.length);
    tma_putf(out,
             ".global .align 8 .u64 " OWN "site_%" PRIu32 "[4] = {generic(" OWN "line_%" PRIu32
             "),generic(" OWN "function_%" PRIu32 "),%" PRIu64 ",%u};\n",
             number, number, number, (uint64_t)b->limit_ms << 32 | number, 1u << shift_of(b));
}

static void put_map_line(tma_out *out, const bounding *b, uint32_t number) {
    char text[TMA_HANG_MAP_LINE];
    tma_out line = tma_out_into(text, sizeof(text));
    put_line(&line, b, b->map[number].row);
    put_string(out, "map", number, text, strlen(text));
}

static void put_head(ptx_writer *w, const bounding *b) {
    if (b->record == PTX_NONE) {
        ptx_copy_head(w, &b->rows);
    } else { /* behind it: a wait stands there */
        ptx_copy_until(w, b->rows.row[b->record + 1].piece.at);
    }
    tma_put(&w->out, "\n");
    if (b->record == PTX_NONE) {
        tma_put(&w->out, ".weak .global .align 8 .u64 " TMA_JUDGE_RECORD_VARIABLE " = 0;\n");
    }
    for (const char *const *part = ptx_hang; *part; part++) {
        tma_put(&w->out, *part);
    }
    for (uint32_t i = 0; i < b->sites; i++) {
        if (!b->site[i].left) {
            put_site(&w->out, b, i);
        }
    }
    for (uint32_t i = 0; i < b->maps; i++) {
        put_map_line(&w->out, b, i);
    }
}

static void put_start(ptx_writer *w, const bounding *b, uint32_t function) {
    ptx_copy_to_body(w, &b->rows, function);
    tma_putf(&w->out,
             "\n.reg .b32 %%" OWN "fails, %%" OWN "since, %%" OWN "last;\n.local .align 8 .b8 " OWN
             "maps[%u];\n",
             (unsigned)(8 + 16 * TMA_HANG_MAPS));
    ptx_copy_to_first(w, &b->rows, function);
    tma_put(&w->out,
            "mov.u32 %" OWN "fails, 0;\nmov.u32 %" OWN "since, 0;\nmov.u32 %" OWN "last, 0;\n");
}

/* The barrier's shared address and the parity that is waited for. */
static void put_wait(tma_out *out, const wait_site *s) {
    if (s->at.kind == TMA_PTX_NUMBER) {
        tma_putf(out, "mov.u32 %%" OWN "at, %u;\n", (unsigned)s->at.value);
    } else {
        const tma_ptx_span name = {s->at.name, s->at.length};
        const int wide = s->at_bits == 64;
        if (s->is_generic) {
            tma_put(out, "cvta.to.shared.u64 %" OWN "w, ");
            put_span(out, name);
            tma_put(out, ";\ncvt.u32.u64 %" OWN "at, %" OWN "w;\n");
        } else {
            tma_put(out, wide ? "cvt.u32.u64 %" OWN "at, " : "mov.u32 %" OWN "at, ");
            put_span(out, name);
            tma_put(out, ";\n");
        }
        if (s->at.value) {
            tma_putf(out, "add.u32 %%" OWN "at, %%" OWN "at, %u;\n", (unsigned)s->at.value);
        }
    }
    if (s->phase.kind == TMA_PTX_NUMBER) {
        tma_putf(out, "mov.u32 %%" OWN "phase, %u;\n", (unsigned)s->phase.value);
    } else {
        tma_put(out, s->is_parity ? "mov.b32 %" OWN "phase, " : "shr.u64 %" OWN "w, ");
        tma_put_bytes(out, s->phase.name, s->phase.length);
        tma_put(out, s->is_parity ? ";\n" : ", 63;\ncvt.u32.u64 %" OWN "phase, %" OWN "w;\n");
    }
}

static void put_map(tma_out *out, const bounding *b, uint32_t number, uint32_t at) {
    const hang_map *m = &b->map[number];
    const ptx_variable *v = &b->rows.variable[m->variable];
    const int is_param = ptx_is_text(v->v.space, "param");
    tma_put(out, "mov.b64 %" OWN "w, ");
    put_span(out, v->v.name);
    tma_putf(out,
             ";\ncvta.%s.u64 %%" OWN "w, %%" OWN "w;\n"
             "add.s64 %%" OWN "w, %%" OWN "w, %" PRId64 ";\n"
             "st.local.u64 [" OWN "maps+%u], %%" OWN "w;\n"
             "mov.u64 %%" OWN "w, " OWN "map_%" PRIu32 ";\ncvta.global.u64 %%" OWN "w, %%" OWN
             "w;\n"
             "st.local.u64 [" OWN "maps+%u], %%" OWN "w;\n",
             is_param ? "param" : "const", m->added, (unsigned)at, number, (unsigned)(at + 8));
}

/* Where a wait lasted too long. A call of its own for each: where several ways led to one, ptxas
 * would serialise the wgmma that are in flight (C7518). */
static void put_call(tma_out *out, const bounding *b, uint32_t number) {
    const wait_site *s = &b->site[number];
    const uint32_t function = b->rows.row[s->row].function;
    uint32_t maps = 0;
    tma_put(out, "{\n");
    put_wait(out, s);
    for (uint32_t i = 0; i < b->maps; i++) {
        if (b->map[i].function == function) {
            put_map(out, b, i, 8 + 16 * maps++);
        }
    }
    tma_putf(out,
             "mov.u64 %%" OWN "w, %u;\nst.local.u64 [" OWN "maps], %%" OWN "w;\n"
             ".param .b64 " OWN "0;\n.param .b32 " OWN "1;\n.param .b32 " OWN "2;\n.param .b32 " OWN
             "3;\n.param .b64 " OWN "4;\n"
             "mov.u64 %%" OWN "w, " OWN "site_%" PRIu32 ";\n"
             "cvta.global.u64 %%" OWN "w, %%" OWN "w;\n"
             "st.param.b64 [" OWN "0], %%" OWN "w;\n"
             "st.param.b32 [" OWN "1], %%" OWN "at;\n"
             "st.param.b32 [" OWN "2], %%" OWN "phase;\n"
             "st.param.b32 [" OWN "3], %%" OWN "since;\n"
             "mov.u64 %%" OWN "w, " OWN "maps;\ncvta.local.u64 %%" OWN "w, %%" OWN "w;\n"
             "st.param.b64 [" OWN "4], %%" OWN "w;\n"
             "call libtma_checker_tma_hang, (" OWN "0, " OWN "1, " OWN "2, " OWN "3, " OWN
             "4);\n}\n",
             (unsigned)maps, number);
}

/* Behind a wait. A gap of a quarter of the limit between two failures does not count: the thread
 * did something else, or did not run. */
static void put_bound(tma_out *out, const bounding *b, uint32_t number) {
    const wait_site *s = &b->site[number];
    const uint32_t shift = shift_of(b);
    const uint32_t limit = (uint32_t)(((uint64_t)b->limit_ms * 1000000) >> shift) + 1;
    tma_put(out, "\n{\n.reg .pred %" OWN "p, %" OWN "q;\n.reg .b32 %" OWN "t, %" OWN "u, %" OWN
                 "at, %" OWN "phase;\n.reg .b64 %" OWN "w;\n");
    if (s->parts.guard.length) {
        tma_put(out, s->parts.negated ? "@" : "@!");
        put_span(out, s->parts.guard);
        tma_putf(out, " bra $" OWN "on_%" PRIu32 ";\n", number);
    }
    tma_put(out, "@");
    put_span(out, s->parts.operand[0]);
    tma_putf(out, " bra $" OWN "done_%" PRIu32 ";\n", number);
    if (!s->has_hint) {
        tma_putf(out,
                 "and.b32 %%" OWN "t, %%" OWN "fails, %u;\n"
                 "add.u32 %%" OWN "fails, %%" OWN "fails, 1;\n"
                 "setp.ne.u32 %%" OWN "p, %%" OWN "t, 0;\n"
                 "@%%" OWN "p bra $" OWN "on_%" PRIu32 ";\n",
                 TRIES, number);
    }
    tma_putf(out,
             "mov.u64 %%" OWN "w, %%globaltimer;\n"
             "shr.u64 %%" OWN "w, %%" OWN "w, %u;\n"
             "cvt.u32.u64 %%" OWN "t, %%" OWN "w;\n"
             "setp.eq.u32 %%" OWN "q, %%" OWN "last, 0;\n"
             "sub.u32 %%" OWN "u, %%" OWN "t, %%" OWN "last;\n"
             "mov.u32 %%" OWN "last, %%" OWN "t;\n"
             "setp.gt.u32 %%" OWN "p, %%" OWN "u, %u;\n"
             "@%%" OWN "p add.u32 %%" OWN "since, %%" OWN "since, %%" OWN "u;\n"
             "selp.b32 %%" OWN "since, %%" OWN "t, %%" OWN "since, %%" OWN "q;\n"
             "sub.u32 %%" OWN "u, %%" OWN "t, %%" OWN "since;\n"
             "setp.lt.u32 %%" OWN "p, %%" OWN "u, %u;\n"
             "@%%" OWN "p bra $" OWN "on_%" PRIu32 ";\n"
             "ld.volatile.global.u64 %%" OWN "w, [" TMA_JUDGE_RECORD_VARIABLE "];\n"
             "setp.eq.u64 %%" OWN "p, %%" OWN "w, 0;\n"
             "@%%" OWN "p bra $" OWN "on_%" PRIu32 ";\n",
             (unsigned)shift, (unsigned)(limit / 4), (unsigned)limit, number, number);
    put_call(out, b, number);
    tma_putf(out,
             "$" OWN "done_%" PRIu32 ":\n"
             "mov.u32 %%" OWN "fails, 0;\nmov.u32 %%" OWN "since, 0;\nmov.u32 %%" OWN "last, 0;\n"
             "$" OWN "on_%" PRIu32 ":\n}\n",
             number, number);
}

static void put_file(ptx_writer *w, const bounding *b) {
    uint32_t function = PTX_NONE;
    put_head(w, b);
    for (uint32_t i = 0; i < b->sites; i++) {
        const wait_site *s = &b->site[i];
        if (s->left) {
            continue;
        }
        const ptx_row *row = &b->rows.row[s->row];
        if (row->function != function) {
            function = row->function;
            put_start(w, b, function);
        }
        ptx_copy_until(w, row->piece.at + row->piece.size);
        put_bound(&w->out, b, i);
    }
    ptx_copy_until(w, w->text + w->size);
}

static void note_left(tma_out *notes, const bounding *b) {
    for (uint32_t i = 0; i < b->sites; i++) {
        const wait_site *s = &b->site[i];
        if (s->left) {
            tma_put(notes, "  not bounded: ");
            put_line(notes, b, s->row);
            tma_putf(notes, ": %s: ", s->left);
            ptx_rows_put(notes, &b->rows, s->row, MOST_NOTED);
            tma_put(notes, "\n");
        }
    }
}

int ptx_hang_rewrite(FILE *out, FILE *notes, const char *text, size_t size, uint32_t limit_ms,
                     ptx_hang_count *count) {
    ptx_heap heap = {NULL};
    ptx_memory memory = ptx_heap_memory(&heap);
    bounding b = {.memory = &memory, .work = ptx_heap_memory(&heap), .limit_ms = limit_ms};
    *count = (ptx_hang_count){0, 0};
    int failed = take_all(&b, text, size, count);
    if (!failed) {
        ptx_writer w;
        ptx_writer n;
        ptx_writer_begin(&w, out, text, size, 0);
        ptx_writer_begin(&n, notes, NULL, 0, 0);
        if (count->bounded) {
            put_file(&w, &b);
        } else {
            ptx_copy_until(&w, text + size);
        }
        if (count->found) {
            tma_putf(&n.out, "waits at mbarriers: %" PRIu32 " found, %" PRIu32 " bounded\n",
                     count->found, count->bounded);
        }
        note_left(&n.out, &b);
        failed = w.failed || n.failed ? -1 : 0;
    }
    ptx_heap_free(&heap);
    return failed;
}
