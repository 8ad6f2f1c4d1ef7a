/* SPDX-License-Identifier: Apache-2.0
 *
 * Pictures in the terminal: a letter for each 8 x 12 px, or for some more where the terminal is
 * narrow and no word is lost by it.
 */
#include "draw_output.h"
#include "host.h"
#include "term_screen.h"
#include "term_stack.h"

/* Tenths of the picture's px. */
#define PLACE_DPX      80
#define MOST_PLACE_DPX 120

int draw_term(FILE *out, const tma_drawing *drawing, color_mode color, tma_error *error) {
    const color_set colors = colors_for(out, color);
    const int colored = colors.end[0] != 0;
    const int32_t columns = host_columns(out);
    term_screen usual, narrow = {0};
    const term_screen *chosen = &usual;
    int failed = term_screen_draw(&usual, drawing, PLACE_DPX);
    int fits = failed || !columns || term_stack(NULL, &usual, columns, colored) <= columns;
    for (int32_t dpx = PLACE_DPX + 1; !fits && dpx <= MOST_PLACE_DPX; dpx++) {
        term_screen_free(&narrow);
        failed = term_screen_draw(&narrow, drawing, dpx);
        fits = failed || (narrow.lost <= usual.lost &&
                          term_stack(NULL, &narrow, columns, colored) <= columns);
        chosen = fits ? &narrow : &usual;
    }
    if (!failed) {
        const int32_t wide = term_stack(out, chosen, fits ? columns : 0, colored);
        if (!fits) {
            fprintf(out, "   %d columns wide, the terminal has %d: --out FILE.svg has all of it\n",
                    (int)wide, (int)columns);
        }
    }
    term_screen_free(&narrow);
    term_screen_free(&usual);
    return failed ? tma_fail(error, "it cannot be drawn") : 0;
}
