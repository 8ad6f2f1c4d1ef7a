/* SPDX-License-Identifier: Apache-2.0
 *
 * Numbers that nothing has, where a caller may put any: each function has an answer. Found by
 * fuzz_calls_text.
 */
#include "support/testing.h"

#include "tma/draw.h"
#include "tma/grammar.h"
#include "tma/json.h"
#include "tma/ptx_check.h"
#include "tma/ptx_file.h"
#include "tma/view.h"

static char text[4096];

static tma_out begin(void) {
    return tma_out_into(text, sizeof(text));
}

static void options_that_no_spec_has(void **state) {
    static const uint32_t options[] = {TMA_SPEC_OPTIONS, TMA_SPEC_OPTIONS + 1, 4294967295};
    const tma_spec spec = {.rank = 2};
    tma_error error;
    (void)state;
    for (size_t i = 0; i < COUNT_OF(options); i++) {
        const tma_spec_option option = (tma_spec_option)options[i];
        tma_spec_words words;
        tma_out out = begin();
        tma_spec_words_begin(&words);
        assert_int_equal(tma_spec_entries(&spec, option), 0);
        assert_false(tma_spec_has(&spec, option));
        assert_false(tma_spec_is_known(&spec, option));
        tma_put_option_value(&out, &spec, option, ",");
        assert_int_equal(out.length, 0);
        assert_int_equal(tma_spec_words_set(&words, option, "1", &error), -1);
        assert_non_null(strstr(error.text, "is none of a spec"));
        assert_int_equal(words.given, 0);
    }
}

static void enumerations_that_are_none(void **state) {
    uint32_t number = 7;
    tma_error error;
    (void)state;
    assert_int_equal(tma_read_enum(&number, TMA_ENUM_KINDS, "fp16", "--x", &error), -1);
    assert_string_equal(error.text, "--x: 'fp16' is no number");
    assert_int_equal(number, 7);
    assert_int_equal(tma_read_enum(&number, TMA_ENUM_KINDS, "12", "--x", &error), 0);
    assert_int_equal(number, 12);
    assert_int_equal(tma_read_enum(&number, TMA_ENUM_ATOMICITY, "16B", "--x", &error), -1);
    assert_string_equal(error.text, "--x: the driver has no number for 16B");
    assert_int_equal(number, 12);
}

/* What cannot be read leaves the edit as it was. */
static void edits_stay_as_they_were(void **state) {
    static const tma_edit_words cases[] = {
        {.is_address = 1, .value = "x"},
        {.is_class = 1, .value = "huge"},
        {.field = TMA_REPLACE_BOX_DIM, .ordinal = "1", .value = "x"},
        {.field = TMA_REPLACE_BOX_DIM, .ordinal = "1", .value = "4294967296"},
        {.field = TMA_REPLACE_BOX_DIM, .ordinal = "5", .value = "8"},
        {.field = TMA_REPLACE_ELEMTYPE, .value = "99"},
        {.field = TMA_REPLACE_ELEMTYPE, .value = "float"},
        {.field = TMA_REPLACE_SWIZZLE_MODE, .value = "128B_ATOM_32B"},
    };
    (void)state;
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        tma_edit_words edit = cases[i];
        tma_error error;
        edit.number = 7;
        edit.ordinal_number = 3;
        assert_int_equal(tma_read_edit(&edit, &error), -1);
        assert_int_equal(edit.number, 7);
        assert_int_equal(edit.ordinal_number, 3);
    }
}

static void edits_of_nothing(void **state) {
    static const struct {
        tma_edit_words edit;
        const char *said;
    } cases[] = {
        {{.is_address = 1}, "--address needs a value"},
        {{.is_class = 1}, "--allocation-class needs a value"},
        {{.field = TMA_REPLACE_FIELDS, .value = "1"}, "field 12 is none of tensormap.replace"},
        {{.field = 4294967295, .value = "1"}, "field 4294967295 is none of tensormap.replace"},
    };
    (void)state;
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        tma_edit_words edit = cases[i].edit;
        tma_error error;
        assert_int_equal(tma_read_edit(&edit, &error), -1);
        assert_string_equal(error.text, cases[i].said);
    }
}

static void readings_and_rules_that_are_none(void **state) {
    tma_target target = {.sm = 90};
    const tma_finding finding = {.rule = 9999};
    (void)state;
    memset(&target.readings, 0xFF, sizeof(target.readings));
    tma_out out = begin();
    tma_put_readings(&out, &target);
    assert_int_equal(out.length, 0);
    out = begin();
    tma_json json = tma_json_begin(&out);
    tma_json_finding(&json, NULL, &finding);
    assert_int_equal(strncmp(text, "{\"rule\": null, ", 15), 0);
    assert_non_null(strstr(text, "\"source\": null, \"evidence\": null}"));
}

