/* SPDX-License-Identifier: Apache-2.0
 *
 * The members of a spec as a table's rows, and a spec written by them.
 */
#include "spec_table.h"

#include <string.h>

#define ROOM(member, form)                                                                         \
    ((form) < LIST_U32 ? 1 : sizeof(((tma_spec *)0)->member) / ((form) == LIST_U64 ? 8 : 4))

const spec_row tma_spec_rows[TMA_SPEC_OPTIONS] = {
#define TMA_OPTION(id, is, name, value, form, names, member, entries, calls, left_out, key, help)  \
    {name,                                                                                         \
     key,                                                                                          \
     offsetof(tma_spec, member),                                                                   \
     ROOM(member, form),                                                                           \
     form,                                                                                         \
     TMA_ENUM_##names,                                                                             \
     entries,                                                                                      \
     calls,                                                                                        \
     left_out},
#include "tma/detail/assert.h"
#include "tma/spec_options.def"
};

const char *tma_spec_option_name(size_t option) {
    return option < TMA_SPEC_OPTIONS ? tma_spec_rows[option].name : NULL;
}

uint32_t tma_spec_entries_of(const spec_row *row, uint32_t api, uint32_t dims) {
    switch (row->entries) {
    case DIMS:
        return dims;
    case STRIDES:
        return dims ? dims - 1 : 0;
    case CORNERS:
        return dims < 3 ? 0 : api == TMA_API_WIDE ? 1 : dims - 2;
    default:
        return 1;
    }
}

uint32_t tma_spec_entries(const tma_spec *spec, tma_spec_option option) {
    if (option >= TMA_SPEC_OPTIONS) {
        return 0;
    }
    const spec_row *row = &tma_spec_rows[option];
    const uint32_t dims = spec->rank < TMA_MAX_RANK ? spec->rank : TMA_MAX_RANK;
    return spec_has(row, spec->api) ? tma_spec_entries_of(row, spec->api, dims) : 0;
}

bool tma_spec_has(const tma_spec *spec, tma_spec_option option) {
    return option < TMA_SPEC_OPTIONS && spec_has(&tma_spec_rows[option], spec->api);
}

bool tma_spec_is_known(const tma_spec *spec, tma_spec_option option) {
    if (option >= TMA_SPEC_OPTIONS) {
        return false;
    }
    const spec_row *row = &tma_spec_rows[option];
    return row->form != NAME || tma_enum_row_of(row->names, (uint32_t)tma_spec_get(spec, row, 0));
}

uint64_t tma_spec_get(const tma_spec *spec, const spec_row *row, uint32_t i) {
    const unsigned char *member = (const unsigned char *)spec + row->offset;
    TMA_ASSERT(i < row->room);
    uint64_t wide = 0;
    uint32_t small = 0;
    if (spec_is_wide(row)) {
        memcpy(&wide, member + (size_t)8 * i, sizeof(wide));
        return wide;
    }
    memcpy(&small, member + (size_t)4 * i, sizeof(small));
    return row->form == LIST_I32 ? (uint64_t)(int64_t)(int32_t)small : small;
}

void tma_spec_set(tma_spec *spec, const spec_row *row, uint32_t i, uint64_t value) {
    unsigned char *member = (unsigned char *)spec + row->offset;
    const uint32_t small = (uint32_t)value;
    if (i >= row->room) {
        return;
    }
    if (spec_is_wide(row)) {
        memcpy(member + (size_t)8 * i, &value, sizeof(value));
    } else {
        memcpy(member + (size_t)4 * i, &small, sizeof(small));
    }
}

void tma_spec_put(tma_out *out, const tma_spec *spec, const spec_row *row, const char *between,
                  int names) {
    const uint32_t count = tma_spec_entries(spec, (tma_spec_option)(row - tma_spec_rows));
    TMA_ASSERT(count <= row->room);
    for (uint32_t i = 0; i < count; i++) {
        const uint64_t value = tma_spec_get(spec, row, i);
        tma_put(out, i ? between : "");
        if (row->form == NAME && names) {
            tma_put_enum(out, row->names, (uint32_t)value);
        } else if (row->form == U64) {
            tma_putf(out, "0x%" TMA_X64, value);
        } else if (row->form == LIST_I32) {
            tma_putf(out, "%" TMA_D64, (int64_t)value);
        } else {
            tma_putf(out, "%" TMA_U64, value);
        }
    }
}

void tma_put_option_value(tma_out *out, const tma_spec *spec, tma_spec_option option,
                          const char *between) {
    if (option < TMA_SPEC_OPTIONS) {
        tma_spec_put(out, spec, &tma_spec_rows[option], between, 1);
    }
}

/* A rank that has the number of sizes goes without saying. */
static int is_said(const tma_spec *spec, uint32_t option) {
    return tma_spec_entries(spec, (tma_spec_option)option) &&
           (option != TMA_OPTION_RANK || spec->rank - 1 >= TMA_MAX_RANK);
}

void tma_put_spec(tma_out *out, const tma_spec *spec) {
    for (uint32_t i = 0; i < TMA_SPEC_OPTIONS; i++) {
        if (is_said(spec, i)) {
            tma_putf(out, " --%s ", tma_spec_rows[i].name);
            tma_put_option_value(out, spec, (tma_spec_option)i, ",");
        }
    }
}
