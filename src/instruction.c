/* SPDX-License-Identifier: Apache-2.0
 *
 * Names of operations and modes.
 */
#include "tma/instruction.h"

static const char *const op_names[TMA_OPS] = {"load", "store", "add", "min", "max",     "inc",
                                              "dec",  "and",   "or",  "xor", "prefetch"};
static const char *const mode_names[TMA_MODES] = {"tile",           "im2col",    "tile::gather4",
                                                  "tile::scatter4", "im2col::w", "im2col::w::128"};

const char *tma_op_name(uint32_t op) {
    return op < TMA_OPS ? op_names[op] : NULL;
}

const char *tma_mode_name(uint32_t mode) {
    return mode < TMA_MODES ? mode_names[mode] : NULL;
}

static uint32_t find(const char *const *names, uint32_t count, const char *name) {
    for (uint32_t i = 0; name && i < count; i++) {
        const char *a = names[i];
        const char *b = name;
        while (*a && *a == *b) {
            a++;
            b++;
        }
        if (*a == *b) {
            return i;
        }
    }
    return count;
}

uint32_t tma_op_find(const char *name) {
    return find(op_names, TMA_OPS, name);
}

uint32_t tma_mode_find(const char *name) {
    return find(mode_names, TMA_MODES, name);
}
