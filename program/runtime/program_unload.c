/* SPDX-License-Identifier: Apache-2.0
 *
 * A module is unloaded: its kernels and its variables' symbols go with it.
 */
#include "emulated_program.h"

void tma_program_module_free(program_module *m) {
    tma_program_kernels_free(m);
    tma_program_symbols_free(m);
    tma_program_module_drop(m);
}
