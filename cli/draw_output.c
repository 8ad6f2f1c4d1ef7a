/* SPDX-License-Identifier: Apache-2.0
 *
 * Pictures to files.
 */
#include "draw_output.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "output_file.h"

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

static void write_text(void *context, const char *text, size_t length) {
    fwrite(text, 1, length, (FILE *)context);
}

static int write_svg(FILE *file, const tma_drawing *drawing) {
    tma_out out = tma_out_to(write_text, file);
    return tma_draw_svg(&out, drawing, NULL) != TMA_OK;
}

/* Null, or what went wrong. */
static const char *write_to(const output_file *output, format as, const tma_drawing *drawing) {
    if (as != FORMAT_SVG) {
        return draw_cairo(output, as == FORMAT_PDF, drawing);
    }
    const int fd = dup(output->fd);
    FILE *file = fd < 0 ? NULL : fdopen(fd, "wb");
    if (!file) {
        return strerror(errno);
    }
    errno = 0;
    const int failed = write_svg(file, drawing) || ferror(file);
    return fclose(file) || failed ? strerror(errno ? errno : EIO) : NULL;
}

int draw_output(const char *path, const tma_drawing *drawing, tma_error *error) {
    output_file output;
    if (!strcmp(path, "-")) {
        return write_svg(stdout, drawing) ? tma_fail(error, "it cannot be drawn")
                                          : 0; /* main() looks at what became of standard output */
    }
    if (output_begin(&output, path, error)) {
        return -1;
    }
    return output_end(&output, write_to(&output, format_of(path), drawing), error);
}
