/* SPDX-License-Identifier: Apache-2.0
 *
 * Finds what is to be checked in a PTX file, and puts the checks in.
 */
#include "ptx_rewrite.h"

#include <inttypes.h>
#include <string.h>

#include "ptx_cap.h"
#include "ptx_heap.h"
#include "ptx_rewrite_parts.h"
#include "ptx_writer.h"
#include "tma/detail/judge_bulk.h"
#include "tma/judge_record.h"

#define FIRST_VERSION 80  /* of PTX, with tensor copies */
#define MOST_NOTED    160 /* characters of a name or a statement in the notes */

/* --- finding --- */

static int is_expect(const site *at) {
    return at->s.in.mode == TMA_JUDGE_BARRIER;
}

/* A bulk copy without a map, what expects bytes of a barrier, or nothing. */
static int read_bulk(site *at, const tma_ptx_piece *piece, const char **lacks) {
    tma_ptx_parts parts;
    if (tma_ptx_split(&parts, piece) ||
        !(tma_ptx_expect_of(&at->s, &parts) || tma_ptx_bulk_of(&at->s, &parts, lacks))) {
        return 0;
    }
    at->check.opcode = parts.opcode;
    return 1;
}

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

/* Of a bulk copy without a map. */
static const char *bulk_lacks(const rewrite *r, site *at) {
    const tma_ptx_statement *s = &at->s;
    const ptx_symbol *far = register_of(r, at, &s->map);
    const char *lacks = s->in.op == TMA_OP_PREFETCH ? NULL : shared_lacks(r, at);
    at->check.barrier_bits = barrier_bits(r, at);
    at->check.far_bits = far ? far->bits : 0;
    if (lacks) {
        return lacks;
    }
    if (far ? far->bits != 64 && far->bits != 32 : !variable_of(r, at, &s->map)) {
        return "an address of the bulk copy is in no register";
    }
    if (!are_registers(r, at, s->coord, s->coords, 32)) {
        return "the size of the bulk copy is in no 32-bit register";
    }
    return s->guard.kind == TMA_PTX_NAME && !register_of(r, at, &s->guard)
               ? "nothing declares the predicate"
               : NULL;
}

/* Of what expects bytes of a barrier. The barrier's word was seen on sm_90 alone; a barrier that
 * all threads dropped out of lacks nothing either. */
