/* SPDX-License-Identifier: Apache-2.0
 *
 * The smallest call that can be accepted or refused: a row of 256 bf16, and a box so many wide.
 */
#ifndef SHIM_TESTS_ROW_CALL_H
#define SHIM_TESTS_ROW_CALL_H

#include "driver_abi.h"

static shim_result encode(uint32_t width_el) {
    static _Alignas(128) uint8_t map[TMA_MAP_BYTES];
    const uint64_t dim[1] = {256};
    const uint64_t stride[1] = {0};
    const uint32_t box[1] = {width_el};
    const uint32_t step[1] = {1};
    return cuTensorMapEncodeTiled((struct CUtensorMap_st *)(void *)map, 9, 1,
                                  (void *)0x7f0000000000, dim, stride, box, step, 0, 0, 0, 0);
}

#endif
