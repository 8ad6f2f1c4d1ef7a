/* SPDX-License-Identifier: Apache-2.0
 *
 * Whether a text names what a tensor copy could have done: an error's words alone fit any kernel.
 */
#include <string.h>

#include "crash_clause.h"
#include "crash_words.h"
#include "machines.h"
#include "paste_parts.h"
#include "tma/crash.h"
#include "tma/detail/assert.h"
#include "tma/detail/chars.h"

#define MOST_WORDS   384 /* of all subjects */
#define LONGEST_NAME 16  /* of a GPU, in bytes */
#define LEAST_TARGET 50  /* a smaller number is of something else */

/* Words of one kind in a string, each with its 0. */
static const char subjects[] =
#define SUBJECT(words) words "\0"
#include "crash_subject.def"
    ;

static const char may_words[] =
#define SUBJECT_MAY(words) words "\0"
#include "crash_subject.def"
    ;

static const char matrix_words[] =
#define SUBJECT_MMA(words) words "\0"
#include "crash_subject.def"
    ;

static const char *const other_devices[] = {
#define SUBJECT_OTHER(words) words,
#include "crash_subject.def"
};

static const char before_digits[] =
#define SUBJECT_BEFORE(word) word "\0"
#include "crash_subject.def"
    ;

static const char articles[] =
#define SUBJECT_ARTICLE(word) word "\0"
#include "crash_subject.def"
    ;

static const char *const later[] = {
#define SUBJECT_LATER(words) words,
#include "crash_subject.def"
};

static const char copies_themselves[] =
#define SUBJECT_ITSELF(words) words "\0"
#include "crash_subject.def"
    ;

static const uint8_t own_rows[] = {
#define SUBJECT_ROW(row) CRASH_ROW_##row,
#include "crash_subject.def"
};

#define COUNT(table) (sizeof(table) / sizeof((table)[0]))

/* All subjects by the character that they begin with. */
typedef struct subject_index {
    uint16_t first[256]; /* by lower character: a place and 1, or 0 */
    uint16_t next[MOST_WORDS];
    const char *words[MOST_WORDS];
    size_t count;
    size_t copies; /* of them, those in front; */
    size_t may;    /* with what such kernels may have; the others are of matrix instructions */
} subject_index;

static void note(subject_index *index, const char *words) {
    TMA_ASSERT(index->count < MOST_WORDS);
    const unsigned char c = (unsigned char)text_lower(*words);
    index->words[index->count] = words;
    index->next[index->count++] = index->first[c];
    index->first[c] = (uint16_t)index->count;
}

static void note_all(subject_index *index, const char *words) {
    for (; *words; words = crash_next_words(words)) {
        note(index, words);
    }
}

static int is_of_copies(uint32_t where) {
    return where == CRASH_TENSOR || where == CRASH_EDIT || where == CRASH_BULK ||
           where == CRASH_FENCE || where == CRASH_DRAIN;
}

static void begin(subject_index *index) {
    const crash_entry *entry = NULL;
    const char *own = crash_first_words();
    memset(index, 0, sizeof(*index));
    for (size_t i = 0; (entry = crash_entry_at(i)) != NULL; i++, own = crash_next_words(own)) {
        if (entry->kind == CRASH_IS_MARK && is_of_copies(entry->where)) {
            note(index, own);
        }
    }
    note_all(index, subjects);
    index->copies = index->count;
    note_all(index, may_words);
    index->may = index->count;
    own = crash_first_words();
    for (size_t i = 0; (entry = crash_entry_at(i)) != NULL; i++, own = crash_next_words(own)) {
        if (entry->kind == CRASH_IS_MARK && entry->where == CRASH_TMEM) {
            note(index, own);
        }
    }
    note_all(index, matrix_words);
}

static int is_one_of(const char *words, const char *text, size_t length) {
    int is_one = 0;
    for (; length && !is_one && *words; words = crash_next_words(words)) {
        is_one = crash_match(text, length, 0, words) == length;
    }
    return is_one;
}

static size_t word_before(const char *text, size_t at) {
    while (at && text_is_word(text[at - 1])) {
        at--;
    }
    return at;
}

