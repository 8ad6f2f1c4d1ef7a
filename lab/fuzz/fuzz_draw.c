/* SPDX-License-Identifier: Apache-2.0
 *
 * Every picture of any map, instruction and position: refused, or well-formed, bounded and the same
 * twice. Input: eight bytes of what to draw, then an input of fuzz_copy.
 */
#include "fuzz_assert.h"
#include "fuzz_copy_input.h"
#include "fuzz_said.h"

#include <stdlib.h>

#include "support/svg_reader.h"
#include <tma/draw.h>

#define OPTION_BYTES 8

static char text[TMA_DRAW_MOST_SVG_B];
static char again[TMA_DRAW_MOST_SVG_B];

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    uint8_t o[OPTION_BYTES] = {0};
    struct fuzz_copy_input in;
    const size_t options = size < OPTION_BYTES ? size : OPTION_BYTES;
    if (options) {
        memcpy(o, data, options);
    }
    fuzz_copy_read(&in, data + options, size - options);
    const tma_drawing d = {.picture = o[0] % TMA_PICTURE_TIMELINE,
                           .map = in.map,
                           .instruction = &in.instruction,
                           .at = &in.at,
                           .target = &in.target,
                           .reader = o[1] % TMA_READERS,
                           .phase = o[2],
                           .label = o[3] % TMA_LABELS,
                           .color = o[4] % TMA_COLORS,
                           .theme = o[5] % TMA_THEMES,
                           .row = o[6],
                           .lines = o[7] % 64};
    tma_out out = tma_out_into(text, sizeof(text));
    const tma_status status = tma_draw_svg(&out, &d, NULL);
    if (status != TMA_OK) {
        DEMAND(out.length == 0);
        return 0;
    }
    tma_out second = tma_out_into(again, sizeof(again));
    DEMAND(out.length < sizeof(text));
    DEMAND(!svg_complaint(text, out.length));
    DEMAND(tma_draw_svg(&second, &d, NULL) == TMA_OK);
    DEMAND(second.length == out.length && memcmp(text, again, out.length) == 0);
    fuzz_said(text, out.length);
    return 0;
}
