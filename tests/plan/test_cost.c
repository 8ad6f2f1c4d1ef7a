/* SPDX-License-Identifier: Apache-2.0
 *
 * Sectors, lines and bank conflicts: cases that are known, and random copies counted one by one.
 */
#include "support/testing.h"

#include "support/gen/gen_copy.h"
#include "support/plain/plain_copy.h"
#include "support/plain/swizzle_tables.h"
#include <time.h>
#include <tma/cost.h>
#include <tma/walk.h>

#define SPECS_PER_COPY 200 /* a copy is as much work as so many specs */
#define BANKS          32

static const tma_target target = {.sm = 103, .suffix = 'a', .driver = 13000};

/* 16-bit rows of `columns` in a tensor whose rows are stride_B apart. */
static tma_plan plan_of(uint32_t columns, uint32_t rows, uint64_t stride_B, uint32_t swizzle) {
    const tma_spec spec = {.dtype = TMA_DTYPE_FLOAT16,
                           .rank = 2,
                           .address = 1 << 20,
                           .dim_el = {columns, rows},
                           .stride_B = {stride_B},
                           .box_el = {columns, rows},
                           .element_stride = {1, 1},
                           .swizzle = swizzle};
    const tma_instruction load = {.op = TMA_OP_LOAD};
    tma_map map;
    tma_plan plan;
    assert_int_equal(tma_encode_forced(map.bytes, &spec, &target, NULL), TMA_OK);
    assert_int_equal(tma_plan_make(&plan, map.bytes, &load, &target, NULL), TMA_OK);
    return plan;
}

/* All of the box inside; sectors are 32 bytes, lines 128. */
static void known_sectors(void **state) {
    (void)state;
    static const struct {
        uint32_t columns;
        uint32_t rows;
        uint64_t stride_B;
        int32_t first_column;
        uint64_t bytes_B;
        uint64_t sectors;
        uint64_t lines;
    } rows[] = {
        {64, 64, 128, 0, 8192, 256, 64},  /* dense rows of 128 bytes */
        {64, 64, 4096, 0, 8192, 256, 64}, /* the same, far apart */
        {64, 4, 144, 0, 512, 18, 5},      /* each row 16 bytes on: 4, 5, 4, 5 */
        {8, 64, 16, 0, 1024, 32, 8},      /* dense rows of 16: neighbours share */
        {8, 64, 128, 0, 1024, 64, 64},    /* half of each sector is wasted */
        {16, 8, 48, 0, 256, 12, 3},       /* 0-31, 48-79, 96-127, 144-175, ... */
        {64, 2, 128, 8, 224, 8, 2},       /* from column 8 on: 112 of 128 bytes */
    };
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        const tma_plan plan = plan_of(rows[i].columns, rows[i].rows, rows[i].stride_B, 0);
        const tma_position at = {.coord = {rows[i].first_column, 0}};
        tma_global_cost cost;
        assert_int_equal(tma_cost_global(&cost, &plan, &at), TMA_OK);
        assert_int_equal(cost.bytes_B, rows[i].bytes_B);
        if (cost.sectors != rows[i].sectors || cost.lines != rows[i].lines) {
            fail_msg("case %zu: %lu sectors, %lu lines", i, (unsigned long)cost.sectors,
                     (unsigned long)cost.lines);
        }
    }
}

static void nothing_inside_costs_nothing(void **state) {
    (void)state;
    const tma_plan plan = plan_of(64, 64, 128, 0);
    const tma_position at = {.coord = {0, 64}};
    tma_global_cost cost = {1, 1, 1};
    assert_int_equal(tma_cost_global(&cost, &plan, &at), TMA_OK);
    assert_true(cost.bytes_B == 0 && cost.sectors == 0 && cost.lines == 0);
}

/* Bytes of one row: units touched, less one if the row before ended in one of them. */
struct units {
    uint64_t size_B;
    uint64_t count;
    uint64_t last; /* that the row before ended in */
    int any;
};

