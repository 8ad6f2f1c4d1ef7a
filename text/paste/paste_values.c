/* SPDX-License-Identifier: Apache-2.0
 *
 * Values as logs, debuggers' users, Python and C write them.
 */
#include <string.h>

#include "paste_parts.h"
#include "tma/detail/assert.h"
#include "tma/detail/chars.h"
#include "tma/synonyms.h"

#define DEEPEST 12 /* parentheses in parentheses */

size_t paste_word(const paste_cursor *c) {
    size_t n = 0;
    if (paste_is_letter(paste_peek(c))) {
        while (n < c->left && text_is_word(c->at[n])) {
            n++;
        }
    }
    return n;
}

size_t paste_begins(const paste_cursor *c, const char *words) {
    size_t n = 0;
    for (; *words; words++) {
        if (*words == ' ') {
            if (n >= c->left || !paste_is_blank(c->at[n])) {
                return 0;
            }
            while (n < c->left && paste_is_blank(c->at[n])) {
                n++;
            }
        } else if (n >= c->left || c->at[n] != *words) {
            return 0;
        } else {
            n++;
        }
    }
    return n;
}

size_t paste_search(const char *text, size_t length, const char *words) {
    for (size_t i = 0; i < length; i++) {
        const paste_cursor here = {text + i, length - i};
        if (*here.at == *words && paste_begins(&here, words)) {
            return i;
        }
    }
    return length;
}

static int is_suffix(char c) {
    return c == 'u' || c == 'U' || c == 'l' || c == 'L';
}

int paste_number(paste_cursor *c, uint64_t *number, int *is_hex) {
    paste_cursor t = *c;
    const int negative = paste_peek(&t) == '-';
    uint64_t value = 0;
    size_t digits = 0;
    paste_skip(&t, negative || paste_peek(&t) == '+');
    const uint64_t base =
        t.left > 2 && t.at[0] == '0' && (t.at[1] == 'x' || t.at[1] == 'X') ? 16 : 10;
    paste_skip(&t, base == 16 ? 2 : 0);
    for (; t.left; paste_skip(&t, 1), digits++) {
        const int digit = text_digit(*t.at);
        if (digit < 0 || (uint64_t)digit >= base) {
            break;
        }
        if (value > (UINT64_MAX - (uint64_t)digit) / base) {
            return 0; /* torn: no printer has so long a number */
        }
        value = value * base + (uint64_t)digit;
    }
    for (int i = 0; i < 3 && is_suffix(paste_peek(&t)); i++) {
        paste_skip(&t, 1);
    }
    const int is_fraction = paste_peek(&t) == '.' && t.left > 1 && text_is_digit(t.at[1]);
    if (!digits || text_is_word(paste_peek(&t)) || is_fraction) {
        return 0;
    }
    *number = negative ? 0 - value : value;
    *is_hex = base == 16;
    *c = t;
    return 1;
}

/* A word as enumerators and types have them: with dots and colons inside. */
static size_t dotted_word(const paste_cursor *c) {
    size_t n = 0;
    while (n < c->left && (text_is_word(c->at[n]) || c->at[n] == '.' || c->at[n] == ':')) {
        n++;
    }
    while (n && (c->at[n - 1] == ':' || c->at[n - 1] == '.')) {
        n--;
    }
    return n;
}

static size_t type_bits(const char *text, size_t length) {
    const tma_enum_row *row = tma_enum_synonym(TMA_ENUM_DTYPE, text, length);
    return row ? tma_dtype_bits((uint32_t)row->driver) : 0;
}

/* "(type)" or "(unsigned long long)": a cast, whose length it returns. */
static size_t cast(const paste_cursor *c) {
    size_t n = 1;
    if (paste_peek(c) != '(' || c->left < 3 || !paste_is_letter(c->at[1])) {
        return 0;
    }
    while (n < c->left &&
           (text_is_word(c->at[n]) || c->at[n] == ' ' || c->at[n] == ':' || c->at[n] == '*')) {
        n++;
    }
    if (n + 1 >= c->left || c->at[n] != ')') {
        return 0;
    }
    const paste_cursor behind = {c->at + n + 1, c->left - n - 1};
    const char next = paste_peek(&behind);
    return text_is_word(next) || next == '(' || next == '&' || next == '-' ? n + 1 : 0;
}

