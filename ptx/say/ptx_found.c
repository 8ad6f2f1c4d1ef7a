/* SPDX-License-Identifier: Apache-2.0
 *
 * Findings as lines of notes.
 */
#include "ptx_found.h"

#include <inttypes.h>

#include "ptx_heap.h"
#include "ptx_said.h"
#include "ptx_sites.h"
#include "ptx_writer.h"

#define MOST_NAME 160 /* characters of a kernel's name */

static void put_place(tma_out *out, const ptx_rows *rows, uint32_t row) {
    const uint32_t function = rows->row[row].function;
    ptx_source outer = {0};
    ptx_source inner = {0};
    int inlined = 0;
    tma_putf(out, PTX_FOUND_LINE "%zu, ", rows->row[row].piece.line);
    if (ptx_rows_source(rows, row, &outer, &inner, &inlined) && outer.file.length) {
        tma_put_printable(out, outer.file.at, outer.file.length);
        tma_putf(out, ":%" PRIu32 ", ", outer.line);
    }
    if (function != PTX_NONE) {
        const tma_ptx_span name = rows->function[function].name;
        tma_put(out, PTX_FOUND_KERNEL);
        tma_put_printable(out, name.at, name.length < MOST_NAME ? name.length : MOST_NAME);
        tma_put(out, ": ");
    }
}

int ptx_note_findings_of(FILE *notes, const ptx_reading *reading) {
    ptx_report r;
    ptx_heap heap = {NULL};
    ptx_writer w;
    ptx_writer_begin(&w, notes, NULL, 0, 0);
    const int failed = ptx_report_of(&r, ptx_heap_more, &heap, reading);
    for (uint32_t i = 0; !failed && i < r.findings; i++) {
        const ptx_finding *f = &r.finding[i];
        if (f->row != PTX_NONE) {
            put_place(&w.out, &r.rows, f->row);
        } else {
            tma_put(&w.out, "  ");
        }
        tma_put(&w.out, f->rule);
        tma_put(&w.out, f->certain ? PTX_FOUND_CERTAIN : PTX_FOUND_MAY);
        tma_put(&w.out, f->text);
        tma_put(&w.out, "\n");
    }
    for (uint32_t i = 0; !failed && i < r.unjudged_count; i++) {
        tma_put(&w.out, "  ");
        ptx_unjudged_put(&w.out, &r, &r.unjudged[i]);
        tma_put(&w.out, "\n");
    }
    ptx_heap_free(&heap);
    return failed || w.failed ? -1 : 0;
}

int ptx_note_findings(FILE *notes, const char *text, size_t size) {
    ptx_heap heap = {NULL};
    ptx_memory memory = ptx_heap_memory(&heap);
    ptx_reading reading;
    const int failed =
        ptx_reading_make(&reading, &memory, text, size) || ptx_note_findings_of(notes, &reading);
    ptx_heap_free(&heap);
    return failed ? -1 : 0;
}
