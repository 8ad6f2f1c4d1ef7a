/* SPDX-License-Identifier: Apache-2.0
 *
 * Requests read from a command line, and the same request in words again.
 */
#include "support/testing.h"

#include "ask_text.h"
#include "support/said.h"

#define TILED "--dtype bf16 --dim 4096,8192 --box 64,128 --swizzle 128B"

static ask_request read_line(const char *text) {
    ask_request r;
    tma_error error;
    ask_begin(&r, TMA_OP_LOAD);
    assert_return_code(ask_read_command(&r, text, strlen(text), &error), 0);
    ask_complete(&r);
    return r;
}

static void fails(const char *text, const char *message, size_t at) {
    ask_request r;
    tma_error error = {.at = TMA_NOWHERE};
    ask_begin(&r, TMA_OP_LOAD);
    assert_int_equal(ask_read_command(&r, text, strlen(text), &error), -1);
    assert_string_equal(error.text, message);
    assert_int_equal(error.at, at);
}

static void test_a_line_is_a_request(void **state) {
    (void)state;
    const ask_request r =
        read_line("$ tma draw banks " TILED " --coord='64,-1' --arch=H100 --cluster --phase 2");
    assert_int_equal(r.map.spec.box_el[1], 128);
    assert_int_equal(r.copy.at.coord[0], 64);
    assert_int_equal(r.copy.at.coord[1], -1);
    assert_int_equal(r.copy.in.cluster, 1);
    assert_int_equal(r.drawing.picture, TMA_PICTURE_BANKS);
    assert_int_equal(r.drawing.phase, 2);
    assert_int_equal(r.map.target.target.sm, 90);
    assert_true(r.is_accepted);
    const ask_request store = read_line("tma store " TILED);
    assert_int_equal(store.copy.in.op, TMA_OP_STORE);
    const ask_request wide = read_line("--api wide --dtype bf16 --dim 64,9,9,2 --channels 64 "
                                       "--pixels 8 --lower 0 --upper 0 --wide-mode W128");
    assert_int_equal(wide.copy.in.mode, TMA_MODE_IM2COL_W128);
}

static void test_what_is_wrong_is_said_where_it_stands(void **state) {
    (void)state;
    fails("load " TILED " --op load --op load", "--op is given twice", 5 + sizeof(TILED) - 1 + 11);
    fails("load " TILED " --coort 1", "unknown option '--coort': --coord?", 5 + sizeof(TILED));
    fails("load " TILED " extra", "'extra' is no option and no value of one", 5 + sizeof(TILED));
    fails("load --dtype", "--dtype needs a value", 5);
    fails("load --dtype 'bf16", "--dtype has a quote that does not end", 5);
    fails("load --coord 1", "no map: give --dtype, --dim and --box, or --map", TMA_NOWHERE);
    fails("draw circle " TILED,
          "unknown picture 'circle': one of copy, box, im2col, gather, swizzle, banks, cost, "
          "packed, mma, bytes, timeline",
          5);
}

static void test_one_map_only(void **state) {
    (void)state;
    char line[512];
    uint8_t bytes[TMA_MAP_BYTES] = {0};
    const ask_request r = read_line(TILED);
    memcpy(bytes, r.encoded.bytes, sizeof(bytes));
    tma_out out = tma_out_into(line, sizeof(line));
    const tma_target_words target = ask_whole_target(&r.map.target.target);
    tma_put(&out, "plan");
    ask_put_map(&out, NULL, bytes, &target);
    const ask_request again = read_line(line);
    assert_true(again.has_bytes);
    assert_memory_equal(again.encoded.bytes, bytes, sizeof(bytes));
    tma_put(&out, " --rank 2");
    fails(line, "--map and the options of a map exclude each other", TMA_NOWHERE);
}

