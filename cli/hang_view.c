/* SPDX-License-Identifier: Apache-2.0
 *
 * A core dump's waits: which comes first, and in which words.
 */
#include "hang_view.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "barrier_view.h"
#include "cli_out.h"
#include "tma/measure.h"
#include "tma/view.h"

#define MAP_FINDINGS 8

static const char *const kinds[CORE_WAIT_KINDS] = {
    [CORE_RUNS] = "run",
    [CORE_MBARRIER] = "wait at an mbarrier",
    [CORE_BAR_SYNC] = "wait at a barrier of the CTA (bar.sync, __syncthreads)",
    [CORE_CLUSTER] = "wait at the cluster's barrier (barrier.cluster.wait)",
    [CORE_GROUP] = "wait for a group of asynchronous copies or wgmma (wait_group)",
    [CORE_GRID] = "wait for the grid before (griddepcontrol.wait)",
    [CORE_SPIN_GLOBAL] = "read global memory again and again",
    [CORE_SPIN_SHARED] = "read shared memory again and again",
    [CORE_CONVERGES] = "wait for other lanes of their warp",
    [CORE_UNKNOWN] = "are at code that is not understood",
};

static tma_barrier barrier_of(const core_place *p) {
    tma_barrier b;
    tma_barrier_read(&b, p->word);
    return b;
}

/* A word that no init left: the wait is for nothing. */
static bool is_no_barrier(const core_place *p) {
    return p->wait.kind == CORE_MBARRIER && p->has_word && !tma_barrier_is_likely(p->word);
}

bool hang_place_waits(const core_place *p) {
    const tma_barrier b = barrier_of(p);
    return p->wait.kind == CORE_MBARRIER && p->has_word && tma_barrier_waits(&b, p->parity);
}

/* The lower, the nearer to the cause: what is no barrier; bytes, which only an expectation or a
 * copy can be wrong about; some arrivals of several; no arrival at all, which may wait for others.
 */
static int rank_of(const core_place *p) {
    const tma_barrier b = barrier_of(p);
    if (!hang_place_waits(p)) {
        return p->wait.kind == CORE_MBARRIER    ? 6
               : p->wait.kind == CORE_CONVERGES ? 8
               : p->wait.kind == CORE_RUNS      ? 7
                                                : 5;
    }
    return is_no_barrier(p) ? 0 : b.bytes_missing_B ? 1 : b.arrivals_missing < b.count ? 2 : 3;
}

static bool goes_before(const core_place *a, const core_place *b) {
    const int one = rank_of(a);
    const int other = rank_of(b);
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
    if (view->waiting == 2 && rank_of(view->order[0]) == 3 &&
        view->order[0]->parity == view->order[1]->parity &&
        view->order[0]->barrier_at != view->order[1]->barrier_at) {
        const core_place *first = view->order[0];
        view->order[0] = view->order[1];
        view->order[1] = first;
    }
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
}

static void find_in(hang_view *view, uint32_t grid, bool in_constants, const uint8_t *bytes,
                    size_t size) {
    tma_found found;
    size_t at = 0;
    while (tma_find_next(&found, bytes, size, &at, size)) {
        add_map(view, grid, in_constants, &found);
    }
}

static void find_maps(hang_view *view, core_read_fn *read, void *context) {
    static uint8_t bytes[CORE_MOST_PARAMS_B];
    for (uint32_t g = 0; g < view->hang->grid_count; g++) {
        const core_grid *grid = &view->hang->grids[g];
        const size_t params_B =
            grid->params.size < sizeof(bytes) ? (size_t)grid->params.size : sizeof(bytes);
        const size_t constants_B =
            grid->constants_B < sizeof(bytes) ? grid->constants_B : sizeof(bytes);
        if (grid->has_params && read(context, grid->params.at, bytes, params_B)) {
            find_in(view, g, false, bytes, params_B);
        }
        if (grid->has_constants && read(context, grid->constants_at, bytes, constants_B)) {
            find_in(view, g, true, bytes, constants_B);
        }
    }
}

