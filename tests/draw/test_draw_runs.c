/* SPDX-License-Identifier: Apache-2.0
 *
 * Pictures of runs: well-formed, the same every time, on their page, whatever the events; what
 * names a warp or a kind that there is not is refused.
 */
#include "support/testing.h"

#include "support/gen/random.h"
#include "support/svg_reader.h"
#include <tma/draw.h>

#define WARPS      80
#define EVENTS     4000
#define ROUNDS     40
#define MOST_SVG_B (UINT32_C(4) << 20)

static char text[MOST_SVG_B], again[MOST_SVG_B];
static tma_timeline_event event[EVENTS];
static tma_timeline_warp warp[WARPS];

static int on_page(void *context, const tma_mark *m) {
    const tma_draw_size *size = context;
    assert_non_null(tma_style_row_of(m->style));
    assert_true(m->x >= 0 && m->y >= 0 && m->x <= size->width && m->y <= size->height);
    if (m->shape == TMA_MARK_RECT) {
        assert_true(m->width > 0 && m->height > 0);
        assert_true(m->x + m->width <= size->width && m->y + m->height <= size->height);
    }
    return 0;
}

static size_t draw(const tma_drawing *d) {
    tma_out first = tma_out_into(text, sizeof(text)), second = tma_out_into(again, sizeof(again));
    tma_draw_size size;
    assert_null(tma_draw_unfit(d));
    assert_int_equal(tma_draw_svg(&first, d, NULL), TMA_OK);
    assert_int_equal(tma_draw_svg(&second, d, NULL), TMA_OK);
    assert_true(first.length < sizeof(text));
    assert_int_equal(first.length, second.length);
    assert_memory_equal(text, again, first.length);
    const char *wrong = svg_complaint(text, first.length);
    if (wrong) {
        fail_msg("%s", wrong);
    }
    assert_int_equal(tma_draw_measure(&size, d, NULL), TMA_OK);
    assert_int_equal(tma_draw(d, on_page, &size, NULL), TMA_OK);
    return first.length;
}

static void make_run(tma_timeline *t, struct random_source *r) {
    *t = (tma_timeline){.kernel = "k<&>", .end = "completed", .warp = warp, .event = event};
    t->warps = (uint32_t)random_in(r, 1, WARPS);
    t->events = (uint64_t)random_in(r, 0, EVENTS);
    for (uint32_t i = 0; i < WARPS; i++) {
        warp[i] = (tma_timeline_warp){i / 4, i % 4,
                                      random_one_in(r, 9) ? "mbarrier 0x400 at line 9" : NULL};
    }
    for (uint64_t i = 0; i < t->events; i++) {
        event[i] = (tma_timeline_event){
            .kind = (uint8_t)random_in(r, 0, TMA_TIMELINE_KINDS - 1),
            .warp = (uint32_t)random_in(r, 0, t->warps - 1),
            .line = (uint32_t)i,
            .step = i / 2 + 1,
            .copy = i / 3,
        };
    }
    t->marks = (uint32_t)random_in(r, 0, TMA_TIMELINE_MARKS);
    t->finding = t->marks ? "wait-missing: unordered" : NULL;
    for (uint32_t i = 0; i < t->marks; i++) {
        t->mark[i] = (tma_timeline_mark){(uint32_t)random_in(r, 0, t->warps - 1), 7,
                                         (uint64_t)random_in(r, 0, EVENTS), "read"};
    }
}

static void random_runs_are_drawn(void **state) {
    (void)state;
    struct random_source r = {4747};
    size_t largest = 0;
    for (uint32_t round = 0; round < ROUNDS; round++) {
        tma_timeline t;
        make_run(&t, &r);
        tma_drawing d = {.picture = TMA_PICTURE_TIMELINE, .timeline = &t};
        d.lines = random_one_in(&r, 2) ? (uint32_t)random_in(&r, 1, TMA_DRAW_MOST_LINES) : 0;
        d.row = random_one_in(&r, 4) ? (uint32_t)random_in(&r, 1, EVENTS) : 0;
        const size_t length = draw(&d);
        largest = length > largest ? length : largest;
    }
    assert_true(largest > 10000); /* something was drawn */
}

/* The two accesses are in the picture, and the copy from its issue to its end. */
static void what_is_marked_is_drawn(void **state) {
    (void)state;
    const tma_timeline_warp two[2] = {{0, 0, NULL}, {0, 1, "mbarrier 0x400 at line 9"}};
    const tma_timeline_event all[] = {
        {.kind = TMA_TIMELINE_ISSUED, .warp = 0, .line = 59, .step = 0, .copy = 1},
        {.kind = TMA_TIMELINE_INSTRUCTION, .warp = 0, .line = 59, .step = 1},
        {.kind = TMA_TIMELINE_READ, .warp = 1, .line = 64, .step = 2},
        {.kind = TMA_TIMELINE_PHASE, .warp = 0, .line = 59, .step = 2, .barrier = 0x400},
        {.kind = TMA_TIMELINE_COMPLETE, .warp = 0, .line = 59, .step = 2, .copy = 1}};
    const tma_timeline t = {.kernel = "k",
                            .end = "completed",
                            .finding = "wait-missing: unordered",
                            .missing = "a wait for its phase",
                            .warp = two,
                            .event = all,
                            .warps = 2,
                            .marks = 2,
                            .events = 5,
                            .mark = {{1, 64, 2, "read"}, {0, 59, 1, "copy's write"}}};
    const tma_drawing d = {.picture = TMA_PICTURE_TIMELINE, .timeline = &t};
    draw(&d);
    assert_int_equal(svg_count(text, "class=\"pick\""), 3); /* two accesses, the legend */
    assert_int_equal(svg_count(text, "complete after step 2"), 1);
    assert_int_equal(svg_count(text, "mbarrier 0x400 of CTA 0: phase 0 completes"), 1);
    assert_int_equal(svg_count(text, "waits: mbarrier 0x400 at line 9"), 1);
    assert_int_equal(svg_count(text, "missing: a wait for its phase"), 1);
    assert_int_equal(svg_count(text, "later: read of CTA 0, warp 1, line 64, step 2"), 1);
}

static void what_is_not_there_is_refused(void **state) {
    (void)state;
    struct random_source r = {1};
    tma_timeline t;
    make_run(&t, &r);
    const tma_drawing d = {.picture = TMA_PICTURE_TIMELINE, .timeline = &t},
                      none = {.picture = d.picture};
    tma_out out = tma_out_into(text, sizeof(text));
    assert_non_null(tma_draw_unfit(&none));
    t.events = 1;
    event[0].warp = t.warps;
    assert_non_null(tma_draw_unfit(&d));
    event[0] = (tma_timeline_event){.kind = TMA_TIMELINE_KINDS};
    assert_non_null(tma_draw_unfit(&d));
    assert_int_equal(tma_draw_svg(&out, &d, NULL), TMA_INVALID);
    assert_int_equal(out.length, 0);
    event[0].kind = TMA_TIMELINE_READ;
    t.marks = 1;
    t.mark[0].what = "read";
    t.mark[0].warp = t.warps;
    assert_non_null(tma_draw_unfit(&d));
    t.mark[0].warp = 0;
    assert_null(tma_draw_unfit(&d));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_runs_are_drawn),
        cmocka_unit_test(what_is_marked_is_drawn),
        cmocka_unit_test(what_is_not_there_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
