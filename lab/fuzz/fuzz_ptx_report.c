/* SPDX-License-Identifier: Apache-2.0
 *
 * Any bytes as the file of tma ptx: values followed, barriers and ways through functions, findings.
 */
#include "fuzz_assert.h"
#include "fuzz_said.h"

#include "ptx_heap.h"
#include "ptx_view.h"

#define LONGEST 16384

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    char *said = NULL;
    size_t said_B = 0;
    ptx_report report;
    ptx_heap heap = {NULL};
    FILE *out = open_memstream(&said, &said_B);
    DEMAND(out);
    data += size < LONGEST ? 0 : size - LONGEST;
    size = size < LONGEST ? size : LONGEST;
    char *text = fuzz_own(data, size); /* exactly as large as what is read */
    DEMAND(!ptx_report_make(&report, ptx_heap_more, &heap, text, size, NULL, 0, NULL));
    for (uint32_t i = 0; i < report.findings; i++) {
        DEMAND(report.finding[i].text && report.finding[i].row < report.rows.rows);
    }
    const color_set colors = colors_for(out, COLOR_NEVER);
    const ptx_print_how how = {size & 1, 0, &colors};
    ptx_print(out, "fuzz", &report, &how);
    fclose(out);
    fuzz_said(said, said_B);
    free(said);
    ptx_heap_free(&heap);
    fuzz_disown(text);
    return 0;
}
