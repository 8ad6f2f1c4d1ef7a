/* SPDX-License-Identifier: Apache-2.0
 *
 * A kernel in PTX that the driver compiles. One block has a multiprocessor for itself: each
 * allocates all of its tensor memory, and pairs must not wait for each other.
 */
#include "cuda_check.h"
#include "device.h"

#define ALONE_B (128u * 1024) /* of shared memory, beside the kernel's own */

static const char *launch(cudaKernel_t kernel, const struct device_text *text, void *in,
                          void *out) {
    const void *function = (const void *)kernel;
    void *params[] = {&in, &out};
    CUDA_TRY(
        cudaFuncSetAttribute(function, cudaFuncAttributeMaxDynamicSharedMemorySize, (int)ALONE_B));
    CUDA_TRY(cudaLaunchKernel(function, dim3(text->grid), dim3(128), params, ALONE_B, 0));
    CUDA_TRY(cudaDeviceSynchronize());
    CUDA_TRY(cudaMemcpy(text->out, out, text->out_B, cudaMemcpyDeviceToHost));
    return NULL;
}

static const char *run(cudaLibrary_t library, const struct device_text *text) {
    cudaKernel_t kernel;
    void *in = NULL, *out = NULL;
    CUDA_TRY(cudaLibraryGetKernel(&kernel, library, "k"));
    CUDA_TRY(cudaMalloc(&in, text->in_B));
    CUDA_TRY(cudaMalloc(&out, text->out_B));
    CUDA_TRY(cudaMemcpy(in, text->in, text->in_B, cudaMemcpyHostToDevice));
    CUDA_TRY(cudaMemset(out, 0, text->out_B));
    const char *error = launch(kernel, text, in, out);
    CUDA_TRY(cudaFree(in));
    CUDA_TRY(cudaFree(out));
    return error;
}

const char *device_run_text(const struct device_text *text) {
    cudaLibrary_t library;
    CUDA_TRY(cudaLibraryLoadData(&library, text->text, NULL, NULL, 0, NULL, NULL, 0));
    const char *error = run(library, text);
    CUDA_TRY(cudaLibraryUnload(library));
    return error;
}
