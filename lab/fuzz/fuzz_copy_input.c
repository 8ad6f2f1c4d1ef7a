/* SPDX-License-Identifier: Apache-2.0
 *
 * Bytes to input and back, little-endian, in the order of the members.
 */
#include "fuzz_copy_input.h"

#include <string.h>

struct reader {
    const uint8_t *data;
    size_t left;
};

static uint64_t take(struct reader *r, size_t size) {
    uint64_t value = 0;
    for (size_t i = 0; i < size && r->left; i++) {
        value |= (uint64_t)*r->data++ << (8 * i);
        r->left--;
    }
    return value;
}

static void read_instruction(struct fuzz_copy_input *in, struct reader *r) {
    const size_t count = tma_arch_count();
    const tma_arch_row *arch = tma_arch_at(take(r, 1) % count);
    in->target = (tma_target){.sm = arch->sm, .suffix = arch->suffix, .driver = 13000};
    in->instruction.op = (uint32_t)take(r, 1);
    in->instruction.mode = (uint32_t)take(r, 1);
    in->instruction.rank = (uint32_t)take(r, 1);
    in->instruction.cluster = (uint32_t)take(r, 1);
    in->instruction.cta_group = (uint32_t)take(r, 1);
    in->instruction.cta_mask = (uint32_t)take(r, 4);
}

static void read_memory(struct fuzz_copy_input *in, struct reader *r) {
    in->window_address = in->at.shared_address - (uint32_t)take(r, 2);
    in->window_B = (uint32_t)take(r, 2);
    in->ranges = (uint32_t)take(r, 1) % (FUZZ_RANGES + 1);
    uint64_t address = 0;
    for (int i = 0; i < 8; i++) {
        address |= (uint64_t)in->map[i] << (8 * i);
    }
    address += (uint64_t)(int64_t)(int16_t)(uint16_t)take(r, 2);
    for (int i = 0; i < FUZZ_RANGES; i++) {
        in->range_address[i] = address + take(r, 2);
        in->range_B[i] = take(r, 2);
        address = in->range_address[i] + in->range_B[i];
    }
}

void fuzz_copy_read(struct fuzz_copy_input *in, const uint8_t *data, size_t size) {
    struct reader r = {data, size};
    memset(in, 0, sizeof(*in));
    for (int i = 0; i < TMA_MAP_BYTES; i++) {
        in->map[i] = (uint8_t)take(&r, 1);
    }
    read_instruction(in, &r);
    for (int i = 0; i < TMA_MAX_RANK; i++) {
        in->at.coord[i] = (int32_t)(uint32_t)take(&r, 4);
    }
    for (int i = 0; i < 3; i++) {
        in->at.offset[i] = (uint16_t)take(&r, 2);
    }
    in->at.shared_address = (uint32_t)take(&r, 4);
    read_memory(in, &r);
    in->seed = take(&r, 1);
}

struct writer {
    uint8_t *bytes;
};

static void put(struct writer *w, uint64_t value, size_t size) {
    for (size_t i = 0; i < size; i++) {
        *w->bytes++ = (uint8_t)(value >> (8 * i));
    }
}

static uint64_t arch_number(const tma_target *target) {
    uint64_t number = 0;
    while (tma_arch_at(number) != tma_arch_of(target)) {
        number++;
    }
    return number;
}

size_t fuzz_copy_write(uint8_t bytes[FUZZ_COPY_BYTES], const uint8_t map[TMA_MAP_BYTES],
                       const tma_instruction *instruction, const tma_target *target,
                       const tma_position *at, const struct fuzz_copy_memory *memory) {
    struct writer w = {bytes + TMA_MAP_BYTES};
    memset(bytes, 0, FUZZ_COPY_BYTES);
    memcpy(bytes, map, TMA_MAP_BYTES);
    put(&w, arch_number(target), 1);
    put(&w, instruction->op, 1);
    put(&w, instruction->mode, 1);
    put(&w, instruction->rank, 1);
    put(&w, instruction->cluster, 1);
    put(&w, instruction->cta_group, 1);
    put(&w, instruction->cta_mask, 4);
    for (int i = 0; i < TMA_MAX_RANK; i++) {
        put(&w, (uint32_t)at->coord[i], 4);
    }
    for (int i = 0; i < 3; i++) {
        put(&w, at->offset[i], 2);
    }
    put(&w, at->shared_address, 4);
    put(&w, memory->window_before_B, 2);
    put(&w, memory->window_B, 2);
    put(&w, memory->ranges, 1);
    put(&w, (uint16_t)memory->first_B, 2);
    for (int i = 0; i < FUZZ_RANGES; i++) {
        put(&w, memory->gap_B[i], 2);
        put(&w, memory->range_B[i], 2);
    }
    return FUZZ_COPY_BYTES;
}
