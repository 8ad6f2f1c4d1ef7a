/* SPDX-License-Identifier: Apache-2.0
 *
 * What a program gives the driver to load: which kind, how much of it there is.
 */
#ifndef SHIM_IMAGE_BYTES_H
#define SHIM_IMAGE_BYTES_H

#include <stddef.h>
#include <stdint.h>

#define MOST_IMAGE_B (UINT64_C(1) << 30)

enum image_kind { IMAGE_UNKNOWN, IMAGE_PTX, IMAGE_CUBIN, IMAGE_FATBINARY };

/* `most_B`: how much there is; SIZE_MAX where nobody said. */
enum image_kind image_kind_of(const uint8_t *image, size_t most_B);

/* Up to the 0; `most` where none comes before, or memory ends. */
size_t image_text_size(const char *text, size_t most);

/* A file's text with a 0 behind it, and its size with that; or null, and errno says why, 0 where it
 * is no file that could hold PTX. The caller's to free. */
char *image_file_text(const char *path, size_t *size_B);

#endif
