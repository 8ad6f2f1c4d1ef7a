/* SPDX-License-Identifier: Apache-2.0
 *
 * Takes a command line apart.
 */
#include "args.h"

#include <assert.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "args_table.h"

typedef struct reader {
    args_table table;
    void *inputs[ARGS_MOST_PARSERS]; /* of each node */
    args_state state;
    int taken[ARGS_MOST_PARSERS]; /* arguments, by each node */
    int first_arg;                /* of argv, before which all options stand */
} reader;

static void say_help(const char *name) {
    fprintf(stderr, "Try `%s --help' or `%s --usage' for more information.\n", name, name);
    exit(ARGS_MISUSE);
}

/* Bytes of a character that a terminal prints, or 0: a control character, one that changes the
 * order in which letters are shown, or none of UTF-8. */
static size_t printed(const unsigned char *at) {
    const size_t length = *at >= 0xF0 ? 4 : *at >= 0xE0 ? 3 : *at >= 0xC2 ? 2 : 1;
    size_t i = 1;
    while (i < length && (at[i] & 0xC0) == 0x80) {
        i++;
    }
    const int is_control = *at < 0x20 || (*at == 0xC2 && at[1] < 0xA0);
    const int is_none = (*at >= 0x7F && length == 1) || *at > 0xF4;
    const int reorders = (at[0] == 0xD8 && at[1] == 0x9C) ||
                         (at[0] == 0xE2 && at[1] == 0x80 && at[2] >= 0x8E &&
                          (at[2] <= 0x8F || (at[2] >= 0xAA && at[2] <= 0xAE))) ||
                         (at[0] == 0xE2 && at[1] == 0x81 && at[2] >= 0xA6 && at[2] <= 0xA9);
    return i < length || is_control || is_none || reorders ? 0 : length;
}

static void say_safely(const char *text) {
    for (const unsigned char *at = (const unsigned char *)text; *at;) {
        const size_t length = printed(at);
        if (length) {
            fwrite(at, 1, length, stderr);
        } else {
            fprintf(stderr, "\\x%02x", *at);
        }
        at += length ? length : 1;
    }
}

/* "NAME: MESSAGE", without control characters: a message quotes what was typed. */
static void say_list(const char *name, const char *format, va_list list) {
    char text[4096];
    vsnprintf(text, sizeof(text), format, list);
    say_safely(name);
    fputs(": ", stderr);
    say_safely(text);
}

static void say(const args_state *state, const char *format, ...) {
    va_list list;
    va_start(list, format);
    say_list(state->name, format, list);
    va_end(list);
}

void args_error(const args_state *state, const char *format, ...) {
    va_list list;
    va_start(list, format);
    say_list(state->name, format, list);
    va_end(list);
    fputc('\n', stderr);
    say_help(state->name);
    abort(); /* not reached */
}

/* Asks one parser. */
static int ask(reader *r, size_t node, int key, char *value) {
    const args_parser *const parser = r->table.nodes[node].parser;
    if (!parser->parse) {
        return ARGS_UNKNOWN;
    }
    r->state.input = r->inputs[node];
    return parser->parse(key, value, &r->state);
}

static void *place(const reader *r, size_t node, int at) {
    return (char *)r->inputs[node] + at;
}

static void init(reader *r, void *input) {
    for (size_t i = 0; i < r->table.node_count; i++) {
        const args_node *node = &r->table.nodes[i];
        r->inputs[i] = input;
        if (node->parent) {
            r->inputs[i] = place(r, (size_t)(node->parent - r->table.nodes), node->as->at);
        }
        (void)ask(r, i, ARGS_KEY_INIT, NULL);
    }
}

/* The options that every command line has. */
static void take_common(const reader *r, int key) {
    if (key == ARGS_KEY_HELP) {
        args_help(stdout, r->state.root, r->state.name);
    } else if (key == ARGS_KEY_OPTIONS) {
        args_list(stdout, r->state.root);
    } else if (key == ARGS_KEY_USAGE) {
        args_usage(stdout, r->state.root, r->state.name);
    } else {
        printf("%s\n", args_version);
    }
    exit(0);
}

static void take_option(reader *r, const args_entry *entry, char *value) {
    const size_t node = (size_t)(entry->node - r->table.nodes);
    if (node + 1 == r->table.node_count) {
        take_common(r, entry->option->key);
    }
    const args_option *const option = entry->option;
    if (option->flags & ARGS_SETS) {
        *(int *)place(r, node, option->key) = 1;
        return;
    }
    if (option->flags & ARGS_KEEPS) {
        *(const char **)place(r, node, option->key) = value ? value : "";
        return;
    }
    const int taken = ask(r, node, option->key, value);
    assert(taken == ARGS_TAKEN);
    (void)taken;
}

static void refuse_several(const reader *r, const char *word, size_t length) {
    say(&r->state, "option '%s' is ambiguous; possibilities:", word);
    for (size_t i = 0; i < r->table.count; i++) {
        const char *const name = r->table.entries[i].option->name;
        if (name && strncmp(name, word + 2, length) == 0) {
            fprintf(stderr, " '--%s'", name);
        }
    }
    fputc('\n', stderr);
    say_help(r->state.name);
}

