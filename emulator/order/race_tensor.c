/* SPDX-License-Identifier: Apache-2.0
 *
 * Two operations on the same tensor memory: PTX ISA, Memory Consistency Model for 5th generation of
 * TensorCore operations. Loads and stores are over when tcgen05.wait of their warp says so, MMAs
 * and copies when an mbarrier that tcgen05.commit tells does; pairs of tensor_pipelines.def need no
 * wait, only that the one is issued after the other.
 */
#include "order_state.h"

static const struct {
    uint16_t earlier, later;
    uint8_t is_listed;
} PIPELINES[] = {
#define TENSOR_PIPELINE(earlier, later, is_listed, sentence)                                       \
    {EMU_OP_TCGEN05_##earlier, EMU_OP_TCGEN05_##later, is_listed},
#include "tensor_pipelines.def"
};

/* -1: no pipeline. */
static int pipeline_of(const emu_instruction *earlier, const emu_instruction *later) {
    for (size_t i = 0; i < sizeof PIPELINES / sizeof *PIPELINES; i++) {
        if (PIPELINES[i].earlier == earlier->op && PIPELINES[i].later == later->op) {
            return PIPELINES[i].is_listed &&
                   (earlier->op != EMU_OP_TCGEN05_SHIFT || later->op != EMU_OP_TCGEN05_CP ||
                    later->shape[0] == 4);
        }
    }
    return -1;
}

static const char *missing_of(uint32_t kind, int is_issued_before) {
    if (!is_issued_before) {
        return "a barrier or an mbarrier phase between the two";
    }
    switch (kind) {
    case EMU_ASYNC_TENSOR_LD:
        return "tcgen05.wait::ld in the warp that loads, before what orders the two";
    case EMU_ASYNC_TENSOR_ST:
        return "tcgen05.wait::st in the warp that stores, before what orders the two";
    default:
        return "tcgen05.commit after it, and a wait for the mbarrier that it tells";
    }
}

static uint32_t rule_of(const order_actor *a, const order_entry *e, const order_op *was,
                        const order_op *now, int is_issued_before, int written_before) {
    const int was_write = (e->flags & ORDER_IS_WRITE) != 0,
              is_write = (a->entry.flags & ORDER_IS_WRITE) != 0;
    if (is_issued_before) {
        return was_write ? TMA_EMULATE_RULE_WAIT_MISSING : TMA_EMULATE_RULE_STORE_REUSE;
    }
    if (was->kind != EMU_ASYNC_TCGEN05 && now->kind != EMU_ASYNC_TCGEN05) {
        return TMA_EMULATE_RULE_DATA_RACE;
    }
    /* A first load of what an MMA brings came too early, or a later one was to come before. */
    return (was_write && !is_write) || (!was_write && !written_before)
               ? TMA_EMULATE_RULE_WAIT_MISSING
               : TMA_EMULATE_RULE_PROXY_LOAD;
}

void order_judge_tensor(const order_actor *a, const order_entry *e, const order_context *context) {
    const order_op *was = order_op_of(a->state, e->op), *now = order_op_of(a->state, a->entry.op);
    if (order_is_over(a, e)) {
        return;
    }
    const int is_before = order_is_issued_before(a, was);
    const int pipeline = is_before ? pipeline_of(was->in, now->in) : -1;
    if (pipeline == 1) {
        return;
    }
    if (pipeline == 0) {
        emu_note(a->state->machine, now->in,
                 "comes after an earlier tcgen05 operation on the same tensor memory that nobody "
                 "waited for; the pair is not among those that PTX ISA 9.7.16.6.2 pipelines");
        return;
    }
    const emu_who later = order_who_of(a, &a->entry, 0), earlier = order_who_of(a, e, 0);
    emu_report(a->state->machine, rule_of(a, e, was, now, is_before, context->written_before > 0),
               1, &later, &earlier, "the two accesses to tensor memory are unordered",
               missing_of(was->kind, is_before));
}
