/* SPDX-License-Identifier: Apache-2.0
 *
 * Finds what a log says of a crash: words by the character that they begin with, numbers behind the
 * words that say whose they are.
 */
#include <string.h>

#include "crash_clause.h"
#include "crash_numbers.h"
#include "crash_words.h"
#include "paste_parts.h"
#include "prose.h"
#include "source_only.h"
#include "tma/crash.h"
#include "tma/detail/assert.h"
#include "tma/detail/chars.h"
#include "tma/limits.def"

#define MOST_ROWS_A_LINE 8
#define MESSAGE_LINES    12 /* of one message, in which one row may know what another does not */
#define MOST_PENDING     32
#define MOST_LINES_APART 30   /* a failure from the words that say that copies are the subject */
#define PLACES           1024 /* forms of all entries */
#define BUCKETS          1024
#define CODES            1024 /* errors have smaller numbers */
#define LEAST_NUMBER     100  /* a smaller one is anybody's exit status, but beside a copy's name */

/* Of characters: of a word; words or numbers begin with it. */
enum { IN_WORD = 1, BEGINS = 2 };

typedef struct reader {
    tma_crash_visit visit;
    void *context;
    size_t count;
    uint16_t first[BUCKETS]; /* by their head, where it is whole: a form and 1, or 0 */
    uint16_t any[256];       /* the others, by their first character */
    uint8_t kinds[256];      /* of characters */
    const char *words[PLACES];
    uint8_t where[PLACES]; /* crash_where */
    uint8_t row[PLACES];
    uint16_t next[PLACES];
    uint32_t letters[PLACES]; /* of its head */
    size_t places;
    crash_mark_index index;
    uint8_t codes[CODES / 8]; /* which numbers are errors that have a row */
    paste_line lines[2];
    int now;           /* which of them is read */
    int has_marks[2];  /* of the lines */
    uint32_t marks[2]; /* by crash_where */
    const char *text;  /* all of it */
    size_t size;
    int has_log_marks;
    uint32_t log_marks; /* of all lines, by crash_where */
    int has_more_marks;
    uint32_t more_marks; /* of all lines: those that narrow a row */
    int is_query;        /* all marks are there */
    source_known source;
    int is_last;                     /* nothing was found: what NOTHING_ELSE says counts */
    size_t versions_line;            /* where one works and another fails, or 0 */
    size_t copies_line;              /* where copies were last spoken of, or 0 */
    tma_crash pending[MOST_PENDING]; /* not visited yet: a row behind them may know better */
    size_t waiting;
    int is_called; /* the row found is that of a call in its clause */
    int has_none;  /* by the text there is no tensor copy, or by its GPUs */
    prose_reader prose;
    size_t seen; /* rows of this line, */
    uint8_t rows[MOST_ROWS_A_LINE];
    size_t at[MOST_ROWS_A_LINE]; /* where each was found, */
    size_t place, least;         /* where one is looked for, and what its words end behind */
} reader;

static unsigned char lower(char c) {
    return (unsigned char)text_lower(c);
}

/* Of all quotes there is one list. */
static unsigned char begin_of(char c) {
    const int is_quote = c == '"' || c == '`' || (unsigned char)c == 0xE2;
    return is_quote ? '\'' : lower(c);
}

static size_t bucket(uint32_t front) {
    return front * UINT32_C(0x9E3779B1) >> 16 & (BUCKETS - 1);
}

/* By the characters that words begin with, and numbers: digits, "CUDA_EXCEPTION_", "Xid". */
static void note_kinds(reader *r, const uint8_t has_words[256]) {
    for (int c = 0; c < 256; c++) {
        const unsigned char begin = begin_of((char)c);
        const int begins =
            text_is_digit((char)c) || begin == 'c' || begin == 'x' || has_words[begin];
        r->kinds[c] = (uint8_t)((text_is_word((char)c) ? IN_WORD : 0) | (begins ? BEGINS : 0));
    }
}

