/* SPDX-License-Identifier: Apache-2.0
 *
 * Pictures: well-formed, the same every time, bounded, for random copies and for any 128 bytes;
 * both sides of a copy show the same cells; every ink can be read.
 */
#include "support/testing.h"

#include <math.h>

#include "support/gen/gen_copy.h"
#include "support/svg_reader.h"
#include <tma/draw.h>

#define SPECS_PER_COPY 500
#define LEAST_COPIES   100
#define UNTITLED_EVERY 8
#define OF_MAPS        TMA_PICTURE_TIMELINE /* those before it */

static char text[TMA_DRAW_MOST_SVG_B];
static char again[TMA_DRAW_MOST_SVG_B];

static struct {
    unsigned long drawn[TMA_PICTURES];
    unsigned long unfit, trapped;
    size_t largest;
} totals;

static tma_drawing drawing_of(const struct gen_copy *c, uint32_t picture) {
    return (tma_drawing){.picture = picture,
                         .map = c->map.bytes,
                         .instruction = &c->instruction,
                         .at = &c->at,
                         .target = &c->target};
}

static void append(void *context, const char *piece, size_t length) {
    size_t *at = context;
    assert_true(*at + length <= sizeof(again));
    memcpy(again + *at, piece, length);
    *at += length;
}

/* ---- Marks lie on the page ---- */

struct page {
    tma_draw_size size;
    uint32_t marks;
    uint32_t picture;
    const char *what;
};

static int on_page(void *context, const tma_mark *m) {
    struct page *p = context;
    const tma_style_row *style = tma_style_row_of(m->style);
    assert_non_null(style);
    assert_true(m->x >= 0 && m->y >= 0 && m->x <= p->size.width && m->y <= p->size.height);
    if (m->shape == TMA_MARK_RECT) {
        if (m->width <= 0 || m->height <= 0) {
            fail_msg("%s: an empty rectangle of style %s, %s", tma_picture_name(p->picture),
                     style->name, p->what);
        }
        assert_true(m->x + m->width <= p->size.width && m->y + m->height <= p->size.height);
    }
    if (m->shape == TMA_MARK_TEXT) {
        assert_non_null(m->label);
        assert_true(m->width >= 0 && m->width <= 2);
    }
    p->marks++;
    return 0;
}

/* Without titles: the same marks, and a line of SVG for each. */
struct untitled {
    tma_mark marks[1 << 15];
    size_t count, at;
};

static int note_mark(void *context, const tma_mark *m) {
    struct untitled *u = context;
    assert_null(m->title);
    if (u->count < sizeof(u->marks) / sizeof(u->marks[0])) {
        u->marks[u->count++] = *m;
    }
    return 0;
}

static int same_mark(void *context, const tma_mark *m) {
    struct untitled *u = context;
    const tma_mark *o = &u->marks[u->at];
    if (u->at++ < u->count) {
        assert_true(m->shape == o->shape && m->style == o->style && m->cell == o->cell);
        assert_true(m->x == o->x && m->y == o->y && m->width == o->width && m->height == o->height);
        assert_int_equal(m->label == NULL, o->label == NULL);
        assert_true(!m->title || !strchr(m->title, '\n'));
    }
    return 0;
}

static void draw_untitled(const tma_drawing *titled, uint32_t marks) {
    static struct untitled u;
    tma_drawing d = *titled;
    tma_out out = tma_out_into(again, sizeof(again));
    d.untitled = 1;
    u.count = u.at = 0;
    assert_int_equal(tma_draw(&d, note_mark, &u, NULL), TMA_OK);
    assert_int_equal(tma_draw(titled, same_mark, &u, NULL), TMA_OK);
    assert_int_equal(u.at, marks);
    assert_int_equal(tma_draw_svg(&out, &d, NULL), TMA_OK);
    assert_null(svg_complaint(again, out.length));
    assert_int_equal(svg_count(again, "<title>"), 1);
    const char *body = strstr(again, "</style>\n");
    assert_int_equal(svg_count(body, "\n"), marks + 2); /* that of </style> and that of </svg> */
}

