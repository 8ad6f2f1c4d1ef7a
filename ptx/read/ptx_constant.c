/* SPDX-License-Identifier: Apache-2.0
 *
 * Expressions of constants. What each operator does to signs, and that shifts count modulo 64, is
 * what ptxas 13.0 puts into a variable that is initialised with it
 * (tests/ptx_oracle/test_ptx_constants).
 */
#include "ptx_constant.h"
#include "ptx_row_types.h"

#define MOST_DEEP 200
#define WARP_SIZE 32

typedef struct number {
    uint64_t bits;
    int is_unsigned;
} number;

typedef struct reader {
    tma_ptx_span rest;
    int deep;
    int failed;
} reader;

static char byte(const reader *r, size_t ahead) {
    return ahead < r->rest.length ? r->rest.at[ahead] : 0;
}

static void advance(tma_ptx_span *span, size_t count) {
    span->at += count;
    span->length -= count;
}

/* The length of a comment, or of a backslash with its line's end. */
static size_t comment(tma_ptx_span s) {
    size_t end = 2;
    if (s.length >= 2 && s.at[0] == '/' && s.at[1] == '/') {
        while (end < s.length && s.at[end] != '\n') {
            end++;
        }
        return end;
    }
    if (s.length >= 2 && s.at[0] == '/' && s.at[1] == '*') {
        while (end < s.length && (end < 3 || s.at[end] != '/' || s.at[end - 1] != '*')) {
            end++;
        }
        return end < s.length ? end + 1 : end;
    }
    if (s.length >= 2 && s.at[0] == '\\' && s.at[1] == '\n') {
        return 2;
    }
    return ptx_begins(s, "\\\r\n") ? 3 : 0;
}

void ptx_skip_blanks(tma_ptx_span *span) {
    for (;;) {
        const size_t length = comment(*span);
        if (length) {
            advance(span, length);
        } else if (span->length && text_is_space(span->at[0])) {
            advance(span, 1);
        } else {
            return;
        }
    }
}

static int take(reader *r, const char *text) {
    ptx_skip_blanks(&r->rest);
    if (!ptx_begins(r->rest, text)) {
        return 0;
    }
    advance(&r->rest, text_length(text));
    return 1;
}

static int digit_of(char c) {
    const int digit = text_digit(c);
    return digit < 0 ? 99 : digit;
}

static int is_name_byte(char c) {
    return text_is_word(c) || c == '$' || c == '%';
}

/* 12, 0x1F, 017, 0b11, each with U; a number of more than 64 bits loses its high ones, as in ptxas
 * where it is decimal, or all are set. */
static number literal(reader *r) {
    int base = 10;
    number n = {0, 0};
    int wide = 0;
    if (byte(r, 0) == '0' && (byte(r, 1) == 'x' || byte(r, 1) == 'X')) {
        base = 16;
        advance(&r->rest, 2);
    } else if (byte(r, 0) == '0' && (byte(r, 1) == 'b' || byte(r, 1) == 'B')) {
        base = 2;
        advance(&r->rest, 2);
    } else if (byte(r, 0) == '0') {
        base = 8;
    }
    r->failed |= digit_of(byte(r, 0)) >= base;
    for (int digit; (digit = digit_of(byte(r, 0))) < base; advance(&r->rest, 1)) {
        wide |= n.bits > (UINT64_MAX - (unsigned)digit) / (unsigned)base;
        n.bits = n.bits * (unsigned)base + (unsigned)digit;
    }
    n.bits = wide && base != 10 ? UINT64_MAX : n.bits;
    n.is_unsigned = wide || n.bits >> 63 || byte(r, 0) == 'U';
    if (byte(r, 0) == 'U') {
        advance(&r->rest, 1);
    }
    r->failed |= is_name_byte(byte(r, 0)) || byte(r, 0) == '.'; /* 1.5, 0f3F800000 */
    return n;
}

// NOLINTBEGIN(misc-no-recursion): at most MOST_DEEP deep
static number choice(reader *r);

static number inside(reader *r);

static number unary(reader *r) {
    number n = {0, 0};
    if (r->deep >= MOST_DEEP || r->failed) {
        r->failed = 1;
        return n;
    }
    r->deep++;
    if (take(r, "-")) {
        n = unary(r);
        n.bits = 0 - n.bits;
    } else if (take(r, "+")) {
        n = unary(r);
    } else if (take(r, "!")) {
        n = (number){!unary(r).bits, 0};
    } else if (take(r, "~")) {
        n = unary(r);
        n = (number){~n.bits, 1};
    } else if (take(r, "(")) {
        n = inside(r);
    } else if (take(r, "WARP_SZ")) {
        n.bits = WARP_SIZE;
        r->failed |= is_name_byte(byte(r, 0));
    } else {
        n = literal(r);
    }
    r->deep--;
    return n;
}

/* Behind "(.s64". */
static number cast(reader *r, int is_unsigned) {
    r->failed |= !take(r, ")");
    number n = unary(r);
    n.is_unsigned = is_unsigned;
    return n;
}

/* Behind "(": a cast with what it is of, or an expression. */
static number inside(reader *r) {
    const int is_signed = take(r, ".s64");
    if (is_signed || take(r, ".u64")) {
        return cast(r, !is_signed);
    }
    const number n = choice(r);
    r->failed |= !take(r, ")");
    return n;
}

typedef enum operator{
    MULTIPLY,
    DIVIDE,
    REMAINDER,
    ADD,
    SUBTRACT,
    LEFT,
    RIGHT,
    AT_MOST,
    AT_LEAST,
    LESS,
    MORE,
    EQUAL,
    UNEQUAL,
    AND,
    XOR,
    OR,
    BOTH,
    EITHER,
    OPERATORS
}
operator;

