/* SPDX-License-Identifier: Apache-2.0
 *
 * A case's spec in the command's words, "--dtype float16 --dim 64,32 --box 64,8": one line a case.
 */
#ifndef TESTS_SPEC_WORDS_H
#define TESTS_SPEC_WORDS_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <tma/grammar.h>

/* The spec, and the target, which may be null, of options and their values with blanks between. */
static inline tma_spec spec_of_words(const char *text, tma_target *target) {
    char copy[512];
    tma_spec_words words;
    tma_error error = {.text = "too long"};
    tma_spec_words_begin(&words);
    int failed = strlen(text) >= sizeof(copy);
    snprintf(copy, sizeof(copy), "%s", text);
    for (char *name = strtok(copy, " "); name && !failed; name = strtok(NULL, " ")) {
        failed = tma_spec_words_set_named(&words, name + 2, strtok(NULL, " "), &error);
    }
    if (failed || tma_spec_words_finish(&words, &error)) {
        fprintf(stderr, "%s: %s\n", text, error.text);
        abort();
    }
    if (target) {
        *target = words.target.target;
    }
    return words.spec;
}

#endif
