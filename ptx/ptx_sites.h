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
    uint32_t with; /* another row that it is about, + 1; 0: none */
} ptx_finding;

/* What is known of an address or an operand, in the file's own words. */
typedef enum ptx_known_kind {
    PTX_KNOWN_NOT,
    PTX_KNOWN_NUMBER,  /* added */
    PTX_KNOWN_ADDRESS, /* of a variable or parameter, + added */
    PTX_KNOWN_HELD,    /* what a kernel's parameter holds, + added */
    PTX_KNOWN_NAME,    /* what a name stands for that the file does not declare, + added */
} ptx_known_kind;

typedef struct ptx_known {
    ptx_known_kind kind;
    tma_ptx_span name;
    uint32_t variable; /* or PTX_NONE */
    int64_t added;
} ptx_known;

/* One instruction. */
typedef struct ptx_site {
    uint32_t row;
    int unread; /* text says why */
    tma_ptx_statement s;
    tma_ptx_statement known; /* the same, with the numbers that its registers hold */
    tma_position at;
    uint32_t unknown; /* of at: TMA_PTX_UNKNOWN_* */
    int is_seen;      /* some kernel or function runs it */
    ptx_known map, shared, barrier;
    uint32_t given;      /* index of the map that is known, or PTX_NONE */
    int has_bytes;       /* loads with such a map: */
    uint64_t bytes_B;    /* counted on the barrier */
    uint32_t expect_row; /* the mbarrier.arrive.expect_tx before it, or PTX_NONE */
    uint64_t expect_B;
} ptx_site;

/* A map whose bytes are known: from --map, or a constant of the file. */
typedef struct ptx_given {
    tma_ptx_span name; /* length 0: every map */
    uint32_t variable; /* of the file; PTX_NONE: from --map */
    struct {
        uint8_t bytes[TMA_MAP_BYTES]; /* a tma_map asks for more alignment than the room has */
    } map;
} ptx_given;

typedef struct ptx_report {
    ptx_memory *memory;    /* for what stays, */
    ptx_memory kept, work; /* and for one kernel at a time */
    ptx_rows rows;
    ptx_codes codes;
    ptx_functions functions;
    ptx_site *site;
    uint8_t *is_site; /* by row */
    ptx_finding *finding;
    ptx_given *given;
    uint8_t *is_written; /* by variable: its first bytes need not be what a copy finds */
    uint32_t sites, findings, givens;
    uint32_t expects;       /* instructions that expect bytes */
    uint32_t branches;      /* edits that some ways to a use fence and others do not */
    uint32_t calls;         /* edits whose way to a use goes through a call: not judged */
    uint32_t unjudged;      /* kernels whose ways were too many to be followed to the end */
    const tma_target *arch; /* --arch, or null */
} ptx_report;

/* Judges a text, which has to stay where it is. `given` are the maps of --map. Memory comes from
 * `more`, and the report ends with it. 0; or -1: there is none. */
int ptx_report_make(ptx_report *r, ptx_more more, void *context, const char *text, size_t size,
                    const ptx_given *given, uint32_t givens, const tma_target *arch);

/* The target that a row is judged for, null where none is known. */
const tma_target *ptx_target_of(const ptx_report *report, uint32_t row);

/* Adds a finding. */
TMA_FORMAT(6, 7)
void ptx_find(ptx_report *report, uint32_t site, uint32_t row, const char *rule, int certain,
              const char *format, ...);
TMA_FORMAT(5, 6)
void ptx_break(ptx_report *report, uint32_t site, uint32_t row, ptx_rule rule, const char *format,
               ...);

/* The site of a row, or PTX_NONE. */
uint32_t ptx_site_at(const ptx_report *report, uint32_t row);

/* ptx_written.c: what one kernel or function may write. */
void ptx_written_take(ptx_report *report, ptx_values *values);

/* ptx_expect.c, ptx_paths.c: one kernel or function with all that it calls. */
void ptx_expect_check(ptx_report *report, ptx_values *values);
void ptx_paths_check(ptx_report *report, ptx_values *values);
/* ptx_protocol.h: fences, waits and reuse. */
void ptx_protocol_check(ptx_report *report, ptx_values *values);

#endif
