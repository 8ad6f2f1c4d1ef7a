/* SPDX-License-Identifier: Apache-2.0
 *
 * Whether a text is source code and nothing else: what its strings and comments say of failures has
 * not happened.
 */
#include "source_only.h"

#include "paste_parts.h"
#include "tma/detail/chars.h"

#define LEAST_LINES 3   /* of code */
#define MOST_WEAK   100 /* lines of no kind, from where on three times as many have been code */
#define LONG_RUN    6   /* whatever its words */
#define PLAIN_RUN   4   /* words without a sign between: a sentence */

#define COUNT(table) (sizeof(table) / sizeof((table)[0]))

typedef enum line_kind { EMPTY, REMARK, CODE, WEAK, SENTENCE, REPORT } line_kind;

typedef struct line_reader {
    int is_quoted;  /* inside of a text between three quotes */
    int is_comment; /* inside of one that a sign ends */
    int is_example; /* of code in a comment of Rust: what stands before its lines is none of it */
} line_reader;

static int begins(const char *text, size_t length, const char *word) {
    if (!length || *text != *word) {
        return 0;
    }
    const size_t n = text_length(word);
    return n <= length && text_equal(text, word, n);
}

/* Words that only prose has: no keyword of a language is among them. */
static int is_of_prose(const char *word, size_t length) {
    static const char *const words[] = {"the",  "The",  "of",   "to",    "that", "are", "this",
                                        "This", "when", "When", "but",   "was",  "has", "only",
                                        "does", "be",   "it",   "It",    "an",   "An",  "we",
                                        "We",   "I",    "my",   "after", "same", "runs"};
    for (size_t i = 0; i < COUNT(words); i++) {
        if (text_is(word, length, words[i])) {
            return 1;
        }
    }
    return 0;
}

/* Words beside each other. */
typedef struct word_run {
    size_t words;
    int has_prose;
    size_t depth; /* inside of the brackets of a call, whose commas end it */
} word_run;

/* What stands between words: a blank, and what words have inside, keeps a run. */
static void go_on(word_run *run, char c, char prior) {
    run->depth += c == '(' && (run->depth || text_is_word(prior));
    run->depth -= run->depth && c == ')';
    const int keeps = c == ' ' || c == '\'' || c == '-';
    run->words = keeps ? run->words : 0;
    run->has_prose = run->words ? run->has_prose : 0;
}

/* A word, and the comma or the period behind it: where the next one is. */
static size_t take_word(word_run *run, const char *text, size_t length, size_t at) {
    const size_t n = text_run(text + at, length - at, text_is_word);
    run->words++;
    run->has_prose |= is_of_prose(text + at, n);
    at += n;
    return at + (!run->depth && at + 1 < length && (text[at] == ',' || text[at] == '.') &&
                 text[at + 1] == ' ');
}

/* Behind `code` that stands in a sentence as a word does; `at` if none begins there. */
static size_t behind_ticks(const char *text, size_t length, size_t at) {
    const size_t inside = text_until(text + at + 1, length - at - 1, '`');
    const size_t end = at + inside + 2;
    const int is_word = (!at || paste_is_blank(text[at - 1])) && inside && end <= length &&
                        (end == length || !text_is_word(text[end]));
    return is_word ? end : at;
}

/* The quote that is open behind a character; an apostrophe in a word opens none. */
static char quote_behind(char quote, char c, int is_in_word) {
    const int is_quote = c == '"' || c == '`' || (c == '\'' && !is_in_word);
    return (char)(!is_quote ? quote : quote == c ? 0 : quote ? quote : c);
}

/* Whether words stand beside each other as in a sentence, outside of strings and remarks. */
static int is_sentence(const char *text, size_t length) {
    word_run run = {0, 0, 0};
    char quote = 0;
    for (size_t at = 0; at < length;) {
        const char c = text[at];
        const size_t ticked = c == '`' && !quote ? behind_ticks(text, length, at) : at;
        if (ticked > at) {
            run.words++;
            at = ticked;
            continue;
        }
        quote = quote_behind(quote, c, at && text_is_word(text[at - 1]));
        if (quote || !paste_is_letter(c)) {
            go_on(&run, c, at ? text[at - 1] : ' ');
            at++;
            continue;
        }
        at = take_word(&run, text, length, at);
        if ((run.words >= PLAIN_RUN && run.has_prose) || run.words >= LONG_RUN) {
            return 1;
        }
    }
    return 0;
}

/* A date or a time in front: "2026-03-04", "[10:11:12". */
static int is_stamped(const char *text, size_t length) {
    size_t at = length && *text == '[';
    for (int number = 0; number < 3; number++) {
        const size_t digits = text_run(text + at, length - at, text_is_digit);
        at += digits;
        if (!digits || (number < 2 && (at == length ||
                                       (text[at] != '-' && text[at] != ':' && text[at] != '/')))) {
            return 0;
        }
        at++;
    }
    return 1;
}

