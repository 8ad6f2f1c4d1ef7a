/* SPDX-License-Identifier: Apache-2.0
 *
 * Reads a log line by line, gives each labelled value to the block that it belongs to, and each
 * error to the block that it is about.
 */
#include <string.h>

#include "paste_own.h"
#include "paste_parts.h"
#include "source_only.h"
#include "source_tokens.h"
#include "tma/crash.h"
#include "tma/detail/chars.h"

#define OPEN_BLOCKS    10  /* ranks that print at once */
#define WAITING_ERRORS 4   /* errors of ranks whose blocks are still to come */
#define WINDOW_LINES   200 /* after so many others a block is over */
#define ERROR_LINES    40  /* so far an error may stand before its arguments */
#define TORN_LINES     20  /* so far behind a torn block its other half may go on */
#define WORK_TIMES     16  /* so often a text may be read again for the names in its calls, */
#define LEAST_WORK_B   ((size_t)1 << 22)
#define MOST_WORK_B    ((size_t)1 << 28) /* but no more than this */
#define QUIET_CALLS    8
#define AGAIN_LINES    80 /* so far behind a traceback repeats an error */
#define HOST_SOURCE    (UINT32_C(1) << TMA_PASTE_FROM_HOST_SOURCE)
#define CUDA_H_SOURCE  (UINT32_C(1) << TMA_PASTE_FROM_CUDA_H)

/* WAITING: another block of the same writer began before this one was whole. LINGERING: that other
 * one, whole with its error; lines that still come to it would be its own. */
enum { FREE, OPEN, WAITING, LINGERING };

/* An error whose block has not come yet. */
typedef struct early_error {
    int is_there;
    paste_failure failure;
    uint64_t speaker;
    size_t line;
} early_error;

typedef struct reader {
    const char *text;
    size_t size;
    tma_paste_visit visit;
    void *context;
    size_t count, quiets, calls; /* visited, kept aside, of those visited calls */
    paste_block blocks[OPEN_BLOCKS];
    early_error early[OPEN_BLOCKS];      /* by block: the error that stood before it */
    early_error waiting[WAITING_ERRORS]; /* for a block to begin */
    tma_paste call;                      /* the last call, whose error may follow */
    int has_call, types;                 /* bit by quiet call: it is MLIR's type */
    tma_paste quiet[QUIET_CALLS];        /* the first calls that count where nothing else does */
    size_t call_end;                     /* behind the last call that was read, in the input */
    size_t work_B;                       /* paste_call_place.work_B */
    source_style style;
    int32_t last_code; /* of the last error that was visited, and where */
    size_t last_line, line;
    size_t torn_line; /* where the last torn block ended, and whose it was */
    uint64_t torn_speaker;
    uint64_t speaker;             /* of the line that is read */
    size_t start;                 /* where its text begins */
    int is_code;                  /* the value that is placed is a statement's */
    int is_heard;                 /* something was taken of it: the speaker stays */
    uint8_t begins[PASTE_FRONTS]; /* what may begin with what: PASTE_BEGINS_* */
    source_known source;
} reader;

static void visit(reader *r, const tma_paste *found) {
    if (found->code != TMA_PASTE_NO_CODE) {
        r->last_code = found->code;
        r->last_line = found->last_line;
    }
    r->count++;
    if (r->visit) {
        r->visit(r->context, found);
    }
}

static void visit_alone(reader *r, const early_error *e) {
    const int is_again =
        r->last_line && r->last_code == e->failure.code && e->line - r->last_line < AGAIN_LINES;
    if (e->is_there && e->failure.is_lone && !is_again) {
        tma_paste found;
        paste_empty(&found, TMA_PASTE_ERROR, e->failure.source, e->line, e->line);
        found.code = e->failure.code;
        found.says = "its arguments are not in the text";
        visit(r, &found);
    }
}

static void flush_call(reader *r) {
    if (r->has_call) {
        r->has_call = 0;
        r->calls += r->call.code == TMA_PASTE_NO_CODE;
        visit(r, &r->call);
    }
}

