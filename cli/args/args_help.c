/* SPDX-License-Identifier: Apache-2.0
 *
 * What --help and --usage print.
 */
#include <assert.h>
#include <ctype.h>
#include <string.h>

#include "args.h"
#include "args_table.h"
#include "args_text.h"

/* Columns. */
enum { HEADER = 1, SHORT = 2, LONG = 6, DOC = 29, DOC_LATEST = DOC + 3, USAGE = 12 };

/* A parser's options stand together where its parent says a header or a group. */
static int stands_alone(const args_node *node) {
    return node->as && (node->as->header || node->as->group);
}

/* The innermost set of options that a parser's are part of; null: of no such set. */
static const args_node *set_of(const args_node *node) {
    while (node && !stands_alone(node)) {
        node = node->parent;
    }
    return node;
}

static const args_node *outer_set(const args_node *set) {
    return set_of(set->parent);
}

static size_t depth_of(const args_node *set) {
    size_t depth = 0;
    for (; set; set = outer_set(set)) {
        depth++;
    }
    return depth;
}

/* 0, 1, 2, ..., -2, -1. */
static int compare_groups(int a, int b) {
    if ((a < 0) != (b < 0)) {
        return a < 0 ? 1 : -1;
    }
    return (a > b) - (a < b);
}

static int first_letter(const args_option *option) {
    return args_is_short(option) ? option->key : option->name ? option->name[0] : 0;
}

static int compare_letters(int a, int b) {
    const int x = tolower(a), y = tolower(b);
    return (x > y) - (x < y);
}

/* By their letters, then by their long names. Case makes no difference, but of two equal letters
 * the small one comes first. */
static int compare_names(const args_option *a, const args_option *b) {
    const int x = first_letter(a), y = first_letter(b);
    int order = compare_letters(x, y);
    order = order ? order : (x < y) - (x > y);
    order = order ? order : args_is_short(a) - args_is_short(b);
    const char *s = a->name ? a->name : "";
    const char *t = b->name ? b->name : "";
    for (; !order && (*s || *t); s++, t++) {
        order = compare_letters((unsigned char)*s, (unsigned char)*t);
    }
    return order;
}

static const args_node *outermost_set(const args_node *set) {
    while (outer_set(set)) {
        set = outer_set(set);
    }
    return set;
}

/* A set stands where its group has it among the sets inside the same one (of a group, the last
 * parser first) and after the options
 * that are of the outer one itself. */
static int compare_sets(const args_node *x, const args_node *y) {
    const size_t depth_x = depth_of(x), depth_y = depth_of(y);
    for (size_t i = depth_y; i < depth_x; i++) {
        x = outer_set(x);
    }
    for (size_t i = depth_x; i < depth_y; i++) {
        y = outer_set(y);
    }
    if (x == y) {
        return (depth_x > depth_y) - (depth_x < depth_y);
    }
    while (outer_set(x) != outer_set(y)) {
        x = outer_set(x);
        y = outer_set(y);
    }
    const int groups = compare_groups(x->as->group, y->as->group);
    return groups ? groups : x < y ? 1 : -1;
}

/* Options of one set: groups, the header of each first, names. Of none: among the outermost sets,
 * before those of the same group. */
static int compare(const args_entry *a, const args_entry *b) {
    const args_node *const x = set_of(a->node);
    const args_node *const y = set_of(b->node);
    if (x != y && x && y) {
        return compare_sets(x, y);
    }
    const int groups = compare_groups(x == y || !x ? a->group : outermost_set(x)->as->group,
                                      x == y || !y ? b->group : outermost_set(y)->as->group);
    if (groups || x != y) {
        return groups ? groups : x ? 1 : -1;
    }
    return compare_names(a->option, b->option);
}

/* Equal ones stay as they are. */
static void sort(args_table *table) {
    for (size_t i = 1; i < table->count; i++) {
        const args_entry entry = table->entries[i];
        size_t to = i;
        for (; to && compare(&table->entries[to - 1], &entry) > 0; to--) {
            table->entries[to] = table->entries[to - 1];
        }
        table->entries[to] = entry;
    }
}

static int is_hidden(const args_option *option) {
    return option->flags & ARGS_HIDDEN;
}