/* What is put in words is read back as the same request. */
static void test_words_come_back(void **state) {
    (void)state;
    static const char *const lines[] = {
        TILED " --coord 64,8 --op add --shared 0x800",
        TILED " --arch sm_100a --driver 12.8 --multicast 0x3 --cta-group 2",
        ("--api im2col --dtype float16 --dim 64,9,9,2 --channels 64 --pixels 8 --lower -1,-1 "
         "--upper "
         "-1,-1 --coord 0,1,1,0 --offset 1,2"),
        ("--api wide --dtype bf16 --dim 64,9,9,2 --channels 64 --pixels 8 --lower 0 --upper 0 "
         "--w-halo 1 --w-offset 2 --ptx-version 8.6"),
    };
    for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++) {
        char line[1024];
        const ask_request r = read_line(lines[i]);
        const tma_target_words target = ask_whole_target(&r.map.target.target);
        tma_out out = tma_out_into(line, sizeof(line));
        ask_put_map(&out, &r.map.spec, NULL, &target);
        tma_put_copy_words(&out, &r.copy.in, r.map.spec.rank, &r.copy.at);
        const ask_request again = read_line(line);
        assert_memory_equal(&again.map.target.target, &r.map.target.target, sizeof(tma_target));
        assert_memory_equal(&again.copy.in, &r.copy.in, sizeof(r.copy.in));
        assert_memory_equal(&again.copy.at, &r.copy.at, sizeof(r.copy.at));
        assert_memory_equal(again.encoded.bytes, r.encoded.bytes, TMA_MAP_BYTES);
    }
}

static void test_a_plan_and_its_report(void **state) {
    (void)state;
    tma_plan plan;
    tma_report_result report;
    tma_finding why;
    ask_request r = read_line(TILED);
    assert_int_equal(ask_plan(&plan, &report, &why, &r), TMA_OK);
    assert_int_equal(report.tx_B, 64 * 2 * 128);
    r.copy.at.shared_address = 8;
    assert_int_equal(ask_plan(&plan, &report, &why, &r), TMA_TRAP);
    assert_true(ask_was_seen(&r.map.target.target));
    r = read_line(TILED " --arch sm_107a --override-address 0x10000");
    assert_int_equal(r.override_status, TMA_OK);
    assert_int_equal(ask_plan(&plan, &report, &why, &r), TMA_OK);
    r.override_status = TMA_TRAP;
    r.override_why = (tma_finding){.rule = TMA_RULE_OVERRIDE_FORM, .index = 3};
    assert_int_equal(ask_plan(&plan, &report, &why, &r), TMA_TRAP);
    assert_int_equal(why.rule, TMA_RULE_OVERRIDE_FORM);
    assert_int_equal(why.index, 3);
    assert_int_equal(report.tx_B, 0);
    const ask_request other = read_line(TILED " --arch sm_100a");
    assert_false(ask_was_seen(&other.map.target.target));
}

static void test_names_of_all_options(void **state) {
    (void)state;
    size_t count = 0;
    while (ask_option_name(count)) {
        count++;
    }
    assert_int_equal(count, TMA_SPEC_OPTIONS + TMA_COPY_OPTIONS + TMA_DRAW_OPTIONS +
                                TMA_MMA_OPTIONS + TMA_TARGET_OPTIONS);
    assert_false(ask_has_value("cluster"));
    assert_true(ask_has_value("coord"));
    assert_true(ask_has_value("none of them"));
}

static void put_copy(tma_out *out, const ask_text *t) {
    const ask_request *r = &t->asked;
    if (t->kind == ASK_MAP) {
        tma_put(out, " --map of the bytes");
        const tma_target_words target = ask_whole_target(&r->map.target.target);
        tma_put_target_words(out, &target);
    } else {
        const tma_target_words target = ask_whole_target(&r->map.target.target);
        ask_put_map(out, &r->map.spec, NULL, &target);
    }
    tma_put_copy_words(out, &r->copy.in, r->map.spec.rank, &r->copy.at);
    tma_putf(out, "; %s%s picture %s%s%s", r->is_accepted ? "accepted" : "refused",
             r->override_status == TMA_OK ? "" : ", no override,", r->has_picture ? "= " : "",
             tma_picture_name(r->drawing.picture), *t->unfit.text ? "; " : "");
    tma_put(out, t->unfit.text);
}

/* "KIND of FROM: " and what is asked, or the message and where it stands; what a paste has, and
 * which is taken; rows of crashes; words. */
