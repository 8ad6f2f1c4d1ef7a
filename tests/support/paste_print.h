/* SPDX-License-Identifier: Apache-2.0
 *
 * Prints the arguments of an encode call as public programs print them.
 */
#ifndef TESTS_PASTE_PRINT_H
#define TESTS_PASTE_PRINT_H

#include <stdio.h>

#include <tma/spec.h>

/* One way to print: what of a spec it can say, and how it says it, with the error's code. */
typedef struct paste_form {
    const char *name;
    int (*can)(const tma_spec *spec);
    void (*print)(FILE *out, const tma_spec *spec, int code);
    uint32_t hidden; /* members that it does not print: HIDES_* */
    int has_code;
} paste_form;

#define HIDES_ADDRESS 1u
#define HIDES_DTYPE   2u
#define HIDES_STEPS   4u /* element strides, all 1 */
#define HIDES_L2_128B 8u /* interleave and fill NONE, L2 128B */
#define HIDES_L2_256B 16u
#define HIDES_SWIZZLE 32u

extern const paste_form paste_forms[];
extern const size_t paste_form_count;

#endif
