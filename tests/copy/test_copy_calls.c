/* SPDX-License-Identifier: Apache-2.0
 *
 * The calls around one copy: judging without moving, many copies of one plan, multicast, prefetch,
 * and what null pointers are answered.
 */
#include "support/testing.h"

#include "support/paths.h"
#include <tma/copy.h>
#include <tma/map.h>

#define ADDRESS  UINT64_C(0x7f0000000000)
#define COLUMNS  16
#define ROWS     32
#define BOX_B    (4 * COLUMNS * 4)
#define WINDOW_B 4096

static uint32_t tensor[ROWS][COLUMNS];
static uint8_t shared[WINDOW_B];

static const tma_range range = {.address = ADDRESS, .size_B = sizeof(tensor), .host = tensor};
static const tma_global global = {.ranges = &range, .count = 1};
static const tma_window window = {.address = 0, .size_B = WINDOW_B, .host = shared};

static tma_plan plan_of(const tma_instruction *in) {
    const tma_spec spec = {.dtype = TMA_DTYPE_UINT32,
                           .rank = 2,
                           .address = ADDRESS,
                           .dim_el = {COLUMNS, ROWS},
                           .stride_B = {sizeof(tensor[0])},
                           .box_el = {COLUMNS, 4},
                           .element_stride = {1, 1}};
    tma_map map;
    tma_plan plan;
    assert_int_equal(tma_encode(map.bytes, &spec, NULL), TMA_OK);
    assert_int_equal(tma_plan_make(&plan, map.bytes, in, NULL, NULL), TMA_OK);
    for (uint32_t row = 0; row < ROWS; row++) {
        for (uint32_t column = 0; column < COLUMNS; column++) {
            tensor[row][column] = 1 + row * COLUMNS + column;
        }
    }
    memset(shared, 0xA5, sizeof(shared));
    return plan;
}

static int untouched(const uint8_t *bytes, size_t count) {
    for (size_t i = 0; i < count; i++) {
        if (bytes[i] != 0xA5) {
            return 0;
        }
    }
    return 1;
}

/* Four rows of the tensor from `row` on lie at `bytes`. */
static void expect_rows(const uint8_t *bytes, uint32_t row) {
    assert_memory_equal(bytes, tensor[row], BOX_B);
}

static void judging_moves_nothing(void **state) {
    (void)state;
    const tma_instruction load = {.op = TMA_OP_LOAD};
    const tma_plan plan = plan_of(&load);
    const tma_position good = {.coord = {0, 3}};
    const tma_position trap = {.coord = {1, 3}};
    const tma_window small = {.address = 0, .size_B = BOX_B - 1, .host = shared};
    const tma_global nothing = {0};
    tma_plan forced;
    tma_finding why;
    for_each_path(forced, &plan) {
        assert_int_equal(tma_copy_judge(&forced, &good, &global, &window, &why), TMA_OK);
        assert_int_equal(tma_copy_judge(&forced, &trap, &global, &window, &why), TMA_TRAP);
        assert_int_equal(why.rule, TMA_RULE_TRAP_COORD_ALIGN);
        assert_int_equal(tma_copy_judge(&forced, &good, &global, &small, &why), TMA_MEMORY);
        assert_int_equal(why.rule, TMA_RULE_MEMORY_SHARED);
        assert_int_equal(tma_copy_judge(&forced, &good, &nothing, &window, &why), TMA_MEMORY);
        assert_int_equal(why.rule, TMA_RULE_MEMORY_GLOBAL);
        assert_true(untouched(shared, WINDOW_B));
    }
}

static void many_in_order(void **state) {
    (void)state;
    const tma_instruction load = {.op = TMA_OP_LOAD};
    const tma_plan plan = plan_of(&load);
    tma_plan forced;
    tma_position at[5] = {{.coord = {0, 0}},
                          {.coord = {0, 8}},
                          {.coord = {0, 20}},
                          {.coord = {0, 4}},
                          {.coord = {0, 28}}};
    for (uint32_t i = 0; i < 5; i++) {
        at[i].shared_address = (i == 4 ? 0 : i) * BOX_B; /* the last overwrites the first */
    }
    for_each_path(forced, &plan) {
        size_t failed = 99;
        memset(shared, 0xA5, sizeof(shared));
        assert_int_equal(tma_copy_many(&forced, at, 5, &global, &window, &failed, NULL), TMA_OK);
        assert_int_equal(failed, 99);
        expect_rows(shared, 28);
        expect_rows(shared + BOX_B, 8);
        expect_rows(shared + 2 * BOX_B, 20);
        expect_rows(shared + 3 * BOX_B, 4);
        assert_true(untouched(shared + 4 * BOX_B, WINDOW_B - 4 * BOX_B));
    }
}

