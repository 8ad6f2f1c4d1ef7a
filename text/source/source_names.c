/* SPDX-License-Identifier: Apache-2.0
 *
 * Reads the text before a place once, and keeps what was done to names.
 */
#include "source_names.h"

#include <string.h>

#include "paste_parts.h"
#include "source_keywords.h"
#include "tma/detail/assert.h"
#include "tma/detail/chars.h"

#define BEFORE_B     65536 /* how far before a place its names may be declared */
#define LEAST_B      512   /* the same in a text of very many calls */
#define MOST_BLOCKS  64
#define MOST_TYPE    24 /* tokens of a type between a name and its value */
#define MOST_TARGETS 8

typedef struct block {
    source_function function;
    size_t first; /* bindings before its own */
    size_t owner;
    size_t owner_length;
    size_t indent;
    block_kind kind;
} block;

typedef struct statement {
    int has_block; /* it begins one of `kind` */
    block_kind kind;
    int is_typed;
    int is_begun;
    int is_value; /* behind an =, where "int a = b;" declares no b */
    size_t name;  /* of the type or function that it declares */
    size_t name_length;
    size_t called; /* the word before its first brackets, and their inside */
    size_t called_length;
    size_t parameters;
    size_t indent;
    size_t before; /* bindings before those of a loop's head, and 1; 0: none */
} statement;

typedef struct scan {
    source_scope *scope;
    const source_text *s;
    block blocks[MOST_BLOCKS];
    size_t depth;
    size_t too_deep;
    statement now;
    source_token before;
    source_token before_that;
    size_t targets; /* names before this byte got their parts of a value */
} scan;

static void note(scan *c, const source_token *name, source_binding b) {
    b.name = name->at;
    b.length = (uint32_t)name->length;
    const int is_branch =
        c->now.has_block && c->now.kind == BLOCK_CONTROL && !b.is_typed && b.made != SOURCE_TURN;
    b.made = is_branch ? SOURCE_UNSURE : b.made;
    c->scope->count++;
    *source_binding_at(c->scope, c->scope->count) = b;
}

/* What is left of a block's names behind it. */
static void close_block(scan *c) {
    const block *b = &c->blocks[--c->depth];
    const size_t from = source_bindings_begin(c->scope);
    for (size_t i = b->first > from ? b->first : from; i < c->scope->count; i++) {
        source_binding *one = source_binding_at(c->scope, i + 1);
        const int is_local = one->is_typed && !c->s->is_indented;
        if (b->kind == BLOCK_FUNCTION ||
            (is_local && (b->kind == BLOCK_PLAIN || b->kind == BLOCK_CONTROL))) {
            one->is_gone = 1;
        } else if (b->kind == BLOCK_CONTROL) {
            one->made = SOURCE_UNSURE;
        } else if (b->kind == BLOCK_TYPE && !one->owner_length) {
            one->owner = b->owner;
            one->owner_length = (uint32_t)b->owner_length;
        }
    }
}

static void begin_statement(scan *c, size_t indent) {
    c->now = (statement){.indent = indent};
}

static void open_block(scan *c, block_kind kind) {
    if (c->depth == MOST_BLOCKS) {
        c->too_deep++;
        return;
    }
    const statement *now = &c->now;
    const int has_name = now->name_length != 0;
    block *b = &c->blocks[c->depth++];
    *b = (block){.first = now->before ? now->before - 1 : c->scope->count,
                 .owner = now->name,
                 .owner_length = now->name_length,
                 .indent = now->indent,
                 .kind = kind};
    b->function = (source_function){has_name ? now->name : now->called,
                                    has_name ? now->name_length : now->called_length,
                                    now->parameters, b->first};
}

/* The `{` at the token: a block's, or a value's. */
static int is_block(const scan *c) {
    const source_token *t = &c->before;
    return !c->s->is_indented &&
           (c->now.has_block || source_is(t, ')') || source_is(t, ';') || source_is(t, '{') ||
            source_is(t, '}') || t->kind == SOURCE_END || !c->now.is_begun);
}

static block_kind kind_of_block(const scan *c) {
    return c->now.has_block             ? c->now.kind
           : source_is(&c->before, ')') ? BLOCK_FUNCTION
                                        : BLOCK_PLAIN;
}

