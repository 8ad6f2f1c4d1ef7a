/* SPDX-License-Identifier: Apache-2.0
 *
 * One device, LIBTMA_ARCH's, whose context is current and whose memory is everywhere.
 */
#include "stand_in_device.h"

#include <string.h>

#include "driver_abi.h"
#include "settings.h"

static shim_result context_get_current(struct CUctx_st **pctx) {
    static char context; /* an address that is no driver's */
    if (!pctx) {
        return SHIM_ERROR_INVALID_VALUE;
    }
    *pctx = (struct CUctx_st *)(void *)&context;
    return SHIM_SUCCESS;
}

/* CUDA 13's takes a context, too, which callers of before leave out. */
static shim_result context_get_device(int *device, struct CUctx_st *context) {
    (void)context;
    if (!device) {
        return SHIM_ERROR_INVALID_VALUE;
    }
    *device = 0;
    return SHIM_SUCCESS;
}

static shim_result device_get_attribute(int *value, uint32_t attribute, int device) {
    const int sm = (int)settings()->target.sm;
    if (!value || device != 0 ||
        (attribute != SHIM_ATTRIBUTE_MAJOR && attribute != SHIM_ATTRIBUTE_MINOR)) {
        return SHIM_ERROR_INVALID_VALUE;
    }
    *value = attribute == SHIM_ATTRIBUTE_MAJOR ? sm / 10 : sm % 10;
    return SHIM_SUCCESS;
}

static shim_result pointer_get_attribute(void *data, uint32_t attribute, uint64_t pointer) {
    const uint32_t device_memory = SHIM_DEVICE_MEMORY;
    if (!data || !pointer) {
        return SHIM_ERROR_INVALID_VALUE;
    }
    if (attribute == SHIM_POINTER_MEMORY_TYPE) {
        memcpy(data, &device_memory, sizeof(device_memory));
    } else if (attribute == SHIM_POINTER_DEVICE_ORDINAL || attribute == SHIM_POINTER_IS_MANAGED) {
        memset(data, 0, sizeof(int)); /* a CUdevice; an unsigned */
    } else {
        return SHIM_ERROR_INVALID_VALUE;
    }
    return SHIM_SUCCESS;
}

static shim_result pointer_get_attributes(uint32_t count, const uint32_t *attributes, void **data,
                                          uint64_t pointer) {
    if (!attributes || !data) {
        return SHIM_ERROR_INVALID_VALUE;
    }
    for (uint32_t i = 0; i < count; i++) {
        if (pointer_get_attribute(data[i], attributes[i], pointer)) {
            return SHIM_ERROR_INVALID_VALUE;
        }
    }
    return SHIM_SUCCESS;
}

void *stand_in_device_call(const char *name, int *since) {
    static const struct {
        const char *name;
        int since; /* as cudaTypedefs.h has it */
        void (*call)(void);
    } calls[] = {
        {"cuCtxGetCurrent", 4000, (void (*)(void))context_get_current},
        {"cuCtxGetDevice", 2000, (void (*)(void))context_get_device},
        {"cuDeviceGetAttribute", 2000, (void (*)(void))device_get_attribute},
        {"cuPointerGetAttribute", 4000, (void (*)(void))pointer_get_attribute},
        {"cuPointerGetAttributes", 7000, (void (*)(void))pointer_get_attributes},
    };
    for (size_t i = 0; i < sizeof(calls) / sizeof(*calls); i++) {
        if (!strcmp(name, calls[i].name)) {
            void *address;
            memcpy(&address, &calls[i].call, sizeof(address)); /* as dlsym's */
            *since = calls[i].since;
            return address;
        }
    }
    return NULL;
}
