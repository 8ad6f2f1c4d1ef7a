/* SPDX-License-Identifier: Apache-2.0
 *
 * Sectors and lines of global memory, bank conflicts of shared memory.
 */
#include "tma/cost.h"
#include "geometry.h"
#include "plan_internal.h"
#include "row_order.h"
#include "tma/detail/divisor.h"
#include "tma/walk.h"

typedef struct tally {
    tma_global_cost cost;
    uint64_t last_sector; /* plus one; 0: none yet */
    uint64_t last_line;
    uint64_t first; /* of the row that is not counted yet; its bytes follow each other */
    uint64_t end;   /* == first if there is none */
    uint32_t row;
} tally;

static uint64_t units_touched(uint64_t address, uint64_t length_B, uint64_t unit_B,
                              uint64_t *last) {
    const uint64_t first = address / unit_B; /* modulo 2^64 / unit_B from here on */
    const uint64_t more = (address % unit_B + length_B - 1) / unit_B;
    const uint64_t back = (*last - 1 - first) & (UINT64_MAX / unit_B);
    const uint64_t count = more + 1 - (*last && back <= more);
    *last = ((first + more) & (UINT64_MAX / unit_B)) + 1;
    return count;
}

static void count_row(tally *t) {
    const uint64_t length_B = t->end - t->first;
    if (length_B) {
        t->cost.bytes_B += length_B;
        t->cost.sectors += units_touched(t->first, length_B, TMA_SECTOR_B, &t->last_sector);
        t->cost.lines += units_touched(t->first, length_B, TMA_LINE_B, &t->last_line);
    }
    t->first = t->end;
}

static int add_run(void *context, const tma_run *run) {
    tally *t = (tally *)context;
    if (run->kind == TMA_RUN_INSIDE || run->kind == TMA_RUN_PAST_EDGE) {
        if (run->row != t->row || t->first == t->end) {
            count_row(t);
            t->first = run->address;
            t->row = run->row;
        }
        t->end = run->address + run->global_length_B;
    }
    return 0;
}

#define GRAIN_B  16u /* that all strides of a map are multiples of */
#define RESIDUES (TMA_LINE_B / GRAIN_B)

/* The rows of a tile that are inside: as many along each dimension, so far apart. */
typedef struct inside_rows {
    uint64_t address;
    uint64_t length_B;
    uint32_t dims;
    uint64_t count[TMA_MAX_RANK];
    uint64_t step_B[TMA_MAX_RANK];
} inside_rows;

/* 0 where the rows are not those of a tile whose steps are whole grains; they are walked. */
static int tile_rows(inside_rows *t, const tma_plan *plan, const tma_position *at) {
    const tma_columns c = tma_columns_of(plan, at);
    uint64_t steps_B = 0;
    t->address = plan->address + (uint64_t)(c.from + (int64_t)c.first_B);
    t->length_B = c.end_el > c.first_el ? c.written_B - c.first_B : 0;
    t->dims = 0;
    for (uint32_t i = plan->first; i < plan->rank; i++) {
        const int64_t step = plan->stride_el[i];
        const tma_index_range in =
            tma_inside(at->coord[i], step, plan->count[i], (int64_t)plan->dim_el[i]);
        t->length_B = in.count ? t->length_B : 0;
        t->address += (uint64_t)(at->coord[i] + (int64_t)in.first * step) * plan->step_B[i];
        t->count[t->dims] = in.count;
        t->step_B[t->dims] = plan->step_B[i] * (uint64_t)step;
        steps_B |= t->step_B[t->dims++];
    }
    return plan->mode == TMA_MODE_TILE && steps_B % GRAIN_B == 0;
}

/* Units that the rows touch, without looking at each: what a row touches depends on its address
 * modulo the unit alone, and whether it shares one with the row before on how far that is away. So
 * the sum over a box is known for each residue, from that over the boxes it is made of. */
