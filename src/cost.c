/* SPDX-License-Identifier: Apache-2.0
 *
 * Sectors and lines of global memory, bank conflicts of shared memory.
 */
#include "tma/cost.h"
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

tma_status tma_cost_global(tma_global_cost *out, const tma_plan *plan, const tma_position *at) {
    const tma_status status = out ? tma_plan_at(plan, at, NULL) : TMA_INVALID;
    tally t = {{0, 0, 0}, 0, 0, 0, 0, 0};
    if (status == TMA_OK) {
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

/* Access number n of a reader: which row, which byte of it. Column readers go down 8, 16 or 32
 * rows, then to the next piece of the same rows. */
static uint32_t address_of(const tma_plan *plan, const tma_position *at, uint32_t reader,
                           uint64_t n) {
    const uint32_t pieces = plan->row_shared_B / readers[reader].access_B;
    uint64_t row = n / pieces;
    uint64_t piece = n % pieces;
    if (readers[reader].column) {
        const uint32_t lanes = readers[reader].lanes;
        const uint64_t block = n / ((uint64_t)lanes * pieces);
        piece = n / lanes % pieces;
        row = block * lanes + n % lanes;
    }
    const uint64_t plain =
        at->shared_address + row * plan->pitch_B + piece * readers[reader].access_B;
    return tma_swizzled(plan->swizzle_bits, (uint32_t)plain);
}

/* How many phases a reader has over all rows of the copy, and the lanes of each; TMA_INVALID where
 * the rows are too short for it. */
static tma_status phases_of(const tma_plan *plan, const tma_position *at, uint32_t reader,
                            uint64_t *phases) {
    tma_report_result report;
    const tma_status status = tma_plan_report(&report, plan, at, NULL);
    if (status != TMA_OK) {
        return status;
    }
    if (reader >= TMA_READERS || report.footprint_B > UINT32_MAX ||
        plan->row_shared_B < readers[reader].access_B ||
        (readers[reader].column && report.rows < readers[reader].lanes)) {
        return TMA_INVALID;
    }
    const uint32_t lanes = readers[reader].lanes;
    const uint64_t pieces = plan->row_shared_B / readers[reader].access_B;
    const uint64_t rows = readers[reader].column ? report.rows / lanes * lanes : report.rows;
    *phases = rows * pieces / lanes;
    return TMA_OK;
}

static tma_bank_phase phase_of(const tma_plan *plan, const tma_position *at, uint32_t reader,
                               uint64_t phase) {
    tma_bank_phase p = {readers[reader].lanes, readers[reader].access_B, 0, {0}};
    for (uint32_t i = 0; i < p.lanes; i++) {
        p.address[i] = address_of(plan, at, reader, phase * p.lanes + i);
    }
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
    tma_bank_cost cost = {0, 0, 0};
    for (uint64_t n = 0; n < phases; n++) {
        const uint32_t turns = phase_of(plan, at, (uint32_t)reader, n).wavefronts;
        cost.phases++;
        cost.wavefronts += turns;
        cost.worst = turns > cost.worst ? turns : cost.worst;
    }
    *out = cost;
    return TMA_OK;
}
