/* SPDX-License-Identifier: Apache-2.0
 *
 * What readers of words say of good texts and of wrong ones: said/READER.txt.
 */
#include "support/testing.h"

#include "support/said.h"
#include "tma/case.h"
#include "tma/dump.h"
#include "tma/grammar.h"
#include "tma/map.h"
#include "tma/ptx.h"
#include "tma/ptx_file.h"

#define UNTOUCHED 77u /* what a failed read leaves */

static int read_u64(tma_out *out, const char *text, tma_error *error) {
    uint64_t number = UNTOUCHED;
    if (tma_read_u64(&number, text, strlen(text), "--window", error)) {
        return -1;
    }
    tma_putf(out, "%" TMA_U64, number);
    return 0;
}

static int read_u32(tma_out *out, const char *text, tma_error *error) {
    uint32_t number = UNTOUCHED;
    if (tma_read_u32(&number, text, strlen(text), 1000, "--count", error)) {
        assert_int_equal(number, UNTOUCHED);
        return -1;
    }
    tma_putf(out, "%u", (unsigned)number);
    return 0;
}

static int read_i32(tma_out *out, const char *text, tma_error *error) {
    int32_t number = UNTOUCHED;
    if (tma_read_i32(&number, text, strlen(text), "--coord[1]", error)) {
        assert_int_equal(number, UNTOUCHED);
        return -1;
    }
    tma_putf(out, "%d", (int)number);
    return 0;
}

static int read_case_number(tma_out *out, const char *text, tma_error *error) {
    uint64_t number = UNTOUCHED;
    if (tma_case_number(&number, text, strlen(text))) {
        return tma_fail(error, "no number");
    }
    tma_putf(out, "%" TMA_U64, number);
    return 0;
}

/* "swizzle 128B": the name of an enumeration, as an option has it, and a word. */
static int read_enum(tma_out *out, const char *text, tma_error *error) {
    static const char *const kinds[TMA_ENUM_KINDS] = {[TMA_ENUM_API] = "api",
                                                      [TMA_ENUM_DTYPE] = "dtype",
                                                      [TMA_ENUM_INTERLEAVE] = "interleave",
                                                      [TMA_ENUM_SWIZZLE] = "swizzle",
                                                      [TMA_ENUM_ATOMICITY] = "atomicity",
                                                      [TMA_ENUM_L2] = "l2",
                                                      [TMA_ENUM_FILL] = "fill",
                                                      [TMA_ENUM_WIDE_MODE] = "wide-mode",
                                                      [TMA_ENUM_CLASS] = "class"};
    const size_t word = strcspn(text, " ");
    uint32_t number = UNTOUCHED;
    size_t kind = 0;
    while (strlen(kinds[kind]) != word || strncmp(kinds[kind], text, word) != 0) {
        kind++;
        assert_true(kind < TMA_ENUM_KINDS);
    }
    if (tma_read_enum(&number, (tma_enum_kind)kind, text + word + 1, kinds[kind], error)) {
        assert_int_equal(number, UNTOUCHED);
        return -1;
    }
    tma_put_enum(out, (tma_enum_kind)kind, number);
    return 0;
}

/* "arch sm_90a": an option of a target and its value. */
static int read_target(tma_out *out, const char *text, tma_error *error) {
    tma_target_words words;
    char name[32] = "";
    const size_t word = strcspn(text, " ");
    assert_true(word < sizeof(name));
    memcpy(name, text, word);
    tma_target_words_begin(&words);
    const tma_target before = words.target;
    if (tma_target_words_set(&words, name, text + word + 1, error)) {
        assert_memory_equal(&words.target, &before, sizeof(before));
        return -1;
    }
    tma_put_target_words(out, &words);
    return 0;
}

/* " --name value" again and again. */
static int set_all(tma_spec_words *words, const char *text, tma_error *error) {
    char copy[512];
    assert_true(strlen(text) < sizeof(copy));
    strcpy(copy, text);
    tma_spec_words_begin(words);
    for (char *at = strtok(copy, "~"); at; at = strtok(NULL, "~")) {
        char *value = strchr(at, ' ');
        assert_non_null(value);
        *value = 0;
        if (tma_spec_words_set_named(words, at, value + 1, error)) {
            return -1;
        }
    }
    return tma_spec_words_finish(words, error);
}

static int read_spec(tma_out *out, const char *text, tma_error *error) {
    tma_spec_words words;
    if (set_all(&words, text, error)) {
        return -1;
    }
    tma_put_spec(out, &words.spec);
    return 0;
}