/* Whether the name was declared so that nobody changes it. */
static int is_let(const scan *c, const source_binding *b) {
    size_t to = b->name;
    while (to && c->s->text[to - 1] == ' ') {
        to--;
    }
    return to >= 3 && text_equal(c->s->text + to - 3, "let", 3);
}

/* f(&n): who is called may write the value. */
static void note_addresses(scan *c, size_t from, size_t to) {
    source_token before = {.kind = SOURCE_SIGN, .sign = '('};
    for (source_token t = source_next(c->s, from); t.kind != SOURCE_END && t.at < to;
         before = t, t = source_next(c->s, t.behind)) {
        const int begins =
            source_is(&before, '(') || source_is(&before, ',') || source_is(&before, ')');
        const source_token name = source_next(c->s, t.behind);
        const source_token next = source_next(c->s, name.behind);
        size_t number = 0;
        if (begins && source_is(&t, '&') && name.kind == SOURCE_WORD &&
            (source_is(&next, ',') || source_is(&next, ')'))) {
            const source_binding *b =
                source_last_binding(c->scope, c->s->text + name.at, name.length, "", 0, 0, &number);
            if (b && b->made == SOURCE_WHOLE && !is_let(c, b)) {
                note(c, &name, (source_binding){.made = SOURCE_UNSURE, .value = name.behind});
            }
        }
    }
}

/* Behind a bracket's other end, unless the place is inside. */
static size_t jump(scan *c, size_t inside) {
    const size_t behind = source_close(c->s, inside);
    if (!behind || behind > c->scope->place) {
        return inside;
    }
    if (!c->s->is_indented && c->before.kind == SOURCE_WORD) {
        note_addresses(c, inside, behind);
    }
    return behind;
}

static int is_typed(const scan *c) {
    const source_token *t = &c->before;
    const source_keyword *word = source_keyword_of(c->s, t);
    const int is_type = t->kind == SOURCE_WORD && (!word || word->kind == WORD_TYPED);
    return c->now.is_typed || (is_type && c->now.is_begun) || source_is(t, '>') ||
           source_is(t, '*') || source_is(t, '&') || source_is(t, ']');
}

/* Behind a type that is written after the name, where `=` follows it; else 0. */
static size_t behind_type(const scan *c, size_t at) {
    for (size_t i = 0; i < MOST_TYPE; i++) {
        const source_token t = source_next(c->s, at);
        if (source_is(&t, '=')) {
            return t.behind;
        }
        if (t.kind == SOURCE_END || source_is(&t, ';') || source_is(&t, '{') ||
            source_is(&t, '}') || source_is(&t, ')') || (c->s->is_indented && t.begins_line)) {
            return 0;
        }
        const int opens = source_is(&t, '[') || source_is(&t, '(');
        const size_t behind = opens ? source_close(c->s, t.behind) : 0;
        at = behind ? behind : t.behind;
    }
    return 0;
}

/* Names that get one part each of the value. */
static void note_parts(scan *c, const source_token *names, size_t count, size_t value) {
    for (size_t i = 0; i < count; i++) {
        note(c, &names[i],
             (source_binding){.made = SOURCE_WHOLE,
                              .value = value,
                              .part = (uint8_t)(i + 1),
                              .is_typed = (uint8_t)c->now.is_typed});
    }
}

/* "M, N = 4096, 8192". Returns whether that is what begins with the name. */
static int note_targets(scan *c, const source_token *first) {
    source_token names[MOST_TARGETS] = {*first};
    size_t count = 1;
    size_t at = first->behind;
    for (;;) {
        const source_token t = source_next(c->s, at);
        if (source_is(&t, '=')) {
            at = t.behind;
            break;
        }
        const source_token name = source_next(c->s, t.behind);
        if (!source_is(&t, ',') || name.kind != SOURCE_WORD || count == MOST_TARGETS) {
            return 0;
        }
        names[count++] = name;
        at = name.behind;
    }
    if (count > 1) {
        note_parts(c, names, count, at);
        c->targets = at;
    }
    return count > 1;
}

