/* SPDX-License-Identifier: Apache-2.0
 *
 * What tma capture and the library in the program both know.
 */
#ifndef SHIM_CAPTURE_LIMITS_H
#define SHIM_CAPTURE_LIMITS_H

#include <stdint.h>

#define CAPTURE_MOST_LAUNCHES 99999u
/* Twice as many digits, and the PTX, have room in the largest file that tma emulate reads. */
#define CAPTURE_MOST_MEMORY_B (UINT64_C(384) << 20)

#endif
