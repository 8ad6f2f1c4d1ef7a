/* SPDX-License-Identifier: Apache-2.0
 *
 * many_calls THREADS SPECS: each thread makes the same refused calls, one for each of SPECS
 * addresses, and after each a right one. Prints how many were answered as they should be.
 */
#include <dlfcn.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

#include "call_cases.h"

static atomic_uint right;
static unsigned specs;

static void *make_calls(void *unused) {
    CUtensorMap map;
    union {
        void *address;
        tiled_call *call;
    } as = {dlsym(dlopen("libcuda.so.1", RTLD_NOW), "cuTensorMapEncodeTiled")};
    for (unsigned i = 0; as.call && i < specs; i++) {
        const uintptr_t address = 0x7f0000000000 + 256 * (uintptr_t)i;
        right += encode_matrix(as.call, &map, 128, address) == 1;
        right += encode_matrix(as.call, &map, 64, address) == CUDA_SUCCESS;
    }
    return unused;
}

int main(int argc, char **argv) {
    pthread_t threads[16];
    unsigned count = argc > 1 ? (unsigned)strtoul(argv[1], NULL, 10) : 1;
    specs = argc > 2 ? (unsigned)strtoul(argv[2], NULL, 10) : 1;
    count = count < 16 ? count : 16;
    for (unsigned i = 0; i < count; i++) {
        pthread_create(&threads[i], NULL, make_calls, NULL);
    }
    for (unsigned i = 0; i < count; i++) {
        pthread_join(threads[i], NULL);
    }
    printf("%u of %u right\n", (unsigned)right, 2 * count * specs);
    return right != 2 * count * specs;
}
