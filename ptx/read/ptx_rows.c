/* SPDX-License-Identifier: Apache-2.0
 *
 * A PTX file as rows.
 */
#include "ptx_rows.h"

#include <string.h>

#include "ptx_constant.h"
#include "ptx_names.h"
#include "tma/detail/chars.h"

#define MOST_PARAM_B 65536
#define MOST_ROWS    (1u << 30)
#define DRIVER       13000 /* no form depends on it */

int ptx_same(tma_ptx_span a, tma_ptx_span b) {
    size_t at = 0;
    while (at < a.length && at < b.length && a.at[at] == b.at[at]) {
        at++;
    }
    return at == a.length && at == b.length;
}

int ptx_is_text(tma_ptx_span a, const char *b) {
    return ptx_same(a, ptx_span(b));
}

/* Where the reader is. */
typedef struct state {
    ptx_rows *r;
    ptx_names names;
    uint32_t block;
    uint32_t function; /* whose body is open */
    uint32_t head;     /* whose body is still to open */
    uint32_t outside;  /* the block around that body */
    uint32_t loc;
    int in_assembler; /* text of an asm statement */
} state;

static ptx_module *module_of(state *s) {
    if (!s->r->modules) {
        PTX_APPEND(s->r, module, modules, (ptx_module){0});
    }
    return s->r->modules ? &s->r->module[s->r->modules - 1] : &s->r->nowhere;
}

static void take_target(ptx_module *m, tma_ptx_span name) {
    char text[32] = "";
    const size_t length = name.length < sizeof(text) - 1 ? name.length : sizeof(text) - 1;
    m->target_name = name;
    memcpy(text, name.at, length);
    const tma_arch_row *arch = tma_arch_find(text);
    m->is_known = arch != NULL;
    m->target = arch ? (tma_target){.sm = arch->sm, .suffix = arch->suffix, .driver = DRIVER}
                     : (tma_target){0};
}

static int ends_literal(char c) {
    return c <= ' ' || c == '>' || c == ';' || c == '/';
}

/* "<100>" behind a register's name. */
static uint64_t count_of(tma_ptx_span *rest) {
    int64_t count = 0;
    tma_ptx_span at = *rest;
    ptx_skip_blanks(&at);
    if (!at.length || at.at[0] != '<') {
        return 0;
    }
    at.at++;
    at.length--;
    ptx_skip_blanks(&at);
    tma_ptx_span literal = at;
    for (literal.length = 0;
         literal.length < at.length && !ends_literal(literal.at[literal.length]);) {
        literal.length++;
    }
    at.at += literal.length;
    at.length -= literal.length;
    *rest = at;
    const uint64_t all = ptx_constant(literal, &count) ? (uint64_t)count : 1;
    return all > UINT32_MAX ? UINT32_MAX : all ? all : 1;
}

static void declare(state *s, ptx_symbol symbol) {
    symbol.block = s->block;
    symbol.function = s->function;
    ptx_names_declare(&s->names, symbol);
}

/* Bits of .b32, .u64, .f16x2's 16; 0 for .pred. */
static uint32_t bits_of(tma_ptx_span type) {
    uint32_t bits = 0;
    for (size_t i = 1; i < type.length && text_is_digit(type.at[i]); i++) {
        bits = bits < 1000 ? 10 * bits + (uint32_t)(type.at[i] - '0') : bits;
    }
    return bits;
}

/* Of .v2, .v4; 0: it is a type. */
static uint32_t declared_lanes(tma_ptx_span word) {
    return ptx_is_text(word, "v2") ? 2 : ptx_is_text(word, "v4") ? 4 : 0;
}

/* .reg .b32 %r<4>, x; */
static void take_registers(state *s, tma_ptx_span rest) {
    uint32_t bits = 0, lanes = 0;
    tma_ptx_span type = {"", 0};
    for (;;) {
        const char *from = rest.at;
        const tma_ptx_span name = tma_ptx_next_name(&rest);
        if (!name.length) {
            return;
        }
        if (name.at > from && name.at[-1] == '.') {
            const uint32_t more = declared_lanes(name);
            lanes = more ? more : lanes;
            bits = more ? bits : bits_of(name);
            type = more ? type : name;
            continue;
        }
        const uint64_t count = count_of(&rest);
        declare(s, (ptx_symbol){.name = name,
                                .kind = count ? PTX_IS_REGISTERS : PTX_IS_REGISTER,
                                .bits = bits,
                                .type = type,
                                .count = count,
                                .lanes = lanes});
    }
}

