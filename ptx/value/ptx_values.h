/* SPDX-License-Identifier: Apache-2.0
 *
 * What the registers of a graph hold, as far as its text says without being run: numbers, and
 * numbers plus multiples of atoms (ptx_forms.h).
 *
 * The same value of two places is equal at any one time: in the same turn of the loops that it is
 * made in. Whoever follows a way takes a value with him by ptx_value_over(): over the way back of a
 * loop, what is made anew in each turn is PTX_UNKNOWN, and what steps with the turns is the earlier
 * turn's.
 */
#ifndef PTX_PTX_VALUES_H
#define PTX_PTX_VALUES_H

#include "ptx_forms.h"
#include "ptx_graph.h"

/* A place whose value ways bring together at a block's begin. */
typedef struct ptx_merge {
    uint32_t node;
    uint32_t place; /* of the graph */
    uint32_t next;  /* of the same block, or PTX_NONE */
    uint32_t first_arg;
    ptx_value value;
    uint8_t is_stepped; /* a loop's head: it is `step` more each turn */
    uint64_t step;
} ptx_merge;

typedef struct ptx_values {
    ptx_memory *memory;
    const ptx_graph *g;
    ptx_forms forms;
    ptx_value *use; /* by step and name */
    ptx_value *now; /* by place, while steps are followed */
    ptx_merge *merge;
    uint32_t *first_merge; /* by block */
    ptx_value *arg;
    uint32_t merges, args;
    const uint32_t *kept; /* by step: of a load the store, + 1, that its value is from; or null */
    uint8_t *lost;        /* by place: not followed, the graph is too tangled for it */
    uint32_t lost_places;
    int has_unkept;    /* more accesses to a thread's own memory than are held against each other */
    struct walk *walk; /* while steps are followed */
    /* by value of those that acts have: ptx_shared_variable() + 2; 0: not asked yet */
    uint32_t *variable_of;
    uint32_t variables_of;
} ptx_values;

/* Takes the ways from the graph that a branch never takes, as its predicate is a number. -1: there
 * is no memory. The work is in proportion to the steps; places that would need more
 * merges than PTX_MERGES_A_STEP for each step and way, or PTX_MOST_MERGES in all, are not
 * followed. Compilers' kernels need up to 7 for each. */
#define PTX_MERGES_A_STEP 16
#define PTX_MOST_MERGES   8000000
int ptx_values_make(ptx_values *v, ptx_memory *memory, ptx_graph *g);

/* Whether a step's guard lets it run: 1, 0, or -1: that is not known. */
int ptx_value_guard(const ptx_values *v, const ptx_step *step);

/* The value of an operand of a step's statement: of an address with what is added to it. */
ptx_value ptx_value_at(ptx_values *v, const ptx_step *step, const tma_ptx_operand *operand);
/* Of any operand as text: "[%rd1+8]", "3*2", "%tid.x". */
ptx_value ptx_value_of_text(ptx_values *v, const ptx_step *step, tma_ptx_span text);

/* Whether it is a number; as many low bits as it has, the others 0. */
int ptx_value_number(const ptx_values *v, ptx_value value, uint64_t *number);
int64_t ptx_value_signed(const ptx_values *v, ptx_value value); /* of a number */

/* An address without the window of its state space: the same for a variable's address in its space
 * and its generic one. */
ptx_value ptx_value_bare(ptx_values *v, ptx_value address);

/* "variable + number", of a bare address or what a kernel's parameter holds: the atom, or null. */
const ptx_atom *ptx_value_base(const ptx_values *v, ptx_value value, int64_t *added);

typedef enum ptx_alike { PTX_DIFFERENT, PTX_MAYBE, PTX_EQUAL } ptx_alike;

/* Whether two addresses are the same at one time: proved either way, or PTX_MAYBE. */
ptx_alike ptx_values_alike(ptx_values *v, ptx_value a, ptx_value b);

/* A value that was read before, on the way from a block to one that follows it, as it is to be
 * compared with what is read behind that. */
ptx_value ptx_value_over(ptx_values *v, ptx_value value, uint32_t from, uint32_t to);

/* The low bits of an address that are known, by its variable's .align. */
uint32_t ptx_value_low_bits(const ptx_values *v, ptx_value value, uint64_t *number);

/* What an atom of kind PTX_ATOM_SPECIAL has as `a`, its name, and the atom: PTX_NONE where the file
 * does not read it. */
typedef enum ptx_special {
#define PTX_SPECIAL(id, name, bits) PTX_SPECIAL_##id,
#include "ptx_specials.def"
} ptx_special;
const char *ptx_special_name(uint32_t special);
/* The opcode of an atom of kind PTX_ATOM_OPERATION; empty: it is another one, or no instruction's.
 */
static inline tma_ptx_span ptx_atom_opcode(const ptx_values *v, const ptx_atom *a) {
    return a->kind == PTX_ATOM_OPERATION && a->a < v->g->codes->opcodes ? v->g->codes->opcode[a->a]
                                                                        : (tma_ptx_span){"", 0};
}
uint32_t ptx_special_atom(const ptx_values *v, ptx_special special);

/* ptx_values.c, ptx_merges.c, ptx_evaluate.c: parts of ptx_values_make(), which is in ptx_kept.c.
 * _once() knows nothing of loads; *mark: what it took. */
int ptx_values_make_once(ptx_values *v, ptx_memory *memory, ptx_graph *g, ptx_mark *mark);
int ptx_values_follow(ptx_values *v, ptx_memory *memory, ptx_graph *g, const uint32_t *kept);
int ptx_merges_make(ptx_values *v);
void ptx_evaluate(ptx_values *v, const ptx_step *step, uint32_t index,
                  void (*assign)(ptx_values *v, uint32_t place, ptx_value value));
/* The places that a step assigns. */
void ptx_step_places(const ptx_values *v, const ptx_step *step,
                     void (*take)(void *context, uint32_t place), void *context);
uint32_t ptx_place_bits(const ptx_values *v, uint32_t place);
/* The place of a function's register in a context. */
uint32_t ptx_place_in(const ptx_graph *g, uint32_t context, uint32_t place);
/* The context that a place is of. */
uint32_t ptx_place_context(const ptx_graph *g, uint32_t place);
/* The places of a call's .param that an instruction loads or stores, each lane of a vector. */
void ptx_step_lanes(const ptx_graph *g, const ptx_step *step,
                    void (*take)(void *context, uint32_t place), void *context);
/* Where a call's step (PTX_STEP_ENTER, PTX_STEP_LEAVE) has a place's value from, or PTX_NONE. */
uint32_t ptx_step_source(const ptx_values *v, const ptx_step *step, uint32_t place);

/* Where ways bring a place's values together at a block's begin; PTX_NONE: they do not. */
uint32_t ptx_merge_of(const ptx_values *v, uint32_t block, uint32_t place);

#endif
