/* SPDX-License-Identifier: Apache-2.0
 *
 * Values that depend on what the text leaves open: the turn of a loop over constants, the side of a
 * condition. A reader is told which case it reads; without, such a value is not read.
 */
#include "source_parts.h"

#include <string.h>

#include "tma/detail/chars.h"

size_t source_cases_of(const source_cases *cases) {
    size_t product = 1;
    for (size_t i = 0; i < cases->keys; i++) {
        product *= cases->key[i].count;
    }
    return product;
}

/* Whether no name of the condition was given a value between two places that are read before those
 * bindings. */
static int is_unchanged(const source_reader *r, const char *at, size_t length, size_t before) {
    const size_t from = (size_t)(at - r->text->text);
    for (size_t i = from; r->scope && before != r->before && i < from + length;) {
        const source_token t = source_next(r->text, i);
        size_t one = 0;
        size_t other = 0;
        if (t.kind == SOURCE_WORD) {
            source_last(r->scope, r->text->text + t.at, t.length, "", 0, before, &one);
            source_last(r->scope, r->text->text + t.at, t.length, "", 0, r->before, &other);
        }
        if (one != other) {
            return 0;
        }
        i = t.behind;
    }
    return 1;
}

int source_key(const source_reader *r, const char *at, size_t length, size_t count, int is_loop,
               size_t *is) {
    source_cases *c = r->cases;
    size_t before = 1;
    if (!c || count < 1) {
        return -1;
    }
    for (size_t i = 0; i < c->keys; before *= c->key[i++].count) {
        const int is_same = c->key[i].length == length && c->key[i].is_loop == is_loop &&
                            (is_loop ? c->key[i].at == at : text_equal(c->key[i].at, at, length));
        if (is_same) {
            *is = c->key[i].is;
            return is_loop || is_unchanged(r, at, length, c->key[i].before) ? (int)i : -1;
        }
    }
    /* Of two conditions, or one in a loop, the text may leave fewer cases than the product. */
    const int is_sure = !c->keys || (is_loop && c->key[0].is_loop);
    if (!is_sure || c->keys == SOURCE_KEYS || before * count > SOURCE_CASES) {
        return -1;
    }
    *is = c->which / before % count;
    c->key[c->keys].at = c->key[c->keys].said = at;
    c->key[c->keys].length = c->key[c->keys].said_length = length;
    c->key[c->keys].count = count;
    c->key[c->keys].is = *is;
    c->key[c->keys].is_loop = is_loop;
    c->key[c->keys].before = r->before;
    return (int)c->keys++;
}

/* ---- conditions ---- */

/* The token of the expression from `at` on that is the word or the sign, outside of brackets; the
 * end of the one before it in *before. 0: there is none. */
static int find_joint(const source_text *s, size_t at, const char *word, source_token *joint,
                      size_t *before) {
    size_t nested = 0;
    for (*before = at;;) {
        const source_token t = source_next(s, at);
        const int is_it = text_is_word(*word) ? source_is_word(s, &t, word) : source_is(&t, *word);
        if (is_it && !nested) {
            *joint = t;
            return 1;
        }
        const int is_behind = source_is(&t, ':') && !nested && *word == '?';
        nested += (size_t)source_is(&t, '?');
        nested -= (size_t)(nested && source_is(&t, ':'));
        if (is_behind || t.kind == SOURCE_END || source_is(&t, ';') || source_is(&t, ',') ||
            source_is(&t, ')') || source_is(&t, ']') || source_is(&t, '}') ||
            (source_is(&t, '{') && *word != '{')) {
            return 0;
        }
        const int opens = source_is(&t, '(') || source_is(&t, '[');
        const size_t behind = opens ? source_close(s, t.behind) : 0;
        at = behind ? behind : t.behind;
        *before = behind ? behind : t.at + t.length;
    }
}

/* NOLINTBEGIN(misc-no-recursion) */
/* What a condition is: it holds or not; the text leaves it open; or its values are known, and what
 * is made of them is not read. */
enum { HOLDS_NOT, HOLDS, IS_OPEN, IS_CLOSED };

