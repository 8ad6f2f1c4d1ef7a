/* SPDX-License-Identifier: Apache-2.0
 *
 * The kernel and the source line that a line of a PTX file belongs to.
 */
#include "ptx_where.h"

#include <string.h>

#include "ptx_heap.h"

#define MOST_NAME 120 /* characters */

static size_t cut(size_t length) {
    return length < MOST_NAME ? length : MOST_NAME;
}

static void say(char *to, size_t room, const ptx_rows *rows, uint32_t row) {
    const uint32_t function = rows->row[row].function;
    ptx_source outer = {0};
    ptx_source inner = {0};
    int inlined = 0;
    tma_out out = tma_out_into(to, room);
    if (function != PTX_NONE) {
        const ptx_function *f = &rows->function[function];
        tma_put(&out, f->is_entry ? "kernel " : "function ");
        tma_put_printable(&out, f->name.at, cut(f->name.length));
    }
    if (ptx_rows_source(rows, row, &outer, &inner, &inlined) && outer.file.length) {
        tma_put(&out, out.length ? ", " : "");
        tma_put_printable(&out, outer.file.at, cut(outer.file.length));
        tma_putf(&out, ":%u", (unsigned)outer.line);
    }
}

int ptx_where(char *to, size_t room, const char *text, size_t size, size_t line) {
    ptx_heap heap = {NULL};
    ptx_memory memory = ptx_heap_memory(&heap);
    ptx_rows rows;
    uint32_t row = 0;
    *to = 0;
    const int failed = ptx_rows_read(&rows, &memory, text, size);
    while (!failed && row < rows.rows && rows.row[row].piece.line <= line) {
        row++;
    }
    if (row) { /* the last that begins before the line's end */
        say(to, room, &rows, row - 1);
    }
    ptx_heap_free(&heap);
    return failed ? -1 : 0;
}