static void note_words(reader *r, uint32_t row, uint32_t where, const char *words) {
    const crash_head head = crash_head_of(words);
    const size_t place = r->places++;
    TMA_ASSERT(place < PLACES);
    uint16_t *list =
        head.mask == UINT32_MAX ? &r->first[bucket(head.letters)] : &r->any[lower(*words)];
    r->words[place] = words;
    r->where[place] = (uint8_t)where;
    r->row[place] = (uint8_t)row;
    r->letters[place] = head.letters;
    r->next[place] = *list;
    *list = (uint16_t)(place + 1);
}

static void begin(reader *r, tma_crash_visit visit, void *context) {
    const crash_entry *entry = NULL;
    const char *own = crash_first_words();
    uint8_t has_words[256] = {0};
    memset(r, 0, sizeof(*r));
    crash_index_marks(&r->index, 0);
    r->visit = visit;
    r->context = context;
    for (size_t i = 0; (entry = crash_entry_at(i)) != NULL; i++, own = crash_next_words(own)) {
        if (entry->kind == CRASH_IS_CODE && entry->number < CODES) {
            r->codes[entry->number / 8] |= (uint8_t)(1u << entry->number % 8);
        }
        const size_t forms = entry->kind == CRASH_IS_CODE  ? CRASH_FORMS
                             : entry->kind < CRASH_IS_MARK ? 1
                                                           : 0;
        for (size_t form = 0; form < forms; form++) {
            uint32_t where = 0;
            const char *words = crash_form(entry, own, form, &where);
            if (words && *words) {
                note_words(r, entry->row, where, words);
                has_words[lower(*words)] = 1;
            }
        }
    }
    note_kinds(r, has_words);
}

static uint32_t marks_of(reader *r, int line) {
    if (!r->has_marks[line]) {
        r->marks[line] = crash_marks(&r->index, r->lines[line].text, r->lines[line].length);
        r->has_marks[line] = 1;
    }
    return r->marks[line];
}

/* Marks anywhere in the text: asked only where words were found that need them. */
static uint32_t marks_of_log(reader *r) {
    if (!r->has_log_marks) {
        r->log_marks = crash_marks(&r->index, r->text, r->size);
        r->has_log_marks = 1;
    }
    return r->log_marks;
}

static int is_on_gpu(reader *r) {
    return (marks_of_log(r) & (UINT32_C(1) << CRASH_CUDA | UINT32_C(1) << CRASH_GPU)) != 0;
}

static int is_marked(reader *r, uint32_t where, int is_near) {
    if (where == CRASH_LAST) {
        return r->is_last || r->is_query;
    }
    if (where == CRASH_NOTHING_ELSE || r->is_last) {
        return where == CRASH_NOTHING_ELSE && r->is_last && r->copies_line && is_on_gpu(r) &&
               !paste_is_source_text(&r->lines[r->now]) &&
               r->lines[r->now].number - r->copies_line <= MOST_LINES_APART;
    }
    if (where == CRASH_ASKED) {
        return r->is_query;
    }
    const uint32_t of_log =
        where == CRASH_TENSOR_LOG || where == CRASH_TOLD ? UINT32_C(1) << CRASH_TENSOR
        : where == CRASH_TRAPPED_LOG                     ? UINT32_C(1) << CRASH_TRAPPED
        : where == CRASH_GPU_LOG ? UINT32_C(1) << CRASH_GPU | UINT32_C(1) << CRASH_CUDA
                                 : 0;
    if (of_log) {
        return r->is_query || (marks_of_log(r) & of_log) != 0;
    }
    if (r->is_query && where == CRASH_TMEM) { /* the words alone mean the general case */
        return 0;
    }
    const uint32_t bit = UINT32_C(1) << where;
    return r->is_query || where == CRASH_ANYWHERE || marks_of(r, r->now) & bit ||
           (is_near && marks_of(r, !r->now) & bit);
}

static int is_foreign(reader *r) {
    return !r->is_query && (marks_of(r, r->now) >> CRASH_FOREIGN & 1 ||
                            crash_is_raised(&r->lines[r->now], &r->lines[!r->now]));
}

