/* SPDX-License-Identifier: Apache-2.0
 *
 * Numbers that a report's sentences give a map (tma_crash_facts), judged.
 */
#ifndef CLI_FACT_VIEW_H
#define CLI_FACT_VIEW_H

#include "check_view.h"
#include "tma/crash.h"

/* Those of a text, `before` as for crash_text(); returns how many. */
size_t fact_text(const check_view *view, const char *label, const char *text, size_t size,
                 size_t before);

#endif
