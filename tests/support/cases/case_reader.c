/* SPDX-License-Identifier: Apache-2.0
 *
 * The tests' reader of case lines: one table of keys, each with where its number goes.
 */
#include "case_reader.h"

#include <errno.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

struct key {
    const char *name;
    size_t at; /* offset in struct case_line */
    size_t size;
    size_t count; /* of the array it fills; 0: one number */
};

#define IN_SPEC(name, member, count)                                                               \
    {                                                                                              \
        name, offsetof(struct case_line, spec.member),                                             \
            sizeof(((struct case_line *)0)->spec.member) / ((count) ? (count) : 1), count          \
    }
#define IN_LINE(name, member)                                                                      \
    { name, offsetof(struct case_line, member), sizeof(((struct case_line *)0)->member), 0 }

static const struct key keys[] = {
    IN_SPEC("dtype", dtype, 0),
    IN_SPEC("rank", rank, 0),
    IN_SPEC("addr", address, 0),
    IN_SPEC("dim", dim_el, 5),
    IN_SPEC("stride", stride_B, 4),
    IN_SPEC("box", box_el, 5),
    IN_SPEC("es", element_stride, 5),
    IN_SPEC("lo", lower_px, 3),
    IN_SPEC("up", upper_px, 3),
    IN_SPEC("cpp", channels_per_pixel, 0),
    IN_SPEC("ppc", pixels_per_column, 0),
    IN_SPEC("il", interleave, 0),
    IN_SPEC("sw", swizzle, 0),
    IN_SPEC("l2", l2, 0),
    IN_SPEC("oob", fill, 0),
    IN_SPEC("mode_w", wide_mode, 0),
    IN_LINE("naddr", naddr),
    IN_LINE("field", field),
    IN_LINE("ord", ord),
    IN_LINE("val", val),
    IN_LINE("rc", rc),
};

static const char *put_number(const char *text, char **end, char *to, size_t size) {
    errno = 0;
    const int negative = *text == '-';
    const int base = text[0] == '0' && text[1] == 'x' ? 16 : 10;
    const uint64_t wide =
        negative ? (uint64_t)strtoll(text, end, 10) : (uint64_t)strtoull(text, end, base);
    if (*end == text || !strchr("-0123456789", *text)) {
        return "a number is missing";
    }
    if (size == sizeof(uint64_t)) {
        memcpy(to, &wide, sizeof(wide));
        return NULL;
    }
    if (errno || (negative ? (int64_t)wide < INT32_MIN : wide > UINT32_MAX)) {
        return "a number does not fit 32 bits";
    }
    const uint32_t narrow = (uint32_t)wide;
    memcpy(to, &narrow, sizeof(narrow));
    return NULL;
}

static const char *put_list(const char *text, char *to, size_t size, size_t count) {
    for (size_t i = 0; *text; i++) {
        char *end = NULL;
        if (i >= count) {
            return "a list is too long";
        }
        const char *wrong = put_number(text, &end, to + i * size, size);
        if (wrong) {
            return wrong;
        }
        if (*end && (*end != ',' || !end[1])) {
            return "a list is not numbers and commas";
        }
        text = *end ? end + 1 : end;
    }
    return NULL;
}

static int hex_digit(char c) {
    const char *digits = "0123456789abcdef";
    const char *at = c ? strchr(digits, c) : NULL;
    return at ? (int)(at - digits) : -1;
}

static const char *put_bytes(const char *text, uint8_t bytes[TMA_MAP_BYTES], int *has) {
    if (strlen(text) != 2 * TMA_MAP_BYTES) {
        return "a map is not 256 hexadecimal digits";
    }
    for (size_t i = 0; i < TMA_MAP_BYTES; i++) {
        const int high = hex_digit(text[2 * i]);
        const int low = hex_digit(text[2 * i + 1]);
        if (high < 0 || low < 0) {
            return "a map is not hexadecimal digits";
        }
        bytes[i] = (uint8_t)(high << 4 | low);
    }
    *has = 1;
    return NULL;
}

static const char *put_api(const char *text, uint32_t *api) {
    static const char *const names[] = {"tiled", "im2col", "wide"};
    for (uint32_t i = 0; i < 3; i++) {
        if (strcmp(text, names[i]) == 0) {
            *api = i;
            return NULL;
        }
    }
    return "an api is not tiled, im2col or wide";
}

static const char *put_field(struct case_line *line, const char *name, const char *value) {
    if (strcmp(name, "id") == 0) {
        return NULL;
    }
    if (strcmp(name, "api") == 0) {
        return put_api(value, &line->spec.api);
    }
    if (strcmp(name, "desc") == 0) {
        return put_bytes(value, line->desc, &line->has_desc);
    }
    if (strcmp(name, "before") == 0) {
        return put_bytes(value, line->before, &line->has_before);
    }
    for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++) {
        if (strcmp(name, keys[i].name) == 0) {
            char *to = (char *)line + keys[i].at;
            char *end = NULL;
            if (keys[i].count) {
                return put_list(value, to, keys[i].size, keys[i].count);
            }
            const char *wrong = put_number(value, &end, to, keys[i].size);
            return wrong ? wrong : *end ? "a number ends oddly" : NULL;
        }
    }
    return "an unknown key";
}

/* Cuts the next word off a text of words with single blanks between them; null at its end. */
static char *next_word(char **rest) {
    char *word = *rest;
    if (!word) {
        return NULL;
    }
    char *blank = strchr(word, ' ');
    *rest = blank ? blank + 1 : NULL;
    if (blank) {
        *blank = 0;
    }
    return word;
}

static const char *put_word(struct case_line *line, char *word) {
    char *value = strchr(word, '=');
    if (!value) {
        return "a field has no value";
    }
    *value++ = 0;
    return put_field(line, word, value);
}

const char *case_read(const char *text, struct case_line *line) {
    char copy[4096];
    const size_t length = strcspn(text, "\r\n");
    if (length >= sizeof(copy)) {
        return "the line is too long";
    }
    memcpy(copy, text, length);
    copy[length] = 0;
    memset(line, 0, sizeof(*line));
    line->rc = -1;
    char *rest = copy;
    const char *kind = next_word(&rest);
    if (strcmp(kind, "enc") && strcmp(kind, "rep") && strcmp(kind, "dev")) {
        return "the kind is not enc, rep or dev";
    }
    line->kind = *kind == 'e' ? CASE_ENC : *kind == 'r' ? CASE_REP : CASE_DEV;
    for (char *word = next_word(&rest); word; word = next_word(&rest)) {
        const char *wrong = put_word(line, word);
        if (wrong) {
            return wrong;
        }
    }
    return line->rc < 0 ? "there is no answer" : NULL;
}
