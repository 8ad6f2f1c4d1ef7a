/* SPDX-License-Identifier: Apache-2.0
 *
 * Colours of the terminal, where one is. --color=auto|always|never, NO_COLOR in the environment.
 */
#ifndef CLI_COLOR_H
#define CLI_COLOR_H

#include <stdio.h>

#include "tma/text.h"

typedef enum color_mode { COLOR_AUTO, COLOR_ALWAYS, COLOR_NEVER } color_mode;

/* Strings to print around text; empty without colours. */
typedef struct color_set {
    const char *severity[3]; /* by tma_severity */
    const char *good;
    const char *bold;
    const char *dim;
    const char *end;
} color_set;

/* Null text (a bare --color) is always. */
int color_mode_named(const char *text, color_mode *mode, tma_error *error);

color_set colors_for(FILE *out, color_mode mode);

#endif