static int begins(const tma_ptx_piece *piece, const char *word) {
    const size_t length = text_length(word);
    return piece->size > length && ptx_begins((tma_ptx_span){piece->at, piece->size}, word) &&
           (piece->at[length] <= ' ' || piece->at[length] == '.' || piece->at[length] == '/');
}

/* A variable whose address stands in another one's initialiser. */
static void take_initialiser(state *s, tma_ptx_span values) {
    for (tma_ptx_span name; (name = tma_ptx_next_name(&values)).length;) {
        const ptx_symbol *symbol = ptx_names_symbol(&s->names, name);
        if (symbol && symbol->kind == PTX_IS_VARIABLE && !s->r->memory->failed) {
            s->r->variable[symbol->variable].is_named = 1;
        }
    }
}

static void take_variables(state *s, const tma_ptx_piece *piece, int is_head) {
    tma_ptx_variable v;
    size_t from = 0;
    const int is_extern = begins(piece, ".extern");
    while (tma_ptx_variable_of(&v, &from, piece)) {
        PTX_APPEND(s->r, variable, variables,
                   (ptx_variable){v, s->function, s->r->modules, is_extern, is_head, 0});
        declare(s, (ptx_symbol){
                       .name = v.name, .kind = PTX_IS_VARIABLE, .variable = s->r->variables - 1});
        take_initialiser(s, v.values);
    }
}

/* --- functions --- */

/* What stands in the parentheses that a span begins with; length 0: it begins with none. */
static tma_ptx_span in_parentheses(tma_ptx_span span) {
    size_t depth = 0;
    ptx_skip_blanks(&span);
    if (!span.length || span.at[0] != '(') {
        return (tma_ptx_span){span.at, 0};
    }
    for (size_t i = 0; i < span.length; i++) {
        depth += span.at[i] == '(';
        depth -= span.at[i] == ')';
        if (!depth) {
            return (tma_ptx_span){span.at + 1, i - 1};
        }
    }
    return (tma_ptx_span){span.at + 1, span.length - 1};
}

/* Registers and memory in the parentheses of a head. */
static void take_parameters(state *s, tma_ptx_span list) {
    while (list.length) {
        size_t depth = 0;
        size_t end = 0;
        while (end < list.length && (list.at[end] != ',' || depth)) {
            depth += list.at[end] == '(';
            depth -= list.at[end] == ')' && depth;
            end++;
        }
        tma_ptx_span one = {list.at, end};
        ptx_skip_blanks(&one);
        const tma_ptx_piece piece = {one.at, one.length, 0, TMA_PTX_PIECE_DIRECTIVE};
        if (begins(&piece, ".reg")) {
            take_registers(s, one);
        } else {
            take_variables(s, &piece, 1);
        }
        list.at += end + (end < list.length);
        list.length -= end + (end < list.length);
    }
}

/* A function's own names, in the block that its body opens. */
static void open_function(state *s) {
    ptx_function *f = &s->r->function[s->function];
    const char *const behind = f->name.at + f->name.length;
    tma_ptx_span before = {f->head.at, (size_t)(f->name.at - f->head.at)};
    const tma_ptx_span after = {behind, (size_t)(f->head.at + f->head.length - behind)};
    f->block = s->block;
    f->first = s->r->rows;
    f->first_place = s->r->places;
    f->first_label = s->r->labels;
    f->returns = s->r->symbols;
    for (size_t i = 0; i + 5 < before.length; i++) {
        if (ptx_begins((tma_ptx_span){before.at + i, before.length - i}, ".func")) {
            before.at += i + 5;
            before.length -= i + 5;
            take_parameters(s, in_parentheses(before));
            break;
        }
    }
    f->first_parameter = s->r->symbols;
    take_parameters(s, in_parentheses(after));
    f->end_parameter = s->r->symbols;
}