/* The value that follows as a word of its own, which state.next then is behind. */
static char *next_word(reader *r) {
    return r->state.next < r->state.argc ? r->state.argv[r->state.next++] : NULL;
}

static void read_long(reader *r, char *word) {
    char *const equals = strchr(word, '=');
    const size_t length = (equals ? (size_t)(equals - word) : strlen(word)) - 2;
    int several = 0;
    const args_entry *const entry = args_table_long(&r->table, word + 2, length, &several);
    char *value = equals ? equals + 1 : NULL;
    if (!entry) {
        if (several) {
            refuse_several(r, word, length);
        }
        args_error(&r->state, "unrecognized option '%s'", word);
        return;
    }
    const args_option *const option = entry->option;
    const char *wrong = value && !option->value ? "doesn't allow an argument" : NULL;
    if (!value && option->value && !(option->flags & ARGS_VALUE_OPTIONAL)) {
        value = next_word(r);
        wrong = value ? NULL : "requires an argument";
    }
    if (wrong) {
        args_error(&r->state, "option '--%s' %s", option->name, wrong);
    }
    take_option(r, entry, value);
}

static void read_shorts(reader *r, char *word) {
    for (char *c = word + 1; *c; c++) {
        const args_entry *const entry = args_table_short(&r->table, *c);
        if (!entry && strcmp(word, "-h") == 0) {
            take_common(r, ARGS_KEY_HELP);
        }
        if (!entry) {
            args_error(&r->state, "invalid option -- '%c'", *c);
            return;
        }
        if (!entry->option->value) {
            take_option(r, entry, NULL);
            continue;
        }
        char *value = c[1] ? c + 1 : NULL;
        if (!value && !(entry->option->flags & ARGS_VALUE_OPTIONAL)) {
            value = next_word(r);
            if (!value) {
                args_error(&r->state, "option requires an argument -- '%c'", *c);
            }
        }
        take_option(r, entry, value);
        return;
    }
}

/* Brings the words before state.next, from `from` on, before the arguments that were passed. */
static void move_forward(reader *r, int from) {
    char **const argv = r->state.argv;
    for (int i = from; i < r->state.next; i++) {
        char *const word = argv[i];
        memmove(&argv[r->first_arg + 1], &argv[r->first_arg],
                (size_t)(i - r->first_arg) * sizeof(*argv));
        argv[r->first_arg++] = word;
    }
}

/* Offers the argument before state.next, then all from it on, to each parser. */
static void read_argument(reader *r) {
    args_state *const state = &r->state;
    const int at = state->next - 1;
    for (size_t i = 0; i < r->table.node_count; i++) {
        state->next = at + 1;
        if (ask(r, i, ARGS_KEY_ARG, state->argv[at]) == ARGS_TAKEN) {
            r->taken[i] += state->next - at;
            return;
        }
        state->next = at;
        if (ask(r, i, ARGS_KEY_ARGS, NULL) == ARGS_TAKEN) {
            state->next = state->argc; /* all of them */
            r->taken[i] += state->next - at;
            return;
        }
    }
    args_error(state, "Too many arguments");
}

/* Options, and arguments where they are taken as given; then the arguments that were passed. */
static void read_words(reader *r, args_order order) {
    args_state *const state = &r->state;
    for (int ended = 0; state->next < state->argc && !ended;) {
        const int from = state->next++;
        char *const word = state->argv[from];
        if (word[0] != '-' || !word[1]) {
            if (order == ARGS_AS_GIVEN) {
                read_argument(r);
                r->first_arg = state->next;
            }
            continue;
        }
        ended = strcmp(word, "--") == 0;
        if (!ended && word[1] == '-') {
            read_long(r, word);
        } else if (!ended) {
            read_shorts(r, word);
        }
        move_forward(r, from);
    }
    state->next = r->first_arg;
    while (state->next < state->argc) {
        state->next++;
        read_argument(r);
    }
}

static void finish(reader *r) {
    for (size_t i = 0; i < r->table.node_count; i++) {
        if (!r->taken[i]) {
            (void)ask(r, i, ARGS_KEY_NO_ARGS, NULL);
        }
    }
    for (int key = ARGS_KEY_END; key <= ARGS_KEY_SUCCESS; key++) {
        for (size_t i = r->table.node_count; i-- > 0;) {
            (void)ask(r, i, key, NULL);
        }
    }
}

void args_parse(const args_parser *parser, int argc, char **argv, args_order order, void *input) {
    static reader r; /* large */
    const char *const slash = argc ? strrchr(argv[0], '/') : NULL;
    memset(&r, 0, sizeof(r));
    r.state = (args_state){.root = parser,
                           .name = slash  ? slash + 1
                                   : argc ? argv[0]
                                          : "",
                           .argc = argc,
                           .argv = argv,
                           .next = 1};
    r.first_arg = 1;
    args_table_make(&r.table, parser);
    init(&r, input);
    read_words(&r, order);
    finish(&r);
}
