/* SPDX-License-Identifier: Apache-2.0
 *
 * A PTX file as rows.
 */
#include "ptx_rows.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MOST_INLINED 256
#define DRIVER       13000 /* no form depends on it */

void *ptx_grow(void *array, uint32_t count, size_t element_B) {
    if (count & (count - 1) || (count && count < 16)) {
        return array;
    }
    return realloc(array, (count ? 2 * (size_t)count : 16) * element_B);
}

/* Nothing, where there is no memory for it: the caller stops at the next piece. */
#define APPEND(r, array, count, ...)                                                               \
    do {                                                                                           \
        void *grown_ = ptx_grow((r)->array, (r)->count, sizeof(*(r)->array));                      \
        if (grown_) {                                                                              \
            (r)->array = grown_;                                                                   \
            (r)->array[(r)->count++] = __VA_ARGS__;                                                \
        } else {                                                                                   \
            (r)->failed = 1;                                                                       \
        }                                                                                          \
    } while (0)

int ptx_same(tma_ptx_span a, tma_ptx_span b) {
    return a.length == b.length && (!a.length || !memcmp(a.at, b.at, a.length));
}

int ptx_is_text(tma_ptx_span a, const char *b) {
    return ptx_same(a, (tma_ptx_span){b, strlen(b)});
}

/* Where the reader is. */
typedef struct state {
    ptx_rows *r;
    uint32_t block;
    uint32_t function; /* whose body is open */
    uint32_t head;     /* whose body is still to open */
    uint32_t outside;  /* the block around that body */
    uint32_t loc;
} state;

static ptx_module *module_of(state *s) {
    if (!s->r->modules) {
        APPEND(s->r, module, modules, (ptx_module){0});
    }
    return s->r->modules ? &s->r->module[s->r->modules - 1] : &s->r->nowhere;
}

static void take_target(ptx_module *m, tma_ptx_span name) {
    char text[32];
    m->target_name = name;
    snprintf(text, sizeof(text), "%.*s", (int)(name.length < 31 ? name.length : 31), name.at);
    const tma_arch_row *arch = tma_arch_find(text);
    m->is_known = arch != NULL;
    m->target = arch ? (tma_target){.sm = arch->sm, .suffix = arch->suffix, .driver = DRIVER}
                     : (tma_target){0};
}

/* "<100>" behind a register's name. */
static uint64_t range_of(tma_ptx_span *rest) {
    uint64_t count = 0;
    size_t at = 0;
    while (at < rest->length && (rest->at[at] == ' ' || rest->at[at] == '\t')) {
        at++;
    }
    if (at >= rest->length || rest->at[at] != '<') {
        return 0;
    }
    for (at++; at < rest->length && rest->at[at] != '>'; at++) {
        if (rest->at[at] >= '0' && rest->at[at] <= '9' && count < UINT32_MAX) {
            count = 10 * count + (uint64_t)(rest->at[at] - '0');
        }
    }
    rest->at += at;
    rest->length -= at;
    return count ? count : 1;
}

static void declare(state *s, tma_ptx_span name, uint64_t count, uint32_t bits) {
    ptx_block *block = &s->r->block[s->block];
    APPEND(s->r, reg, registers, (ptx_register){name, count, bits, block->registers});
    block->registers = s->r->registers - 1;
}

/* Bits of .b32, .u64, .f16x2's 16; 0 for .pred. */
static uint32_t bits_of(tma_ptx_span type) {
    uint32_t bits = 0;
    for (size_t i = 1; i < type.length && type.at[i] >= '0' && type.at[i] <= '9'; i++) {
        bits = bits < 1000 ? 10 * bits + (uint32_t)(type.at[i] - '0') : bits;
    }
    return bits;
}

/* .reg .b32 %r<4>, x; */
static void take_registers(state *s, const tma_ptx_piece *piece) {
    tma_ptx_span rest = {piece->at, piece->size};
    uint32_t bits = 0;
    for (;;) {
        const char *from = rest.at;
        const tma_ptx_span name = tma_ptx_next_name(&rest);
        if (!name.length) {
            return;
        }
        if (name.at > from && name.at[-1] == '.') {
            bits = bits_of(name); /* a type */
            continue;
        }
        const uint64_t count = range_of(&rest);
        declare(s, name, count, bits);
    }
}

static void take_variables(state *s, const tma_ptx_piece *piece, uint32_t function) {
    tma_ptx_variable v;
    size_t from = 0;
    while (tma_ptx_variable_of(&v, &from, piece)) {
        APPEND(s->r, variable, variables, (ptx_variable){v, function});
    }
}

static void take_function(state *s, const tma_ptx_piece *piece, tma_ptx_span name, int is_entry) {
    APPEND(s->r, function, functions,
           (ptx_function){name, is_entry, s->r->rows, s->r->rows, s->r->modules - 1});
    s->head = s->r->functions - 1;
    take_variables(s, piece, s->head);
}

static void take_version(state *s, const tma_ptx_piece *piece, uint32_t number) {
    if (!s->r->modules || s->r->module[s->r->modules - 1].version) {
        APPEND(s->r, module, modules, (ptx_module){0});
    }
    module_of(s)->version = number;
    module_of(s)->line = piece->line;
    s->loc = PTX_NONE;
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
        APPEND(s->r, loc, locs, loc);
        s->loc = s->r->locs - 1;
    } else if (tma_ptx_file_of(&number, &name, piece)) {
        APPEND(s->r, file, files, (ptx_file){number, s->r->modules, name});
    } else if (tma_ptx_function_of(&name, &is_entry, piece)) {
        module_of(s);
        take_function(s, piece, name, is_entry);
    } else if (piece->size > 4 && !memcmp(piece->at, ".reg", 4)) {
        take_registers(s, piece);
    } else if (piece->size < 8 || memcmp(piece->at, ".section", 8) != 0) {
        take_variables(s, piece, s->function);
    }
}

