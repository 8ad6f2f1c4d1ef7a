/* SPDX-License-Identifier: Apache-2.0
 *
 * Lines that are too wide are cut where nothing of the picture is, between its panels.
 */
#include "term_stack.h"

#include <string.h>

#define LEAST_GAP 2 /* columns with nothing in them that part two panels */
#define MARGIN    3 /* columns before a panel that goes below another */

typedef struct stack {
    FILE *out;
    const term_screen *s;
    int32_t columns, widest;
    int colored;
    int blank; /* the last line was: one of several empty lines is enough */
} stack;

/* Lines from `top` up to `bottom`, places from `left` up to `right`. */
typedef struct area {
    int32_t left, right, top, bottom;
} area;

typedef struct gap {
    int32_t begin, end;
} gap;

static const term_glyph *at(const stack *k, int32_t x, int32_t y) {
    return &k->s->glyphs[y * k->s->width + x];
}

static int is_empty(const stack *k, int32_t x, int32_t y, int colored) {
    const term_glyph *g = at(k, x, y);
    return (!g->text[0] || !strcmp(g->text, " ")) && (!colored || g->ground == k->s->page);
}

/* Past the last place of a line that shows anything. */
static int32_t line_end(const stack *k, const area *a, int32_t y, int colored) {
    int32_t end = a->right;
    while (end > a->left && is_empty(k, end - 1, y, colored)) {
        end--;
    }
    return end;
}

static void print_color(FILE *out, const char *code, uint32_t color) {
    fprintf(out, "\033[%s;2;%u;%u;%um", code, (unsigned)(color >> 16 & 255),
            (unsigned)(color >> 8 & 255), (unsigned)(color & 255));
}

static void print_line(const stack *k, int32_t y, int32_t from, int32_t end) {
    uint32_t ink = TMA_NO_COLOR;
    uint32_t ground = k->s->page;
    for (int32_t x = from; x < end; x++) {
        const term_glyph *g = at(k, x, y);
        if (k->colored && g->ground != ground) {
            ground = g->ground;
            if (ground == k->s->page) {
                fputs("\033[0m", k->out);
                ink = TMA_NO_COLOR;
            } else {
                print_color(k->out, "48", ground);
            }
        }
        if (k->colored && ground != k->s->page && g->ink != ink) {
            ink = g->ink;
            print_color(k->out, "38", ink);
        }
        fputs(g->text[0] ? g->text : " ", k->out);
    }
    fputs(k->colored && ground != k->s->page ? "\033[0m\n" : "\n", k->out);
}

/* Where the words begin that end a line: one blank between two of them, nothing coloured. */
static int32_t words_begin(const stack *k, const area *a, int32_t y, int32_t end) {
    int32_t begin = end;
    while (
        begin > a->left && at(k, begin - 1, y)->ground == k->s->page &&
        (at(k, begin - 1, y)->is_word || (begin - 1 > a->left && at(k, begin - 2, y)->is_word))) {
        begin--;
    }
    return begin < end && !at(k, begin, y)->is_word ? begin + 1 : begin;
}

/* Words that begin in the left half go on below: the others are panels. */
static int has_words(const stack *k, const area *a, int32_t y) {
    return words_begin(k, a, y, line_end(k, a, y, 1)) - a->left < k->columns / 2;
}

static void put_part(stack *k, int32_t y, int32_t from, int32_t end, int32_t indent) {
    if (k->out && (end > from || !k->blank)) {
        fprintf(k->out, "%*s", (int)indent, "");
        print_line(k, y, from, end);
    }
    k->blank = end == from;
    k->widest = end - from + indent > k->widest ? end - from + indent : k->widest;
}

static void put_line(stack *k, const area *a, int32_t y) {
    const int32_t end = line_end(k, a, y, k->colored);
    const int32_t indent = has_words(k, a, y) ? words_begin(k, a, y, end) - a->left : 0;
    int32_t from = a->left;
    while (indent && end - from > k->columns - (from > a->left ? indent : 0)) {
        const int32_t least = from + (from > a->left ? 0 : indent);
        int32_t cut = from + k->columns - (from > a->left ? indent : 0);
        while (cut > least && at(k, cut, y)->is_word) {
            cut--;
        }
        if (cut == least) {
            break; /* one word */
        }
        put_part(k, y, from, cut, from > a->left ? indent : 0);
        from = cut + 1;
    }
    put_part(k, y, from, end, from > a->left ? indent : 0);
}

