/* SPDX-License-Identifier: Apache-2.0
 *
 * The options of tma emulate that the page takes: those of a launch.
 */
#ifndef PAGE_EMULATE_OPTIONS_H
#define PAGE_EMULATE_OPTIONS_H

#include "run_session.h"
#include "tma/grammar.h"

typedef struct emulate_word {
    const char *text; /* NAME=VALUE */
    int is_map;
} emulate_word;

typedef struct emulate_options {
    ptx_memory *memory;
    const char *kernel; /* or null */
    session_how how;
    tma_target_words target;
    emulate_word *word;
    uint32_t words;
} emulate_options;

/* Words as a shell cuts them: "--grid 2 --param 'a=zeros:64'", "tma emulate FILE" before them or
 * not. -1 and *error. */
int emulate_options_read(emulate_options *out, ptx_memory *memory, const char *text, size_t length,
                         tma_error *error);

#endif
