/* SPDX-License-Identifier: Apache-2.0
 *
 * Sets of values, in classes; which calls fence nothing and touch no map.
 */
#ifndef PTX_PTX_WAYS_H
#define PTX_PTX_WAYS_H

#include "ptx_sites.h"

/* Whether a call that was not put in is of a function that fences nothing and touches no map. */
int ptx_call_is_harmless(const ptx_graph *g, const ptx_step *step);

/* A value without its number: two of one class are the same or proved different. */
ptx_value ptx_ways_class(ptx_values *v, ptx_value map);

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

#endif
