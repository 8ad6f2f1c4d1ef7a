/* SPDX-License-Identifier: Apache-2.0
 *
 * What all calls share: the lock, errors, and what is said once.
 */
#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include "emulated_program.h"

#define MOST_SAID 32

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static cuda_error died; /* under the lock */

void tma_program_lock(void) {
    pthread_mutex_lock(&lock);
}

void tma_program_unlock(void) {
    pthread_mutex_unlock(&lock);
}

cuda_error tma_program_died(void) {
    tma_program_lock();
    const cuda_error error = died;
    tma_program_unlock();
    return error;
}

void tma_program_fail(cuda_error error) {
    died = died != CUDA_SUCCESS ? died : error;
}

void tma_program_say_once(const char *text) {
    static const char *said[MOST_SAID];
    size_t i = 0;
    for (; i < MOST_SAID && said[i]; i++) {
        if (!strcmp(said[i], text)) {
            return;
        }
    }
    if (i < MOST_SAID) {
        said[i] = text;
        fprintf(stderr, "tma emulate: %s\n", text);
    }
}