static void draw_twice(const tma_drawing *d, const char *what) {
    tma_finding why = {.rule = TMA_RULE_NONE};
    tma_out out = tma_out_into(text, sizeof(text));
    const tma_status status = tma_draw_svg(&out, d, &why);
    if (status != TMA_OK) {
        assert_int_equal(out.length, 0);
        assert_true(status != TMA_INVALID || tma_draw_unfit(d) || tma_rule_of(why.rule) != NULL);
        totals.trapped += status == TMA_TRAP;
        totals.unfit += tma_draw_unfit(d) != NULL;
        return;
    }
    size_t length = 0;
    tma_out pieces = tma_out_to(append, &length);
    struct page page = {{0, 0, 0}, 0, d->picture, what};
    assert_null(tma_draw_unfit(d));
    assert_true(out.length < TMA_DRAW_MOST_SVG_B);
    const char *wrong = svg_complaint(text, out.length);
    if (wrong) {
        fail_msg("%s: %s: %s", tma_picture_name(d->picture), wrong, what);
    }
    assert_int_equal(tma_draw_svg(&pieces, d, NULL), TMA_OK);
    assert_int_equal(length, out.length);
    assert_memory_equal(text, again, length);
    assert_int_equal(tma_draw_measure(&page.size, d, NULL), TMA_OK);
    assert_int_equal(tma_draw(d, on_page, &page, NULL), TMA_OK);
    assert_int_equal(page.marks, page.size.marks);
    if (totals.drawn[d->picture] % UNTITLED_EVERY == 0) {
        draw_untitled(d, page.marks);
    }
    totals.drawn[d->picture]++;
    totals.largest = out.length > totals.largest ? out.length : totals.largest;
}

static void random_copies_are_drawn(void **state) {
    (void)state;
    struct random_source r = {16};
    unsigned long copies = spec_count() / SPECS_PER_COPY;
    copies = copies < LEAST_COPIES ? LEAST_COPIES : copies;
    for (unsigned long i = 0; i < copies; i++) {
        struct gen_copy c;
        char line[GEN_COPY_LINE_BYTES];
        gen_copy(&r, random_one_in(&r, 2) ? GEN_SMALL : GEN_ANY, &c);
        for (uint32_t picture = 0; picture < OF_MAPS; picture++) {
            tma_drawing d = drawing_of(&c, picture);
            d.label = random_in(&r, 0, TMA_LABELS - 1);
            d.color = random_in(&r, 0, TMA_COLORS - 1);
            d.theme = random_in(&r, 0, TMA_THEMES - 1);
            d.reader = random_in(&r, 0, TMA_READERS - 1);
            d.phase = random_in(&r, 0, 3);
            d.row = random_one_in(&r, 4) ? random_in(&r, 0, 40) : 0;
            d.lines = random_one_in(&r, 2) ? random_in(&r, 1, 40) : 0;
            draw_twice(&d, gen_copy_line(&c, line));
        }
    }
    for (uint32_t picture = 0; picture < OF_MAPS; picture++) {
        if (!totals.drawn[picture]) {
            fail_msg("%s was never drawn", tma_picture_name(picture));
        }
    }
    assert_true(totals.unfit > 0);
}

/* Bits thrown at a good map, and whole maps of noise. */
static void any_bytes_are_drawn_or_refused(void **state) {
    (void)state;
    struct random_source r = {1616};
    const unsigned long copies = spec_count() / SPECS_PER_COPY;
    for (unsigned long i = 0; i < (copies < LEAST_COPIES ? LEAST_COPIES : copies); i++) {
        struct gen_copy c;
        gen_copy(&r, GEN_ANY, &c);
        for (uint32_t k = 0; k < TMA_MAP_BYTES; k++) {
            if (random_one_in(&r, i % 2 ? 1 : 24)) {
                c.map.bytes[k] = (uint8_t)random_u64(&r);
            }
        }
        for (uint32_t picture = 0; picture < OF_MAPS; picture++) {
            tma_drawing d = drawing_of(&c, picture);
            d.lines = TMA_DRAW_MOST_LINES;
            draw_twice(&d, "a forged map");
        }
    }
    assert_true(totals.trapped > 0);
}

