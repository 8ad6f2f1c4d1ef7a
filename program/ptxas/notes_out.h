/* SPDX-License-Identifier: Apache-2.0
 *
 * Notes into a file in memory (open_memstream), which may lack a part without ferror() knowing it:
 * the program ends where it cannot grow.
 */
#ifndef CLI_NOTES_OUT_H
#define CLI_NOTES_OUT_H

#include <stdio.h>

#include "tma/text.h"

tma_out notes_out(FILE *notes);
TMA_FORMAT(2, 3) void notes_put(FILE *notes, const char *format, ...);

#endif
