/* SPDX-License-Identifier: Apache-2.0
 *
 * Two accesses to the same bytes: whether one happened before the other, through the proxies that
 * they use, and what it is called if not. Rules by name: the later access over the earlier one, or
 * what is missing between them where they could have come in either order.
 */
#include "order_state.h"
#include "run_report.h"

static int knows_op(const order_actor *a, uint32_t number) {
    order_entry e = {.flags = ORDER_IS_ASYNC | ORDER_IS_WRITE, .op = number, .cta = a->entry.cta};
    return order_is_over(a, &e);
}

/* A later access that is not ordered after bytes that an operation writes. */
static uint32_t rule_over_copy(const order_actor *a, const order_entry *e) {
    const order_op *op = order_op_of(a->state, e->op);
    if (order_is_issued_before(a, op) || !op->before || !knows_op(a, op->before)) {
        return TMA_EMULATE_RULE_WAIT_MISSING;
    }
    return TMA_EMULATE_RULE_PROXY_LOAD;
}

static uint32_t rule_of(const order_actor *a, const order_entry *e, const order_context *context) {
    const order_who_kind later = order_kind_of(a->state, &a->entry),
                         earlier = order_kind_of(a->state, e);
    if ((a->entry.flags | e->flags) & ORDER_IS_INIT) {
        return TMA_EMULATE_RULE_BARRIER_INIT;
    }
    switch (later) {
    case ORDER_COPY_WRITE:
        if (earlier == ORDER_STORE_READ) {
            return TMA_EMULATE_RULE_STORE_REUSE;
        }
        return earlier == ORDER_THREAD_READ && !context->written_before
                   ? TMA_EMULATE_RULE_WAIT_MISSING
                   : TMA_EMULATE_RULE_PROXY_LOAD;
    case ORDER_STORE_READ:
    case ORDER_MMA_READ:
        /* A write over an earlier one was to come later; a first one before. */
        return earlier == ORDER_COPY_WRITE ? rule_over_copy(a, e)
               : e->flags & ORDER_IS_OVER  ? TMA_EMULATE_RULE_STORE_REUSE
                                           : TMA_EMULATE_RULE_PROXY_STORE;
    case ORDER_THREAD_WRITE:
        if (earlier == ORDER_STORE_READ || earlier == ORDER_MMA_READ) {
            return order_op_of(a->state, e->op)->reads_unwritten ? TMA_EMULATE_RULE_PROXY_STORE
                                                                 : TMA_EMULATE_RULE_STORE_REUSE;
        }
        return earlier == ORDER_COPY_WRITE ? rule_over_copy(a, e) : TMA_EMULATE_RULE_DATA_RACE;
    case ORDER_THREAD_READ:
        break;
    }
    return earlier == ORDER_COPY_WRITE ? rule_over_copy(a, e) : TMA_EMULATE_RULE_DATA_RACE;
}

/* A lane of the entry that is not ordered before the actor; 0: all are. */
static uint32_t unordered_lane(const order_actor *a, const order_entry *e) {
    uint32_t lanes = e->lanes;
    if (!(a->entry.flags & ORDER_IS_ASYNC) && e->cta == a->entry.cta && e->warp == a->entry.warp) {
        lanes &= ~a->entry.lanes;
    }
    EMU_FOR_LANES(l, lanes) {
        if (!order_knows_lane(a, e, l)) {
            return 1u << l;
        }
    }
    return e->lanes & -e->lanes;
}

/* How the end of the copy among the two would be seen. */
static const char *wait_of(const order_actor *a, const order_entry *e) {
    const order_entry *copy = e->flags & ORDER_IS_ASYNC ? e : &a->entry;
    const order_op *op = order_op_of(a->state, copy->op);
    if (op->kind == EMU_ASYNC_CP) {
        return "cp.async.wait_group in the thread that copied, and then a barrier for the others; "
               "or cp.async.mbarrier.arrive and a wait for its phase";
    }
    return op->group ? "cp.async.bulk.wait_group in the thread that copied, and then a barrier for "
                       "the others"
                     : "a wait for the copy's mbarrier phase before the access";
}