static void take_function(state *s, const tma_ptx_piece *piece, tma_ptx_span name, int is_entry) {
    const int is_outside =
        begins(piece, ".visible") || begins(piece, ".weak") || begins(piece, ".extern");
    PTX_APPEND(s->r, function, functions,
               (ptx_function){.name = name,
                              .head = {piece->at, piece->size},
                              .is_entry = is_entry,
                              .is_outside = is_outside,
                              .first = s->r->rows,
                              .end = s->r->rows,
                              .module = s->r->modules - 1});
    s->head = s->r->functions - 1;
}

static void no_lines(state *s) {
    s->loc = PTX_NONE;
    s->in_assembler = 0;
}

static void take_version(state *s, const tma_ptx_piece *piece, uint32_t number) {
    if (!s->r->modules || s->r->module[s->r->modules - 1].version) {
        PTX_APPEND(s->r, module, modules, (ptx_module){0});
        ptx_names_close(&s->names, 0); /* each module has its own */
    }
    module_of(s)->version = number;
    module_of(s)->line = piece->line;
    no_lines(s);
}

/* Whether a .loc differs from another by a later line alone. */
static int is_later_line(const tma_ptx_loc *loc, const tma_ptx_loc *of) {
    return loc->file == of->file && loc->column == of->column && loc->line >= of->line &&
           loc->inlined == of->inlined && loc->at_file == of->at_file &&
           loc->at_line == of->at_line && loc->at_column == of->at_column;
}

/* In an asm statement's text, where LLVM writes a .loc for each line of it, counting up from the
 * statement's, the statement's own stays in force. Another one is of what is behind it. */
static void take_loc(state *s, tma_ptx_loc loc) {
    if (s->in_assembler && s->loc != PTX_NONE) {
        if (is_later_line(&loc, &s->r->loc[s->loc])) {
            return;
        }
        s->in_assembler = 0;
    }
    PTX_APPEND(s->r, loc, locs, loc);
    s->loc = s->r->locs - 1;
}

/* Compilers write the text of an asm statement between these two lines. */
static void take_comments(state *s, tma_ptx_span between) {
    for (; between.length; between.at++, between.length--) {
        if (between.at[0] == '/' && ptx_begins(between, "// begin inline asm")) {
            s->in_assembler = 1;
        } else if (between.at[0] == '/' && ptx_begins(between, "// end inline asm")) {
            s->in_assembler = 0;
        }
    }
}

static void take_directive(state *s, const tma_ptx_piece *piece) {
    tma_ptx_span name;
    tma_ptx_loc loc;
    uint32_t number = 0;
    int is_entry = 0;
    if (tma_ptx_version_of(&number, piece)) {
        take_version(s, piece, number);
    } else if (tma_ptx_target_of(&name, piece)) {
        take_target(module_of(s), name);
    } else if (tma_ptx_loc_of(&loc, piece)) {
        take_loc(s, loc);
    } else if (tma_ptx_file_of(&number, &name, piece)) {
        PTX_APPEND(s->r, file, files, (ptx_file){number, s->r->modules, name});
    } else if (tma_ptx_function_of(&name, &is_entry, piece)) {
        module_of(s);
        take_function(s, piece, name, is_entry);
    } else if (begins(piece, ".reg")) {
        take_registers(s, (tma_ptx_span){piece->at, piece->size});
    } else if (!begins(piece, ".section")) {
        module_of(s);
        take_variables(s, piece, 0);
    }
}

static void open_block(state *s) {
    const int is_body = s->head != PTX_NONE && s->function == PTX_NONE && s->head < s->r->functions;
    if (is_body) {
        s->function = s->head;
        s->outside = s->block;
        no_lines(s);
    }
    s->head = PTX_NONE;
    PTX_APPEND(s->r, block, blocks, (ptx_block){s->block, s->r->rows});
    s->block = s->r->blocks - 1;
    if (is_body) {
        open_function(s);
    }
}

static void end_function(state *s) {
    ptx_function *f = &s->r->function[s->function];
    f->end = s->r->rows;
    f->end_place = s->r->places;
    f->end_label = s->r->labels;
}

static void close_block(state *s) {
    if (s->r->block[s->block].parent == PTX_NONE) {
        s->r->unknown++;
        return;
    }
    ptx_names_close(&s->names, s->block);
    s->block = s->r->block[s->block].parent;
    if (s->function != PTX_NONE && s->block == s->outside) {
        end_function(s);
        s->function = PTX_NONE;
    }
}

