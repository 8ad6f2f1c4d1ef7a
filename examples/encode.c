/* SPDX-License-Identifier: Apache-2.0
 *
 * A map for a GEMM operand: what the driver would say, every reason, and the numbers for the
 * kernel.
 */
#include <inttypes.h>
#include <stdio.h>
#include <tma/tma.h>

int main(void) {
    const tma_target target = {.sm = 90, .suffix = 'a', .driver = 13000};
    tma_spec spec = {
        .api = TMA_API_TILED,
        .dtype = TMA_DTYPE_BFLOAT16,
        .rank = 2,
        .address = 0x7f0000000000,
        .dim_el = {4096, 8192},
        .box_el = {128, 128},
        .swizzle = TMA_SWIZZLE_128B,
        .l2 = TMA_L2_128B,
    };
    tma_map map;
    tma_measure_result bytes;
    if (tma_spec_fill(&spec) != TMA_OK) { /* packed strides, element strides of 1 */
        return 1;
    }
    if (tma_encode(map.bytes, &spec, &target) == TMA_REFUSED) {
        tma_finding found[8];
        const size_t count = tma_check(found, 8, &spec, &target);
        for (size_t i = 0; i < count && i < 8; i++) {
            char line[512];
            tma_finding_text(line, sizeof(line), &found[i]);
            printf("%s: %s\n", tma_severity_name(found[i].severity), line);
        }
        if (found[0].has_legal && found[0].argument == TMA_ARG_BOX) {
            spec.box_el[found[0].index] = (uint32_t)found[0].legal;
        }
    }
    if (tma_encode(map.bytes, &spec, &target) != TMA_OK ||
        tma_measure(&bytes, &spec, &target) != TMA_OK) {
        return 1;
    }
    printf("box %" PRIu32 " x %" PRIu32 ": expect_tx %" PRIu64 " B, %" PRIu64 " B of shared memory "
           "aligned to %" PRIu32 " B, %" PRIu64 " copies\n",
           spec.box_el[0], spec.box_el[1], bytes.copy_B, bytes.footprint_B, bytes.pattern_B,
           bytes.copies);
    return 0;
}
