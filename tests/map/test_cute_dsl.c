/* SPDX-License-Identifier: Apache-2.0
 *
 * Maps of the CuTe DSL: what its compiler wrote, that such maps decode to the arguments that it was
 * given, and that copies of them run as copies of a driver's maps do, whatever is in their second
 * half.
 */
#include "support/testing.h"

#include <tma/tma.h>
#include <zlib.h>

#ifndef TMA_VECTORS_DIR
#error "TMA_VECTORS_DIR: the folder of the captured answers"
#endif

#define LINE_BYTES 1024

/* The text behind " key=", or null. */
static const char *field(const char *line, const char *key) {
    char word[32];
    snprintf(word, sizeof(word), " %s=", key);
    const char *at = strstr(line, word);
    return at ? at + strlen(word) : NULL;
}

static unsigned numbers(int64_t out[TMA_MAX_RANK], const char *line, const char *key) {
    const char *at = field(line, key);
    unsigned count = 0;
    while (at && count < TMA_MAX_RANK) {
        char *end;
        out[count++] = strtoll(at, &end, 0);
        at = *end == ',' ? end + 1 : NULL;
    }
    return count;
}

static uint32_t number(const char *line, const char *key) {
    int64_t value[TMA_MAX_RANK] = {0};
    return numbers(value, line, key) ? (uint32_t)value[0] : 0;
}

static tma_spec read_spec(const char *line) {
    tma_spec s = {0};
    int64_t list[TMA_MAX_RANK];
    s.api = strstr(line, " api=im2col") ? TMA_API_IM2COL : TMA_API_TILED;
    s.dtype = number(line, "dtype");
    s.interleave = number(line, "il");
    s.swizzle = number(line, "sw");
    s.l2 = number(line, "l2");
    s.fill = number(line, "oob");
    s.channels_per_pixel = number(line, "cpp");
    s.pixels_per_column = number(line, "ppc");
    s.address = numbers(list, line, "addr") ? (uint64_t)list[0] : 0;
    s.rank = numbers(list, line, "dim");
    for (unsigned i = 0; i < s.rank; i++) {
        s.dim_el[i] = (uint64_t)list[i];
        s.box_el[i] = s.element_stride[i] = 1;
    }
    for (unsigned i = numbers(list, line, "stride"); i-- > 0;) {
        s.stride_B[i] = (uint64_t)list[i];
    }
    for (unsigned i = numbers(list, line, "box"); i-- > 0;) {
        s.box_el[i] = (uint32_t)list[i];
    }
    for (unsigned i = numbers(list, line, "es"); i-- > 0;) {
        s.element_stride[i] = (uint32_t)list[i];
    }
    for (unsigned i = numbers(list, line, "lo"); i-- > 0;) {
        s.lower_px[i] = (int32_t)list[i];
    }
    for (unsigned i = numbers(list, line, "up"); i-- > 0;) {
        s.upper_px[i] = (int32_t)list[i];
    }
    if (s.api == TMA_API_IM2COL) {
        memset(s.box_el, 0, sizeof(s.box_el));
    }
    return s;
}

static void read_head(uint8_t head[64], const char *line) {
    const char *hex = field(line, "desc64");
    assert_non_null(hex);
    for (unsigned i = 0; i < 64; i++) {
        unsigned byte = 256;
        assert_int_equal(sscanf(hex + 2 * (size_t)i, "%2x", &byte), 1);
        head[i] = (uint8_t)byte;
    }
}

/* The compiler's 64 bytes: libtma's, what they decode to, and a driver's map but for word 2 [3:1].
 */
static void compare_map(const char *line) {
    uint8_t theirs[128];
    uint8_t ours[TMA_CUTE_DSL_BYTES];
    tma_map driver;
    tma_decoded decoded;
    const tma_spec spec = read_spec(line);
    const tma_target target = {.sm = 100, .suffix = 'a', .driver = 13050};
    read_head(theirs, line);
    assert_int_equal(tma_encode_cute_dsl(ours, &spec), TMA_OK);
    assert_memory_equal(ours, theirs, 64);
    assert_int_equal(tma_encode(driver.bytes, &spec, &target), TMA_OK);
    assert_int_equal(driver.bytes[8] ^ 2, theirs[8]);
    driver.bytes[8] ^= 2;
    assert_memory_equal(driver.bytes, theirs, 64);
    for (unsigned rest = 0; rest < 2; rest++) { /* zeros, and what lay there before */
        memset(theirs + 64, rest ? 0xA5 : 0, 64);
        assert_int_equal(tma_decode(&decoded, theirs), TMA_OK);
        assert_memory_equal(&decoded.spec, &spec, sizeof(spec));
        assert_true(decoded.odd & TMA_ODD_KIND);
        assert_int_equal(decoded.kind, spec.api == TMA_API_IM2COL);
    }
}

