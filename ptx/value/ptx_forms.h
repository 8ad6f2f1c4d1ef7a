/* SPDX-License-Identifier: Apache-2.0
 *
 * Values: a number plus multiples of atoms, in so many bits. The same value has the same index, so
 * that equality is a comparison.
 *
 * An atom is a number of 64 bits that is not known, and the same each time the atom is named in one
 * turn of the loop that it is made in: what a parameter holds, where a variable lies, %tid.x, the
 * turns of a loop, what an instruction gave, an operation on other values.
 */
#ifndef PTX_PTX_FORMS_H
#define PTX_PTX_FORMS_H

#include "ptx_memory.h"

#define PTX_TERMS 5

/* Index of a value; 0: nothing is known, and two of these are not the same. */
typedef uint32_t ptx_value;
#define PTX_UNKNOWN 0u

typedef enum ptx_atom_kind {
    PTX_ATOM_SPECIAL,   /* a special register that stays as it is: a its name's atom key */
    PTX_ATOM_ADDRESS,   /* where a variable lies: a index of ptx_rows.variable, b context */
    PTX_ATOM_PARAMETER, /* what a kernel's parameter holds: a variable, b offset, c bits */
    PTX_ATOM_INPUT,     /* what a function's register or parameter holds at first: a place */
    PTX_ATOM_NAMED,     /* a name that the file does not declare: a of ptx_codes.opcode */
    PTX_ATOM_WINDOW,    /* generic address minus the address in a state space: a its first letter */
    PTX_ATOM_TURN,      /* how often a loop went back since it was entered: a loop */
    PTX_ATOM_MERGED,    /* what ways bring together: a block, b place; c 1: those into a loop */
    PTX_ATOM_RESULT,    /* what an instruction gave: a step, b which of its results */
    PTX_ATOM_OPERATION, /* a function of b, c, d (values), of which nothing more is known: a
                           opcode, or PTX_DO_* */
} ptx_atom_kind;

/* Operations of our own beside opcodes. */
enum {
    PTX_DO_ZERO_EXTEND = 0x40000000,
    PTX_DO_SIGN_EXTEND,
    PTX_DO_SELECT,
    PTX_DO_PRODUCT,
    PTX_DO_SUM /* of more terms than a form has */
};

typedef struct ptx_atom {
    uint8_t kind;     /* ptx_atom_kind */
    uint8_t bits;     /* the atom is below 2^bits */
    uint8_t is_mixed; /* made of atoms of loops that are not in each other */
    uint32_t a, b, c, d;
    uint32_t loop; /* the innermost that it is made in, PTX_NONE: it is the same all the time */
} ptx_atom;

typedef struct ptx_term {
    uint32_t atom;
    uint64_t times;
} ptx_term;

/* number + times * atom + ..., modulo 2^bits. */
typedef struct ptx_form {
    uint64_t number;
    uint32_t bits;
    uint32_t terms;
    ptx_term term[PTX_TERMS]; /* by rising atom, times not 0 */
} ptx_form;

/* Of a hash table. The hash stands beside the index: what is looked at for another hash is not
 * touched. */
typedef struct ptx_slot {
    uint32_t hash, index;
} ptx_slot;

typedef struct ptx_forms {
    ptx_memory *memory;
    ptx_form *form;
    ptx_atom *atom;
    ptx_slot *form_slot, *atom_slot;
    uint32_t forms, atoms, form_slots, atom_slots;
} ptx_forms;

int ptx_forms_begin(ptx_forms *f, ptx_memory *memory);

/* The atom of these members; made where there is none yet. */
uint32_t ptx_atom_of(ptx_forms *f, const ptx_atom *atom);
/* Likewise, where there is none yet PTX_NONE. */
uint32_t ptx_atom_find(const ptx_forms *f, const ptx_atom *atom);

ptx_value ptx_form_number(ptx_forms *f, uint64_t number, uint32_t bits);
ptx_value ptx_form_atom(ptx_forms *f, uint32_t atom, uint32_t bits);

/* a + times * b in the bits of a. PTX_UNKNOWN: there are too many terms. */
ptx_value ptx_form_sum(ptx_forms *f, ptx_value a, ptx_value b, uint64_t times);
/* Whether a - b, in the bits of a, is a number. No value is made of it, so that many pairs can be
 * asked. */
int ptx_form_apart(const ptx_forms *f, ptx_value a, ptx_value b, uint64_t *number);
/* The sum; too many terms become one atom, all but the places of variables: what they are a
 * multiple of stands before it. */
ptx_value ptx_form_sum_of_many(ptx_forms *f, ptx_value a, ptx_value b, uint64_t times);
ptx_value ptx_form_times(ptx_forms *f, ptx_value a, uint64_t times);

/* The low bits. */
ptx_value ptx_form_cut(ptx_forms *f, ptx_value a, uint32_t bits);

/* The bits from the `by`th on, in so many fewer. PTX_UNKNOWN: what is below them may carry. */
ptx_value ptx_form_upper(ptx_forms *f, ptx_value a, uint32_t by);

/* Without the power of two that divides all of it, and how often it is halved: shifted to the left
 * by so many bits it is the value again. */
ptx_value ptx_form_halved(ptx_forms *f, ptx_value a, uint32_t *times);

/* In more bits, the new ones 0 or the sign. */
ptx_value ptx_form_extend(ptx_forms *f, ptx_value a, uint32_t bits, int is_signed);

/* An operation on values of which nothing more is known; PTX_UNKNOWN if one of them is. `count` of
 * b, c, d are there. */
ptx_value ptx_form_operation(ptx_forms *f, uint32_t operation, uint32_t bits, const ptx_value *of,
                             uint32_t count);

/* Whether a value is a number. */
int ptx_form_is_number(const ptx_forms *f, ptx_value a, uint64_t *number);

/* How many low bits of a value are known, and *number. `aligned` gives the low bits of an atom that
 * are 0. */
typedef uint32_t (*ptx_aligned)(const void *context, const ptx_atom *atom);
uint32_t ptx_form_low_bits(const ptx_forms *f, ptx_value a, ptx_aligned aligned,
                           const void *context, uint64_t *number);

#endif
