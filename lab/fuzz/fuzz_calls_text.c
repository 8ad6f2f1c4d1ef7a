/* SPDX-License-Identifier: Apache-2.0
 *
 * Each function of libtma-text and libtma-draw with arguments that are garbage, lie in one another,
 * or, where the headers allow it, are null: no call crashes, waits or writes outside the block that
 * all arguments lie in. What holds pointers is made of real ones; text goes out to a place of its
 * own, as text.h asks for.
 */
#include "fuzz_calls_input.h"

#include <tma/case.h>
#include <tma/code.h>
#include <tma/crash.h>
#include <tma/draw.h>
#include <tma/dump.h>
#include <tma/json.h>
#include <tma/mma_text.h>
#include <tma/paste.h>
#include <tma/pattern.h>
#include <tma/ptx_check.h>
#include <tma/ptx_file.h>
#include <tma/synonyms.h>
#include <tma/view.h>
#include <tma/word.h>

#define BLOCK_B    32768
#define TAIL_B     64 /* zeros behind all that is written: texts end there */
#define MOST_SEEN  4096
#define MOST_LINE  4096
#define MOST_OUT   4096
#define MOST_BYTES 2048 /* so that a run is quick: longer texts have their own fuzzers */

#define SURE(type, count) ((type *)f_room(f, sizeof(type) * (count), _Alignof(type)))
#define STRING            ((const char *)f_room(f, 1, 1))
#define ERROR             f_error(f)
#define BYTES             (const char *)f->bytes, f->bytes_B
#define DRAWING           (f_number(f, 1) % 16 ? f_drawing(f) : NULL)
#define DONE(call)        ((void)(call), UINT64_C(0))

/* ---- What takes text ---- */

static void f_write(void *context, const char *text, size_t length) {
    uint64_t *sum = context;
    for (size_t i = 0; i < length; i++) {
        *sum += (unsigned char)text[i];
    }
}

static tma_out *f_out(struct fuzz *f) {
    static tma_out out;
    static uint64_t sum;
    static char buffer[MOST_OUT];
    const size_t size = f_number(f, 2) % MOST_OUT;
    out = size % 3 == 0   ? tma_out_to(f_write, &sum)
          : size % 3 == 1 ? tma_out_into(buffer + MOST_OUT - size, size)
                          : tma_out_into(NULL, 0);
    return &out;
}

static tma_error *f_error(struct fuzz *f) {
    static tma_error error;
    return f_number(f, 1) % 8 ? &error : NULL;
}

static size_t *f_at(struct fuzz *f) {
    size_t *at = SURE(size_t, 1);
    *at = f->bytes_B ? *at % f->bytes_B : 0;
    return at;
}

static tma_json *f_json(struct fuzz *f) {
    static tma_json json;
    json = tma_json_begin(f_out(f));
    json.lists = N64;
    json.comma = (int)f_one(f);
    return &json;
}

static uint64_t f_json_text_out(struct fuzz *f) {
    tma_json *json = f_json(f);
    tma_out out = tma_json_text_out(json, TEXT);
    tma_put_bytes(&out, BYTES);
    tma_json_text_end(json);
    return out.length;
}

static int f_fail_more(struct fuzz *f) {
    tma_error *error = ERROR;
    tma_fail(error, "%s", STRING);
    return tma_fail_more(error, "%s %u", STRING, N32);
}

/* ---- What holds pointers ---- */

static const char *f_line(struct fuzz *f, char *line) {
    const size_t length = f->bytes_B < MOST_LINE - 1 ? f->bytes_B : MOST_LINE - 1;
    memcpy(line, f->bytes, length);
    line[length] = 0;
    return line;
}

static const tma_case *f_case(struct fuzz *f) {
    static char text[MOST_LINE];
    static tma_case line;
    f_line(f, text);
    if (tma_case_read(&line, text, strlen(text), NULL)) {
        line = (tma_case){.kind = ""};
    }
    return &line;
}

static tma_edit_words *f_edit(struct fuzz *f) {
    static tma_edit_words edit;
    const uint64_t how = f_number(f, 1);
    edit = (tma_edit_words){.is_address = how % 16 == 1,
                            .is_class = how % 16 == 2,
                            .field = N32,
                            .ordinal = TEXT,
                            .value = TEXT,
                            .flags = (uint32_t)f_one(f),
                            .ordinal_number = N32,
                            .number = N64};
    return &edit;
}

