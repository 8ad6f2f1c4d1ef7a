/* SPDX-License-Identifier: Apache-2.0
 *
 * One launch of a program: all asynchronous work once late, once early, and what came of it said as
 * `tma emulate` says it.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "emulated_program.h"
#include "ptx_heap.h"
#include "run_session.h"

static void put_stderr(void *context, const char *text, size_t length) {
    (void)context;
    fwrite(text, 1, length, stderr);
}

/* A variable of the kernel's own module, which the launch has by its name. */
static int is_own(const session *s, const void *at) {
    for (size_t i = 0; i < s->launch.variables; i++) {
        if (s->launch.variable[i].bytes == at) {
            return 1;
        }
    }
    return 0;
}

/* Global memory is the program's own; each pass begins with what it holds now. */
static cuda_error take_memory(session *s, program_module *m) {
    uint32_t count = 0, given = 0;
    const cuda_error error =
        tma_program_module_variables(m, &s->launch.variable, &s->launch.variables);
    if (error != CUDA_SUCCESS) {
        return error;
    }
    for (const program_block *b = tma_program_blocks(); b; b = b->next) {
        count++;
    }
    s->buffer = ptx_memory_take(s->memory, count + 1u, sizeof(*s->buffer));
    s->given = ptx_memory_take(s->memory, count + 1u, sizeof(*s->given));
    if (!s->buffer || !s->given) {
        return CUDA_MEMORY_ALLOCATION;
    }
    for (const program_block *b = tma_program_blocks(); b; b = b->next) {
        session_buffer *to = &s->buffer[s->buffers];
        *to = (session_buffer){.address = (uint64_t)(uintptr_t)b->at,
                               .size_B = b->size_B,
                               .bytes = b->at,
                               .first = malloc(b->size_B)};
        if (!to->first) {
            return CUDA_MEMORY_ALLOCATION;
        }
        memcpy(to->first, b->at, b->size_B);
        s->buffers++;
        if (!is_own(s, b->at)) {
            s->given[given++] = (tma_emulate_memory){
                .address = to->address, .size_B = to->size_B, .bytes = to->bytes, .name = "memory"};
        }
    }
    s->launch.memory = s->given;
    s->launch.memories = given;
    return CUDA_SUCCESS;
}

static void take_launch(session *s, const program_launch *how) {
    memcpy(s->launch.grid, how->grid, sizeof(how->grid));
    memcpy(s->launch.block, how->block, sizeof(how->block));
    memcpy(s->launch.cluster, how->cluster, sizeof(how->cluster));
    s->launch.cooperative = how->cooperative;
    s->launch.dynamic_shared_B = (uint32_t)how->dynamic_shared_B;
}

static uint32_t certain_of(const session *s) {
    uint32_t certain = 0;
    for (uint32_t i = 0; i < s->findings; i++) {
        certain += s->finding[i].is.certain != 0;
    }
    return certain;
}

static cuda_error judge(program_kernel *k, const session *s) {
    const int is_open = s->end == TMA_EMULATE_LIMIT || s->end == TMA_EMULATE_NOT_EXECUTED;
    if (s->findings > k->findings || s->end != TMA_EMULATE_COMPLETED) {
        tma_out out = tma_out_to(put_stderr, NULL);
        session_put_text(&out, s, 0);
        k->findings = s->findings;
    }
    tma_program_report("launch", s->findings, certain_of(s), is_open);
    switch (s->end) {
    case TMA_EMULATE_COMPLETED:
        return CUDA_SUCCESS;
    case TMA_EMULATE_DEADLOCK:
        tma_program_fail(CUDA_LAUNCH_TIMEOUT);
        return CUDA_SUCCESS;
    case TMA_EMULATE_TRAP:
        tma_program_fail(CUDA_LAUNCH_FAILURE);
        return CUDA_SUCCESS; /* a launch is asynchronous: the next call says it */
    default:
        tma_program_fail(CUDA_NOT_SUPPORTED);
        return CUDA_NOT_SUPPORTED;
    }
}

static cuda_error run(session *s, program_kernel *k, const program_launch *how,
                      tma_emulator *emulator, ptx_memory *memory) {
    tma_error error;
    if (session_begin(s, memory, emulator, k->name, &error)) {
        fprintf(stderr, "tma emulate: %s\n", error.text);
        return CUDA_INVALID_DEVICE_FUNCTION;
    }
    take_launch(s, how);
    if (how->params_B) {
        memcpy(s->params, how->params, how->params_B);
    }
    const cuda_error lacks = take_memory(s, k->module);
    if (lacks != CUDA_SUCCESS) {
        return lacks;
    }
    tma_program_listen(&s->launch.schedule);
    const int is_refused = session_run(s, &error);
    tma_program_listen(NULL);
    if (is_refused) {
        fprintf(stderr, "tma emulate: launch of %s: %s\n", k->name, error.text);
        return CUDA_INVALID_CONFIGURATION;
    }
    return judge(k, s);
}

cuda_error tma_program_run(program_kernel *k, const program_launch *how) {
    cuda_error error;
    tma_emulator *emulator = tma_program_emulator(k->module, &error);
    if (!emulator) {
        return error;
    }
    ptx_heap heap = {NULL};
    ptx_memory memory = ptx_memory_of(ptx_heap_more, &heap);
    session *s = malloc(sizeof(*s));
    error = CUDA_MEMORY_ALLOCATION;
    if (s) {
        error = run(s, k, how, emulator, &memory);
        for (uint32_t i = 0; i < s->buffers; i++) {
            free(s->buffer[i].first);
        }
    }
    free(s);
    ptx_heap_free(&heap);
    return error;
}
