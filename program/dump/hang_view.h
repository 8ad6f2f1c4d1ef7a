/* SPDX-License-Identifier: Apache-2.0
 *
 * What a core dump's warps wait for: which comes first, in words, and as JSON.
 */
#ifndef DUMP_HANG_VIEW_H
#define DUMP_HANG_VIEW_H

#include "core_hang.h"
#include "tma/barrier.h"
#include "tma/check.h"
#include "tma/find.h"
#include "tma/json.h"
#include "tma/text.h"

#define HANG_MAPS         16
#define HANG_MAP_FINDINGS 8

typedef struct hang_map {
    uint32_t grid;
    uint32_t at; /* in the kernel's parameters, or in its constants, in bytes */
    bool in_constants;
    uint64_t copy_B;
    uint64_t gather_B; /* one gather4 of it; 0: its chip, or its box, has none */
    tma_found found;
} hang_map;

typedef struct hang_view {
    const core_hang *hang;
    hang_map maps[HANG_MAPS];
    size_t map_count;
    uint64_t maps_left_out;               /* more of them than fit */
    const core_place *order[CORE_PLACES]; /* the first is what the verdict names */
    size_t waiting;                       /* of them at an mbarrier that keeps them */
    const core_word *likely; /* where code is not understood: what the verdict names, or null */
    uint8_t bytes[CORE_MOST_PARAMS_B]; /* where maps are looked for: too much for a small stack */
} hang_view;

void hang_view_make(hang_view *view, const core_hang *hang, core_read_fn *read, void *context);

/* Whether no sentence can be said, because what would say it is damaged. */
bool hang_is_unreadable(const core_hang *hang);

/* Whether the place's mbarrier keeps its warps; whether its word is one that no init left. */
bool hang_place_waits(const core_place *place);
bool hang_is_no_barrier(const core_place *place);

/* What the place's word says. */
tma_barrier hang_barrier(const core_place *place);

/* The lower, the nearer to the cause; HANG_ALL_ARRIVALS is a wait that may be another's fault. */
int hang_rank(const core_place *place);
enum { HANG_ALL_ARRIVALS = 4 };

/* The architecture that ran a grid, 90 of sm_90; 0: not said. */
uint32_t hang_sm(const core_hang *hang, uint32_t grid);

/* What is wrong with a map, for the chip that ran it: at most HANG_MAP_FINDINGS. */
size_t hang_judge_map(tma_finding *found, const hang_view *view, const hang_map *map);

/* One sentence. */
void hang_verdict(tma_out *out, const hang_view *view);

/* "kernel.cu:118, inlined from pipeline.h:40"; what the place's mbarrier lacks; "wait at an
 * mbarrier", "waits" for one warp. */
void hang_put_line(tma_out *out, const core_place *place);
void hang_put_missing(tma_out *out, const core_place *place);
void hang_put_kind(tma_out *out, const core_place *place, uint64_t warps);

/* The verdict and the evidence, lines of text. */
void hang_put(tma_out *out, const hang_view *view);

/* The same as the members of an object that is open; and of an mbarrier's word. */
void hang_json(tma_json *json, const hang_view *view);
void hang_barrier_json(tma_json *json, uint64_t word);

#endif
