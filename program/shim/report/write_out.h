/* SPDX-License-Identifier: Apache-2.0
 *
 * Writes that a program does not notice: no signal, no wait, no descriptor that stays, nothing in
 * a file of its own.
 */
#ifndef SHIM_WRITE_OUT_H
#define SHIM_WRITE_OUT_H

#include <stddef.h>

/* To standard error, if that is what the program means by descriptor 2. Text that nobody takes is
 * dropped; -1 then. */
int write_stderr(const char *text, size_t length);

/* Appends to a file, which is opened for it. 0, or errno. A pipe that nobody reads is one. */
int append_file(const char *path, const char *text, size_t length);

/* Makes a file that nobody else may read, and that was not there. 0, or errno. */
int create_private(const char *path);

/* Appends to one that is still there: none is made, and no link is followed. 0, or errno. */
int append_private(const char *path, const char *text, size_t length);

/* open(), but never with the number of a standard stream: one that the program closed must not come
 * to life. */
int open_beyond(const char *path, int flags);

#endif
