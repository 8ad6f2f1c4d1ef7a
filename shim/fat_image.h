/* SPDX-License-Identifier: Apache-2.0
 *
 * Fatbinaries: what a compiler packs for several targets.
 */
#ifndef SHIM_FAT_IMAGE_H
#define SHIM_FAT_IMAGE_H

#include <stddef.h>

/* The text where a fatbinary, or what the CUDA runtime wraps around one, holds one PTX file, not
 * compressed, and nothing else: then it is what the driver compiles. Null for all others; memory
 * that is not there, or beyond `most_B` (SIZE_MAX: nobody said), is one of those. */
const char *fat_image_ptx(const void *given, size_t most_B, size_t *size_B);

#endif