/* What the text names at byte `at`: a bit for each of these. */
enum {
    NAMES_COPY = 1,
    NAMES_MAY = 2,
    NAMES_MATRIX = 4,
    NAMES_BARRIER = 8,
    NAMES_NONE = 16, /* that there is none; */
    NAMES_CASE = 32, /* in a case, */
    NAMES_PART = 64  /* or in a part of it */
};

/* An mbarrier is of copies where nothing says that there are none: threads alone arrive at it, too.
 */
static uint32_t copy_or_barrier(const char *words) {
    return crash_match(words, text_length(words), 0, "mbarrier*") ? NAMES_BARRIER : NAMES_COPY;
}

/* "TL_DISABLE_TMA_LOWER" is a switch's name, and says nothing of how it is set. */
static int is_of_a_switch(const char *text, size_t at) {
    const size_t from = word_before(text, at);
    for (size_t i = from; i < at; i++) {
        if (crash_match(text + i, at - i, 0, "disable*")) {
            return 1;
        }
    }
    return 0;
}

/* Whether a name is of copies themselves: who has no fence, no wait, no map or no load may have
 * others. In front of ".2d.shared::cluster" stands no more than a *. */
static int is_itself(const char *name, size_t length) {
    const char *words = copies_themselves;
    for (; *words; words = crash_next_words(words)) {
        const size_t n = crash_match(name, length, 0, words);
        if (n && (n == length || words[text_length(words) - 1] == '*')) {
            return 1;
        }
    }
    return 0;
}

/* A name with what stands in it behind points: "cp.async.bulk.wait_group" of "cp.async.bulk". */
static size_t whole_name(const char *text, size_t size, size_t at, size_t length) {
    size_t end = at + length;
    while (end + 1 < size && (text[end] == '.' || text[end] == ':') &&
           (text_is_word(text[end + 1]) || text[end + 1] == ':')) {
        end += 1 + text_run(text + end + 1, size - end - 1, text_is_word);
    }
    return end - at;
}

static uint32_t named_at(const subject_index *index, const char *text, size_t size, size_t at) {
    uint32_t named = 0;
    if (at && ((text[at] != '_' && text_is_word(text[at - 1])) || is_of_a_switch(text, at))) {
        return named;
    }
    uint16_t place = index->first[(unsigned char)text_lower(text[at])];
    for (; place; place = index->next[place - 1]) {
        const size_t n = crash_match(text, size, at, index->words[place - 1]);
        const uint32_t what = place <= index->copies ? copy_or_barrier(index->words[place - 1])
                              : place <= index->may  ? NAMES_MAY
                                                     : NAMES_MATRIX;
        static const uint8_t denied[] = {[CRASH_NONE] = NAMES_NONE,
                                         [CRASH_NONE_IN_CASE] = NAMES_CASE,
                                         [CRASH_NONE_IN_PART] = NAMES_PART};
        const size_t whole = n ? whole_name(text, size, at, n) : 0;
        const int none = n ? crash_is_none(text, size, at, whole) : CRASH_THERE;
        if (none && none != CRASH_NONE_OF_OTHER) {
            named |= is_itself(text + at, whole) ? denied[none] : 0;
        } else if (none || (n && !crash_is_denied(text, size, at, n, 1))) {
            named |= what;
        }
    }
    return named;
}

/* ---- GPUs ---- */

/* Whether a name may begin at byte `at`: not inside of a word, but behind a number of things. */
static int may_be_name(const char *text, size_t at) {
    const int is_counted = at > 1 && text_lower(text[at - 1]) == 'x' && text[at - 2] >= '1' &&
                           text[at - 2] <= '9'; /* "8xA800" */
    return !at || is_counted || !text_is_word(text[at - 1]);
}

/* Whether a name of digits alone is a GPU's, by the word before it. */
static int is_of_gpu(const char *text, size_t at) {
    const size_t blank = at && text[at - 1] == ' ';
    const size_t from = word_before(text, at - blank);
    const size_t n = at - blank - from;
    return blank && (is_one_of(before_digits, text + from, n) ||
                     (text[at] != '1' && is_one_of(articles, text + from, n)));
}

/* The chip that a name says which begins there, in capitals or digits as people write them: a "T4",
 * no "t4"; or 0. */
