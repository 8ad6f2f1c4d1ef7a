/* SPDX-License-Identifier: Apache-2.0
 *
 * What a name stands for: what was assigned to it, entry by entry, or what a caller gives.
 */
#include "source_parts.h"

#include <string.h>

#include "tma/detail/chars.h"

/* NOLINTBEGIN(misc-no-recursion) */
/* C fills an array with zeros behind the entries that it was given. */
static void fill_array(source_reader *r, const source_binding *b, source_value *out) {
    source_value size;
    source_reader inner = *r;
    inner.text = &r->scope->text;
    inner.depth = r->depth + 1;
    if (b->index && out->is_list && !inner.text->is_indented &&
        inner.read(&inner, b->index, 0, &size) && source_is_number(&size)) {
        while (out->count < SOURCE_ITEMS && out->count < size.item[0]) {
            source_append(out, &(source_value){.count = 0}, 1);
        }
    }
}

/* Where the parts of a value begin: inside of its brackets, if they are all of it. */
static size_t value_of_parts(const source_text *s, size_t at) {
    const source_token open = source_next(s, at);
    const size_t behind = source_is(&open, '(') ? source_close(s, open.behind) : 0;
    const source_token next = source_next(s, behind);
    const int is_all =
        behind && (source_is(&next, ';') || next.begins_line || next.kind == SOURCE_END);
    return is_all ? open.behind : at;
}

static int read_binding(source_reader *r, const source_binding *b, size_t number,
                        source_value *out) {
    source_reader inner = *r;
    inner.text = &r->scope->text;
    inner.before = number;
    inner.depth = r->depth + 1;
    memset(out, 0, sizeof(*out));
    if (b->made == SOURCE_DECLARED) {
        out->is_list = 1;
        return 1;
    }
    if (b->made == SOURCE_TURN) {
        return source_read_turn(&inner, b, out);
    }
    if (!b->part) {
        const int is_read = inner.read(&inner, b->value, 0, out);
        fill_array(&inner, b, out);
        return is_read || (b->index && out->is_list && out->count);
    }
    size_t at = value_of_parts(inner.text, b->value);
    for (size_t i = 1;; i++) {
        source_item item;
        if (!source_next_item(inner.text, at, &item)) {
            item.is_last = 1; /* the statement ends, and so does the text */
            item.from = at;
            item.to = 0;
        }
        if (i == b->part) {
            const source_token t = source_next(inner.text, item.from);
            const int is_end = item.is_last || source_next(inner.text, t.behind).begins_line;
            return inner.read(&inner, item.from, is_end ? 0 : item.to, out);
        }
        if (item.is_last) {
            return 0;
        }
        at = item.behind;
    }
}

/* What was done to a list's entries behind its declaration. */
static int read_changes(source_reader *r, const source_binding *b, size_t number,
                        source_value *out) {
    while ((b = source_next_binding(r->scope, b, &number)) != NULL) {
        source_value index;
        source_value v = {.count = 0};
        if (r->before && number >= r->before) {
            return 1;
        }
        if (b->made == SOURCE_UNSURE) {
            return 0;
        }
        source_reader inner = *r;
        inner.text = &r->scope->text;
        inner.before = number;
        inner.depth = r->depth + 1;
        if (b->made == SOURCE_APPENDED) {
            const int is_known = inner.read(&inner, b->value, 0, &v) && source_is_number(&v);
            source_append(out, &v, is_known);
            continue;
        }
        if (!inner.read(&inner, b->index, 0, &index) || !source_is_number(&index) ||
            index.item[0] >= SOURCE_ITEMS) {
            return 0;
        }
        const int is_known = inner.read(&inner, b->value, 0, &v) && source_is_number(&v);
        const uint8_t bit = (uint8_t)(1u << index.item[0]);
        out->item[index.item[0]] = is_known ? v.item[0] : 0;
        out->known = (uint8_t)((out->known & ~bit) | (is_known ? bit : 0));
        out->count = out->count > index.item[0] ? out->count : (uint8_t)(index.item[0] + 1);
        out->is_list = 1;
    }
    return 1;
}

/* What was assigned to a name. */
static source_found read_assigned(source_reader *r, size_t at, size_t length, size_t owner,
                                  size_t owner_length, source_value *out) {
    const char *text = r->text->text;
    size_t number = r->before;
    size_t last = 0;
    const source_binding *b = NULL;
    const source_binding *found = NULL;
    while ((b = source_last(r->scope, text + at, length, text + owner, owner_length, number,
                            &number)) != NULL) {
        found = b;
        last = number;
        if (b->made != SOURCE_ENTRY && b->made != SOURCE_APPENDED) {
            break;
        }
    }
    if (!found) {
        return SOURCE_UNKNOWN;
    }
    memset(out, 0, sizeof(*out));
    if (found->made == SOURCE_UNSURE) {
        return SOURCE_NOT_READ;
    }
    const int is_whole = found->made != SOURCE_ENTRY && found->made != SOURCE_APPENDED;
    if ((is_whole && !read_binding(r, found, last, out)) || !is_whole) {
        return SOURCE_NOT_READ;
    }
    return read_changes(r, found, last, out) && (out->count || out->word_length) ? SOURCE_FOUND
                                                                                 : SOURCE_NOT_READ;
}