/* "3 op load~coord 1,2": the rank of a map, tiled or "i" im2col or "w" wide, and a copy's options.
 */
static int read_copy(tma_out *out, const char *text, tma_error *error) {
    const tma_spec spec = {.api = text[1] == 'i'   ? TMA_API_IM2COL
                                  : text[1] == 'w' ? TMA_API_WIDE
                                                   : TMA_API_TILED,
                           .wide_mode = text[0] == '5',
                           .rank = (uint32_t)(text[0] - '0')};
    tma_copy_words words;
    char copy[256];
    strcpy(copy, text + 3);
    tma_copy_words_begin(&words, TMA_OP_LOAD);
    for (char *at = strtok(copy, "~"); at; at = strtok(NULL, "~")) {
        uint32_t option = 0;
        char *value = strchr(at, ' ');
        *value = 0;
        while (tma_copy_option_name(option) && strcmp(tma_copy_option_name(option), at) != 0) {
            option++;
        }
        if (tma_copy_words_set(&words, (tma_copy_option)option, value + 1, error)) {
            return -1;
        }
    }
    tma_copy_words_default(&words, &spec);
    if (tma_copy_words_together(&words, error) || tma_copy_words_check(&words, &spec, error)) {
        return -1;
    }
    tma_put_copy_words(out, &words.in, spec.rank, &words.at);
    tma_put(out, " | ");
    tma_put_instruction(out, &words.in, spec.rank, &words.at);
    return 0;
}

static int read_case(tma_out *out, const char *text, tma_error *error) {
    char copy[1024];
    tma_case line;
    tma_spec spec;
    tma_target target = {.sm = 90};
    uint64_t number = UNTOUCHED;
    strcpy(copy, text);
    const int status = tma_case_read(&line, copy, strlen(copy), error);
    if (status) {
        assert_true(status == 1 || status == -1);
        tma_put(out, status > 0 ? "no line" : "");
        return status < 0 ? -1 : 0;
    }
    if (tma_case_spec(&spec, &target, &line, "seed n", error)) {
        return -1;
    }
    if (tma_case_request(&line, "n") && tma_case_u64(&number, &line, "n", error)) {
        return -1;
    }
    tma_put_case(out, line.kind, &spec, &target);
    tma_putf(out, " (%zu of %zu, n %" TMA_U64 ", rc %s)", line.request, line.count, number,
             tma_case_answer(&line, "rc") ? tma_case_answer(&line, "rc") : "none");
    return 0;
}

static const tma_target targets[] = {{.sm = 90, .driver = 13000},
                                     {.sm = 90, .suffix = 'a', .driver = 13000},
                                     {.sm = 100, .suffix = 'a', .driver = 13000},
                                     {.sm = 103, .suffix = 'a', .driver = 13000},
                                     {.sm = 99, .driver = 13000}};

/* "global_dim 0 64": a field, its ordinal or -, its value or -; "!" before the field: --pre-12.5.
 */
static int read_words(tma_edit_words *edit, char *text, tma_error *error) {
    const char *const field = strtok(text, " ");
    const char *const ordinal = strtok(NULL, " ");
    const char *const value = strtok(NULL, "");
    *edit = (tma_edit_words){.is_address = !strcmp(field, "address"),
                             .is_class = !strcmp(field, "class"),
                             .ordinal = *ordinal == '-' ? NULL : ordinal,
                             .value = *value == '-' ? NULL : value,
                             .flags = *field == '!' ? TMA_REPLACE_STRIDE_PRE_12_5 : 0};
    if (!edit->is_address && !edit->is_class &&
        tma_read_edit_field(&edit->field, field + (*field == '!'), "--field", error)) {
        return -1;
    }
    return tma_read_edit(edit, error);
}

static int read_edit(tma_out *out, const char *text, tma_error *error) {
    char copy[128];
    tma_edit_words edit;
    strcpy(copy, text);
    if (read_words(&edit, copy, error)) {
        assert_true(!edit.is_class || edit.number == 0);
        return -1;
    }
    tma_putf(out, "%u[%u] %" TMA_U64, (unsigned)edit.field, (unsigned)edit.ordinal_number,
             edit.number);
    for (size_t i = 0; i < COUNT_OF(targets); i++) {
        const char *const refused = tma_edit_refused(&edit, &targets[i]);
        tma_putf(out, refused ? ", %s" : ", taken", refused);
    }
    return 0;
}

