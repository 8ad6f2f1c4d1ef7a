/* SPDX-License-Identifier: Apache-2.0
 *
 * The tests' reader of case lines, for fuzz_replay.c to hold the command's against; in a file of
 * its own because both have a case_read().
 */
#define case_read other_case_read
#define case_line other_case_line
#include "support/case_reader.c"
#undef case_read
#undef case_line

int fuzz_other_reader(const char *line, tma_spec *spec);

int fuzz_other_reader(const char *line, tma_spec *spec) {
    struct other_case_line read;
    if (other_case_read(line, &read)) {
        return 0;
    }
    *spec = read.spec;
    return 1;
}