/* Visits what waits from before the line, in its order. */
static void flush(reader *r, size_t line) {
    size_t gone = 0;
    while (gone < r->waiting && r->pending[gone].line < line) {
        if (r->visit) {
            r->visit(r->context, &r->pending[gone]);
        }
        gone++;
    }
    r->waiting -= gone;
    for (size_t i = 0; i < r->waiting; i++) {
        r->pending[i] = r->pending[i + gone];
    }
}

static void drop_under(reader *r, uint32_t row) {
    size_t kept = 0;
    for (size_t i = 0; i < r->waiting; i++) {
        if (crash_is_over(row, r->pending[i].row, r->is_last)) {
            r->count--;
        } else {
            r->pending[kept++] = r->pending[i];
        }
    }
    r->waiting = kept;
}

static int is_under(const reader *r, uint32_t row) {
    for (size_t i = 0; i < r->waiting; i++) {
        if (crash_is_over(r->pending[i].row, row, r->is_last)) {
            return 1;
        }
    }
    return 0;
}

/* What its sentences speak of; grouped products have maps from Hopper on alone. */
static uint32_t spoken_of(const reader *r, uint32_t row) {
    const uint32_t cause = prose_narrowed(&r->prose, row, r->has_none, &r->lines[r->now], r->place);
    if (cause == CRASH_ROW_BOX_SAID && prose_names_swizzle(&r->prose) &&
        !prose_names_box_over(r->text, r->size, TMA_VALUE(BOX))) {
        return CRASH_ROW_SPAN_SAID; /* the limit is quoted: what is left to break is the span */
    }
    return cause == CRASH_ROW_GROUPED_MAPS && crash_is_below(r->text, r->size) ? row : cause;
}

/* What else a text says that is about one failure: in a long log it may be about another. */
static uint32_t narrowed(reader *r, uint32_t row) {
    if (r->is_query || r->size > PROSE_TEXT_B) {
        return row;
    }
    const int is_compiler =
        row == CRASH_ROW_COMPILE || row == CRASH_ROW_UNKNOWN || row == CRASH_ROW_LOWERING;
    if (is_compiler && marks_of_log(r) >> CRASH_TENSOR & 1 && crash_is_below(r->text, r->size)) {
        return CRASH_ROW_TARGET_BELOW;
    }
    if (crash_narrowed(row, UINT32_MAX) == row) {
        return spoken_of(r, row);
    }
    if (!r->has_more_marks) {
        crash_index_marks(&r->index, 1); /* one index for both: it is most of a small stack */
        r->more_marks = crash_marks(&r->index, r->text, r->size);
        r->has_more_marks = 1;
        crash_index_marks(&r->index, 0);
    }
    const uint32_t narrow = crash_narrowed(row, r->more_marks);
    return spoken_of(r, crash_narrowed(narrow, r->more_marks));
}

static void note_row(reader *r, uint32_t row, size_t length) {
    const size_t line = r->lines[r->now].number;
    for (size_t i = 0; i < r->seen; i++) {
        if (r->rows[i] == row) {
            return;
        }
    }
    if (r->seen == MOST_ROWS_A_LINE) {
        return;
    }
    r->at[r->seen] = r->place;
    r->rows[r->seen++] = (uint8_t)row;
    if (!r->is_query) {
        flush(r, line > MESSAGE_LINES ? line - MESSAGE_LINES : 0);
        if (is_under(r, row)) {
            return;
        }
        drop_under(r, row);
    }
    if (r->waiting == MOST_PENDING) {
        flush(r, r->pending[0].line + 1);
    }
    if (r->waiting == MOST_PENDING) {
        return; /* no line has so many */
    }
    r->count++;
    r->pending[r->waiting++] = (tma_crash){line, row, (uint32_t)length};
}

/* A refused argument is the call's that stands with it, whatever other calls the text speaks of. */
static uint32_t with_call(reader *r, uint32_t row, size_t at, size_t length) {
    const uint32_t call = row == CRASH_ROW_INVALID_VALUE && !r->is_query
                              ? crash_row_of_call(&r->lines[r->now], at, length, CRASH_ROWS)
                              : (uint32_t)CRASH_ROWS;
    r->is_called = call == row;
    return call < CRASH_ROWS ? call : row;
}

