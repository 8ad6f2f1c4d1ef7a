/* SPDX-License-Identifier: Apache-2.0
 *
 * Sentences, their topics, and the rows that follow from topics.
 */
#include "prose.h"

#include <string.h>

#include "paste_parts.h"
#include "tma/crash.h"
#include "tma/detail/assert.h"

#define COUNT(array)  (sizeof(array) / sizeof((array)[0]))
#define LEAST_WRAPPED 50 /* bytes of a line that a sentence goes on behind */
#define MOST_JOINED   80 /* bytes of either line where a word of theirs goes on */
#define LEAST_FILLED  80 /* of one behind which it may go on with a capital */

/* ANY(a, b): one of them; of a rule each group must be there. */
#define BIT(topic)       (UINT64_C(1) << PROSE_##topic)
#define ANY1(a)          BIT(a)
#define ANY2(a, b)       (BIT(a) | BIT(b))
#define ANY3(a, b, c)    (BIT(a) | BIT(b) | BIT(c))
#define ANY4(a, b, c, d) (BIT(a) | BIT(b) | BIT(c) | BIT(d))
#define MORE1(a)         (UINT32_C(1) << (PROSE_##a - PROSE_TOPICS))
#define NONE             0
#define GROUPS           4
#define MORE_BESIDE      2 /* and one that tells of the symptom, too, once more */
#define MORE_SPOKEN      2 /* one sentence that tells of a cause more than of those before it */

static const struct topic_words {
    const char *words; /* each with its 0 */
    enum { DENIED_no, DENIED_yes, DENIED_told } denied;
} all[PROSE_ALL_TOPICS] = {
#define PROSE_TOPIC(topic, denials, words) {words, DENIED_##denials},
#include "prose_words.def"
#define PROSE_MORE(topic, denials, words) {words, DENIED_##denials},
#include "prose_words.def"
};

_Static_assert(PROSE_TOPICS <= 64 && PROSE_ALL_TOPICS - PROSE_TOPICS <= 32, "prose_topics");

static void note_word(prose_index *out, size_t place, const char *words, size_t topic) {
    const unsigned char c = (unsigned char)text_lower(*words);
    const crash_head head = crash_head_of(words);
    uint8_t letters[CRASH_HEAD];
    uint8_t mask[CRASH_HEAD];
    const size_t offset = (size_t)(words - all[topic].words);
    TMA_ASSERT(place < PROSE_WORDS && offset <= UINT16_MAX);
    memcpy(letters, &head.letters, sizeof(letters));
    memcpy(mask, &head.mask, sizeof(mask));
    for (size_t i = 0; i < 2; i++) {
        out->letters[place][i] = letters[i + 1] & mask[i + 1];
    }
    out->topic[place] = (uint8_t)topic;
    out->offset[place] = (uint16_t)offset;
    out->next[place] = out->first[c];
    out->first[c] = (uint16_t)(place + 1);
}

static void begin_index(prose_index *out) {
    size_t place = 0;
    memset(out, 0, sizeof(*out));
    for (size_t topic = 0; topic < PROSE_ALL_TOPICS; topic++) {
        for (const char *words = all[topic].words; *words; words = crash_next_words(words)) {
            note_word(out, place++, words, topic);
        }
    }
}

/* Whether a word may begin at byte `at` of a line, of which it has the first character. */
static int may_begin(const uint8_t letters[2], const paste_line *line, size_t at) {
    for (size_t i = 0; i < 2 && letters[i]; i++) {
        if (at + i + 1 >= line->length ||
            (uint8_t)text_lower(line->text[at + i + 1]) != letters[i]) {
            return 0;
        }
    }
    return 1;
}

