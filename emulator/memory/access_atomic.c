/* SPDX-License-Identifier: Apache-2.0
 *
 * atom and red: lane after lane, each on what the one before left.
 */
#include <string.h>

#include "access.h"
#include "threads.h"
#include "tma/detail/assert.h"
#include "tma/element.h"

/* ---- one operation on one element ---- */

/* The core's reductions, which are the same operations on the same bits. */
static uint32_t reduction_of(uint32_t operation) {
    switch (operation) {
    case EMU_OPERATION_ADD:
        return TMA_OP_ADD;
    case EMU_OPERATION_MIN:
        return TMA_OP_MIN;
    case EMU_OPERATION_MAX:
        return TMA_OP_MAX;
    case EMU_OPERATION_INC:
        return TMA_OP_INC;
    case EMU_OPERATION_DEC:
        return TMA_OP_DEC;
    case EMU_OPERATION_AND:
        return TMA_OP_AND;
    case EMU_OPERATION_OR:
        return TMA_OP_OR;
    case EMU_OPERATION_XOR:
        return TMA_OP_XOR;
    default:
        return TMA_OP_LOAD;
    }
}

/* add.f32 flushes subnormals in global memory and keeps them in shared memory. */
static uint32_t dtype_of(const emu_instruction *in, uint32_t space) {
    switch (in->type[0]) {
    case EMU_U32:
    case EMU_B32:
        return TMA_DTYPE_UINT32;
    case EMU_S32:
        return TMA_DTYPE_INT32;
    case EMU_U64:
    case EMU_B64:
        return TMA_DTYPE_UINT64;
    case EMU_S64:
        return in->operation == EMU_OPERATION_ADD ? TMA_DTYPE_UINT64 : TMA_DTYPE_INT64;
    case EMU_F16:
    case EMU_F16X2:
        return TMA_DTYPE_FLOAT16;
    case EMU_BF16:
    case EMU_BF16X2:
        return TMA_DTYPE_BFLOAT16;
    case EMU_F32:
        return space == EMU_GLOBAL ? TMA_DTYPE_FLOAT32_FTZ : TMA_DTYPE_FLOAT32;
    case EMU_F64:
        return TMA_DTYPE_FLOAT64;
    default:
        return TMA_DTYPE_UINT8; /* has no reduction */
    }
}

typedef struct wide {
    uint64_t low, high;
} wide;

static int is_equal(wide a, wide b) {
    return a.low == b.low && a.high == b.high;
}

/* What is left in memory, of what was there and the operands. */
static wide apply(const emu_instruction *in, uint32_t space, wide old, wide b, wide c) {
    switch (in->operation) {
    case EMU_OPERATION_EXCH:
        return b;
    case EMU_OPERATION_CAS:
        return is_equal(old, b) ? c : old;
    default:
        break;
    }
    const uint32_t op = reduction_of(in->operation), dtype = dtype_of(in, space);
    if (emu_type_of(in->type[0])->elements == 2) {
        const uint64_t low = tma_reduce(op, dtype, old.low & 0xffff, b.low & 0xffff);
        const uint64_t high = tma_reduce(op, dtype, old.low >> 16 & 0xffff, b.low >> 16 & 0xffff);
        return (wide){low | high << 16, 0};
    }
    return (wide){tma_reduce(op, dtype, old.low, b.low), 0};
}

/* ---- lanes ---- */

static const emu_operand *element_of(const emu_warp *w, const emu_operand *o, uint32_t index) {
    return o->kind == EMU_VECTOR ? &w->machine->program->operand[o->first + index] : o;
}

static wide read_register(const emu_warp *w, const emu_operand *o, uint32_t lane, uint32_t each_B) {
    const uint32_t bits = emu_type_of(o->type)->bits;
    const void *lanes = emu_lanes(w, o->slot);
    wide v = {0, 0};
    if (each_B == 16) {
        v.low = ((const uint64_t *)lanes)[lane];
        v.high = ((const uint64_t *)lanes)[EMU_LANES + lane];
    } else if (bits == 64) {
        v.low = ((const uint64_t *)lanes)[lane];
    } else {
        v.low = ((const uint32_t *)lanes)[lane];
    }
    if (each_B < 8) {
        v.low &= (UINT64_C(1) << each_B * 8) - 1;
    }
    return v;
}

static void write_register(const emu_warp *w, const emu_operand *o, uint32_t lane, wide v) {
    const uint32_t bits = emu_type_of(o->type)->bits;
    void *lanes = emu_lanes(w, o->slot);
    if (bits <= 32) {
        ((uint32_t *)lanes)[lane] = (uint32_t)v.low;
        return;
    }
    ((uint64_t *)lanes)[lane] = v.low;
    if (bits == 128) {
        ((uint64_t *)lanes)[EMU_LANES + lane] = v.high;
    }
}

/* Operands of the instruction: red has no destination. */
typedef struct atomic_form {
    const emu_operand *to, *at, *b, *c;
    uint32_t each_B, count;
} atomic_form;