static int read_asked(tma_out *out, const char *text, tma_error *error) {
    static const char *const kinds[] = {"nothing", "error", "mma", "spec", "map"};
    static const char *const froms[] = {"command", "case", "dump", "paste"};
    static ask_text t;
    char room[SAID_SIZE];
    size_t pick = SIZE_MAX;
    (void)error;
    if (strncmp(text, "pick ", 5) == 0) {
        pick = (size_t)(text[5] - '0');
        text += 7;
    }
    ask_read(&t, text, strlen(text), pick, room);
    tma_putf(out, "%s of %s:", kinds[t.kind], froms[t.from]);
    if (t.kind == ASK_ERROR) {
        tma_putf(out, " %s", t.error.text);
        if (t.error.at != TMA_NOWHERE) {
            tma_putf(out, " at %zu", t.error.at);
        }
    } else if (t.kind >= ASK_SPEC) {
        put_copy(out, &t);
    }
    if (*t.beside.text) {
        tma_putf(out, "; beside: %s", t.beside.text);
    }
    if (t.found_count) {
        tma_putf(out, "; %zu of %zu found, %x unknown", t.pick, t.found_count, (unsigned)t.unknown);
    }
    for (size_t i = 0; i < t.crash_count; i++) {
        tma_crash_row row;
        assert_int_equal(tma_crash_at(&row, t.crashes[i].row), 0);
        tma_putf(out, "; %s", row.name);
    }
    for (size_t i = 0; i < t.words.count; i++) {
        tma_putf(out, "; %" TMA_X64, t.words.of[i].word);
    }
    return 0;
}

#define CALL                                                                                       \
    "[rank0]: Making TMA desc: global memory: 64 32, shared memory: 64 8, outer stride: 64, "      \
    "swizzle: 128 (base: 0), elem size: 2\n"

static void test_calls_that_have_no_room_are_said(void **state) {
    static char text[(ASK_FOUND + 1) * sizeof(CALL)];
    static char room[sizeof(text)];
    static ask_text t;
    size_t length = 0;
    (void)state;
    for (size_t i = 0; i <= ASK_FOUND; i++, length += sizeof(CALL) - 1) {
        ask_read(&t, text, length, SIZE_MAX, room);
        assert_int_equal(t.found_count, i);
        assert_string_equal(t.beside.text, "");
        memcpy(text + length, CALL, sizeof(CALL));
    }
    ask_read(&t, text, length, SIZE_MAX, room);
    assert_int_equal(t.found_count, ASK_FOUND);
    assert_string_equal(t.beside.text, "the first 64 of 65 calls are read");
}

static void take_row(void *context, const tma_crash *found) {
    *(uint32_t *)context = found->row;
}

/* Each row once, by the line that has it first, and as many as there is room for. */
static void test_errors_that_have_no_room_are_left_out(void **state) {
    static char text[8 * SAID_SIZE];
    static char room[sizeof(text)];
    static ask_text t;
    uint32_t rows[ASK_CRASHES + 4];
    size_t lines[ASK_CRASHES + 4];
    size_t count = 0;
    size_t length = 0;
    (void)state;
    for (unsigned line = 1, number = 2; count < COUNT_OF(rows); number++) {
        char words[64];
        uint32_t row = 0;
        size_t known = 0;
        const int size =
            snprintf(words, sizeof(words),
                     number < 1000 ? "CUDA error: %u\n" : "NVRM: Xid (PCI:0000:01:00): %u, x\n",
                     number % 1000);
        assert_true(number < 2000);
        tma_crash_row said;
        if (tma_crash_read(words, (size_t)size, take_row, &row) != 1 || tma_crash_at(&said, row) ||
            !strcmp(said.name, "cuda-error")) { /* that one is of a text without another */
            continue;
        }
        while (known < count && rows[known] != row) {
            known++;
        }
        rows[known] = row;
        lines[known] = known < count ? lines[known] : line;
        count += known == count;
        memcpy(text + length, words, (size_t)size);
        length += (size_t)size;
        line++;
        memset(&t, 0xA5, sizeof(t));
        ask_read(&t, text, length, SIZE_MAX, room);
        assert_int_equal(t.crash_count, count < ASK_CRASHES ? count : ASK_CRASHES);
        for (size_t k = 0; k < t.crash_count; k++) {
            assert_int_equal(t.crashes[k].row, rows[k]);
            assert_int_equal(t.crashes[k].line, lines[k]);
        }
    }
}

static int is_same(const void *a, const void *b, size_t size) {
    return memcmp(a, b, size) == 0;
}

