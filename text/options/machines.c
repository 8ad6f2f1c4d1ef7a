/* SPDX-License-Identifier: Apache-2.0
 *
 * GPUs and drivers by name.
 */
#include "machines.h"

#include <string.h>

#include "tma/detail/chars.h"
#include "tma/text.h"

#define LONGEST 32

static const struct machine {
    const char *word;
    uint16_t sm;
    char suffix;
} machines[] = {
#define MACHINE(word, sm, suffix) {word, sm, suffix},
#include "machines.def"
};

static const struct branch {
    uint32_t branch;
    uint32_t version;
} branches[] = {
#define BRANCH(branch, version) {branch, version},
#include "machines.def"
};

/* Small letters and digits; "" if it is too long. */
static void fold(const char *text, char word[LONGEST]) {
    size_t n = 0;
    for (; *text; text++) {
        const char c = text_lower(*text);
        if (c == ' ' || c == '_' || c == '-' || c == '.') {
            continue;
        }
        if (n + 1 == LONGEST) {
            n = 0;
            break;
        }
        word[n++] = c;
    }
    word[n] = 0;
}

static const char *without(const char *word, const char *prefix) {
    return text_begins(word, prefix) ? word + text_length(prefix) : word;
}

/* A GPU's name without its family's before it and its variant's behind a digit: of "rtx3090ti". */
static const char *model_of(char *word) {
    static const char *const variants[] = {"laptopgpu", "laptop", "super", "ti", "m"};
    const char *model = without(without(word, "quadro"), "tesla");
    size_t length = text_length(word);
    for (size_t i = 0; i < sizeof(variants) / sizeof(variants[0]); i++) {
        const size_t n = text_length(variants[i]);
        if (length > n && text_same(word + length - n, variants[i]) &&
            text_is_digit(word[length - n - 1])) {
            length -= n;
            word[length] = 0;
        }
    }
    model = without(model, "rtx");
    return text_begins(model, "gtx1") ? without(model, "gtx") : model;
}

int machine_named(const char *text, uint16_t *sm, char *suffix) {
    char folded[LONGEST];
    char whole[LONGEST];
    uint64_t number = 0;
    fold(text, folded);
    const char *word = without(without(without(folded, "nvidia"), "geforce"), "jetsonagx");
    memcpy(whole, word, text_length(word) + 1);
    const char *model = model_of(whole);
    for (size_t i = 0; i < sizeof(machines) / sizeof(machines[0]); i++) {
        if (text_same(model, machines[i].word)) {
            *sm = machines[i].sm;
            *suffix = machines[i].suffix;
            return 2;
        }
    }
    word = without(without(without(word, "compute"), "sm"), "cc");
    size_t digits = text_length(word);
    const char last = digits ? word[digits - 1] : 0;
    *suffix = last == 'a' || last == 'f' ? last : 0;
    digits -= *suffix ? 1 : 0;
    if (digits < 2 || digits > 3 || tma_number_of(&number, word, digits) != TMA_NUMBER_OK) {
        return 0;
    }
    *sm = (uint16_t)number;
    return 1;
}

uint32_t driver_of_branch(const char *text) {
    uint64_t branch = 0;
    const char *digits = *text == 'r' || *text == 'R' ? text + 1 : text;
    const size_t length = text_until(digits, text_length(digits), '.');
    if (tma_number_of(&branch, digits, length) != TMA_NUMBER_OK) {
        return 0;
    }
    for (size_t i = 0; i < sizeof(branches) / sizeof(branches[0]); i++) {
        if (branches[i].branch == branch) {
            return branches[i].version;
        }
    }
    return 0;
}
