/* SPDX-License-Identifier: Apache-2.0
 *
 * The map that a case line asks for, read and written by spec_options.def.
 */
#include <string.h>

#include "spec_table.h"
#include "tma/case.h"
#include "tma/detail/chars.h"

#define MOST_ENTRIES 8 /* of a list, as the program that captured the lines takes them */

/* Numbers are two's complement: negative ones may stand in unsigned fields, as in a C call. */
static int in_32_bits(uint64_t number, spec_form form) {
    return number >= (uint64_t)INT32_MIN ||
           number <= (form == LIST_I32 ? (uint64_t)INT32_MAX : UINT32_MAX);
}

static int store(tma_spec *spec, const spec_row *row, uint32_t i, const char *text, size_t length,
                 tma_error *error) {
    uint64_t number = 0;
    if (tma_case_number(&number, text, length)) {
        return tma_fail(error, "%s='%.*s' is not a number: decimal or hexadecimal (0x10)", row->key,
                        text_shown(length), text);
    }
    if (!spec_is_wide(row) && !in_32_bits(number, row->form)) {
        return tma_fail(error, "%s=%.*s does not fit in its 32 bits", row->key, text_shown(length),
                        text);
    }
    tma_spec_set(spec, row, i, number);
    return 0;
}

/* Short lists are filled up with zeros, as the program that captured the lines does it. */
static int store_list(tma_spec *spec, const spec_row *row, const char *text, tma_error *error) {
    size_t left = text_length(text);
    for (uint32_t i = 0; *text || i; i++) { /* stride= of rank 1 is empty */
        const size_t length = text_until(text, left, ',');
        if (i == MOST_ENTRIES) {
            return tma_fail(error, "%s has more than %d entries", row->key, MOST_ENTRIES);
        }
        if (store(spec, row, i, text, length, error)) {
            return -1;
        }
        if (length == left) {
            return 0;
        }
        text += length + 1;
        left -= length + 1;
    }
    return 0;
}

static int store_value(tma_spec *spec, const spec_row *row, const char *value, tma_error *error) {
    uint32_t number = 0;
    if (spec_is_list(row)) {
        return store_list(spec, row, value, error);
    }
    if (row != &tma_spec_rows[TMA_OPTION_API]) { /* all else is in numbers */
        return store(spec, row, 0, value, text_length(value), error);
    }
    if (tma_read_enum(&number, row->names, value, row->key, error)) {
        return -1;
    }
    tma_spec_set(spec, row, 0, number);
    return 0;
}

static int store_target(tma_target *target, const char *key, const char *value, tma_error *error) {
    return text_same(key, "arch")     ? tma_read_arch(target, value, key, error)
           : text_same(key, "driver") ? tma_read_driver(&target->driver, value, key, error)
                                      : 0; /* id */
}

static uint32_t row_of(const char *key) {
    uint32_t i = 0;
    while (i < TMA_SPEC_OPTIONS && !text_same(tma_spec_rows[i].key, key)) {
        i++;
    }
    return i;
}

static int belong(uint32_t api, uint32_t seen, tma_error *error) {
    for (uint32_t i = 0; i < TMA_SPEC_OPTIONS; i++) {
        const spec_row *row = &tma_spec_rows[i];
        const int has = spec_has(row, api);
        if (has && row->left_out != ALWAYS && !(seen >> i & 1)) {
            return tma_fail(error, "%s= is missing", row->key);
        }
        if (!has && seen >> i & 1) {
            return tma_fail(error, "%s= does not belong to api=%s", row->key,
                            tma_enum_row_of(TMA_ENUM_API, api)->name);
        }
    }
    return 0;
}

/* All fields of the request; *seen: a bit for each option. */
static int read_fields(tma_spec *spec, tma_target *target, const tma_case *line, const char *also,
                       uint32_t *seen, tma_error *error) {
    memset(spec, 0, sizeof(*spec));
    *seen = 0;
    for (size_t i = 0; i < line->request; i++) {
        const tma_case_field *field = &line->fields[i];
        const uint32_t row = row_of(field->key);
        int failed = 0;
        if (row < TMA_SPEC_OPTIONS) {
            *seen |= 1u << row;
            failed = store_value(spec, &tma_spec_rows[row], field->value, error);
        } else if (tma_case_word_in(field->key, "arch driver id")) {
            failed = store_target(target, field->key, field->value, error);
        } else if (!tma_case_word_in(field->key, also)) {
            failed = tma_fail(error, "unknown field '%.80s' in a line of kind %.80s", field->key,
                              line->kind);
        }
        if (failed) {
            return -1;
        }
    }
    return 0;
}

int tma_case_spec(tma_spec *spec, tma_target *target, const tma_case *line, const char *also,
                  tma_error *error) {
    uint32_t seen = 0;
    return read_fields(spec, target, line, also, &seen, error) || belong(spec->api, seen, error)
               ? -1
               : 0;
}

/* The options of a tensor without its box. */
static int is_of_tensor(uint32_t option) {
    return option == TMA_OPTION_DTYPE || option == TMA_OPTION_DIM || option == TMA_OPTION_STRIDE;
}

int tma_case_tensor(tma_spec *spec, tma_target *target, const tma_case *line, tma_error *error) {
    uint32_t seen = 0;
    if (read_fields(spec, target, line, "", &seen, error)) {
        return -1;
    }
    for (uint32_t i = 0; i < TMA_SPEC_OPTIONS; i++) {
        if (is_of_tensor(i) != (int)(seen >> i & 1)) {
            return tma_fail(error,
                            is_of_tensor(i) ? "%s= is missing"
                                            : "%s= does not belong to a line of kind %.80s",
                            tma_spec_rows[i].key, line->kind);
        }
    }
    spec->rank = 0;
    while (spec->rank < TMA_MAX_RANK && spec->dim_el[spec->rank]) {
        spec->box_el[spec->rank] = spec->element_stride[spec->rank] = 1;
        spec->rank++;
    }
    return 0;
}

void tma_put_case(tma_out *out, const char *kind, const tma_spec *spec, const tma_target *target) {
    tma_put(out, kind);
    if (target && (target->sm != 90 || target->suffix)) {
        const tma_arch_row *row = tma_arch_of(target);
        if (row) {
            tma_putf(out, " arch=%s", row->name);
        } else {
            tma_putf(out, " arch=sm_%u", target->sm);
        }
    }
    if (target && target->driver) {
        tma_putf(out, " driver=%u", target->driver);
    }
    for (uint32_t i = 0; i < TMA_SPEC_OPTIONS; i++) {
        const spec_row *row = &tma_spec_rows[i];
        if (spec_has(row, spec->api)) {
            tma_putf(out, " %s=", row->key);
            tma_spec_put(out, spec, row, ",", i == TMA_OPTION_API);
        }
    }
}