/* One of them traps, or leaves its memory: none has moved, and its number is told. */
static void many_or_none(void **state) {
    (void)state;
    const tma_instruction load = {.op = TMA_OP_LOAD};
    const tma_plan plan = plan_of(&load);
    tma_plan forced;
    for_each_path(forced, &plan) {
        for (uint32_t bad = 0; bad < 4; bad++) {
            tma_position at[4] = {{.shared_address = 0}};
            size_t failed = 99;
            tma_finding why;
            at[bad].coord[0] = 2;
            assert_int_equal(tma_copy_many(&forced, at, 4, &global, &window, &failed, &why),
                             TMA_TRAP);
            assert_int_equal(failed, bad);
            assert_int_equal(why.rule, TMA_RULE_TRAP_COORD_ALIGN);
            at[bad].coord[0] = 0;
            at[bad].shared_address = WINDOW_B - 128;
            assert_int_equal(tma_copy_many(&forced, at, 4, &global, &window, &failed, &why),
                             TMA_MEMORY);
            assert_int_equal(failed, bad);
            assert_int_equal(tma_copy_many(&forced, at, 4, &global, &window, NULL, NULL),
                             TMA_MEMORY);
            assert_true(untouched(shared, WINDOW_B));
        }
        assert_int_equal(tma_copy_many(&forced, NULL, 0, &global, &window, NULL, NULL), TMA_OK);
    }
}

#define CTAS 16

static uint8_t cluster[CTAS][WINDOW_B];

static void cluster_windows(tma_window windows[CTAS]) {
    for (uint32_t i = 0; i < CTAS; i++) {
        windows[i] = (tma_window){.address = 0, .size_B = WINDOW_B, .host = cluster[i]};
    }
    memset(cluster, 0xA5, sizeof(cluster));
}

/* The same bytes at the same shared address of every CTA whose bit is set, of no other. */
static void multicast_to_the_masked(void **state) {
    (void)state;
    static const uint32_t masks[] = {0x0001, 0x8000, 0x8001, 0x00F0, 0xFFFF};
    for (size_t m = 0; m < COUNT_OF(masks); m++) {
        const tma_instruction load = {.op = TMA_OP_LOAD, .cluster = 1, .cta_mask = masks[m]};
        const tma_plan plan = plan_of(&load);
        const tma_position at = {.coord = {0, 5}, .shared_address = 384};
        tma_window windows[CTAS];
        tma_plan forced;
        for_each_path(forced, &plan) {
            cluster_windows(windows);
            assert_int_equal(tma_copy_multicast(&forced, &at, &global, windows, CTAS, NULL),
                             TMA_OK);
            for (uint32_t i = 0; i < CTAS; i++) {
                if (masks[m] >> i & 1) {
                    expect_rows(cluster[i] + 384, 5);
                    assert_true(untouched(cluster[i], 384));
                    assert_true(untouched(cluster[i] + 384 + BOX_B, WINDOW_B - 384 - BOX_B));
                } else {
                    assert_true(untouched(cluster[i], WINDOW_B));
                }
            }
        }
    }
}

static void multicast_to_all_or_none(void **state) {
    (void)state;
    const tma_instruction load = {.op = TMA_OP_LOAD, .cluster = 1, .cta_mask = 0x000A};
    const tma_plan plan = plan_of(&load);
    const tma_position at = {.coord = {0, 5}};
    tma_window windows[CTAS];
    tma_finding why;
    cluster_windows(windows);
    windows[3].size_B = BOX_B - 1; /* the second of two */
    assert_int_equal(tma_copy_multicast(&plan, &at, &global, windows, CTAS, &why), TMA_MEMORY);
    assert_int_equal(why.rule, TMA_RULE_MEMORY_SHARED);
    windows[3].size_B = BOX_B;
    assert_int_equal(tma_copy_multicast(&plan, &at, &global, windows, 3, &why), TMA_TRAP);
    assert_int_equal(why.rule, TMA_RULE_MULTICAST_CLUSTER);
    assert_int_equal(tma_copy_multicast(&plan, &at, &global, NULL, CTAS, &why), TMA_INVALID);
    assert_int_equal(tma_copy_multicast(NULL, &at, &global, windows, CTAS, &why), TMA_INVALID);
    for (uint32_t i = 0; i < CTAS; i++) {
        assert_true(untouched(cluster[i], WINDOW_B));
    }
    assert_int_equal(tma_copy_multicast(&plan, &at, &global, windows, 4, &why), TMA_OK);
    expect_rows(cluster[3], 5);
}

