/* SPDX-License-Identifier: Apache-2.0
 *
 * Finds what is to be checked in a PTX file, and puts the checks in.
 */
#include "ptx_rewrite.h"

#include <inttypes.h>
#include <string.h>

#include "ptx_heap.h"
#include "ptx_own_names.h"
#include "ptx_values.h"
#include "tma/judge_record.h"
#include "tma/ptx_check.h"

#define FIRST_VERSION 80  /* of PTX, with tensor copies */
#define MOST_NOTED    160 /* characters of a name or a statement in the notes */

typedef struct site {
    uint32_t row;
    tma_ptx_statement s;
    tma_ptx_check check;
    ptx_value map;    /* of its function's values */
    const char *left; /* why, or null */
} site;

typedef struct rewrite {
    ptx_memory *memory;
    ptx_memory work; /* for one function at a time */
    ptx_rows rows;
    ptx_codes codes;
    ptx_functions functions;
    site *site;
    uint32_t sites;
    uint32_t *passes; /* by function: how many, */
    uint32_t *change; /* and whether a map changes */
    uint32_t on_fault;
    uint32_t own_number; /* in the names that the checks bring */
    ptx_assertion assertion;
    tma_ptx_span assertion_head;
} rewrite;

/* --- finding --- */

static const char *file_lacks(const rewrite *r) {
    const ptx_module *m = &r->rows.module[0];
    if (r->rows.modules != 1) {
        return "the file has more than one .version";
    }
    if (m->version < FIRST_VERSION) {
        return "the file's PTX version has no tensor copies";
    }
    if (!m->is_known) {
        return "libtma does not know the file's .target";
    }
    if (ptx_own_are_there(&r->rows)) {
        return "the file has checks already";
    }
    const int records = r->on_fault == TMA_PTX_CHECK_RECORD || r->on_fault == TMA_PTX_CHECK_SKIP;
    return records && ptx_own_has_record(&r->rows)
               ? "the file itself has the name " TMA_JUDGE_RECORD_VARIABLE
               : NULL;
}

static const ptx_symbol *register_of(const rewrite *r, const site *at, const tma_ptx_operand *o) {
    return ptx_rows_register(&r->rows, at->row, o->name);
}

static const ptx_variable *variable_of(const rewrite *r, const site *at, const tma_ptx_operand *o) {
    return ptx_rows_variable(&r->rows, at->row, o->name);
}

static const char *map_lacks(const rewrite *r, site *at) {
    static const struct {
        const char *space;
        tma_ptx_check_map map;
    } spaces[] = {{"param", TMA_PTX_CHECK_PARAM},
                  {"const", TMA_PTX_CHECK_CONST},
                  {"global", TMA_PTX_CHECK_GLOBAL}};
    const tma_ptx_operand *o = &at->s.map;
    const uint32_t function = r->rows.row[at->row].function;
    const ptx_symbol *reg = register_of(r, at, o);
    if (reg) {
        at->check.map = TMA_PTX_CHECK_REGISTER;
        return reg->bits == 64 ? NULL : "the map's address is in no 64-bit register";
    }
    const ptx_variable *v = variable_of(r, at, o);
    for (size_t i = 0; v && i < sizeof(spaces) / sizeof(spaces[0]); i++) {
        if (ptx_is_text(v->v.space, spaces[i].space) &&
            (i || r->rows.function[function].is_entry)) {
            at->check.map = spaces[i].map;
            return NULL;
        }
    }
    return "nothing says where the map is";
}

static const char *shared_lacks(const rewrite *r, site *at) {
    const tma_ptx_operand *o = &at->s.shared;
    if (o->kind != TMA_PTX_NAME) {
        return NULL;
    }
    const ptx_symbol *reg = register_of(r, at, o);
    at->check.shared_bits = reg ? reg->bits : 0;
    if (reg) {
        return reg->bits == 32 || reg->bits == 64 ? NULL : "the shared address is in no register";
    }
    return variable_of(r, at, o) ? NULL : "nothing declares the shared address";
}

