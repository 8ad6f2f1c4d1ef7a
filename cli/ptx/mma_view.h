/* SPDX-License-Identifier: Apache-2.0
 *
 * What tma mma and tma check --desc print.
 */
#ifndef CLI_MMA_VIEW_H
#define CLI_MMA_VIEW_H

#include "tma/mma_text.h"

/* The answer to a finished question, about a map or (null) a descriptor alone, in words or as JSON.
 * Returns what tma_put_mma_answer() does. */
int mma_view(const tma_mma_question *question, const tma_spec *spec, const tma_target *target,
             int json);

#endif
