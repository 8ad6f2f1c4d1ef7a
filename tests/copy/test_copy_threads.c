/* SPDX-License-Identifier: Apache-2.0
 *
 * Many copies at once: threads share a map, a plan, ranges and the tensor that they read; what each
 * writes is its own. Built a second time with ThreadSanitizer where the compiler has it.
 */
#include "support/testing.h"

#include "support/paths.h"
#include <pthread.h>
#include <tma/copy.h>
#include <tma/cost.h>
#include <tma/map.h>
#include <tma/walk.h>

#define ADDRESS UINT64_C(0x7f0000000000)
#define THREADS 8
#define TURNS   40
#define COLUMNS 64 /* of 4 bytes */
#define BOX     32
#define TILES   (COLUMNS / BOX) /* along a row of the tensor; each thread has BOX rows of it */

static uint32_t tensor[THREADS * BOX][COLUMNS];  /* read by all */
static uint32_t written[THREADS * BOX][COLUMNS]; /* rows of BOX, each written by one thread */
static uint32_t sums[THREADS * BOX][COLUMNS];

/* What all threads share. */
static struct {
    tma_map map;
    tma_plan load;
    tma_plan store;
    tma_plan add;
    tma_global global;
} shared;

static struct worker {
    pthread_t thread;
    uint32_t number;
    uint32_t wrong;
    uint8_t window[BOX * BOX * 4];
} workers[THREADS];

static int count_run(void *context, const tma_run *run) {
    *(uint64_t *)context += run->length_B;
    return 0;
}

/* The pure functions on the shared map and plan. */
static uint32_t ask(const tma_position *at) {
    const tma_instruction load = {.op = TMA_OP_LOAD};
    tma_plan again;
    tma_report_result report;
    tma_global_cost sectors;
    tma_bank_cost banks;
    uint64_t visited_B = 0;
    memset(&again, 0, sizeof(again)); /* the bytes between members stay what they were */
    uint32_t wrong = tma_plan_make(&again, shared.map.bytes, &load, NULL, NULL) != TMA_OK;
    wrong += memcmp(&again, &shared.load, sizeof(again)) != 0;
    wrong += tma_plan_report(&report, &shared.load, at, NULL) != TMA_OK;
    wrong += tma_walk(&shared.load, at, count_run, &visited_B) != 0 || visited_B != report.tx_B;
    wrong += tma_cost_global(&sectors, &shared.load, at) != TMA_OK;
    wrong += tma_cost_banks(&banks, &shared.load, at, TMA_READER_LDMATRIX) != TMA_OK;
    return wrong;
}

/* Loads a tile that others load too, stores it and adds it where only this thread does. */
static uint32_t turn(struct worker *w, uint32_t n) {
    const tma_window window = {.address = 0, .size_B = sizeof(w->window), .host = w->window};
    const tma_range out = {.address = ADDRESS, .size_B = sizeof(written), .host = written};
    const tma_range sum = {.address = ADDRESS, .size_B = sizeof(sums), .host = sums};
    const tma_global to = {.ranges = &out, .count = 1};
    const tma_global onto = {.ranges = &sum, .count = 1};
    const int32_t column = (int32_t)(n % TILES * BOX);
    const tma_position from = {.coord = {column, (int32_t)((w->number + n) % THREADS * BOX)}};
    const tma_position own = {.coord = {column, (int32_t)(w->number * BOX)}};
    tma_plan forced;
    uint32_t wrong = ask(&from);
    wrong += tma_copy_reference(&shared.load, &from, &shared.global, &window, NULL) != TMA_OK;
    for_each_path(forced, &shared.load) {
        wrong += tma_copy(&forced, &from, &shared.global, &window, NULL) != TMA_OK;
    }
    wrong += tma_copy(&shared.store, &own, &to, &window, NULL) != TMA_OK;
    wrong += tma_copy(&shared.add, &own, &onto, &window, NULL) != TMA_OK;
    return wrong;
}

static void *work(void *context) {
    struct worker *w = context;
    for (uint32_t n = 0; n < TURNS; n++) {
        w->wrong += turn(w, n);
    }
    return NULL;
}

static void make_shared(void) {
    static const tma_range range = {.address = ADDRESS, .size_B = sizeof(tensor), .host = tensor};
    const tma_spec spec = {.dtype = TMA_DTYPE_UINT32,
                           .rank = 2,
                           .address = ADDRESS,
                           .dim_el = {COLUMNS, THREADS * BOX},
                           .stride_B = {sizeof(tensor[0])},
                           .box_el = {BOX, BOX},
                           .element_stride = {1, 1},
                           .swizzle = TMA_SWIZZLE_128B};
    const tma_instruction load = {.op = TMA_OP_LOAD};
    const tma_instruction store = {.op = TMA_OP_STORE};
    const tma_instruction add = {.op = TMA_OP_ADD};
    assert_int_equal(tma_encode(shared.map.bytes, &spec, NULL), TMA_OK);
    assert_int_equal(tma_plan_make(&shared.load, shared.map.bytes, &load, NULL, NULL), TMA_OK);
    assert_int_equal(tma_plan_make(&shared.store, shared.map.bytes, &store, NULL, NULL), TMA_OK);
    assert_int_equal(tma_plan_make(&shared.add, shared.map.bytes, &add, NULL, NULL), TMA_OK);
    shared.global = (tma_global){.ranges = &range, .count = 1};
    for (uint32_t row = 0; row < THREADS * BOX; row++) {
        for (uint32_t column = 0; column < COLUMNS; column++) {
            tensor[row][column] = little_endian(row * 1000 + column);
        }
    }
}

/* What thread number t left in its rows. */
static void expect_rows_of(uint32_t t) {
    for (uint32_t row = 0; row < BOX; row++) {
        for (uint32_t column = 0; column < COLUMNS; column++) {
            uint32_t last = 0;
            uint32_t sum = 0;
            for (uint32_t n = column / BOX; n < TURNS; n += TILES) {
                last = tensor[(t + n) % THREADS * BOX + row][column];
                sum += little_endian(last);
            }
            assert_int_equal(written[t * BOX + row][column], last);
            assert_int_equal(little_endian(sums[t * BOX + row][column]), sum);
        }
    }
}

static void copies_on_many_threads(void **state) {
    (void)state;
    make_shared();
    for (uint32_t t = 0; t < THREADS; t++) {
        workers[t].number = t;
        assert_int_equal(pthread_create(&workers[t].thread, NULL, work, &workers[t]), 0);
    }
    for (uint32_t t = 0; t < THREADS; t++) {
        assert_int_equal(pthread_join(workers[t].thread, NULL), 0);
    }
    for (uint32_t t = 0; t < THREADS; t++) {
        assert_int_equal(workers[t].wrong, 0);
        expect_rows_of(t);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(copies_on_many_threads),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
