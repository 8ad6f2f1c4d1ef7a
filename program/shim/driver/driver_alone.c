/* SPDX-License-Identifier: Apache-2.0
 *
 * libtma-driver.a: the calls linked into a program, with no driver behind them and no kernels that
 * they could watch.
 */
#include <stddef.h>

#include "map_memory.h"
#include "real_driver.h"
#include "record.h"

void *real_driver(void) {
    return NULL;
}

int real_driver_is_loading(void) {
    return 0;
}

shim_function real_function(enum shim_symbol which) {
    (void)which;
    return NULL;
}

void record_look(void) {}

int map_memory_is_wanted(void) {
    return 0;
}

void map_memory_made(const tma_spec *spec, const tma_target *target) {
    (void)spec;
    (void)target;
}

void map_memory_look(shim_result rc) {
    (void)rc;
}
