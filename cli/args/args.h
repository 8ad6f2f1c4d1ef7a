/* SPDX-License-Identifier: Apache-2.0
 *
 * Reads a command line by tables: options with their help, a callback that takes them, and parsers
 * inside parsers. C11 alone, so that it is the same on every system; the manners are those of GNU
 * programs: long options may be cut short, options and arguments come in any order, -- ends the
 * options, and --help, --usage and --version are there by themselves; so is -h,
 * where a program has no -h of its own.
 */
#ifndef ARGS_H
#define ARGS_H

#include <stddef.h>
#include <stdio.h>

/* What every misuse of a command line exits with. */
enum { ARGS_MISUSE = 2 };

/* Flags of an option. */
enum {
    ARGS_VALUE_OPTIONAL = 1, /* --name or --name=VALUE; never --name VALUE */
    ARGS_HIDDEN = 2,         /* not in the help */
    ARGS_SETS = 4,           /* the callback is not asked: the int at `key` in the input is 1 */
    ARGS_KEEPS = 8, /* likewise: the const char * there is the value, "" where it is left out */
    ARGS_FIRST = 16 /* of a row without name and key: the options that `value` names, with blanks
                       between, come before all others, in that order, under `doc` */
};

/* A member's place in an input. */
#define ARGS_AT(type, member) ((int)offsetof(type, member))

/* One row. A row without name and key is the header of a group; one without anything ends the
 * table. Groups are printed in the order 0, 1, 2, ..., -2, -1 and each is sorted by name; group 0
 * is that of the row before, for a header the next. */
typedef struct args_option {
    const char *name;  /* --name, or null */
    int key;           /* what the callback gets; a printing character is also -c; or ARGS_AT() */
    const char *value; /* what the help calls its value; null: it takes none */
    int flags;
    const char *doc;
    int group;
} args_option;

/* What a callback is told besides options, which come with their key and value. */
enum {
    ARGS_KEY_INIT = 0x1000000, /* before anything; parents before children */
    ARGS_KEY_ARG,              /* an argument, its text beside; state->next is behind it */
    ARGS_KEY_ARGS,             /* who refused ARG gets all from state->next on */
    ARGS_KEY_NO_ARGS,          /* after the options: there was no argument */
    ARGS_KEY_END,              /* all is read; children before parents */
    ARGS_KEY_SUCCESS           /* likewise, after every END */
};

/* What a help text is written to: whole words, lines at most 79 columns wide. */
typedef struct args_text args_text;
__attribute__((format(printf, 2, 3))) void args_textf(args_text *text, const char *format, ...);

/* What a callback answers. */
enum { ARGS_TAKEN, ARGS_UNKNOWN };

typedef struct args_state {
    const struct args_parser *root;
    const char *name; /* of the program, for messages */
    int argc;
    char **argv; /* in the end options stand before arguments */
    int next;    /* of argv; a callback that takes an argument may move it */
    void *input;
} args_state;

typedef struct args_child {
    const struct args_parser *parser; /* null ends the list */
    const char *header;               /* printed before its options, or null */
    int group;                        /* where its options stand among the parent's */
    int at;                           /* ARGS_AT() of its input in the parent's */
} args_child;

typedef struct args_parser {
    const args_option *options;                            /* or null */
    int (*parse)(int key, char *value, args_state *state); /* or null */
    /* Of the outermost parser: one line for each way to call it; what the help says before the
     * options and, behind '\v', after them. Null inside others. */
    const char *args;
    const char *doc;
    const args_child *children;              /* or null */
    void (*doc_end)(struct args_text *text); /* writes what else stands there, or null */
} args_parser;

/* What --version prints; null: there is no such option. */
extern const char *args_version;

/* How arguments come. */
typedef enum args_order {
    ARGS_ANY_ORDER, /* options first, wherever they stand */
    ARGS_AS_GIVEN   /* in their place */
} args_order;

/* Reads all of argv, or says what is wrong and exits with ARGS_MISUSE. --help, --usage and
 * --version exit with 0. */
void args_parse(const args_parser *parser, int argc, char **argv, args_order order, void *input);

/* Says what is wrong, names the program and its help, and exits with ARGS_MISUSE. */
__attribute__((noreturn, format(printf, 2, 3))) void args_error(const args_state *state,
                                                                const char *format, ...);

/* What a shell's completion reads, --_options prints it: an option a line, --name or --name=, a tab
 * and what it is; of all that have a long name and are not hidden. */
void args_list(FILE *out, const args_parser *parser);

/* What --help and --usage print. */
void args_help(FILE *out, const args_parser *parser, const char *name);
void args_usage(FILE *out, const args_parser *parser, const char *name);

#endif
