/* SPDX-License-Identifier: Apache-2.0
 *
 * Random copies between buffers that end at guard pages: the reference and every path leave what
 * the plain loops leave, in all of both buffers; and where memory is missing, nothing moves.
 */
#include "support/testing.h"

#include "support/gen/gen_copy.h"
#include "support/guard_page.h"
#include "support/paths.h"
#include "support/plain/plain_move.h"
#include <tma/copy.h>

#define SPECS_PER_COPY 100 /* a copy is as much work as so many specs */
#define GLOBAL_B       (GEN_COPY_EXTENT_B + 64)
#define WINDOW_B       (256u << 10)
#define PIECES         6

typedef tma_status (*copier)(const tma_plan *, const tma_position *, const tma_global *,
                             const tma_window *, tma_finding *);

/* What memory held before, what it must hold afterwards, and the arenas where copies happen. */
static struct {
    struct guard_arena global;
    struct guard_arena window;
    uint8_t global_before[GLOBAL_B];
    uint8_t global_after[GLOBAL_B];
    uint8_t window_before[WINDOW_B];
    uint8_t window_after[WINDOW_B];
} memory;

/* One random copy with the memory that it is given. */
struct trial {
    struct random_source *r;
    struct gen_copy c;
    tma_plan plan;
    struct plain_copy plain;
    struct plain_need need;
    tma_status status; /* that the coordinates should give */
    uint64_t global_address;
    uint64_t global_B;
    uint32_t window_address;
    uint32_t window_B;
};

static void blame(const struct trial *t, const char *what) {
    char line[GEN_COPY_LINE_BYTES];
    fail_msg("%s: %s", what, gen_copy_line(&t->c, line));
}

static void demand(const struct trial *t, int holds, const char *what) {
    if (!holds) {
        blame(t, what);
    }
}

/* Random words, and many of those that a reduction or TF32 treats in its own way: zeros,
 * subnormals, ties, infinities, NaNs of every width. */
static uint64_t any_word(struct random_source *r) {
    static const uint32_t words[] = {0,          1,          0x007fffff, 0x00800000, 0x3f801000,
                                     0x3f803000, 0x7f7fffff, 0x7f800000, 0x7f800001, 0x7fffffff};
    static const uint16_t halves[] = {0,      1,      0x03ff, 0x0400, 0x3c00, 0x3c01, 0x7bff,
                                      0x7c00, 0x7c01, 0x7e00, 0x7f7f, 0x7f80, 0x7f81, 0x7fff};
    static const uint64_t doubles[] = {1, UINT64_C(0x7ff0000000000000),
                                       UINT64_C(0x7ff0000000000001), UINT64_C(0x7ff8000000000000)};
    const uint64_t any = random_u64(r);
    uint64_t word = 0;
    switch (random_below(r, 6)) {
    case 0:
        return doubles[any % COUNT_OF(doubles)] | any >> 63 << 63;
    case 1:
        for (int i = 0; i < 2; i++) {
            const uint64_t signs = any & UINT64_C(0x8000000080000000);
            word = word << 32 | words[(any >> (8 * i)) % COUNT_OF(words)];
            word |= i ? signs : 0;
        }
        return word;
    case 2:
        for (int i = 0; i < 4; i++) {
            const uint64_t signs = any & UINT64_C(0x8000800080008000);
            word = word << 16 | halves[(any >> (8 * i)) % COUNT_OF(halves)];
            word |= i == 3 ? signs : 0;
        }
        return word;
    default:
        return any;
    }
}

static void fill_words(struct random_source *r, uint8_t *bytes, size_t size_B) {
    for (size_t i = 0; i + 8 <= size_B; i += 8) {
        const uint64_t word = any_word(r);
        memcpy(bytes + i, &word, 8);
    }
}

static int make_arenas(void **state) {
    (void)state;
    struct random_source r = {99};
    guard_arena_make(&memory.global, GLOBAL_B);
    guard_arena_make(&memory.window, WINDOW_B);
    fill_words(&r, memory.global_before, GLOBAL_B);
    fill_words(&r, memory.window_before, WINDOW_B);
    return 0;
}

