/* SPDX-License-Identifier: Apache-2.0
 *
 * Options of a launch by their names. Numbers and flags are the rows of launch_keys.def: a key is
 * the option's name with _ in the place of -, and of bytes with _B behind it.
 */
#include "launch_file.h"
#include "run_session.h"
#include "tma/detail/chars.h"
#include "tma/grammar.h"

static int is_key(const char *key, const char *name) {
    while (*name && (*key == *name || (*key == '_' && *name == '-'))) {
        key++;
        name++;
    }
    return !*name && (!*key || text_same(key, "_B"));
}

static const launch_number *number_of(const char *name) {
    const launch_number *row;
    size_t i = 0;
    while ((row = launch_number_at(i)) && !is_key(row->key, name)) {
        i++;
    }
    return row;
}

/* grid, block, cluster; null: another name. */
static uint32_t *size_of(session_how *how, const char *name) {
    return text_same(name, "grid")      ? how->launch.grid
           : text_same(name, "block")   ? how->launch.block
           : text_same(name, "cluster") ? how->launch.cluster
                                        : NULL;
}

/* X, X,Y or X,Y,Z: what is left out is 1. */
static int read_size(uint32_t size[3], const char *text, const char *name, tma_error *error) {
    size[1] = size[2] = 1;
    for (uint32_t i = 0; i < 3; i++) {
        const size_t length = text_until(text, text_length(text), ',');
        if (tma_read_u32(&size[i], text, length, UINT32_MAX, name, error)) {
            return -1;
        }
        if (!size[i]) {
            return tma_fail(error, "%s: 0, must be 1 at least", name);
        }
        if (!text[length]) {
            return 0;
        }
        text += length + 1;
    }
    return tma_fail(error, "%s: more than three numbers", name);
}

static int read_number(session_how *how, const launch_number *row, const char *text,
                       const char *name, tma_error *error) {
    uint64_t number = 0;
    if (tma_read_u64(&number, text, text_length(text), name, error)) {
        return -1;
    }
    if (number > row->most) {
        return tma_fail(error, "%s: %llu, must be %llu at most", name, (unsigned long long)number,
                        (unsigned long long)row->most);
    }
    launch_number_set(row, how, number);
    return 0;
}

session_option_kind session_option_of(const char *name) {
    const launch_number *row = number_of(name);
    session_how none;
    return row && row->most == 1                                       ? SESSION_FLAG
           : row || size_of(&none, name) || text_same(name, "reading") ? SESSION_VALUED
                                                                       : SESSION_NO_OPTION;
}

int session_option(session_how *how, const char *name, const char *text, tma_error *error) {
    char option[SESSION_VALUE];
    tma_out out = tma_out_into(option, sizeof(option));
    const launch_number *row = number_of(name);
    uint32_t *size = size_of(how, name);
    tma_putf(&out, "--%s", name);
    if (text_same(name, "reading")) {
        return session_reading(how, text, error);
    }
    return size ? read_size(size, text, option, error)
                : read_number(how, row, row->most == 1 ? "1" : text, option, error);
}
