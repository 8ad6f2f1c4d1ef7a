/* SPDX-License-Identifier: Apache-2.0
 *
 * tcgen05.mma from its issue on: operands, what it touches, when it is complete.
 */
#include "tensor_mma.h"

#include "access.h"
#include "async.h"
#include "heap.h"
#include "order.h"
#include "run_report.h"
#include "tensor_choose.h"

/* Which operand says what: [d], a, b, metadata of a sparse one, idesc, then by the form. */
typedef struct places {
    uint8_t idesc, enable;
    uint8_t metadata, scale_a, scale_b, disabled, scale_d, mask; /* 0: none */
    uint8_t operands;
} places;

static places places_of(const emu_instruction *in) {
    places p = {0};
    uint8_t at = 3;
    if (emu_flag(in, EMU_FLAG_SP)) {
        p.metadata = at++;
    }
    p.idesc = at++;
    if (emu_flag(in, EMU_FLAG_BLOCK_SCALE)) {
        p.scale_a = at++;
        p.scale_b = at++;
    } else if (in->operands > at && in->operand[at].kind == EMU_VECTOR) {
        p.disabled = at++;
    }
    p.enable = at++;
    if (in->operands > at) {
        *(emu_flag(in, EMU_FLAG_WS) ? &p.mask : &p.scale_d) = at++;
    }
    p.operands = at;
    return p;
}

static emu_step invalid(emu_warp *w, const emu_instruction *in, uint32_t lane, const char *why) {
    return tensor_wrong(w, in, lane, TMA_EMULATE_RULE_TRAP, "MMA", 0, why, NULL);
}

/* ---- what it touches ---- */

/* Parts of 16 lanes (order.h) that D has, and that A has in tensor memory. */
static uint32_t parts_of(const tensor_mma *t, uint32_t address) {
    const uint32_t all = (1u << TENSOR_LANES / TENSOR_PART) - 1;
    return t->form.layout->sixteens ? 0x55u << (address >> 16) / TENSOR_PART : all;
}

/* Columns of scale factors: 32 rows or columns in each. */
static uint32_t scale_columns(uint32_t count) {
    return (count + TENSOR_QUARTER - 1) / TENSOR_QUARTER;
}

static uint32_t first_of_metadata(const tensor_mma *t) {
    return (t->metadata & 0xffff) + t->form.selector;
}

static void touches(emu_async *a) {
    tensor_mma *t = (tensor_mma *)a;
    const tensor_form *f = &t->form;
    for (uint32_t i = 0; i < f->ctas; i++) {
        if (!t->has_a) {
            matrix_touch(&t->from_a[i], a, t->cta[i]);
        } else {
            tensor_access(a, t->shifts, t->cta[i], parts_of(t, t->a), t->a & 0xffff,
                          TENSOR_A_COLUMNS);
        }
        matrix_touch(&t->from_b[i], a, t->cta[i]);
        if (f->is_sparse) {
            tensor_access(a, 0, t->cta[i], parts_of(t, t->metadata), first_of_metadata(t),
                          tensor_metadata_columns(f));
        }
        if (f->scales) {
            tensor_access(a, 0, t->cta[i], 0xff, t->sfa & 0xffff, scale_columns(f->rows));
            tensor_access(a, 0, t->cta[i], 0xff, t->sfb & 0xffff,
                          scale_columns(f->n / f->layout->parts));
        }
        tensor_access(a, 1, t->cta[i], parts_of(t, t->d), t->d & 0xffff, f->n / f->layout->parts);
    }
}

static int complete(emu_machine *m, emu_async *a) {
    const tensor_mma *t = (tensor_mma *)a;
    (void)m;
    if (tensor_multiply((tensor_mma *)a)) {
        return -1;
    }
    for (uint32_t i = 0; t->shifts && i < 4 * t->form.ctas; i++) {
        tensor_shift(t->cta[i / 4]->tensor, i % 4, t->a & 0xffff);
    }
    tensor_async_done(a);
    return 0;
}

/* ---- the issue ---- */

static uint32_t bytes_of(uint32_t type) {
    const uint32_t bits = tma_mma_type_at(type)->bits;
    return bits < 8 ? 1 : bits / 8;
}

static uint8_t narrow_bit(uint32_t type) {
    const tma_mma_type *row = tma_mma_type_at(type);
    return row->padded ? (uint8_t)row->bits : 0;
}

/* Both CTAs read through the same descriptors, each in its own shared memory: its own rows of A,
 * its part of the columns of B. */
