/* SPDX-License-Identifier: Apache-2.0
 *
 * A program's own function that hears of refused encode calls, and says where in the program's
 * language each was made: the Python package's, of a Python line.
 */
#ifndef SHIM_CALLER_H
#define SHIM_CALLER_H

#include <stddef.h>

#include "driver_abi.h"

#define WHERE_BYTES 1024

/* `line` is the call as a case line, "" of one that no case line can say. Writes where the call was
 * made into `where`, as text with a null character behind it. Answers whether it is reported. */
typedef int libtma_cuda_told(const char *call, shim_result rc, const char *line, char *where,
                             size_t where_B);

/* From now on it hears, in the thread that made the call, of each call that any answers; null: no
 * longer. It runs within the call: what it locks, no other thread may hold across one. */
SHIM_EXPORT void libtma_cuda_tell(libtma_cuda_told *told);

/* The one that was given last, or null. */
libtma_cuda_told *caller_told(void);

#endif
