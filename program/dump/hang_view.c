/* SPDX-License-Identifier: Apache-2.0
 *
 * A core dump's waits: which comes first, and the maps beside them.
 */
#include "hang_view.h"

#include <string.h>

#include "tma/limits.def"
#include "tma/measure.h"
#include "tma/plan.h"

tma_barrier hang_barrier(const core_place *p) {
    tma_barrier b;
    tma_barrier_read(&b, p->word);
    b.count = p->no_count ? 0 : b.count;
    return b;
}

bool hang_is_no_barrier(const core_place *p) {
    const tma_barrier b = hang_barrier(p);
    const bool likely =
        p->no_count ? b.arrivals_missing || b.bytes_missing_B : tma_barrier_is_likely(p->word);
    return p->wait.kind == CORE_MBARRIER && p->has_word && !likely;
}

bool hang_place_waits(const core_place *p) {
    const tma_barrier b = hang_barrier(p);
    return p->wait.kind == CORE_MBARRIER && p->has_word && tma_barrier_waits(&b, p->parity);
}

/* What is no barrier; bytes, which only an expectation or a copy can be wrong about, those that
 * lack before those that are too many; some arrivals of several; no arrival at all, which may wait
 * for others; what waits for something else; what waits no more. */
int hang_rank(const core_place *p) {
    const tma_barrier b = hang_barrier(p);
    if (!hang_place_waits(p)) {
        return p->wait.kind == CORE_MBARRIER    ? 6
               : p->wait.kind == CORE_CONVERGES ? 8
               : p->wait.kind == CORE_RUNS      ? 7
                                                : 5;
    }
    return hang_is_no_barrier(p)          ? 0
           : b.bytes_missing_B > 0        ? 1
           : b.bytes_missing_B < 0        ? 2
           : b.arrivals_missing < b.count ? 3
                                          : HANG_ALL_ARRIVALS;
}

static bool goes_before(const core_place *a, const core_place *b) {
    const int one = hang_rank(a);
    const int other = hang_rank(b);
    if (one == other && a->has_since && b->has_since && a->since_ns != b->since_ns) {
        return a->since_ns < b->since_ns;
    }
    return one != other ? one < other : a->lanes < b->lanes;
}

static void order_places(hang_view *view) {
    for (size_t i = 0; i < view->hang->place_count; i++) {
        const core_place *p = &view->hang->places[i];
        size_t k = i;
        for (; k > 0 && goes_before(p, view->order[k - 1]); k--) {
            view->order[k] = view->order[k - 1];
        }
        view->order[k] = p;
        view->waiting += hang_place_waits(p);
    }
    /* A producer (few lanes) and consumers that wait for each other, all arrivals missing: where
     * both are in the same phase the consumers are behind, and theirs is the arrival that lacks. */
    if (view->waiting == 2 && hang_rank(view->order[0]) == HANG_ALL_ARRIVALS &&
        !view->order[0]->has_since && view->order[0]->parity == view->order[1]->parity &&
        view->order[0]->barrier_at != view->order[1]->barrier_at) {
        const core_place *first = view->order[0];
        view->order[0] = view->order[1];
        view->order[1] = first;
    }
}

/* The chip's own features, as its newest family has them. */
static tma_target target_of(const hang_view *view, uint32_t grid) {
    return (tma_target){
        .sm = hang_sm(view->hang, grid), .suffix = 'a', .driver = TMA_VALUE(SEEN_DRIVER)};
}

static uint64_t gather_of(const hang_view *view, const hang_map *m) {
    const tma_instruction gather = {.op = TMA_OP_LOAD, .mode = TMA_MODE_GATHER4};
    const tma_target target = target_of(view, m->grid);
    uint8_t map[TMA_MAP_BYTES];
    const tma_position origin = {.coord = {0}};
    tma_plan plan;
    tma_report_result report;
    return tma_arch_of(&target) && tma_encode(map, &m->found.decoded.spec, &target) == TMA_OK &&
                   tma_plan_make(&plan, map, &gather, &target, NULL) == TMA_OK &&
                   tma_plan_report(&report, &plan, &origin, NULL) == TMA_OK
               ? report.tx_B
               : 0;
}