static int free_arenas(void **state) {
    (void)state;
    guard_arena_free(&memory.global);
    guard_arena_free(&memory.window);
    return 0;
}

/* The next random copy, with exactly the shared memory that it needs and the whole tensor. */
static void next_trial(struct trial *t) {
    tma_finding why = {0};
    char text[512];
    gen_copy(t->r, GEN_SMALL, &t->c);
    if (tma_plan_make(&t->plan, t->c.map.bytes, &t->c.instruction, &t->c.target, &why) != TMA_OK) {
        tma_finding_text(text, sizeof(text), &why);
        blame(t, text);
    }
    t->status = tma_plan_at(&t->plan, &t->c.at, NULL);
    t->plain = plain_copy_of(&t->c.spec, &t->c.instruction, &t->c.at);
    t->need = plain_need_of(&t->plain);
    t->global_address = t->c.spec.address;
    t->global_B = gen_copy_extent_B(&t->c.spec);
    if (tma_plan_info(&t->plan)->op ==
        TMA_OP_LOAD) { /* no rounding up to 16 bytes: rows end where they end */
        const uint64_t row_bit = t->c.spec.dim_el[0] * tma_dtype_bits(t->c.spec.dtype);
        t->global_B -= t->c.spec.interleave ? 0 : (128 - row_bit % 128) % 128 / 8;
    }
    t->window_address = t->need.shared_first;
    t->window_B = t->need.shared_end - t->need.shared_first;
    assert_true(t->window_B <= WINDOW_B && t->global_B <= GLOBAL_B);
}

/* What the plain loops leave, in memory.*_after. */
static void expect_plain(const struct trial *t) {
    const struct plain_memory m = {memory.global_after, t->global_address, t->global_B,
                                   memory.window_after, t->window_address, t->window_B};
    memcpy(memory.global_after, memory.global_before, t->global_B);
    memcpy(memory.window_after, memory.window_before, t->window_B);
    if (t->status == TMA_OK) {
        plain_move(&t->plain, &m);
    }
}

/* Places and fills both buffers. */
static void set_up(const struct trial *t, tma_range *range, tma_window *window) {
    uint8_t *global = guard_arena_place(&memory.global, t->global_B, random_one_in(t->r, 2));
    uint8_t *shared = guard_arena_place(&memory.window, t->window_B, random_one_in(t->r, 2));
    memcpy(global, memory.global_before, t->global_B);
    memcpy(shared, memory.window_before, t->window_B);
    *range = (tma_range){.address = t->global_address, .size_B = t->global_B, .host = global};
    *window = (tma_window){.address = t->window_address, .size_B = t->window_B, .host = shared};
}

static void same_memory(const struct trial *t, const uint8_t *global, const uint8_t *window) {
    demand(t, memcmp(memory.global.placed, global, t->global_B) == 0, "other global bytes");
    demand(t, memcmp(memory.window.placed, window, t->window_B) == 0, "other shared bytes");
    demand(t, guard_arena_intact(&memory.global), "bytes beside the tensor changed");
    demand(t, guard_arena_intact(&memory.window), "bytes beside the window changed");
}

static void same_status(const struct trial *t, tma_status status, const tma_finding *why) {
    char text[512] = "";
    if (status != t->status) {
        tma_finding_text(text, sizeof(text), why);
        print_error("%s instead of %s: %s\n", tma_status_name(status), tma_status_name(t->status),
                    status ? text : "");
        blame(t, "another status");
    }
}

static void copy_one(const struct trial *t, const tma_plan *plan, copier copy) {
    tma_range range;
    tma_window window;
    tma_finding why = {0};
    const tma_global global = {.ranges = &range, .count = 1};
    set_up(t, &range, &window);
    same_status(t, copy(plan, &t->c.at, &global, &window, &why), &why);
    same_memory(t, memory.global_after, memory.window_after);
}

