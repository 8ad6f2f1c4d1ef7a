/* SPDX-License-Identifier: Apache-2.0
 *
 * wmma.load, wmma.store, wmma.mma: fragments laid out as ptxas 13.0 lays them out for sm_90, whose
 * lanes may look into them.
 */
#include "matrix_wmma.h"

#include <string.h>

#include "access.h"
#include "matrix_chain.h"
#include "matrix_fragment.h"
#include "threads.h"
#include "tma/detail/assert.h"

#define LINES 32 /* rows or columns at most */

typedef enum side { SIDE_A, SIDE_B, SIDE_C } side;

/* A fragment: lines (rows of A, columns of B) of k elements; of C, rows and columns. */
typedef struct fragment {
    side side;
    uint32_t type, bits;
    uint32_t lines, k; /* of A and B */
    uint32_t m, n;
} fragment;

static fragment fragment_of(const emu_instruction *in, side side, uint32_t type) {
    return (fragment){.side = side,
                      .type = type,
                      .bits = emu_type_of(type)->bits,
                      .lines = side == SIDE_A ? in->shape[0] : in->shape[1],
                      .k = in->shape[2],
                      .m = in->shape[0],
                      .n = in->shape[1]};
}

static uint32_t register_bits(const fragment *f) {
    return f->bits == 64 ? 64 : 32;
}

/* Registers of a lane; f16 has eight in any shape, all others what they need. */
static uint32_t registers_in(const fragment *f) {
    const uint32_t elements = f->side == SIDE_C ? f->m * f->n : f->lines * f->k;
    return f->side != SIDE_C && f->type == EMU_F16
               ? 8
               : elements * f->bits / register_bits(f) / EMU_LANES;
}

typedef struct element {
    uint32_t row, column;
} element;

/* Element `part` of a lane's register of A or B. Registers of eight lines and 16 bytes of k each:
 * of two groups of lines first both, then the next 16 bytes; of 16 columns of B the other way. */
static element element_in(const fragment *f, uint32_t index, uint32_t part, uint32_t lane) {
    const uint32_t per = register_bits(f) / f->bits;
    const uint32_t chunks = f->k * f->bits / (4 * register_bits(f)), groups = f->lines / 8;
    const uint32_t q = index % (chunks * groups);
    uint32_t group, chunk;
    if (groups == 1 || (f->side == SIDE_B && groups == 2)) {
        group = q / chunks;
        chunk = q % chunks;
    } else {
        group = q % 2 + q / (2 * chunks) * 2;
        chunk = q / 2 % chunks;
    }
    const uint32_t line = lane / 4 + 8 * group, k = (lane % 4 + 4 * chunk) * per + part;
    return f->side == SIDE_A ? (element){line, k} : (element){k, line};
}

/* The same of C: of eight rows by 32 columns the transposed fragment. */
static element element_of_c(const fragment *f, uint32_t index, uint32_t part, uint32_t lane) {
    const uint32_t per = register_bits(f) / f->bits, i = index * per + part;
    const uint32_t line = lane / 4, pair = lane % 4 * 2 + i % 2;
    if (f->m == 8 && f->n == 32) {
        return (element){pair, line + 8 * (i / 2)};
    }
    if (f->m == 32) {
        return (element){line + 8 * (i / 2), pair};
    }
    return (element){line + 8 * (i / 2 % 2), pair + 8 * (i / 4)};
}

static element element_at(const fragment *f, uint32_t index, uint32_t part, uint32_t lane) {
    return f->side == SIDE_C ? element_of_c(f, index, part, lane)
                             : element_in(f, index, part, lane);
}

/* ---- memory ---- */

typedef struct moves {
    const emu_operand *registers, *at, *stride;
    fragment f;
    int is_row;
} moves;

static int is_load(const emu_instruction *in) {
    return emu_flag(in, EMU_FLAG_LOAD);
}