static void found(reader *r, uint32_t row, size_t length) {
    if (!r->is_query &&
        source_is_known(&r->source, r->text, r->size)) { /* its words have not happened */
        return;
    }
    const uint32_t cause = r->is_called ? row : narrowed(r, row);
    r->is_called = 0;
    if (cause != row && prose_is_reported(row)) {
        note_row(r, row, length);
    }
    note_row(r, cause, length);
}

/* Words of everyday English count unless the line says that it did not come to it; what only a
 * failure prints always counts. */
static int is_denied(const reader *r, uint32_t where, size_t at, size_t length) {
    const paste_line *line = &r->lines[r->now];
    return !r->is_query && where != CRASH_ANYWHERE &&
           crash_is_denied(line->text, line->length, at, length, where == CRASH_TOLD);
}

/* The longest of the words of a list that begin there and count, whose heads are `head` long at
 * least; of two the later row of the table. */
static void longest_words(reader *r, uint16_t list, uint32_t front, size_t at, size_t head,
                          size_t *longest, uint16_t *best) {
    const paste_line *line = &r->lines[r->now];
    const char behind = at + head < line->length ? text_lower(line->text[at + head]) : 0;
    for (uint16_t place = list; place; place = r->next[place - 1]) {
        const char next = r->words[place - 1][head];
        if (!crash_may_begin(r->letters[place - 1], front) ||
            (!crash_is_open(next) && text_lower(next) != behind)) {
            continue;
        }
        const uint32_t where = r->where[place - 1];
        const size_t n = crash_match(line->text, line->length, at, r->words[place - 1]);
        if (n && at + n > r->least && (n > *longest || (n == *longest && place > *best)) &&
            is_marked(r, where, 1) && !is_denied(r, where, at, n)) {
            *longest = n;
            *best = place;
        }
    }
}

/* How much of the line the words take that begin there, or 0. */
static size_t take_words(reader *r, size_t at) {
    const paste_line *line = &r->lines[r->now];
    const size_t curved = (unsigned char)line->text[at] == 0xE2 && line->length - at > 2 ? 2 : 0;
    const uint32_t front = crash_front(line->text + at + curved, line->length - at - curved);
    size_t longest = 0;
    uint16_t best = 0;
    longest_words(r, r->first[bucket(front)], front, at, CRASH_HEAD, &longest, &best);
    longest_words(r, r->any[begin_of(line->text[at])], front, at, 0, &longest, &best);
    if (longest && !is_foreign(r) && !paste_is_quoted_code(line, at) &&
        !crash_is_returned(line, at, longest)) {
        found(r, with_call(r, r->row[best - 1], at, longest), longest);
    }
    return longest;
}

static void take_number(reader *r, size_t at) {
    const paste_line *line = &r->lines[r->now];
    uint64_t number = 0;
    const size_t n = crash_whole_number(line, at, &number);
    const int is_code = n && number < CODES && r->codes[number / 8] >> number % 8 & 1;
    const int row =
        is_code && (crash_is_error_before(line, at, n) ||
                    (r->is_query && number >= LEAST_NUMBER && !crash_is_of_numbers(line)))
            ? crash_row_of(CRASH_IS_CODE, number)
            : -1;
    if (row >= 0 && (number >= LEAST_NUMBER || is_marked(r, CRASH_TENSOR, 0)) &&
        is_marked(r, CRASH_CUDA, 0) && !is_foreign(r)) {
        found(r, with_call(r, (uint32_t)row, at, n), n);
    }
}