/* The largest box that a driver makes, as many lines as can be asked for. */
static void large_boxes_are_cut(void **state) {
    (void)state;
    const tma_spec spec = {.dtype = TMA_DTYPE_UINT8,
                           .rank = 4,
                           .address = 1 << 20,
                           .dim_el = {256, 256, 256, 256},
                           .stride_B = {256, 65536, 1 << 24},
                           .box_el = {128, 256, 7, 1},
                           .element_stride = {1, 1, 1, 1}};
    tma_map map;
    assert_int_equal(tma_encode(map.bytes, &spec, NULL), TMA_OK);
    for (uint32_t picture = 0; picture < OF_MAPS; picture++) {
        tma_drawing d = {.picture = picture, .map = map.bytes};
        tma_out out = tma_out_into(text, sizeof(text));
        if (tma_draw_svg(&out, &d, NULL) == TMA_OK) {
            assert_true(out.length < 300000); /* as asked for by default */
        }
        d.lines = UINT32_MAX;
        draw_twice(&d, "a large box");
    }
    tma_drawing d = {.picture = TMA_PICTURE_COPY, .map = map.bytes};
    tma_out out = tma_out_into(text, sizeof(text));
    assert_int_equal(tma_draw_svg(&out, &d, NULL), TMA_OK);
    assert_int_equal(svg_count(text, "rows 0 to 31 of 0 to 1791 are drawn"), 1);
    d.lines = UINT32_MAX;
    out = tma_out_into(text, sizeof(text));
    assert_int_equal(tma_draw_svg(&out, &d, NULL), TMA_OK);
    assert_int_equal(svg_count(text, "rows 0 to 511 of 0 to 1791 are drawn"), 1);
}

/* A row of more lines than asked for is drawn, whole and alone. */
static void a_long_row_is_drawn_whole(void **state) {
    (void)state;
    const tma_spec spec = {.dtype = TMA_DTYPE_UINT8,
                           .rank = 2,
                           .address = 1 << 20,
                           .dim_el = {256, 8},
                           .stride_B = {256},
                           .box_el = {256, 8},
                           .element_stride = {1, 1}};
    tma_map map;
    assert_int_equal(tma_encode(map.bytes, &spec, NULL), TMA_OK);
    for (uint32_t lines = 1; lines <= 4; lines++) { /* a row has 2 */
        const tma_drawing d = {.picture = TMA_PICTURE_COPY, .map = map.bytes, .lines = lines};
        tma_out out = tma_out_into(text, sizeof(text));
        assert_int_equal(tma_draw_svg(&out, &d, NULL), TMA_OK);
        assert_int_equal(svg_count(text, lines < 4 ? "rows 0 to 0 of 0 to 7 are drawn"
                                                   : "rows 0 to 1 of 0 to 7 are drawn"),
                         1);
    }
}

