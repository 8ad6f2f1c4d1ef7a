/* SPDX-License-Identifier: Apache-2.0
 *
 * How many CTAs a machine holds at once.
 */
#include "schedule.h"

#define CTA_RESERVED_B 1024u /* of shared memory, the system's */

const emu_chip *emu_chip_of(uint32_t sm) {
    static const emu_chip chips[] = {
#define EMU_CHIP(sm, sms, threads, ctas, shared_B) {sm, sms, threads, ctas, shared_B},
#include "chips.def"
    };
    size_t i = sizeof(chips) / sizeof(*chips) - 1;
    while (i && chips[i].sm > sm) {
        i--;
    }
    return &chips[i];
}

uint64_t emu_chip_holds(const emu_chip *chip, uint32_t threads, uint32_t shared_B) {
    const uint32_t by_threads = chip->threads / ((threads + EMU_LANES - 1) / EMU_LANES * EMU_LANES);
    const uint32_t by_shared = chip->shared_B / (shared_B + CTA_RESERVED_B);
    uint32_t on_sm = by_threads < by_shared ? by_threads : by_shared;
    on_sm = on_sm < chip->ctas ? on_sm : chip->ctas;
    return (uint64_t)chip->sms * (on_sm ? on_sm : 1);
}
