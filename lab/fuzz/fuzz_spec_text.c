/* SPDX-License-Identifier: Apache-2.0
 *
 * Any words as the options of a map: a spec or a message. A spec that was read is the same again
 * when it is written in the command's own words and read back.
 *
 * An input is lines, each an option's name, a blank and its value.
 */
#define _GNU_SOURCE /* strdup */
#include "fuzz_assert.h"
#include "fuzz_lines.h"
#include "fuzz_said.h"

#include "tma/grammar.h"

#define LONGEST 4096

/* Sets every "name value" line; returns -1 at the first that is not taken. */
static int set_lines(tma_spec_words *args, char *text) {
    while (text) {
        tma_error error = {0, {0}};
        char *value = NULL;
        const char *name = cut_line(&text, &value);
        if (value && tma_spec_words_set_named(args, name, value, &error)) {
            fuzz_demand_message(&error);
            return -1;
        }
    }
    return 0;
}

/* " --name value --name value" as the lines that set_lines() takes. */
static char *words_of(const tma_spec *spec) {
    char *text = malloc(LONGEST);
    DEMAND(text);
    tma_out out = tma_out_into(text, LONGEST);
    tma_put_spec(&out, spec);
    DEMAND(out.length < LONGEST);
    fuzz_said_text(text);
    to_lines(text);
    return text;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    char text[LONGEST + 1];
    tma_spec_words args;
    tma_error error = {0, {0}};
    size = size < LONGEST ? size : LONGEST;
    memcpy(text, data, size);
    text[size] = 0;
    tma_spec_words_begin(&args);
    if (set_lines(&args, text)) {
        return 0;
    }
    if (tma_spec_words_finish(&args, &error)) {
        fuzz_demand_message(&error);
        return 0;
    }
    tma_spec_words again;
    tma_spec_words_begin(&again);
    char *words = words_of(&args.spec);
    char *lines = strdup(words);
    DEMAND(lines && set_lines(&again, lines) == 0);
    if (args.spec.rank > 0) { /* at rank 0 there are no sizes to read back */
        DEMAND(tma_spec_words_finish(&again, &error) == 0);
        char *words_again = words_of(&again.spec);
        DEMAND(strcmp(words, words_again) == 0);
        free(words_again);
    }
    free(words);
    free(lines);
    return 0;
}
