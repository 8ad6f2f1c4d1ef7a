/* SPDX-License-Identifier: Apache-2.0
 *
 * Files on their way out.
 */
#include "ptx_writer.h"

#include "tma/detail/assert.h"

static void write_file(void *context, const char *text, size_t length) {
    ptx_writer *w = context;
    w->failed |= fwrite(text, 1, length, w->file) != length;
}

static void write_between(void *context, const char *text, size_t length) {
    ptx_writer *w = context;
    if ((uintptr_t)text - (uintptr_t)w->text < w->size) {
        ptx_rename_end(&w->own);
        write_file(w, text, length);
    } else {
        ptx_rename(&w->own, text, length);
    }
}

void ptx_writer_begin(ptx_writer *w, FILE *file, const char *text, size_t size,
                      uint32_t own_number) {
    *w = (ptx_writer){.file = file, .text = text, .size = size};
    w->out = tma_out_to(write_between, w);
    w->own = (ptx_renamer){.number = own_number, .write = write_file, .context = w};
}

void ptx_copy_until(ptx_writer *w, const char *to) {
    const size_t end = (size_t)(to - w->text);
    ptx_rename_end(&w->own);
    for (; w->withouts && w->without->at + w->without->length <= to; w->without++, w->withouts--) {
        const size_t from = (size_t)(w->without->at - w->text);
        TMA_ASSERT(from >= w->at);
        write_file(w, w->text + w->at, from - w->at);
        w->at = from + w->without->length;
    }
    write_file(w, w->text + w->at, end - w->at);
    w->at = end;
}

int ptx_moves_registers(const tma_ptx_piece *piece) {
    tma_ptx_parts parts;
    return piece->kind == TMA_PTX_PIECE_INSTRUCTION && !tma_ptx_split(&parts, piece) &&
           tma_ptx_is(&parts, "setmaxnreg", NULL);
}

static int is_head(const tma_ptx_piece *piece) {
    static const char *const words[] = {".version", ".target", ".address_size"};
    for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
        if (piece->size > text_length(words[i]) &&
            ptx_begins((tma_ptx_span){piece->at, piece->size}, words[i])) {
            return 1;
        }
    }
    return 0;
}

void ptx_copy_head(ptx_writer *w, const ptx_rows *rows) {
    uint32_t row = 0;
    while (row < rows->rows && is_head(&rows->row[row].piece)) {
        row++;
    }
    ptx_copy_until(w, row < rows->rows ? rows->row[row].piece.at : w->text);
}

void ptx_copy_to_body(ptx_writer *w, const ptx_rows *rows, uint32_t function) {
    const tma_ptx_piece *open = &rows->row[rows->function[function].first].piece;
    ptx_copy_until(w, open->at + open->size);
}

void ptx_copy_to_first(ptx_writer *w, const ptx_rows *rows, uint32_t function) {
    const ptx_function *f = &rows->function[function];
    uint32_t row = f->first + 1;
    while (row < f->end && rows->row[row].piece.kind == TMA_PTX_PIECE_DIRECTIVE) {
        row++;
    }
    ptx_copy_until(w, rows->row[row].piece.at);
}
