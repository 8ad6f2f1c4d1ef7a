/* SPDX-License-Identifier: Apache-2.0
 *
 * What the dynamic loader has against a program.
 */
#ifndef PROGRAM_LOADER_SAID_H
#define PROGRAM_LOADER_SAID_H

/* The first library or version of one that the loader does not find for a program, in its words;
 * free() it. Null: it finds all, or the program has no loader. The program is not run. */
char *loader_said(const char *program);

#endif
