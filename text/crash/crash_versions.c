/* SPDX-License-Identifier: Apache-2.0
 *
 * Versions that sentences hold against each other: one works, another fails.
 */
#include "crash_clause.h"
#include "crash_does.h"
#include "tma/detail/chars.h"

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
    const int is_named = from < before && crash_does(text + from, before - from) & (STOPS | NAMES);
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
        if (crash_ends_part(text, size, at) && end_part(&said, text, size)) {
            return line;
        }
        line += at < size && text[at] == '\n';
        if (at == size || (at && crash_is_in_word(text[at - 1]) && text[at - 1] != 'v')) {
            continue;
        }
        said.does |= crash_does(text + at, text_run(text + at, size - at, crash_is_in_word));
        if (!said.found && (!at || text[at - 1] != '.') && version_at(text, size, at)) {
            said.found = at + 1;
        }
    }
    return 0;
}
