/* SPDX-License-Identifier: Apache-2.0
 *
 * A launch of a PTX text executed, by the calls that tma emulate makes.
 */
#ifndef PAGE_EMULATE_ANSWER_H
#define PAGE_EMULATE_ANSWER_H

#include "emulate_memory.h"
#include "run_session.h"

/* Into `out` one JSON object: {"error"}; or {"emulate"} as tma emulate --json has it, {"text"} as
 * it prints it, {"printed"} by the kernel, and {"witness"}: the accesses of each finding by
 * execution, in words. The PTX has to stay. */
void emulate_run(tma_out *out, const char *ptx, size_t ptx_B, const char *options,
                 size_t options_B);

/* Of the run before: {"svg"}, tma draw timeline's picture of its trace, one for each theme; or
 * {"error"}. */
void emulate_timeline(tma_out *out);

#endif
