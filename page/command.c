/* SPDX-License-Identifier: Apache-2.0
 *
 * The command's own words: its verbs, and options of spec, target, copy and picture.
 */
#include <string.h>

#include "request.h"
#include "tma/dump.h"

static const char *const verbs[] = {"check", "encode", "plan",   "load",
                                    "store", "draw",   "decode", "mma"};
#define VERBS (sizeof(verbs) / sizeof(verbs[0]))

static int is_verb(const char *word) {
    for (size_t i = 0; i < VERBS; i++) {
        if (page_same(word, verbs[i])) {
            return 1;
        }
    }
    return 0;
}

static int is_prompt(const char *word) {
    return page_same(word, "$") || page_same(word, "tma");
}

int page_is_command(const char *text, size_t length) {
    page_word word;
    size_t at = 0;
    while (page_next_word(&word, text, length, &at) > 0) {
        if (word.text[0] == '-' && word.text[1] == '-') {
            return 1;
        }
        if (is_verb(word.text)) {
            return 1;
        }
        if (!is_prompt(word.text)) {
            return 0;
        }
    }
    return 0;
}

typedef struct reader {
    page_request *request;
    const char *text;
    size_t length, at;
    int is_draw, is_decode;
    int has_map;
    uint32_t given; /* of a copy's options: a bit each */
} reader;

static int number_of(const char *name, tma_name_at names, size_t *found) {
    for (*found = 0; names(*found); ++*found) {
        if (page_same(name, names(*found))) {
            return 1;
        }
    }
    return 0;
}

static int set_map(reader *r, const char *value) {
    tma_error *error = &r->request->error;
    r->has_map = 1;
    return tma_read_dump(r->request->bytes, value, page_length(value), error);
}

static int set_copy(reader *r, tma_copy_option option, const char *value) {
    tma_error *error = &r->request->error;
    if (r->given >> option & 1) {
        return tma_fail(error, "--%s is given twice", tma_copy_option_name(option));
    }
    r->given |= 1u << option;
    return tma_copy_words_set(&r->request->copy, option, value, error);
}

/* All options of the page, one list behind the other. */
static const char *option_at(size_t i) {
    static const char *(*const lists[])(size_t) = {tma_spec_option_name, tma_copy_option_name,
                                                   tma_draw_option_name, tma_target_option_name,
                                                   tma_mma_option_name};
    for (size_t list = 0; list < sizeof(lists) / sizeof(lists[0]); list++) {
        size_t count = 0;
        while (lists[list](count)) {
            count++;
        }
        if (i < count) {
            return lists[list](i);
        }
        i -= count;
    }
    return NULL;
}

#define MOST_OPTIONS 64
#define MOST_NAME    40

/* The same as they are written, --dtype. */
static const char *dashed_at(size_t i) {
    static char names[MOST_OPTIONS][MOST_NAME];
    const char *name = option_at(i);
    if (!name || i >= MOST_OPTIONS) {
        return NULL;
    }
    tma_out out = tma_out_into(names[i], MOST_NAME);
    tma_putf(&out, "--%s", name);
    return names[i];
}

static int set(reader *r, const char *name, const char *value) {
    page_request *request = r->request;
    size_t option = 0;
    if (page_same(name, "map")) {
        return set_map(r, value);
    }
    if (number_of(name, tma_copy_option_name, &option)) {
        return set_copy(r, (tma_copy_option)option, value);
    }
    if (number_of(name, tma_draw_option_name, &option)) {
        return tma_draw_words_set(&request->drawing, (tma_draw_option)option, value,
                                  &request->error);
    }
    if (number_of(name, tma_mma_option_name, &option)) {
        return tma_mma_words_set(&request->mma, (tma_mma_option)option, value, &request->error);
    }
    if (number_of(name, tma_target_option_name, &option) ||
        number_of(name, tma_spec_option_name, &option)) {
        return tma_spec_words_set_named(&request->map, name, value, &request->error);
    }
    char written[64];
    tma_out t = tma_out_into(written, sizeof(written));
    tma_putf(&t, "--%.60s", name);
    return tma_fail_name(&request->error, written, "option", dashed_at);
}

/* --name=value, or --name and a word; of --cluster nothing. */
static int option(reader *r, page_word *word) {
    char *name = word->text + 2;
    char *value = name;
    page_word next;
    while (*value && *value != '=') {
        value++;
    }
    if (*value) {
        *value++ = 0;
    } else if (!page_same(name, "cluster")) {
        const int more = page_next_word(&next, r->text, r->length, &r->at);
        if (more <= 0) {
            return tma_fail(&r->request->error, "--%.80s %s", name,
                            more ? "has a quote that does not end" : "needs a value");
        }
        value = next.text;
    }
    if (set(r, name, value)) {
        r->request->error.at = word->begin;
        return -1;
    }
    return 0;
}

static int verb(reader *r, const char *word) {
    r->is_draw = page_same(word, "draw");
    r->is_decode = page_same(word, "decode");
    if (page_same(word, "mma")) {
        r->request->has_picture = 1;
        r->request->drawing.picture = TMA_PICTURE_MMA;
    }
    if (page_same(word, "store")) {
        r->request->copy.in.op = TMA_OP_STORE;
    }
    return 0;
}

static int plain(reader *r, const page_word *word, int *has_verb) {
    page_request *request = r->request;
    if (!*has_verb && (is_prompt(word->text))) {
        return 0;
    }
    if (!*has_verb && is_verb(word->text)) {
        *has_verb = 1;
        return verb(r, word->text);
    }
    if (r->is_draw && !request->has_picture) {
        request->has_picture = 1;
        if (!tma_picture_find(&request->drawing.picture, word->text)) {
            tma_fail_at(&request->error, word->begin, "no picture '%.80s': one of", word->text);
            for (uint32_t i = 0; i < TMA_PICTURES; i++) {
                tma_fail_more(&request->error, "%s %s", i ? "," : "", tma_picture_name(i));
            }
            return -1;
        }
        return 0;
    }
    if (r->is_decode && !r->has_map) {
        return set_map(r, word->text);
    }
    return tma_fail_at(&request->error, word->begin, "'%.80s' is no option and no value of one",
                       word->text);
}

static int finish(reader *r) {
    page_request *request = r->request;
    tma_error *error = &request->error;
    if (r->has_map && request->map.given) {
        return tma_fail(error, "--map and the options of a map exclude each other");
    }
    if (!r->has_map && tma_spec_words_finish(&request->map, error)) {
        return -1;
    }
    request->kind = r->has_map ? PAGE_MAP : PAGE_SPEC;
    return tma_copy_words_together(&request->copy, error);
}

int page_read_command(page_request *request, const char *text, size_t length) {
    reader r = {.request = request, .text = text, .length = length};
    page_word word;
    int has_verb = 0;
    int more = 0;
    while ((more = page_next_word(&word, text, length, &r.at)) > 0) {
        const int is_option = word.text[0] == '-' && word.text[1] == '-';
        if (is_option ? option(&r, &word) : plain(&r, &word, &has_verb)) {
            return -1;
        }
    }
    return more < 0 ? tma_fail_at(&request->error, word.begin, "a quote that does not end")
                    : finish(&r);
}
