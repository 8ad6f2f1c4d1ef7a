/* SPDX-License-Identifier: Apache-2.0
 *
 * A rule that looks at paths, as a row: whose paths, what acts on them do to these, and which
 * access at their end is wrong. protocol_paths.c is the one walk that all rows share.
 */
#ifndef PTX_PROTOCOL_PATHS_H
#define PTX_PROTOCOL_PATHS_H

#include "ptx_protocol.h"

#define PTX_KIND(kind)     (UINT64_C(1) << PTX_ACT_##kind)
#define PTX_HERE(plane)    (UINT32_C(1) << (plane))        /* ways of this turn */
#define PTX_TURNED(plane)  (UINT32_C(1) << (16 + (plane))) /* those that came over a way back */
#define PTX_EVER(plane)    (PTX_HERE(plane) | PTX_TURNED(plane))
#define PTX_BELOW(plane)   (PTX_HERE(plane) - 1)
#define PTX_MOST_PASSINGS  10
#define PTX_MOST_CLAIMS    2
#define PTX_MOST_CONTEXT_B 4096 /* what a row's own functions keep of 64 seeds */

/* What an act is to a seed: of a passing, whether it counts; of a claim, how sure it is that the
 * access is wrong. */
typedef int ptx_relation(ptx_protocol *p, const ptx_act *a, const ptx_act *seed);
enum { PTX_NOT, PTX_MAY, PTX_SURE };

/* An act moves the ways that come to it from some planes to another one. */
typedef struct ptx_passing {
    uint64_t kinds;
    uint16_t traits;                            /* any of these; 0: whatever it has */
    uint16_t from;                              /* planes, PTX_HERE */
    enum { PTX_MOVES, PTX_ADDS, PTX_ENDS } how; /* adds: they stay in the other planes, too */
    uint8_t to;
    ptx_relation *of; /* the seeds that it is so to; null: all */
    void (*by)(ptx_flood *f, uint32_t act, uint64_t *plane); /* does it instead, if not null */
} ptx_passing;

/* An access is wrong where some way of `open` leads to it, and none of `shut`. */
typedef struct ptx_claim {
    uint64_t access; /* kinds */
    uint32_t open, shut;
    uint8_t is_last;      /* of several accesses that are alike the last one is said */
    uint8_t most;         /* PTX_MAY, PTX_SURE: no access is said with more */
    uint8_t about_access; /* the finding stands there, and names the seed's line */
    uint8_t rule;
    uint8_t unless; /* ptx_unless */
    ptx_relation *is;
    ptx_relation *holds; /* asked once, of the access that is said; null: it does */
    const char *text;    /* @: the line of the other one; ~: read or write, as the access does */
} ptx_claim;

typedef struct ptx_paths {
    uint64_t seeds;               /* kinds */
    uint64_t needs;               /* kinds of which the kernel has one at least */
    int (*asks)(ptx_protocol *p); /* whether a kernel is asked; null: each is */
    uint8_t planes, crossed, backwards, by_turn, stays_own, one_back;
    ptx_passing passing[PTX_MOST_PASSINGS];
    ptx_claim claim[PTX_MOST_CLAIMS];
    /* A row whose findings hang on more than one access of a seed has these in place of claims. */
    void (*begin)(ptx_flood *f);
    void (*hit)(ptx_flood *f, uint32_t act, const uint64_t *plane);
    void (*end)(ptx_flood *f);
} ptx_paths;

void ptx_paths_follow(ptx_protocol *p, const ptx_paths *rule);

#endif