/* Keeps an error for the block to come, in place of the oldest one. */
static void wait_for_block(reader *r, const early_error *e) {
    size_t place = 0;
    for (size_t i = 1; i < WAITING_ERRORS && r->waiting[place].is_there; i++) {
        const early_error *w = &r->waiting[i];
        place = !w->is_there || w->line < r->waiting[place].line ? i : place;
    }
    visit_alone(r, &r->waiting[place]);
    r->waiting[place] = *e;
}

/* Visits a block, or lets it go without a word, and the error before it likewise. */
static void close_block(reader *r, size_t i) { /* NOLINT(misc-no-recursion): each is closed once */
    paste_block *b = &r->blocks[i];
    early_error *e = &r->early[i];
    const int prior = b->prior;
    tma_paste found;
    b->state = FREE;
    if (prior >= 0 && r->blocks[prior].state == WAITING) {
        r->blocks[prior].is_torn |= b->is_torn;
        close_block(r, (size_t)prior);
    }
    const int is_worth_it = paste_finish(b, &found);
    if (is_worth_it && e->is_there && paste_prints_error_first(b) &&
        found.code == TMA_PASTE_NO_CODE) {
        found.code = e->failure.code;
        found.line = e->line;
        e->is_there = 0;
    }
    if (e->is_there && !is_worth_it) {
        wait_for_block(r, e); /* the one that comes next */
    } else {
        visit_alone(r, e);
    }
    e->is_there = 0;
    if (is_worth_it) {
        visit(r, &found);
    }
    if (is_worth_it && b->is_torn) {
        r->torn_line = b->last_line;
        r->torn_speaker = b->speaker;
    }
}

static size_t oldest(const reader *r) {
    size_t best = 0;
    for (size_t i = 1; i < OPEN_BLOCKS; i++) {
        if (r->blocks[i].last_line < r->blocks[best].last_line) {
            best = i;
        }
    }
    return best;
}

static size_t free_block(reader *r) {
    for (size_t i = 0; i < OPEN_BLOCKS; i++) {
        if (r->blocks[i].state == FREE) {
            return i;
        }
    }
    const size_t i = oldest(r);
    close_block(r, i);
    return i;
}

static void close_old(reader *r) {
    for (size_t i = 0; i < OPEN_BLOCKS; i++) {
        const paste_block *b = &r->blocks[i];
        const size_t window = b->state == OPEN ? WINDOW_LINES : TORN_LINES;
        if ((b->state == OPEN || b->state == LINGERING) && r->line - b->last_line > window) {
            close_block(r, i);
        }
    }
    for (size_t i = 0; i < WAITING_ERRORS; i++) {
        if (r->waiting[i].is_there && r->line - r->waiting[i].line > ERROR_LINES) {
            visit_alone(r, &r->waiting[i]);
            r->waiting[i].is_there = 0;
        }
    }
}

static int has(const paste_block *b, paste_field field) {
    return (int)(b->has >> field & 1);
}

/* The error that waits for the block: the same writer's, or the last one. */
static void take_early(reader *r, size_t block, uint32_t sources) {
    early_error *best = NULL;
    for (size_t i = 0; i < WAITING_ERRORS; i++) {
        early_error *w = &r->waiting[i];
        const int is_same = w->speaker == r->speaker;
        const int fits = w->is_there && (!w->failure.sources || w->failure.sources & sources) &&
                         (is_same || !w->speaker || !r->speaker);
        const int is_better =
            best && (is_same != (best->speaker == r->speaker) ? is_same : w->line > best->line);
        best = fits && (!best || is_better) ? w : best;
    }
    if (best) {
        r->early[block] = *best;
        best->is_there = 0;
    }
}

