/* SPDX-License-Identifier: Apache-2.0
 *
 * Words and back: specs as options and as case lines, held against the tests' own reader; maps as
 * dumps; patterns against the tests' own; JSON's form. What is wrong with text is a message: see
 * tests/golden.
 */
#include "support/testing.h"

#include <inttypes.h>

#include "support/cases/case_reader.h"
#include "support/cases/hw_case.h"
#include "support/gen/gen_copy.h"
#include "support/gen/gen_spec.h"
#include "support/gen/random.h"
#include "tma/case.h"
#include "tma/dump.h"
#include "tma/grammar.h"
#include "tma/json.h"

#define MOST 4096

/* What the call looks at, and nothing else. */
static tma_spec seen_of(const tma_spec *spec) {
    tma_spec plain = gen_plain(spec);
    plain.api = spec->api;
    plain.wide_mode = spec->api == TMA_API_WIDE ? spec->wide_mode : 0;
    return plain;
}

static void expect_same(const tma_spec *a, const tma_spec *b, const char *text) {
    const tma_spec left = seen_of(a);
    const tma_spec right = seen_of(b);
    if (memcmp(&left, &right, sizeof(left)) != 0) {
        fail_msg("reads back as another spec: %s", text);
    }
}

static void case_lines_read_back(void **state) {
    struct random_source r = {1};
    (void)state;
    for (unsigned long i = 0; i < spec_count() / 20; i++) {
        char text[MOST];
        struct case_line other;
        tma_case line;
        tma_spec spec;
        tma_target target = {.sm = 90};
        tma_error error;
        const tma_target asked = gen_target(&r);
        const tma_spec written = gen_spec(&r, &asked);
        if (written.rank > TMA_MAX_RANK || written.api > TMA_API_WIDE ||
            (written.api != TMA_API_TILED && written.rank < 3)) {
            continue; /* no line has all that such a spec holds */
        }
        tma_out out = tma_out_into(text, sizeof(text));
        tma_put_case(&out, "enc", &written, NULL);
        tma_put(&out, " rc=1");
        const char *wrong = case_read(text, &other);
        if (wrong) {
            fail_msg("%s: %s", wrong, text);
        }
        expect_same(&written, &other.spec, text);
        out = tma_out_into(text, sizeof(text));
        tma_put_case(&out, "enc", &written, &asked);
        assert_int_equal(tma_case_read(&line, text, out.length, &error), 0);
        if (tma_case_spec(&spec, &target, &line, "", &error)) {
            fail_msg("%s", error.text);
        }
        expect_same(&written, &spec, "");
        assert_int_equal(target.sm, asked.sm);
        assert_int_equal(target.suffix, asked.suffix);
        assert_int_equal(target.driver, asked.driver);
    }
}

static void ptx_versions(void **state) {
    static const char *const wrong[] = {"",     ".",     "8",   "86",   "8.",    ".6",
                                        "8.10", "100.0", "0.0", "v8.6", "8.6.1", "-8.6"};
    tma_target_words words;
    tma_error error;
    char text[64];
    (void)state;
    for (uint32_t number = 10; number < 1000; number++) {
        tma_out out = tma_out_into(text, sizeof(text));
        tma_put_ptx_version(&out, number);
        tma_target_words_begin(&words);
        assert_int_equal(words.target.ptx, 0);
        assert_int_equal(tma_target_words_set(&words, "ptx-version", text, &error), 0);
        assert_int_equal(words.target.ptx, number);
        assert_int_not_equal(tma_target_words_set(&words, "ptx-version", text, &error), 0);
    }
    for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
        uint32_t number = 5;
        assert_int_not_equal(tma_read_ptx_version(&number, wrong[i], "--ptx-version", &error), 0);
        assert_int_equal(number, 5);
    }
    tma_out out = tma_out_into(text, sizeof(text));
    words.has_arch = 1;
    tma_put_target_words(&out, &words);
    assert_string_equal(text, " --arch sm_90 --ptx-version 99.9");
}

