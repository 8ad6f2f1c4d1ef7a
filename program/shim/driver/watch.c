/* SPDX-License-Identifier: Apache-2.0
 *
 * Watching: libtma answers the same call beside the driver, and what differs is reported.
 */
#include "watch.h"

#include <stdatomic.h>
#include <string.h>

#include "careful_read.h"
#include "map_memory.h"
#include "own_work.h"
#include "record.h"
#include "report_encode.h"
#include "report_out.h"

static void say_unknown(const struct judged_target *target) {
    static atomic_flag said = ATOMIC_FLAG_INIT;
    if (!atomic_flag_test_and_set(&said)) {
        char text[TARGET_TEXT_BYTES];
        report_message("libtma does not know %s: calls are passed on, not judged",
                       target_text(target, text));
    }
}

shim_result watch_encoded(const struct encode_call *call, shim_result rc) {
    const struct own_work work = own_work_begin();
    if (rc != SHIM_SUCCESS) {
        record_look();
        map_memory_look(rc);
    }
    const struct judged_target target = target_of_device();
    tma_map made;
    const int known = target_is_known(&target);
    const int accepted = known && encode_call_accepted(call, &target.target, &made);
    tma_map written;
    const int has_map =
        rc == SHIM_SUCCESS && !read_carefully(written.bytes, call->map, sizeof(written));
    const struct encode_verdict verdict = {
        call, &target, rc, accepted, accepted ? &made : NULL, has_map ? written.bytes : NULL};
    if (has_map) {
        report_map_address(call->map);
        map_memory_made(&call->spec, &target.target);
    }
    if (rc == SHIM_SUCCESS && !known) {
        say_unknown(&target);
    } else if (!has_map || !accepted || memcmp(written.bytes, made.bytes, TMA_MAP_BYTES) != 0) {
        report_encode(&verdict);
    }
    own_work_end(&work);
    return rc;
}

/* A replaced address: the bytes are all that is known of the map. */
static void remember_map(const tma_map *map) {
    tma_decoded decoded;
    if (map_memory_is_wanted() && tma_decode(&decoded, map->bytes) == TMA_OK) {
        const struct judged_target target = target_of_device();
        map_memory_made(&decoded.spec, &target.target);
    }
}

shim_result watch_replaced(const struct replace_call *call, shim_result rc) {
    const struct own_work work = own_work_begin();
    tma_map made = call->before;
    const int accepted =
        call->readable && tma_replace_address(made.bytes, call->address, NULL) == TMA_OK;
    tma_map written;
    const int has_map = !read_carefully(written.bytes, call->map, sizeof(written));
    if (rc != SHIM_SUCCESS) {
        map_memory_look(rc);
    } else if (has_map) {
        remember_map(&written);
    }
    if (rc != SHIM_SUCCESS || !has_map || !accepted || replace_call_kills(call) ||
        memcmp(written.bytes, made.bytes, TMA_MAP_BYTES) != 0) {
        const struct judged_target target = target_of_device();
        report_replace(call, rc, accepted ? &made : NULL, has_map ? written.bytes : NULL, &target);
    }
    own_work_end(&work);
    return rc;
}

shim_result watch_classed(const struct class_call *call, shim_result rc) {
    const struct own_work work = own_work_begin();
    const struct judged_target target = target_of_device();
    const struct class_answer ours = class_call_answer(call, &target.target);
    tma_map written;
    uint32_t out = ours.in_effect;
    const int has_map = !read_carefully(written.bytes, call->map, sizeof(written));
    const int has_out = call->in_effect && !read_carefully(&out, call->in_effect, sizeof(out));
    const int same =
        has_map && !memcmp(written.bytes, ours.map.bytes, TMA_MAP_BYTES) && out == ours.in_effect;
    if (!target_is_known(&target)) {
        say_unknown(&target);
    } else if (rc != SHIM_SUCCESS || !ours.accepted || !same) {
        report_class(call, rc, &ours, has_map ? written.bytes : NULL, has_out ? &out : NULL,
                     &target);
    }
    own_work_end(&work);
    return rc;
}

shim_result watch_nothing_behind(enum shim_symbol symbol) {
    static atomic_flag said = ATOMIC_FLAG_INIT;
    if (!atomic_flag_test_and_set(&said)) {
        const char *name = symbol_name(symbol);
        if (real_driver()) {
            report_message("the driver has no %s to pass the call on to", name);
        } else {
            report_message("there is no driver to pass %s on to", name);
        }
    }
    return real_driver() ? SHIM_ERROR_NOT_SUPPORTED : SHIM_ERROR_STUB_LIBRARY;
}
