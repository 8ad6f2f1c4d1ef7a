/* SPDX-License-Identifier: Apache-2.0
 *
 * Clusters of several CTAs: which act needs them, and whether the kernel has them.
 */
#include "ptx_protocol.h"

int ptx_act_is_for_several(const ptx_protocol *p, const ptx_act *a) {
    uint64_t mask = 0;
    return a->traits & PTX_TO_CLUSTER && ptx_value_number(p->v, a->mask, &mask) &&
           mask & (mask - 1);
}

int ptx_act_has_others(const ptx_protocol *p, const ptx_act *act) {
    return ptx_head_most(p, ".reqnctapercluster") > 1 || ptx_act_is_for_several(p, act);
}

int ptx_is_of_several(const ptx_protocol *p) {
    int is = ptx_head_most(p, ".reqnctapercluster") > 1;
    for (uint32_t i = 0; i < p->acts && !is; i++) {
        is = (p->act[i].traits & PTX_OF_CLUSTER) || ptx_act_is_for_several(p, &p->act[i]);
    }
    return is;
}