static void add_row(struct units *u, uint64_t first, uint64_t end) {
    for (uint64_t unit = first / u->size_B; unit <= (end - 1) / u->size_B; unit++) {
        u->count += !(u->any && unit == u->last);
    }
    u->last = (end - 1) / u->size_B;
    u->any = 1;
}

static void counted_row_by_row(const struct gen_copy *c, const tma_plan *plan) {
    const struct plain_copy p = plain_copy_of(&c->spec, &c->instruction, &c->at);
    struct units sectors = {.size_B = 32};
    struct units lines = {.size_B = 128};
    uint64_t bytes_B = 0;
    tma_global_cost cost;
    for (uint32_t row = 0; row < p.rows; row++) {
        const struct plain_row r = plain_copy_row(&p, row);
        uint64_t first = UINT64_MAX;
        uint64_t end = 0;
        for (uint32_t at = 0; at < p.row_shared_B; at++) {
            const struct plain_byte b = plain_copy_byte(&p, &r, at);
            if (b.kind == TMA_RUN_INSIDE || b.kind == TMA_RUN_PAST_EDGE) {
                const uint64_t last = b.address + (b.bit > 2);
                first = b.address < first ? b.address : first;
                end = last + 1 > end ? last + 1 : end;
            }
        }
        if (end) {
            add_row(&sectors, first, end);
            add_row(&lines, first, end);
            bytes_B += end - first;
        }
    }
    assert_int_equal(tma_cost_global(&cost, plan, &c->at), TMA_OK);
    if (cost.bytes_B != bytes_B || cost.sectors != sectors.count || cost.lines != lines.count) {
        char line[GEN_COPY_LINE_BYTES];
        fail_msg("%lu B, %lu sectors, %lu lines, not %lu, %lu, %lu: %s",
                 (unsigned long)cost.bytes_B, (unsigned long)cost.sectors,
                 (unsigned long)cost.lines, (unsigned long)bytes_B, (unsigned long)sectors.count,
                 (unsigned long)lines.count, gen_copy_line(c, line));
    }
}

/* What the worst of one phase is: bank conflicts of whole tiles at address 0. */
static void known_conflicts(void **state) {
    (void)state;
    static const struct {
        uint32_t columns; /* of 2 bytes */
        uint32_t rows;
        uint32_t swizzle;
        tma_reader reader;
        uint32_t phases;
        uint32_t ways; /* of every phase */
    } rows[] = {
        /* the fp16 tile of 64 columns that every GEMM loads */
        {64, 64, TMA_SWIZZLE_128B, TMA_READER_COLUMN_16B, 64, 1},
        {64, 64, TMA_SWIZZLE_NONE, TMA_READER_COLUMN_16B, 64, 8},
        {64, 64, TMA_SWIZZLE_128B, TMA_READER_LDMATRIX, 64, 1},
        {64, 64, TMA_SWIZZLE_NONE, TMA_READER_LDMATRIX, 64, 8},
        {64, 64, TMA_SWIZZLE_128B_ATOM_32B, TMA_READER_LDMATRIX, 64, 2},
        {64, 64, TMA_SWIZZLE_128B_ATOM_64B, TMA_READER_LDMATRIX, 64, 4},
        /* narrower rows */
        {32, 64, TMA_SWIZZLE_64B, TMA_READER_LDMATRIX, 32, 1},
        {32, 64, TMA_SWIZZLE_NONE, TMA_READER_LDMATRIX, 32, 4},
        {16, 64, TMA_SWIZZLE_32B, TMA_READER_LDMATRIX, 16, 1},
        {16, 64, TMA_SWIZZLE_NONE, TMA_READER_LDMATRIX, 16, 2},
        {8, 64, TMA_SWIZZLE_NONE, TMA_READER_LDMATRIX, 8, 1},
        /* down a column of words: 32 rows, of 8 bytes 16 */
        {64, 64, TMA_SWIZZLE_NONE, TMA_READER_COLUMN_4B, 64, 32},
        {64, 64, TMA_SWIZZLE_128B, TMA_READER_COLUMN_4B, 64, 4},
        {64, 64, TMA_SWIZZLE_NONE, TMA_READER_COLUMN_8B, 64, 16},
        {64, 64, TMA_SWIZZLE_128B, TMA_READER_COLUMN_8B, 64, 2},
        /* along the rows nothing conflicts */
        {64, 64, TMA_SWIZZLE_NONE, TMA_READER_ROW_4B, 64, 1},
        {64, 64, TMA_SWIZZLE_128B, TMA_READER_ROW_8B, 64, 1},
        {64, 64, TMA_SWIZZLE_128B, TMA_READER_ROW_16B, 64, 1},
    };
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        const tma_plan plan = plan_of(rows[i].columns, rows[i].rows, 512, rows[i].swizzle);
        const tma_position at = {.shared_address = 0};
        tma_bank_cost cost;
        assert_int_equal(tma_cost_banks(&cost, &plan, &at, rows[i].reader), TMA_OK);
        assert_int_equal(cost.phases, rows[i].phases);
        assert_int_equal(cost.worst, rows[i].ways);
        assert_int_equal(cost.wavefronts, rows[i].phases * rows[i].ways);
    }
}

