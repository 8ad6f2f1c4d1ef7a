/* SPDX-License-Identifier: Apache-2.0
 *
 * Global addresses are modulo 2^64, products and sums alike. Every address has memory here, a
 * buffer over and over, so that coordinates of 31 bits times strides of 40 all find some; the
 * oracle adds and multiplies in numbers of more bits and cuts once, at the end.
 */
#include "support/testing.h"

#include "support/gen/random.h"
#include "support/paths.h"
#include <tma/copy.h>
#include <tma/cost.h>
#include <tma/map.h>
#include <tma/walk.h>

#define BUFFER_B       (1u << 20)
#define SHARED_B       8192
#define ROW_B          16
#define SPECS_PER_COPY 100

/* 128 bits, which not every compiler has as a type. */
struct wide {
    uint64_t low, high;
};

static uint8_t buffer[BUFFER_B];
static uint8_t before[BUFFER_B];
static uint8_t shared[SHARED_B];

static void *everywhere(void *context, uint64_t address, uint64_t size_B, bool write,
                        uint64_t *follows_B) {
    (void)context;
    (void)size_B;
    (void)write;
    *follows_B = BUFFER_B - address % BUFFER_B;
    return buffer + address % BUFFER_B;
}

static const tma_global all_memory = {.resolve = everywhere};
static const tma_window window = {.address = 1024, .size_B = SHARED_B, .host = shared};

struct wrapping {
    tma_spec spec;
    tma_position at;
    uint32_t rows;
};

/* A box of rows of 16 bytes that lies in the tensor as a whole, far out. */
static void draw(struct random_source *r, struct wrapping *w) {
    *w = (struct wrapping){.rows = 1};
    tma_spec *s = &w->spec;
    s->dtype = TMA_DTYPE_UINT32;
    s->rank = random_in(r, 2, TMA_MAX_RANK);
    s->address = random_u64(r) >> 7 & ~UINT64_C(15);
    s->dim_el[0] = random_in(r, 4, 64);
    s->box_el[0] = ROW_B / 4;
    s->element_stride[0] = 1;
    w->at.coord[0] = (int32_t)random_below(r, s->dim_el[0] / 4) * 4;
    w->at.shared_address = window.address;
    for (uint32_t i = 1; i < s->rank; i++) {
        const uint32_t box = random_in(r, 1, 4);
        s->dim_el[i] = UINT64_C(1) << 31;
        s->box_el[i] = box;
        s->element_stride[i] = random_in(r, 1, 2);
        s->stride_B[i - 1] = random_length(r, 36) << 4;
        if (s->stride_B[i - 1] == 0 || random_one_in(r, 3)) {
            s->stride_B[i - 1] = UINT64_C(1) << 39;
        }
        w->at.coord[i] = (int32_t)(INT32_MAX - box * random_in(r, 1, 1u << 20));
        w->rows *= (box + s->element_stride[i] - 1) / s->element_stride[i];
    }
}

static void add_product(struct wide *sum, uint32_t a, uint64_t b) {
    const uint64_t right = (uint64_t)a * (uint32_t)b;
    const uint64_t left = (uint64_t)a * (b >> 32) + (right >> 32);
    const uint64_t low = left << 32 | (uint32_t)right;
    sum->low += low;
    sum->high += (left >> 32) + (sum->low < low);
}

/* Of the first byte of row `row`. */
static uint64_t address_of(const struct wrapping *w, uint32_t row) {
    struct wide sum = {w->spec.address, 0};
    add_product(&sum, (uint32_t)w->at.coord[0], 4);
    for (uint32_t i = 1; i < w->spec.rank; i++) {
        const uint32_t step = w->spec.element_stride[i];
        const uint32_t count = (w->spec.box_el[i] + step - 1) / step;
        add_product(&sum, (uint32_t)w->at.coord[i] + row % count * step, w->spec.stride_B[i - 1]);
        row /= count;
    }
    return sum.low;
}

static int is_wrapped(const struct wrapping *w) {
    struct wide sum = {w->spec.address, 0};
    for (uint32_t i = 1; i < w->spec.rank; i++) {
        add_product(&sum, (uint32_t)w->at.coord[i], w->spec.stride_B[i - 1]);
    }
    return sum.high != 0;
}

static tma_plan plan_of(const struct wrapping *w, uint32_t op) {
    tma_map map;
    tma_plan plan;
    const tma_instruction in = {.op = op};
    assert_int_equal(tma_encode(map.bytes, &w->spec, NULL), TMA_OK);
    assert_int_equal(tma_plan_make(&plan, map.bytes, &in, NULL, NULL), TMA_OK);
    return plan;
}

