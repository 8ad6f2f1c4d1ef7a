/* SPDX-License-Identifier: Apache-2.0
 *
 * Maps somewhere in a text: a debugger's session, a log with a dump in it. Stretches of lines that
 * have as many digits or numbers as 128 bytes are read as a dump; what comes out counts only if it
 * is a map by all its bytes (tma/find.h), so that other numbers are not taken for one.
 */
#include <string.h>

#include "dump_parts.h"
#include "paste_parts.h"
#include "tma/detail/chars.h"
#include "tma/find.h"

#define WINDOW_B      8192
#define HEX_DIGITS    ((size_t)2 * TMA_MAP_BYTES)
#define MOST_DIGITS   ((size_t)3 * TMA_MAP_BYTES) /* in decimal */
#define MOST_DEPTH    4
#define STRETCH_B     ((size_t)TMA_MAP_BYTES / 4) /* fewer characters are no map */
#define MOST_PREFIX_B 256

typedef struct counts {
    uint32_t digits;  /* hexadecimal, without 0x, addresses and columns of characters */
    uint32_t numbers; /* words of digits, without indices */
    int has_star;     /* lines that are left out, or "<repeats" */
} counts;

typedef struct window {
    char text[WINDOW_B];
    size_t size;
    counts n;
    int is_full;
} window;

static void clear(window *w) {
    w->size = 0;
    w->n = (counts){0, 0, 0};
    w->is_full = 0;
}

static int is_map(const uint8_t *map) {
    tma_found found;
    size_t at = 0;
    return tma_find_next(&found, map, TMA_MAP_BYTES, &at, 1); /* at place 0 alone */
}

static int is_one_of(char c, const char *any) {
    for (size_t i = 0; any[i]; i++) {
        if (c == any[i]) {
            return 1;
        }
    }
    return 0;
}

static size_t hex_run(const char *text, size_t left) {
    size_t n = 0;
    while (n < left && text_digit(text[n]) >= 0) {
        n++;
    }
    return n;
}

static int is_capital(char c) {
    return c >= 'A' && c <= 'Z';
}

static size_t past(dump_text text, const char *words) {
    const size_t at = paste_search(text.at, text.left, words);
    return at < text.left && at < MOST_PREFIX_B ? at + text_length(words) : 0;
}

/* Loggers whose lines begin in a way of their own: glog's "E0304 10:11:12.9 4321 a.cc:5] ", the
 * journal's "Mar 04 10:11:12 host python3[4321]: ", pytest's "E   ", one object of JSON. */
static size_t whole_prefix(dump_text text) {
    static const char *const keys[] = {"\"message\": \"", "\"message\":\"", "\"msg\": \"",
                                       "\"msg\":\"",      "\"log\": \"",    "\"log\":\""};
    const size_t word = text_until(text.at, text.left, ' ');
    const int has_day = word == 3 && text.left > 8 && is_capital(text.at[0]) &&
                        !is_capital(text.at[1]) && text_is_digit(text.at[5]);
    if (word == 5 && is_one_of(text.at[0], "IWEF") && text_is_digit(text.at[1]) && text.left > 8 &&
        text_is_digit(text.at[6])) {
        return past(text, "] ");
    }
    if (has_day && past(text, "]: ")) {
        return past(text, "]: ");
    }
    const size_t bar = text_until(text.at, text.left, '|');
    if (bar < 40 && bar + 1 < text.left && bar > word && hex_run(text.at, word) < word) {
        return bar + 1; /* compose's "svc-1  | " */
    }
    if (word == 1 && text.at[0] == 'E' && text.left > 3 && text_is(text.at, 3, "E  ")) {
        return 1;
    }
    for (size_t i = 0; *text.at == '{' && i < sizeof(keys) / sizeof(keys[0]); i++) {
        if (past(text, keys[i])) {
            return past(text, keys[i]);
        }
    }
    return 0;
}

