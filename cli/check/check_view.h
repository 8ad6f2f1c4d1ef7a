/* SPDX-License-Identifier: Apache-2.0
 *
 * What tma check says about a map that came as bytes, and about what a program printed.
 */
#ifndef CLI_CHECK_VIEW_H
#define CLI_CHECK_VIEW_H

#include "color.h"
#include "lint_check.h"
#include "progress.h"
#include "tma/grammar.h"
#include "tma/paste.h"
#include "verdict.h"

/* How to say it, and what is known beside. */
typedef struct check_view {
    tma_severity level;
    int json;
    lint_file_writer lint; /* its writer: null */
    color_set colors;
    const tma_spec_words *words; /* the target; and what a text cannot tell */
    int has_map_address;
    uint64_t map_address;
} check_view;

/* What was said so far. */
typedef struct check_tally {
    size_t maps;
    size_t of[TMA_SEVERITIES]; /* maps with findings of a severity, down to the level */
    size_t codes;              /* errors that the arguments do not explain */
    size_t unread;             /* maps of which a value stands in the text and was not read */
    size_t odd;
    size_t errors; /* inputs that could not be read */
    tma_spec spec; /* of the last map, and what it was judged for */
    tma_target target;
} check_tally;

/* A map in the tally, with the severities that count. */
void check_count(check_tally *tally, const verdict *verdict, tma_severity level,
                 const tma_spec *spec, const tma_target *target);

/* sm_90, or the first target that takes a spec which sm_90 refuses; the one asked for, if any. */
tma_target check_target(const tma_target_words *words, const tma_spec *spec);

/* Likewise, by whether a target takes what is known of a map. */
typedef int (*check_takes)(void *context, const tma_target *target);
tma_target check_target_by(const tma_target_words *words, check_takes takes, void *context);

/* What host and device code may disagree about for a map at that address, "" if nothing. */
void check_map_type(uint64_t address, char *text, size_t room);

/* A map. `label` is a file's name, or null where only one map can be; `line` of the file, or 0. */
void check_bytes(const check_view *view, check_tally *tally, const char *label, size_t line,
                 const uint8_t *map);

/* All that a text holds; returns how much of it that was, remarks, lone errors and words of a crash
 * included. */
size_t check_text(const check_view *view, check_tally *tally, const char *label, const char *text,
                  size_t size);

/* The 128 bytes that stand in it, each map once; `before`: how much was printed already; `shown`:
 * begun with the text's reading, ended here. */
size_t check_dumps(const check_view *view, check_tally *tally, const char *label, const char *text,
                   size_t size, size_t before, progress *shown);

#endif