/* "A > B". Where one is below 0, an order is Python's alone: C's depends on the types. */
static int compare(const source_token *sign, uint64_t a, uint64_t b, int is_signed) {
    const uint64_t sign_bit = (uint64_t)1 << 63;
    const int is_less = is_signed ? (a ^ sign_bit) < (b ^ sign_bit) : a < b;
    const int is_same = source_is_pair(sign, '=', '=');
    if (is_same || source_is_pair(sign, '!', '=')) {
        return (a == b) == is_same;
    }
    if (!is_signed && (a | b) & sign_bit) {
        return IS_CLOSED;
    }
    const int may_be_less = source_is_pair(sign, '<', '=');
    const int may_be_same = may_be_less || source_is_pair(sign, '>', '=');
    if (may_be_same || source_is(sign, '<') || source_is(sign, '>')) {
        return a == b ? may_be_same : is_less == (may_be_less || source_is(sign, '<'));
    }
    return IS_OPEN;
}

/* A condition that is one value: a number, "true". */
static int is_true(const source_text *s, const source_value *v) {
    const source_token word = source_next(s, v->word);
    if (source_is_number(v)) {
        return v->item[0] != 0;
    }
    if (!v->word_length) {
        return IS_OPEN;
    }
    return source_is_word(s, &word, "true") || source_is_word(s, &word, "True")     ? HOLDS
           : source_is_word(s, &word, "false") || source_is_word(s, &word, "False") ? HOLDS_NOT
                                                                                    : IS_OPEN;
}

static int decide(const source_place *p, size_t from, size_t to) {
    source_place one = *p;
    source_value a;
    source_value b;
    one.at = from;
    one.is_asked = 1;
    if (!one.read(&one, &a)) {
        return IS_OPEN;
    }
    const source_token sign = source_peek(&one);
    if (sign.at >= to) {
        return is_true(p->r->text, &a);
    }
    one.at = sign.behind;
    if (!source_is_number(&a) || !one.read(&one, &b) || !source_is_number(&b) ||
        source_next(p->r->text, one.at).at < to) {
        return IS_OPEN;
    }
    return compare(&sign, a.item[0], b.item[0], p->r->text->is_indented);
}

/* Whether a name stands in the expression whose value the text does not give, as a number, a
 * fraction or a string: without one nothing is open. */
static int has_open_name(source_reader *r, size_t from, size_t to) {
    const source_text *s = r->text;
    for (size_t i = 0; from < to; i++) {
        const source_token t = source_next(s, from);
        const int is_joint = source_is_word(s, &t, "and") || source_is_word(s, &t, "or") ||
                             source_is_word(s, &t, "not");
        const int ends = t.begins_line || source_is(&t, ';') || source_is(&t, ',');
        source_reader inner;
        source_item item;
        source_value v;
        if (t.kind == SOURCE_END || (to == SIZE_MAX && i && ends)) {
            break;
        }
        if (t.kind == SOURCE_WORD && !is_joint &&
            (source_read_known(r, t.at, t.length, 0, 0, &v) != SOURCE_FOUND ||
             !source_is_number(&v)) &&
            (source_expression_of(r, t.at, t.length, &inner, &item) != SOURCE_FOUND ||
             has_open_name(&inner, item.from, item.to ? item.to : SIZE_MAX))) {
            return 1;
        }
        from = t.behind;
    }
    return 0;
}

static int which_side(const source_place *p, size_t from, size_t to, size_t *side) {
    const source_text *s = p->r->text;
    source_token t = source_next(s, from);
    while (source_is(&t, '(') && t.at < to && source_close(s, t.behind) == to) {
        from = source_next(s, t.behind).at;
        to--;
        t = source_next(s, from);
    }
    const int is = to > from ? decide(p, from, to) : IS_CLOSED;
    *side = is == HOLDS_NOT;
    return is == HOLDS || is == HOLDS_NOT ||
           (is == IS_OPEN && has_open_name(p->r, from, to) &&
            source_key(p->r, s->text + from, to - from, 2, 0, side) >= 0);
}

/* One side of two, of which the second ends the expression. */
static int read_sides(source_place *p, size_t first, size_t second, size_t side,
                      source_value *out) {
    source_place one = *p;
    source_value other;
    p->at = second;
    one.at = first;
    const int is_read = p->read(p, side ? out : &other);
    return side ? is_read : is_read && one.read(&one, out);
}

