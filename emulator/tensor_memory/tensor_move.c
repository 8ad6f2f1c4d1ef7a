/* SPDX-License-Identifier: Apache-2.0
 *
 * tcgen05.ld, .st and their waits. Registers and cells change when the instruction is executed;
 * what it touches is under way until tcgen05.wait. A register that is read before is no finding:
 * PTX ISA 9.7.16.6.4.5 respects true dependences through registers.
 */
#include "access.h"
#include "order.h"
#include "run_report.h"
#include "tensor_choose.h"
#include "tensor_memory.h"
#include "threads.h"

typedef struct shape {
    uint16_t lanes, bits;
    uint8_t twice, registers, columns;
    uint8_t lane_of_thread[5], column_of_thread[5], lane_of_register[2], column_of_register[2];
} shape;

static const shape SHAPES[] = {
#define TENSOR_SHAPE(...) {__VA_ARGS__},
#include "tensor_shapes.def"
};

static const shape *shape_of(const emu_instruction *in) {
    for (size_t i = 0; i < sizeof(SHAPES) / sizeof(SHAPES[0]); i++) {
        if (SHAPES[i].lanes == in->shape[0] && SHAPES[i].bits == in->shape[1] &&
            SHAPES[i].twice == (in->shape[2] == 2)) {
            return &SHAPES[i];
        }
    }
    return NULL;
}

static int is_packed(const emu_instruction *in) {
    return emu_flag(in, EMU_FLAG_PACK_16) || emu_flag(in, EMU_FLAG_UNPACK_16);
}

/* One instruction of a warp. Two columns of a packed one make a register. */
typedef struct move {
    const shape *shape;
    const emu_operand *registers; /* the vector, or one register */
    uint32_t count;               /* of a thread's registers */
    uint32_t lane, column;        /* where it begins */
    uint32_t offset;              /* of .16x32bx2: columns to its second half */
    uint32_t span;                /* columns that a half, or all of it, has */
    uint32_t wide;                /* columns of a register */
} move;

typedef struct cell {
    uint32_t lane, column;
} cell;

static cell cell_of(const move *m, uint32_t thread, uint32_t number) {
    const shape *s = m->shape;
    const uint32_t within = number % s->registers;
    uint32_t lane = 0, column = number / s->registers * s->columns;
    for (uint32_t bit = 0; bit < 5; bit++) {
        lane += (thread >> bit & 1) * s->lane_of_thread[bit];
        column += (thread >> bit & 1) * s->column_of_thread[bit];
    }
    for (uint32_t bit = 0; bit < 2; bit++) {
        lane += (within >> bit & 1) * s->lane_of_register[bit];
        column += (within >> bit & 1) * s->column_of_register[bit];
    }
    column = column * m->wide + (s->twice ? (thread >> 4) * m->offset : 0);
    return (cell){m->lane + lane, m->column + column};
}

static const emu_operand *register_of(const emu_warp *w, const move *m, uint32_t i) {
    return m->registers->kind == EMU_VECTOR ? &w->machine->program->operand[m->registers->first + i]
                                            : m->registers;
}

static int wrong(emu_warp *w, const emu_instruction *in, const move *m, const char *why) {
    tensor_wrong(w, in, 0, TMA_EMULATE_RULE_OUT_OF_BOUNDS, "access",
                 TENSOR_ADDRESS(m->lane, m->column), why, NULL);
    return -1;
}

/* Where it goes, and whether it may. */
static int place(emu_warp *w, const emu_instruction *in, uint32_t mask, move *m) {
    const int stores = in->op == EMU_OP_TCGEN05_ST;
    const emu_operand *at = &in->operand[stores ? 0 : emu_flag(in, EMU_FLAG_RED) ? 2 : 1];
    const uint32_t first = (uint32_t)__builtin_ctz(mask);
    const uint32_t address = (uint32_t)emu_address(w, at, EMU_GENERIC, first);
    EMU_FOR_LANES(lane, mask) {
        if ((uint32_t)emu_address(w, at, EMU_GENERIC, lane) != address) {
            return wrong(w, in, m, "the lanes of the warp name different tensor memory addresses");
        }
    }
    m->lane = address >> 16;
    m->column = address & 0xffff;
    m->wide = is_packed(in) ? 2 : 1;
    m->offset = m->shape->twice ? (uint32_t)at[1].number : 0;
    m->span = m->count / m->shape->registers * m->shape->columns * m->wide;
    const uint32_t own = w->index % 4 * TENSOR_QUARTER;
    if (own && m->lane < TENSOR_QUARTER) { /* DeepGEMM's kernels name lane 0 in all four warps */
        emu_note(
            w->machine, in,
            "tcgen05.ld and .st: a warp reaches its own 32 lanes, from 32 x (its number mod 4) "
            "on, though its address names the first ones");
        m->lane += own;
    }
    if (m->lane != own && !(m->shape->lanes == TENSOR_PART && m->lane == own + TENSOR_PART)) {
        return wrong(w, in, m,
                     "a warp reaches the 32 lanes from 32 x (its number mod 4) on, and the address "
                     "names others");
    }
    return tensor_check(w, in, first, w->cta, m->lane, m->shape->lanes, m->column, m->span) ||
                   (m->shape->twice && tensor_check(w, in, first, w->cta, m->lane, m->shape->lanes,
                                                    m->column + m->offset, m->span))
               ? -1
               : 0;
}

