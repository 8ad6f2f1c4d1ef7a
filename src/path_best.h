/* SPDX-License-Identifier: Apache-2.0
 *
 * The widest path of this machine.
 */
#ifndef TMA_PATH_INTERNAL_H
#define TMA_PATH_INTERNAL_H

#include "tma/path.h"

#if defined(__x86_64__) && defined(__GNUC__)
#define TMA_HAS_AVX 1
#endif

uint32_t tma_path_best(void);

#endif
