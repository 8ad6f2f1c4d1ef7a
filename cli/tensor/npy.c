/* SPDX-License-Identifier: Apache-2.0
 *
 * .npy: a magic string, a version, the length of a Python dictionary, the dictionary, the data. No
 * C library for it is packaged in Debian 12.
 */
#include "npy.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "tma/detail/assert.h"
#include "tma/detail/chars.h"
#include "tma/grammar.h"

#define MAGIC   "\x93NUMPY"
#define MAGIC_B 6
#define ALIGN_B 64

/* What is left of the dictionary, and what was found in it. */
typedef struct dictionary {
    const char *at;
    const char *end;
    const char *name;
    npy_header *header;
    unsigned seen; /* a bit a key */
    tma_error *error;
} dictionary;

enum { SEEN_DESCR = 1, SEEN_ORDER = 2, SEEN_SHAPE = 4, SEEN_ALL = 7 };

uint64_t npy_item_B(const char *type) {
    uint64_t size_B = 0;
    const size_t length = strlen(type);
    if (length < 3 || !strchr("<|>", type[0]) || !strchr("biufcV", type[1]) ||
        strspn(type + 2, "0123456789") != length - 2 ||
        tma_number_of(&size_B, type + 2, length - 2) != TMA_NUMBER_OK || size_B > 64) {
        return 0;
    }
    return size_B;
}

uint64_t npy_size_B(const npy_header *header) {
    uint64_t size_B = npy_item_B(header->type);
    for (uint32_t i = 0; i < header->rank; i++) {
        if (header->shape[i] && size_B > UINT64_MAX / header->shape[i]) {
            return UINT64_MAX;
        }
        size_B *= header->shape[i];
    }
    return size_B;
}

void npy_shape_text(const npy_header *header, char *text, size_t size) {
    size_t used = (size_t)snprintf(text, size, "(");
    for (uint32_t i = 0; i < header->rank && used < size; i++) {
        used += (size_t)snprintf(text + used, size - used, "%s%" PRIu64, i ? ", " : "",
                                 header->shape[i]);
    }
    if (used < size) {
        snprintf(text + used, size - used, "%s)", header->rank == 1 ? "," : "");
    }
}

int npy_is(const uint8_t *bytes, size_t size) {
    return size >= MAGIC_B && !memcmp(bytes, MAGIC, MAGIC_B);
}

static void skip_blanks(dictionary *d) {
    while (d->at < d->end && (*d->at == ' ' || *d->at == '\n' || *d->at == '\t')) {
        d->at++;
    }
}

/* Takes the character if it is next. */
static int take(dictionary *d, char c) {
    skip_blanks(d);
    if (d->at < d->end && *d->at == c) {
        d->at++;
        return 1;
    }
    return 0;
}

static int take_word(dictionary *d, const char *word) {
    const size_t length = strlen(word);
    skip_blanks(d);
    if ((size_t)(d->end - d->at) < length || memcmp(d->at, word, length) != 0) {
        return 0;
    }
    d->at += length;
    return 1;
}

static int broken(const dictionary *d, const char *what) {
    return tma_fail(d->error,
                    "%s: its header is no dictionary of descr, fortran_order and shape: "
                    "%s expected at '%.*s'",
                    d->name, what, (int)(d->end - d->at < 40 ? d->end - d->at : 40), d->at);
}

/* A string in quotes, without escapes. */
static int take_string(dictionary *d, char *out, size_t size) {
    skip_blanks(d);
    const int quote = d->at < d->end ? *d->at : 0;
    const int quoted = quote == '\'' || quote == '"';
    const char *from = d->at + quoted;
    const char *to = quoted ? memchr(from, quote, (size_t)(d->end - from)) : NULL;
    if (!to || (size_t)(to - from) >= size) {
        return broken(d, "a short string");
    }
    memcpy(out, from, (size_t)(to - from));
    out[to - from] = 0;
    d->at = to + 1;
    return 0;
}

static int take_descr(dictionary *d) {
    skip_blanks(d);
    if (d->at < d->end && (*d->at == '[' || *d->at == '(')) {
        return tma_fail(d->error, "%s: a structured type; one number an element is read", d->name);
    }
    return take_string(d, d->header->type, sizeof(d->header->type));
}

static int take_order(dictionary *d) {
    if (take_word(d, "False")) {
        return 0;
    }
    if (take_word(d, "True")) {
        return tma_fail(d->error,
                        "%s: fortran_order is True: save numpy.ascontiguousarray(a) instead",
                        d->name);
    }
    return broken(d, "True or False");
}