/* The topics of a part of a line, a bit each. */
static uint64_t topics_of(const prose_index *index, const paste_line *line, size_t from, size_t to,
                          uint32_t *more) {
    const char *const text = line->text;
    uint64_t topics = 0;
    *more = 0;
    for (size_t at = from; at < to; at++) {
        uint16_t place = index->first[(unsigned char)text_lower(text[at])];
        for (; place; place = index->next[place - 1]) {
            const size_t topic = index->topic[place - 1];
            const int is_more = topic >= PROSE_TOPICS;
            const uint64_t bit = UINT64_C(1) << (is_more ? topic - PROSE_TOPICS : topic);
            const uint64_t had = is_more ? *more : topics;
            const char *words = all[topic].words + index->offset[place - 1];
            const size_t n = may_begin(index->letters[place - 1], line, at) && !(had & bit)
                                 ? crash_match(text, to, at, words)
                                 : 0;
            const int is_denied =
                n && all[topic].denied &&
                crash_is_denied(text, line->length, at, n, all[topic].denied == DENIED_told);
            topics |= n && !is_denied && !is_more ? bit : 0;
            *more |= n && !is_denied && is_more ? (uint32_t)bit : 0;
        }
    }
    *more |= topics & BIT(MAP) ? MORE1(MAPPED) : 0;
    topics |= *more & MORE1(BARE) ? BIT(MAP) : 0;
    return topics;
}

size_t prose_sentence_end(const paste_line *line, size_t at, int *is_ended) {
    for (*is_ended = 0; at < line->length; at++) {
        const char c = line->text[at];
        const int is_mark = c == '.' || c == '!' || c == '?' || c == ';';
        if (is_mark && (at + 1 == line->length || paste_is_blank(line->text[at + 1]))) {
            *is_ended = 1;
            return at + 1;
        }
    }
    return line->length;
}

/* A text that has none of these is about something else, */
#define SUBJECTS (ANY4(COPY, MAP, MATRIX, MMA) | ANY3(LIBRARY, GROUPED, ROLES))
/* or, where a GPU is named, these; where none is, it is about one of these, too. */
#define ON_GPU ANY4(FEATURE, SWIZZLE, EXPECT, STORE)
/* What is said of how a kernel is built, not of what is wrong with it. */
#define SETTING ANY2(GROUPED, ROLES)
#define MATTERS                                                                                    \
    (ANY4(SHARED, GLOBAL, INNER, BOX) | ANY3(STRIDE, SIXTEEN, PHASE) | ANY3(COORD, TARGET, ATOM) | \
     ANY4(INIT, ARRIVALS, OUTSIDE, RANK) | ANY1(KERNEL) | ON_GPU)

static int is_report(uint64_t topics, uint32_t more, int names_gpu) {
    /* Others have descriptors, tensor maps, and warps that are special. */
    if (!names_gpu) {
        topics &= more & MORE1(MAPPED) ? UINT64_MAX : ~BIT(MAP);
        topics &= topics & ~BIT(KERNEL) & MATTERS ? UINT64_MAX : ~BIT(ROLES);
    }
    const uint64_t matters = topics & (SUBJECTS | MATTERS);
    const int has_barriers =
        topics & BIT(BARRIER) &&
        ((topics & BIT(KERNEL) &&
          (topics & ANY2(ARRIVALS, PHASE) || (names_gpu && more & MORE1(SYNCED)))) ||
         (topics & BIT(COPYING) && topics & BIT(HANG) && (names_gpu || topics & SUBJECTS)));
    return has_barriers ? 1
           : names_gpu
               ? (topics & (SUBJECTS | ON_GPU)) != 0
               : topics & SUBJECTS && ((matters & (matters - 1)) != 0 || more & MORE1(IM2COL));
}

static int is_sign(char c) {
    static const char signs[] = "()[]{}<>=+*&|;\\";
    size_t i = 0;
    while (signs[i] && signs[i] != c) {
        i++;
    }
    return signs[i] != 0;
}

/* "a = torch.zeros(64)": a name, what it is made to be, and a call. */
static int is_assignment(const paste_line *line) {
    size_t at = text_run(line->text, line->length, paste_is_blank);
    const size_t name = text_run(line->text + at, line->length - at, text_is_word);
    at += name;
    if (!name || at + 3 > line->length || !text_is(line->text + at, 3, " = ")) {
        return 0;
    }
    while (at + 1 < line->length && !(text_is_word(line->text[at]) && line->text[at + 1] == '(')) {
        at++;
    }
    return at + 1 < line->length;
}

