/* SPDX-License-Identifier: Apache-2.0
 *
 * tma list: the tables behind everything.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "args.h"
#include "cli_out.h"
#include "list_topics.h"
#include "options.h"
#include "out_text.h"
#include "printable.h"
#include "verbs.h"

typedef struct list_args {
    const list_topic *topic;
    int json;
} list_args;

static const args_child children[] = {{&json_parser, 0, 0, ARGS_AT(list_args, json)}, {0}};

static const char *topic_name(size_t i) {
    const list_topic *topic = list_topic_at(i);
    return topic ? topic->name : NULL;
}

static const list_topic *topic_named(const char *text, args_state *state) {
    size_t found = 0;
    tma_error error;
    option_check(tma_read_name(&found, text, "topic", topic_name, &error), state, &error);
    return list_topic_at(found);
}

static int parse(int key, char *text, args_state *state) {
    list_args *args = state->input;
    switch (key) {
    case ARGS_KEY_ARG:
        if (args->topic) {
            args_error(state, "one topic, no more: '%.80s'", printable_text(text).text);
        }
        args->topic = topic_named(text, state);
        return 0;
    case ARGS_KEY_NO_ARGS:
        args_error(state, "no topic: see tma list --help");
        return 0;
    default:
        return ARGS_UNKNOWN;
    }
}

/* The help text's list of topics, from the table. */
static void put_topics(args_text *text) {
    args_textf(text, "Topics:\n");
    for (size_t i = 0; list_topic_at(i); i++) {
        args_textf(text, "  %-14s  %s\n", topic_name(i), list_topic_at(i)->summary);
    }
}

static const args_parser parser = {
    0,
    parse,
    "TOPIC",
    "Prints a table of the library, each row with its evidence. A value of an enumeration has "
    "three numbers: the driver API's, PTX's (for tensormap.replace), and the one stored in the "
    "map. --json prints {\"table\": [{COLUMN: CELL, ...}, ...]}.",
    children,
    put_topics,
};

static int columns_of(const list_topic *topic) {
    int columns = 0;
    while (columns < LIST_MOST_COLUMNS && topic->columns[columns]) {
        columns++;
    }
    return columns;
}

static void print_row(const char *const *cells, const int *widths, int columns) {
    int used = 0;
    const char *last = columns ? cells[columns - 1] : "";
    for (int i = 0; i + 1 < columns; i++) {
        printf("%-*s  ", widths[i], cells[i]);
        used += widths[i] + 2;
    }
    if (used + (int)strlen(last) > OUT_COLUMNS && used < OUT_COLUMNS / 2) {
        out_wrapped(stdout, last, used);
    } else {
        puts(last);
    }
}

static void measure(const list_topic *topic, int columns, int *widths, list_row *row) {
    for (int c = 0; c < columns; c++) {
        widths[c] = (int)strlen(topic->columns[c]);
    }
    for (size_t i = 0; topic->fill(i, row); i++) {
        for (int c = 0; c < columns; c++) {
            const int width = (int)strlen(row->cell[c]);
            widths[c] = width > widths[c] ? width : widths[c];
        }
    }
}

static void print_text(const list_topic *topic) {
    int widths[LIST_MOST_COLUMNS];
    list_row row;
    const int columns = columns_of(topic);
    const char *group = NULL;
    measure(topic, columns, widths, &row);
    if (!topic->group) {
        print_row(topic->columns, widths, columns);
    }
    for (size_t i = 0; topic->fill(i, &row); i++) {
        const char *cells[LIST_MOST_COLUMNS];
        for (int c = 0; c < LIST_MOST_COLUMNS; c++) {
            cells[c] = row.cell[c];
        }
        if (topic->group && (!group || strcmp(group, topic->group(i)) != 0)) {
            printf("%s%s:\n", group ? "\n" : "", topic->group(i));
            group = topic->group(i);
        }
        print_row(cells, widths, columns);
    }
}

/* Numbers are numbers, "-" is null. */
static void json_cell(tma_json *json, const char *key, const char *text) {
    const size_t digits = strspn(text, "0123456789");
    uint64_t number = 0;
    if (!text[digits] && digits < 10 && tma_number_of(&number, text, digits) == TMA_NUMBER_OK) {
        tma_json_u64(json, key, number);
    } else {
        tma_json_text(json, key, strcmp(text, "-") != 0 ? text : NULL);
    }
}

static void print_json(const list_topic *topic) {
    list_row row;
    out_json line;
    tma_json *json = out_json_begin(&line, "list");
    tma_json_text(json, "topic", topic->name);
    tma_json_list(json, "table");
    for (size_t i = 0; topic->fill(i, &row); i++) {
        tma_json_object(json, NULL);
        for (int c = 0; c < columns_of(topic); c++) {
            json_cell(json, topic->columns[c], row.cell[c]);
        }
        if (topic->group) {
            tma_json_text(json, "standing", topic->group(i));
        }
        tma_json_end(json);
    }
    tma_json_end(json);
    out_json_end(&line);
}

int cmd_list(int argc, char **argv) {
    list_args args = {NULL, 0};
    options_parse(&parser, argc, argv, &args);
    if (args.json) {
        print_json(args.topic);
    } else {
        print_text(args.topic);
    }
    return CLI_CLEAN;
}