static uint16_t chip_at(const char *text, size_t size, size_t at) {
    char name[LONGEST_NAME + 4] = "gtx"; /* of a family's names of three digits */
    char suffix = 0;
    uint16_t sm = 0;
    size_t length = 0;
    const int is_digits = text_is_digit(text[at]);
    if (!may_be_name(text, at) || (at && (text[at - 1] == '.' || text[at - 1] == '-')) ||
        !(is_digits || (text[at] >= 'A' && text[at] <= 'Z') ||
          crash_match(text, size, at, "sm_#*") || crash_match(text, size, at, "compute_#*"))) {
        return 0;
    }
    while (length < LONGEST_NAME && at + length < size && text_is_word(text[at + length])) {
        name[3 + length] = text[at + length];
        length++;
    }
    name[3 + length] = 0;
    if (!is_digits) {
        return machine_named(name + 3, &sm, &suffix) ? sm : 0;
    }
    const int is_named = is_of_gpu(text, at) && (machine_named(name + 3, &sm, &suffix) > 1 ||
                                                 machine_named(name, &sm, &suffix) > 1);
    return is_named ? sm : 0;
}

/* Whether the text names a device of another maker, and no GPU that has tensor copies. */
static int is_of_others(const char *text, size_t size) {
    int is_other = 0;
    for (size_t at = 0; at < size; at++) {
        if (!may_be_name(text, at)) {
            continue;
        }
        for (size_t i = 0; i < COUNT(other_devices) && !is_other; i++) {
            is_other = crash_match(text, size, at, other_devices[i]) != 0;
        }
        if (chip_at(text, size, at) >= tma_arch_at(0)->sm) {
            return 0;
        }
    }
    return is_other;
}

/* A target as compilers and PyTorch number it: "compute-capability=89", "cuda:89", "compute
 * capability 8.9", "device capability (9, 0)", "TORCH_CUDA_ARCH_LIST=9.0a". */
static uint32_t target_at(const char *text, size_t size, size_t at) {
    static const char *const before[] = {"compute-capability=#",
                                         "cuda:#",
                                         "capability #.#",
                                         "capability (#, #)",
                                         "TORCH_CUDA_ARCH_LIST=#.#",
                                         "compute_capability=#",
                                         "arch=#"};
    uint32_t sm = 0;
    for (size_t i = 0; i < COUNT(before); i++) {
        const size_t n = crash_match(text, size, at, before[i]);
        for (size_t k = 0; k < n; k++) {
            const char c = text[at + k];
            sm = text_is_digit(c) && sm < 1000 ? sm * 10 + (uint32_t)(c - '0') : sm;
        }
    }
    return sm >= LEAST_TARGET && sm < 1000 ? sm : 0;
}

/* As crash_is_below(), of GPUs that are not told to work: such a one may be named beside the one
 * where it fails. MAYBE where its sentence tells of a failure, too. */
enum { OLDER_NO, OLDER_MAYBE, OLDER_YES };
static int names_older(const char *text, size_t size, int is_failing) {
    const uint16_t first = tma_arch_at(0)->sm;
    int older = OLDER_NO;
    for (size_t at = 0; at < size; at++) {
        if (!may_be_name(text, at) && text[at] != '_') {
            continue;
        }
        const uint32_t target = target_at(text, size, at);
        const uint32_t sm = target ? target : chip_at(text, size, at);
        int is_later = sm >= first;
        for (size_t i = 0; i < COUNT(later) && !is_later; i++) {
            is_later = crash_match(text + at, size - at, 0, later[i]) != 0;
        }
        if (is_later) {
            return OLDER_NO;
        }
        const int works =
            sm && is_failing && older < OLDER_YES ? crash_works(text, size, at) : CRASH_WORKS_NOT;
        if (sm && works != CRASH_WORKS) {
            older = works && older < OLDER_YES ? OLDER_MAYBE : OLDER_YES;
        }
    }
    return older;
}

int crash_is_below(const char *text, size_t size) {
    return names_older(text, size, 0) != OLDER_NO;
}

/* What the names of a text come to. That there is no copy counts before the barrier that is left;
 * where that is said of a case or a part, it may be the other one that fails at the barrier. */
