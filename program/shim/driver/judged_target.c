/* SPDX-License-Identifier: Apache-2.0
 *
 * The target: the environment's, or the device's.
 */
#include "judged_target.h"

#include <stdatomic.h>
#include <stddef.h>
#include <stdio.h>

#include "real_driver.h"
#include "settings.h"

#define MOST_DEVICES 64

struct judged_target target_of_settings(void) {
    const struct judged_target target = {settings()->target, 0};
    return target;
}

static int attribute(int which, int device) {
    shim_attribute_call *ask = (shim_attribute_call *)real_function(AT_cuDeviceGetAttribute);
    int value = 0;
    return ask && ask(&value, which, device) == SHIM_SUCCESS ? value : 0;
}

/* Ten times the compute capability, as in sm_90; 0 if the driver does not say. */
static uint16_t architecture(int device) {
    static _Atomic(uint16_t) cache[MOST_DEVICES];
    const int cached = device >= 0 && device < MOST_DEVICES;
    uint16_t sm = cached ? atomic_load_explicit(&cache[device], memory_order_relaxed) : 0;
    if (!sm) {
        const int major = attribute(SHIM_ATTRIBUTE_MAJOR, device);
        sm = (uint16_t)(major ? major * 10 + attribute(SHIM_ATTRIBUTE_MINOR, device) : 0);
        if (cached) {
            atomic_store_explicit(&cache[device], sm, memory_order_relaxed);
        }
    }
    return sm;
}

static int current_device(void) {
    shim_device_call *ask = (shim_device_call *)real_function(AT_cuCtxGetDevice);
    int device = 0;
    return ask && ask(&device) == SHIM_SUCCESS ? device : 0;
}

static uint32_t driver_version(void) {
    static _Atomic(uint32_t) cache;
    uint32_t version = atomic_load_explicit(&cache, memory_order_relaxed);
    if (!version) {
        shim_version_call *ask = (shim_version_call *)real_function(AT_cuDriverGetVersion);
        int answer = 0;
        if (ask && ask(&answer) == SHIM_SUCCESS && answer > 0) {
            version = (uint32_t)answer;
            atomic_store_explicit(&cache, version, memory_order_relaxed);
        }
    }
    return version;
}

uint16_t device_architecture(void) {
    return architecture(current_device());
}

struct judged_target target_of_device(void) {
    struct judged_target target = target_of_settings();
    if (!settings()->has_arch) {
        const uint16_t sm = device_architecture();
        target.assumed = !sm;
        target.target.sm = sm ? sm : target.target.sm;
    }
    if (!settings()->has_driver) {
        const uint32_t version = driver_version();
        target.target.driver = version ? version : target.target.driver;
    }
    return target;
}

int target_is_known(const struct judged_target *target) {
    return tma_arch_of(&target->target) != NULL;
}

const char *target_text(const struct judged_target *target, char text[TARGET_TEXT_BYTES]) {
    const tma_target *t = &target->target;
    snprintf(text, TARGET_TEXT_BYTES, "sm_%u, driver %u.%u%s", t->sm, (unsigned)t->driver / 1000,
             (unsigned)t->driver % 1000 / 10,
             target->assumed ? " (assumed: no device could be asked)" : "");
    return text;
}