/* Behind the first value, which `out` is: "A if C else B". */
static int read_behind_value(source_place *p, source_value *out) {
    const source_text *s = p->r->text;
    const source_token word = source_peek(p);
    const size_t condition = source_next(s, word.behind).at;
    source_token joint;
    source_value other;
    size_t to = 0;
    size_t side = 0;
    if (!source_is_word(s, &word, "if") || (word.begins_line && p->depth < 2) ||
        !find_joint(s, condition, "else", &joint, &to) || !which_side(p, condition, to, &side)) {
        return 0;
    }
    p->at = joint.behind;
    const int is_read = p->read(p, &other);
    *out = side ? other : *out;
    return is_read;
}

/* "if C { A } else { B }". */
static int read_blocks(source_place *p, size_t from, source_value *out) {
    const source_text *s = p->r->text;
    const source_token word = source_next(s, from);
    const size_t condition = source_next(s, word.behind).at;
    source_token open;
    size_t to = 0;
    size_t side = 0;
    if (!source_is_word(s, &word, "if") || !find_joint(s, condition, "{", &open, &to)) {
        return 0;
    }
    const size_t close = source_close(s, open.behind);
    const source_token other = source_next(s, close);
    const source_token second = source_next(s, other.behind);
    const size_t end = close ? source_close(s, second.behind) : 0;
    if (!end || !source_is_word(s, &other, "else") || !source_is(&second, '{') ||
        !which_side(p, condition, to, &side)) {
        return 0;
    }
    source_place one = *p;
    one.at = side ? second.behind : open.behind;
    p->at = end;
    return one.read(&one, out) && source_next(s, one.at).behind == (side ? end : close);
}

static int read_choice(source_place *p, size_t from, int is_read, source_value *out) {
    const source_text *s = p->r->text;
    const size_t condition = source_next(s, from).at;
    source_token joint;
    source_token colon;
    size_t to = 0;
    size_t side = 0;
    if (s->is_indented) {
        return is_read && read_behind_value(p, out);
    }
    if (find_joint(s, condition, "?", &joint, &to)) {
        size_t unused = 0;
        return find_joint(s, joint.behind, ":", &colon, &unused) &&
               which_side(p, condition, to, &side) &&
               read_sides(p, joint.behind, colon.behind, side, out);
    }
    return read_blocks(p, from, out);
}

int source_read_choice(source_place *p, size_t from, int is_read, source_value *out) {
    if (!p->r->cases || p->depth >= SOURCE_DEEPEST || !*p->r->work) {
        return 0;
    }
    --*p->r->work;
    p->depth++;
    const int is_chosen = read_choice(p, from, is_read, out);
    p->depth--;
    return is_chosen;
}

/* ---- loops ---- */

static int opens_list(const source_token *t) {
    return source_is(t, '(') || source_is(t, '[') || source_is(t, '{');
}

/* Whether a list is all that the loop goes over: a slice, a sum, enumerate's start stand behind no
 * such one, Rust's iter() may. */
static int ends_turns(const source_text *s, size_t behind) {
    for (;;) {
        const source_token t = source_next(s, behind);
        const source_token method = source_next(s, t.behind);
        const source_token open = source_next(s, method.behind);
        const size_t close = source_is(&open, '(') ? source_close(s, open.behind) : 0;
        if (!source_is(&t, '.')) {
            return source_is(&t, ':') || source_is(&t, ')') || source_is(&t, '{') ||
                   source_is(&t, ';') || t.kind == SOURCE_END || t.begins_line;
        }
        if (!close ||
            !(source_is_word(s, &method, "iter") || source_is_word(s, &method, "into_iter") ||
              source_is_word(s, &method, "copied"))) {
            return 0;
        }
        behind = close;
    }
}

/* Whether what stands for the name as a whole is what it is: nothing was appended. */
static int is_as_assigned(const source_reader *r, const source_token *name) {
    size_t number = 0;
    const source_binding *b = r->scope ? source_last(r->scope, r->text->text + name->at,
                                                     name->length, "", 0, r->before, &number)
                                       : NULL;
    return !b || (b->made != SOURCE_ENTRY && b->made != SOURCE_APPENDED);
}