static tma_name_at f_names(struct fuzz *f) {
    static const tma_name_at names[] = {tma_spec_option_name, tma_target_option_name,
                                        tma_code_form_name, tma_pattern_name, tma_draw_option_name};
    return names[f_number(f, 1) % (sizeof(names) / sizeof(names[0]))];
}

static const tma_field_row *f_field(struct fuzz *f) {
    return tma_field_at(f_number(f, 1) % tma_field_count());
}

static const tma_crash_row *f_crash(struct fuzz *f) {
    tma_crash_row *row = SURE(tma_crash_row, 1);
    if (tma_crash_at(row, f_number(f, 1))) {
        DEMAND(tma_crash_at(row, 0) == 0);
    }
    return row;
}

static const tma_rule *f_rule(struct fuzz *f) {
    return tma_rule_at(f_number(f, 1) % tma_rule_count());
}

static bool f_judged_has(struct fuzz *f) {
    static tma_judged judged;
    tma_judge(&judged, SURE(uint8_t, TMA_MAP_BYTES), SURE(tma_target_words, 1));
    return tma_judged_has(&judged, STRING);
}

static void f_visit_paste(void *context, const tma_paste *found) {
    struct fuzz *f = context;
    DEMAND(found->kind < TMA_PASTE_KINDS && found->line <= found->last_line && found->says);
    f->runs++;
}

/* ---- PTX ---- */

static tma_ptx_span f_span(struct fuzz *f) {
    return (tma_ptx_span){(const char *)f->bytes, f->bytes_B};
}

static void f_put_checker(struct fuzz *f) {
    const tma_ptx_span own = f_span(f);
    const uint32_t on_fault = N32;
    tma_ptx_check_put_checker(f_out(f), on_fault, on_fault & 16, on_fault & 8 ? &own : NULL);
}

static const tma_ptx_check_shared *f_check_shared(struct fuzz *f) {
    static tma_ptx_check_shared shared;
    shared = (tma_ptx_check_shared){N32 % 1000, N32, N32, N32, N32 % 2, N32 % 2, NULL};
    return &shared;
}

static const tma_ptx_piece *f_piece(struct fuzz *f) {
    static tma_ptx_piece piece;
    piece = (tma_ptx_piece){(const char *)f->bytes, f->bytes_B, 1,
                            (tma_ptx_piece_kind)(f_number(f, 1) % 6)};
    return &piece;
}

static const tma_ptx_parts *f_parts(struct fuzz *f) {
    static tma_ptx_parts parts;
    if (tma_ptx_split(&parts, f_piece(f))) {
        parts = (tma_ptx_parts){.opcode = {"a.b", 3}};
    }
    return &parts;
}

/* Read, an example, or made of any instruction. */
static const tma_ptx_statement *f_statement(struct fuzz *f) {
    static tma_ptx_statement s;
    const size_t how = f_number(f, 1);
    const tma_ptx_form *form = tma_ptx_form_at(how / 4);
    const char *text = form && how % 4 == 1 ? form->example : (const char *)f->bytes;
    const size_t size = form && how % 4 == 1 ? strlen(text) : f->bytes_B;
    if (how % 4 == 0) {
        tma_ptx_of(&s, SURE(tma_instruction, 1), N32, SURE(tma_position, 1));
    } else if (tma_ptx_parse(&s, text, size, NULL) != TMA_OK) {
        s = (tma_ptx_statement){.kind = TMA_PTX_OTHER};
    }
    return &s;
}

static const tma_ptx_check *f_check(struct fuzz *f) {
    static tma_ptx_check check;
    check = (tma_ptx_check){.statement = f_statement(f),
                            .number = N32,
                            .version = N32,
                            .features = N64,
                            .map = N32,
                            .shared_bits = N32,
                            .pass = N32,
                            .changes = N32,
                            .file = f_span(f),
                            .function = f_span(f),
                            .line = N32,
                            .on_fault = N32,
                            .barrier_bits = N32,
                            .together = N32 % 2};
    return &check;
}

static void f_check_puts(struct fuzz *f, void (*put)(tma_out *out, const tma_ptx_check *check)) {
    const tma_ptx_check *check = f_check(f);
    if (!tma_ptx_check_lacks(check)) {
        put(f_out(f), check);
    }
}

