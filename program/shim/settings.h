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
    int wrong;               /* a value was none of those; said on standard error */
};

const struct shim_settings *settings(void);

/* SHIM_STAND_IN or SHIM_WATCH, for as long as the process runs. */
enum shim_mode mode(void);

#endif