/* Calls run for each of so many random copies. */
static void each_trial(uint64_t seed, unsigned long count, void (*run)(struct trial *t)) {
    struct random_source r = {seed};
    for (unsigned long i = 0; i < count; i++) {
        struct trial t = {.r = &r};
        next_trial(&t);
        run(&t);
    }
}

static void all_alike(struct trial *t) {
    tma_plan forced;
    expect_plain(t);
    copy_one(t, &t->plan, tma_copy_reference);
    for_each_path(forced, &t->plan) {
        copy_one(t, &forced, tma_copy);
    }
}

static void every_path_leaves_what_plain_loops_leave(void **state) {
    (void)state;
    each_trial(1, spec_count() / SPECS_PER_COPY, all_alike);
}

/* A plan is for many coordinates. */
static void planned_once(struct trial *t) {
    for (int i = 0; i < 5; i++) {
        gen_copy_position(t->r, GEN_SMALL, &t->c);
        t->status = tma_plan_at(&t->plan, &t->c.at, NULL);
        t->plain = plain_copy_of(&t->c.spec, &t->c.instruction, &t->c.at);
        t->need = plain_need_of(&t->plain);
        t->window_address = t->need.shared_first;
        t->window_B = t->need.shared_end - t->need.shared_first;
        expect_plain(t);
        copy_one(t, &t->plan, tma_copy);
    }
}

static void one_plan_many_coordinates(void **state) {
    (void)state;
    each_trial(2, spec_count() / SPECS_PER_COPY / 10, planned_once);
}

/* Cuts the tensor into ranges at random bytes, their host bytes lying backwards with a sentinel
 * between them. Returns how many. */
static size_t cut(const struct trial *t, tma_range ranges[PIECES]) {
    const size_t count = 1 + (size_t)random_below(t->r, PIECES);
    uint8_t *host = guard_arena_place(&memory.global, t->global_B + count, 1);
    uint64_t at = 0;
    for (size_t i = 0; i < count; i++) {
        const uint64_t left = t->global_B - at;
        const uint64_t size_B = i + 1 == count ? left : random_below(t->r, left + 1);
        ranges[i] = (tma_range){.address = t->global_address + at,
                                .size_B = size_B,
                                .host = host + (left - size_B) + count - i};
        memcpy(ranges[i].host, memory.global_before + at, size_B);
        ((uint8_t *)ranges[i].host)[-1] = GUARD_SENTINEL;
        at += size_B;
    }
    return count;
}

static void same_pieces(const struct trial *t, const tma_range *ranges, size_t count,
                        const uint8_t *wanted) {
    for (size_t i = 0; i < count; i++) {
        const uint64_t at = ranges[i].address - t->global_address;
        demand(t, memcmp(ranges[i].host, wanted + at, ranges[i].size_B) == 0, "other bytes");
        demand(t, ((const uint8_t *)ranges[i].host)[-1] == GUARD_SENTINEL, "a byte beside");
    }
}

static void copy_in_pieces(const struct trial *t, const tma_plan *plan, copier copy) {
    tma_range ranges[PIECES];
    tma_range whole;
    tma_window window;
    tma_finding why = {0};
    set_up(t, &whole, &window);
    const tma_global global = {.ranges = ranges, .count = cut(t, ranges)};
    same_status(t, copy(plan, &t->c.at, &global, &window, &why), &why);
    same_pieces(t, ranges, global.count, memory.global_after);
    demand(t, memcmp(window.host, memory.window_after, t->window_B) == 0, "other shared bytes");
}

/* The pieces as a paged simulator would find them. */
struct pages {
    const tma_range *ranges;
    size_t count;
    unsigned long asked;
    int writes; /* what the copy must say that it does */
    int lies;   /* it said something else */
};

static void *page_of(void *context, uint64_t address, uint64_t size_B, bool write,
                     uint64_t *follows_B) {
    struct pages *p = context;
    p->asked += size_B > 0;
    p->lies |= write != p->writes;
    for (size_t i = 0; i < p->count; i++) {
        const tma_range *r = &p->ranges[i];
        if (address >= r->address && address - r->address < r->size_B) {
            *follows_B = r->size_B - (address - r->address);
            return (uint8_t *)r->host + (address - r->address);
        }
    }
    return NULL;
}

