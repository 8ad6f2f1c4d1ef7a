/* SPDX-License-Identifier: Apache-2.0
 *
 * Kernels whose registers checks may raise past what their blocks can have.
 */
#include "support/testing.h"

#include <stdlib.h>
#include <string.h>

#include "ptx_cap.h"

#define HEAD  ".version 8.0\n.target sm_90a\n.address_size 64\n"
#define CHECK "mov.u32 %libtma_go, 1;\n"

static const struct {
    const char *text, *kernels; /* their names, each with a blank behind it */
} rows[] = {
    {HEAD ".visible .entry k()\n{\nret;\n}\n", ""},
    {HEAD ".visible .entry k()\n{\n" CHECK "ret;\n}\n", "k "},
    {HEAD ".visible .entry k() .maxntid 128\n{\n" CHECK "ret;\n}\n", ""},
    {HEAD ".visible .entry k() .maxnreg 64\n{\n" CHECK "ret;\n}\n", ""},
    {HEAD ".visible .entry k()\n{\n" CHECK "ret;\n}\n.visible .entry l()\n{\nret;\n}\n", "k "},
    /* a function of the file's may be called by any kernel, */
    {HEAD ".func f()\n{\n" CHECK "ret;\n}\n.visible .entry k()\n{\nret;\n}\n"
          ".visible .entry l()\n{\nret;\n}\n",
     "k l "},
    {HEAD ".func f()\n{\nret;\n}\n.visible .entry k()\n{\nret;\n}\n", ""},
    /* and the checker itself is no such function */
    {HEAD ".func libtma_f()\n{\n" CHECK "ret;\n}\n.visible .entry k()\n{\nret;\n}\n", ""},
    {HEAD ".func libtma()\n{\n" CHECK "ret;\n}\n.visible .entry k()\n{\nret;\n}\n", "k "},
};

static void which_kernels(void **state) {
    (void)state;
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        ptx_cap *caps = NULL;
        char names[64] = "";
        const int count = ptx_cap_kernels(&caps, rows[i].text, strlen(rows[i].text));
        for (int k = 0; k < count; k++) {
            strncat(names, caps[k].name.at, caps[k].name.length);
            strcat(names, " ");
        }
        if (strcmp(names, rows[i].kernels) != 0) {
            fail_msg("row %zu: '%s' instead of '%s'", i, names, rows[i].kernels);
        }
        free(caps);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(which_kernels),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
