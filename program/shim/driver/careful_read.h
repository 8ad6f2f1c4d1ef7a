/* SPDX-License-Identifier: Apache-2.0
 *
 * Memory of the host program that the driver may not have looked at.
 */
#ifndef SHIM_CAREFUL_READ_H
#define SHIM_CAREFUL_READ_H

#include <stddef.h>

/* Copies size_B bytes of this process's own memory: 0, or -1 where they are not there, which would
 * be a signal otherwise. */
int read_carefully(void *to, const void *from, size_t size_B);

#endif
