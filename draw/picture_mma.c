/* SPDX-License-Identifier: Apache-2.0
 *
 * mma: what a copy left in shared memory beside what an MMA reads there, 16 bytes a cell, both at
 * their addresses. All of it is asked of tma/mma.h.
 */
#include "scene.h"
#include "tma/mma_text.h"

#define LABELS_W 72
#define CELL_B   TMA_CELL_B
#define MOST_EL  (1u << 21) /* 256 KiB of single bits */

const char *mma_question(tma_mma_question *q, const tma_drawing *drawing, const tma_spec *spec) {
    static const tma_mma_question plain;
    tma_error error;
    tma_mma_why why;
    *q = drawing->mma ? *drawing->mma : plain;
    if (tma_mma_words_finish(q, spec, drawing->target, &error)) {
        return "mma draws what wgmma or tcgen05 reads: none takes this element type on this target";
    }
    const uint32_t unfit = tma_mma_unfit(&why, spec, &q->tile, &q->operand);
    if (unfit != TMA_MMA_REASON_NONE) {
        return unfit == TMA_MMA_REASON_NO_TILE
                   ? tma_mma_reason_text(unfit)
                   : "the copies leave no tile that the operand could be: tma mma says why";
    }
    const tma_mma_extent size = tma_mma_extent_of(spec, &q->tile, &q->operand);
    return size.mn_el <= MOST_EL / size.k_el ? NULL : "the tile is larger than shared memory";
}

typedef struct mma_view {
    scene *s;
    tma_mma_question q;
    tma_mma_descriptor d;
    int has_descriptor;
    uint32_t unit_el; /* elements in a cell */
    int is_wanted;    /* which cells of the tile come now: those of the operand, or the others */
    uint32_t first_B; /* shared address of the first line, */
    uint32_t lines;
    uint32_t end_B; /* and behind the last of what there is */
    int32_t x, y;
    uint8_t is_read[TMA_DRAW_MOST_LINES * CELLS / 8]; /* cells of the lines, a bit each */
    uint32_t again;                                   /* reads of a cell that was read */
} mma_view;

typedef enum cell_is { IS_WANTED, IS_OTHER, IS_WRONG } cell_is;

/* The cell at a shared address; `mn` and `k` are of its first element, of the tile. */
static void mma_cell(mma_view *v, uint32_t address, uint32_t mn, uint32_t k, cell_is is,
                     const char *verb) {
    const uint32_t at = address - v->first_B;
    if (address < v->first_B || at / LINE_B >= v->lines) {
        return;
    }
    const char letter = v->q.operand.matrix == TMA_MMA_B ? 'n' : 'm';
    const uint32_t row = v->q.operand.major == TMA_MMA_K_MAJOR ? mn : k;
    const tma_draw_style chunk = (tma_draw_style)(TMA_STYLE_CHUNK_0 + row % 8);
    WORDS(label);
    WORDS(title);
    tma_putf(&label, "%c%u k%u", letter, mn, k);
    tma_putf(&title, "%s %c %u, k %u at 0x%x", verb, letter, mn, k, address);
    canvas_cell(v->s->out,
                is == IS_WANTED  ? chunk
                : is == IS_OTHER ? TMA_STYLE_PALE
                                 : TMA_STYLE_EDGE,
                v->x + (int32_t)(at % LINE_B) * BYTE_W, v->y + (int32_t)(at / LINE_B) * CELL_H,
                CELL_W, CELL_H, label.at, title.at, (int32_t)(address / CELL_B));
}

/* The addresses on the left, and what is above the lines. */
static void panel(mma_view *v, const char *words) {
    canvas_text(v->s->out, TMA_STYLE_HEAD, TEXT_BEGINS, v->x, v->y - 12, words);
    for (uint32_t line = 0; line < v->lines; line++) {
        const int32_t y = v->y + (int32_t)line * CELL_H;
        canvas_rect(v->s->out, TMA_STYLE_GAP, v->x, y, CELL_W * CELLS, CELL_H);
        canvas_print(v->s->out, TMA_STYLE_SMALL, TEXT_ENDS, v->x - 8, y + 16, "0x%05x",
                     v->first_B + line * LINE_B);
    }
}

typedef void (*unit_visitor)(mma_view *v, uint32_t mn, uint32_t k);