/* Whether a variable is the .param of a call, or of a function that is called, or a function's own
 * .local. */
static int is_followed(const ptx_rows *r, const ptx_symbol *s) {
    if (s->kind != PTX_IS_VARIABLE || s->function == PTX_NONE) {
        return 0;
    }
    const tma_ptx_span space = r->variable[s->variable].v.space;
    const int is_param = !r->variable[s->variable].is_head || !r->function[s->function].is_entry;
    return ptx_is_text(space, "param") ? is_param : ptx_is_text(space, "local");
}

/* Bits of the type that an opcode ends in. */
static uint32_t type_bits(tma_ptx_span opcode) {
    size_t dot = opcode.length;
    while (dot && opcode.at[dot - 1] != '.') {
        dot--;
    }
    return bits_of((tma_ptx_span){opcode.at + dot, opcode.length - dot});
}

/* Elements of a vector, or 1. */
static uint32_t lanes_of(tma_ptx_span operand) {
    uint32_t lanes = 1;
    for (size_t i = 0; operand.at[0] == '{' && i < operand.length; i++) {
        lanes += operand.at[i] == ',';
    }
    return lanes;
}

/* The places of all lanes; the first one's, or PTX_NONE: they overlap others, or there is no
 * memory.
 */
static uint32_t slot_places(state *s, uint32_t symbol, uint64_t offset_B, uint32_t lanes,
                            uint32_t bits) {
    uint32_t first = PTX_NONE;
    for (uint32_t i = lanes; i-- > 0;) {
        const uint32_t at_B = (uint32_t)offset_B + i * (bits / 8);
        if (ptx_names_overlap(&s->names, symbol, at_B, bits)) {
            return PTX_NONE;
        }
        first = ptx_names_place(&s->names, symbol, at_B, bits);
    }
    return first;
}

static int is_access(const tma_ptx_parts *p, const char *word) {
    return tma_ptx_is(p, word, "param") || tma_ptx_is(p, word, "param::func") ||
           tma_ptx_is(p, word, "local");
}

/* ld.param.b64 %rd1, [q+8]: what is there is followed as a register is. */
static void take_slot(state *s, const tma_ptx_parts *p, ptx_ref *ref) {
    ptx_symbol *symbol = &s->r->symbol[ref->symbol];
    const int is_store = is_access(p, "st");
    const int is_load = is_access(p, "ld");
    const uint32_t bits = type_bits(p->opcode);
    if (tma_ptx_is(p, "call", NULL)) {
        return;
    }
    if ((is_store || is_load) && p->count == 2 && bits) {
        const tma_ptx_operand o = tma_ptx_operand_of(p->operand[is_store ? 0 : 1], NULL);
        if (o.kind == TMA_PTX_NAME && o.name == ref->at && o.value >= 0 && o.value < MOST_PARAM_B &&
            (8 * o.value) % bits == 0 && symbol->slot_bits != PTX_MIXED) {
            symbol->slot_bits = bits;
            ref->place = slot_places(s, ref->symbol, (uint64_t)o.value,
                                     lanes_of(p->operand[is_store]), bits);
        }
    }
    symbol->slot_bits = ref->place == PTX_NONE ? PTX_MIXED : symbol->slot_bits;
}

/* The names of an instruction's guard and operands. */
static void take_names(state *s, const tma_ptx_piece *piece) {
    tma_ptx_parts parts;
    if (s->function == PTX_NONE || tma_ptx_split(&parts, piece)) {
        return;
    }
    if (parts.guard.length) {
        PTX_APPEND(s->r, ref, refs, ptx_names_find(&s->names, parts.guard, s->function));
    }
    const char *const behind = parts.opcode.at + parts.opcode.length;
    tma_ptx_span rest = {behind, (size_t)(piece->at + piece->size - behind)};
    for (;;) {
        const tma_ptx_span name = tma_ptx_next_name(&rest);
        if (!name.length) {
            return;
        }
        if (name.at[-1] != '.') { /* v.x */
            ptx_ref ref = ptx_names_find(&s->names, name, s->function);
            if (ref.symbol != PTX_NONE && is_followed(s->r, &s->r->symbol[ref.symbol])) {
                take_slot(s, &parts, &ref);
            }
            PTX_APPEND(s->r, ref, refs, ref);
        }
    }
}