static void copy_by_pages(const struct trial *t, const tma_plan *plan, copier copy) {
    tma_range ranges[PIECES];
    tma_range whole;
    tma_window window;
    tma_finding why = {0};
    set_up(t, &whole, &window);
    struct pages pages = {.ranges = ranges, .count = cut(t, ranges)};
    pages.writes = t->c.instruction.op != TMA_OP_LOAD && t->c.instruction.op != TMA_OP_PREFETCH;
    const tma_global global = {.resolve = page_of, .context = &pages};
    same_status(t, copy(plan, &t->c.at, &global, &window, &why), &why);
    same_pieces(t, ranges, pages.count, memory.global_after);
    demand(t, memcmp(window.host, memory.window_after, t->window_B) == 0, "other shared bytes");
    demand(t, !pages.lies, "a load that writes, or a store that does not");
}

/* Half of the pieces as ranges, the rest by the resolver, loads from const memory. */
static void copy_by_both(const struct trial *t, const tma_plan *plan, copier copy) {
    tma_range ranges[PIECES];
    tma_range given[PIECES];
    tma_range whole;
    tma_window window;
    tma_finding why = {0};
    set_up(t, &whole, &window);
    const size_t count = cut(t, ranges);
    struct pages pages = {.ranges = ranges + count / 2, .count = count - count / 2};
    pages.writes = t->c.instruction.op != TMA_OP_LOAD && t->c.instruction.op != TMA_OP_PREFETCH;
    for (size_t i = 0; i < count / 2; i++) {
        given[i] = ranges[i];
        if (!pages.writes) {
            given[i].read_only = ranges[i].host;
            given[i].host = NULL;
        }
    }
    const tma_global global = {
        .ranges = given, .count = count / 2, .resolve = page_of, .context = &pages};
    same_status(t, copy(plan, &t->c.at, &global, &window, &why), &why);
    same_pieces(t, ranges, count, memory.global_after);
    demand(t, memcmp(window.host, memory.window_after, t->window_B) == 0, "other shared bytes");
}

static void in_pieces(struct trial *t) {
    tma_plan forced;
    expect_plain(t);
    copy_in_pieces(t, &t->plan, tma_copy_reference);
    copy_by_pages(t, &t->plan, tma_copy_reference);
    for_each_path(forced, &t->plan) {
        copy_in_pieces(t, &forced, tma_copy);
        copy_by_pages(t, &forced, tma_copy);
        copy_by_both(t, &forced, tma_copy);
    }
}

static void tensor_in_several_ranges(void **state) {
    (void)state;
    each_trial(3, spec_count() / SPECS_PER_COPY / 5, in_pieces);
}

static int is_touched(const struct trial *t, uint64_t address) {
    for (uint32_t row = 0; row < t->plain.rows; row++) {
        const struct plain_row r = plain_copy_row(&t->plain, row);
        for (uint32_t at = 0; at < t->plain.row_shared_B; at++) {
            const struct plain_byte b = plain_copy_byte(&t->plain, &r, at);
            if ((b.kind == TMA_RUN_INSIDE || b.kind == TMA_RUN_PAST_EDGE) &&
                address - b.address <= (b.bit > 2)) {
                return 1;
            }
        }
    }
    return 0;
}

/* One byte that the copy needs is in no range. */
static void copy_with_a_hole(const struct trial *t, const tma_plan *plan, copier copy,
                             uint64_t hole) {
    tma_range whole;
    tma_window window;
    tma_finding why = {0};
    set_up(t, &whole, &window);
    const uint64_t before_B = hole - t->global_address;
    uint8_t *host = whole.host;
    const tma_range ranges[2] = {
        {.address = t->global_address, .size_B = before_B, .host = host},
        {.address = hole + 1, .size_B = t->global_B - before_B - 1, .host = host + before_B + 1}};
    const tma_global global = {.ranges = ranges, .count = 2};
    demand(t, copy(plan, &t->c.at, &global, &window, &why) == TMA_MEMORY, "the hole is not seen");
    demand(t, why.rule == TMA_RULE_MEMORY_GLOBAL, "another rule");
    demand(t, why.value == hole && why.given == hole, "the finding does not name the hole");
    same_memory(t, memory.global_before, memory.window_before);
}