static int is_time(const char *text, size_t word) {
    size_t between = 0;
    size_t digits = 0;
    for (size_t i = 0; i < word; i++) {
        between += is_one_of(text[i], ":-./T+") ? 1 : 0;
        digits += text_is_digit(text[i]) ? 1 : 0;
    }
    return word && text_is_digit(text[0]) && word < 40 && digits * 2 > word &&
           ((between > 1 && between < 10) || (word == 5 && text[2] == '-'));
}

/* Whether brackets that close at byte `end` are a row of a matrix and not "[rank3]" or MPI's
 * "[1,0]<stdout>": numbers, and behind them the next row or nothing. */
static int is_row(dump_text text, size_t end) {
    size_t next = end + 1;
    for (size_t i = 1; i < end; i++) {
        if (!paste_is_blank(text.at[i]) && text_digit(text.at[i]) < 0 &&
            !is_one_of(text.at[i], "x,-([")) {
            return 0;
        }
    }
    while (next < text.left && paste_is_blank(text.at[next])) {
        next++;
    }
    return next >= text.left || is_one_of(text.at[next], ",])");
}

/* A word of a log's line before what was printed: a time, "[rank3]:", "(pid=7)", "node-7:", "|",
 * "level=error". */
static size_t prefix_word(dump_text line) {
    static const char *const streams[] = {"stderr", "stdout", "F", "P"};
    const char *text = line.at;
    const size_t word = text_until(text, line.left, ' ');
    const size_t assigned = text_until(text, word, '=');
    const char last = word ? text[word - 1] : ' ';
    if (*text == '[' || *text == '(') {
        const size_t end = text_until(text, line.left, *text == '[' ? ']' : ')');
        const int is_short = end < line.left && end < 64;
        return is_short && !is_row(line, end)
                   ? end + 1 + (end + 1 < line.left && text[end + 1] == ':')
                   : 0;
    }
    for (size_t i = 0; i < sizeof(streams) / sizeof(streams[0]); i++) {
        if (text_is(text, word, streams[i])) {
            return word;
        }
    }
    if (assigned + 1 < line.left && text_is(text, assigned + 1, "msg=")) {
        return assigned + 1;
    }
    const int is_mark = word > 0 && word <= 2 && word < line.left && is_one_of(*text, "|>#/*+<");
    const int is_rank = last == ':' && word < 6 && word > 1;
    const int is_name =
        last == ':' && hex_run(text, word) + 1 < word && !(word > 2 && text_is(text, 2, "0x"));
    const int is_level = word > 3 && word < 9 && is_capital(*text) && is_capital(text[1]) &&
                         hex_run(text, word) < word;
    const int is_pair = assigned > 1 && assigned + 1 < word && text[assigned - 1] != ']' &&
                        hex_run(text, assigned) < assigned;
    return is_time(text, word) || is_mark || is_name || is_rank || is_level || is_pair ? word : 0;
}

/* What stands behind a log's words, and before what closes a string of JSON. */
static dump_text bare_line(const paste_line *line, const paste_lines *lines) {
    dump_text text = {line->text, line->length};
    if (!line->is_rest && line->from < lines->size) {
        const size_t number = paste_line_number(lines->text, lines->size, line->from);
        text = dump_after(text, number < text.left ? number : 0);
    }
    for (int i = 0; i < 12; i++) {
        while (text.left && paste_is_blank(*text.at)) {
            text = dump_after(text, 1);
        }
        const size_t whole = text.left && i == 0 ? whole_prefix(text) : 0;
        const size_t n = whole ? whole : text.left ? prefix_word(text) : 0;
        if (!n) {
            break;
        }
        text = dump_after(text, n < text.left ? n : text.left);
    }
    while (text.left && is_one_of(text.at[text.left - 1], " \t\"}") &&
           (text.at[text.left - 1] != '}' || (text.left > 1 && text.at[text.left - 2] == '"'))) {
        text.left--;
    }
    return text;
}

