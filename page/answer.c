/* SPDX-License-Identifier: Apache-2.0
 *
 * The verdict on a request, and what can be made of it.
 */
#include "answer.h"

#include "tma/code.h"
#include "tma/measure.h"

#define FINDINGS 128

tma_drawing page_drawing(const ask_text *request, uint32_t picture) {
    tma_drawing d = ask_drawing(&request->asked);
    d.picture = picture;
    return d;
}

/* The option that has the finding's argument, or TMA_SPEC_OPTIONS. */
static uint32_t option_of(uint32_t argument) {
    static const uint8_t arguments[] = {
#define TMA_OPTION(id, is, ...) TMA_ARG_##is,
#include "tma/spec_options.def"
    };
    uint32_t i = 0;
    while (i < TMA_SPEC_OPTIONS && arguments[i] != argument) {
        i++;
    }
    return i;
}

/* What the option would say with the legal value in it. */
static void put_legal(tma_out *out, const tma_spec *s, uint32_t option, const tma_finding *f) {
    char value[512];
    tma_out words = tma_out_into(value, sizeof(value));
    int entry = 0;
    tma_put_option_value(&words, s, (tma_spec_option)option, ",");
    for (const char *c = value; *c; entry++) {
        const char *end = c;
        while (*end && *end != ',') {
            end++;
        }
        tma_put(out, entry ? "," : "");
        if (f->index < 0 ? !entry : entry == f->index) {
            tma_putf(out, "%" TMA_D64, (int64_t)f->legal);
        } else {
            tma_put_bytes(out, c, (size_t)(end - c));
        }
        c = *end ? end + 1 : end;
    }
}

static void fix(tma_json *json, const ask_text *request, const tma_finding *f) {
    const uint32_t option = option_of(f->argument);
    tma_json_object(json, NULL);
    if (f->has_legal && option < TMA_SPEC_OPTIONS && request->kind == ASK_SPEC) {
        tma_json_text(json, "option", tma_spec_option_name(option));
        tma_out value = tma_json_text_out(json, "option_value");
        put_legal(&value, &request->asked.map.spec, option, f);
        tma_json_text_end(json);
    }
    tma_json_text(json, "statement", tma_rule_of(f->rule)->statement);
    tma_json_end(json);
}

/* Without the findings about what a paste does not show. */
static size_t kept(const ask_text *request, tma_finding *found, size_t count) {
    size_t kept = 0;
    for (size_t i = 0; i < count; i++) {
        if (request->from != FROM_PASTE ||
            tma_paste_judges(&request->found[request->pick], &found[i])) {
            found[kept++] = found[i];
        }
    }
    return kept;
}

/* What a paste would have to say besides, and the command that has a place for it. */
static void lacks(tma_json *json, const ask_text *request) {
    if (!request->unknown) {
        return;
    }
    tma_out words = tma_json_text_out(json, "lacks");
    tma_put_paste_lacks(&words, request->unknown, " and ");
    tma_json_text_end(json);
    tma_out command = tma_json_text_out(json, "command");
    tma_put_paste_command(&command, &request->found[request->pick]);
    tma_json_text_end(json);
}

static void verdict(tma_json *json, const ask_text *request) {
    static tma_finding found[FINDINGS];
    const tma_spec *s = &request->asked.map.spec;
    const tma_target *target = &request->asked.map.target.target;
    tma_measure_result m;
    size_t count = tma_check_measure(&m, found, FINDINGS, s, target);
    count = kept(request, found, count < FINDINGS ? count : FINDINGS);
    tma_json_bool(json, "accepted", m.rows != 0 && !request->unknown);
    tma_json_bool(json, "asked", ask_was_seen(target));
    tma_json_list(json, "findings");
    for (size_t i = 0; i < count; i++) {
        tma_json_finding(json, NULL, &found[i]);
    }
    tma_json_end(json);
    tma_json_list(json, "fixes");
    for (size_t i = 0; i < count; i++) {
        fix(json, request, &found[i]);
    }
    tma_json_end(json);
    if (m.rows && !request->unknown) {
        tma_json_measure(json, "measure", s, &m);
    }
}

static void code(tma_json *json, const ask_text *request) {
    const tma_spec *s = &request->asked.map.spec;
    tma_json_list(json, "forms");
    tma_json_object(json, NULL);
    tma_json_text(json, "name", "command");
    tma_out command = tma_json_text_out(json, "text");
    page_put_command(&command, request, request->kind == ASK_MAP ? "draw" : "check");
    tma_json_text_end(json);
    tma_json_end(json);
    for (uint32_t i = 0; i < TMA_CODE_FORMS; i++) {
        tma_json_object(json, NULL);
        tma_json_text(json, "name", tma_code_form_name(i));
        tma_json_text(json, "unfit", tma_code_unfit(s, (tma_code_form)i));
        tma_out text = tma_json_text_out(json, "text");
        tma_put_code(&text, s, &request->asked.map.target.target, (tma_code_form)i);
        tma_json_text_end(json);
        tma_json_end(json);
    }
    tma_json_end(json);
}

static void pictures(tma_json *json, const ask_text *request) {
    tma_json_text(json, "picture", tma_picture_name(request->asked.drawing.picture));
    tma_json_list(json, "pictures");
    for (uint32_t i = 0; i < TMA_PICTURE_TIMELINE; i++) {
        const tma_drawing d = page_drawing(request, i);
        tma_json_object(json, NULL);
        tma_json_text(json, "name", tma_picture_name(i));
        tma_json_text(json, "caption", tma_picture_summary(i));
        tma_json_text(json, "unfit", request->asked.is_accepted ? tma_draw_unfit(&d) : NULL);
        tma_json_end(json);
    }
    tma_json_end(json);
}

