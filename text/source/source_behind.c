/* SPDX-License-Identifier: Apache-2.0
 *
 * What stands behind a value: an index, a slice, a method that gives the same, a cast.
 */
#include "source_parts.h"

#include <string.h>

/* NOLINTBEGIN(misc-no-recursion) */
/* Entries from..to of a list, which stays one. */
static void cut(source_value *v, uint64_t from, uint64_t to) {
    source_value all = *v;
    from = from < all.count ? from : all.count;
    to = to < all.count ? to : all.count;
    memset(v, 0, sizeof(*v));
    v->is_list = 1;
    for (uint64_t i = from; i < to; i++) {
        source_value one = {.item = {all.item[i]}};
        source_append(v, &one, all.known >> i & 1);
    }
}

static void reverse(source_value *v) {
    source_value all = *v;
    memset(v, 0, sizeof(*v));
    v->is_list = 1;
    for (size_t i = all.count; i-- > 0;) {
        source_value one = {.item = {all.item[i]}};
        source_append(v, &one, all.known >> i & 1);
    }
}

/* A number of a slice, negative ones from the end; `missing` where none stands. */
static int read_bound(source_place *p, const source_value *list, uint64_t missing,
                      uint64_t *bound) {
    const source_token t = source_peek(p);
    source_value v;
    *bound = missing;
    if (source_is(&t, ':') || source_is(&t, ']')) {
        return 1;
    }
    if (!p->read(p, &v) || !source_is_number(&v)) {
        return 0;
    }
    *bound = (int64_t)v.item[0] < 0 ? v.item[0] + list->count : v.item[0];
    return 1;
}

/* "[0]", "[1:]", "[::-1]" of a list. */
static int read_index(source_place *p, source_value *v, int is_pointer) {
    uint64_t from = 0;
    uint64_t to = v->count;
    p->at = source_peek(p).behind;
    if (!v->is_list || !read_bound(p, v, 0, &from)) {
        return 0;
    }
    source_token t = source_peek(p);
    if (source_is(&t, ']')) {
        p->at = t.behind;
        from -= (uint64_t)p->r->text->first_index; /* before the first: behind the last */
        cut(v, from, is_pointer ? v->count : from + 1);
        v->is_list = (uint8_t)is_pointer;
        return v->count > 0 && (is_pointer || v->known);
    }
    if (source_is_pair(&t, ':', ':')) { /* [::-1] */
        source_value step;
        p->at = t.behind;
        if (!p->read(p, &step) || !source_is_number(&step) || (int64_t)step.item[0] != -1) {
            return 0;
        }
        reverse(v);
    } else {
        if (!source_is(&t, ':')) {
            return 0;
        }
        p->at = t.behind;
        if (!read_bound(p, v, v->count, &to)) {
            return 0;
        }
        cut(v, from, to);
    }
    t = source_peek(p);
    p->at = t.behind;
    return source_is(&t, ']');
}

/* Methods that give the same value: data(), as_ptr(). */
int source_is_same_value(const source_text *s, const source_token *name) {
    static const char *const words[] = {"data",   "as_ptr",     "as_mut_ptr", "into",   "to_vec",
                                        "tolist", "ptr",        "value",      "unwrap", "as_slice",
                                        "begin",  "ctypes",     "getPtr",     "clone",  "cast",
                                        "item",   "unsafe_ptr", "to_owned",   "get",    "data_as"};
    for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
        if (source_is_word(s, name, words[i])) {
            return 1;
        }
    }
    return 0;
}

static int read_method(source_place *p) {
    const source_text *s = p->r->text;
    const source_token name = source_next(s, source_peek(p).behind);
    source_token open = source_next(s, name.behind);
    if (!source_is_same_value(s, &name)) {
        return 0;
    }
    p->at = name.behind;
    if (source_is_pair(&open, ':', ':')) { /* .cast::<u8>() */
        const source_token angle = source_next(s, open.behind);
        p->at = source_template(s, &angle);
        open = source_peek(p);
        if (!p->at) {
            return 0;
        }
    }
    if (source_is(&open, '(')) {
        p->at = source_close(s, open.behind);
    }
    return p->at != 0;
}

/* Rust's "as u64", "as *const u64". */
static void skip_as(source_place *p) {
    source_token t = source_peek(p);
    while (source_is_word(p->r->text, &t, "as")) {
        p->at = t.behind;
        for (t = source_peek(p); source_is(&t, '*') || source_is_word(p->r->text, &t, "const") ||
                                 source_is_word(p->r->text, &t, "mut");
             t = source_peek(p)) {
            p->at = t.behind;
        }
        for (; t.kind == SOURCE_WORD || source_is_pair(&t, ':', ':'); t = source_peek(p)) {
            if (source_is_word(p->r->text, &t, "as")) {
                break;
            }
            p->at = t.behind;
        }
    }
}

int source_read_behind(source_place *p, source_value *v, int is_pointer) {
    for (;;) {
        const source_token t = source_peek(p);
        if (source_is(&t, '[') && !t.begins_line) {
            if (!read_index(p, v, is_pointer)) {
                return 0;
            }
        } else if (source_is(&t, '.') || source_is_pair(&t, '-', '>')) {
            if (!read_method(p)) {
                return 0;
            }
        } else {
            skip_as(p);
            return 1;
        }
    }
}

/* NOLINTEND(misc-no-recursion) */