void hang_view_make(hang_view *view, const core_hang *hang, core_read_fn *read, void *context) {
    memset(view, 0, sizeof(*view));
    view->hang = hang;
    find_maps(view, read, context);
    order_places(view);
}

static void put_file_line(tma_out *out, const char *file, uint32_t line) {
    const char *slash = strrchr(file, '/');
    tma_putf(out, "%s:%u", slash ? slash + 1 : file, (unsigned)line);
}

static void put_line(tma_out *out, const core_place *p) {
    for (uint32_t i = p->line.call_count; i > 0; i--) {
        put_file_line(out, p->line.calls[i - 1].file, p->line.calls[i - 1].line);
        tma_put(out, i == p->line.call_count ? ", inlined from " : ", ");
    }
    if (p->line.line) {
        put_file_line(out, p->line.file, p->line.line);
    } else {
        tma_putf(out, "PC 0x%llx", (unsigned long long)(p->function[0] ? p->offset : p->pc));
    }
}

/* "one box of map 1": so many bytes in boxes of one of the kernel's maps; 0 where they are none. */
static int put_boxes(tma_out *out, const hang_view *view, uint32_t grid, uint64_t bytes) {
    int said = 0;
    for (size_t i = 0; i < view->map_count; i++) {
        const hang_map *m = &view->maps[i];
        if (m->grid == grid && m->copy_B && bytes % m->copy_B == 0 && bytes / m->copy_B <= 8) {
            tma_putf(out, "%s%llu %s of map %llu", said++ ? " or " : "",
                     (unsigned long long)(bytes / m->copy_B), bytes == m->copy_B ? "box" : "boxes",
                     (unsigned long long)i + 1);
        }
    }
    return said;
}

static const core_word *with_too_many(const hang_view *view, const core_place *p) {
    const core_word *best = NULL;
    for (size_t i = 0; i < view->hang->word_count; i++) {
        const core_word *w = &view->hang->words[i];
        tma_barrier b;
        tma_barrier_read(&b, w->word);
        const uint32_t far = w->at > p->barrier_at ? w->at - p->barrier_at : p->barrier_at - w->at;
        const uint32_t best_far = !best                      ? UINT32_MAX
                                  : best->at > p->barrier_at ? best->at - p->barrier_at
                                                             : p->barrier_at - best->at;
        if (w->grid == p->grid && b.bytes_missing_B < 0 && far < best_far) {
            best = w;
        }
    }
    return best;
}

static void put_bytes(tma_out *out, const hang_view *view, const core_place *p) {
    const tma_barrier b = barrier_of(p);
    const core_word *beside = b.bytes_missing_B > 0 ? with_too_many(view, p) : NULL;
    if (b.bytes_missing_B > 0) {
        tma_barrier other = {0};
        if (beside) {
            tma_barrier_read(&other, beside->word);
            tma_putf(out, "; %lld B came to the barrier at 0x%x, where nobody expected them",
                     -(long long)other.bytes_missing_B, (unsigned)beside->at);
        }
        tma_put(out, "; ");
        tma_putf(out, "%lld B are ", (long long)b.bytes_missing_B);
        if (!put_boxes(out, view, p->grid, (uint64_t)b.bytes_missing_B)) {
            tma_put(out, "no number of boxes of its maps");
        }
    } else if (b.bytes_missing_B < 0) {
        tma_putf(out, "; %lld B too many are ", -(long long)b.bytes_missing_B);
        if (!put_boxes(out, view, p->grid, (uint64_t) - (int64_t)b.bytes_missing_B)) {
            tma_put(out, "no number of boxes of its maps: the expectation");
        }
    }
}

