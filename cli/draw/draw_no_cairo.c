/* SPDX-License-Identifier: Apache-2.0
 *
 * Where the command is built without cairo: no .pdf.
 */
#include "draw_output.h"

int draw_cairo_there(tma_error *why) {
    return tma_fail(why, "this tma was built without cairo" TMA_CAIRO_LEFT_OUT);
}

const char *draw_cairo(const output_file *output, const tma_drawing *drawing) {
    (void)output;
    (void)drawing;
    return "this tma was built without cairo";
}
