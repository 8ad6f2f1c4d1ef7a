/* SPDX-License-Identifier: Apache-2.0
 *
 * The memory of the copies on a real GPU, and what is done around each launch (device_copy.cu).
 */
#ifndef HARDWARE_DEVICE_MEMORY_H
#define HARDWARE_DEVICE_MEMORY_H

#include "device.h"

struct device_memory {
    uint8_t *global;
    uint8_t *windows;
    uint8_t *global_host;
    uint8_t *windows_host;
    struct device_copied *copied;
    struct device_copied *copied_host;
    struct device_copy *copies;
    tma_map *maps;
    uint64_t global_B, windows_B; /* in use */
    uint64_t global_room_B, windows_room_B;
    size_t room;
};

extern struct device_memory device_memory;

/* Gives the device copies and maps, and fills the slices of global memory. */
const char *device_memory_prepare(const struct device_copy *copies, const tma_map *maps,
                                  size_t count);

/* Brings back what the launch left. */
const char *device_memory_fetch(size_t results);

#endif