/* Source text has more brackets and signs than sentences have. */
static int is_prose(const paste_line *line, size_t least) {
    size_t count = 0;
    size_t words = 0;
    for (size_t i = 0; i < line->length; i++) {
        count += (size_t)is_sign(line->text[i]);
        words += paste_is_letter(line->text[i]) && (!i || !text_is_word(line->text[i - 1]));
    }
    const char last = line->length ? line->text[line->length - 1] : ';';
    return words >= least && count * 8 <= line->length && last != ';' && last != '{' &&
           last != '}' && !is_assignment(line) && !paste_is_source_text(line);
}

int prose_is_sentence(const paste_line *line) {
    return is_prose(line, 3);
}

int prose_tells_of_failure(const prose_reader *reader, const paste_line *line, size_t from,
                           size_t to) {
    uint32_t more = 0;
    const uint64_t topics = topics_of(&reader->index, line, from, to, &more);
    return reader->text & (ANY4(FAILS, WRONG, HANG, MISALIGNED) | ANY2(MENDS, ASKS)) &&
           !(topics & ANY2(WORKS, IF));
}

int prose_is_of_copies(const prose_reader *reader, const paste_line *line, size_t from, size_t to) {
    uint32_t more = 0;
    return (topics_of(&reader->index, line, from, to, &more) & ANY2(MAP, COPY)) != 0;
}

int prose_names_swizzle(const prose_reader *reader) {
    return (reader->text & BIT(SWIZZLE)) != 0;
}

int prose_speaks_of_blocks(const prose_reader *reader) {
    return reader->text & BIT(INNER) && reader->text & ANY2(MAP, COPY);
}

/* Whether one of each group is among the topics. */
static int has_all(const uint64_t groups[GROUPS], uint64_t topics) {
    for (size_t i = 0; i < GROUPS && groups[i]; i++) {
        if (!(groups[i] & topics)) {
            return 0;
        }
    }
    return 1;
}