static size_t f_ptx_next(struct fuzz *f) {
    tma_ptx_reader reader = tma_ptx_reader_of(BYTES);
    tma_ptx_piece piece;
    size_t count = 0;
    while (tma_ptx_next(&reader, &piece)) {
        DEMAND(piece.size > 0 && ++count <= f->bytes_B);
    }
    return count;
}

static size_t f_ptx_next_name(struct fuzz *f) {
    tma_ptx_span span = f_span(f);
    size_t count = 0;
    while (tma_ptx_next_name(&span).length) {
        DEMAND(++count <= f->bytes_B);
    }
    return count;
}

static size_t f_variable(struct fuzz *f) {
    tma_ptx_variable variable = {0};
    size_t from = f_few(f);
    size_t count = 0;
    while (tma_ptx_variable_of(&variable, &from, f_piece(f))) {
        DEMAND(++count <= f->bytes_B);
    }
    return count;
}

static tma_status f_ptx_plan(struct fuzz *f) {
    static tma_plan plan;
    return tma_ptx_plan(f_number(f, 1) % 8 ? &plan : NULL, OUT(tma_position, 1), OUT(uint32_t, 1),
                        BYTES, MAP, TARGET, ERROR, WHY);
}

/* ---- Pictures ---- */

static int f_see_cell(void *context, const tma_cell *cell) {
    struct fuzz *f = context;
    DEMAND(cell->length_B > 0);
    return ++f->runs > MOST_SEEN;
}

static tma_cell_visitor f_visit_cell(struct fuzz *f) {
    return f_number(f, 1) % 8 ? f_see_cell : NULL;
}

static int f_see_mark(void *context, const tma_mark *mark) {
    struct fuzz *f = context;
    DEMAND(tma_style_row_of(mark->style));
    return ++f->runs > MOST_SEEN;
}

static tma_mark_visitor f_visit_mark(struct fuzz *f) {
    return f_number(f, 1) % 8 ? f_see_mark : NULL;
}

static int f_step(void *context, const tma_mma_step *step) {
    struct fuzz *f = context;
    DEMAND(step->exists <= 1);
    return ++f->runs > MOST_SEEN;
}

/* Outside the block: it points into itself. */
static tma_mma_question *f_question(struct fuzz *f) {
    static tma_mma_question question;
    question = *SURE(tma_mma_question, 1);
    question.tile.placed = question.placed;
    question.tile.placed_count = f_number(f, 1) % 4 ? 0 : N32 % (TMA_MMA_PLACED + 1);
    for (uint32_t i = 0; i < TMA_MMA_PLACED; i++) {
        question.placed[i].spec = NULL;
    }
    return &question;
}

static const tma_drawing *f_drawing(struct fuzz *f) {
    static tma_drawing drawing;
    drawing = (tma_drawing){.picture = N32 % 16,
                            .map = MAP,
                            .instruction = IN(tma_instruction),
                            .at = AT,
                            .target = TARGET,
                            .reader = N32 % 8,
                            .phase = N32,
                            .label = N32 % 8,
                            .color = N32 % 8,
                            .theme = N32 % 4,
                            .row = N32,
                            .lines = N32,
                            .source = TEXT,
                            .mma = N32 % 2 ? f_question(f) : NULL,
                            .untitled = N32};
    return &drawing;
}

static const tma_mark *f_mark(struct fuzz *f) {
    static tma_mark mark;
    mark = *SURE(tma_mark, 1);
    mark.label = TEXT;
    mark.title = TEXT;
    return &mark;
}

/* The bytes are drawn first: in which order a call's arguments are made, the compiler says. */
static void f_draw_bytes(struct fuzz *f) {
    f->bytes_B = f_number(f, 2) % MOST_BYTES;
    f->bytes = f_room(f, f->bytes_B, 1);
}

#define FUZZ_CALL(function, call)                                                                  \
    static uint64_t call_##function(struct fuzz *f) {                                              \
        f_draw_bytes(f);                                                                           \
        return call;                                                                               \
    }
#include "fuzz_calls_text.def"

static const fuzz_call calls[] = {
#define FUZZ_CALL(function, call) call_##function,
#include "fuzz_calls_text.def"
};

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    f_run(data, size, BLOCK_B, TAIL_B, calls, sizeof(calls) / sizeof(calls[0]));
    return 0;
}
