/* SPDX-License-Identifier: Apache-2.0
 *
 * The device, an H200: cuda_attributes.def.
 */
#include "emulated_program.h"

int tma_program_attribute(int number) {
    switch (number) {
#define CUDA_ATTRIBUTE(id, name, number, value)                                                    \
    case number:                                                                                   \
        return value;
#include "cuda_attributes.def"
    default:
        return 0;
    }
}