static void found(tma_json *json, const ask_text *request) {
    tma_json_list(json, "found");
    for (size_t i = 0; i < request->found_count; i++) {
        const tma_paste *p = &request->found[i];
        tma_json_object(json, NULL);
        tma_json_text(json, "source", tma_paste_source_name(p->source));
        tma_json_u64(json, "line", p->line);
        tma_json_u64(json, "last_line", p->last_line);
        tma_json_bool(json, "is_map", p->kind == TMA_PASTE_MAP);
        tma_json_text(json, "says", p->says);
        const tma_code_row *row = tma_code_of(p->code);
        tma_json_text(json, "code_name", row ? row->name : NULL);
        tma_out shown = tma_json_text_out(json, "not_shown");
        const char *between = "";
        const uint32_t missing = tma_paste_missing(p) & ~tma_paste_unknown(p);
        for (uint32_t i = 0; p->kind == TMA_PASTE_MAP && i < TMA_ARGUMENTS && i < 32; i++) {
            if (missing & TMA_PASTE_BIT(i)) {
                tma_putf(&shown, "%s%s", between, tma_argument_name(i));
                between = ", ";
            }
        }
        tma_json_text_end(json);
        tma_json_end(json);
    }
    tma_json_end(json);
    tma_json_u64(json, "pick", request->pick);
}

static void crashes(tma_json *json, const ask_text *request) {
    tma_json_list(json, "crashes");
    for (size_t i = 0; i < request->crash_count; i++) {
        tma_crash_row row;
        if (!tma_crash_at(&row, request->crashes[i].row)) {
            tma_json_object(json, NULL);
            tma_json_u64(json, "line", request->crashes[i].line);
            tma_json_crash(json, &row);
            tma_json_end(json);
        }
    }
    tma_json_end(json);
}

static void words(tma_json *json, const ask_text *request) {
    tma_json_list(json, "words");
    for (size_t i = 0; i < request->words.count; i++) {
        const tma_word *word = &request->words.of[i];
        for (uint32_t kind = 0; kind < TMA_WORD_KINDS; kind++) {
            if (word->kinds >> kind & 1) {
                tma_json_object(json, NULL);
                tma_json_u64(json, "line", word->line);
                tma_out bits = tma_json_text_out(json, "word");
                tma_putf(&bits, "0x%016" TMA_X64, word->word);
                tma_json_text_end(json);
                tma_json_word(json, word->word, kind);
                tma_json_end(json);
            }
        }
    }
    tma_json_end(json);
}

static void archs(tma_json *json) {
    tma_json_list(json, "archs");
    for (size_t i = 0; i < tma_arch_count(); i++) {
        tma_json_text(json, NULL, tma_arch_at(i)->name);
    }
    tma_json_end(json);
}

/* What tma mma says, where its picture or its options are asked for. */
static void mma(tma_json *json, const ask_text *request) {
    const tma_target_words *target = &request->asked.map.target;
    const int has_map = request->kind >= ASK_SPEC;
    const tma_spec *spec = has_map ? &request->asked.map.spec : NULL;
    tma_mma_question question = request->asked.mma;
    tma_error error;
    if (request->asked.drawing.picture != TMA_PICTURE_MMA && !question.given) {
        return;
    }
    int wrong = tma_mma_words_finish(&question, spec,
                                     has_map || target->has_arch ? &target->target : NULL, &error);
    tma_out text = tma_json_text_out(json, "mma");
    if (wrong) {
        tma_put(&text, error.text);
    } else {
        wrong = tma_put_mma_answer(&text, &question, spec);
    }
    tma_json_text_end(json);
    tma_json_bool(json, "mma_is_right", !wrong);
}

void page_answer(tma_out *out, ask_text *request, const char *ptx, size_t size) {
    static const char *const kinds[] = {"nothing", "error", "mma", "spec", "map"};
    static const char *const froms[] = {"command", "case", "dump", "paste"};
    tma_json json = tma_json_begin(out);
    tma_json_object(&json, NULL);
    tma_json_text(&json, "kind", ptx ? "ptx" : kinds[request->kind]);
    tma_json_text(&json, "from", froms[request->from]);
    archs(&json);
    found(&json, request);
    if (ptx && !page_answer_ptx(&json, ptx, size)) {
        tma_json_text(&json, "error", "the file is too large for the page: tma ptx reads it");
    }
    if (request->kind == ASK_ERROR) {
        tma_json_text(&json, "error", request->error.text);
        words(&json, request);
    }
    if (request->kind == ASK_ERROR || request->crash_count) {
        crashes(&json, request);
    }
    if (request->kind == ASK_MMA) {
        mma(&json, request);
    }
    if (request->kind >= ASK_SPEC) {
        tma_json_target(&json, "target", &request->asked.map.target.target);
        tma_json_spec(&json, "spec", &request->asked.map.spec);
        tma_json_text(&json, "beside", *request->beside.text ? request->beside.text : NULL);
        verdict(&json, request);
        lacks(&json, request);
        if (!request->unknown) {
            code(&json, request);
        }
        pictures(&json, request);
        if (request->asked.is_accepted) {
            page_answer_map(&json, request);
            mma(&json, request);
            page_answer_copy(&json, request);
        }
    }
    tma_json_end(&json);
}