/* Rows that are not drawn have no say in which coordinates differ: c2 is 1 in all that are. */
static void coordinates_that_differ_in_what_is_drawn(void **state) {
    (void)state;
    const tma_spec spec = {.dtype = TMA_DTYPE_UINT8,
                           .rank = 3,
                           .address = 1 << 20,
                           .dim_el = {16, 4, 8},
                           .stride_B = {16, 64},
                           .box_el = {16, 4, 2},
                           .element_stride = {1, 1, 1}};
    tma_map map;
    assert_int_equal(tma_encode(map.bytes, &spec, NULL), TMA_OK);
    tma_drawing d = {.picture = TMA_PICTURE_COPY, .map = map.bytes, .row = 4};
    tma_out out = tma_out_into(text, sizeof(text));
    assert_int_equal(tma_draw_svg(&out, &d, NULL), TMA_OK);
    assert_int_equal(svg_count(text, "rows 4 to 7 of 0 to 7 are drawn"), 1);
    assert_int_equal(svg_count(text, ">c1=3<"), 1);
    assert_int_equal(svg_count(text, "c2="), 0);
    d.row = 0;
    out = tma_out_into(text, sizeof(text));
    assert_int_equal(tma_draw_svg(&out, &d, NULL), TMA_OK);
    assert_int_equal(svg_count(text, ">c1=3 c2=1<"), 1);
}

/* ---- Edges ---- */

struct grid {
    int32_t left; /* of its pixels, which are drawn before the edges */
    uint32_t pixels, edges;
};

static int edge_on_grid(void *context, const tma_mark *m) {
    struct grid *g = context;
    if (m->style == TMA_STYLE_TENSOR || m->style == TMA_STYLE_BEYOND) {
        g->left = g->pixels++ && g->left < m->x ? g->left : m->x;
    }
    const int is_edge = m->style == TMA_STYLE_TENSOR_EDGE || m->style == TMA_STYLE_BOX_EDGE;
    if (is_edge && m->height > 20) { /* those of the key are lower */
        g->edges++;
        assert_true(m->x >= g->left);
    }
    return 0;
}

/* The box, its pixels and the halo lie left of the image, so far apart that they fill the axis. */
static void edges_stay_on_the_grid(void **state) {
    (void)state;
    const tma_target target = {.sm = 100, .suffix = 'a', .driver = 13000};
    const tma_spec spec = {.api = TMA_API_WIDE,
                           .dtype = TMA_DTYPE_FLOAT16,
                           .rank = 3,
                           .address = 1 << 20,
                           .dim_el = {64, 10, 4},
                           .stride_B = {128, 1280},
                           .element_stride = {1, 4, 1},
                           .lower_px = {-100},
                           .upper_px = {-20},
                           .channels_per_pixel = 64,
                           .pixels_per_column = 8,
                           .swizzle = TMA_SWIZZLE_128B};
    const tma_instruction in = {.mode = TMA_MODE_IM2COL_W};
    const tma_position at = {.coord = {0, -95, 1}, .offset = {8}};
    tma_map map;
    assert_int_equal(tma_encode(map.bytes, &spec, &target), TMA_OK);
    const tma_drawing d = {.picture = TMA_PICTURE_IM2COL,
                           .map = map.bytes,
                           .instruction = &in,
                           .at = &at,
                           .target = &target};
    struct grid grid = {0, 0, 0};
    assert_int_equal(tma_draw(&d, edge_on_grid, &grid, NULL), TMA_OK);
    assert_true(grid.pixels > 20 && grid.edges > 0);
}

/* ---- Both sides show the same cells ---- */

struct sides {
    uint8_t seen[1024];
    uint32_t cells;
};

static int note_cell(void *context, const tma_mark *m) {
    struct sides *s = context;
    if (m->cell >= 0) {
        assert_in_range(m->cell, 0, (int)sizeof(s->seen) - 1);
        assert_non_null(m->title);
        s->cells += !s->seen[m->cell];
        s->seen[m->cell]++;
    }
    return 0;
}

