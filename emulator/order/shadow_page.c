/* SPDX-License-Identifier: Apache-2.0
 *
 * Pages of shadow memory, found or made.
 */
#include <string.h>

#include "order_state.h"
#include "run_report.h"

void order_shadow_lost(order_state *s) {
    if (!s->is_lost) {
        s->is_lost = 1;
        emu_note(s->machine, 0, "memory ran out: later accesses are not compared");
    }
}

order_page *order_page_at(order_state *s, const emu_place *place, uint64_t at) {
    const uint64_t number = at / ORDER_PAGE_B;
    order_page **slot;
    if (place->space != EMU_GLOBAL) {
        order_cta_state *c = place->cta->order;
        const int is_tensor = place->space == EMU_TMEM;
        if (!c || number >= (is_tensor ? ORDER_TENSOR_PAGES : c->pages)) {
            return 0;
        }
        slot = is_tensor ? &c->tensor[number] : &c->page[number];
        if (*slot) {
            return *slot;
        }
    } else {
        slot = &s->global[(number * UINT64_C(0x9e3779b97f4a7c15)) >> 52 & (ORDER_HASH - 1)];
        for (order_page *page = *slot; page; page = page->next) {
            if (page->number == number) {
                return page;
            }
        }
    }
    order_page *page = emu_take(s->machine, sizeof *page);
    if (!page) {
        order_shadow_lost(s);
        return 0;
    }
    memset(page, 0, sizeof *page);
    page->number = number;
    page->next = *slot;
    *slot = page;
    return page;
}
