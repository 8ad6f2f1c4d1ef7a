/* SPDX-License-Identifier: Apache-2.0
 *
 * Calls that few programs make:
 *   odd_calls lookups          what cuGetProcAddress and its _v2 find: names, versions, flags, and
 *                              null pointers where a program has nothing to give
 *   odd_calls nothing          loads with null pointers, and with options that are nowhere
 *   odd_calls leaks FILE N     how many bytes more are allocated, and descriptors open, after many
 *                              loads than before, each with N library options (0, or 1: the binary
 *                              is preserved)
 *   odd_calls library FILE     a library of FILE, with each option that a library can have
 *   odd_calls gone             calls that change a map in a page of its own
 *   odd_calls waits            reports to a pipe that is full, is emptied, and is full again
 *   odd_calls environment FILE a refused call; then the environment is written over, as
 *                              setproctitle() does, a call is refused and FILE is loaded
 *   odd_calls record HOW FILE  loads FILE, whose kernel leaves a record, and is gone at once after
 *                              one more call: one that is refused (encode, load), one that is not
 *                              (right, loaded), one of a child (fork), none (exit); or ends as
 *                              programs do (end)
 */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "driver_abi.h"

#define UNTOUCHED ((void *)0x77)

/* --- look-ups --- */

static const char *named(const void *found, const char *name) {
    if (found == UNTOUCHED || !found) {
        return found ? "untouched" : "null";
    }
    return found == dlsym(RTLD_DEFAULT, "cuGetProcAddress_v2") ? "the second cuGetProcAddress"
           : found == dlsym(RTLD_DEFAULT, "cuGetProcAddress")  ? "the first cuGetProcAddress"
           : found == dlsym(RTLD_DEFAULT, name)                ? "as linked"
                                                               : "another";
}

static void ask(const char *name, int version, uint64_t flags) {
    void *found = UNTOUCHED;
    shim_lookup_status status = 77;
    const shim_result rc = cuGetProcAddress_v2(name, &found, version, flags, &status);
    printf("%s %d %llu: %u, status %u, %s\n", name, version, (unsigned long long)flags, rc, status,
           named(found, name));
    found = UNTOUCHED;
    const shim_result first = cuGetProcAddress(name, &found, version, flags);
    printf("    the first: %u, %s\n", first, named(found, name));
}

static void ask_with_nothing(void) {
    void *found = UNTOUCHED;
    shim_lookup_status status = 77;
    const shim_result nameless = cuGetProcAddress_v2(NULL, &found, 13000, 0, &status);
    printf("no name: %u, status %u, %s\n", nameless, status, named(found, ""));
    printf("no place: %u\n",
           cuGetProcAddress_v2("cuTensorMapEncodeTiled", NULL, 13000, 0, &status));
    found = UNTOUCHED;
    const shim_result unasked =
        cuGetProcAddress_v2("cuTensorMapEncodeTiled", &found, 13000, 0, NULL);
    printf("no status: %u, %s\n", unasked, named(found, "cuTensorMapEncodeTiled"));
    printf("the first, no name: %u, no place: %u\n", cuGetProcAddress(NULL, &found, 13000, 0),
           cuGetProcAddress("cuTensorMapEncodeTiled", NULL, 13000, 0));
}

static int lookups(void) {
    static const char *const names[] = {
#define SHIM_CALL(name, type, since) #name,
#define SHIM_ASKED(name, type)       #name,
#include "symbols.def"
        "cuNothing", "cu", "c", "nvNothing", "dlsym"};
    static const int versions[] = {-1,    0,     1999,  2000,  11029, 11030, 11999, 12000,
                                   12079, 12080, 13000, 13001, 13049, 13050, 13051};
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        for (size_t k = 0; k < sizeof(versions) / sizeof(versions[0]); k++) {
            ask(names[i], versions[k], 0);
        }
    }
    for (unsigned flags = 1; flags < 6; flags++) {
        ask("cuTensorMapEncodeTiled", 12000, flags);
    }
    ask("cuTensorMapEncodeTiled", 12000, UINT64_C(1) << 32);
    if (getenv("ODD_NOTHING")) { /* which not every driver looks at with care */
        ask_with_nothing();
    }
    return 0;
}

/* --- loads --- */