/* A tensor's line has what a tensor is made of, and nothing of a box. */
static void lines_of_a_tensor(void **state) {
    static const struct {
        const char *line;
        const char *complaint; /* null: none */
    } cases[] = {
        {"bit21 dtype=6 dim=1024,45,2 stride=2112,95040 bit=1", NULL},
        {"bit21 dtype=9 dim=64 stride= bit=1", NULL},
        {"bit21 dim=1024,45,2 stride=2112,95040 bit=1", "dtype= is missing"},
        {"bit21 dtype=6 stride=2112,95040 bit=1", "dim= is missing"},
        {"bit21 dtype=6 dim=1024,45,2 bit=1", "stride= is missing"},
        {"bit21 dtype=6 dim=1024,45,2 stride=2112,95040 box=64,1,1 bit=1",
         "box= does not belong to a line of kind bit21"},
        {"bit21 dtype=6 dim=1024,45,2 stride=2112,95040 oob=0 bit=1",
         "oob= does not belong to a line of kind bit21"},
        {"bit21 api=tiled dtype=6 dim=1024,45,2 stride=2112,95040 bit=1",
         "api= does not belong to a line of kind bit21"},
    };
    (void)state;
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        char text[MOST];
        tma_case line;
        tma_spec spec;
        tma_target target = {.sm = 90};
        tma_error error = {0, {0}};
        strcpy(text, cases[i].line);
        assert_int_equal(tma_case_read(&line, text, strlen(text), &error), 0);
        const int failed = tma_case_tensor(&spec, &target, &line, &error);
        if (cases[i].complaint) {
            assert_int_equal(failed, -1);
            assert_string_equal(error.text, cases[i].complaint);
            continue;
        }
        if (failed) {
            fail_msg("%s: %s", cases[i].line, error.text);
        }
        assert_int_equal(spec.rank, i ? 1 : 3);
        assert_int_equal(spec.dim_el[0], i ? 64 : 1024);
        assert_int_equal(spec.box_el[spec.rank - 1], 1);
        assert_int_equal(spec.element_stride[spec.rank - 1], 1);
        assert_int_equal(spec.box_el[spec.rank], 0);
    }
}

/* A name as long as there is room for, and one longer. */
static void readings_have_names(void **state) {
    tma_target target = {.sm = 90};
    tma_error error;
    char text[80];
    (void)state;
    for (size_t length = 60; length < 70; length++) {
        memset(text, 'x', length);
        memcpy(text + length, "=yes", sizeof("=yes"));
        assert_int_equal(tma_read_reading(&target, text, "--reading", &error), -1);
        assert_int_equal(strstr(error.text, "is no NAME=VALUE") != NULL, length > 63);
    }
    assert_int_equal(tma_read_reading(&target, "xxx", "--reading", &error), -1);
    assert_non_null(strstr(error.text, "is no NAME=VALUE"));
}

/* Sets " --name value --name value". */
static void set_words(tma_spec_words *words, char *text) {
    tma_error error;
    for (char *at = strtok(text, " "); at; at = strtok(NULL, " ")) {
        char *value = strtok(NULL, " ");
        assert_non_null(value);
        if (tma_spec_words_set_named(words, at + 2, value, &error)) {
            fail_msg("%s", error.text);
        }
    }
}

static void options_read_back(void **state) {
    struct random_source r = {2};
    (void)state;
    for (unsigned long i = 0; i < spec_count() / 20; i++) {
        char text[MOST];
        tma_spec_words words;
        tma_error error;
        const tma_target target = gen_target(&r);
        const tma_spec spec = gen_good_spec(&r, &target);
        tma_out out = tma_out_into(text, sizeof(text));
        tma_put_spec(&out, &spec);
        tma_spec_words_begin(&words);
        set_words(&words, text);
        if (tma_spec_words_finish(&words, &error)) {
            fail_msg("%s", error.text);
        }
        expect_same(&spec, &words.spec, "");
    }
}

static void maps_read_back(void **state) {
    struct random_source r = {3};
    (void)state;
    for (unsigned i = 0; i < 2000; i++) {
        uint8_t map[TMA_MAP_BYTES];
        uint8_t again[TMA_MAP_BYTES];
        char text[MOST];
        tma_error error;
        for (size_t k = 0; k < sizeof(map); k++) {
            map[k] = (uint8_t)random_u64(&r);
        }
        for (size_t form = 0; form < TMA_FORMS; form++) {
            tma_out out = tma_out_into(text, sizeof(text));
            tma_put_map(&out, map, (tma_map_form)form);
            if (tma_read_dump(again, text, out.length, &error)) {
                fail_msg("%s: %s", tma_map_form_name(form), error.text);
            }
            assert_memory_equal(map, again, sizeof(map));
        }
    }
}

