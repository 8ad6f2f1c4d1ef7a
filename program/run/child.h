/* SPDX-License-Identifier: Apache-2.0
 *
 * Another program, run to its end; or two at once.
 */
#ifndef CLI_CHILD_H
#define CLI_CHILD_H

#include <sys/types.h>

#define CHILD_NOT_RUN      (-1)
#define CHILD_EXIT_NOT_RUN 127 /* of this program, as of a shell: a child may end with it too */

typedef struct child_way {
    int stderr_fd;           /* where its standard error goes; this program's: STDERR_FILENO */
    int answers_signals;     /* SIGINT and SIGQUIT are the child's to answer, not this program's */
    void (*meanwhile)(void); /* called ten times a second while it runs, or null */
    /* Answers a SIGINT, which the child ignores; returns the signal that the child gets for it, or
     * 0. Null: SIGINT is as the others. */
    int (*interrupted)(void);
} child_way;

/* From here to child_signals_end() a SIGTERM, SIGHUP, SIGINT or SIGQUIT ends nothing: it goes to
 * the children that run, and to this program when what it made has been taken away. */
void child_signals_begin(void);
void child_signals_end(void);
int child_signal_came(void); /* one did: nothing more is begun */

/* Runs argv, found in $PATH, and waits. Its exit status, or 128 and the signal; CHILD_NOT_RUN,
 * which is said. */
int child_run(char **argv, const child_way *way);

#define CHILD_MOST 2 /* at once */

/* The same in two steps, where child_signals_begin() was: what comes between is done while it runs.
 * Each that is begun is waited for, or stopped. */
typedef struct child_process {
    pid_t number; /* 0: there is none */
} child_process;

int child_begin(child_process *begun, char **argv, int stderr_fd); /* 0, or CHILD_NOT_RUN, said */
int child_wait(child_process *begun);  /* CHILD_NOT_RUN: there is none */
void child_stop(child_process *begun); /* what it made is of no use */
void child_wait_all(void); /* for atexit(): what they write is whole, or as they left it */

/* What this program ends with for a child_run() that returned this. */
int child_exit(int status);

#endif
