/* SPDX-License-Identifier: Apache-2.0
 *
 * The driver's calls that this library exports, by number and by name.
 */
#include "own_calls.h"

#include <string.h>

static const shim_function own[] = {
#define SHIM_CALL(name, type, since) (shim_function)(name),
#define SHIM_ASKED(name, type)       NULL,
#include "symbols.def"
};

void *own_address(enum shim_symbol which) {
    const union {
        shim_function function;
        void *address;
    } p = {own[which]};
    return p.address;
}

enum shim_symbol own_symbol(const char *name) {
    if (name[0] == 'c' && name[1] == 'u') { /* most look-ups end here */
        for (unsigned i = 0; i < SHIM_SYMBOLS; i++) {
            if (own[i] && !strcmp(symbol_name((enum shim_symbol)i), name)) {
                return (enum shim_symbol)i;
            }
        }
    }
    return SHIM_SYMBOLS;
}