/* Adds the words of a line to what was counted; 0 if there are others than of digits, then with
 * `must_be_pure` at once. */
static int count(counts *c, dump_text text, int must_be_pure) {
    int is_pure = 1;
    char before = ' ';
    while (text.left && (is_pure || !must_be_pure)) {
        size_t n = 0;
        while (n < text.left && text_is_word(text.at[n])) {
            n++;
        }
        if (!n) {
            c->has_star |=
                *text.at == '<' && paste_begins(&(paste_cursor){text.at, text.left}, "<repeats ");
            is_pure &= is_one_of(*text.at, " \t,;:=[](){}-.");
            before = paste_is_blank(*text.at) ? before : *text.at;
            text = dump_after(text, 1);
            continue;
        }
        const size_t prefix = n > 2 && text.at[0] == '0' && (text.at[1] | 32) == 'x' ? 2 : 0;
        const size_t digits = hex_run(text.at + prefix, n - prefix);
        const int is_index = n < 4 && n < text.left && text.at[n] == ']' && before == '[';
        size_t suffix = 0; /* of a constant in C */
        while (digits && prefix + digits + suffix < n &&
               is_one_of(text.at[prefix + digits + suffix], "uUlL")) {
            suffix++;
        }
        const int is_number = prefix + digits + suffix == n;
        before = '0';
        if (is_number && !is_index) {
            c->digits += (uint32_t)digits;
            c->numbers++;
        }
        const int is_array = n < text.left && (text.at[n] == '[' || text.at[n] == '.');
        is_pure &= is_number || is_array;
        text = dump_after(text, n);
    }
    return is_pure;
}

/* Whether the first word is a number: no instruction of a listing. */
static int begins_with_number(dump_text text) {
    while (text.left && !text_is_word(*text.at)) {
        text = dump_after(text, 1);
    }
    const size_t word = text_run(text.at, text.left, text_is_word);
    const size_t prefix = word > 2 && text.at[0] == '0' && (text.at[1] | 32) == 'x' ? 2 : 0;
    return word && prefix + hex_run(text.at + prefix, word - prefix) == word;
}

/* The groups of a line that begins with an address; length 0 if it does not. */
static dump_text groups(dump_text text) {
    const dump_text none = {text.at, 0};
    const size_t prefix = text.left > 2 && text_is(text.at, 2, "0x") ? 2 : 0;
    size_t at = prefix + hex_run(text.at + prefix, text.left - prefix);
    if (at - prefix < 6 || at - prefix > 16 || at >= text.left) {
        return none;
    }
    if (text.at[at] == ' ' && at + 1 < text.left && text.at[at + 1] == '<') {
        at += text_until(text.at + at, text.left - at, '>') + 1;
    }
    const int has_colon = at < text.left && text.at[at] == ':';
    if (at >= text.left || (!has_colon && (prefix || !paste_is_blank(text.at[at])))) {
        return none;
    }
    text = dump_after(text, at + 1);
    while (text.left && paste_is_blank(*text.at)) {
        text = dump_after(text, 1);
    }
    text.left = text_until(text.at, text.left, '|');
    text.left = text_until(text.at, text.left, '>');
    for (size_t i = 0; has_colon && i + 1 < text.left; i++) {
        text.left = text_is(text.at + i, 2, "  ") ? i : text.left;
    }
    return begins_with_number(text) ? text : none;
}

static void append(window *w, dump_text text) {
    if (text.left + 1 > sizeof(w->text) - w->size) {
        w->is_full = 1;
        return;
    }
    memcpy(w->text + w->size, text.at, text.left);
    w->size += text.left;
    w->text[w->size++] = '\n';
}

static int may_be_map(const counts *c) {
    const uint32_t n = c->numbers;
    const int has_numbers = n == 16 || n == 32 || n == 64 || n == 128;
    return c->has_star || c->digits == HEX_DIGITS || (has_numbers && c->digits <= MOST_DIGITS);
}

