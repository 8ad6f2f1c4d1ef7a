/* SPDX-License-Identifier: Apache-2.0
 *
 * Registers of kernels whose file has no block size.
 */
#include "ptx_cap.h"

#include <stdlib.h>
#include <string.h>

#include "ptx_heap.h"
#include "ptx_writer.h"

/* CUDA's cuda_occupancy.h, the same from compute capability 3.7 to 12.0: an SM has 65,536 registers
 * in four parts, a warp lies in one part and takes them by 256, a thread has 255 at most; a block
 * has 1,024 threads at most (CUDA programming guide, compute capabilities). */
#define PART_REGISTERS 16384u
#define PARTS          4u
#define WARP_THREADS   32u
#define UNIT           (256u / WARP_THREADS)
#define MOST_WARPS     (PTX_CAP_MOST_THREADS / WARP_THREADS)

uint32_t ptx_cap_of(uint32_t registers, uint32_t *threads) {
    const uint32_t taken = registers ? (registers + UNIT - 1) / UNIT * UNIT : UNIT;
    uint32_t warps = PART_REGISTERS / (taken * WARP_THREADS); /* of one part */
    warps = warps > MOST_WARPS / PARTS ? MOST_WARPS / PARTS : warps;
    warps = warps ? warps : 1;
    const uint32_t most = PART_REGISTERS / (warps * WARP_THREADS) / UNIT * UNIT;
    *threads = warps * PARTS * WARP_THREADS;
    return most < PTX_CAP_NONE ? most : PTX_CAP_NONE;
}

/* Behind a comment that begins at `i`; `i` where none does. */
static size_t behind_comment(const char *text, size_t size, size_t i) {
    if (i + 1 < size && text[i] == '/' && text[i + 1] == '/') {
        const char *end = memchr(text + i, '\n', size - i);
        return end ? (size_t)(end - text) : size;
    }
    if (i + 1 < size && text[i] == '/' && text[i + 1] == '*') {
        const char *end = text_within(text + i + 2, size - i - 2, "*/");
        return end ? (size_t)(end - text) + 2 : size;
    }
    return i;
}

/* Whether a kernel's head bounds its registers. */
static int is_bounded(tma_ptx_span head) {
    static const char *const words[] = {".maxntid", ".reqntid", ".maxnreg"};
    for (size_t at = 0; at < head.length; at++) {
        at = behind_comment(head.at, head.length, at);
        for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
            const size_t length = strlen(words[i]);
            if (head.length - at > length && !memcmp(head.at + at, words[i], length) &&
                !text_is_word(head.at[at + length])) {
                return 1;
            }
        }
    }
    return 0;
}

/* ptxas moves loads of a long kernel far ahead, and an MMA's operands are there all at once. A
 * short kernel is assembled soon, one run behind the other. */
#define LONG_ROWS  4000u
#define WIDE_NAMES 64u

int ptx_cap_is_likely(const ptx_rows *rows, const ptx_function *f) {
    int likely = f->end - f->first > LONG_ROWS;
    for (uint32_t row = f->first; row < f->end && !likely; row++) {
        likely = rows->row[row].refs > WIDE_NAMES;
    }
    return likely && f->is_entry && !is_bounded(f->head);
}

/* Whether a body has what checks bring: all their names begin so. */
static int has_checks(const ptx_rows *rows, const ptx_function *f) {
    if (f->first >= f->end) {
        return 0;
    }
    const char *from = rows->row[f->first].piece.at;
    const tma_ptx_piece *last = &rows->row[f->end - 1].piece;
    return text_within(from, (size_t)(last->at + last->size - from), "libtma") != NULL;
}

/* A function of the file's own that has checks may be called by any kernel. */
static int any_function_has_checks(const ptx_rows *rows) {
    for (uint32_t i = 0; i < rows->functions; i++) {
        const ptx_function *f = &rows->function[i];
        const int is_own = f->name.length > 6 && !memcmp(f->name.at, "libtma", 6);
        if (!f->is_entry && !is_own && has_checks(rows, f)) {
            return 1;
        }
    }
    return 0;
}

int ptx_cap_kernels(ptx_cap **caps, const char *text, size_t size) {
    ptx_heap heap = {NULL};
    ptx_memory memory = ptx_heap_memory(&heap);
    ptx_rows rows;
    uint32_t count = 0;
    *caps = NULL;
    const int failed = ptx_rows_read(&rows, &memory, text, size);
    if (!failed) {
        *caps = calloc((size_t)rows.functions + 1, sizeof(**caps));
    }
    const int any = !failed && any_function_has_checks(&rows);
    for (uint32_t i = 0; *caps && i < rows.functions; i++) {
        const ptx_function *f = &rows.function[i];
        if (f->is_entry && f->first < f->end && !is_bounded(f->head) &&
            (any || has_checks(&rows, f))) {
            (*caps)[count++] = (ptx_cap){f->name, PTX_CAP_NONE};
        }
    }
    ptx_heap_free(&heap);
    return failed || !*caps ? -1 : (int)count;
}

static const ptx_cap *cap_of(const ptx_cap *cap, uint32_t caps, tma_ptx_span name) {
    for (uint32_t i = 0; i < caps; i++) {
        if (cap[i].registers < PTX_CAP_NONE && ptx_same(cap[i].name, name)) {
            return &cap[i];
        }
    }
    return NULL;
}

/* The body without its setmaxnreg. */
static void put_body(ptx_writer *w, const ptx_rows *rows, const ptx_function *f) {
    for (uint32_t row = f->first; row < f->end; row++) {
        const tma_ptx_piece *piece = &rows->row[row].piece;
        if (ptx_moves_registers(piece)) {
            ptx_copy_until(w, piece->at);
            w->at += piece->size;
        }
    }
}

int ptx_cap_write(FILE *out, const char *text, size_t size, const ptx_cap *cap, uint32_t caps) {
    ptx_heap heap = {NULL};
    ptx_memory memory = ptx_heap_memory(&heap);
    ptx_rows rows;
    ptx_writer w;
    const int failed = ptx_rows_read(&rows, &memory, text, size);
    ptx_writer_begin(&w, out, text, size, 0);
    for (uint32_t i = 0; !failed && i < rows.functions; i++) {
        const ptx_function *f = &rows.function[i];
        const ptx_cap *its = f->first < f->end ? cap_of(cap, caps, f->name) : NULL;
        if (its) {
            ptx_copy_until(&w, rows.row[f->first].piece.at);
            tma_putf(&w.out, "\n.maxnreg %u\n", (unsigned)its->registers);
            put_body(&w, &rows, f);
        }
    }
    ptx_copy_until(&w, text + size);
    ptx_heap_free(&heap);
    return failed || w.failed ? -1 : 0;
}
