/* SPDX-License-Identifier: Apache-2.0
 *
 * Cases, as the device has them.
 */
#include "case_on_device.h"

#include <string.h>
#include <tma/pattern.h>

struct device_copy case_on_device(const struct copy_case *c) {
    struct device_copy d;
    memset(&d, 0, sizeof(d));
    d.seed = c->seed;
    d.global_B = c->global_B;
    d.window_B = c->window_B;
    d.fill = c->fill;
    d.expect_B = c->expect_B;
    d.op = c->in.op;
    d.mode = c->in.mode;
    d.rank = c->in.rank;
    d.cluster = c->in.cluster;
    d.shared_at = c->at.shared_address;
    memcpy(d.coord, c->at.coord, sizeof(d.coord));
    memcpy(d.offset, c->at.offset, sizeof(d.offset));
    return d;
}

void case_fill_memory(const struct copy_case *c, const struct memory *m) {
    tma_pattern_fill(m->global, c->global_B, (tma_pattern)c->fill, c->seed);
    if (c->in.op == TMA_OP_LOAD || c->in.op == TMA_OP_PREFETCH) {
        memset(m->window, TMA_WINDOW_UNTOUCHED, c->window_B);
    } else {
        tma_pattern_fill(m->window, c->window_B, (tma_pattern)c->fill,
                         tma_window_seed(c->fill, c->seed));
    }
}
