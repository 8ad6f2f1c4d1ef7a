/* SPDX-License-Identifier: Apache-2.0
 *
 * A spec as a case line, for the messages of a failing test: what is printed can be replayed.
 */
#ifndef TESTS_SPEC_LINE_H
#define TESTS_SPEC_LINE_H

#include <tma/spec.h>

#define SPEC_LINE_BYTES 1024

/* Writes the line to `text` and returns it. Entries at or beyond the rank are left out. */
char *spec_line(const tma_spec *spec, const tma_target *target, char text[SPEC_LINE_BYTES]);

#endif