typedef struct reading {
    const paste_names *names;
    int depth;
} reading;

/* An expression calls itself for what stands in brackets; factor() counts how deep. */
/* NOLINTBEGIN(misc-no-recursion) */
static int sum(paste_cursor *c, reading *r, uint64_t *number);

static int in_parentheses(paste_cursor *c, reading *r, uint64_t *number) {
    paste_skip(c, 1);
    if (sum(c, r, number)) {
        paste_skip_blanks(c);
        if (paste_peek(c) == ')') {
            paste_skip(c, 1);
            return 1;
        }
    }
    return 0;
}

static int size_of(paste_cursor *c, uint64_t *number) {
    paste_skip_blanks(c);
    if (paste_peek(c) != '(') {
        return 0;
    }
    paste_skip(c, 1);
    paste_skip_blanks(c);
    const size_t n = dotted_word(c);
    const size_t bits = type_bits(c->at, n);
    paste_skip(c, n);
    paste_skip_blanks(c);
    *number = bits / 8;
    if (bits < 8 || paste_peek(c) != ')') {
        return 0;
    }
    paste_skip(c, 1);
    return 1;
}

static int named(paste_cursor *c, reading *r, uint64_t *number) {
    const size_t n = dotted_word(c);
    paste_cursor behind = {c->at + n, c->left - n};
    if (n == 0) {
        return 0;
    }
    if (text_is(c->at, n, "sizeof")) {
        *c = behind;
        return size_of(c, number);
    }
    paste_skip_blanks(&behind);
    if (text_is(c->at, n, "static_cast") && paste_peek(&behind) == '<') {
        const size_t close = text_until(behind.at, behind.left, '>');
        paste_skip(&behind, close + 1);
        *c = behind;
        return paste_peek(c) == '(' ? in_parentheses(c, r, number) : 0;
    }
    if (paste_peek(&behind) == '(' && type_bits(c->at, n)) {
        *c = behind;
        return in_parentheses(c, r, number);
    }
    if (text_is(c->at, n, "nullptr") || text_is(c->at, n, "NULL") || text_is(c->at, n, "None")) {
        *c = (paste_cursor){c->at + n, c->left - n};
        *number = 0;
        return 1;
    }
    if (r->names && paste_peek(&behind) != '(' && paste_peek(&behind) != '[' &&
        r->names->find(r->names->context, c->at, n, number, 1) == 1) {
        *c = (paste_cursor){c->at + n, c->left - n};
        return 1;
    }
    return 0;
}

static int factor(paste_cursor *c, reading *r, uint64_t *number) {
    int ok = 0;
    int is_hex = 0;
    if (++r->depth > DEEPEST) {
        return 0;
    }
    paste_skip_blanks(c);
    const size_t casted = cast(c);
    if (casted) {
        paste_skip(c, casted);
        ok = factor(c, r, number);
    } else if (paste_peek(c) == '(') {
        ok = in_parentheses(c, r, number);
    } else {
        ok = paste_number(c, number, &is_hex) || named(c, r, number);
    }
    r->depth--;
    return ok;
}

static int product(paste_cursor *c, reading *r, uint64_t *number) {
    if (!factor(c, r, number)) {
        return 0;
    }
    for (;;) {
        uint64_t other = 0;
        paste_skip_blanks(c);
        const char sign = paste_peek(c);
        if (sign != '*' && sign != '/') {
            return 1;
        }
        paste_skip(c, sign == '/' && c->left > 1 && c->at[1] == '/' ? 2 : 1);
        if (!factor(c, r, &other) || (sign == '/' && other == 0)) {
            return 0;
        }
        *number = sign == '*' ? *number * other : *number / other;
    }
}

static int sum(paste_cursor *c, reading *r, uint64_t *number) {
    if (!product(c, r, number)) {
        return 0;
    }
    for (;;) {
        uint64_t other = 0;
        paste_skip_blanks(c);
        const char sign = paste_peek(c);
        const int is_shift = sign == '<' && c->left > 1 && c->at[1] == '<';
        if (sign != '+' && sign != '-' && !is_shift) {
            return 1;
        }
        paste_skip(c, is_shift ? 2 : 1);
        if (!product(c, r, &other) || (is_shift && other > 63)) {
            return 0;
        }
        *number = is_shift ? *number << other : sign == '+' ? *number + other : *number - other;
    }
}