static const char *expect_lacks(const rewrite *r, site *at) {
    const tma_ptx_statement *s = &at->s;
    at->check.barrier_bits = barrier_bits(r, at);
    return at->check.features & TMA_FEATURE_PACKED || r->drops ||
                   at->check.barrier_bits == TMA_PTX_CHECK_NO_BARRIER ||
                   (s->guard.kind == TMA_PTX_NAME && !register_of(r, at, &s->guard))
               ? "nothing is known of its barrier"
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

/* What the parser did not understand, in its words. */
static const char *unread(const rewrite *r, const tma_error *error) {
    static const char before[] = "not understood: ";
    const size_t length = strlen(error->text);
    char *text = ptx_memory_take(r->memory, sizeof(before) + length, 1);
    if (!text) {
        return before; /* and the memory says that it failed */
    }
    memcpy(text, before, sizeof(before) - 1);
    memcpy(text + sizeof(before) - 1, error->text, length + 1);
    return text;
}

static const char *function_lacks(const rewrite *r, uint32_t row) {
    const uint32_t function = r->rows.row[row].function;
    if (function == PTX_NONE) {
        return "in no function";
    }
    return r->rows.function[function].end < r->rows.rows ? NULL : "its function has no end";
}

/* Why what a statement is cannot be checked, or null; *is_copy: whether it is a copy at all. */
static const char *statement_lacks(rewrite *r, site *at, int *is_copy) {
    const tma_ptx_piece *piece = &r->rows.row[at->row].piece;
    tma_error error;
    const tma_status status = tma_ptx_parse(&at->s, piece->at, piece->size, &error);
    const uint32_t kind = at->s.kind;
    *is_copy = (kind >= TMA_PTX_COPY && kind <= TMA_PTX_PREFETCH) || kind >= TMA_PTX_FABRIC_GET;
    if (kind == TMA_PTX_OTHER) {
        const char *lacks = NULL;
        const tma_ptx_span opcode = ptx_row_opcode(&r->codes, at->row);
        *is_copy = (ptx_begins(opcode, "cp.") || ptx_begins(opcode, "mbarrier.")) &&
                   read_bulk(at, piece, &lacks);
        return lacks;
    }
    if (*is_copy && status != TMA_OK) {
        return unread(r, &error);
    }
    return kind >= TMA_PTX_FABRIC_GET || (at->s.qualifiers & TMA_PTX_NOT_CHECKED) != 0
               ? "a form of PTX 9.4 that checks in kernels do not know"
               : NULL;
}

static void take_site(rewrite *r, uint32_t row, const char *file_left) {
    const ptx_module *m = &r->rows.module[0];
    int is_copy = 0;
    site at = {.row = row,
               .check = {.number = r->sites,
                         .pass = TMA_PTX_CHECK_NO_PASS,
                         .inlined = TMA_PTX_CHECK_CALLED}};
    const char *lacks = statement_lacks(r, &at, &is_copy);
    if (!is_copy) {
        return;
    }
    const uint32_t sites = r->sites;
    PTX_APPEND(r, site, sites, at);
    if (r->sites == sites) {
        return;
    }
    site *kept = &r->site[sites];
    lacks = file_left ? file_left : lacks;
    kept->left = lacks ? lacks : function_lacks(r, row);
    if (kept->left) {
        return;
    }
    tma_ptx_parts parts;
    kept->spelled = tma_ptx_split(&parts, &r->rows.row[row].piece) ? kept->spelled : parts.opcode;
    kept->check.statement = &kept->s;
    kept->check.version = m->version;
    kept->check.features = tma_arch_of(&m->target)->features;
    locate(r, kept);
    kept->left = is_expect(kept)                     ? expect_lacks(r, kept)
                 : kept->s.in.mode == TMA_JUDGE_BULK ? bulk_lacks(r, kept)
                                                     : operands_lack(r, kept);
}

/* --- writing --- */

static void put_head(ptx_writer *w, const rewrite *r) {
    ptx_copy_head(w, &r->rows);
    tma_put(&w->out, "\n");
    tma_ptx_check_put_checker(&w->out, r->on_fault, r->called,
                              r->assertion == PTX_ASSERTION_DECLARED ? &r->assertion_head : NULL);
    for (uint32_t i = 0; i < r->sites; i++) {
        if (!r->site[i].left) {
            tma_ptx_check_put_site(&w->out, &r->site[i].check);
        }
    }
}

/* The function's registers behind its {, their first values before its first statement. */
static void put_start(ptx_writer *w, const rewrite *r, uint32_t first) {
    const uint32_t function = r->rows.row[r->site[first].row].function;
    ptx_copy_to_body(w, &r->rows, function);
    tma_ptx_check_put_shared(&w->out, &r->shared[function]);
    ptx_copy_to_first(w, &r->rows, function);
    tma_ptx_check_put_start(&w->out, &r->shared[function]);
    if (r->shared[function].judged) {
        tma_ptx_check_put_judge(&w->out, r->shared[function].judged);
    }
}

/* Before the function's }. */
static void put_end(ptx_writer *w, const rewrite *r, uint32_t first, uint32_t end) {
    const uint32_t function = r->rows.row[r->site[first].row].function;
    if (!r->shared[function].inlined) {
        return;
    }
    ptx_copy_until(w, r->rows.row[r->rows.function[function].end].piece.at);
    tma_put(&w->out, "\nret;\n");
    for (uint32_t i = first; i < end; i++) {
        if (!r->site[i].left && r->site[i].check.inlined != TMA_PTX_CHECK_CALLED) {
            tma_ptx_check_put_cold(&w->out, &r->site[i].check);
        }
    }
    tma_ptx_check_put_leave(&w->out, &r->shared[function]);
    if (r->shared[function].judged) {
        tma_ptx_check_put_full(&w->out, r->shared[function].judged);
    }
    tma_put(&w->out, "exit;\n");
}

/* Of a group that ends in this site: its checks, and the copies that waited. */
static void put_checks(ptx_writer *w, const rewrite *r, uint32_t last) {
    const site *at = &r->site[last];
    uint32_t first = last;
    if (at->check.inlined == TMA_PTX_CHECK_CALLED) {
        tma_ptx_check_put_check(&w->out, &at->check);
        return;
    }
    while (r->site[first].check.number != at->check.group) {
        first--;
    }
    for (uint32_t i = first; i <= last; i++) {
        tma_ptx_check_put_check(&w->out, &r->site[i].check);
    }
    for (uint32_t i = first; i < last; i++) {
        tma_ptx_check_put_copy(&w->out, &r->site[i].check, &r->rows.row[r->site[i].row].piece);
        tma_put(&w->out, "\n");
    }
}

/* Sites of one function: first to end. */
static void put_function(ptx_writer *w, const rewrite *r, uint32_t first, uint32_t end) {
    put_start(w, r, first);
    for (uint32_t i = first; i < end; i++) {
        const site *at = &r->site[i];
        const tma_ptx_piece *piece = &r->rows.row[at->row].piece;
        if (at->left) {
            continue;
        }
        ptx_copy_until(w, piece->at);
        if (at->check.inlined != TMA_PTX_CHECK_CALLED && at->check.next != TMA_PTX_CHECK_LAST) {
            w->at += piece->size; /* it waits for the group's last */
            continue;
        }
        put_checks(w, r, i);
        tma_ptx_check_put_copy(&w->out, &at->check, piece);
        w->at += piece->size;
        tma_ptx_check_put_after(&w->out, &at->check);
    }
    put_end(w, r, first, end);
}

static int checks_any(const rewrite *r, uint32_t first, uint32_t end) {
    while (first < end && r->site[first].left) {
        first++;
    }
    return first < end;
}

static void put_file(ptx_writer *w, const rewrite *r) {
    put_head(w, r);
    for (uint32_t first = 0, end = 0; first < r->sites; first = end) {
        end = ptx_sites_end(r, first);
        if (checks_any(r, first, end)) {
            put_function(w, r, first, end);
        }
    }
    ptx_copy_until(w, w->text + w->size);
}

/* --- notes --- */

static void note_kernel(tma_out *notes, const rewrite *r, uint32_t first, uint32_t end) {
    const uint32_t function = r->rows.row[r->site[first].row].function;
    const tma_ptx_span name =
        function == PTX_NONE ? (tma_ptx_span){"?", 1} : r->rows.function[function].name;
    uint32_t found = 0;
    uint32_t left = 0;
    for (uint32_t i = first; i < end; i++) {
        found += !is_expect(&r->site[i]);
        left += !is_expect(&r->site[i]) && r->site[i].left;
    }
    if (!found) {
        return;
    }
    tma_put_printable(notes, name.at, name.length < MOST_NOTED ? name.length : MOST_NOTED);
    tma_putf(notes, ": %" PRIu32 " found, %" PRIu32 " checked, %" PRIu32 " left\n", found,
             found - left, left);
    for (uint32_t i = first; i < end; i++) {
        const tma_ptx_piece *piece = &r->rows.row[r->site[i].row].piece;
        ptx_source outer = {0};
        ptx_source inner = {0};
        int inlined = 0;
        if (!is_expect(&r->site[i]) && r->site[i].left) {
            tma_putf(notes, "  line %zu", piece->line);
            if (ptx_rows_source(&r->rows, r->site[i].row, &outer, &inner, &inlined) &&
                outer.file.length) {
                tma_put(notes, ", ");
                tma_put_printable(notes, outer.file.at, outer.file.length);
                tma_putf(notes, ":%" PRIu32, outer.line);
            }
            tma_putf(notes, ": left: %s: ", r->site[i].left);
            ptx_rows_put(notes, &r->rows, r->site[i].row, MOST_NOTED);
            tma_put(notes, "\n");
        }
    }
}

static void note_all(ptx_writer *w, const rewrite *r) {
    for (uint32_t first = 0, end = 0; first < r->sites; first = end) {
        end = ptx_sites_end(r, first);
        note_kernel(&w->out, r, first, end);
    }
}

/* A check that is called, and what a broken rule ends in there, need more registers than a warp may
 * have that gave some away; ptxas does not see to that (ThunderKittens' GEMM with
 * --on-fault=assert: functions of 67 registers in a warp of 40, an illegal instruction in the place
 * of the words). */
static void leave_registers_alone(rewrite *r) {
    for (uint32_t row = 0; r->called && row < r->rows.rows; row++) {
        const tma_ptx_piece *piece = &r->rows.row[row].piece;
        if (ptx_moves_registers(piece)) {
            PTX_APPEND(r, moved, moves, (tma_ptx_span){piece->at, piece->size});
        }
    }
}

/* What is found, judged and counted; -1: there is no memory. */
static int take_all(rewrite *r, const char *text, size_t size, ptx_rewrite_count *count) {
    r->own_number = ptx_own_number(r->memory, text, size);
    r->assertion = ptx_own_assertion(&r->rows, &r->assertion_head);
    if (r->assertion == PTX_ASSERTION_OTHER && r->on_fault == TMA_PTX_CHECK_ASSERT) {
        r->on_fault = TMA_PTX_CHECK_RECORD;
    }
    const char *left = file_lacks(r);
    r->shared = ptx_memory_take(r->memory, (size_t)r->rows.functions + 1, sizeof(*r->shared));
    if (!r->shared) {
        return -1;
    }
    r->drops = text_within(text, size, "arrive_drop") != NULL;
    for (uint32_t row = 0; row < r->rows.rows && !r->memory->failed; row++) {
        if (r->rows.row[row].piece.kind == TMA_PTX_PIECE_INSTRUCTION) {
            take_site(r, row, left);
        }
    }
    for (uint32_t i = 0; i < r->sites; i++) { /* the array is where it stays */
        r->site[i].check.statement = &r->site[i].s;
        r->site[i].check.on_fault = r->on_fault;
        count->found += !is_expect(&r->site[i]);
        count->checked += !is_expect(&r->site[i]) && !r->site[i].left;
    }
    for (uint32_t first = 0; first < r->sites; first = ptx_sites_end(r, first)) {
        const uint32_t function = r->rows.row[r->site[first].row].function;
        const ptx_function *f = function == PTX_NONE ? NULL : &r->rows.function[function];
        count->kernels += f && f->is_entry;
        count->large += f && ptx_cap_is_likely(&r->rows, f);
    }
    ptx_share_all(r);
    leave_registers_alone(r);
    return r->memory->failed ? -1 : 0;
}

int ptx_rewrite_of(FILE *out, FILE *notes, const ptx_reading *reading, uint32_t on_fault,
                   ptx_rewrite_count *count) {
    const char *text = reading->text;
    const size_t size = reading->size;
    ptx_heap heap = {NULL};
    ptx_memory memory = ptx_heap_memory(&heap);
    rewrite r = {.memory = &memory,
                 .work = ptx_heap_memory(&heap),
                 .rows = reading->rows,
                 .codes = reading->codes,
                 .functions = reading->functions,
                 .on_fault = tma_ptx_check_fault_for(on_fault)};
    const uint32_t asked = r.on_fault;
    *count = (ptx_rewrite_count){0};
    int failed = take_all(&r, text, size, count);
    if (!failed) {
        ptx_writer w;
        ptx_writer n;
        ptx_writer_begin(&w, out, text, size, r.own_number);
        ptx_writer_begin(&n, notes, NULL, 0, 0);
        w.without = r.moved;
        w.withouts = count->checked ? r.moves : 0;
        if (count->checked) {
            put_file(&w, &r);
        } else {
            ptx_copy_until(&w, text + size);
        }
        note_all(&n, &r);
        if (count->checked) {
            tma_putf(&n.out, "on a fault: %s%s\n", tma_ptx_check_fault_name(r.on_fault),
                     r.on_fault == asked ? ""
                                         : ", not assert: the file's own " TMA_PTX_CHECK_ASSERTION
                                           " is called in another way");
            if (r.moves) {
                tma_putf(&n.out,
                         "%" PRIu32 " setmaxnreg taken out: checks that are called need more "
                         "registers than warps keep\n",
                         r.moves);
            }
        }
        failed = w.failed || n.failed ? -1 : 0;
    }
    ptx_heap_free(&heap);
    return failed;
}

int ptx_rewrite(FILE *out, FILE *notes, const char *text, size_t size, uint32_t on_fault,
                ptx_rewrite_count *count) {
    ptx_heap heap = {NULL};
    ptx_memory memory = ptx_heap_memory(&heap);
    ptx_reading reading;
    *count = (ptx_rewrite_count){0};
    const int failed = ptx_reading_make(&reading, &memory, text, size) ||
                       ptx_rewrite_of(out, notes, &reading, on_fault, count);
    ptx_heap_free(&heap);
    return failed ? -1 : 0;
}
