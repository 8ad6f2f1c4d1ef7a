/* SPDX-License-Identifier: Apache-2.0
 *
 * The table of styles.
 */
#include "tma/draw.h"

#define NO TMA_NO_COLOR

static const tma_style_row styles[TMA_STYLES] = {
#define STYLE(id, name, fill, line, dark_fill, dark_line, ink, dark_ink, hatch, width, text, bold, \
              dashed)                                                                              \
    {name,  fill, line, dark_fill, dark_line, ink, dark_ink, TMA_HATCH_##hatch,                    \
     width, text, bold, dashed},
#include "tma/draw_styles.def"
};

const tma_style_row *tma_style_row_of(uint32_t style) {
    return style < TMA_STYLES ? &styles[style] : NULL;
}
