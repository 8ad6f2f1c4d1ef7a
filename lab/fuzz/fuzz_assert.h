/* SPDX-License-Identifier: Apache-2.0
 *
 * What a fuzzer demands: where it does not hold, the program ends, and the input is a finding.
 */
#ifndef FUZZ_ASSERT_H
#define FUZZ_ASSERT_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define DEMAND(holds)                                                                              \
    do {                                                                                           \
        if (!(holds)) {                                                                            \
            fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #holds);                            \
            abort();                                                                               \
        }                                                                                          \
    } while (0)

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#endif
