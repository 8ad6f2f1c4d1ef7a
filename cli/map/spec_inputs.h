/* SPDX-License-Identifier: Apache-2.0
 *
 * Where specs come from: the options, one --case line, or files of case lines. A parser inside
 * those of the verbs that take any of them.
 */
#ifndef CLI_SPEC_INPUTS_H
#define CLI_SPEC_INPUTS_H

#include "args.h"

#include "cli_out.h"
#include "options.h"
#include "tma/case.h"

typedef struct spec_inputs {
    tma_spec_words args;
    char *case_line;
    options_list paths; /* of the arguments; - is standard input */
    const char *map;    /* set while reading, by a verb that has --map */
    int takes_texts;    /* set before: files may hold anything, and options say what they lack */
} spec_inputs;

/* Its input is a spec_inputs. */
extern const args_parser spec_inputs_parser;

/* One spec, or the reason why there is none. */
typedef struct spec_input {
    const char *label; /* "FILE:LINE", null where only one spec can be */
    size_t line;       /* of it, or 0 */
    const char *id;    /* the case line's id=, or null */
    const tma_spec *spec;
    const tma_target *target;
    const tma_error *error; /* null if there is a spec */
} spec_input;

typedef void (*spec_visit)(void *context, const spec_input *input);

/* Calls `visit` for each; errors are said on standard error, too. Returns how many there were. */
size_t spec_inputs_each(spec_inputs *inputs, spec_visit visit, void *context);

/* The same for the case lines of one text. */
size_t spec_inputs_text(spec_inputs *inputs, const char *text, size_t size, const char *name,
                        spec_visit visit, void *context);

/* Where the spec comes from and what it is: the keys input and id, where there are any, then target
 * and spec, or error. Returns whether there is a spec. */
int spec_input_json(tma_json *json, const spec_input *input);

#define SPEC_INPUTS_ARGS_DOC "\n--case LINE\n[FILE...]"

#endif