/* What a compiler puts below the place of an error: "^", "~~~^~~". */
static int is_pointer(const char *text, size_t length) {
    size_t carets = 0;
    for (size_t at = 0; at < length; at++) {
        if (text[at] != '^' && text[at] != '~' && text[at] != '|' && text[at] != ' ') {
            return 0;
        }
        carets += text[at] == '^';
    }
    return carets != 0;
}

/* What a program, a compiler or a debugger prints. */
static int is_report(const char *text, size_t length) {
    static const char *const fronts[] = {"====",
                                         "Traceback",
                                         "File \"",
                                         "ptxas ",
                                         "nvcc ",
                                         "$ ",
                                         ">>> ",
                                         "E   ",
                                         "[rank",
                                         "#0 ",
                                         "Error",
                                         "ERROR",
                                         "CUDA error",
                                         "CUDBG",
                                         "CUDA_",
                                         "0x",
                                         "Thread ",
                                         "[Switching",
                                         "errorpc",
                                         "RuntimeError",
                                         "(<CU",
                                         "AssertionError",
                                         "terminate called"};
    for (size_t i = 0; i < COUNT(fronts); i++) {
        if (begins(text, length, fronts[i])) {
            return 1;
        }
    }
    return is_pointer(text, length);
}

static int is_remark(const char *text, size_t length) {
    static const char *const rules[] = {"#include", "#define", "#if",   "#endif", "#else",
                                        "#pragma",  "#undef",  "#elif", "#["};
    for (size_t i = 0; i < COUNT(rules); i++) {
        if (begins(text, length, rules[i])) {
            return 0;
        }
    }
    return begins(text, length, "//") || begins(text, length, "/*") || *text == '#' ||
           (*text == '*' && (length == 1 || text[1] == ' ' || text[1] == '/'));
}

/* Words that statements begin with. */
static int begins_statement(const char *text, size_t length) {
    static const char *const words[] = {"import", "from",  "assert", "return",   "raise", "else",
                                        "end",    "break", "pass",   "continue", "using", "yield",
                                        "let",    "const", "use",    "var"};
    size_t word = 0;
    while (word < length && text_is_word(text[word])) {
        word++;
    }
    for (size_t i = 0; i < COUNT(words); i++) {
        if (text_is(text, word, words[i])) {
            return 1;
        }
    }
    return 0;
}

/* Whether a sign of statements stands there, or a call: " = ", " := ", " += ", "::", "==", "}}",
 * "->", "<<<", name(, name[. */
static int is_sign(const char *text, size_t length, size_t at) {
    const char c = text[at];
    const char next = at + 1 < length ? text[at + 1] : 0;
    const char prior = at ? text[at - 1] : 0;
    switch (c) {
    case '=':
        return next == '=' || (next == ' ' && (prior == ' ' || ((prior == ':' || prior == '+') &&
                                                                at > 1 && text[at - 2] == ' ')));
    case ':':
    case '}':
        return next == c;
    case '-':
        return next == '>';
    case '<':
        return next == c && at + 2 < length && text[at + 2] == c;
    case '(':
    case '[':
        return prior && text_is_word(prior);
    default:
        return 0;
    }
}

/* What a statement has: it ends as one, or assigns, or calls. */
static int is_statement(const char *text, size_t length) {
    const char last = text[length - 1];
    if (last == ';' || last == '{' || last == '}' || last == '(' || last == '[' || last == '\\' ||
        *text == '@' || *text == '}' || *text == ')' || *text == ']' || *text == '#') {
        return 1;
    }
    if (begins_statement(text, length)) {
        return 1;
    }
    for (size_t at = 0; at < length; at++) {
        if (is_sign(text, length, at)) {
            return 1;
        }
    }
    return last == ',' || last == ')' || last == ':';
}

typedef struct line_signs {
    size_t triples; /* how often three quotes stand in the line */
    size_t remark;  /* where one begins behind code: " //", " # " */
    int opens, closes;
    int has_error; /* "Error: ", "error: ", "ERROR: " outside of strings, before the remark */
} line_signs;

static int is_error(const char *text, size_t length) {
    return length > 5 && text[4] == ':' && text[5] == ' ' &&
           (text_equal(text, "rror", 4) || text_equal(text, "RROR", 4));
}

static int is_quote(char c) {
    return c == '"' || c == '\'';
}

static int is_triple(const char *text, size_t length) {
    return length > 2 && is_quote(*text) && text[1] == *text && text[2] == *text;
}

/* A remark behind code: " //", " # ". */
static int is_remark_behind(const char *text, size_t length) {
    return length > 2 && *text == ' ' &&
           ((text[1] == '/' && text[2] == '/') || (text[1] == '#' && text[2] == ' '));
}