/* "3t box_dim 0 64": the rank of a map, tiled or "i" im2col, and an edit; what that loses. */
static int read_loss(tma_out *out, const char *text, tma_error *error) {
    const int is_im2col = text[1] == 'i';
    tma_spec spec = {.api = is_im2col ? TMA_API_IM2COL : TMA_API_TILED,
                     .dtype = TMA_DTYPE_UINT8,
                     .rank = (uint32_t)(text[0] - '0'),
                     .address = 4096,
                     .channels_per_pixel = 32,
                     .pixels_per_column = 4};
    tma_map map;
    tma_edit_words words;
    char copy[128];
    for (uint32_t i = 0; i < TMA_MAX_RANK; i++) {
        spec.dim_el[i] = 64;
        spec.box_el[i] = 16;
        spec.element_stride[i] = 1;
        spec.stride_B[i < TMA_MAX_STRIDES ? i : 0] = 64;
    }
    assert_int_equal(tma_encode_forced(map.bytes, &spec, NULL, NULL), TMA_OK);
    strcpy(copy, text + 3);
    if (read_words(&words, copy, error)) {
        return -1;
    }
    const tma_edit edit = {.field = words.field,
                           .ordinal = words.ordinal_number,
                           .value = words.number,
                           .flags = words.flags};
    if (!words.is_address && !words.is_class && tma_replace(map.bytes, &edit, NULL) != TMA_OK) {
        return tma_fail(error, "not done");
    }
    tma_put(out, tma_put_edit_loss(out, &words, map.bytes) ? "" : "nothing");
    return 0;
}

static int read_statement(tma_out *out, const char *text, tma_error *error) {
    tma_ptx_statement s;
    if (tma_ptx_parse(&s, text, strlen(text), error)) {
        return -1;
    }
    if (s.kind == TMA_PTX_OTHER) {
        tma_put(out, "other");
        return 0;
    }
    tma_ptx_print(out, &s);
    return 0;
}

/* "1d:.version 8.0|2i:mov;": line, kind and text of each piece. */
static int read_ptx_file(tma_out *out, const char *text, tma_error *error) {
    static const char kinds[] = "idlocu";
    tma_ptx_reader reader = tma_ptx_reader_of(text, strlen(text));
    tma_ptx_piece piece;
    const char *between = "";
    (void)error;
    while (tma_ptx_next(&reader, &piece)) {
        tma_putf(out, "%s%zu%c%zu:", between, piece.line, kinds[piece.kind], reader.depth);
        tma_put_bytes(out, piece.at, piece.size);
        between = "|";
    }
    return 0;
}

static void put_span(tma_out *out, tma_ptx_span span) {
    tma_put(out, "[");
    if (span.length) {
        tma_put_bytes(out, span.at, span.length);
    }
    tma_put(out, "]");
}

static int read_directive(tma_out *out, const char *text, tma_error *error) {
    const tma_ptx_piece piece = {text, strlen(text), 1, TMA_PTX_PIECE_DIRECTIVE};
    const tma_ptx_piece other = {text, strlen(text), 1, TMA_PTX_PIECE_INSTRUCTION};
    tma_ptx_loc loc = {.inlined = 0};
    tma_ptx_span span;
    tma_ptx_variable v;
    uint32_t number = 0;
    int entry = 0;
    size_t from = 0;
    (void)error;
    assert_false(tma_ptx_loc_of(&loc, &other) || tma_ptx_file_of(&number, &span, &other) ||
                 tma_ptx_version_of(&number, &other) || tma_ptx_target_of(&span, &other) ||
                 tma_ptx_function_of(&span, &entry, &other) ||
                 tma_ptx_variable_of(&v, &from, &other));
    if (tma_ptx_loc_of(&loc, &piece)) {
        tma_putf(out, "loc %u %u %u", (unsigned)loc.file, (unsigned)loc.line, (unsigned)loc.column);
    }
    if (loc.inlined) {
        tma_putf(out, ", at %u %u %u", (unsigned)loc.at_file, (unsigned)loc.at_line,
                 (unsigned)loc.at_column);
    }
    if (tma_ptx_file_of(&number, &span, &piece)) {
        tma_putf(out, "file %u ", (unsigned)number);
        put_span(out, span);
    }
    if (tma_ptx_version_of(&number, &piece)) {
        tma_putf(out, "version %u", (unsigned)number);
    }
    if (tma_ptx_target_of(&span, &piece)) {
        tma_put(out, "target ");
        put_span(out, span);
    }
    if (tma_ptx_function_of(&span, &entry, &piece)) {
        tma_put(out, entry ? "entry " : "func ");
        put_span(out, span);
    }
    while (tma_ptx_variable_of(&v, &from, &piece)) {
        tma_putf(out, " variable %u %u ", (unsigned)v.align_B, (unsigned)v.element_B);
        put_span(out, v.space);
        put_span(out, v.name);
        put_span(out, v.values);
    }
    return 0;
}

