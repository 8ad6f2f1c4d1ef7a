/* SPDX-License-Identifier: Apache-2.0
 *
 * Compilers of a program that is started find tma ptxas in ptxas's place: Triton's, nvcc and what
 * calls it.
 */
#ifndef RUN_PTXAS_IN_PLACE_H
#define RUN_PTXAS_IN_PLACE_H

/* Makes a folder PREFIX-XXXXXX of mode 700 with links to this program, and sets the environment.
 * Null: it was said why not. The folder goes at the end, however it comes. */
const char *ptxas_in_place(const char *prefix);
void ptxas_out_of_place(void);

/* Caches of those who compile at run time: in FOLDER, or in that one. -1: it was said why not. */
int ptxas_caches(const char *folder);

#endif
