/* SPDX-License-Identifier: Apache-2.0
 *
 * A program that is linked with libcuda and calls the encoders by name.
 */
#include <dlfcn.h>

#include "call_cases.h"

int main(void) {
    const struct driver_calls calls = {cuTensorMapEncodeTiled, cuTensorMapEncodeIm2col,
                                       cuTensorMapEncodeIm2colWide, cuTensorMapReplaceAddress};
    begin_driver(dlopen("libcuda.so.1", RTLD_NOW));
    run_cases(&calls);
    return 0;
}