static size_t open_block(reader *r, const paste_label *label, uint64_t name, int prior) {
    const size_t i = free_block(r);
    paste_block *b = &r->blocks[i];
    memset(b, 0, sizeof(*b));
    b->state = OPEN;
    b->sources = label->sources;
    b->labelled = label->sources;
    b->speaker = r->speaker;
    b->name = name;
    b->line = r->line;
    b->last_line = r->line;
    b->code = TMA_PASTE_NO_CODE;
    b->prior = prior;
    b->is_torn = !(label->flags & PASTE_FIRST) && r->torn_line && r->torn_speaker == r->speaker &&
                 r->line - r->torn_line < TORN_LINES;
    r->early[i].is_there = 0;
    take_early(r, i, label->sources);
    return i;
}

/* The open block that the label continues, or -1: the same writer's; or the one that the line
 * before belonged to, if only the prefix differs, as before the first line of a block. */
static int block_for(const reader *r, const paste_label *label, uint64_t name) {
    int best = -1;
    for (int pass = 0; pass < 2 && best < 0; pass++) {
        for (size_t i = 0; i < OPEN_BLOCKS; i++) {
            const paste_block *b = &r->blocks[i];
            const int fits =
                b->state == OPEN && b->labelled & label->sources && b->name == name &&
                (pass == 0 ? b->speaker == r->speaker
                           : r->line - b->last_line <= 1 && !has(b, (paste_field)label->field) &&
                                 !(label->flags & PASTE_FIRST));
            if (fits && (best < 0 || paste_is_surer(b, &r->blocks[best]))) {
                best = (int)i;
            }
        }
    }
    return best;
}

/* Begins a block where another of the same writer may be open. */
static int begin_over(reader *r, int old, const paste_label *label, uint64_t name) {
    int prior = -1;
    if (old >= 0) {
        paste_block *b = &r->blocks[old];
        if (b->own && !paste_is_finished(b)) {
            b->state = WAITING; /* until it is seen whether the lines of both got mixed */
            prior = old;
        } else {
            close_block(r, (size_t)old);
        }
    }
    return (int)open_block(r, label, name, prior);
}

/* CUTLASS and TileLang print their lines in one order. */
static int is_out_of_order(const paste_block *b, const paste_label *label) {
    return has(b, PASTE_MAP_ADDRESS) && b->sources & PASTE_CUTE_SOURCES &&
           paste_label_order(label) < b->last_order;
}

/* Whether the label belongs to a block that lingers: then it and the one before it are torn. */
static int tears_lingering(reader *r, const paste_label *label, uint64_t name) {
    for (size_t i = 0; i < OPEN_BLOCKS; i++) {
        paste_block *b = &r->blocks[i];
        if (b->state == LINGERING && b->speaker == r->speaker && b->name == name &&
            b->labelled & label->sources) {
            if (label->flags & PASTE_FIRST) {
                close_block(r, i);
                return 0;
            }
            b->is_torn = 1;
            b->last_line = r->line;
            return 1;
        }
    }
    return 0;
}

/* Puts a value where it belongs. */
static void place(reader *r, const paste_label *label, const paste_value *value, uint64_t name) {
    if (tears_lingering(r, label, name)) {
        return;
    }
    int i = block_for(r, label, name);
    int is_again = i >= 0 && has(&r->blocks[i], (paste_field)label->field);
    const int is_joined = is_again && value && paste_join(&r->blocks[i].value[label->field], value);
    is_again = is_again && !is_joined;
    if (i < 0 || (label->flags & PASTE_FIRST && r->blocks[i].labels)) {
        i = begin_over(r, i, label, name);
        is_again = 0;
    } else if (is_again && !r->blocks[i].is_torn &&
               (r->blocks[i].own == 0 ||
                (r->blocks[i].prior < 0 && paste_is_finished(&r->blocks[i])))) {
        close_block(r, (size_t)i);
        i = (int)open_block(r, label, name, -1);
        is_again = 0;
    } else if (is_again || is_out_of_order(&r->blocks[i], label)) {
        r->blocks[i].is_torn = 1;
    }
    paste_block *b = &r->blocks[i];
    paste_narrow_sources(b, label, value);
    b->speaker = r->speaker;
    b->last_line = r->line;
    b->last_order = paste_label_order(label);
    b->labels++;
    b->own += (label->flags & (PASTE_OWN | PASTE_END)) != 0;
    b->is_code |= value && r->is_code;
    if (value && !is_again && !is_joined) {
        b->value[label->field] = *value;
        b->has |= UINT32_C(1) << label->field;
    }
}

