/* SPDX-License-Identifier: Apache-2.0
 *
 * The stand-in's answers: libtma's, for the target that the environment names.
 */
#include "stand_in.h"

#include <string.h>

#include "class_call.h"
#include "own_work.h"
#include "replace_call.h"
#include "report_encode.h"
#include "settings.h"

shim_result stand_in_encode(const struct encode_call *call, void *map) {
    const struct judged_target target = target_of_settings();
    tma_map made;
    if (settings()->wrong) {
        return SHIM_ERROR_INVALID_VALUE;
    }
    const int accepted = encode_call_accepted(call, &target.target, &made);
    if (accepted && map) {
        memcpy(map, made.bytes, TMA_MAP_BYTES);
        const struct own_work remark = own_work_begin();
        report_map_address(map);
        own_work_end(&remark);
        return SHIM_SUCCESS;
    }
    const struct encode_verdict verdict = {call,     &target, SHIM_ERROR_INVALID_VALUE,
                                           accepted, NULL,    NULL};
    const struct own_work work = own_work_begin();
    report_encode(&verdict);
    own_work_end(&work);
    return SHIM_ERROR_INVALID_VALUE;
}

shim_result stand_in_replace(void *map, const void *address) {
    if (settings()->wrong) {
        return SHIM_ERROR_INVALID_VALUE;
    }
    const struct replace_call call = replace_call_begin(map, address);
    const int taken = map && tma_replace_address(map, (uint64_t)(uintptr_t)address, NULL) == TMA_OK;
    const shim_result rc = taken ? SHIM_SUCCESS : SHIM_ERROR_INVALID_VALUE;
    if (!taken || replace_call_kills(&call)) {
        const struct judged_target target = target_of_settings();
        const struct own_work work = own_work_begin();
        const uint8_t *after = taken ? map : call.readable ? call.before.bytes : NULL;
        report_replace(&call, rc, taken ? map : NULL, after, &target);
        own_work_end(&work);
    }
    return rc;
}

shim_result stand_in_class(void *map, uint32_t allocation_class, uint32_t *in_effect) {
    const struct judged_target target = target_of_settings();
    if (settings()->wrong) {
        return SHIM_ERROR_INVALID_VALUE;
    }
    if (map &&
        tma_set_allocation_class(map, allocation_class, in_effect, &target.target) == TMA_OK) {
        return SHIM_SUCCESS;
    }
    if (!map && in_effect) {
        *in_effect = TMA_CLASS_SMALL;
    }
    const struct class_call call = class_call_begin(map, allocation_class, in_effect);
    const struct class_answer ours = class_call_answer(&call, &target.target);
    const struct own_work work = own_work_begin();
    report_class(&call, SHIM_ERROR_INVALID_VALUE, &ours, call.readable ? call.before.bytes : NULL,
                 in_effect, &target);
    own_work_end(&work);
    return SHIM_ERROR_INVALID_VALUE;
}
