/* SPDX-License-Identifier: Apache-2.0
 *
 * Files in folders of their own, gone when the program ends.
 */
#ifndef CLI_PTXAS_PLACES_H
#define CLI_PTXAS_PLACES_H

#include <stddef.h>

#define PTXAS_MOST_FILES 64 /* with checks, of one run */

/* A file of this name in a folder of its own, so that ptxas says the name that the user knows; null
 * with errno. There are PTXAS_MOST_FILES and ptxas's output at most. */
char *ptxas_place_for(const char *path);
int ptxas_place_write(const char *place, const char *text, size_t size);

/* Null: nothing. */
void ptxas_place_remove(char *place);
void ptxas_places_remove(void);

/* Whether word i of a command line is a PTX file that is read: it ends in .ptx, and no option
 * before it takes it. */
int ptxas_is_input(char *const *words, int i);

#endif