/* NOLINTEND(misc-no-recursion) */

int paste_expression(paste_cursor *c, const paste_names *names, uint64_t *number) {
    reading r = {names, 0};
    return sum(c, &r, number);
}

/* Up to the end of an item that is no number: a comma or the closing bracket. */
static void skip_item(paste_cursor *c, char close) {
    int depth = 0;
    while (c->left && (depth || (*c->at != ',' && *c->at != close))) {
        depth += *c->at == '(' || *c->at == '[' || *c->at == '{';
        depth -= depth && (*c->at == ')' || *c->at == ']' || *c->at == '}');
        paste_skip(c, 1);
    }
}

static void keep(paste_value *value, int is_known, uint64_t number) {
    TMA_ASSERT(value->count <= sizeof(value->item) / sizeof(value->item[0]));
    if (value->count < sizeof(value->item) / sizeof(value->item[0])) {
        value->item[value->count] = number;
        value->known = (uint8_t)(value->known | (unsigned)(is_known != 0) << value->count);
        value->count++;
    }
}

int paste_list(paste_cursor *c, const paste_names *names, char close, paste_value *value) {
    TMA_ASSERT(close); /* 0 is what paste_peek() says of the end */
    for (;;) {
        uint64_t number = 0;
        paste_skip_blanks(c);
        if (paste_peek(c) == close) {
            paste_skip(c, 1);
            return 1;
        }
        if (paste_peek(c) == ',') {
            paste_skip(c, 1);
            continue;
        }
        if (!c->left) {
            return -1;
        }
        paste_cursor item = *c;
        const int is_known = paste_expression(&item, names, &number);
        paste_skip_blanks(&item);
        const char next = paste_peek(&item);
        const int is_whole =
            is_known && (next == ',' || next == close ||
                         (text_is_digit(next) && item.at > c->at + 1) || next == '-');
        if (is_known && !is_whole && !item.left) {
            return -1;
        }
        if (is_whole) {
            *c = item;
        } else {
            skip_item(c, close);
            if (!c->left) {
                return -1;
            }
        }
        keep(value, is_whole, number);
    }
}

int paste_enumerator(paste_cursor *c, tma_enum_kind kind, uint64_t *number) {
    int is_hex = 0;
    paste_skip_blanks(c);
    const size_t casted = cast(c);
    paste_skip(c, casted);
    if (paste_begins(c, "static_cast<")) {
        paste_skip(c, text_until(c->at, c->left, '>') + 1);
        paste_skip(c, paste_peek(c) == '(');
    }
    if (paste_peek(c) == '<') { /* <CUtensorMapSwizzle.CU_TENSOR_MAP_SWIZZLE_128B: 3> */
        const size_t close = text_until(c->at, c->left, '>');
        size_t colon = close;
        while (colon && c->at[colon - 1] != ':') {
            colon--;
        }
        paste_cursor inner = {c->at + colon, close - colon};
        paste_skip_blanks(&inner);
        paste_skip(c, close + 1);
        return colon && paste_number(&inner, number, &is_hex);
    }
    const char quote = paste_peek(c);
    const int is_quoted = quote == '"' || quote == '\'';
    paste_skip(c, is_quoted ? 1 : 0);
    if (!is_quoted && paste_number(c, number, &is_hex)) {
        return 1;
    }
    const size_t n = dotted_word(c);
    const tma_enum_row *row = tma_enum_synonym(kind, c->at, n);
    if (!row) {
        return 0;
    }
    *number = (uint64_t)row->driver;
    paste_skip(c, n);
    paste_skip(c, is_quoted && paste_peek(c) == quote ? 1 : 0);
    return 1;
}

static int is_list(paste_field field) {
    return (field >= PASTE_DIM && field <= PASTE_ES) || field == PASTE_LOWER ||
           field == PASTE_UPPER || field == PASTE_LAYOUT;
}

static int enum_kind(paste_field field, tma_enum_kind *kind) {
    *kind = field == PASTE_DTYPE        ? TMA_ENUM_DTYPE
            : field == PASTE_INTERLEAVE ? TMA_ENUM_INTERLEAVE
            : field == PASTE_SWIZZLE    ? TMA_ENUM_SWIZZLE
            : field == PASTE_L2         ? TMA_ENUM_L2
                                        : TMA_ENUM_FILL;
    return *kind != TMA_ENUM_FILL || field == PASTE_FILL;
}

