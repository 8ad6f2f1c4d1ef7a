/* SPDX-License-Identifier: Apache-2.0
 *
 * mapped_calls WAY WORD...: makes maps and gives memory back, by what the linker ("direct"), dlsym
 * ("handle") or cuGetProcAddress_v2 ("lookup2"; "lookup2-ptsz": for a thread's own stream) finds.
 * Words: error=N: from now on the pretend driver answers it; replace=ADDRESS of the last map;
 * map=ADDRESS,ROWS a map of rows of 128 bytes; free=, async=ADDRESS; unmap=ADDRESS,SIZE; fork: the
 * rest is done by a child, whose end is waited for. Numbers as C has them.
 */
#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "driver_abi.h"

typedef void any_function(void);

static struct {
    shim_tiled_call *encode;
    shim_free_call *free;
    shim_free_async_call *async;
    shim_unmap_call *unmap;
} calls = {cuTensorMapEncodeTiled, cuMemFree_v2, cuMemFreeAsync, cuMemUnmap};

static any_function *found(const char *way, const char *name, const char *exported) {
    union {
        void *address;
        any_function *function;
        shim_lookup_v2_call *lookup;
    } as = {NULL};
    const int by_handle = !strcmp(way, "handle");
    void *handle = dlopen("libcuda.so.1", RTLD_NOW);
    as.address = handle ? dlsym(handle, by_handle ? exported : "cuGetProcAddress_v2") : NULL;
    if (as.address && !by_handle) {
        as.lookup(name, &as.address, 13000, strcmp(way, "lookup2") ? SHIM_LOOKUP_PER_THREAD : 0,
                  NULL);
    }
    if (!as.address) {
        printf("%s was not found\n", name);
        exit(1);
    }
    return as.function;
}

static void find_all(const char *way) {
    calls.encode =
        (shim_tiled_call *)found(way, "cuTensorMapEncodeTiled", "cuTensorMapEncodeTiled");
    calls.free = (shim_free_call *)found(way, "cuMemFree", "cuMemFree_v2");
    calls.async = (shim_free_async_call *)found(way, "cuMemFreeAsync", "cuMemFreeAsync");
    calls.unmap = (shim_unmap_call *)found(way, "cuMemUnmap", "cuMemUnmap");
}

static _Alignas(128) uint8_t map[TMA_MAP_BYTES];

static shim_result make_map(uint64_t address, uint64_t rows) {
    const uint64_t dim[] = {128, rows};
    const uint64_t stride[] = {128};
    const uint32_t box[] = {128, 8};
    const uint32_t step[] = {1, 1};
    return calls.encode((struct CUtensorMap_st *)(void *)map, 0, 2, (void *)(uintptr_t)address, dim,
                        stride, box, step, 0, 0, 0, 0);
}

static void wait_for_child(void) {
    const pid_t child = fork();
    int status = 0;
    if (child > 0) {
        waitpid(child, &status, 0);
        exit(WEXITSTATUS(status));
    }
}

static void obey(const char *word) {
    const char *equals = strchr(word, '=');
    char *rest = NULL;
    const uint64_t first = equals ? strtoull(equals + 1, &rest, 0) : 0;
    const uint64_t second = rest && *rest == ',' ? strtoull(rest + 1, NULL, 0) : 0;
    shim_result rc = SHIM_SUCCESS;
    if (*word == 'e' && equals) {
        (void)setenv("PRETEND_FAULT", equals + 1, 1);
        return;
    }
    errno = 77;
    switch (*word) {
    case 'm':
        rc = make_map(first, second);
        break;
    case 'r':
        rc = cuTensorMapReplaceAddress((struct CUtensorMap_st *)(void *)map,
                                       (void *)(uintptr_t)first);
        break;
    case 'a':
        rc = calls.async(first, NULL);
        break;
    case 'u':
        rc = calls.unmap(first, second);
        break;
    default:
        if (equals) {
            rc = calls.free(first);
        } else {
            wait_for_child();
            return;
        }
    }
    printf("%s: %u, errno %d\n", word, rc, errno);
}

int main(int count, char **arguments) {
    setvbuf(stdout, NULL, _IONBF, 0); /* a child prints nothing twice */
    if (count > 1 && strcmp(arguments[1], "direct") != 0) {
        find_all(arguments[1]);
    }
    for (int i = 2; i < count; i++) {
        obey(arguments[i]);
    }
    return 0;
}
