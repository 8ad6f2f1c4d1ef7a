/* SPDX-License-Identifier: Apache-2.0
 *
 * Options to a tma_spec, one at a time; spec_defaults.c does what needs all of them.
 */
#include "spec_args.h"

#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "names.h"
#include "number.h"

enum { FIRST_KEY = 0x100 };

typedef enum form { NAME, U32, U64, LIST_U32, LIST_U64, LIST_I32 } form;

typedef struct option_row {
    const char *name;
    form form;
    tma_enum_kind names;
    size_t offset;
    size_t entries; /* of the member */
} option_row;

#define ENTRIES(member, form)                                                                      \
    ((form) < LIST_U32 ? 1 : sizeof(((tma_spec *)0)->member) / ((form) == LIST_U64 ? 8 : 4))

static const option_row rows[SPEC_OPTIONS] = {
#define OPTION(id, name, argument, form, names, member, help)                                      \
    {name, form, TMA_ENUM_##names, offsetof(tma_spec, member), ENTRIES(member, form)},
#include "spec_options.def"
#undef OPTION
};

static const struct argp_option options[] = {
    {0, 0, 0, 0, "The map, in the driver's words (names, or the driver's numbers):", 10},
#define OPTION(id, name, argument, form, names, member, help)                                      \
    {name, FIRST_KEY + SPEC_##id, argument, 0, help, 0},
#include "spec_options.def"
#undef OPTION
    {0},
};

static const struct argp_child children[] = {{&target_argp, 0, 0, 40}, {0}};

/* One number into entry i of the option's member; entries beyond it are checked and left. */
static int set_entry(tma_spec *spec, const option_row *row, size_t i, const char *text,
                     size_t length, cli_error *error) {
    char what[32];
    unsigned char *member = (unsigned char *)spec + row->offset;
    uint64_t number = 0;
    int32_t corner = 0;
    snprintf(what, sizeof(what), row->form < LIST_U32 ? "--%s" : "--%s[%zu]", row->name, i);
    if (row->form == LIST_I32) {
        if (number_i32(text, length, what, &corner, error)) {
            return -1;
        }
    } else if (number_u64(text, length, what, &number, error)) {
        return -1;
    }
    const uint32_t small = row->form == LIST_I32 ? (uint32_t)corner : (uint32_t)number;
    const int is_wide = row->form == U64 || row->form == LIST_U64;
    if (!is_wide && number > UINT32_MAX) {
        return cli_fail(error, "%s: %.*s does not fit in the 32 bits that the call has for it",
                        what, (int)length, text);
    }
    if (i < row->entries) {
        memcpy(member + i * (is_wide ? 8 : 4), is_wide ? (void *)&number : (void *)&small,
               is_wide ? 8 : 4);
    }
    return 0;
}

static int set_list(spec_args *args, const option_row *row, uint32_t *count, const char *text,
                    cli_error *error) {
    for (const char *at = text;; at++) {
        const size_t length = strcspn(at, ",");
        if (*count == SPEC_MOST_ENTRIES) {
            return cli_fail(error, "--%s has more than %d entries", row->name, SPEC_MOST_ENTRIES);
        }
        if (set_entry(&args->spec, row, *count, at, length, error)) {
            return -1;
        }
        ++*count;
        at += length;
        if (!*at) {
            return 0;
        }
    }
}

static int set_option(spec_args *args, uint32_t id, const char *text, cli_error *error) {
    const option_row *row = &rows[id];
    if (args->given & 1u << id) {
        return cli_fail(error, "--%s is given twice", row->name);
    }
    args->given |= 1u << id;
    if (row->form == NAME) {
        char what[32];
        uint32_t number = 0;
        snprintf(what, sizeof(what), "--%s", row->name);
        if (name_enum(row->names, text, what, &number, error)) {
            return -1;
        }
        memcpy((unsigned char *)&args->spec + row->offset, &number, sizeof(number));
        return 0;
    }
    return row->form < LIST_U32 ? set_entry(&args->spec, row, 0, text, strlen(text), error)
                                : set_list(args, row, &args->count[id], text, error);
}

static const char *option_name(size_t i) {
    return i < SPEC_OPTIONS ? rows[i].name : NULL;
}

int spec_args_set(spec_args *args, const char *name, const char *value, cli_error *error) {
    for (uint32_t i = 0; i < SPEC_OPTIONS; i++) {
        if (!strcmp(name, rows[i].name)) {
            return set_option(args, i, value, error);
        }
    }
    if (!strcmp(name, "arch")) {
        return name_arch(value, "--arch", &args->target.target, error);
    }
    if (!strcmp(name, "driver")) {
        return target_driver(value, &args->target.target.driver, error);
    }
    return name_unknown(name, "option", option_name, error);
}

int spec_args_any(const spec_args *args) {
    return args->given != 0;
}

static error_t parse(int key, char *text, struct argp_state *state) {
    spec_args *args = state->input;
    cli_error error;
    if (key == ARGP_KEY_INIT) {
        memset(args, 0, sizeof(*args));
        state->child_inputs[0] = &args->target;
        return 0;
    }
    if (key < FIRST_KEY || key >= FIRST_KEY + SPEC_OPTIONS) {
        return ARGP_ERR_UNKNOWN;
    }
    if (set_option(args, (uint32_t)(key - FIRST_KEY), text, &error)) {
        argp_error(state, "%s", error.text);
    }
    return 0;
}

const struct argp spec_argp = {options, parse, 0, 0, children, 0, 0};
