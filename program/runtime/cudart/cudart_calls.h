/* SPDX-License-Identifier: Apache-2.0
 *
 * What all calls of the runtime do: the device's primary context is the thread's, an error is kept.
 */
#ifndef CUDART_CALLS_H
#define CUDART_CALLS_H

#include "emulated_program.h"

/* Keeps an error for cudaGetLastError, and returns it. */
cuda_error cudart_result(cuda_error error);
/* The same of what a kernel that died left. */
cuda_error cudart_state(void);

#endif
