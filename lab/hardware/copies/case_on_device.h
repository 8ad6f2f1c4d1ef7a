/* SPDX-License-Identifier: Apache-2.0
 *
 * What the device is told of a case, and the memory that the case begins with.
 */
#ifndef HARDWARE_CASE_ON_DEVICE_H
#define HARDWARE_CASE_ON_DEVICE_H

#include "device.h"
#include "random_copies.h"

/* One side's memory. */
struct memory {
    uint8_t *global;
    uint8_t *window;
};

/* The case for a device; where its memory and its window begin is 0. */
struct device_copy case_on_device(const struct copy_case *copy);

/* Fills both with what they hold before the copy. */
void case_fill_memory(const struct copy_case *copy, const struct memory *memory);

#endif