/* What stands at a byte in front of which no remark began; `quote` is open, or 0. */
static void take_sign(line_signs *signs, const char *text, size_t length, size_t at, char *quote) {
    const char c = text[at];
    if (signs->remark < length) {
        return;
    }
    if (is_quote(c)) {
        *quote = *quote == c ? 0 : *quote ? *quote : c;
    } else if (is_remark_behind(text + at, length - at)) {
        signs->remark = at;
    } else if (!*quote) {
        signs->has_error |= is_error(text + at, length - at);
    }
}

static line_signs signs_of(const char *text, size_t length) {
    line_signs signs = {.remark = length};
    char quote = 0;
    for (size_t at = 0; at + 1 < length; at++) {
        const char c = text[at];
        switch (c) {
        case '"':
        case '\'':
            if (is_triple(text + at, length - at)) {
                signs.triples++;
                at += 2;
                break;
            }
            take_sign(&signs, text, length, at, &quote);
            break;
        case '/':
            signs.opens |= text[at + 1] == '*';
            break;
        case '*':
            signs.closes |= text[at + 1] == '/';
            break;
        case ' ':
        case 'r':
        case 'R':
            take_sign(&signs, text, length, at, &quote);
            break;
        default:
            break;
        }
    }
    return signs;
}

static line_kind kind_of(line_reader *r, const char *text, size_t length) {
    if (r->is_example && (begins(text, length, "//! ") || begins(text, length, "/// "))) {
        text += 4;
        length -= 4;
    }
    const line_signs signs = signs_of(text, length);
    const int was_quoted = r->is_quoted;
    const int was_comment = r->is_comment;
    r->is_quoted ^= (int)(signs.triples & 1);
    if (!was_quoted && (r->is_comment || signs.opens)) {
        r->is_comment = !signs.closes;
    }
    if (!length) {
        return EMPTY;
    }
    if (was_quoted || was_comment || signs.triples || is_remark(text, length)) {
        return REMARK;
    }
    size_t end = signs.remark;
    while (end && paste_is_blank(text[end - 1])) {
        end--;
    }
    return signs.has_error || is_stamped(text, end) || is_report(text, end) ? REPORT
           : is_sentence(text, end)                                         ? SENTENCE
           : is_statement(text, end)                                        ? CODE
                                                                            : WEAK;
}

/* The text may begin in a string or a comment, of which the beginning is cut off: `r` says so. */
static int is_source(const char *text, size_t size, line_reader r) {
    size_t code = 0;
    size_t weak = 0;
    for (size_t at = 0; at < size;) {
        const size_t end = at + text_until(text + at, size - at, '\n');
        size_t from = at;
        size_t to = end;
        from +=
            to - from > 1 && text[from] == '>' && text[from + 1] == ' '; /* somebody quotes it */
        while (from < to && (paste_is_blank(text[from]) || text[from] == '\r')) {
            from++;
        }
        while (to > from && (paste_is_blank(text[to - 1]) || text[to - 1] == '\r')) {
            to--;
        }
        const line_kind kind = kind_of(&r, text + from, to - from);
        if (kind == SENTENCE || kind == REPORT) {
            return 0;
        }
        code += kind == CODE;
        weak += kind == WEAK;
        if (weak > MOST_WEAK && code < 3 * weak) { /* a long list, a log */
            return 0;
        }
        at = end + 1;
    }
    return code >= LEAST_LINES && code >= 3 * weak;
}

/* Whether the text has `first` and, behind it, `second`. */
static int has_pair(const char *text, size_t size, char first, char second) {
    for (size_t at = 0; at + 1 < size; at++) {
        at += text_until(text + at, size - at, first);
        if (at + 1 < size && text[at + 1] == second) {
            return 1;
        }
    }
    return 0;
}

int source_is_all(const char *text, size_t size) {
    return is_source(text, size, (line_reader){0, 0, 0}) ||
           (has_pair(text, size, '"', '"') && is_source(text, size, (line_reader){1, 0, 0})) ||
           (has_pair(text, size, '*', '/') && is_source(text, size, (line_reader){0, 1, 0})) ||
           (has_pair(text, size, '/', '/') && is_source(text, size, (line_reader){0, 0, 1}));
}

int source_is_known(source_known *known, const char *text, size_t size) {
    if (*known == SOURCE_NOT_ASKED) {
        *known = source_is_all(text, size) ? SOURCE_ALL : SOURCE_NOT_ALL;
    }
    return *known == SOURCE_ALL;
}

int source_is_remark(const char *text, size_t at) {
    size_t from = at;
    while (from && text[from - 1] != '\n') {
        from--;
    }
    while (from < at && paste_is_blank(text[from])) {
        from++;
    }
    const size_t slashes = paste_search(text + from, at - from, " //");
    const size_t hash = paste_search(text + from, at - from, " # ");
    return slashes < at - from || hash < at - from;
}
