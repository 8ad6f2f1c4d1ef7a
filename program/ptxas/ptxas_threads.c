/* SPDX-License-Identifier: Apache-2.0
 *
 * Two cores for one run of ptxas.
 */
#include "ptxas_threads.h"

#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli_error.h"

#define OPTION "split-compile"

int ptxas_has_cores(void) {
    cpu_set_t cores;
    return sched_getaffinity(0, sizeof(cores), &cores) || CPU_COUNT(&cores) > 1;
}

int ptxas_threads_asked(char *const *argv) {
    while (*argv && (**argv != '-' || !strstr(*argv, OPTION))) {
        argv++;
    }
    return *argv != NULL;
}

char **ptxas_threads_argv(char *const *argv) {
    static char option[] = "--" OPTION "=2";
    size_t count = 0;
    while (argv[count]) {
        count++;
    }
    char **out = cli_got(calloc(count + 2, sizeof(*out)));
    memcpy(out, argv, count * sizeof(*out));
    out[count] = option;
    return out;
}

int ptxas_threads_unknown(FILE *said) {
    char text[4096]; /* not through *said, which would keep it */
    const ssize_t size = pread(fileno(said), text, sizeof(text) - 1, 0);
    text[size > 0 ? size : 0] = '\0';
    return strstr(text, OPTION) != NULL;
}
