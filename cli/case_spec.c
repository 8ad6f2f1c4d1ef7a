/* SPDX-License-Identifier: Apache-2.0
 *
 * The map that a case line asks for.
 */
#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "case_line.h"
#include "names.h"
#include "number.h"

#define MOST_ENTRIES 8 /* of a list, as the program that captured the lines takes them */

typedef enum form { NAME, ARCH, TEXT, U32, U64, LIST_U32, LIST_U64, LIST_I32 } form;

enum { TILED = 1, IM2COL = 2, WIDE = 4, ALL = 7 };

typedef struct key_row {
    const char *key;
    form form;
    unsigned has;   /* the calls that have the field */
    unsigned needs; /* those that need it */
    size_t offset;
    size_t entries;
} key_row;

#define AT(member)            offsetof(tma_spec, member)
#define NUMBER(member)        AT(member), 1
#define LIST(member, entries) AT(member), entries

static const key_row rows[] = {
    {"api", NAME, ALL, ALL, NUMBER(api)},
    {"dtype", U32, ALL, ALL, NUMBER(dtype)},
    {"rank", U32, ALL, ALL, NUMBER(rank)},
    {"addr", U64, ALL, ALL, NUMBER(address)},
    {"dim", LIST_U64, ALL, ALL, LIST(dim_el, TMA_MAX_RANK)},
    {"stride", LIST_U64, ALL, 0, LIST(stride_B, TMA_MAX_STRIDES)},
    {"box", LIST_U32, TILED, TILED, LIST(box_el, TMA_MAX_RANK)},
    {"es", LIST_U32, ALL, ALL, LIST(element_stride, TMA_MAX_RANK)},
    {"il", U32, ALL, ALL, NUMBER(interleave)},
    {"sw", U32, ALL, ALL, NUMBER(swizzle)},
    {"l2", U32, ALL, ALL, NUMBER(l2)},
    {"oob", U32, ALL, ALL, NUMBER(fill)},
    {"lo", LIST_I32, IM2COL | WIDE, IM2COL | WIDE, LIST(lower_px, TMA_MAX_SPATIAL)},
    {"up", LIST_I32, IM2COL | WIDE, IM2COL | WIDE, LIST(upper_px, TMA_MAX_SPATIAL)},
    {"cpp", U32, IM2COL | WIDE, IM2COL | WIDE, NUMBER(channels_per_pixel)},
    {"ppc", U32, IM2COL | WIDE, IM2COL | WIDE, NUMBER(pixels_per_column)},
    {"mode_w", U32, WIDE, 0, NUMBER(wide_mode)},
    {"arch", ARCH, ALL, 0, 0, 0},
    {"id", TEXT, ALL, 0, 0, 0},
};

#define ROWS (sizeof(rows) / sizeof(rows[0]))

/* Numbers are two's complement: negative ones may stand in unsigned fields, as in a C call. */
static int in_32_bits(uint64_t number, form form) {
    return number >= (uint64_t)INT32_MIN ||
           number <= (form == LIST_I32 ? (uint64_t)INT32_MAX : UINT32_MAX);
}

static int store(tma_spec *spec, const key_row *row, size_t i, const char *text, size_t length,
                 cli_error *error) {
    uint64_t number = 0;
    const int shown = (int)(length < 80 ? length : 80);
    if (number_case(text, length, &number)) {
        return cli_fail(error, "%s='%.*s' is not a number: decimal or hexadecimal (0x10)", row->key,
                        shown, text);
    }
    const int is_wide = row->form == U64 || row->form == LIST_U64;
    if (!is_wide && !in_32_bits(number, row->form)) {
        return cli_fail(error, "%s=%.*s does not fit in its 32 bits", row->key, shown, text);
    }
    if (i < row->entries) {
        unsigned char *member = (unsigned char *)spec + row->offset + i * (is_wide ? 8 : 4);
        const uint32_t small = (uint32_t)number;
        memcpy(member, is_wide ? (const void *)&number : (const void *)&small, is_wide ? 8 : 4);
    }
    return 0;
}

/* Short lists are filled up with zeros, as the program that captured the lines does it. */
static int store_list(tma_spec *spec, const key_row *row, const char *text, cli_error *error) {
    if (!*text) {
        return 0; /* stride= of a rank 1 tensor */
    }
    for (size_t i = 0; i < MOST_ENTRIES; i++) {
        const size_t length = strcspn(text, ",");
        if (store(spec, row, i, text, length, error)) {
            return -1;
        }
        text += length;
        if (!*text++) {
            return 0;
        }
    }
    return cli_fail(error, "%s has more than %d entries", row->key, MOST_ENTRIES);
}

static int store_value(tma_spec *spec, tma_target *target, const key_row *row, const char *value,
                       cli_error *error) {
    switch (row->form) {
    case NAME:
        return name_enum(TMA_ENUM_API, value, row->key, &spec->api, error);
    case ARCH:
        return name_arch(value, row->key, target, error);
    case TEXT:
        return 0;
    case U32:
    case U64:
        return store(spec, row, 0, value, strlen(value), error);
    default:
        return store_list(spec, row, value, error);
    }
}

static const key_row *row_of(const char *key) {
    for (size_t i = 0; i < ROWS; i++) {
        if (!strcmp(rows[i].key, key)) {
            return &rows[i];
        }
    }
    return NULL;
}

static int belongs(uint32_t api, uint32_t seen, cli_error *error) {
    for (size_t i = 0; i < ROWS; i++) {
        const unsigned call = 1u << api;
        if (rows[i].needs & call && !(seen & 1u << i)) {
            return cli_fail(error, "%s= is missing", rows[i].key);
        }
        if (!(rows[i].has & call) && seen & 1u << i) {
            char buffer[16];
            return cli_fail(error, "%s= does not belong to api=%s", rows[i].key,
                            name_of(TMA_ENUM_API, api, buffer));
        }
    }
    return 0;
}

int case_spec(const case_line *line, const char *also, tma_spec *spec, tma_target *target,
              cli_error *error) {
    uint32_t seen = 0;
    memset(spec, 0, sizeof(*spec));
    for (size_t i = 0; i < line->request; i++) {
        const key_row *row = row_of(line->fields[i].key);
        if (row) {
            seen |= 1u << (row - rows);
            if (store_value(spec, target, row, line->fields[i].value, error)) {
                return -1;
            }
        } else if (!case_word_in(line->fields[i].key, also)) {
            return cli_fail(error, "unknown field '%.80s' in a line of kind %.80s",
                            line->fields[i].key, line->kind);
        }
    }
    return belongs(spec->api, seen, error);
}
