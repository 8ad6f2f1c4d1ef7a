/* SPDX-License-Identifier: Apache-2.0
 *
 * Special registers. What an H200 tells of itself (SMs, clocks) is made of the launch and of the
 * instructions executed so far, so that a run is the same each time.
 */
#include "control.h"
#include "order.h"
#include "schedule.h"

#define SMEM_SYSTEM_B EMU_SHARED_FIRST /* that the system keeps of each CTA's shared memory */

static uint64_t time_of(const emu_warp *w) {
    return w->machine->instructions + w->machine->clock_leap;
}

static uint32_t dimension(const uint32_t size[3]) {
    return size[0] * size[1] * size[2];
}

/* Registers that are the same in all lanes of a warp. */
static uint64_t of_warp(const emu_warp *w, uint32_t special) {
    const emu_machine *m = w->machine;
    const emu_cta *c = w->cta;
    const uint32_t *cluster = m->cluster;
    uint32_t axis = 0;
    switch (special) {
#define AXES(name, value)                                                                          \
    case EMU_SPECIAL_##name##_X:                                                                   \
    case EMU_SPECIAL_##name##_Y:                                                                   \
    case EMU_SPECIAL_##name##_Z:                                                                   \
        axis = special - EMU_SPECIAL_##name##_X;                                                   \
        return (value);
        AXES(NTID, m->block[axis])
        AXES(CTAID, c->ctaid[axis])
        AXES(NCTAID, m->grid[axis])
        AXES(CLUSTERID, c->ctaid[axis] / cluster[axis])
        AXES(NCLUSTERID, m->grid[axis] / cluster[axis])
        AXES(CLUSTER_CTAID, c->ctaid[axis] % cluster[axis])
        AXES(CLUSTER_NCTAID, cluster[axis])
#undef AXES
    case EMU_SPECIAL_CLUSTER_CTARANK:
        return c->rank;
    case EMU_SPECIAL_CLUSTER_NCTARANK:
        return dimension(cluster);
    case EMU_SPECIAL_IS_EXPLICIT_CLUSTER:
        return m->launch->cluster[0] || m->kernel->cluster[0] || m->kernel->explicit_cluster;
    case EMU_SPECIAL_TOTAL_SMEM_SIZE:
    case EMU_SPECIAL_AGGR_SMEM_SIZE:
        return SMEM_SYSTEM_B + m->static_shared_B + m->dynamic_shared_B;
    case EMU_SPECIAL_DYNAMIC_SMEM_SIZE:
        return m->dynamic_shared_B;
    case EMU_SPECIAL_RESERVED_SMEM_OFFSET_END:
    case EMU_SPECIAL_RESERVED_SMEM_OFFSET_CAP:
        return SMEM_SYSTEM_B;
    case EMU_SPECIAL_WARPID:
        return w->index;
    case EMU_SPECIAL_NWARPID:
        return c->warps;
    case EMU_SPECIAL_SMID:
        return c->index % emu_chip_of(m->target.sm)->sms;
    case EMU_SPECIAL_NSMID:
        return emu_chip_of(m->target.sm)->sms;
    case EMU_SPECIAL_ENVREG1:
        return m->grid_workspace >> 32;
    case EMU_SPECIAL_ENVREG2:
        return (uint32_t)m->grid_workspace;
    case EMU_SPECIAL_CLOCK:
    case EMU_SPECIAL_GLOBALTIMER_LO:
        return (uint32_t)time_of(w);
    case EMU_SPECIAL_CLOCK_HI:
    case EMU_SPECIAL_GLOBALTIMER_HI:
        return time_of(w) >> 32;
    case EMU_SPECIAL_CLOCK64:
    case EMU_SPECIAL_GLOBALTIMER:
        return time_of(w);
    default:
        return 0; /* %gridid, %current_graph_exec, %reserved_smem_offset_begin */
    }
}

int control_is_time(const emu_instruction *in) {
    if (in->operands != 2 || in->operand[1].kind != EMU_SPECIAL) {
        return 0;
    }
    switch (in->operand[1].number) {
    case EMU_SPECIAL_CLOCK:
    case EMU_SPECIAL_CLOCK_HI:
    case EMU_SPECIAL_CLOCK64:
    case EMU_SPECIAL_GLOBALTIMER:
    case EMU_SPECIAL_GLOBALTIMER_LO:
    case EMU_SPECIAL_GLOBALTIMER_HI:
        return 1;
    default:
        return 0;
    }
}

static emu_step run_same(emu_warp *w, const emu_instruction *in, uint32_t mask) {
    uint64_t value[EMU_LANES];
    const uint64_t all = of_warp(w, (uint32_t)in->operand[1].number);
    if (in->operand[1].number == EMU_SPECIAL_SMID || in->operand[1].number == EMU_SPECIAL_WARPID ||
        control_is_time(in)) {
        order_unproved(w->machine, in, "it asks the machine for the time, the SM or its slot");
    }
    for (uint32_t l = 0; l < EMU_LANES; l++) {
        value[l] = all;
    }
    control_put(w, &in->operand[0], mask, value);
    return EMU_NEXT;
}

static emu_step run_tid(emu_warp *w, const emu_instruction *in, uint32_t mask) {
    uint64_t value[EMU_LANES];
    const uint32_t *block = w->machine->block;
    const uint32_t axis = (uint32_t)in->operand[1].number - EMU_SPECIAL_TID_X;
    const uint32_t below = axis == 0 ? 1 : axis == 1 ? block[0] : block[0] * block[1];
    for (uint32_t l = 0; l < EMU_LANES; l++) {
        value[l] = (w->index * EMU_LANES + l) / below % block[axis];
    }
    control_put(w, &in->operand[0], mask, value);
    return EMU_NEXT;
}

static emu_step run_lane(emu_warp *w, const emu_instruction *in, uint32_t mask) {
    uint64_t value[EMU_LANES];
    for (uint32_t l = 0; l < EMU_LANES; l++) {
        const uint32_t own = 1u << l;
        const uint32_t special = (uint32_t)in->operand[1].number;
        value[l] = special == EMU_SPECIAL_LANEMASK_EQ   ? own
                   : special == EMU_SPECIAL_LANEMASK_LT ? own - 1
                   : special == EMU_SPECIAL_LANEMASK_LE ? own | (own - 1)
                   : special == EMU_SPECIAL_LANEMASK_GT ? ~(own | (own - 1))
                   : special == EMU_SPECIAL_LANEMASK_GE ? ~(own - 1)
                                                        : l;
    }
    control_put(w, &in->operand[0], mask, value);
    return EMU_NEXT;
}

emu_run control_choose_special(const emu_instruction *in) {
    switch (in->operand[1].number) {
    case EMU_SPECIAL_TID_X:
    case EMU_SPECIAL_TID_Y:
    case EMU_SPECIAL_TID_Z:
        return run_tid;
    case EMU_SPECIAL_LANEID:
    case EMU_SPECIAL_LANEMASK_EQ:
    case EMU_SPECIAL_LANEMASK_LE:
    case EMU_SPECIAL_LANEMASK_LT:
    case EMU_SPECIAL_LANEMASK_GE:
    case EMU_SPECIAL_LANEMASK_GT:
        return run_lane;
    default:
        return run_same;
    }
}
