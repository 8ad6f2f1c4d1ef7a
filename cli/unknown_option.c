/* SPDX-License-Identifier: Apache-2.0
 *
 * Unknown long options: argp names none that may be meant.
 */
#include <stdlib.h>
#include <string.h>

#include "cli_error.h"
#include "options.h"

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

static const char *known_name(size_t i) {
    return i < known_count ? known[i]->name : NULL;
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

/* The message with the nearest name, without the list of all. */
static void refuse(const char *name, size_t length) {
    char word[64];
    tma_error error;
    snprintf(word, sizeof(word), "%.*s", (int)(length < 63 ? length : 63), name);
    tma_fail_name(&error, word, "option", known_name);
    char *list = strstr(error.text, ": one of ");
    if (list) {
        *list = 0;
    }
    cli_say("%s; %s --help lists them", error.text, cli_program);
    exit(CLI_MISUSE);
}

void options_parse(const struct argp *argp, int argc, char **argv, void *input) {
    known_count = 0;
    collect(argp);
    for (int i = 1; i < argc && strcmp(argv[i], "--") != 0; i++) {
        if (strncmp(argv[i], "--", 2) != 0) {
            continue;
        }
        const char *name = argv[i] + 2;
        const size_t length = strcspn(name, "=");
        const struct argp_option *option = meant(name, length);
        if (!option && known_count < MOST_OPTIONS) {
            refuse(name, length);
        }
        i += option && option->arg && !(option->flags & OPTION_ARG_OPTIONAL) && !name[length];
    }
    argp_parse(argp, argc, argv, 0, NULL, input);
}