/* One byte that no text has is enough, wherever it stands. */
static void raw_bytes_are_told_from_text(void **state) {
    static const uint8_t others[] = {0x00, 0x08, 0x0E, 0x1F, 0x7F, 0x80, 0xFF};
    (void)state;
    for (size_t at = 0; at < TMA_MAP_BYTES; at++) {
        uint8_t bytes[TMA_MAP_BYTES];
        uint8_t again[TMA_MAP_BYTES];
        tma_error error;
        memset(bytes, 'A', sizeof(bytes));
        bytes[at] = others[at % COUNT_OF(others)];
        if (tma_read_dump(again, (const char *)bytes, sizeof(bytes), &error)) {
            fail_msg("byte %zu: %s", at, error.text);
        }
        assert_memory_equal(bytes, again, sizeof(bytes));
    }
}

/* Numbers of which one has another width, at either end, are no 64 halves. */
static void widths_are_those_of_all_numbers(void **state) {
    static const char *const one[] = {"0x0001", "0x1", "0x00000001"};
    (void)state;
    for (size_t i = 0; i < COUNT_OF(one) * 64; i++) {
        uint8_t map[TMA_MAP_BYTES];
        char text[MOST];
        tma_error error = {0, {0}};
        tma_out out = tma_out_into(text, sizeof(text));
        for (size_t k = 0; k < 64; k++) {
            tma_putf(&out, "%s%s", k ? ", " : "{", k == i % 64 ? one[i / 64] : "0x0001");
        }
        tma_put(&out, "}");
        const int failed = tma_read_dump(map, text, out.length, &error);
        if ((i < 64) != !failed || (failed && !strstr(error.text, "found 64 values"))) {
            fail_msg("number %zu: %d, %s: %s", i % 64, failed, error.text, text);
        }
    }
}

/* As hexdump and od print: addresses in three bases, groups as numbers, equal lines as a star. */
static size_t put_od(char *text, const uint8_t *map, char base, size_t line_B, size_t group_B,
                     int characters) {
    const char form[] = {'%', '0', '7', base, 0};
    size_t length = 0;
    int was_same = 0;
    for (size_t at = 0; at < TMA_MAP_BYTES; at += line_B) {
        const int same = at >= line_B && !memcmp(map + at, map + at - line_B, line_B);
        if (same) {
            length += was_same ? 0 : (size_t)sprintf(text + length, "*\n");
        }
        was_same = same;
        if (same) {
            continue;
        }
        length += (size_t)sprintf(text + length, form, (unsigned)at);
        for (size_t i = 0; i < line_B; i++) {
            const size_t byte = i / group_B * group_B + group_B - 1 - i % group_B;
            length +=
                (size_t)sprintf(text + length, "%s%02x", i % group_B ? "" : " ", map[at + byte]);
        }
        length += (size_t)sprintf(text + length, "%s", characters ? "  >" : "");
        for (size_t i = 0; characters && i < line_B; i++) {
            const uint8_t c = map[at + i];
            length += (size_t)sprintf(text + length, "%c", c >= ' ' && c <= '~' ? c : '.');
        }
        length += (size_t)sprintf(text + length, "%s", characters ? "<\n" : "\n");
    }
    length += (size_t)sprintf(text + length, form, TMA_MAP_BYTES);
    return length + (size_t)sprintf(text + length, "\n");
}

static void od_reads_back(void **state) {
    struct random_source r = {4};
    (void)state;
    for (unsigned i = 0; i < 20000; i++) {
        uint8_t map[TMA_MAP_BYTES] = {0};
        uint8_t again[TMA_MAP_BYTES];
        char text[MOST];
        tma_error error;
        for (size_t k = 0; k < sizeof(map); k++) {
            const int kept = k >= 32 && random_below(&r, 4);
            map[k] = kept ? map[k - 32] : (uint8_t)random_u64(&r);
        }
        memcpy(map + 16 * random_below(&r, 8), "{|}<> :", 7);
        const size_t line_B = (size_t)8 << random_below(&r, 4);
        const size_t group_B = (size_t)1 << random_below(&r, 4);
        const size_t length = put_od(text, map, "oxd"[random_below(&r, 3)], line_B, group_B,
                                     (int)random_below(&r, 2));
        if (tma_read_dump(again, text, length, &error)) {
            fail_msg("%s\n%s", error.text, text);
        }
        assert_memory_equal(map, again, sizeof(map));
    }
}

