/* SPDX-License-Identifier: Apache-2.0
 *
 * A page of docs/ that gendocs writes, piece by piece, and the pages that have a file of their own.
 */
#ifndef GENDOCS_PAGE_H
#define GENDOCS_PAGE_H

#include <stdio.h>

extern FILE *page; /* the one that is written */

void put(const char *text);
/* A cell of a table: its text must not end the cell. */
void cell(const char *text);
void begin_row(const char *first);
void end_row(void);
void number_cell(int number);
void code_cell(const char *text);
void title(const char *heading, const char *table);
void section(const char *heading);

void swizzle_page(void); /* swizzle.md */

#endif