/* A label without its value, of a block that is open: its line is torn. */
static void tear(reader *r, const paste_label *label, uint64_t name) {
    const int i = block_for(r, label, name);
    if (i >= 0 && label->flags & PASTE_OWN && r->blocks[i].labels) {
        r->blocks[i].is_torn = 1;
        r->blocks[i].last_line = r->line;
    } else if (label->flags & PASTE_OWN && label->flags & PASTE_FIRST) {
        place(r, label, NULL, name);
        r->blocks[block_for(r, label, name)].is_torn = 1;
    }
}

/* Who says what begins at byte `at`, by what stands before it: asked only where something does. */
static void hear(reader *r, const paste_line *line, size_t at) {
    if (!r->is_heard) {
        const uint64_t speaker = paste_speaker(line->text + r->start, at - r->start);
        r->speaker = speaker || !line->is_rest ? speaker : r->speaker;
    }
}

/* A label at the front; returns how much of the line it and its value take, 0 if it is none. */
static size_t take_label(reader *r, const paste_line *line, size_t at, int is_begun) {
    const paste_cursor front = {line->text + at, line->length - at};
    size_t length = 0;
    size_t stem = 0;
    paste_value value;
    const paste_label *label =
        is_begun || paste_is_assigned(&front) ? paste_label_at(&front, at, &length, &stem) : NULL;
    if (!label) {
        return 0;
    }
    hear(r, line, at);
    paste_cursor c = {front.at + length, front.left - length};
    const uint64_t name = paste_descriptor(front.at, stem);
    r->speaker = label->flags & PASTE_END ? 0 : r->speaker; /* "cuuint64_t" names nobody */
    if (label->field == PASTE_TITLE) {
        place(r, label, NULL, name);
        return length;
    }
    const int got =
        paste_item_of(&c, (paste_field)label->field, &value) ||
        (paste_skip_separators(&c, label) &&
         paste_value_of(&c, (paste_field)label->field, &value) == 1 &&
         (value.known || !value.count || value.bracket != '[')); /* no type: [_]u64{1, 2} */
    if (got && paste_peek(&c) == ';' && !(label->sources & (HOST_SOURCE | CUDA_H_SOURCE))) {
        return length; /* a program's text */
    }
    if (!got || !paste_may_follow(&c, &value, label, line->text)) {
        if (got || !paste_is_named(&front, at, length)) {
            tear(r, label, name);
        }
        return length;
    }
    r->is_code = paste_peek(&c) == ';';
    place(r, label, &value, name);
    if (label->field == PASTE_ELEMENT_B && label->sources >> TMA_PASTE_FROM_DEEPGEMM & 1) {
        size_t back = at; /* "outer stride: S, swizzle: B elem size": a fork's, in bytes */
        while (back && paste_is_blank(line->text[back - 1])) {
            back--;
        }
        const int i = block_for(r, label, name);
        if (i >= 0 && back && text_is_digit(line->text[back - 1])) {
            r->blocks[i].stride_B = 1;
        }
    }
    return (size_t)(c.at - front.at);
}

/* The block that an error behind it is about, or -1. */
static int block_before(const reader *r, const paste_failure *f) {
    int best = -1;
    for (int pass = 0; pass < 2 && best < 0; pass++) {
        for (size_t i = 0; i < OPEN_BLOCKS; i++) {
            const paste_block *b = &r->blocks[i];
            const int is_close = !r->speaker || !b->speaker || r->line - b->last_line <= 1;
            const int fits =
                b->state == OPEN && (!f->sources || f->sources & b->sources) &&
                b->code == TMA_PASTE_NO_CODE && (b->is_torn || has(b, PASTE_DIM)) &&
                (pass == 0 ? b->speaker == r->speaker : paste_is_finished(b) && is_close);
            if (fits && !paste_prints_error_first(b) &&
                (best < 0 || b->last_line > r->blocks[best].last_line)) {
                best = (int)i;
            }
        }
    }
    return best;
}