static moves moves_of(const emu_instruction *in) {
    const side side = emu_flag(in, EMU_FLAG_A)   ? SIDE_A
                      : emu_flag(in, EMU_FLAG_B) ? SIDE_B
                                                 : SIDE_C;
    return (moves){.registers = &in->operand[is_load(in) ? 0 : 1],
                   .at = &in->operand[is_load(in) ? 1 : 0],
                   .stride = in->operands > 2 ? &in->operand[2] : NULL,
                   .f = fragment_of(in, side, in->type[0]),
                   .is_row = in->layout[0] == EMU_FLAG_ROW};
}

/* Elements of a register that lie together in memory: those along k where k is contiguous. */
static uint32_t together_of(const moves *m) {
    const int along_k = (m->f.side == SIDE_A) == m->is_row;
    return m->f.side != SIDE_C && along_k ? register_bits(&m->f) / m->f.bits : 1;
}

static uint32_t default_stride(const moves *m) {
    const uint32_t rows = m->f.side == SIDE_B ? m->f.k : m->f.m;
    const uint32_t columns = m->f.side == SIDE_A ? m->f.k : m->f.n;
    return m->is_row ? columns : rows;
}

/* Where the lanes' elements from `part` on of register `index` lie. */
static int reach_part(emu_warp *w, const emu_instruction *in, const moves *m,
                      const uint64_t base[EMU_LANES], uint32_t index, uint32_t part,
                      emu_reach *reach) {
    const uint32_t *stride = m->stride ? emu_u32(w, m->stride) : NULL;
    const uint32_t usual = default_stride(m);
    for (uint32_t l = 0; l < EMU_LANES; l++) {
        const element e = element_at(&m->f, index, part, l);
        const uint64_t step = stride ? stride[l] : usual;
        const uint64_t at = m->is_row ? e.row * step + e.column : e.column * step + e.row;
        reach->address[l] = base[l] + at * m->f.bits / 8;
    }
    reach->size_B = together_of(m) * m->f.bits / 8;
    if (emu_reach_places(w, in, reach, reach->size_B, !is_load(in))) {
        return -1;
    }
    emu_reach_order(w, in, reach, is_load(in), !is_load(in));
    return 0;
}

static const emu_operand *register_at(const emu_warp *w, const emu_operand *o, uint32_t index) {
    return o->kind == EMU_VECTOR ? &w->machine->program->operand[o->first + index] : o;
}

/* One register to or from memory. */
static int move_register(emu_warp *w, const emu_instruction *in, const moves *m,
                         const uint64_t base[EMU_LANES], uint32_t index, uint32_t mask) {
    const emu_operand *o = register_at(w, m->registers, index);
    const uint32_t register_B = register_bits(&m->f) / 8;
    uint8_t *lanes = emu_lanes(w, o->slot);
    uint32_t undefined = 0;
    emu_reach reach;
    reach.mask = mask;
    for (uint32_t part = 0; part < register_B * 8 / m->f.bits; part += together_of(m)) {
        if (reach_part(w, in, m, base, index, part, &reach)) {
            return -1;
        }
        const uint32_t within_B = part * m->f.bits / 8;
        EMU_FOR_LANES(l, mask) {
            uint8_t *own = lanes + (size_t)l * register_B + within_B;
            memcpy(is_load(in) ? own : reach.place[l].host, is_load(in) ? reach.place[l].host : own,
                   reach.size_B);
        }
        if (is_load(in)) {
            undefined |= emu_reach_unwritten(w->machine, &reach, 0, reach.size_B);
        } else {
            emu_reach_write(w, in, &reach, 0, reach.size_B, emu_undefined(w, o));
        }
    }
    if (is_load(in)) {
        emu_set_undefined(w, o, mask, undefined);
    }
    return 0;
}

static emu_step run_move(emu_warp *w, const emu_instruction *in, uint32_t mask) {
    const moves m = moves_of(in);
    uint64_t base[EMU_LANES];
    const emu_step step = emu_all_together(w, in, &mask);
    if (step != EMU_NEXT) {
        return step;
    }
    emu_addresses(w, m.at, in->spaces ? in->space[0] : (uint32_t)EMU_GENERIC, base);
    for (uint32_t i = 0; i < matrix_register_count(m.registers); i++) {
        if (move_register(w, in, &m, base, i, mask)) {
            return EMU_STOPPED;
        }
    }
    return EMU_NEXT;
}

