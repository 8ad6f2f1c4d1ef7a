/* SPDX-License-Identifier: Apache-2.0
 *
 * Any bytes as PTX, its first kernel launched: the first bytes are the launch's. No run touches
 * memory that is not its own, goes on past its limits or keeps what it was given.
 */
#include <stdlib.h>

#include "fuzz_assert.h"
#include "fuzz_said.h"
#include "tma/emulate.h"

#define LONGEST     8192
#define LAUNCH_B    10
#define MOST_B      (UINT64_C(64) << 20)
#define MOST        200000 /* thread instructions */
#define SLACK       200000 /* what may run behind it: a turn, and threads that only look on */
#define MEMORY_B    4096
#define MEMORY_AT   UINT64_C(0x7f0000000)
#define MOST_PARAMS 4096

typedef struct heap {
    size_t blocks, used_B, most_B;
} heap;

static void *take(void *context, size_t size_B) {
    heap *h = context;
    if (size_B > h->most_B - h->used_B) {
        return NULL;
    }
    size_t *memory = malloc(sizeof(size_t[2]) + size_B);
    DEMAND(memory);
    *memory = size_B;
    h->used_B += size_B;
    h->blocks++;
    return memory + 2;
}

static void give(void *context, void *memory) {
    heap *h = context;
    size_t *own = (size_t *)memory - 2;
    h->used_B -= *own;
    h->blocks--;
    free(own);
}

static void print(void *context, const char *text, size_t length) {
    (void)context;
    volatile char last = 0;
    for (size_t i = 0; i < length; i++) {
        last = text[i]; /* the sanitizer sees each byte read */
    }
    (void)last;
}

/* Parameters of 8 bytes point into the memory, others count. */
static size_t fill_params(const tma_emulator *e, const char *kernel, uint8_t params[MOST_PARAMS]) {
    tma_emulate_parameter p;
    size_t size_B = 0;
    for (size_t i = 0; tma_emulator_parameter_at(e, kernel, i, &p); i++) {
        if ((size_t)p.offset_B + p.size_B > MOST_PARAMS) {
            return MOST_PARAMS + 1;
        }
        const uint64_t value = p.size_B == 8 ? MEMORY_AT : i + 1;
        memcpy(params + p.offset_B, &value, p.size_B < sizeof(value) ? p.size_B : sizeof(value));
        size_B = (size_t)p.offset_B + p.size_B;
    }
    return size_B;
}

static void check_result(const tma_emulator *e) {
    const char *why = NULL;
    uint32_t line;
    DEMAND(tma_emulator_end(e, &why, &line) < TMA_EMULATE_ENDS && why);
    DEMAND(tma_emulator_instructions(e) <= MOST + SLACK);
    const tma_emulate_finding *f;
    for (size_t i = 0; (f = tma_emulator_finding_at(e, i)); i++) {
        DEMAND(f->rule < TMA_EMULATE_RULES && f->count && f->accesses <= 2);
        DEMAND(memchr(f->text, 0, sizeof(f->text)) && memchr(f->missing, 0, sizeof(f->missing)));
    }
    for (size_t i = 0; tma_emulator_note_at(e, i, &line); i++) {
    }
}

static void run(tma_emulator *e, const uint8_t *bytes) {
    uint8_t params[MOST_PARAMS] = {0};
    char name[256];
    size_t length;
    tma_error error;
    const char *kernel = tma_emulator_kernel_at(e, 0, &length);
    if (!kernel || length >= sizeof(name)) {
        return;
    }
    memcpy(name, kernel, length);
    name[length] = 0;
    uint8_t *own = calloc(MEMORY_B, 1);
    DEMAND(own);
    const tma_emulate_memory memory = {.address = MEMORY_AT,
                                       .size_B = MEMORY_B,
                                       .bytes = own,
                                       .name = "memory",
                                       .uninitialised = bytes[0] & 1};
    const tma_emulate_launch launch = {.kernel = name,
                                       .grid = {bytes[1] % 5, bytes[1] / 64u, 0},
                                       .block = {bytes[2], bytes[3] % 4, 0},
                                       .cluster = {bytes[4] % 5, 0, 0},
                                       .dynamic_shared_B = bytes[5] * 64u,
                                       .params = params,
                                       .params_B = fill_params(e, name, params),
                                       .memory = &memory,
                                       .memories = 1,
                                       .resident = bytes[6] % 4,
                                       .most_instructions = MOST,
                                       .most_memory_B = MOST_B,
                                       .no_order = bytes[7] & 1,
                                       .schedule = bytes[8] % 3u,
                                       .seed = bytes[8]};
    if (launch.params_B <= MOST_PARAMS && tma_emulator_run(e, &launch, &error) == TMA_OK) {
        check_result(e);
    }
    free(own);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    heap h = {0};
    tma_error error;
    if (size < LAUNCH_B) {
        return 0;
    }
    const size_t length = size - LAUNCH_B < LONGEST ? size - LAUNCH_B : LONGEST;
    char *text = fuzz_own(data + size - length, length); /* exactly as large as what is read */
    h.most_B = data[9] ? (size_t)data[9] << 14 : 2 * MOST_B;
    const tma_emulate_host host = {
        .context = &h, .allocate = take, .release = give, .print = print};
    tma_emulator *e = tma_emulator_new(&host, text, length, &error);
    if (e) {
        run(e, data);
    }
    tma_emulator_free(e);
    DEMAND(!h.blocks);
    fuzz_disown(text);
    return 0;
}
