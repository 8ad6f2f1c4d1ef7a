/* SPDX-License-Identifier: Apache-2.0
 *
 * Registers of kernels that go to the driver's compiler with checks, where their PTX has no block
 * size: as many as any block that launches without checks can have (ptx_cap.h).
 */
#ifndef SHIM_CAPPED_IMAGE_H
#define SHIM_CAPPED_IMAGE_H

#include "checked_image.h"
#include "loaded_kernels.h"

/* Loads a text, or with null the program's own image, into *to. */
struct image_load {
    shim_result (*load)(const void *call, const char *text, struct loaded_kernels *to);
    const void *call;
};

/* After the driver took an image with checks. Where a kernel has too many registers for that, it
 * goes out, the image's text gets a bound, and is loaded again; the answer is the last load's, and
 * *loaded what it brought. For that the program's own image is loaded and taken out again. */
shim_result capped_image(struct checked_image *image, const struct image_load *load,
                         struct loaded_kernels *loaded);

#endif