/* The bracket of the constants that a loop goes over, behind enumerate( and names; 0 if there is
 * none. */
static source_token list_of(source_reader *r, const source_binding *b, int *is_numbered) {
    source_item item = {.from = b->value};
    source_token t;
    *is_numbered = 0;
    for (size_t i = 0; i < SOURCE_DEEPEST; i++) {
        t = source_next(r->text, item.from);
        const source_token next = source_next(r->text, t.behind);
        if (source_is_word(r->text, &t, "enumerate") && source_is(&next, '(')) {
            *is_numbered = 1;
            item.from = next.behind;
        } else if (source_is(&t, '&') || source_is_word(r->text, &t, "new")) {
            item.from = t.behind;
        } else if (source_is(&t, '[') && source_is(&next, ']')) { /* C#: new[] {..} */
            item.from = next.behind;
        } else if (t.kind != SOURCE_WORD || source_is(&next, '(') || source_is(&next, '.')) {
            break;
        } else {
            source_reader inner = *r;
            if (!ends_turns(r->text, t.behind) || !is_as_assigned(r, &t) ||
                source_expression_of(r, t.at, t.length, &inner, &item) != SOURCE_FOUND) {
                break;
            }
            *r = inner;
        }
    }
    return t;
}

/* The items of a list, up to most + 1; *at is the `which`-th one. */
static size_t count_items(const source_text *s, size_t inside, size_t most, size_t which,
                          source_item *at) {
    source_item item;
    size_t count = 0;
    while (count <= most && source_next_item(s, inside, &item)) {
        const source_token first = source_next(s, item.from);
        if (source_is(&first, '*')) { /* Python's "*others": more than one */
            return most + 1;
        }
        if (!item.is_empty && count == which) {
            *at = item;
        }
        count += !item.is_empty;
        if (item.is_last) {
            return count;
        }
        inside = item.behind;
    }
    return most + 1; /* or the text ends before */
}

/* The part of the value that the name has in the pattern, which is of the same shape: *value goes
 * there. */
static int find_part(const source_text *names, size_t pattern, size_t name, const source_text *s,
                     source_item *value) {
    for (size_t i = 0; i < SOURCE_KEYS; i++) {
        const source_token t = source_next(names, pattern);
        const source_token behind = source_next(names, t.behind);
        const source_token open = source_next(s, value->from);
        const int is_bracket = source_is(&t, '(') || source_is(&t, '[');
        source_item part;
        size_t which = 0;
        if (t.at == name && !(i == 0 && source_is(&behind, ','))) {
            return 1;
        }
        if (!opens_list(&open)) {
            return 0;
        }
        for (size_t at = is_bracket ? t.behind : pattern;; which++, at = part.behind) {
            if (!source_next_item(names, at, &part)) {
                return 0;
            }
            if (name < part.to) {
                break;
            }
            if (part.is_last) {
                return 0;
            }
        }
        pattern = part.from;
        if (count_items(s, open.behind, SOURCE_ITEMS, which, value) <= which) {
            return 0;
        }
        if (source_next(names, pattern).at == name) {
            return 1;
        }
    }
    return 0;
}

#define MOST_DERIVED 16

/* What the body of a loop leaves out, as its statements are read. */
typedef struct body {
    source_token derived[MOST_DERIVED]; /* names whose values depend on the turn, its own first */
    size_t count;
    size_t begin;   /* of the statement */
    size_t targets; /* where its last = is; 0: there is none */
    int is_looking; /* inside of a condition */
    int has_looked; /* behind one */
    int is_equal;   /* behind the call, with an == */
} body;

static int is_derived(const source_text *s, const body *c, const source_token *t) {
    for (size_t i = 0; i < c->count && t->kind == SOURCE_WORD; i++) {
        if (t->length == c->derived[i].length &&
            text_equal(s->text + t->at, s->text + c->derived[i].at, t->length)) {
            return 1;
        }
    }
    return 0;
}

/* The names before the statement's = depend on what stands behind it. */
static void derive(const source_text *s, body *c) {
    for (size_t at = c->begin; at < c->targets && c->count < MOST_DERIVED;) {
        const source_token t = source_next(s, at);
        if (t.kind == SOURCE_WORD && !is_derived(s, c, &t)) {
            c->derived[c->count++] = t;
        }
        at = t.behind;
    }
}

