/* SPDX-License-Identifier: Apache-2.0
 *
 * Pictures to files.
 */
#include "draw_output.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "cli_out.h"
#include "output_stream.h"

typedef enum format { FORMAT_NONE, FORMAT_SVG, FORMAT_PNG, FORMAT_PDF } format;

static format format_of(const char *path) {
    const char *dot = strrchr(path, '.');
    if (!strcmp(path, "-") || (dot && !strcmp(dot, ".svg"))) {
        return FORMAT_SVG;
    }
    return dot && !strcmp(dot, ".png")   ? FORMAT_PNG
           : dot && !strcmp(dot, ".pdf") ? FORMAT_PDF
                                         : FORMAT_NONE;
}

int draw_output_check(const char *path, tma_error *error) {
    const format found = format_of(path);
    if (found == FORMAT_NONE) {
        return tma_fail(error, "--out %.200s: the name should end in .svg, .png or .pdf", path);
    }
    tma_error why;
    if (found != FORMAT_SVG && draw_cairo_there(&why)) {
        return tma_fail(error,
                        "--out %.200s: %s; .svg needs no cairo (rsvg-convert or a browser makes a "
                        ".png of it)",
                        path, why.text);
    }
    return 0;
}

static int write_svg(const char *path, const tma_drawing *drawing, tma_error *error) {
    output_stream stream;
    if (output_stream_begin(&stream, path, error)) {
        return -1;
    }
    tma_out out = out_to(stream.file);
    const int failed =
        tma_draw_svg(&out, drawing, NULL) != TMA_OK ? tma_fail(error, "it cannot be drawn") : 0;
    return output_stream_end(&stream, failed, error);
}

int draw_output(const char *path, const tma_drawing *drawing, tma_error *error) {
    const format as = format_of(path);
    output_file output;
    if (as == FORMAT_SVG) {
        return write_svg(path, drawing, error);
    }
    if (output_begin(&output, path, error)) {
        return -1;
    }
    return output_end(&output, draw_cairo(&output, as == FORMAT_PDF, drawing), error);
}

int draw_put(const char *path, int term, const tma_drawing *drawing, color_mode color,
             tma_error *error) {
    return term || (!path && isatty(STDOUT_FILENO))
               ? draw_term(stdout, drawing, color, error)
               : draw_output(path ? path : "-", drawing, error);
}