static void access(emu_warp *w, const emu_instruction *in, const move *m) {
    const int stores = in->op == EMU_OP_TCGEN05_ST;
    tensor_warp *t = w->tensor;
    const uint32_t parts = (m->shape->lanes == TENSOR_PART ? 1u : 3u) << m->lane / TENSOR_PART;
    emu_async a = {.kind = stores ? EMU_ASYNC_TENSOR_ST : EMU_ASYNC_TENSOR_LD, .warp = w, .in = in};
    a.lane = (uint32_t)__builtin_ctz(w->live);
    order_issue(w, &a);
    tensor_access(&a, stores, w->cta, parts, m->column, m->span);
    if (m->shape->twice) {
        tensor_access(&a, stores, w->cta, parts, m->column + m->offset, m->span);
    }
    order_async_done(&a, stores ? &t->stores : &t->loads, 0);
    order_async_ends(&a);
}

static void load_register(emu_warp *w, const move *m, uint32_t number) {
    const tensor_memory *t = w->cta->tensor;
    const emu_operand *o = register_of(w, m, number);
    if (o->kind == EMU_SINK) {
        return;
    }
    uint32_t *lanes = emu_u32(w, o), undefined = 0;
    for (uint32_t thread = 0; thread < EMU_LANES; thread++) {
        const cell c = cell_of(m, thread, number);
        const uint32_t low = t->cell[c.lane][c.column];
        int known = tensor_is_written(t, c.lane, c.column);
        lanes[thread] = low;
        if (m->wide == 2) {
            lanes[thread] = (low & 0xffff) | t->cell[c.lane][c.column + 1] << 16;
            known &= tensor_is_written(t, c.lane, c.column + 1);
        }
        undefined |= (uint32_t)!known << thread;
    }
    emu_set_undefined(w, o, UINT32_MAX, undefined);
}

static void store_register(emu_warp *w, const move *m, uint32_t number) {
    tensor_memory *t = w->cta->tensor;
    const emu_operand *o = register_of(w, m, number);
    const uint32_t *lanes = emu_u32(w, o), undefined = emu_undefined(w, o);
    for (uint32_t thread = 0; thread < EMU_LANES; thread++) {
        const cell c = cell_of(m, thread, number);
        const int known = !(undefined >> thread & 1);
        t->cell[c.lane][c.column] = m->wide == 2 ? lanes[thread] & 0xffff : lanes[thread];
        tensor_now_written(t, c.lane, c.column, known);
        if (m->wide == 2) {
            t->cell[c.lane][c.column + 1] = lanes[thread] >> 16;
            tensor_now_written(t, c.lane, c.column + 1, known);
        }
    }
}

/* ---- .red ---- */

/* f32 as a number that compares as it does: minus zero below plus zero. */
static uint32_t key_of(uint32_t type, uint32_t bits) {
    const uint32_t sign = UINT32_C(1) << 31;
    return type == EMU_U32   ? bits
           : type == EMU_S32 ? bits ^ sign
           : bits & sign     ? ~bits
                             : bits | sign;
}

static uint32_t reduced(const emu_instruction *in, uint32_t before, uint32_t next) {
    const uint32_t type = in->type[0], magnitude = UINT32_C(0x7fffffff);
    const int is_float = type == EMU_F32;
    if (is_float && ((before & magnitude) > UINT32_C(0x7f800000) ||
                     (next & magnitude) > UINT32_C(0x7f800000))) {
        const int is_before = (before & magnitude) > UINT32_C(0x7f800000);
        const int both = is_before && (next & magnitude) > UINT32_C(0x7f800000);
        return emu_flag(in, EMU_FLAG_NAN) || both ? magnitude : is_before ? next : before;
    }
    const int is_less = key_of(type, next) < key_of(type, before);
    return is_less == (in->operation == EMU_OPERATION_MIN) ? next : before;
}

