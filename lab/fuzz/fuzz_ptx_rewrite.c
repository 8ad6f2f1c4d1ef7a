/* SPDX-License-Identifier: Apache-2.0
 *
 * Any bytes as a PTX file that tma ptxas rewrites, with checks and then with bounds for its waits:
 * nothing of the file is lost or moved, text is only put in between (copies that wait for their
 * group's check change places with it); without any the file is what it was; the notes are plain.
 * The size says what happens on a fault.
 */
#include "fuzz_assert.h"
#include "fuzz_said.h"

#include <stdio.h>
#include <stdlib.h>

#include "ptx_hang.h"
#include "ptx_rewrite.h"
#include "tma/ptx_check.h"

typedef struct text {
    char *at;
    size_t size;
    FILE *file;
} text;

static void begin(text *t) {
    t->file = open_memstream(&t->at, &t->size);
    DEMAND(t->file);
}

/* Whether all of `part` stands in `whole`, in its order. */
static int holds(const text *whole, const char *part, size_t size) {
    size_t at = 0;
    for (size_t i = 0; i < whole->size && at < size; i++) {
        at += whole->at[i] == part[at];
    }
    return at == size;
}

/* With checks; what is inline may put copies that belong together behind what is between them. */
static void check(text *out, FILE *notes, const char *data, size_t size) {
    ptx_rewrite_count count = {0};
    const uint32_t on_fault = (uint32_t)size % TMA_PTX_CHECK_FAULTS;
    begin(out);
    DEMAND(!ptx_rewrite(out->file, notes, data, size, on_fault, &count));
    fclose(out->file);
    DEMAND(count.checked <= count.found);
    DEMAND((count.checked == 0) == (out->size == size));
    DEMAND(out->size >= size);
    if (on_fault == TMA_PTX_CHECK_ASSERT || on_fault == TMA_PTX_CHECK_TRAP || !count.checked) {
        DEMAND(holds(out, data, size));
    }
}

static void bound(FILE *notes, const char *data, size_t size) {
    ptx_hang_count waits = {0, 0};
    text out = {NULL, 0, NULL};
    begin(&out);
    DEMAND(!ptx_hang_rewrite(out.file, notes, data, size, 2000, &waits));
    fclose(out.file);
    DEMAND(waits.bounded <= waits.found);
    DEMAND((waits.bounded == 0) == (out.size == size));
    DEMAND(holds(&out, data, size));
    fuzz_said(out.at, out.size);
    free(out.at);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    text checked = {NULL, 0, NULL};
    text notes = {NULL, 0, NULL};
    begin(&notes);
    check(&checked, notes.file, (const char *)data, size);
    bound(notes.file, (const char *)data,
          size); /* what has no copies, or checks that it cannot have */
    bound(notes.file, checked.at, checked.size);
    fclose(notes.file);
    fuzz_said(checked.at, checked.size);
    fuzz_said(notes.at, notes.size);
    for (size_t i = 0; i < notes.size; i++) {
        DEMAND(notes.at[i] == '\n' || (unsigned char)notes.at[i] >= ' ');
    }
    free(checked.at);
    free(notes.at);
    return 0;
}