/* A map as logs, debuggers and languages show it, each line behind `before`. */
static size_t put_shown(char *text, const uint8_t *map, size_t form, const char *before) {
    const char *end = strchr(before, '{') ? "\"}\n" : "\n"; /* an object of JSON each line */
    size_t n = 0;
    uint64_t words[16] = {0};
    for (size_t i = 0; i < TMA_MAP_BYTES; i++) {
        words[i / 8] |= (uint64_t)map[i] << i % 8 * 8;
    }
    for (size_t i = 0; form == 0 && i < 16; i += 2) {
        n += (size_t)sprintf(text + n, "%s0x7fffffffd%03zx:\t0x%016" PRIx64 "\t0x%016" PRIx64 "%s",
                             before, 8 * i, words[i], words[i + 1], end);
    }
    for (size_t i = 0; form == 1 && i < 16; i++) {
        n +=
            (size_t)sprintf(text + n, "%stma[%2zu] = 0x%016" PRIx64 "%s", before, i, words[i], end);
    }
    n += form > 1 ? (size_t)sprintf(text + n, "%s%s", before, form == 4 ? "desc " : "map = [") : 0;
    for (size_t i = 0; form == 2 && i < 16; i++) {
        n += (size_t)sprintf(text + n, "%s%" PRIu64, i ? ", " : "", words[i]);
    }
    for (size_t i = 0; form > 2 && i < TMA_MAP_BYTES; i++) {
        const int begins = form == 3 && i && i % 16 == 0;
        n += (size_t)sprintf(text + n, "%s%s%s",
                             form == 4 || i == 0 ? ""
                             : begins            ? ","
                                                 : ", ",
                             begins ? end : "", begins ? before : "");
        n += (size_t)sprintf(text + n, form == 4 ? "%02x" : "0x%02x", map[i]);
    }
    return n + (form > 1 ? (size_t)sprintf(text + n, "%s%s", form == 4 ? "" : "]", end) : 0);
}

/* As far as a map's first line, piece by piece. */
static bool found_in_pieces(tma_dump_found *found, const char *text, size_t size,
                            tma_dump_cursor *at, size_t piece_B) {
    for (size_t end = piece_B; at->at < size; end += piece_B) {
        const size_t before = at->at;
        if (tma_dump_next(found, text, size, at, end)) {
            return true;
        }
        assert_true(at->at >= before && (at->at >= end || at->at == size));
        assert_true(!at->at || at->at == size || text[at->at - 1] == '\n');
    }
    return false;
}

static void maps_are_found_among_other_text(void **state) {
    static const char *const befores[] = {
        "",
        "  ",
        "[rank3]: ",
        "svc-1  | ",
        "// ",
        "> ",
        "(Worker pid=94) ERROR 07-26 13:51:27 [executor.py:1007] ",
        "2026-03-04 10:11:12.969 | ",
        "\033[36m(Ray pid=12)\033[0m ",
        "E0304 10:11:12.969123 4321 foo.cc:123] ",
        "Mar  4 10:11:12 node-7 python3[4321]: ",
        "{\"level\": \"info\", \"message\": \"",
        "{\"msg\":\""};
    static const char noise[] =
        "step 12 loss 0.25 [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15]\n"
        "0x7f0000000000: 0x0000000000000001 0x0000000000000002\n";
    const tma_target hopper = {.sm = 90, .driver = 13000};
    struct random_source r = {5};
    (void)state;
    for (unsigned i = 0; i < 3000; i++) {
        char text[MOST * 2];
        uint8_t again[TMA_MAP_BYTES];
        tma_map map;
        tma_error error;
        tma_dump_found found;
        tma_dump_cursor at = {0, 0};
        tma_spec spec;
        do {
            spec = gen_good_spec(&r, &hopper);
        } while (tma_encode(map.bytes, &spec, NULL) != TMA_OK);
        const size_t form = i % 5;
        const char *before = befores[random_below(&r, COUNT_OF(befores))];
        size_t size = (size_t)sprintf(text, "%s", noise);
        size += put_shown(text + size, map.bytes, form, before);
        size += (size_t)sprintf(text + size, "%s", noise);
        if (!found_in_pieces(&found, text, size, &at, random_below(&r, 300) + 1) ||
            memcmp(found.map, map.bytes, sizeof(again)) != 0) {
            fail_msg("not found, or otherwise, form %zu:\n%s", form, text);
        }
        assert_int_equal(found.line, 3);
        assert_false(tma_dump_next(&found, text, size, &at, SIZE_MAX));
        assert_int_equal(at.at, size);
        assert_int_equal(tma_read_dump(again, text, size, &error), 0);
        assert_memory_equal(again, map.bytes, sizeof(again));
        at = (tma_dump_cursor){0, 0};
        assert_false(tma_dump_next(&found, noise, sizeof(noise) - 1, &at, SIZE_MAX));
    }
}

