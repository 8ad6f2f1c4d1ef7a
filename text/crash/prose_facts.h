/* SPDX-License-Identifier: Apache-2.0
 *
 * Values that sentences give a map.
 */
#ifndef TMA_PROSE_FACTS_H
#define TMA_PROSE_FACTS_H

#include "paste_parts.h"
#include "tma/crash.h"

/* What values that a part of a line names together break, if they break a rule; `dtype` is the type
 * that the text names, or UINT32_MAX. */
int prose_combo(const paste_line *line, size_t at, size_t end, uint32_t dtype, tma_crash_fact *out);

#endif
