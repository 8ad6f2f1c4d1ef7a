/* SPDX-License-Identifier: Apache-2.0
 *
 * The pass over a core dump's sections.
 */
#include "core_pass.h"

#include <string.h>

#include "tma/barrier.h"
#include "tma/detail/assert.h"

#define WINDOW_B    0x400 /* what lies below is the system's */
#define NEAR_B      512   /* barriers lie together */
#define MOST_ARRIVE 16384 /* threads of a cluster: data has larger numbers */

/* The shortest rows that have what is read here, and the longest that are known. */
enum { CTA_ROW = 20, WARP_ROW = 16, LANE_ROW = 32, LANE_STATE = 52 };
enum { LONGEST_WARP = 64, LONGEST_LANE = 56, LONGEST_CTA = 56 };

/* A lane's state in the convergence barrier unit (cudadebugger.h, from driver r575 on). */
enum { STATE_EXITED = 0, STATE_READY = 1, STATE_BLOCKED = 6, STATE_BLOCKED_LAST = 24 };

bool core_row(core_pass *p, const core_section *s, uint64_t row, uint8_t *to, size_t least) {
    TMA_ASSERT(least && least <= CORE_MOST_ROW_B);
    if (s->row_B < least || row >= s->size / s->row_B) {
        return false;
    }
    const size_t size = s->row_B < CORE_MOST_ROW_B ? (size_t)s->row_B : CORE_MOST_ROW_B;
    memset(to, 0, CORE_MOST_ROW_B);
    return core_elf_bytes(&p->elf, s, row * s->row_B, to, size);
}

static bool same_place(const core_place *a, const core_place *b) {
    return a->pc + (uint64_t)(int64_t)a->wait.at == b->pc + (uint64_t)(int64_t)b->wait.at &&
           a->grid == b->grid && a->wait.kind == b->wait.kind && a->barrier_at == b->barrier_at &&
           a->parity == b->parity && a->word == b->word;
}

static void add_lane(core_pass *p, const core_place *found) {
    core_hang *out = p->out;
    size_t i = 0;
    TMA_ASSERT(out->place_count <= CORE_PLACES);
    while (i < out->place_count && !same_place(&out->places[i], found)) {
        i++;
    }
    if (i == CORE_PLACES) {
        out->left_out++;
        return;
    }
    core_place *place = &out->places[i];
    if (i == out->place_count) {
        out->place_count++;
        *place = *found;
        place->ctas = place->warps = place->lanes = 0;
        place->last_cta = place->last_warp = 0;
        memcpy(place->cta, p->cta, sizeof(p->cta));
    }
    place->lanes++;
    place->ctas += place->last_cta != p->cta_serial;
    place->warps += place->last_warp != p->warp_serial;
    place->last_cta = p->cta_serial;
    place->last_warp = p->warp_serial;
}

/* A barrier of no more arrivals than a CTA has threads; copies bring multiples of 16 bytes. */
static bool is_usual(uint64_t word) {
    tma_barrier b;
    tma_barrier_read(&b, word);
    return b.count <= 1024 && b.bytes_missing_B % 16 == 0;
}

static size_t unusual(const core_hang *out) {
    size_t i = 0;
    TMA_ASSERT(out->word_count == CORE_WORDS);
    while (i < CORE_WORDS && is_usual(out->words[i].word)) {
        i++;
    }
    return i;
}

static void add_word(core_pass *p, uint32_t at, uint64_t word) {
    core_hang *out = p->out;
    size_t i = 0;
    TMA_ASSERT(out->word_count <= CORE_WORDS);
    while (i < out->word_count && !(out->words[i].at == at && out->words[i].word == word &&
                                    out->words[i].grid == p->grid)) {
        i++;
    }
    if (i == CORE_WORDS) { /* data looks like barriers, too: what looks more like one stays */
        i = is_usual(word) ? unusual(out) : CORE_WORDS;
        if (i == CORE_WORDS) {
            return;
        }
        out->words[i].at = WINDOW_B - 1;
    }
    TMA_ASSERT(i < CORE_WORDS);
    if (i == out->word_count || out->words[i].at < WINDOW_B) {
        out->word_count += i == out->word_count;
        out->words[i] =
            (core_word){.grid = p->grid, .at = at, .word = word, .may_wait = p->unknown_code};
        memcpy(out->words[i].cta, p->cta, sizeof(p->cta));
    }
    out->words[i].ctas++;
}

/* A barrier that says something: bytes, or some of its arrivals. */
static bool says_something(uint64_t word) {
    tma_barrier b;
    tma_barrier_read(&b, word);
    return tma_barrier_is_likely(word) && b.count <= MOST_ARRIVE &&
           (b.bytes_missing_B || b.arrivals_missing < b.count);
}

