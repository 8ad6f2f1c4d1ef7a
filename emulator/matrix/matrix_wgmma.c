/* SPDX-License-Identifier: Apache-2.0 */
#include "matrix_wgmma.h"

#include <string.h>

#include "access.h"
#include "async.h"
#include "matrix_operand.h"
#include "matrix_registers.h"
#include "order.h"
#include "places.h"
#include "run_report.h"
#include "threads.h"
#include "tma/detail/assert.h"

#define ROWS 64
#define ALL  0xf /* the warps of a warpgroup, as bits */

/* Which operand says what. */
typedef struct places {
    uint8_t metadata, selector, scale_d, scale_a, scale_b, turn_a, turn_b; /* 0: none */
    uint8_t operands;
} places;

static int is_sparse(const emu_instruction *in) {
    return emu_flag(in, EMU_FLAG_SP) || emu_flag(in, EMU_FLAG_SP_ORDERED);
}

static int in_registers(const emu_instruction *in) {
    return in->operand[1].kind == EMU_VECTOR;
}

static places places_of(const emu_instruction *in) {
    places p = {0};
    uint8_t at = 3;
    if (is_sparse(in)) {
        p.metadata = at++;
        p.selector = at++;
    }
    p.scale_d = at++;
    if (in->type[0] != EMU_S32) {
        p.scale_a = at++;
        p.scale_b = at++;
    }
    if (emu_type_of(in->type[1])->bits == 16) {
        p.turn_a = in_registers(in) ? 0 : at++;
        p.turn_b = at++;
    }
    p.operands = at;
    return p;
}

/* An immediate operand; 0, where there is none. */
static int32_t immediate(const emu_instruction *in, uint8_t place) {
    return place ? (int32_t)in->operand[place].number : 0;
}

static int is_fp8(uint32_t type) {
    return type == EMU_E4M3 || type == EMU_E5M2;
}

static matrix_form form_of(const emu_instruction *in) {
    const places p = places_of(in);
    const int both = (immediate(in, p.scale_a) < 0) != (immediate(in, p.scale_b) < 0);
    const uint8_t bits = is_fp8(in->type[1]) ? 13 : 0;
    return (matrix_form){.a = in->type[1],
                         .b = in->type[2],
                         .d = in->type[0],
                         .places = bits ? bits : 25,
                         .keeps_bit = bits ? bits : 23,
                         .negates = (uint8_t)both,
                         .saturates = (uint8_t)emu_flag(in, EMU_FLAG_SATFINITE),
                         .k = in->shape[2],
                         .k_a = is_sparse(in) ? in->shape[2] / 2u : in->shape[2]};
}

/* ---- one piece of work ---- */

typedef struct wgmma {
    emu_async async;
    emu_warp *warp[MATRIX_WARPS];
    emu_frame *frame[MATRIX_WARPS];
    void *group[MATRIX_WARPS];
    uint8_t adds[MATRIX_WARPS]; /* scale-d: to what D holds, else to zeros */
    uint8_t has_a, is_sparse;
    matrix_operand a, b;
    uint8_t a_bytes[ROWS][MATRIX_ROW_B];
    uint8_t index[ROWS][MATRIX_K];
    uint8_t b_bytes[][MATRIX_ROW_B]; /* columns */
} wgmma;

static matrix_registers registers_of(const wgmma *g, uint32_t warp, uint32_t operand) {
    return (matrix_registers){g->async.warp->machine->program, g->frame[warp],
                              &g->async.in->operand[operand]};
}

static const void *value_of(const emu_warp *w, const emu_frame *frame, const emu_operand *o) {
    return o->slot >= 0 ? frame->slots + (size_t)o->slot * EMU_SLOT_B
                        : w->machine->program->pool[~o->slot];
}

static void touches(emu_async *a) {
    wgmma *g = (wgmma *)a;
    if (!g->has_a) {
        matrix_touch(&g->a, a, a->warp->cta);
    }
    matrix_touch(&g->b, a, a->warp->cta);
}

/* What async.c does for the group of the piece, for those of the other warps. */
static void tell_others(wgmma *g, void (*tell)(emu_async *)) {
    emu_warp *first = g->async.warp;
    for (uint32_t i = 1; i < MATRIX_WARPS; i++) {
        g->async.group = g->group[i];
        g->async.warp = g->warp[i];
        tell(&g->async);
    }
    g->async.group = g->group[0];
    g->async.warp = first;
}

