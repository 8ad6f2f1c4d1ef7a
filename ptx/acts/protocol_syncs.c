/* SPDX-License-Identifier: Apache-2.0
 *
 * Which of a CTA's barriers threads meet at.
 */
#include "ptx_protocol.h"

#define NAMED_BARRIERS 16

uint32_t ptx_sync_names(const ptx_protocol *p, const ptx_act *sync) {
    uint64_t name = 0;
    if (sync->kind != PTX_ACT_SYNC || sync->traits & (PTX_OF_WARP | PTX_OF_MEMORY) ||
        ptx_begins(ptx_step_opcode(p->v->g, sync->step), "barrier.cluster.")) {
        return 0;
    }
    return ptx_value_number(p->v, sync->number, &name) && name < NAMED_BARRIERS
               ? UINT32_C(1) << name
               : (UINT32_C(1) << NAMED_BARRIERS) - 1;
}
