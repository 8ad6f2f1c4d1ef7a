/* SPDX-License-Identifier: Apache-2.0
 *
 * What a core dump's warps wait for, in words.
 */
#include "hang_view.h"

#include <string.h>

#include "tma/detail/chars.h"
#include "tma/view.h"

#define MANY(n) text_plural(n)
#define ULL(n)  ((unsigned long long)(n))

/* What one does, what several do, and with what. */
static const struct {
    const char *one, *many, *what;
} kinds[CORE_WAIT_KINDS] = {
    [CORE_RUNS] = {"runs", "run", ""},
    [CORE_MBARRIER] = {"waits", "wait", " at an mbarrier"},
    [CORE_BAR_SYNC] = {"waits", "wait", " at a barrier of the CTA (bar.sync, __syncthreads)"},
    [CORE_CLUSTER] = {"waits", "wait", " at the cluster's barrier (barrier.cluster.wait)"},
    [CORE_GROUP] = {"waits", "wait", " for a group of asynchronous copies or wgmma (wait_group)"},
    [CORE_GRID] = {"waits", "wait", " for the grid before (griddepcontrol.wait)"},
    [CORE_SPIN_GLOBAL] = {"reads", "read", " global memory again and again"},
    [CORE_SPIN_SHARED] = {"reads", "read", " shared memory again and again"},
    [CORE_CONVERGES] = {"waits", "wait", " for other lanes"},
    [CORE_UNKNOWN] = {"is", "are", " at code that is not understood"},
};

void hang_put_kind(tma_out *out, const core_place *p, uint64_t warps) {
    tma_putf(out, "%s%s", warps == 1 ? kinds[p->wait.kind].one : kinds[p->wait.kind].many,
             kinds[p->wait.kind].what);
}

static void put_file_line(tma_out *out, const char *file, uint32_t line) {
    const char *slash = strrchr(file, '/');
    tma_putf(out, "%s:%u", slash ? slash + 1 : file, (unsigned)line);
}