static int is_over(const window *w) {
    return w->is_full || (w->n.digits > MOST_DIGITS && !w->n.has_star);
}

static int try_window(const window *w, const char *text, size_t size, tma_dump_found *found) {
    tma_error ignored;
    return may_be_map(&w->n) &&
           !tma_dump_read_whole(found->map, &found->how, text, size, &ignored) &&
           is_map(found->map);
}

enum shape { ADDRESSED, PURE, SHAPES };

static int is_star(dump_text text) {
    return text.left == 1 && *text.at == '*';
}

/* What of a line is counted. */
static dump_text counted_of(dump_text text, enum shape shape) {
    return shape == ADDRESSED ? groups(text) : text;
}

/* Whether a line has it; what there is to count in it is added either way. */
static int has_shape(counts *c, dump_text text, enum shape shape, int must_be_pure) {
    const dump_text counted = counted_of(text, shape);
    const uint32_t numbers = c->numbers;
    const int is_pure = count(c, counted, must_be_pure);
    c->has_star |= is_star(text);
    return shape == ADDRESSED ? is_star(text) || counted.left > 0 : is_pure && c->numbers > numbers;
}

/* ---- lines ahead, each counted once ---- */

/* A map's run has no more lines: each has a number, of 256 digits or 128 numbers at most. */
#define MOST_AHEAD HEX_DIGITS

typedef struct line_counts {
    uint16_t digits;
    uint8_t fits;
    uint8_t has_star;
    uint16_t numbers;
    uint8_t begins; /* a map may begin with it */
} line_counts;

#define ADDRESS_DIGITS 16
#define MOST_HIGH      1 /* the highest byte of a map's address, of which 57 bits are there */

/* The hexadecimal digits of a line's first numbers, as long as those are alike. */
typedef struct first_digits {
    char digit[ADDRESS_DIGITS];
    size_t count;
    size_t width; /* of a number */
    int is_hex;   /* not decimal */
} first_digits;

static first_digits first_digits_of(dump_text text) {
    first_digits d = {{0}, 0, 0, 0};
    while (text.left && d.count < ADDRESS_DIGITS) {
        const size_t word = text_run(text.at, text.left, text_is_word);
        const size_t prefix = word > 2 && text.at[0] == '0' && (text.at[1] | 32) == 'x' ? 2 : 0;
        const size_t width = word - prefix;
        if (word && (hex_run(text.at + prefix, width) < width || (d.width && width != d.width) ||
                     d.count + width > ADDRESS_DIGITS)) {
            break;
        }
        for (size_t i = prefix; i < word; i++) {
            d.is_hex |= prefix || !text_is_digit(text.at[i]) || (i == prefix && text.at[i] == '0');
            d.digit[d.count++] = text.at[i];
        }
        d.width = word ? width : d.width;
        text = dump_after(text, word ? word : 1);
    }
    return d;
}

/* Whether a map may begin with the line's numbers: if they are bytes in their order, or
 * little-endian words, its address has a high byte that an address can have. Most lines of other
 * dumps have not. */
static int may_begin(dump_text text) {
    const first_digits d = first_digits_of(text);
    if (d.count < ADDRESS_DIGITS || !d.is_hex || d.width % 2) {
        return 1;
    }
    const size_t places[] = {ADDRESS_DIGITS - 2, ADDRESS_DIGITS - d.width}; /* of that byte */
    for (size_t i = 0; i < 2; i++) {
        const char *high = d.digit + places[i];
        if (text_digit(high[0]) * 16 + text_digit(high[1]) <= MOST_HIGH) {
            return 1;
        }
    }
    return 0;
}

/* The line that is looked at and those behind it, as far as they were counted. */
typedef struct ahead {
    line_counts line[MOST_AHEAD][SHAPES];
    size_t first;
    size_t count;
    paste_lines lines; /* behind the last of them */
} ahead;

