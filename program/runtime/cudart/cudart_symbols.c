/* SPDX-License-Identifier: Apache-2.0
 *
 * The runtime's calls about __device__ and __constant__ variables: a symbol is the host's variable
 * of that name.
 */
#include "cudart_calls.h"

PROGRAM_API cuda_error cudaGetSymbolAddress(void **devPtr, const void *symbol);
cuda_error cudaGetSymbolAddress(void **devPtr, const void *symbol) {
    tma_emulate_memory found = {0};
    const cuda_error error = devPtr ? tma_program_symbol(symbol, &found) : CUDA_INVALID_VALUE;
    if (error == CUDA_SUCCESS) {
        *devPtr = found.bytes;
    }
    return cudart_result(error);
}

PROGRAM_API cuda_error cudaGetSymbolSize(size_t *size, const void *symbol);
cuda_error cudaGetSymbolSize(size_t *size, const void *symbol) {
    tma_emulate_memory found = {0};
    const cuda_error error = size ? tma_program_symbol(symbol, &found) : CUDA_INVALID_VALUE;
    if (error == CUDA_SUCCESS) {
        *size = (size_t)found.size_B;
    }
    return cudart_result(error);
}

/* Where `count` bytes from `offset` on are; null and *error: they are not in the variable. */
static uint8_t *part_of(const void *symbol, size_t count, size_t offset, cuda_error *error) {
    tma_emulate_memory found = {0};
    *error = tma_program_symbol(symbol, &found);
    if (*error == CUDA_SUCCESS && (offset > found.size_B || count > found.size_B - offset)) {
        *error = CUDA_INVALID_VALUE;
    }
    return *error == CUDA_SUCCESS ? (uint8_t *)found.bytes + offset : NULL;
}

PROGRAM_API cuda_error cudaMemcpyToSymbolAsync(const void *symbol, const void *src, size_t count,
                                               size_t offset, uint32_t kind, cuda_stream stream);
cuda_error cudaMemcpyToSymbolAsync(const void *symbol, const void *src, size_t count, size_t offset,
                                   uint32_t kind, cuda_stream stream) {
    (void)kind;
    cuda_error error;
    const program_copy copy = {
        .to = part_of(symbol, count, offset, &error), .from = src, .width_B = count, .rows = 1};
    return cudart_result(error != CUDA_SUCCESS ? error : tma_program_copy(stream, &copy));
}

PROGRAM_API cuda_error cudaMemcpyToSymbol(const void *symbol, const void *src, size_t count,
                                          size_t offset, uint32_t kind);
cuda_error cudaMemcpyToSymbol(const void *symbol, const void *src, size_t count, size_t offset,
                              uint32_t kind) {
    return cudaMemcpyToSymbolAsync(symbol, src, count, offset, kind, NULL);
}

PROGRAM_API cuda_error cudaMemcpyFromSymbolAsync(void *dst, const void *symbol, size_t count,
                                                 size_t offset, uint32_t kind, cuda_stream stream);
cuda_error cudaMemcpyFromSymbolAsync(void *dst, const void *symbol, size_t count, size_t offset,
                                     uint32_t kind, cuda_stream stream) {
    (void)kind;
    cuda_error error;
    const program_copy copy = {
        .to = dst, .from = part_of(symbol, count, offset, &error), .width_B = count, .rows = 1};
    return cudart_result(error != CUDA_SUCCESS ? error : tma_program_copy(stream, &copy));
}

PROGRAM_API cuda_error cudaMemcpyFromSymbol(void *dst, const void *symbol, size_t count,
                                            size_t offset, uint32_t kind);
cuda_error cudaMemcpyFromSymbol(void *dst, const void *symbol, size_t count, size_t offset,
                                uint32_t kind) {
    return cudaMemcpyFromSymbolAsync(dst, symbol, count, offset, kind, NULL);
}
