/* SPDX-License-Identifier: Apache-2.0
 *
 * Findings, oddities and measures as a person reads them.
 */
#ifndef CLI_OUT_TEXT_H
#define CLI_OUT_TEXT_H

#include <stdio.h>

#include "cli_out.h"
#include "color.h"
#include "tma/view.h"

#define OUT_COLUMNS 96

/* Words of `text`, broken at OUT_COLUMNS, with `indent` blanks before each line but the first. */
void out_wrapped(FILE *out, const char *text, int indent);

/* A line "    label     text" of standard output, broken likewise; nothing for an empty text. */
void out_labelled(const char *label, const char *text);

/* All of one finding: argument, value and limit, what would be legal, the rule, who says so. */
void out_finding(FILE *out, const tma_finding *finding, const color_set *colors);

/* What one copy of the map counts, writes and needs. */
void out_measure(FILE *out, const tma_spec *spec, const tma_measure_result *measure);

/* What is odd about a map, a line each behind `before` ("", "A: "); and as a list. */
void out_odd(FILE *out, const tma_judged *judged, const char *before, const color_set *colors);
void out_odd_json(tma_json *json, const char *key, const tma_judged *judged);

#endif
