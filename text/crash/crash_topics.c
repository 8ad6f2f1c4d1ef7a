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

enum neighbour { NEAR_ITSELF, NEAR_BARRIER, NEAR_COPIES };

static const struct topic {
    const char *words;
    uint8_t row;
    uint8_t near;
} topics[] = {
#define TOPIC(row, neighbour, words) {words, CRASH_ROW_##row, NEAR_##neighbour},
#include "crash_topics.def"
};

static const struct neighbour_words {
    const char *words;
    uint8_t near;
} neighbours[] = {
#define TOPIC_NEAR(neighbour, words) {words, NEAR_##neighbour},
#include "crash_topics.def"
};

static const char *const own[] = {
#define TOPIC_OWN(words) words,
#include "crash_topics.def"
};

/* Whether a tensor copy is named: by what only such code has, or by its letters where the text
 * names a GPU, too. Others have multicasts and phases, and some the letters. */
static int names_copies(const char *text, size_t size) {
    crash_mark_index index;
    crash_index_marks(&index, 0);
    const uint32_t marks = crash_marks(&index, text, size);
    if (!(marks >> CRASH_TENSOR & 1)) {
        return 0;
    }
    for (size_t at = 0; at < size && !(marks >> CRASH_GPU & 1) && !(marks >> CRASH_CUDA & 1);
         at++) {
        for (size_t i = 0; i < COUNT(own); i++) {
            if (crash_match(text, size, at, own[i])) {
                return 1;
            }
        }
    }
    return marks >> CRASH_GPU & 1 || marks >> CRASH_CUDA & 1;
}

static int has_neighbour(const char *line, size_t length, uint32_t near) {
    for (size_t i = 0; i < COUNT(neighbours) && near != NEAR_ITSELF; i++) {
        for (size_t at = 0; at < length && neighbours[i].near == near; at++) {
            if (crash_match(line, length, at, neighbours[i].words)) {
                return 1;
            }
        }
    }
    return near == NEAR_ITSELF;
}

/* The first line that has a topic's words, beside what they belong to; 0 if none. */
static size_t line_of(const char *text, size_t size, const struct topic *topic) {
    size_t begin = 0;
    for (size_t line = 1; begin < size; line++) {
        const size_t length = text_until(text + begin, size - begin, '\n');
        for (size_t at = 0; at < length; at++) {
            if (crash_match(text + begin, length, at, topic->words) &&
                has_neighbour(text + begin, length, topic->near)) {
                return line;
            }
        }
        begin += length + 1;
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
        const size_t line = k == count ? line_of(text, size, &topics[i]) : 0;
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
