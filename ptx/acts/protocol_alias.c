/* SPDX-License-Identifier: Apache-2.0
 *
 * Whether accesses and copies meet in shared memory.
 */
#include "ptx_protocol.h"
#include "tma/detail/divisor.h"

#define BARRIER_B 8

static ptx_overlap by_number(int64_t apart, const ptx_act *access, const ptx_act *copy) {
    const int64_t copy_B = copy->bytes_B ? copy->bytes_B : PTX_LEAST_COPY_B;
    const int64_t access_B = access->bytes_B ? access->bytes_B : PTX_LEAST_COPY_B;
    if (apart > -access_B && apart < copy_B) {
        return PTX_OVERLAPS;
    }
    return apart < 0 || copy->bytes_B ? PTX_APART : PTX_OPEN;
}

/* A write and the first 16 bytes at a shared address, the variable of both at some place. Open:
 * that hangs on the window of shared memory. `around`: a block whose loops are in any turn, or
 * PTX_NONE. */
static ptx_overlap overlap_at(const ptx_protocol *p, const ptx_act *access, ptx_value value,
                              uint32_t around, int is_descriptor) {
    ptx_first t = {.p = p, .around = around};
    uint64_t written = 0;
    uint64_t bits = 0;
    t.variable = ptx_shared_variable(p->v, value);
    t.thread = ptx_act_thread(p, access);
    t.follows = 1;
    t.first_cta = 1;
    t.address = PTX_PLACE_B;
    if (t.variable == PTX_NONE || ptx_shared_variable(p->v, access->at) != t.variable ||
        !ptx_value_first(&t, access->at, &written) || !ptx_value_first(&t, value, &bits)) {
        return PTX_APART;
    }
    const int64_t at =
        is_descriptor ? (int64_t)ptx_descriptor_place(bits) : (int64_t)(uint32_t)bits;
    const int64_t apart = (int64_t)(uint32_t)written - at;
    return apart <= -(int64_t)access->bytes_B || apart >= PTX_LEAST_COPY_B ? PTX_APART
           : t.by_window                                                   ? PTX_OPEN
                                                                           : PTX_OVERLAPS;
}

int ptx_acts_meet_first(const ptx_protocol *p, const ptx_act *access, const ptx_act *copy) {
    const int is_fetch = copy->kind == PTX_ACT_FETCH;
    return overlap_at(p, access, is_fetch ? copy->number : copy->at, PTX_NONE, is_fetch) !=
           PTX_APART;
}

/* By how far they are apart for a thread. 0: unknown. */
static int apart_for(const ptx_protocol *p, ptx_value apart, const ptx_act *copy, uint32_t thread,
                     int64_t *is) {
    ptx_first t = {.p = p, .around = p->v->g->step[copy->step].block, .variable = PTX_NONE};
    uint64_t first = 0;
    t.thread = thread;
    t.follows = 1;
    const int known = ptx_value_first(&t, apart, &first);
    *is = (int32_t)(uint32_t)first;
    return known;
}

/* Whether the threads before this one, side by side, with 16 bytes each at most, reach from the
 * copy's first bytes to the ones of this thread: then the copy, whose size is not known, has all
 * of them. A warp's number, less a number, is not such a distance: the threads before do not run.
 */
static int is_filled(const ptx_protocol *p, ptx_value apart, const ptx_act *access,
                     const ptx_act *copy, uint32_t thread, int64_t for_thread) {
    int64_t for_none = 0;
    return thread && !copy->bytes_B && for_thread <= (int64_t)thread * PTX_LEAST_COPY_B &&
           apart_for(p, apart, copy, 0, &for_none) &&
           by_number(for_none, access, copy) == PTX_OVERLAPS;
}

ptx_overlap ptx_acts_overlap(const ptx_protocol *p, const ptx_act *access, const ptx_act *copy) {
    ptx_values *v = p->v;
    if (copy->kind == PTX_ACT_FETCH) {
        return overlap_at(p, access, copy->number, p->v->g->step[copy->step].block, 1);
    }
    const uint32_t a = ptx_shared_variable(v, access->at);
    const uint32_t b = ptx_shared_variable(v, copy->at);
    if (a == PTX_NONE || a != b) {
        return PTX_APART;
    }
    const ptx_value apart = ptx_form_sum(&v->forms, access->at, copy->at, UINT64_MAX);
    if (apart == PTX_UNKNOWN) {
        return PTX_OPEN;
    }
    const uint32_t thread = ptx_act_thread(p, access);
    int64_t for_thread = 0;
    if (!apart_for(p, apart, copy, thread, &for_thread)) {
        return PTX_OPEN;
    }
    const ptx_overlap is = by_number(for_thread, access, copy);
    return is != PTX_OVERLAPS && is_filled(p, apart, access, copy, thread, for_thread)
               ? PTX_OVERLAPS
           : is == PTX_APART && v->forms.form[apart].terms ? PTX_OPEN
                                                           : is;
}