static uint64_t units_of_tile(const inside_rows *t, uint64_t unit_B) {
    const uint32_t residues = (uint32_t)(unit_B / GRAIN_B);
    uint64_t sum[RESIDUES]; /* of a box whose first row is at this residue */
    uint64_t span_B = 0;    /* from a box's first row to its last */
    for (uint32_t k = 0; k < residues; k++) {
        sum[k] = (t->address % GRAIN_B + (uint64_t)k * GRAIN_B + t->length_B - 1) / unit_B + 1;
    }
    for (uint32_t d = 0; d < t->dims; d++) {
        const uint64_t n = t->count[d];
        const uint32_t step = (uint32_t)(t->step_B[d] / GRAIN_B % residues);
        const uint64_t away_B = t->step_B[d] - span_B; /* from the last row of the box before */
        uint64_t shared[RESIDUES];
        uint64_t box[RESIDUES];
        for (uint32_t k = 0; k < residues; k++) {
            const uint64_t at = t->address % GRAIN_B + (uint64_t)k * GRAIN_B;
            const uint64_t back = (at - away_B + t->length_B - 1) / unit_B;
            shared[k] = back <= (at + t->length_B - 1) / unit_B;
        }
        for (uint32_t k = 0; k < residues; k++) {
            box[k] = shared[k]; /* the first has none before it */
            for (uint32_t i = 0; i < residues; i++) {
                const uint32_t at = (k + i * step) % residues;
                box[k] += (sum[at] - shared[at]) * (n / residues + (i < n % residues));
            }
        }
        memcpy(sum, box, sizeof(sum));
        span_B += (n - 1) * t->step_B[d];
    }
    return sum[t->address % unit_B / GRAIN_B];
}

static tma_global_cost cost_of_tile(const inside_rows *t) {
    tma_global_cost cost = {t->length_B, 0, 0};
    if (t->length_B) {
        for (uint32_t d = 0; d < t->dims; d++) {
            cost.bytes_B *= t->count[d];
        }
        cost.sectors = units_of_tile(t, TMA_SECTOR_B);
        cost.lines = units_of_tile(t, TMA_LINE_B);
    }
    return cost;
}

tma_status tma_cost_global(tma_global_cost *out, const tma_plan *plan, const tma_position *at) {
    const tma_status status = out ? tma_plan_runs(plan, at, NULL) : TMA_INVALID;
    tally t = {{0, 0, 0}, 0, 0, 0, 0, 0};
    inside_rows tile;
    if (status == TMA_OK && tile_rows(&tile, plan, at)) {
        *out = cost_of_tile(&tile);
    } else if (status == TMA_OK) { /* pixels and gathered rows: few */
        tma_walk_rows(plan, at, add_run, &t);
        count_row(&t);
        *out = t.cost;
    }
    return status;
}

static const struct {
    const char *name;
    uint8_t access_B;
    uint8_t lanes; /* of one phase */
    uint8_t column;
} readers[TMA_READERS] = {
    {"row 4 B", 4, 32, 0},    {"row 8 B", 8, 16, 0},    {"row 16 B", 16, 8, 0},
    {"column 4 B", 4, 32, 1}, {"column 8 B", 8, 16, 1}, {"column 16 B", 16, 8, 1},
    {"ldmatrix", 16, 8, 1},
};

const char *tma_reader_name(uint32_t reader) {
    return reader < TMA_READERS ? readers[reader].name : "?";
}

/* Wavefronts of one phase: the largest number of different words that one bank is asked for. */
static uint32_t wavefronts(const uint32_t *address, uint32_t lanes, uint32_t access_B) {
    uint32_t words[TMA_BANKS][TMA_BANKS]; /* at most 32 words in a phase */
    uint32_t held[TMA_BANKS] = {0};
    uint32_t worst = 0;
    for (uint32_t i = 0; i < lanes * (access_B / TMA_BANK_B); i++) {
        const uint32_t word =
            address[i / (access_B / TMA_BANK_B)] / TMA_BANK_B + i % (access_B / TMA_BANK_B);
        const uint32_t bank = word % TMA_BANKS;
        uint32_t k = 0;
        while (k < held[bank] && words[bank][k] != word) {
            k++;
        }
        if (k == held[bank]) {
            words[bank][held[bank]++] = word;
        }
        worst = held[bank] > worst ? held[bank] : worst;
    }
    return worst;
}

/* The lanes of one phase: which row each reads, which piece of it. Row readers go on along the
 * rows; column readers go down 8, 16 or 32 rows, then to the next piece of the same rows. */