static void patterns_are_the_captured_ones(void **state) {
    static const enum hw_fill fills[] = {HW_FILL_RAND, HW_FILL_RAMP32, HW_FILL_RAMP16,
                                         HW_FILL_SPECIAL};
    (void)state;
    for (size_t i = 0; i < COUNT_OF(fills); i++) {
        for (uint64_t seed = 0; seed < 50; seed++) {
            uint8_t theirs[203];
            uint8_t ours[203];
            hw_fill_bytes(theirs, sizeof(theirs), fills[i], seed);
            tma_pattern_fill(ours, sizeof(ours), (tma_pattern)i, seed);
            assert_memory_equal(theirs, ours, sizeof(ours));
            assert_true(hw_hash(theirs, sizeof(theirs)) == tma_hash(ours, sizeof(ours)));
        }
    }
}

/* ---- Copies as options, and the page's links ---- */

/* One word of `words` and its value into what is read; a word is " --name value" or "
 * --name=value".
 */
static void read_option(tma_copy_words *read, char *word) {
    tma_error error;
    char *value = word + strcspn(word, " =");
    uint32_t option = 0;
    *value = *value ? '\0' : *value;
    while (tma_copy_option_name(option) && strcmp(tma_copy_option_name(option), word) != 0) {
        option++;
    }
    if (tma_copy_words_set(read, (tma_copy_option)option, value + 1, &error)) {
        fail_msg("%s: %s", word, error.text);
    }
}

static void copies_read_back(void **state) {
    struct random_source r = {24};
    (void)state;
    unsigned long with[3] = {0};
    for (unsigned long i = 0; i < spec_count() / 20 + 500; i++) {
        char text[MOST];
        struct gen_copy c;
        tma_copy_words read;
        gen_copy(&r, GEN_ANY, &c);
        tma_instruction in = c.instruction;
        in.cta_group = random_one_in(&r, 3) ? random_in(&r, 1, 2) : in.cta_group;
        in.cluster = in.cluster || in.cta_mask || random_one_in(&r, 3);
        in.cta_mask = in.cluster && random_one_in(&r, 2) ? random_in(&r, 1, 0xffff) : 0;
        in.rank = 0;
        tma_out out = tma_out_into(text, sizeof(text) - 1);
        tma_put_copy_words(&out, &in, c.spec.rank, &c.at);
        text[out.length + 1] = 0; /* behind a last word without a value */
        tma_copy_words_begin(&read, TMA_OP_PREFETCH);
        for (char *word = strstr(text, " --"); word;) {
            char *next = strstr(word + 1, " --");
            if (next) {
                *next = 0;
            }
            read_option(&read, word + 3);
            word = next;
        }
        assert_memory_equal(&read.in, &in, sizeof(in));
        assert_int_equal(read.at.shared_address, c.at.shared_address);
        assert_int_equal(read.coords, tma_mode_coords(in.mode, c.spec.rank));
        assert_memory_equal(read.at.coord, c.at.coord, read.coords * sizeof(c.at.coord[0]));
        assert_int_equal(read.offsets, tma_mode_offsets(in.op, in.mode, c.spec.rank));
        assert_memory_equal(read.at.offset, c.at.offset, read.offsets * sizeof(c.at.offset[0]));
        with[0] += read.offsets > 0;
        with[1] += in.cta_mask > 0;
        with[2] += in.cta_group > 0;
    }
    assert_true(with[0] && with[1] && with[2]);
}

/* What of a copy hangs on a reading: said where there is any, by the names of those that count. */
static void readings_of_copies(void **state) {
    struct random_source r = {25};
    unsigned long seen[TMA_READINGS] = {0};
    (void)state;
    for (unsigned long i = 0; i < spec_count() / 20 + 3000; i++) {
        char text[MOST];
        struct gen_copy c;
        tma_plan plan;
        gen_copy(&r, GEN_ANY, &c);
        if (tma_plan_make(&plan, c.map.bytes, &c.instruction, &c.target, NULL) != TMA_OK) {
            continue;
        }
        const uint32_t set = tma_plan_readings(&plan, &c.at);
        tma_out out = tma_out_into(text, sizeof(text));
        assert_int_equal(tma_put_plan_readings(&out, &plan, &c.at), set != 0);
        for (size_t k = 0; k < TMA_READINGS; k++) {
            assert_int_equal(strstr(text, tma_reading_at(k)->name) != NULL, set >> k & 1);
            seen[k] += set >> k == 1;
        }
    }
    assert_true(seen[0] > 0); /* alone, too */
}