static void add_line(ahead *a, dump_text text) {
    line_counts *to = a->line[(a->first + a->count++) % MOST_AHEAD];
    for (int shape = 0; shape < SHAPES; shape++) {
        counts c = {0, 0, 0};
        const int fits = has_shape(&c, text, (enum shape)shape, shape == PURE);
        const int begins = fits && may_begin(counted_of(text, (enum shape)shape));
        to[shape] = (line_counts){(uint16_t)c.digits, (uint8_t)fits, (uint8_t)c.has_star,
                                  (uint16_t)c.numbers, (uint8_t)begins};
    }
}

/* The line that is looked at next. */
static void step(ahead *a, dump_text text, const paste_lines *behind) {
    a->first += a->count > 0;
    a->count -= a->count > 0;
    if (!a->count) {
        a->lines = *behind;
        add_line(a, text);
    }
}

static const line_counts *counts_ahead(ahead *a, size_t index, enum shape shape) {
    paste_line line;
    if (index == a->count) {
        if (!paste_next_line(&a->lines, &line)) {
            return NULL;
        }
        add_line(a, bare_line(&line, &a->lines));
    }
    return &a->line[(a->first + index) % MOST_AHEAD][shape];
}

/* Whether the lines of one shape from this one on may be a map, by what they have to count. */
static int may_be_run(ahead *a, enum shape shape) {
    counts sum = {0, 0, 0};
    for (size_t i = 0; i < MOST_AHEAD && sum.digits <= MOST_DIGITS; i++) {
        const line_counts *c = counts_ahead(a, i, shape);
        if (!c || !c->fits || (i == 0 && !c->begins)) {
            return 0;
        }
        sum.digits += c->digits;
        sum.numbers += c->numbers;
        sum.has_star = c->has_star;
        if (may_be_map(&sum)) {
            return 1;
        }
    }
    return 0;
}

/* Lines of one shape from the first of `lines` on, until they are a map. A star is followed by an
 * address alone. */
static int read_run(tma_dump_found *found, paste_lines lines, enum shape shape) {
    window w;
    paste_line line;
    clear(&w);
    while (!is_over(&w) && paste_next_line(&lines, &line)) {
        const dump_text text = bare_line(&line, &lines);
        const int had_star = w.n.has_star;
        const int fits = has_shape(&w.n, text, shape, 0);
        if (!fits && !had_star) {
            break;
        }
        append(&w, text);
        found->last_line = line.number;
        if (!is_star(text) && try_window(&w, w.text, w.size, found)) {
            return 1;
        }
        if (!fits) {
            break;
        }
    }
    return 0;
}

/* From an opening bracket at byte `at` of the first of `lines` to what closes it. `is_log`: lines
 * have more before them. */
static int read_brackets(tma_dump_found *found, paste_lines lines, size_t at, int is_log) {
    window w;
    paste_line line;
    int depth = 0;
    clear(&w);
    for (int is_first = 1; depth <= MOST_DEPTH && !is_over(&w) && paste_next_line(&lines, &line);
         is_first = 0) {
        dump_text text = {line.text + at, line.length - at};
        if (!is_first) {
            text = is_log ? bare_line(&line, &lines) : (dump_text){line.text, line.length};
        }
        for (size_t i = 0; i < text.left; i++) {
            depth += text.at[i] == '[' || text.at[i] == '{';
            depth -= text.at[i] == ']' || text.at[i] == '}';
            text.left = depth ? text.left : i + 1;
        }
        append(&w, text);
        count(&w.n, text, 0);
        if (depth == 0) {
            found->last_line = line.number;
            return try_window(&w, w.text, w.size, found);
        }
    }
    return 0;
}

