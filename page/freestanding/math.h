/* SPDX-License-Identifier: Apache-2.0
 *
 * All of math.h that the emulator has.
 */
#ifndef PAGE_MATH_H
#define PAGE_MATH_H

#define HUGE_VAL __builtin_huge_val()

#endif
