/* SPDX-License-Identifier: Apache-2.0
 *
 * The second place of a finding about one act.
 */
#include "ptx_protocol.h"

const ptx_act *ptx_reader_of(const ptx_protocol *p, const ptx_act *copy) {
    const uint32_t variable = ptx_shared_variable(p->v, copy->at);
    const ptx_act *reader = NULL;
    for (uint32_t i = 0; i < p->acts; i++) {
        const ptx_act *a = &p->act[i];
        const int fetches = a->kind == PTX_ACT_FETCH;
        if ((!fetches && a->kind != PTX_ACT_READ) ||
            ptx_shared_variable(p->v, fetches ? a->number : a->at) != variable) {
            continue;
        }
        if (!fetches && ptx_acts_overlap(p, a, copy) == PTX_OVERLAPS) {
            return a;
        }
        reader = reader ? reader : a;
    }
    return reader;
}

const ptx_act *ptx_end_behind(const ptx_protocol *p, const ptx_act *act) {
    uint8_t *from = ptx_memory_take(p->memory, (size_t)p->acts + 1, 1);
    if (from) {
        from[act - p->act] = 1;
    }
    const uint8_t *behind = from ? ptx_acts_reached(p, from, NULL, NULL) : NULL;
    for (uint32_t i = 0; behind && i < p->acts; i++) {
        if (p->act[i].kind == PTX_ACT_END && behind[i]) {
            return &p->act[i];
        }
    }
    return NULL;
}
