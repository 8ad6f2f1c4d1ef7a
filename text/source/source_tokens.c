/* SPDX-License-Identifier: Apache-2.0
 *
 * Tokens.
 */
#include "source_tokens.h"

#include "paste_parts.h"
#include "tma/detail/assert.h"
#include "tma/detail/chars.h"

#define MOST_PREFIX_B 256  /* what a log puts before a line */
#define MOST_LINE_B   2048 /* of a line before it that is compared */
#define MOST_TEMPLATE 24   /* tokens between < and > */
#define MOST_STRING_B 512
#define MOST_NESTED   32   /* brackets in brackets */
#define STRETCH_B     1024 /* of text that is written in one language, */
#define STATEMENTS_B  6144 /* which shows in so much around it */
#define MOST_COMMENT_B                                                                             \
    16384 /* so many calls may have the same one before them: a longer one has no end */

static const struct entity {
    const char *words;
    char shown;
} entities[] = {{"&lt;", '<'},   {"&gt;", '>'},    {"&amp;", '&'}, {"&quot;", '"'},
                {"&#39;", '\''}, {"&#x27;", '\''}, {"&#34;", '"'}, {"&nbsp;", ' '}};

size_t source_character(const source_text *s, size_t at, char *shown) {
    const char *here = s->text + at;
    const size_t left = s->size - at;
    TMA_ASSERT(at < s->size);
    if (*here == '&') {
        const paste_cursor c = {here, left};
        for (size_t i = 0; i < sizeof(entities) / sizeof(entities[0]); i++) {
            const size_t n = paste_begins(&c, entities[i].words);
            if (n) {
                *shown = entities[i].shown;
                return n;
            }
        }
    }
    return paste_character(here, left, shown);
}

/* Where the text of a line begins: behind what the log puts before it. */
static size_t line_start(const source_text *s, size_t at) {
    return at + paste_same_form(s->text + at, s->size - at, s->prefix, s->prefix_length);
}

/* Where the line ends, or `most` bytes from the place. */
static size_t line_end(const source_text *s, size_t at, size_t most) {
    const size_t end = s->size - at > most ? at + most : s->size;
    while (at < end && s->text[at] != '\n' && !paste_escaped_newline(s->text + at, s->size - at)) {
        at++;
    }
    return at;
}

static int begins(const source_text *s, size_t at, const char *words) {
    const paste_cursor c = {s->text + at, s->size - at};
    return paste_begins(&c, words) > 0;
}

/* Whether a # at the beginning of a line is for the preprocessor, but for #define. */
static int is_directive(const source_text *s, size_t at) {
    static const char *const words[] = {"include", "if",     "ifdef", "ifndef", "else", "elif",
                                        "endif",   "pragma", "undef", "line",   "error"};
    paste_cursor c = {s->text + at + 1, s->size - at - 1};
    paste_skip_blanks(&c);
    const size_t n = paste_word(&c);
    for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
        if (text_is(c.at, n, words[i])) {
            return 1;
        }
    }
    return 0;
}

/* Length of a comment at byte `at`, or 0. In languages of indentation // divides, unless nothing
 * stands before it that could be divided. */
static size_t comment(const source_text *s, size_t at, int begins_line, int is_operand) {
    const char c = s->text[at];
    const size_t left = s->size - at;
    const size_t most = left < MOST_COMMENT_B ? left : MOST_COMMENT_B;
    if (c == '/' && begins(s, at, "/*")) {
        const size_t n = paste_search(s->text + at + 2, most - 2, "*/");
        return n < most - 2 ? n + 4 : left;
    }
    const int is_slashes = c == '/' && begins(s, at, "//") && (!s->is_indented || !is_operand);
    const int is_hash = c == '#' && (s->is_indented || (begins_line && is_directive(s, at)));
    const size_t n = is_slashes || is_hash ? line_end(s, at, most) - at : 0;
    return n < MOST_COMMENT_B ? n : left;
}