static void expect_loaded(const struct wrapping *w) {
    for (uint32_t row = 0; row < w->rows; row++) {
        const uint64_t address = address_of(w, row);
        for (uint32_t i = 0; i < ROW_B; i++) {
            assert_int_equal(shared[row * ROW_B + i], buffer[(address + i) % BUFFER_B]);
        }
    }
}

/* What the stores leave, in the buffer itself: later rows over earlier ones. */
static void expect_stored(const struct wrapping *w) {
    for (uint32_t row = 0; row < w->rows; row++) {
        const uint64_t address = address_of(w, row);
        for (uint32_t i = 0; i < ROW_B; i++) {
            before[(address + i) % BUFFER_B] = shared[row * ROW_B + i];
        }
    }
    assert_memory_equal(buffer, before, BUFFER_B);
}

static uint64_t sectors_of(const struct wrapping *w, uint64_t unit_B) {
    uint64_t count = 0;
    uint64_t last = 1; /* no multiple of a unit */
    for (uint32_t row = 0; row < w->rows; row++) {
        const uint64_t address = address_of(w, row); /* a row of 16 lies in one unit */
        count += address / unit_B * unit_B != last;
        last = address / unit_B * unit_B;
    }
    return count;
}

struct seen {
    const struct wrapping *w;
    uint32_t rows;
};

static int see(void *context, const tma_run *run) {
    struct seen *s = context;
    assert_int_equal(run->kind, TMA_RUN_INSIDE);
    assert_int_equal(run->length_B, ROW_B);
    assert_true(run->address == address_of(s->w, run->row));
    s->rows++;
    return 0;
}

static void expect_words(const struct wrapping *w, const tma_plan *plan) {
    struct seen seen = {w, 0};
    tma_global_cost cost;
    tma_report_result report;
    uint64_t lowest = UINT64_MAX;
    uint64_t highest = 0;
    for (uint32_t row = 0; row < w->rows; row++) {
        const uint64_t address = address_of(w, row);
        lowest = address < lowest ? address : lowest;
        highest = address + ROW_B > highest ? address + ROW_B : highest;
    }
    assert_int_equal(tma_walk(plan, &w->at, see, &seen), 0);
    assert_int_equal(seen.rows, w->rows);
    assert_int_equal(tma_cost_global(&cost, plan, &w->at), TMA_OK);
    assert_int_equal(cost.bytes_B, w->rows * ROW_B);
    assert_int_equal(cost.sectors, sectors_of(w, TMA_SECTOR_B));
    assert_int_equal(cost.lines, sectors_of(w, TMA_LINE_B));
    assert_int_equal(tma_plan_report(&report, plan, &w->at, NULL), TMA_OK);
    assert_true(report.global_first == lowest && report.global_end == highest);
}

/* Without memory, the address that is named is one of a row's, and wrapped as it is. */
static void expect_named(const struct wrapping *w, const tma_plan *plan) {
    const tma_global none = {.count = 0};
    tma_finding why;
    assert_int_equal(tma_copy(plan, &w->at, &none, &window, &why), TMA_MEMORY);
    assert_true(why.given == address_of(w, 0));
    const tma_range first = {.address = why.given, .size_B = ROW_B, .host = buffer};
    const tma_global one = {.ranges = &first, .count = 1};
    const tma_status status = tma_copy(plan, &w->at, &one, &window, &why);
    assert_int_equal(status, w->rows == 1 ? TMA_OK : TMA_MEMORY);
    assert_true(status == TMA_OK || why.given == address_of(w, 1));
}

static void every_path_wraps(void **state) {
    (void)state;
    struct random_source r = {64};
    unsigned long wrapped = 0;
    for (size_t i = 0; i < BUFFER_B; i++) {
        buffer[i] = before[i] = (uint8_t)random_u64(&r);
    }
    const unsigned long trials = 300 + spec_count() / SPECS_PER_COPY;
    for (unsigned long trial = 0; trial < trials; trial++) {
        struct wrapping w;
        draw(&r, &w);
        wrapped += is_wrapped(&w) != 0;
        const tma_plan load = plan_of(&w, TMA_OP_LOAD);
        const tma_plan store = plan_of(&w, TMA_OP_STORE);
        tma_plan forced;
        assert_int_equal(tma_copy_reference(&load, &w.at, &all_memory, &window, NULL), TMA_OK);
        expect_loaded(&w);
        for_each_path(forced, &load) {
            memset(shared, 0xA5, sizeof(shared));
            assert_int_equal(tma_copy(&forced, &w.at, &all_memory, &window, NULL), TMA_OK);
            expect_loaded(&w);
        }
        expect_words(&w, &load);
        expect_named(&w, &load);
        if (trial % 64 == 0) { /* looks at the whole buffer */
            assert_int_equal(tma_copy(&store, &w.at, &all_memory, &window, NULL), TMA_OK);
            expect_stored(&w);
        }
    }
    assert_in_range(wrapped, trials / 3, trials); /* or nothing was tried */
}

