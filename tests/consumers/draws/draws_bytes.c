/* SPDX-License-Identifier: Apache-2.0
 *
 * A picture of a map of zeros, with the installed library.
 */
#include <stdio.h>
#include <string.h>
#include <tma/draw.h>

int main(void) {
    static char text[TMA_DRAW_MOST_SVG_B];
    static const uint8_t map[TMA_MAP_BYTES];
    const tma_drawing drawing = {.picture = TMA_PICTURE_BYTES, .map = map};
    tma_out out = tma_out_into(text, sizeof(text));
    if (tma_draw_svg(&out, &drawing, NULL) != TMA_OK || strncmp(text, "<svg ", 5) != 0) {
        return 1;
    }
    printf("libtma %s linked, and draws\n", TMA_VERSION);
    return 0;
}
