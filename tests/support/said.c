/* SPDX-License-Identifier: Apache-2.0
 *
 * What readers say.
 */
#include "support/said.h"

#include <stdio.h>
#include <stdlib.h>

#include "support/testing.h"

static void unescape(char *text) {
    char *to = text;
    for (const char *at = text; *at; at++) {
        if (*at != '\\') {
            *to++ = *at;
        } else if (*++at == 'x') {
            const char digits[3] = {at[1], at[2], 0};
            *to++ = (char)strtoul(digits, NULL, 16);
            at += 2;
        } else {
            *to++ = (char)(*at == 'n' ? '\n' : *at == 't' ? '\t' : *at == 'r' ? '\r' : *at);
        }
    }
    *to = 0;
}

/* Its mark, with the text behind it; 0 where the file ends. */
static char next_line(FILE *file, char text[SAID_SIZE]) {
    char line[SAID_SIZE];
    do {
        if (!fgets(line, sizeof(line), file)) {
            return 0;
        }
    } while (line[0] == '#');
    char *end = strchr(line, '\n');
    assert_non_null(end);
    *end = 0;
    strcpy(text, line[1] ? line + 2 : "");
    unescape(text);
    return line[0];
}

/* The next text and what is said of it, behind its mark; 0 where the file ends. */
static char next_case(FILE *file, char text[SAID_SIZE], char said[SAID_SIZE]) {
    char mark = next_line(file, text);
    if (!mark) {
        return 0;
    }
    assert_int_equal(mark, '?');
    while ((mark = next_line(file, said)) == '?') {
        const size_t length = strlen(text);
        assert_true(length + strlen(said) + 2 < SAID_SIZE);
        text[length] = '\n';
        strcpy(text + length + 1, said);
    }
    assert_true(mark == '=' || mark == '!');
    return mark;
}

/* `[...]` stands for whatever is there: a list that one case has whole. */
static int is_like(const char *found, const char *wanted) {
    const char *gap = strstr(wanted, "[...]");
    const size_t head = gap ? (size_t)(gap - wanted) : 0, tail = gap ? strlen(gap + 5) : 0;
    const size_t length = strlen(found);
    if (!gap) {
        return strcmp(found, wanted) == 0;
    }
    return length >= head + tail && strncmp(found, wanted, head) == 0 &&
           strcmp(found + length - tail, gap + 5) == 0;
}

static int is_said(const struct said_reader *reader, const char *text, char mark,
                   const char *wanted) {
    char said[SAID_SIZE] = "";
    tma_error error = {0, "no message"};
    tma_out out = tma_out_into(said, sizeof(said));
    const size_t size = strlen(text) + 1;
    char *own = malloc(size); /* so that a sanitizer sees a byte too far */
    assert_non_null(own);
    memcpy(own, text, size);
    const int failed = reader->read(&out, own, &error);
    free(own);
    const char *found = failed ? error.text : said;
    assert_true(failed == 0 || failed == -1);
    assert_true(out.length < sizeof(said) && (!failed || out.length == 0));
    if (mark == (failed ? '!' : '=') && is_like(found, wanted)) {
        return 1;
    }
    fprintf(stderr, "%s\nfound: %c %s\n  not: %c %s\n", text, failed ? '!' : '=', found, mark,
            wanted);
    return 0;
}

void says(void **state) {
    const struct said_reader *reader = *state;
    char path[SAID_SIZE];
    char text[SAID_SIZE];
    char wanted[SAID_SIZE];
    size_t cases = 0;
    size_t right = 0;
    snprintf(path, sizeof(path), TMA_SAID_DIR "/%s.txt", reader->name);
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    for (char mark = 0; (mark = next_case(file, text, wanted)); cases++) {
        right += (size_t)is_said(reader, text, mark, wanted);
    }
    fclose(file);
    assert_true(cases > 5);
    assert_int_equal(right, cases);
}