/* Numbers without brackets: behind one another, with blanks or commas between. */
static void bare_list(paste_cursor *c, paste_value *value) {
    for (;;) {
        uint64_t number = 0;
        int is_hex = 0;
        paste_cursor t = *c;
        paste_skip_blanks(&t);
        if (value->count && paste_peek(&t) == ',') {
            paste_skip(&t, 1);
            paste_skip_blanks(&t);
        }
        if (!paste_number(&t, &number, &is_hex)) {
            return;
        }
        value->is_hex |= (uint8_t)is_hex;
        keep(value, 1, number);
        *c = t;
    }
}

static int list_of(paste_cursor *c, paste_value *value) {
    static const char open[] = "([{<";
    static const char close[] = ")]}>";
    paste_cursor t = *c;
    uint64_t number = 0;
    int is_hex = 0;
    if (paste_number(&t, &number, &is_hex)) { /* ThunderKittens: the array's address, then [..] */
        paste_skip_blanks(&t);
        if (paste_peek(&t) != '[') {
            bare_list(c, value);
            return 1;
        }
        *c = t;
    }
    for (size_t i = 0; i < sizeof(open) - 1; i++) {
        if (paste_peek(c) == open[i]) {
            value->bracket = open[i];
            paste_skip(c, 1);
            return paste_list(c, NULL, close[i], value);
        }
    }
    return 0;
}

static int address_of(paste_cursor *c, paste_value *value) {
    uint64_t number = 0;
    int is_hex = 0;
    if (paste_begins(c, "(nil)")) {
        paste_skip(c, 5);
    } else if (paste_begins(c, "nullptr")) {
        paste_skip(c, 7);
    } else if (!paste_number(c, &number, &is_hex)) {
        const size_t n = dotted_word(c);
        if (!n || n == 1) {
            return 0;
        }
        paste_skip(c, n);
        keep(value, 0, 0);
        return 1;
    }
    value->is_hex = (uint8_t)is_hex;
    keep(value, 1, number);
    return 1;
}

int paste_value_of(paste_cursor *c, paste_field field, paste_value *value) {
    tma_enum_kind kind = TMA_ENUM_DTYPE;
    uint64_t number = 0;
    memset(value, 0, sizeof(*value));
    if (is_list(field)) {
        return list_of(c, value);
    }
    if (enum_kind(field, &kind)) {
        if (paste_enumerator(c, kind, &number)) {
            keep(value, 1, number);
        }
        return value->count;
    }
    if (field == PASTE_ADDRESS) {
        return address_of(c, value);
    }
    int is_hex = 0;
    if (paste_number(c, &number, &is_hex)) {
        value->is_hex = (uint8_t)is_hex;
        keep(value, 1, number);
    }
    return value->count;
}

int paste_item_of(paste_cursor *c, paste_field field, paste_value *value) {
    paste_cursor t = *c;
    uint64_t place = 0;
    uint64_t number = 0;
    int is_hex = 0;
    memset(value, 0, sizeof(*value));
    if (!is_list(field) || paste_peek(&t) != '[') {
        return 0;
    }
    paste_skip(&t, 1);
    if (!paste_number(&t, &place, &is_hex) || paste_peek(&t) != ']' ||
        place >= sizeof(value->item) / sizeof(value->item[0])) {
        return 0;
    }
    paste_skip(&t, 1);
    paste_skip_blanks(&t);
    if ((paste_peek(&t) != '=' && paste_peek(&t) != ':') || (t.left > 1 && t.at[1] == '=')) {
        return 0;
    }
    paste_skip(&t, 1);
    paste_skip_blanks(&t);
    if (!paste_number(&t, &number, &is_hex)) {
        return 0;
    }
    value->item[place] = number;
    value->count = (uint8_t)(place + 1);
    value->known = (uint8_t)(1U << place);
    value->is_item = 1;
    *c = t;
    return 1;
}

int paste_join(paste_value *value, const paste_value *item) {
    if (!value->is_item || !item->is_item || value->known & item->known) {
        return 0;
    }
    TMA_ASSERT(item->count);
    value->item[item->count - 1] = item->item[item->count - 1];
    value->known = (uint8_t)(value->known | item->known);
    value->count = value->count > item->count ? value->count : item->count;
    return 1;
}