static const struct {
    uint32_t access_B;
    uint32_t lanes;
    int column;
} readers[TMA_READERS] = {{4, 32, 0}, {8, 16, 0}, {16, 8, 0}, {4, 32, 1},
                          {8, 16, 1}, {16, 8, 1}, {16, 8, 1}};

/* Turns of one phase: the bank with the most different words. */
static uint32_t turns(const struct plain_copy *p, uint32_t reader, const uint32_t *row,
                      const uint32_t *offset_B) {
    uint32_t words[BANKS][BANKS];
    uint32_t count[BANKS] = {0};
    uint32_t most = 0;
    for (uint32_t lane = 0; lane < readers[reader].lanes; lane++) {
        for (uint32_t byte = 0; byte < readers[reader].access_B; byte += 4) {
            const uint32_t linear = p->at->shared_address + row[lane] * p->pitch_B + offset_B[lane];
            /* an access is one address and what follows it */
            const uint32_t word =
                swizzle_table_place(swizzle_table_of(p->spec->swizzle), linear) / 4 + byte / 4;
            int seen = 0;
            for (uint32_t k = 0; k < count[word % BANKS]; k++) {
                seen = seen || words[word % BANKS][k] == word;
            }
            if (!seen) {
                words[word % BANKS][count[word % BANKS]++] = word;
            }
            most = count[word % BANKS] > most ? count[word % BANKS] : most;
        }
    }
    return most;
}

/* Which row and byte each lane of phase n reads; 0 if the tile has no such whole phase. */
static int lanes_of(const struct plain_copy *p, uint32_t reader, uint32_t n, uint32_t *row,
                    uint32_t *offset_B) {
    const uint32_t lanes = readers[reader].lanes;
    const uint32_t pieces = p->row_shared_B / readers[reader].access_B;
    for (uint32_t lane = 0; lane < lanes; lane++) {
        const uint32_t access = n * lanes + lane;
        row[lane] = readers[reader].column ? n / pieces * lanes + lane : access / pieces;
        offset_B[lane] =
            (readers[reader].column ? n % pieces : access % pieces) * readers[reader].access_B;
        if (row[lane] >= p->rows) {
            return 0;
        }
    }
    return 1;
}

static void counted_phase_by_phase(const struct gen_copy *c, const tma_plan *plan,
                                   uint32_t reader) {
    const struct plain_copy p = plain_copy_of(&c->spec, &c->instruction, &c->at);
    tma_bank_cost wanted = {0, 0, 0};
    tma_bank_cost is;
    uint32_t row[BANKS];
    uint32_t offset_B[BANKS];
    const tma_status status = tma_cost_banks(&is, plan, &c->at, (tma_reader)reader);
    if (p.row_shared_B < readers[reader].access_B ||
        (readers[reader].column && p.rows < readers[reader].lanes)) {
        assert_int_equal(status, TMA_INVALID);
        return;
    }
    while (lanes_of(&p, reader, wanted.phases, row, offset_B)) {
        const uint32_t t = turns(&p, reader, row, offset_B);
        wanted.phases++;
        wanted.wavefronts += t;
        wanted.worst = t > wanted.worst ? t : wanted.worst;
    }
    assert_int_equal(status, TMA_OK);
    assert_int_equal(is.phases, wanted.phases);
    assert_int_equal(is.wavefronts, wanted.wavefronts);
    assert_int_equal(is.worst, wanted.worst);
}

