/* SPDX-License-Identifier: Apache-2.0
 *
 * Pictures to files: under another name first, so that no half of one is ever there.
 */
#include "draw_output.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

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
#ifndef TMA_HAS_CAIRO
    if (found != FORMAT_SVG) {
        return tma_fail(error,
                        "--out %.200s: this tma was built without cairo and writes .svg only "
                        "(rsvg-convert or a browser makes a .png of it)",
                        path);
    }
#endif
    return 0;
}

static void write_text(void *context, const char *text, size_t length) {
    fwrite(text, 1, length, (FILE *)context);
}

static int write_svg(FILE *file, const tma_drawing *drawing) {
    tma_out out = tma_out_to(write_text, file);
    return tma_draw_svg(&out, drawing, NULL) != TMA_OK;
}

/* A new file beside `path`, with the rights that a new file gets. */
static int open_beside(const char *path, char **name, tma_error *error) {
    if (asprintf(name, "%s.XXXXXX", path) < 0) {
        cli_out_of_memory();
    }
    const int fd = mkstemp(*name);
    if (fd < 0) {
        return tma_fail(error, "cannot write beside '%.200s': %s", path, strerror(errno));
    }
    const mode_t mask = umask(0);
    umask(mask);
    fchmod(fd, 0666 & ~mask);
    return fd;
}

/* Null, or what went wrong. */
static const char *write_to(int fd, const char *name, format as, const tma_drawing *drawing) {
#ifdef TMA_HAS_CAIRO
    if (as != FORMAT_SVG) {
        close(fd);
        return draw_cairo(name, as == FORMAT_PDF, drawing);
    }
#else
    (void)name;
    (void)as;
#endif
    FILE *file = fdopen(fd, "wb");
    if (!file) {
        close(fd);
        return strerror(errno);
    }
    const int failed = write_svg(file, drawing) || ferror(file);
    return fclose(file) || failed ? strerror(errno ? errno : EIO) : NULL;
}

int draw_output(const char *path, const tma_drawing *drawing, tma_error *error) {
    char *name = NULL;
    if (!strcmp(path, "-")) {
        return write_svg(stdout, drawing) ? tma_fail(error, "it cannot be drawn")
                                          : 0; /* main() looks at what became of standard output */
    }
    const int fd = open_beside(path, &name, error);
    int failed = fd < 0;
    if (!failed) {
        const char *wrong = write_to(fd, name, format_of(path), drawing);
        wrong = wrong ? wrong : rename(name, path) ? strerror(errno) : NULL;
        if (wrong) {
            failed = 1;
            tma_fail(error, "cannot write '%.200s': %s", path, wrong);
            unlink(name);
        }
    }
    free(name);
    return failed ? -1 : 0;
}
