/* SPDX-License-Identifier: Apache-2.0
 *
 * Words for the numbers of a finding.
 */
#include "tma/check.h"

#define WORD(table, index) ((index) < sizeof(table) / sizeof((table)[0]) ? (table)[index] : "?")

const char *tma_severity_name(uint32_t severity) {
    static const char *const words[] = {"refused", "faults", "surprising"};
    return WORD(words, severity);
}

const char *tma_hardware_name(uint32_t hardware) {
    static const char *const words[] = {
        "",
        "kills the kernel: an illegal instruction",
        "kills the kernel: a misaligned address",
        "leaves the memory it has",
        "cannot be assembled",
        "nobody knows",
        "is no copy at all",
        "kills the kernel: an unspecified launch failure",
        "moves whole units of 16 bytes alone",
    };
    return WORD(words, hardware);
}

const char *tma_standing_name(uint32_t standing) {
    static const char *const words[] = {
        "documented, and the driver was seen to refuse it",
        "no document says it; the driver was seen to refuse it",
        "documented; the driver was seen to accept it",
        "documented, not seen on hardware",
        "seen on hardware",
        "follows from the numbers",
        "seen on sm_90 with driver 13.0, not on this target",
        "documented; driver 13.0 takes it on sm_90, no driver of this target was asked",
    };
    return WORD(words, standing);
}

const char *tma_argument_name(uint32_t argument) {
    static const char *const words[] = {
        "",
        "api",
        "tensorDataType",
        "tensorRank",
        "globalAddress",
        "globalDim",
        "globalStrides",
        "boxDim",
        "elementStrides",
        "pixelBoxLowerCorner",
        "pixelBoxUpperCorner",
        "channelsPerPixel",
        "pixelsPerColumn",
        "interleave",
        "swizzle",
        "l2Promotion",
        "oobFill",
        "mode",
        "architecture",
        "driver",
        "tensorCoords",
        "im2colInfo",
        "shared address",
        "operation",
        "load mode",
        "memory",
        "tensorMap",
        "spec",
        "plan",
        "position",
        "instruction",
        "window",
        "result",
        "reserved",
        "global memory",
        "edit",
        "field",
        "ordinal",
        "value",
        "PTX version",
        "ctaMask",
        "override operands",
        "mbar",
        "size",
        "address",
    };
    return WORD(words, argument);
}

const char *tma_unit_name(uint32_t unit) {
    static const char *const words[] = {"", "B", "el", "px", "", ""};
    return WORD(words, unit);
}

const char *tma_relation_name(uint32_t relation) {
    static const char *const words[] = {"at most",       "at least", "below", "above",
                                        "a multiple of", "equal to", "not"};
    return WORD(words, relation);
}

const char *tma_status_name(uint32_t status) {
    static const char *const words[] = {"TMA_OK",     "TMA_REFUSED", "TMA_INVALID", "TMA_TRAP",
                                        "TMA_MEMORY", "TMA_PTXAS",   "TMA_UNKNOWN"};
    return status < sizeof(words) / sizeof(words[0]) ? words[status] : "unknown status";
}
