/* SPDX-License-Identifier: Apache-2.0
 *
 * What programs ask of a context, a device or an address on their way to a tensor map, answered
 * where no driver is.
 */
#ifndef SHIM_STAND_IN_DEVICE_H
#define SHIM_STAND_IN_DEVICE_H

/* The function that cuGetProcAddress gives for a name, and the CUDA version that brought it; null
 * for all others. There is no cuInit among them: a program that begins with it finds no GPU. */
void *stand_in_device_call(const char *name, int *since);

#endif
