/* SPDX-License-Identifier: Apache-2.0
 *
 * The pass over a core dump's sections.
 */
#include "core_hang.h"

#include <string.h>

#include "tma/barrier.h"

#define LANES       32
#define GROUPS      8 /* PCs that one warp's lanes are at */
#define MOST_ROW_B  256
#define CODE_BEFORE 32
#define CODE_BEHIND 80
#define NEAR_B      512   /* barriers lie together */
#define MOST_ARRIVE 16384 /* threads of a cluster: data has larger numbers */
#define WAITED      16
#define MOST_BANKS  64

/* Of __constant__ variables: ptxas' section .nv.constant3. No dump that has one was seen yet. */
#define CONSTANTS_BANK 3

/* The shortest rows that have what is read here, and the longest that are known. */
enum {
    DEVICE_ROW = 64,
    GRID_ROW = 96,
    CTA_ROW = 20,
    WARP_ROW = 16,
    LANE_ROW = 32,
    BANK_ROW = 16,
    LANE_STATE = 52
};
enum { LONGEST_WARP = 64, LONGEST_LANE = 56, LONGEST_CTA = 56 };

typedef struct group {
    uint64_t pc;
    core_wait wait;
    uint32_t offset;
    char function[CORE_NAME_B];
    core_line line;
} group;

typedef struct pass {
    core_hang *out;
    core_elf elf;
    core_elf image;
    uint64_t image_number; /* section that `image` is; 0: none */
    uint64_t text_from, text_to;
    core_section text;
    uint64_t relf_from, relf_to; /* numbers of the first and behind the last */
    core_section shared, uregs;
    uint64_t cta_serial, warp_serial, lane_table, warp_table;
    uint32_t grid, cta[3];
    uint32_t waited[WAITED];
    size_t waited_count;
    bool unknown_code;
    group groups[GROUPS];
    size_t group_count;
    uint8_t group_of[LANES];
    uint32_t thread[LANES][3];
} pass;

static bool row_of(pass *p, const core_section *s, uint64_t row, uint8_t *to, size_t least) {
    if (s->row_B < least || row >= s->size / s->row_B) {
        return false;
    }
    const size_t size = s->row_B < MOST_ROW_B ? (size_t)s->row_B : MOST_ROW_B;
    memset(to, 0, MOST_ROW_B);
    return core_elf_bytes(&p->elf, s, row * s->row_B, to, size);
}

static void device(pass *p, const core_section *s) {
    uint8_t row[MOST_ROW_B];
    if (p->out->sm == 0 && row_of(p, s, 0, row, DEVICE_ROW)) {
        p->out->sm = core_u32(row + 56) % 100 * 10 + core_u32(row + 60) % 10;
    }
}

static void grids(pass *p, const core_section *s) {
    uint8_t row[MOST_ROW_B];
    for (uint64_t i = 0; p->out->grid_count < CORE_GRIDS_KEPT && row_of(p, s, i, row, GRID_ROW);
         i++) {
        core_grid *g = &p->out->grids[p->out->grid_count++];
        g->id = core_u64(row);
        g->entry = core_u64(row + 24);
        for (size_t d = 0; d < 3; d++) {
            g->dim[d] = core_u32(row + 72 + 4 * d);
            g->block[d] = core_u32(row + 84 + 4 * d);
        }
    }
}

/* The grid whose row the section links to, or null. */
static core_grid *grid_of(pass *p, const core_section *s) {
    core_section table;
    uint8_t row[MOST_ROW_B];
    if (!core_elf_section(&p->elf, s->link, &table) || !row_of(p, &table, s->info, row, GRID_ROW)) {
        return NULL;
    }
    for (size_t i = 0; i < p->out->grid_count; i++) {
        if (p->out->grids[i].id == core_u64(row)) {
            return &p->out->grids[i];
        }
    }
    return NULL;
}