/* "-c" and "--name", each with its value. */
static void put_names(args_text *text, const args_option *option) {
    const int optional = option->flags & ARGS_VALUE_OPTIONAL;
    if (args_is_short(option)) {
        args_text_indent(text, SHORT);
        args_textf(text, "-%c", option->key);
        if (option->value && !option->name) {
            args_textf(text, optional ? "[%s]" : " %s", option->value);
        }
    }
    if (option->name) {
        if (args_is_short(option)) {
            args_text_put(text, ", ");
        }
        args_text_indent(text, LONG);
        args_textf(text, "--%s", option->name);
        if (option->value) {
            args_textf(text, optional ? "[=%s]" : "=%s", option->value);
        }
    }
}

static void put_option(args_text *text, const args_option *option) {
    text->wrapped = LONG;
    put_names(text, option);
    text->left = DOC;
    text->wrapped = DOC;
    if (option->doc && option->doc[0]) {
        if (text->column > DOC_LATEST) {
            args_text_put(text, "\n");
        } else if (text->column >= DOC) {
            args_text_put(text, "   ");
        } else {
            args_text_indent(text, DOC);
        }
        args_text_put(text, option->doc);
    }
    text->left = 0;
    args_text_put(text, "\n");
}

/* A header and whether a blank line goes before it. */
static void put_header(args_text *text, const char *header, int first) {
    if (!first) {
        args_text_put(text, "\n");
    }
    text->left = HEADER;
    text->wrapped = HEADER;
    args_text_put(text, header);
    text->left = 0;
    args_text_put(text, "\n");
}

static int is_inside(const args_node *set, const args_node *outer) {
    for (; set; set = outer_set(set)) {
        if (set == outer) {
            return 1;
        }
    }
    return 0;
}

static int has_both_with_value(const args_option *option) {
    return option->value && option->name && args_is_short(option);
}

/* The row that says which options come first, or null. */
static const args_option *row_of_first(const args_table *table) {
    for (size_t i = 0; i < table->count; i++) {
        if (table->entries[i].option->flags & ARGS_FIRST) {
            return table->entries[i].option;
        }
    }
    return NULL;
}

/* The word of a list behind `at`, and in *length how long it is; null behind the last. */
static const char *next_word(const char *at, size_t *length) {
    at += strspn(at, " ");
    *length = strcspn(at, " ");
    return *length ? at : NULL;
}

static int is_first(const args_option *first, const args_option *option) {
    size_t length = 0;
    const char *word = first && option->name ? first->value : "";
    for (; (word = next_word(word, &length)); word += length) {
        if (strlen(option->name) == length && !strncmp(option->name, word, length)) {
            return 1;
        }
    }
    return 0;
}

static int is_header(const args_option *option) {
    return !option->name && !option->key;
}

/* Whether options stand under a header. */
static int heads(const args_table *table, const args_entry *header, const args_option *first) {
    const args_entry *const end = table->entries + table->count;
    for (const args_entry *e = header + 1;
         e < end && e->group == header->group && set_of(e->node) == set_of(header->node); e++) {
        if (!is_hidden(e->option) && !is_header(e->option) && !is_first(first, e->option)) {
            return 1;
        }
    }
    return 0;
}

static void put_first(args_text *text, const args_table *table, const args_option *first) {
    size_t length = 0;
    const char *word = first->value;
    put_header(text, first->doc, 1);
    for (; (word = next_word(word, &length)); word += length) {
        int several = 0;
        const args_entry *e = args_table_long(table, word, length, &several);
        assert(e && !several);
        put_option(text, e->option);
    }
}

static void put_options(args_text *text, const args_table *table) {
    const args_option *const first = row_of_first(table);
    const args_entry *before = NULL;
    int headed = 0; /* from the first header on, groups are set apart */
    int both = 0;
    if (first) {
        put_first(text, table, first);
        args_text_put(text, "\n");
    }
    for (const args_entry *e = table->entries; e < table->entries + table->count; e++) {
        const args_option *const option = e->option;
        const args_node *const set = set_of(e->node);
        if (is_hidden(option) || option == first || is_first(first, option) ||
            (first && is_header(option) && !heads(table, e, first))) {
            continue;
        }
        if (is_header(option)) {
            if (option->doc && option->doc[0]) {
                put_header(text, option->doc, !before);
            }
            headed = 1;
            before = e;
            continue;
        }
        if (headed && before && before->group != e->group) {
            args_text_put(text, "\n");
        }
        if (set && set->as->header && set->as->header[0] &&
            (!before || !is_inside(set_of(before->node), set))) {
            put_header(text, set->as->header, !before);
            headed = 1;
        }
        put_option(text, option);
        both |= has_both_with_value(option);
        before = e;
    }
    text->wrapped = 0;
    if (both) {
        args_text_put(text,
                      "\nMandatory or optional arguments to long options are also mandatory or "
                      "optional for any corresponding short options.\n");
    }
}

