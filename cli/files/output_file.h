/* SPDX-License-Identifier: Apache-2.0
 *
 * A file that is written: whole, or not at all. What is written goes to a file beside the target,
 * which takes its place when everything is on the disk; until then the target is as it was, and two
 * writers never mix. Pipes and devices cannot be replaced: they are written directly, and a failure
 * says so. A file or pipe that is this program's standard output is refused.
 */
#ifndef CLI_OUTPUT_FILE_H
#define CLI_OUTPUT_FILE_H

#include <stddef.h>

#include "cli_error.h"

typedef struct output_file {
    const char *name;         /* as the user gave it */
    int fd;                   /* to write to */
    char *target;             /* the name, links followed */
    char *part;               /* the file beside it; null where the target is written directly */
    struct output_file *next; /* that is begun, too */
} output_file;

/* Opens. A file that exists keeps its mode; a link's target is replaced, not the link. */
int output_begin(output_file *output, const char *name, tma_error *error);

/* All of it to a descriptor, whose ever it is. 0, or -1 with errno. */
int output_put(int fd, const void *bytes, size_t size);

/* Flushes and puts it in the target's place; with `wrong`, or if that fails, the target stays as it
 * was. Returns -1 with the message in either case. */
int output_end(output_file *output, const char *wrong, tma_error *error);

/* Whether both names are one file, there already or not yet. */
int output_same(const char *name, const char *other);

/* For output_begin() and output_end(): a part that is begun is taken away wherever the program
 * ends. */
void output_enlist(output_file *output);
void output_strike_off(const output_file *output);

#endif
