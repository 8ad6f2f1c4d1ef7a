/* SPDX-License-Identifier: Apache-2.0
 *
 * Options to a spec: one at a time, then whether they belong together and what stands for those
 * left out.
 */
#include <string.h>

#include "spec_table.h"
#include "tma/detail/chars.h"

#define DEFAULT_ADDRESS UINT64_C(0x7f0000000000)

void tma_spec_words_begin(tma_spec_words *words) {
    memset(words, 0, sizeof(*words));
    tma_target_words_begin(&words->target);
}

static int is_given(const tma_spec_words *words, const spec_row *row) {
    return (words->given >> (row - tma_spec_rows) & 1) != 0;
}

/* Whether --conv set it: a bit above those of the options. */
static int is_of_conv(const tma_spec_words *words, const spec_row *row) {
    return (words->given >> TMA_SPEC_OPTIONS >> (row - tma_spec_rows) & 1) != 0;
}

/* Corners by the name of what the user wrote. */
static const char *name_of(const tma_spec_words *words, const spec_row *row) {
    return is_of_conv(words, row) ? "conv filter" : row->name;
}

int tma_spec_words_take(tma_spec_words *words, tma_spec_option option, int by_conv,
                        tma_error *error) {
    const spec_row *row = &tma_spec_rows[option];
    if (is_given(words, row)) {
        return by_conv != is_of_conv(words, row)
                   ? tma_fail(error, "--conv and --%s exclude each other: --conv sets it",
                              row->name)
                   : tma_fail(error, "--%s is given twice", by_conv ? TMA_CONV_OPTION : row->name);
    }
    words->given |= (1u | (uint32_t)by_conv << TMA_SPEC_OPTIONS) << option;
    return 0;
}

/* One number into entry i; entries beyond the member are read and left. */
static int set_entry(tma_spec_words *words, const spec_row *row, uint32_t i, const char *text,
                     size_t length, tma_error *error) {
    char what[32];
    uint64_t number = 0;
    int32_t corner = 0;
    tma_out name = tma_out_into(what, sizeof(what));
    tma_putf(&name, spec_is_list(row) ? "--%s[%u]" : "--%s", row->name, i);
    if (row->form == LIST_I32) {
        if (tma_read_i32(&corner, text, length, what, error)) {
            return -1;
        }
        number = (uint64_t)(int64_t)corner;
    } else if (tma_read_u64(&number, text, length, what, error)) {
        return -1;
    } else if (!spec_is_wide(row) && number > UINT32_MAX) {
        return tma_fail(error, "%s: %.*s does not fit in the 32 bits that the call has for it",
                        what, text_shown(length), text);
    }
    tma_spec_set(&words->spec, row, i, number);
    return 0;
}

static int is_bracket(char open, char close) {
    return (open == '(' && close == ')') || (open == '[' && close == ']') ||
           (open == '{' && close == '}');
}

static int set_list(tma_spec_words *words, const spec_row *row, uint32_t *count, const char *text,
                    tma_error *error) {
    size_t left = text_length(text);
    if (left > 1 && is_bracket(text[0], text[left - 1])) { /* "(4096, 8192)" */
        text++;
        left -= 2;
    }
    for (;; text++, left--) {
        while (left && *text == ' ') {
            text++;
            left--;
        }
        const size_t length = text_until(text, left, ',');
        if (*count == TMA_LIST_ENTRIES) {
            return tma_fail(error, "--%s has more than %d entries", row->name, TMA_LIST_ENTRIES);
        }
        if (set_entry(words, row, *count, text, length, error)) {
            return -1;
        }
        ++*count;
        text += length;
        left -= length;
        if (!left) {
            return 0;
        }
    }
}

int tma_spec_words_set(tma_spec_words *words, tma_spec_option option, const char *value,
                       tma_error *error) {
    if (option >= TMA_SPEC_OPTIONS) {
        return tma_fail(error, "option %u is none of a spec", (unsigned)option);
    }
    const spec_row *row = &tma_spec_rows[option];
    if (tma_spec_words_take(words, option, 0, error)) {
        return -1;
    }
    if (row->form == NAME) {
        char what[32];
        uint32_t number = 0;
        tma_out name = tma_out_into(what, sizeof(what));
        tma_putf(&name, "--%s", row->name);
        if (tma_read_enum(&number, row->names, value, what, error)) {
            return -1;
        }
        tma_spec_set(&words->spec, row, 0, number);
        const size_t length = text_length(value);
        if (row->names == TMA_ENUM_DTYPE && length < sizeof(words->dtype_word)) {
            memcpy(words->dtype_word, value, length + 1);
        }
        return 0;
    }
    return spec_is_list(row) ? set_list(words, row, &words->count[option], value, error)
                             : set_entry(words, row, 0, value, text_length(value), error);
}

int tma_spec_words_set_named(tma_spec_words *words, const char *name, const char *value,
                             tma_error *error) {
    size_t option = 0;
    for (size_t i = 0; tma_target_option_name(i); i++) {
        if (text_same(name, tma_target_option_name(i))) {
            return tma_target_words_set(&words->target, name, value, error);
        }
    }
    if (text_same(name, TMA_CONV_OPTION)) {
        return tma_spec_words_conv(words, value, error);
    }
    return tma_read_name(&option, name, "option", tma_spec_option_name, error)
               ? -1
               : tma_spec_words_set(words, (tma_spec_option)option, value, error);
}

