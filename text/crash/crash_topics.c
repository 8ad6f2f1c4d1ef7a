/* SPDX-License-Identifier: Apache-2.0
 *
 * What a text that tells of no failure speaks of: source text of a kernel, a question.
 */
#include "crash_words.h"
#include "paste_parts.h"
#include "prose.h"
#include "tma/crash.h"
#include "tma/detail/chars.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))
#define MOST_TOPICS  3 /* of one text: a kernel has them all, and a reader three */

static const struct topic {
    const char *words;
    uint8_t row;
} topics[] = {
#define TOPIC(row, words) {words, CRASH_ROW_##row},
#include "crash_topics.def"
};

/* Whether a tensor copy is named, which multicasts and phases of others are not. */
static int names_copies(const char *text, size_t size) {
    crash_mark_index index;
    crash_index_marks(&index, 0);
    return crash_marks(&index, text, size) >> CRASH_TENSOR & 1;
}

/* The first line that has a topic's words; 0 if none. */
static size_t line_of(const char *text, size_t size, size_t topic) {
    size_t line = 1;
    for (size_t at = 0; at < size; at++) {
        line += text[at] == '\n';
        if (crash_match(text, size, at, topics[topic].words)) {
            return line;
        }
    }
    return 0;
}

size_t tma_crash_topics(const char *text, size_t size, tma_crash_visit visit, void *context) {
    uint8_t seen[MOST_TOPICS];
    size_t count = 0;
    if (!text || size > PROSE_TEXT_B || !names_copies(text, size)) {
        return 0;
    }
    for (size_t i = 0; i < COUNT(topics) && count < MOST_TOPICS; i++) {
        size_t k = 0;
        while (k < count && seen[k] != topics[i].row) {
            k++;
        }
        const size_t line = k == count ? line_of(text, size, i) : 0;
        if (line) {
            seen[count++] = topics[i].row;
            if (visit) {
                const tma_crash found = {line, topics[i].row, 0};
                visit(context, &found);
            }
        }
    }
    return count;
}