static unsigned each_line(const char *name, const char *kind, void (*judge)(const char *line)) {
    char path[4096];
    char line[LINE_BYTES];
    unsigned lines = 0;
    snprintf(path, sizeof(path), "%s/%s", TMA_VECTORS_DIR, name);
    gzFile file = gzopen(path, "rb");
    if (!file) {
        fail_msg("cannot open %s", path);
    }
    while (gzgets(file, line, LINE_BYTES)) {
        if (line[0] != '#') {
            assert_int_equal(strncmp(line, kind, strlen(kind)), 0);
            judge(line);
            lines++;
        }
    }
    gzclose(file);
    return lines;
}

static void what_the_compiler_wrote(void **state) {
    (void)state;
    assert_int_equal(each_line("cutedsl_maps.txt", "cute ", compare_map), 84);
}

static void compare_class(const char *line) {
    tma_map map = {{0}};
    tma_map driver;
    const tma_spec spec = read_spec(line);
    const tma_target target = {.sm = 100, .suffix = 'a', .driver = 13020};
    const uint32_t wanted = number(line, "bit") ? TMA_CLASS_LARGE : TMA_CLASS_SMALL;
    assert_non_null(field(line, "bit"));
    assert_int_equal(tma_encode_cute_dsl(map.bytes, &spec), TMA_OK);
    assert_int_equal(tma_allocation_class(map.bytes), wanted);
    assert_int_equal(tma_encode_forced(driver.bytes, &spec, &target, NULL), TMA_OK);
    assert_int_equal(tma_allocation_class(driver.bytes), wanted);
}

static void which_it_marks_large(void **state) {
    (void)state;
    assert_int_equal(each_line("cutedsl_bit21.txt", "bit21 ", compare_class), 120);
}

/* Every target, all eight values of word 2 [3:1], any second half: the plan of the driver's map. */
static void copies_look_at_bit_0_alone(void **state) {
    (void)state;
    const tma_spec spec = {.api = TMA_API_TILED,
                           .dtype = TMA_DTYPE_FLOAT16,
                           .rank = 2,
                           .address = 0x7f0000000000,
                           .dim_el = {128, 256},
                           .stride_B = {256},
                           .box_el = {64, 8},
                           .element_stride = {1, 1},
                           .swizzle = TMA_SWIZZLE_128B};
    const tma_instruction load = {.op = TMA_OP_LOAD};
    for (size_t a = 0; a < tma_arch_count(); a++) {
        const tma_target target = {
            .sm = tma_arch_at(a)->sm, .suffix = tma_arch_at(a)->suffix, .driver = 13000};
        tma_map map;
        tma_plan plan;
        assert_int_equal(tma_encode(map.bytes, &spec, &target), TMA_OK);
        assert_int_equal(tma_plan_make(&plan, map.bytes, &load, &target, NULL), TMA_OK);
        memset(map.bytes + 64, 0x5A, 64);
        for (unsigned high = 0; high < 8; high++) {
            tma_plan other;
            tma_finding why;
            memset(&other, 0, sizeof(other));
            map.bytes[8] = (uint8_t)((map.bytes[8] & ~0xE) | high << 1);
            assert_int_equal(tma_plan_make(&other, map.bytes, &load, &target, &why), TMA_OK);
            assert_int_equal(tma_plan_info(&other)->tx_B, tma_plan_info(&plan)->tx_B);
            assert_int_equal(tma_plan_info(&other)->mode, tma_plan_info(&plan)->mode);
            assert_int_equal(tma_plan_info(&other)->path, tma_plan_info(&plan)->path);
        }
    }
    assert_int_equal(tma_encode_cute_dsl(NULL, &spec), TMA_INVALID);
    uint8_t head[64];
    assert_int_equal(tma_encode_cute_dsl(head, NULL), TMA_INVALID);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_the_compiler_wrote),
        cmocka_unit_test(which_it_marks_large),
        cmocka_unit_test(copies_look_at_bit_0_alone),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
