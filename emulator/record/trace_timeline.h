/* SPDX-License-Identifier: Apache-2.0
 *
 * A trace read for a picture: tma draw timeline.
 */
#ifndef EMULATOR_TRACE_TIMELINE_H
#define EMULATOR_TRACE_TIMELINE_H

#include "ptx_memory.h"
#include "tma/draw.h"
#include "tma/text.h"

/* What a trace says; its memory is the arena's. -1 and *error: it is none, with the line. */
int trace_timeline(tma_timeline *out, ptx_memory *memory, const char *text, size_t size,
                   tma_error *error);

#endif
