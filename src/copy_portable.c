/* SPDX-License-Identifier: Apache-2.0
 *
 * The portable loops: vectors of 16 bytes, which every compiler turns into what the machine has.
 */
#include <string.h>

#include "copy_kernels.h"
#include "tma/element.h"

#define TMA_W          16
#define TMA_NAME(name) portable_##name
#include "copy_chunks.h"
#include "copy_reduce.h"
#undef TMA_NAME
#undef TMA_W

const tma_kernels tma_kernels_portable = {portable_load, portable_store, portable_fill,
                                          portable_reduce, portable_expand};
