/* SPDX-License-Identifier: Apache-2.0
 *
 * What a run that came to its end has left undone: notes, for whoever has other values than hoped
 * for.
 */
#include "places.h"
#include "run_report.h"
#include "schedule.h"
#include "tma/detail/chars.h"
#include "tma/text.h"

#define BITS 8u

/* Which of eight bytes nobody wrote, a bit each; the last ones may be beyond the end. */
static unsigned unwritten(const emu_allocation *a, uint64_t at_B) {
    const uint64_t left_B = a->size_B - at_B;
    return ~(unsigned)a->written[at_B / BITS] & (left_B < BITS ? (1u << left_B) - 1u : 0xffu);
}

/* Memory that the launch gives as one that nobody wrote is there to be written. */
static void note_unwritten(emu_machine *m, const emu_allocation *a) {
    uint64_t left_B = 0, first_B = 0;
    for (uint64_t at_B = 0; at_B < a->size_B; at_B += BITS) {
        const unsigned bytes = unwritten(a, at_B);
        if (bytes && !left_B) {
            first_B = at_B + (unsigned)__builtin_ctz(bytes);
        }
        left_B += (unsigned)__builtin_popcount(bytes);
    }
    if (!left_B) {
        return;
    }
    char text[TMA_EMULATE_TEXT];
    tma_out out = tma_out_into(text, sizeof(text));
    tma_putf(&out, "%.*s was given as memory that nobody wrote: ",
             (int)(a->name_length < 60 ? a->name_length : 60), a->name);
    tma_putf(&out,
             "%" TMA_U64 " of its %" TMA_U64 " bytes were written by no thread and no copy, the "
             "first at +%" TMA_U64,
             left_B, a->size_B, first_B);
    emu_note_copied(m, NULL, text);
}

/* A cluster that was cancelled never begins: who cancelled it has to do its work, and knows of it
 * by its first CTA's id alone. */
static void note_unasked(emu_machine *m) {
    uint64_t left = 0, first = 0;
    for (uint64_t i = 0; m->cancelled && i < m->ctas; i++) {
        if (m->cancelled[i] == EMU_CANCELLED) {
            first = left++ ? first : i;
        }
    }
    if (!left) {
        return;
    }
    const uint64_t x = first % m->grid[0], y = first / m->grid[0] % m->grid[1],
                   z = first / m->grid[0] / m->grid[1];
    char text[TMA_EMULATE_TEXT];
    tma_out out = tma_out_into(text, sizeof(text));
    tma_putf(&out,
             "%" TMA_U64 " cancelled cluster%s, the first that of CTA (%" TMA_U64 ", %" TMA_U64
             ", %" TMA_U64 "): no thread asked for the id (get_first_ctaid), so nobody knows "
             "whose work is left",
             left, text_plural(left), x, y, z);
    emu_note_copied(m, m->cancelled_in, text);
}

void emu_note_undone(emu_machine *m) {
    for (uint32_t i = 0; i < m->allocations; i++) {
        const emu_allocation *a = &m->allocation[i];
        if (a->written && !a->is_variable && !a->is_malloc) {
            note_unwritten(m, a);
        }
    }
    note_unasked(m);
}
