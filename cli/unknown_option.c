/* SPDX-License-Identifier: Apache-2.0
 *
 * Unknown long options: argp names none that may be meant.
 */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "cli_error.h"
#include "options.h"
#include "printable.h"

#define MOST_OPTIONS 128

/* All long options of a parser and its children; tma_name_at has no context. */
static const struct argp_option *known[MOST_OPTIONS];
static size_t known_count;

// NOLINTNEXTLINE(misc-no-recursion): as deep as this program nests its parsers
static void collect(const struct argp *argp) {
    for (const struct argp_option *o = argp->options; o && (o->name || o->key || o->doc); o++) {
        if (o->name && known_count < MOST_OPTIONS) {
            known[known_count++] = o;
        }
    }
    for (const struct argp_child *c = argp->children; c && c->argp; c++) {
        collect(c->argp); // NOLINT(misc-no-recursion)
    }
}

/* The option meant, abbreviated or not; null if there is none. */
static const struct argp_option *meant(const char *name, size_t length) {
    static const struct argp_option own[] = {
        {"help", 0, 0, 0, 0, 0}, {"usage", 0, 0, 0, 0, 0}, {"version", 0, 0, 0, 0, 0}};
    const struct argp_option *found = NULL;
    for (size_t i = 0; i < known_count; i++) {
        if (!strncmp(known[i]->name, name, length)) {
            found = !found || !known[i]->name[length] ? known[i] : found;
        }
    }
    for (size_t i = 0; !found && i < sizeof(own) / sizeof(own[0]); i++) {
        found = strncmp(own[i].name, name, length) ? NULL : &own[i];
    }
    return found;
}

static const char *known_name(size_t i) {
    static char dashed[MOST_OPTIONS][40]; /* since the nearest ones are kept */
    if (i >= known_count) {
        return NULL;
    }
    snprintf(dashed[i], sizeof(dashed[i]), "--%s", known[i]->name);
    return dashed[i];
}

static void refuse(const char *word) {
    tma_error error;
    tma_fail_name(&error, word, "option", known_name);
    char *list = strstr(error.text, ": one of ");
    if (list) {
        *list = 0;
    }
    cli_say("%s%s %s --help lists them", error.text, list ? ";" : "", cli_program);
    exit(CLI_MISUSE);
}

void options_printable(int argc, char **argv) {
    for (int i = 1; i < argc && argv[i][0] == '-' && strcmp(argv[i], "--") != 0; i++) {
        for (const char *c = argv[i]; *c; c++) {
            if (iscntrl((unsigned char)*c)) {
                cli_say("unknown option '%.80s'", printable_text(argv[i]).text);
                exit(CLI_MISUSE);
            }
        }
    }
}

/* The same for short options, wherever they stand: getopt names one that it does not know. */
static void short_printable(char *word) {
    char *words[] = {word, word};
    options_printable(2, words);
}

void options_parse(const struct argp *argp, int argc, char **argv, void *input) {
    collect(argp);
    for (int i = 1; i < argc && strcmp(argv[i], "--") != 0; i++) {
        if (strncmp(argv[i], "--", 2) != 0) {
            short_printable(argv[i]);
            continue;
        }
        const char *name = argv[i] + 2;
        const size_t length = strcspn(name, "=");
        const struct argp_option *option = meant(name, length);
        if (!option && known_count < MOST_OPTIONS) {
            char word[64];
            snprintf(word, sizeof(word), "%.*s", (int)(length < 61 ? length + 2 : 63), argv[i]);
            refuse(word);
        }
        i += option && option->arg && !(option->flags & OPTION_ARG_OPTIONAL) && !name[length];
    }
    argp_parse(argp, argc, argv, 0, NULL, input);
}
