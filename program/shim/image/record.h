/* SPDX-License-Identifier: Apache-2.0
 *
 * Where kernels with checks leave what they found (tma/judge_record.h; tma ptxas
 * --on-fault=record), for programs that ask for it: LIBTMA_RECORD.
 */
#ifndef SHIM_RECORD_H
#define SHIM_RECORD_H

#include "loaded_kernels.h"

/* Tells kernels that have checks where the record is. Called on the thread that loads, with the
 * context that it has, after the driver's success; a library may be loaded without a context: the
 * call comes again whenever a kernel or the module of it is asked for. errno is the caller's care.
 * Changes nothing else: no stream of the program's is waited for, a capture goes on. */
void record_loaded(const struct loaded_kernels *kernels);

/* Reports a record, once, where this library is who reads it. */
void record_look(void);

/* Whether a kernel was ended for a rule, or a wait, that the record names. */
int record_explains(void);

#endif