static const char *missing_of(const order_actor *a, const order_entry *e, uint32_t rule) {
    switch (rule) {
    case TMA_EMULATE_RULE_WAIT_MISSING:
        return wait_of(a, e);
    case TMA_EMULATE_RULE_PROXY_STORE:
        return "fence.proxy.async in the thread that wrote, and then a barrier before the copy";
    case TMA_EMULATE_RULE_PROXY_LOAD:
        return "a barrier or an mbarrier phase between the earlier access and the copy's issue";
    case TMA_EMULATE_RULE_STORE_REUSE:
        return "a wait_group (.read is enough for sources) before the bytes are written again";
    case TMA_EMULATE_RULE_BARRIER_INIT:
        return "a barrier of the CTA (of a cluster: fence.mbarrier_init and barrier.cluster) "
               "between "
               "mbarrier.init and its use";
    case TMA_EMULATE_RULE_MAP_EDIT:
    case TMA_EMULATE_RULE_PTX_FENCE:
        return "fence.proxy.tensormap::generic.release in the writer, and .acquire of the map "
               "before "
               "the copy";
    default:
        return "a barrier between the two";
    }
}

static void report(const order_actor *a, const order_entry *e, uint32_t rule, int certain,
                   const char *text, const char *missing) {
    const emu_who later = order_who_of(a, &a->entry, a->entry.lanes),
                  earlier =
                      order_who_of(a, e, e->flags & ORDER_IS_ASYNC ? 0 : unordered_lane(a, e));
    emu_report(a->state->machine, rule, certain, &later, &earlier, text, missing);
}

/* A write of threads that happened before an asynchronous access: whether it was fenced. May for a
 * copy over the bytes of a barrier that was there: what mbarrier.inval leaves was not measured. */
static void judge_fence(const order_actor *a, const order_entry *e, order_who_kind later) {
    const int is_shared = a->place->space == EMU_SHARED_CTA;
    const order_clock *fenced =
                          a->know->clock[is_shared ? ORDER_FENCED_SHARED : ORDER_FENCED_GLOBAL],
                      *seen = a->know->clock[is_shared ? ORDER_SEEN_SHARED : ORDER_SEEN_GLOBAL];
    const uint32_t first = e->warp * EMU_LANES;
    if (order_clock_lanes(fenced, e->cta, first, e->lanes, e->epoch)) {
        return;
    }
    if (a->state->machine->program->code[e->in].op == EMU_OP_TCGEN05_ALLOC) {
        emu_note(a->state->machine, &a->state->machine->program->code[a->entry.in],
                 "goes over the address that tcgen05.alloc stored, with no fence.proxy.async "
                 "between: no document says through which proxy it is stored, and Triton's kernels "
                 "have no fence there");
        return;
    }
    const int is_unseen = !order_clock_lanes(seen, e->cta, first, e->lanes, e->epoch);
    const uint32_t rule =
        later == ORDER_COPY_WRITE ? TMA_EMULATE_RULE_PROXY_LOAD : TMA_EMULATE_RULE_PROXY_STORE;
    report(a, e, rule, is_unseen && !(e->flags & ORDER_IS_INIT),
           is_unseen
               ? "no fence.proxy.async lies between the write through the generic proxy and the "
                 "access through the async proxy"
               : "fence.proxy.async was executed by the thread that copies, after the barrier, "
                 "and not by the thread that wrote",
           "fence.proxy.async in the thread that wrote, before the barrier");
}

/* Whether lanes that acquired a map did so before the actor's issue, in its CTA. */
static int acquired_before(const order_actor *a, const order_map_acquired *row) {
    const order_op *op = order_op_of(a->state, a->entry.op);
    if (row->cta != op->cta) {
        return 0;
    }
    EMU_FOR_LANES(l, row->lanes) {
        if (order_clock_at(a->know->clock[ORDER_HAPPENED], row->cta, row->warp * EMU_LANES + l) >=
            row->epoch[l]) {
            return 1;
        }
    }
    return 0;
}

/* A copy's read of its map: a writer's release, and an acquire of that map that knows of it, before
 * the copy, in any thread of its CTA (Triton's kernels acquire in one warp and copy in another,
 * after a barrier). */