static uint32_t subject_named(uint32_t named) {
    static const struct {
        uint8_t names; /* all of them */
        uint8_t subject;
    } first[] = {{NAMES_COPY, TMA_CRASH_SUBJECT_NAMED},
                 {NAMES_NONE, TMA_CRASH_SUBJECT_DENIED},
                 {NAMES_PART, TMA_CRASH_SUBJECT_UNCLEAR},
                 {NAMES_CASE | NAMES_BARRIER, TMA_CRASH_SUBJECT_UNCLEAR},
                 {NAMES_CASE, TMA_CRASH_SUBJECT_DENIED},
                 {NAMES_BARRIER, TMA_CRASH_SUBJECT_NAMED},
                 {NAMES_MATRIX, TMA_CRASH_SUBJECT_MATRIX},
                 {NAMES_MAY, TMA_CRASH_SUBJECT_NAMED},
                 {0, TMA_CRASH_SUBJECT_NONE}};
    size_t i = 0;
    while ((named & first[i].names) != first[i].names) {
        i++;
    }
    return first[i].subject;
}

uint32_t tma_crash_subject_of(const char *text, size_t size) {
    subject_index index;
    uint32_t named = 0;
    if (!text) {
        return TMA_CRASH_SUBJECT_NONE;
    }
    if (is_of_others(text, size)) {
        return TMA_CRASH_SUBJECT_OTHER;
    }
    begin(&index);
    for (size_t at = 0; at < size && !(named & NAMES_COPY); at++) {
        named |= named_at(&index, text, size, at);
    }
    const uint32_t subject = subject_named(named);
    const int older = named & NAMES_MATRIX ? OLDER_NO : names_older(text, size, 1);
    return older == OLDER_YES                                            ? TMA_CRASH_SUBJECT_OLDER
           : older == OLDER_MAYBE && subject != TMA_CRASH_SUBJECT_DENIED ? TMA_CRASH_SUBJECT_UNCLEAR
                                                                         : subject;
}

static int names_itself(const tma_crash_row *row) {
    tma_crash_row own;
    for (size_t i = 0; i < COUNT(own_rows); i++) {
        if (!tma_crash_at(&own, own_rows[i]) && own.name == row->name) {
            return 1;
        }
    }
    return 0;
}

void tma_crash_in_text(tma_crash_row *row, uint32_t subject) {
    const int has_none = subject == TMA_CRASH_SUBJECT_OLDER || subject == TMA_CRASH_SUBJECT_OTHER ||
                         subject == TMA_CRASH_SUBJECT_DENIED;
    if (row->copy != TMA_CRASH_COPY_CAN || subject == TMA_CRASH_SUBJECT_NAMED ||
        (!has_none && names_itself(row))) {
        return;
    }
    static const char *const says[] = {
        [TMA_CRASH_SUBJECT_NONE] = "the text names no tensor copy, no barrier of one and no kernel "
                                   "that has them; tma explain NAME says how one can be the cause",
        [TMA_CRASH_SUBJECT_OLDER] =
            "GPUs before Hopper (sm_90) have no TMA, and the text names no later one: GTX 10 is "
            "sm_61, GTX 16 and RTX 20 sm_75, A100 sm_80, RTX 30 sm_86, RTX 40 sm_89",
        [TMA_CRASH_SUBJECT_OTHER] = "the text names a device that is no GPU of CUDA: descriptors "
                                    "are made otherwise there",
        [TMA_CRASH_SUBJECT_DENIED] = "the text says that there is none",
        [TMA_CRASH_SUBJECT_UNCLEAR] =
            "the text names what has no tensor copy beside what may have one, "
            "and not which of them fails",
        [TMA_CRASH_SUBJECT_MATRIX] =
            "the text names matrix instructions (wgmma, tcgen05), which die by themselves, and no "
            "tensor copy; tma explain NAME says how one can be the cause"};
    if (subject < sizeof(says) / sizeof(says[0])) {
        row->copy = has_none ? TMA_CRASH_COPY_NOT : TMA_CRASH_COPY_UNKNOWN;
        row->as_copy = says[subject];
    }
}
