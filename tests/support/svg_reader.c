/* SPDX-License-Identifier: Apache-2.0
 *
 * Well-formed or not.
 */
#include "svg_reader.h"

#include <ctype.h>
#include <string.h>

#define DEEPEST 32

struct reader {
    const char *at;
    const char *end;
    char open[DEEPEST][16];
    size_t depth;
    size_t roots;
};

static const char *utf8_complaint(const char *text, size_t length) {
    for (size_t i = 0; i < length;) {
        const unsigned char c = (unsigned char)text[i++];
        const size_t more = c < 0x80       ? 0
                            : c >> 5 == 6  ? 1
                            : c >> 4 == 14 ? 2
                            : c >> 3 == 30 ? 3
                                           : 9;
        if (more == 9 || (c < 0x20 && c != '\n' && c != '\t')) {
            return "a byte that no XML has";
        }
        for (size_t k = 0; k < more; k++, i++) {
            if (i >= length || ((unsigned char)text[i] & 0xC0) != 0x80) {
                return "a letter that is cut";
            }
        }
    }
    return NULL;
}

static const char *entity(struct reader *r) {
    static const char *const known[] = {"&amp;", "&lt;", "&gt;", "&quot;", "&apos;"};
    for (size_t i = 0; i < 5; i++) {
        const size_t length = strlen(known[i]);
        if ((size_t)(r->end - r->at) >= length && !memcmp(r->at, known[i], length)) {
            r->at += length;
            return NULL;
        }
    }
    return "an & that begins no entity";
}

static size_t name_length(const char *at, const char *end) {
    size_t length = 0;
    while (at + length < end && (isalnum((unsigned char)at[length]) || strchr("-:_", at[length]))) {
        length++;
    }
    return length;
}

/* name="value" ... up to the > */
static const char *attributes(struct reader *r, int *closes) {
    while (r->at < r->end) {
        while (r->at < r->end && *r->at == ' ') {
            r->at++;
        }
        *closes = r->at < r->end && *r->at == '/';
        r->at += *closes;
        if (r->at < r->end && *r->at == '>') {
            r->at++;
            return NULL;
        }
        const size_t name = name_length(r->at, r->end);
        r->at += name;
        if (!name || *closes || r->end - r->at < 2 || memcmp(r->at, "=\"", 2) != 0) {
            return "an attribute that is none";
        }
        r->at += 2;
        while (r->at < r->end && *r->at != '"') {
            if (*r->at == '<' || (*r->at == '&' && entity(r))) {
                return "a < or & in an attribute";
            }
            r->at++;
        }
        r->at++;
    }
    return "a tag without its end";
}

static const char *tag(struct reader *r) {
    const int ends = r->at + 1 < r->end && r->at[1] == '/';
    int closes = 0;
    r->at += 1 + ends;
    const size_t length = name_length(r->at, r->end);
    if (!length || length >= sizeof(r->open[0])) {
        return "a tag without a name, or a long one";
    }
    if (ends) {
        if (!r->depth || strncmp(r->open[r->depth - 1], r->at, length) != 0 ||
            r->open[r->depth - 1][length] || r->at[length] != '>') {
            return "an end of another tag";
        }
        r->depth--;
        r->at += length + 1;
        return NULL;
    }
    if (r->depth == DEEPEST) {
        return "too deep";
    }
    memset(r->open[r->depth], 0, sizeof(r->open[0]));
    memcpy(r->open[r->depth], r->at, length);
    r->roots += !r->depth;
    r->depth++;
    r->at += length;
    const char *wrong = attributes(r, &closes);
    r->depth -= (size_t)closes;
    return wrong;
}

const char *svg_complaint(const char *text, size_t length) {
    struct reader r = {.at = text, .end = text + length};
    const char *wrong = utf8_complaint(text, length);
    while (!wrong && r.at < r.end) {
        if (*r.at == '<') {
            wrong = tag(&r);
        } else if (*r.at == '&') {
            wrong = entity(&r);
        } else if (!r.depth && *r.at != '\n') {
            wrong = "words outside of all tags";
        } else {
            r.at++;
        }
    }
    return wrong          ? wrong
           : r.depth      ? "a tag that is not ended"
           : r.roots == 1 ? NULL
                          : "not one root";
}

size_t svg_count(const char *text, const char *what) {
    size_t count = 0;
    for (const char *at = strstr(text, what); at; at = strstr(at + 1, what)) {
        count++;
    }
    return count;
}