static void add_map(hang_view *view, uint32_t grid, bool in_constants, const tma_found *found) {
    tma_measure_result measure;
    if (view->map_count == HANG_MAPS) {
        view->maps_left_out++;
        return;
    }
    hang_map *map = &view->maps[view->map_count++];
    *map = (hang_map){.grid = grid,
                      .at = (uint32_t)found->offset,
                      .in_constants = in_constants,
                      .copy_B = found->decoded.box_B,
                      .found = *found};
    if (tma_measure(&measure, &found->decoded.spec, NULL) == TMA_OK) {
        map->copy_B = measure.copy_B;
    }
    map->gather_B = gather_of(view, map);
}

static void find_in(hang_view *view, uint32_t grid, bool in_constants, const uint8_t *bytes,
                    size_t size) {
    tma_found found;
    size_t at = 0;
    while (tma_find_next(&found, bytes, size, &at, size)) {
        add_map(view, grid, in_constants, &found);
    }
}

static void find_maps(hang_view *view, uint32_t number, core_read_fn *read, void *context) {
    uint8_t *bytes = view->bytes;
    const core_grid *grid = &view->hang->grids[number];
    const size_t params_B =
        grid->params.size < sizeof(view->bytes) ? (size_t)grid->params.size : sizeof(view->bytes);
    const size_t constants_B =
        grid->constants_B < sizeof(view->bytes) ? grid->constants_B : sizeof(view->bytes);
    if (grid->has_params && read(context, grid->params.at, bytes, params_B)) {
        find_in(view, number, false, bytes, params_B);
    }
    if (grid->has_constants && read(context, grid->constants_at, bytes, constants_B)) {
        find_in(view, number, true, bytes, constants_B);
    }
}

static bool first_is_unknown(const hang_view *view) {
    return view->hang->place_count && view->order[0]->wait.kind == CORE_UNKNOWN;
}

/* What more CTAs have, for data is rarely alike; then what lacks bytes. */
static bool is_likelier(const core_word *a, const core_word *b) {
    tma_barrier one;
    tma_barrier other;
    tma_barrier_read(&one, a->word);
    tma_barrier_read(&other, b->word);
    return a->ctas != b->ctas ? a->ctas > b->ctas
                              : one.bytes_missing_B > 0 && other.bytes_missing_B <= 0;
}

void hang_view_make(hang_view *view, const core_hang *hang, core_read_fn *read, void *context) {
    memset(view, 0, sizeof(*view));
    view->hang = hang;
    order_places(view);
    for (size_t i = 0; i < hang->word_count && first_is_unknown(view); i++) {
        const core_word *w = &hang->words[i];
        if (w->may_wait && (!view->likely || is_likelier(w, view->likely))) {
            view->likely = w;
        }
    }
    const uint32_t first = hang->place_count ? view->order[0]->grid : 0;
    if (first < hang->grid_count) { /* before there is no room for its maps */
        find_maps(view, first, read, context);
    }
    for (uint32_t g = 0; g < hang->grid_count; g++) {
        if (g != first) {
            find_maps(view, g, read, context);
        }
    }
}

uint32_t hang_sm(const core_hang *hang, uint32_t grid) {
    const uint32_t sm = grid < hang->grid_count ? hang->grids[grid].sm : 0;
    return sm ? sm : hang->sm;
}

size_t hang_judge_map(tma_finding *found, const hang_view *view, const hang_map *m) {
    const tma_target target = target_of(view, m->grid);
    const size_t count = tma_check(found, HANG_MAP_FINDINGS, &m->found.decoded.spec,
                                   tma_arch_of(&target) ? &target : NULL);
    return count < HANG_MAP_FINDINGS ? count : HANG_MAP_FINDINGS;
}

bool hang_is_unreadable(const core_hang *hang) {
    return hang->place_count == 0 && (hang->damaged || hang->left_out);
}
