/* SPDX-License-Identifier: Apache-2.0
 *
 * Reports about cuTensorMapSetAllocationClass.
 */
#include "class_call.h"

#include <string.h>

#include "careful_read.h"
#include "driver_errors.h"
#include "report_map.h"
#include "settings.h"
#include "tma/pattern.h"

struct class_call class_call_begin(const void *map, uint32_t allocation_class,
                                   const uint32_t *in_effect) {
    struct class_call call;
    memset(&call, 0, sizeof(call));
    call.map = map;
    call.allocation_class = allocation_class;
    call.in_effect = in_effect;
    call.readable = map && !read_carefully(call.before.bytes, map, TMA_MAP_BYTES);
    return call;
}

struct class_answer class_call_answer(const struct class_call *call, const tma_target *target) {
    struct class_answer answer;
    memset(&answer, 0, sizeof(answer));
    answer.map = call->before;
    answer.accepted =
        tma_set_allocation_class(call->readable ? answer.map.bytes : NULL, call->allocation_class,
                                 &answer.in_effect, target) == TMA_OK;
    return answer;
}

static const char *name_of(uint32_t allocation_class) {
    const tma_enum_row *row = tma_enum_row_of(TMA_ENUM_CLASS, allocation_class);
    return row ? row->name : "no class";
}

static void report_refusal(struct report *report, const struct class_call *call) {
    if (!call->readable) {
        report_no_map(report, call->map, "no map is there");
    }
    if (!tma_enum_row_of(TMA_ENUM_CLASS, call->allocation_class)) {
        report_line(report, "  refused: allocClass = %u, must be 0 (%s), 1 (%s) or 2 (%s)",
                    call->allocation_class, name_of(TMA_CLASS_AUTO), name_of(TMA_CLASS_SMALL),
                    name_of(TMA_CLASS_LARGE));
    }
}

static void report_success(struct report *report, const struct class_call *call,
                           const struct class_answer *ours, const uint8_t *after,
                           const uint32_t *out) {
    if (!ours->accepted) {
        report_taken(report);
        report_refusal(report, call);
        return;
    }
    if (!after) {
        report_no_map(report, call->map, "the map is no longer there");
    } else if (memcmp(after, ours->map.bytes, TMA_MAP_BYTES) != 0) {
        report_differences(report, after, ours->map.bytes);
    }
    if (out && *out != ours->in_effect) {
        report_line(report, "  *outAllocClass: the driver's %u (%s), libtma's %u (%s)", *out,
                    name_of(*out), ours->in_effect, name_of(ours->in_effect));
    }
}

static void report_body(struct report *report, const struct class_call *call, shim_result rc,
                        const struct class_answer *ours, const uint8_t *after,
                        const uint32_t *out) {
    if (rc == SHIM_SUCCESS) {
        report_success(report, call, ours, after, out);
    } else if (rc == SHIM_ERROR_INVALID_VALUE && ours->accepted) {
        report_unknown_rule(report);
    } else if (rc == SHIM_ERROR_INVALID_VALUE) {
        report_refusal(report, call);
    } else {
        report_other_error(report, rc,
                           ours->accepted ? "the arguments are fine"
                                          : "the arguments break rules, too");
    }
}

static uint64_t key_of(const struct class_call *call, shim_result rc) {
    const uint64_t rest[] = {call->allocation_class, rc, call->readable, 0xC1A55};
    return tma_scramble(tma_hash(call->before.bytes, TMA_MAP_BYTES)) ^ tma_hash(rest, sizeof(rest));
}

void report_class(const struct class_call *call, shim_result rc, const struct class_answer *ours,
                  const uint8_t *after, const uint32_t *out, const struct judged_target *target) {
    char map[2 * TMA_MAP_BYTES + 1];
    struct report *report =
        !settings()->quiet && report_is_new(key_of(call, rc)) ? report_begin() : NULL;
    if (!report) {
        return;
    }
    report_answered(report, "cuTensorMapSetAllocationClass", rc, target, 1);
    report_body(report, call, rc, ours, after, out);
    if (call->readable) {
        tma_out line = tma_out_into(map, sizeof(map));
        tma_put_hex_bytes(&line, call->before.bytes, TMA_MAP_BYTES);
        report_line(report, "  allocClass = %u (%s), the map was %s", call->allocation_class,
                    name_of(call->allocation_class), map);
    }
    report_end(report);
}
