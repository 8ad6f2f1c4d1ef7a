/* SPDX-License-Identifier: Apache-2.0
 *
 * What a core dump's warps wait for, in words and as JSON.
 */
#ifndef CLI_HANG_VIEW_H
#define CLI_HANG_VIEW_H

#include "core_hang.h"
#include "tma/find.h"
#include "tma/text.h"

#define HANG_MAPS 16

typedef struct hang_map {
    uint32_t grid;
    uint32_t at; /* in the kernel's parameters, or in its constants, in bytes */
    bool in_constants;
    uint64_t copy_B;
    tma_found found;
} hang_map;

typedef struct hang_view {
    const core_hang *hang;
    hang_map maps[HANG_MAPS];
    size_t map_count;
    uint64_t maps_left_out;               /* more of them than fit */
    const core_place *order[CORE_PLACES]; /* the first is what the verdict names */
    size_t waiting;                       /* of them at an mbarrier that keeps them */
} hang_view;

void hang_view_make(hang_view *view, const core_hang *hang, core_read_fn *read, void *context);

/* Whether no sentence can be said, because what would say it is damaged. */
bool hang_is_unreadable(const core_hang *hang);

/* One sentence. */
void hang_verdict(tma_out *out, const hang_view *view);

void hang_print(const hang_view *view);
void hang_print_json(const hang_view *view, const char *path);

/* Whether the place's mbarrier keeps its warps. */
bool hang_place_waits(const core_place *place);

#endif