static void random_copies(void **state) {
    (void)state;
    struct random_source r = {41};
    for (unsigned long n = spec_count() / SPECS_PER_COPY; n > 0; n--) {
        struct gen_copy c;
        tma_plan plan;
        tma_global_cost cost;
        tma_bank_cost banks;
        gen_copy(&r, GEN_ANY, &c);
        assert_int_equal(tma_plan_make(&plan, c.map.bytes, &c.instruction, &c.target, NULL),
                         TMA_OK);
        const uint32_t reader = (uint32_t)random_below(&r, TMA_READERS);
        if (tma_plan_at(&plan, &c.at, NULL) != TMA_OK) {
            assert_int_equal(tma_cost_global(&cost, &plan, &c.at), TMA_TRAP);
            assert_int_equal(tma_cost_banks(&banks, &plan, &c.at, (tma_reader)reader), TMA_TRAP);
            continue;
        }
        counted_row_by_row(&c, &plan);
        counted_phase_by_phase(&c, &plan, reader);
    }
}

static void refusals(void **state) {
    (void)state;
    const tma_plan plan = plan_of(64, 64, 128, 0);
    const tma_position at = {.shared_address = 0};
    tma_bank_cost banks;
    assert_int_equal(tma_cost_global(NULL, &plan, &at), TMA_INVALID);
    assert_int_equal(tma_cost_banks(NULL, &plan, &at, TMA_READER_ROW_4B), TMA_INVALID);
    assert_int_equal(tma_cost_banks(&banks, &plan, &at, TMA_READERS), TMA_INVALID);
    assert_int_equal(tma_cost_banks(&banks, NULL, &at, TMA_READER_ROW_4B), TMA_INVALID);
    assert_int_equal(tma_cost_banks(&banks, &plan, NULL, TMA_READER_ROW_4B), TMA_INVALID);
    for (uint32_t reader = 0; reader < TMA_READERS; reader++) {
        assert_string_not_equal(tma_reader_name(reader), "?");
    }
    assert_string_equal(tma_reader_name(TMA_READERS), "?");
}

/* The phases, one by one, are what tma_cost_banks() sums. */
static void phases_sum_to_the_cost(void **state) {
    (void)state;
    for (uint32_t swizzle = TMA_SWIZZLE_NONE; swizzle <= TMA_SWIZZLE_128B; swizzle++) {
        const uint32_t span_B = tma_swizzle_span_B(swizzle);
        const tma_plan plan = plan_of(span_B ? span_B / 2 : 64, 64, 4096, swizzle);
        const tma_position at = {.shared_address = 1024};
        for (uint32_t reader = 0; reader < TMA_READERS; reader++) {
            tma_bank_cost cost;
            tma_bank_phase phase;
            uint32_t wavefronts = 0;
            assert_int_equal(tma_cost_banks(&cost, &plan, &at, (tma_reader)reader), TMA_OK);
            for (uint32_t i = 0; i < cost.phases; i++) {
                assert_int_equal(tma_cost_phase(&phase, &plan, &at, (tma_reader)reader, i), TMA_OK);
                assert_int_equal(phase.lanes * phase.access_B, 128);
                wavefronts += phase.wavefronts;
            }
            assert_int_equal(wavefronts, cost.wavefronts);
            assert_int_equal(tma_cost_phase(&phase, &plan, &at, (tma_reader)reader, cost.phases),
                             TMA_INVALID);
        }
    }
}

/* ldmatrix, rows of 128 bytes: without swizzle eight lanes in the same four banks, with it each in
 * four others. */
