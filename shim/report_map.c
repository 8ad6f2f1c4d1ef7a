/* SPDX-License-Identifier: Apache-2.0
 *
 * Maps in reports.
 */
#include "report_map.h"

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