static int read_operands(emu_machine *m, emu_async *a) {
    wgmma *g = (wgmma *)a;
    const uint8_t *shared = a->warp->cta->shared;
    if (m->values && !g->has_a) {
        matrix_read(&g->a, shared, g->a_bytes);
    }
    if (m->values) {
        matrix_read(&g->b, shared, g->b_bytes);
    }
    tell_others(g, emu_group_read);
    return 0;
}

/* Eight columns of all four warps' rows. */
static void multiply_block(wgmma *g, const matrix_a *a, const matrix_form *form, uint32_t block) {
    uint32_t sum[ROWS][MATRIX_COLUMNS];
    for (uint32_t i = 0; i < MATRIX_WARPS; i++) {
        const matrix_registers d = registers_of(g, i, 0);
        if (g->adds[i]) {
            matrix_gather_c(&d, form->d, 16, block, sum + (size_t)16 * i);
        } else {
            memset(sum + (size_t)16 * i, 0, 16 * sizeof(sum[0]));
        }
    }
    matrix_multiply(a, form, g->b_bytes[(size_t)block * MATRIX_COLUMNS], MATRIX_ROW_B, sum);
    for (uint32_t i = 0; i < MATRIX_WARPS; i++) {
        const matrix_registers d = registers_of(g, i, 0);
        matrix_scatter_d(&d, form->d, 16, block, sum + (size_t)16 * i);
    }
}

static void multiply(wgmma *g) {
    const matrix_form form = form_of(g->async.in);
    matrix_a prepared;
    matrix_prepare(&prepared, &form, g->a_bytes[0], ROWS,
                   g->is_sparse ? (const uint8_t(*)[MATRIX_K])g->index : NULL);
    for (uint32_t block = 0; block < g->async.in->shape[1] / MATRIX_COLUMNS; block++) {
        multiply_block(g, &prepared, &form, block);
    }
}

static void put_zeros(wgmma *g) {
    for (uint32_t warp = 0; warp < MATRIX_WARPS; warp++) {
        const matrix_registers d = registers_of(g, warp, 0);
        for (uint32_t i = 0; i < matrix_register_count(d.operand); i++) {
            memset(matrix_lanes(&d, i), 0, EMU_SLOT_B);
        }
    }
}

static int complete(emu_machine *m, emu_async *a) {
    wgmma *g = (wgmma *)a;
    if (m->values) {
        multiply(g);
    } else {
        put_zeros(g);
    }
    for (uint32_t i = 0; i < MATRIX_WARPS; i++) {
        g->frame[i]->users--;
    }
    tell_others(g, emu_group_complete);
    return 0;
}

/* A warpgroup's products are made one after another: accumulators of one are C of the next. */
static int may_complete(const emu_machine *m, const emu_async *a) {
    for (const emu_async *before = m->async; before != a; before = before->next) {
        if (before->kind == EMU_ASYNC_WGMMA && before->warp == a->warp) {
            return 0;
        }
    }
    return 1;
}

/* ---- the issue ---- */

static uint64_t descriptor_of(const wgmma *g, uint32_t operand) {
    const uint64_t *lanes = value_of(g->warp[0], g->frame[0], &g->async.in->operand[operand]);
    return lanes[(uint32_t)__builtin_ctz(g->warp[0]->live)];
}

static int take_operands(wgmma *g, const places *p) {
    const emu_instruction *in = g->async.in;
    const matrix_tile b = {.family = TMA_MMA_WGMMA,
                           .rows = in->shape[1],
                           .row_B = is_sparse(in) ? 64 : 32,
                           .element_B = 2,
                           .is_b = 1,
                           .is_turned = immediate(in, p->turn_b) != 0};
    const matrix_tile a = {.family = TMA_MMA_WGMMA,
                           .rows = ROWS,
                           .row_B = 32,
                           .element_B = 2,
                           .is_turned = immediate(in, p->turn_a) != 0};
    int status = matrix_operand_of(&g->b, descriptor_of(g, 2), &b);
    g->has_a = (uint8_t)in_registers(in);
    if (!g->has_a) {
        status |= matrix_operand_of(&g->a, descriptor_of(g, 1), &a);
    }
    TMA_ASSERT(!status); /* wgmma has every swizzle that fits its bits */
    (void)status;
    return (!g->has_a && matrix_check(&g->a, g->warp[0], in, 0)) ||
                   matrix_check(&g->b, g->warp[0], in, 0)
               ? -1
               : 0;
}