/* "let (rows, mut cols) = (4096, 8192)", behind the first bracket. */
static void note_tuple(scan *c, size_t at) {
    source_token names[MOST_TARGETS];
    for (size_t count = 0; count < MOST_TARGETS;) {
        source_token name = source_next(c->s, at);
        name = source_is_word(c->s, &name, "mut") ? source_next(c->s, name.behind) : name;
        const source_token t = source_next(c->s, name.behind);
        const source_token is = source_next(c->s, t.behind);
        if (name.kind != SOURCE_WORD) {
            return;
        }
        names[count++] = name;
        if (source_is(&t, ')') && source_is(&is, '=')) {
            note_parts(c, names, count, is.behind);
        }
        if (!source_is(&t, ',')) {
            return;
        }
        at = t.behind;
    }
}

/* A name of a loop's head, where a comma, a bracket or the head's end stands behind it. */
static void note_turn(scan *c, const source_token *name, size_t pattern, size_t list) {
    const source_token next = source_next(c->s, name->behind);
    const int is_name =
        name->kind == SOURCE_WORD && (source_is(&next, ',') || source_is(&next, ')') ||
                                      source_is(&next, ']') || next.behind == list);
    if (is_name && !source_is_word(c->s, name, "in")) {
        note(c, name,
             (source_binding){.made = SOURCE_TURN,
                              .value = list,
                              .index = pattern,
                              .is_typed = (uint8_t)!c->s->is_indented});
    }
}

/* "for a, (b, c) in LIST", "for (auto [a, b] : LIST)", behind the word: each name gets its part. */
static void note_loop(scan *c, size_t at) {
    const source_text *s = c->s;
    const source_token open = source_next(s, at);
    const source_token behind = source_next(s, source_close(s, open.behind));
    const int is_head =
        source_is(&open, '(') && !s->is_indented && !source_is_word(s, &behind, "in");
    source_token t = is_head ? source_next(s, open.behind) : open;
    const size_t begin = t.at;
    size_t pattern = 0;
    size_t list = 0;
    for (size_t i = 0; i < MOST_TYPE && !list; i++, t = source_next(s, t.behind)) {
        const int is_bracket = source_is(&t, '(') || source_is(&t, '[');
        pattern = !pattern && is_bracket && !s->is_indented ? t.at : pattern;
        list = source_is_word(s, &t, "in") || source_is(&t, ':') ? t.behind : 0;
        if (t.kind == SOURCE_END || source_is(&t, ';') || source_is(&t, '=') ||
            t.at >= c->scope->place) {
            return;
        }
    }
    c->now.before = c->scope->count + 1;
    for (t = source_next(s, begin); list && t.behind < list; t = source_next(s, t.behind)) {
        note_turn(c, &t, pattern ? pattern : s->is_indented ? begin : t.at, list);
    }
}

static int is_change(const source_token *t) {
    return source_is_pair(t, '+', '=') || source_is_pair(t, '-', '=') ||
           source_is_pair(t, '*', '=') || source_is_pair(t, '/', '=') ||
           source_is_pair(t, '%', '=') || source_is_pair(t, '|', '=') ||
           source_is_pair(t, '&', '=') || source_is_pair(t, '+', '+') ||
           source_is_pair(t, '-', '-');
}

static void note_method(scan *c, const source_token *name, const source_token *dot) {
    const source_token method = source_next(c->s, dot->behind);
    const source_token open = source_next(c->s, method.behind);
    const int appends = source_is(&open, '(') ? source_appends(c->s, &method) : -1;
    if (appends >= 0) {
        note(c, name,
             (source_binding){.made = appends ? SOURCE_APPENDED : SOURCE_UNSURE,
                              .value = open.behind});
    }
}

/* A name with brackets behind it: an array, or an entry of one. */
static void note_array(scan *c, const source_token *name, const source_token *open,
                       source_binding b) {
    const size_t behind = source_close(c->s, open->behind);
    source_token next = source_next(c->s, behind);
    while (behind && source_is(&next, '[')) {
        const size_t other = source_close(c->s, next.behind);
        if (!other) {
            return;
        }
        next = source_next(c->s, other);
    }
    b.value = next.behind;
    b.index = open->behind;
    if (!behind) {
        return;
    }
    if (source_is(&next, '=')) {
        b.made = b.is_typed ? SOURCE_WHOLE : SOURCE_ENTRY;
        note(c, name, b);
    } else if (b.is_typed && source_is(&next, '{')) {
        b.made = SOURCE_WHOLE;
        b.value = next.at;
        note(c, name, b);
    } else if (b.is_typed && !c->now.is_value && (source_is(&next, ';') || source_is(&next, ','))) {
        b.made = SOURCE_DECLARED;
        note(c, name, b);
    } else if (is_change(&next)) {
        b.made = SOURCE_UNSURE;
        note(c, name, b);
    }
}