static void multicast_needs_a_mask(void **state) {
    (void)state;
    const tma_instruction load = {.op = TMA_OP_LOAD, .cluster = 1};
    const tma_instruction store = {.op = TMA_OP_STORE};
    const tma_position at = {.coord = {0, 5}};
    tma_window windows[CTAS];
    cluster_windows(windows);
    tma_plan plan = plan_of(&load);
    assert_int_equal(tma_copy_multicast(&plan, &at, &global, windows, CTAS, NULL), TMA_INVALID);
    plan = plan_of(&store);
    assert_int_equal(tma_copy_multicast(&plan, &at, &global, windows, CTAS, NULL), TMA_INVALID);
    const tma_instruction masked = {.op = TMA_OP_LOAD, .cluster = 1, .cta_mask = 3};
    tma_finding why[2] = {{0}};
    plan = plan_of(&masked); /* one window is not enough for it, also for the reference */
    assert_int_equal(tma_copy(&plan, &at, &global, windows, &why[0]), TMA_INVALID);
    assert_int_equal(tma_copy_reference(&plan, &at, &global, windows, &why[1]), TMA_INVALID);
    assert_true(why[0].rule == why[1].rule && why[0].given == why[1].given);
}

/* What must be 0 in a window and a set of ranges; ranks that no map has. */
static void reserved_members(void **state) {
    (void)state;
    const tma_instruction load = {.op = TMA_OP_LOAD};
    const tma_plan plan = plan_of(&load);
    const tma_position at = {.coord = {0, 0}};
    for (int which = 0; which < 2; which++) {
        tma_global later_global = global;
        tma_window later_window = window;
        tma_finding why;
        later_global.reserved[2] = which != 0;
        later_window.reserved = which == 0;
        assert_int_equal(tma_copy(&plan, &at, &later_global, &later_window, &why), TMA_INVALID);
        assert_int_equal(why.rule, TMA_RULE_RESERVED_ZERO);
        assert_int_equal(tma_copy_judge(&plan, &at, &later_global, &later_window, &why),
                         TMA_INVALID);
        assert_int_equal(tma_copy_reference(&plan, &at, &later_global, &later_window, &why),
                         TMA_INVALID);
        assert_int_equal(why.rule, TMA_RULE_RESERVED_ZERO);
    }
    assert_true(untouched(shared, WINDOW_B));
    for (uint32_t rank = TMA_MAX_RANK + 1; rank < 9; rank++) {
        const tma_instruction other = {.op = TMA_OP_LOAD, .rank = rank};
        const tma_spec spec = {.dtype = TMA_DTYPE_UINT8,
                               .rank = 1,
                               .address = ADDRESS,
                               .dim_el = {64},
                               .box_el = {64},
                               .element_stride = {1}};
        tma_map map;
        tma_plan none;
        assert_int_equal(tma_encode(map.bytes, &spec, NULL), TMA_OK);
        assert_int_equal(tma_plan_make(&none, map.bytes, &other, NULL, NULL), TMA_INVALID);
    }
}

/* Judged like a load, but for shared memory, of which it has none; moves nothing. */
static void prefetch_only_judges(void **state) {
    (void)state;
    const tma_instruction prefetch = {.op = TMA_OP_PREFETCH};
    const tma_plan plan = plan_of(&prefetch);
    const tma_position good = {.coord = {0, -3}, .shared_address = 7};
    const tma_position trap = {.coord = {3, 0}};
    tma_plan forced;
    tma_finding why;
    for_each_path(forced, &plan) {
        assert_int_equal(tma_copy(&forced, &good, &global, &window, NULL), TMA_OK);
        assert_int_equal(tma_copy(&forced, &good, &global, NULL, NULL), TMA_OK);
        assert_int_equal(tma_copy(&forced, &trap, &global, &window, &why), TMA_TRAP);
        assert_int_equal(why.rule, TMA_RULE_TRAP_COORD_ALIGN);
    }
    assert_int_equal(tma_copy_reference(&plan, &good, &global, NULL, NULL), TMA_OK);
    assert_true(untouched(shared, WINDOW_B));
}

