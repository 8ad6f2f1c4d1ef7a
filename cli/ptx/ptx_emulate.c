/* SPDX-License-Identifier: Apache-2.0 */
#include "ptx_emulate.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli_error.h"
#include "cli_out.h"
#include "emulate_run.h"
#include "printable.h"
#include "ptx_heap.h"
#include "run_session.h"

#define MOST_INSTRUCTIONS (UINT64_C(1) << 28) /* of a pass */

static void print_text(void *context, const char *text, size_t length) {
    fwrite(text, 1, length, context);
}

#define LACKS "--no-invent: " /* how a session says that a value is not given */

static void say_not(const char *kernel, const tma_error *error) {
    const size_t before = strncmp(error->text, LACKS, strlen(LACKS)) ? 0 : strlen(LACKS);
    printf("kernel %s: not executed: %s\n", printable_text(kernel).text, error->text + before);
}

/* One kernel; whether it has a finding. What it lacks is said, and is none. */
static int one_kernel(tma_emulator *emulator, const char *kernel, int certain_only, int raw_names) {
    const session_how how = {
        .no_invent = 1, .raw_names = raw_names, .launch.most_instructions = MOST_INSTRUCTIONS};
    ptx_heap heap = {NULL};
    ptx_memory memory = ptx_memory_of(ptx_heap_more, &heap);
    session *s = cli_got(malloc(sizeof(*s)));
    tma_error error;
    int found = 0;
    putchar('\n');
    if (session_begin(s, &memory, emulator, kernel, &error)) {
        say_not(kernel, &error);
    } else {
        session_take_how(s, &how);
        if (session_settle(s, &error) || session_run(s, &error)) {
            say_not(kernel, &error);
        } else {
            tma_out out = out_to(stdout);
            session_put_text(&out, s, raw_names);
            found = session_is_found(s, certain_only);
        }
    }
    free(s);
    ptx_heap_free(&heap);
    return found;
}

int ptx_emulate(const char *path, const char *text, size_t size, int certain_only, int raw_names) {
    const tma_emulate_host host = {.context = stdout,
                                   .allocate = emulate_take_memory,
                                   .release = emulate_release_memory,
                                   .print = print_text};
    tma_error error;
    tma_emulator *emulator = tma_emulator_new(&host, text, size, &error);
    const char *name;
    size_t length;
    int found = 0;
    if (!emulator) {
        cli_say("%s: %s", printable_text(path).text, error.text);
        return -1;
    }
    for (size_t i = 0; (name = tma_emulator_kernel_at(emulator, i, &length)); i++) {
        char *kernel = cli_got(calloc(length + 1, 1));
        memcpy(kernel, name, length);
        found |= one_kernel(emulator, kernel, certain_only, raw_names);
        free(kernel);
    }
    tma_emulator_free(emulator);
    return found;
}
