/* SPDX-License-Identifier: Apache-2.0
 *
 * Pictures to files.
 */
#include "draw_output.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli_out.h"
#include "output_stream.h"

#define PNG_WORK_B (1 << 20) /* most pictures at once */

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
    if (found == FORMAT_PDF && draw_cairo_there(&why)) {
        return tma_fail(error, "--out %.200s: %s; .svg and .png need no cairo", path, why.text);
    }
    return 0;
}

static tma_status write_png(tma_out *out, const tma_drawing *drawing) {
    tma_draw_size size;
    tma_status status = tma_draw_measure(&size, drawing, NULL);
    if (status == TMA_OK) {
        const size_t least_B = TMA_DRAW_PNG_LEAST_B(size.width);
        const size_t work_B = least_B < PNG_WORK_B ? PNG_WORK_B : least_B;
        void *work = cli_got(malloc(work_B));
        status = tma_draw_png(out, drawing, work, work_B, NULL);
        free(work);
    }
    return status;
}

static int write_by_stream(const char *path, int is_png, const tma_drawing *drawing,
                           tma_error *error) {
    output_stream stream;
    if (output_stream_begin(&stream, path, error)) {
        return -1;
    }
    tma_out out = out_to(stream.file);
    const tma_status status = is_png ? write_png(&out, drawing) : tma_draw_svg(&out, drawing, NULL);
    const int failed = status != TMA_OK ? tma_fail(error, "it cannot be drawn") : 0;
    return output_stream_end(&stream, failed, error);
}

int draw_output(const char *path, const tma_drawing *drawing, tma_error *error) {
    const format as = format_of(path);
    output_file output;
    if (as != FORMAT_PDF) {
        return write_by_stream(path, as == FORMAT_PNG, drawing, error);
    }
    if (output_begin(&output, path, error)) {
        return -1;
    }
    return output_end(&output, draw_cairo(&output, drawing), error);
}

int draw_put(const char *path, int term, const tma_drawing *drawing, color_mode color,
             tma_error *error) {
    return term || (!path && isatty(STDOUT_FILENO))
               ? draw_term(stdout, drawing, color, error)
               : draw_output(path ? path : "-", drawing, error);
}
