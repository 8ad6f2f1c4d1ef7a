/* SPDX-License-Identifier: Apache-2.0
 *
 * spec_options.def as rows.
 */
#ifndef TMA_SPEC_TABLE_H
#define TMA_SPEC_TABLE_H

#include "tma/grammar.h"

typedef enum spec_form { NAME, U32, U64, LIST_U32, LIST_U64, LIST_I32 } spec_form;
typedef enum spec_entries { ONE, DIMS, STRIDES, CORNERS } spec_entries;
typedef enum spec_calls { TILED = 1, IM2COL = 6, WIDE = 4, ALL = 7 } spec_calls;
typedef enum spec_left_out { NEVER, AN_OPTION, ALWAYS } spec_left_out;

typedef struct spec_row {
    const char *name;
    const char *key; /* in case lines */
    size_t offset;
    uint32_t room; /* entries of the member */
    spec_form form;
    tma_enum_kind names;
    spec_entries entries;
    spec_calls calls; /* a bit for each tma_api */
    spec_left_out left_out;
} spec_row;

extern const spec_row tma_spec_rows[TMA_SPEC_OPTIONS];

static inline int spec_is_list(const spec_row *row) {
    return row->form >= LIST_U32;
}

static inline int spec_is_wide(const spec_row *row) {
    return row->form == U64 || row->form == LIST_U64;
}

/* Whether the encode call has the argument; an unknown call all but box. */
static inline int spec_has(const spec_row *row, uint32_t api) {
    return row->calls >> (api <= TMA_API_WIDE ? api : TMA_API_WIDE) & 1;
}

/* Entries of the member in a map of that many dimensions, whatever fits into a spec. */
uint32_t tma_spec_entries_of(const spec_row *row, uint32_t api, uint32_t dims);

/* Entry i, signed ones as two's complement of 64 bits. */
uint64_t tma_spec_get(const tma_spec *spec, const spec_row *row, uint32_t i);

/* Entries beyond the member are left. */
void tma_spec_set(tma_spec *spec, const spec_row *row, uint32_t i, uint64_t value);

/* Marks an option as given, by itself or by --conv; -1: it was before. */
int tma_spec_words_take(tma_spec_words *words, tma_spec_option option, int by_conv,
                        tma_error *error);

/* "pad=1,dil=1,filter=3x3,stride=2": the corners and element strides of that convolution. */
int tma_spec_words_conv(tma_spec_words *words, const char *value, tma_error *error);

/* All entries that the call looks at: numbers only, or names where there are some. */
void tma_spec_put(tma_out *out, const tma_spec *spec, const spec_row *row, const char *between,
                  int names);

#endif