/* Of rank 6 no map is, and nothing is said of its copies. */
static void instructions_of_six_dimensions(void **state) {
    const tma_instruction in = {.op = TMA_OP_LOAD, .mode = TMA_MODE_TILE, .rank = 6};
    const tma_position at = {.coord = {1}};
    tma_ptx_statement s;
    tma_finding why;
    const char *but = "";
    (void)state;
    tma_ptx_of(&s, &in, 6, &at);
    assert_int_equal(tma_ptx_judge(&s, &at, 0, NULL, &why, &but), TMA_OK);
    assert_null(but);
    s.in.rank = 5;
    assert_int_equal(tma_ptx_judge(&s, &at, 0, NULL, &why, &but), TMA_OK);
    assert_string_equal(but, "an interleaved map");
}

static size_t times(const char *word) {
    size_t count = 0;
    for (const char *at = text; (at = strstr(at, word)); at++) {
        count++;
    }
    return count;
}

/* A conversion to a generic address more for each space that there is. */
static void maps_in_no_space(void **state) {
    static const char load[] = "cp.async.bulk.tensor.1d.shared::cta.global.mbarrier::complete_tx::"
                               "bytes [s], [m, {0}], [b];";
    tma_ptx_statement s;
    tma_ptx_check check = {
        .statement = &s, .pass = TMA_PTX_CHECK_NO_PASS, .inlined = TMA_PTX_CHECK_CALLED};
    size_t without = 0;
    (void)state;
    assert_int_equal(tma_ptx_parse(&s, load, sizeof(load) - 1, NULL), TMA_OK);
    for (uint32_t map = 0; map < 6; map++) {
        check.map = map;
        tma_out out = begin();
        tma_ptx_check_put_check(&out, &check);
        assert_true(out.length < sizeof(text));
        without = map == TMA_PTX_CHECK_REGISTER ? times("cvta.") : without;
        assert_int_equal(times("cvta."), without + (map && map <= TMA_PTX_CHECK_GLOBAL));
    }
}

static void cells_of_six_dimensions(void **state) {
    const tma_spec spec = {.dtype = TMA_DTYPE_UINT8,
                           .rank = 1,
                           .address = 4096,
                           .dim_el = {64},
                           .box_el = {16},
                           .element_stride = {1}};
    const tma_instruction in = {.op = TMA_OP_LOAD, .mode = TMA_MODE_TILE};
    const tma_cell cell = {.rank = 6, .banks = 1, .coord = {1, 2, 3, 4, 5}};
    tma_map map;
    tma_plan plan;
    (void)state;
    assert_int_equal(tma_encode(map.bytes, &spec, NULL), TMA_OK);
    assert_int_equal(tma_plan_make(&plan, map.bytes, &in, NULL, NULL), TMA_OK);
    assert_true(tma_cell_text(text, sizeof(text), &cell, &plan) < sizeof(text));
    assert_int_equal(strncmp(text, "(1, 2, 3, 4, 5)", 15), 0);
}

/* What is read may lie in what is written. */
static void arguments_in_one_another(void **state) {
    static tma_judged judged, in_place;
    tma_target_words words;
    const tma_instruction in = {.op = TMA_OP_LOAD, .mode = TMA_MODE_TILE, .rank = 3};
    const tma_position at = {.coord = {1, 2, 3}, .shared_address = 64};
    tma_ptx_statement s;
    tma_ptx_statement same = {.in = in};
    (void)state;
    tma_target_words_begin(&words);
    memset(&in_place, 0, sizeof(in_place));
    for (size_t i = 0; i < TMA_MAP_BYTES; i++) {
        in_place.map.bytes[i] = (uint8_t)(37 * i + 1);
    }
    const tma_map map = in_place.map;
    tma_judge(&judged, map.bytes, &words);
    tma_judge(&in_place, in_place.map.bytes, &words);
    assert_memory_equal(&judged, &in_place, sizeof(judged));
    assert_true(judged.count > 0);
    tma_ptx_of(&s, &in, 3, &at);
    tma_ptx_of(&same, &same.in, 3, &at);
    assert_memory_equal(&s, &same, sizeof(s));
}

static void text_that_is_none(void **state) {
    tma_ptx_reader reader = tma_ptx_reader_of(NULL, 5);
    tma_ptx_piece piece;
    (void)state;
    assert_false(tma_ptx_next(&reader, &piece));
    assert_int_equal(reader.size, 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(options_that_no_spec_has),
        cmocka_unit_test(enumerations_that_are_none),
        cmocka_unit_test(edits_stay_as_they_were),
        cmocka_unit_test(edits_of_nothing),
        cmocka_unit_test(readings_and_rules_that_are_none),
        cmocka_unit_test(instructions_of_six_dimensions),
        cmocka_unit_test(maps_in_no_space),
        cmocka_unit_test(cells_of_six_dimensions),
        cmocka_unit_test(arguments_in_one_another),
        cmocka_unit_test(text_that_is_none),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
