/* SPDX-License-Identifier: Apache-2.0
 *
 * The tensor instructions of a PTX file, and what can be said of them without running it.
 */
#ifndef PTX_PTX_SITES_H
#define PTX_PTX_SITES_H

#include "ptx_rules.h"
#include "ptx_values.h"

typedef struct ptx_finding {
    uint32_t site;    /* or PTX_NONE: about the row */
    uint32_t row;     /* or PTX_NONE: about the file */
    const char *rule; /* of ptx_rules.def or traps.def */
    int certain;
    char *text;
} ptx_finding;

/* One instruction. */
typedef struct ptx_site {
    uint32_t row;
    int unread; /* text says why */
    tma_ptx_statement s;
    tma_ptx_statement known; /* the same, with the numbers that its registers hold */
    tma_position at;
    uint32_t unknown; /* of at: TMA_PTX_UNKNOWN_* */
    ptx_value map, shared, barrier;
    uint32_t given;      /* index of the map that is known, or PTX_NONE */
    int has_bytes;       /* loads with such a map: */
    uint64_t bytes_B;    /* counted on the barrier */
    uint32_t expect_row; /* the mbarrier.arrive.expect_tx before it, or PTX_NONE */
    uint64_t expect_B;
} ptx_site;

/* A map whose bytes are known: from --map, or a constant of the file. */
typedef struct ptx_given {
    tma_ptx_span name; /* length 0: every map */
    tma_map map;
} ptx_given;

typedef struct ptx_report {
    ptx_rows rows;
    ptx_site *site;
    ptx_finding *finding;
    ptx_given *given;
    uint32_t sites, findings, givens;
    uint32_t expects;       /* instructions that expect bytes */
    uint32_t branches;      /* edits that some ways to a use fence and others do not */
    uint32_t calls;         /* edits whose way to a use goes through a call: not judged */
    const tma_target *arch; /* --arch, or null */
    int failed;             /* there was no memory */
} ptx_report;

/* Judges a text, which has to stay where it is. `given` are the maps of --map. 0; or -1: there is
 * no memory. Freed either way. */
int ptx_report_make(ptx_report *r, const char *text, size_t size, const ptx_given *given,
                    uint32_t givens, const tma_target *arch);
void ptx_report_free(ptx_report *report);

/* The target that a row is judged for, null where none is known. */
const tma_target *ptx_target_of(const ptx_report *report, uint32_t row);

/* Adds a finding. */
__attribute__((format(printf, 6, 7))) void ptx_find(ptx_report *report, uint32_t site, uint32_t row,
                                                    const char *rule, int certain,
                                                    const char *format, ...);
__attribute__((format(printf, 5, 6))) void
ptx_break(ptx_report *report, uint32_t site, uint32_t row, ptx_rule rule, const char *format, ...);

/* ptx_expect.c, ptx_paths.c: the sites [first, end) of one function. */
void ptx_expect_check(ptx_report *report, const ptx_values *values, uint32_t function,
                      uint32_t first, uint32_t end);
void ptx_paths_check(ptx_report *report, const ptx_values *values, uint32_t function,
                     uint32_t first, uint32_t end);

#endif
