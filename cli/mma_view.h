/* SPDX-License-Identifier: Apache-2.0
 *
 * What tma mma and tma check --desc print.
 */
#ifndef CLI_MMA_VIEW_H
#define CLI_MMA_VIEW_H

#include "tma/mma_text.h"

/* The answer to a finished question, about a map or (null) a descriptor alone, in words or as JSON.
 * Returns 1 if there is something wrong or odd, or no descriptor. */
int mma_view(const tma_mma_question *question, const tma_spec *spec, int json);

#endif