/* How many bits the barrier's register has. */
static uint32_t barrier_bits(const rewrite *r, const site *at) {
    const tma_ptx_operand *o = &at->s.barrier;
    const ptx_symbol *reg = o->kind == TMA_PTX_NAME ? register_of(r, at, o) : NULL;
    const int is_shared =
        o->kind == TMA_PTX_NUMBER || (o->kind == TMA_PTX_NAME && !reg && variable_of(r, at, o));
    if (reg) {
        return reg->bits == 32 || reg->bits == 64 ? reg->bits : TMA_PTX_CHECK_NO_BARRIER;
    }
    return is_shared ? 0 : TMA_PTX_CHECK_NO_BARRIER;
}

/* Registers of so many bits. */
static int are_registers(const rewrite *r, const site *at, const tma_ptx_operand *o, uint32_t count,
                         uint32_t bits) {
    for (uint32_t i = 0; i < count; i++) {
        const ptx_symbol *reg = o[i].kind == TMA_PTX_NAME ? register_of(r, at, &o[i]) : NULL;
        if (o[i].kind == TMA_PTX_NAME && (!reg || reg->bits != bits || o[i].value)) {
            return 0;
        }
    }
    return 1;
}

static const char *operands_lack(const rewrite *r, site *at) {
    const tma_ptx_statement *s = &at->s;
    const char *lacks = tma_ptx_check_lacks(&at->check);
    lacks = lacks ? lacks : map_lacks(r, at);
    lacks = lacks ? lacks : shared_lacks(r, at);
    at->check.barrier_bits = barrier_bits(r, at);
    if (lacks) {
        return lacks;
    }
    if (!are_registers(r, at, s->coord, s->coords, 32)) {
        return "a coordinate is in no 32-bit register";
    }
    if (!are_registers(r, at, s->offset, s->offsets, 16) ||
        !are_registers(r, at, &s->mask, 1, 16)) {
        return "an im2col offset or the ctaMask is in no 16-bit register";
    }
    return s->guard.kind == TMA_PTX_NAME && !register_of(r, at, &s->guard)
               ? "nothing declares the predicate"
               : NULL;
}

/* Where the copy is, for the message. */
static void locate(const rewrite *r, site *at) {
    ptx_source outer = {0};
    ptx_source inner = {0};
    int inlined = 0;
    if (ptx_rows_source(&r->rows, at->row, &outer, &inner, &inlined)) {
        at->check.file = outer.file;
        at->check.line = outer.line;
    }
    at->check.function = r->rows.function[r->rows.row[at->row].function].name;
}

static void take_site(rewrite *r, uint32_t row, const char *file_left) {
    const tma_ptx_piece *piece = &r->rows.row[row].piece;
    const ptx_module *m = &r->rows.module[0];
    site at = {.row = row, .check = {.number = r->sites, .pass = TMA_PTX_CHECK_NO_PASS}};
    const tma_status status = tma_ptx_parse(&at.s, piece->at, piece->size, NULL);
    const uint32_t kind = at.s.kind;
    if (kind == TMA_PTX_OTHER || (kind > TMA_PTX_PREFETCH && kind < TMA_PTX_FABRIC_GET)) {
        return;
    }
    const uint32_t sites = r->sites;
    PTX_APPEND(r, site, sites, at);
    if (r->sites == sites) {
        return;
    }
    site *kept = &r->site[sites];
    const int more = kind >= TMA_PTX_FABRIC_GET || (at.s.qualifiers & TMA_PTX_NOT_CHECKED) != 0;
    if (file_left || status != TMA_OK || more || r->rows.row[row].function == PTX_NONE) {
        kept->left = file_left          ? file_left
                     : status != TMA_OK ? "not understood: see tma ptx"
                     : more             ? "a form of PTX 9.4 that checks in kernels do not know"
                                        : "in no function";
        return;
    }
    kept->check.statement = &kept->s;
    kept->check.version = m->version;
    kept->check.features = tma_arch_of(&m->target)->features;
    locate(r, kept);
    kept->left = operands_lack(r, kept);
}