static int take_shape(dictionary *d) {
    npy_header *header = d->header;
    header->rank = 0;
    if (!take(d, '(')) {
        return broken(d, "a tuple");
    }
    while (!take(d, ')')) {
        const char *from = d->at;
        while (d->at < d->end && text_is_digit(*d->at)) {
            d->at++;
        }
        if (header->rank == NPY_MOST_DIMS) {
            return tma_fail(d->error, "%s: its shape has more than %d dimensions", d->name,
                            NPY_MOST_DIMS);
        }
        if (tma_number_of(&header->shape[header->rank], from, (size_t)(d->at - from)) !=
            TMA_NUMBER_OK) {
            return broken(d, "a size");
        }
        header->rank++;
        if (!take(d, ',') && !(d->at < d->end && *d->at == ')')) {
            return broken(d, "a comma or )");
        }
    }
    return 0;
}

static int take_entry(dictionary *d) {
    char key[16];
    if (take_string(d, key, sizeof(key))) {
        return -1;
    }
    if (!take(d, ':')) {
        return broken(d, "a colon");
    }
    const unsigned bit = !strcmp(key, "descr")           ? SEEN_DESCR
                         : !strcmp(key, "fortran_order") ? SEEN_ORDER
                         : !strcmp(key, "shape")         ? SEEN_SHAPE
                                                         : 0;
    if (!bit || d->seen & bit) {
        return tma_fail(d->error, "%s: its header has %s key '%s'", d->name,
                        bit ? "twice the" : "an unknown", key);
    }
    d->seen |= bit;
    return bit == SEEN_DESCR ? take_descr(d) : bit == SEEN_ORDER ? take_order(d) : take_shape(d);
}

static int take_dictionary(dictionary *d) {
    if (!take(d, '{')) {
        return broken(d, "{");
    }
    while (!take(d, '}')) {
        if (take_entry(d)) {
            return -1;
        }
        if (!take(d, ',') && !(d->at < d->end && *d->at == '}')) {
            return broken(d, "a comma or }");
        }
    }
    skip_blanks(d);
    return d->at == d->end && d->seen == SEEN_ALL ? 0 : broken(d, "all three keys, and the end");
}

/* Where the dictionary lies in the file. */
static int find_dictionary(const uint8_t *file, size_t size, dictionary *d) {
    if (!npy_is(file, size) || size < MAGIC_B + 4) {
        return tma_fail(d->error, "%s is no .npy file: it does not begin with \\x93NUMPY", d->name);
    }
    const unsigned major = file[MAGIC_B];
    if (major != 1 && major != 2) {
        return tma_fail(d->error, "%s: .npy version %u.%u; 1.0 and 2.0 are read", d->name, major,
                        file[MAGIC_B + 1]);
    }
    const size_t width_B = major == 1 ? 2 : 4;
    const size_t at = MAGIC_B + 2 + width_B;
    size_t length = 0;
    for (size_t i = width_B; i-- > 0 && size >= at;) {
        length = length << 8 | file[MAGIC_B + 2 + i];
    }
    if (size < at || length > size - at) {
        return tma_fail(d->error, "%s ends within its header", d->name);
    }
    d->at = (const char *)file + at;
    d->end = d->at + length;
    return 0;
}

int npy_parse(const uint8_t *file, size_t size, const char *name, npy_header *header,
              size_t *data_at, tma_error *error) {
    dictionary d = {NULL, NULL, name, header, 0, error};
    if (find_dictionary(file, size, &d) || take_dictionary(&d)) {
        return -1;
    }
    if (!npy_item_B(header->type)) {
        return tma_fail(error, "%s: descr '%s' is no number's", name, header->type);
    }
    *data_at = (size_t)((const uint8_t *)d.end - file);
    const uint64_t data_B = npy_size_B(header);
    if (size - *data_at != data_B) {
        char shape[128];
        npy_shape_text(header, shape, sizeof(shape));
        return tma_fail(error, "%s: %zu B after the header, but %s of '%s' is %" PRIu64 " B", name,
                        size - *data_at, shape, header->type, data_B);
    }
    return 0;
}

size_t npy_header_bytes(const npy_header *header, uint8_t out[NPY_MOST_HEADER_B]) {
    char shape[256];
    char text[NPY_MOST_HEADER_B];
    npy_shape_text(header, shape, sizeof(shape));
    const int length =
        snprintf(text, sizeof(text), "{'descr': '%s', 'fortran_order': False, 'shape': %s, }",
                 header->type, shape);
    const size_t before = MAGIC_B + 4;
    const size_t whole = (before + (size_t)length + 1 + ALIGN_B - 1) / ALIGN_B * ALIGN_B;
    TMA_ASSERT(length > 0 && (size_t)length < sizeof(text) && whole <= NPY_MOST_HEADER_B);
    memset(out, ' ', whole);
    memcpy(out, MAGIC "\x01", MAGIC_B + 2); /* version 1.0 */
    out[MAGIC_B + 2] = (uint8_t)(whole - before);
    out[MAGIC_B + 3] = (uint8_t)((whole - before) >> 8);
    memcpy(out + before, text, (size_t)length);
    out[whole - 1] = '\n';
    return whole;
}