static const char *api_name(uint32_t api) {
    const tma_enum_row *row = tma_enum_row_of(TMA_ENUM_API, api);
    return row ? row->name : "?";
}

/* Options that the chosen call has no argument for are refused, not ignored. */
static int belongs(const tma_spec_words *words, const spec_row *row, tma_error *error) {
    const uint32_t api = words->spec.api;
    const char *between = "";
    if (!is_given(words, row) || spec_has(row, api)) {
        return 0;
    }
    tma_fail(error, "--%s belongs to --api ", name_of(words, row));
    for (uint32_t i = 0; i <= TMA_API_WIDE; i++) {
        if (spec_has(row, i)) {
            tma_fail_more(error, "%s%s", between, api_name(i));
            between = " and ";
        }
    }
    return tma_fail_more(error, ", but --api is %s", api_name(api));
}

/* The corners of fewer than three dimensions are none. */
static int is_there(const tma_spec_words *words, const spec_row *row, tma_error *error) {
    const uint32_t api = words->spec.api;
    const uint32_t dims = words->count[TMA_OPTION_DIM];
    const int is_needed = row->left_out == NEVER && spec_has(row, api) &&
                          (row->entries != CORNERS || tma_spec_entries_of(row, api, dims));
    return is_needed && !is_given(words, row)
               ? tma_fail(error, "--%s is missing (--api is %s)", row->name, api_name(api))
               : 0;
}

/* Lists of one spec belong to one rank, that of --dim. The corners of a map of fewer than three
 * dimensions, which is none, have no right number. */
static int has_length(const tma_spec_words *words, const spec_row *row, tma_error *error) {
    const uint32_t dims = words->count[TMA_OPTION_DIM];
    const uint32_t count = words->count[row - tma_spec_rows];
    const uint32_t expected = tma_spec_entries_of(row, words->spec.api, dims);
    const char *why = row->entries == DIMS              ? "as many are needed"
                      : row->entries == STRIDES         ? "one less is needed"
                      : words->spec.api == TMA_API_WIDE ? "W alone is needed"
                                                        : "two less are needed";
    if (!spec_is_list(row) || !is_given(words, row) || count == expected ||
        (row->entries == CORNERS && dims < 3) ||
        (row->entries == DIMS && is_of_conv(words, row))) { /* of its strides all are set */
        return 0;
    }
    return tma_fail(error, "--%s has %u %s, but --dim has %u: %s, %u", name_of(words, row), count,
                    count == 1 ? "entry" : "entries", dims, why, expected);
}

/* A --rank beyond 5 may stand beside five entries, of which no call takes more, and one of 0 beside
 * any. */
static int has_rank(const tma_spec_words *words, const spec_row *row, tma_error *error) {
    const uint32_t n = words->count[TMA_OPTION_DIM];
    const uint32_t rank = words->spec.rank;
    const int is_rank = rank >= 1 && rank <= TMA_MAX_RANK;
    if (row == &tma_spec_rows[TMA_OPTION_RANK] && is_given(words, row) &&
        (is_rank ? rank != n : rank && n < TMA_MAX_RANK)) {
        return tma_fail(error, "--rank is %u, but --dim has %u %s%s", rank, n,
                        n == 1 ? "entry" : "entries", is_rank ? "" : "; 5 will do");
    }
    return 0;
}

/* What the library fills in, kept where the options left it open. Where packed strides are no
 * multiple of 16 bytes, a check shows it. */
static int fill(tma_spec_words *words, tma_error *error) {
    tma_spec *s = &words->spec;
    tma_spec filled = *s;
    const uint32_t n = words->count[TMA_OPTION_DIM];
    const int strides_given = is_given(words, &tma_spec_rows[TMA_OPTION_STRIDE]);
    filled.rank = strides_given ? 1 : n < TMA_MAX_RANK ? n : TMA_MAX_RANK; /* --rank may be wrong */
    if (tma_spec_fill(&filled) != TMA_OK) {
        return !s->interleave && !tma_dtype_bits(s->dtype)
                   ? tma_fail(error,
                              "--stride is missing: --dtype %u is no type, and has no packed "
                              "strides",
                              s->dtype)
                   : tma_fail(error, "--stride is missing: the packed ones do not fit in 64 bits");
    }
    for (uint32_t i = 0; i < TMA_MAX_RANK; i++) {
        if (!is_given(words, &tma_spec_rows[TMA_OPTION_ELEMENT_STRIDE])) {
            s->element_stride[i] = 1;
        }
        if (!strides_given && i < TMA_MAX_STRIDES) {
            s->stride_B[i] = filled.stride_B[i];
        }
    }
    return 0;
}

int tma_spec_words_finish(tma_spec_words *words, tma_error *error) {
    static int (*const checks[])(const tma_spec_words *, const spec_row *,
                                 tma_error *) = {belongs, is_there, has_rank, has_length};
    tma_spec *s = &words->spec;
    for (size_t i = 0; i < sizeof(checks) / sizeof(checks[0]) * TMA_SPEC_OPTIONS; i++) {
        if (checks[i / TMA_SPEC_OPTIONS](words, &tma_spec_rows[i % TMA_SPEC_OPTIONS], error)) {
            return -1;
        }
    }
    s->rank =
        is_given(words, &tma_spec_rows[TMA_OPTION_RANK]) ? s->rank : words->count[TMA_OPTION_DIM];
    s->address = is_given(words, &tma_spec_rows[TMA_OPTION_ADDRESS]) ? s->address : DEFAULT_ADDRESS;
    return fill(words, error);
}
