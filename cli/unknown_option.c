/* SPDX-License-Identifier: Apache-2.0
 *
 * Unknown long options, with those that may be meant; args_parse() names none.
 */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "args_table.h"
#include "cli_error.h"
#include "options.h"
#include "printable.h"

/* All long options but the common ones; tma_read_name() has no context. */
static args_table table;
static const args_option *known[ARGS_MOST_OPTIONS];
static size_t known_count;

static void collect(const args_parser *parser) {
    args_table_make(&table, parser);
    for (size_t i = 0; i < table.count; i++) {
        const int is_common = table.entries[i].node == &table.nodes[table.node_count - 1];
        if (table.entries[i].option->name && !is_common) {
            known[known_count++] = table.entries[i].option;
        }
    }
}

static const char *known_name(size_t i) {
    static char dashed[ARGS_MOST_OPTIONS][40]; /* since the nearest ones are kept */
    if (i >= known_count) {
        return NULL;
    }
    snprintf(dashed[i], sizeof(dashed[i]), "--%s", known[i]->name);
    return dashed[i];
}

/* Words of NumPy and others for what is called otherwise here. */
static const struct {
    const char *word, *says;
} others[] = {
    {"--shape", "the sizes of a map are --dim, innermost first"},
    {"--size", "the sizes of a map are --dim, innermost first"},
    {"--at", "where a copy begins is --coord, innermost first; where an element of its box lies, "
             "tma plan --element=COLUMN,ROW"},
    {"--element", "where an element of the box lies is tma plan --element=COLUMN,ROW; the steps of "
                  "a copy are --element-stride"},
    {"--strides", "the strides of a map are --stride, in bytes, from dimension 1 on"},
};

static void refuse(const char *word) {
    for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++) {
        if (!strcmp(word, others[i].word)) {
            cli_say("unknown option '%s': %s", word, others[i].says);
            exit(CLI_MISUSE);
        }
    }
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

/* The same for short options, wherever they stand: args_parse() names one that it does not know. */
static void short_printable(char *word) {
    char *words[] = {word, word};
    options_printable(2, words);
}

static int is_file(const char *path) {
    FILE *file = fopen(path, "r");
    if (file) {
        fclose(file);
    }
    return file != NULL;
}

/* "64" behind "--dim 64", which is a list: no verb takes a number by itself. */
static void refuse_rest(const args_option *option, const char *value, const char *next) {
    const int is_list = option->value && strstr(option->value, ",...") != NULL;
    if (is_list && next && *next && strlen(next) < 24 && !next[strspn(next, "-0123456789,")] &&
        strpbrk(next, "0123456789") && !is_file(next)) {
        const size_t length = strlen(value);
        const int has_comma = length && value[length - 1] == ',';
        cli_say("'%s' stands alone: a list has commas and no blanks, --%s=%s%s%s", next,
                option->name, value, has_comma || *next == ',' ? "" : ",", next);
        exit(CLI_MISUSE);
    }
}

static void parse(const args_parser *parser, int argc, char **argv, args_order order, void *input) {
    collect(parser);
    for (int i = 1; i < argc && strcmp(argv[i], "--") != 0; i++) {
        if (order == ARGS_AS_GIVEN && argv[i][0] != '-') {
            break;
        }
        if (strncmp(argv[i], "--", 2) != 0) {
            short_printable(argv[i]);
            continue;
        }
        const char *name = argv[i] + 2;
        const size_t length = strcspn(name, "=");
        int several = 0;
        const args_entry *const entry = args_table_long(&table, name, length, &several);
        if (!entry && !several) {
            char word[64];
            snprintf(word, sizeof(word), "%.*s", (int)(length < 61 ? length + 2 : 63), argv[i]);
            refuse(word);
        }
        const int is_next = entry && entry->option->value &&
                            !(entry->option->flags & ARGS_VALUE_OPTIONAL) && !name[length];
        i += is_next;
        if (entry && i + 1 < argc) {
            refuse_rest(entry->option, is_next ? argv[i] : name + length + 1, argv[i + 1]);
        }
    }
    args_parse(parser, argc, argv, order, input);
}

void options_parse(const args_parser *parser, int argc, char **argv, void *input) {
    parse(parser, argc, argv, ARGS_ANY_ORDER, input);
}

void options_parse_program(const args_parser *parser, int argc, char **argv, void *input) {
    parse(parser, argc, argv, ARGS_AS_GIVEN, input);
}
