/* SPDX-License-Identifier: Apache-2.0
 *
 * What somebody asks: a map, what it is for, a copy with it and a picture of that, read from words
 * by one reader, and what is answered. For every front end: the command, the page. As free of
 * allocation, state, input and output as the libraries below.
 */
#ifndef ASK_H
#define ASK_H

#include "tma/draw.h"
#include "tma/grammar.h"
#include "tma/map.h"
#include "tma/mma_text.h"
#include "tma/plan.h"

typedef struct ask_request {
    tma_spec_words map; /* spec and target */
    tma_map encoded;    /* the map's bytes, given or of the spec: ask_complete() */
    int has_bytes;      /* the map was given as its 128 bytes, of any form */
    tma_map read;       /* what the copy reads: `encoded`, with its .override */
    tma_status override_status;
    tma_finding override_why; /* where the operands of .override may not be */
    int is_accepted;          /* `encoded` is a map that the driver makes, or that can be read */
    tma_copy_words copy;
    uint32_t copy_given; /* a bit for each tma_copy_option */
    tma_drawing drawing; /* its options */
    int has_picture;
    tma_mma_question mma; /* what an MMA reads of it; not finished */
} ask_request;

/* Nothing is asked yet; the copy's operation where no word says another. */
void ask_begin(ask_request *request, uint32_t op);

/* The name of each option, of spec, copy, drawing, target and MMA in this order; null behind the
 * last. Whether a value belongs to it. */
const char *ask_option_name(size_t i);
bool ask_has_value(const char *name);

/* One option and its value, by name ("map" too, whose value is 128 bytes as text); by number. */
TMA_MUST_USE int ask_set(ask_request *request, const char *name, const char *value,
                         tma_error *error);
TMA_MUST_USE int ask_set_copy(ask_request *request, tma_copy_option option, const char *value,
                              tma_error *error);
TMA_MUST_USE int ask_set_picture(ask_request *request, const char *name, tma_error *error);

/* Whether it is of a descriptor or a zero-column mask alone: there is no map to finish. */
bool ask_is_of_mma(const ask_request *request);

/* When all are given: whether they belong together, and what was left out of the spec. */
TMA_MUST_USE int ask_finish(ask_request *request, tma_error *error);

/* The map out of what is known: the bytes of the spec, the spec of the bytes; and the map's own
 * mode where none was given. */
void ask_complete(ask_request *request);

/* Whether the copy's operands are as many as it takes on that map. A map of a rank that none has
 * takes any number. */
TMA_MUST_USE int ask_fits(const ask_request *request, tma_error *error);

/* The drawing with the request's map and copy in it. */
tma_drawing ask_drawing(const ask_request *request);

/* " --map HEX" or the options of the spec, and of the target what is said in `target`. A target
 * with all said that is not as usual. */
void ask_put_map(tma_out *out, const tma_spec *spec, const uint8_t *bytes,
                 const tma_target_words *target);
tma_target_words ask_whole_target(const tma_target *target);

/* ---- ask_answer.c: what is answered ---- */

/* Whether a machine with this target was asked, or the rules alone. */
bool ask_was_seen(const tma_target *target);

/* Whether a box is small enough to count its rows: no driver's map has a larger one, and rows in
 * their billions take minutes. */
bool ask_is_countable(const tma_plan *plan);

/* Whether there is a report all the same: a prefetch of a tile touches no shared memory, and what
 * it reads is computed without its rows. */
bool ask_is_reported(const tma_plan *plan);

/* The plan of the copy and, where there is one, its report (all 0 elsewhere). TMA_OK for a copy
 * that runs; else the answer of tma_plan_make() or tma_plan_at(), with *why. */
TMA_MUST_USE tma_status ask_plan(tma_plan *plan, tma_report_result *report, tma_finding *why,
                                 const ask_request *request);

/* ---- ask_command.c: a command line ---- */

/* "$" or "tma", before the verb; a verb that asks about a map. */
bool ask_is_prompt(const char *word);
bool ask_is_verb(const char *word);

bool ask_is_command(const char *text, size_t length);
TMA_MUST_USE int ask_read_command(ask_request *request, const char *text, size_t length,
                                  tma_error *error);

#endif
