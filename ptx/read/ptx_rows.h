/* SPDX-License-Identifier: Apache-2.0
 *
 * A PTX file as rows: its pieces, each with its function, its block and its source line, and what
 * the names in its instructions are declared as.
 */
#ifndef PTX_PTX_ROWS_H
#define PTX_PTX_ROWS_H

#include "ptx_row_types.h"

/* What to do with a text that is none. */
#define PTX_HOW_MADE "nvcc -ptx -lineinfo -arch=sm_90a makes PTX of a .cu file"

/* Reads the text, which has to stay where it is, as the memory has. 0; or -1: there is none. */
int ptx_rows_read(ptx_rows *out, ptx_memory *memory, const char *text, size_t size);

/* What a name that stands in a row's operands is declared as; null: nothing that is known. */
const ptx_ref *ptx_rows_ref(const ptx_rows *rows, uint32_t row, const char *at);
/* The register's or the variable's declaration; null: it is none. */
const ptx_symbol *ptx_rows_register(const ptx_rows *rows, uint32_t row, const char *at);
const ptx_variable *ptx_rows_variable(const ptx_rows *rows, uint32_t row, const char *at);

/* A row's text on one line, `most` bytes of it at most: a tab or another white space is a blank,
 * several are one; what no terminal should get is escaped. */
void ptx_rows_put(tma_out *out, const ptx_rows *rows, uint32_t row, uint32_t most);

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

/* The same with every call between them, the innermost first: how many, at most `most`, the last
 * the outermost. */
uint32_t ptx_rows_chain(const ptx_rows *rows, uint32_t row, ptx_source *source, uint32_t most);

#endif