/* ---- the product ---- */

/* wmma.mma of f16 names D's and C's types alone. */
static uint32_t type_of(const emu_instruction *in, uint32_t which) {
    return in->type[2] == EMU_NO_TYPE ? (uint32_t)EMU_F16 : in->type[which];
}

static matrix_form form_of(const emu_instruction *in) {
    return (matrix_form){.a = (uint8_t)type_of(in, 1),
                         .b = (uint8_t)type_of(in, 2),
                         .d = in->type[0],
                         .places = 25,
                         .keeps_bit = 23,
                         .saturates = (uint8_t)emu_flag(in, EMU_FLAG_SATFINITE),
                         .is_xor = in->boolean == EMU_BOOLEAN_XOR,
                         .k = in->shape[2],
                         .k_a = in->shape[2]};
}

typedef struct product {
    uint8_t a[LINES][MATRIX_ROW_B], b[LINES][MATRIX_ROW_B];
    uint32_t c[LINES / MATRIX_COLUMNS][LINES][MATRIX_COLUMNS]; /* by eight columns */
    uint32_t a_undefined, b_undefined;                         /* lines */
} product;

static uint32_t undefined_in(const emu_warp *w, const matrix_registers *r, uint32_t index) {
    const int32_t slot = matrix_slot(r, index);
    return w->machine->tracks && slot >= 0 ? r->frame->undefined[slot] : 0;
}

static void gather_lines(const emu_warp *w, const fragment *f, const emu_operand *o,
                         uint8_t (*lines)[MATRIX_ROW_B], uint32_t *undefined) {
    const matrix_registers r = matrix_registers_of(w, o);
    for (uint32_t i = 0; i < matrix_register_count(o); i++) {
        const uint32_t *lanes = matrix_lanes(&r, i), unknown = undefined_in(w, &r, i);
        for (uint32_t l = 0; l < EMU_LANES; l++) {
            const element e = element_at(f, i, 0, l);
            const uint32_t line = f->side == SIDE_A ? e.row : e.column;
            const uint32_t k = f->side == SIDE_A ? e.column : e.row;
            memcpy(lines[line] + k * f->bits / 8, &lanes[l], sizeof(lanes[l]));
            *undefined |= (unknown >> l & 1) << line;
        }
    }
}

static uint32_t *element_of_sum(product *p, element e) {
    return &p->c[e.column / MATRIX_COLUMNS][e.row][e.column % MATRIX_COLUMNS];
}

static void gather_sum(const emu_warp *w, const fragment *f, const emu_operand *o, product *p) {
    const matrix_registers r = matrix_registers_of(w, o);
    for (uint32_t i = 0; i < matrix_register_count(o); i++) {
        const uint32_t *lanes = matrix_lanes(&r, i);
        for (uint32_t l = 0; l < EMU_LANES; l++) {
            if (f->bits == 16) {
                *element_of_sum(p, element_at(f, i, 0, l)) = lanes[l] & 0xffff;
                *element_of_sum(p, element_at(f, i, 1, l)) = lanes[l] >> 16;
            } else {
                *element_of_sum(p, element_at(f, i, 0, l)) = lanes[l];
            }
        }
    }
}

static void scatter_sum(emu_warp *w, const fragment *f, const emu_operand *o, product *p) {
    const matrix_registers r = matrix_registers_of(w, o);
    for (uint32_t i = 0; i < matrix_register_count(o); i++) {
        uint32_t *lanes = matrix_lanes(&r, i);
        for (uint32_t l = 0; l < EMU_LANES; l++) {
            lanes[l] = *element_of_sum(p, element_at(f, i, 0, l));
            if (f->bits == 16) {
                lanes[l] |= *element_of_sum(p, element_at(f, i, 1, l)) << 16;
            }
        }
    }
}

