/* SPDX-License-Identifier: Apache-2.0
 *
 * tma capture: which PTX a cubin was made of.
 */
#ifndef PTXAS_CAPTURE_H
#define PTXAS_CAPTURE_H

/* Runs the real ptxas on its files as they are. What came of the first one's PTX lies in FOLDER, by
 * the hash of the cubin. The status of ptxas. */
int ptxas_capture(char **real_argv, const char *folder);

#endif