/* Two sides that wait for each other leave the same words whichever was wrong: said, not chosen. */
static void put_other_side(tma_out *out, const hang_view *view, const core_place *p) {
    for (size_t i = 1; i < view->hang->place_count && rank_of(p) == 3; i++) {
        const core_place *other = view->order[i];
        if (hang_place_waits(other) && other->grid == p->grid &&
            other->barrier_at != p->barrier_at) {
            tma_putf(out, " At 0x%x (", (unsigned)other->barrier_at);
            put_line(out, other);
            tma_put(out, ") others wait, too: the dump does not tell which of the two sides may "
                         "be wrong.");
            return;
        }
    }
}

bool hang_is_unreadable(const core_hang *hang) {
    return hang->place_count == 0 && (hang->damaged || hang->left_out);
}

static void put_no_place(tma_out *out, const core_hang *h) {
    if (hang_is_unreadable(h)) {
        tma_putf(out, "What the warps wait for cannot be said: %u sections are cut off or damaged.",
                 (unsigned)h->damaged);
    } else {
        tma_put(out, "No warp is running in this dump.");
    }
}

void hang_verdict(tma_out *out, const hang_view *view) {
    const core_hang *h = view->hang;
    if (h->place_count == 0) {
        put_no_place(out, h);
        return;
    }
    const core_place *p = view->order[0];
    const tma_barrier b = barrier_of(p);
    if (!hang_place_waits(p)) {
        tma_putf(out, "No warp%s is kept by an mbarrier%s: %llu %s %s at ",
                 h->damaged ? " that can be read" : "",
                 p->wait.kind != CORE_MBARRIER ? ""
                 : p->has_word                 ? " (the phases waited for are over)"
                                               : " that is in the dump",
                 (unsigned long long)p->warps, p->warps == 1 ? "warp" : "warps",
                 kinds[p->wait.kind]);
        put_line(out, p);
        if (p->wait.bar_known) {
            tma_putf(out, ", barrier %u", (unsigned)p->wait.bar);
            if (p->wait.bar_threads) {
                tma_putf(out, " for %u threads", (unsigned)p->wait.bar_threads);
            }
        }
        tma_put(out, ".");
        return;
    }
    if (is_no_barrier(p)) {
        tma_putf(out, "The mbarrier at 0x%x (", (unsigned)p->barrier_at);
        put_line(out, p);
        tma_putf(out, ") was never initialised, or was written over: its word is 0x%016llx.",
                 (unsigned long long)p->word);
        return;
    }
    tma_putf(out, "%s at the mbarrier at 0x%x (", p->wait.sure ? "Waits" : "Likely waits",
             (unsigned)p->barrier_at);
    put_line(out, p);
    tma_put(out, "): ");
    tma_put_barrier_missing(out, &b);
    put_bytes(out, view, p);
    tma_put(out, ".");
    put_other_side(out, view, p);
}

static void print_place(const hang_view *view, const core_place *p) {
    tma_out out = out_to(stdout);
    const bool waits = hang_place_waits(p);
    tma_put(&out, "  ");
    put_line(&out, p);
    tma_putf(&out, ": %llu %s (%llu lanes) in %llu of %llu CTAs, first CTA %u,%u,%u thread %u, ",
             (unsigned long long)p->warps, p->warps == 1 ? "warp" : "warps",
             (unsigned long long)p->lanes, (unsigned long long)p->ctas,
             (unsigned long long)view->hang->ctas, (unsigned)p->cta[0], (unsigned)p->cta[1],
             (unsigned)p->cta[2], (unsigned)p->thread[0]);
    if (p->wait.kind != CORE_MBARRIER) {
        tma_putf(&out, "%s\n", kinds[p->wait.kind]);
        return;
    }
    if (!p->has_word) {
        tma_putf(&out, "wait at the mbarrier at 0x%x, whose word is not in the dump\n",
                 (unsigned)p->barrier_at);
        return;
    }
    const tma_barrier b = barrier_of(p);
    tma_putf(&out, "%s the mbarrier at 0x%x for parity %u\n",
             waits ? "wait at" : "have passed or are about to pass", (unsigned)p->barrier_at,
             (unsigned)p->parity);
    tma_putf(&out, "    word 0x%016llx: ", (unsigned long long)p->word);
    if (is_no_barrier(p)) {
        tma_put(&out, "no mbarrier's word\n");
        return;
    }
    tma_put_barrier_missing(&out, &b);
    tma_putf(&out, "; phase parity %u is open%s\n", (unsigned)b.parity,
             p->wait.sure ? "" : "; likely: its registers may have changed");
}

