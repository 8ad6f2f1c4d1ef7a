/* SPDX-License-Identifier: Apache-2.0
 *
 * A kernel's record of a hang, as if it were a core dump's.
 */
#include "hang_record.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "cli_error.h"
#include "cli_out.h"
#include "hang_view.h"
#include "printable.h"
#include "tma/barrier.h"

#define TEXT_BYTES  8192
#define SHARED_MASK 0xFFFFFFu
#define HALF        0x80000000u /* times count from a moment before all */

static bool read_maps(void *context, uint64_t at, void *to, size_t size) {
    const tma_hang_record *r = context;
    for (size_t i = 0; i < size; i++) {
        const size_t map = (size_t)(at + i) / TMA_MAP_BYTES;
        ((uint8_t *)to)[i] = ((const uint8_t *)r->map[map].words)[(size_t)(at + i) % TMA_MAP_BYTES];
    }
    return true;
}

/* "name.h:12" */
static uint32_t take_source(char *file, size_t room, const char *text, size_t length) {
    size_t colon = length;
    while (colon && text[colon - 1] != ':') {
        colon--;
    }
    const size_t name = colon ? colon - 1 : length;
    snprintf(file, room, "%.*s", (int)(name < room ? name : room - 1), text);
    uint32_t line = 0;
    return colon && !tma_read_u32(&line, text + colon, length - colon, UINT32_MAX, "", NULL) ? line
                                                                                             : 0;
}

/* "kernel.cu:118, inlined from pipeline.h:40, barriers.h:12": the outermost stands first. */
static void take_line(core_line *line, const char *text) {
    static const char inlined[] = "inlined from ";
    const char *part[CORE_MOST_CALLS + 1];
    size_t length[CORE_MOST_CALLS + 1];
    uint32_t parts = 0;
    while (*text && parts <= CORE_MOST_CALLS) {
        if (strncmp(text, inlined, sizeof(inlined) - 1) == 0) {
            text += sizeof(inlined) - 1;
        }
        const char *end = strstr(text, ", ");
        part[parts] = text;
        length[parts] = end ? (size_t)(end - text) : strlen(text);
        text += length[parts] + (end ? 2 : 0);
        parts++;
    }
    if (!parts) {
        return;
    }
    line->line = take_source(line->file, sizeof(line->file), part[parts - 1], length[parts - 1]);
    line->call_count = parts - 1;
    for (uint32_t i = 0; i + 1 < parts; i++) { /* calls[]: the nearest first */
        core_call *call = &line->calls[parts - 2 - i];
        call->line = take_source(call->file, sizeof(call->file), part[i], length[i]);
    }
}

static uint64_t word_of(uint32_t parity, uint32_t arrivals, int32_t bytes_B) {
    const tma_barrier b = {
        .arrivals_missing = arrivals, .bytes_missing_B = bytes_B, .parity = parity};
    return tma_barrier_word(&b);
}

static void add_beside(core_hang *hang, const tma_hang_wait *w) {
    if (w->beside && hang->word_count < CORE_WORDS) {
        core_word *word = &hang->words[hang->word_count++];
        *word = (core_word){.at = w->beside & SHARED_MASK,
                            .word = word_of(w->open_parity, 1, w->beside_missing_B),
                            .ctas = 1};
    }
}

/* The same wait twice, where two threads left it at one time. */
static core_place *place_of(core_hang *hang, const core_place *p) {
    for (size_t i = 0; i < hang->place_count; i++) {
        core_place *known = &hang->places[i];
        if (known->barrier_at == p->barrier_at && known->parity == p->parity &&
            known->word == p->word && known->pc == p->pc) {
            return known;
        }
    }
    core_place *added = &hang->places[hang->place_count++];
    *added = *p;
    return added;
}

