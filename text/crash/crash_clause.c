/* SPDX-License-Identifier: Apache-2.0
 *
 * Clauses: where they end, and the call that an error in one belongs to.
 */
#include "crash_clause.h"

#include "crash_words.h"
#include "tma/crash.h"
#include "tma/detail/chars.h"

#define COUNT(table) (sizeof(table) / sizeof((table)[0]))

static const char *const turns[] = {
#define CLAUSE_TURN(word) word,
#include "crash_clause.def"
};

static const char *const verbs[] = {
#define CLAUSE_VERB(word) word,
#include "crash_clause.def"
};

static const char *const no_calls[] = {
#define CLAUSE_NO_CALL(words) words,
#include "crash_clause.def"
};

static const struct call {
    const char *words;
    uint8_t row;
} calls[] = {
#define CLAUSE_CALL(row, words) {words, CRASH_ROW_##row},
#include "crash_clause.def"
};

static int is_any(const char *const *words, size_t count, const char *text, size_t length) {
    for (size_t i = 0; i < count; i++) {
        if (crash_match(text, length, 0, words[i]) == length) {
            return 1;
        }
    }
    return 0;
}

/* Whether a clause ends at byte `at`: at its mark, or before a word that turns to something else.
 */
static int is_end(const char *text, size_t size, size_t at) {
    const char c = text[at];
    const int is_mark = c == '.' || c == ';' || c == '!' || c == '?';
    if (c == '\n' || (is_mark && (at + 1 == size || text_is_space(text[at + 1])))) {
        return 1;
    }
    const size_t n = text_run(text + at, size - at, text_is_word);
    return n && (!at || !text_is_word(text[at - 1])) && is_any(turns, COUNT(turns), text + at, n);
}

/* Where the clause of byte `at` begins: "but returns 1" goes on with the one before. */
static size_t begin_of_clause(const char *text, size_t size, size_t at) {
    while (at) {
        if (!is_end(text, size, at - 1)) {
            at--;
            continue;
        }
        const size_t turn = at - 1;
        size_t verb = turn + text_run(text + turn, size - turn, text_is_word);
        const int is_turn = verb > turn;
        verb += text_run(text + verb, size - verb, text_is_space);
        const size_t n = text_run(text + verb, size - verb, text_is_word);
        if (!is_turn || !n || !is_any(verbs, COUNT(verbs), text + verb, n)) {
            break;
        }
        at = turn;
    }
    return at;
}

static size_t end_of_clause(const char *text, size_t size, size_t at) {
    while (at < size && !is_end(text, size, at)) {
        at++;
    }
    return at;
}

/* The call of CUDA's that is named at byte `at`; NULL if none is. "cudart" and "custom" are none:
 * behind cu or cuda a capital begins the call's name. */
static const struct call *call_at(const char *text, size_t size, size_t at) {
    const size_t n = text_run(text + at, size - at, text_is_word);
    const size_t head = n > 4 && text_is(text + at, 4, "cuda") ? 4
                        : n > 2 && text_is(text + at, 2, "cu") ? 2
                                                               : 0;
    if (!head || text[at + head] < 'A' || text[at + head] > 'Z' ||
        (at && text_is_word(text[at - 1])) || is_any(no_calls, COUNT(no_calls), text + at, n)) {
        return NULL;
    }
    size_t i = 0;
    while (i + 1 < COUNT(calls) && crash_match(text + at, n, 0, calls[i].words) != n) {
        i++;
    }
    return &calls[i];
}

uint32_t crash_row_of_call(const paste_line *line, size_t at, size_t words, uint32_t row) {
    const size_t from = begin_of_clause(line->text, line->length, at);
    const size_t to = end_of_clause(line->text, line->length, at + words);
    const struct call *call = NULL;
    for (size_t i = at; i > from && !call; i--) {
        call = call_at(line->text, line->length, i - 1);
    }
    for (size_t i = at + words; i < to && !call; i++) {
        call = call_at(line->text, line->length, i);
    }
    return call ? call->row : row;
}
