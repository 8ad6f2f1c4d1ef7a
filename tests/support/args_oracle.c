/* SPDX-License-Identifier: Apache-2.0
 *
 * The same random parsers in two forms.
 */
#include "args_oracle.h"

#include <argp.h>
#include <stdio.h>
#include <string.h>

#include "args.h"
#include "support/gen/random.h"

#define PARSERS 4
#define ROWS    6
#define TEXT    160

static args_option own_rows[PARSERS][ROWS + 1];
static struct argp_option argp_rows[PARSERS][ROWS + 1];
static args_parser own_parsers[PARSERS];
static struct argp argps[PARSERS];
static args_child own_children[PARSERS][PARSERS + 1];
static struct argp_child argp_children[PARSERS][PARSERS + 1];
static char names[PARSERS][ROWS][16];
static char docs[PARSERS][ROWS][TEXT];
static char headers[PARSERS][TEXT];
static char whole_doc[2 * TEXT], ways[TEXT];
static char line[ARGS_ORACLE_WORDS][32];
static int in_order, takes; /* which parser takes arguments; -1: the first, all at once */
static char numbers[PARSERS][2];
static struct random_source from;

static uint32_t below(uint32_t n) {
    return (uint32_t)random_below(&from, n);
}

static void make_text(char *text, size_t most) {
    size_t length = 0;
    const size_t wanted = below((uint32_t)most - 20);
    while (length < wanted) {
        const uint32_t word = 1 + below(11);
        for (uint32_t i = 0; i < word; i++) {
            text[length++] = (char)('a' + below(26));
        }
        text[length++] = (char)(below(20) ? ' ' : '\n');
    }
    text[length ? length - 1 : 0] = '\0';
}

static void make_row(int p, int r) {
    static const int groups[] = {0, 0, 0, 0, 1, 5, -2};
    static const char *const values[] = {0, 0, "N", "FILE", "A-LONG-VALUE,..."};
    const int is_header = !below(6);
    const int key = 0x100 + p * ROWS + r;
    args_option *own = &own_rows[p][r];
    make_text(docs[p][r], below(4) ? 60 : TEXT);
    /* unlike all others, and like the start of some */
    snprintf(names[p][r], sizeof(names[p][r]), "%.*s%c%c", (int)below(7), "abcdef", 'A' + p,
             'a' + r);
    *own = (args_option){.name = names[p][r],
                         .key = below(3) ? key : 'a' + p * 6 + r,
                         .value = values[below(5)],
                         .doc = docs[p][r],
                         .group = groups[below(7)]};
    if (is_header) {
        own->name = 0;
        own->key = 0;
        own->value = 0;
    } else {
        own->name = below(8) || own->key >= 0x100 ? own->name : 0;
        own->flags =
            (!below(8) ? ARGS_HIDDEN : 0) | (own->value && !below(3) ? ARGS_VALUE_OPTIONAL : 0);
    }
    argp_rows[p][r] =
        (struct argp_option){own->name,
                             own->key,
                             own->value,
                             (own->flags & ARGS_HIDDEN ? OPTION_HIDDEN : 0) |
                                 (own->flags & ARGS_VALUE_OPTIONAL ? OPTION_ARG_OPTIONAL : 0),
                             own->doc,
                             own->group};
}

/* What callbacks of both do; a parser's input is its number as text, all in one array. */
static int told(int key, const char *value, const char *who) {
    const int p = who[0] - '0';
    switch (key) {
    case ARGS_KEY_INIT:
        printf("%s begins\n", who);
        return ARGS_TAKEN;
    case ARGS_KEY_ARG:
        if (takes == p) {
            printf("%s takes %s\n", who, value);
        }
        return takes == p ? ARGS_TAKEN : ARGS_UNKNOWN;
    case ARGS_KEY_ARGS:
        if (takes == -1) {
            printf("%s takes all\n", who);
        }
        return takes == -1 ? ARGS_TAKEN : ARGS_UNKNOWN;
    case ARGS_KEY_NO_ARGS:
    case ARGS_KEY_END:
    case ARGS_KEY_SUCCESS:
        printf("%s hears %d\n", who, key - ARGS_KEY_NO_ARGS);
        return key == ARGS_KEY_END ? ARGS_TAKEN : ARGS_UNKNOWN;
    default:
        printf("%s: option %d '%s'\n", who, key, value ? value : "none");
        return ARGS_TAKEN;
    }
}

static int parse_own(int key, char *value, args_state *state) {
    return told(key, value, state->input);
}

