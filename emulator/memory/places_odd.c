/* SPDX-License-Identifier: Apache-2.0
 *
 * What a device makes of an address that is none of the instruction's space.
 */
#include "places_odd.h"

#include <string.h>

#define ZEROS_B (EMU_SHARED_FIRST / EMU_LANES) /* of a lane: as much as the widest access */

static const emu_odd odds[] = {
#define EMU_ODD(op, space, where, error) {EMU_OP_##op, space, where, error},
#include "places_odd.def"
};

const emu_odd *emu_odd_of(const emu_instruction *in, uint32_t where) {
    for (size_t i = 0; in->spaces && i < sizeof(odds) / sizeof(odds[0]); i++) {
        const emu_odd *o = &odds[i];
        if (o->op == in->op && o->space == in->space[0] &&
            (o->where == where || o->where == EMU_ODD_ANYWHERE)) {
            return o;
        }
    }
    return NULL;
}

void emu_put_odd(tma_out *out, const emu_odd *odd) {
    if (odd && odd->error == 0) {
        tma_put(out, "; an H200 reads 0 and goes on");
    } else if (odd && odd->error > 0) {
        tma_putf(out, "; an H200 stops with error %d", odd->error);
    }
}

/* Of the system's bytes in shared memory, which hold nothing else. */
emu_place emu_odd_zeros(const emu_warp *w, uint32_t lane) {
    uint8_t *host = w->cta->shared + (size_t)lane * ZEROS_B;
    memset(host, 0, ZEROS_B);
    return (emu_place){.space = EMU_CONST, .host = host, .follows_B = ZEROS_B};
}
