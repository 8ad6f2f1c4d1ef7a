/* SPDX-License-Identifier: Apache-2.0
 *
 * Another program, run to its end.
 */
#ifndef CLI_CHILD_H
#define CLI_CHILD_H

#define CHILD_NOT_RUN 127

typedef struct child_way {
    int stderr_fd;           /* where its standard error goes; this program's: STDERR_FILENO */
    int answers_signals;     /* SIGINT and SIGQUIT are the child's to answer, not this program's */
    void (*meanwhile)(void); /* called ten times a second while it runs, or null */
} child_way;

/* Runs argv, found in $PATH, and waits. Its exit status, or 128 and the signal; CHILD_NOT_RUN,
 * which is said. */
int child_run(char **argv, const child_way *way);

#endif
