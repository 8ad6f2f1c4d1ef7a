/* SPDX-License-Identifier: Apache-2.0 */
#include "by_address.h"

static int is_behind(const emu_piece *a, const emu_piece *b) {
    return a->address != b->address ? a->address > b->address : a->index > b->index;
}

/* A heap, the last piece on top, but for the piece at `at`: that sinks to its place. */
static void sink(emu_piece *piece, uint32_t at, uint32_t count) {
    const emu_piece sinks = piece[at];
    for (uint32_t below = 2 * at + 1; below < count; below = 2 * at + 1) {
        below += below + 1 < count && is_behind(&piece[below + 1], &piece[below]);
        if (!is_behind(&piece[below], &sinks)) {
            break;
        }
        piece[at] = piece[below];
        at = below;
    }
    piece[at] = sinks;
}

void emu_sort_pieces(emu_piece *piece, uint32_t count) {
    for (uint32_t i = count / 2; i-- > 0;) {
        sink(piece, i, count);
    }
    for (uint32_t i = count; i-- > 1;) {
        const emu_piece last = piece[0];
        piece[0] = piece[i];
        piece[i] = last;
        sink(piece, 0, i);
    }
}

const emu_piece *emu_overlap(const emu_piece *piece, uint32_t count) {
    for (uint32_t i = 0; i + 1 < count; i++) {
        if (piece[i + 1].address - piece[i].address < piece[i].size_B) {
            return &piece[i];
        }
    }
    return 0;
}

uint32_t emu_pieces_below(const emu_piece *piece, uint32_t count, uint64_t address) {
    uint32_t low = 0, high = count;
    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;
        if (piece[middle].address < address) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}