/* Whether the token leaves a turn out: a condition on the turn, continue before the call, break; a
 * return that is no answer to a failure. */
static int leaves_out(const source_text *s, body *c, const source_token *t, int is_behind) {
    if (c->is_looking && (c->count == MOST_DERIVED || is_derived(s, c, t)) && !is_behind) {
        return 1;
    }
    if (c->targets && is_derived(s, c, t)) {
        derive(s, c);
    }
    c->targets = source_is(t, '=') ? t->at : c->targets;
    c->is_equal |= is_behind && c->is_looking && source_is_pair(t, '=', '=');
    return source_is_word(s, t, "break") || (!is_behind && source_is_word(s, t, "continue")) ||
           (source_is_word(s, t, "return") && (!c->has_looked || c->is_equal));
}

/* Whether a statement of the loop, before the call or behind it, may leave a turn out. */
static int may_leave_out(const source_reader *r, const source_binding *b) {
    const source_text *s = r->text;
    const size_t place = r->scope->place;
    body c = {.derived = {source_next(s, b->name)}, .count = 1, .begin = b->value};
    size_t line = b->name;
    while (line && s->text[line - 1] != '\n') {
        line--;
    }
    const size_t indent = source_next(s, line).indent;
    int begins = 1;
    int blocks = 0; /* that are open */
    for (size_t at = b->value;;) {
        const source_token t = source_next(s, at);
        const int is_behind = t.at >= place;
        blocks += source_is(&t, '{') - source_is(&t, '}');
        if (t.kind == SOURCE_END ||
            (is_behind && (s->is_indented ? t.begins_line && t.indent <= indent : blocks < 1))) {
            return 0;
        }
        begins |= t.begins_line;
        c.is_looking &= !(t.begins_line || source_is(&t, '{') || source_is(&t, ';'));
        if (begins) {
            c.begin = t.at;
            c.targets = 0;
            c.is_looking |= source_is_word(s, &t, "if") || source_is_word(s, &t, "elif") ||
                            source_is_word(s, &t, "while") || source_is_word(s, &t, "switch");
            c.has_looked |= c.is_looking;
        }
        if (leaves_out(s, &c, &t, is_behind)) {
            return 1;
        }
        begins = source_is(&t, '{') || source_is(&t, '}') || source_is(&t, ';') ||
                 source_is_word(s, &t, "else");
        const int opens = is_behind && (source_is(&t, '(') || source_is(&t, '['));
        const size_t behind = opens ? source_close(s, t.behind) : 0;
        at = behind ? behind : t.behind;
    }
}

int source_read_turn(source_reader *r, const source_binding *b, source_value *out) {
    const source_text *names = r->text;
    source_reader inner = *r;
    source_item turn;
    int is_numbered = 0;
    size_t pattern = b->index;
    size_t which = 0;
    const source_token open = list_of(&inner, b, &is_numbered);
    const size_t close = opens_list(&open) ? source_close(inner.text, open.behind) : 0;
    const size_t count = close && ends_turns(inner.text, close)
                             ? count_items(inner.text, open.behind, SOURCE_CASES, 0, &turn)
                             : 0;
    const int is_each = count && count <= SOURCE_CASES && !may_leave_out(r, b);
    const int key =
        is_each ? source_key(r, inner.text->text + open.at, close - open.at, count, 1, &which) : -1;
    if (key < 0) {
        return 0;
    }
    count_items(inner.text, open.behind, SOURCE_CASES, which, &turn);
    r->cases->key[key].said = inner.text->text + turn.from;
    r->cases->key[key].said_length = turn.to - turn.from;
    if (is_numbered) { /* the number, and what is counted */
        source_item first;
        if (!source_next_item(names, pattern, &first)) {
            return 0;
        }
        pattern = first.behind;
        if (b->name < first.to) {
            source_set_number(out, which);
            return 1;
        }
        const source_token t = source_next(names, pattern);
        if (t.at == b->name) {
            return inner.read(&inner, turn.from, turn.to, out);
        }
    }
    return find_part(names, pattern, b->name, inner.text, &turn) &&
           inner.read(&inner, turn.from, turn.to, out);
}

/* NOLINTEND(misc-no-recursion) */
