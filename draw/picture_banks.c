/* SPDX-License-Identifier: Apache-2.0
 *
 * banks: one phase of a warp's read of the tile, which bank each lane asks, and how often.
 */
#include "scene.h"

#define WORD_W   (BYTE_W * TMA_BANK_B)
#define LABELS_W 88
#define BAR_H    12

typedef struct phase_view {
    scene *s;
    const tma_bank_phase *phase;
    int32_t x, y;
    uint64_t first_line;
} phase_view;

static int pale_cell(void *context, const tma_cell *cell) {
    phase_view *v = (phase_view *)context;
    scene *s = v->s;
    if (cell->row < s->from) {
        return 0;
    }
    if (cell->row >= s->from + s->rows) {
        return 1;
    }
    const uint64_t at = cell->shared_address - v->first_line;
    WORDS(title);
    if (!s->out->is_untitled) {
        tma_cell_text(title.at, WORDS_B, cell, &s->plan);
    }
    canvas_cell(s->out, TMA_STYLE_PALE, v->x + (int32_t)(at % LINE_B) * BYTE_W,
                v->y + (int32_t)(at / LINE_B) * CELL_H, (int32_t)cell->length_B * BYTE_W, CELL_H,
                NULL, title.at, (int32_t)cell->index);
    return s->out->stopped;
}

static uint32_t view_lines(const scene *s, uint64_t first_line) {
    const uint64_t end =
        s->at.shared_address + (uint64_t)(s->from + s->rows) * tma_plan_info(&s->plan)->pitch_B;
    return (uint32_t)((end - first_line + LINE_B - 1) / LINE_B);
}

static void draw_lanes(phase_view *v, uint32_t lines) {
    for (uint32_t lane = 0; lane < v->phase->lanes; lane++) {
        const uint64_t at = v->phase->address[lane] - v->first_line;
        if (v->phase->address[lane] < v->first_line || at / LINE_B >= lines) {
            continue;
        }
        const tma_draw_style style = (tma_draw_style)(TMA_STYLE_CHUNK_0 + lane % 8);
        WORDS(label);
        WORDS(title);
        tma_putf(&label, "%s%u", v->phase->access_B > TMA_BANK_B ? "lane " : "", lane);
        tma_putf(&title, "lane %u reads %u B at 0x%x, bank %u", lane, v->phase->access_B,
                 v->phase->address[lane], v->phase->address[lane] / TMA_BANK_B % TMA_BANKS);
        canvas_cell(v->s->out, style, v->x + (int32_t)(at % LINE_B) * BYTE_W,
                    v->y + (int32_t)(at / LINE_B) * CELL_H, (int32_t)v->phase->access_B * BYTE_W,
                    CELL_H, label.at, title.at, -1);
    }
}

/* Words of the phase in one bank, each once. */
static uint32_t words_in(const tma_bank_phase *p, uint32_t bank) {
    const uint32_t each = p->access_B / TMA_BANK_B;
    uint32_t count = 0;
    for (uint32_t i = 0; i < p->lanes * each; i++) {
        const uint32_t word = p->address[i / each] / TMA_BANK_B + i % each;
        int is_new = word % TMA_BANKS == bank;
        for (uint32_t k = 0; k < i && is_new; k++) {
            is_new = p->address[k / each] / TMA_BANK_B + k % each != word;
        }
        count += (uint32_t)is_new;
    }
    return count;
}

/* A bar for each bank: how many words it is asked for. Returns the y below. */
static int32_t draw_bars(phase_view *v, int32_t y) {
    uint32_t words[TMA_BANKS];
    uint32_t most = 1;
    for (uint32_t bank = 0; bank < TMA_BANKS; bank++) {
        words[bank] = words_in(v->phase, bank);
        most = words[bank] > most ? words[bank] : most;
    }
    const int32_t floor = y + 16 + (int32_t)most * BAR_H;
    canvas_text(v->s->out, TMA_STYLE_SMALL, TEXT_ENDS, v->x - 8, floor - 4, "words asked");
    canvas_text(v->s->out, TMA_STYLE_SMALL, TEXT_ENDS, v->x - 8, floor + 12, "bank");
    for (uint32_t bank = 0; bank < TMA_BANKS; bank++) {
        const int32_t x = v->x + (int32_t)bank * WORD_W;
        const int32_t high = (int32_t)words[bank] * BAR_H;
        if (words[bank]) {
            WORDS(label);
            tma_putf(&label, "%u", words[bank]);
            canvas_cell(v->s->out, words[bank] > 1 ? TMA_STYLE_BAR : TMA_STYLE_TENSOR, x + 1,
                        floor - high, WORD_W - 2, high, label.at, NULL, -1);
        }
        canvas_print(v->s->out, TMA_STYLE_SMALL, TEXT_CENTRED, x + WORD_W / 2, floor + 12, "%u",
                     bank);
    }
    canvas_line(v->s->out, TMA_STYLE_LINE, v->x, floor, v->x + TMA_BANKS * WORD_W, floor);
    return floor + 28;
}

