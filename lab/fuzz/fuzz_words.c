/* SPDX-License-Identifier: Apache-2.0
 *
 * Any words as the options of a target, a copy and a picture: taken, or a message. What was
 * taken is the same again when it is written in the command's own words and read back.
 *
 * An input is lines, each an option's name, a blank and its value.
 */
#include "fuzz_assert.h"
#include "fuzz_lines.h"
#include "fuzz_said.h"

#include "tma/draw.h"
#include "tma/grammar.h"

#define LONGEST 4096

typedef struct taken {
    tma_target_words target;
    tma_copy_words copy;
    tma_drawing drawing;
    tma_mma_question mma;
    int is_left; /* a line was no option, or not taken */
} taken;

static void begin(taken *t) {
    memset(t, 0, sizeof(*t));
    tma_target_words_begin(&t->target);
    tma_copy_words_begin(&t->copy, TMA_OP_LOAD);
}

static size_t option_of(const char *(*name_of)(size_t option), const char *name) {
    size_t option = 0;
    while (name_of(option) && strcmp(name_of(option), name) != 0) {
        option++;
    }
    return name_of(option) ? option : SIZE_MAX;
}

/* 0: taken; -1: a message; 1: no option of that name. */
static int set(taken *t, const char *name, const char *value, tma_error *error) {
    const size_t target = option_of(tma_target_option_name, name);
    const size_t copy = option_of(tma_copy_option_name, name);
    const size_t drawing = option_of(tma_draw_option_name, name);
    if (target != SIZE_MAX) {
        return tma_target_words_set(&t->target, name, value, error);
    }
    if (copy != SIZE_MAX) {
        return tma_copy_words_set(&t->copy, (tma_copy_option)copy, value, error);
    }
    const size_t mma = option_of(tma_mma_option_name, name);
    if (mma != SIZE_MAX) {
        return tma_mma_words_set(&t->mma, (tma_mma_option)mma, value, error);
    }
    if (drawing != SIZE_MAX) {
        return tma_draw_words_set(&t->drawing, (tma_draw_option)drawing, value, error);
    }
    return 1;
}

/* Sets every "name value" line. */
static void set_lines(taken *t, char *text) {
    while (text) {
        tma_error error = {0, {0}};
        char *value = NULL;
        const char *name = cut_line(&text, &value);
        const int failed = set(t, name, value ? value : "", &error);
        DEMAND(failed >= 0 || (error.text[0] && memchr(error.text, 0, sizeof(error.text))));
        t->is_left |= failed != 0;
        fuzz_said_text(failed < 0 ? error.text : "");
    }
}

static void expect_same(const taken *t, uint32_t rank) {
    char text[LONGEST];
    char words[LONGEST];
    taken again;
    tma_out out = tma_out_into(text, sizeof(text));
    tma_put_target_words(&out, &t->target);
    tma_put_readings(&out, &t->target.target);
    tma_put_copy_words(&out, &t->copy.in, rank, &t->copy.at);
    tma_put_draw_words(&out, &t->drawing);
    tma_put_mma_options(&out, &t->mma);
    DEMAND(out.length < sizeof(text));
    memcpy(words, text, out.length + 1);
    to_lines(text);
    begin(&again);
    set_lines(&again, text);
    DEMAND(!again.is_left);
    out = tma_out_into(text, sizeof(text));
    tma_put_target_words(&out, &again.target);
    tma_put_readings(&out, &again.target.target);
    tma_put_copy_words(&out, &again.copy.in, rank, &again.copy.at);
    tma_put_draw_words(&out, &again.drawing);
    tma_put_mma_options(&out, &again.mma);
    DEMAND(strcmp(text, words) == 0);
    fuzz_said_text(words);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    char text[LONGEST + 1];
    taken t;
    size = size < LONGEST ? size : LONGEST;
    memcpy(text, data, size);
    text[size] = 0;
    begin(&t);
    set_lines(&t, text);
    for (uint32_t rank = 1; !t.is_left && rank <= TMA_MAX_RANK; rank++) {
        const tma_spec spec = {.api = rank < 3 ? TMA_API_TILED : (uint32_t)size % 3, .rank = rank};
        tma_error error = {0, {0}};
        taken whole = t;
        tma_copy_words_default(&whole.copy, &spec);
        if (tma_copy_words_together(&whole.copy, &error) ||
            tma_copy_words_check(&whole.copy, &spec, &error)) {
            DEMAND(error.text[0] && memchr(error.text, 0, sizeof(error.text)));
            fuzz_said_text(error.text);
        } else {
            expect_same(&whole, rank);
        }
    }
    return 0;
}
