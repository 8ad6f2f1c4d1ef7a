/* SPDX-License-Identifier: Apache-2.0
 *
 * Case lines, cut up; case_spec.c makes specs of them.
 */
#include "case_line.h"

#include <string.h>

#include "number.h"

static int is_blank(char c) {
    return c == ' ' || c == '\r' || c == '\n' || c == '\t';
}

int case_word_in(const char *key, const char *words) {
    const size_t length = strlen(key);
    for (const char *at = words; (at = strstr(at, key)) != NULL; at += length) {
        if (length && (at == words || at[-1] == ' ') && (at[length] == 0 || at[length] == ' ')) {
            return 1;
        }
    }
    return 0;
}

static const char *find(const case_field *fields, size_t count, const char *key) {
    for (size_t i = 0; i < count; i++) {
        if (!strcmp(fields[i].key, key)) {
            return fields[i].value;
        }
    }
    return NULL;
}

const char *case_request(const case_line *line, const char *key) {
    return find(line->fields, line->request, key);
}

const char *case_answer(const case_line *line, const char *key) {
    return find(line->fields + line->request, line->count - line->request, key);
}

static int add_field(case_line *line, char *word, cli_error *error) {
    char *equals = strchr(word, '=');
    if (!equals || equals == word) {
        return cli_fail(error, "'%.80s' is not key=value", word);
    }
    if (line->count == CASE_MOST_FIELDS) {
        return cli_fail(error, "more than %d fields", CASE_MOST_FIELDS);
    }
    *equals = 0;
    const int in_answer = line->request < line->count;
    const int starts_answer = !in_answer && !strcmp(word, "rc");
    const size_t from = in_answer ? line->request : 0;
    if (find(line->fields + from, line->count - from, word)) {
        return cli_fail(error, "%.80s= is there twice", word);
    }
    line->fields[line->count] = (case_field){word, equals + 1};
    line->count++;
    if (!in_answer && !starts_answer) {
        line->request = line->count;
    }
    return 0;
}

int case_read(case_line *line, char *text, size_t length, cli_error *error) {
    line->kind = NULL;
    line->request = line->count = 0;
    while (length && is_blank(text[length - 1])) {
        text[--length] = 0;
    }
    if (length == 0 || text[0] == '#') {
        return 1;
    }
    if (memchr(text, 0, length)) {
        return cli_fail(error, "a byte 0 in the line");
    }
    for (char *at = text; *at;) {
        const size_t word = strcspn(at, " ");
        char *next = at + word + (at[word] == ' ');
        at[word] = 0;
        if (word && !line->kind) {
            line->kind = at;
        } else if (word && add_field(line, at, error)) {
            return -1;
        }
        at = next;
    }
    return 0;
}

int case_u64(const case_line *line, const char *key, uint64_t *out, cli_error *error) {
    const char *text = case_request(line, key);
    if (!text) {
        return cli_fail(error, "%s= is missing", key);
    }
    if (number_case(text, strlen(text), out)) {
        return cli_fail(error, "%s='%.80s' is not a number: decimal or hexadecimal (0x10)", key,
                        text);
    }
    return 0;
}
