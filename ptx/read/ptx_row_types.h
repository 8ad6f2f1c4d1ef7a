/* SPDX-License-Identifier: Apache-2.0
 *
 * What ptx_rows.h reads a file into.
 */
#ifndef PTX_PTX_ROW_TYPES_H
#define PTX_PTX_ROW_TYPES_H

#include "ptx_memory.h"
#include "tma/detail/chars.h"
#include "tma/ptx_file.h"

#define PTX_NONE UINT32_MAX

typedef struct ptx_row {
    tma_ptx_piece piece;
    uint32_t function; /* or PTX_NONE */
    uint32_t module;
    uint32_t block;
    uint32_t loc;             /* or PTX_NONE */
    uint32_t first_ref, refs; /* names of an instruction's operands */
} ptx_row;

typedef struct ptx_block {
    uint32_t parent; /* PTX_NONE for the file's own, block 0 */
    uint32_t row;    /* that opens it */
} ptx_block;

typedef enum ptx_symbol_kind {
    PTX_IS_REGISTER,
    PTX_IS_REGISTERS, /* %r<4>: a name with a number behind it */
    PTX_IS_VARIABLE,
} ptx_symbol_kind;

/* A declaration. It counts from its place to the end of its block. */
typedef struct ptx_symbol {
    tma_ptx_span name;
    ptx_symbol_kind kind;
    uint32_t bits;     /* registers: of .b32, .u64 ...; 0 for .pred */
    tma_ptx_span type; /* registers: "b32" */
    uint64_t count;    /* PTX_IS_REGISTERS */
    uint32_t lanes;    /* registers: of .v2, .v4; else 0. All have one place: what values they have
                          is not followed */
    uint32_t variable; /* index */
    uint32_t function; /* or PTX_NONE */
    uint32_t block;
    uint32_t before;    /* the one of the same name that it hides, or PTX_NONE */
    uint32_t slot_bits; /* .param of calls: of a load or store; PTX_MIXED: two of different width
                           overlap, or it is used in another way */
    uint32_t slot;      /* the last place in it, or PTX_NONE */
} ptx_symbol;

#define PTX_MIXED UINT32_MAX

/* A register: of those of %r<4>, one; or what a call's .param holds at an offset. */
typedef struct ptx_place {
    uint32_t symbol;
    uint32_t number; /* behind the name, or the offset */
    uint32_t before; /* .param: another place in it, or PTX_NONE */
    uint32_t bits;   /* .param: of its loads and stores */
} ptx_place;

/* A name in an instruction's operands. */
typedef struct ptx_ref {
    const char *at;
    uint32_t symbol; /* or PTX_NONE: a label, a function, a special register */
    uint32_t place;  /* registers, and what is loaded from or stored to a .param; else PTX_NONE */
} ptx_ref;

typedef struct ptx_function {
    tma_ptx_span name;
    tma_ptx_span head; /* the whole of it */
    int is_entry;
    int is_outside;      /* .visible, .weak, .extern: others may call it */
    uint32_t first, end; /* rows; the same where it has no body */
    uint32_t module;
    uint32_t block;                    /* of its body */
    uint32_t first_place, end_place;   /* its registers */
    uint32_t first_label, end_label;   /* rows_label */
    uint32_t returns, first_parameter, /* symbols: what it returns stands first */
        end_parameter;
} ptx_function;

/* From a .version to the next. */
typedef struct ptx_module {
    uint32_t version; /* 86 for 8.6; 0: none given */
    tma_ptx_span target_name;
    tma_target target;
    int is_known; /* whether libtma knows the target */
    size_t line;
} ptx_module;

typedef struct ptx_file {
    uint32_t number;
    uint32_t module;
    tma_ptx_span name;
} ptx_file;

typedef struct ptx_variable {
    tma_ptx_variable v;
    uint32_t function; /* or PTX_NONE */
    uint32_t module;
    int is_extern;
    int is_head;  /* a function's own parameter, or what it returns */
    int is_named; /* its address stands in another one's initialiser */
} ptx_variable;

typedef struct ptx_rows {
    ptx_memory *memory;
    ptx_row *row;
    ptx_block *block;
    ptx_symbol *symbol;
    ptx_place *place;
    ptx_ref *ref;
    ptx_function *function;
    ptx_module *module;
    ptx_file *file;
    ptx_variable *variable;
    tma_ptx_loc *loc;
    uint32_t *label; /* rows, in the order of functions */
    uint32_t rows, blocks, symbols, places, refs, functions, modules, files, variables, locs,
        labels;
    uint32_t unknown;   /* rows of unknown kind */
    uint32_t open;      /* blocks that never close */
    ptx_module nowhere; /* what is said of a module that has no place */
} ptx_rows;

static inline tma_ptx_span ptx_span(const char *text) {
    const tma_ptx_span span = {text, text_length(text)}; /* C++ reads this header, too */
    return span;
}

/* Whether the text begins with the word. */
static inline int ptx_begins(tma_ptx_span text, const char *word) {
    size_t at = 0;
    while (word[at] && at < text.length && text.at[at] == word[at]) {
        at++;
    }
    return !word[at];
}

int ptx_same(tma_ptx_span a, tma_ptx_span b);
int ptx_is_text(tma_ptx_span a, const char *b);

#endif
