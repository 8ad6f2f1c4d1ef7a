/* SPDX-License-Identifier: Apache-2.0
 *
 * How libFuzzer comes by maps that mean something: now and then a random copy of the tests'
 * generator, or one field of the map edited as tensormap.replace edits it; else its own ways.
 */
#include <string.h>

#include "fuzz_copy_input.h"
#include "support/gen/gen_copy.h"
#include "support/gen/random.h"
#include "support/plain/plain_copy.h"

size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t max_size);

static uint16_t cut(uint64_t value) {
    return value > UINT16_MAX ? UINT16_MAX : (uint16_t)value;
}

/* A copy with about the memory that it needs. */
static size_t random_copy(struct random_source *r, uint8_t bytes[FUZZ_COPY_BYTES]) {
    struct gen_copy c;
    struct fuzz_copy_memory m = {.ranges = (uint8_t)random_in(r, 1, FUZZ_RANGES)};
    gen_copy(r, random_one_in(r, 8) ? GEN_ANY : GEN_SMALL, &c);
    const struct plain_copy p = plain_copy_of(&c.spec, &c.instruction, &c.at);
    const uint64_t extent_B = gen_copy_extent_B(&c.spec);
    m.window_before_B = (uint16_t)random_below(r, 129);
    m.window_B = cut((uint64_t)p.rows * p.pitch_B + m.window_before_B + random_below(r, 129));
    uint64_t left_B = extent_B;
    for (uint32_t i = 0; i < m.ranges; i++) {
        m.range_B[i] = cut(i + 1u == m.ranges ? left_B : random_below(r, left_B + 1));
        m.gap_B[i] = random_one_in(r, 20) ? 1 : 0;
        left_B -= m.range_B[i];
    }
    return fuzz_copy_write(bytes, c.map.bytes, &c.instruction, &c.target, &c.at, &m);
}

static void edit_field(struct random_source *r, uint8_t *map) {
    const tma_replace_field field = (tma_replace_field)random_below(r, TMA_REPLACE_FIELDS);
    const tma_replace_row *row = tma_replace_row_of(field);
    const uint32_t ordinal = row->ordinals ? (uint32_t)random_below(r, (uint64_t)row->ordinals) : 0;
    const uint64_t value = row->immediate_max >= 0
                               ? random_below(r, (uint64_t)row->immediate_max + 1)
                               : random_length(r, random_one_in(r, 3) ? 64 : 9);
    const tma_edit edit = {.field = field, .ordinal = ordinal, .value = value};
    const tma_status refused = tma_replace(map, &edit, NULL); /* then the map stays as it is */
    (void)refused;
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned int seed) {
    struct random_source r = {seed};
    if (max_size < FUZZ_COPY_BYTES || random_one_in(&r, 2)) {
        return LLVMFuzzerMutate(data, size, max_size);
    }
    if (size < FUZZ_COPY_BYTES || random_one_in(&r, 5)) {
        return random_copy(&r, data);
    }
    edit_field(&r, data);
    return size;
}
