/* SPDX-License-Identifier: Apache-2.0
 *
 * The driver's errors: numbers, names and words are driver_codes.def's.
 */
#include "libcuda_calls.h"

typedef struct code {
    uint32_t number;
    const char *name, *text;
} code;

static const code codes[] = {
    {0, "CUDA_SUCCESS", "no error"},
#define DRIVER_CODE(name, number, about, words, meaning) {number, "CUDA_ERROR_" #name, words},
#define DRIVER_CODE_NAME(name, number)                   {number, "CUDA_ERROR_" #name, NULL},
#include "tma/driver_codes.def"
};

/* The words of the runtime's, for those that have none there. */
static const code more[] = {
#define CUDA_ERROR(id, number, name, text) {number, #name, text},
#include "cuda_errors.def"
};

static const code *code_in(const code *all, size_t count, uint32_t number) {
    for (size_t i = 0; i < count; i++) {
        if (all[i].number == number) {
            return &all[i];
        }
    }
    return NULL;
}

static const code *code_of(uint32_t number) {
    return code_in(codes, sizeof(codes) / sizeof(codes[0]), number);
}

uint32_t cuGetErrorName(uint32_t error, const char **pStr) {
    const code *found = code_of(error);
    if (!pStr) {
        return CUDA_INVALID_VALUE;
    }
    *pStr = found ? found->name : NULL;
    return found ? CUDA_SUCCESS : CUDA_INVALID_VALUE;
}

uint32_t cuGetErrorString(uint32_t error, const char **pStr) {
    const code *found = code_of(error);
    if (!pStr) {
        return CUDA_INVALID_VALUE;
    }
    const code *words =
        found && !found->text ? code_in(more, sizeof(more) / sizeof(more[0]), error) : found;
    *pStr = words ? words->text : found ? found->name : NULL;
    return found ? CUDA_SUCCESS : CUDA_INVALID_VALUE;
}

/* Three errors have other numbers in the runtime. */
uint32_t libcuda_result(cuda_error error) {
    switch (error) {
    case CUDA_INVALID_CONFIGURATION:
        return CUDA_INVALID_VALUE;
    case CUDA_INVALID_DEVICE_FUNCTION:
        return CUDA_INVALID_RESOURCE_HANDLE;
    case CUDA_INVALID_SYMBOL:
        return CUDA_SYMBOL_NOT_FOUND;
    default:
        return error;
    }
}

uint32_t libcuda_state(void) {
    return program_context_state(1);
}
