/* SPDX-License-Identifier: Apache-2.0
 *
 * What readers say.
 */
#include "support/said.h"

#include "support/testing.h"

void expect_said(said_reader read, const struct asked *cases, size_t count) {
    size_t wrong = 0;
    for (size_t i = 0; i < count; i++) {
        char said[TMA_ERROR_SIZE] = "= ";
        tma_error error = {0, "no message"};
        tma_out out = tma_out_into(said + 2, sizeof(said) - 2);
        const int failed = read(&out, cases[i].text, &error);
        assert_true(failed == 0 || failed == -1);
        if (failed) {
            assert_int_equal(out.length, 0);
            strcpy(said, error.text);
        }
        if (strcmp(said, cases[i].said) != 0) {
            fprintf(stderr, "%s\nfound: %s\n  not: %s\n", cases[i].text, said, cases[i].said);
            wrong++;
        }
    }
    assert_int_equal(wrong, 0);
}