/* Behind blanks, newlines, colours and comments. */
static size_t skip(const source_text *s, size_t at, source_token *t, int is_operand) {
    while (at < s->size) {
        char shown = 0;
        const size_t escaped = paste_escaped_newline(s->text + at, s->size - at);
        if (s->text[at] == '\\' && at + 1 < s->size && s->text[at + 1] == '\n') {
            at = line_start(s, at + 2); /* the line goes on */
            continue;
        }
        if (escaped || s->text[at] == '\n') {
            at = line_start(s, at + (escaped ? escaped : 1));
            t->begins_line = 1;
            t->indent = 0;
            continue;
        }
        const size_t n = comment(s, at, t->begins_line, is_operand);
        if (n) {
            at = at + n < s->size ? at + n : s->size;
            continue;
        }
        const size_t taken = source_character(s, at, &shown);
        if (shown && shown != ' ') {
            break;
        }
        t->indent += shown == ' ';
        at += taken;
    }
    return at < s->size ? at : s->size;
}

static size_t digit_run(const source_text *s, size_t at, uint64_t base, source_token *t) {
    size_t digits = 0;
    t->number = 0;
    for (; at < s->size; at++) {
        const char c = s->text[at];
        const int digit = text_digit(c);
        const int next = at + 1 < s->size ? text_digit(s->text[at + 1]) : -1;
        if (digits && (c == '_' || c == '\'') && next >= 0) {
            continue; /* 1'000, 1_000 */
        }
        if (digit < 0 || (uint64_t)digit >= base) {
            break;
        }
        t->is_whole &= t->number <= (UINT64_MAX - (uint64_t)digit) / base;
        t->number = t->number * base + (uint64_t)digit;
        digits++;
    }
    return at;
}

/* What may stand behind digits: ull, u64, _u64, usize, z. */
static int is_suffix(const char *text, size_t length) {
    static const char *const words[] = {"u",   "l",   "ul",    "lu",    "ll",  "ull", "llu", "z",
                                        "uz",  "zu",  "u8",    "u16",   "u32", "u64", "i8",  "i16",
                                        "i32", "i64", "usize", "isize", "_c",  "_ic"};
    char word[8];
    if (length && *text == '_' && length > 2) {
        text++;
        length--;
    }
    for (size_t i = 0; i < length && i < sizeof(word); i++) {
        word[i] = text_lower(text[i]);
    }
    for (size_t i = 0; length <= sizeof(word) && i < sizeof(words) / sizeof(words[0]); i++) {
        if (text_is(word, length, words[i])) {
            return 1;
        }
    }
    return length == 0;
}

static void number(const source_text *s, source_token *t) {
    size_t at = t->at;
    const char next = at + 1 < s->size ? text_lower(s->text[at + 1]) : 0;
    const uint64_t base = s->text[at] != '0' ? 10 : next == 'x' ? 16 : next == 'b' ? 2 : 10;
    t->kind = SOURCE_NUMBER;
    t->is_whole = 1;
    at = digit_run(s, base == 10 ? at : at + 2, base, t);
    const size_t digits = at;
    while (at < s->size && text_is_word(s->text[at])) {
        at++;
    }
    t->is_whole &= is_suffix(s->text + digits, at - digits);
    if (at + 1 < s->size && s->text[at] == '.' && text_is_digit(s->text[at + 1])) {
        t->is_whole = 0;
        for (at++; at < s->size && text_is_word(s->text[at]); at++) {
        }
    }
    t->length = at - t->at;
    t->behind = at;
}

/* A string that ends in its line; else the quote is a sign, as in don't or 'static. */
static int string(const source_text *s, source_token *t, char quote, size_t taken) {
    const size_t from = t->at + taken;
    for (size_t at = from; at < s->size && at - from < MOST_STRING_B && s->text[at] != '\n';) {
        char shown = 0;
        const size_t n = s->text[at] == '\\' && at + 1 < s->size && s->text[at + 1] == '\\'
                             ? 2
                             : source_character(s, at, &shown);
        if (shown == quote && n == taken) { /* both escaped, or neither */
            t->kind = SOURCE_STRING;
            t->inside = from;
            t->inside_length = at - from;
            t->length = at + n - t->at;
            t->behind = at + n;
            return 1;
        }
        at += n;
    }
    return 0;
}