static atomic_form form_of(const emu_instruction *in) {
    const uint32_t first = in->op == EMU_OP_ATOM ? 1 : 0;
    atomic_form f = {.at = &in->operand[first],
                     .b = &in->operand[first + 1],
                     .each_B = emu_type_of(in->type[0])->bits / 8u,
                     .count = in->vector ? in->vector : 1};
    if (first && in->operand[0].kind != EMU_SINK) {
        f.to = &in->operand[0];
    }
    if (in->operation == EMU_OPERATION_CAS) {
        f.c = &in->operand[first + 2];
    }
    return f;
}

static void run_element(emu_warp *w, const emu_instruction *in, const atomic_form *f,
                        const emu_reach *reach, uint32_t index) {
    const emu_operand *to = f->to ? element_of(w, f->to, index) : NULL;
    const emu_operand *b = element_of(w, f->b, index);
    const emu_operand *c = f->c ? element_of(w, f->c, index) : NULL;
    const uint32_t at_B = index * f->each_B;
    const uint32_t unwritten = emu_reach_unwritten(w->machine, reach, at_B, f->each_B);
    const uint32_t undefined = emu_undefined(w, b) | (f->c ? emu_undefined(w, c) : 0);
    EMU_FOR_LANES(l, reach->mask) {
        uint8_t *host = reach->place[l].host + at_B;
        wide old = {0, 0};
        memcpy(&old, host, f->each_B);
        const wide y = read_register(w, b, l, f->each_B);
        const wide z = f->c ? read_register(w, c, l, f->each_B) : (wide){0, 0};
        const wide left = apply(in, reach->place[l].space, old, y, z);
        if (memcmp(host, &left, f->each_B) != 0) {
            emu_progress_near(w->machine, w->cta->cluster);
        }
        memcpy(host, &left, f->each_B);
        if (to && to->kind != EMU_SINK) {
            write_register(w, to, l, old);
        }
    }
    if (to && to->kind != EMU_SINK) {
        emu_set_undefined(w, to, reach->mask, unwritten);
    }
    const int keeps = in->operation != EMU_OPERATION_EXCH;
    emu_reach_write(w, in, reach, at_B, f->each_B, undefined | (keeps ? unwritten : 0));
}

static emu_step run_atomic(emu_warp *w, const emu_instruction *in, uint32_t mask) {
    emu_reach reach;
    const atomic_form f = form_of(in);
    if (emu_reach_operand(w, in, f.at, mask, f.each_B * f.count, 1, &reach)) {
        return EMU_STOPPED;
    }
    emu_reach_order(w, in, &reach, 1, 1);
    for (uint32_t i = 0; i < f.count; i++) {
        run_element(w, in, &f, &reach, i);
    }
    return EMU_NEXT;
}

/* ---- forms ---- */

static int has_operation(const emu_instruction *in) {
    const emu_type_traits *t = emu_type_of(in->type[0]);
    switch (in->operation) {
    case EMU_OPERATION_EXCH:
    case EMU_OPERATION_CAS:
        return t->kind != 'F' && t->bits >= 16;
    case EMU_OPERATION_AND:
    case EMU_OPERATION_OR:
    case EMU_OPERATION_XOR:
        return t->kind == 'B' && (t->bits == 32 || t->bits == 64);
    default:
        return reduction_of(in->operation) != TMA_OP_LOAD && t->kind != 'B' &&
               tma_reduction_exists(reduction_of(in->operation), dtype_of(in, EMU_SHARED_CTA));
    }
}

static int are_operands(const emu_instruction *in) {
    const atomic_form f = form_of(in);
    const uint32_t bits = 8 * f.each_B;
    const emu_operand *used[] = {f.to, f.b, f.c};
    for (uint32_t i = 0; i < 3; i++) {
        const emu_operand *o = used[i];
        const int is_free = !o || (o->kind == EMU_VECTOR && o->number == (int64_t)f.count);
        if (o && !(o == f.to ? emu_is_target(o, f.count) : emu_is_source(o, f.count))) {
            return 0;
        }
        if (!is_free && (emu_bits_of(o) < bits || (bits == 128) != (emu_bits_of(o) == 128))) {
            return 0;
        }
    }
    return f.at->kind == EMU_ADDRESS;
}

emu_run emu_choose_atomic(const emu_instruction *in) {
    const uint32_t operands =
        (in->op == EMU_OP_ATOM ? 3u : 2u) + (in->operation == EMU_OPERATION_CAS ? 1u : 0u);
    const uint32_t whole_B = emu_type_of(in->type[0])->bits / 8u * (in->vector ? in->vector : 1u);
    const uint32_t space = in->spaces ? in->space[0] : (uint32_t)EMU_GENERIC;
    const int may = space == EMU_GENERIC || space == EMU_GLOBAL || space == EMU_SHARED_CTA ||
                    space == EMU_SHARED_CLUSTER;
    return may && has_operation(in) && in->operands >= operands && whole_B <= 16 && whole_B &&
                   are_operands(in)
               ? run_atomic
               : NULL;
}
