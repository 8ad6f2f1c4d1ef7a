/* SPDX-License-Identifier: Apache-2.0
 *
 * Pictures to files and to the terminal.
 */
#ifndef CLI_DRAW_OUTPUT_H
#define CLI_DRAW_OUTPUT_H

#include <stdio.h>

#include "cli_error.h"
#include "color.h"
#include "copy_args.h"
#include "output_file.h"
#include "tma/draw.h"

/* The help of --out and --term. */
#define DRAW_OUT_DOC                                                                               \
    "write there; the extension says how: .svg, .png, .pdf; - is SVG on standard output "          \
    "(default: "                                                                                   \
    "--term on a terminal, else SVG on standard output)"
#define DRAW_TERM_DOC "draw in the terminal"

/* Where --out and --term say; path is null where --out is not given. */
int draw_put(const char *path, int term, const tma_drawing *drawing, color_mode color,
             tma_error *error);

/* Whether a file of this name can be written: .svg, .png, and with cairo .pdf; - is SVG. */
int draw_output_check(const char *path, tma_error *error);

/* Writes the picture; the file is there as a whole or as it was before. */
int draw_output(const char *path, const tma_drawing *drawing, tma_error *error);

/* Draws with letters, and colours where the terminal has them. */
int draw_term(FILE *out, const tma_drawing *drawing, color_mode color, tma_error *error);

/* Whether cairo can be used; draw_cairo.c, or draw_no_cairo.c where it was not built in. */
int draw_cairo_there(tma_error *why);

/* Draws a PDF with cairo to a file. Null or what is wrong. */
const char *draw_cairo(const output_file *output, const tma_drawing *drawing);

#endif