/* --- passes: maps that are the same each time --- */

/* A kernel's own parameter or a constant. */
static int is_constant(const rewrite *r, const ptx_values *v, const site *at) {
    int64_t added = 0;
    const uint32_t function = r->rows.row[at->row].function;
    const ptx_atom *base = ptx_value_base(v, at->map, &added);
    if (!base || base->kind != PTX_ATOM_ADDRESS || !r->rows.function[function].is_entry) {
        return 0;
    }
    const tma_ptx_span space = r->rows.variable[base->a].v.space;
    return ptx_is_text(space, "param") || ptx_is_text(space, "const");
}

static int is_alike(const site *a, const site *b) {
    return a->map == b->map && a->s.in.op == b->s.in.op && a->s.in.mode == b->s.in.mode &&
           a->s.in.rank == b->s.in.rank && a->s.in.cluster == b->s.in.cluster &&
           a->s.in.cta_group == b->s.in.cta_group;
}

static void share_pass(rewrite *r, ptx_values *v, uint32_t first, uint32_t i) {
    site *at = &r->site[i];
    const uint32_t function = r->rows.row[at->row].function;
    const uint32_t mode = at->s.in.mode;
    at->check.changes = !is_constant(r, v, at);
    r->change[function] |= at->check.changes;
    if (at->check.changes || mode == TMA_MODE_IM2COL || mode >= TMA_MODE_IM2COL_W) {
        return; /* a box lies in the map */
    }
    for (uint32_t k = first; k < i; k++) {
        const site *other = &r->site[k];
        if (other->check.pass != TMA_PTX_CHECK_NO_PASS && is_alike(other, at)) {
            at->check.pass = other->check.pass;
            return;
        }
    }
    at->check.pass = r->passes[function]++;
}

/* Sites of one function: first to end. */
static void share_passes(rewrite *r, uint32_t first, uint32_t end) {
    ptx_graph g;
    ptx_values v;
    const uint32_t function = r->rows.row[r->site[first].row].function;
    const ptx_mark mark = ptx_memory_mark(&r->work);
    if (ptx_graph_make(&g, &r->work, &r->functions, &r->codes, function, 0) ||
        ptx_values_make(&v, &r->work, &g)) {
        r->memory->failed = 1;
        return;
    }
    uint32_t at = first;
    for (uint32_t i = 0; i < g.steps; i++) { /* in the order of rows */
        while (at < end && r->site[at].row < g.step[i].row) {
            at++;
        }
        if (at < end && r->site[at].row == g.step[i].row && !r->site[at].left) {
            r->site[at].map = ptx_value_bare(&v, ptx_value_at(&v, &g.step[i], &r->site[at].s.map));
        }
    }
    for (uint32_t i = first; i < end; i++) {
        if (!r->site[i].left) {
            share_pass(r, &v, first, i);
        }
    }
    ptx_memory_back(&r->work, mark);
}

static void share_all(rewrite *r) {
    for (uint32_t first = 0, i = 1; i <= r->sites && !r->memory->failed; i++) {
        if (i == r->sites ||
            r->rows.row[r->site[i].row].function != r->rows.row[r->site[first].row].function) {
            if (r->rows.row[r->site[first].row].function != PTX_NONE) {
                share_passes(r, first, i);
            }
            first = i;
        }
    }
}

/* --- writing --- */

typedef struct writer {
    FILE *file;
    const char *text;
    size_t at; /* of the text, written so far */
    size_t size;
    tma_out out;
    ptx_renamer own;
    int failed; /* to write: a file in memory lacks a part then, and ferror() need not know */
} writer;

