/* SPDX-License-Identifier: Apache-2.0
 *
 * tcgen05.commit and tcgen05.fence.
 */
#include "access.h"
#include "async_copies.h"
#include "order.h"
#include "run_report.h"
#include "tensor_choose.h"
#include "tensor_memory.h"

/* A thread's later commit tells that its earlier ones have arrived: PTX ISA 9.7.16.6.1 has .commit
 * among those that are "inherently ordered with respect to other tcgen05 operations in the same
 * order". 9.7.16.12.1 calls it asynchronous: hence the reading. */
static int complete(emu_machine *m, emu_async *a) {
    const tensor_warp *t = a->warp->tensor;
    const int failed = emu_mbarrier_arrive(a, &t->done[a->lane]);
    if (!failed && order_has_commits(m)) {
        tensor_async_done(a);
    }
    return failed;
}

static int commit_to(emu_warp *w, const emu_instruction *in, uint32_t lane, emu_cta *cta,
                     uint32_t offset) {
    emu_async *a = tensor_async_new(w, lane, in, sizeof(*a));
    if (!a) {
        return -1;
    }
    a->barrier_cta = cta;
    a->barrier = offset;
    a->complete = complete;
    a->touches = emu_touches_barrier;
    return emu_async_issue(a);
}

static int commit_of_lane(emu_warp *w, const emu_instruction *in, uint32_t lane) {
    emu_place place;
    /* Without a space, too: Triton writes a shared address there. */
    if (!emu_mbarrier_of(w, in, lane, &in->operand[0], EMU_SHARED_CLUSTER, &place)) {
        return -1;
    }
    if (!emu_flag(in, EMU_FLAG_MULTICAST)) {
        return commit_to(w, in, lane, place.cta, (uint32_t)place.at);
    }
    const uint32_t ranks = (uint32_t)emu_lane_value(w, &in->operand[1], lane) & 0xffff;
    if (emu_check_multicast(w, in, lane, ranks)) {
        return -1;
    }
    EMU_FOR_LANES(rank, ranks) {
        if (commit_to(w, in, lane, w->cta->cluster->cta[rank], (uint32_t)place.at)) {
            return -1;
        }
    }
    return 0;
}

static emu_step run_commit(emu_warp *w, const emu_instruction *in, uint32_t mask) {
    EMU_FOR_LANES(lane, mask) {
        if (commit_of_lane(w, in, lane)) {
            return EMU_STOPPED;
        }
    }
    if (in->commits_nothing) {
        emu_note(
            w->machine, in,
            "the commit tells of nothing: no path to it has an MMA, a copy into tensor memory or "
            "a shift; one is missing, or the commit is one too many");
        order_commits_nothing(w, in, mask, 1);
    }
    return EMU_NEXT;
}

emu_run emu_choose_tensor_commit(const emu_instruction *in) {
    const uint32_t multicast = (uint32_t)emu_flag(in, EMU_FLAG_MULTICAST);
    return emu_flag(in, EMU_FLAG_GROUP_1) != emu_flag(in, EMU_FLAG_GROUP_2) &&
                   in->operands == 1 + multicast && in->operand[0].kind == EMU_ADDRESS &&
                   (!multicast || in->operand[1].kind == EMU_REGISTER)
               ? run_commit
               : NULL;
}

/* What they order is ordered by the synchronisation between the threads, which has release and
 * acquire semantics unless it is .relaxed (PTX ISA 9.7.16.6.3: "the standard memory consistency
 * model synchronization mechanisms also apply"). */
emu_run emu_choose_tensor_fence(const emu_instruction *in) {
    return in->operands ? NULL : emu_run_nothing;
}