static void both_sides_show_each_cell_once(void **state) {
    (void)state;
    const tma_spec spec = {.dtype = TMA_DTYPE_BFLOAT16,
                           .rank = 2,
                           .address = 1 << 20,
                           .dim_el = {100, 20},
                           .stride_B = {208},
                           .box_el = {64, 16},
                           .element_stride = {1, 1},
                           .swizzle = TMA_SWIZZLE_128B};
    const tma_position at = {.coord = {64, 8}, .shared_address = 1024};
    const tma_instruction ops[] = {{.op = TMA_OP_LOAD}, {.op = TMA_OP_STORE}};
    tma_map map;
    assert_int_equal(tma_encode(map.bytes, &spec, NULL), TMA_OK);
    for (size_t i = 0; i < COUNT_OF(ops); i++) {
        struct sides sides = {{0}, 0};
        const tma_drawing d = {
            .picture = TMA_PICTURE_COPY, .map = map.bytes, .instruction = &ops[i], .at = &at};
        assert_int_equal(tma_draw(&d, note_cell, &sides, NULL), TMA_OK);
        assert_int_equal(sides.cells, 16 * 8 + 12); /* a row of 72 B ends within a cell, 12 times */
        for (uint32_t k = 0; k < sides.cells; k++) {
            assert_int_equal(sides.seen[k], 2);
        }
    }
}

/* ---- Words that are put in ---- */

static void words_of_others_stay_words(void **state) {
    (void)state;
    static const uint8_t map[TMA_MAP_BYTES];
    tma_drawing d = {.picture = TMA_PICTURE_BYTES, .map = map};
    d.source = "</metadata><script>alert(1)</script> & \"quoted\" \x01";
    tma_out out = tma_out_into(text, sizeof(text));
    assert_int_equal(tma_draw_svg(&out, &d, NULL), TMA_OK);
    assert_null(svg_complaint(text, out.length));
    assert_int_equal(svg_count(text, "<script"), 0);
    assert_int_equal(svg_count(text, "&lt;/metadata&gt;&lt;script&gt;"), 1);
    assert_int_equal(svg_count(text, "\nmap 00000000"), 1);
    d.source = "one\n\ttwo\r\x1f\x01 three\n";
    out = tma_out_into(text, sizeof(text));
    assert_int_equal(tma_draw_svg(&out, &d, NULL), TMA_OK);
    assert_null(svg_complaint(text, out.length));
    assert_int_equal(svg_count(text, "one\n\ttwo three\n"), 1);
}

/* Without words of the caller's, the picture says itself what it is of. */
static void a_picture_says_what_it_is_of(void **state) {
    (void)state;
    static const tma_spec spec = {.dtype = TMA_DTYPE_UINT8,
                                  .rank = 2,
                                  .address = UINT64_C(0x7f0000000000),
                                  .dim_el = {64, 32},
                                  .stride_B = {64},
                                  .box_el = {32, 8},
                                  .element_stride = {1, 1}};
    const tma_instruction in = {.op = TMA_OP_STORE, .mode = TMA_MODE_TILE};
    const tma_target target = {.sm = 90, .driver = 13000};
    const tma_position at = {.coord = {16, 3}, .shared_address = 0x480};
    tma_map map;
    assert_int_equal(tma_encode(map.bytes, &spec, NULL), TMA_OK);
    tma_drawing d = {.picture = TMA_PICTURE_BYTES, .map = map.bytes};
    tma_out out = tma_out_into(text, sizeof(text));
    assert_int_equal(tma_draw_svg(&out, &d, NULL), TMA_OK);
    assert_int_equal(svg_count(text, "<metadata>\ntma draw bytes\nmap 00000000007f0000"), 1);
    d.instruction = &in;
    d.at = &at;
    d.target = &target;
    d.picture = TMA_PICTURE_COPY;
    out = tma_out_into(text, sizeof(text));
    assert_int_equal(tma_draw_svg(&out, &d, NULL), TMA_OK);
    assert_int_equal(
        svg_count(text, "<metadata>\ntma draw copy --op store --mode tile --coord=16,3"), 1);
    assert_int_equal(svg_count(text, " --shared=1152\nmap 00000000007f0000"), 1);
}

