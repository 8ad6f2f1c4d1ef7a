/* SPDX-License-Identifier: Apache-2.0
 *
 * tma list: the tables behind everything.
 */
#include <argp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "list_topics.h"
#include "names.h"
#include "out_json.h"
#include "out_text.h"
#include "verbs.h"

enum { KEY_JSON = 0x400 };

typedef struct list_args {
    const list_topic *topic;
    int json;
} list_args;

static const struct argp_option options[] = {
    {"json", KEY_JSON, 0, 0, "one JSON object: {\"rows\": [{COLUMN: CELL, ...}, ...]}", 0},
    {0},
};

static const char *topic_name(size_t i) {
    const list_topic *topic = list_topic_at(i);
    return topic ? topic->name : NULL;
}

static const list_topic *topic_named(const char *text, struct argp_state *state) {
    cli_error error;
    for (size_t i = 0; list_topic_at(i); i++) {
        if (!strcmp(text, topic_name(i))) {
            return list_topic_at(i);
        }
    }
    name_unknown(text, "topic", topic_name, &error);
    argp_error(state, "%s", error.text);
    return NULL;
}

static error_t parse(int key, char *text, struct argp_state *state) {
    list_args *args = state->input;
    switch (key) {
    case KEY_JSON:
        args->json = 1;
        return 0;
    case ARGP_KEY_ARG:
        if (args->topic) {
            argp_error(state, "one topic, no more: '%.80s'", text);
        }
        args->topic = topic_named(text, state);
        return 0;
    case ARGP_KEY_NO_ARGS:
        argp_error(state, "no topic: see tma list --help");
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

/* The help text's list of topics, from the table. */
static char *with_topics(int key, const char *text, void *input) {
    char *out = NULL;
    size_t size = 0;
    (void)input;
    if (key != ARGP_KEY_HELP_POST_DOC) {
        return (char *)text;
    }
    FILE *file = open_memstream(&out, &size);
    if (!file) {
        return (char *)text;
    }
    fputs("Topics:\n", file);
    for (size_t i = 0; list_topic_at(i); i++) {
        fprintf(file, "  %-14s  %s\n", topic_name(i), list_topic_at(i)->summary);
    }
    fclose(file);
    return out;
}

static const struct argp argp = {
    options,
    parse,
    "TOPIC",
    "The tables that the library works with, each row with its evidence. An enumeration has three "
    "numbers: the driver API's, PTX's (of tensormap.replace), and the one stored in the map."
    "\v.", /* replaced by with_topics() */
    0,
    with_topics,
    0,
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
static json_t *json_cell(const char *text) {
    const size_t digits = strspn(text, "0123456789");
    if (!strcmp(text, "-")) {
        return json_null();
    }
    return digits && !text[digits] && digits < 10 ? json_integer(strtol(text, NULL, 10))
                                                  : json_string(text);
}

static void print_json(const list_topic *topic) {
    list_row row;
    json_t *object = json_begin("list");
    json_t *rows = json_array();
    json_put(object, "topic", json_string(topic->name));
    json_put(object, "rows", rows);
    for (size_t i = 0; topic->fill(i, &row); i++) {
        json_t *cells = json_object();
        for (int c = 0; c < columns_of(topic); c++) {
            json_put(cells, topic->columns[c], json_cell(row.cell[c]));
        }
        if (topic->group) {
            json_put(cells, "standing", json_string(topic->group(i)));
        }
        json_add(rows, cells);
    }
    json_end(stdout, object);
}

int cmd_list(int argc, char **argv) {
    list_args args = {NULL, 0};
    argp_parse(&argp, argc, argv, 0, NULL, &args);
    if (args.json) {
        print_json(args.topic);
    } else {
        print_text(args.topic);
    }
    return CLI_CLEAN;
}
