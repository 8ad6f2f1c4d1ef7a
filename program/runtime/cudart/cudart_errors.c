/* SPDX-License-Identifier: Apache-2.0
 *
 * The runtime's errors: what is kept for cudaGetLastError, and their words.
 */
#include "cudart_calls.h"

static _Thread_local cuda_error last;

cuda_error cudart_result(cuda_error error) {
    tma_program_use_primary();
    if (error != CUDA_SUCCESS) {
        last = error;
    }
    return error;
}

cuda_error cudart_state(void) {
    return cudart_result(tma_program_died());
}

static const struct {
    cuda_error number;
    const char *name, *text;
} errors[] = {
#define CUDA_ERROR(id, number, name, text) {number, #name, text},
#include "cuda_errors.def"
};

PROGRAM_API cuda_error cudaPeekAtLastError(void);
cuda_error cudaPeekAtLastError(void) {
    const cuda_error error = cudart_state();
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