static void with_a_hole(struct trial *t) {
    tma_plan forced;
    if (t->status != TMA_OK || tma_plan_info(&t->plan)->op == TMA_OP_PREFETCH ||
        !t->need.global_end) {
        return;
    }
    const uint64_t holes[] = {t->need.global_first, t->need.global_end - 1,
                              t->need.global_first +
                                  random_below(t->r, t->need.global_end - t->need.global_first)};
    for (size_t i = 0; i < COUNT_OF(holes); i++) {
        if (is_touched(t, holes[i])) {
            copy_with_a_hole(t, &t->plan, tma_copy_reference, holes[i]);
            copy_with_a_hole(t, &t->plan, tma_copy_judge, holes[i]);
            for_each_path(forced, &t->plan) {
                copy_with_a_hole(t, &forced, tma_copy, holes[i]);
            }
        }
    }
}

static void missing_global_memory_is_a_finding(void **state) {
    (void)state;
    each_trial(4, spec_count() / SPECS_PER_COPY / 5, with_a_hole);
}

/* Not a byte of global memory is needed where none is inside, and none is asked for. */
static void without_global(struct trial *t) {
    tma_range whole;
    tma_window window;
    tma_plan forced;
    const tma_global nothing = {0};
    if (t->status != TMA_OK || t->need.global_end) {
        return;
    }
    expect_plain(t);
    for_each_path(forced, &t->plan) {
        set_up(t, &whole, &window);
        demand(t, tma_copy(&forced, &t->c.at, &nothing, &window, NULL) == TMA_OK, "asked for more");
        same_memory(t, memory.global_after, memory.window_after);
    }
}

static void copies_outside_need_no_global_memory(void **state) {
    (void)state;
    each_trial(5, spec_count() / SPECS_PER_COPY / 5, without_global);
}

static void copy_in_less(const struct trial *t, const tma_plan *plan, copier copy, int at_end) {
    tma_range range;
    tma_window window;
    tma_finding why = {0};
    const tma_global global = {.ranges = &range, .count = 1};
    set_up(t, &range, &window);
    window.size_B--;
    if (!at_end) {
        window.address++;
        window.host = (uint8_t *)window.host + 1;
    }
    demand(t, copy(plan, &t->c.at, &global, &window, &why) == TMA_MEMORY, "a byte too few");
    demand(t, why.rule == TMA_RULE_MEMORY_SHARED, "another rule");
    demand(t, why.value < window.address || why.value >= (uint64_t)window.address + window.size_B,
           "the finding names a byte of the window");
    same_memory(t, memory.global_before, memory.window_before);
}

static void with_less_shared(struct trial *t) {
    tma_plan forced;
    if (t->status != TMA_OK || tma_plan_info(&t->plan)->op == TMA_OP_PREFETCH) {
        return;
    }
    for (int at_end = 0; at_end < 2; at_end++) {
        copy_in_less(t, &t->plan, tma_copy_reference, at_end);
        copy_in_less(t, &t->plan, tma_copy_judge, at_end);
        for_each_path(forced, &t->plan) {
            copy_in_less(t, &forced, tma_copy, at_end);
        }
    }
}

static void a_window_one_byte_too_small_is_a_finding(void **state) {
    (void)state;
    each_trial(6, spec_count() / SPECS_PER_COPY / 5, with_less_shared);
}

/* Every element that the copy visits is as it was, and nothing else is touched. Not for the 6-bit
 * type: it loads one form and stores another. */