static void judge_map(const order_actor *a, const order_entry *e) {
    if (!(e->flags & ORDER_IS_WRITE) || e->flags & ORDER_IS_ASYNC) {
        return;
    }
    for (const order_map_acquired *row = a->state->acquired; row; row = row->next) {
        if (row->address == a->place->at && acquired_before(a, row) &&
            order_clock_lanes(row->maps, e->cta, e->warp * EMU_LANES, e->lanes, e->epoch)) {
            return;
        }
    }
    const uint32_t op = a->state->machine->program->code[e->in].op;
    const uint32_t rule = op == EMU_OP_TENSORMAP_REPLACE || op == EMU_OP_TENSORMAP_CP_FENCEPROXY
                              ? TMA_EMULATE_RULE_PTX_FENCE
                              : TMA_EMULATE_RULE_MAP_EDIT;
    report(a, e, rule, 1,
           "the map was written, and no release and acquire of the tensormap proxy lie between",
           missing_of(a, e, rule));
}

/* Bytes of a cp.async, which are written through the generic proxy: by the document somebody who
 * knew of them has to have fenced; shipping kernels do not (Triton's), and no chip was seen to need
 * it. */
static void judge_copied(const order_actor *a, const order_entry *e) {
    const order_op *op = order_op_of(a->state, e->op);
    const order_clock *seen =
        a->know->clock[a->place->space == EMU_SHARED_CTA ? ORDER_SEEN_SHARED : ORDER_SEEN_GLOBAL];
    if (order_clock_at(seen, op->cta, op->group + 1) < op->write_epoch) {
        emu_note(
            a->state->machine, &a->state->machine->program->code[a->entry.in],
            "reads through the async proxy what cp.async wrote through the generic one, with no "
            "fence.proxy.async between: the documents ask for it, no H200 was seen to need it");
    }
}

/* An answer of clusterlaunchcontrol over one that threads have read: PTX's own example has a fence
 * in each reader and in the asker. No Hopper was seen to need one over bytes that were only read.
 */
static void judge_answer(const order_actor *a, const order_entry *e) {
    const uint32_t first = e->warp * EMU_LANES;
    order_clock *const *clock = a->know->clock;
    if (!order_clock_lanes(clock[ORDER_FENCED_SHARED], e->cta, first, e->lanes, e->epoch) &&
        !order_clock_lanes(clock[ORDER_SEEN_SHARED], e->cta, first, e->lanes, e->epoch)) {
        emu_note(a->state->machine, &a->state->machine->program->code[a->entry.in],
                 "an answer goes over one that was read, with no fence.proxy.async between: the "
                 "document's example has one; no Blackwell was measured");
    }
}

/* A barrier's initialisation and a copy of the same thread that tells it, with nothing between that
 * orders: no fence.mbarrier_init, no barrier. No chip was seen to need it. */
static void judge_init_fence(const order_actor *a, const order_entry *e) {
    const order_op *op = order_op_of(a->state, a->entry.op);
    const uint32_t first = e->warp * EMU_LANES;
    if (op->kind == EMU_ASYNC_TCGEN05) { /* commit: "accesses its mbarrier using generic-proxy" */
        return;
    }
    if (op->cta != e->cta || op->thread / EMU_LANES != e->warp || op->heard >= e->epoch ||
        !(e->lanes >> op->thread % EMU_LANES & 1)) {
        return;
    }
    if (!order_clock_lanes(a->know->clock[ORDER_INITS], e->cta, first, e->lanes, e->epoch)) {
        report(a, e, TMA_EMULATE_RULE_BARRIER_INIT, 0,
               "no fence.mbarrier_init lies between the initialisation and the copy of the same "
               "thread that completes on the barrier",
               "fence.mbarrier_init.release.cluster in the thread that initialised");
    }
}

/* Two accesses of threads, the earlier of which is known to be over, though by no order of memory.
 */
static int came_before(const order_actor *a, const order_entry *e) {
    return !((a->entry.flags | e->flags) & ORDER_IS_ASYNC) && a->know &&
           order_clock_lanes(a->know->clock[ORDER_CAME], e->cta, e->warp * EMU_LANES, e->lanes,
                             e->epoch);
}

/* A barrier initialised or invalidated by a thread after others used it, which it only met since,
 * or those that told it did: no memory is ordered by shfl, vote, match, but their uses are over.
 * cuda::pipeline ends so. */