static void null_pointers(void **state) {
    (void)state;
    const tma_instruction load = {.op = TMA_OP_LOAD};
    const tma_plan plan = plan_of(&load);
    const tma_position at = {.coord = {0, 0}};
    const tma_window empty = {.address = 0, .size_B = WINDOW_B}; /* no bytes in it */
    tma_plan forced;
    for_each_path(forced, &plan) {
        const tma_position later = {.coord = {0, 0}, .reserved = {0, 0, 0, 1}};
        assert_int_equal(tma_copy(&forced, &later, &global, &window, NULL), TMA_INVALID);
        assert_int_equal(tma_copy(NULL, &at, &global, &window, NULL), TMA_INVALID);
        assert_int_equal(tma_copy(&forced, NULL, &global, &window, NULL), TMA_INVALID);
        assert_int_equal(tma_copy(&forced, &at, &global, NULL, NULL), TMA_INVALID);
        assert_int_equal(tma_copy_judge(&forced, &at, &global, NULL, NULL), TMA_INVALID);
        assert_int_equal(tma_copy(&forced, &at, &global, &empty, NULL), TMA_INVALID);
        assert_int_equal(tma_copy_judge(&forced, &at, &global, &empty, NULL), TMA_INVALID);
        assert_int_equal(tma_copy_many(&forced, NULL, 1, &global, &window, NULL, NULL),
                         TMA_INVALID);
        assert_int_equal(tma_copy_many(&forced, NULL, 0, &global, &window, NULL, NULL), TMA_OK);
    }
    tma_finding why;
    assert_int_equal(tma_copy(&plan, NULL, &global, &window, &why), TMA_INVALID);
    assert_true(why.rule == TMA_RULE_ARGUMENT_NULL && why.index == -1); /* of the whole argument */
    char text[64];
    assert_int_equal(tma_finding_given(text, sizeof(text), &why), strlen("null"));
    assert_string_equal(text, "null");
    assert_int_equal(tma_copy_reference(NULL, &at, &global, &window, NULL), TMA_INVALID);
    assert_int_equal(tma_copy_reference(&plan, NULL, &global, &window, NULL), TMA_INVALID);
    assert_int_equal(tma_copy_reference(&plan, &at, &global, NULL, NULL), TMA_INVALID);
    assert_true(untouched(shared, WINDOW_B));
}

/* A range without host bytes holds nothing, wherever in it a copy begins. */
static void ranges_without_bytes(void **state) {
    (void)state;
    const tma_range nowhere = {.address = ADDRESS, .size_B = sizeof(tensor)};
    const tma_global without = {.ranges = &nowhere, .count = 1};
    for (uint32_t op = TMA_OP_LOAD; op <= TMA_OP_ADD; op++) {
        const tma_instruction in = {.op = (uint8_t)op};
        const tma_plan plan = plan_of(&in);
        tma_plan forced;
        for_each_path(forced, &plan) {
            for (int32_t row = 0; row < ROWS; row += 4) {
                const tma_position at = {.coord = {0, row}};
                tma_finding why;
                assert_int_equal(tma_copy_judge(&forced, &at, &without, &window, &why), TMA_MEMORY);
                assert_int_equal(tma_copy(&forced, &at, &without, &window, &why), TMA_MEMORY);
                assert_int_equal(why.rule, TMA_RULE_MEMORY_GLOBAL);
                assert_int_equal(why.value, ADDRESS + (uint64_t)row * sizeof(tensor[0]));
            }
        }
    }
    assert_true(untouched(shared, WINDOW_B));
}

/* What returns no status answers nulls with nothing. */
static void null_pointers_without_a_status(void **state) {
    (void)state;
    const tma_instruction load = {.op = TMA_OP_LOAD};
    const tma_plan plan = plan_of(&load);
    const tma_position at = {.coord = {0, 0}};
    const uint8_t map[TMA_MAP_BYTES] = {0};
    uint32_t words[TMA_MAP_WORDS];
    assert_int_equal(tma_unowned(NULL, map), 0);
    assert_int_equal(tma_unowned(words, NULL), 0);
    for (int i = 0; i < 3; i++) {
        uint32_t offset[TMA_MAX_SPATIAL] = {7, 7, 7};
        uint32_t said[TMA_MAX_SPATIAL] = {7, 7, 7};
        tma_plan_offsets(i == 0 ? NULL : offset, i == 1 ? NULL : &plan, i == 2 ? NULL : &at);
        tma_instruction_offsets(i == 0 ? NULL : said, i == 1 ? NULL : &load, i == 2 ? NULL : &at);
        for (int k = 0; k < TMA_MAX_SPATIAL; k++) {
            assert_int_equal(offset[k], i == 0 ? 7 : 0);
            assert_int_equal(said[k], i == 0 ? 7 : 0);
        }
    }
}