/* The row that follows from the topics of a sentence; -1 if none. */
static int row_of(uint64_t sentence, uint64_t text, int is_last) {
    static const struct rule {
        uint64_t said[GROUPS];
        uint64_t unsaid;
        uint64_t elsewhere;
        uint8_t row;
        uint8_t is_last;
    } rules[] = {
#define PROSE(row, unsaid, elsewhere, ...) {{__VA_ARGS__}, unsaid, elsewhere, CRASH_ROW_##row, 0},
#define PROSE_LAST(row, unsaid, elsewhere, ...)                                                    \
    {{__VA_ARGS__}, unsaid, elsewhere, CRASH_ROW_##row, 1},
#include "prose_rules.def"
    };
    for (size_t i = 0; i < COUNT(rules); i++) {
        if (rules[i].is_last == is_last && has_all(rules[i].said, sentence) &&
            !(rules[i].unsaid & sentence) && (!rules[i].elsewhere || rules[i].elsewhere & text)) {
            return rules[i].row;
        }
    }
    return -1;
}

/* Failures by what is seen of them. */
enum {
    HANGS = 1,
    VALUES = 2,
    RUNS = 4,
    TRAPS = 8,
    ALIGNS = 16,
    REACHES = 32,
    DIES = 64,
    REPORTED = 128,
    REFUSES = 256,
    COMPILES = 512,
    TAKES_NOT = 1024,
    CASTS = 2048
};

static const struct symptom {
    uint8_t row;
    uint16_t symptom;
} symptoms[] = {
#define PROSE_SYMPTOM(row, symptom) {CRASH_ROW_##row, symptom},
#include "prose_rules.def"
};

static const struct cause {
    uint64_t said[GROUPS];
    uint32_t more;
    uint8_t row;
    uint16_t symptoms;
} causes[] = {
#define PROSE_CAUSE(row, symptoms, more, ...) {{__VA_ARGS__}, more, CRASH_ROW_##row, symptoms},
#include "prose_rules.def"
};

_Static_assert(COUNT(causes) <= PROSE_CAUSES, "prose_reader.spoken");

/* A sentence that says what must be or goes wrong speaks of a cause more than one that names it.
 * One that says that a call works denies that it was refused. */
static void count_causes(prose_reader *reader, uint64_t sentence, uint32_t more) {
    const int is_told = (sentence & (ANY4(MUST, MENDS, FAILS, WRONG) | ANY2(HANG, RANDOM))) != 0;
    for (size_t i = 0; i < COUNT(causes); i++) {
        const int is_said = has_all(causes[i].said, sentence) && !(causes[i].more & ~more) &&
                            !(causes[i].symptoms & (REFUSES | TAKES_NOT) && sentence & BIT(WORKS) &&
                              !(sentence & BIT(FAILS)));
        const unsigned by = is_said ? 1u + (unsigned)is_told : 0;
        const unsigned spoken = reader->spoken[i] + by;
        reader->spoken[i] = (uint8_t)(spoken < UINT8_MAX ? spoken : UINT8_MAX);
    }
}

/* A line that ends a sentence without its mark: an error's message, a title. A sentence that was
 * wrapped goes on in small letters, or filled its line. */
static int goes_on(const prose_reader *reader, const paste_line *line) {
    size_t at = 0;
    while (at < line->length && !text_is_word(line->text[at])) {
        at++;
    }
    const int is_capital = at < line->length && line->text[at] >= 'A' && line->text[at] <= 'Z';
    return reader->prior_B >= LEAST_FILLED || !is_capital;
}

size_t prose_join(paste_line *line, const paste_line *next) {
    const size_t before = line->length < MOST_JOINED ? line->length : MOST_JOINED;
    const size_t behind = next->length < MOST_JOINED ? next->length : MOST_JOINED;
    if (line->number + 1 != next->number || line->length < LEAST_WRAPPED || !behind ||
        next->text[0] < 'a' || next->text[0] > 'z') {
        return 0;
    }
    for (size_t i = 0; i < before; i++) {
        line->text[i] = line->text[line->length - before + i];
    }
    line->text[before] = ' ';
    memcpy(line->text + before + 1, next->text, behind);
    line->length = before + 1 + behind;
    line->number = next->number;
    return before + 1;
}

/* Behind the "//" of source text; its length, where there is none. */
static size_t comment_at(const paste_line *line) {
    size_t at = 0;
    while (at + 2 < line->length &&
           !(text_is(line->text + at, 2, "//") &&
             (!at || line->text[at - 1] == ' ' || line->text[at - 1] == ';'))) {
        at++;
    }
    return at + 2 < line->length ? at + 2 : line->length;
}

size_t prose_line(prose_reader *reader, const paste_line *line, int is_last,
                  prose_row rows[PROSE_MOST]) {
    size_t count = 0;
    int is_ended = 1;
    if (!reader->is_on) {
        return 0;
    }
    if (!goes_on(reader, line)) {
        reader->carried = 0;
        reader->carried_more = 0;
    }
    if (!is_prose(line, reader->carried ? 1 : 3)) {
        uint32_t ignored = 0;
        const size_t comment = comment_at(line);
        reader->carried = 0;
        reader->carried_more = 0;
        if (!reader->is_begun) { /* source text says what the sentences around it are about */
            reader->text |=
                topics_of(&reader->index, line, 0, line->length, &ignored) & (SUBJECTS | ON_GPU);
            if (comment < line->length) { /* which names causes as a sentence does */
                const uint64_t topics =
                    topics_of(&reader->index, line, comment, line->length, &ignored);
                count_causes(reader, topics, ignored);
            }
        }
        return 0;
    }
    reader->prior_B = line->length;
    for (size_t at = 0; at < line->length;) {
        uint32_t more = 0;
        const size_t end = prose_sentence_end(line, at, &is_ended);
        const uint64_t topics = topics_of(&reader->index, line, at, end, &more) | reader->carried;
        const int row = row_of(topics, reader->text, is_last);
        more |= reader->carried_more;
        if (row >= 0 && count < PROSE_MOST) {
            rows[count++] = (prose_row){at, end, (uint8_t)row};
        }
        reader->text |= topics;
        reader->text_more |= more;
        if (!reader->is_begun) {
            count_causes(reader, topics, more);
        }
        /* What is said goes on in the next line; a row of it is said once. */
        const int is_carried = !is_ended && row < 0 && line->length >= LEAST_WRAPPED;
        reader->carried = is_carried ? topics : 0;
        reader->carried_more = is_carried ? more : 0;
        at = end;
    }
    return count;
}

void prose_begin(prose_reader *out, const char *text, size_t size, int names_gpu) {
    paste_line line;
    paste_lines lines = {text, size, 0, 0, 0};
    prose_row rows[PROSE_MOST];
    begin_index(&out->index);
    out->text = 0;
    out->text_more = 0;
    memset(out->spoken, 0, sizeof(out->spoken));
    out->is_begun = 0;
    out->carried = 0;
    out->carried_more = 0;
    out->prior_B = 0;
    out->is_on = 1;
    while (paste_next_line(&lines, &line)) {
        prose_line(out, &line, 0, rows);
    }
    out->carried = 0;
    out->carried_more = 0;
    out->is_begun = 1;
    out->is_on = is_report(out->text, out->text_more, names_gpu);
}

static uint32_t symptom_of(uint32_t row) {
    for (size_t i = 0; i < COUNT(symptoms); i++) {
        if (symptoms[i].row == row) {
            return symptoms[i].symptom;
        }
    }
    return 0;
}

int prose_is_reported(uint32_t row) {
    return (symptom_of(row) & REPORTED) != 0;
}

/* Whether a sentence speaks of a cause that is none of the setting alone. */
static int is_beside(const struct cause *cause, uint64_t sentence, uint32_t more) {
    const int is_setting = !cause->more && !cause->said[1] && !(cause->said[0] & ~SETTING);
    return !is_setting && (cause->said[0] || cause->more) && has_all(cause->said, sentence) &&
           !(cause->more & ~more);
}

uint32_t prose_narrowed(const prose_reader *reader, uint32_t row, int has_none,
                        const paste_line *line, size_t place) {
    /* Who refuses a descriptor or a copy has said what the text is about. */
    const uint32_t symptom =
        symptom_of(row) & (reader->is_on ? UINT32_MAX : (uint32_t)(COMPILES | REFUSES | TAKES_NOT));
    uint32_t more = 0;
    uint64_t sentence = 0;
    uint32_t most = 0;
    tma_crash_row told;
    for (size_t at = 0, end = 0; symptom && end <= place && at < line->length; at = end) {
        int is_ended = 0;
        end = prose_sentence_end(line, at, &is_ended);
        sentence = end > place ? topics_of(&reader->index, line, at, end, &more) : 0;
    }
    for (size_t i = 0; i < COUNT(causes); i++) {
        if (has_none && !tma_crash_at(&told, causes[i].row) && told.copy == TMA_CRASH_COPY_CAN) {
            continue;
        }
        const uint32_t spoken =
            reader->spoken[i] + (is_beside(&causes[i], sentence, more) ? (uint32_t)MORE_BESIDE : 0);
        const uint32_t least = most ? most + MORE_SPOKEN : 1;
        if (causes[i].symptoms & symptom && reader->spoken[i] && spoken >= least) {
            most = spoken;
            row = causes[i].row;
        }
    }
    return row;
}

int prose_traceback_is_cut(const char *text, size_t size, paste_line *line) {
    static const char head[] = "Traceback (most recent call last)";
    static const char frame[] = "File \"*\", line #";
    paste_lines lines = {text, size, 0, 0, 0};
    size_t framed = 0; /* the last frame's line, */
    size_t column = 0; /* and where it begins */
    int is_begun = 0;
    int is_cut = 0;
    while (paste_next_line(&lines, line)) {
        int has_words = 0;
        int is_frame = 0;
        for (size_t at = 0; at < line->length; at++) {
            is_begun |= crash_match(line->text, line->length, at, head) != 0;
            if (is_begun && crash_match(line->text, line->length, at, frame)) {
                is_frame = 1;
                column = at;
            }
            has_words |= text_is_word(line->text[at]);
        }
        framed = is_frame ? line->number : framed;
        /* The source line behind it is indented further than an error's name. */
        const int is_source =
            line->number == framed + 1 && column < line->length && line->text[column] == ' ';
        is_cut = has_words ? is_frame || (is_cut && is_source) : is_cut;
    }
    line->number = framed;
    return is_cut;
}
