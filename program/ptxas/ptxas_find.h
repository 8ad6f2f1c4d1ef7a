/* SPDX-License-Identifier: Apache-2.0
 *
 * Where the real ptxas is.
 */
#ifndef CLI_PTXAS_FIND_H
#define CLI_PTXAS_FIND_H

/* Whether a path's last part is ptxas or ptxas-blackwell, as Triton has it. */
int ptxas_is_named(const char *path);

/* The file, free() it: `given`; or $TMA_PTXAS; or Triton's own, where Triton started this program,
 * of the name that it was called by; or the first in $PATH. Never this program under another name.
 * A name without a slash is looked for in $PATH. Null: there is none. */
char *ptxas_find(const char *given, const char *called);

/* This program's own file; free() it. Null where the system does not say. */
char *ptxas_self(void);

#endif
