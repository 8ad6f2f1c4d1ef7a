/* SPDX-License-Identifier: Apache-2.0
 *
 * PTX with checks, in memory.
 */
#include "checked_image.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "careful_read.h"
#include "compiled_code.h"
#include "fat_image.h"
#include "image_bytes.h"
#include "machine_code.h"
#include "own_work.h"
#include "ptx_found.h"
#include "ptx_hang.h"
#include "report_out.h"
#include "settings.h"
#include "tma/pattern.h"
#include "tma/ptx_check.h"
#include "tma/ptx_file.h"
#include "write_out.h"

#define MOST_NOTED 1000 /* characters of a line of the notes */

/* Whether a text's first statement is .version. */
static int is_ptx(const char *text, size_t size) {
    tma_ptx_reader reader = tma_ptx_reader_of(text, size);
    tma_ptx_piece piece;
    uint32_t version = 0;
    return tma_ptx_next(&reader, &piece) && tma_ptx_version_of(&version, &piece);
}

/* Once for each load; how many kernels of it have tensor copies that nobody checks. */
static void say_machine_code(uint32_t kernels, const char *what) {
    static atomic_flag said = ATOMIC_FLAG_INIT;
    const char *path = settings()->check_notes;
    char line[128];
    if (path && kernels) {
        const int length =
            snprintf(line, sizeof(line), "unchecked %" PRIu32 " kernels: %s\n", kernels, what);
        (void)append_file(path, line, (size_t)length);
    } else if (!path && !settings()->quiet && !atomic_flag_test_and_set(&said)) {
        report_message("kernels that come as machine code (cubin, fatbinary) are not checked: "
                       "PTX is");
    }
}

/* Both steps; -1: there is no memory. */
static int rewrite(FILE *out, FILE *notes, const char *text, size_t size, ptx_rewrite_count *count,
                   ptx_hang_count *waits) {
    if (!settings()->hang_ms) {
        return ptx_rewrite(out, notes, text, size, settings()->on_fault, count);
    }
    char *checked = NULL;
    size_t checked_B = 0;
    FILE *between = open_memstream(&checked, &checked_B);
    int failed = !between || ptx_rewrite(between, notes, text, size, settings()->on_fault, count);
    failed |= between ? fclose(between) : 0;
    failed = failed || !checked ||
             ptx_hang_rewrite(out, notes, checked, checked_B, settings()->hang_ms, waits);
    free(checked);
    return failed ? -1 : 0;
}

static struct checked_image rewritten(const char *text, size_t size) {
    ptx_hang_count waits = {0, 0};
    struct checked_image image;
    size_t text_B = 0;
    memset(&image, 0, sizeof(image));
    if (!is_ptx(text, size)) {
        return image;
    }
    FILE *out = open_memstream(&image.text, &text_B);
    FILE *notes = open_memstream(&image.notes, &image.notes_B);
    int failed = !out || !notes || rewrite(out, notes, text, size, &image.count, &waits);
    failed = failed || (settings()->check_notes && ptx_note_findings(notes, text, size));
    /* both, whatever the first one says */
    const int unwritten =
        (out ? fclose(out) : 1) | (notes ? fclose(notes) : 1) | !image.text | !image.notes;
    if (failed || unwritten || !(image.count.checked || waits.bounded)) {
        free(image.text);
        image.text = NULL;
    }
    if (failed || unwritten) {
        free(image.notes);
        image.notes = NULL;
        report_message("a PTX image of %zu B is not checked: there is no memory", size);
    }
    return image;
}

/* The kernels of one of a fatbinary's files: that with most. */
static uint32_t unchecked_in(const void *image, size_t most_B) {
    uint32_t most = 0;
    struct fat_file file;
    for (unsigned i = 0; fat_image_file(&file, image, most_B, i); i++) {
        const uint32_t kernels =
            file.is_ptx || file.unpacked_B ? 0 : machine_code_unchecked(file.at, file.size_B);
        most = kernels > most ? kernels : most;
    }
    return most;
}

/* What is in a fatbinary: PTX that stands alone there is what the driver compiles. The program's
 * own image stays one. */
static struct checked_image packed(const void *image, size_t most_B) {
    struct checked_image none;
    struct fat_file file;
    memset(&none, 0, sizeof(none));
    if (!fat_image_file(&file, image, most_B, 0) || !file.is_ptx || !file.is_alone) {
        say_machine_code(unchecked_in(image, most_B), "in a fatbinary");
        return none;
    }
    char *unpacked = file.unpacked_B ? fat_image_unpacked(&file) : NULL;
    const char *text = unpacked ? unpacked : file.at;
    const size_t most = unpacked ? file.unpacked_B + 1 : file.size_B;
    const size_t size = file.unpacked_B && !unpacked ? most : image_text_size(text, most);
    if (size < most) {
        none = rewritten(text, size);
    } else { /* an end is lacking, or it cannot be unpacked */
        say_machine_code(file.unpacked_B && !unpacked,
                         "in compressed PTX of a fatbinary, with no libzstd.so.1 to read it");
    }
    free(unpacked);
    return none;
}

/* `most_B`: how much there is; SIZE_MAX where nobody said. */
static struct checked_image checked_bytes(const void *image, size_t most_B) {
    struct checked_image none;
    memset(&none, 0, sizeof(none));
    if (!settings()->check_kernels || !image) {
        return none;
    }
    const struct own_work work = own_work_begin();
    const enum image_kind kind = image_kind_of(image, most_B);
    if (kind == IMAGE_PTX) {
        const size_t size = image_text_size(image, most_B < MOST_IMAGE_B ? most_B : MOST_IMAGE_B);
        none = size < MOST_IMAGE_B && size < most_B ? rewritten(image, size) : none;
    } else if (kind == IMAGE_FATBINARY) {
        none = packed(image, most_B);
    } else if (kind == IMAGE_CUBIN) {
        const char *text = compiled_code_text(image, most_B);
        if (text) {
            none = rewritten(text, strlen(text));
        } else {
            say_machine_code(machine_code_unchecked(image, most_B), "in a cubin");
        }
    }
    own_work_end(&work);
    return none;
}

