/* SPDX-License-Identifier: Apache-2.0
 *
 * What tma ptx finds in a file, as lines of the notes of tma ptxas and libtma-cuda.so.
 */
#ifndef PTX_PTX_FOUND_H
#define PTX_PTX_FOUND_H

#include <stdio.h>

/* "  line 40, kernel.cu:12, kernel k: ptx-fence, certain: ..." for each finding; `may` where it is
 * not certain. -1: there is no memory, or nothing can be written. */
int ptx_note_findings(FILE *notes, const char *text, size_t size);

#endif
