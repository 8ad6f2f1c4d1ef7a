/* SPDX-License-Identifier: Apache-2.0
 *
 * The cells of pictures: against plain nested loops byte for byte, against the walk, and the
 * positions of chunks against the tables that PTX ISA 5.5.7 prints (Figures 25 to 37).
 */
#include "support/testing.h"

#include "support/gen/gen_copy.h"
#include "support/plain/plain_copy.h"
#include "support/plain/swizzle_tables.h"
#include <tma/draw.h>

#define SPECS_PER_COPY 100
#define LEAST_COPIES   200

static struct {
    unsigned long copies, cells;
    unsigned long of_kind[4];
    unsigned long parts; /* cells of less than 16 bytes */
} totals;

struct follower {
    const struct gen_copy *c;
    const tma_plan *plan;
    struct plain_copy plain;
    struct plain_row at_row;
    uint32_t index;
    uint32_t row;
    uint32_t offset_B;
};

static void demand(const struct follower *f, int holds, const char *what) {
    if (!holds) {
        char line[GEN_COPY_LINE_BYTES];
        fail_msg("cell %u: %s: %s", f->index, what, gen_copy_line(f->c, line));
    }
}

static int is_group(const struct follower *f) {
    return tma_plan_info(f->plan)->group_el > 1;
}

/* The plain loops' next byte. */
static struct plain_byte next_byte(struct follower *f) {
    if (f->offset_B == f->plain.row_shared_B) {
        f->offset_B = 0;
        f->row++;
    }
    if (f->offset_B == 0) {
        f->at_row = plain_copy_row(&f->plain, f->row);
    }
    return plain_copy_byte(&f->plain, &f->at_row, f->offset_B++);
}

static void same_first(const struct follower *f, const tma_cell *cell, const struct plain_byte *b) {
    const uint32_t linear = f->c->at.shared_address + b->row * f->plain.pitch_B + b->offset_B;
    const uint32_t place =
        tma_plan_info(f->plan)->op == TMA_OP_PREFETCH ? linear : b->shared_address;
    demand(f, cell->kind == b->kind && cell->row == b->row && cell->offset_B == b->offset_B,
           "another place in the rows");
    demand(f, cell->shared_address == place, "another shared address");
    demand(f, cell->bank == place % 128 / 4, "another bank");
    demand(f, cell->number == (b->row * f->plain.pitch_B + b->offset_B) / 16, "another number");
    if (cell->kind == TMA_RUN_INSIDE || cell->kind == TMA_RUN_PAST_EDGE) {
        demand(f, cell->address == b->address, "another global address");
    }
    if (cell->kind != TMA_RUN_PADDING) {
        demand(f, memcmp(cell->coord, b->coord, sizeof(b->coord)) == 0, "other coordinates");
    }
}

static int follow(void *context, const tma_cell *cell) {
    struct follower *f = context;
    demand(f, cell->index == f->index, "another index");
    demand(f, cell->length_B >= 1 && cell->length_B <= 16, "too long or too short");
    const uint32_t in_cell =
        tma_plan_info(f->plan)->op == TMA_OP_PREFETCH ? cell->offset_B : cell->shared_address;
    demand(f, in_cell % 16 + cell->length_B <= 16, "over the end of its cell");
    demand(f, cell->banks == (cell->shared_address % 4 + cell->length_B + 3) / 4, "other banks");
    demand(f, is_group(f) || cell->global_offset_B == cell->offset_B, "another global offset");
    for (uint32_t i = 0; i < cell->length_B; i++) {
        const struct plain_byte b = next_byte(f);
        if (i == 0) {
            same_first(f, cell, &b);
        }
        demand(f, b.kind == cell->kind && b.row == cell->row, "two kinds or rows in a cell");
        demand(f,
               tma_plan_info(f->plan)->op == TMA_OP_PREFETCH ||
                   b.shared_address == cell->shared_address + i,
               "its bytes do not lie together");
    }
    f->index++;
    totals.cells++;
    totals.of_kind[cell->kind]++;
    totals.parts += cell->length_B < 16;
    return 0;
}

static void cells_are_the_bytes_of_the_copy(void **state) {
    (void)state;
    struct random_source r = {20261121};
    unsigned long copies = spec_count() / SPECS_PER_COPY;
    copies = copies < LEAST_COPIES ? LEAST_COPIES : copies;
    for (unsigned long i = 0; i < copies; i++) {
        struct gen_copy c;
        tma_plan plan;
        gen_copy(&r, GEN_SMALL, &c);
        if (tma_plan_make(&plan, c.map.bytes, &c.instruction, &c.target, NULL) != TMA_OK ||
            tma_plan_at(&plan, &c.at, NULL) != TMA_OK) {
            continue;
        }
        struct follower f = {.c = &c, .plan = &plan};
        f.plain = plain_copy_of(&c.spec, &c.instruction, &c.at);
        assert_int_equal(tma_cells(&plan, &c.at, follow, &f), 0);
        demand(&f, f.row + 1 == f.plain.rows && f.offset_B == f.plain.row_shared_B,
               "the cells end early");
        totals.copies++;
    }
    assert_true(totals.copies > copies / 2);
    for (uint32_t kind = 0; kind < 4; kind++) {
        assert_true(totals.of_kind[kind] > 0);
    }
    assert_true(totals.parts > 0 && totals.parts < totals.cells);
}

