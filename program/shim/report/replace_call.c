/* SPDX-License-Identifier: Apache-2.0
 *
 * Reports about cuTensorMapReplaceAddress.
 */
#include "replace_call.h"

#include <inttypes.h>
#include <string.h>

#include "careful_read.h"
#include "report_map.h"
#include "settings.h"
#include "tma/check.h"
#include "tma/limits.def"
#include "tma/pattern.h"

struct replace_call replace_call_begin(const void *map, const void *address) {
    struct replace_call call;
    memset(&call, 0, sizeof(call));
    call.map = map;
    call.address = (uint64_t)(uintptr_t)address;
    call.readable = map && !read_carefully(call.before.bytes, map, TMA_MAP_BYTES);
    return call;
}

static uint64_t key_of(const struct replace_call *call, shim_result rc) {
    const uint64_t rest[] = {call->address, rc, call->readable};
    return tma_scramble(tma_hash(call->before.bytes, TMA_MAP_BYTES)) ^ tma_hash(rest, sizeof(rest));
}

int replace_call_kills(const struct replace_call *call) {
    tma_decoded decoded;
    return call->readable && call->address % TMA_VALUE(ALIGN_32B) &&
           tma_decode(&decoded, call->before.bytes) == TMA_OK &&
           decoded.spec.interleave == TMA_INTERLEAVE_32B;
}

static void report_refusal(struct report *report, const struct replace_call *call) {
    tma_map edited = call->before;
    tma_finding why;
    if (!call->readable) {
        report_no_map(report, call->map, "no map is there");
    }
    if (tma_replace_address(edited.bytes, call->address, &why) != TMA_OK) {
        report_finding(report, report_room(report, FINDING_BYTES), &why);
    }
}

static void report_body(struct report *report, const struct replace_call *call, shim_result rc,
                        const tma_map *ours, const uint8_t *after) {
    if (rc == SHIM_SUCCESS && ours && !after) {
        report_no_map(report, call->map, "the map is no longer there");
    } else if (rc == SHIM_SUCCESS && ours && !memcmp(after, ours->bytes, TMA_MAP_BYTES)) {
        report_line(report,
                    "  globalAddress = 0x%" PRIx64 ", must be a multiple of %d B with interleave "
                    "32B: the driver takes it, copies of this map end in a misaligned address "
                    "[%s]",
                    call->address, TMA_VALUE(ALIGN_32B),
                    tma_rule_of(TMA_RULE_TRAP_ADDRESS_ALIGN)->name);
    } else if (rc == SHIM_SUCCESS && ours) {
        report_differences(report, after, ours->bytes);
    } else if (rc == SHIM_SUCCESS) {
        report_taken(report);
        report_refusal(report, call);
    } else if (rc == SHIM_ERROR_INVALID_VALUE && ours) {
        report_unknown_rule(report);
    } else if (rc == SHIM_ERROR_INVALID_VALUE) {
        report_refusal(report, call);
    } else {
        report_other_error(report, rc,
                           ours             ? "the arguments are fine"
                           : call->readable ? "the address would be refused, too"
                                            : "tensorMap points to memory that is not there");
    }
}

/* The request as a case line, if the map is one that an encode call makes; else the map as it was.
 */
static void request_of(char *line, const struct replace_call *call, shim_result rc,
                       const uint8_t *after, const tma_target *target, int *is_case) {
    tma_decoded decoded;
    tma_map again;
    *is_case = call->readable && tma_decode(&decoded, call->before.bytes) == TMA_OK &&
               tma_encode(again.bytes, &decoded.spec, target) == TMA_OK &&
               !memcmp(again.bytes, call->before.bytes, TMA_MAP_BYTES);
    tma_out out = tma_out_into(line, REQUEST_LINE_BYTES);
    if (*is_case) {
        request_map(&out, "rep", &decoded.spec, target->sm);
        tma_putf(&out, " naddr=0x%" PRIx64, call->address);
        request_answer(&out, rc, after);
    } else {
        tma_put_hex_bytes(&out, call->before.bytes, TMA_MAP_BYTES);
    }
}

void report_replace(const struct replace_call *call, shim_result rc, const tma_map *ours,
                    const uint8_t *after, const struct judged_target *target) {
    struct report *report = report_is_new(key_of(call, rc)) ? report_begin() : NULL;
    int is_case = 0;
    if (!report) {
        return;
    }
    char *line = report_room(report, REQUEST_LINE_BYTES + 1);
    request_of(line, call, rc, after, &target->target, &is_case);
    if (is_case) {
        report_log(settings()->log, line);
    }
    if (!settings()->quiet) {
        report_answered(report, "cuTensorMapReplaceAddress", rc, target, 1);
        report_body(report, call, rc, ours, after);
        if (call->readable) {
            report_line(report, is_case ? "  %s" : "  the map was %s", line);
        }
    }
    report_end(report);
}
