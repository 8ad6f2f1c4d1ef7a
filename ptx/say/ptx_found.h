/* SPDX-License-Identifier: Apache-2.0
 *
 * What tma ptx finds in a file, as lines of the notes of tma ptxas and libtma-cuda.so.
 */
#ifndef PTX_PTX_FOUND_H
#define PTX_PTX_FOUND_H

#include <stdio.h>

#include "ptx_reading.h"

/* What stands around a finding's words in such a line, for those who read it again. */
#define PTX_FOUND_LINE    "  line "
#define PTX_FOUND_KERNEL  "kernel "
#define PTX_FOUND_CERTAIN ", certain: "
#define PTX_FOUND_MAY     ", may: "
#define PTX_FOUND_NOT     "  not judged: "

/* "  line 40, kernel.cu:12, kernel k: ptx-fence, certain: ..." for each finding; `may` where it is
 * not certain; then a line for each kernel that was too large to be judged to its end. -1: there is
 * no memory, or nothing can be written. */
int ptx_note_findings(FILE *notes, const char *text, size_t size);
int ptx_note_findings_of(FILE *notes, const ptx_reading *reading);

#endif
