/* SPDX-License-Identifier: Apache-2.0
 *
 * libtma's libraries in the programs that this one starts.
 */
#ifndef CLI_PRELOAD_H
#define CLI_PRELOAD_H

/* Puts the libtma-cuda.so that belongs to this program in front of LD_PRELOAD, watching where
 * LIBTMA_MODE says nothing else. FOLDER holds what lives as long as the program that is run, a link
 * to it where its own path has a blank or a colon. -1: there is none, or LD_PRELOAD cannot name it.
 */
int preload_shim(const char *folder);

/* A file of ours beside this program, or where it is installed; free() it. Null: there is none. */
char *preload_find(const char *name);

/* VALUE and a colon in front of what an environment's variable holds. */
void preload_first(const char *variable, const char *value);

#endif
