/* SPDX-License-Identifier: Apache-2.0
 *
 * Colours.
 */
#include "color.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char *mode_name(size_t i) {
    static const char *const names[] = {"auto", "always", "never"};
    return i < sizeof(names) / sizeof(names[0]) ? names[i] : NULL;
}

int color_mode_named(const char *text, color_mode *mode, tma_error *error) {
    size_t found = COLOR_ALWAYS;
    const int failed = text && tma_read_name(&found, text, "--color", mode_name, error);
    *mode = (color_mode)found;
    return failed;
}

static int wanted(FILE *out, color_mode mode) {
    const char *no_color = getenv("NO_COLOR");
    const char *terminal = getenv("TERM");
    if (mode != COLOR_AUTO) {
        return mode == COLOR_ALWAYS;
    }
    return isatty(fileno(out)) && !(no_color && *no_color) &&
           !(terminal && !strcmp(terminal, "dumb"));
}

color_set colors_for(FILE *out, color_mode mode) {
    static const color_set none = {{"", "", ""}, "", "", "", ""};
    static const color_set some = {
        {"\033[1;31m", "\033[1;33m", "\033[1;36m"}, "\033[1;32m", "\033[1m", "\033[2m", "\033[0m"};
    return wanted(out, mode) ? some : none;
}