static void lanes_of_ldmatrix(void **state) {
    (void)state;
    const tma_position at = {.shared_address = 1024};
    const tma_plan plain = plan_of(64, 16, 4096, TMA_SWIZZLE_NONE);
    const tma_plan swizzled = plan_of(64, 16, 4096, TMA_SWIZZLE_128B);
    tma_bank_phase phase;
    assert_int_equal(tma_cost_phase(&phase, &plain, &at, TMA_READER_LDMATRIX, 1), TMA_OK);
    assert_int_equal(phase.wavefronts, 8);
    for (uint32_t lane = 0; lane < 8; lane++) {
        assert_int_equal(phase.address[lane], 1024 + 128 * lane + 16);
    }
    assert_int_equal(tma_cost_phase(&phase, &swizzled, &at, TMA_READER_LDMATRIX, 1), TMA_OK);
    assert_int_equal(phase.wavefronts, 1);
    for (uint32_t lane = 0; lane < 8; lane++) {
        assert_int_equal(phase.address[lane], 1024 + 128 * lane + 16 * (1 ^ lane));
    }
    assert_int_equal(tma_cost_phase(NULL, &plain, &at, TMA_READER_LDMATRIX, 0), TMA_INVALID);
}

/* Every row by itself, as tma_walk_rows() gives them. */
struct row_tally {
    struct units sectors;
    struct units lines;
    uint64_t bytes_B;
};

static int add_walked_row(void *context, const tma_run *run) {
    struct row_tally *t = (struct row_tally *)context;
    if (run->kind == TMA_RUN_INSIDE) {
        add_row(&t->sectors, run->address, run->address + run->global_length_B);
        add_row(&t->lines, run->address, run->address + run->global_length_B);
        t->bytes_B += run->global_length_B;
    }
    return 0;
}

/* Thousands of rows at strides that let rows share sectors, lines and each other's bytes. */
static void boxes_of_many_rows(void **state) {
    (void)state;
    struct random_source r = {43};
    const tma_instruction load = {.op = TMA_OP_LOAD};
    for (unsigned n = 0; n < 400; n++) {
        tma_spec spec = {.dtype = TMA_DTYPE_FLOAT16,
                         .rank = 2 + (uint32_t)random_below(&r, 4),
                         .address = (1 << 20) + 16 * random_below(&r, 16)};
        tma_position at = {0};
        uint32_t rows_left = 2048;
        for (uint32_t i = 0; i < spec.rank; i++) {
            const uint32_t most = i ? rows_left : 64;
            spec.box_el[i] = i ? 1 + (uint32_t)random_below(&r, most < 40 ? most : 40)
                               : 8 * (1 + (uint32_t)random_below(&r, 8));
            rows_left = i ? rows_left / spec.box_el[i] + 1 : rows_left;
            spec.dim_el[i] = 1 + random_below(&r, 2 * (uint64_t)spec.box_el[i]);
            spec.element_stride[i] = i ? 1 + (uint32_t)random_below(&r, 3) : 1;
            at.coord[i] = (int32_t)random_below(&r, 24) - 12;
            if (i) {
                spec.stride_B[i - 1] = 16 * random_below(&r, random_below(&r, 2) ? 5 : 1000);
            } else {
                at.coord[i] *= 8;
            }
        }
        tma_map map;
        tma_plan plan;
        tma_global_cost is;
        struct row_tally t = {{.size_B = 32}, {.size_B = 128}, 0};
        assert_int_equal(tma_encode_forced(map.bytes, &spec, &target, NULL), TMA_OK);
        assert_int_equal(tma_plan_make(&plan, map.bytes, &load, &target, NULL), TMA_OK);
        assert_int_equal(tma_cost_global(&is, &plan, &at), TMA_OK);
        assert_int_equal(tma_walk_rows(&plan, &at, add_walked_row, &t), 0);
        if (is.bytes_B != t.bytes_B || is.sectors != t.sectors.count || is.lines != t.lines.count) {
            fail_msg("box %u: %lu B, %lu sectors, %lu lines, not %lu, %lu, %lu", n,
                     (unsigned long)is.bytes_B, (unsigned long)is.sectors, (unsigned long)is.lines,
                     (unsigned long)t.bytes_B, (unsigned long)t.sectors.count,
                     (unsigned long)t.lines.count);
        }
    }
}