static void look_at_words(core_pass *p, uint64_t from, uint64_t to) {
    uint8_t bytes[1024];
    TMA_ASSERT(p->waited_count <= CORE_WAITED);
    for (uint64_t at = from & ~UINT64_C(7); at + 8 <= to; at += sizeof(bytes)) {
        const uint64_t left = to - at;
        const size_t size = left < sizeof(bytes) ? (size_t)left : sizeof(bytes);
        if (!core_elf_bytes(&p->elf, &p->shared, at, bytes, size)) {
            return;
        }
        for (size_t i = 0; i + 8 <= size; i += 8) {
            bool is_waited = false;
            for (size_t k = 0; k < p->waited_count; k++) {
                is_waited |= p->waited[k] == at + i;
            }
            if (!is_waited && says_something(core_u64(bytes + i))) {
                add_word(p, (uint32_t)(at + i), core_u64(bytes + i));
            }
        }
    }
}

/* Behind the last lane of a CTA: what lies where it, or CTAs of its grid before it, wait at
 * barriers. A copy's bytes may have come to a CTA that waits for nothing. */
static void end_cta(core_pass *p) {
    if (!p->in_cta) {
        return;
    }
    if (p->unknown_code) {
        look_at_words(p, WINDOW_B, p->shared.size);
    } else if (p->waited_to && p->waited_grid == p->grid) {
        const uint64_t from =
            p->waited_from > WINDOW_B + NEAR_B ? p->waited_from - NEAR_B : WINDOW_B;
        const uint64_t to = p->waited_to + (uint64_t)NEAR_B;
        look_at_words(p, from, to < p->shared.size ? to : p->shared.size);
    }
    p->waited_count = 0;
    p->unknown_code = p->in_cta = false;
}

/* A table of CTAs links to its SM, and the SMs' to their device. */
static uint32_t device_of(core_pass *p, const core_section *ctas) {
    core_section sms;
    return core_elf_section(&p->elf, ctas->link, &sms) ? sms.info : 0;
}

static void begin_cta(core_pass *p, uint64_t number, const core_section *warps) {
    core_section table;
    uint8_t row[CORE_MOST_ROW_B];
    end_cta(p);
    p->warp_table = number;
    p->in_cta = true;
    p->cta_serial++;
    p->out->ctas++;
    p->out->newer |= warps->row_B > LONGEST_WARP;
    if (p->shared.link != warps->link || p->shared.info != warps->info) {
        memset(&p->shared, 0, sizeof(p->shared)); /* another CTA's */
    }
    if (!core_elf_section(&p->elf, warps->link, &table) ||
        !core_row(p, &table, warps->info, row, CTA_ROW)) {
        p->out->damaged++;
        return;
    }
    p->out->newer |= table.row_B > LONGEST_CTA;
    for (size_t d = 0; d < 3; d++) {
        p->cta[d] = core_u32(row + 8 + 4 * d);
    }
    const uint32_t device = device_of(p, &table);
    p->sm = core_device_sm(p, device);
    p->sm = p->sm ? p->sm : p->out->sm;
    p->grid = core_grid_number(p, device, core_u64(row));
}

static core_place place_of(const core_pass *p, uint32_t lane) {
    const core_code *c = p->code_of[lane];
    core_place place;
    TMA_ASSERT(c); /* of a lane that has not ended */
    memset(&place, 0, sizeof(place));
    place.wait = c->wait;
    place.pc = c->pc;
    place.offset = c->offset;
    place.grid = p->grid;
    place.line = c->line;
    memcpy(place.function, c->function, sizeof(c->function));
    memcpy(place.thread, p->thread[lane], sizeof(place.thread));
    return place;
}

/* One lane of a warp, by its row. */
static void lane_at(core_pass *p, uint32_t lane, const uint8_t *row, uint32_t state) {
    if (state == STATE_EXITED) {
        return;
    }
    core_code *c = core_code_at(p, core_u64(row));
    const bool is_blocked = state >= STATE_BLOCKED && state <= STATE_BLOCKED_LAST;
    p->out->lanes++;
    for (size_t d = 0; d < 3; d++) {
        p->thread[lane][d] = core_u32(row + 20 + 4 * d);
    }
    p->code_of[lane] = c;
    if (c->wait.kind != CORE_MBARRIER || is_blocked) {
        core_place place = place_of(p, lane);
        if (is_blocked) { /* its registers say nothing of what the others wait for */
            place.wait = (core_wait){.kind = CORE_CONVERGES};
            p->code_of[lane] = NULL;
        }
        add_lane(p, &place);
    }
}