static error_t parse_argp(int key, char *value, struct argp_state *state) {
    static const int keys[][2] = {
        {ARGP_KEY_INIT, ARGS_KEY_INIT}, {ARGP_KEY_ARG, ARGS_KEY_ARG},
        {ARGP_KEY_ARGS, ARGS_KEY_ARGS}, {ARGP_KEY_NO_ARGS, ARGS_KEY_NO_ARGS},
        {ARGP_KEY_END, ARGS_KEY_END},   {ARGP_KEY_SUCCESS, ARGS_KEY_SUCCESS}};
    if (key == ARGP_KEY_FINI || key == ARGP_KEY_ERROR) {
        return ARGP_ERR_UNKNOWN;
    }
    for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++) {
        if (key == keys[i][0]) {
            key = keys[i][1];
            break;
        }
    }
    const char *who = state->input;
    for (int i = 0; key == ARGS_KEY_INIT && own_children[who[0] - '0'][i].parser; i++) {
        state->child_inputs[i] = (char *)state->input + own_children[who[0] - '0'][i].at;
    }
    return told(key, value, who) == ARGS_TAKEN ? 0 : ARGP_ERR_UNKNOWN;
}

static void make_parser(int p) {
    const int rows = (int)below(ROWS + 1);
    memset(own_rows[p], 0, sizeof(own_rows[p]));
    memset(argp_rows[p], 0, sizeof(argp_rows[p]));
    memset(own_children[p], 0, sizeof(own_children[p]));
    memset(argp_children[p], 0, sizeof(argp_children[p]));
    for (int r = 0; r < rows; r++) {
        make_row(p, r);
    }
    snprintf(numbers[p], sizeof(numbers[p]), "%d", p);
    own_parsers[p] = (args_parser){own_rows[p], parse_own, 0, 0, own_children[p], 0};
    argps[p] = (struct argp){argp_rows[p], parse_argp, 0, 0, argp_children[p], 0, 0};
}

/* Into a parser before it. Two sets of one group are not tried: argp mixes some. */
static void nest(int p) {
    const int groups[] = {0, 6 + p, 6 + p, 16 - p};
    const int parent = (int)below((uint32_t)p);
    const int group = groups[below(4)];
    const char *const header = group && below(2) ? headers[p] : 0;
    int at = 0;
    while (own_children[parent][at].parser) {
        at++;
    }
    make_text(headers[p], 60);
    own_children[parent][at] =
        (args_child){&own_parsers[p], header, group, (int)sizeof(numbers[0]) * (p - parent)};
    argp_children[parent][at] = (struct argp_child){&argps[p], 0, header, group};
}

static void make_word(char *word, size_t size) {
    const int p = (int)below(PARSERS), r = (int)below(ROWS);
    switch (below(8)) {
    case 0:
        snprintf(word, size, "--%.*s", (int)below(9), names[p][r]);
        return;
    case 1:
        snprintf(word, size, "--%s", names[p][r]);
        return;
    case 2:
        snprintf(word, size, "--%s=v%u", names[p][r], (unsigned)below(9));
        return;
    case 3:
        snprintf(word, size, "-%c%c", 'a' + (int)below(24), 'a' + (int)below(24));
        return;
    case 4:
        snprintf(word, size, "-%c", 'a' + (int)below(24));
        return;
    case 5:
        snprintf(word, size, "%s", below(4) ? "-" : "--");
        return;
    default:
        snprintf(word, size, "arg%u", (unsigned)below(9));
        return;
    }
}

int args_oracle_make(uint64_t seed, char **words) {
    static const char *const asks[] = {"--help", "--usage", "--ver", "-?", "-V"};
    from.state = seed;
    for (int p = 0; p < PARSERS; p++) {
        make_parser(p);
    }
    for (int p = 1; p < PARSERS; p++) {
        if (below(3)) {
            nest(p);
        }
    }
    make_text(whole_doc, TEXT);
    strcat(whole_doc, whole_doc[0] ? "\v" : "x\v"); /* argp prints what follows a first \v twice */
    make_text(whole_doc + strlen(whole_doc), TEXT);
    make_text(ways, TEXT);
    own_parsers[0].args = argps[0].args_doc = below(4) ? ways : 0;
    own_parsers[0].doc = argps[0].doc = below(4) ? whole_doc : 0;
    in_order = !below(4);
    takes = (int)below(3) - 1;
    const int asked = !below(3);
    const int argc = asked ? 2 : 1 + (int)below(ARGS_ORACLE_WORDS);
    snprintf(line[0], sizeof(line[0]), "prog");
    for (int i = 1; i < argc; i++) {
        if (asked) {
            snprintf(line[i], sizeof(line[i]), "%s", asks[below(5)]);
        } else {
            make_word(line[i], sizeof(line[i]));
        }
    }
    for (int i = 0; i < argc; i++) {
        words[i] = line[i];
    }
    words[argc] = NULL;
    return argc;
}

void args_oracle_own(int argc, char **argv) {
    args_version = "v 1";
    args_parse(&own_parsers[0], argc, argv, in_order ? ARGS_AS_GIVEN : ARGS_ANY_ORDER, numbers[0]);
}

void args_oracle_argp(int argc, char **argv) {
    argp_program_version = "v 1";
    argp_err_exit_status = ARGS_MISUSE;
    argp_parse(&argps[0], argc, argv, in_order ? ARGP_IN_ORDER : 0, 0, numbers[0]);
}

int args_oracle_same_words(const char *a, const char *b) {
    do {
        a += strspn(a, " \n");
        b += strspn(b, " \n");
    } while (*a == *b && *a && a++ && b++);
    return *a == *b;
}
