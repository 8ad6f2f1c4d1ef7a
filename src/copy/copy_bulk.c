/* SPDX-License-Identifier: Apache-2.0
 *
 * Bulk copies without a map: bytes in a row, judged by judge_bulk.h, then moved piece by piece of
 * the caller's memory.
 */
#include "memory.h"
#include "tma/copy.h"
#include "tma/detail/assert.h"
#include "tma/element.h"
#include "tma/judge.h"

#define UNIT_B TMA_VALUE(BULK_UNIT)

/* Bytes that lie together in both memories. */
typedef struct stretch {
    uint8_t *to;
    const uint8_t *from;
    uint64_t at_B; /* of the copy */
    uint64_t size_B;
} stretch;

static uint32_t reserved_of(const tma_bulk *b) {
    uint32_t bits = 0;
    for (size_t i = 0; i < sizeof(b->reserved) / sizeof(b->reserved[0]); i++) {
        bits |= b->reserved[i];
    }
    return bits;
}

/* Whether PTX has the reduction without a map. */
static int reduces(const tma_bulk *b) {
    const tma_reduction_row *row;
    for (size_t i = 0; (row = tma_reduction_at(i)) != NULL; i++) {
        if (row->op == b->op && row->dtype == b->dtype) {
            return row->bulk >= (b->to_shared ? TMA_BULK_BOTH : TMA_BULK_GLOBAL);
        }
    }
    return 0;
}

/* Numbers that there are not, and forms. */
static tma_status check_form(const tma_bulk *b, uint16_t sm, tma_finding *why) {
    const int moves = b->op != TMA_OP_LOAD && b->op != TMA_OP_PREFETCH;
    if (reserved_of(b)) {
        return tma_stop(why, sm, TMA_RULE_RESERVED_ZERO, -1, reserved_of(b),
                        BAD(TMA_MUST_BE, TMA_UNIT_NONE, reserved_of(b), 0));
    }
    if (b->op >= TMA_OPS || (b->to_shared && !moves) ||
        (b->has_mask && (b->op != TMA_OP_STORE || b->to_shared || b->byte_mask > UINT16_MAX))) {
        return tma_stop_as(TMA_INVALID, why, sm, TMA_RULE_OP_RANGE, -1, b->op, NOT(b->op));
    }
    if (tma_is_reduction(b->op) && !reduces(b)) {
        return tma_stop_as(TMA_PTXAS, why, sm, TMA_RULE_TRAP_REDUCTION_TYPE, -1, b->op, NOT(b->op));
    }
    return TMA_OK;
}

static tma_status judge(const tma_bulk *b, uint16_t sm, tma_finding *why) {
    const int on_barrier = b->op == TMA_OP_LOAD || b->to_shared;
    const tma_judge_site site = {.mode = TMA_JUDGE_BULK,
                                 .op = on_barrier                 ? TMA_OP_LOAD
                                       : b->op == TMA_OP_PREFETCH ? TMA_OP_PREFETCH
                                                                  : TMA_OP_STORE};
    tma_judge_at at = {.shared_address = b->shared_address, .barrier = b->barrier};
    tma_judge_fault fault;
    at.coord[TMA_JUDGE_FAR_LOW] = (int32_t)(uint32_t)b->address;
    at.coord[TMA_JUDGE_FAR_HIGH] = (int32_t)(uint32_t)(b->address >> 32);
    at.coord[TMA_JUDGE_SIZE] = (int32_t)b->size_B;
    return tma_judge_bulk(&fault, &site, &at) ? TMA_OK : tma_plan_stop(&fault, sm, why);
}

/* The memory given: null, or reserved members. */
static tma_status check_memory(const tma_bulk *b, const tma_plan *as, const tma_global *global,
                               const tma_window *window, const tma_window *to, tma_finding *why) {
    static const tma_global none = {0};
    const tma_status status = tma_check_memory(as, b->to_shared ? &none : global, window, why);
    if (status != TMA_OK || !b->to_shared) {
        return status;
    }
    return tma_check_memory(as, &none, to, why);
}

/* The next stretch of a copy, from at_B + size_B on; 0: some byte of it is nowhere. */
static int next_stretch(stretch *s, const tma_bulk *b, const tma_global *global,
                        const tma_window *window, const tma_window *to) {
    const uint64_t at_B = s->at_B + s->size_B;
    uint64_t size_B = b->size_B - at_B;
    uint8_t *near = (uint8_t *)window->host + (b->shared_address - window->address) + at_B;
    uint8_t *far = NULL;
    TMA_ASSERT(size_B);
    if (b->to_shared) {
        far = (uint8_t *)to->host + (b->address - to->address) + at_B;
    } else {
        far = tma_host_part(global, b->op != TMA_OP_LOAD, b->address + at_B, &size_B);
    }
    const int loads = b->op == TMA_OP_LOAD;
    *s = (stretch){.to = loads ? near : far,
                   .from = loads ? far : near,
                   .at_B = at_B,
                   .size_B = far ? size_B : 0};
    return far != NULL;
}

