/* SPDX-License-Identifier: Apache-2.0
 *
 * The driver behind this library, if there is one, and its functions.
 */
#ifndef SHIM_REAL_DRIVER_H
#define SHIM_REAL_DRIVER_H

#include "driver_abi.h"

typedef void (*shim_function)(void);

enum shim_symbol {
#define SHIM_CALL(name, type, since) AT_##name,
#define SHIM_ASKED(name, type)       AT_##name,
#include "symbols.def"
    SHIM_SYMBOLS
};

/* The loaded libcuda.so.1 that is not this library, or null. The first call may load it. Null also
 * while that very loading runs on this thread: a driver's constructors look things up as well. */
void *real_driver(void);

/* Whether this thread is inside real_driver(): everything then has to go its natural way. */
int real_driver_is_loading(void);

/* A function of the driver, as its library exports it; null without driver or in one without it. */
shim_function real_function(enum shim_symbol which);

/* What other threads capture into a graph, or this one, goes on; the mode of before. */
uint32_t exchange_capture_mode(uint32_t capture_mode);

/* The name, and the CUDA version that brought it. */
const char *symbol_name(enum shim_symbol which);
int symbol_since(enum shim_symbol which);

/* A handle on this library, as dlopen would give it with these flags. */
void *own_handle(int flags);

#endif
