/* SPDX-License-Identifier: Apache-2.0
 *
 * A CUDA program run where there is no GPU: its kernels executed, what they do wrong said.
 */
#ifndef CLI_EMULATE_PROGRAM_H
#define CLI_EMULATE_PROGRAM_H

/* Whether a file is a program of this machine (ELF). */
int emulate_is_program(const char *path);

/* Whether a program can be told that the device is one of `arch`: then the GPU's name, else null.
 */
const char *emulate_device(const char *arch);

/* Runs argv on an H200, or on the device of `arch` unless it is null; the exit status: 1 findings
 * (with certain_only: certain ones), else the program's own, else 3 where a launch was not judged
 * or none came. */
int emulate_program(char **argv, const char *arch, int certain_only);

#endif
