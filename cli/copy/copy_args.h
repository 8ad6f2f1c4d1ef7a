/* SPDX-License-Identifier: Apache-2.0
 *
 * One instruction on one map from the command line: a parser inside those of load, store and plan.
 * The map comes from its 128 bytes (--map) or from the options of a spec.
 */
#ifndef CLI_COPY_ARGS_H
#define CLI_COPY_ARGS_H

#include "args.h"

#include "ask.h"
#include "color.h"
#include "options.h"
#include "tma/limits.def"

/* No SM of an architecture with TMA has more; no map's box either. */
#define COPY_MOST_SHARED_B ((int)TMA_VALUE(BOX_BYTES))

/* Which operations a verb takes. */
typedef enum copy_verb { COPY_PLANS, COPY_LOADS, COPY_STORES } copy_verb;

typedef struct copy_args {
    ask_request asked; /* the map in it is whole behind copy_args_plan() */
    tma_plan plan;
    tma_report_result report; /* of a copy that runs, where ask_is_countable() */
    const char *map_source;   /* --map */
    const char *text;         /* the instruction as PTX, or null */
    copy_verb verb;           /* set before args_parse() */
} copy_args;

/* Its input is a copy_args. */
extern const args_parser copy_parser, load_copy_parser;

#define COPY_ARGS_DOC "--map MAP\nSPEC OPTIONS"

/* Takes the instruction as PTX text; --coord, --offset and --shared give what it leaves to
 * registers. Called when all options are read. */
int copy_args_text(copy_args *args, const char *text, tma_error *error);

/* Reads or encodes the map, fills in what was left out and makes the plan. Returns a cli_exit:
 * CLI_FINDINGS where the driver refuses the map (said on standard error) and, with *why set and
 * *status what tma_plan_make() or tma_plan_at() answered, where the copy does not run. */
int copy_args_plan(copy_args *args, color_mode color, tma_status *status, tma_finding *why);

/* The instruction in PTX's words, and what the map says where its bytes were given. */
void copy_title(FILE *out, const copy_args *args, const color_set *colors);

/* The reason why a copy does not run, as check prints findings; and how what is disputed about it
 * was read. */
void copy_fault(FILE *out, const copy_args *args, tma_status status, const tma_finding *why,
                const color_set *colors);

#define COPY_MOST_NOTES 16

/* What tma_plan_notes() finds, and a type's name that is the other direction's; returns how many.
 */
size_t copy_notes_of(tma_finding notes[COPY_MOST_NOTES], const copy_args *args);

/* What the copy that runs does otherwise than it seems (tma_plan_notes), likewise; an empty line
 * before each. */
void copy_notes(FILE *out, const copy_args *args, const color_set *colors);

#endif