static void lanes(core_pass *p, uint64_t number, const core_section *s) {
    core_section table;
    uint8_t warp[CORE_MOST_ROW_B];
    uint8_t row[CORE_MOST_ROW_B];
    memset(p->code_of, 0, sizeof(p->code_of));
    p->lane_table = number;
    p->warp_serial++;
    if (p->uregs.link != s->link || p->uregs.info != s->info) {
        memset(&p->uregs, 0, sizeof(p->uregs));
    }
    if (!core_elf_section(&p->elf, s->link, &table) ||
        !core_row(p, &table, s->info, warp, WARP_ROW)) {
        p->out->damaged++;
        return;
    }
    p->out->warps++;
    p->out->newer |= s->row_B > LONGEST_LANE;
    for (uint32_t lane = 0; lane < CORE_LANES_A_WARP; lane++) {
        if (core_u32(warp + 12) >> lane & 1 && core_row(p, s, lane, row, LANE_ROW)) {
            lane_at(p, lane, row, s->row_B >= LANE_STATE ? core_u32(row + 48) : STATE_READY);
        }
    }
}

static bool value_of(const core_pass *p, const core_section *s, uint32_t number, uint32_t zero,
                     uint32_t *value) {
    uint8_t bytes[4];
    *value = 0;
    if (number == zero) {
        return true;
    }
    if (!core_elf_bytes(&p->elf, s, number * (uint64_t)4, bytes, 4)) {
        return false;
    }
    *value = core_u32(bytes);
    return true;
}

static void add_waited(core_pass *p, uint32_t at) {
    if (p->waited_grid != p->grid || !p->waited_to) {
        p->waited_grid = p->grid;
        p->waited_from = p->waited_to = at;
    }
    p->waited_from = at < p->waited_from ? at : p->waited_from;
    p->waited_to = at > p->waited_to ? at : p->waited_to;
    size_t i = 0;
    while (i < p->waited_count && p->waited[i] != at) {
        i++;
    }
    if (i == p->waited_count && i < CORE_WAITED) {
        p->waited[p->waited_count++] = at;
    }
}

static void registers(core_pass *p, const core_section *s) {
    const uint32_t lane = s->info;
    uint32_t a = 0, u = 0, parity = 0;
    if (s->link != p->lane_table || lane >= CORE_LANES_A_WARP || !p->code_of[lane] ||
        p->code_of[lane]->wait.kind != CORE_MBARRIER) {
        return;
    }
    const core_wait *wait = &p->code_of[lane]->wait;
    TMA_ASSERT(wait->register_ <= 255 && wait->uniform <= 63 && wait->parity_register <= 255);
    if (!value_of(p, s, wait->register_, 255, &a) ||
        !value_of(p, &p->uregs, wait->uniform, 63, &u) ||
        !value_of(p, s, wait->parity_register, 255, &parity)) {
        p->out->damaged++;
        return;
    }
    core_place place = place_of(p, lane);
    const uint32_t address = a + u + (uint32_t)wait->offset;
    uint8_t bytes[8];
    place.barrier_at = address & 0xFFFFFF;
    place.rank = address >> 24;
    place.parity = parity >> 31;
    place.has_word = core_elf_bytes(&p->elf, &p->shared, place.barrier_at, bytes, 8);
    place.word = place.has_word ? core_u64(bytes) : 0;
    add_lane(p, &place);
    if (place.has_word) {
        add_waited(p, place.barrier_at);
    }
}

static void section(core_pass *p, uint64_t number, const core_section *s) {
    switch (s->type - CORE_TYPES) {
    case CORE_DEVICES:
        core_devices(p, s);
        return;
    case CORE_GRIDS:
        core_grids(p, s);
        return;
    case CORE_PARAMS:
        core_params(p, s);
        return;
    case CORE_BANKS:
        core_banks(p, s);
        return;
    case CORE_RELF:
        p->relf_from = p->relf_to ? p->relf_from : number;
        p->relf_to = number + 1;
        return;
    case CORE_SHARED:
        end_cta(p);
        p->shared = *s;
        return;
    case CORE_WARPS:
        begin_cta(p, number, s);
        return;
    case CORE_UREGS:
        p->uregs = *s;
        return;
    case CORE_LANES:
        lanes(p, number, s);
        return;
    case CORE_REGS:
        registers(p, s);
        return;
    default:
        return;
    }
}

const char *core_hang_read(core_hang *out, core_read_fn *read, void *context, uint64_t size) {
    core_pass p;
    memset(out, 0, sizeof(*out));
    memset(&p, 0, sizeof(p));
    p.out = out;
    const char *why = core_elf_open(&p.elf, read, context, 0, size);
    if (why) {
        return why;
    }
    if (p.elf.machine != 190 || p.elf.elf_type != 4) {
        return "an ELF file, but no GPU core dump (machine 190, type core)";
    }
    out->version = p.elf.version;
    p.looks = core_looks(size);
    for (uint64_t i = 0; i < p.elf.count; i++) {
        core_section s;
        if (core_elf_section(&p.elf, i, &s)) {
            section(&p, i, &s);
        } else {
            out->damaged++;
        }
    }
    end_cta(&p);
    core_constants(&p);
    return NULL;
}
