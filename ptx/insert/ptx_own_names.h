/* SPDX-License-Identifier: Apache-2.0
 *
 * Names that checks bring into a file (tma/ptx_check.h), free of those that the file has.
 */
#ifndef PTX_PTX_OWN_NAMES_H
#define PTX_PTX_OWN_NAMES_H

#include "ptx_rows.h"

/* The number that stands in each of their names so that no name of the text is one of them:
 * libtma_..., libtma1_..., libtma2_... PTX_NONE: there is no memory. */
uint32_t ptx_own_number(ptx_memory *memory, const char *text, size_t size);

/* Whether checks are in the file already. */
int ptx_own_are_there(const ptx_rows *rows);

/* Whether the file itself has the name of the pointer to records, which a host looks for. */
int ptx_own_has_record(const ptx_rows *rows);

typedef enum ptx_assertion {
    PTX_ASSERTION_FREE,     /* the file does not have that name */
    PTX_ASSERTION_DECLARED, /* as the driver's: with *head */
    PTX_ASSERTION_OTHER,    /* it has, in another form, which cannot be called so */
} ptx_assertion;

/* What __assertfail is in the file; *head is its declaration without the end. */
ptx_assertion ptx_own_assertion(const ptx_rows *rows, tma_ptx_span *head);

/* Text on its way out, in which those names get the number. */
typedef struct ptx_renamer {
    uint32_t number;
    tma_write write; /* where it goes */
    void *context;
    char word[64];
    size_t length; /* of the word that is open */
    int is_long;   /* it began before `word` */
} ptx_renamer;

void ptx_rename(ptx_renamer *r, const char *text, size_t length);

/* What is held back of a word that may go on. */
void ptx_rename_end(ptx_renamer *r);

#endif