/* What stands beside a map changes what is asked, is wrong, or is said: nothing is lost. */
static void test_nothing_is_lost(void **state) {
    static const char call[] = CALL;
    static const char crash[] = "CUDA error: an illegal memory access was encountered";
    static const char line[] =
        "enc api=tiled dtype=6 rank=1 addr=4096 dim=64 stride= box=64 es=1 il=0 sw=0 l2=0 oob=0";
    static ask_text alone;
    static ask_text both;
    char room[SAID_SIZE];
    char text[SAID_SIZE];
    char hex[2 * TMA_MAP_BYTES + 1];
    const ask_request r = read_line(TILED);
    tma_out out = tma_out_into(hex, sizeof(hex));
    tma_put_hex_bytes(&out, r.encoded.bytes, TMA_MAP_BYTES);
    const char *const maps[] = {TILED, hex, call, line};
    const char *const others[] = {"--coord 1,2", "--phase=3", "--arch sm_100a",
                                  "--desc 0x1",  "--map 00",  "--cluster",
                                  hex,           call,        crash,
                                  line};
    (void)state;
    for (size_t i = 0; i < sizeof(maps) / sizeof(maps[0]); i++) {
        ask_read(&alone, maps[i], strlen(maps[i]), SIZE_MAX, room);
        assert_in_range(alone.kind, ASK_SPEC, ASK_MAP);
        assert_string_equal(alone.beside.text, "");
        assert_int_equal(alone.crash_count, 0);
        for (size_t j = 0; j < sizeof(others) / sizeof(others[0]); j++) {
            snprintf(text, sizeof(text), "%s\n%s\n", maps[i], others[j]);
            ask_read(&both, text, strlen(text), SIZE_MAX, room);
            if (both.kind >= ASK_SPEC && !*both.beside.text && !both.crash_count &&
                both.found_count == alone.found_count &&
                is_same(&both.asked, &alone.asked, sizeof(alone.asked))) {
                fail_msg("lost: %s beside %s", others[j], maps[i]);
            }
        }
    }
}

static const struct said_reader reader = {"ask", read_asked};

static void test_a_word_has_room_or_is_refused(void **state) {
    (void)state;
    char text[TMA_WORD_ROOM + 1];
    memset(text, 'a', sizeof(text));
    tma_text_word word;
    size_t at = 0;
    assert_int_equal(tma_next_word(&word, &at, text, TMA_WORD_ROOM - 1), 1);
    assert_int_equal(strlen(word.text), TMA_WORD_ROOM - 1);
    assert_int_equal(at, TMA_WORD_ROOM - 1);
    at = 0;
    assert_int_equal(tma_next_word(&word, &at, text, TMA_WORD_ROOM), -1);
    at = 0;
    assert_int_equal(tma_next_word(&word, &at, "'open", 5), -1);
}

/* A backslash before a blank ends a word, outside of quotes; elsewhere it is a letter. */
static void test_backslashes_in_words(void **state) {
    (void)state;
    static const struct {
        const char *text, *words[4];
    } rows[] = {
        {"a\\n b", {"a\\n", "b"}}, {"a\\ b", {"a", "b"}},
        {"a\\\n  b", {"a", "b"}},  {"'a\\ b' c", {"a\\ b", "c"}},
        {"a\\", {"a\\"}},          {"a \\", {"a", "\\"}},
        {" \\ a", {"a"}},
    };
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        tma_text_word word;
        size_t at = 0;
        size_t count = 0;
        while (tma_next_word(&word, &at, rows[i].text, strlen(rows[i].text)) > 0) {
            assert_non_null(rows[i].words[count]);
            assert_string_equal(word.text, rows[i].words[count++]);
        }
        assert_null(rows[i].words[count]);
    }
    tma_text_word word; /* what stands behind the text is no blank */
    size_t at = 0;
    assert_int_equal(tma_next_word(&word, &at, "\\ a", 1), 1);
    assert_string_equal(word.text, "\\");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_word_has_room_or_is_refused),
        cmocka_unit_test(test_backslashes_in_words),
        {"ask", says, NULL, NULL, (void *)&reader},
        cmocka_unit_test(test_a_line_is_a_request),
        cmocka_unit_test(test_what_is_wrong_is_said_where_it_stands),
        cmocka_unit_test(test_one_map_only),
        cmocka_unit_test(test_words_come_back),
        cmocka_unit_test(test_a_plan_and_its_report),
        cmocka_unit_test(test_names_of_all_options),
        cmocka_unit_test(test_nothing_is_lost),
        cmocka_unit_test(test_calls_that_have_no_room_are_said),
        cmocka_unit_test(test_errors_that_have_no_room_are_left_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
