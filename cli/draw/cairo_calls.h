/* SPDX-License-Identifier: Apache-2.0
 *
 * cairo, opened when a .png or .pdf is asked for: the 18 libraries behind it would triple the time
 * that every other start of the command takes.
 */
#ifndef CLI_CAIRO_CALLS_H
#define CLI_CAIRO_CALLS_H

#include <cairo-pdf.h>
#include <cairo.h>

#include "cli_error.h"

typedef struct cairo_calls {
#define CALL(result, name, parameters)                                                             \
    result(*name) parameters; // NOLINT(bugprone-macro-parentheses): a type
#include "cairo_calls.def"
} cairo_calls;

/* Finds cairo where the system's loader looks for libraries, which is never the current folder by
 * itself. */
int cairo_calls_find(cairo_calls *calls, tma_error *error);

#endif