/* A number behind "CUDA_EXCEPTION_", or behind "Xid (PCI:0000:70:00): ". */
static void take_named_number(reader *r, size_t at, crash_kind kind) {
    const paste_line *line = &r->lines[r->now];
    uint64_t number = 0;
    int has_place = 0;
    const size_t from = kind == CRASH_IS_XID ? crash_behind_xid(line, at, &has_place)
                        : crash_match(line->text, line->length, at, "CUDA_EXCEPTION_#")
                            ? at + sizeof("CUDA_EXCEPTION_") - 1
                            : 0;
    const size_t n = from ? crash_whole_number(line, from, &number) : 0;
    int row = n ? crash_row_of(kind, number) : -1;
    if (n && row < 0 && has_place && is_marked(r, CRASH_SYSTEM, 0)) {
        row = crash_row_of(kind, CRASH_ANY_OTHER);
    }
    if (row >= 0 && (kind == CRASH_IS_EXCEPTION || has_place || is_marked(r, CRASH_SYSTEM, 0))) {
        found(r, (uint32_t)row, from + n - at);
    }
}

/* "CUDBG_EXCEPTION_WARP_ILLEGAL_ADDRESS", as the debugger API names them. */
static void take_enumerator(reader *r, size_t at) {
    static const char prefix[] = "CUDBG_EXCEPTION_";
    const paste_line *line = &r->lines[r->now];
    const size_t n = crash_match(line->text, line->length, at, "CUDBG_EXCEPTION_*");
    if (n > sizeof(prefix) - 1) {
        const size_t skipped = sizeof(prefix) - 1;
        const int row = crash_row_of_enumerator(line->text + at + skipped, n - skipped);
        if (row >= 0) {
            found(r, (uint32_t)row, n);
        }
    }
}

/* All that begins there: how much of the line its words take, or 0. */
static size_t take_all(reader *r, size_t at) {
    const char c = r->lines[r->now].text[at];
    if (text_is_digit(c)) {
        take_number(r, at);
    } else if (lower(c) == 'c') {
        take_named_number(r, at, CRASH_IS_EXCEPTION);
        take_enumerator(r, at);
    } else if (lower(c) == 'x') {
        take_named_number(r, at, CRASH_IS_XID);
    }
    return take_words(r, at);
}

static void read_line(reader *r) {
    const paste_line *line = &r->lines[r->now];
    r->seen = 0;
    for (size_t at = 0, prior = 0; at < line->length; at++) {
        const uint8_t kind = r->kinds[(unsigned char)line->text[at]];
        r->place = at;
        const size_t n = kind & BEGINS && !(kind & prior & IN_WORD) ? take_all(r, at) : 0;
        at += n ? n - 1 : 0;
        prior = n ? r->kinds[(unsigned char)line->text[at]] : kind;
    }
}

/* Whether all that the words of a sentence mean is less than the row says, and no word of the line
 * means the same. */
static int is_over_words(const reader *r, const prose_row *said) {
    for (size_t i = 0; i < r->seen; i++) {
        const int is_here = r->at[i] >= said->from && r->at[i] < said->to;
        if (is_here && !crash_is_over(said->row, r->rows[i], r->is_last)) {
            return 0;
        }
    }
    return 1;
}

/* What the line's sentences say, where its words do not say more. */
static void read_prose(reader *r) {
    prose_row rows[PROSE_MOST];
    const size_t count = prose_line(&r->prose, &r->lines[r->now], r->is_last, rows);
    for (size_t i = 0; i < count && !is_foreign(r); i++) {
        if (is_over_words(r, &rows[i])) {
            r->place = rows[i].from;
            found(r, rows[i].row, r->lines[r->now].length);
        }
    }
}

/* Words that begin in the line before and end in this one. */
static void read_broken(reader *r) {
    const size_t end = prose_join(&r->lines[!r->now], &r->lines[r->now]);
    r->now = !r->now;
    r->has_marks[r->now] = 0;
    r->least = end;
    for (size_t at = 0; at < end; at++) {
        if (!at || !text_is_word(r->lines[r->now].text[at - 1])) {
            take_words(r, at);
        }
    }
    r->least = 0;
    r->now = !r->now;
}

static void read_lines(reader *r) {
    paste_lines lines = {r->text, r->size, 0, 0, 0};
    while (paste_next_line(&lines, &r->lines[r->now])) {
        r->has_marks[r->now] = 0;
        if (r->is_last && marks_of(r, r->now) >> CRASH_TENSOR & 1) {
            r->copies_line = r->lines[r->now].number;
        }
        if (!paste_is_decorator(&r->lines[r->now])) {
            read_line(r);
            read_prose(r);
        }
        if (r->size <= PROSE_TEXT_B) {
            read_broken(r);
        }
        if (r->lines[r->now].number == r->versions_line) {
            found(r, CRASH_ROW_VERSIONS, 0);
        }
        r->now = !r->now;
    }
}