/* Shared addresses end at 2^32: a window that reaches beyond is no help. */
static void the_end_of_shared_addresses(void **state) {
    (void)state;
    const tma_instruction load = {.op = TMA_OP_LOAD};
    const tma_plan plan = plan_of(&load);
    const tma_window last = {.address = 0xFFFFFF00, .size_B = WINDOW_B, .host = shared};
    const tma_position fits = {.coord = {0, 0}, .shared_address = 0xFFFFFF00};
    const tma_position beyond = {.coord = {0, 0}, .shared_address = 0xFFFFFF80};
    tma_plan forced;
    tma_finding why;
    assert_int_equal(BOX_B, 256);
    for_each_path(forced, &plan) {
        memset(shared, 0xA5, sizeof(shared));
        assert_int_equal(tma_copy(&forced, &fits, &global, &last, NULL), TMA_OK);
        expect_rows(shared, 0);
        memset(shared, 0xA5, sizeof(shared));
        assert_int_equal(tma_copy(&forced, &beyond, &global, &last, &why), TMA_MEMORY);
        assert_int_equal(why.rule, TMA_RULE_MEMORY_SHARED);
        assert_true(untouched(shared, WINDOW_B));
    }
    assert_int_equal(tma_copy_reference(&plan, &fits, &global, &last, NULL), TMA_OK);
    assert_int_equal(tma_copy_reference(&plan, &beyond, &global, &last, NULL), TMA_MEMORY);
}

/* A resolver that notes the first question, and has `there_B` bytes from ADDRESS on. */
struct asked {
    uint64_t address;
    uint64_t size_B;
    uint64_t there_B;
    uint8_t *host;
};

static void *note(void *context, uint64_t address, uint64_t size_B, bool write,
                  uint64_t *follows_B) {
    struct asked *asked = context;
    (void)write;
    if (!asked->size_B) {
        asked->address = address;
        asked->size_B = size_B;
    }
    if (address < ADDRESS || address - ADDRESS >= asked->there_B) {
        return NULL;
    }
    *follows_B = asked->there_B - (address - ADDRESS);
    return asked->host + (address - ADDRESS);
}

/* A gather from a tensor of 3 rows of 20 bytes, 48 apart, asks for all of it at once: to behind the
 * last row's last 16 bytes that a store may write. With a byte less there, row by row. */
static void a_gather_asks_for_the_tensor(void **state) {
    (void)state;
    static uint8_t memory[3 * 48];
    const uint64_t extent_B = 2 * 48 + 32;
    const tma_spec spec = {.dtype = TMA_DTYPE_UINT32,
                           .rank = 2,
                           .address = ADDRESS,
                           .dim_el = {5, 3},
                           .stride_B = {48},
                           .box_el = {8, 1},
                           .element_stride = {1, 1}};
    const tma_instruction in = {.op = TMA_OP_LOAD, .mode = TMA_MODE_GATHER4};
    const tma_target target = {.sm = 100, .suffix = 'a', .driver = 13000};
    const tma_position at = {.coord = {0, 2, 0, 1, 2}};
    tma_map map;
    tma_plan plan;
    tma_plan forced;
    assert_int_equal(tma_encode(map.bytes, &spec, &target), TMA_OK);
    assert_int_equal(tma_plan_make(&plan, map.bytes, &in, &target, NULL), TMA_OK);
    for (size_t i = 0; i < sizeof(memory); i++) {
        memory[i] = (uint8_t)(i + 1);
    }
    for_each_path(forced, &plan) {
        for (uint64_t less_B = 0; less_B < 2; less_B++) {
            struct asked asked = {.there_B = extent_B - less_B, .host = memory};
            const tma_global by_resolver = {.resolve = note, .context = &asked};
            memset(shared, 0xA5, sizeof(shared));
            assert_int_equal(tma_copy(&forced, &at, &by_resolver, &window, NULL), TMA_OK);
            assert_memory_equal(shared, memory + 96, 20);
            assert_memory_equal(shared + 32, memory, 20);
            assert_memory_equal(shared + 64, memory + 48, 20);
            assert_memory_equal(shared + 96, memory + 96, 20);
            assert_true(untouched(shared + 128, WINDOW_B - 128));
            if (tma_plan_info(&forced)->path != TMA_PATH_REFERENCE) {
                assert_true(asked.address == ADDRESS && asked.size_B == extent_B);
            }
        }
    }
}