static int is_after_use(const order_actor *a, const order_entry *e) {
    return a->entry.flags & ORDER_IS_INIT && e->flags & ORDER_IS_ATOMIC && came_before(a, e);
}

/* A write over what was read before in time: the reader told a thread whose copy was waited for. */
static int is_over_read(const order_actor *a, const order_entry *e) {
    return order_kind_of(a->state, e) == ORDER_THREAD_READ && came_before(a, e);
}

static int is_fence_judged(const order_actor *a) {
    return a->proxy == ORDER_ASYNC && !(a->entry.flags & ORDER_IS_ATOMIC) &&
           order_kind_of(a->state, &a->entry) >= ORDER_STORE_READ;
}

static int conflict(const order_actor *a, const order_entry *e) {
    const uint8_t both = a->entry.flags & e->flags;
    return ((a->entry.flags | e->flags) & ORDER_IS_WRITE) && !(both & ORDER_IS_ATOMIC);
}

/* The same value, written by two threads with one instruction in one iteration: lanes of a warp; or
 * threads of a CTA to its shared memory, as Triton stores a value that several threads hold (to
 * global memory it lets one of them). */
static int is_twice_written(const order_actor *a, const order_entry *e) {
    const int is_warp = e->cta == a->entry.cta && e->warp == a->entry.warp,
              is_shared = a->place->space == EMU_SHARED_CTA && e->cta == a->entry.cta &&
                          a->place->cta->index == e->cta;
    return (is_warp ? a->is_alike : is_shared && a->is_there) &&
           order_kind_of(a->state, e) == ORDER_THREAD_WRITE && e->in == a->entry.in &&
           e->iteration == a->entry.iteration && e->bytes == a->entry.bytes &&
           !(e->flags & ORDER_IS_ATOMIC);
}

/* The same copy, issued by lanes of a warp with one instruction: CUTLASS' epilogues for sm_90 store
 * a tile so. */
static int is_twice_copied(const order_actor *a, const order_entry *e) {
    if (!(a->entry.flags & e->flags & ORDER_IS_ASYNC) || e->in != a->entry.in) {
        return 0;
    }
    const order_op *now = order_op_of(a->state, a->entry.op), *was = order_op_of(a->state, e->op);
    return now->is_alike && was->is_alike && now->first == was->first && now->first &&
           now->cta == was->cta && now->thread / EMU_LANES == was->thread / EMU_LANES &&
           order_kind_of(a->state, &a->entry) == ORDER_COPY_WRITE &&
           order_kind_of(a->state, e) == ORDER_COPY_WRITE;
}

/* A read through the cache that is not coherent: no order of memory holds for it. With
 * L1::no_allocate shipping kernels read so what others wrote (DeepEP's). */
static void judge_apart(const order_actor *a, const order_entry *e) {
    report(a, e, TMA_EMULATE_RULE_NC_WRITTEN,
           !emu_flag(&a->state->machine->program->code[a->entry.in], EMU_FLAG_NO_ALLOCATE),
           "ld.global.nc reads what the launch wrote: its cache may have the bytes as they were, "
           "and nothing orders it after the write",
           "ld.global without .nc (CUDA C++: neither __ldg() nor const __restrict__)");
}

/* Two that are ordered: whether what proxies ask for besides is there. */
static void judge_proxies(const order_actor *a, const order_entry *e) {
    const order_who_kind earlier = order_kind_of(a->state, e);
    if (a->is_apart) {
        judge_apart(a, e);
    } else if (e->flags & ORDER_IS_INIT && a->entry.flags & ORDER_IS_ASYNC &&
               a->entry.flags & ORDER_IS_ATOMIC) {
        judge_init_fence(a, e);
    } else if (is_fence_judged(a) && earlier == ORDER_THREAD_WRITE) {
        judge_fence(a, e, order_kind_of(a->state, &a->entry));
    } else if (is_fence_judged(a) && earlier == ORDER_COPY_WRITE &&
               order_op_of(a->state, e->op)->kind == EMU_ASYNC_CP) {
        judge_copied(a, e);
    } else if (is_fence_judged(a) && earlier == ORDER_THREAD_READ &&
               a->state->machine->program->code[a->entry.in].op == EMU_OP_TRY_CANCEL) {
        judge_answer(a, e);
    }
}

