/* SPDX-License-Identifier: Apache-2.0
 *
 * The driver's calls that this library exports.
 */
#ifndef SHIM_OWN_CALLS_H
#define SHIM_OWN_CALLS_H

#include "real_driver.h"

/* Our own function's address, as dlsym gives it; null for what we only ask. */
void *own_address(enum shim_symbol which);

/* The symbol of that name that this library exports, or SHIM_SYMBOLS. */
enum shim_symbol own_symbol(const char *name);

#endif