/* Registers that it takes now: A's, the metadata's, scale-d. */
static void take_registers(wgmma *g, const places *p) {
    const emu_instruction *in = g->async.in;
    for (uint32_t i = 0; i < MATRIX_WARPS; i++) {
        const emu_operand *scale = &in->operand[p->scale_d];
        const uint32_t *lanes = value_of(g->warp[i], g->frame[i], scale);
        const uint32_t lane = (uint32_t)__builtin_ctz(g->warp[i]->live);
        g->adds[i] =
            scale->type == EMU_PRED ? (lanes[0] >> lane & 1) != scale->negated : lanes[lane] != 0;
        if (g->has_a) {
            const matrix_registers a = registers_of(g, i, 1);
            matrix_gather_a(&a, 16, g->a_bytes + (size_t)16 * i);
        }
        if (g->is_sparse) {
            matrix_indices(value_of(g->warp[i], g->frame[i], &in->operand[p->metadata]),
                           (uint32_t)immediate(in, p->selector), in->type[1], in->shape[2],
                           g->index + (size_t)16 * i);
        }
    }
}

/* D lacks a value where C does, or its rows of A. */
static void set_undefined(wgmma *g, uint32_t warp) {
    if (!g->async.warp->machine->tracks) {
        return;
    }
    const matrix_registers d = registers_of(g, warp, 0), a = registers_of(g, warp, 1);
    uint32_t *undefined = g->frame[warp]->undefined, rows = 0, quads = 0;
    for (uint32_t i = 0; g->has_a && i < matrix_register_count(a.operand); i++) {
        rows |= matrix_slot(&a, i) >= 0 ? undefined[matrix_slot(&a, i)] : 0;
    }
    for (uint32_t quad = 0; quad < EMU_LANES / 4; quad++) {
        quads |= rows >> 4 * quad & 0xf ? 0xfu << 4 * quad : 0;
    }
    for (uint32_t i = 0; i < matrix_register_count(d.operand); i++) {
        const int32_t slot = matrix_slot(&d, i);
        undefined[slot] = (g->adds[warp] ? undefined[slot] : 0) | quads;
    }
}

static int own_registers(wgmma *g) {
    for (uint32_t i = 0; i < MATRIX_WARPS; i++) {
        const matrix_registers d = registers_of(g, i, 0), a = registers_of(g, i, 1);
        g->async.warp = g->warp[i];
        if (emu_group_add(&g->async) || matrix_own(g->warp[i], g->async.in, &d, 0) ||
            (g->has_a && matrix_own(g->warp[i], g->async.in, &a, 1))) {
            return -1;
        }
        g->group[i] = g->async.group;
        g->frame[i]->users++;
        set_undefined(g, i);
    }
    g->async.group = g->group[0];
    g->async.warp = g->warp[0];
    return 0;
}

/* The four warps know of each other what each did before. */
static void meet(wgmma *g) {
    emu_sync together = {0};
    for (uint32_t i = 0; i < MATRIX_WARPS; i++) {
        order_release(g->warp[i], g->warp[i]->live, &together);
    }
    for (uint32_t i = 0; i < MATRIX_WARPS; i++) {
        order_acquire(g->warp[i], g->warp[i]->live, &together);
    }
    order_sync_clear(g->warp[0]->machine, &together);
}

/* Registers of one frame are looked at: where a caller's wgmma is under way, another function's
 * completes at once. ptxas serialises wgmmas around calls (C7510). */
static emu_step finish_untracked(emu_warp *first, const matrix_owned *meeting) {
    for (uint32_t i = 0; i < MATRIX_WARPS; i++) {
        const matrix_owned *o = first[i].wgmma;
        if (o->frame != meeting->met[i]) {
            emu_note(first->machine, meeting->meeting,
                     "a wgmma while a calling function's is under way: whether its registers are "
                     "used too early is not judged");
            return matrix_finish(first) ? EMU_STOPPED : EMU_NEXT;
        }
    }
    return EMU_NEXT;
}