static void addresses_of(uint32_t *address, const tma_plan *plan, const tma_position *at,
                         uint32_t reader, uint64_t phase) {
    const uint32_t lanes = readers[reader].lanes;
    const uint32_t pieces = plan->row_shared_B / readers[reader].access_B;
    const int column = readers[reader].column;
    uint64_t row = column ? phase / pieces * lanes : phase * lanes / pieces;
    uint64_t piece = column ? phase % pieces : phase * lanes % pieces;
    for (uint32_t i = 0; i < lanes; i++) {
        const uint64_t plain =
            at->shared_address + row * plan->pitch_B + piece * readers[reader].access_B;
        address[i] = tma_swizzled(plan->swizzle_bits, (uint32_t)plain);
        if (column || ++piece == pieces) {
            piece = column ? piece : 0;
            row++;
        }
    }
}

/* After so many phases a reader meets the same banks in the same order: its rows are a whole number
 * of the swizzle's patterns further on, or of lines where there is no swizzle. */
static uint64_t phases_until_again(const tma_plan *plan, uint32_t reader) {
    const uint32_t lanes = readers[reader].lanes;
    const uint64_t pieces = plan->row_shared_B / readers[reader].access_B;
    const uint64_t pattern_B = plan->swizzle_bits.mask ? 8 * TMA_LINE_B : TMA_LINE_B;
    if (readers[reader].column) {
        const uint64_t block_B = (uint64_t)lanes * plan->pitch_B;
        return pattern_B / common_divisor(block_B, pattern_B) * pieces;
    }
    const uint64_t accesses = pattern_B / common_divisor(plan->pitch_B, pattern_B) * pieces;
    return accesses / common_divisor(accesses, lanes);
}

/* How many phases a reader has over all rows of the copy, and the lanes of each; TMA_INVALID where
 * the rows are too short for it. */
static tma_status phases_of(const tma_plan *plan, const tma_position *at, uint32_t reader,
                            uint64_t *phases) {
    const tma_status status = tma_plan_runs(plan, at, NULL);
    if (status != TMA_OK) {
        return status;
    }
    tma_row_order order;
    tma_row_order_begin(&order, plan, at);
    const uint64_t all = order.rows;
    if (reader >= TMA_READERS || tma_plan_footprint_B(plan, at, all) > UINT32_MAX ||
        plan->row_shared_B < readers[reader].access_B ||
        (readers[reader].column && all < readers[reader].lanes)) {
        return TMA_INVALID;
    }
    const uint32_t lanes = readers[reader].lanes;
    const uint64_t pieces = plan->row_shared_B / readers[reader].access_B;
    const uint64_t rows = readers[reader].column ? all / lanes * lanes : all;
    *phases = rows * pieces / lanes;
    return TMA_OK;
}

static tma_bank_phase phase_of(const tma_plan *plan, const tma_position *at, uint32_t reader,
                               uint64_t phase) {
    tma_bank_phase p = {readers[reader].lanes, readers[reader].access_B, 0, {0}};
    addresses_of(p.address, plan, at, reader, phase);
    p.wavefronts = wavefronts(p.address, p.lanes, p.access_B);
    return p;
}

tma_status tma_cost_phase(tma_bank_phase *out, const tma_plan *plan, const tma_position *at,
                          tma_reader reader, uint32_t phase) {
    uint64_t phases = 0;
    const tma_status status = out ? phases_of(plan, at, (uint32_t)reader, &phases) : TMA_INVALID;
    if (status != TMA_OK || phase >= phases) {
        return status != TMA_OK ? status : TMA_INVALID;
    }
    *out = phase_of(plan, at, (uint32_t)reader, phase);
    return TMA_OK;
}

tma_status tma_cost_banks(tma_bank_cost *out, const tma_plan *plan, const tma_position *at,
                          tma_reader reader) {
    uint64_t phases = 0;
    const tma_status status = out ? phases_of(plan, at, (uint32_t)reader, &phases) : TMA_INVALID;
    if (status != TMA_OK) {
        return status;
    }
    const uint64_t again = phases_until_again(plan, (uint32_t)reader);
    uint64_t wavefronts = 0;
    uint32_t worst = 0;
    for (uint64_t n = 0; n < again && n < phases; n++) {
        const uint32_t turns = phase_of(plan, at, (uint32_t)reader, n).wavefronts;
        wavefronts += turns * (phases / again + (n < phases % again));
        worst = turns > worst ? turns : worst;
    }
    out->phases = (uint32_t)phases;
    out->wavefronts = (uint32_t)wavefronts;
    out->worst = worst;
    return TMA_OK;
}