static int read_parts(tma_out *out, const char *text, tma_error *error) {
    const tma_ptx_piece piece = {text, strlen(text), 1, TMA_PTX_PIECE_INSTRUCTION};
    tma_ptx_parts parts;
    if (tma_ptx_split(&parts, &piece)) {
        return tma_fail(error, "no opcode");
    }
    tma_put(out, parts.negated ? "!" : "");
    put_span(out, parts.guard);
    put_span(out, parts.opcode);
    tma_putf(out, " %u ", (unsigned)parts.count);
    for (uint32_t i = 0; i < parts.count && i < TMA_PTX_PARTS; i++) {
        put_span(out, parts.operand[i]);
    }
    tma_putf(out, " %d%d%d%d", tma_ptx_is(&parts, "a", NULL), tma_ptx_is(&parts, "a", "b"),
             tma_ptx_is(&parts, "a", "c"), tma_ptx_is(&parts, "a", "d::e"));
    return 0;
}

static int read_operand(tma_out *out, const char *text, tma_error *error) {
    int bracketed = 7;
    const tma_ptx_span span = {text, strlen(text)};
    const tma_ptx_operand o = tma_ptx_operand_of(span, &bracketed);
    const tma_ptx_operand same = tma_ptx_operand_of(span, NULL);
    (void)error;
    assert_true(same.kind == o.kind && same.value == o.value && same.length == o.length);
    tma_putf(out, "%u%s %" TMA_D64 " ", (unsigned)o.kind, bracketed ? " in brackets" : "", o.value);
    put_span(out, (tma_ptx_span){o.name, o.length});
    return 0;
}

static int read_names(tma_out *out, const char *text, tma_error *error) {
    tma_ptx_span rest = {text, strlen(text)};
    (void)error;
    for (tma_ptx_span name; (name = tma_ptx_next_name(&rest)).length;) {
        put_span(out, name);
    }
    assert_int_equal(rest.length, 0);
    return 0;
}

static int read_dump(tma_out *out, const char *text, tma_error *error) {
    tma_map map;
    if (tma_read_dump(map.bytes, text, strlen(text), error)) {
        return -1;
    }
    tma_put_hex_bytes(out, map.bytes, sizeof(map));
    return 0;
}

/* "NAME+128=--dtype ...": its place and its spec; "no place" before a spec alone. */
static int upper_address(void *context, const char *name, char *value, tma_error *error) {
    (void)context;
    return strcmp(name, "address") || value[0] != '@' ? 0
           : value[1] == 'a'                          ? (strcpy(value, "0x1000"), 0)
                                                      : tma_fail(error, "no '%s'", value);
}

static int read_map_option(tma_out *out, const char *text, tma_error *error) {
    tma_place_words place;
    tma_spec_words words;
    const int is_place = tma_read_place(&place, text, "NAME+OFFSET", error);
    if (is_place < 0 || tma_spec_words_read(&words, place.rest, upper_address, NULL, error)) {
        return -1;
    }
    if (is_place) {
        put_span(out, (tma_ptx_span){place.name, place.name_length});
    }
    tma_putf(out, is_place ? "+%u" : "no place", (unsigned)place.offset_B);
    tma_put_spec(out, &words.spec);
    return 0;
}

static const struct said_reader readers[] = {
    {"u64", read_u64},
    {"u32", read_u32},
    {"i32", read_i32},
    {"case_number", read_case_number},
    {"enum", read_enum},
    {"target", read_target},
    {"spec_options", read_spec},
    {"copy_options", read_copy},
    {"case_line", read_case},
    {"edit", read_edit},
    {"edit_loss", read_loss},
    {"ptx_statement", read_statement},
    {"ptx_file", read_ptx_file},
    {"ptx_directive", read_directive},
    {"ptx_parts", read_parts},
    {"ptx_operand", read_operand},
    {"ptx_names", read_names},
    {"no_dump", read_dump},
    {"map_option", read_map_option},
};

int main(void) {
    struct CMUnitTest tests[COUNT_OF(readers)];
    for (size_t i = 0; i < COUNT_OF(readers); i++) {
        tests[i] = (struct CMUnitTest){readers[i].name, says, NULL, NULL, (void *)&readers[i]};
    }
    return cmocka_run_group_tests(tests, NULL, NULL);
}