/* An element of D lacks a value where its row of A, its column of B or C's does. */
static void set_undefined(emu_warp *w, const emu_instruction *in, const product *p) {
    const matrix_registers d = matrix_registers_of(w, &in->operand[0]),
                           c = matrix_registers_of(w, &in->operand[3]);
    const fragment f = fragment_of(in, SIDE_C, in->type[0]);
    for (uint32_t i = 0; w->machine->tracks && i < matrix_register_count(d.operand); i++) {
        uint32_t undefined = undefined_in(w, &c, i);
        for (uint32_t l = 0; l < EMU_LANES; l++) {
            for (uint32_t part = 0; part < register_bits(&f) / f.bits; part++) {
                const element e = element_at(&f, i, part, l);
                undefined |= ((p->a_undefined >> e.row | p->b_undefined >> e.column) & 1) << l;
            }
        }
        d.frame->undefined[matrix_slot(&d, i)] = undefined;
    }
}

/* tf32's k of 8 is two products of 4, one after the other (ptxas 13.0); all others are one. */
static void multiply(const emu_instruction *in, product *p) {
    matrix_form form = form_of(in);
    const uint32_t passes = form.a == EMU_TF32 ? 2 : 1;
    matrix_a prepared;
    form.k = form.k_a = in->shape[2] / passes;
    for (uint32_t pass = 0; pass < passes; pass++) {
        const uint32_t at_B = pass * form.k * 4;
        matrix_prepare(&prepared, &form, p->a[0] + at_B, in->shape[0], NULL);
        for (uint32_t block = 0; block < in->shape[1] / MATRIX_COLUMNS; block++) {
            matrix_multiply(&prepared, &form, p->b[(size_t)block * MATRIX_COLUMNS] + at_B,
                            MATRIX_ROW_B, p->c[block]);
        }
    }
}

static emu_step run_mma(emu_warp *w, const emu_instruction *in, uint32_t mask) {
    const fragment a = fragment_of(in, SIDE_A, type_of(in, 1)),
                   b = fragment_of(in, SIDE_B, type_of(in, 2)),
                   c = fragment_of(in, SIDE_C, in->type[0]);
    const emu_step step = emu_all_together(w, in, &mask);
    if (step != EMU_NEXT) {
        return step;
    }
    product p;
    memset(&p, 0, sizeof(p));
    gather_lines(w, &a, &in->operand[1], p.a, &p.a_undefined);
    gather_lines(w, &b, &in->operand[2], p.b, &p.b_undefined);
    if (w->machine->values) {
        gather_sum(w, &c, &in->operand[3], &p);
        multiply(in, &p);
    }
    scatter_sum(w, &c, &in->operand[0], &p);
    set_undefined(w, in, &p);
    return EMU_NEXT;
}

static emu_step run_mma_f64(emu_warp *w, const emu_instruction *in, uint32_t mask) {
    const emu_step step = emu_all_together(w, in, &mask);
    if (step != EMU_NEXT) {
        return step;
    }
    const matrix_registers a = matrix_registers_of(w, &in->operand[1]),
                           b = matrix_registers_of(w, &in->operand[2]);
    matrix_chain(w, in);
    product p = {.a_undefined = 0};
    for (uint32_t l = 0; l < EMU_LANES; l++) {
        p.a_undefined |= (undefined_in(w, &a, 0) >> l & 1) << l / 4;
        p.b_undefined |= (undefined_in(w, &b, 0) >> l & 1) << l / 4;
    }
    set_undefined(w, in, &p);
    return EMU_NEXT;
}

/* ---- forms ---- */

