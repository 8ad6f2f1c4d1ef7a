/* SPDX-License-Identifier: Apache-2.0
 *
 * What happens to maps on the ways through a graph, in the order of its blocks.
 */
#ifndef PTX_PTX_WAYS_H
#define PTX_PTX_WAYS_H

#include "ptx_sites.h"

typedef enum ptx_event_kind {
    PTX_EVENT_EDIT,    /* tensormap.replace */
    PTX_EVENT_COPY,    /* tensormap.cp_fenceproxy to the map */
    PTX_EVENT_ACQUIRE, /* fence.proxy.tensormap::generic.acquire */
    PTX_EVENT_RELEASE, /* ...release */
    PTX_EVENT_USE,     /* copies, reductions, prefetches */
    PTX_EVENT_CALL,    /* whose inside is not seen */
} ptx_event_kind;

typedef struct ptx_event {
    ptx_event_kind kind;
    uint32_t site; /* or PTX_NONE */
    uint32_t step;
    ptx_value map;  /* bare */
    ptx_value from; /* PTX_EVENT_COPY: its source, bare */
} ptx_event;

typedef struct ptx_ways {
    ptx_memory *memory;
    ptx_values *v;
    ptx_event *event;
    uint32_t *first; /* by block: of its events; those of block i end where i + 1 begins */
    uint32_t events;
} ptx_ways;

/* Whether a call that was not put in is of a function that fences nothing and touches no map. */
int ptx_call_is_harmless(const ptx_graph *g, const ptx_step *step);

int ptx_ways_make(ptx_ways *w, ptx_memory *memory, const ptx_report *r, ptx_values *v);

/* A value without its number: two of one class are the same or proved different. */
ptx_value ptx_ways_class(ptx_values *v, ptx_value map);

/* Whether all values of a class differ from all of another: addresses of two variables. */
int ptx_classes_apart(const ptx_values *v, ptx_value a, ptx_value b);

/* Values that one can be held against without looking at each. */
typedef struct ptx_value_set {
    ptx_memory *memory;
    ptx_value *value, *class;
    uint32_t values, classes;
    uint8_t *has, *has_class; /* by value */
    uint32_t others;          /* classes that are no variable's address */
} ptx_value_set;

int ptx_set_begin(ptx_value_set *s, ptx_memory *memory, const ptx_values *v);
void ptx_set_add(ptx_value_set *s, ptx_values *v, ptx_value value);
/* Whether one of them is, or may be, the same. */
int ptx_set_may_have(const ptx_value_set *s, ptx_values *v, ptx_value value);
int ptx_set_has(const ptx_value_set *s, ptx_value value);

#endif
