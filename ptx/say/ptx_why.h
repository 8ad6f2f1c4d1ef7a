/* SPDX-License-Identifier: Apache-2.0
 *
 * Why a register holds what it holds: the instructions and meetings of ways that prove it.
 */
#ifndef PTX_PTX_WHY_H
#define PTX_PTX_WHY_H

#include "ptx_sites.h"
#include "tma/text.h"

/* Writes, for each kernel (or function that nothing of the file calls) that runs an instruction of
 * this line, and each way of calls to it: its registers' values, and below them, in the file's
 * order, the steps that lead to them. How many were written; -1: there is no memory. */
int ptx_why_put(tma_out *out, ptx_report *report, size_t line);

#endif
