/* SPDX-License-Identifier: Apache-2.0
 *
 * The 128 bytes with their fields: which bytes and bits hold which.
 */
#ifndef CLI_RULER_H
#define CLI_RULER_H

#include <stdio.h>

#include "color.h"
#include "tma/view.h"

void ruler(FILE *out, const tma_judged *judged, const color_set *colors);

#endif