/* What is wrong with a map, for the chip that ran it. */
static size_t judge_map(tma_finding *found, const hang_view *view, const hang_map *m) {
    const tma_target target = {.sm = view->hang->sm, .suffix = 'a', .driver = 13000};
    const size_t count = tma_check(found, MAP_FINDINGS, &m->found.decoded.spec,
                                   tma_arch_of(&target) ? &target : NULL);
    return count < MAP_FINDINGS ? count : MAP_FINDINGS;
}

static void print_maps(const hang_view *view) {
    tma_out out = out_to(stdout);
    for (size_t i = 0; i < view->map_count; i++) {
        const hang_map *m = &view->maps[i];
        tma_finding found[MAP_FINDINGS];
        const size_t count = judge_map(found, view, m);
        tma_putf(&out, "  map %llu, byte 0x%x of the dump's %s: one copy brings %llu B;",
                 (unsigned long long)i + 1, (unsigned)m->at,
                 m->in_constants ? "constants" : "parameters", (unsigned long long)m->copy_B);
        tma_put_spec(&out, &m->found.decoded.spec);
        tma_put(&out, "\n");
        for (size_t k = 0; k < count; k++) {
            char text[1024];
            tma_finding_text(text, sizeof(text), &found[k]);
            tma_putf(&out, "    %s: %s\n", tma_rule_of(found[k].rule)->name, text);
        }
    }
    if (view->maps_left_out) {
        tma_putf(&out, "note: %llu more maps\n", (unsigned long long)view->maps_left_out);
    }
}

static void print_words(const hang_view *view) {
    tma_out out = out_to(stdout);
    for (size_t i = 0; i < view->hang->word_count; i++) {
        const core_word *w = &view->hang->words[i];
        tma_barrier b;
        tma_barrier_read(&b, w->word);
        tma_putf(&out, "  0x%x, likely an mbarrier, nobody waits there: word 0x%016llx: ",
                 (unsigned)w->at, (unsigned long long)w->word);
        tma_put_barrier_missing(&out, &b);
        tma_putf(&out, " (%llu CTAs, first %u,%u,%u)\n", (unsigned long long)w->ctas,
                 (unsigned)w->cta[0], (unsigned)w->cta[1], (unsigned)w->cta[2]);
    }
}

static const char *function_of(const hang_view *view) {
    return view->hang->place_count && view->order[0]->function[0] ? view->order[0]->function : "";
}

void hang_print(const hang_view *view) {
    const core_hang *h = view->hang;
    tma_out out = out_to(stdout);
    hang_verdict(&out, view);
    tma_put(&out, "\n\n");
    if (*function_of(view)) {
        tma_putf(&out, "%s\n", function_of(view));
    }
    for (size_t i = 0; i < h->place_count; i++) {
        print_place(view, view->order[i]);
    }
    print_words(view);
    print_maps(view);
    if (h->version != CORE_VERSION) {
        tma_putf(&out,
                 "note: a dump of version %u; version %u was tried: what is said may be "
                 "wrong\n",
                 (unsigned)h->version, CORE_VERSION);
    }
    if (h->sm != 90) {
        tma_put(&out, "note: not sm_90: its machine code is not understood, so that words in "
                      "shared memory are only likely mbarriers\n");
    }
    if (h->newer) {
        tma_put(&out, "note: this dump's rows are longer than those of driver r580: what is new in "
                      "them was not read\n");
    }
    if (h->damaged) {
        tma_putf(&out, "note: %u sections are cut off or damaged and were not read\n",
                 (unsigned)h->damaged);
    }
    if (h->left_out) {
        tma_putf(&out, "note: %llu more lanes wait elsewhere\n", (unsigned long long)h->left_out);
    }
}