static void take_failure(reader *r, const paste_line *line, size_t at, paste_failure *f) {
    if (f->code == TMA_PASTE_NO_CODE) { /* the phrase ends the sentence */
        f->code = paste_code(line->text, line->length);
    }
    if (paste_is_source_text(line) || paste_is_quoted_code(line, at)) {
        return;
    }
    if (f->sources == UINT32_C(1) << TMA_PASTE_FROM_CALL) {
        if (r->has_call) {
            r->call.code = f->code;
            r->call.last_line = r->line;
            flush_call(r);
        }
        return;
    }
    const int i = block_before(r, f);
    if (i >= 0 && !(r->blocks[i].sources & HOST_SOURCE)) {
        r->blocks[i].code = f->code;
        r->blocks[i].last_line = r->line;
        if (r->blocks[i].prior >= 0) {
            r->blocks[i].state = LINGERING;
        } else {
            close_block(r, (size_t)i);
        }
        return;
    }
    wait_for_block(r, &(early_error){1, *f, r->speaker, r->line});
}

static void let_go(reader *r, size_t block) {
    r->blocks[block].state = FREE;
    r->early[block].is_there = 0;
}

/* Blocks of the names that a call takes, and of statements before it: the call has it all. */
static void drop_named(reader *r, size_t from, size_t to) {
    for (size_t i = 0; i < OPEN_BLOCKS; i++) {
        if (r->blocks[i].state == OPEN && r->blocks[i].is_code) {
            let_go(r, i);
        }
    }
    for (size_t at = from; at < to; at++) {
        const paste_cursor here = {r->text + at, to - at};
        size_t length = 0;
        size_t stem = 0;
        if (!paste_is_letter(*here.at) || (at && text_is_word(r->text[at - 1]))) {
            continue;
        }
        const paste_label *label = paste_label_at(&here, 0, &length, &stem);
        for (size_t i = 0; label && label->flags & PASTE_END && i < OPEN_BLOCKS; i++) {
            const paste_block *b = &r->blocks[i];
            if (b->state == OPEN && b->name == paste_descriptor(here.at, stem)) {
                let_go(r, i);
            }
        }
    }
}

/* The call at byte `at` of the input: one map, or one a caller of the function around it. */
static int read_call(reader *r, size_t at) {
    const paste_call_place place = {r->text, r->size, at, &r->work_B, &r->style};
    const int is_quiet = paste_is_quiet(&(paste_cursor){r->text + at, r->size - at});
    size_t end = at;
    size_t caller = 0;
    size_t count = 0;
    tma_paste found;
    while (paste_call(&place, count, &found, &end, &caller)) {
        found.line = caller ? paste_line_of(r->text, caller) : r->line;
        found.last_line = found.line;
        count++;
        /* Beside another call's map it is not left out without a word. */
        if (is_quiet && (found.kind != TMA_PASTE_MAP || (found.unread && !r->has_call))) {
            if (r->quiets < QUIET_CALLS) {
                r->quiet[r->quiets++] = found;
            }
            break;
        }
        flush_call(r);
        r->call = found;
        r->has_call = 1;
        if (!caller) {
            break;
        }
    }
    if (count) {
        drop_named(r, at, end);
        r->call_end = end > r->call_end ? end : r->call_end;
    }
    return count > 0;
}

/* A call of which the name stands at byte `at` of the line: looked for in the input itself. */
static int take_call(reader *r, const paste_line *line, const paste_lines *lines, size_t at) {
    const size_t i = paste_place_of(lines, line, at);
    return i < lines->size && i >= r->call_end && read_call(r, i);
}