/* Issue of its own once: it was called a memory error, though the range holds the rows. */
static void a_range_that_holds_the_wrapped_rows(void **state) {
    (void)state;
    static double tensor[8][64];
    const tma_target target = {.sm = 100, .suffix = 'a', .driver = 13000};
    const tma_instruction in = {.op = TMA_OP_LOAD};
    const tma_spec spec = {.dtype = TMA_DTYPE_FLOAT64,
                           .rank = 2,
                           .address = UINT64_C(0x7f0000000000),
                           .dim_el = {64, UINT64_C(1) << 31},
                           .stride_B = {UINT64_C(1) << 39},
                           .box_el = {64, 8},
                           .element_stride = {1, 1}};
    const tma_position at = {.coord = {0, 1 << 30}, .shared_address = 1024};
    tma_range rows[8];
    const tma_global global = {.ranges = rows, .count = 8};
    tma_map map;
    tma_plan plan;
    tma_finding why;
    for (uint32_t i = 0; i < 8; i++) {
        rows[i] = (tma_range){.address = spec.address + ((uint64_t)i << 39),
                              .size_B = sizeof(tensor[0]),
                              .host = tensor[i]};
        tensor[i][63] = i + 1;
    }
    assert_int_equal(tma_encode(map.bytes, &spec, &target), TMA_OK);
    assert_int_equal(tma_plan_make(&plan, map.bytes, &in, &target, NULL), TMA_OK);
    assert_int_equal(tma_copy(&plan, &at, &global, &window, NULL), TMA_OK);
    assert_memory_equal(shared, tensor, sizeof(tensor));
    rows[5].size_B -= 8;
    assert_int_equal(tma_copy(&plan, &at, &global, &window, &why), TMA_MEMORY);
    assert_true(why.given == rows[5].address + rows[5].size_B);
}

/* No range holds a tensor whose addresses wrap: a gather looks for each row by itself. */
static void a_gather_from_a_wrapped_tensor(void **state) {
    (void)state;
    const tma_target target = {.sm = 100, .suffix = 'a', .driver = 13000};
    const tma_instruction in = {.op = TMA_OP_LOAD, .mode = TMA_MODE_GATHER4};
    const tma_spec spec = {.dtype = TMA_DTYPE_UINT8,
                           .rank = 2,
                           .address = UINT64_C(0x7f0000000000),
                           .dim_el = {128, UINT64_C(1) << 31},
                           .stride_B = {UINT64_C(1) << 39},
                           .box_el = {128, 1},
                           .element_stride = {1, 1},
                           .swizzle = TMA_SWIZZLE_128B};
    const tma_position at = {.shared_address = 1024}; /* row 0, four times */
    tma_map map;
    tma_plan plan;
    tma_plan forced;
    tma_finding why;
    assert_int_equal(tma_encode(map.bytes, &spec, &target), TMA_OK);
    assert_int_equal(tma_plan_make(&plan, map.bytes, &in, &target, NULL), TMA_OK);
    assert_int_equal(tma_plan_info(&plan)->tensor_extent_B, 0);
    for_each_path(forced, &plan) {
        for (uint64_t there_B = 127; there_B <= 128; there_B++) {
            const tma_range range = {.address = spec.address, .size_B = there_B, .host = buffer};
            const tma_global global = {.ranges = &range, .count = 1};
            const tma_status status = tma_copy(&forced, &at, &global, &window, &why);
            assert_int_equal(status, there_B == 128 ? TMA_OK : TMA_MEMORY);
            assert_true(status == TMA_OK || why.given == spec.address + 127);
        }
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_path_wraps),
        cmocka_unit_test(a_range_that_holds_the_wrapped_rows),
        cmocka_unit_test(a_gather_from_a_wrapped_tensor),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
