/* SPDX-License-Identifier: Apache-2.0
 *
 * tma ptx --emulate: kernels that need no values, executed.
 */
#ifndef CLI_PTX_EMULATE_H
#define CLI_PTX_EMULATE_H

#include <stddef.h>

/* Executes each kernel of a PTX text of which nothing has to be invented, and prints what came of
 * it; of the others, what they lack. Whether there is a finding (with certain_only: a certain one);
 * -1 for a text that is not executed at all, which is said. */
int ptx_emulate(const char *path, const char *text, size_t size, int certain_only, int raw_names);

#endif