static emu_step issue(emu_warp *first, const emu_instruction *in, const matrix_owned *meeting) {
    const places p = places_of(in);
    wgmma *g = emu_async_new(first, 0, in, EMU_ASYNC_WGMMA,
                             sizeof(*g) + in->shape[1] * sizeof(g->b_bytes[0]));
    if (!g) {
        return EMU_STOPPED;
    }
    g->is_sparse = (uint8_t)is_sparse(in);
    for (uint32_t i = 0; i < MATRIX_WARPS; i++) {
        g->warp[i] = first + i;
        g->frame[i] = meeting->met[i];
        const matrix_owned *o = matrix_owned_of(g->warp[i]);
        if (!o) {
            return EMU_STOPPED;
        }
        if (!o->was_fenced) {
            emu_note(first->machine, in, "no wgmma.fence before the warp's first wgmma");
        }
    }
    if (take_operands(g, &p)) {
        return EMU_STOPPED;
    }
    take_registers(g, &p);
    if (own_registers(g)) {
        return EMU_STOPPED;
    }
    g->async.read = read_operands;
    g->async.complete = complete;
    g->async.may_complete = may_complete;
    g->async.touches = touches;
    g->async.from = first->cta;
    order_issue_together(g->warp, MATRIX_WARPS, &g->async);
    meet(g);
    emu_async_issue(&g->async);
    return finish_untracked(first, meeting);
}

/* ---- the meeting ---- */

static emu_step no_warpgroup(emu_warp *w, const emu_instruction *in, const char *text) {
    const emu_who who = {.in = in,
                         .cta = w->cta->index,
                         .thread = w->index * EMU_LANES,
                         .proxy = "generic",
                         .what = "wgmma"};
    emu_report(w->machine, TMA_EMULATE_RULE_DIVERGENCE, 1, &who, NULL, text,
               "the same wgmma in all four warps of the warpgroup");
    return emu_stop(w->machine, TMA_EMULATE_TRAP, w, in, text);
}

static emu_step run_wgmma(emu_warp *w, const emu_instruction *in, uint32_t mask) {
    const uint32_t number = w->index % MATRIX_WARPS;
    emu_warp *first = w - number;
    const emu_step step = emu_all_together(w, in, &mask);
    if (step != EMU_NEXT) {
        return step;
    }
    if (first->index + MATRIX_WARPS > w->cta->warps) {
        return no_warpgroup(w, in, "a wgmma in a warpgroup that has fewer than four warps");
    }
    matrix_owned *m = matrix_owned_of(first);
    if (!m) {
        return EMU_STOPPED;
    }
    if (m->released >> number & 1) {
        m->released &= (uint8_t) ~(1u << number);
        return EMU_NEXT;
    }
    if (m->here && m->meeting != in) {
        return no_warpgroup(w, in, "warps of one warpgroup execute different wgmmas");
    }
    m->meeting = in;
    m->met[number] = w->now->frame;
    m->here |= (uint8_t)(1u << number);
    if (m->here != ALL) {
        w->now->wait = EMU_WAITS_CONVERGE;
        w->now->number = mask;
        return EMU_BLOCKED;
    }
    m->here = 0;
    m->released = ALL & ~(1u << number);
    emu_progress_near(w->machine, w->cta->cluster);
    return issue(first, in, m);
}

/* ---- fence, commit, wait ---- */

static emu_step run_fence(emu_warp *w, const emu_instruction *in, uint32_t mask) {
    const emu_step step = emu_all_together(w, in, &mask);
    if (step == EMU_NEXT) {
        matrix_owned *o = matrix_owned_of(w);
        if (!o) {
            return EMU_STOPPED;
        }
        o->was_fenced = 1;
        order_fence(w, in, mask, ORDER_FENCE_WGMMA, 0, NULL);
    }
    return step;
}