static void numbers_beyond_the_tables(void **state) {
    (void)state;
    static const uint8_t map[TMA_MAP_BYTES];
    tma_draw_size size = {1, 2, 3};
    tma_drawing d = {.picture = TMA_PICTURE_BYTES, .map = map};
    assert_int_equal(tma_draw_measure(NULL, &d, NULL), TMA_INVALID);
    assert_int_equal(tma_draw_measure(&size, NULL, NULL), TMA_INVALID);
    assert_int_equal(tma_draw_svg(NULL, &d, NULL), TMA_INVALID);
    assert_int_equal(tma_draw(&d, NULL, NULL, NULL), TMA_INVALID);
    d.map = NULL;
    assert_int_equal(tma_draw_measure(&size, &d, NULL), TMA_INVALID);
    d.map = map;
    uint32_t *const members[] = {&d.picture, &d.label, &d.color, &d.theme, &d.reader};
    for (size_t i = 0; i < COUNT_OF(members); i++) {
        const uint32_t was = *members[i];
        *members[i] = 1000;
        assert_non_null(tma_draw_unfit(&d));
        assert_int_equal(tma_draw_measure(&size, &d, NULL), TMA_INVALID);
        *members[i] = was;
    }
    assert_true(size.width == 1 && size.height == 2 && size.marks == 3);
    assert_string_equal(tma_picture_name(TMA_PICTURES), "?");
    assert_string_equal(tma_picture_summary(TMA_PICTURES), "?");
    assert_null(tma_style_row_of(TMA_STYLES));
    uint32_t found = 77;
    assert_false(tma_picture_find(&found, "no such"));
    assert_false(tma_picture_find(&found, NULL));
    assert_int_equal(found, 77);
    for (uint32_t i = 0; i < TMA_PICTURES; i++) {
        assert_true(tma_picture_find(&found, tma_picture_name(i)));
        assert_int_equal(found, i);
    }
}

static void no_words_no_letters(void **state) {
    (void)state;
    int upright = 0;
    tma_mark m = {.style = TMA_STYLE_TENSOR, .width = 64, .height = 24, .label = "9"};
    assert_int_equal(tma_mark_letters(&upright, &m), tma_style_row_of(m.style)->text_px);
    m.label = "";
    assert_int_equal(tma_mark_letters(&upright, &m), 0);
    m.label = NULL;
    assert_int_equal(tma_mark_letters(&upright, &m), 0);
    m.label = "9";
    m.style = TMA_STYLES;
    assert_int_equal(tma_mark_letters(&upright, &m), 0);
    assert_int_equal(tma_mark_letters(&upright, NULL), 0);
}

/* ---- Contrast, as WCAG 2 reckons it ---- */

static double linear(uint32_t part) {
    const double c = part / 255.0;
    return c <= 0.04045 ? c / 12.92 : pow((c + 0.055) / 1.055, 2.4);
}

static double luminance(uint32_t color) {
    return 0.2126 * linear(color >> 16 & 255) + 0.7152 * linear(color >> 8 & 255) +
           0.0722 * linear(color & 255);
}

static double contrast(uint32_t a, uint32_t b) {
    const double la = luminance(a);
    const double lb = luminance(b);
    return la > lb ? (la + 0.05) / (lb + 0.05) : (lb + 0.05) / (la + 0.05);
}

static void every_ink_can_be_read(void **state) {
    (void)state;
    const tma_style_row *page = tma_style_row_of(TMA_STYLE_PAGE);
    for (uint32_t i = 0; i < TMA_STYLES; i++) {
        const tma_style_row *s = tma_style_row_of(i);
        const int is_text = s->ink == TMA_NO_COLOR && s->line == TMA_NO_COLOR;
        if (is_text ? contrast(s->fill, page->fill) < 4.5 ||
                          contrast(s->dark_fill, page->dark_fill) < 4.5
                    : s->ink != TMA_NO_COLOR && (contrast(s->ink, s->fill) < 4.5 ||
                                                 contrast(s->dark_ink, s->dark_fill) < 4.5)) {
            fail_msg("style %s cannot be read", s->name);
        }
    }
}