static void open_block(state *s) {
    if (s->head != PTX_NONE && s->function == PTX_NONE) {
        s->function = s->head;
        s->outside = s->block;
        s->loc = PTX_NONE;
        s->r->function[s->function].first = s->r->rows;
    }
    s->head = PTX_NONE;
    APPEND(s->r, block, blocks, (ptx_block){s->block, PTX_NONE});
    s->block = s->r->blocks - 1;
}

static void close_block(state *s) {
    if (s->r->block[s->block].parent == PTX_NONE) {
        s->r->unknown++;
        return;
    }
    s->block = s->r->block[s->block].parent;
    if (s->function != PTX_NONE && s->block == s->outside) {
        s->r->function[s->function].end = s->r->rows;
        s->function = PTX_NONE;
    }
}

static void take(state *s, const tma_ptx_piece *piece) {
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
    default:
        break;
    }
    APPEND(s->r, row, rows, (ptx_row){*piece, s->function, s->block, s->loc});
}

int ptx_rows_read(ptx_rows *out, const char *text, size_t size) {
    tma_ptx_reader reader = tma_ptx_reader_of(text, size);
    tma_ptx_piece piece;
    memset(out, 0, sizeof(*out));
    state s = {out, 0, PTX_NONE, PTX_NONE, 0, PTX_NONE};
    APPEND(out, block, blocks, (ptx_block){PTX_NONE, PTX_NONE});
    while (!out->failed && out->rows < PTX_NONE - 1 && tma_ptx_next(&reader, &piece)) {
        take(&s, &piece);
    }
    if (out->failed) {
        return -1;
    }
    if (s.function != PTX_NONE) {
        out->function[s.function].end = out->rows;
    }
    for (uint32_t block = s.block; out->block[block].parent != PTX_NONE;
         block = out->block[block].parent) {
        out->open++;
    }
    module_of(&s);
    return out->failed ? -1 : 0;
}

void ptx_rows_free(ptx_rows *r) {
    free(r->row);
    free(r->block);
    free(r->reg);
    free(r->function);
    free(r->module);
    free(r->file);
    free(r->variable);
    free(r->loc);
}

/* Whether a declaration is of this register. */
static int names(const ptx_register *r, tma_ptx_span name) {
    uint64_t number = 0;
    if (!r->count) {
        return ptx_same(r->name, name);
    }
    if (name.length <= r->name.length || memcmp(name.at, r->name.at, r->name.length) != 0) {
        return 0;
    }
    for (size_t i = r->name.length; i < name.length; i++) {
        if (name.at[i] < '0' || name.at[i] > '9' || number > UINT32_MAX) {
            return 0;
        }
        number = 10 * number + (uint64_t)(name.at[i] - '0');
    }
    return number < r->count;
}

const ptx_register *ptx_rows_register(const ptx_rows *rows, uint32_t row, tma_ptx_span name,
                                      uint32_t *declared_in) {
    for (uint32_t block = rows->row[row].block; block != PTX_NONE;
         block = rows->block[block].parent) {
        for (uint32_t i = rows->block[block].registers; i != PTX_NONE; i = rows->reg[i].before) {
            if (names(&rows->reg[i], name)) {
                *declared_in = block;
                return &rows->reg[i];
            }
        }
    }
    return NULL;
}

/* The last .loc up to `loc` that says where this place was inlined at. */
static const tma_ptx_loc *around(const ptx_rows *r, uint32_t loc, const tma_ptx_loc *inner) {
    const uint32_t least = loc > 4096 ? loc - 4096 : 0;
    for (uint32_t i = loc; i-- > least;) {
        const tma_ptx_loc *l = &r->loc[i];
        if (l->file == inner->at_file && l->line == inner->at_line &&
            l->column == inner->at_column) {
            return l;
        }
    }
    return NULL;
}

static ptx_source source_of(const ptx_rows *r, uint32_t row, const tma_ptx_loc *loc) {
    const uint32_t function = r->row[row].function;
    const uint32_t module = function == PTX_NONE ? 0 : r->function[function].module;
    ptx_source source = {{"", 0}, loc->file, loc->line, loc->column};
    for (uint32_t i = 0; i < r->files; i++) {
        if (r->file[i].number == loc->file && r->file[i].module == module + 1) {
            source.file = r->file[i].name;
        }
    }
    return source;
}

int ptx_rows_source(const ptx_rows *r, uint32_t row, ptx_source *outer, ptx_source *inner,
                    int *inlined) {
    const uint32_t at = r->row[row].loc;
    if (at == PTX_NONE) {
        return 0;
    }
    tma_ptx_loc loc = r->loc[at];
    *inner = source_of(r, row, &loc);
    *inlined = loc.inlined;
    for (int depth = 0; loc.inlined && depth < MOST_INLINED; depth++) {
        const tma_ptx_loc *around_it = around(r, at, &loc);
        loc =
            around_it
                ? *around_it
                : (tma_ptx_loc){.file = loc.at_file, .line = loc.at_line, .column = loc.at_column};
    }
    *outer = source_of(r, row, &loc);
    return 1;
}