/* A string of Python's, in the line as it stands: its backslashes are bytes. */
static int read_string(tma_dump_found *found, dump_text line) {
    for (size_t i = 0; i + TMA_MAP_BYTES < line.left; i++) {
        tma_error ignored;
        const dump_text text = dump_after(line, i);
        if (text.at[0] == 'b' && is_one_of(text.at[1], "'\"") &&
            (i == 0 || !text_is_word(line.at[i - 1])) &&
            !tma_dump_read_whole(found->map, &found->how, text.at, text.left, &ignored) &&
            is_map(found->map)) {
            return 1;
        }
    }
    return 0;
}

static int is_base64(char c) {
    return text_is_word(c) || c == '+' || c == '/' || c == '=';
}

static int is_list(char c) {
    return text_digit(c) >= 0 || is_one_of(c, " \tx,");
}

/* Where the next STRETCH_B such characters in a row begin, from byte `from` on: of a stretch that
 * is too short the last character alone is looked at, mostly. */
static size_t next_stretch(const paste_line *line, size_t from, int (*is_part)(char c)) {
    while (line->length - from >= STRETCH_B) {
        size_t end = from + STRETCH_B;
        while (end > from && is_part(line->text[end - 1])) {
            end--;
        }
        if (end == from) {
            return from;
        }
        from = end;
    }
    return line->length;
}

/* A stretch of a line: words of digits in a row, or base64. */
static int read_stretch(tma_dump_found *found, const paste_line *line, int (*is_part)(char c)) {
    for (size_t i = 0; (i = next_stretch(line, i, is_part)) < line->length;) {
        window w;
        tma_error ignored;
        const size_t end = i + text_run(line->text + i, line->length - i, is_part);
        const dump_text words = {line->text + i, end - i};
        clear(&w);
        count(&w.n, words, 0);
        w.n.has_star |= is_part == is_base64;
        if (may_be_map(&w.n) &&
            !tma_dump_read_whole(found->map, &found->how, words.at, words.left, &ignored) &&
            is_map(found->map)) {
            return 1;
        }
        i = end;
    }
    return 0;
}

static int read_from(tma_dump_found *found, paste_lines lines, const paste_line *line,
                     const paste_lines *behind, ahead *a) {
    size_t brackets = 0;
    const dump_text bare = bare_line(line, behind);
    step(a, bare, behind);
    found->line = found->last_line = line->number;
    found->how = "";
    for (int shape = 0; shape < SHAPES; shape++) {
        if (may_be_run(a, (enum shape)shape) && read_run(found, lines, (enum shape)shape)) {
            return 1;
        }
    }
    for (size_t i = 0; i < line->length && brackets < 4; i++) {
        if (line->text[i] == '[' || line->text[i] == '{') {
            brackets++;
            if (read_brackets(found, lines, i, bare.at > line->text)) {
                return 1;
            }
        }
    }
    found->last_line = line->number;
    const dump_text raw = {lines.text + line->from, lines.size - line->from};
    const size_t length = line->is_rest ? 0 : text_until(raw.at, raw.left, '\n');
    return read_stretch(found, line, is_list) || read_stretch(found, line, is_base64) ||
           read_string(found, (dump_text){raw.at, length});
}

bool tma_dump_next(tma_dump_found *found, const char *text, size_t size, tma_dump_cursor *at,
                   size_t end) {
    paste_lines lines;
    paste_line line;
    ahead a;
    if (!found || !text || !at) {
        return false;
    }
    a.first = a.count = 0;
    lines = (paste_lines){text, size, at->at, at->line, 0};
    for (paste_lines here = lines;
         (here.at < end || here.in_line) && paste_next_line(&lines, &line); here = lines) {
        if (read_from(found, here, &line, &lines, &a)) {
            while (lines.number < found->last_line && paste_next_line(&lines, &line)) {
            }
            *at = (tma_dump_cursor){lines.at, lines.number};
            return true;
        }
    }
    *at = (tma_dump_cursor){lines.at, lines.number};
    return false;
}