/* Shapes of A's and B's type: m, n, k. */
static int is_shape(const emu_instruction *in, uint32_t type) {
    static const struct {
        uint8_t type;
        uint16_t k, sides; /* sides: 16 by 16 and 8 by 32; else 16 by 16, or 8 by 8 */
    } shapes[] = {{EMU_F16, 16, 32}, {EMU_BF16, 16, 32}, {EMU_S8, 16, 32},
                  {EMU_U8, 16, 32},  {EMU_TF32, 8, 16},  {EMU_F64, 4, 8},
                  {EMU_S4, 32, 8},   {EMU_U4, 32, 8},    {EMU_B1, 128, 8}};
    const uint32_t m = in->shape[0], n = in->shape[1];
    for (size_t i = 0; i < sizeof(shapes) / sizeof(shapes[0]); i++) {
        if (shapes[i].type == type && in->shape[2] == shapes[i].k) {
            return shapes[i].sides == 8
                       ? m == 8 && n == 8
                       : (m == 16 && n == 16) || (shapes[i].sides == 32 &&
                                                  ((m == 8 && n == 32) || (m == 32 && n == 8)));
        }
    }
    return 0;
}

/* C's types, with the k that its shape is named with. */
static int is_sum_shape(const emu_instruction *in, uint32_t type) {
    switch (type) {
    case EMU_F16:
        return is_shape(in, EMU_F16);
    case EMU_F32:
        return is_shape(in, EMU_F16) || is_shape(in, EMU_TF32);
    case EMU_S32:
        return is_shape(in, EMU_S8) || is_shape(in, EMU_S4) || is_shape(in, EMU_B1);
    case EMU_F64:
        return is_shape(in, EMU_F64);
    default:
        return 0;
    }
}

static int fits(const emu_operand *o, const fragment *f, int is_written) {
    const uint32_t count = registers_in(f);
    return emu_has_literals_of(o, f->type) && emu_bits_of(o) == register_bits(f) &&
           (o->kind != EMU_VECTOR || !o->number) && emu_is_braced(o) &&
           (is_written ? emu_is_target(o, count) : emu_is_source(o, count));
}

emu_run emu_choose_wmma_move(const emu_instruction *in) {
    const moves m = moves_of(in);
    const int is_right_shape =
        m.f.side == SIDE_C ? is_sum_shape(in, m.f.type) : is_shape(in, m.f.type);
    const int is_small = m.f.side != SIDE_C && m.f.bits < 8; /* then along k alone */
    const int stride = !m.stride || (!m.stride->braced && emu_is_source(m.stride, 1) &&
                                     emu_bits_of(m.stride) == 32);
    return in->operands >= 2 && is_right_shape && in->layout[0] && stride &&
                   m.at->kind == EMU_ADDRESS && fits(m.registers, &m.f, is_load(in)) &&
                   (!is_small || (m.f.side == SIDE_A) == m.is_row)
               ? run_move
               : NULL;
}

emu_run emu_choose_wmma_mma(const emu_instruction *in) {
    const uint32_t type = type_of(in, 1), last = in->type[2] == EMU_NO_TYPE ? 1 : 3;
    const fragment a = fragment_of(in, SIDE_A, type), b = fragment_of(in, SIDE_B, type_of(in, 2)),
                   c = fragment_of(in, SIDE_C, in->type[0]);
    const int is_bits = type == EMU_B1;
    if (in->operands != 4 || !is_shape(in, type) || !is_sum_shape(in, in->type[0]) ||
        in->type[0] != in->type[last] || emu_type_of(type_of(in, 2))->kind == 'P' ||
        !is_shape(in, type_of(in, 2)) || a.bits != b.bits || (is_bits && !in->boolean) ||
        !fits(&in->operand[0], &c, 1) || !fits(&in->operand[1], &a, 0) ||
        !fits(&in->operand[2], &b, 0) || !fits(&in->operand[3], &c, 0)) {
        return NULL;
    }
    const int is_integer = a.bits <= 8;
    const int is_exact =
        is_integer ? in->type[0] == EMU_S32 : type == type_of(in, 2) && in->type[0] != EMU_S32;
    const int is_sum = type == EMU_F64   ? in->type[0] == EMU_F64
                       : type == EMU_F16 ? in->type[0] != EMU_F64
                       : is_integer      ? 1
                                         : in->type[0] == EMU_F32;
    return !is_exact || !is_sum ? NULL : type == EMU_F64 ? run_mma_f64 : run_mma;
}
