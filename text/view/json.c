/* SPDX-License-Identifier: Apache-2.0
 *
 * The JSON writer.
 */
#include "tma/json.h"

#include "tma/detail/chars.h"

tma_json tma_json_begin(tma_out *out) {
    return (tma_json){out, 0, 0};
}

/* The bytes of the UTF-8 sequence that the text begins with; 0 if it begins with none. */
static size_t sequence(const unsigned char *text, size_t length, uint32_t *code) {
    static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
    const size_t size = text[0] < 0x80         ? 1
                        : text[0] >> 5 == 0x06 ? 2
                        : text[0] >> 4 == 0x0e ? 3
                        : text[0] >> 3 == 0x1e ? 4
                                               : 0;
    if (!size || size > length) {
        return 0;
    }
    *code = size == 1 ? text[0] : text[0] & (0x7fu >> size);
    for (size_t i = 1; i < size; i++) {
        if (text[i] >> 6 != 2) {
            return 0;
        }
        *code = *code << 6 | (text[i] & 0x3f);
    }
    return *code < least[size] || *code > 0x10ffff || *code >> 11 == 0x1b ? 0 : size;
}

static void put_code(tma_out *out, uint32_t code) {
    static const char letters[] = "\b\f\n\r\t\"\\";
    const char plain = (char)code;
    for (size_t i = 0; i < sizeof(letters) - 1; i++) {
        if (code == (unsigned char)letters[i]) {
            tma_putf(out, "\\%c", "bfnrt\"\\"[i]);
            return;
        }
    }
    if (code >= 0x10000) {
        tma_putf(out, "\\u%04x\\u%04x", 0xd7c0 + (code >> 10), 0xdc00 + (code & 0x3ff));
    } else if (code < ' ' || code >= 0x80) {
        tma_putf(out, "\\u%04x", code);
    } else {
        tma_put_bytes(out, &plain, 1);
    }
}

/* A tma_write: text as it stands in a string of JSON. */
static void put_escaped(void *context, const char *text, size_t length) {
    tma_json *json = context;
    while (length) {
        uint32_t code = '?';
        const size_t size = sequence((const unsigned char *)text, length, &code);
        put_code(json->out, size ? code : '?');
        text += size ? size : 1;
        length -= size ? size : 1;
    }
}

static void next(tma_json *json, const char *key) {
    tma_put(json->out, json->comma ? ", " : "");
    json->comma = 1;
    if (key) {
        tma_put(json->out, "\"");
        put_escaped(json, key, text_length(key));
        tma_put(json->out, "\": ");
    }
}

static void begin(tma_json *json, const char *key, int is_list) {
    next(json, key);
    tma_put(json->out, is_list ? "[" : "{");
    json->lists = json->lists << 1 | (uint64_t)is_list;
    json->comma = 0;
}

void tma_json_object(tma_json *json, const char *key) {
    begin(json, key, 0);
}

void tma_json_list(tma_json *json, const char *key) {
    begin(json, key, 1);
}

void tma_json_end(tma_json *json) {
    tma_put(json->out, json->lists & 1 ? "]" : "}");
    json->lists >>= 1;
    json->comma = 1;
}

tma_out tma_json_text_out(tma_json *json, const char *key) {
    next(json, key);
    tma_put(json->out, "\"");
    return tma_out_to(put_escaped, json);
}

void tma_json_text_end(tma_json *json) {
    tma_put(json->out, "\"");
}

void tma_json_text(tma_json *json, const char *key, const char *text) {
    if (text) {
        tma_out out = tma_json_text_out(json, key);
        tma_put(&out, text);
        tma_json_text_end(json);
    } else {
        tma_json_null(json, key);
    }
}

void tma_json_i64(tma_json *json, const char *key, int64_t number) {
    next(json, key);
    tma_putf(json->out, "%" TMA_D64, number);
}

void tma_json_hex(tma_json *json, const char *key, uint64_t number) {
    next(json, key);
    tma_putf(json->out, "\"0x%" TMA_X64 "\"", number);
}

void tma_json_u64(tma_json *json, const char *key, uint64_t number) {
    if (number <= INT64_MAX) {
        tma_json_i64(json, key, (int64_t)number);
    } else {
        tma_json_hex(json, key, number);
    }
}

void tma_json_bool(tma_json *json, const char *key, int yes) {
    next(json, key);
    tma_put(json->out, yes ? "true" : "false");
}

void tma_json_null(tma_json *json, const char *key) {
    next(json, key);
    tma_put(json->out, "null");
}
