/* SPDX-License-Identifier: Apache-2.0
 *
 * The part tcgen05's kernel by libtma's emulator.
 */
#include <stdlib.h>
#include <string.h>
#include <tma/emulate.h>

#include "tensor_forms.h"

#define IN_AT  UINT64_C(0x100000000)
#define OUT_AT UINT64_C(0x200000000)

static void *give(void *context, size_t size_B) {
    (void)context;
    return malloc(size_B);
}

static void take_back(void *context, void *memory) {
    (void)context;
    free(memory);
}

/* Whose words last until the next call on this thread. */
static const char *kept(const char *why) {
    static _Thread_local char text[256];
    (void)snprintf(text, sizeof(text), "%.255s", why);
    return text;
}

static const char *run(tma_emulator *e, const tma_emulate_launch *launch) {
    tma_error error = {.text = ""};
    const char *why = NULL;
    if (tma_emulator_run(e, launch, &error) != TMA_OK) {
        return kept(error.text);
    }
    return tma_emulator_end(e, &why, NULL) == TMA_EMULATE_COMPLETED ? NULL : kept(why);
}

const char *tensor_emulate(const tensor_case *c, const char *text, tensor_output out) {
    const uint64_t params[] = {IN_AT, OUT_AT};
    tma_error error = {.text = ""};
    tensor_input *in = malloc(sizeof(*in));
    const tma_emulate_host host = {.allocate = give, .release = take_back};
    const tma_emulate_memory memory[] = {
        {.address = IN_AT, .size_B = sizeof(*in), .bytes = in, .name = "in"},
        {.address = OUT_AT, .size_B = sizeof(tensor_output), .bytes = out, .name = "out"}};
    const tma_emulate_launch launch = {.grid = {TENSOR_JOBS * (uint32_t)c->form.ctas},
                                       .params = params,
                                       .params_B = sizeof(params),
                                       .memory = memory,
                                       .memories = 2,
                                       .no_order = 1};
    tma_emulator *e = in ? tma_emulator_new(&host, text, strlen(text), &error) : NULL;
    const char *why = e ? NULL : kept(in ? error.text : "no memory");
    if (e) {
        *in = c->input;
        memset(out, 0, sizeof(tensor_output));
        why = run(e, &launch);
    }
    tma_emulator_free(e);
    free(in);
    return why;
}