static int is_member_sign(const source_token *t) {
    return source_is(t, '.') || source_is_pair(t, '-', '>') || source_is_pair(t, ':', ':');
}

/* What is done to the name at the token. */
static void read_name(scan *c, const source_token *t) {
    const source_text *s = c->s;
    const source_token next = source_next(s, t->behind);
    source_binding b = {.made = SOURCE_WHOLE, .value = next.behind};
    b.is_typed = (uint8_t)is_typed(c);
    if (is_member_sign(&c->before) && c->before_that.kind == SOURCE_WORD) {
        b.owner = c->before_that.at;
        b.owner_length = (uint32_t)c->before_that.length;
        b.is_typed = 0;
    }
    c->now.is_typed |= b.is_typed && (source_is(&next, '=') || source_is(&next, '['));
    const int may_have_type = !c->now.is_begun || c->now.is_typed;
    if (source_is(&next, '[')) {
        note_array(c, t, &next, b);
    } else if (source_is(&next, '=') || source_is_pair(&next, ':', '=')) {
        note(c, t, b);
    } else if (is_change(&next) || source_is_pair(&c->before, '+', '+') ||
               source_is_pair(&c->before, '-', '-')) {
        b.made = SOURCE_UNSURE;
        note(c, t, b);
    } else if ((source_is(&next, ':') || (s->is_indented && source_is_pair(&next, ':', ':'))) &&
               may_have_type) {
        b.value = behind_type(c, next.behind);
        if (b.value) {
            note(c, t, b);
        }
    } else if (source_is(&next, '{') && b.is_typed && !c->now.has_block) {
        b.value = next.at;
        note(c, t, b);
    } else if (source_is(&next, ';') && b.is_typed && !c->now.is_value) {
        b.made = SOURCE_DECLARED;
        note(c, t, b);
    } else if (source_is(&next, ',') && !c->now.is_begun) {
        note_targets(c, t);
    } else if (source_is(&next, '.')) {
        note_method(c, t, &next);
    }
}

/* The word that says what kind of block follows: its name, or a loop's variable. */
static void begin_block(scan *c, const source_token *t, block_kind kind) {
    statement *now = &c->now;
    const int is_first = !now->has_block;
    if (source_is_word(c->s, t, "for") || source_is_word(c->s, t, "foreach")) {
        note_loop(c, t->behind);
    }
    now->kind = is_first ? kind : now->kind;
    now->has_block = 1;
    const source_token name = source_next(c->s, t->behind);
    const int is_kind = source_is_word(c->s, &name, "class");
    if (is_first && name.kind == SOURCE_WORD && now->kind >= BLOCK_TYPE) {
        const source_token other = is_kind ? source_next(c->s, name.behind) : name;
        now->name = other.at;
        now->name_length =
            other.kind == SOURCE_WORD && now->kind != BLOCK_CONTROL ? other.length : 0;
    }
    if (source_is_word(c->s, t, "enum") && !is_kind && !c->s->is_indented) {
        now->kind = BLOCK_SPACE;
    }
}

static void read_word(scan *c, const source_token *t) {
    const source_keyword *word = source_keyword_of(c->s, t);
    statement *now = &c->now;
    if (word && word->kind == WORD_BLOCK) {
        begin_block(c, t, (block_kind)word->block);
    } else if (word && word->kind == WORD_TYPED) {
        now->is_typed = 1;
        const source_token open = source_next(c->s, t->behind);
        if (source_is(&open, '(')) {
            note_tuple(c, open.behind);
        }
    } else if (!word && t->at >= c->targets && !source_is_word(c->s, &c->before, "new") &&
               !source_is_word(c->s, &c->before, "stackalloc")) {
        read_name(c, t);
    }
    now->is_begun = 1;
}

/* "#define BM 128". */
static size_t read_define(scan *c, const source_token *t) {
    const source_token word = source_next(c->s, t->behind);
    const source_token name = source_next(c->s, word.behind);
    if (source_is_word(c->s, &word, "define") && name.kind == SOURCE_WORD && !name.begins_line) {
        const source_token next = source_next(c->s, name.behind);
        const int is_macro = source_is(&next, '(') && next.at == name.behind;
        if (!is_macro && !next.begins_line) {
            note(c, &name,
                 (source_binding){.made = SOURCE_WHOLE, .value = name.behind, .is_typed = 1});
        }
        return name.behind;
    }
    return t->behind;
}

