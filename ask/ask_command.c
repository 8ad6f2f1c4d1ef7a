/* SPDX-License-Identifier: Apache-2.0
 *
 * A command line: its verb, and the options of spec, target, copy and drawing.
 */
#include "ask.h"
#include "tma/detail/assert.h"
#include "tma/detail/chars.h"

static const char *const verbs[] = {"check", "encode", "plan",   "load",
                                    "store", "draw",   "decode", "mma"};
#define VERBS (sizeof(verbs) / sizeof(verbs[0]))

bool ask_is_verb(const char *word) {
    for (size_t i = 0; i < VERBS; i++) {
        if (text_same(word, verbs[i])) {
            return true;
        }
    }
    return false;
}

bool ask_is_prompt(const char *word) {
    return text_same(word, "$") || text_same(word, "tma");
}

bool ask_is_command(const char *text, size_t length) {
    tma_text_word word;
    size_t at = 0;
    while (tma_next_word(&word, &at, text, length) > 0) {
        if (word.text[0] == '-' && word.text[1] == '-') {
            return true;
        }
        if (ask_is_verb(word.text)) {
            return true;
        }
        if (!ask_is_prompt(word.text)) {
            return false;
        }
    }
    return false;
}

typedef struct reader {
    ask_request *request;
    tma_error *error;
    const char *text;
    size_t length, at;
    int has_verb, is_draw, is_decode;
} reader;

/* --name=value, or --name and a word where a value belongs to it. */
static int option(reader *r, tma_text_word *word) {
    TMA_ASSERT(word->text[0] == '-' && word->text[1] == '-');
    char *name = word->text + 2;
    char *value = name;
    tma_text_word next;
    while (*value && *value != '=') {
        value++;
    }
    if (*value) {
        *value++ = 0;
    } else if (ask_has_value(name)) {
        const int more = tma_next_word(&next, &r->at, r->text, r->length);
        if (more <= 0) {
            return tma_fail_at(r->error, word->begin, "--%.80s %s", name,
                               more ? "has a quote that does not end" : "needs a value");
        }
        value = next.text;
    }
    if (ask_set(r->request, name, value, r->error)) {
        r->error->at = word->begin;
        return -1;
    }
    return 0;
}

static void verb(reader *r, const char *word) {
    r->has_verb = 1;
    r->is_draw = text_same(word, "draw");
    r->is_decode = text_same(word, "decode");
    if (text_same(word, "mma")) {
        r->request->has_picture = 1;
        r->request->drawing.picture = TMA_PICTURE_MMA;
    }
    if (text_same(word, "store")) {
        r->request->copy.in.op = TMA_OP_STORE;
    }
}

static int plain(reader *r, const tma_text_word *word) {
    ask_request *request = r->request;
    int failed = 0;
    if (!r->has_verb && ask_is_prompt(word->text)) {
        return 0;
    }
    if (!r->has_verb && ask_is_verb(word->text)) {
        verb(r, word->text);
    } else if (r->is_draw && !request->has_picture) {
        failed = ask_set_picture(request, word->text, r->error);
    } else if (r->is_decode && !request->has_bytes) {
        failed = ask_set(request, "map", word->text, r->error);
    } else {
        failed = tma_fail(r->error, "'%.80s' is no option and no value of one", word->text);
    }
    r->error->at = failed ? word->begin : r->error->at;
    return failed;
}

int ask_read_command(ask_request *request, const char *text, size_t length, tma_error *error) {
    reader r = {.request = request, .error = error, .text = text, .length = length};
    tma_text_word word;
    int more = 0;
    while ((more = tma_next_word(&word, &r.at, text, length)) > 0) {
        const int is_option = word.text[0] == '-' && word.text[1] == '-';
        if (is_option ? option(&r, &word) : plain(&r, &word)) {
            return -1;
        }
    }
    return more < 0                 ? tma_fail_at(error, word.begin, "a quote that does not end")
           : ask_is_of_mma(request) ? 0
                                    : ask_finish(request, error);
}