/* A parameter's name: the last word before a colon, an = or the end; and its default. */
static source_token parameter_name(const source_text *s, const source_item *item,
                                   source_item *fallback) {
    source_token last = {.kind = SOURCE_WORD};
    int is_typed = 0;
    *fallback = (source_item){.is_empty = 1};
    for (size_t from = item->from; from < item->to;) {
        const source_token t = source_next(s, from);
        if (source_is(&t, '=')) {
            *fallback = (source_item){.from = t.behind, .to = item->to};
            break;
        }
        is_typed |= source_is(&t, ':') || source_is(&t, '[');
        if (t.kind == SOURCE_WORD && !is_typed) {
            last = t;
        }
        from = t.behind;
    }
    return last;
}

/* The source_place of a parameter among the others, and its default; -1 if it is none. */
static int parameter_of(const source_text *s, size_t parameters, const char *name, size_t length,
                        source_item *fallback) {
    source_item item;
    size_t at = parameters;
    for (int i = 0;; i++) {
        if (!source_next_item(s, at, &item) || item.is_empty) {
            *fallback = (source_item){.is_empty = 1};
            return -1;
        }
        const source_token last = parameter_name(s, &item, fallback);
        if (last.length == length && text_equal(s->text + last.at, name, length)) {
            return i;
        }
        if (item.is_last) {
            return -1;
        }
        at = item.behind;
    }
}

/* The argument for the parameter, by its source_place or its name. */
static int find_argument(const source_text *s, size_t call, int place_of, const char *name,
                         size_t length, source_item *out) {
    size_t at = call;
    for (int i = 0; source_next_item(s, at, out) && !out->is_empty; i++) {
        const source_token t = source_next(s, out->from);
        const source_token sign = source_next(s, t.behind);
        const int is_named =
            t.kind == SOURCE_WORD && (source_is(&sign, '=') || source_is(&sign, ':'));
        if (is_named && t.length == length && text_equal(s->text + t.at, name, length)) {
            out->from = sign.behind;
            return 1;
        }
        if (!is_named && i == place_of) {
            return 1;
        }
        if (out->is_last) {
            return 0;
        }
        at = out->behind;
    }
    return 0;
}

/* A parameter of a function around the place: what a call of it gives. */
static source_found find_parameter(source_reader *r, size_t at, size_t length, size_t bound,
                                   source_reader *inner, source_item *argument) {
    const source_text *s = &r->scope->text;
    const char *name = r->text->text + at;
    for (size_t i = 0; i < r->scope->functions; i++) {
        const source_function *f = &r->scope->function[i];
        source_item fallback;
        const int which = f->parameters && bound <= f->first
                              ? parameter_of(s, f->parameters, name, length, &fallback)
                              : -1;
        if (which < 0) {
            continue;
        }
        const source_given *given = r->given;
        if (!given || given->parameters != f->parameters) {
            return SOURCE_NOT_READ;
        }
        *inner = (source_reader){&given->at->text, given->at, NULL,    0,
                                 r->depth + 1,     r->work,   r->read, NULL};
        if (!find_argument(inner->text, given->call, which, name, length, argument)) {
            *argument = fallback;
        }
        return argument->is_empty ? SOURCE_NOT_READ : SOURCE_FOUND;
    }
    return SOURCE_UNKNOWN;
}

static source_found read_parameter(source_reader *r, size_t at, size_t length, size_t bound,
                                   source_value *out) {
    source_reader inner;
    source_item argument;
    const source_found found = find_parameter(r, at, length, bound, &inner, &argument);
    return found != SOURCE_FOUND || inner.read(&inner, argument.from, argument.to, out)
               ? found
               : SOURCE_NOT_READ;
}

source_found source_expression_of(source_reader *r, size_t at, size_t length, source_reader *inner,
                                  source_item *item) {
    const char *name = r->text->text + at;
    size_t number = r->before;
    const source_binding *b = NULL;
    if (!r->scope || r->depth > SOURCE_DEEPEST) {
        return SOURCE_UNKNOWN;
    }
    do { /* entries that are written leave what it is */
        b = source_last(r->scope, name, length, "", 0, number, &number);
    } while (b && (b->made == SOURCE_ENTRY || b->made == SOURCE_APPENDED));
    const source_found found = find_parameter(r, at, length, b ? number : 0, inner, item);
    if (found != SOURCE_UNKNOWN || !b) {
        return found;
    }
    *inner = *r;
    inner->text = &r->scope->text;
    inner->before = number;
    inner->depth = r->depth + 1;
    *item = (source_item){.from = b->value};
    return b->made == SOURCE_WHOLE && !b->part ? SOURCE_FOUND : SOURCE_NOT_READ;
}

source_found source_read_known(source_reader *r, size_t at, size_t length, size_t owner,
                               size_t owner_length, source_value *out) {
    size_t number = r->before;
    if (!r->scope || r->depth > SOURCE_DEEPEST) {
        return SOURCE_UNKNOWN;
    }
    const char *text = r->text->text;
    const int has = source_last(r->scope, text + at, length, text + owner, owner_length, number,
                                &number) != NULL;
    const source_found parameter =
        owner_length ? SOURCE_UNKNOWN : read_parameter(r, at, length, has ? number : 0, out);
    return parameter != SOURCE_UNKNOWN ? parameter
                                       : read_assigned(r, at, length, owner, owner_length, out);
}

/* NOLINTEND(misc-no-recursion) */
