/* SPDX-License-Identifier: Apache-2.0 */
#include "emulate_options.h"

#include "ask.h"
#include "tma/detail/chars.h"

/* Of a target what tma emulate asks for. */
static int is_of_target(const char *name) {
    return text_same(name, tma_target_option_name(TMA_TARGET_ARCH)) ||
           text_same(name, tma_target_option_name(TMA_TARGET_PTXAS));
}

static int take(emulate_options *o, const char *name, const char *value, tma_error *error) {
    const int is_map = text_same(name, "map");
    if (text_same(name, "kernel")) {
        o->kernel = ptx_memory_text(o->memory, value, text_length(value));
    } else if (is_map || text_same(name, "param")) {
        const emulate_word word = {ptx_memory_text(o->memory, value, text_length(value)), is_map};
        PTX_APPEND(o, word, words, word);
    } else if (is_of_target(name)) {
        return tma_target_words_set(&o->target, name, value, error);
    } else {
        return session_option(&o->how, name, value, error);
    }
    return o->memory->failed ? tma_fail(error, "no memory") : 0;
}

static int has_value(const char *name) {
    return text_same(name, "kernel") || text_same(name, "param") || text_same(name, "map") ||
           is_of_target(name) || session_option_of(name) == SESSION_VALUED;
}

/* 0, or -1 and *error: what stands before the options is the command's, and is passed over. */
static int pass_over(const char *word, tma_error *error) {
    const size_t length = text_length(word);
    const int is_file = length > 4 && text_same(word + length - 4, ".ptx");
    return ask_is_prompt(word) || text_same(word, "emulate") || is_file
               ? 0
               : tma_fail(error, "launch: '%.80s' is no option", word);
}

typedef struct reader {
    emulate_options *out;
    const char *text;
    size_t length, at;
    tma_error *error;
} reader;

/* The next word; 0 behind the last; -1 and *error. */
static int next(reader *r, tma_text_word *word) {
    const int is = tma_next_word(word, &r->at, r->text, r->length);
    return is >= 0 ? is
                   : tma_fail(r->error,
                              "launch: a quote that does not end, or a word of %d bytes or more",
                              TMA_WORD_ROOM);
}

/* "NAME" with what comes next, or "NAME=VALUE". */
static int read_option(reader *r, char *name) {
    static tma_text_word value;
    const size_t end = text_until(name, text_length(name), '=');
    const char *given = name[end] ? name + end + 1 : NULL;
    name[end] = 0;
    const int wants = has_value(name);
    if (!wants && session_option_of(name) == SESSION_NO_OPTION) {
        return tma_fail(r->error, "launch: --%.80s is no option of a launch in the page", name);
    }
    if (wants && !given) {
        const int is = next(r, &value);
        if (is < 0) {
            return -1;
        }
        given = is ? value.text : NULL;
    }
    return wants == (given != NULL) ? take(r->out, name, given, r->error)
                                    : tma_fail(r->error, "launch: --%s %s", name,
                                               given ? "has no value" : "needs a value");
}

int emulate_options_read(emulate_options *out, ptx_memory *memory, const char *text, size_t length,
                         tma_error *error) {
    static tma_text_word word;
    reader r = {.out = out, .text = text, .length = length, .error = error};
    int is;
    *out = (emulate_options){.memory = memory};
    tma_target_words_begin(&out->target);
    while ((is = next(&r, &word)) > 0) {
        if (text_begins(word.text, "--") ? read_option(&r, word.text + 2)
                                         : pass_over(word.text, error)) {
            return -1;
        }
    }
    return is;
}
