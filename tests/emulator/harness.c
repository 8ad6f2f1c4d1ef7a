/* SPDX-License-Identifier: Apache-2.0 */
#include "harness.h"

#define SEEDS 8

static void *give(void *context, size_t size_B) {
    harness *h = context;
    void *memory = malloc(size_B);
    h->blocks += memory != NULL;
    return memory;
}

static void take_back(void *context, void *memory) {
    harness *h = context;
    h->blocks--;
    free(memory);
}

static void print(void *context, const char *text, size_t length) {
    harness *h = context;
    assert_true(h->printed_B + length < sizeof(h->printed));
    memcpy(h->printed + h->printed_B, text, length);
    h->printed_B += length;
    h->printed[h->printed_B] = 0;
}

void harness_begin(harness *h, const char *ptx) {
    *h = (harness){.emulator = NULL};
    h->host =
        (tma_emulate_host){.context = h, .allocate = give, .release = take_back, .print = print};
    const size_t head = strlen(HARNESS_HEAD), length = strlen(ptx);
    h->text_B = head + length;
    h->text = malloc(h->text_B);
    assert_non_null(h->text);
    memcpy(h->text, HARNESS_HEAD, head);
    memcpy(h->text + head, ptx, length);
    tma_error error = {.text = ""};
    h->emulator = tma_emulator_new(&h->host, h->text, head + length, &error);
    if (!h->emulator) {
        fail_msg("%s", error.text);
    }
    h->launch.memory = h->memory;
    h->launch.params = h->params;
}

void harness_param(harness *h, const void *bytes, size_t size_B) {
    const size_t at = (h->launch.params_B + size_B - 1) / size_B * size_B;
    assert_true(at + size_B <= sizeof(h->params));
    memcpy(h->params + at, bytes, size_B);
    h->launch.params_B = at + size_B;
}

void *harness_memory(harness *h, size_t size_B) {
    const size_t i = h->launch.memories++;
    assert_true(i < HARNESS_MEMORIES);
    const uint64_t address = HARNESS_ADDRESS(i);
    void *bytes = calloc(size_B, 1);
    assert_non_null(bytes);
    h->memory[i] = (tma_emulate_memory){
        .address = address, .size_B = size_B, .bytes = bytes, .name = "memory"};
    harness_param(h, &address, sizeof(address));
    return bytes;
}

void harness_block(harness *h, uint32_t grid, uint32_t block) {
    h->launch.grid[0] = grid;
    h->launch.block[0] = block;
}

uint32_t harness_run(harness *h) {
    tma_error error = {.text = ""};
    h->printed_B = 0;
    h->printed[0] = 0;
    if (tma_emulator_run(h->emulator, &h->launch, &error) != TMA_OK) {
        fail_msg("%s", error.text);
    }
    return tma_emulator_end(h->emulator, NULL, NULL);
}

const char *harness_why(const harness *h) {
    const char *why;
    tma_emulator_end(h->emulator, &why, NULL);
    return why;
}

size_t harness_findings(const harness *h, uint32_t rule) {
    size_t found = 0;
    const tma_emulate_finding *f;
    for (size_t i = 0; (f = tma_emulator_finding_at(h->emulator, i)); i++) {
        found += rule == TMA_EMULATE_RULES || f->rule == rule;
    }
    return found;
}

void harness_none(const harness *h) {
    const tma_emulate_finding *f = tma_emulator_finding_at(h->emulator, 0);
    if (f) {
        fail_msg("%s: line %u in thread %u, line %u in thread %u: %s (%s)",
                 tma_emulate_rule_name(f->rule), f->access[0].line, f->access[0].thread,
                 f->access[1].line, f->access[1].thread, f->text, f->missing);
    }
}

const tma_emulate_finding *harness_finding(const harness *h, uint32_t rule) {
    const tma_emulate_finding *f;
    for (size_t i = 0; (f = tma_emulator_finding_at(h->emulator, i)) && f->rule != rule; i++) {
    }
    return f;
}

void harness_end(harness *h) {
    tma_emulator_free(h->emulator);
    for (size_t i = 0; i < h->launch.memories; i++) {
        free(h->memory[i].bytes);
    }
    free(h->text);
    assert_int_equal(h->blocks, 0);
}

/* One schedule on what the memory held at first; its bytes go to the place of `after`. */
static uint32_t run_as(harness *h, uint32_t schedule, uint64_t seed, uint8_t *const before[]) {
    h->launch.schedule = schedule;
    h->launch.seed = seed;
    for (size_t i = 0; i < h->launch.memories; i++) {
        memcpy(h->memory[i].bytes, before[i], h->memory[i].size_B);
    }
    return harness_run(h);
}

uint32_t harness_run_all(harness *h) {
    uint8_t *before[HARNESS_MEMORIES], *after[HARNESS_MEMORIES];
    for (size_t i = 0; i < h->launch.memories; i++) {
        before[i] = malloc(h->memory[i].size_B);
        after[i] = malloc(h->memory[i].size_B);
        assert_true(before[i] && after[i]);
        memcpy(before[i], h->memory[i].bytes, h->memory[i].size_B);
    }
    const uint32_t end = run_as(h, TMA_EMULATE_LATE, 0, before);
    for (size_t i = 0; i < h->launch.memories; i++) {
        memcpy(after[i], h->memory[i].bytes, h->memory[i].size_B);
    }
    for (uint64_t seed = 0; seed <= SEEDS; seed++) {
        const uint32_t schedule = seed ? TMA_EMULATE_SEEDED : TMA_EMULATE_EARLY;
        assert_int_equal(run_as(h, schedule, seed, before), end);
        for (size_t i = 0; i < h->launch.memories; i++) {
            assert_memory_equal(h->memory[i].bytes, after[i], h->memory[i].size_B);
        }
    }
    for (size_t i = 0; i < h->launch.memories; i++) {
        free(before[i]);
        free(after[i]);
    }
    return end;
}

void harness_completes(harness *h) {
    const uint32_t end = harness_run_all(h);
    if (end != TMA_EMULATE_COMPLETED) {
        fail_msg("%s: %s", tma_emulate_end_name(end), harness_why(h));
    }
    harness_none(h);
}

void harness_put(harness_text *t, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    const int n = vsnprintf(t->at + t->size, sizeof t->at - t->size, format, arguments);
    va_end(arguments);
    assert_true(n > 0 && (size_t)n < sizeof t->at - t->size);
    t->size += (size_t)n;
}