static void write_file(void *context, const char *text, size_t length) {
    writer *w = context;
    w->failed |= fwrite(text, 1, length, w->file) != length;
}

/* What checks are made of: the file's own words in it stay as they are. */
static void write_check(void *context, const char *text, size_t length) {
    writer *w = context;
    if ((uintptr_t)text - (uintptr_t)w->text < w->size) {
        ptx_rename_end(&w->own);
        write_file(w, text, length);
    } else {
        ptx_rename(&w->own, text, length);
    }
}

static void copy_until(writer *w, const char *to) {
    const size_t end = (size_t)(to - w->text);
    ptx_rename_end(&w->own);
    write_file(w, w->text + w->at, end - w->at);
    w->at = end;
}

static int is_head(const tma_ptx_piece *piece) {
    static const char *const words[] = {".version", ".target", ".address_size"};
    for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
        const size_t length = strlen(words[i]);
        if (piece->size > length && !memcmp(piece->at, words[i], length)) {
            return 1;
        }
    }
    return 0;
}

static void put_head(writer *w, const rewrite *r) {
    uint32_t row = 0;
    while (row < r->rows.rows && is_head(&r->rows.row[row].piece)) {
        row++;
    }
    copy_until(w, row < r->rows.rows ? r->rows.row[row].piece.at : w->text);
    tma_put(&w->out, "\n");
    tma_ptx_check_put_checker(&w->out, r->on_fault,
                              r->assertion == PTX_ASSERTION_DECLARED ? &r->assertion_head : NULL);
    for (uint32_t i = 0; i < r->sites; i++) {
        if (!r->site[i].left) {
            tma_ptx_check_put_site(&w->out, &r->site[i].check);
        }
    }
}

/* The function's registers behind its {, their first values before its first statement. */
static void put_function(writer *w, const rewrite *r, uint32_t function) {
    const ptx_function *f = &r->rows.function[function];
    const uint32_t passes = r->passes[function];
    uint32_t row = f->first;
    copy_until(w, r->rows.row[row].piece.at + r->rows.row[row].piece.size);
    tma_ptx_check_put_shared(&w->out, passes, r->change[function]);
    for (row++; row < f->end && r->rows.row[row].piece.kind == TMA_PTX_PIECE_DIRECTIVE; row++) {
    }
    copy_until(w, r->rows.row[row].piece.at);
    tma_ptx_check_put_start(&w->out, passes);
}

static void put_file(writer *w, const rewrite *r, size_t size) {
    uint32_t function = PTX_NONE;
    put_head(w, r);
    for (uint32_t i = 0; i < r->sites; i++) {
        const site *at = &r->site[i];
        if (at->left) {
            continue;
        }
        if (r->rows.row[at->row].function != function) {
            function = r->rows.row[at->row].function;
            put_function(w, r, function);
        }
        copy_until(w, r->rows.row[at->row].piece.at);
        tma_ptx_check_put_check(&w->out, &at->check);
        copy_until(w, r->rows.row[at->row].piece.at + r->rows.row[at->row].piece.size);
        tma_ptx_check_put_after(&w->out, &at->check);
    }
    copy_until(w, w->text + size);
}

/* --- notes --- */

static void note_kernel(tma_out *notes, const rewrite *r, uint32_t first, uint32_t end) {
    const uint32_t function = r->rows.row[r->site[first].row].function;
    const tma_ptx_span name =
        function == PTX_NONE ? (tma_ptx_span){"?", 1} : r->rows.function[function].name;
    uint32_t left = 0;
    for (uint32_t i = first; i < end; i++) {
        left += r->site[i].left != NULL;
    }
    tma_put_printable(notes, name.at, name.length < MOST_NOTED ? name.length : MOST_NOTED);
    tma_putf(notes, ": %" PRIu32 " found, %" PRIu32 " checked, %" PRIu32 " left\n", end - first,
             end - first - left, left);
    for (uint32_t i = first; i < end; i++) {
        const tma_ptx_piece *piece = &r->rows.row[r->site[i].row].piece;
        if (r->site[i].left) {
            tma_putf(notes, "  line %zu: left: %s: ", piece->line, r->site[i].left);
            tma_put_printable(notes, piece->at,
                              piece->size < MOST_NOTED ? piece->size : MOST_NOTED);
            tma_put(notes, "\n");
        }
    }
}