static int count_row(void *context, const tma_run *run) {
    *(uint64_t *)context += run->length_B;
    return 0;
}

/* Of this processor: each row of 2^20 looked at. */
static clock_t time_of_a_million_rows(const tma_spec *spec, const tma_target *target) {
    tma_spec few = *spec;
    few.dim_el[3] = few.box_el[3] = 16;
    few.dim_el[4] = few.box_el[4] = 1;
    const tma_instruction load = {.op = TMA_OP_LOAD};
    const tma_position at = {0};
    uint64_t sum_B = 0;
    tma_map map;
    tma_plan plan;
    assert_int_equal(tma_encode_forced(map.bytes, &few, target, NULL), TMA_OK);
    assert_int_equal(tma_plan_make(&plan, map.bytes, &load, target, NULL), TMA_OK);
    const clock_t before = clock();
    assert_int_equal(tma_walk_rows(&plan, &at, count_row, &sum_B), 0);
    assert_int_equal(sum_B, UINT64_C(16) << 20);
    return clock() - before;
}

/* 2^26 rows: no count looks at each. It takes a thousandth of what looking at a 64th of them does.
 */
static void large_boxes_at_once(void **state) {
    (void)state;
    const tma_spec spec = {.dtype = TMA_DTYPE_UINT8,
                           .rank = 5,
                           .address = 1 << 20,
                           .dim_el = {16, 256, 256, 256, 4},
                           .stride_B = {16, 4096, 1 << 20, 1 << 28},
                           .box_el = {16, 256, 256, 256, 4},
                           .element_stride = {1, 1, 1, 1, 1}};
    const clock_t most = time_of_a_million_rows(&spec, &target);
    const uint64_t rows = UINT64_C(1) << 26;
    const tma_instruction load = {.op = TMA_OP_LOAD};
    const tma_position at = {0};
    tma_map map;
    tma_plan plan;
    tma_global_cost cost;
    tma_bank_cost banks;
    tma_report_result report;
    assert_int_equal(tma_encode_forced(map.bytes, &spec, &target, NULL), TMA_OK);
    assert_int_equal(tma_plan_make(&plan, map.bytes, &load, &target, NULL), TMA_OK);
    const clock_t before = clock();
    assert_int_equal(tma_cost_global(&cost, &plan, &at), TMA_OK);
    assert_int_equal(tma_plan_report(&report, &plan, &at, NULL), TMA_OK);
    for (uint32_t reader = TMA_READER_ROW_4B; reader < TMA_READERS; reader++) {
        assert_int_equal(tma_cost_banks(&banks, &plan, &at, (tma_reader)reader), TMA_OK);
        assert_int_equal(banks.phases, rows * 16 / 128);
    }
    const clock_t took = clock() - before;
    printf("%ld of %ld clocks\n", (long)took, (long)most);
    assert_true(took < most);
    assert_int_equal(cost.bytes_B, rows * 16);
    assert_int_equal(cost.sectors, rows / 2);
    assert_int_equal(cost.lines, rows / 8);
    assert_int_equal(report.inside_B, rows * 16);
    assert_int_equal(report.global_first, 1 << 20);
    assert_int_equal(report.global_end, (1 << 20) + rows * 16);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(known_sectors),
        cmocka_unit_test(nothing_inside_costs_nothing),
        cmocka_unit_test(known_conflicts),
        cmocka_unit_test(random_copies),
        cmocka_unit_test(refusals),
        cmocka_unit_test(phases_sum_to_the_cost),
        cmocka_unit_test(lanes_of_ldmatrix),
        cmocka_unit_test(boxes_of_many_rows),
        cmocka_unit_test(large_boxes_at_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
