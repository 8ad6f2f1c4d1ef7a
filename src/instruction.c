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
    return op < TMA_OPS ? op_names[op] : "?";
}

const char *tma_mode_name(uint32_t mode) {
    return mode < TMA_MODES ? mode_names[mode] : "?";
}

static bool find(uint32_t *number, const char *const *names, uint32_t count, const char *name) {
    for (uint32_t i = 0; number && name && i < count; i++) {
        const char *a = names[i];
        const char *b = name;
        while (*a && *a == *b) {
            a++;
            b++;
        }
        if (*a == *b) {
            *number = i;
            return true;
        }
    }
    return false;
}

bool tma_op_find(uint32_t *op, const char *name) {
    return find(op, op_names, TMA_OPS, name);
}

bool tma_mode_find(uint32_t *mode, const char *name) {
    return find(mode, mode_names, TMA_MODES, name);
}
