/* SPDX-License-Identifier: Apache-2.0
 *
 * Dumps that end anywhere: each beginning of each dump lies against a page that nobody may touch,
 * and is a map or a message. A beginning that lost no value is that map.
 */
#include "support/testing.h"

#include "support/guard_page.h"
#include <tma/dump.h>
#include <tma/map.h>

#define MOST_B 4096

static const tma_spec spec = {.dtype = TMA_DTYPE_BFLOAT16,
                              .rank = 3,
                              .address = UINT64_C(0x7f1234567880),
                              .dim_el = {4096, 8192, 7},
                              .stride_B = {8192, UINT64_C(67108864)},
                              .box_el = {64, 128, 1},
                              .element_stride = {1, 1, 1},
                              .swizzle = TMA_SWIZZLE_128B};

/* As gdb prints the words: equal neighbours once, with how often. */
static size_t put_gdb(char *text, const uint8_t *map) {
    tma_out out = tma_out_into(text, MOST_B);
    uint32_t words[TMA_MAP_WORDS];
    memcpy(words, map, sizeof(words));
    tma_put(&out, "$1 = {opaque = {");
    for (size_t i = 0; i < TMA_MAP_WORDS;) {
        size_t same = 1;
        while (i + same < TMA_MAP_WORDS && words[i + same] == words[i]) {
            same++;
        }
        tma_putf(&out, "%s0x%x", i ? ", " : "", little_endian(words[i]));
        if (same > 1) {
            tma_putf(&out, " <repeats %zu times>", same);
        }
        i += same;
    }
    tma_put(&out, "}}");
    return out.length;
}

/* Whether a map is what a beginning of the dump gives; the rest of it, if it is, held no value. */
static int reads(const struct guard_arena *arena, const char *text, size_t length,
                 const uint8_t *map) {
    tma_map got;
    tma_map untouched;
    tma_error error = {0, {0}};
    memset(&got, 0xA5, sizeof(got));
    memset(&untouched, 0xA5, sizeof(untouched));
    const int failed = tma_read_dump(got.bytes, text, length, &error);
    if (failed) {
        assert_true(error.text[0] && memchr(error.text, 0, sizeof(error.text)));
        assert_memory_equal(&got, &untouched, sizeof(got));
    } else {
        assert_memory_equal(got.bytes, map, TMA_MAP_BYTES);
    }
    assert_true(guard_arena_intact(arena));
    return !failed;
}

/* Returns the shortest beginning that is the map. */
static size_t cut_everywhere(const char *text, size_t size, const uint8_t *map) {
    struct guard_arena arena;
    size_t shortest = SIZE_MAX;
    guard_arena_make(&arena, MOST_B);
    for (size_t length = 0; length <= size; length++) {
        char *placed = (char *)guard_arena_place(&arena, length, 1);
        memcpy(placed, text, length);
        if (reads(&arena, placed, length, map) && shortest == SIZE_MAX) {
            shortest = length;
        }
    }
    guard_arena_free(&arena);
    assert_true(shortest <= size); /* the whole is the map */
    return shortest;
}

static void each_form(void **state) {
    (void)state;
    tma_map map;
    char text[MOST_B];
    assert_int_equal(tma_encode(map.bytes, &spec, NULL), TMA_OK);
    for (size_t form = 0; form < TMA_FORMS; form++) {
        tma_out out = tma_out_into(text, sizeof(text));
        tma_put_map(&out, map.bytes, (tma_map_form)form);
        assert_true(out.length < sizeof(text));
        cut_everywhere(text, out.length, map.bytes);
    }
}

static void repetitions(void **state) {
    (void)state;
    tma_map map;
    char text[MOST_B];
    assert_int_equal(tma_encode(map.bytes, &spec, NULL), TMA_OK);
    const size_t size = put_gdb(text, map.bytes);
    assert_non_null(strstr(text, "<repeats "));
    assert_true(size - cut_everywhere(text, size, map.bytes) <= 1); /* a brace */
}

/* "<repeats 3" and nothing behind it, as the last of many values and as all there is. */
static void cut_repetitions(void **state) {
    (void)state;
    static const char *const texts[] = {"{0x0 <repeats 3",        "{0x0 <repeats 3 times",
                                        "{0x0 <repeats ",         "{0x0 <repeats 32 times>",
                                        "{0, <repeats 3",         "{<repeats 3 times>}",
                                        "{1 <repeats 9999999999", "{1 /* <repeats 3"};
    struct guard_arena arena;
    guard_arena_make(&arena, MOST_B);
    for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
        const size_t length = strlen(texts[i]);
        char *placed = (char *)guard_arena_place(&arena, length, 1);
        memcpy(placed, texts[i], length);
        assert_false(reads(&arena, placed, length, NULL));
    }
    guard_arena_free(&arena);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_form),
        cmocka_unit_test(repetitions),
        cmocka_unit_test(cut_repetitions),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