/* What every reader pays for the whole tile. */
static void draw_readers(scene *s, int32_t x, int32_t y) {
    canvas_text(s->out, TMA_STYLE_HEAD, TEXT_BEGINS, x, y + 12, "the whole tile, by reader");
    canvas_text(s->out, TMA_STYLE_SMALL, TEXT_ENDS, x + 180, y + 30, "phases");
    canvas_text(s->out, TMA_STYLE_SMALL, TEXT_ENDS, x + 270, y + 30, "wavefronts");
    canvas_text(s->out, TMA_STYLE_SMALL, TEXT_ENDS, x + 340, y + 30, "at worst");
    y += 32;
    for (uint32_t i = 0; i < TMA_READERS; i++) {
        tma_bank_cost cost;
        if (tma_cost_banks(&cost, &s->plan, &s->at, (tma_reader)i) != TMA_OK) {
            continue;
        }
        const tma_draw_style style = i == s->drawing->reader ? TMA_STYLE_HEAD : TMA_STYLE_TEXT;
        y += 18;
        canvas_text(s->out, style, TEXT_BEGINS, x, y, tma_reader_name(i));
        canvas_print(s->out, style, TEXT_ENDS, x + 180, y, "%u", cost.phases);
        canvas_print(s->out, style, TEXT_ENDS, x + 270, y, "%u", cost.wavefronts);
        canvas_print(s->out, cost.worst > 1 ? TMA_STYLE_WARN : style, TEXT_ENDS, x + 340, y,
                     cost.worst > 1 ? "%u-way" : "%u", cost.worst);
    }
}

static void draw_key(scene *s, int32_t y) {
    y = look_row(s, MARGIN, y + 4, TMA_STYLE_CHUNK_0, "n",
                 "what lane n of the warp reads in this phase");
    y = look_row(s, MARGIN, y, TMA_STYLE_PALE, NULL, "the rest of the tile");
    y = look_row(s, MARGIN, y, TMA_STYLE_TENSOR, "1",
                 "one word of 4 B asked of a bank: no conflict");
    look_row(s, MARGIN, y, TMA_STYLE_BAR, "n",
             "different words of 4 B that the phase asks of one bank; it takes as many "
             "wavefronts as the highest bar");
}

static void draw_phase(scene *s, const tma_bank_phase *phase, int32_t y) {
    const uint64_t begin =
        s->at.shared_address + (uint64_t)s->from * tma_plan_info(&s->plan)->pitch_B;
    phase_view v = {s, phase, MARGIN + LABELS_W, y + 48, begin / LINE_B * LINE_B};
    const uint32_t lines = view_lines(s, v.first_line);
    canvas_print(s->out, TMA_STYLE_HEAD, TEXT_BEGINS, MARGIN, y + 14,
                 "%s, phase %u: %u lanes of %u B", tma_reader_name(s->drawing->reader),
                 s->drawing->phase, phase->lanes, phase->access_B);
    canvas_print(s->out, phase->wavefronts > 1 ? TMA_STYLE_WARN : TMA_STYLE_TEXT, TEXT_ENDS,
                 v.x + TMA_BANKS * WORD_W, y + 14,
                 phase->wavefronts > 1 ? "%u-way conflict" : "%u wavefront, no conflict",
                 phase->wavefronts);
    for (uint32_t i = 0; i < CELLS; i++) {
        const uint32_t bank = i * (TMA_CELL_B / TMA_BANK_B);
        canvas_print(s->out, TMA_STYLE_SMALL, TEXT_CENTRED, v.x + (int32_t)i * CELL_W + CELL_W / 2,
                     v.y - 8, "%u-%u", bank, bank + TMA_CELL_B / TMA_BANK_B - 1);
    }
    canvas_text(s->out, TMA_STYLE_SMALL, TEXT_ENDS, v.x - 8, v.y - 8, "banks");
    for (uint32_t line = 0; line < lines; line++) {
        canvas_print(s->out, TMA_STYLE_SMALL, TEXT_ENDS, v.x - 8, v.y + (int32_t)line * CELL_H + 16,
                     "0x%05" TMA_X64, v.first_line + (uint64_t)line * LINE_B);
    }
    tma_cells(&s->plan, &s->at, pale_cell, &v);
    draw_lanes(&v, lines);
    const int32_t below = draw_bars(&v, v.y + (int32_t)lines * CELL_H + 4);
    draw_key(s, panel_cut_note(s, MARGIN, below));
    draw_readers(s, v.x + TMA_BANKS * WORD_W + GUTTER, y);
}

void draw_BANKS(scene *s, int32_t y) {
    const tma_reader reader = (tma_reader)s->drawing->reader;
    tma_bank_phase phase;
    if (!s->is_counted) {
        canvas_text(s->out, TMA_STYLE_WARN, TEXT_BEGINS, MARGIN, y + 14,
                    "the box is larger than any shared memory");
    } else if (tma_cost_phase(&phase, &s->plan, &s->at, reader, s->drawing->phase) == TMA_OK) {
        draw_phase(s, &phase, y);
    } else {
        canvas_print(s->out, TMA_STYLE_WARN, TEXT_BEGINS, MARGIN, y + 14,
                     "%s: the rows are too short for this reader, or there is no phase %u",
                     tma_reader_name(reader), s->drawing->phase);
        draw_readers(s, MARGIN, y + 30);
    }
}
