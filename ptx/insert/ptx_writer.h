/* SPDX-License-Identifier: Apache-2.0
 *
 * A PTX file on its way out: its own text, and what is put in between.
 */
#ifndef PTX_PTX_WRITER_H
#define PTX_PTX_WRITER_H

#include <stdio.h>

#include "ptx_own_names.h"

typedef struct ptx_writer {
    FILE *file;
    const char *text;
    size_t at; /* of the text, written so far */
    size_t size;
    const tma_ptx_span *without; /* of the text, in its order: not written */
    uint32_t withouts;
    tma_out out; /* what is put in between: the file's own words in it stay as they are */
    ptx_renamer own;
    int failed; /* to write: a file in memory lacks a part then, and ferror() need not know */
} ptx_writer;

/* For a text, or for notes (NULL, 0). `own_number` stands in the names that are put in. */
void ptx_writer_begin(ptx_writer *w, FILE *file, const char *text, size_t size,
                      uint32_t own_number);

/* The text from where it is written on. */
void ptx_copy_until(ptx_writer *w, const char *to);

/* Behind .version, .target and .address_size, with which the file begins. */
void ptx_copy_head(ptx_writer *w, const ptx_rows *rows);

/* Whether a statement is setmaxnreg, which those who let a kernel use more registers leave out. */
int ptx_moves_registers(const tma_ptx_piece *piece);

/* The function's head and its {. */
void ptx_copy_to_body(ptx_writer *w, const ptx_rows *rows, uint32_t function);

/* Behind that, the directives before its first statement. */
void ptx_copy_to_first(ptx_writer *w, const ptx_rows *rows, uint32_t function);

#endif
