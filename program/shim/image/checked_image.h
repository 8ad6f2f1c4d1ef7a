/* SPDX-License-Identifier: Apache-2.0
 *
 * PTX on its way into the driver's compiler, with a check before each tensor copy where
 * LIBTMA_CHECK_KERNELS asks for that. A driver that does not take it so gets what the program gave.
 */
#ifndef SHIM_CHECKED_IMAGE_H
#define SHIM_CHECKED_IMAGE_H

#include "driver_abi.h"
#include "ptx_rewrite.h"

struct checked_image {
    char *text;   /* what goes in instead; null: what the program gave goes in */
    char *capped; /* that with bounds for registers, where it needs them (capped_image.h) */
    char *notes;
    size_t notes_B;
    ptx_rewrite_count count;
    int preserved;       /* whether the driver may read the text behind the call */
    int unused;          /* the text cannot go in through this call */
    shim_result refused; /* the driver's answer to the text, if that was no success */
    void **option;       /* options' values, which the driver writes to, and as they were */
    void **option_before;
    size_t options;
};

/* An image in memory, which may be anything that a driver takes; a file. errno stays. */
struct checked_image checked_image_of(const void *image);
struct checked_image checked_image_of_file(const char *path);

/* Keeps the values of a call's options for a second one. */
void checked_image_options(struct checked_image *image, void **value, unsigned count);

/* A library's options: with CU_LIBRARY_BINARY_IS_PRESERVED the driver goes on reading what it got,
 * and the text stays for as long as the process runs. */
void checked_image_library(struct checked_image *image, const uint32_t *option, unsigned count);

/* Options' values as they were, for another call. */
void checked_image_again(struct checked_image *image);

/* After the driver's answer to the text: whether the program's own image is to go in, too. */
int checked_image_refused(struct checked_image *image, shim_result rc);

/* After the last call, whose answer was `rc`: says what was left without checks, and frees. errno
 * stays. */
void checked_image_end(struct checked_image *image, shim_result rc);

#endif
