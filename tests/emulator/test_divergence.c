/* SPDX-License-Identifier: Apache-2.0
 *
 * Lanes that part and meet: each kernel writes a number for each thread, which plain C computes
 * again; under all schedules the same.
 */
#include "emulator/harness.h"

#define THREADS 64

/* Runs a kernel of one pointer over so many threads, under all schedules. */
static const uint32_t *results(harness *h, const char *ptx, uint32_t threads) {
    harness_begin(h, ptx);
    const uint32_t *out = harness_memory(h, THREADS * sizeof(uint32_t));
    harness_block(h, 1, threads);
    const uint32_t end = harness_run_all(h);
    if (end != TMA_EMULATE_COMPLETED) {
        fail_msg("%s: %s", tma_emulate_end_name(end), harness_why(h));
    }
    harness_none(h);
    return out;
}

static void straight_line(void **state) {
    (void)state;
    harness h;
    const uint32_t *out = results(&h, ".visible .entry k(.param .u64 p)\n{\n"
                                      ".reg .b64 %rd<2>; .reg .b32 %r<2>;\n"
                                      "ld.param.u64 %rd1, [p];\n"
                                      "st.global.u32 [%rd1+8], 77;\n"
                                      "ret;\n}\n", 1);
    assert_int_equal(out[2], 77);
    harness_end(&h);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(straight_line),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
