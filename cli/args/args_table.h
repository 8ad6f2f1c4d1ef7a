/* SPDX-License-Identifier: Apache-2.0
 *
 * All options of a parser and of the parsers inside it, in one table.
 */
#ifndef ARGS_TABLE_H
#define ARGS_TABLE_H

#include <stddef.h>

#include "args.h"

#define ARGS_MOST_PARSERS 32
#define ARGS_MOST_OPTIONS 192

/* Keys of the options that every command line has. */
enum {
    ARGS_KEY_HELP = '?',
    ARGS_KEY_USAGE = 0x2000000,
    ARGS_KEY_OPTIONS,
    ARGS_KEY_VERSION = 'V',
};

/* One parser, parents before children. */
typedef struct args_node {
    const args_parser *parser;
    const struct args_node *parent; /* null: the outermost, and the common options */
    const args_child *as;           /* of the parent's list */
} args_node;

/* One row of a table. */
typedef struct args_entry {
    const args_option *option;
    const args_node *node;
    int group; /* with the 0s resolved */
} args_entry;

typedef struct args_table {
    args_node nodes[ARGS_MOST_PARSERS];
    size_t node_count; /* the last one: the common options */
    args_entry entries[ARGS_MOST_OPTIONS];
    size_t count;
} args_table;

void args_table_make(args_table *table, const args_parser *parser);

/* The option that a long name of `length` characters means: its own name, or the start of one
 * option's alone that ends within a word. Null: none, or more than one, and then *several is 1. */
const args_entry *args_table_long(const args_table *table, const char *name, size_t length,
                                  int *several);

/* The option that a character means, or null. */
const args_entry *args_table_short(const args_table *table, char c);

/* Whether -c means it. */
int args_is_short(const args_option *option);

#endif
