/* SPDX-License-Identifier: Apache-2.0
 *
 * The part of a tensor that one copy touches, so that tensors of any size can be copied from.
 */
#include <stdlib.h>
#include <string.h>

#include "tensor.h"
#include "tma/walk.h"

#define NEAR_B 4096 /* rows so near to each other share a range */

typedef struct row_list {
    tma_range *rows;
    size_t count, room;
} row_list;

static int keep_row(void *context, const tma_run *run) {
    row_list *list = context;
    if (run->kind != TMA_RUN_INSIDE && run->kind != TMA_RUN_PAST_EDGE) {
        return 0;
    }
    if (list->count == list->room) {
        list->room = 2 * list->room + 16;
        list->rows = cli_got(realloc(list->rows, list->room * sizeof(*list->rows)));
    }
    list->rows[list->count++] =
        (tma_range){.address = run->address, .size_B = run->global_length_B};
    return 0;
}

static int by_address(const void *a, const void *b) {
    const tma_range *left = a;
    const tma_range *right = b;
    return (left->address > right->address) - (left->address < right->address);
}

/* Rows that overlap or are near become one. */
static void join_rows(row_list *list) {
    size_t last = 0;
    for (size_t i = 1; i < list->count; i++) {
        tma_range *into = &list->rows[last];
        const tma_range *row = &list->rows[i];
        const uint64_t from_B = row->address - into->address;
        if (from_B > into->size_B + NEAR_B) {
            list->rows[++last] = *row;
        } else if (from_B + row->size_B > into->size_B) {
            into->size_B = from_B + row->size_B;
        }
    }
    list->count = list->count ? last + 1 : 0;
}

static row_list rows_of(const tma_plan *plan, const tma_position *at) {
    row_list list = {NULL, 0, 0};
    tma_walk_rows(plan, at, keep_row, &list);
    if (list.count) {
        qsort(list.rows, list.count, sizeof(*list.rows), by_address);
    }
    return list;
}

tensor tensor_touched(const tensor *held, const tma_plan *plan, const tma_position *at) {
    const row_list list = rows_of(plan, at);
    for (size_t i = 0; i < list.count; i++) {
        list.rows[i].host = tensor_at(held, list.rows[i].address, list.rows[i].size_B);
    }
    return (tensor){list.rows, list.count, {NULL, 0}};
}

void tensor_part(tensor *out, const tma_plan *plan, const tma_position *at) {
    row_list list = rows_of(plan, at);
    uint64_t size_B = 0;
    join_rows(&list);
    for (size_t i = 0; i < list.count; i++) {
        size_B += list.rows[i].size_B;
    }
    out->bytes = (file_bytes){file_room(size_B), (size_t)size_B};
    out->ranges = list.rows;
    out->count = list.count;
    uint8_t *host = out->bytes.at;
    for (size_t i = 0; i < list.count; i++) {
        list.rows[i].host = host;
        host += list.rows[i].size_B;
    }
}
