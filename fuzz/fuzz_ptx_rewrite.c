/* SPDX-License-Identifier: Apache-2.0
 *
 * Any bytes as a PTX file that tma ptxas rewrites: nothing of the file is lost or moved, text is
 * only put in between; without a check the file is what it was; the notes are plain.
 */
#include "fuzz_assert.h"

#include <stdio.h>
#include <stdlib.h>

#include "ptx_rewrite.h"
#include "tma/ptx_check.h"

/* Whether all of `text` stands in `out`, in its order. */
static int holds(const char *out, size_t out_B, const char *text, size_t size) {
    size_t at = 0;
    for (size_t i = 0; i < out_B && at < size; i++) {
        at += out[i] == text[at];
    }
    return at == size;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    char *out_text = NULL;
    char *notes_text = NULL;
    size_t out_B = 0;
    size_t notes_B = 0;
    FILE *out = open_memstream(&out_text, &out_B);
    FILE *notes = open_memstream(&notes_text, &notes_B);
    DEMAND(out && notes);
    ptx_rewrite_count count = {0, 0};
    DEMAND(!ptx_rewrite(out, notes, (const char *)data, size, TMA_PTX_CHECK_ASSERT, &count));
    fclose(out);
    fclose(notes);
    DEMAND(count.checked <= count.found);
    DEMAND(holds(out_text, out_B, (const char *)data, size));
    DEMAND((count.checked == 0) == (out_B == size));
    for (size_t i = 0; i < notes_B; i++) {
        DEMAND(notes_text[i] == '\n' || (unsigned char)notes_text[i] >= ' ');
    }
    free(out_text);
    free(notes_text);
    return 0;
}
