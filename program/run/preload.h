/* SPDX-License-Identifier: Apache-2.0
 *
 * libtma-cuda.so in the programs that this one starts.
 */
#ifndef CLI_PRELOAD_H
#define CLI_PRELOAD_H

/* Puts the libtma-cuda.so that belongs to this program in front of LD_PRELOAD, watching where
 * LIBTMA_MODE says nothing else. FOLDER holds what lives as long as the program that is run, a link
 * to it where its own path has a blank or a colon. -1: there is none, or LD_PRELOAD cannot name it.
 */
int preload_shim(const char *folder);

#endif
