/* SPDX-License-Identifier: Apache-2.0
 *
 * For which architecture and driver a call is judged.
 */
#ifndef SHIM_JUDGED_TARGET_H
#define SHIM_JUDGED_TARGET_H

#include "tma/spec.h"

struct judged_target {
    tma_target target; /* .sm may be one that libtma does not know */
    int assumed;       /* no device could be asked: sm_90 was taken */
};

/* What the environment names. */
struct judged_target target_of_settings(void);

/* What the environment names; without it, the driver's version and the device of the current
 * context, or device 0 where none is current. */
struct judged_target target_of_device(void);

/* Ten times the compute capability of that device, whatever the environment names; 0: the driver
 * does not say. */
uint16_t device_architecture(void);

/* Whether libtma can judge for it. */
int target_is_known(const struct judged_target *target);

#define TARGET_TEXT_BYTES 96

/* "sm_90, driver 13.0", and that it was assumed if so. */
const char *target_text(const struct judged_target *target, char text[TARGET_TEXT_BYTES]);

#endif