/* Of a text of which nothing was known. */
static void read_lines_last(reader *r) {
    if (prose_traceback_is_cut(r->text, r->size, &r->lines[r->now])) {
        r->seen = 0;
        found(r, CRASH_ROW_TRACEBACK_CUT, r->lines[r->now].length);
        return;
    }
    r->is_last = 1;
    r->count = r->waiting = 0; /* the versions come again, in their place */
    read_lines(r);
    if (!r->count && r->copies_line && crash_is_below(r->text, r->size)) {
        r->seen = 0;
        r->lines[r->now].number = r->copies_line;
        found(r, CRASH_ROW_TARGETS, 0); /* the GPU that it names is the answer */
    }
}

/* Whether a text without a known error is of a GPU, and a long one of tensor copies, too. */
static int has_more(reader *r) {
    const int is_short = r->size <= PROSE_TEXT_B;
    return r->prose.is_on || ((is_short || marks_of_log(r) >> CRASH_TENSOR & 1) && is_on_gpu(r));
}

size_t tma_crash_read(const char *text, size_t size, tma_crash_visit visit, void *context) {
    reader r;
    if (!text) {
        return 0;
    }
    begin(&r, visit, context);
    r.text = text;
    r.size = size;
    if (size <= PROSE_TEXT_B) {
        prose_begin(&r.prose, text, size, is_on_gpu(&r));
        const uint32_t subject = tma_crash_subject_of(text, size);
        r.has_none = subject == TMA_CRASH_SUBJECT_DENIED || subject == TMA_CRASH_SUBJECT_OLDER ||
                     subject == TMA_CRASH_SUBJECT_OTHER;
        r.versions_line = marks_of_log(&r) >> CRASH_TENSOR & 1 && is_on_gpu(&r) && !r.has_none
                              ? crash_versions(text, size)
                              : 0;
    }
    read_lines(&r);
    const size_t versions = r.waiting == 1 && r.pending[0].row == CRASH_ROW_VERSIONS;
    if (r.count == versions && r.source != SOURCE_ALL && has_more(&r)) {
        read_lines_last(&r);
    }
    flush(&r, SIZE_MAX);
    return r.count;
}

static void about_number(reader *r, uint64_t number) {
    if (number == CRASH_ANY_OTHER) {
        return;
    }
    for (crash_kind kind = CRASH_IS_CODE; kind <= CRASH_IS_XID; kind++) {
        const int row = crash_row_of(kind, number);
        if (row >= 0) {
            found(r, (uint32_t)row, 0);
        }
    }
}

static void about_part(reader *r, const char *words) {
    for (size_t i = 0; i < r->places; i++) {
        if (crash_is_part(words, r->words[i], text_length(r->words[i]))) {
            found(r, r->row[i], 0);
        }
    }
}

static size_t end(reader *r) {
    flush(r, SIZE_MAX);
    return r->count;
}

size_t tma_crash_about(const char *words, size_t length, tma_crash_visit visit, void *context) {
    reader r;
    tma_crash_row row;
    uint64_t number = 0;
    if (!words || length >= sizeof(r.lines[0].text)) {
        return 0;
    }
    begin(&r, visit, context);
    r.is_query = 1;
    paste_line *line = &r.lines[0];
    memcpy(line->text, words, length);
    line->text[length] = 0;
    line->length = length;
    for (size_t i = 0; !tma_crash_at(&row, i); i++) {
        if (text_is(words, length, row.name)) {
            found(&r, (uint32_t)i, length);
            return end(&r);
        }
    }
    if (length && crash_whole_number(line, 0, &number) == length) {
        about_number(&r, number);
        return end(&r);
    }
    read_line(&r);
    if (!r.count && length >= 4) {
        about_part(&r, line->text);
    }
    return end(&r);
}
