/* SPDX-License-Identifier: Apache-2.0
 *
 * The options of mma_options.def, for each verb that takes them.
 */
#include "options.h"
#include "tma/mma_text.h"

enum { KEY_MMA = 0x600 };

static const args_option options[] = {
#define MMA_OPTION(id, name, value, group, help)                                                   \
    {name, KEY_MMA + TMA_MMA_OPTION_##id, value, 0, help, group},
#include "tma/mma_options.def"
    {0},
};

static int parse(int key, char *text, args_state *state) {
    tma_error error;
    if (key < KEY_MMA || key >= KEY_MMA + TMA_MMA_OPTIONS) {
        return ARGS_UNKNOWN;
    }
    option_check(tma_mma_words_set(state->input, (tma_mma_option)(key - KEY_MMA), text, &error),
                 state, &error);
    return 0;
}

const args_parser mma_parser = {options, parse, 0, 0, 0, 0};