/* Over a thread's registers, which are its lane's columns. */
static void reduce(emu_warp *w, const emu_instruction *in, const move *m) {
    const emu_operand *to = &in->operand[1];
    uint32_t *out = emu_u32(w, to), undefined = 0;
    const uint32_t keeps = emu_flag(in, EMU_FLAG_ABS) ? UINT32_C(0x7fffffff) : UINT32_MAX;
    for (uint32_t i = 0; i < m->count; i++) {
        const emu_operand *o = register_of(w, m, i);
        const uint32_t *lanes = emu_u32(w, o);
        undefined |= emu_undefined(w, o);
        for (uint32_t thread = 0; thread < EMU_LANES; thread++) {
            const uint32_t next = lanes[thread] & keeps;
            out[thread] = i ? reduced(in, out[thread], next) : next;
        }
    }
    emu_set_undefined(w, to, UINT32_MAX, undefined);
}

static emu_step run_move(emu_warp *w, const emu_instruction *in, uint32_t mask) {
    const int stores = in->op == EMU_OP_TCGEN05_ST;
    const emu_step step = emu_all_together(w, in, &mask);
    move m = {.shape = shape_of(in), .registers = &in->operand[stores ? in->operands - 1u : 0]};
    if (step != EMU_NEXT) {
        return step;
    }
    m.count = m.registers->kind == EMU_VECTOR ? m.registers->count : 1;
    if (place(w, in, mask, &m) || !tensor_warp_of(w)) {
        return EMU_STOPPED;
    }
    access(w, in, &m);
    for (uint32_t i = 0; i < m.count; i++) {
        if (stores) {
            store_register(w, &m, i);
        } else {
            load_register(w, &m, i);
        }
    }
    if (emu_flag(in, EMU_FLAG_RED)) {
        reduce(w, in, &m);
    }
    return EMU_NEXT;
}

static emu_step run_wait(emu_warp *w, const emu_instruction *in, uint32_t mask) {
    const emu_step step = emu_all_together(w, in, &mask);
    tensor_warp *t = w->tensor;
    if (step == EMU_NEXT && t) {
        emu_sync *sync = in->op == EMU_OP_TCGEN05_WAIT_LD ? &t->loads : &t->stores;
        order_acquire(w, mask, sync);
        order_sync_clear(w->machine, sync); /* known for good */
    }
    return step;
}

/* ---- forms ---- */

static int is_red(const emu_instruction *in) {
    const uint32_t type = in->type[0];
    return (in->operation == EMU_OPERATION_MIN || in->operation == EMU_OPERATION_MAX) &&
           (type == EMU_F32 || type == EMU_U32 || type == EMU_S32) && in->times > 1 &&
           (in->shape[0] == 32 || in->shape[2] == 2) && !is_packed(in) &&
           (type == EMU_F32 || !(emu_flag(in, EMU_FLAG_ABS) || emu_flag(in, EMU_FLAG_NAN)));
}

emu_run emu_choose_tensor_move(const emu_instruction *in) {
    const shape *s = shape_of(in);
    const int stores = in->op == EMU_OP_TCGEN05_ST, red = emu_flag(in, EMU_FLAG_RED);
    const uint32_t count = s ? (uint32_t)in->times * s->registers : 0;
    const uint32_t at = stores ? 0 : red ? 2 : 1, twice = s && s->twice;
    const emu_operand *o = in->operand, *r = &o[stores ? 1 + twice : 0];
    if (!count || count > 128 || (in->times & (in->times - 1)) ||
        in->operands != 2u + twice + (uint32_t)red || o[at].kind != EMU_ADDRESS || o[at].count) {
        return NULL;
    }
    if (twice && (o[at + 1].kind != EMU_REGISTER || !o[at + 1].constant)) {
        return NULL;
    }
    if (red && (!is_red(in) || !emu_is_target(&o[1], 1) || o[1].kind == EMU_SINK ||
                emu_bits_of(&o[1]) != 32)) {
        return NULL;
    }
    const int is_right =
        stores ? emu_is_source(r, count) : emu_is_target(r, count) && (!red || !r->number);
    return is_right && emu_is_braced(r) && emu_bits_of(r) == 32 ? run_move : NULL;
}

emu_run emu_choose_tensor_wait(const emu_instruction *in) {
    return in->operands ? NULL : run_wait;
}
