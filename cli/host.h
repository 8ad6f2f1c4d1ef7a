/* SPDX-License-Identifier: Apache-2.0
 *
 * What the command asks of a system in words of its own: host_posix.c and host_windows.c.
 */
#ifndef CLI_HOST_H
#define CLI_HOST_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "cli_error.h"

/* Before anything is opened: standard streams that are closed stay unusable, a file that may not
 * grow is an error and no signal, bytes go out as they are. */
void host_begin(void);

/* A terminal's columns; 0 where the file is none. */
int host_columns(FILE *file);

/* Seconds of a clock that nobody sets. */
double host_seconds(void);

/* Opens to read, no child's, of null standard input; reads from a place as pread() does. */
int host_open(const char *path);
ptrdiff_t host_read_at(int fd, void *to, size_t size, uint64_t at);

/* What standard input has now, at most `size` bytes: waits for one, not for all. */
ptrdiff_t host_read(void *to, size_t size);

/* Whether an interrupt ends this program, as it does at first. */
void host_interrupts(int end_it);

/* From now on standard output is standard error. */
void host_answer_on_error(void);

#endif
