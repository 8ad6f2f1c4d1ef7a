/* SPDX-License-Identifier: Apache-2.0
 *
 * A CTA's mbarriers: each has a component of clocks for its phases.
 */
#include <string.h>

#include "order_state.h"

order_barrier *order_barrier_at(order_state *s, emu_cta *cta, uint32_t offset) {
    order_cta_state *c = cta->order;
    for (uint32_t i = 0; i < c->barriers; i++) {
        if (c->barrier[i].offset == offset) {
            return &c->barrier[i];
        }
    }
    if (!(c->barriers & (c->barriers - 1))) {
        const uint32_t room = c->barriers ? 2 * c->barriers : 1;
        order_barrier *more = emu_take(s->machine, room * sizeof *more);
        if (!more) {
            return 0;
        }
        if (c->barriers) {
            memcpy(more, c->barrier, c->barriers * sizeof *more);
            emu_give(s->machine, c->barrier);
        }
        c->barrier = more;
    }
    c->barrier[c->barriers] = (order_barrier){.offset = offset, .component = c->components};
    c->components += 2;
    return &c->barrier[c->barriers++];
}