/* ---- Figures 25 to 37: the positions of chunks ---- */

struct lines {
    const struct swizzle_table *table;
    uint32_t cells;
};

static int in_place(void *context, const tma_cell *cell) {
    struct lines *l = context;
    const uint32_t line = cell->shared_address / 128 % l->table->lines;
    const uint32_t half = cell->shared_address % 16 / 8;
    assert_int_equal(l->table->piece[line][cell->shared_address % 128 / 16], cell->number % 8);
    if (l->table->flip) { /* 8 bytes each; they change places at every alternate line */
        assert_int_equal(cell->length_B, 8);
        assert_int_equal(cell->offset_B % 16 / 8, line % 2 ? 1 - half : half);
    }
    l->cells++;
    return 0;
}

static void chunks_lie_where_the_document_prints_them(void **state) {
    (void)state;
    for (size_t i = 0; i < swizzle_table_count; i++) {
        const struct swizzle_table *table = &swizzle_tables[i];
        const uint32_t span_B = tma_swizzle_span_B(table->swizzle);
        const uint32_t row_B = span_B ? span_B : 128;
        const tma_target target = {.sm = 103, .suffix = 'a', .driver = 13000};
        const tma_spec spec = {.dtype = TMA_DTYPE_UINT8,
                               .rank = 2,
                               .address = 1 << 20,
                               .dim_el = {row_B, 64},
                               .stride_B = {row_B},
                               .box_el = {row_B, 64},
                               .element_stride = {1, 1},
                               .swizzle = table->swizzle};
        const tma_instruction load = {.op = TMA_OP_LOAD};
        const tma_position at = {.shared_address = 1024};
        struct lines lines = {table, 0};
        tma_map map;
        tma_plan plan;
        assert_int_equal(tma_encode_forced(map.bytes, &spec, &target, NULL), TMA_OK);
        assert_int_equal(tma_plan_make(&plan, map.bytes, &load, &target, NULL), TMA_OK);
        assert_int_equal(tma_cells(&plan, &at, in_place, &lines), 0);
        assert_int_equal(lines.cells, 64 * row_B / (table->flip ? 8 : 16));
    }
}

/* ---- Edges of the call ---- */

static int stop_at_third(void *context, const tma_cell *cell) {
    ++*(uint32_t *)context;
    return cell->index == 2 ? 7 : 0;
}

static tma_plan plain_plan(void) {
    const tma_spec spec = {.dtype = TMA_DTYPE_FLOAT16,
                           .rank = 1,
                           .address = 1 << 20,
                           .dim_el = {100},
                           .box_el = {64},
                           .element_stride = {1}};
    const tma_instruction load = {.op = TMA_OP_LOAD};
    tma_map map;
    tma_plan plan;
    assert_int_equal(tma_encode(map.bytes, &spec, NULL), TMA_OK);
    assert_int_equal(tma_plan_make(&plan, map.bytes, &load, NULL, NULL), TMA_OK);
    return plan;
}

static void a_visitor_ends_the_walk(void **state) {
    (void)state;
    const tma_plan plan = plain_plan();
    const tma_position at = {.coord = {0}};
    const tma_position trapping = {.coord = {1}};
    uint32_t calls = 0;
    assert_int_equal(tma_cells(&plan, &at, stop_at_third, &calls), 7);
    assert_int_equal(calls, 3);
    assert_int_equal(tma_cells(&plan, &at, NULL, NULL), -1);
    assert_int_equal(tma_cells(NULL, &at, stop_at_third, &calls), -1);
    assert_int_equal(tma_cells(&plan, NULL, stop_at_third, &calls), -1);
    assert_int_equal(tma_cells(&plan, &trapping, stop_at_third, &calls), -1);
    assert_int_equal(calls, 3);
}

static int keep_last(void *context, const tma_cell *cell) {
    *(tma_cell *)context = *cell;
    return 0;
}

static void a_cell_in_words(void **state) {
    (void)state;
    const tma_plan plan = plain_plan();
    const tma_position at = {.coord = {40}, .shared_address = 0x480};
    tma_cell cell;
    char text[200];
    char cut[12];
    assert_int_equal(tma_cells(&plan, &at, keep_last, &cell), 0);
    const char *wanted = "(100) outside the tensor: filled with zeros; shared 0x4f8; banks 30-31; "
                         "row 0, 8 B";
    assert_int_equal(tma_cell_text(text, sizeof(text), &cell, &plan), strlen(wanted));
    assert_string_equal(text, wanted);
    assert_int_equal(tma_cell_text(cut, sizeof(cut), &cell, &plan), strlen(wanted));
    assert_memory_equal(cut, wanted, sizeof(cut) - 1);
    assert_int_equal(cut[sizeof(cut) - 1], 0);
    assert_int_equal(tma_cell_text(text, sizeof(text), NULL, &plan), 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cells_are_the_bytes_of_the_copy),
        cmocka_unit_test(chunks_lie_where_the_document_prints_them),
        cmocka_unit_test(a_visitor_ends_the_walk),
        cmocka_unit_test(a_cell_in_words),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