/* Every byte: percent signs taken out and + a blank, it is the text again; and nothing that ends a
 * link is in it. */
static void links_read_back(void **state) {
    char text[256 + 1];
    char link[3 * sizeof(text) + 8];
    char again[sizeof(text)];
    size_t length = 0;
    (void)state;
    for (int i = 0; i < 256; i++) {
        text[i] = (char)(255 - i);
    }
    tma_out out = tma_out_into(link, sizeof(link));
    tma_put_page_link(&out, text, 256);
    assert_true(out.length < sizeof(link));
    assert_int_equal(strncmp(link, "#v1/", 4), 0);
    for (const char *c = link + 4; *c; c++) {
        assert_null(strchr(" \"<>`#?[]{}|\\^&;@$", *c));
        char byte = *c;
        if (*c == '%') {
            unsigned number = 0;
            assert_int_equal(sscanf(c + 1, "%2X", &number), 1);
            byte = (char)number;
            c += 2;
        } else if (*c == '+') {
            byte = ' ';
        }
        assert_true(length < 256);
        again[length++] = byte;
    }
    assert_int_equal(length, 256);
    assert_memory_equal(again, text, 256);
    out = tma_out_into(link, sizeof(link));
    tma_put_page_link(&out, "tma check --dim 64,64 \xC3\xA9%+", 26);
    assert_string_equal(link, "#v1/tma+check+--dim+64,64+%C3%A9%25%2B");
}

static void json_has_one_form(void **state) {
    char text[512];
    (void)state;
    tma_out out = tma_out_into(text, sizeof(text));
    tma_json json = tma_json_begin(&out);
    tma_json_object(&json, NULL);
    tma_json_text(&json, "k\"", "a\\\"\b\f\n\r\t\x01/\x7f");
    tma_json_text(&json, "utf8", "\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80");
    tma_json_text(&json, "broken", "\xff\xc3(\xed\xa0\x80\xc0\xaf");
    tma_json_list(&json, "list");
    tma_json_u64(&json, NULL, UINT64_C(0x7fffffffffffffff));
    tma_json_u64(&json, NULL, UINT64_C(0x8000000000000000));
    tma_json_i64(&json, NULL, INT64_MIN);
    tma_json_object(&json, NULL);
    tma_json_end(&json);
    tma_json_list(&json, NULL);
    tma_json_end(&json);
    tma_json_end(&json);
    tma_json_bool(&json, "yes", 7);
    tma_json_text(&json, "none", NULL);
    tma_out pieces = tma_json_text_out(&json, "pieces");
    tma_putf(&pieces, "%u\"%s", 1u, "x");
    tma_json_text_end(&json);
    tma_json_end(&json);
    assert_string_equal(text, "{\"k\\\"\": \"a\\\\\\\"\\b\\f\\n\\r\\t\\u0001/\x7f\", "
                              "\"utf8\": \"\\u00e9\\u20ac\\ud83d\\ude00\", "
                              "\"broken\": \"?"
                              "?(?"
                              "?"
                              "?"
                              "?"
                              "?\", "
                              "\"list\": [9223372036854775807, \"0x8000000000000000\", "
                              "-9223372036854775808, {}, []], "
                              "\"yes\": true, \"none\": null, \"pieces\": \"1\\\"x\"}");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(case_lines_read_back),
        cmocka_unit_test(lines_of_a_tensor),
        cmocka_unit_test(readings_have_names),
        cmocka_unit_test(options_read_back),
        cmocka_unit_test(maps_read_back),
        cmocka_unit_test(raw_bytes_are_told_from_text),
        cmocka_unit_test(widths_are_those_of_all_numbers),
        cmocka_unit_test(od_reads_back),
        cmocka_unit_test(maps_are_found_among_other_text),
        cmocka_unit_test(patterns_are_the_captured_ones),
        cmocka_unit_test(copies_read_back),
        cmocka_unit_test(readings_of_copies),
        cmocka_unit_test(links_read_back),
        cmocka_unit_test(json_has_one_form),
        cmocka_unit_test(ptx_versions),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
