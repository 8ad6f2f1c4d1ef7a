/* SPDX-License-Identifier: Apache-2.0
 *
 * Texts with one thing changed: what sliders, switches and tabs do.
 */
#include "request.h"
#include "tma/detail/chars.h"

static char base[16 * TMA_WORD_ROOM]; /* a command that says a map */

static int is_head(const char *word) {
    return ask_is_prompt(word) || ask_is_verb(word);
}

void page_put_command(tma_out *out, const ask_text *request, const char *verb) {
    tma_target_words target = request->asked.map.target;
    tma_putf(out, "tma %s", verb);
    if (text_same(verb, "draw")) {
        tma_putf(out, " %s", tma_picture_name(request->asked.drawing.picture));
    }
    if (request->from == FROM_CASE) {
        target.has_arch = target.has_driver = 1;
    }
    ask_put_map(out, &request->asked.map.spec,
                request->kind == ASK_MAP ? request->asked.encoded.bytes : NULL, &target);
}

/* "tma draw PICTURE" instead of the words before the first option. */
static void put_picture(tma_out *out, const char *text, size_t length, const char *picture) {
    tma_text_word word;
    size_t at = 0;
    size_t rest = 0;
    const char *more = "";
    int is_draw = 0;
    while (tma_next_word(&word, &at, text, length) > 0) {
        if (!is_head(word.text)) {
            rest = is_draw && word.text[0] != '-' ? at : word.begin;
            break;
        }
        is_draw = text_same(word.text, "draw");
        more = text_same(word.text, "store")    ? " --op store"
               : text_same(word.text, "decode") ? " --map"
                                                : more;
        rest = at;
    }
    tma_putf(out, "tma draw %s%s", picture, more);
    if (rest < length) {
        tma_put(out, text[rest] == ' ' || text[rest] == '\n' ? "" : " ");
        tma_put_bytes(out, text + rest, length - rest);
    }
}

/* Where an option stands in the text, with its value. */
static int find_option(const char *text, size_t length, const char *option, size_t *begin,
                       size_t *end) {
    tma_text_word word;
    size_t at = 0;
    while (tma_next_word(&word, &at, text, length) > 0) {
        char *value = word.text;
        if (word.text[0] != '-' || word.text[1] != '-') {
            continue;
        }
        while (*value && *value != '=') {
            value++;
        }
        const int has_value = *value == '=';
        *value = 0;
        if (text_same(word.text + 2, option)) {
            *begin = word.begin;
            *end = has_value || tma_next_word(&word, &at, text, length) <= 0 ? at : word.end;
            return 1;
        }
    }
    return 0;
}

static void put_option(tma_out *out, const char *text, size_t length, const char *option,
                       const char *value) {
    size_t begin = length;
    size_t end = length;
    const int is_there = find_option(text, length, option, &begin, &end);
    while (!is_there && begin && (text[begin - 1] == ' ' || text[begin - 1] == '\n')) {
        begin--;
    }
    tma_put_bytes(out, text, begin);
    tma_putf(out, "%s--%s%s%s", is_there ? "" : " ", option, value[0] == '-' ? "=" : " ", value);
    tma_put_bytes(out, text + end, length - end);
}

void page_put_edited(tma_out *out, const ask_text *request, const char *text, size_t length,
                     const char *option, const char *value) {
    if (request->from != FROM_COMMAND && request->kind < ASK_SPEC) {
        option = ""; /* nothing is known of it */
    } else if (request->from != FROM_COMMAND) {
        tma_out command = tma_out_into(base, sizeof(base));
        if (request->unknown) { /* which is not to become what somebody said */
            tma_put_paste_command(&command, &request->found[request->pick]);
        } else {
            page_put_command(&command, request, "draw");
        }
        text = base;
        length = command.length;
    }
    if (text_same(option, "picture")) {
        put_picture(out, text, length, value);
    } else if (*option) {
        put_option(out, text, length, option, value);
    } else {
        tma_put_bytes(out, text, length);
    }
}