static void put_blank(stack *k) {
    if (k->out && !k->blank) {
        fputc('\n', k->out);
    }
    k->blank = 1;
}

static void put_lines(stack *k, const area *a, int32_t top, int32_t bottom) {
    for (int32_t y = top; y < bottom; y++) {
        put_line(k, a, y);
    }
}

static int is_wide(const stack *k, const area *a, int32_t y) {
    return line_end(k, a, y, 1) - a->left > k->columns && !has_words(k, a, y);
}

static int is_empty_column(const stack *k, const area *a, int32_t x) {
    for (int32_t y = a->top; y < a->bottom; y++) {
        if (!is_empty(k, x, y, 1)) {
            return 0;
        }
    }
    return 1;
}

/* Whether a panel begins there: with its heading, or it is one of a line of words. */
static int is_panel(const stack *k, const area *a, int32_t x) {
    int32_t y = a->top;
    while (y < a->bottom && !at(k, x, y)->is_head) {
        y++;
    }
    return y < a->bottom || a->bottom - a->top == 1;
}

/* The widest gap before a panel that leaves something on both sides, and a left one that has room.
 */
static gap widest_gap(const stack *k, const area *a) {
    gap best = {0, 0};
    gap now = {a->left, a->left};
    int32_t x = a->left;
    while (x < a->right && is_empty_column(k, a, x)) {
        x++;
    }
    for (; x < a->right; x = now.end + 1) {
        now.begin = x;
        while (now.begin < a->right && !is_empty_column(k, a, now.begin)) {
            now.begin++;
        }
        now.end = now.begin;
        while (now.end < a->right && is_empty_column(k, a, now.end)) {
            now.end++;
        }
        if (now.end < a->right && is_panel(k, a, now.end) && now.begin - a->left <= k->columns &&
            now.end - now.begin >= best.end - best.begin) {
            best = now;
        }
    }
    return best;
}

static int has_head(const stack *k, const area *a, int32_t y) {
    int32_t x = a->left;
    while (x < a->right && !at(k, x, y)->is_head) {
        x++;
    }
    return x < a->right;
}

/* The lines that are too wide with all between them, from the panels' heading on. */
static area wide_lines(const stack *k, const area *a) {
    area wide = *a;
    while (wide.top < a->bottom && !is_wide(k, a, wide.top)) {
        wide.top++;
    }
    while (wide.bottom > wide.top && !is_wide(k, a, wide.bottom - 1)) {
        wide.bottom--;
    }
    for (int32_t y = wide.top; wide.top < wide.bottom && y >= a->top; y--) {
        if (has_head(k, a, y)) {
            wide.top = y;
            break;
        }
    }
    return wide;
}

/* Panels part where no line of theirs has anything: the left one first. */
static void put_area(stack *k, area a) {
    for (;;) {
        const area wide = wide_lines(k, &a);
        const gap cut = widest_gap(k, &wide);
        put_lines(k, &a, a.top, wide.top);
        if (wide.top == wide.bottom || cut.end - cut.begin < LEAST_GAP) {
            put_lines(k, &a, wide.top, a.bottom);
            return;
        }
        area left = wide;
        area right = wide;
        left.right = cut.begin;
        right.left = cut.end - cut.begin < MARGIN ? cut.begin : cut.end - MARGIN;
        put_lines(k, &left, left.top, left.bottom);
        put_blank(k);
        put_lines(k, &right, right.top, right.bottom);
        a.top = wide.bottom;
    }
}

int32_t term_stack(FILE *out, const term_screen *s, int32_t columns, int colored) {
    stack k = {out, s, columns ? columns : s->width, 0, colored, 1};
    put_area(&k, (area){0, s->width, 0, s->height});
    return k.widest;
}