/* A blank, or a new line where what comes would be broken at a blank of its own. */
static void set_apart(args_text *text, size_t length) {
    args_text_put(text, text->column + 1 + length < ARGS_RIGHT ? " " : "\n");
}

static void put_usage_names(args_text *text, const args_table *table) {
    for (size_t i = 0; i < table->count; i++) {
        const args_option *const o = table->entries[i].option;
        if (!is_hidden(o) && o->name) {
            const char *const form = !o->value                        ? " [--%s]"
                                     : o->flags & ARGS_VALUE_OPTIONAL ? " [--%s[=%s]]"
                                                                      : " [--%s=%s]";
            args_textf(text, form, o->name, o->value);
        }
    }
}

static void put_usage_options(args_text *text, const args_table *table) {
    char shorts[128] = "";
    size_t count = 0;
    for (size_t i = 0; i < table->count; i++) {
        const args_option *const o = table->entries[i].option;
        if (!is_hidden(o) && args_is_short(o) && !o->value) {
            shorts[count++] = (char)o->key;
        }
    }
    if (count) {
        args_textf(text, " [-%s]", shorts);
    }
    for (size_t i = 0; i < table->count; i++) {
        const args_option *const o = table->entries[i].option;
        if (!is_hidden(o) && args_is_short(o) && o->value) {
            const int optional = o->flags & ARGS_VALUE_OPTIONAL;
            if (!optional) {
                set_apart(text, strlen("[-c ]") + strlen(o->value));
            }
            args_textf(text, optional ? " [-%c[%s]]" : "[-%c %s]", o->key, o->value);
        }
    }
    put_usage_names(text, table);
}

/* One line for each way to call; the first with all options where `full`. */
static void put_usage(args_text *text, const args_table *table, const char *name, int full) {
    const char *args = table->nodes[0].parser->args;
    const char *lead = "Usage:";
    for (int more = 1; more; lead = "  or: ", full = 0) {
        const size_t length = args ? strcspn(args, "\n") : 0;
        text->wrapped = USAGE;
        args_textf(text, "%s %s", lead, name);
        text->left = USAGE;
        if (full) {
            text->goes_on = 1;
            put_usage_options(text, table);
            text->goes_on = 0;
        } else {
            args_text_put(text, " [OPTION...]");
        }
        if (args) {
            set_apart(text, length);
            args_textf(text, "%.*s", (int)length, args);
            more = args[length] == '\n';
            args += length + (size_t)more;
        } else {
            more = 0;
        }
        text->left = 0;
        args_text_put(text, "\n");
    }
}

static void begin(args_text *text, args_table *table, FILE *out, const args_parser *parser) {
    *text = (args_text){out, 0, 0, 0, 0};
    args_table_make(table, parser);
    sort(table);
}

void args_usage(FILE *out, const args_parser *parser, const char *name) {
    static args_table table; /* large */
    args_text text;
    begin(&text, &table, out, parser);
    put_usage(&text, &table, name, 1);
}

static void put_doc(args_text *text, const char *doc, size_t length) {
    text->wrapped = 0;
    args_textf(text, "%.*s", (int)length, doc);
    if (text->column) {
        args_text_put(text, "\n");
    }
}

void args_help(FILE *out, const args_parser *parser, const char *name) {
    static args_table table; /* large */
    args_text text;
    const char *const doc = parser->doc ? parser->doc : "";
    const size_t before = strcspn(doc, "\v");
    begin(&text, &table, out, parser);
    put_usage(&text, &table, name, 0);
    put_doc(&text, doc, before);
    args_text_put(&text, "\n");
    put_options(&text, &table);
    if (doc[before]) {
        args_text_put(&text, "\n");
        put_doc(&text, doc + before + 1, strlen(doc + before + 1));
    }
    if (parser->doc_end) {
        args_text_put(&text, "\n");
        put_doc(&text, "", 0);
        parser->doc_end(&text);
        if (text.column) {
            args_text_put(&text, "\n");
        }
    }
}

void args_list(FILE *out, const args_parser *parser) {
    static args_table table; /* large */
    args_table_make(&table, parser);
    sort(&table);
    for (size_t i = 0; i < table.count; i++) {
        const args_option *const o = table.entries[i].option;
        if (o->name && !is_hidden(o)) {
            const int needs = o->value && !(o->flags & ARGS_VALUE_OPTIONAL);
            fprintf(out, "--%s%s\t%s\n", o->name, needs ? "=" : "", o->doc ? o->doc : "");
        }
    }
}
