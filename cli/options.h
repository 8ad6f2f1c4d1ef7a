/* SPDX-License-Identifier: Apache-2.0
 *
 * The options that verbs share, as parsers inside theirs: what a map is, what it is for, what to
 * print.
 */
#ifndef CLI_OPTIONS_H
#define CLI_OPTIONS_H

#include "args.h"

#include "color.h"
#include "lint.h"
#include "tma/dump.h"
#include "tma/grammar.h"

/* A spec and its target; the input is a tma_spec_words, which is not finished. */
extern const args_parser spec_parser;

/* --arch and --driver alone; the input is a tma_target_words. */
extern const args_parser target_parser;

/* --ptxas, beside target_parser and with the same input, of verbs that edit maps. */
extern const args_parser toolchain_parser;

/* All arguments; the input is an options_list. */
typedef struct options_list {
    char **of;
    size_t count;
} options_list;
extern const args_parser list_parser;

/* What is asked of a map and an MMA; the input is a tma_mma_question, which is not finished. */
extern const args_parser mma_parser;

/* --json, whose input is an int; --color, whose input is a color_mode; and both: 0 before. */
typedef struct output_options {
    int json;
    color_mode color;
} output_options;

extern const args_parser json_parser;
extern const args_parser color_parser;
extern const args_parser output_parser;

/* --format of findings, whose input is a lint_format: LINT_FORMAT_TEXT before. */
extern const args_parser format_parser;

/* The value of --format: "hex", "c", "words" or "raw". */
tma_map_form option_map_form(const char *text, const args_state *state);

/* Says what is wrong as args_error() does, and ends the program, if `failed`. */
void option_check(int failed, const args_state *state, const tma_error *error);

/* Refuses a leading option with a control character in it, which args_parse() would print as it
 * stands.
 */
void options_printable(int argc, char **argv);

/* args_parse(), but an unknown long option is refused with the names of those that it may mean. */
void options_parse(const args_parser *parser, int argc, char **argv, void *input);

/* The same for a verb that runs a program: its own options end before the program's name. */
void options_parse_program(const args_parser *parser, int argc, char **argv, void *input);

/* For its callback, at ARGS_KEY_ARG: takes the program's name and all behind it. */
char **option_program(args_state *state);

#endif