static void reduce(const tma_bulk *b, uint8_t *to, const uint8_t *from, uint64_t size_B) {
    const uint32_t element_B = tma_dtype_bits(b->dtype) / 8;
    TMA_ASSERT(element_B && element_B <= 8 && size_B % UNIT_B == 0);
    for (uint64_t at = 0; at < size_B; at += element_B) {
        uint64_t old = 0;
        uint64_t with = 0;
        for (uint32_t i = element_B; i-- > 0;) {
            old = old << 8 | to[at + i];
            with = with << 8 | from[at + i];
        }
        const uint64_t now = tma_reduce(b->op, b->dtype, old, with);
        for (uint32_t i = 0; i < element_B; i++) {
            to[at + i] = (uint8_t)(now >> (8 * i));
        }
    }
}

/* 16 bytes that lie in several places of global memory. */
static int reduce_unit(const tma_bulk *b, const tma_global *global, stretch *s, int moves) {
    uint8_t bytes[UNIT_B];
    uint8_t *to[UNIT_B];
    for (uint32_t i = 0; i < UNIT_B; i++) {
        to[i] = tma_host(global, 1, b->address + s->at_B + i, 1);
        if (!to[i]) {
            s->at_B += i;
            return 0;
        }
        bytes[i] = *to[i];
    }
    reduce(b, bytes, s->from, UNIT_B);
    for (uint32_t i = 0; moves && i < UNIT_B; i++) {
        *to[i] = bytes[i];
    }
    s->size_B = UNIT_B;
    return 1;
}

/* Both may lie in one window, and over each other: then it is not said which bytes arrive. Byte by
 * byte, since compilers make memmove of two memcpy through a buffer, which is not the library's to
 * call. */
static void move_bytes(uint8_t *to, const uint8_t *from, uint64_t size_B) {
    for (uint64_t at = 0; at < size_B; at++) {
        to[at] = from[at];
    }
}

static void move(const tma_bulk *b, const stretch *s) {
    if (tma_is_reduction(b->op)) {
        reduce(b, s->to, s->from, s->size_B);
    } else if (!b->has_mask) {
        move_bytes(s->to, s->from, s->size_B);
    } else {
        for (uint64_t i = 0; i < s->size_B; i++) {
            s->to[i] = b->byte_mask >> (s->at_B + i) % 16 & 1 ? s->from[i] : s->to[i];
        }
    }
}

/* All stretches: whether they are there, or moved. */
static int all_stretches(const tma_bulk *b, const tma_global *global, const tma_window *window,
                         const tma_window *to, int moves, uint64_t *where) {
    stretch s = {0};
    while (s.at_B + s.size_B < b->size_B) {
        int there = next_stretch(&s, b, global, window, to);
        const int is_unit = there && tma_is_reduction(b->op) && s.size_B < UNIT_B;
        s.size_B -= !is_unit && tma_is_reduction(b->op) ? s.size_B % UNIT_B : 0;
        if (is_unit) {
            there = reduce_unit(b, global, &s, moves);
        }
        if (!there) {
            *where = b->address + s.at_B;
            return 0;
        }
        if (moves && !is_unit) {
            move(b, &s);
        }
    }
    return 1;
}

static tma_status copy(const tma_bulk *bulk, const tma_global *global, const tma_window *window,
                       const tma_window *to, tma_finding *why, int moves) {
    if (!bulk) {
        return tma_null_fault(why, TMA_ARG_INSTRUCTION);
    }
    const tma_bulk b = *bulk; /* it may lie in what the copy writes */
    tma_plan as = {0};
    as.op = (uint8_t)b.op;
    as.sm = tma_arch_of(NULL)->sm;
    tma_status status = check_form(&b, as.sm, why);
    status = status == TMA_OK ? judge(&b, as.sm, why) : status;
    if (status != TMA_OK || b.op == TMA_OP_PREFETCH) {
        return status;
    }
    status = check_memory(&b, &as, global, window, to, why);
    if (status != TMA_OK) {
        return status;
    }
    uint64_t where = 0;
    if (!tma_in_window(window, b.shared_address, (uint64_t)b.shared_address + b.size_B, why) ||
        (b.to_shared && !tma_in_window(to, b.address, b.address + b.size_B, why))) {
        return TMA_MEMORY;
    }
    if (!all_stretches(&b, global, window, to, 0, &where)) {
        return tma_global_fault(why, &as, global, where);
    }
    const tma_window own = *window;
    const tma_window own_to = b.to_shared ? *to : own;
    if (moves) {
        all_stretches(&b, global, &own, &own_to, 1, &where);
    }
    return TMA_OK;
}

tma_status tma_copy_bulk(const tma_bulk *bulk, const tma_global *global, const tma_window *window,
                         const tma_window *to, tma_finding *why) {
    return copy(bulk, global, window, to, why, 1);
}

tma_status tma_copy_bulk_judge(const tma_bulk *bulk, const tma_global *global,
                               const tma_window *window, const tma_window *to, tma_finding *why) {
    return copy(bulk, global, window, to, why, 0);
}
