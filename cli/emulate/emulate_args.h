/* SPDX-License-Identifier: Apache-2.0
 *
 * What tma emulate was asked.
 */
#ifndef CLI_EMULATE_ARGS_H
#define CLI_EMULATE_ARGS_H

#include "lint.h"
#include "run_session.h"
#include "tma/grammar.h"

/* Words of one option that may be given many times. */
typedef struct word_list {
    const char **at;
    uint32_t count;
} word_list;

typedef struct emulate_args {
    const char *path; /* the PTX; null: the launch file says where */
    char **program;   /* with its arguments, in the place of files; or null */
    const char *kernel;
    const char *launch_path, *save_path, *trace_path, *accept_path; /* or null */
    const char *launch_option; /* of what is in `how`: the last one given, or null */
    session_how how;
    tma_target_words target;
    int json, no_static;
    lint_format format;
    word_list params, maps, saves, expects;
    int certain_only, unjudged; /* --werror */
} emulate_args;

/* Whether a path is a launch file's or a trace's by its name. */
int emulate_is_launch(const char *path);

#endif