void hang_put_line(tma_out *out, const core_place *p) {
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

void hang_put_missing(tma_out *out, const core_place *p) {
    const tma_barrier b = hang_barrier(p);
    tma_put_barrier_missing(out, &b);
}

/* "one box of map 1": so many bytes in boxes of one of the kernel's maps; 0 where they are none. */
static int put_boxes(tma_out *out, const hang_view *view, uint32_t grid, uint64_t bytes) {
    int said = 0;
    for (size_t i = 0; i < view->map_count; i++) {
        const hang_map *m = &view->maps[i];
        if (m->grid == grid && m->copy_B && bytes % m->copy_B == 0 && bytes / m->copy_B <= 8) {
            tma_putf(out, "%s%llu %s of map %llu", said++ ? " or " : "", ULL(bytes / m->copy_B),
                     bytes == m->copy_B ? "box" : "boxes", ULL(i) + 1);
        }
    }
    return said;
}

/* Where bytes went that nobody expected there. */
typedef struct elsewhere {
    uint32_t at;
    int64_t bytes_B;
    const core_place *place; /* others wait there; null: nobody does */
} elsewhere;

static uint32_t far(uint32_t a, uint32_t b) {
    return a > b ? a - b : b - a;
}

static void nearer(elsewhere *best, const core_place *p, uint32_t at, uint64_t word,
                   const core_place *place) {
    tma_barrier b;
    tma_barrier_read(&b, word);
    if (b.bytes_missing_B < 0 &&
        (!best->bytes_B || far(at, p->barrier_at) < far(best->at, p->barrier_at))) {
        *best = (elsewhere){at, -(int64_t)b.bytes_missing_B, place};
    }
}

static elsewhere with_too_many(const hang_view *view, const core_place *p) {
    elsewhere best = {0, 0, NULL};
    for (size_t i = 0; i < view->hang->word_count; i++) {
        const core_word *w = &view->hang->words[i];
        if (w->grid == p->grid) {
            nearer(&best, p, w->at, w->word, NULL);
        }
    }
    for (size_t i = 0; i < view->hang->place_count; i++) {
        const core_place *other = &view->hang->places[i];
        if (other->grid == p->grid && hang_place_waits(other) && !hang_is_no_barrier(other)) {
            nearer(&best, p, other->barrier_at, other->word, other);
        }
    }
    return best;
}

static void put_elsewhere(tma_out *out, const core_place *p, const elsewhere *e) {
    tma_putf(out, "; %lld B came to the barrier at 0x%x", (long long)e->bytes_B, (unsigned)e->at);
    if (e->place && memcmp(e->place->cta, p->cta, sizeof(p->cta)) != 0) {
        tma_putf(out, " of CTA %u,%u,%u", (unsigned)e->place->cta[0], (unsigned)e->place->cta[1],
                 (unsigned)e->place->cta[2]);
    }
    tma_put(out, ", where nobody expected them");
}

static bool has_maps(const hang_view *view, uint32_t grid) {
    for (size_t i = 0; i < view->map_count; i++) {
        if (view->maps[i].grid == grid) {
            return true;
        }
    }
    return false;
}

/* Where the bytes that lack went; how many boxes they are, where a map is known. */
static void put_bytes(tma_out *out, const hang_view *view, const core_place *p) {
    const tma_barrier b = hang_barrier(p);
    const long long bytes = b.bytes_missing_B;
    const elsewhere e = bytes > 0 ? with_too_many(view, p) : (elsewhere){0, 0, NULL};
    if (e.bytes_B) {
        put_elsewhere(out, p, &e);
    }
    if (bytes == 0 || !has_maps(view, p->grid)) {
        return;
    }
    tma_putf(out, bytes > 0 ? "; %lld B are " : "; %lld B too many are ",
             bytes > 0 ? bytes : -bytes);
    if (!put_boxes(out, view, p->grid, ULL(bytes > 0 ? bytes : -bytes))) {
        tma_put(out, "no number of boxes of its maps");
        tma_put(out, bytes > 0 ? "" : ": the expectation");
    }
}

/* Two sides that wait for each other leave the same words whichever was wrong: said, not chosen. */
static void put_other_side(tma_out *out, const hang_view *view, const core_place *p) {
    for (size_t i = 1; i < view->hang->place_count && hang_rank(p) == HANG_ALL_ARRIVALS; i++) {
        const core_place *other = view->order[i];
        if (hang_place_waits(other) && other->grid == p->grid &&
            other->barrier_at != p->barrier_at) {
            tma_putf(out, " At 0x%x (", (unsigned)other->barrier_at);
            hang_put_line(out, other);
            if (p->has_since && other->since_ns > p->since_ns) {
                tma_putf(out, ") others wait, too, since %llu us later.",
                         (unsigned long long)(other->since_ns - p->since_ns) / 1000);
                return;
            }
            tma_putf(
                out,
                ") others wait, too: the %s does not tell which of the two sides may be wrong.",
                p->has_since ? "record" : "dump");
            return;
        }
    }
}

static void put_no_place(tma_out *out, const core_hang *h) {
    if (hang_is_unreadable(h)) {
        tma_putf(out, "What the warps wait for cannot be said: %u section%s %s cut off or damaged.",
                 (unsigned)h->damaged, MANY(h->damaged), h->damaged == 1 ? "is" : "are");
    } else {
        tma_put(out, "No warp is running in this dump.");
    }
}

/* Code that is not sm_90's, or not there: what a word in shared memory says. */
static void put_likely(tma_out *out, const hang_view *view) {
    const core_hang *h = view->hang;
    const core_place *p = view->order[0];
    const uint32_t sm = hang_sm(h, p->grid);
    char why[64];
    tma_out reason = tma_out_into(why, sizeof(why));
    if (sm && sm != 90) {
        tma_putf(&reason, "sm_%u's code is not understood", (unsigned)sm);
    } else {
        tma_put(&reason, "its code is not in the dump");
    }
    if (!view->likely) {
        tma_putf(out,
                 "What the warps wait for is not known: %s, and no word in shared memory is an "
                 "mbarrier's that lacks bytes or some of its arrivals.",
                 why);
        return;
    }
    core_place likely = {.grid = view->likely->grid,
                         .barrier_at = view->likely->at,
                         .word = view->likely->word,
                         .has_word = true};
    memcpy(likely.cta, view->likely->cta, sizeof(likely.cta));
    tma_putf(out, "Likely waits at the mbarrier at 0x%x (%s): ", (unsigned)likely.barrier_at, why);
    hang_put_missing(out, &likely);
    put_bytes(out, view, &likely);
    tma_put(out, ".");
}

static void put_no_mbarrier(tma_out *out, const core_hang *h, const core_place *p) {
    tma_putf(out, "No warp%s is kept by an mbarrier%s: %llu warp%s ",
             h->damaged ? " that can be read" : "",
             p->wait.kind != CORE_MBARRIER ? ""
             : p->has_word                 ? " (the phases waited for are over)"
                                           : " that is in the dump",
             ULL(p->warps), MANY(p->warps));
    hang_put_kind(out, p, p->warps);
    tma_put(out, " at ");
    hang_put_line(out, p);
    if (p->wait.bar_known) {
        tma_putf(out, ", barrier %u", (unsigned)p->wait.bar);
        if (p->wait.bar_threads) {
            tma_putf(out, " for %u threads", (unsigned)p->wait.bar_threads);
        }
    }
    tma_put(out, ".");
}

void hang_verdict(tma_out *out, const hang_view *view) {
    const core_hang *h = view->hang;
    if (h->place_count == 0) {
        put_no_place(out, h);
        return;
    }
    const core_place *p = view->order[0];
    const tma_barrier b = hang_barrier(p);
    if (!hang_place_waits(p)) {
        if (p->wait.kind == CORE_UNKNOWN) {
            put_likely(out, view);
        } else {
            put_no_mbarrier(out, h, p);
        }
        return;
    }
    if (hang_is_no_barrier(p)) {
        tma_putf(out, "The mbarrier at 0x%x (", (unsigned)p->barrier_at);
        hang_put_line(out, p);
        tma_putf(out, ") was never initialised, or was written over: its word is 0x%016llx.",
                 (unsigned long long)p->word);
        return;
    }
    tma_putf(out, "%s at the mbarrier at 0x%x (", p->wait.sure ? "Waits" : "Likely waits",
             (unsigned)p->barrier_at);
    hang_put_line(out, p);
    tma_put(out, "): ");
    tma_put_barrier_missing(out, &b);
    put_bytes(out, view, p);
    tma_put(out, ".");
    put_other_side(out, view, p);
}

static void put_place(tma_out *out, const hang_view *view, const core_place *p) {
    const bool waits = hang_place_waits(p);
    tma_put(out, "  ");
    hang_put_line(out, p);
    tma_putf(out,
             ": %llu warp%s (%llu lane%s) in %llu of %llu CTA%s, first CTA %u,%u,%u thread %u, ",
             ULL(p->warps), MANY(p->warps), ULL(p->lanes), MANY(p->lanes), ULL(p->ctas),
             ULL(view->hang->ctas), MANY(view->hang->ctas), (unsigned)p->cta[0],
             (unsigned)p->cta[1], (unsigned)p->cta[2], (unsigned)p->thread[0]);
    if (p->wait.kind != CORE_MBARRIER) {
        hang_put_kind(out, p, p->warps);
        tma_put(out, "\n");
        return;
    }
    const bool one = p->warps == 1;
    if (!p->has_word) {
        tma_putf(out, "%s at the mbarrier at 0x%x, whose word is not in the dump\n",
                 one ? "waits" : "wait", (unsigned)p->barrier_at);
        return;
    }
    const tma_barrier b = hang_barrier(p);
    tma_putf(out, "%s the mbarrier at 0x%x for parity %u\n",
             waits ? one ? "waits at" : "wait at"
             : one ? "has passed or is about to pass"
                   : "have passed or are about to pass",
             (unsigned)p->barrier_at, (unsigned)p->parity);
    tma_putf(out, "    word 0x%016llx: ", ULL(p->word));
    if (hang_is_no_barrier(p)) {
        tma_put(out, "no mbarrier's word\n");
        return;
    }
    tma_put_barrier_missing(out, &b);
    tma_putf(out, "; phase parity %u is open%s\n", (unsigned)b.parity,
             p->wait.sure ? "" : "; likely: its registers may have changed");
}

static void put_maps(tma_out *out, const hang_view *view, uint32_t grid) {
    for (size_t i = 0; i < view->map_count; i++) {
        const hang_map *m = &view->maps[i];
        tma_finding found[HANG_MAP_FINDINGS];
        if (m->grid != grid) {
            continue;
        }
        const size_t count = hang_judge_map(found, view, m);
        tma_putf(out, "  map %llu, byte 0x%x of the dump's %s: one copy brings %llu B", ULL(i) + 1,
                 (unsigned)m->at, m->in_constants ? "constants" : "parameters", ULL(m->copy_B));
        if (m->gather_B) {
            tma_putf(out, ", a gather4 %llu B", ULL(m->gather_B));
        }
        tma_put(out, ";");
        tma_put_spec(out, &m->found.decoded.spec);
        tma_put(out, "\n");
        for (size_t k = 0; k < count; k++) {
            char text[1024];
            tma_finding_text(text, sizeof(text), &found[k]);
            tma_putf(out, "    %s: %s\n", tma_rule_of(found[k].rule)->name, text);
        }
    }
}

static void put_words(tma_out *out, const core_hang *h, uint32_t grid) {
    for (size_t i = 0; i < h->word_count; i++) {
        const core_word *w = &h->words[i];
        tma_barrier b;
        if (w->grid != grid) {
            continue;
        }
        tma_barrier_read(&b, w->word);
        tma_putf(out, "  0x%x, likely an mbarrier%s: word 0x%016llx: ", (unsigned)w->at,
                 w->may_wait ? "" : ", nobody waits there", ULL(w->word));
        tma_put_barrier_missing(out, &b);
        tma_putf(out, " (%llu CTA%s, first %u,%u,%u)\n", ULL(w->ctas), MANY(w->ctas),
                 (unsigned)w->cta[0], (unsigned)w->cta[1], (unsigned)w->cta[2]);
    }
}

/* A kernel's name and, where the dump has several, which run of it. */
static void put_kernel(tma_out *out, const hang_view *view, const core_place *p) {
    const core_hang *h = view->hang;
    if (p->function[0]) {
        tma_putf(out, "%s", p->function);
    }
    if (h->grid_count > 1 && p->grid < h->grid_count) {
        const core_grid *g = &h->grids[p->grid];
        tma_putf(out, "%sdevice %u, grid %llu, %u x %u x %u CTAs", p->function[0] ? ": " : "",
                 (unsigned)g->device, ULL(g->id), (unsigned)g->dim[0], (unsigned)g->dim[1],
                 (unsigned)g->dim[2]);
    }
    if (p->function[0] || h->grid_count > 1) {
        tma_put(out, "\n");
    }
}

/* All that is known of one grid, that of the place; its name changes where warps call. */
static void put_grid(tma_out *out, const hang_view *view, const core_place *first) {
    const core_place *named = first;
    put_kernel(out, view, first);
    for (size_t i = 0; i < view->hang->place_count; i++) {
        const core_place *p = view->order[i];
        if (p->grid == first->grid) {
            if (strcmp(p->function, named->function) != 0) {
                tma_putf(out, " in %s\n",
                         p->function[0] ? p->function : "code that is not in the dump");
                named = p;
            }
            put_place(out, view, p);
        }
    }
    put_words(out, view->hang, first->grid);
    put_maps(out, view, first->grid);
}

static bool is_first_of_grid(const hang_view *view, size_t place) {
    for (size_t i = 0; i < place; i++) {
        if (view->order[i]->grid == view->order[place]->grid) {
            return false;
        }
    }
    return true;
}

static void put_notes(tma_out *out, const hang_view *view) {
    const core_hang *h = view->hang;
    bool other_code = h->sm != 90;
    for (size_t i = 0; i < h->grid_count; i++) {
        other_code |= h->grids[i].sm && h->grids[i].sm != 90;
    }
    if (view->maps_left_out) {
        tma_putf(out, "note: %llu more map%s\n", ULL(view->maps_left_out),
                 MANY(view->maps_left_out));
    }
    if (h->version != CORE_VERSION) {
        tma_putf(out,
                 "note: a dump of version %u; version %u was tried: what is said may be wrong\n",
                 (unsigned)h->version, CORE_VERSION);
    }
    if (other_code) {
        tma_put(out, "note: not sm_90: its machine code is not understood, so that words in "
                     "shared memory are only likely mbarriers\n");
    }
    if (h->newer) {
        tma_put(out, "note: this dump's rows are longer than those of driver r580: what is new in "
                     "them was not read\n");
    }
    if (h->damaged) {
        tma_putf(out, "note: %u section%s cut off or damaged and %s not read\n",
                 (unsigned)h->damaged, h->damaged == 1 ? " is" : "s are",
                 h->damaged == 1 ? "was" : "were");
    }
    if (h->left_out) {
        tma_putf(out, "note: %llu more lane%s elsewhere\n", ULL(h->left_out),
                 h->left_out == 1 ? " waits" : "s wait");
    }
    if (h->unsearched) {
        tma_putf(out,
                 "note: the code of %llu place%s was not searched for to the end: the dump has too "
                 "many images and places\n",
                 ULL(h->unsearched), MANY(h->unsearched));
    }
    if (h->grids_left_out) {
        tma_putf(out, "note: %llu more grid%s, whose maps were not read\n", ULL(h->grids_left_out),
                 MANY(h->grids_left_out));
    }
}

void hang_put(tma_out *out, const hang_view *view) {
    hang_verdict(out, view);
    tma_put(out, "\n\n");
    for (size_t i = 0; i < view->hang->place_count; i++) {
        if (is_first_of_grid(view, i)) {
            put_grid(out, view, view->order[i]);
        }
    }
    for (uint32_t g = 0; view->hang->place_count == 0 && g < view->hang->grid_count; g++) {
        put_maps(out, view, g);
    }
    put_notes(out, view);
}
