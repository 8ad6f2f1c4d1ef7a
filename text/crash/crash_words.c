/* SPDX-License-Identifier: Apache-2.0
 *
 * The tables of crashes, and how words are held against a line.
 */
#include "crash_words.h"

#include <string.h>

#include "paste_parts.h"
#include "tma/crash.h"
#include "tma/detail/assert.h"
#include "tma/detail/chars.h"

#define MOST_BETWEEN  160 /* characters that a * inside of words stands for */
#define DENIED_WITHIN 2   /* words */

/* The six texts of a row one behind the other: a pointer each would take more than they do. */
static const struct row_text {
    const char *texts;
    uint32_t copy;
} rows[CRASH_ROWS] = {
#define CRASH(ID, name, copy, meaning, as_copy, others, next, source)                              \
    {name "\0" meaning "\0" as_copy "\0" others "\0" next "\0" source, TMA_CRASH_COPY_##copy},
#include "crash_rows.def"
};

#define CRASH_CODE(ID, number, runtime, where)                                                     \
    ENTRY(runtime, number, CRASH_ROW_##ID, CRASH_##where, CRASH_IS_CODE)
#define CRASH_EXCEPTION(ID, number, words)                                                         \
    ENTRY(words, number, CRASH_ROW_##ID, CRASH_DEBUGGER, CRASH_IS_EXCEPTION)
#define CRASH_XID(ID, number)         ENTRY("", number, CRASH_ROW_##ID, CRASH_SYSTEM, CRASH_IS_XID)
#define CRASH_WORDS(ID, where, words) ENTRY(words, 0, CRASH_ROW_##ID, CRASH_##where, CRASH_IS_WORDS)
#define CRASH_MARK(what, words)       ENTRY(words, 0, 0, CRASH_##what, CRASH_IS_MARK)
#define CRASH_BEFORE(word)            ENTRY(word, 0, 0, CRASH_ANYWHERE, CRASH_IS_BEFORE)
#define CRASH_DENIES(word)            ENTRY(word, 0, 0, CRASH_ANYWHERE, CRASH_IS_DENIAL)
#define CRASH_MENDS(word)             ENTRY(word, 0, 0, CRASH_ANYWHERE, CRASH_IS_MENDING)
#define CRASH_NAMES(word)             ENTRY(word, 0, 0, CRASH_ANYWHERE, CRASH_IS_NAME)

/* Words are named by their line in one of these files. */
#define JOINED_(file, line) file##line
#define JOINED(file, line)  JOINED_(file, line)
#define WORDS_OF_LINE       JOINED(FILE_, __LINE__)

static const struct all_words {
#define ENTRY(words, number, row, where, kind) char WORDS_OF_LINE[sizeof(words)];
#include "crash_entries.def"
#undef ENTRY
} all_words = {
#define ENTRY(words, number, row, where, kind) words,
#include "crash_entries.def"
#undef ENTRY
};

static const crash_entry entries[] = {
#define ENTRY(words, number, row, where, kind) {number, row, where, kind},
#include "crash_entries.def"
#undef ENTRY
};

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

_Static_assert(COUNT(entries) <= CRASH_ENTRIES, "CRASH_ENTRIES");
_Static_assert(CRASH_ROWS <= UINT8_MAX, "crash_entry.row");
_Static_assert(CRASH_PLACES <= 32, "crash_marks");

const crash_entry *crash_entry_at(size_t index) {
    return index < COUNT(entries) ? &entries[index] : NULL;
}

const char *crash_first_words(void) {
    return (const char *)&all_words;
}

const char *crash_form(const crash_entry *entry, const char *words, size_t form, uint32_t *where) {
    *where = entry->where;
    if (entry->kind == CRASH_IS_CODE) {
        const tma_code_row *code = tma_code_of(entry->number);
        *where = form == 2 ? entry->where : CRASH_ANYWHERE;
        return form == 0 ? words : form == 1 ? code->name : code->words;
    }
    const int has_words = entry->kind == CRASH_IS_WORDS || entry->kind == CRASH_IS_EXCEPTION;
    return form == 0 && has_words ? words : NULL;
}

int crash_is_over(uint32_t row, uint32_t other, int is_last) {
    static const uint8_t over[][3] = {
#define OVER(row, other)      {CRASH_ROW_##row, CRASH_ROW_##other, 0},
#define OVER_LAST(row, other) {CRASH_ROW_##row, CRASH_ROW_##other, 1},
#include "crash_over.def"
    };
    for (size_t i = 0; i < COUNT(over); i++) {
        if (over[i][0] == row && over[i][1] == other && over[i][2] <= is_last) {
            return 1;
        }
    }
    return 0;
}

uint32_t crash_narrowed(uint32_t row, uint32_t marks) {
    static const uint8_t narrow[][3] = {
#define NARROW(row, mark, says_more) {CRASH_ROW_##row, CRASH_##mark, CRASH_ROW_##says_more},
#include "crash_narrow.def"
    };
    for (size_t i = 0; i < COUNT(narrow); i++) {
        if (narrow[i][0] == row && marks >> narrow[i][1] & 1) {
            return narrow[i][2];
        }
    }
    return row;
}

int crash_row_of(crash_kind kind, uint64_t number) {
    for (size_t i = 0; i < COUNT(entries); i++) {
        if (entries[i].kind == kind && entries[i].number == number) {
            return entries[i].row;
        }
    }
    return -1;
}

/* The driver's number of a row, if it is one alone. */
static int32_t code_of_row(size_t row) {
    int32_t code = -1;
    for (size_t i = 0; i < COUNT(entries); i++) {
        if (entries[i].kind == CRASH_IS_CODE && entries[i].row == row) {
            if (code >= 0) {
                return -1;
            }
            code = entries[i].number;
        }
    }
    return code;
}

/* The text at the front; moves behind it. */
static const char *next_text(const char **at) {
    const char *text = *at;
    *at += text_length(text) + 1;
    return text;
}

int tma_crash_at(tma_crash_row *out, size_t index) {
    if (index >= CRASH_ROWS) {
        return -1;
    }
    const char *at = rows[index].texts;
    out->name = next_text(&at);
    out->meaning = next_text(&at);
    out->as_copy = next_text(&at);
    out->others = next_text(&at);
    out->next = next_text(&at);
    out->source = next_text(&at);
    out->copy = rows[index].copy;
    out->code = code_of_row(index);
    for (size_t i = 0; !*out->meaning && i < COUNT(entries); i++) {
        if (entries[i].kind == CRASH_IS_CODE && entries[i].row == index) {
            out->meaning = tma_code_of(entries[i].number)->meaning;
        }
    }
    return 0;
}

int tma_crash_of_number(tma_crash_row *out, uint32_t numbering, uint32_t number) {
    static const crash_kind kinds[TMA_CRASH_NUMBERINGS] = {CRASH_IS_CODE, CRASH_IS_EXCEPTION,
                                                           CRASH_IS_XID};
    const int row = numbering < TMA_CRASH_NUMBERINGS && number != CRASH_ANY_OTHER
                        ? crash_row_of(kinds[numbering], number)
                        : -1;
    return row < 0 ? -1 : tma_crash_at(out, (size_t)row);
}

static char as_enumerator(char c) {
    return c == ' ' || c == '-' ? '_' : text_lower(c);
}

int crash_row_of_enumerator(const char *name, size_t length) {
    const char *words = crash_first_words();
    for (size_t i = 0; i < COUNT(entries); i++) {
        size_t n = 0;
        while (entries[i].kind == CRASH_IS_EXCEPTION && n < length && words[n] &&
               as_enumerator(words[n]) == text_lower(name[n])) {
            n++;
        }
        if (n && n == length && !words[n]) {
            return entries[i].row;
        }
        words = crash_next_words(words);
    }
    return -1;
}

/* Bytes of a quotation mark at the front. */
static size_t quote(const char *text, size_t left) {
    if (left && (*text == '\'' || *text == '"' || *text == '`')) {
        return 1;
    }
    const int is_curved = left > 2 && (unsigned char)text[0] == 0xE2 &&
                          (unsigned char)text[1] == 0x80 && (unsigned char)text[2] >= 0x98 &&
                          (unsigned char)text[2] <= 0x9D;
    return is_curved ? 3 : 0;
}

/* What one character of the words, no *, takes of the text. */
static size_t one(const char *text, size_t left, char word) {
    return word == ' '    ? text_run(text, left, paste_is_blank)
           : word == '#'  ? text_run(text, left, text_is_digit)
           : word == '\'' ? quote(text, left)
                          : left && text_lower(*text) == text_lower(word);
}

/* Words up to a * or their end; *rest is what follows. */
static size_t plain(const char *text, size_t left, const char *words, const char **rest) {
    size_t taken = 0;
    for (; *words && *words != '*'; words++) {
        const size_t n = one(text + taken, left - taken, *words);
        if (!n) {
            return 0;
        }
        taken += n;
    }
    *rest = words;
    return taken;
}

/* Whether a word ends at the front, where the words' last character is of one. */
static int ends(const char *text, size_t length, size_t at, char last) {
    return at >= length || !(text_is_word(last) || last == '#') || !text_is_word(text[at]);
}

size_t crash_match(const char *text, size_t length, size_t at, const char *words) {
    const char *rest = words;
    if (at && text_is_word(*words) && *words != '_' && text_is_word(text[at - 1])) {
        return 0;
    }
    size_t end = at + plain(text + at, length - at, words, &rest);
    if (end == at) {
        return 0;
    }
    while (*rest == '*' && rest[1]) {
        const char *tail = rest + 1;
        const size_t most = length - end < MOST_BETWEEN ? length : end + MOST_BETWEEN;
        const int is_open = crash_is_open(*tail);
        const char first = text_lower(*tail);
        size_t n = 0;
        while (end < most && ((!is_open && text_lower(text[end]) != first) ||
                              !(n = plain(text + end, length - end, tail, &rest)))) {
            end++;
        }
        if (!n) {
            return 0;
        }
        end += n;
    }
    if (*rest == '*') { /* the rest of the word */
        while (end < length && text_is_word(text[end])) {
            end++;
        }
        return end - at;
    }
    return ends(text, length, end, rest[-1]) ? end - at : 0;
}

crash_head crash_head_of(const char *words) {
    crash_head head = {0, 0};
    char letters[CRASH_HEAD] = {0};
    char mask[CRASH_HEAD] = {0};
    const size_t quote = *words == '\'';
    for (size_t i = quote; i < CRASH_HEAD && !crash_is_open(words[i]) && !(words[i] & 0x80); i++) {
        letters[i] = words[i];
        mask[i] = (char)0xFF;
    }
    memcpy(&head.mask, mask, sizeof(mask));
    head.letters = crash_front(letters, sizeof(letters));
    return head;
}

/* Of capitals and small letters one. */
static uint32_t second_bit(char c) {
    return UINT32_C(1) << ((unsigned char)c & 31);
}

void crash_index_marks(crash_mark_index *out, int that_narrow) {
    memset(out->first, 0, sizeof(out->first));
    memset(out->seconds, 0, sizeof(out->seconds));
    for (int c = 0; c < 256; c++) { /* the middle of a word, a path or a package's name */
        const int joins = text_is_word((char)c) || c == '/' || c == '-' || c == '.';
        out->kinds[c] = (uint8_t)((joins ? CRASH_JOINS : 0) | (c == '_' ? CRASH_INSIDE : 0));
    }
    const char *first = crash_first_words();
    const char *words = first;
    size_t place = 0;
    for (size_t i = 0; i < COUNT(entries); i++, words = crash_next_words(words)) {
        const uint8_t where = entries[i].where;
        if (entries[i].kind == CRASH_IS_MARK &&
            (that_narrow ? where >= CRASH_TMEM : where <= CRASH_TMEM)) {
            TMA_ASSERT(place < CRASH_MARKS);
            const unsigned char c = (unsigned char)text_lower(*words);
            out->words[place] = (uint16_t)(words - first);
            TMA_ASSERT(words - first <= UINT16_MAX);
            out->where[place] = where;
            out->letters[place] = crash_head_of(words).letters;
            out->seconds[c & 127] |= crash_is_open(words[1]) ? UINT32_MAX : second_bit(words[1]);
            out->next[place++] = out->first[c];
            out->first[c] = (uint16_t)place;
        } else if (entries[i].kind < CRASH_IS_MARK) {
            break; /* behind the last */
        }
    }
    for (int c = 0; c < 256; c++) {
        const int begins = out->first[(unsigned char)text_lower((char)c)] != 0;
        out->kinds[c] |= (uint8_t)(begins ? CRASH_BEGINS : 0);
    }
}

/* Behind the front of a file's name: "tma_utils.cu" says how somebody calls a file. */
static int is_file_name(const char *words, const char *text, size_t length, size_t end) {
    static const char *const ends[] = {".c",   ".cu", ".cuh", ".cpp", ".cc", ".h",
                                       ".hpp", ".py", ".rs",  ".md",  ".txt"};
    for (size_t i = 0; *words != '_' && i < COUNT(ends); i++) {
        const size_t n = crash_match(text, length, end, ends[i]);
        if (n) {
            return 1;
        }
    }
    return 0;
}

/* Whether a call is a line of its own, "tl::fence_proxy_async();": one that is there is not
 * missing. One that a diff adds was. */
static int is_statement(const char *text, size_t length, size_t at, size_t end) {
    while (at && (text_is_word(text[at - 1]) || text[at - 1] == ':' || text[at - 1] == '.')) {
        at--;
    }
    while (at && paste_is_blank(text[at - 1])) {
        at--;
    }
    const int begins_line = !at || text[at - 1] == '\n';
    while (begins_line && end < length && text[end] != ';' && text[end] != '\n') {
        end++;
    }
    return begins_line && end < length && text[end] == ';' && text[end - 1] == ')';
}

uint32_t crash_marks(const crash_mark_index *index, const char *text, size_t length) {
    const char *first = crash_first_words();
    uint32_t found = 0;
    unsigned prior = 0;
    unsigned kind = 0;
    for (size_t at = 0; at < length; at++, prior = kind) {
        kind = index->kinds[(unsigned char)text[at]];
        if (!(kind & CRASH_BEGINS) || (prior & CRASH_JOINS && !(kind & CRASH_INSIDE))) {
            continue;
        }
        const unsigned char c = (unsigned char)text_lower(text[at]);
        const int may_go_on =
            (index->seconds[c & 127] & second_bit(at + 1 < length ? text[at + 1] : 0)) != 0;
        uint16_t place = may_go_on ? index->first[c] : 0;
        const uint32_t front = place ? crash_front(text + at, length - at) : 0;
        for (; place; place = index->next[place - 1]) {
            const uint32_t where = index->where[place - 1];
            if (!crash_may_begin(index->letters[place - 1], front) || found >> where & 1) {
                continue;
            }
            const char *words = first + index->words[place - 1];
            const size_t n = crash_match(text, length, at, words);
            const int is_topic = where >= CRASH_TMEM && where < CRASH_EDIT;
            if (n && !(is_topic && crash_is_denied(text, length, at, n, 1)) &&
                !(where == CRASH_FENCE && is_statement(text, length, at, at + n)) &&
                !is_file_name(words, text, length, at + n)) {
                found |= UINT32_C(1) << where;
            }
        }
    }
    return found;
}

static int is_a_word(crash_kind kind, const char *word, size_t length) {
    const char *words = crash_first_words();
    for (size_t i = 0; entries[i].kind > CRASH_IS_MARK; i++) {
        if (entries[i].kind == kind && crash_match(word, length, 0, words) == length) {
            return 1;
        }
        words = crash_next_words(words);
    }
    return 0;
}

int crash_is_before(const char *word, size_t length) {
    return is_a_word(CRASH_IS_BEFORE, word, length);
}

static int is_in_word(char c) {
    return text_is_word(c) || c == '\'';
}

/* Of the two words before, with nothing but blanks and hyphens between. */
static int is_denied_before(const char *text, size_t at, int is_told) {
    for (int words = 0; words < DENIED_WITHIN; words++) {
        while (at && (paste_is_blank(text[at - 1]) || text[at - 1] == '-')) {
            at--;
        }
        size_t from = at;
        while (from && is_in_word(text[from - 1])) {
            from--;
        }
        if (from < at && (is_a_word(CRASH_IS_DENIAL, text + from, at - from) ||
                          (!is_told && is_a_word(CRASH_IS_MENDING, text + from, at - from)))) {
            return 1;
        }
        at = from;
    }
    return 0;
}

int crash_is_denied(const char *text, size_t length, size_t at, size_t words, int is_told) {
    size_t from = at + words;
    if (from < length && (paste_is_blank(text[from]) || text[from] == '-')) {
        from++;
    }
    size_t end = from;
    while (end < length && is_in_word(text[end])) {
        end++;
    }
    return is_denied_before(text, at, is_told) ||
           (end > from && from > at + words && is_a_word(CRASH_IS_NAME, text + from, end - from));
}

static int is_hex(char c) {
    return text_digit(c) >= 0;
}

int crash_is_pci_address(const char *text, size_t length) {
    const size_t named = crash_match(text, length, 0, "PCI:");
    const size_t domain = text_run(text + named, length - named, is_hex);
    const size_t bus = named + domain + 1;
    return domain && bus < length && text[bus - 1] == ':' &&
           (named || (domain >= 4 && text_run(text + bus, length - bus, is_hex) == 2));
}
