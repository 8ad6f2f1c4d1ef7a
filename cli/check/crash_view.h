/* SPDX-License-Identifier: Apache-2.0
 *
 * What a log says of a crash, and what it can mean, as a person reads it.
 */
#ifndef CLI_CRASH_VIEW_H
#define CLI_CRASH_VIEW_H

#include "check_view.h"
#include "cli_out.h"
#include "tma/crash.h"

/* Whether what a line says of a row is said already. */
typedef int (*crash_is_said)(const void *context, size_t line, const tma_crash_row *row);

/* All rows that a text means, each once, with the first line that says so; `label` is a file's name
 * or null, `before` how much was printed already. Returns how many rows. */
size_t crash_text(const check_view *view, const char *label, const char *text, size_t size,
                  size_t before, crash_is_said is_said, const void *context);

/* What a text speaks of that tells of no failure, and what to run next; returns how many rows. */
size_t topics_text(const check_view *view, const char *label, const char *text, size_t size);

/* What somebody asks for by a number, a name or a phrase; returns how many rows. */
size_t crash_explain(const char *words, int as_json, const color_set *colors);

#endif
