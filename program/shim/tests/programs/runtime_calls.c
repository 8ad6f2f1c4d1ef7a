/* SPDX-License-Identifier: Apache-2.0
 *
 * A program that asks CUDA's runtime for the encoders, as CUTLASS and PyTorch do; linked with the
 * static runtime and with the shared one. Prints the runtime's answer, and the cases' if there is
 * one.
 */
#include <cuda_runtime_api.h>
#include <stdio.h>

#include "call_cases.h"

int main(void) {
    static const char *const names[] = {"cuTensorMapEncodeTiled", "cuTensorMapEncodeIm2col",
                                        "cuTensorMapEncodeIm2colWide", "cuTensorMapReplaceAddress"};
    union {
        void *address[4];
        struct driver_calls calls;
    } as;
    for (int i = 0; i < 4; i++) {
        enum cudaDriverEntryPointQueryResult status = cudaDriverEntryPointSymbolNotFound;
        as.address[i] = NULL;
        const cudaError_t error = cudaGetDriverEntryPointByVersion(names[i], &as.address[i], 12080,
                                                                   cudaEnableDefault, &status);
        if (error != cudaSuccess || status != cudaDriverEntryPointSuccess || !as.address[i]) {
            printf("%s: error %d, status %d\n", names[i], (int)error, (int)status);
            return 1;
        }
    }
    run_cases(&as.calls);
    return 0;
}
