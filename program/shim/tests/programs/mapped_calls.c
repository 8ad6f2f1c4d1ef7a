/* SPDX-License-Identifier: Apache-2.0
 *
 * mapped_calls WAY WORD...: makes maps and gives memory back, by what the linker ("direct"), dlsym
 * ("handle") or cuGetProcAddress_v2 ("lookup2"; "lookup2-ptsz": for a thread's own stream) finds.
 * Words: error=N: from now on the pretend driver answers it; replace=ADDRESS of the last map;
 * map=ADDRESS,ROWS a map of rows of 128 bytes; free=, async=ADDRESS; unmap=ADDRESS,SIZE;
 * have=SIZE, pitch=SIZE, unified=SIZE, new=SIZE, pool=SIZE: memory that is allocated (cuMemAlloc,
 * Pitch, Managed, Async, FromPoolAsync); join=ADDRESS,SIZE: cuMemMap; fork: the rest is done by a
 * child, whose end is waited for. Numbers as C has them.
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
    shim_alloc_call *alloc;
    shim_alloc_pitch_call *pitch;
    shim_alloc_managed_call *managed;
    shim_alloc_async_call *alloc_async;
    shim_alloc_pool_call *pool;
    shim_map_call *map;
} calls = {cuTensorMapEncodeTiled,  cuMemFree_v2,
           cuMemFreeAsync,          cuMemUnmap,
           cuMemAlloc_v2,           cuMemAllocPitch_v2,
           cuMemAllocManaged,       cuMemAllocAsync,
           cuMemAllocFromPoolAsync, cuMemMap};

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
    calls.alloc = (shim_alloc_call *)found(way, "cuMemAlloc", "cuMemAlloc_v2");
    calls.pitch = (shim_alloc_pitch_call *)found(way, "cuMemAllocPitch", "cuMemAllocPitch_v2");
    calls.managed = (shim_alloc_managed_call *)found(way, "cuMemAllocManaged", "cuMemAllocManaged");
    calls.alloc_async = (shim_alloc_async_call *)found(way, "cuMemAllocAsync", "cuMemAllocAsync");
    calls.pool =
        (shim_alloc_pool_call *)found(way, "cuMemAllocFromPoolAsync", "cuMemAllocFromPoolAsync");
    calls.map = (shim_map_call *)found(way, "cuMemMap", "cuMemMap");
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

static shim_result allocate(const char *word, uint64_t size_B) {
    shim_address at = 0;
    size_t pitch_B = 0;
    const shim_result rc = *word == 'h'     ? calls.alloc(&at, size_B)
                           : word[1] == 'i' ? calls.pitch(&at, &pitch_B, 128, size_B / 128, 4)
                           : *word == 'u'   ? calls.managed(&at, size_B, 1)
                           : *word == 'n'   ? calls.alloc_async(&at, size_B, NULL)
                                            : calls.pool(&at, size_B, NULL, NULL);
    printf("at 0x%llx, ", at);
    return rc;
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
        rc = word[2] == 'm' ? calls.unmap(first, second) : allocate(word, first);
        break;
    case 'h':
    case 'n':
    case 'p':
        rc = allocate(word, first);
        break;
    case 'j':
        rc = calls.map(first, second, 0, 1, 0);
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