/* A line of a language of indentation: blocks that it ends, or the one that it begins. */
static void read_indent(scan *c, const source_token *t) {
    if (t->indent > c->now.indent && c->now.has_block) {
        open_block(c, c->now.kind);
    }
    while (c->depth && t->indent <= c->blocks[c->depth - 1].indent) {
        close_block(c);
    }
    begin_statement(c, t->indent);
}

/* The token, and what it makes of the statement; returns where to go on. */
static size_t read_token(scan *c, const source_token *t) {
    if (t->begins_line && c->s->is_indented) {
        read_indent(c, t);
    }
    if (t->kind == SOURCE_WORD) {
        read_word(c, t);
        return t->behind;
    }
    if (source_is(t, '#') && t->begins_line) {
        return read_define(c, t);
    }
    if (source_is(t, '(') || source_is(t, '[')) {
        if (source_is(t, '(') && !c->now.parameters) {
            c->now.parameters = t->behind;
            c->now.called = c->before.at;
            c->now.called_length = c->before.kind == SOURCE_WORD ? c->before.length : 0;
        }
        c->now.is_begun = 1;
        return jump(c, t->behind);
    }
    if (source_is(t, '{') && is_block(c)) {
        open_block(c, kind_of_block(c));
        begin_statement(c, 0);
    } else if (source_is(t, '{')) {
        return jump(c, t->behind);
    } else if (source_is(t, '}') && !c->s->is_indented) {
        if (c->too_deep) {
            c->too_deep--;
        } else if (c->depth) {
            close_block(c);
        }
        begin_statement(c, 0);
    } else if (source_is(t, ';')) {
        begin_statement(c, c->now.indent);
    } else {
        c->now.is_begun |= !source_is(t, '#');
        c->now.is_value = source_is(t, '=') || (c->now.is_value && !source_is(t, ','));
    }
    return t->behind;
}

static void read_scope(source_scope *scope) {
    scan c = {.scope = scope, .s = &scope->text};
    const size_t most_B = *scope->work_B < BEFORE_B ? LEAST_B : BEFORE_B;
    *scope->work_B -= *scope->work_B < BEFORE_B ? 0 : BEFORE_B;
    source_ifs ifs = {.open = 0};
    size_t at = scope->place > most_B ? scope->place - most_B : 0;
    while (at && at < scope->place && scope->text.text[at - 1] != '\n') {
        at++;
    }
    scope->is_read = 1;
    for (;;) {
        const source_token t = source_next(c.s, at);
        source_read_ifs(scope, &ifs, at, t.at);
        if (t.kind == SOURCE_END || t.at >= scope->place) {
            if (t.begins_line && c.s->is_indented && t.kind != SOURCE_END) {
                read_indent(&c, &t);
            }
            break;
        }
        at = read_token(&c, &t);
        if (at > t.behind) { /* behind a bracket */
            c.before_that = t;
            c.before = (source_token){
                .kind = SOURCE_SIGN, .at = at - 1, .sign = (unsigned char)scope->text.text[at - 1]};
        } else {
            c.before_that = c.before;
            c.before = t;
        }
    }
    for (size_t i = c.depth; i-- > 0;) {
        if (c.blocks[i].kind == BLOCK_FUNCTION && scope->functions < SOURCE_FUNCTIONS) {
            scope->function[scope->functions++] = c.blocks[i].function;
        }
    }
}

void source_scope_at(source_scope *scope, const char *text, size_t size, size_t place,
                     size_t *work_B, source_style *style) {
    scope->text = source_around(text, size, place, SOURCE_OTHERS, style);
    scope->place = place;
    scope->work_B = work_B;
    scope->is_read = 0;
    scope->count = 0;
    scope->functions = 0;
}

const source_binding *source_last(source_scope *scope, const char *name, size_t length,
                                  const char *owner, size_t owner_length, size_t before,
                                  size_t *number) {
    if (!scope->is_read) {
        read_scope(scope);
    }
    return source_last_binding(scope, name, length, owner, owner_length, before, number);
}
