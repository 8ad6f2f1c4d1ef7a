/* SPDX-License-Identifier: Apache-2.0
 *
 * Fatbinaries: what a compiler packs for several targets.
 */
#ifndef SHIM_FAT_IMAGE_H
#define SHIM_FAT_IMAGE_H

#include <stddef.h>

/* One file in a fatbinary. */
struct fat_file {
    const char *at;
    size_t size_B;     /* as it lies there, */
    size_t unpacked_B; /* and what a compressed one becomes; 0: it is not compressed */
    int is_ptx;        /* else machine code */
    int is_alone;
};

/* File `which`, from 0 on, of a fatbinary or of what the CUDA runtime wraps around one. 0: there is
 * none; memory that is not there, or beyond `most_B` (SIZE_MAX: nobody said), has none. */
int fat_image_file(struct fat_file *to, const void *given, size_t most_B, unsigned which);

/* Unpacks a file that is compressed as nvcc 12.9 and 13.0 do it (Zstandard, RFC 8878) with the
 * system's libzstd.so.1, and puts a 0 behind it. The caller's to free; null: it cannot. */
char *fat_image_unpacked(const struct fat_file *file);

/* Whether there is one. */
int fat_image_has_unpacker(void);

#endif