/* What begins at byte `at`: returns how much it takes, or 0. */
static size_t take(reader *r, const paste_line *line, const paste_lines *lines, size_t at) {
    const paste_cursor front = {line->text + at, line->length - at};
    const uint8_t begins = front.left < PASTE_FRONT_B ? 0 : r->begins[paste_front(front.at)];
    paste_failure failure;
    tma_paste remark;
    size_t n = begins & PASTE_BEGINS_FAILURE ? paste_failure_at(&front, &failure) : 0;
    if (n && !source_is_known(&r->source, r->text, r->size)) { /* which tells of no failure */
        hear(r, line, at);
        take_failure(r, line, at, &failure);
        return n;
    }
    n = begins & PASTE_BEGINS_REMARK ? paste_remark_at(&front, r->line, &remark) : 0;
    if (n && !source_is_known(&r->source, r->text, r->size)) {
        visit(r, &remark);
        return n;
    }
    if (paste_is_call(&front) && take_call(r, line, lines, at)) {
        return paste_call_takes(line->text + at, line->length - at);
    }
    return take_label(r, line, at, begins & PASTE_BEGINS_LABEL);
}

static void read_line(reader *r, const paste_line *line, const paste_lines *lines) {
    const size_t start = line->is_rest ? 0 : paste_line_number(r->text, r->size, line->from);
    r->line = line->number;
    r->start = start;
    r->is_heard = 0;
    if (lines->at <= r->call_end) {
        return; /* inside of a call that was read */
    }
    for (size_t at = start; at < line->length;) {
        if (!paste_may_begin(line, at)) {
            at++;
            continue;
        }
        const size_t n = take(r, line, lines, at);
        r->is_heard |= n > 0;
        at += n ? n : 1;
    }
}

static void visit_own(void *context, const tma_paste *found) {
    visit(context, found);
}

size_t tma_paste_read(const char *text, size_t size, tma_paste_visit visitor, void *context) {
    reader r = {.text = text, .size = size, .visit = visitor, .context = context};
    r.work_B = size < MOST_WORK_B / WORK_TIMES ? WORK_TIMES * size + LEAST_WORK_B : MOST_WORK_B;
    paste_line line;
    paste_lines lines = {text, size, 0, 0, 0};
    if (!text) {
        return 0;
    }
    paste_note_failures(r.begins);
    paste_note_labels(r.begins);
    while (paste_next_line(&lines, &line)) {
        read_line(&r, &line, &lines);
        close_old(&r);
    }
    flush_call(&r);
    for (;;) { /* in the order of their lines */
        size_t next = OPEN_BLOCKS;
        for (size_t i = 0; i < OPEN_BLOCKS; i++) {
            const uint32_t state = r.blocks[i].state;
            if ((state == OPEN || state == LINGERING) &&
                (next == OPEN_BLOCKS || r.blocks[i].line < r.blocks[next].line)) {
                next = i;
            }
        }
        if (next == OPEN_BLOCKS) {
            break;
        }
        close_block(&r, next);
    }
    for (size_t i = 0; i < WAITING_ERRORS; i++) {
        visit_alone(&r, &r.waiting[i]);
    }
    const int is_rest = r.count == r.calls; /* no log: no call is left out without a word */
    const int is_own = r.calls && r.call.source == TMA_PASTE_FROM_LIBTMA; /* tma_encode(&spec) */
    const int may_own = is_rest && !is_own && paste_own_is_named(text, size) &&
                        source_is_known(&r.source, text, size);
    if (may_own || (is_rest && r.quiets && !tma_crash_read(text, size, NULL, NULL))) {
        const paste_call_place place = {text, size, 0, &r.work_B, &r.style};
        for (size_t i = 0; !r.calls && i < r.quiets; i++) {
            visit(&r, &r.quiet[i]);
        }
        if (may_own) {
            paste_own_calls(&place, r.quiet, r.quiets, r.calls > 0, visit_own, &r);
        }
    }
    return r.count;
}
