/* SPDX-License-Identifier: Apache-2.0
 *
 * Tiles.
 */
#include "tile.h"

#include <stdio.h>
#include <string.h>

#include "tma/walk.h"

npy_header tile_array(const copy_args *args) {
    const tma_plan *plan = &args->plan;
    const tma_plan_facts *const facts = tma_plan_info(plan);
    npy_header array;
    memset(&array, 0, sizeof(array));
    snprintf(array.type, sizeof(array.type), "%s", tensor_type(facts->dtype));
    if (facts->mode == TMA_MODE_TILE) {
        for (uint32_t i = facts->rank; i-- > facts->first;) {
            array.shape[array.rank++] = args->report.count[i];
        }
    } else {
        array.shape[array.rank++] = args->report.rows;
    }
    array.shape[array.rank++] = facts->row_B / tensor_item_B(facts->dtype);
    return array;
}

typedef struct unswizzle {
    const tma_plan *plan;
    const tma_window *window;
    uint8_t *tile;
} unswizzle;

static int take_run(void *context, const tma_run *run) {
    const unswizzle *u = context;
    const tma_plan_facts *const p = tma_plan_info(u->plan);
    if (run->kind == TMA_RUN_PADDING) {
        return 0;
    }
    uint32_t payload_B = run->offset_B;
    if (!p->unit_B) {
        payload_B = run->offset_B / p->group_shared_B * p->group_payload_B +
                    run->offset_B % p->group_shared_B;
    }
    memcpy(u->tile + (uint64_t)run->row * p->row_B + payload_B,
           (const uint8_t *)u->window->host + (run->shared_address - u->window->address),
           run->length_B);
    return 0;
}

file_bytes tile_packed(const copy_args *args, const tma_window *window) {
    const npy_header array = tile_array(args);
    const uint64_t size_B = npy_size_B(&array);
    const file_bytes packed = {file_room(size_B), (size_t)size_B};
    unswizzle u = {&args->plan, window, packed.at};
    tma_walk(&args->plan, &args->asked.copy.at, take_run, &u);
    return packed;
}