/* One value of an option: as words, and with a picture that looks at neither cells nor readers. */
static void value_in_words(tma_draw_option option, uint32_t value, const char *word) {
    const int is_banks = option == TMA_DRAW_READER || option == TMA_DRAW_PHASE;
    const int is_cells = option == TMA_DRAW_LABEL || option == TMA_DRAW_COLOR_BY;
    tma_drawing d = {.picture = is_banks ? TMA_PICTURE_BANKS : TMA_PICTURE_GATHER,
                     .reader = TMA_READER_LDMATRIX};
    tma_error error;
    char text[256];
    char wanted[64] = "";
    assert_int_equal(tma_draw_words_set(&d, option, word, &error), 0);
    if (option != TMA_DRAW_READER || value != TMA_READER_LDMATRIX) { /* what is usual is not said */
        snprintf(wanted, sizeof(wanted), " --%s %s", tma_draw_option_name(option), word);
    }
    tma_out out = tma_out_into(text, sizeof(text));
    tma_put_draw_words(&out, &d);
    assert_string_equal(text, wanted);
    d.picture = TMA_PICTURE_SWIZZLE;
    out = tma_out_into(text, sizeof(text));
    tma_put_draw_words(&out, &d);
    assert_string_equal(text, is_banks || is_cells ? "" : wanted);
}

/* The options of tma draw: every value back and forth, both sides of the limits. */
static void options_in_words(void **state) {
    static const char *const wrong[] = {"", "0", "513", "x", "-1"};
    tma_error error;
    (void)state;
    for (uint32_t i = 0; i < TMA_READERS; i++) { /* "row 4 B" is "row-4B" */
        const char *word = tma_draw_value_name(TMA_DRAW_READER, i);
        for (const char *at = tma_reader_name(i); *at; at++) {
            if (*at != ' ' || at[1] != 'B') {
                assert_int_equal(*word++, *at == ' ' ? '-' : *at);
            }
        }
        assert_int_equal(*word, 0);
    }
    for (uint32_t option = 0; option < TMA_DRAW_OPTIONS; option++) {
        const int has_names = tma_draw_value_name((tma_draw_option)option, 0) != NULL;
        for (uint32_t value = 1; value < 7; value++) {
            const char *name = tma_draw_value_name((tma_draw_option)option, value);
            char number[16];
            snprintf(number, sizeof(number), "%u", value);
            if (has_names && !name) {
                break;
            }
            value_in_words((tma_draw_option)option, value, name ? name : number);
        }
    }
    tma_drawing d = {.lines = 7};
    for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
        assert_int_not_equal(tma_draw_words_set(&d, TMA_DRAW_LINES_AT_MOST, wrong[i], &error), 0);
    }
    assert_int_equal(tma_draw_words_set(&d, TMA_DRAW_LINES_AT_MOST, "512", &error), 0);
    assert_int_not_equal(tma_draw_words_set(&d, TMA_DRAW_OPTIONS, "1", &error), 0);
    assert_int_not_equal(tma_draw_words_set(&d, TMA_DRAW_READER, "row-4", &error), 0);
    assert_non_null(strstr(error.text, "row-4B?"));
    assert_null(tma_draw_option_name(TMA_DRAW_OPTIONS));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_copies_are_drawn),
        cmocka_unit_test(any_bytes_are_drawn_or_refused),
        cmocka_unit_test(large_boxes_are_cut),
        cmocka_unit_test(a_long_row_is_drawn_whole),
        cmocka_unit_test(coordinates_that_differ_in_what_is_drawn),
        cmocka_unit_test(edges_stay_on_the_grid),
        cmocka_unit_test(options_in_words),
        cmocka_unit_test(both_sides_show_each_cell_once),
        cmocka_unit_test(words_of_others_stay_words),
        cmocka_unit_test(a_picture_says_what_it_is_of),
        cmocka_unit_test(numbers_beyond_the_tables),
        cmocka_unit_test(no_words_no_letters),
        cmocka_unit_test(every_ink_can_be_read),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
