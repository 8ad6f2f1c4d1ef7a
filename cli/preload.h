/* SPDX-License-Identifier: Apache-2.0
 *
 * libtma-cuda.so in the programs that this one starts.
 */
#ifndef CLI_PRELOAD_H
#define CLI_PRELOAD_H

/* Puts the libtma-cuda.so that belongs to this program in front of LD_PRELOAD, watching where
 * LIBTMA_MODE says nothing else. -1: there is none. */
int preload_shim(void);

#endif
