/* SPDX-License-Identifier: Apache-2.0
 *
 * Two cores for one run of ptxas: kernels with checks are about twice as many instructions, and two
 * threads of ptxas assemble two kernels at once, each as one thread does.
 */
#ifndef CLI_PTXAS_THREADS_H
#define CLI_PTXAS_THREADS_H

#include <stdio.h>

/* Whether two run at once in the time of one. */
int ptxas_has_cores(void);

/* The arguments with the option that asks for two threads, and what says that they have it already.
 * Free() the array. */
char **ptxas_threads_argv(char *const *argv);
int ptxas_threads_asked(char *const *argv);

/* Whether what it said is that it does not know the option, as an older one. */
int ptxas_threads_unknown(FILE *said);

#endif