static int load_nothing(void) {
    static const char text[] = ".version 8.0\n";
    uint32_t *const nowhere = (uint32_t *)8;
    void **const no_values = (void **)8;
    struct CUmod_st *module = NULL;
    struct CUlib_st *library = NULL;
    errno = 77;
    printf("cuModuleLoad %u\n", cuModuleLoad(NULL, NULL));
    printf("cuModuleLoadData %u\n", cuModuleLoadData(NULL, NULL));
    printf("cuModuleLoadDataEx %u\n", cuModuleLoadDataEx(NULL, NULL, 0, NULL, NULL));
    printf("cuModuleLoadFatBinary %u\n", cuModuleLoadFatBinary(NULL, NULL));
    printf("cuLibraryLoadData %u\n", cuLibraryLoadData(NULL, NULL, NULL, NULL, 0, NULL, NULL, 0));
    printf("cuLibraryLoadFromFile %u\n",
           cuLibraryLoadFromFile(NULL, NULL, NULL, NULL, 0, NULL, NULL, 0));
    printf("cuModuleLoadDataEx %u\n", cuModuleLoadDataEx(&module, text, 2, nowhere, no_values));
    printf("cuLibraryLoadData %u\n",
           cuLibraryLoadData(&library, text, nowhere, no_values, 2, nowhere, no_values, 2));
    printf("errno %d, %s, %s\n", errno, module ? "a module" : "none",
           library ? "a library" : "none");
    return 0;
}

static size_t allocated(void) {
#if defined(__GLIBC__) && __GLIBC_PREREQ(2, 33)
    const struct mallinfo2 now = mallinfo2();
    return now.uordblks + now.hblkhd;
#else
    return 0;
#endif
}

/* The number that the next descriptor gets. */
static int next_descriptor(void) {
    const int fd = dup(STDOUT_FILENO);
    close(fd);
    return fd;
}

static void load_all(const char *path, const char *image, unsigned options) {
    uint32_t option[1] = {4};
    uint32_t preserved[1] = {1};
    void *value[1] = {(void *)16};
    struct CUmod_st *module = NULL;
    struct CUlib_st *library = NULL;
    (void)cuModuleLoad(&module, path);
    (void)cuModuleLoadData(&module, image);
    (void)cuModuleLoadDataEx(&module, image, 1, option, value);
    (void)cuModuleLoadFatBinary(&module, image);
    (void)cuLibraryLoadFromFile(&library, path, option, value, 1, NULL, NULL, 0);
    (void)cuLibraryLoadData(&library, image, option, value, 1, preserved, value, options);
}

static int leaks(const char *path, unsigned options) {
    static char image[1 << 16];
    FILE *file = fopen(path, "rb");
    if (!file || fread(image, 1, sizeof(image) - 1, file) == 0) {
        return 2;
    }
    fclose(file);
    for (int i = 0; i < 3; i++) {
        load_all(path, image, options);
    }
    const size_t before = allocated();
    const int fd_before = next_descriptor();
    for (int i = 0; i < 20; i++) {
        load_all(path, image, options);
    }
    const size_t after = allocated();
    printf("%zu B, %d descriptors more\n", after - before, next_descriptor() - fd_before);
    return 0;
}

static int load_library(const char *path) {
    uint32_t option[2] = {0, 0};
    void *value[2] = {NULL, NULL};
    struct CUlib_st *library = NULL;
    for (uint32_t i = 0; i < 3; i++) {
        for (unsigned count = 0; count < 3; count++) {
            option[0] = 0;
            option[1] = 0;
            if (count) {
                option[count - 1] = i;
            }
            printf("%u option(s), the last one %u:\n", count, i);
            fflush(stdout);
            (void)cuLibraryLoadFromFile(&library, path, NULL, NULL, 0, option, value, count);
            fflush(stdout);
        }
    }
    return 0;
}

/* --- maps --- */

static shim_result encode_at(uintptr_t address, void *map, uint32_t rank) {
    const uint64_t dim[1] = {256};
    const uint64_t stride[1] = {0};
    const uint32_t box[1] = {64};
    const uint32_t step[1] = {1};
    return cuTensorMapEncodeTiled(map, 9, rank, (void *)address, dim, stride, box, step, 0, 0, 0,
                                  0);
}

static shim_result encode_into(void *map, uint32_t rank) {
    return encode_at(0x7f0000000000, map, rank);
}

