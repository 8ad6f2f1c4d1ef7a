/* SPDX-License-Identifier: Apache-2.0
 *
 * The options of parsers inside parsers.
 */
#include "args_table.h"

#include <assert.h>
#include <string.h>

const char *args_version;

static const args_option common_options[] = {
    {"help", ARGS_KEY_HELP, 0, 0, "Give this help list", -1},
    {"usage", ARGS_KEY_USAGE, 0, 0, "Give a short usage message", -1},
    {"_options", ARGS_KEY_OPTIONS, 0, ARGS_HIDDEN, "", -1},
    {"version", ARGS_KEY_VERSION, 0, 0, "Print program version", -1},
    {0},
};

static const args_parser common = {common_options, 0, 0, 0, 0, 0};

int args_is_short(const args_option *option) {
    return !(option->flags & (ARGS_SETS | ARGS_KEEPS)) && option->key > ' ' && option->key <= '~';
}

static int is_end(const args_option *option) {
    return !option->name && !option->key && !option->doc && !option->group;
}

static int is_header(const args_option *option) {
    return !option->name && !option->key;
}

static void add_options(args_table *table, const args_node *node) {
    int group = 0;
    for (const args_option *o = node->parser->options; o && !is_end(o); o++) {
        if (node->parser == &common && o->key == ARGS_KEY_VERSION && !args_version) {
            continue;
        }
        group = o->group ? o->group : group + is_header(o);
        assert(table->count < ARGS_MOST_OPTIONS);
        table->entries[table->count++] = (args_entry){o, node, group};
    }
}

// NOLINTNEXTLINE(misc-no-recursion): as deep as parsers are nested
static void add(args_table *table, const args_parser *parser, const args_node *parent,
                const args_child *as) {
    assert(table->node_count < ARGS_MOST_PARSERS);
    args_node *node = &table->nodes[table->node_count++];
    *node = (args_node){parser, parent, as};
    add_options(table, node);
    for (const args_child *c = parser->children; c && c->parser; c++) {
        add(table, c->parser, node, c); // NOLINT(misc-no-recursion)
    }
}

void args_table_make(args_table *table, const args_parser *parser) {
    table->node_count = 0;
    table->count = 0;
    add(table, parser, NULL, NULL);
    add(table, &common, NULL, NULL);
}

const args_entry *args_table_long(const args_table *table, const char *name, size_t length,
                                  int *several) {
    const args_entry *found = NULL;
    size_t fitting = 0;
    for (size_t i = 0; i < table->count; i++) {
        const char *const own = table->entries[i].option->name;
        if (own && strncmp(own, name, length) == 0) {
            found = &table->entries[i];
            fitting++;
            if (!own[length]) {
                fitting = 1;
                break;
            }
        }
    }
    *several = fitting > 1;
    /* A whole word is a name of its own, no abbreviation: --element is not --element-stride. */
    const int is_other = fitting == 1 && found->option->name[length] == '-';
    return fitting == 1 && !is_other ? found : NULL;
}

const args_entry *args_table_short(const args_table *table, char c) {
    for (size_t i = 0; i < table->count; i++) {
        if (args_is_short(table->entries[i].option) && table->entries[i].option->key == c) {
            return &table->entries[i];
        }
    }
    return NULL;
}
