/* SPDX-License-Identifier: Apache-2.0
 *
 * waiting_calls WHAT [FILE]: a thread is inside of a call, where the pretend driver's gate or a
 * long text keeps it; meanwhile this one forks, and the child makes such calls of its own, and then
 * this one, too. WHAT: record, loads the image FILE; maps, maps whose memory is asked for; links,
 * inputs of nvJitLink. Whoever waits for the thread is ended by SIGALRM.
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "compiler_calls.h"
#include "gate.h"

#define PATIENCE_S  20
#define MOST_FILE_B (1 << 16)
#define TEXT_B      ((size_t)1 << 26)
#define CHILDREN    10

static char image[MOST_FILE_B];
static char *text;
static atomic_int began, end;

static int load(uintptr_t which) {
    struct CUmod_st *module = NULL;
    (void)which;
    return cuModuleLoadData(&module, image) != SHIM_SUCCESS;
}

static int make_map(uintptr_t which) {
    static _Alignas(128) uint8_t map[3][TMA_MAP_BYTES];
    const uint64_t dim[] = {128, 8};
    const uint64_t stride[] = {128};
    const uint32_t box[] = {128, 8};
    const uint32_t step[] = {1, 1};
    return cuTensorMapEncodeTiled((struct CUtensorMap_st *)(void *)map[which], 0, 2,
                                  (void *)(0x10000 * (which + 1)), dim, stride, box, step, 0, 0, 0,
                                  0) != SHIM_SUCCESS;
}

static int link_input(uintptr_t which) {
    static int here[3];
    struct nvJitLink *handle = (struct nvJitLink *)&here[which];
    const int added = nvJitLinkAddData(handle, 2, text, which ? 100 : TEXT_B, "kernels");
    return added | nvJitLinkDestroy(&handle);
}

static const struct what {
    const char *word;
    int (*call)(uintptr_t which); /* 0: right */
    int has_gate;
} whats[] = {{"record", load, 1}, {"maps", make_map, 1}, {"links", link_input, 0}};

static void *call_beside(void *context) {
    const struct what *what = context;
    int wrong = 0;
    atomic_store(&began, 1);
    do {
        wrong |= what->call(0);
    } while (!what->has_gate && !atomic_load(&end));
    return wrong ? context : NULL;
}

static int child_answers(const struct what *what) {
    int status = 0;
    const pid_t child = fork();
    if (child == 0) {
        alarm(PATIENCE_S);
        _exit(what->call(1));
    }
    return child > 0 && waitpid(child, &status, 0) == child && status == 0;
}

static int run(struct what what) {
    pthread_t thread;
    void *wrong = NULL;
    int children = 0;
    if (what.has_gate) {
        gate_close();
    }
    pthread_create(&thread, NULL, call_beside, &what);
    while (what.has_gate ? !gate_is_met() : !atomic_load(&began)) {
        usleep(1000);
    }
    for (int i = 0; i < CHILDREN; i++) {
        usleep(what.has_gate ? 0 : 7001 * (unsigned)i % 20000);
        children += child_answers(&what);
    }
    alarm(PATIENCE_S);
    const int own = what.call(2);
    alarm(0);
    if (what.has_gate) {
        gate_open();
    }
    atomic_store(&end, 1);
    pthread_join(thread, &wrong);
    printf("%d of %d children, %s, %s\n", children, CHILDREN, own ? "not this" : "this",
           wrong ? "not the thread" : "the thread");
    return children != CHILDREN || own || wrong;
}

int main(int argc, char **argv) {
    FILE *file = argc > 2 ? fopen(argv[2], "rb") : NULL;
    const size_t size = file ? fread(image, 1, sizeof(image) - 1, file) : 0;
    text = calloc(1, TEXT_B);
    if (!text || (argc > 2 && !size)) {
        return 2;
    }
    memset(text, ' ', TEXT_B);
    memcpy(text, ".version", 8);
    for (size_t i = 0; i < sizeof(whats) / sizeof(whats[0]); i++) {
        if (argc > 1 && !strcmp(argv[1], whats[i].word)) {
            return run(whats[i]);
        }
    }
    return 2;
}
