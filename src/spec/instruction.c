/* SPDX-License-Identifier: Apache-2.0
 *
 * Names of operations, modes and report mechanisms.
 */
#include "tma/instruction.h"

#include "tma/detail/chars.h"

static const char *const op_names[TMA_OPS] = {"load", "store", "add", "min", "max",     "inc",
                                              "dec",  "and",   "or",  "xor", "prefetch"};
const char *tma_inspect_name(uint32_t answer) {
    static const char *const words[] = {"no", "yes", "perhaps"};
    return answer < sizeof(words) / sizeof(words[0]) ? words[answer] : "?";
}

static const char *const mode_names[TMA_MODES] = {"tile",           "im2col",    "tile::gather4",
                                                  "tile::scatter4", "im2col::w", "im2col::w::128"};

static const tma_inspection inspections[TMA_INSPECTIONS] = {
#define TMA_INSPECTION(id, number, name, format, pattern, bits, granule_B)                         \
    [number] = {name, format, pattern, bits, granule_B},
#include "tma/instruction_reports.def"
};

const tma_inspection *tma_inspection_of(uint32_t inspection) {
    return inspection && inspection < TMA_INSPECTIONS ? &inspections[inspection] : NULL;
}

const char *tma_op_name(uint32_t op) {
    return op < TMA_OPS ? op_names[op] : "?";
}

const char *tma_mode_name(uint32_t mode) {
    return mode < TMA_MODES ? mode_names[mode] : "?";
}

static bool find(uint32_t *number, const char *const *names, uint32_t count, const char *name) {
    for (uint32_t i = 0; number && name && i < count; i++) {
        if (!text_compare(names[i], name)) {
            *number = i;
            return true;
        }
    }
    return false;
}

bool tma_inspection_find(uint32_t *inspection, const char *name) {
    for (uint32_t i = 1; inspection && name && i < TMA_INSPECTIONS; i++) {
        if (!text_compare(inspections[i].name, name)) {
            *inspection = i;
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