static int is_pair(char a, char b) {
    static const char pairs[][2] = {{':', ':'}, {'-', '>'}, {'<', '<'}, {'>', '>'}, {'*', '*'},
                                    {'/', '/'}, {'=', '='}, {'!', '='}, {'<', '='}, {'>', '='},
                                    {'+', '='}, {'-', '='}, {'*', '='}, {'/', '='}, {'%', '='},
                                    {'&', '='}, {'|', '='}, {':', '='}, {'=', '>'}, {'&', '&'},
                                    {'|', '|'}, {'+', '+'}, {'-', '-'}, {'.', '.'}};
    for (size_t i = 0; i < sizeof(pairs) / sizeof(pairs[0]); i++) {
        if (a == pairs[i][0] && b == pairs[i][1]) {
            return 1;
        }
    }
    return 0;
}

static void sign(const source_text *s, source_token *t, char c, size_t taken) {
    char other = 0;
    const size_t at = t->at + taken;
    t->kind = SOURCE_SIGN;
    t->sign = (unsigned char)c;
    t->length = taken;
    if (at < s->size && s->text[at] != '\n') {
        const size_t n = source_character(s, at, &other);
        if (is_pair(c, other)) {
            t->sign = SIGN2(c, other);
            t->length += n;
        }
    }
    t->behind = t->at + t->length;
}

static source_token next_token(const source_text *s, size_t at, int is_operand) {
    source_token t = {.begins_line = at == 0};
    char c = 0;
    t.at = skip(s, at, &t, is_operand);
    t.behind = t.at;
    if (t.at >= s->size) {
        return t;
    }
    const size_t taken = source_character(s, t.at, &c);
    if (paste_is_letter(c)) {
        const paste_cursor rest = {s->text + t.at, s->size - t.at};
        t.kind = SOURCE_WORD;
        t.length = paste_word(&rest);
        t.length = t.length ? t.length : taken;
        t.behind = t.at + t.length;
    } else if (text_is_digit(c)) {
        number(s, &t);
    } else if (!((c == '"' || c == '\'') && string(s, &t, c, taken))) {
        sign(s, &t, c, taken);
    }
    return t;
}

source_token source_next(const source_text *s, size_t at) {
    size_t back = at; /* what // would divide */
    while (back && paste_is_blank(s->text[back - 1])) {
        back--;
    }
    const char before = back ? s->text[back - 1] : 0;
    return next_token(s, at, text_is_word(before) || before == ')' || before == ']');
}

int source_is(const source_token *t, char sign) {
    return t->kind == SOURCE_SIGN && t->sign == (unsigned char)sign;
}

int source_is_pair(const source_token *t, char a, char b) {
    return t->kind == SOURCE_SIGN && t->sign == SIGN2(a, b);
}

int source_is_word(const source_text *s, const source_token *t, const char *word) {
    return t->kind == SOURCE_WORD && text_is(s->text + t->at, t->length, word);
}

static int opens(const source_token *t) {
    return source_is(t, '(') || source_is(t, '[') || source_is(t, '{');
}

static int closes(const source_token *t) {
    return source_is(t, ')') || source_is(t, ']') || source_is(t, '}');
}

size_t source_close(const source_text *s, size_t at) {
    for (size_t depth = 1;;) {
        const source_token t = source_next(s, at);
        if (t.kind == SOURCE_END || depth > MOST_NESTED) {
            return 0;
        }
        depth += (size_t)opens(&t);
        depth -= (size_t)closes(&t);
        at = t.behind;
        if (!depth) {
            return at;
        }
    }
}

size_t source_template(const source_text *s, const source_token *open) {
    size_t depth = 0;
    size_t at = open->at;
    for (size_t i = 0; i < MOST_TEMPLATE; i++) {
        const source_token t = source_next(s, at);
        const int is_shift = t.kind == SOURCE_SIGN && t.sign == SIGN2('>', '>');
        const size_t closed = is_shift ? 2 : source_is(&t, '>') ? 1 : 0;
        const int is_inside = t.kind == SOURCE_WORD || t.kind == SOURCE_NUMBER ||
                              source_is(&t, ',') || source_is(&t, '*') || source_is(&t, '&') ||
                              (t.kind == SOURCE_SIGN && t.sign == SIGN2(':', ':'));
        if (source_is(&t, '<')) {
            depth++;
        } else if (closed >= depth && closed) {
            const source_token next = source_next(s, t.behind);
            const int may = source_is(&next, '(') || source_is(&next, '{') ||
                            next.kind == SOURCE_WORD || source_is(&next, '[') ||
                            (next.kind == SOURCE_SIGN && next.sign == SIGN2(':', ':'));
            return may ? t.behind : 0;
        } else if (closed) {
            depth -= closed;
        } else if (!is_inside) {
            return 0;
        }
        at = t.behind;
    }
    return 0;
}