static int take_shared(tensor_mma *t, uint32_t lane) {
    emu_warp *w = t->async.warp;
    const emu_instruction *in = t->async.in;
    const tensor_form *f = &t->form;
    const matrix_tile a = {TMA_MMA_TCGEN05, f->rows,         TENSOR_A_B, bytes_of(f->a), 0,
                           f->turns_a,      narrow_bit(f->a)};
    const uint32_t row_B = f->is_sparse ? 2 * TENSOR_A_B : TENSOR_A_B;
    const matrix_tile b = {TMA_MMA_TCGEN05, f->n / f->ctas,  row_B, bytes_of(f->b), 1,
                           f->turns_b,      narrow_bit(f->b)};
    const uint64_t of_b = emu_lane_value(w, &in->operand[2], lane);
    const uint64_t of_a = t->has_a ? 0 : emu_lane_value(w, &in->operand[1], lane);
    for (uint32_t i = 0; i < f->ctas; i++) {
        if (matrix_operand_of(&t->from_b[i], of_b, &b) ||
            (!t->has_a && matrix_operand_of(&t->from_a[i], of_a, &a))) {
            invalid(w, in, lane,
                    "a matrix descriptor with a swizzle that there is not, or rows that are no "
                    "whole 16 bytes of an MN-major operand");
            return -1;
        }
    }
    return matrix_check(&t->from_b[0], w, in, lane) ||
                   (!t->has_a && matrix_check(&t->from_a[0], w, in, lane))
               ? -1
               : 0;
}

static int check_tensor(const tensor_mma *t, uint32_t lane) {
    emu_warp *w = t->async.warp;
    const emu_instruction *in = t->async.in;
    const tensor_form *f = &t->form;
    const uint32_t first = t->d >> 16, lanes = f->layout->sixteens ? 112 : TENSOR_LANES;
    if (f->layout->sixteens ? first != 0 && first != TENSOR_PART : first != 0) {
        invalid(w, in, lane, "D begins at a lane that the layout of its M does not have");
        return -1;
    }
    if (t->has_a && t->a >> 16 != first) {
        invalid(w, in, lane, "A in tensor memory begins at another lane than D");
        return -1;
    }
    if (f->is_sparse && t->metadata >> 16 != first) {
        invalid(w, in, lane, "metadata of a sparse A begins at another lane than D");
        return -1;
    }
    if (t->shifts && f->layout->m != 128 && f->layout->m != 256) {
        invalid(w, in, lane, ".ashift with an M that is neither 128 nor 256");
        return -1;
    }
    for (uint32_t i = 0; i < f->ctas; i++) {
        emu_cta *cta = t->cta[i];
        if (tensor_check(w, in, lane, cta, first, lanes, t->d & 0xffff, f->n / f->layout->parts) ||
            (t->has_a &&
             tensor_check(w, in, lane, cta, first, lanes, t->a & 0xffff, TENSOR_A_COLUMNS)) ||
            (f->is_sparse && tensor_check(w, in, lane, cta, first, lanes, first_of_metadata(t),
                                          tensor_metadata_columns(f))) ||
            (f->scales && (tensor_check(w, in, lane, cta, 0, TENSOR_LANES, t->sfa & 0xffff,
                                        scale_columns(f->rows)) ||
                           tensor_check(w, in, lane, cta, 0, TENSOR_LANES, t->sfb & 0xffff,
                                        scale_columns(f->n / f->layout->parts))))) {
            return -1;
        }
    }
    return 0;
}

static void take_mask(tensor_mma *t, uint64_t bits) {
    tma_mma_zero_mask mask;
    t->is_masked = tma_mma_zero_mask_decode(&mask, bits) == TMA_OK;
    for (uint32_t n = 0; n < t->form.n && t->is_masked; n++) {
        const uint32_t column = tma_mma_zero_mask_column(&mask, 0, t->form.layout->m, t->form.n, n);
        t->column[n] = (uint16_t)(column < TENSOR_N ? column : TENSOR_N);
    }
}

static void take_operands(tensor_mma *t, const places *p, uint32_t lane) {
    emu_warp *w = t->async.warp;
    const emu_operand *o = t->async.in->operand, *all = w->machine->program->operand;
    t->d = (uint32_t)emu_address(w, &o[0], EMU_GENERIC, lane);
    t->has_a = o[1].kind == EMU_ADDRESS;
    t->a = t->has_a ? (uint32_t)emu_address(w, &o[1], EMU_GENERIC, lane) : 0;
    t->metadata = p->metadata ? (uint32_t)emu_address(w, &o[p->metadata], EMU_GENERIC, lane) : 0;
    t->sfa = p->scale_a ? (uint32_t)emu_address(w, &o[p->scale_a], EMU_GENERIC, lane) : 0;
    t->sfb = p->scale_b ? (uint32_t)emu_address(w, &o[p->scale_b], EMU_GENERIC, lane) : 0;
    t->shifts = (uint8_t)emu_flag(t->async.in, EMU_FLAG_ASHIFT);
    const emu_operand *enable = &o[p->enable];
    t->adds = (uint8_t)(enable->type == EMU_PRED ? emu_predicate(w, enable) >> lane & 1
                                                 : emu_lane_value(w, enable, lane) != 0);
    t->scale_d = p->scale_d ? (uint8_t)(o[p->scale_d].number & 15) : 0;
    for (uint32_t i = 0; p->disabled && i < o[p->disabled].count; i++) {
        t->disabled[i / 4][i % 4] =
            (uint32_t)emu_lane_value(w, &all[o[p->disabled].first + i], lane);
    }
    if (p->mask) {
        take_mask(t, emu_lane_value(w, &o[p->mask], lane));
    }
}

