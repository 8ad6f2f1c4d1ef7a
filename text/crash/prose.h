/* SPDX-License-Identifier: Apache-2.0
 *
 * What a sentence is about: subjects and what is said of them, in any order and in words of the
 * writer's own. A row of crash_rows.def follows from several of them together (prose_rules.def).
 */
#ifndef TMA_PROSE_H
#define TMA_PROSE_H

#include <stddef.h>
#include <stdint.h>

#include "crash_words.h"
#include "paste_parts.h"

typedef enum prose_topic {
#define PROSE_TOPIC(topic, ...) PROSE_##topic,
#include "prose_words.def"
    PROSE_TOPICS, /* how many: a bit each in topics */
    PROSE_LAST_TOPIC = PROSE_TOPICS - 1,
#define PROSE_MORE(topic, ...) PROSE_##topic,
#include "prose_words.def"
    PROSE_ALL_TOPICS /* those behind PROSE_TOPICS have a bit each in more topics */
} prose_topic;

#define PROSE_WORDS  1400 /* no more than these */
#define PROSE_CAUSES 64

/* All words by the character that they begin with. It lies on the caller's stack. */
typedef struct prose_index {
    uint16_t first[256]; /* by lower character: a word and 1, or 0 */
    uint16_t next[PROSE_WORDS];
    uint16_t offset[PROSE_WORDS]; /* of it in its topic's words */
    uint8_t topic[PROSE_WORDS];
    uint8_t letters[PROSE_WORDS][2]; /* the second and the third; 0: any */
} prose_index;

/* A text read line by line. */
typedef struct prose_reader {
    prose_index index;
    uint64_t text; /* topics of all its sentences */
    uint32_t text_more;
    uint64_t carried; /* of a sentence that goes on in the next line */
    uint32_t carried_more;
    size_t prior_B;               /* of the line that it goes on from */
    int is_on;                    /* a text that is no report has no sentences */
    int is_begun;                 /* all was read once */
    uint8_t spoken[PROSE_CAUSES]; /* how much its sentences speak of each cause (prose_rules.def) */
} prose_reader;

void prose_begin(prose_reader *out, const char *text, size_t size, int names_gpu);

#define PROSE_TEXT_B 16384 /* of a report, not of a program's whole log */
#define PROSE_MOST   4     /* rows of one line */

/* What follows from a sentence, and its bytes in the line. */
typedef struct prose_row {
    size_t from;
    size_t to;
    uint8_t row;
} prose_row;

/* The rows that follow from the sentences that end in the line, or go on behind it, by the rules of
 * texts of which nothing else is known (PROSE_LAST) or by the others; how many. */
size_t prose_line(prose_reader *reader, const paste_line *line, int is_last,
                  prose_row rows[PROSE_MOST]);

/* The row that says more of this one in such a text, whose symptom stands at a place of a line:
 * what its own sentence speaks of counts more; else the row. Where there is no tensor copy no cause
 * is of one. */
uint32_t prose_narrowed(const prose_reader *reader, uint32_t row, int has_none,
                        const paste_line *line, size_t place);

/* Whether a tool reports the row, which is said beside its cause. */
int prose_is_reported(uint32_t row);

/* Makes of a line, where it goes on in the next one, its last words and the first of those; where
 * they meet, or 0. */
size_t prose_join(paste_line *line, const paste_line *next);

/* Whether a line is of sentences, no source text. */
int prose_is_sentence(const paste_line *line);

/* Where the sentence ends that begins at byte `at`: behind its mark, or at the line's end. */
size_t prose_sentence_end(const paste_line *line, size_t at, int *is_ended);

/* Whether the text tells of a failure, and this part of a line does not say that something works.
 */
int prose_tells_of_failure(const prose_reader *reader, const paste_line *line, size_t from,
                           size_t to);

/* Whether a box that the text gives a number has one over the limit. */
int prose_names_box_over(const char *text, size_t size, uint64_t limit);

/* Whether the text names a swizzle. */
int prose_names_swizzle(const prose_reader *reader);

/* Whether a part of a line names copies or maps. */
int prose_is_of_copies(const prose_reader *reader, const paste_line *line, size_t from, size_t to);

/* Whether the text speaks of a block's innermost dimension and of copies. */
int prose_speaks_of_blocks(const prose_reader *reader);

/* Whether a Python traceback's last frame ends the text, so that no line says what failed; the
 * frame's number is the line's. */
int prose_traceback_is_cut(const char *text, size_t size, paste_line *line);

#endif
