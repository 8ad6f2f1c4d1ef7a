/* SPDX-License-Identifier: Apache-2.0
 *
 * Maps in reports, and the lines that all reports share.
 */
#include "report_map.h"

#include "driver_errors.h"
#include "settings.h"
#include "tma/view.h"

void request_map(tma_out *line, const char *kind, const tma_spec *spec, uint16_t sm) {
    const tma_target target = {.sm = sm};
    tma_put_case(line, kind, spec, &target);
}

void request_answer(tma_out *line, shim_result rc, const uint8_t *map) {
    tma_putf(line, " rc=%u", rc);
    if (map) {
        tma_put(line, " desc=");
        tma_put_hex_bytes(line, map, TMA_MAP_BYTES);
    }
}

void report_differences(struct report *report, const uint8_t *drivers, const uint8_t *libtmas) {
    report_line(report, "  the driver's 128 bytes are not libtma's:");
    tma_difference *all = report_room(report, TMA_DIFFERENCES * sizeof(*all));
    const size_t count = tma_diff(all, drivers, libtmas);
    for (size_t i = 0; i < count; i++) {
        char where[40];
        const tma_field_row *row = all[i].row;
        tma_out out = tma_out_into(where, sizeof(where));
        if (row) {
            tma_putf(&out, " (word %u, bits %u to %u)", row->word, row->bit,
                     row->bit + row->width_bit - 1u);
        }
        report_line(report, "  %s%s: the driver's %s, libtma's %s", all[i].name, where, all[i].a,
                    all[i].b);
    }
}

void report_answered(struct report *report, const char *call, shim_result rc,
                     const struct judged_target *target, int is_judged) {
    char text[TARGET_TEXT_BYTES];
    report_line(report, "%s answered %u (%s); %s%s:", call, rc,
                rc ? driver_error_of(rc).name : "CUDA_SUCCESS",
                mode() == SHIM_STAND_IN ? "libtma, standing in for "
                : is_judged             ? "judged for "
                                        : "on ",
                target_text(target, text));
}

void report_finding(struct report *report, char text[FINDING_BYTES], const tma_finding *found) {
    tma_finding_text(text, FINDING_BYTES, found);
    report_line(report, "  %s: %s [%s]", tma_severity_name(found->severity), text,
                tma_rule_of(found->rule)->name);
}

void report_no_map(struct report *report, const void *map, const char *what) {
    report_line(report, "  tensorMap = %p: %s", map, what);
}

void report_taken(struct report *report) {
    report_line(report, "  the driver took what libtma says it refuses:");
}

void report_unknown_rule(struct report *report) {
    report_line(report, "  libtma finds nothing here that is refused: the driver has a rule that "
                        "it does not know");
}

void report_other_error(struct report *report, shim_result rc, const char *arguments) {
    const struct driver_error error = driver_error_of(rc);
    report_line(report, "  %s; error %u%s: %s", arguments, rc,
                error.older ? " happened earlier in this context" : "", error.meaning);
}
