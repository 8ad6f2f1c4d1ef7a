/* SPDX-License-Identifier: Apache-2.0
 *
 * Parts of protocol_way.c, which finds the way between two acts, and protocol_passed.c, which makes
 * a list of it.
 */
#ifndef PTX_PROTOCOL_WAY_H
#define PTX_PROTOCOL_WAY_H

#include "ptx_protocol.h"

#define PTX_MOST_PASSED 24 /* places of one way that are listed */

/* Which of a finding's two acts is passed first. */
enum { PTX_ABOUT_FIRST, PTX_WITH_FIRST, PTX_ROUND /* about, with, about */ };

/* Where no way is without what the rule misses. */
enum { PTX_NO_WAY, PTX_WAY_PAST, PTX_WAY_FROM_BEGIN };

typedef struct ptx_way_row {
    uint8_t rule;
    uint8_t order;
    uint8_t rest;
    uint32_t about, with; /* kinds of acts, one bit each */
    uint32_t stops;       /* what the rule misses */
    uint32_t switches;    /* behind it the way may be another thread's */
} ptx_way_row;

/* One search. A state is 2 * a block + a layer: 0 before the act from which on the way is the other
 * thread's, 1 behind it. */
typedef struct ptx_way_walk {
    ptx_protocol *p;
    const ptx_way_row *row;
    const ptx_act *about;
    const ptx_act *from; /* null: the kernel's begin */
    const ptx_act *to;
    int passes;     /* what the rule misses, too */
    int is_two;     /* the way is two threads' */
    uint32_t found; /* the state in which the end is; PTX_WAY_BEGINS: where it begins */
} ptx_way_walk;

/* In p->way_from: the state before is where the way begins; else it is that state + 1. */
#define PTX_WAY_BEGINS UINT32_MAX

/* An act's kind; of one that is left out as a whim the one it was. */
uint8_t ptx_way_kind(const ptx_protocol *p, uint32_t act);
/* Whether an act is what the rule misses. */
int ptx_way_misses(const ptx_way_walk *w, uint32_t act);
/* The act of a part of a block from which on the way is the other thread's, or PTX_NONE. */
uint32_t ptx_way_switch(const ptx_way_walk *w, uint32_t act, uint32_t end);

typedef struct ptx_way_place {
    ptx_passed is;
    ptx_condition under; /* key PTX_UNKNOWN: it is not known */
} ptx_way_place;

typedef struct ptx_way_list {
    ptx_way_place place[PTX_MOST_PASSED];
    uint32_t count;
} ptx_way_list;

/* Adds the way that was found, and keeps a list as that of the last finding. */
void ptx_way_add(ptx_way_list *list, const ptx_way_walk *w);
void ptx_way_keep(ptx_protocol *p, const ptx_way_list *list);

#endif
