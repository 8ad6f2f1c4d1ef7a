/* SPDX-License-Identifier: Apache-2.0
 *
 * Parts of decode*.c.
 */
#ifndef EMULATOR_DECODE_H
#define EMULATOR_DECODE_H

#include "program.h"
#include "ptx_functions.h"

/* Why an instruction is not executed. */
typedef enum decode_why {
    DECODE_EXECUTED,
    DECODE_NO_ROW,
    DECODE_NO_FORM,
    DECODE_NO_WORD,
    DECODE_NO_NAME,
    DECODE_NO_NUMBER,
    DECODE_NO_OPERAND,
    DECODE_NO_STATEMENT,
    DECODE_WHYS
} decode_why;

/* What an instruction does to the way that lanes go. */
typedef enum decode_flow {
    DECODE_ON,
    DECODE_BRA,
    DECODE_BRX,
    DECODE_CALL,
    DECODE_RET,
    DECODE_EXIT,
    DECODE_TRAP, /* nothing follows: trap, a call that does not return */
} decode_flow;

#define DECODE_WORDS 24

/* An opcode, once for all instructions that have it. */
typedef struct decode_opcode {
    tma_ptx_span text;  /* without blanks and comments */
    emu_instruction in; /* what its words say */
    tma_ptx_span word[DECODE_WORDS];
    uint8_t is_free[DECODE_WORDS]; /* needs no mention in its row */
    uint32_t words;
    emu_run (*choose)(const emu_instruction *in);
    uint8_t why;           /* decode_why */
    tma_ptx_span unread;   /* DECODE_NO_WORD: this one */
    uint8_t flow;          /* decode_flow */
    uint8_t has_statement; /* a tensor instruction: tma_ptx_parse() reads it */
} decode_opcode;

/* A constant of the pool. */
typedef struct decode_pooled {
    uint32_t number; /* EMU_NONE: none */
    uint32_t width;
} decode_pooled;

typedef struct decode {
    emu_program *p;
    ptx_memory *memory;
    const ptx_rows *rows;
    const char *text_end;
    ptx_functions functions;
    int32_t *slot_of_place; /* by place */
    uint32_t *at_row;       /* by row: the first instruction of it or behind it */
    uint8_t *flow;          /* by instruction: decode_flow */
    uint32_t flows;
    decode_opcode *opcode;
    uint32_t *opcode_slot; /* hash table */
    uint32_t opcodes, opcode_slots;
    decode_pooled *constant_slot; /* hash table of constants */
    uint32_t constant_slots;
    uint32_t *global_slot; /* hash table of the file's variables */
    uint32_t global_slots;
    uint32_t function; /* that is decoded */
    uint32_t row;
    uint32_t fixed_slots; /* of the function's registers */
    uint32_t used_slots;  /* by temporaries of the instruction, too */
    const decode_opcode *now;
    uint8_t why;         /* decode_why */
    tma_ptx_span unread; /* DECODE_NO_NAME: this one */
    uint8_t deep;        /* operands that the one being decoded stands in */
    uint8_t is_first;    /* the instruction's first operand is decoded */
} decode;

/* The name that is not declared. */
void decode_no_name(decode *d, tma_ptx_span name);

/* decode_add.c: an instruction that is complete but for run and pure. */
void decode_add(decode *d, const decode_opcode *o, emu_instruction in);

/* decode_words.c: an opcode's words; null: no memory. is_statement: where it is new. */
const decode_opcode *decode_opcode_of(decode *d, tma_ptx_span text);
uint32_t decode_type_of(tma_ptx_span word); /* emu_type of "f16x2"; EMU_NO_TYPE */

/* decode_operations.c: the row of operations.def. */
void decode_operation(decode_opcode *o);
int decode_is_pure(uint32_t op);

/* decode_operands.c */
void decode_operands(decode *d, emu_instruction *in, const tma_ptx_parts *parts);
emu_operand decode_operand(decode *d, const emu_instruction *in, tma_ptx_span text, uint32_t type);
emu_operand decode_list(decode *d, const emu_instruction *in, tma_ptx_span list, uint32_t type);
/* The next of a list with commas, without blanks around it; length 0: the list is at its end. */
tma_ptx_span decode_cut(tma_ptx_span *list);

/* decode_lanes.c: a vector of these operands, and what stands in one. */
emu_operand decode_vector(decode *d, const emu_operand *lanes, uint32_t count);
uint8_t decode_of_what(const emu_operand *o);
/* A register of .v2 or .v4, of which first is lane 0: the whole, or the lane that rest begins with.
 */
emu_operand decode_lane(decode *d, emu_operand first, uint32_t count, tma_ptx_span *rest);

/* decode_shapes.c: whether an instruction's operands are those that its executor reads. */
int decode_has_shape(const emu_instruction *in);
/* Whether the variables that it names lie in the spaces that it names. */
int decode_has_spaces(const emu_program *p, const emu_instruction *in);
/* Whether PTX lets its operands be so. */
enum {
    DECODE_VECTORS = 1,
    DECODE_DISCARDS = 2,
    DECODE_SINKS = 4,
    DECODE_ELEMENTS = 8,
    DECODE_VALUES = 16
};
/* Whether registers, literals of these kinds do: .b goes with all others, .u with .s. */
int decode_goes_with(char a, char b);
int decode_may(const emu_instruction *in, uint32_t what);

/* decode_reads.c: the type that an immediate is read as. */
uint32_t decode_reads_type(const decode_opcode *o, uint32_t index);

/* decode_calls.c: call and brx, whose operands name functions and lists. */
void decode_call(decode *d, emu_instruction *in, const tma_ptx_parts *parts);
void decode_brx(decode *d, emu_instruction *in, const tma_ptx_parts *parts);

/* decode_numbers.c: a literal or a constant expression as a type reads it. */
int decode_number(tma_ptx_span text, uint32_t type, uint64_t *bits);
/* Whether PTX takes it so: an integer for a type of integers or bits, one of floating point for one
 * of its width, own: as the opcode has it. */
int decode_is_literal(tma_ptx_span text, uint32_t type, int own);
/* Its slot, below 0. */
int32_t decode_constant(decode *d, uint64_t bits, uint32_t type);

/* decode_float.c: a decimal number as a double, correctly rounded. 0: it is none. */
int decode_double(tma_ptx_span text, double *value);

/* decode_functions.c */
int decode_functions(decode *d);
uint32_t decode_slots(decode *d, uint32_t type); /* new ones of the function */

/* decode_variables.c, decode_initialisers.c */
int decode_variables(decode *d, tma_error *error);
int decode_initialiser(decode *d, uint32_t variable, const uint64_t *strides, uint32_t levels,
                       uint32_t type);
int decode_globals(decode *d); /* the file's variables by name, for initialisers; -1: no memory */

/* decode_joins.c: in->join of a function's branches. */
void decode_joins(decode *d, uint32_t function);

/* decode_groups.c: in->commits_nothing of a function's commits. */
void decode_groups(decode *d, uint32_t function);

/* decode_used.c */
void decode_used(decode *d);

#endif
