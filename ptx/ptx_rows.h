/* SPDX-License-Identifier: Apache-2.0
 *
 * A PTX file as rows: its pieces, each with its function, its block and its source line.
 */
#ifndef PTX_PTX_ROWS_H
#define PTX_PTX_ROWS_H

#include "tma/ptx_file.h"

#define PTX_NONE UINT32_MAX

typedef struct ptx_row {
    tma_ptx_piece piece;
    uint32_t function; /* or PTX_NONE */
    uint32_t block;
    uint32_t loc; /* or PTX_NONE */
} ptx_row;

typedef struct ptx_block {
    uint32_t parent;    /* PTX_NONE for the file's own, block 0 */
    uint32_t registers; /* the last one that it declares, or PTX_NONE */
} ptx_block;

/* A declaration of registers: a name, or `count` of them with numbers behind it. */
typedef struct ptx_register {
    tma_ptx_span name;
    uint64_t count;  /* 0: the name itself */
    uint32_t bits;   /* of .b32, .u64 ...; 0 for .pred */
    uint32_t before; /* the one declared before it in its block, or PTX_NONE */
} ptx_register;

typedef struct ptx_function {
    tma_ptx_span name;
    int is_entry;
    uint32_t first, end; /* rows */
    uint32_t module;
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
} ptx_variable;

typedef struct ptx_rows {
    ptx_row *row;
    ptx_block *block;
    ptx_register *reg;
    ptx_function *function;
    ptx_module *module;
    ptx_file *file;
    ptx_variable *variable;
    tma_ptx_loc *loc;
    uint32_t rows, blocks, registers, functions, modules, files, variables, locs;
    uint32_t unknown;   /* rows of unknown kind */
    uint32_t open;      /* blocks that never close */
    int failed;         /* there was no memory */
    ptx_module nowhere; /* what is said of a module that has no place */
} ptx_rows;

/* Reads the text, which has to stay where it is. 0; or -1: there is no memory. Freed either way. */
int ptx_rows_read(ptx_rows *out, const char *text, size_t size);
void ptx_rows_free(ptx_rows *rows);

/* The declaration of a register, seen from a row, and the block it is declared in; null: it is
 * none. */
const ptx_register *ptx_rows_register(const ptx_rows *rows, uint32_t row, tma_ptx_span name,
                                      uint32_t *declared_in);

/* A source line. */
typedef struct ptx_source {
    tma_ptx_span file; /* length 0: .file does not name it */
    uint32_t number;   /* of the file */
    uint32_t line, column;
} ptx_source;

/* The source line that a row came from, through all inlining, and where the innermost function has
 * it; 0 if the file has no .loc for it. *inlined says whether the two differ. */
int ptx_rows_source(const ptx_rows *rows, uint32_t row, ptx_source *outer, ptx_source *inner,
                    int *inlined);

/* Makes room for one more element of an array of `count`: 16, 32, 64 ... Null: there is no memory,
 * and the array is as it was. */
void *ptx_grow(void *array, uint32_t count, size_t element_B);

int ptx_same(tma_ptx_span a, tma_ptx_span b);
int ptx_is_text(tma_ptx_span a, const char *b);

#endif
