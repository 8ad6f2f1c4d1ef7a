/* SPDX-License-Identifier: Apache-2.0
 *
 * A libcuda.so.1 that has none of the calls that libtma knows.
 */
#include "driver_abi.h"

SHIM_EXPORT shim_result cuNothing(void);

SHIM_EXPORT shim_result cuNothing(void) {
    return SHIM_SUCCESS;
}