static int is_invalidated(const order_actor *a) {
    return a->entry.flags & ORDER_IS_INIT &&
           a->state->machine->program->code[a->entry.in].op == EMU_OP_MBARRIER_INVAL;
}

/* Bits of an element of atom or red; 0: another instruction. */
static uint32_t atomic_bits(const order_actor *a, const order_entry *e) {
    const emu_instruction *in = &a->state->machine->program->code[e->in];
    const emu_type_traits *type = emu_type_of(in->type[0]);
    return in->op == EMU_OP_ATOM || in->op == EMU_OP_RED ? type->bits / type->elements : 0;
}

/* Two atomics that nothing orders: of different sizes they are not atomic for each other. */
static void judge_sizes(const order_actor *a, const order_entry *e) {
    const uint32_t later = atomic_bits(a, &a->entry), earlier = atomic_bits(a, e);
    if (later && earlier && later != earlier && !order_is_before(a, e)) {
        report(a, e, TMA_EMULATE_RULE_DATA_RACE, 0,
               "two atomics of different sizes are unordered: they are not atomic for each other",
               "atomics of one size, or a barrier between them");
    }
}

/* Two that are unordered, of which nothing comes: what a note says of them; null: they race. */
static const char *excuse_of(const order_actor *a, const order_entry *e) {
    if (is_twice_written(a, e)) {
        return "several threads write the same value to the same bytes, unordered: whichever "
               "comes last, the same is left";
    }
    if (is_twice_copied(a, e)) {
        return "several lanes issue the same copy: the same bytes are left as by one of them";
    }
    if (is_after_use(a, e)) {
        return "the barrier's last uses came before, and the lanes met since: but shfl, vote, "
               "match and elect order no memory (cuda::pipeline ends so)";
    }
    return 0;
}

void order_judge(order_actor *a, const order_entry *e, const order_context *context) {
    if (!conflict(a, e)) {
        if (a->entry.flags & e->flags & ORDER_IS_ATOMIC) {
            order_prove_strong(a, e);
            order_scope_strong(a, e);
            judge_sizes(a, e);
        }
        return;
    }
    if (a->proxy == ORDER_TENSORMAP) {
        judge_map(a, e);
        return;
    }
    if (a->proxy == ORDER_TENSOR) {
        order_judge_tensor(a, e, context);
        return;
    }
    if (order_is_before(a, e)) {
        if (order_by_meeting_alone(a, e)) {
            report(
                a, e, rule_of(a, e, context), 0,
                "that the warps meet at the wgmma orders the two, and nothing else does (reading "
                "wgmma-order=none)",
                "a barrier of the four warps between the two");
            return;
        }
        if (order_by_narrow_alone(a, e)) {
            report(a, e, TMA_EMULATE_RULE_SCOPE, order_scope_is_strict(a->state->machine),
                   "only a fence whose scope does not hold both threads orders the two",
                   "a fence of a scope that holds both threads: .cluster, .gpu or .sys");
            return;
        }
        judge_proxies(a, e);
        return;
    }
    const uint8_t both = a->entry.flags & e->flags;
    if (both & ORDER_IS_STRONG && !(both & ORDER_IS_ASYNC)) {
        order_prove_strong(a, e);
        order_scope_strong(a, e);
        return; /* two strong accesses of threads: no data race */
    }
    const char *excuse = excuse_of(a, e);
    if (excuse) {
        emu_note(a->state->machine, &a->state->machine->program->code[a->entry.in], excuse);
        return;
    }
    order_stale stale;
    const uint32_t rule =
        order_is_stale(&stale, a, e, e->flags & ORDER_IS_ASYNC ? 0 : unordered_lane(a, e))
            ? TMA_EMULATE_RULE_PARITY_CONSTANT
            : rule_of(a, e, context);
    const int is_over = rule == TMA_EMULATE_RULE_DATA_RACE && is_over_read(a, e);
    report(a, e, rule, !is_over,
           is_over
               ? "what lies between is the completion of an asynchronous operation whose issuer "
                 "knew of the read: no document says that it tells so"
               : "the two accesses are unordered",
           rule == TMA_EMULATE_RULE_PARITY_CONSTANT ? stale.missing
           : is_invalidated(a)                      ? EMU_INVAL_MISSING
                                                    : missing_of(a, e, rule));
}
