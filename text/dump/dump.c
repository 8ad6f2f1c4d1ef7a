/* SPDX-License-Identifier: Apache-2.0
 *
 * Which kind of dump it is; and maps as dumps.
 */
#include <string.h>

#include "dump_parts.h"
#include "tma/detail/chars.h"

#define MOST_FORMS_B 65536 /* no list of 128 numbers is longer */

/* Bytes that no dump as text has. */
static int is_raw(const char *data, size_t size) {
    for (size_t i = 0; i < size; i++) {
        const unsigned char c = (unsigned char)data[i];
        if ((c < ' ' && (c < '\t' || c > '\r')) || c > '~') {
            return 1;
        }
    }
    return 0;
}

/* *group_B: of bare groups that are all as wide, 0 else. */
static int read_text(uint8_t *map, dump_text text, size_t *group_B, tma_error *error) {
    dump_values values = {.digits = 0};
    if (tma_dump_has_addresses(text)) { /* before braces: a column of characters may have those */
        return tma_dump_lines(map, text, error);
    }
    if (text_until(text.at, text.left, '{') < text.left) {
        return tma_dump_braces(map, text, error);
    }
    if (tma_dump_take(&values, text, error) || tma_dump_whole(map, &values, error)) {
        return -1;
    }
    *group_B = values.count && !values.numbers && values.groups * values.group_B == values.count
                   ? values.group_B
                   : 0;
    return 0;
}

/* Damaged dumps of a debugger and of C stay damaged: the forms that languages print have no
 * addresses, and no braces but Rust's around its brackets and the bytes 0x7b of Python's. */
static int may_be_a_language(dump_text text) {
    return text.left <= MOST_FORMS_B && !tma_dump_has_addresses(text) &&
           (text_until(text.at, text.left, '{') == text.left ||
            text_until(text.at, text.left, '[') < text.left ||
            text_until(text.at, text.left, '\\') < text.left);
}

int tma_dump_read_whole(uint8_t *map, const char **how, const char *data, size_t size,
                        tma_error *error) {
    static const char byte_order_mark[] = "\xEF\xBB\xBF";
    *how = "";
    if (size > TMA_MAP_BYTES && text_equal(data, byte_order_mark, 3)) {
        data += 3;
        size -= 3;
    }
    if (is_raw(data, size)) {
        if (size != TMA_MAP_BYTES) {
            tma_dump_wrong_size(size, error);
            return tma_fail_more(error, " (they are not text, and so taken as raw bytes)");
        }
        memcpy(map, data, size);
        return 0;
    }
    const dump_text text = {data, size};
    size_t group_B = 0;
    if (read_text(map, text, &group_B, error)) {
        return may_be_a_language(text) && tma_dump_forms(map, text) ? 0 : -1;
    }
    *how = tma_dump_turned(map, group_B);
    return 0;
}

/* The one map that other text is around; *count is 2 where there are more. */
static int only_map(uint8_t *map, const char *text, size_t size, size_t *found_count) {
    tma_dump_cursor at = {0, 0};
    tma_dump_found first;
    tma_dump_found next;
    *found_count = tma_dump_next(&first, text, size, &at, size);
    while (*found_count == 1 && tma_dump_next(&next, text, size, &at, size)) {
        *found_count += !text_equal((const char *)first.map, (const char *)next.map, TMA_MAP_BYTES);
    }
    if (*found_count != 1) {
        return 0;
    }
    memcpy(map, first.map, TMA_MAP_BYTES);
    return 1;
}

int tma_read_dump_how(uint8_t map[TMA_MAP_BYTES], const char **how, const char *data, size_t size,
                      tma_error *error) {
    const char *ignored = "";
    size_t found = 0;
    how = how ? how : &ignored;
    if (!tma_dump_read_whole(map, how, data, size, error)) {
        return 0;
    }
    if (size < TMA_MAP_BYTES / 4 || !only_map(map, data, size, &found)) {
        return found > 1 ? tma_fail_more(error, "; several maps are in it: tma check has all") : -1;
    }
    *how = "found among other text";
    return 0;
}

int tma_read_dump(uint8_t map[TMA_MAP_BYTES], const char *data, size_t size, tma_error *error) {
    return tma_read_dump_how(map, NULL, data, size, error);
}

const char *tma_map_form_name(size_t form) {
    static const char *const names[TMA_FORMS] = {"hex", "c", "words", "raw"};
    return form < TMA_FORMS ? names[form] : NULL;
}

static uint64_t load(const uint8_t *at, size_t width_B) {
    uint64_t value = 0;
    for (size_t i = width_B; i-- > 0;) {
        value = value << 8 | at[i];
    }
    return value;
}

static void put_c(tma_out *out, const uint8_t *bytes) {
    tma_put(out, "{{\n");
    for (size_t at = 0; at < TMA_MAP_BYTES; at += 8) {
        tma_putf(out, "%s0x%016" TMA_X64 "ULL%s", at % 32 ? " " : "    ", load(bytes + at, 8),
                 at + 8 == TMA_MAP_BYTES ? "\n"
                 : at % 32 == 24         ? ",\n"
                                         : ",");
    }
    tma_put(out, "}}\n");
}

static void put_words(tma_out *out, const uint8_t *bytes) {
    for (size_t at = 0; at < TMA_MAP_BYTES; at += 4) {
        if (at % 16 == 0) {
            tma_putf(out, "0x%02zx:", at);
        }
        tma_putf(out, " 0x%08" TMA_X64 "%s", load(bytes + at, 4), at % 16 == 12 ? "\n" : "");
    }
}

void tma_put_map(tma_out *out, const uint8_t *map, tma_map_form form) {
    if (form == TMA_FORM_C) {
        put_c(out, map);
    } else if (form == TMA_FORM_WORDS) {
        put_words(out, map);
    } else if (form == TMA_FORM_RAW) {
        tma_put_bytes(out, (const char *)map, TMA_MAP_BYTES);
    } else {
        tma_put_hex_bytes(out, map, TMA_MAP_BYTES);
        tma_put(out, "\n");
    }
}
