/* SPDX-License-Identifier: Apache-2.0
 *
 * A spec as a case line, for the message of a failing test: what is printed can be replayed.
 */
#ifndef TESTS_SPEC_LINE_H
#define TESTS_SPEC_LINE_H

#include <tma/case.h>

#define SPEC_LINE_BYTES 1024

static inline char *spec_line(const tma_spec *spec, const tma_target *target,
                              char text[SPEC_LINE_BYTES]) {
    tma_out out = tma_out_into(text, SPEC_LINE_BYTES);
    tma_put_case(&out, "enc", spec, target);
    return text;
}

#endif