static void store_what_was_loaded(struct trial *t) {
    static uint8_t other[GLOBAL_B];
    tma_range range;
    tma_window window;
    const tma_global global = {.ranges = &range, .count = 1};
    tma_instruction load = t->c.instruction;
    tma_plan loading;
    if (t->status != TMA_OK || tma_plan_info(&t->plan)->op != TMA_OP_STORE ||
        tma_plan_info(&t->plan)->bits == 6 || !gen_copy_is_dense(&t->c.spec)) {
        return;
    }
    load.op = TMA_OP_LOAD;
    load.mode = load.mode == TMA_MODE_SCATTER4 ? TMA_MODE_GATHER4 : load.mode;
    memset(t->c.at.offset, 0, sizeof(t->c.at.offset));
    demand(t, tma_plan_make(&loading, t->c.map.bytes, &load, &t->c.target, NULL) == TMA_OK,
           "no load");
    if (tma_plan_info(&loading)->tf32) {
        return;
    }
    set_up(t, &range, &window);
    demand(t, tma_copy(&loading, &t->c.at, &global, &window, NULL) == TMA_OK, "no load");
    for (uint64_t i = 0; i < t->global_B; i++) {
        ((uint8_t *)range.host)[i] = other[i] = (uint8_t)~memory.global_before[i];
    }
    demand(t, tma_copy(&t->plan, &t->c.at, &global, &window, NULL) == TMA_OK, "no store");
    for (uint32_t row = 0; row < t->plain.rows; row++) {
        const struct plain_row r = plain_copy_row(&t->plain, row);
        for (uint32_t at = 0; at < t->plain.row_shared_B; at++) {
            const struct plain_byte b = plain_copy_byte(&t->plain, &r, at);
            const uint64_t place = b.address - t->global_address;
            if (b.kind == TMA_RUN_INSIDE) {
                other[place] = memory.global_before[place];
            } else if (b.kind == TMA_RUN_PAST_EDGE) { /* the fill that the load left there */
                other[place] = t->c.spec.fill == TMA_FILL_NAN ? (at % 2 ? 0x7F : 0xF7) : 0;
            }
        }
    }
    demand(t, memcmp(range.host, other, t->global_B) == 0, "not as it was");
}

static void store_after_load_is_the_identity(void **state) {
    (void)state;
    each_trial(7, spec_count() / SPECS_PER_COPY / 2, store_what_was_loaded);
}

/* Device addresses that are host pointers: the map points into the buffer itself. */
static void at_host_addresses(struct trial *t) {
    const tma_global here = {.is_host = 1};
    tma_range range;
    tma_window window;
    tma_plan there;
    tma_map map = t->c.map;
    expect_plain(t);
    set_up(t, &range, &window);
    const uint64_t address = (uint64_t)(uintptr_t)range.host;
    if (tma_replace_address(map.bytes, address, NULL) != TMA_OK) { /* not on 16 bytes */
        return;
    }
    demand(t, tma_plan_make(&there, map.bytes, &t->c.instruction, &t->c.target, NULL) == TMA_OK,
           "no plan");
    demand(t, tma_copy(&there, &t->c.at, &here, &window, NULL) == t->status, "another status");
    same_memory(t, memory.global_after, memory.window_after);
    set_up(t, &range, &window);
    if (address == (uint64_t)(uintptr_t)range.host) {
        demand(t, tma_copy_reference(&there, &t->c.at, &here, &window, NULL) == t->status,
               "another status");
        same_memory(t, memory.global_after, memory.window_after);
    }
}

static void host_pointers_as_addresses(void **state) {
    (void)state;
    each_trial(8, spec_count() / SPECS_PER_COPY / 5, at_host_addresses);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_path_leaves_what_plain_loops_leave),
        cmocka_unit_test(one_plan_many_coordinates),
        cmocka_unit_test(tensor_in_several_ranges),
        cmocka_unit_test(missing_global_memory_is_a_finding),
        cmocka_unit_test(copies_outside_need_no_global_memory),
        cmocka_unit_test(a_window_one_byte_too_small_is_a_finding),
        cmocka_unit_test(store_after_load_is_the_identity),
        cmocka_unit_test(host_pointers_as_addresses),
    };
    return cmocka_run_group_tests(tests, make_arenas, free_arenas);
}