static void params(pass *p, const core_section *s) {
    core_grid *grid = grid_of(p, s);
    if (grid) {
        grid->params = *s;
        grid->has_params = true;
    }
}

static void banks(pass *p, const core_section *s) {
    uint8_t row[MOST_ROW_B];
    core_grid *grid = grid_of(p, s);
    for (uint64_t i = 0; grid && i < MOST_BANKS && row_of(p, s, i, row, BANK_ROW); i++) {
        if (core_u32(row + 12) == CONSTANTS_BANK) {
            grid->constants_address = core_u64(row);
            grid->constants_B = core_u32(row + 8);
        }
    }
}

/* Constants lie in global memory: where the dump has it. */
static void find_constants(pass *p, const core_section *memory) {
    for (size_t i = 0; i < p->out->grid_count; i++) {
        core_grid *g = &p->out->grids[i];
        const uint64_t from = g->constants_address - memory->address;
        if (g->constants_B && g->constants_address >= memory->address && from < memory->size &&
            g->constants_B <= memory->size - from) {
            g->constants_at = memory->at + from;
            g->has_constants = true;
        }
    }
}

static bool has_constants(const pass *p) {
    bool any = false;
    for (size_t i = 0; i < p->out->grid_count; i++) {
        any |= p->out->grids[i].constants_B != 0;
    }
    return any;
}

static void constants(pass *p) {
    for (uint64_t i = 0; has_constants(p) && i < p->elf.count; i++) {
        core_section s;
        if (core_elf_section(&p->elf, i, &s) &&
            (s.type == CORE_TYPES + CORE_GLOBAL || s.type == CORE_TYPES + CORE_MANAGED)) {
            find_constants(p, &s);
        }
    }
}

/* The text section that ran at the address: in an image that is open, or in any. */
static bool find_text(pass *p, uint64_t pc) {
    if (p->image_number && pc >= p->text_from && pc < p->text_to) {
        return true;
    }
    for (uint64_t i = p->relf_from; i < p->relf_to; i++) {
        core_section s;
        if (!core_elf_section(&p->elf, i, &s) || s.type != CORE_TYPES + CORE_RELF ||
            core_elf_open(&p->image, p->elf.read, p->elf.context, s.at, s.size)) {
            continue;
        }
        for (uint64_t k = 0; k < p->image.count; k++) {
            core_section t;
            if (core_elf_section(&p->image, k, &t) && t.type == 1 && t.address && t.address <= pc &&
                pc - t.address < t.size) {
                p->image_number = i;
                p->text = t;
                p->text_from = t.address;
                p->text_to = t.address + t.size;
                return true;
            }
        }
    }
    p->image_number = 0;
    return false;
}

static void look_at_code(pass *p, group *g) {
    uint8_t code[(CODE_BEFORE + CODE_BEHIND) * 16];
    g->wait.kind = CORE_UNKNOWN;
    g->function[0] = '\0';
    memset(&g->line, 0, sizeof(g->line));
    if (!find_text(p, g->pc)) {
        p->unknown_code = true;
        return;
    }
    const uint64_t at = g->pc - p->text_from;
    const uint64_t from = at > CODE_BEFORE * 16 ? at - CODE_BEFORE * 16 : 0;
    const uint64_t left = p->text.size - from;
    const size_t size = left < sizeof(code) ? (size_t)left : sizeof(code);
    char name[CORE_NAME_B];
    core_elf_name(&p->image, p->text.name, name, sizeof(name));
    const char *function = strncmp(name, ".text.", 6) == 0 ? name + 6 : name;
    memcpy(g->function, function, strlen(function) + 1);
    g->offset = (uint32_t)at;
    if (p->out->sm == 90 && core_elf_bytes(&p->image, &p->text, from, code, size)) {
        core_wait_of(&g->wait, code, (uint32_t)(size / 16), (uint32_t)((at - from) / 16));
    } else {
        p->unknown_code = true;
    }
    core_line_of(&g->line, &p->image, g->pc + (uint64_t)(int64_t)g->wait.at);
}