static void paths(void **state) {
    (void)state;
    const tma_instruction load = {.op = TMA_OP_LOAD};
    tma_plan plan = plan_of(&load);
    assert_int_equal(tma_path_available(TMA_PATH_REFERENCE), 1);
    assert_int_equal(tma_path_available(TMA_PATH_PORTABLE), 1);
    assert_int_equal(tma_path_available(TMA_PATHS), 0);
    assert_int_equal(tma_plan_set_path(&plan, TMA_PATHS), TMA_INVALID);
    assert_int_equal(tma_plan_set_path(NULL, TMA_PATH_PORTABLE), TMA_INVALID);
    for (uint32_t path = 0; path < TMA_PATHS; path++) {
        tma_plan copy = plan;
        assert_string_not_equal(tma_path_name(path), "?");
        const tma_status status = tma_plan_set_path(&copy, path);
        assert_int_equal(status, tma_path_available(path) ? TMA_OK : TMA_INVALID);
        assert_int_equal(tma_plan_info(&copy)->path,
                         status == TMA_OK ? path : tma_plan_info(&plan)->path);
    }
    assert_string_equal(tma_path_name(TMA_PATHS), "?");
}

/* What the compiler's own library asks of the processor. */
static uint32_t widest_here(void) {
#if defined(__x86_64__) && defined(__GNUC__)
    __builtin_cpu_init();
    if (!__builtin_cpu_supports("avx2")) {
        return TMA_PATH_PORTABLE;
    }
    if (!__builtin_cpu_supports("avx512f") || !__builtin_cpu_supports("avx512bw") ||
        !__builtin_cpu_supports("avx512vl") || !__builtin_cpu_supports("avx512dq")) {
        return TMA_PATH_AVX2;
    }
    return TMA_PATH_AVX512; /* or the one with sums of 16-bit floats */
#else
    return TMA_PATH_PORTABLE;
#endif
}

static tma_plan plan_for(uint32_t dtype, uint64_t size_el, uint32_t box_el, uint32_t op) {
    const tma_target target = {.sm = 100, .suffix = 'a', .driver = 13000};
    const tma_instruction in = {.op = op};
    const tma_spec spec = {.dtype = dtype,
                           .rank = 2,
                           .address = 0x1000,
                           .dim_el = {size_el, 64},
                           .stride_B = {4096},
                           .box_el = {box_el, 8},
                           .element_stride = {1, 1}};
    tma_map map;
    tma_plan plan;
    assert_int_equal(tma_encode_forced(map.bytes, &spec, &target, NULL), TMA_OK);
    tma_finding why = {0};
    if (tma_plan_make(&plan, map.bytes, &in, &target, &why)) {
        fail_msg("%s, %u %u %u", tma_rule_of(why.rule)->name, dtype, (unsigned)size_el, op);
    }
    return plan;
}

/* The path of a plan is the machine's widest, also for padded types. */
static void the_widest_path(void **state) {
    (void)state;
    const uint32_t widest = widest_here();
    for (uint32_t path = 0; path < TMA_PATHS; path++) {
        if (path <= widest || path > TMA_PATH_AVX512) {
            assert_true(tma_path_available(path) || path > TMA_PATH_AVX512);
        } else {
            assert_false(tma_path_available(path));
        }
    }
    static const struct {
        uint32_t dtype, size_el, box_el, op;
    } rows[] = {{TMA_DTYPE_UINT8, 256, 64, TMA_OP_LOAD},
                {TMA_DTYPE_UINT8, 100, 64, TMA_OP_STORE},
                {TMA_DTYPE_16U4_ALIGN8B, 256, 64, TMA_OP_STORE},
                {TMA_DTYPE_16U6_ALIGN16B, 256, 128, TMA_OP_LOAD},
                {TMA_DTYPE_16U6_ALIGN16B, 256, 128, TMA_OP_STORE},
                {TMA_DTYPE_16U4_ALIGN16B, 384, 128, TMA_OP_LOAD}};
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        const tma_plan plan = plan_for(rows[i].dtype, rows[i].size_el, rows[i].box_el, rows[i].op);
        const uint32_t path = tma_plan_info(&plan)->path;
        if (path < widest || !tma_path_available(path)) {
            fail_msg("row %zu: %s", i, tma_path_name(path));
        }
    }
}