static emu_step run_commit(emu_warp *w, const emu_instruction *in, uint32_t mask) {
    const emu_step step = emu_all_together(w, in, &mask);
    if (step != EMU_NEXT) {
        return step;
    }
    matrix_owned *o = matrix_owned_of(w);
    if (!o) {
        return EMU_STOPPED;
    }
    o->committed++;
    return emu_group_commit(w, in, mask, EMU_ASYNC_WGMMA);
}

static emu_step run_wait(emu_warp *w, const emu_instruction *in, uint32_t mask) {
    const uint32_t pending = (uint32_t)in->operand[0].number;
    emu_step step = emu_all_together(w, in, &mask);
    if (step == EMU_NEXT) {
        step = emu_group_wait(w, in, mask, EMU_ASYNC_WGMMA, pending, 0);
    }
    if (step == EMU_NEXT) {
        matrix_disown(w, pending);
    }
    return step;
}

/* ---- forms ---- */

static int are_types(const emu_instruction *in) {
    const uint32_t d = in->type[0], a = in->type[1], b = in->type[2];
    switch (a) {
    case EMU_F16:
        return b == a && (d == EMU_F32 || d == EMU_F16);
    case EMU_BF16:
    case EMU_TF32:
        return b == a && d == EMU_F32;
    case EMU_E4M3:
    case EMU_E5M2:
        return is_fp8(b) && (d == EMU_F32 || d == EMU_F16);
    case EMU_S8:
    case EMU_U8:
        return (b == EMU_S8 || b == EMU_U8) && d == EMU_S32;
    case EMU_B1:
        return b == a && d == EMU_S32 && in->boolean == EMU_BOOLEAN_AND && !is_sparse(in);
    default:
        return 0;
    }
}

/* D registers, A registers or a descriptor, B a descriptor, the rest immediates; scale-d a
 * predicate or an immediate. */
static int are_operands(const emu_instruction *in, const places *p) {
    const emu_operand *o = in->operand;
    const uint8_t immediates[] = {p->selector, p->scale_a, p->scale_b, p->turn_a, p->turn_b};
    for (uint32_t i = 0; i < sizeof(immediates); i++) {
        if (immediates[i] &&
            (o[immediates[i]].kind != EMU_REGISTER || !o[immediates[i]].constant)) {
            return 0;
        }
    }
    const emu_operand *scale = &o[p->scale_d];
    const int is_a = in_registers(in) ? emu_is_source(&o[1], 4) && emu_bits_of(&o[1]) == 32
                                      : emu_is_source(&o[1], 1) && emu_bits_of(&o[1]) == 64;
    const int is_metadata =
        !p->metadata || (emu_is_source(&o[p->metadata], 1) && emu_bits_of(&o[p->metadata]) == 32);
    return is_a && is_metadata && emu_is_source(&o[2], 1) && emu_bits_of(&o[2]) == 64 &&
           scale->kind == EMU_REGISTER && (scale->type == EMU_PRED || scale->constant) &&
           emu_is_target(&o[0], o[0].count) && emu_bits_of(&o[0]) == 32 && !o[0].number;
}

emu_run emu_choose_wgmma(const emu_instruction *in) {
    const uint32_t n = in->shape[1], d = in->type[0];
    const places p = places_of(in);
    if (!are_types(in) || in->operands != p.operands || in->operand[0].kind != EMU_VECTOR ||
        !are_operands(in, &p)) {
        return NULL;
    }
    const uint32_t k = 256u / emu_type_of(in->type[1])->bits * (is_sparse(in) ? 2 : 1);
    const int is_right = in->shape[0] == ROWS && n % 8 == 0 && n >= 8 && n <= 256 &&
                         in->shape[2] == k &&
                         in->operand[0].count == (d == EMU_F16 ? n / 4 : n / 2) &&
                         (!in_registers(in) || in->operand[1].count == 4);
    return is_right ? run_wgmma : NULL;
}

emu_run emu_choose_wgmma_fence(const emu_instruction *in) {
    (void)in;
    return run_fence;
}

emu_run emu_choose_wgmma_commit(const emu_instruction *in) {
    (void)in;
    return run_commit;
}

emu_run emu_choose_wgmma_wait(const emu_instruction *in) {
    return in->operands == 1 && in->operand[0].kind == EMU_REGISTER && in->operand[0].constant
               ? run_wait
               : NULL;
}
