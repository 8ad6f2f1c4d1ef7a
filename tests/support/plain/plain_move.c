/* SPDX-License-Identifier: Apache-2.0
 *
 * A byte at a time, or six bits, or an element of a reduction.
 */
#include "plain_move.h"

#include "plain_float.h"
#include "support/testing.h"
#include <tma/element.h>

typedef void (*byte_visitor)(const struct plain_copy *p, const struct plain_byte *b, void *context);

static void each_byte(const struct plain_copy *p, byte_visitor visit, void *context) {
    for (uint32_t row = 0; row < p->rows; row++) {
        const struct plain_row r = plain_copy_row(p, row);
        for (uint32_t at = 0; at < p->row_shared_B; at++) {
            const struct plain_byte b = plain_copy_byte(p, &r, at);
            visit(p, &b, context);
        }
    }
}

static void widen(const struct plain_copy *p, const struct plain_byte *b, void *context) {
    struct plain_need *n = context;
    const uint32_t linear = p->at->shared_address + b->row * p->pitch_B + b->offset_B;
    const uint32_t low = linear < b->shared_address ? linear : b->shared_address;
    const uint32_t high = linear > b->shared_address ? linear : b->shared_address;
    n->shared_first = low < n->shared_first ? low : n->shared_first;
    n->shared_end = high + 1 > n->shared_end ? high + 1 : n->shared_end;
    if (b->kind == TMA_RUN_INSIDE || b->kind == TMA_RUN_PAST_EDGE) {
        const uint64_t last = b->address + (b->bit > 2); /* 6 bits that begin there */
        n->global_first = b->address < n->global_first ? b->address : n->global_first;
        n->global_end = last + 1 > n->global_end ? last + 1 : n->global_end;
    }
}

struct plain_need plain_need_of(const struct plain_copy *p) {
    struct plain_need n = {UINT64_MAX, 0, UINT32_MAX, 0};
    each_byte(p, widen, &n);
    n.global_first = n.global_end ? n.global_first : 0;
    return n;
}

static uint8_t *global_byte(const struct plain_memory *m, uint64_t address) {
    assert_true(address - m->global_address < m->global_B);
    return m->global + (address - m->global_address);
}

static uint8_t *shared_byte(const struct plain_memory *m, uint32_t address) {
    assert_true(address - m->window_address < m->window_B);
    return m->window + (address - m->window_address);
}

static uint64_t get(const uint8_t *bytes, uint32_t count) {
    uint64_t value = 0;
    for (uint32_t i = 0; i < count; i++) {
        value |= (uint64_t)bytes[i] << (8 * i);
    }
    return value;
}

static void put(uint8_t *bytes, uint32_t count, uint64_t value) {
    for (uint32_t i = 0; i < count; i++) {
        bytes[i] = (uint8_t)(value >> (8 * i));
    }
}

static void load_byte(const struct plain_copy *p, const struct plain_byte *b, void *context) {
    const struct plain_memory *m = context;
    const int tf32 =
        p->spec->dtype == TMA_DTYPE_TFLOAT32 || p->spec->dtype == TMA_DTYPE_TFLOAT32_FTZ;
    uint8_t *to = b->kind == TMA_RUN_PADDING ? NULL : shared_byte(m, b->shared_address);
    if (b->kind == TMA_RUN_OUTSIDE) {
        *to = p->spec->fill == TMA_FILL_NAN ? (b->offset_B % 2 ? 0x7F : 0xF7) : 0;
    } else if (b->kind == TMA_RUN_INSIDE) {
        *to = *global_byte(m, b->address);
        if (tf32 && b->offset_B % 4 == 3) { /* the element is complete */
            put(to - 3, 4, plain_round_tf32((uint32_t)get(to - 3, 4)));
        }
    }
}

static void store_byte(const struct plain_copy *p, const struct plain_byte *b, void *context) {
    const struct plain_memory *m = context;
    const uint32_t op = p->instruction->op;
    const uint32_t bits = tma_dtype_bits(p->spec->dtype);
    if (b->kind != TMA_RUN_INSIDE && b->kind != TMA_RUN_PAST_EDGE) {
        return;
    }
    const uint8_t *from = shared_byte(m, b->shared_address);
    if (bits == 6) {
        for (uint32_t i = 0; i < 6; i++) {
            uint8_t *to = global_byte(m, b->address + (b->bit + i) / 8);
            const uint32_t place = (b->bit + i) % 8;
            *to = (uint8_t)((*to & ~(1u << place)) | (uint32_t)(*from >> i & 1) << place);
        }
    } else if (op == TMA_OP_STORE) {
        *global_byte(m, b->address) = *from;
    } else if (b->offset_B % (bits / 8) == 0) {
        uint8_t *to = global_byte(m, b->address);
        put(to, bits / 8, tma_reduce(op, p->spec->dtype, get(to, bits / 8), get(from, bits / 8)));
    }
}

void plain_move(const struct plain_copy *p, const struct plain_memory *m) {
    if (p->instruction->op == TMA_OP_PREFETCH) {
        return;
    }
    each_byte(p, p->instruction->op == TMA_OP_LOAD ? load_byte : store_byte, (void *)m);
}
