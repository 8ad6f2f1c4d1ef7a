/* SPDX-License-Identifier: Apache-2.0
 *
 * The turns of one loop, one after the other, with numbers for what the loop carries from turn to
 * turn (protocol_visits.c).
 */
#ifndef PTX_PROTOCOL_TURNER_H
#define PTX_PROTOCOL_TURNER_H

#include "ptx_protocol.h"

#define PTX_MOST_TURNS   72                 /* that are gone through */
#define PTX_MOST_CARRIED 12                 /* values that a loop carries from turn to turn */
#define PTX_SHARED_AT    UINT64_C(0x100000) /* where a variable is taken to lie */

typedef struct ptx_turner {
    ptx_protocol *p;
    uint32_t loop;
    ptx_held given[PTX_MOST_CARRIED + 1]; /* the loop's turns, then what it carries */
    ptx_value next[PTX_MOST_CARRIED + 1];
    uint32_t givens;
    uint32_t only; /* see ptx_first */
    int fails;
    int with_ways; /* what the ways of one turn bring together is asked, too */
} ptx_turner;

ptx_turner ptx_turner_of(ptx_protocol *p, uint32_t loop);

/* Before the first turn: finds what a value, an act's conditions, or the ways out of the loop hang
 * on. A value of which that is not known leaves the others as they are. */
void ptx_turner_try(ptx_turner *t, ptx_value value);
void ptx_turner_try_conditions(ptx_turner *t, const ptx_act *a);
void ptx_turner_try_exits(ptx_turner *t);

/* What a value is in this turn, with a variable at PTX_SHARED_AT; loops in the loop are in their
 * first turn, and it is asked for the thread of an act. 0: not known. */
int ptx_turner_number(const ptx_turner *t, const ptx_act *act, ptx_value value, uint32_t variable,
                      uint64_t *out);
/* Whether a condition that the loop makes is known not to hold for an act in this turn. */
int ptx_turner_leaves_out(const ptx_turner *t, const ptx_act *a);
/* Whether this turn is known to leave the loop. */
int ptx_turner_ends(ptx_turner *t);
/* On to the next turn. 0: what it carries is not known. */
int ptx_turner_go_on(ptx_turner *t);

#endif
