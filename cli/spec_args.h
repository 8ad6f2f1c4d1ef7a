/* SPDX-License-Identifier: Apache-2.0
 *
 * The one grammar for specs on the command line, an argp child for all verbs, and without argp for
 * those that have the words already. spec_options.def is the table.
 */
#ifndef CLI_SPEC_ARGS_H
#define CLI_SPEC_ARGS_H

#include <argp.h>

#include "cli_error.h"
#include "target_args.h"
#include "tma/spec.h"

typedef enum spec_option {
#define OPTION(id, name, argument, form, names, member, help) SPEC_##id,
#include "spec_options.def"
#undef OPTION
    SPEC_OPTIONS
} spec_option;

/* What was given so far. Zero it before spec_args_set(); argp does it itself. */
typedef struct spec_args {
    target_args target;
    tma_spec spec;
    uint32_t given;               /* a bit for each spec_option */
    uint32_t count[SPEC_OPTIONS]; /* entries of the lists */
} spec_args;

#define SPEC_MOST_ENTRIES 16 /* of a list: only five mean something, more can be asked about */

/* Its input is a spec_args. */
extern const struct argp spec_argp;

/* "--dim" and its value; the name is without dashes. */
int spec_args_set(spec_args *args, const char *name, const char *value, cli_error *error);

/* Whether any option of the spec was given (the target's do not count). */
int spec_args_any(const spec_args *args);

/* Checks that the options belong together and fills in what was left out; then args->spec is
 * whole. */
int spec_args_finish(spec_args *args, cli_error *error);

#endif
