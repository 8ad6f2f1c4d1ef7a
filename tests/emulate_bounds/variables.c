/* SPDX-License-Identifier: Apache-2.0
 *
 * A module of so many variables, each with the address of another one, in the caller's memory: made
 * and launched. callgrind counts the instructions (test_emulate_growth.py).
 */
#include <stdio.h>
#include <stdlib.h>
#include <tma/emulate.h>

#include "support/plain/plain_host.h"

#define FIRST UINT64_C(0x100000)
#define EACH  UINT64_C(256)

/* Variables, the last one first in memory. 0: all of it went well. */
static int run(const char *ptx, size_t size_B, tma_emulate_memory *variable, uint64_t *value,
               size_t count) {
    const tma_emulate_host host = plain_host();
    const tma_emulate_launch launch = {
        .block = {1}, .variable = variable, .variables = count, .no_order = 1};
    tma_emulate_variable v;
    tma_error error;
    tma_emulator *e = tma_emulator_new(&host, ptx, size_B, &error);
    for (size_t i = 0; i < count && tma_emulator_variable_at(e, i, &v); i++) {
        variable[i] = (tma_emulate_memory){
            .address = FIRST + (count - 1 - i) * EACH, .size_B = v.size_B, .bytes = &value[i]};
    }
    const int failed = !tma_emulator_initialise(e, variable, count) ||
                       value[0] != variable[count - 1].address ||
                       tma_emulator_run(e, &launch, &error) != TMA_OK || value[0] != 1;
    tma_emulator_free(e);
    return failed;
}

int main(int argc, char **argv) {
    const size_t count = argc == 2 ? (size_t)strtoul(argv[1], NULL, 10) : 0;
    char *ptx = malloc(64 * count + 256);
    tma_emulate_memory *variable = calloc(count + 1, sizeof(*variable));
    uint64_t *value = calloc(count + 1, sizeof(*value));
    if (!count || !ptx || !variable || !value) {
        return 2;
    }
    size_t at = (size_t)sprintf(ptx, ".version 8.6\n.target sm_90a\n.address_size 64\n");
    for (size_t i = 0; i < count; i++) {
        at += (size_t)sprintf(ptx + at, ".global .u64 a%zu = a%zu;\n", i, count - 1 - i);
    }
    at += (size_t)sprintf(ptx + at, ".visible .entry k()\n{\nst.global.u64 [a0], 1;\nret;\n}\n");
    const int failed = run(ptx, at, variable, value, count);
    free(value);
    free(variable);
    free(ptx);
    return failed;
}
