/* SPDX-License-Identifier: Apache-2.0
 *
 * The version that the library was built as.
 */
#include "tma/export.h"

uint32_t tma_version(void) {
    return TMA_VERSION_NUMBER;
}