static void take(state *s, const tma_ptx_piece *piece) {
    const uint32_t refs = s->r->refs;
    switch (piece->kind) {
    case TMA_PTX_PIECE_DIRECTIVE:
        take_directive(s, piece);
        break;
    case TMA_PTX_PIECE_OPEN:
        open_block(s);
        break;
    case TMA_PTX_PIECE_CLOSE:
        close_block(s);
        break;
    case TMA_PTX_PIECE_UNKNOWN:
        s->r->unknown++;
        break;
    case TMA_PTX_PIECE_LABEL:
        PTX_APPEND(s->r, label, labels, s->r->rows);
        break;
    default:
        take_names(s, piece);
        break;
    }
    PTX_APPEND(s->r, row, rows,
               (ptx_row){*piece, s->function, s->r->modules - 1, s->block, s->loc, refs,
                         s->r->refs - refs});
}

int ptx_rows_read(ptx_rows *out, ptx_memory *memory, const char *text, size_t size) {
    tma_ptx_reader reader = tma_ptx_reader_of(text, size);
    tma_ptx_piece piece;
    *out = (ptx_rows){.memory = memory};
    state s = {.r = out, .function = PTX_NONE, .head = PTX_NONE, .loc = PTX_NONE};
    PTX_APPEND(out, block, blocks, (ptx_block){PTX_NONE, PTX_NONE});
    if (memory->failed || ptx_names_begin(&s.names, out)) {
        return -1;
    }
    for (const char *end = text;
         !memory->failed && out->rows < MOST_ROWS && tma_ptx_next(&reader, &piece);
         end = piece.at + piece.size) {
        take_comments(&s, (tma_ptx_span){end, (size_t)(piece.at - end)});
        take(&s, &piece);
    }
    if (memory->failed) {
        return -1;
    }
    if (s.function != PTX_NONE) {
        end_function(&s);
    }
    for (uint32_t block = s.block; out->block[block].parent != PTX_NONE;
         block = out->block[block].parent) {
        out->open++;
    }
    module_of(&s);
    return memory->failed ? -1 : 0;
}

const ptx_ref *ptx_rows_ref(const ptx_rows *rows, uint32_t row, const char *at) {
    uint32_t low = rows->row[row].first_ref;
    const uint32_t end = low + rows->row[row].refs;
    uint32_t high = end;
    while (low < high) { /* they stand in the text's order */
        const uint32_t middle = low + (high - low) / 2;
        if (rows->ref[middle].at < at) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low < end && rows->ref[low].at == at ? &rows->ref[low] : NULL;
}

static const ptx_symbol *symbol_at(const ptx_rows *rows, uint32_t row, const char *at) {
    const ptx_ref *ref = ptx_rows_ref(rows, row, at);
    return ref && ref->symbol != PTX_NONE ? &rows->symbol[ref->symbol] : NULL;
}

const ptx_symbol *ptx_rows_register(const ptx_rows *rows, uint32_t row, const char *at) {
    const ptx_symbol *s = symbol_at(rows, row, at);
    return s && s->kind != PTX_IS_VARIABLE ? s : NULL;
}

const ptx_variable *ptx_rows_variable(const ptx_rows *rows, uint32_t row, const char *at) {
    const ptx_symbol *s = symbol_at(rows, row, at);
    return s && s->kind == PTX_IS_VARIABLE ? &rows->variable[s->variable] : NULL;
}

void ptx_rows_put(tma_out *out, const ptx_rows *rows, uint32_t row, uint32_t most) {
    const tma_ptx_piece *piece = &rows->row[row].piece;
    const uint32_t size = piece->size < most ? (uint32_t)piece->size : most;
    for (uint32_t at = 0, end = 0; at < size; at = end) {
        const int is_white = text_is_space(piece->at[at]);
        for (end = at + 1; end < size && text_is_space(piece->at[end]) == is_white; end++) {
        }
        if (is_white) {
            tma_put(out, " ");
        } else {
            tma_put_printable(out, piece->at + at, end - at);
        }
    }
}
