/* SPDX-License-Identifier: Apache-2.0
 *
 * Clauses: where they end, and the call that an error in one belongs to.
 */
#include "crash_clause.h"

#include "crash_words.h"
#include "tma/crash.h"
#include "tma/detail/chars.h"

#define COUNT(table) (sizeof(table) / sizeof((table)[0]))
#define MOST_BEFORE  3 /* words back to one that denies, */
#define MOST_IN_LIST 6 /* and in a list */
#define MOST_BEHIND  5 /* words on to one that says that it is gone */

/* What a word does in a clause. */
enum {
    TURN = 1,
    NO = 2,
    NOT = 4,
    USES = 8,
    STOPS = 16,
    IS = 32,
    GONE = 64,
    WORKS = 128,
    VERB = 256,
    FAILS = 512,
    NAMES = 1024
};

static const struct clause_word {
    const char *word;
    uint16_t does;
} clause_words[] = {
#define CLAUSE_TURN(word)  {word, TURN},
#define CLAUSE_NO(word)    {word, NO},
#define CLAUSE_NOT(word)   {word, NOT},
#define CLAUSE_USES(word)  {word, USES},
#define CLAUSE_STOPS(word) {word, STOPS},
#define CLAUSE_IS(word)    {word, IS},
#define CLAUSE_GONE(word)  {word, GONE},
#define CLAUSE_WORKS(word) {word, WORKS},
#define CLAUSE_FAILS(word) {word, FAILS},
#define CLAUSE_NAMES(word) {word, NAMES},
#define CLAUSE_VERB(word)  {word, VERB},
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

static int is_in_word(char c) {
    return text_is_word(c) || c == '\'';
}

/* All that a word does: "doesn't" has its denial in it. */
static unsigned does(const char *word, size_t length) {
    unsigned all = length > 3 && text_is(word + length - 3, 3, "n't") ? NOT : 0;
    for (size_t i = 0; length && i < COUNT(clause_words); i++) {
        all |=
            crash_match(word, length, 0, clause_words[i].word) == length ? clause_words[i].does : 0;
    }
    return all;
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
    return n && (!at || !text_is_word(text[at - 1])) && does(text + at, n) & TURN;
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
        if (!is_turn || !n || !(does(text + verb, n) & VERB)) {
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

int crash_is_of_what_works(const char *text, size_t size, size_t at) {
    size_t from = at;
    while (from && text[from - 1] != '\n' &&
           !(text_is_space(text[from - 1]) && from > 1 &&
             (text[from - 2] == '.' || text[from - 2] == ';'))) {
        from--;
    }
    for (size_t i = from; i < size && text[i] != '\n'; i++) {
        const size_t n = text_run(text + i, size - i, is_in_word);
        if (n && does(text + i, n) & WORKS) {
            return 1;
        }
        i += n;
        if (i + 1 < size && (text[i] == '.' || text[i] == ';') && text_is_space(text[i + 1])) {
            break;
        }
    }
    return 0;
}

/* Whether a list goes on at byte `at`: behind it, or before it, stands "or" or "nor". */
static int is_in_list(const char *text, size_t size, size_t at, size_t end) {
    static const char *const joins[] = {"or", "nor"};
    const size_t next = end + (end < size && text[end] == ',') + 1;
    int is_list = at > 3 && crash_match(text, size, at - 3, "of");
    for (size_t i = 0; i < COUNT(joins); i++) {
        is_list |= next < size && crash_match(text, size, next, joins[i]);
        is_list |= at > 3 && crash_match(text, size, at - 3, joins[i]);
    }
    return is_list;
}

/* Of the words before, back to one that denies or that the denial is not of. */
static int is_denied_from(const char *text, size_t size, size_t at, size_t end) {
    const int is_list = is_in_list(text, size, at, end);
    int is_next = 1; /* nothing but articles and the verb stand between */
    for (int words = 0; words < (is_list ? MOST_IN_LIST : MOST_BEFORE); words++) {
        while (at && (text[at - 1] == ' ' || text[at - 1] == '-' || text[at - 1] == '`' ||
                      (text[at - 1] == ',' && is_list))) {
            at--;
        }
        size_t from = at;
        while (from && is_in_word(text[from - 1])) {
            from--;
        }
        const unsigned it = from < at ? does(text + from, at - from) : (unsigned)STOPS;
        if (it & NO || (it & NOT && is_next)) {
            return 1;
        }
        if (it & (STOPS | TURN) || (!is_list && text_is(text + from, at - from, "and"))) {
            return 0;
        }
        is_next = is_next && it & (IS | USES);
        at = from;
    }
    return 0;
}

/* Of the words behind: "is disabled", "is not used". */
static int is_gone(const char *text, size_t size, size_t at) {
    unsigned has_not = 0;
    for (int words = 0; words < MOST_BEHIND; words++) {
        while (at < size && (text[at] == ' ' || text[at] == '-' || text[at] == '`')) {
            at++;
        }
        const size_t n = text_run(text + at, size - at, is_in_word);
        const unsigned it = n ? does(text + at, n) : 0;
        if (it & GONE || (has_not && it & USES && !(it & IS))) {
            return 1;
        }
        has_not |= it & NOT;
        if (!(it & (IS | NOT))) {
            return 0;
        }
        at += n;
    }
    return 0;
}

int crash_is_none(const char *text, size_t size, size_t at, size_t words) {
    return (is_denied_from(text, size, at, at + words) || is_gone(text, size, at + words)) &&
           !crash_is_of_what_works(text, size, at);
}

/* A version of three numbers, or of two behind "with", "v", "driver": its length, or 0. */
static size_t version_at(const char *text, size_t size, size_t at) {
    size_t end = at;
    size_t numbers = 0;
    for (; numbers < 4; numbers++) {
        const size_t n = text_run(text + end, size - end, text_is_digit);
        if (!n) {
            return 0;
        }
        end += n;
        if (end + 1 >= size || text[end] != '.' || !text_is_digit(text[end + 1])) {
            numbers++;
            break;
        }
        end++;
    }
    if (numbers < 2 || numbers > 3 || (end < size && text_is_letter(text[end]))) {
        return 0;
    }
    size_t before = at;
    while (before && (text[before - 1] == ' ' || text[before - 1] == '=')) {
        before--;
    }
    size_t from = before;
    while (from && text_is_word(text[from - 1])) {
        from--;
    }
    const int is_named = from < before && does(text + from, before - from) & (STOPS | NAMES);
    return numbers == 3 || is_named || (at && text[at - 1] == 'v') ? end - at : 0;
}

/* What the parts of sentences have said of versions so far: where one begins that works, and one
 * that fails, and 1. */
typedef struct versions_said {
    size_t worked;
    size_t failed;
    size_t found;  /* in this part */
    unsigned does; /* its words */
} versions_said;

static int ends_part(const char *text, size_t size, size_t at) {
    return at == size || text[at] == ',' || text[at] == ':' || text[at] == '(' ||
           is_end(text, size, at) || crash_match(text, size, at, "and");
}

/* Whether now two versions stand against each other, at the end of a part. */
static int end_part(versions_said *said, const char *text, size_t size) {
    const unsigned how = said->does & (WORKS | FAILS);
    said->worked = said->found && how == WORKS ? said->found : said->worked;
    said->failed = said->found && how == FAILS ? said->found : said->failed;
    said->found = 0;
    said->does = 0;
    if (!said->worked || !said->failed) {
        return 0;
    }
    const size_t n = version_at(text, size, said->worked - 1);
    return version_at(text, size, said->failed - 1) != n ||
           !text_equal(text + said->worked - 1, text + said->failed - 1, n);
}

size_t crash_versions(const char *text, size_t size) {
    versions_said said = {0, 0, 0, 0};
    for (size_t at = 0, line = 1; at <= size; at++) {
        if (ends_part(text, size, at) && end_part(&said, text, size)) {
            return line;
        }
        line += at < size && text[at] == '\n';
        if (at == size || (at && is_in_word(text[at - 1]) && text[at - 1] != 'v')) {
            continue;
        }
        said.does |= does(text + at, text_run(text + at, size - at, is_in_word));
        if (!said.found && (!at || text[at - 1] != '.') && version_at(text, size, at)) {
            said.found = at + 1;
        }
    }
    return 0;
}
