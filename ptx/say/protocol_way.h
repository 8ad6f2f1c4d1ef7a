/* SPDX-License-Identifier: Apache-2.0
 *
 * Parts of protocol_way.c, which finds the way between two acts, and protocol_passed.c, which makes
 * a list of it.
 */
#ifndef PTX_PROTOCOL_WAY_H
#define PTX_PROTOCOL_WAY_H

#include "ptx_protocol.h"

#define PTX_MOST_PASSED 24 /* places of one way that are listed */

/* A part of a way. One that does not begin where the one before ends is another thread's, at the
 * same time. */
typedef enum ptx_leg {
    PTX_LEG_NONE,
    PTX_AT_ABOUT,   /* the finding's own act alone */
    PTX_TO_ABOUT,   /* from the kernel's begin */
    PTX_TO_WITH,    /* likewise */
    PTX_ABOUT_WITH, /* from the finding's own act to the other one */
    PTX_WITH_ABOUT,
    PTX_OVER_WITH, /* from the finding's own act to the other one by way of a barrier: one thread
                      arrives there, and another one waits for it */
    PTX_OVER_ABOUT,
} ptx_leg;

#define PTX_MOST_LEGS 2

typedef struct ptx_way_row {
    uint8_t rule;
    uint8_t leg[PTX_MOST_LEGS]; /* all of them, or the row is passed over */
    uint8_t may_pass;           /* what the rule misses, where no way is without it */
    uint64_t about, with;       /* kinds of acts, one bit each */
    uint64_t stops;             /* what the rule misses */
    uint64_t switches;          /* behind it the way may be another thread's */
} ptx_way_row;

/* One search. A state is 2 * a block + a layer: 0 before the act from which on the way is the other
 * thread's, 1 behind it. */
typedef struct ptx_way_walk {
    ptx_protocol *p;
    const ptx_way_row *row;
    const ptx_act *about, *with;
    const ptx_act *from; /* null: the kernel's begin */
    const ptx_act *to;
    uint32_t first; /* block in which it begins */
    int passes;     /* what the rule misses, too */
    int is_two;     /* the way is two threads' */
    uint32_t found; /* the state in which the end is; PTX_WAY_BEGINS: where it begins */
} ptx_way_walk;

/* In p->way_from: the state before is where the way begins; else it is that state + 1. */
#define PTX_WAY_BEGINS UINT32_MAX

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
    const ptx_act *end; /* the last act */
} ptx_way_list;

/* Adds the way that was found; where it begins, if the list does not end there; the place at which
 * another thread goes on, who was told at the last one; and keeps a list as that of a
 * finding. */
void ptx_way_add(ptx_way_list *list, const ptx_way_walk *w);
void ptx_way_begin(ptx_way_list *list, const ptx_way_walk *w);
void ptx_way_hand_over(ptx_way_list *list, const ptx_way_walk *w, const ptx_act *wait);
void ptx_way_keep(ptx_protocol *p, uint32_t finding, const ptx_way_list *list);

#endif
