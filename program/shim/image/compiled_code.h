/* SPDX-License-Identifier: Apache-2.0
 *
 * Machine code whose PTX is known, because NVRTC or nvJitLink made it in this process: that PTX can
 * go into the driver in its place, with checks.
 */
#ifndef SHIM_COMPILED_CODE_H
#define SHIM_COMPILED_CODE_H

#include <stddef.h>

/* Keeps a copy of the PTX, a text of `text_B` bytes, for a cubin. Nothing is kept of what is kept
 * already, or beyond 256 MiB in all. */
void compiled_code_keep(const void *cubin, size_t cubin_B, const char *text, size_t text_B);

/* The PTX of an image, with a 0 behind it, or null; `most_B`: how much there is of the image,
 * SIZE_MAX where nobody said. It stays for as long as the process runs. */
const char *compiled_code_text(const void *image, size_t most_B);

#endif