int source_next_item(const source_text *s, size_t at, source_item *out) {
    size_t depth = 0;
    source_token before = {0};
    *out = (source_item){.is_empty = 1};
    for (;;) {
        const source_token t = source_next(s, at);
        if (t.kind == SOURCE_END || depth > MOST_NESTED) {
            return 0;
        }
        const int is_end = depth == 0 && (closes(&t) || source_is(&t, ','));
        if (out->is_empty && !is_end) {
            out->from = t.at;
            out->is_empty = 0;
        }
        if (is_end) {
            out->from = out->is_empty ? t.at : out->from;
            out->to = out->is_empty ? t.at : out->to;
            out->behind = t.behind;
            out->is_last = closes(&t);
            return 1;
        }
        const size_t generic =
            before.kind == SOURCE_WORD && source_is(&t, '<') ? source_template(s, &t) : 0;
        depth += (size_t)opens(&t);
        depth -= closes(&t) && depth;
        at = generic ? generic : t.behind;
        out->to = at;
        before = t;
    }
}

/* What a log puts before lines: what a line and the one before it both begin with, up to its last
 * sign or digit; mere words are no such thing, and blanks behind it are the text's own. */
static size_t common_prefix(const source_text *s, size_t line, size_t length) {
    size_t before = line ? line - 1 : 0;
    while (before && line - before < MOST_LINE_B && s->text[before - 1] != '\n') {
        before--;
    }
    size_t same =
        line ? paste_same_form(s->text + line, length, s->text + before, line - 1 - before) : 0;
    while (same) {
        const char c = s->text[line + same - 1];
        if (text_is_digit(c) || c == ':' || c == '|' || c == '>' || c == ']' || c == '+' ||
            c == '/' || c == '#') {
            break;
        }
        same--;
    }
    return same;
}

static int ends_statement(const source_text *s, size_t end, size_t start) {
    while (end > start && (paste_is_blank(s->text[end - 1]) || s->text[end - 1] == '\r')) {
        end--;
    }
    const char last = end > start ? s->text[end - 1] : 0;
    return last == ';' || last == '{';
}

/* Whether a line of the neighbourhood ends as C's do; a comment behind it is none of it. */
static int has_statements(const source_text *s, size_t from, size_t to) {
    for (size_t start = from; start < to;) {
        const size_t most = to - start + MOST_LINE_B;
        const size_t end = line_end(s, start, most);
        size_t code = start;
        while (code < end && !begins(s, code, "//")) {
            code++;
        }
        if (end - start < most && ends_statement(s, code, start)) {
            return 1;
        }
        start = end + 1;
    }
    return 0;
}

/* Whether the text is Julia's, whose lists begin with entry 1. */
static int is_julia(const source_text *s, size_t from, size_t to) {
    static const char *const words[] = {"UInt64[",    "UInt32[", "Int64[", "Int32[",
                                        "Cuint[",     "Ref{",    "::Ptr{", "using CUDA",
                                        "Clonglong[", "Csize_t["};
    for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
        if (paste_search(s->text + from, to - from, words[i]) < to - from) {
            return 1;
        }
    }
    return 0;
}

static void find_style(const source_text *s, size_t at, source_style *style) {
    const size_t stretch = at / STRETCH_B;
    const size_t from = stretch ? (stretch - 1) * STRETCH_B : 0;
    const size_t to = s->size - from > STATEMENTS_B ? from + STATEMENTS_B : s->size;
    if (style->stretch != stretch + 1) {
        style->stretch = stretch + 1;
        style->is_indented = !has_statements(s, from, to);
        style->first_index = style->is_indented && is_julia(s, from, to);
    }
}

source_text source_around(const char *text, size_t size, size_t at, source_part part,
                          source_style *style) {
    source_text s = {text, size, text, 0, 0, 0};
    size_t line = at;
    while (line && at - line < MOST_PREFIX_B && text[line - 1] != '\n') {
        line--;
    }
    find_style(&s, at, style);
    s.is_indented = style->is_indented;
    s.first_index = style->first_index;
    s.prefix = text + line;
    s.prefix_length = part == SOURCE_CALL ? at - line : common_prefix(&s, line, at - line);
    return s;
}
