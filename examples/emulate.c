/* SPDX-License-Identifier: Apache-2.0
 *
 * A kernel executed: its values, then the race that is in it. What a debugger or a simulator does,
 * too: instructions and accesses watched, a run in steps, a look at a thread, a run that is ended.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <tma/emulate.h>

#define THREADS 64u
#define OUT     UINT64_C(0x10000000)

/* Each thread writes its number to shared memory, reads its neighbour's in the other warp and
 * stores that; between the two lies a barrier in `right`, and nothing in `wrong`. */
#define KERNEL(name, barrier)                                                                      \
    ".visible .entry " name "(.param .u64 out)\n.reqntid 64\n{\n"                                  \
    ".reg .b32 %r<6>;\n.reg .b64 %rd<4>;\n.shared .align 4 .b8 " name "_tile[256];\n"              \
    "mov.u32 %r1, %tid.x;\nmov.u32 %r2, " name "_tile;\n"                                          \
    "mad.lo.u32 %r3, %r1, 4, %r2;\nst.shared.u32 [%r3], %r1;\n" barrier                            \
    "xor.b32 %r4, %r1, 32;\nmad.lo.u32 %r4, %r4, 4, %r2;\nld.shared.u32 %r5, [%r4];\n"             \
    "ld.param.u64 %rd1, [out];\nmul.wide.u32 %rd2, %r1, 4;\nadd.u64 %rd3, %rd1, %rd2;\n"           \
    "st.global.u32 [%rd3], %r5;\nret;\n}\n"

static const char ptx[] =
    ".version 8.6\n.target sm_90a\n.address_size 64\n" KERNEL("right", "bar.sync 0;\n")
        KERNEL("wrong", "");

static void *allocate(void *context, size_t size_B) {
    (void)context;
    return malloc(size_B);
}

static void release(void *context, void *memory) {
    (void)context;
    free(memory);
}

/* Of what the program watches, so many. */
typedef struct counts {
    uint64_t instructions, reads, writes;
} counts;

static void watch(void *context, const tma_emulate_event *event) {
    counts *c = (counts *)context;
    c->instructions += event->kind == TMA_EMULATE_INSTRUCTION;
    c->reads += event->kind == TMA_EMULATE_ACCESS && event->reads;
    c->writes += event->kind == TMA_EMULATE_ACCESS && event->writes;
}

static void say(const tma_emulator *emulator) {
    const char *why = "";
    uint32_t line = 0;
    const uint32_t end = tma_emulator_end(emulator, &why, &line);
    printf("%s, %" PRIu64 " thread instructions\n", tma_emulate_end_name(end),
           tma_emulator_instructions(emulator));
    for (size_t i = 0; tma_emulator_finding_at(emulator, i); i++) {
        const tma_emulate_finding *f = tma_emulator_finding_at(emulator, i);
        printf("%s %s: thread %u, line %u; thread %u, line %u\n", f->certain ? "certain" : "may",
               tma_emulate_rule_name(f->rule), f->access[0].thread, f->access[0].line,
               f->access[1].thread, f->access[1].line);
    }
}

/* One step after the other: where thread 0 is, until the run is over. */
static int step(tma_emulator *emulator, const tma_emulate_launch *launch, tma_error *error) {
    tma_emulate_thread thread;
    if (tma_emulator_begin(emulator, launch, error) != TMA_OK) {
        return -1;
    }
    while (tma_emulator_step(emulator, THREADS)) {
        if (tma_emulator_thread_at(emulator, 0, 0, &thread) && thread.waits) {
            printf("thread 0 waits at line %u: %s %" PRIu64 "\n", thread.line, thread.waits_at,
                   thread.barrier);
        }
    }
    return 0;
}

static int run(tma_emulator *emulator, const char *kernel, uint32_t *out, tma_error *error) {
    const uint64_t address = OUT;
    counts seen = {0, 0, 0};
    tma_emulate_memory memory = {0};
    tma_emulate_launch launch = {0};
    memory.address = OUT;
    memory.size_B = THREADS * sizeof(*out);
    memory.bytes = out;
    memory.name = "out";
    memory.uninitialised = 1;
    launch.kernel = kernel;
    launch.params = &address;
    launch.params_B = sizeof(address);
    launch.memory = &memory;
    launch.memories = 1;
    launch.watches = TMA_EMULATE_INSTRUCTION | TMA_EMULATE_ACCESS;
    launch.watch = watch;
    launch.watch_context = &seen;
    printf("%s: ", kernel);
    if (tma_emulator_run(emulator, &launch, error) != TMA_OK) {
        return -1;
    }
    say(emulator);
    printf("out[0] %u, out[63] %u; %" PRIu64 " warp instructions, %" PRIu64 " reads, %" PRIu64
           " writes\n",
           out[0], out[63], seen.instructions, seen.reads, seen.writes);
    return step(emulator, &launch, error);
}

int main(void) {
    static uint32_t out[THREADS];
    tma_emulate_host host = {0};
    tma_error error;
    host.allocate = allocate;
    host.release = release;
    tma_emulator *emulator = tma_emulator_new(&host, ptx, strlen(ptx), &error);
    const int failed =
        !emulator || run(emulator, "right", out, &error) || run(emulator, "wrong", out, &error);
    if (failed) {
        fprintf(stderr, "%s\n", error.text);
    }
    tma_emulator_free(emulator);
    return failed;
}
