/* SPDX-License-Identifier: Apache-2.0
 *
 * copy: global and shared memory side by side.
 */
#include "scene.h"

static void put_count(tma_out *t, uint64_t count_B, const char *words) {
    if (count_B) {
        tma_putf(t, ", %" TMA_U64 " B %s", count_B, words);
    }
}

static int32_t totals(scene *s, int32_t x, int32_t y) {
    WORDS(t);
    if (!s->is_counted) {
        return y;
    }
    tma_putf(&t, "%" TMA_U64 " B inside the tensor", s->report.inside_B);
    put_count(&t, s->report.fill_B, "filled");
    put_count(&t, s->report.dropped_B, "dropped");
    put_count(&t, s->report.past_edge_B, "written behind ends of rows");
    if (tma_plan_info(&s->plan)->op == TMA_OP_LOAD) {
        put_count(&t, s->report.tx_B, "counted on the barrier");
    }
    canvas_text(s->out, TMA_STYLE_TEXT, TEXT_BEGINS, x, y + 14, t.at);
    return y + 24;
}

void draw_COPY(scene *s, int32_t y) {
    const int loads = tma_plan_info(&s->plan)->op == TMA_OP_LOAD;
    const place left = panel_rows(s, MARGIN, y);
    place right = {left.x, left.y};
    if (tma_plan_info(&s->plan)->op != TMA_OP_PREFETCH) {
        right = panel_shared(s, left.x + GUTTER, y);
        canvas_arrow(s->out, TMA_STYLE_LINE, left.x + (loads ? 10 : GUTTER - 10), y + 56,
                     left.x + (loads ? GUTTER - 10 : 10), y + 56);
    }
    int32_t below = (left.y > right.y ? left.y : right.y) + 16;
    below = panel_cut_note(s, MARGIN, below);
    below = totals(s, MARGIN, below);
    look_legend(s, MARGIN, below + 4);
}
