/* SPDX-License-Identifier: Apache-2.0
 *
 * What ptxas said on standard error: passed on, or its first error as part of a line of notes.
 */
#ifndef CLI_PTXAS_SAID_H
#define CLI_PTXAS_SAID_H

#include <stdio.h>

/* Warnings, which come out where it took the file. */
void ptxas_pass_on(FILE *said);

/* The first error, with its kernel and source line if it is about one of these files. */
void ptxas_note_error(FILE *notes, char *const *file, int files, FILE *said);

#endif