struct checked_image checked_image_of(const void *image) {
    return checked_bytes(image, SIZE_MAX);
}

static void say_unread(int error) {
    const char *why = error == ENOMEM                      ? "there is no memory to read it"
                      : error == EMFILE || error == ENFILE ? "there is no descriptor to read it"
                      : error == EIO                       ? "it cannot be read whole"
                                                           : NULL;
    if (why) {
        report_message("the kernels of a file are not checked: %s", why);
    }
}

struct checked_image checked_image_of_file(const char *path) {
    struct checked_image image;
    memset(&image, 0, sizeof(image));
    if (settings()->check_kernels && path) {
        const struct own_work work = own_work_begin();
        size_t size_B = 0;
        char *text = image_file_text(path, &size_B);
        if (text) {
            image = checked_bytes(text, size_B);
            free(text);
        } else {
            say_unread(errno);
        }
        own_work_end(&work);
    }
    return image;
}

/* The image goes to the driver as it came, and no notes call it checked. */
static void leave_unchecked(struct checked_image *image, const char *why) {
    free(image->text);
    free(image->notes);
    image->text = NULL;
    image->notes = NULL;
    report_message("a PTX image is not checked: %s", why);
}

void checked_image_options(struct checked_image *image, void **value, unsigned count) {
    if (!image->text || !count) {
        return;
    }
    const struct own_work work = own_work_begin();
    image->option = value;
    image->options = count;
    image->option_before = calloc(count, sizeof(*value)); /* else no second call could be made */
    if (!image->option_before) {
        leave_unchecked(image, "there is no memory");
    } else if (read_carefully(image->option_before, value, count * sizeof(*value))) {
        leave_unchecked(image, "the call's options cannot be read");
    }
    own_work_end(&work);
}

void checked_image_library(struct checked_image *image, const uint32_t *option, unsigned count) {
    for (unsigned i = 0; image->text && i < count; i++) {
        uint32_t one = 0;
        image->preserved |= !read_carefully(&one, option + i, sizeof(one)) &&
                            one == SHIM_LIBRARY_BINARY_IS_PRESERVED;
    }
}

void checked_image_again(struct checked_image *image) {
    if (image->option_before) {
        memcpy(image->option, image->option_before, image->options * sizeof(*image->option));
    }
}

int checked_image_refused(struct checked_image *image, shim_result rc) {
    if (!image->text || rc == SHIM_SUCCESS) {
        return 0;
    }
    image->refused = rc;
    checked_image_again(image);
    return 1;
}

static void report_left(const struct checked_image *image) {
    struct report *report = report_begin();
    if (!report) {
        return;
    }
    report_line(report, "PTX image: %" PRIu32 " of %" PRIu32 " bulk copies are not checked:",
                image->count.found - image->count.checked, image->count.found);
    for (const char *line = image->notes; *line;) {
        const size_t length = strcspn(line, "\n");
        report_line(report, "  %.*s", (int)(length < MOST_NOTED ? length : MOST_NOTED), line);
        line += length + (line[length] == '\n');
    }
    report_end(report);
}

/* As the notes of tma ptxas; `image` in the place of `file`. */
static void append_notes(const struct checked_image *image) {
    static atomic_flag said = ATOMIC_FLAG_INIT;
    const char *path = settings()->check_notes;
    char *text = NULL;
    int error = ENOMEM;
    if (asprintf(&text, "image\n%stotal %" PRIu32 " found %" PRIu32 " checked\n", image->notes,
                 image->count.found, image->count.checked) >= 0) {
        error = append_file(path, text, strlen(text));
        free(text);
    }
    if (error && !atomic_flag_test_and_set(&said)) {
        report_message("LIBTMA_CHECK_NOTES=%.*s%s: notes cannot be written there (errno %d)",
                       VALUE_MOST, path, strlen(path) > VALUE_MOST ? "..." : "", error);
    }
}

/* Where the text with checks did not go in, nothing is checked. */
static void note_unused(struct checked_image *image) {
    char *longer = NULL;
    char refused[96] = "the program promises to keep the file's image as it is";
    if (image->refused) {
        snprintf(refused, sizeof(refused),
                 "the driver's compiler takes the image without checks alone: with them it "
                 "answered %u",
                 image->refused);
    }
    image->count.checked = 0;
    if (asprintf(&longer, "%s  left: %s\n", image->notes, refused) >= 0) {
        free(image->notes);
        image->notes = longer;
        image->notes_B = strlen(longer);
    }
}

void checked_image_end(struct checked_image *image, shim_result rc) {
    const struct own_work work = own_work_begin();
    if (image->notes && image->count.found && rc == SHIM_SUCCESS) {
        if (image->refused || image->unused) {
            note_unused(image);
        }
        if (settings()->check_notes) {
            append_notes(image);
        } else if (image->count.found != image->count.checked && !settings()->quiet &&
                   report_is_new(tma_hash(image->notes, image->notes_B))) {
            report_left(image);
        }
    }
    if (!image->preserved || image->refused || rc != SHIM_SUCCESS) {
        free(image->text);
        free(image->capped);
    }
    free(image->notes);
    free(image->option_before);
    own_work_end(&work);
}
