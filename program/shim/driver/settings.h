/* SPDX-License-Identifier: Apache-2.0
 *
 * What the environment asks for, read once.
 */
#ifndef SHIM_SETTINGS_H
#define SHIM_SETTINGS_H

#include "tma/spec.h"

enum shim_mode {
    SHIM_AUTO, /* watch where there is a driver, else stand in */
    SHIM_STAND_IN,
    SHIM_WATCH
};

struct shim_settings {
    enum shim_mode mode; /* LIBTMA_MODE: auto, stand-in, watch */
    tma_target target;   /* LIBTMA_ARCH and LIBTMA_DRIVER; sm_90 and 13.0 where not set */
    int has_arch;
    int has_driver;
    int quiet;               /* LIBTMA_QUIET=1: no findings on standard error */
    const char *log;         /* LIBTMA_LOG: a file for case lines, or null; a copy, as all words */
    int check_kernels;       /* LIBTMA_CHECK_KERNELS: PTX is loaded with checks */
    uint32_t on_fault;       /* tma_ptx_check_fault */
    uint32_t hang_ms;        /* LIBTMA_CHECK_HANG, in seconds: how long a wait may last, or 0 */
    const char *check_notes; /* LIBTMA_CHECK_NOTES: a file for what was checked, or null */
    const char *record;      /* LIBTMA_RECORD: a file of records, or 1; null: not asked for */
    int wants_ptx;           /* what compilers in the process make of which PTX is kept */
    const char *capture;     /* LIBTMA_CAPTURE: a folder for launches, or null */
    const char *capture_kernel; /* LIBTMA_CAPTURE_KERNEL: of this name alone, or null */
    const char *capture_ptx;    /* LIBTMA_CAPTURE_PTX: a folder with the PTX of cubins, or null */
    uint32_t capture_launches;  /* LIBTMA_CAPTURE_LAUNCHES: of each kernel, the first so many */
    uint64_t capture_memory_B;  /* LIBTMA_CAPTURE_MEMORY: bytes of memory in one; 0: none */
    int wrong;                  /* a value was none of those; said on standard error */
};

const struct shim_settings *settings(void);

/* SHIM_STAND_IN or SHIM_WATCH, for as long as the process runs. */
enum shim_mode mode(void);

#endif