/* A box that can be inside as a whole has an extent, and its places; not where addresses wrap. */
static void whole_boxes(void **state) {
    (void)state;
    const tma_instruction load = {.op = TMA_OP_LOAD};
    tma_spec spec = {.dtype = TMA_DTYPE_UINT8,
                     .rank = 3,
                     .address = 0x1000,
                     .dim_el = {256, 64, 9},
                     .stride_B = {512, 1 << 16},
                     .box_el = {64, 8, 3},
                     .element_stride = {1, 2, 1}};
    tma_map map;
    tma_plan plan;
    assert_int_equal(tma_encode(map.bytes, &spec, NULL), TMA_OK);
    assert_int_equal(tma_plan_make(&plan, map.bytes, &load, NULL, NULL), TMA_OK);
    const tma_plan_facts *facts = tma_plan_info(&plan);
    assert_int_equal(facts->box_extent_B, 64 + 3 * 2 * 512 + 2 * (1 << 16));
    assert_true(facts->room_el[0] == 256 - 64 && facts->room_el[1] == 64 - 7 &&
                facts->room_el[2] == 9 - 3);
    spec.dim_el[2] = 2; /* fewer than the box has */
    assert_int_equal(tma_encode(map.bytes, &spec, NULL), TMA_OK);
    assert_int_equal(tma_plan_make(&plan, map.bytes, &load, NULL, NULL), TMA_OK);
    assert_int_equal(tma_plan_info(&plan)->box_extent_B, 0);
    spec.dim_el[1] = UINT64_C(1) << 31; /* times 2^39 */
    spec.dim_el[2] = 9;
    spec.stride_B[0] = UINT64_C(1) << 39;
    assert_int_equal(tma_encode(map.bytes, &spec, NULL), TMA_OK);
    assert_int_equal(tma_plan_make(&plan, map.bytes, &load, NULL, NULL), TMA_OK);
    assert_int_equal(tma_plan_info(&plan)->box_extent_B, 0);
}

/* The position lies in the rows that the store writes. */
static void a_store_over_its_position(void **state) {
    (void)state;
    static union {
        uint8_t bytes[sizeof(tensor)];
        tma_position at;
    } memory;
    const tma_range here = {.address = ADDRESS, .size_B = sizeof(memory), .host = &memory};
    const tma_global all = {.ranges = &here, .count = 1};
    const tma_instruction store = {.op = TMA_OP_STORE};
    const tma_plan plan = plan_of(&store);
    tma_plan forced;
    for_each_path(forced, &plan) {
        memset(&memory, 0, sizeof(memory));
        assert_int_equal(tma_copy(&forced, &memory.at, &all, &window, NULL), TMA_OK);
        assert_true(untouched(memory.bytes, BOX_B) && !memory.bytes[BOX_B]);
        memset(&memory, 0, sizeof(memory));
        assert_int_equal(tma_copy_reference(&forced, &memory.at, &all, &window, NULL), TMA_OK);
        assert_true(untouched(memory.bytes, BOX_B) && !memory.bytes[BOX_B]);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(judging_moves_nothing),
        cmocka_unit_test(many_in_order),
        cmocka_unit_test(many_or_none),
        cmocka_unit_test(multicast_to_the_masked),
        cmocka_unit_test(multicast_to_all_or_none),
        cmocka_unit_test(multicast_needs_a_mask),
        cmocka_unit_test(reserved_members),
        cmocka_unit_test(prefetch_only_judges),
        cmocka_unit_test(null_pointers),
        cmocka_unit_test(null_pointers_without_a_status),
        cmocka_unit_test(ranges_without_bytes),
        cmocka_unit_test(the_end_of_shared_addresses),
        cmocka_unit_test(a_gather_asks_for_the_tensor),
        cmocka_unit_test(paths),
        cmocka_unit_test(the_widest_path),
        cmocka_unit_test(whole_boxes),
        cmocka_unit_test(a_store_over_its_position),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