ptx_alike ptx_barriers_alike(const ptx_protocol *p, const ptx_act *a, const ptx_act *b) {
    if (a->among && b->among && !(a->among & b->among)) {
        return p->trusts == 2 && (a->trusts || b->trusts) ? PTX_MAYBE : PTX_DIFFERENT;
    }
    if (a->place && b->place) {
        return a->barrier == b->barrier ? PTX_EQUAL : PTX_DIFFERENT;
    }
    const ptx_alike alike = ptx_values_alike(p->v, a->barrier, b->barrier);
    if (alike == PTX_EQUAL || (alike == PTX_DIFFERENT && !a->leaves && !b->leaves)) {
        return alike;
    }
    return ptx_reaches_apart(&a->reach, &b->reach, BARRIER_B, BARRIER_B) ? PTX_DIFFERENT
                                                                         : PTX_MAYBE;
}

/* The act of a kind whose barrier is nearest to an act's, if it may be the same; or NULL. */
static const ptx_act *nearest(const ptx_protocol *p, const ptx_act *act, ptx_act_kind kind,
                              ptx_alike *most) {
    const ptx_act *is = NULL;
    *most = PTX_DIFFERENT;
    for (ptx_meeting m = ptx_meeting_of(p, act); ptx_meeting_next(&m);) {
        const ptx_act *a = m.act;
        if (a->kind == kind && *most != PTX_EQUAL) {
            const ptx_alike one = ptx_barriers_alike(p, act, a);
            is = one > *most ? a : is;
            *most = one > *most ? one : *most;
        }
    }
    return is;
}

ptx_alike ptx_barrier_anywhere(const ptx_protocol *p, const ptx_act *act, ptx_act_kind kind) {
    ptx_alike most;
    nearest(p, act, kind, &most);
    return most;
}

const ptx_act *ptx_on_barrier(const ptx_protocol *p, const ptx_act *act, ptx_act_kind kind) {
    ptx_alike most;
    return nearest(p, act, kind, &most);
}

int ptx_barrier_is_whole(const ptx_protocol *p, const ptx_act *act) {
    return !p->many[PTX_ACT_CALL] && act->barrier != PTX_UNKNOWN &&
           ptx_shared_variable(p->v, act->barrier) != PTX_NONE &&
           ptx_barrier_anywhere(p, act, PTX_ACT_INIT) !=
               (act->reach.step ? PTX_DIFFERENT : PTX_MAYBE) &&
           ptx_barrier_anywhere(p, act, PTX_ACT_INIT) != PTX_DIFFERENT;
}

int ptx_reaches_apart(const ptx_reach *a, const ptx_reach *b, int64_t a_B, int64_t b_B) {
    if (a->base == PTX_UNKNOWN || a->base != b->base) {
        return 0;
    }
    if (a->high + a_B <= b->low || b->high + b_B <= a->low) {
        return 1;
    }
    const int64_t step = (int64_t)common_divisor(a->step, b->step); /* places are so far apart */
    if (!step) {
        return 0;
    }
    const int64_t apart = ((b->low - a->low) % step + step) % step;
    return apart >= a_B && step - apart >= b_B;
}

int ptx_is_wait_for(const ptx_protocol *p, const ptx_act *a, const ptx_act *copy) {
    return a->kind == PTX_ACT_AWAIT && ptx_barriers_alike(p, a, copy) != PTX_DIFFERENT;
}

void ptx_mark_waits(const ptx_protocol *p, const ptx_act *copy, uint8_t *by_act) {
    for (ptx_meeting m = ptx_meeting_of(p, copy); ptx_meeting_next(&m);) {
        const ptx_act *a = m.act;
        if (by_act) {
            by_act[a - p->act] = (uint8_t)ptx_is_wait_for(p, a, copy);
        }
    }
}

int ptx_is_signalled(const ptx_protocol *p, const ptx_act *a) {
    return p->is_signalled && p->is_signalled[a - p->act];
}
