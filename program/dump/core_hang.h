/* SPDX-License-Identifier: Apache-2.0
 *
 * What the warps in a GPU core dump wait for, and what the mbarriers lack that they wait at. One
 * pass over the file in constant memory; what several CTAs have in common is one row.
 */
#ifndef DUMP_CORE_HANG_H
#define DUMP_CORE_HANG_H

#include "core_file.h"
#include "core_lines.h"
#include "core_wait.h"

#define CORE_PLACES        256
#define CORE_WORDS         128
#define CORE_GRIDS_KEPT    128 /* as many as a GPU runs at once */
#define CORE_CODES         64  /* PCs whose code is remembered; a warp has 32 lanes */
#define CORE_NAME_B        256
#define CORE_MOST_PARAMS_B 65536 /* of parameters, and of a bank of constants */
#define CORE_VERSION       7     /* of the dumps that were read: driver r580 */

typedef struct core_grid {
    uint64_t id;
    uint64_t entry;
    uint32_t device; /* its number in the dump */
    uint32_t sm;     /* of the device; 0: not said */
    uint32_t dim[3];
    uint32_t block[3];
    bool has_params;
    core_section params;
    uint64_t constants_address; /* the bank of __constant__ variables (nvcc's .nv.constant3) */
    uint32_t constants_B;
    bool has_constants;    /* its memory is in the dump, */
    uint64_t constants_at; /* from here in the file */
} core_grid;

/* What stands at a PC. */
typedef struct core_code {
    uint64_t pc;
    uint64_t used;   /* number of the warp that was there last */
    uint32_t offset; /* in its function */
    core_wait wait;
    char function[CORE_NAME_B];
    core_line line;
} core_code;

/* Warps that wait at one place for one thing. */
typedef struct core_place {
    core_wait wait;
    uint64_t pc;
    uint32_t offset;     /* of the instruction in its function */
    uint32_t grid;       /* number in core_hang.grids; grid_count: of none that was kept */
    uint32_t barrier_at; /* in the shared window, CORE_MBARRIER */
    uint32_t rank;       /* of the CTA in its cluster that the address names */
    uint32_t parity;
    bool has_word;
    bool no_count;  /* the word's count is not known */
    bool has_since; /* no dump says when a wait began */
    uint64_t since_ns;
    uint64_t word;
    uint64_t ctas, warps, lanes;
    uint32_t cta[3]; /* the first */
    uint32_t thread[3];
    uint64_t last_cta, last_warp;
    char function[CORE_NAME_B];
    core_line line;
} core_place;

/* A word beside one that is waited at; or, where code is not understood, any that may be one. */
typedef struct core_word {
    uint32_t grid;
    uint32_t at;
    uint64_t word;
    uint64_t ctas;
    uint32_t cta[3];
    bool may_wait; /* a warp of its CTA is at code that is not understood */
} core_word;

typedef struct core_hang {
    core_place places[CORE_PLACES];
    core_word words[CORE_WORDS];
    core_grid grids[CORE_GRIDS_KEPT];
    core_code codes[CORE_CODES];
    size_t place_count, word_count, grid_count, code_count;
    uint64_t grids_left_out;
    uint64_t ctas, warps, lanes;
    uint64_t left_out; /* places that found no row */
    uint64_t
        unsearched;   /* PCs whose code was not searched for to the end: it would take too long */
    uint32_t sm;      /* of the first device: 90; 0: not said */
    uint32_t damaged; /* sections that could not be read */
    uint32_t version; /* CORE_VERSION, or another's, whose rows may mean something else */
    bool newer;       /* rows that are longer than those that are known */
} core_hang;

/* Null, or why the file is no GPU core dump that can be read. */
const char *core_hang_read(core_hang *out, core_read_fn *read, void *context, uint64_t size);

#endif
