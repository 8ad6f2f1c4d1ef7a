/* SPDX-License-Identifier: Apache-2.0
 *
 * tma VERB ...: finds the verb and hands over.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "args.h"
#include "cli_error.h"
#include "host.h"
#include "options.h"
#include "ptxas_find.h"
#include "tma/tma.h"
#include "verbs.h"

typedef struct verb {
    char name[16];
    char program[24];
    const char *summary;
    int (*run)(int argc, char **argv);
} verb;

static verb verbs[] = {
#define VERB(name, summary) {#name, "tma " #name, summary, cmd_##name},
    CLI_VERBS(VERB)
#undef VERB
};

#define VERBS (sizeof(verbs) / sizeof(verbs[0]))

typedef struct choice {
    const verb *verb;
    int at;    /* of argv */
    int count; /* of its words; 0: all behind */
} choice;

static const char *verb_name(size_t i) {
    return i < VERBS ? verbs[i].name : NULL;
}

/* tma help: tma --help. tma help VERB: tma VERB --help, for which the verb is given that alone. */
static int choose_help(args_state *state) {
    static char help[] = "--help";
    choice *chosen = state->input;
    size_t found = 0;
    tma_error error;
    if (state->next == state->argc) {
        args_help(stdout, state->root, state->name);
        exit(CLI_CLEAN);
    }
    option_check(tma_read_name(&found, state->argv[state->next], "verb", verb_name, &error), state,
                 &error);
    *chosen = (choice){&verbs[found], state->next - 1, 2};
    state->argv[state->next] = help;
    state->next = state->argc;
    return 0;
}

static int choose(int key, char *text, args_state *state) {
    choice *chosen = state->input;
    size_t found = 0;
    tma_error error;
    switch (key) {
    case ARGS_KEY_ARG:
        if (!strcmp(text, "version")) {
            printf("%s\n", args_version);
            exit(CLI_CLEAN);
        }
        if (!strcmp(text, "help")) {
            return choose_help(state);
        }
        option_check(tma_read_name(&found, text, "verb", verb_name, &error), state, &error);
        *chosen = (choice){&verbs[found], state->next - 1, 0};
        state->next = state->argc; /* the rest is the verb's */
        return 0;
    case ARGS_KEY_NO_ARGS:
        args_help(stderr, state->root, state->name);
        exit(CLI_MISUSE);
    default:
        return ARGS_UNKNOWN;
    }
}

/* The help text's list of verbs, from the table. */
static void put_verbs(args_text *text) {
    args_textf(text, "Verbs:\n");
    for (size_t i = 0; i < VERBS; i++) {
        args_textf(text, "  %-11s %s\n", verbs[i].name, verbs[i].summary);
    }
    args_textf(text,
               "\nExit status: 0 clean, 1 findings or differences, 2 misuse. run-checked ends as\n"
               "its program does, with 3 if nothing was checked, 127 if it could not start.\n"
               "tma help VERB says more; tma version is tma --version.");
}

static const args_parser parser = {
    0,
    choose,
    "VERB [ARGUMENT...]",
    "NVIDIA tensor maps (CUtensorMap) without a GPU and without a driver.",
    0,
    put_verbs,
};

/* At every exit: help ends in args_parse(), by exit(). */
static void flush_stdout(void) {
    if (fflush(stdout) || ferror(stdout)) {
        cli_say("cannot write: %s", strerror(errno));
        _exit(CLI_MISUSE);
    }
}

/* run_checked is run-checked on the command line. */
static void name_verbs(void) {
    for (size_t i = 0; i < VERBS; i++) {
        for (char *c = verbs[i].name; *c; c++) {
            *c = (char)(*c == '_' ? '-' : *c);
        }
        for (char *c = verbs[i].program; *c; c++) {
            *c = (char)(*c == '_' ? '-' : *c);
        }
    }
}

/* A link named ptxas or tma-ptxas: what compilers call in ptxas's place. */
static int stands_for_ptxas(const char *name) {
    const char *slash = strrchr(name, '/');
    return ptxas_is_named(name) || strcmp(slash ? slash + 1 : name, "tma-ptxas") == 0;
}

int main(int argc, char **argv) {
    choice chosen = {NULL, 0, 0};
    char *name = argv[0];
    name_verbs();
    host_begin();
    atexit(flush_stdout);
    if (name && stands_for_ptxas(name)) {
        cli_program = "tma ptxas";
        return cmd_ptxas(argc, argv);
    }
    args_version = "tma " TMA_VERSION;
    argv[0] = "tma";
    options_printable(argc, argv);
    args_parse(&parser, argc, argv, ARGS_AS_GIVEN, &chosen);
    argv[0] = name;
    if (!chosen.verb) {
        return CLI_MISUSE;
    }
    char program[32];
    snprintf(program, sizeof(program), "%s", chosen.verb->program);
    argv[chosen.at] = program;
    cli_program = chosen.verb->program;
    return chosen.verb->run(chosen.count ? chosen.count : argc - chosen.at, argv + chosen.at);
}