/* A word of more bytes stands before those that it begins with. */
static const struct operator_row {
    const char *word;
    int level;
    operator what;
} operators[] = {
    {"*", 9, MULTIPLY},  {"/", 9, DIVIDE}, {"%", 9, REMAINDER}, {"+", 8, ADD},
    {"-", 8, SUBTRACT},  {"<<", 7, LEFT},  {">>", 7, RIGHT},    {"<=", 6, AT_MOST},
    {">=", 6, AT_LEAST}, {"<", 6, LESS},   {">", 6, MORE},      {"==", 5, EQUAL},
    {"!=", 5, UNEQUAL},  {"&&", 1, BOTH},  {"||", 0, EITHER},   {"&", 4, AND},
    {"^", 3, XOR},       {"|", 2, OR},
};

static int compare(number a, number b) {
    if (a.is_unsigned || b.is_unsigned) {
        return a.bits < b.bits ? -1 : a.bits > b.bits;
    }
    return (int64_t)a.bits < (int64_t)b.bits ? -1 : (int64_t)a.bits > (int64_t)b.bits;
}

static number divide(reader *r, number a, number b) {
    const int is_unsigned = a.is_unsigned || b.is_unsigned;
    if (!b.bits) {
        r->failed = 1; /* ptxas refuses it */
        return b;
    }
    if (is_unsigned) {
        return (number){a.bits / b.bits, 1};
    }
    const int minus = (int64_t)a.bits < 0;
    const int other = (int64_t)b.bits < 0;
    const uint64_t size = (minus ? 0 - a.bits : a.bits) / (other ? 0 - b.bits : b.bits);
    return (number){minus != other ? 0 - size : size, 0};
}

static number shift(operator what, number a, number b) {
    const unsigned by = (unsigned)b.bits & 63;
    const uint64_t sign = !a.is_unsigned && a.bits >> 63 && by ? ~(UINT64_MAX >> by) : 0;
    return (number){what == LEFT ? a.bits << by : a.bits >> by | sign, a.is_unsigned};
}

static number calculate(reader *r, operator what, number a, number b) {
    const int either = a.is_unsigned || b.is_unsigned;
    switch (what) {
    case MULTIPLY:
        return (number){a.bits * b.bits, either};
    case DIVIDE:
        return divide(r, a, b);
    case REMAINDER:
        r->failed |= !b.bits;
        return (number){b.bits ? a.bits % b.bits : 0, 1};
    case ADD:
        return (number){a.bits + b.bits, either};
    case SUBTRACT:
        return (number){a.bits - b.bits, either};
    case LEFT:
    case RIGHT:
        return shift(what, a, b);
    case AT_MOST:
        return (number){compare(a, b) <= 0, 0};
    case AT_LEAST:
        return (number){compare(a, b) >= 0, 0};
    case LESS:
        return (number){compare(a, b) < 0, 0};
    case MORE:
        return (number){compare(a, b) > 0, 0};
    case EQUAL:
        return (number){a.bits == b.bits, 0};
    case UNEQUAL:
        return (number){a.bits != b.bits, 0};
    case AND:
        return (number){a.bits & b.bits, either};
    case XOR:
        return (number){a.bits ^ b.bits, either};
    case OR:
        return (number){a.bits | b.bits, either};
    case BOTH:
        return (number){a.bits && b.bits, 0};
    default:
        return (number){a.bits || b.bits, 0};
    }
}

/* The operator that stands there, of a level or above; null: there is none. */
static const struct operator_row *operator_at(reader *r, int level) {
    ptx_skip_blanks(&r->rest);
    for (size_t i = 0; i < sizeof(operators) / sizeof(operators[0]); i++) {
        const struct operator_row *row = &operators[i];
        if (ptx_begins(r->rest, row->word)) {
            /* "<" of "<<", "&" of "&&" stand behind those in the table */
            return row->level >= level ? row : NULL;
        }
    }
    return NULL;
}

static number binary(reader *r, int level) {
    const struct operator_row *row;
    number a = unary(r);
    while (!r->failed && (row = operator_at(r, level)) != NULL) {
        advance(&r->rest, text_length(row->word));
        r->deep++;
        const number b = binary(r, row->level + 1);
        r->deep--;
        a = calculate(r, row->what, a, b);
    }
    return a;
}

static number choice_rest(reader *r) {
    const number which = binary(r, 0);
    if (r->failed || !take(r, "?")) {
        return which;
    }
    const number yes = choice(r);
    r->failed |= !take(r, ":");
    const number no = choice(r);
    return which.bits ? yes : no; /* with its own sign */
}

static number choice(reader *r) {
    if (r->deep >= MOST_DEEP) {
        r->failed = 1;
        return (number){0, 0};
    }
    r->deep++;
    const number n = choice_rest(r);
    r->deep--;
    return n;
}
// NOLINTEND(misc-no-recursion)

int ptx_constant_take(tma_ptx_span *span, int64_t *value) {
    reader r = {.rest = *span};
    const number n = choice(&r);
    if (r.failed) {
        return 0;
    }
    *value = (int64_t)n.bits;
    *span = r.rest;
    return 1;
}

int ptx_constant(tma_ptx_span span, int64_t *value) {
    int64_t result = 0;
    if (!ptx_constant_take(&span, &result)) {
        return 0;
    }
    ptx_skip_blanks(&span);
    if (span.length) {
        return 0;
    }
    *value = result;
    return 1;
}