static int change_maps(void) {
    const size_t page_B = (size_t)sysconf(_SC_PAGESIZE);
    uint32_t in_effect = 77;
    void *map = mmap(NULL, page_B, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (map == MAP_FAILED) {
        return 2;
    }
    printf("encode %u\n", encode_into(map, 1));
    printf("replace %u\n", cuTensorMapReplaceAddress(map, (void *)0x7f0000001000));
    mprotect(map, page_B, PROT_READ | PROT_WRITE);
    printf("class %u\n", cuTensorMapSetAllocationClass(map, 1, &in_effect));
    mprotect(map, page_B, PROT_READ | PROT_WRITE);
    printf("class %u\n", cuTensorMapSetAllocationClass(map, 3, &in_effect));
    return 0;
}

/* --- waits --- */

static void fill(int pipe_end) {
    static const char text[4096];
    fcntl(pipe_end, F_SETFL, O_NONBLOCK);
    while (write(pipe_end, text, sizeof(text)) > 0) {
    }
    fcntl(pipe_end, F_SETFL, 0);
}

/* Whether a report waits; each is of another call. */
static int report_waits(void) {
    static _Alignas(128) uint8_t map[TMA_MAP_BYTES];
    static uintptr_t address = 1; /* of no map */
    struct timespec before;
    struct timespec after;
    clock_gettime(CLOCK_MONOTONIC, &before);
    (void)encode_at(address += 16, map, 1);
    clock_gettime(CLOCK_MONOTONIC, &after);
    return (double)(after.tv_sec - before.tv_sec) +
               (double)(after.tv_nsec - before.tv_nsec) * 1e-9 >
           0.09;
}

static int write_to_a_pipe(void) {
    static char taken[1 << 20];
    int ends[2];
    int waits = 0;
    if (pipe(ends) || dup2(ends[1], STDERR_FILENO) < 0) {
        return 2;
    }
    fill(ends[1]);
    printf("full: %s\n", report_waits() ? "a wait" : "no wait");
    for (int i = 0; i < 20; i++) {
        waits += report_waits();
    }
    printf("still full: %s\n", waits == 20 ? "a wait each" : "no wait each");
    fcntl(ends[0], F_SETFL, O_NONBLOCK);
    while (read(ends[0], taken, sizeof(taken)) > 0) {
    }
    (void)report_waits();
    printf("emptied: %s\n", read(ends[0], taken, sizeof(taken)) > 0 ? "a report" : "no report");
    fill(ends[1]);
    printf("full again: %s\n", report_waits() ? "a wait" : "no wait");
    return 0;
}

/* --- records --- */

static shim_result encode(uint32_t rank) {
    static _Alignas(128) uint8_t map[TMA_MAP_BYTES];
    return encode_into(map, rank);
}

static int record(const char *how, const char *path) {
    struct CUmod_st *module = NULL;
    printf("load %u\n", cuModuleLoad(&module, path));
    fflush(stdout);
    if (!strcmp(how, "encode")) {
        printf("encode %u\n", encode(0));
    } else if (!strcmp(how, "right")) {
        printf("encode %u\n", encode(1));
    } else if (!strcmp(how, "load")) {
        printf("load %u\n", cuModuleLoad(&module, "no such file"));
    } else if (!strcmp(how, "loaded")) {
        printf("load %u\n", cuModuleLoad(&module, path));
    } else if (!strcmp(how, "fork")) {
        const pid_t child = fork();
        if (child == 0) {
            printf("load %u\n", cuModuleLoad(&module, path));
            printf("load %u\n", cuModuleLoad(&module, "no such file"));
            fflush(stdout);
            _exit(0);
        }
        waitpid(child, NULL, 0);
    } else if (!strcmp(how, "end")) {
        return 0;
    }
    fflush(stdout);
    _exit(0);
}

static int write_over_environment(const char *path) {
    struct CUmod_st *module = NULL;
    (void)encode(0);
    for (char **at = environ; *at; at++) {
        memset(*at, 'x', strlen(*at));
    }
    printf("encode %u\n", encode(TMA_MAX_RANK + 1));
    printf("load %u\n", cuModuleLoad(&module, path));
    return 0;
}

int main(int argc, char **argv) {
    const char *what = argc > 1 ? argv[1] : "";
    if (!strcmp(what, "lookups")) {
        return lookups();
    }
    if (!strcmp(what, "nothing")) {
        return load_nothing();
    }
    if (!strcmp(what, "gone")) {
        return change_maps();
    }
    if (!strcmp(what, "waits")) {
        return write_to_a_pipe();
    }
    if (argc == 4 && !strcmp(what, "leaks")) {
        return leaks(argv[2], argv[3][0] == '1');
    }
    if (argc == 3 && !strcmp(what, "library")) {
        return load_library(argv[2]);
    }
    if (argc == 3 && !strcmp(what, "environment")) {
        return write_over_environment(argv[2]);
    }
    return argc == 4 && !strcmp(what, "record") ? record(argv[2], argv[3]) : 2;
}
