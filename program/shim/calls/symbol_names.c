/* SPDX-License-Identifier: Apache-2.0
 *
 * The names of the driver's calls, and the CUDA versions that brought them.
 */
#include "real_driver.h"

static const struct {
    const char *name;
    int since;
} symbols[] = {
#define SHIM_CALL(name, type, since) {#name, since},
#define SHIM_ASKED(name, type)       {#name, 0},
#include "symbols.def"
};

const char *symbol_name(enum shim_symbol which) {
    return symbols[which].name;
}

int symbol_since(enum shim_symbol which) {
    return symbols[which].since;
}