static void json_place(tma_json *json, const core_place *p) {
    tma_json_object(json, NULL);
    tma_json_text(json, "does", kinds[p->wait.kind]);
    tma_json_text(json, "function", p->function);
    tma_json_u64(json, "offset", p->offset);
    tma_json_text(json, "file", p->line.file);
    tma_json_u64(json, "line", p->line.line);
    tma_json_list(json, "inlined_into");
    for (uint32_t i = 0; i < p->line.call_count; i++) {
        tma_json_object(json, NULL);
        tma_json_text(json, "file", p->line.calls[i].file);
        tma_json_u64(json, "line", p->line.calls[i].line);
        tma_json_end(json);
    }
    tma_json_end(json);
    tma_json_u64(json, "ctas", p->ctas);
    tma_json_u64(json, "warps", p->warps);
    tma_json_u64(json, "lanes", p->lanes);
    if (p->wait.kind == CORE_MBARRIER && p->has_word) {
        tma_json_object(json, "barrier");
        tma_json_hex(json, "at", p->barrier_at);
        tma_json_u64(json, "wait_parity", p->parity);
        tma_json_bool(json, "waits", hang_place_waits(p));
        tma_json_bool(json, "sure", p->wait.sure);
        barrier_json(json, p->word);
        tma_json_end(json);
    }
    tma_json_end(json);
}

static void json_findings(tma_json *json, const hang_view *view, const hang_map *m) {
    tma_finding found[MAP_FINDINGS];
    const size_t count = judge_map(found, view, m);
    tma_json_list(json, "findings");
    for (size_t k = 0; k < count; k++) {
        tma_json_finding(json, NULL, &found[k]);
    }
    tma_json_end(json);
}

void hang_print_json(const hang_view *view, const char *path) {
    out_json line;
    tma_json *json = out_json_begin(&line, "hang");
    tma_json_text(json, "input", path);
    tma_out out = tma_json_text_out(json, "verdict");
    hang_verdict(&out, view);
    tma_json_text_end(json);
    tma_json_u64(json, "version", view->hang->version);
    tma_json_bool(json, "version_known", view->hang->version == CORE_VERSION);
    tma_json_u64(json, "sections_damaged", view->hang->damaged);
    tma_json_u64(json, "lanes_left_out", view->hang->left_out);
    tma_json_u64(json, "ctas", view->hang->ctas);
    tma_json_u64(json, "warps", view->hang->warps);
    tma_json_list(json, "places");
    for (size_t i = 0; i < view->hang->place_count; i++) {
        json_place(json, view->order[i]);
    }
    tma_json_end(json);
    tma_json_list(json, "words");
    for (size_t i = 0; i < view->hang->word_count; i++) {
        tma_json_object(json, NULL);
        tma_json_hex(json, "at", view->hang->words[i].at);
        barrier_json(json, view->hang->words[i].word);
        tma_json_end(json);
    }
    tma_json_end(json);
    tma_json_list(json, "maps");
    for (size_t i = 0; i < view->map_count; i++) {
        tma_json_object(json, NULL);
        tma_json_u64(json, view->maps[i].in_constants ? "constant_B" : "parameter_B",
                     view->maps[i].at);
        tma_json_u64(json, "copy_B", view->maps[i].copy_B);
        tma_json_spec(json, "spec", &view->maps[i].found.decoded.spec);
        json_findings(json, view, &view->maps[i]);
        tma_json_end(json);
    }
    tma_json_end(json);
    out_json_end(&line);
}