/* The CTA of the pair whose rank is even comes first. */
static int take_ctas(tensor_mma *t, uint32_t lane) {
    emu_cta *own = t->async.warp->cta;
    t->cta[0] = own;
    if (t->form.ctas == 2) {
        emu_cta *peer = tensor_peer(t->async.warp, t->async.in, lane);
        t->cta[0] = own->rank & 1 ? peer : own;
        t->cta[1] = own->rank & 1 ? own : peer;
        t->async.to = peer;
        return peer ? 0 : -1;
    }
    return 0;
}

/* What no source tells; null: nothing. */
static const char *unknown_of(const tensor_mma *t) {
    const tensor_form *f = &t->form;
    if (t->has_a && tma_mma_type_at(f->a)->padded && !f->scales) {
        return "A of 4 or 6 bits in tensor memory is executed of kind::mxf8f6f4 alone";
    }
    if (f->is_sparse && f->selector > 1) {
        return "a sparsity selector of 2 or 3: CUTLASS has 0 and 1, a column of two";
    }
    return f->is_sparse && t->metadata & 1
               ? "metadata of a sparse A at an odd column: CUTLASS' begins at an even one"
               : NULL;
}

static int issue(emu_warp *w, const emu_instruction *in, uint32_t lane) {
    const places p = places_of(in);
    const char *why = NULL;
    tensor_mma *t = tensor_async_new(w, lane, in, sizeof(*t));
    if (!t) {
        return -1;
    }
    if (tensor_form_of(&t->form, in, (uint32_t)emu_lane_value(w, &in->operand[p.idesc], lane),
                       &why)) {
        invalid(w, in, lane, why);
        emu_give(w->machine, t);
        return -1;
    }
    take_operands(t, &p, lane);
    why = unknown_of(t);
    if (why) {
        emu_stop(w->machine, TMA_EMULATE_NOT_EXECUTED, w, in, why);
        emu_give(w->machine, t);
        return -1;
    }
    if (take_ctas(t, lane) || take_shared(t, lane) || check_tensor(t, lane)) {
        emu_give(w->machine, t);
        return -1;
    }
    t->async.from = w->cta;
    t->async.complete = complete;
    t->async.touches = touches;
    return emu_async_issue(&t->async);
}

static emu_step run_mma(emu_warp *w, const emu_instruction *in, uint32_t mask) {
    return emu_tensor_issue(w, in, mask, issue);
}

/* ---- forms ---- */

static uint32_t kinds_of(const emu_instruction *in) {
    uint32_t kinds = 0;
#define TENSOR_KIND(flag, kind, scales) kinds += (uint32_t)emu_flag(in, EMU_FLAG_##flag);
#include "tensor_kinds.def"
    return kinds;
}

static int is_tensor_address(const emu_operand *o) {
    return o->kind == EMU_ADDRESS && !o->count;
}

static int is_wide(const emu_operand *o) {
    return emu_is_source(o, 1) && emu_bits_of(o) == 64;
}

emu_run emu_choose_tensor_mma(const emu_instruction *in) {
    const places p = places_of(in);
    const emu_operand *o = in->operand;
    const int pair = emu_flag(in, EMU_FLAG_GROUP_2), scaled = emu_flag(in, EMU_FLAG_BLOCK_SCALE);
    const int is_scaled_kind = emu_flag(in, EMU_FLAG_KIND_MXF8F6F4) ||
                               emu_flag(in, EMU_FLAG_KIND_MXF4) ||
                               emu_flag(in, EMU_FLAG_KIND_MXF4NVF4);
    if (kinds_of(in) != 1 || pair == emu_flag(in, EMU_FLAG_GROUP_1) || scaled != is_scaled_kind ||
        in->operands != p.operands || (emu_flag(in, EMU_FLAG_WS) && (pair || scaled))) {
        return NULL;
    }
    if (!is_tensor_address(&o[0]) || !(is_tensor_address(&o[1]) || is_wide(&o[1])) ||
        !is_wide(&o[2]) || !emu_is_source(&o[p.idesc], 1) ||
        (!o[p.idesc].constant && emu_bits_of(&o[p.idesc]) != 32) ||
        o[p.enable].kind != EMU_REGISTER || (p.metadata && !is_tensor_address(&o[p.metadata]))) {
        return NULL;
    }
    if ((p.disabled && !emu_is_source(&o[p.disabled], pair ? 8 : 4)) ||
        (p.scale_d && !o[p.scale_d].constant) || (p.mask && !is_wide(&o[p.mask]))) {
        return NULL;
    }
    if (emu_flag(in, EMU_FLAG_ASHIFT) && (emu_flag(in, EMU_FLAG_WS) || !is_tensor_address(&o[1]))) {
        return NULL;
    }
    return !p.scale_a || (is_tensor_address(&o[p.scale_a]) && is_tensor_address(&o[p.scale_b]))
               ? run_mma
               : NULL;
}
