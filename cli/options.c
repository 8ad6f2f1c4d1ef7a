/* SPDX-License-Identifier: Apache-2.0
 *
 * Options that verbs share.
 */
#include "options.h"

#include <string.h>

enum {
    KEY_SPEC = 0x100,
    KEY_CONV = KEY_SPEC + TMA_SPEC_OPTIONS,
    KEY_TARGET = 0x200,
    KEY_COLOR = KEY_TARGET + TMA_TARGET_OPTIONS,
    KEY_FORMAT
};

void option_check(int failed, const args_state *state, const tma_error *error) {
    if (failed) {
        args_error(state, "%s", error->text);
    }
}

tma_map_form option_map_form(const char *text, const args_state *state) {
    size_t found = 0;
    tma_error error;
    option_check(tma_read_name(&found, text, "--format", tma_map_form_name, &error), state, &error);
    return (tma_map_form)found;
}

char **option_program(args_state *state) {
    char **program = state->argv + state->next - 1;
    state->next = state->argc;
    return program;
}

static const args_option target_options[] = {
    {0, 0, 0, 0, "What the map is for:", 40},
#define TARGET_MAP(id, name, value, help) {name, KEY_TARGET + TMA_TARGET_##id, value, 0, help, 0},
#define TARGET_COPY(id, name, value, help)
#define TARGET_EDIT(id, name, value, help)
#define TMA_TARGET_OPTION(id, name, value, of, help) TARGET_##of(id, name, value, help)
#include "tma/target_options.def"
#undef TARGET_MAP
#undef TARGET_EDIT
    {0},
};

static const args_option toolchain_options[] = {
#define TARGET_MAP(id, name, value, help)
#define TARGET_EDIT(id, name, value, help)           {name, KEY_TARGET + TMA_TARGET_##id, value, 0, help, 0},
#define TMA_TARGET_OPTION(id, name, value, of, help) TARGET_##of(id, name, value, help)
#include "tma/target_options.def"
    {0},
};

static int parse_target(int key, char *text, args_state *state) {
    tma_target_words *words = state->input;
    tma_error error;
    if (key == ARGS_KEY_INIT) {
        tma_target_words_begin(words);
        return 0;
    }
    if (key < KEY_TARGET || key >= KEY_TARGET + TMA_TARGET_OPTIONS) {
        return ARGS_UNKNOWN;
    }
    const char *name = tma_target_option_name((size_t)(key - KEY_TARGET));
    option_check(tma_target_words_set(words, name, text, &error), state, &error);
    return 0;
}

const args_parser target_parser = {target_options, parse_target, 0, 0, 0, 0};

static int parse_toolchain(int key, char *text, args_state *state) {
    return key == ARGS_KEY_INIT ? 0 : parse_target(key, text, state);
}

const args_parser toolchain_parser = {toolchain_options, parse_toolchain, 0, 0, 0, 0};

static int parse_list(int key, char *text, args_state *state) {
    options_list *list = state->input;
    (void)text;
    if (key != ARGS_KEY_ARGS) {
        return ARGS_UNKNOWN;
    }
    *list = (options_list){state->argv + state->next, (size_t)(state->argc - state->next)};
    return 0;
}

const args_parser list_parser = {0, parse_list, 0, 0, 0, 0};

static const args_option spec_options[] = {
    {0, 0, 0, 0, "The map, in the driver's words (names, or the driver's numbers):", 10},
#define TMA_OPTION(id, is, name, value, form, names, member, entries, calls, left_out, key, help)  \
    {name, KEY_SPEC + TMA_OPTION_##id, value, 0, help, 0},
#include "tma/spec_options.def"
    {TMA_CONV_OPTION, KEY_CONV, "CONVOLUTION", 0,
     "the corners and element strides of a convolution: pad=1,dil=1,filter=3x3,stride=2 (im2col)",
     0},
    {0},
};

static int parse_spec(int key, char *text, args_state *state) {
    tma_spec_words *words = state->input;
    tma_error error;
    if (key == ARGS_KEY_INIT) {
        tma_spec_words_begin(words);
        return 0;
    }
    if (key == KEY_CONV) {
        option_check(tma_spec_words_set_named(words, TMA_CONV_OPTION, text, &error), state, &error);
        return 0;
    }
    if (key < KEY_SPEC || key >= KEY_SPEC + TMA_SPEC_OPTIONS) {
        return ARGS_UNKNOWN;
    }
    option_check(tma_spec_words_set(words, (tma_spec_option)(key - KEY_SPEC), text, &error), state,
                 &error);
    return 0;
}

static const args_child spec_children[] = {{&target_parser, 0, 40, ARGS_AT(tma_spec_words, target)},
                                           {0}};

const args_parser spec_parser = {spec_options, parse_spec, 0, 0, spec_children, 0};

static const args_option json_options[] = {
    {0, 0, 0, 0, "What to print:", 50},
    {"json", 0, 0, ARGS_SETS, "JSON: one object a line", 0},
    {0},
};

const args_parser json_parser = {json_options, 0, 0, 0, 0, 0};

static const args_option format_options[] = {
    {"format", KEY_FORMAT, "FORM", 0,
     "findings for other programs: gcc (FILE:LINE:COLUMN: error: ... [rule]), github "
     "(annotations), sarif (2.1.0), json (an object a finding), or text",
     50},
    {0},
};

static int parse_format(int key, char *text, args_state *state) {
    lint_format *format = state->input;
    size_t found = 0;
    tma_error error;
    if (key != KEY_FORMAT) {
        return ARGS_UNKNOWN;
    }
    option_check(tma_read_name(&found, text, "--format", lint_format_name, &error), state, &error);
    *format = (lint_format)found;
    return 0;
}

const args_parser format_parser = {format_options, parse_format, 0, 0, 0, 0};

static const args_option color_options[] = {
    {"color", KEY_COLOR, "WHEN", ARGS_VALUE_OPTIONAL, "colours: auto (default), always or never",
     50},
    {0},
};

static int parse_color(int key, char *text, args_state *state) {
    color_mode *color = state->input;
    tma_error error;
    if (key != KEY_COLOR) {
        return ARGS_UNKNOWN;
    }
    option_check(color_mode_named(text, color, &error), state, &error);
    return 0;
}

const args_parser color_parser = {color_options, parse_color, 0, 0, 0, 0};

static const args_child output_children[] = {{&json_parser, 0, 0, ARGS_AT(output_options, json)},
                                             {&color_parser, 0, 0, ARGS_AT(output_options, color)},
                                             {0}};

const args_parser output_parser = {0, 0, 0, 0, output_children, 0};
