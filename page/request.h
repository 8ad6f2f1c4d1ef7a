/* SPDX-License-Identifier: Apache-2.0
 *
 * What somebody typed or pasted into the page, as far as it was understood.
 */
#ifndef PAGE_REQUEST_H
#define PAGE_REQUEST_H

#include "tma/crash.h"
#include "tma/draw.h"
#include "tma/grammar.h"
#include "tma/map.h"
#include "tma/mma_text.h"
#include "tma/paste.h"

#define PAGE_TEXT    (12 << 20) /* a log of 10 MB, and room */
#define PAGE_FOUND   64
#define PAGE_CRASHES 16

typedef enum page_kind { PAGE_NOTHING, PAGE_ERROR, PAGE_SPEC, PAGE_MAP } page_kind;
typedef enum page_from { FROM_COMMAND, FROM_CASE, FROM_DUMP, FROM_PASTE } page_from;

typedef struct page_request {
    uint32_t kind; /* page_kind */
    uint32_t from; /* page_from */
    tma_error error;
    tma_spec_words map; /* spec and target */
    tma_copy_words copy;
    tma_drawing drawing; /* its options */
    tma_mma_question mma;
    int has_picture;
    int is_accepted; /* bytes are those of the map */
    uint8_t bytes[TMA_MAP_BYTES];
    char copy_error[512];        /* why the operands do not fit the map, or "" */
    tma_paste found[PAGE_FOUND]; /* of a paste */
    size_t found_count;          /* may be more */
    size_t pick;
    tma_crash crashes[PAGE_CRASHES]; /* of a text that is no map: each row once */
    size_t crash_count;
} page_request;

/* Reads `length` bytes; of several calls in a paste the one with number `pick`. The text is 0 at
 * its end, and is not changed. */
void page_read(page_request *request, const char *text, size_t length, size_t pick);

/* One word of a command line, quotes taken off; at[] is where it stands in the text. */
#define PAGE_WORD 1024
typedef struct page_word {
    size_t begin, end;
    char text[PAGE_WORD];
} page_word;

/* The next word from *at on; 0 behind the last, -1 for one that does not end or is too long. */
int page_next_word(page_word *word, const char *text, size_t length, size_t *at);

/* Whether the text is a command line, and what it says. */
int page_is_command(const char *text, size_t length);
int page_read_command(page_request *request, const char *text, size_t length);

/* The command line for the request, without options of the page alone. */
void page_put_command(tma_out *out, const page_request *request, const char *verb);

/* The text with one option set (null value: taken away), or with another picture. A text that is no
 * command becomes one. */
void page_put_edited(tma_out *out, const page_request *request, const char *text, size_t length,
                     const char *option, const char *value);

int page_same(const char *a, const char *b);
size_t page_length(const char *text);

#endif
