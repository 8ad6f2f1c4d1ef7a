/* SPDX-License-Identifier: Apache-2.0
 *
 * Handles that a program gives back. A CUmodule is a CUlibrary, a CUfunction a CUkernel.
 */
#ifndef LIBCUDA_HANDLES_H
#define LIBCUDA_HANDLES_H

#include "emulated_program.h"

/* Whether it is loaded. */
int libcuda_is_module(const program_module *m);
/* The kernel behind a CUfunction or CUkernel; null: it is none. */
program_kernel *libcuda_kernel(void *handle);

#endif