static void add_wait(core_hang *hang, const tma_hang_record *r, const tma_hang_wait *w) {
    core_place p;
    memset(&p, 0, sizeof(p));
    p.wait.kind = CORE_MBARRIER;
    p.wait.sure = true;
    p.pc = w->site;
    p.barrier_at = w->barrier & SHARED_MASK; /* the CTA's place in its cluster stands above */
    p.parity = w->parity;
    p.has_word = true;
    p.no_count = true;
    p.has_since = true;
    p.since_ns = (uint64_t)(w->since - r->wait[0].since + HALF) * r->unit_ns;
    p.word = word_of(w->open_parity, w->arrivals_missing, w->bytes_missing_B);
    memcpy(p.cta, w->block, sizeof(p.cta));
    memcpy(p.thread, w->thread, sizeof(p.thread));
    take_line(&p.line, w->line);
    core_place *kept = place_of(hang, &p);
    kept->since_ns = p.since_ns < kept->since_ns ? p.since_ns : kept->since_ns;
    kept->warps += w->warps;
    kept->lanes += w->warps;
    add_beside(hang, w);
}

static void put_waits(tma_out *out, const hang_view *view) {
    for (size_t i = 0; i < view->hang->place_count; i++) {
        const core_place *p = view->order[i];
        tma_put(out, "  ");
        hang_put_line(out, p);
        tma_putf(out, ": %llu %s, first CTA %u,%u,%u thread %u,%u,%u, at 0x%x for parity %u: ",
                 (unsigned long long)p->warps, p->warps == 1 ? "warp waits" : "warps wait",
                 (unsigned)p->cta[0], (unsigned)p->cta[1], (unsigned)p->cta[2],
                 (unsigned)p->thread[0], (unsigned)p->thread[1], (unsigned)p->thread[2],
                 (unsigned)p->barrier_at, (unsigned)p->parity);
        hang_put_missing(out, p);
        tma_put(out, "\n");
    }
}

static void put_maps(tma_out *out, const hang_view *view, const tma_hang_record *r) {
    for (size_t i = 0; i < view->map_count; i++) {
        const hang_map *m = &view->maps[i];
        const tma_hang_map *kept = &r->map[m->at / TMA_MAP_BYTES];
        tma_putf(
            out, "  map %llu, 0x%llx on the device, loaded from at %.*s: one copy brings %llu B;",
            (unsigned long long)i + 1, (unsigned long long)kept->address,
            (int)strnlen(kept->line, TMA_HANG_MAP_LINE), kept->line, (unsigned long long)m->copy_B);
        tma_put_spec(out, &m->found.decoded.spec);
        tma_put(out, "\n");
    }
}

void hang_record_print(const tma_judge_record_slot *slot) {
    static core_hang hang;
    static hang_view view;
    static char text[TEXT_BYTES];
    tma_hang_record r = slot->hang;
    memset(&hang, 0, sizeof(hang));
    const uint32_t waits = r.waits < TMA_HANG_WAITS ? r.waits : TMA_HANG_WAITS;
    const uint32_t maps = r.maps < TMA_HANG_MAPS ? r.maps : TMA_HANG_MAPS;
    hang.grid_count = 1;
    hang.sm = 90;
    hang.version = CORE_VERSION;
    hang.grids[0].has_params = maps != 0;
    hang.grids[0].sm = hang.sm;
    hang.grids[0].params.size = (uint64_t)maps * TMA_MAP_BYTES;
    for (uint32_t i = 0; i < waits; i++) {
        r.wait[i].line[TMA_HANG_LINE_BYTES - 1] = 0;
        if (r.wait[i].is_whole) {
            add_wait(&hang, &r, &r.wait[i]);
        }
    }
    hang_view_make(&view, &hang, read_maps, &r);
    cli_say("a kernel waited longer than %.3g s and was ended: %.300s", r.limit_ms / 1000.0,
            printable_text(slot->record.function).text);
    tma_out out = tma_out_into(text, sizeof(text));
    hang_verdict(&out, &view);
    tma_put(&out, "\n");
    put_waits(&out, &view);
    put_maps(&out, &view, &r);
    if (r.waits > waits) {
        const unsigned more = r.waits - waits;
        tma_putf(&out, "  %u more wait%s not shown\n", more, more == 1 ? " is" : "s are");
    }
    for (const char *line = text; *line;) {
        const size_t length = strcspn(line, "\n");
        printable_part(stderr, line, length);
        fputc('\n', stderr);
        line += length + (line[length] == '\n');
    }
}
