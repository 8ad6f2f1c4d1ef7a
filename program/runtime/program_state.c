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
static _Thread_local cuda_error last;
static cuda_error died; /* under the lock */

void program_lock(void) {
    pthread_mutex_lock(&lock);
}

void program_unlock(void) {
    pthread_mutex_unlock(&lock);
}

cuda_error program_result(cuda_error error) {
    if (error != CUDA_SUCCESS) {
        last = error;
    }
    return error;
}

cuda_error program_failed(void) {
    program_lock();
    const cuda_error error = died;
    program_unlock();
    return program_result(error);
}

void program_fail(cuda_error error) {
    died = died != CUDA_SUCCESS ? died : error;
}

void program_say_once(const char *text) {
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

/* ---- cudaGetLastError and its kin ---- */

static const struct {
    cuda_error number;
    const char *name, *text;
} errors[] = {
#define CUDA_ERROR(id, number, name, text) {number, #name, text},
#include "cuda_errors.def"
};

PROGRAM_API cuda_error cudaPeekAtLastError(void);
cuda_error cudaPeekAtLastError(void) {
    const cuda_error error = program_failed();
    return error != CUDA_SUCCESS ? error : last;
}

PROGRAM_API cuda_error cudaGetLastError(void);
cuda_error cudaGetLastError(void) {
    const cuda_error error = cudaPeekAtLastError();
    last = CUDA_SUCCESS;
    return error;
}

PROGRAM_API const char *cudaGetErrorName(cuda_error error);
const char *cudaGetErrorName(cuda_error error) {
    for (size_t i = 0; i < sizeof(errors) / sizeof(errors[0]); i++) {
        if (errors[i].number == error) {
            return errors[i].name;
        }
    }
    return "cudaErrorUnknown";
}

PROGRAM_API const char *cudaGetErrorString(cuda_error error);
const char *cudaGetErrorString(cuda_error error) {
    for (size_t i = 0; i < sizeof(errors) / sizeof(errors[0]); i++) {
        if (errors[i].number == error) {
            return errors[i].text;
        }
    }
    return "unrecognized error code";
}
