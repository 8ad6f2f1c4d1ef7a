/* SPDX-License-Identifier: Apache-2.0
 *
 * What a core dump's warps wait for, as JSON.
 */
#include "hang_view.h"

#include "tma/json.h"

void hang_barrier_json(tma_json *json, uint64_t word) {
    tma_barrier b;
    tma_barrier_read(&b, word);
    tma_json_hex(json, "word", word);
    tma_json_bool(json, "likely", tma_barrier_is_likely(word));
    tma_json_u64(json, "parity", b.parity);
    tma_json_u64(json, "arrivals", b.count);
    tma_json_u64(json, "arrivals_missing", b.arrivals_missing);
    tma_json_i64(json, "bytes_missing_B", b.bytes_missing_B);
    tma_json_bool(json, "error_bit", b.error != 0);
}

static void json_three(tma_json *json, const char *key, const uint32_t *three) {
    tma_json_list(json, key);
    for (size_t d = 0; d < 3; d++) {
        tma_json_u64(json, NULL, three[d]);
    }
    tma_json_end(json);
}

static void json_does(tma_json *json, const core_place *p) {
    tma_out out = tma_json_text_out(json, "does");
    hang_put_kind(&out, p, 2);
    tma_json_text_end(json);
}

static void json_place(tma_json *json, const core_place *p) {
    tma_json_object(json, NULL);
    json_does(json, p);
    tma_json_u64(json, "grid_index", p->grid);
    tma_json_text(json, "function", p->function);
    tma_json_u64(json, "offset_B", p->offset);
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
    json_three(json, "first_cta", p->cta);
    json_three(json, "first_thread", p->thread);
    if (p->wait.bar_known) {
        tma_json_object(json, "bar_sync");
        tma_json_u64(json, "number", p->wait.bar);
        tma_json_u64(json, "threads", p->wait.bar_threads);
        tma_json_end(json);
    }
    if (p->wait.kind == CORE_MBARRIER) {
        tma_json_object(json, "barrier");
        tma_json_hex(json, "at", p->barrier_at);
        tma_json_u64(json, "wait_parity", p->parity);
        tma_json_bool(json, "waits", hang_place_waits(p));
        tma_json_bool(json, "sure", p->wait.sure);
        if (p->has_word) {
            hang_barrier_json(json, p->word);
        }
        tma_json_end(json);
    }
    tma_json_end(json);
}

static void json_grids(tma_json *json, const core_hang *h) {
    tma_json_list(json, "grids");
    for (size_t i = 0; i < h->grid_count; i++) {
        tma_json_object(json, NULL);
        tma_json_u64(json, "device", h->grids[i].device);
        tma_json_u64(json, "sm", h->grids[i].sm);
        tma_json_u64(json, "grid_id", h->grids[i].id);
        json_three(json, "grid_dim", h->grids[i].dim);
        json_three(json, "block_dim", h->grids[i].block);
        tma_json_end(json);
    }
    tma_json_end(json);
}

static void json_words(tma_json *json, const core_hang *h) {
    tma_json_list(json, "words");
    for (size_t i = 0; i < h->word_count; i++) {
        tma_json_object(json, NULL);
        tma_json_u64(json, "grid_index", h->words[i].grid);
        tma_json_hex(json, "at", h->words[i].at);
        hang_barrier_json(json, h->words[i].word);
        tma_json_u64(json, "ctas", h->words[i].ctas);
        json_three(json, "first_cta", h->words[i].cta);
        tma_json_end(json);
    }
    tma_json_end(json);
}

static void json_map(tma_json *json, const hang_view *view, const hang_map *m) {
    tma_finding found[HANG_MAP_FINDINGS];
    const size_t count = hang_judge_map(found, view, m);
    tma_json_object(json, NULL);
    tma_json_u64(json, "grid_index", m->grid);
    tma_json_u64(json, m->in_constants ? "constant_B" : "parameter_B", m->at);
    tma_json_u64(json, "copy_B", m->copy_B);
    if (m->gather_B) {
        tma_json_u64(json, "gather_B", m->gather_B);
    }
    tma_json_spec(json, "spec", &m->found.decoded.spec);
    tma_json_list(json, "findings");
    for (size_t k = 0; k < count; k++) {
        tma_json_finding(json, NULL, &found[k]);
    }
    tma_json_end(json);
    tma_json_end(json);
}

void hang_json(tma_json *json, const hang_view *view) {
    const core_hang *h = view->hang;
    tma_out out = tma_json_text_out(json, "verdict");
    hang_verdict(&out, view);
    tma_json_text_end(json);
    tma_json_u64(json, "sm", h->sm);
    tma_json_u64(json, "dump_version", h->version);
    tma_json_bool(json, "version_known", h->version == CORE_VERSION);
    tma_json_bool(json, "rows_longer", h->newer);
    tma_json_u64(json, "sections_damaged", h->damaged);
    tma_json_u64(json, "lanes_left_out", h->left_out);
    tma_json_u64(json, "places_unsearched", h->unsearched);
    tma_json_u64(json, "grids_left_out", h->grids_left_out);
    tma_json_u64(json, "maps_left_out", view->maps_left_out);
    tma_json_u64(json, "ctas", h->ctas);
    tma_json_u64(json, "warps", h->warps);
    json_grids(json, h);
    tma_json_list(json, "places");
    for (size_t i = 0; i < h->place_count; i++) {
        json_place(json, view->order[i]);
    }
    tma_json_end(json);
    json_words(json, h);
    tma_json_list(json, "maps");
    for (size_t i = 0; i < view->map_count; i++) {
        json_map(json, view, &view->maps[i]);
    }
    tma_json_end(json);
}
