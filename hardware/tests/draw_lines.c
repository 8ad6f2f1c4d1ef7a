/* SPDX-License-Identifier: Apache-2.0
 *
 * draw_lines ARCH COUNT: the copies that tma-conformance draws for a target, seed 1, as case lines;
 * behind each whether it goes to .shared::cluster and the rule that it breaks, if it should trap.
 */
#include <stdio.h>
#include <stdlib.h>
#include <tma/check.h>

#include "case_lines.h"
#include "random_copies.h"

int main(int count, char **arguments) {
    const tma_arch_row *row = count == 3 ? tma_arch_find(arguments[1]) : NULL;
    if (!row) {
        fprintf(stderr, "draw_lines ARCH COUNT\n");
        return 2;
    }
    const tma_target target = {.sm = row->sm, .suffix = row->suffix, .driver = 13000};
    const unsigned long cases = strtoul(arguments[2], NULL, 10);
    for (unsigned long i = 0; i < cases; i++) {
        struct copy_case copy;
        copy_case_make(&copy, 1, i, &target);
        print_case(stdout, "hw", &copy.spec, &target);
        print_copy_request(stdout, &copy, &target);
        printf(" cluster=%u trap=%s\n", (unsigned)copy.in.cluster,
               copy.traps ? tma_rule_of(copy.why.rule)->name : "no");
    }
    return 0;
}
