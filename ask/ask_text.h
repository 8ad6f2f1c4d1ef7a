/* SPDX-License-Identifier: Apache-2.0
 *
 * What somebody typed or pasted, as far as it was understood: a command line, a case line, 128
 * bytes, or what a program prints about an encode call.
 */
#ifndef ASK_TEXT_H
#define ASK_TEXT_H

#include "ask.h"
#include "tma/crash.h"
#include "tma/paste.h"
#include "tma/word.h"

#define ASK_FOUND   64
#define ASK_CRASHES 16
#define ASK_WORDS   8

/* ASK_MMA: of the bits that an MMA is given, and of no map. */
typedef enum ask_kind { ASK_NOTHING, ASK_ERROR, ASK_MMA, ASK_SPEC, ASK_MAP } ask_kind;
typedef enum ask_from { FROM_COMMAND, FROM_CASE, FROM_DUMP, FROM_PASTE } ask_from;

/* Each once. */
typedef struct ask_words {
    tma_word of[ASK_WORDS];
    size_t count;
} ask_words;

typedef struct ask_text {
    uint32_t kind; /* ask_kind */
    uint32_t from; /* ask_from */
    tma_error error;
    ask_request asked;          /* complete where it is a spec or a map */
    tma_error unfit;            /* why the operands do not fit the map, or "" */
    tma_error beside;           /* what the text has beside the map and is not read, or "" */
    tma_paste found[ASK_FOUND]; /* of a paste */
    size_t found_count;         /* may be more */
    size_t pick;
    uint32_t unknown; /* arguments that the picked call does not show, tma_paste_unknown(), or that
                       * stand in it and were not read */
    tma_crash crashes[ASK_CRASHES]; /* of a text that is no command: each row once */
    size_t crash_count;
    ask_words words; /* and where it is no map its words of 64 bits that can be something */
} ask_text;

/* For tma_word_read(): keeps a word that is not yet in the ask_words at `words`. */
void ask_take_word(void *words, const tma_word *found);

/* ask_beside.c: fills in `beside`; how a dump was found in it, and how many calls. */
void ask_note_beside(ask_text *request, const char *text, size_t length, const char *how,
                     size_t calls);

/* Reads `length` bytes, the text is 0 at its end; of several calls in a paste the one with number
 * `pick`. `room` is for as many bytes and a 0. */
void ask_read(ask_text *request, const char *text, size_t length, size_t pick, char *room);

#endif