static void note_all(writer *w, const rewrite *r) {
    for (uint32_t first = 0, i = 1; i <= r->sites; i++) {
        if (i == r->sites ||
            r->rows.row[r->site[i].row].function != r->rows.row[r->site[first].row].function) {
            note_kernel(&w->out, r, first, i);
            first = i;
        }
    }
}

/* What is found, judged and counted; -1: there is no memory. */
static int take_all(rewrite *r, const char *text, size_t size, ptx_rewrite_count *count) {
    if (ptx_rows_read(&r->rows, r->memory, text, size) ||
        ptx_codes_read(&r->codes, r->memory, &r->rows) ||
        ptx_functions_read(&r->functions, r->memory, &r->rows)) {
        return -1;
    }
    r->own_number = ptx_own_number(r->memory, text, size);
    r->assertion = ptx_own_assertion(&r->rows, &r->assertion_head);
    if (r->assertion == PTX_ASSERTION_OTHER && r->on_fault == TMA_PTX_CHECK_ASSERT) {
        r->on_fault = TMA_PTX_CHECK_RECORD;
    }
    const char *left = file_lacks(r);
    r->passes = ptx_memory_take(r->memory, (size_t)r->rows.functions + 1, sizeof(*r->passes));
    r->change = ptx_memory_take(r->memory, (size_t)r->rows.functions + 1, sizeof(*r->change));
    if (!r->passes || !r->change) {
        return -1;
    }
    for (uint32_t row = 0; row < r->rows.rows && !r->memory->failed; row++) {
        if (r->rows.row[row].piece.kind == TMA_PTX_PIECE_INSTRUCTION) {
            take_site(r, row, left);
        }
    }
    for (uint32_t i = 0; i < r->sites; i++) { /* the array is where it stays */
        r->site[i].check.statement = &r->site[i].s;
        r->site[i].check.on_fault = r->on_fault;
        count->checked += !r->site[i].left;
    }
    count->found = r->sites;
    share_all(r);
    return r->memory->failed ? -1 : 0;
}

int ptx_rewrite(FILE *out, FILE *notes, const char *text, size_t size, uint32_t on_fault,
                ptx_rewrite_count *count) {
    ptx_heap heap = {NULL};
    ptx_memory memory = ptx_heap_memory(&heap);
    rewrite r = {.memory = &memory,
                 .work = ptx_heap_memory(&heap),
                 .on_fault = tma_ptx_check_fault_for(on_fault, text, size)};
    const uint32_t asked = r.on_fault;
    *count = (ptx_rewrite_count){0, 0};
    int failed = take_all(&r, text, size, count);
    if (!failed) {
        writer w = {.file = out, .text = text, .size = size};
        w.out = tma_out_to(write_check, &w);
        w.own = (ptx_renamer){.number = r.own_number, .write = write_file, .context = &w};
        writer n = {.file = notes, .out = tma_out_to(write_file, &n)};
        if (count->checked) {
            put_file(&w, &r, size);
        } else {
            copy_until(&w, text + size);
        }
        note_all(&n, &r);
        if (count->checked) {
            tma_putf(&n.out, "on a fault: %s%s\n", tma_ptx_check_fault_name(r.on_fault),
                     r.on_fault == asked ? ""
                                         : ", not assert: the file's own " TMA_PTX_CHECK_ASSERTION
                                           " is called in another way");
        }
        failed = w.failed || n.failed ? -1 : 0;
    }
    ptx_heap_free(&heap);
    return failed;
}
