/* SPDX-License-Identifier: Apache-2.0
 *
 * A program that is linked with libcuda and calls the encoders by name; in two parts, a program
 * whose library is and does (LIBRARY and PROGRAM are defined for one of them each).
 */
#include <dlfcn.h>

#include "call_cases.h"

int make_calls(void);

#ifndef PROGRAM
int make_calls(void) {
    const struct driver_calls calls = {cuTensorMapEncodeTiled, cuTensorMapEncodeIm2col,
                                       cuTensorMapEncodeIm2colWide, cuTensorMapReplaceAddress};
    begin_driver(dlopen("libcuda.so.1", RTLD_NOW));
    run_cases(&calls);
    return 0;
}
#endif

#ifndef LIBRARY
int main(void) {
    return make_calls();
}
#endif