/* Each cell of a part of the tile, by its first element. */
static void each_unit(mma_view *v, tma_mma_extent size, unit_visitor visit) {
    const int by_k = v->q.operand.major == TMA_MMA_K_MAJOR;
    const uint32_t rows = by_k ? size.mn_el : size.k_el;
    const uint32_t majors = by_k ? size.k_el : size.mn_el;
    for (uint32_t row = 0; row < rows; row++) {
        for (uint32_t major = 0; major < majors && !v->s->out->stopped; major += v->unit_el) {
            visit(v, by_k ? row : major, by_k ? major : row);
        }
    }
}

static int is_in(uint32_t at, uint32_t from, uint32_t count) {
    return at >= from && at - from < count;
}

static void draw_written(mma_view *v, uint32_t mn, uint32_t k) {
    tma_mma_place place;
    if (tma_mma_written(&place, &v->s->map.spec, &v->q.tile, &v->q.operand, mn, k) == TMA_OK) {
        const int wanted =
            is_in(mn, v->q.mn0, v->q.operand.mn_el) && is_in(k, v->q.k0, v->q.operand.k_el);
        if (wanted == v->is_wanted) {
            mma_cell(v, place.address_B / CELL_B * CELL_B, mn, k, wanted ? IS_WANTED : IS_OTHER,
                     "the copy wrote");
        }
    }
}

/* Counts what is drawn over another row's name. */
static void note_read(mma_view *v, uint32_t address) {
    const uint32_t at = (address - v->first_B) / CELL_B;
    if (address >= v->first_B && at / CELLS < v->lines) {
        const uint8_t bit = (uint8_t)(1u << at % 8);
        v->again += (v->is_read[at / 8] & bit) != 0;
        v->is_read[at / 8] |= bit;
    }
}

static void draw_read(mma_view *v, uint32_t mn, uint32_t k) {
    tma_mma_place put;
    const uint32_t in_mn = v->q.mn0 + mn;
    const uint32_t in_k = v->q.k0 + k;
    const tma_mma_place read = tma_mma_read(&v->d, &v->q.operand, mn, k);
    const int same =
        tma_mma_written(&put, &v->s->map.spec, &v->q.tile, &v->q.operand, in_mn, in_k) == TMA_OK &&
        put.address_B == read.address_B;
    note_read(v, read.address_B);
    mma_cell(v, read.address_B / CELL_B * CELL_B, in_mn, in_k, same ? IS_WANTED : IS_WRONG,
             same ? "the MMA reads" : "the MMA reads, where the copy did not put it,");
}

static void widen(mma_view *v, uint32_t address) {
    v->first_B = address < v->first_B ? address : v->first_B;
    v->end_B = address + CELL_B > v->end_B ? address + CELL_B : v->end_B;
}

static void widen_read(mma_view *v, uint32_t mn, uint32_t k) {
    widen(v, tma_mma_read(&v->d, &v->q.operand, mn, k).address_B / CELL_B * CELL_B);
}

static void widen_written(mma_view *v, uint32_t mn, uint32_t k) {
    tma_mma_place place;
    if (tma_mma_written(&place, &v->s->map.spec, &v->q.tile, &v->q.operand, v->q.mn0 + mn,
                        v->q.k0 + k) == TMA_OK) {
        widen(v, place.address_B / CELL_B * CELL_B);
    }
}

/* Which lines: those of what the instruction is to read and of what it does read, from --row on. */
static void choose_lines(mma_view *v) {
    const tma_drawing *d = v->s->drawing;
    const tma_mma_extent part = {v->q.operand.mn_el, v->q.operand.k_el};
    v->first_B = UINT32_MAX;
    each_unit(v, part, widen_written);
    if (v->has_descriptor) {
        each_unit(v, part, widen_read);
    }
    if (v->first_B == UINT32_MAX) {
        v->first_B = v->q.tile.shared_address;
        v->end_B = v->first_B;
    }
    v->first_B = v->first_B / LINE_B * LINE_B;
    const uint32_t all = (v->end_B - v->first_B + LINE_B - 1) / LINE_B;
    const uint32_t from = d->row < all ? d->row : all ? all - 1 : 0;
    const uint32_t most = d->lines ? d->lines : TMA_DRAW_LINES;
    v->first_B += from * LINE_B;
    v->lines = all - from < most ? all - from : most;
}

static void draw_verdict(mma_view *v, int32_t x, int32_t y) {
    tma_mma_difference difference;
    WORDS(says);
    if (tma_mma_compare(&difference, &v->d, &v->q.operand, &v->s->map.spec, &v->q.tile, v->q.mn0,
                        v->q.k0) != TMA_OK) {
        return;
    }
    tma_put_mma_difference(&says, &difference, &v->q.operand, v->q.mn0, v->q.k0);
    canvas_text(v->s->out,
                difference.equal_el == difference.all_el ? TMA_STYLE_TEXT : TMA_STYLE_WARN,
                TEXT_BEGINS, x, y, says.at);
}

