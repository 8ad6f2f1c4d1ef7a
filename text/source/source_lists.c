/* SPDX-License-Identifier: Apache-2.0
 *
 * Lists of constants: {1, 2}, [1, 2], [f(n) for n in (1, 2)], [1; 2], and *list among them.
 */
#include "source_parts.h"

#include <string.h>

#include "tma/detail/chars.h"

/* NOLINTBEGIN(misc-no-recursion) */
/* "for n in LIST", behind the expression that `from` begins; the list of its values. */
static int read_comprehension(source_place *p, size_t from, size_t loop, size_t close,
                              source_value *out) {
    const source_text *s = p->r->text;
    const source_token name = source_next(s, loop);
    const source_token in = source_next(s, name.behind);
    source_place of = *p;
    source_value list;
    of.at = in.behind;
    if (name.kind != SOURCE_WORD || !source_is_word(s, &in, "in") || !of.read(&of, &list) ||
        !list.is_list || source_next(s, of.at).behind != close) {
        return 0;
    }
    memset(out, 0, sizeof(*out));
    out->is_list = 1;
    for (size_t i = 0; i < list.count; i++) {
        source_place one = *p;
        source_value v = {.count = 0};
        one.at = from;
        one.loop = name.at;
        one.loop_length = name.length;
        one.looped = list.item[i];
        source_append(out, &v, list.known >> i & 1 && one.read(&one, &v) && source_is_number(&v));
    }
    p->at = close;
    return 1;
}

/* Whether an item is "VALUE for n in LIST": where the name begins; else 0. */
static size_t find_loop(const source_text *s, const source_item *item) {
    for (size_t at = item->from; at < item->to;) {
        const source_token t = source_next(s, at);
        if (source_is_word(s, &t, "for")) {
            return t.behind;
        }
        const int opens = source_is(&t, '(') || source_is(&t, '[') || source_is(&t, '{');
        const size_t behind = opens ? source_close(s, t.behind) : 0;
        at = behind ? behind : t.behind;
    }
    return 0;
}

/* An item as an entry, or, behind Python's *, all entries of a list. 0: nobody knows how many. */
static int read_item(source_place *p, const source_item *item, source_value *list) {
    const source_token t = source_next(p->r->text, item->from);
    source_place one = *p;
    source_value v = {.count = 0};
    one.at = source_is(&t, '*') ? t.behind : item->from;
    const int is_read = one.read(&one, &v) && source_next(p->r->text, one.at).at >= item->to;
    if (is_read && v.is_list && (source_is(&t, '*') || !list->count)) {
        for (size_t i = 0; i < v.count; i++) { /* {{1, 2}} is as {1, 2} */
            source_append(list, &(source_value){.item = {v.item[i]}}, v.known >> i & 1);
        }
    } else {
        source_append(list, &v, is_read && source_is_number(&v));
    }
    return !(source_is(&t, '*') && p->r->text->is_indented && !(is_read && v.is_list));
}

/* An item of a list; the first may be Rust's [1; 2]. 0: it is not understood. */
static int read_one(source_place *p, const source_item *item, source_value *out) {
    const source_text *s = p->r->text;
    source_place one = *p;
    source_value v;
    one.at = item->from;
    const int is_read = !out->count && one.read(&one, &v) && source_is_number(&v);
    const source_token t = source_next(s, one.at);
    if (!is_read || !source_is(&t, ';')) {
        return read_item(p, item, out);
    }
    source_value times;
    one.at = t.behind;
    if (!one.read(&one, &times) || !source_is_number(&times)) {
        return 0;
    }
    for (uint64_t i = 0; i < times.item[0] && i < SOURCE_ITEMS; i++) {
        source_append(out, &v, 1);
    }
    return 1;
}

/* Items up to the bracket that closes; *commas says whether any stood there. */
int source_read_list(source_place *p, source_value *out, int *commas) {
    const source_text *s = p->r->text;
    source_item item;
    memset(out, 0, sizeof(*out));
    out->is_list = 1;
    *commas = 0;
    for (;;) {
        if (!source_next_item(s, p->at, &item)) {
            return 0;
        }
        const size_t loop = item.is_empty || out->count ? 0 : find_loop(s, &item);
        if (loop && item.is_last) {
            return read_comprehension(p, item.from, loop, item.behind, out);
        }
        if (!item.is_empty && !read_one(p, &item, out)) {
            return 0;
        }
        p->at = item.behind;
        *commas |= !item.is_last;
        if (item.is_last) {
            return 1;
        }
    }
}

/* NOLINTEND(misc-no-recursion) */
