/* SPDX-License-Identifier: Apache-2.0
 *
 * Any bytes as a GPU core dump, plain. Nothing outside of them is read, and no more than its
 * sections ask for; what is found can be said.
 */
#include "fuzz_assert.h"
#include "fuzz_said.h"

#include "hang_view.h"

/* Reads of one input: each section, register and line may be asked for, not each by each. */
#define MOST_READ_B (UINT64_C(1) << 31)

typedef struct file {
    const uint8_t *bytes;
    uint64_t size;
    uint64_t read_B;
} file;

static bool read_file(void *context, uint64_t at, void *to, size_t size) {
    file *f = context;
    if (at > f->size || size > f->size - at) {
        return false;
    }
    memcpy(to, f->bytes + at, size);
    f->read_B += size;
    return true;
}

static void take(void *context, const char *text, size_t length) {
    size_t *said = context;
    *said += length;
    fuzz_said(text, length);
    DEMAND(!memchr(text, '\0', length));
}

static bool ends(const char *text, size_t room) {
    return memchr(text, '\0', room) != NULL;
}

static void demand_place(const core_hang *hang, const core_place *p) {
    DEMAND(p->wait.kind < CORE_WAIT_KINDS && p->grid <= hang->grid_count);
    DEMAND(ends(p->function, sizeof(p->function)) && ends(p->line.file, sizeof(p->line.file)));
    DEMAND(p->line.call_count <= CORE_MOST_CALLS && p->lanes && p->warps <= p->lanes);
    for (uint32_t i = 0; i < p->line.call_count; i++) {
        DEMAND(ends(p->line.calls[i].file, sizeof(p->line.calls[i].file)));
    }
}

static void demand_hang(const core_hang *hang) {
    DEMAND(hang->place_count <= CORE_PLACES && hang->word_count <= CORE_WORDS);
    DEMAND(hang->grid_count <= CORE_GRIDS_KEPT);
    for (size_t i = 0; i < hang->place_count; i++) {
        demand_place(hang, &hang->places[i]);
    }
}

static void demand_words(const core_hang *hang, file *f) {
    static hang_view view;
    size_t said = 0;
    tma_out out = tma_out_to(take, &said);
    hang_view_make(&view, hang, read_file, f);
    DEMAND(view.map_count <= HANG_MAPS && view.waiting <= hang->place_count);
    hang_verdict(&out, &view);
    DEMAND(said > 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static core_hang hang;
    char *bytes = fuzz_own(data, size);
    file f = {(const uint8_t *)bytes, size, 0};
    if (!core_hang_read(&hang, read_file, &f, size)) {
        demand_hang(&hang);
        demand_words(&hang, &f);
    }
    DEMAND(f.read_B <= MOST_READ_B);
    fuzz_disown(bytes);
    return 0;
}