/* The descriptor: the one that was given, else one that reads the tile. */
static int32_t choose_descriptor(mma_view *v, int32_t y) {
    uint64_t bits = v->q.desc;
    tma_mma_why why;
    WORDS(says);
    if (v->q.given >> TMA_MMA_OPTION_DESC & 1) {
        v->has_descriptor = tma_mma_decode(&v->d, v->q.family, bits) == TMA_OK;
        tma_put(&says, v->has_descriptor ? "" : "the descriptor's swizzle code is invalid");
    } else if (tma_mma_descriptor_of(&v->d, &why, &v->s->map.spec, &v->q.tile, v->q.family,
                                     &v->q.operand, v->q.mn0, v->q.k0) == TMA_OK &&
               tma_mma_encode(&bits, &v->d) == TMA_OK) {
        v->has_descriptor = 1;
    } else {
        tma_put(&says, "no descriptor: ");
        tma_put_mma_why(&says, &why);
    }
    if (!v->has_descriptor) {
        canvas_text(v->s->out, TMA_STYLE_WARN, TEXT_BEGINS, MARGIN, y, says.at);
        return y + 18;
    }
    WORDS(words);
    tma_putf(&words, "%s-major %c, m%un%uk%u, descriptor 0x%016" TMA_X64 ": ",
             v->q.operand.major == TMA_MMA_K_MAJOR ? "K" : "MN",
             v->q.operand.matrix == TMA_MMA_B ? 'B' : 'A', v->q.m_el, v->q.n_el, v->q.k_el, bits);
    tma_put_mma_descriptor(&words, &v->d);
    canvas_text(v->s->out, TMA_STYLE_TEXT, TEXT_BEGINS, MARGIN, y, words.at);
    draw_verdict(v, MARGIN, y + 18);
    return y + 36;
}

static int32_t key_box(scene *s, int32_t x, int32_t y, tma_draw_style style, const char *words) {
    canvas_rect(s->out, style, x, y, CELL_H, CELL_H);
    canvas_text(s->out, TMA_STYLE_TEXT, TEXT_BEGINS, x + CELL_H + 8, y + 16, words);
    return x + CELL_H + 40 + canvas_width(TMA_STYLE_TEXT, words);
}

static void key(mma_view *v, int32_t y) {
    int32_t x = key_box(v->s, MARGIN, y, TMA_STYLE_CHUNK_0,
                        "the instruction's operand, coloured by row modulo 8");
    x = key_box(v->s, x, y, TMA_STYLE_PALE, "the rest of the tile");
    if (v->has_descriptor) {
        key_box(v->s, x, y, TMA_STYLE_EDGE, "read where the copy did not put it");
    }
    const uint32_t shown = v->first_B + v->lines * LINE_B;
    if (v->again) {
        y += 18;
        canvas_print(v->s->out, TMA_STYLE_WARN, TEXT_BEGINS, MARGIN, y + CELL_H,
                     "elements share cells: %u times the MMA reads a cell that it reads for other "
                     "elements, too; the last ones are named",
                     v->again);
    }
    if (shown < v->end_B) {
        canvas_print(v->s->out, TMA_STYLE_SMALL, TEXT_BEGINS, MARGIN, y + CELL_H + 18,
                     "0x%x to 0x%x is not drawn: --row, --lines", shown, v->end_B - 1);
    }
}

void draw_MMA(scene *s, int32_t y) {
    mma_view v = {.s = s};
    if (mma_question(&v.q, s->drawing, &s->map.spec)) {
        return;
    }
    v.unit_el = tma_mma_type_at(v.q.operand.type)->unit_el;
    y = choose_descriptor(&v, y) + 36;
    choose_lines(&v);
    v.y = y;
    v.x = MARGIN + LABELS_W;
    panel(&v, "what the copy wrote");
    for (; v.is_wanted < 2; v.is_wanted++) {
        each_unit(&v, tma_mma_extent_of(&s->map.spec, &v.q.tile, &v.q.operand), draw_written);
    }
    if (v.has_descriptor) {
        v.x += CELL_W * CELLS + GUTTER + LABELS_W;
        panel(&v, "what the MMA reads");
        each_unit(&v, (tma_mma_extent){v.q.operand.mn_el, v.q.operand.k_el}, draw_read);
    }
    key(&v, y + (int32_t)v.lines * CELL_H + 16);
}
