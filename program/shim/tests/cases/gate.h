/* SPDX-License-Identifier: Apache-2.0
 *
 * A gate inside of the pretend driver's calls for memory: closed, the next call that comes waits
 * there until it is opened; others, and a child's, pass.
 */
#ifndef SHIM_TESTS_GATE_H
#define SHIM_TESTS_GATE_H

#include "driver_abi.h"

SHIM_EXPORT void gate_close(void);
SHIM_EXPORT int gate_is_met(void); /* whether a call waits there */
SHIM_EXPORT void gate_open(void);

void gate_pass(void); /* the driver's calls do */

#endif
