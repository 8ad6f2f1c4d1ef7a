/* SPDX-License-Identifier: Apache-2.0
 *
 * What the instructions of a file do to registers: what they assign, and from what.
 */
#ifndef PTX_PTX_CODE_H
#define PTX_PTX_CODE_H

#include "ptx_rows.h"

typedef enum ptx_op {
    PTX_OP_OTHER, /* no row; of ptx_code also: its results are followed no further */
#define PTX_OP(id, ...) PTX_OP_##id,
#include "ptx_ops.def"
    PTX_OPS
} ptx_op;

typedef enum ptx_arg_kind {
    PTX_ARG_NONE,   /* an operand of another form */
    PTX_ARG_NUMBER, /* number */
    PTX_ARG_NAME,   /* ref, + number */
} ptx_arg_kind;

typedef struct ptx_arg {
    ptx_arg_kind kind;
    uint32_t ref; /* index of the file's, or PTX_NONE */
    tma_ptx_span name;
    int64_t number;
    int is_not; /* !%p1 */
} ptx_arg;

typedef struct ptx_code {
    uint8_t op;          /* ptx_op */
    uint8_t bits;        /* of the type that the opcode ends in */
    uint8_t from_bits;   /* of cvt: what it is from; of set and setp the operands' */
    uint8_t is_signed;   /* the last type */
    uint8_t from_signed; /* cvt: the result's type */
    uint8_t guarded, negated;
    uint8_t lanes;            /* of a vector: 1, 2, 4, 8; of calls how many args it returns into */
    uint32_t guard;           /* ref */
    uint32_t name;            /* of an opcode with its qualifiers: the same for the same text */
    uint32_t first_def, defs; /* of ptx_codes.def: places that are assigned */
    uint32_t first_arg, args;
} ptx_code;

typedef struct ptx_codes {
    ptx_memory *memory;
    const ptx_rows *rows;
    ptx_code *code; /* by row */
    uint32_t *def;  /* places, PTX_NONE for those that are none */
    ptx_arg *arg;
    tma_ptx_span *opcode; /* by name */
    uint32_t *slot;       /* hash table of names */
    uint32_t all_defs, all_args, opcodes, slots;
} ptx_codes;

/* An opcode's row, without blanks and comments as ptx_codes keeps it. */
ptx_op ptx_op_of(tma_ptx_span opcode);

/* Whether what follows an instruction stands in another block; not of calls. */
int ptx_op_ends_block(uint32_t op);

/* Whether all that it does is to give a function of its operands. */
int ptx_op_is_value(uint32_t op);

/* Whether a row's last column is `what`. */
int ptx_op_does(uint32_t op, char what);

/* Whether an opcode, without blanks and comments, has a qualifier: "add.cc.u32", "cc". */
int ptx_opcode_has(tma_ptx_span opcode, const char *qualifier);

/* A name that the file does not declare as a number of its own: an index of `opcode`, which holds
 * such names, too; or PTX_NONE. */
uint32_t ptx_codes_name(const ptx_codes *codes, tma_ptx_span name);

/* A row's opcode; empty: it has none. */
static inline tma_ptx_span ptx_row_opcode(const ptx_codes *s, uint32_t row) {
    const uint32_t name = s->code[row].name;
    return name < s->opcodes ? s->opcode[name] : (tma_ptx_span){"", 0};
}

int ptx_codes_read(ptx_codes *s, ptx_memory *memory, const ptx_rows *rows);

/* An operand's name and number, or what else it is. */
ptx_arg ptx_arg_of(const ptx_rows *rows, uint32_t row, tma_ptx_span span, int *bracketed);

#endif
