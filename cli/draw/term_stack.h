/* SPDX-License-Identifier: Apache-2.0
 *
 * A screen of letters line by line, no wider than a terminal.
 */
#ifndef CLI_TERM_STACK_H
#define CLI_TERM_STACK_H

#include <stdio.h>

#include "term_screen.h"

/* Prints the screen; panels side by side that have no room in `columns` (0: there is any) go one
 * below the other. Returns the columns that it took; null `out`: prints nothing. */
int32_t term_stack(FILE *out, const term_screen *s, int32_t columns, int colored);

#endif
