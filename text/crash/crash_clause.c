/* SPDX-License-Identifier: Apache-2.0
 *
 * Clauses: where they end, and the call that an error in one belongs to.
 */
#include "crash_clause.h"

#include <string.h>

#include "crash_does.h"
#include "crash_words.h"
#include "machines.h"
#include "tma/crash.h"
#include "tma/detail/chars.h"

#define COUNT(table) (sizeof(table) / sizeof((table)[0]))
#define MOST_BEFORE  3  /* words back to one that denies, */
#define MOST_IN_LIST 6  /* and in a list */
#define LONGEST_NAME 16 /* of a GPU, in bytes */
#define MOST_BEHIND  5  /* words on to one that says that it is gone */

/* Words of one kind in a string, each with its 0. */
static const struct clause_kind {
    const char *words;
    uint32_t does;
} clause_kinds[] = {
#define CLAUSE_KIND(kind, words) {words, kind},
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

int crash_is_in_word(char c) {
    return text_is_word(c) || c == '\'';
}

static int is_in_name(char c) {
    return !text_is_space(c) && c != ',' && c != ';' && c != ':' && c != '(' && c != ')';
}

static unsigned does_itself(const char *word, size_t length) {
    unsigned all = 0;
    for (size_t i = 0; length && i < COUNT(clause_kinds); i++) {
        const char *words = clause_kinds[i].words;
        for (; *words; words = crash_next_words(words)) {
            if (text_lower(*words) == text_lower(*word) &&
                crash_match(word, length, 0, words) == length) {
                all |= clause_kinds[i].does;
                break;
            }
        }
    }
    return all;
}

/* All that a word does: "doesn't" has its denial in it. "Can't", "shouldn't" say of nothing that it
 * is not so, nor does "haven't" of what one has tried. */
unsigned crash_does(const char *word, size_t length) {
    const int is_not = length > 3 && text_is(word + length - 3, 3, "n't");
    const unsigned verb = is_not ? does_itself(word, length - 3) : 0;
    return does_itself(word, length) | (verb & IS && !(verb & USES) ? (unsigned)NOT : 0);
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
    return n && (!at || !text_is_word(text[at - 1])) && crash_does(text + at, n) & TURN;
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
        if (!is_turn || !n || !(crash_does(text + verb, n) & VERB)) {
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

static const struct call *call_of_clause(const char *text, size_t size, size_t at, size_t words) {
    const size_t from = begin_of_clause(text, size, at);
    const size_t to = end_of_clause(text, size, at + words);
    const struct call *call = NULL;
    for (size_t i = at + 1; i > from && !call; i--) {
        call = call_at(text, size, i - 1);
    }
    for (size_t i = at + words; i < to && !call; i++) {
        call = call_at(text, size, i);
    }
    return call;
}

uint32_t crash_row_of_call(const paste_line *line, size_t at, size_t words, uint32_t row) {
    const struct call *call = call_of_clause(line->text, line->length, at, words);
    return call ? call->row : row;
}

/* What the words of a part of a text do; what is denied of a failure works: "does not hang". */
static unsigned said_of(const char *text, size_t from, size_t to) {
    unsigned all = 0;
    unsigned last = 0;
    for (size_t i = from; i < to; i++) {
        const size_t n = text_run(text + i, to - i, crash_is_in_word);
        const unsigned it = crash_does(text + i, n);
        all |= it & FAILS && last & (NO | NOT) ? (unsigned)WORKS : it;
        last = n || text[i] != ' ' ? it : last;
        i += n;
    }
    return all;
}

static int ends_sentence(const char *text, size_t size, size_t at) {
    return at == size || text[at] == '\n' ||
           (at + 1 < size && (text[at] == '.' || text[at] == ';') && text_is_space(text[at + 1]));
}

int crash_ends_part(const char *text, size_t size, size_t at) {
    return at == size || text[at] == ',' || text[at] == ':' || text[at] == '(' ||
           is_end(text, size, at) || crash_match(text, size, at, "and");
}

/* What the words do of the stretch that has byte `at`, between two ends. */
static unsigned said_around(const char *text, size_t size, size_t at,
                            int (*ends)(const char *, size_t, size_t)) {
    size_t from = at;
    size_t to = at;
    while (from && !ends(text, size, from - 1)) {
        from--;
    }
    while (!ends(text, size, to)) {
        to++;
    }
    return said_of(text, from, to);
}

int crash_works(const char *text, size_t size, size_t at) {
    const unsigned all = said_around(text, size, at, ends_sentence);
    if (!(all & WORKS)) {
        return CRASH_WORKS_NOT;
    }
    return !(all & FAILS)                                         ? CRASH_WORKS
           : said_around(text, size, at, crash_ends_part) & FAILS ? CRASH_WORKS_NOT
                                                                  : CRASH_WORKS_MAYBE;
}

/* The word that ends before byte `*at`, but for blanks: its length, and `*at` at its begin; or 0.
 */
static size_t word_back(const char *text, size_t *at, int is_list) {
    size_t end = *at;
    while (end && (text[end - 1] == ' ' || text[end - 1] == '-' || text[end - 1] == '`' ||
                   (text[end - 1] == ',' && is_list))) {
        end--;
    }
    for (*at = end; *at && crash_is_in_word(text[*at - 1]);) {
        --*at;
    }
    return end - *at;
}

/* Whether a list goes on at byte `at`: behind it, or before it, stands "or" or "nor". */
static int is_in_list(const char *text, size_t size, size_t at, size_t end) {
    size_t before = at;
    const size_t n = word_back(text, &before, 0);
    const size_t next = end + (end < size && text[end] == ',') + 1;
    const size_t behind = next < size ? text_run(text + next, size - next, crash_is_in_word) : 0;
    return (crash_does(text + before, n) & OR) || text_is(text + before, n, "of") ||
           (behind && crash_does(text + next, behind) & OR);
}

/* Whether a word is a GPU's name or a target's that has tensor copies. */
static int is_later_gpu(const char *word, size_t length) {
    char name[LONGEST_NAME + 1];
    char suffix = 0;
    uint16_t sm = 0;
    if (length > LONGEST_NAME) {
        return 0;
    }
    memcpy(name, word, length);
    name[length] = 0;
    return machine_named(name, &sm, &suffix) && sm >= tma_arch_at(0)->sm;
}

/* Whether an error's own words begin at byte `at`: "RuntimeError: no TMA". */
static int is_message(const char *text, size_t at) {
    size_t from = at - (at && text[at - 1] == ':');
    const size_t to = from;
    while (from && text_is_word(text[from - 1])) {
        from--;
    }
    return to < at && (crash_does(text + from, to - from) & (FAILS | LABELS) ||
                       (to - from > 5 && text_equal(text + to - 5, "Error", 5)));
}

/* Whether what is said at byte `at` is said of all that fails: "it", "this H100 kernel", "there
 * is", not "the second CTA", nor under a condition. */
static int is_of_all(const char *text, size_t at) {
    size_t n = 0;
    while ((n = word_back(text, &at, 0)) != 0) {
        const unsigned it = crash_does(text + at, n);
        if (it & (TURN | JOINS) && !(it & STOPS)) {
            return 1;
        }
        size_t before = at;
        if (n == 1 && text[at] == 'A' && word_back(text, &before, 0)) {
            return 0; /* no article: "kernel A" */
        }
        if (!(it & (IS | USES | ALL)) && !is_later_gpu(text + at, n)) {
            return 0;
        }
    }
    if (at && text[at - 1] == '(') { /* of what stands before it: "baseline (no TMA)" */
        at--;
        n = word_back(text, &at, 0);
        return (crash_does(text + at, n) & (ALL | FAILS)) != 0;
    }
    return !is_message(text, at);
}

/* Of the words before, back to one that denies or that the denial is not of: what it does, and
 * `*at` there; or 0. */
static unsigned denied_from(const char *text, size_t *at, int is_list) {
    unsigned next = IS; /* nothing but articles and the verb stand between */
    unsigned last = 0;
    unsigned nor = 0; /* denies by itself where nothing before it does */
    size_t place = 0;
    for (int words = 0; words < (is_list ? MOST_IN_LIST : MOST_BEFORE); words++) {
        const size_t n = word_back(text, at, is_list);
        const unsigned it = n ? crash_does(text + *at, n) : (unsigned)STOPS;
        if (it & NO && it & OR) {
            nor = it;
            place = *at;
        } else if ((it & NO && (next || is_list)) ||
                   (it & NOT && (next || (is_list && last & USES)))) {
            return it;
        }
        if (it & (STOPS | TURN) || (!is_list && it & JOINS)) {
            break;
        }
        next &= it & (IS | USES) ? IS : 0;
        last = it;
    }
    *at = place;
    return nor;
}

/* Whether no word stands at byte `at`, but the end of what is said. */
static int is_end_of_saying(const char *text, size_t size, size_t at) {
    if (at >= size || (unsigned char)text[at] >= 0x80) {
        return 1;
    }
    const char c = text[at];
    const int is_dash =
        c == '-' && at && text[at - 1] == ' ' && at + 1 < size && text[at + 1] == ' ';
    return is_dash || c == ',' || c == ':' || c == '(' || c == ')' || c == '"' || c == '\r' ||
           (c != '?' && is_end(text, size, at));
}

int crash_is_status(const char *text, size_t size, size_t at, size_t length) {
    size_t before = at;
    const size_t with = word_back(text, &before, 0);
    const int is_with = text_is(text + before, with, "with");
    const size_t verb = is_with ? word_back(text, &before, 0) : 0;
    const size_t end = at + length;
    const size_t gap = text_run(text + end, size - end, text_is_space);
    const size_t next = text_run(text + end + gap, size - end - gap, crash_is_in_word);
    return verb && crash_does(text + before, verb) & (FAILS | VERB) &&
           (is_end_of_saying(text, size, end + gap) ||
            (gap && crash_does(text + end + gap, next) & (TURN | STOPS))) &&
           call_of_clause(text, size, at, length);
}

/* The words of a list's next item behind byte `at`; 0 where it is none. */
static size_t item_length(const char *text, size_t size, size_t at) {
    const size_t from = at;
    for (;;) {
        at += text_run(text + at, size - at, text_is_space);
        const size_t n = text_run(text + at, size - at, is_in_name);
        const unsigned it = crash_does(text + at, n);
        if (!n || it & (NO | NOT)) {
            return 0;
        }
        at += n;
        if (!(it & (IS | ALL))) {
            return at - from;
        }
    }
}

/* The words behind byte `at` that say where: "this kernel", "it"; 0 where it is another place. */
static size_t place_length(const char *text, size_t size, size_t at) {
    const size_t from = at;
    unsigned all = 0;
    for (;;) {
        const size_t blank = text_run(text + at, size - at, text_is_space);
        const size_t n = text_run(text + at + blank, size - at - blank, crash_is_in_word);
        const unsigned it = crash_does(text + at + blank, n);
        if (!(it & (IS | ALL))) {
            return all & ALL ? at - from : 0;
        }
        all |= it;
        at += blank + n;
    }
}

/* Whether a denial of the name before byte `at` is of the name, not of what stands behind: what is
 * said ends there or goes on with its use. "No TMA error" has no error, and of "no TMA load ends"
 * the end is denied. */
static int is_of_name(const char *text, size_t size, size_t at) {
    unsigned had = 0;
    for (int words = 0; words < MOST_BEHIND; words++) {
        while (at < size && (text[at] == ' ' || text[at] == '`')) {
            at++;
        }
        size_t n = text_run(text + at, size - at, crash_is_in_word);
        const unsigned it = crash_does(text + at, n);
        if (!n) {
            return is_end_of_saying(text, size, at);
        }
        if (it & (TURN | JOINS) || (had & HERE && it & STOPS)) {
            return !(it & TURN) || !is_end_of_saying(text, size, at + n); /* "no TMA yet" */
        }
        if (it & OR) {
            const size_t item = item_length(text, size, at + n);
            had = 0;
            n += item ? item : size;
        } else if (it & PLACES) {
            const size_t place = place_length(text, size, at + n);
            had |= HERE;
            n += place ? place : size;
        } else if (!(it & (HERE | IS | USES)) && !(it & OF_IT && !(had & ~(unsigned)OF_IT))) {
            return 0;
        }
        if (n >= size) {
            return 0;
        }
        had |= it;
        at += n;
    }
    return 0;
}

/* Of the words behind: "is disabled", "is not used": what does it say, and `*at` behind it; or 0.
 */
static unsigned gone_from(const char *text, size_t size, size_t *at) {
    unsigned had = 0;
    for (int words = 0; words < MOST_BEHIND; words++) {
        while (*at < size && (text[*at] == ' ' || text[*at] == '-' || text[*at] == '`')) {
            ++*at;
        }
        const size_t n = text_run(text + *at, size - *at, crash_is_in_word);
        const unsigned it = crash_does(text + *at, n);
        if (it & GONE || (had & NOT && it & USES && !(it & IS))) {
            *at += n;
            return it & GONE ? GONE : NOT;
        }
        had |= it;
        if (!(it & (IS | OF_IT | NOT))) {
            return 0;
        }
        *at += n;
    }
    return 0;
}

/* Whether the sentence before byte `from`, or behind byte `to`, says that something works. */
static int works_beside(const char *text, size_t size, size_t from, size_t to) {
    return ((from > 1 ? said_around(text, size, from - 2, ends_sentence) : 0) |
            (to + 2 < size ? said_around(text, size, to + 2, ends_sentence) : 0)) &
           WORKS;
}

/* What a denial at byte `at` of the name before byte `behind` says of what fails. In a case,
 * "without TMA", its sentence has to tell that it fails, and of no other case; "no hang without
 * TMA" denies two things. Of all that fails, no sentence beside it says that something works. */
static int kind_of(const char *text, size_t size, size_t at, size_t behind, int is_case) {
    size_t from = at;
    size_t part = at;
    size_t to = behind;
    while (from && !ends_sentence(text, size, from - 1)) {
        from--;
    }
    while (part > from && !crash_ends_part(text, size, part - 1)) {
        part--;
    }
    while (!ends_sentence(text, size, to)) {
        to++;
    }
    const unsigned all = said_of(text, from, to);
    if (!is_case) {
        const int is_part =
            all & WORKS || works_beside(text, size, from, to) || !is_of_all(text, at);
        return is_part ? CRASH_NONE_IN_PART : CRASH_NONE;
    }
    if (all & WORKS || said_of(text, part, at) & (NO | NOT)) {
        return CRASH_THERE;
    }
    return all & FAILS && !(said_of(text, behind, to) & CASE) ? CRASH_NONE_IN_CASE
                                                              : CRASH_NONE_IN_PART;
}

static int ends_question(const char *text, size_t size, size_t at) {
    const char c = at < size ? text[at] : '\n';
    return c == '\n' || ((c == '.' || c == '!' || c == '?' || c == ';') &&
                         (at + 1 == size || text_is_space(text[at + 1])));
}

/* Whether the sentence of byte `at` asks what it says: "is it not the TMA?", "no TMA, right?". */
static int is_asked(const char *text, size_t size, size_t at) {
    size_t from = at;
    size_t to = at;
    while (!ends_question(text, size, to)) {
        to++;
    }
    if (to == size || text[to] != '?') {
        return 0;
    }
    while (from && !ends_question(text, size, from - 1)) {
        from--;
    }
    size_t tag = to;
    while (tag > at && text[tag - 1] != ',') {
        tag--;
    }
    from += text_run(text + from, size - from, text_is_space);
    tag += text_run(text + tag, size - tag, text_is_space);
    return (crash_does(text + from, text_run(text + from, size - from, crash_is_in_word)) |
            (tag > at ? crash_does(text + tag, text_run(text + tag, size - tag, crash_is_in_word))
                      : 0)) &
           ASKS;
}

int crash_is_none(const char *text, size_t size, size_t at, size_t words) {
    size_t from = at;
    size_t to = at + words;
    unsigned it = denied_from(text, &from, is_in_list(text, size, at, to));
    if (it && !(it & CASE) && is_asked(text, size, at)) {
        return CRASH_NONE_OF_OTHER;
    }
    size_t before = from;
    size_t n = word_back(text, &before, 0);
    const unsigned verb = crash_does(text + before, n);
    if (it) {
        const int is_case = it & CASE || verb & CASE;
        const int is_joined = to < size && text[to] == '-';
        /* "have not used" is of what one has tried; "neither" alone may be of the end of both */
        const int is_part = it & NOT ? (verb & USES) != 0 : it & OR && !(verb & USES);
        return !is_of_name(text, size, to)
                   ? (is_case || is_joined ? CRASH_THERE : CRASH_NONE_OF_OTHER)
               : is_part ? CRASH_NONE_IN_PART
                         : kind_of(text, size, from, to, is_case);
    }
    it = gone_from(text, size, &to);
    if (it & NOT && is_of_name(text, size, to)) {
        return kind_of(text, size, at, to, 0);
    }
    if (!(it & GONE) || (to < size && crash_match(text, size, to + 1, "by")) ||
        said_around(text, size, at, ends_sentence) & WORKS) {
        return CRASH_THERE;
    }
    before = at;
    n = word_back(text, &before, 0);
    const int is_case = crash_does(text + before, n) & CASE || is_of_all(text, at);
    return is_case && is_of_name(text, size, to) ? kind_of(text, size, at, to, 1)
                                                 : CRASH_NONE_IN_PART;
}