static bool same_place(const core_place *a, const core_place *b) {
    return a->pc == b->pc && a->grid == b->grid && a->wait.kind == b->wait.kind &&
           a->barrier_at == b->barrier_at && a->parity == b->parity && a->word == b->word;
}

static void add_lane(pass *p, const core_place *found) {
    core_hang *out = p->out;
    size_t i = 0;
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

static void add_word(pass *p, uint32_t at, uint64_t word) {
    core_hang *out = p->out;
    size_t i = 0;
    while (i < out->word_count && !(out->words[i].at == at && out->words[i].word == word &&
                                    out->words[i].grid == p->grid)) {
        i++;
    }
    if (i == CORE_WORDS) {
        return;
    }
    if (i == out->word_count) {
        out->word_count++;
        out->words[i] = (core_word){.grid = p->grid, .at = at, .word = word};
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

static void look_at_words(pass *p, uint64_t from, uint64_t to) {
    uint8_t bytes[1024];
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

/* Behind the last lane of a CTA: what lies beside the barriers that it waits at. */
static void end_cta(pass *p) {
    if (p->unknown_code) {
        look_at_words(p, 0x400, p->shared.size);
    } else if (p->waited_count) {
        uint64_t least = p->waited[0], most = p->waited[0];
        for (size_t i = 1; i < p->waited_count; i++) {
            least = p->waited[i] < least ? p->waited[i] : least;
            most = p->waited[i] > most ? p->waited[i] : most;
        }
        const uint64_t from = least > 0x400 + NEAR_B ? least - NEAR_B : 0x400;
        const uint64_t to = most + NEAR_B < p->shared.size ? most + NEAR_B : p->shared.size;
        look_at_words(p, from, to);
    }
    p->waited_count = 0;
    p->unknown_code = false;
}

static void begin_cta(pass *p, uint64_t number, const core_section *warps) {
    core_section table;
    uint8_t row[MOST_ROW_B];
    end_cta(p);
    p->warp_table = number;
    p->cta_serial++;
    p->out->ctas++;
    p->out->newer |= warps->row_B > LONGEST_WARP;
    if (p->shared.link != warps->link || p->shared.info != warps->info) {
        memset(&p->shared, 0, sizeof(p->shared)); /* another CTA's */
    }
    if (!core_elf_section(&p->elf, warps->link, &table) ||
        !row_of(p, &table, warps->info, row, CTA_ROW)) {
        p->out->damaged++;
        return;
    }
    p->out->newer |= table.row_B > LONGEST_CTA;
    for (size_t d = 0; d < 3; d++) {
        p->cta[d] = core_u32(row + 8 + 4 * d);
    }
    for (p->grid = 0;
         p->grid + 1 < p->out->grid_count && p->out->grids[p->grid].id != core_u64(row);) {
        p->grid++;
    }
}

static size_t group_at(pass *p, uint64_t pc) {
    size_t i = 0;
    while (i < p->group_count && p->groups[i].pc != pc) {
        i++;
    }
    if (i < p->group_count || i == GROUPS) {
        return i;
    }
    p->groups[i].pc = pc;
    memset(&p->groups[i].wait, 0, sizeof(p->groups[i].wait));
    look_at_code(p, &p->groups[i]);
    p->group_count++;
    return i;
}

static core_place place_of(const pass *p, const group *g) {
    core_place place;
    memset(&place, 0, sizeof(place));
    place.wait = g->wait;
    place.pc = g->pc;
    place.offset = g->offset;
    place.grid = p->grid;
    place.line = g->line;
    memcpy(place.function, g->function, sizeof(g->function));
    return place;
}

static void lanes(pass *p, uint64_t number, const core_section *s) {
    core_section table;
    uint8_t warp[MOST_ROW_B];
    uint8_t row[MOST_ROW_B];
    memset(p->group_of, GROUPS, sizeof(p->group_of));
    p->lane_table = number;
    p->warp_serial++;
    if (p->uregs.link != s->link || p->uregs.info != s->info) {
        memset(&p->uregs, 0, sizeof(p->uregs));
    }
    if (!core_elf_section(&p->elf, s->link, &table) ||
        !row_of(p, &table, s->info, warp, WARP_ROW)) {
        p->out->damaged++;
        return;
    }
    p->out->warps++;
    p->out->newer |= s->row_B > LONGEST_LANE;
    for (uint32_t lane = 0; lane < LANES; lane++) {
        if (!(core_u32(warp + 12) >> lane & 1) || !row_of(p, s, lane, row, LANE_ROW)) {
            continue;
        }
        p->out->lanes++;
        const size_t i = group_at(p, core_u64(row));
        for (size_t d = 0; d < 3; d++) {
            p->thread[lane][d] = core_u32(row + 20 + 4 * d);
        }
        if (i == GROUPS) {
            p->out->left_out++;
            continue;
        }
        p->group_of[lane] = (uint8_t)i;
        if (p->groups[i].wait.kind != CORE_MBARRIER) {
            core_place place = place_of(p, &p->groups[i]);
            if (s->row_B >= LANE_STATE && core_u32(row + 48) == 6) {
                place.wait.kind = CORE_CONVERGES;
            }
            memcpy(place.thread, p->thread[lane], sizeof(place.thread));
            add_lane(p, &place);
        }
    }
}

static bool value_of(const pass *p, const core_section *s, uint32_t number, uint32_t zero,
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

static void registers(pass *p, const core_section *s) {
    const uint32_t lane = s->info;
    uint32_t a = 0, u = 0, parity = 0;
    if (s->link != p->lane_table || lane >= LANES || p->group_of[lane] >= p->group_count ||
        p->groups[p->group_of[lane]].wait.kind != CORE_MBARRIER) {
        return;
    }
    const group *g = &p->groups[p->group_of[lane]];
    core_place place = place_of(p, g);
    memcpy(place.thread, p->thread[lane], sizeof(place.thread));
    if (!value_of(p, s, g->wait.register_, 255, &a) ||
        !value_of(p, &p->uregs, g->wait.uniform, 63, &u) ||
        !value_of(p, s, g->wait.parity_register, 255, &parity)) {
        p->out->damaged++;
        return;
    }
    const uint32_t address = a + u + (uint32_t)g->wait.offset;
    uint8_t bytes[8];
    place.barrier_at = address & 0xFFFFFF;
    place.rank = address >> 24;
    place.parity = parity >> 31;
    place.has_word = core_elf_bytes(&p->elf, &p->shared, place.barrier_at, bytes, 8);
    place.word = place.has_word ? core_u64(bytes) : 0;
    add_lane(p, &place);
    size_t i = 0;
    while (i < p->waited_count && p->waited[i] != place.barrier_at) {
        i++;
    }
    if (i == p->waited_count && i < WAITED && place.has_word) {
        p->waited[p->waited_count++] = place.barrier_at;
    }
}

static void section(pass *p, uint64_t number, const core_section *s) {
    switch (s->type - CORE_TYPES) {
    case CORE_DEVICES:
        device(p, s);
        return;
    case CORE_GRIDS:
        grids(p, s);
        return;
    case CORE_PARAMS:
        params(p, s);
        return;
    case CORE_BANKS:
        banks(p, s);
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
        p->group_count = 0;
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
    pass p;
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
    for (uint64_t i = 0; i < p.elf.count; i++) {
        core_section s;
        if (core_elf_section(&p.elf, i, &s)) {
            section(&p, i, &s);
        } else {
            out->damaged++;
        }
    }
    end_cta(&p);
    constants(&p);
    return NULL;
}
