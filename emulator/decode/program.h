/* SPDX-License-Identifier: Apache-2.0
 *
 * A PTX module decoded once: instructions as rows that hold what to run, no text. Nothing in the
 * emulator but decode*.c looks at text.
 *
 * Registers live in slots of 128 bytes, 32 lanes each: a register of up to 32 bits takes one slot
 * (lane l is uint32_t number l, narrower ones zero-extended), one of 64 bits two (uint64_t number
 * l), one of 128 bits four (the low halves of all lanes, then the high ones), a predicate one,
 * whose first uint32_t is a mask of lanes. Immediates and other constants are slots of the
 * program's pool, written once, so that an operand is always a slot.
 */
#ifndef EMULATOR_PROGRAM_H
#define EMULATOR_PROGRAM_H

#include "ptx_rows.h"
#include "tma/ptx.h"
#include "words.h"

#define EMU_LANES  32
#define EMU_SLOT_B 128
#define EMU_NONE   UINT32_MAX

typedef enum emu_type {
    EMU_NO_TYPE,
#define EMU_TYPE(id, word, bits, kind, elements) EMU_##id,
#include "types.def"
    EMU_TYPES
} emu_type;

typedef struct emu_type_traits {
    const char *word; /* "f16x2" */
    uint8_t bits;     /* in all */
    char kind;        /* 'B' 'U' 'S' 'F' or 'P' */
    uint8_t elements; /* of a packed type */
} emu_type_traits;

extern const emu_type_traits emu_types[EMU_TYPES];
static inline const emu_type_traits *emu_type_of(uint32_t type) {
    return &emu_types[type < EMU_TYPES ? type : EMU_NO_TYPE];
}

/* Bits of a mask by lane: a comparison with one is a vector's, a shift by the lane's number is not.
 */
extern const uint32_t emu_lane_bit[EMU_LANES];

typedef enum emu_space {
    EMU_GENERIC, /* none written */
    EMU_GLOBAL,
    EMU_SHARED_CTA,
    EMU_SHARED_CLUSTER,
    EMU_LOCAL,
    EMU_CONST,
    EMU_PARAM_ENTRY, /* a kernel's parameters */
    EMU_PARAM_CALL,  /* a call's: memory of one frame */
    EMU_TMEM,        /* tensor memory of sm_100 */
    EMU_SPACES
} emu_space;

typedef enum emu_operand_kind {
    EMU_ABSENT,
    EMU_REGISTER, /* slot: a register, or, below 0, constant ~slot of the pool */
    EMU_ADDRESS,  /* [slot + number], [variable + number] or [number]; with `count` operands beside:
                     [map, {c0, c1}] */
    EMU_VECTOR,   /* count operands from program->operand[first]; type: of one of its registers (of
                     one   of bits, if there is), where all have one width (else EMU_NO_TYPE),
                     constant:   there are constants among them, number: how many are sinks */
    EMU_VARIABLE, /* the address of a variable + number; of mov alone; of calls: .param memory */
    EMU_LABEL,    /* number: instruction */
    EMU_FUNCTION, /* number: function */
    EMU_SPECIAL, /* number: emu_special, or of %tid as a whole EMU_SPECIALS + that of %tid.x; of mov
                    alone: elsewhere decode reads it into a slot */
    EMU_SINK,    /* _ */
} emu_operand_kind;

/* What stands in it: registers, literals of integers, of floating point. */
enum { EMU_OF_REGISTERS = 1, EMU_OF_INTEGERS = 2, EMU_OF_FLOATS = 4 };

typedef struct emu_operand {
    uint8_t kind;
    uint8_t negated;  /* !%p; -%r where PTX has that */
    uint8_t constant; /* REGISTER: an immediate, and number holds its bits */
    uint8_t type; /* REGISTER: emu_type as declared; of an immediate as the instruction reads it;
                     ADDRESS: its register's */
    int32_t slot; /* ADDRESS: EMU_NO_SLOT, where it has no register */
    uint32_t variable;     /* or EMU_NONE */
    uint32_t first, count; /* of program->operand */
    uint8_t braced;        /* no VECTOR, but written {x} */
    uint8_t of;            /* EMU_OF_*: immediates, VECTOR, braced */
    int64_t number;
} emu_operand;

/* Operands stand in the order written, p|q's second in `also`. A REGISTER's number: of video
 * instructions the parts named behind it: .b3210 is 'b' << 32, how many << 16, and four bits each;
 * 0: none. */

typedef struct emu_warp emu_warp;
typedef struct emu_instruction emu_instruction;

typedef enum emu_step {
    EMU_NEXT,    /* done; the next instruction */
    EMU_JUMPED,  /* the fragment's pc is set, or fragments were made or ended */
    EMU_BLOCKED, /* nothing was done; the same instruction again when what it waits for may have
                    changed (fragment->wait says what) */
    EMU_STOPPED, /* the run is over: emu_stop() said why */
} emu_step;

/* Executes an instruction for the lanes of a mask (never 0): guard and liveness are applied. */
typedef emu_step (*emu_run)(emu_warp *warp, const emu_instruction *in, uint32_t mask);

/* bra: operand[0] LABEL. brx.idx: operand[0] the index, operand[1] VECTOR of LABELs. call:
 * operand[0] VECTOR of returns, operand[1] FUNCTION or a REGISTER with its address (see
 * EMU_FUNCTION_ADDRESS), operand[2] VECTOR of arguments; both vectors may be empty (count 0), and
 * their elements are REGISTERs, constants or VARIABLEs (.param of the frame). ret and exit: none.
 */
#define EMU_OPERANDS 10

/* A function's address, as mov gives it: a multiple of 16, not 0. */
#define EMU_FUNCTION_FIRST          UINT64_C(0x7f04000000000000)
#define EMU_FUNCTION_ADDRESS(index) (EMU_FUNCTION_FIRST + (uint64_t)(index)*16)

/* One instruction. What an opcode's words say is in typed members (qualifiers.def says which word
 * means what); flags hold the words that are neither type, space, scope nor number. */
struct emu_instruction {
    emu_run run;
    uint16_t op;       /* emu_op: operations.def */
    uint8_t type[5];   /* emu_type, in the order written: setp.lt.f32, cvt.rn.f16.f32: 2, mma: 4 or,
                          with a type of scale factors, 5 */
    uint8_t space[3];  /* emu_space, in the order written; written[] tells */
    uint8_t spaces;    /* how many are written */
    uint8_t scope;     /* tma_ptx_scope */
    uint8_t order;     /* emu_order: semantics as written, 0: none */
    uint8_t rounding;  /* emu_rounding */
    uint8_t compare;   /* emu_compare: of set and setp */
    uint8_t boolean;   /* emu_boolean: and, or, xor of setp; the operation of atom, red, redux is in
                          `operation` */
    uint8_t operation; /* emu_operation: atom.add, red.max, bar.red.popc, vote.any, shfl.up … */
    uint8_t vector;    /* 1, 2, 4, 8 */
    uint8_t operands;
    uint16_t shape[3]; /* m, n, k of .m64n128k16, .m8n8; rows, columns of .32x32b, and
                          2 of .16x32bx2 */
    uint16_t times;    /* .x1 .x2 .x4 … .x128; 0: none is written */
    uint8_t layout[2]; /* EMU_FLAG_ROW, EMU_FLAG_COL, in the order written: of A and B */
    uint64_t flags[3]; /* EMU_FLAG_*: bit n of flags[n / 64] */
    int32_t guard;     /* slot of a predicate, or EMU_NO_GUARD */
    uint8_t guard_negated;
    uint8_t protocol; /* a copy, barrier, fence, wait or MMA: coverage counts it */
    uint8_t pure; /* reads and writes registers of its own lane only: uninitialised flows through */
    uint8_t why;  /* decode_why: op EMU_OP_UNKNOWN */
    uint8_t commits_nothing; /* a commit: no path to it has work of its kind */
    uint32_t row;            /* of the PTX: line and source line */
    uint32_t join; /* branches: the instruction where its ways meet; the function's end if none */
    uint32_t function;  /* that it is in */
    uint32_t statement; /* index of program->statement for tensor instructions, or EMU_NONE */
    emu_operand operand[EMU_OPERANDS];
    emu_operand also; /* the second of p|q, d|p; or EMU_ABSENT */
};

#define EMU_NO_GUARD INT32_MIN
#define EMU_NO_SLOT  INT32_MIN

typedef struct emu_relocation { /* a variable's or function's address in an initialiser */
    uint64_t at_B;
    uint64_t addend;
    uint32_t variable; /* or EMU_NONE */
    uint32_t function; /* or EMU_NONE */
    uint8_t is_generic;
} emu_relocation;

typedef struct emu_chunk { /* bytes of an initialiser that stand next to each other */
    uint64_t at_B;
    uint32_t first, size_B; /* of program->initial */
} emu_chunk;

typedef struct emu_variable {
    tma_ptx_span name;
    uint8_t space;       /* emu_space */
    uint8_t is_extern;   /* .extern .shared: begins where static shared memory ends */
    uint8_t is_register; /* a function's .reg parameter: slot */
    uint8_t type;        /* emu_type of its elements */
    uint8_t is_written;  /* .global with an initialiser, .const: initialised */
    uint32_t align_B;
    uint32_t function; /* that declares it, or EMU_NONE */
    int32_t slot;
    uint64_t step_B; /* of one element of an array of one dimension; 0: it is none */
    uint64_t size_B;
    uint64_t
        offset_B; /* PARAM_ENTRY: in the parameters; PARAM_CALL, LOCAL: in the memory of a frame,
                     per lane. Shared, global and const get their addresses at launch. */
    uint32_t first_chunk, chunks; /* of the initialiser; all else is zeros */
    uint32_t first_relocation, relocations;
    uint32_t row;
    uint32_t placed; /* its number among those of program->placed */
} emu_variable;

/* Whether a variable has a place in global memory, for as long as the module lives. */
static inline int emu_is_placed(const emu_variable *v) {
    return v->space == EMU_GLOBAL || v->space == EMU_CONST;
}

typedef struct emu_function {
    tma_ptx_span name;
    uint8_t is_entry, is_defined;
    uint8_t builtin; /* emu_builtin: vprintf, malloc, free, __assertfail …; 0: none */
    uint8_t is_no_return;
    uint32_t first, end; /* instructions; instruction `end` is a return that decode adds */
    uint32_t slots;      /* of a frame */
    uint64_t local_B;    /* of one lane's frame: .local variables and .param of calls */
    uint32_t first_parameter, parameters; /* program->parameter: variables */
    uint32_t first_return, returns;
    uint64_t parameter_B;                      /* entry: the whole of its parameters */
    uint32_t required[3], most[3], cluster[3]; /* .reqntid .maxntid .reqnctapercluster; 0: none */
    uint8_t explicit_cluster;
    uint32_t most_registers, least_ctas; /* .maxnreg, .minnctapersm; 0: none */
    uint32_t head_row;
    /* program->used: shared, global and const variables that it and all that it calls name */
    uint32_t first_used, used;
    /* program->called: entries: itself and all functions that it may call */
    uint32_t first_called, called;
} emu_function;

typedef struct emu_called {
    uint32_t function;
    uint32_t before; /* instructions of the same entry's functions that stand before it */
} emu_called;

typedef struct emu_unread { /* why an instruction is not executed */
    uint32_t instruction;
    tma_ptx_span word;
} emu_unread;

typedef struct emu_program {
    ptx_memory *memory;
    ptx_rows rows;
    emu_instruction *code;
    emu_operand *operand;
    tma_ptx_statement *statement;
    uint32_t *statement_operand; /* not used by executors */
    emu_variable *variable;
    emu_function *function;
    emu_relocation *relocation;
    emu_chunk *chunk;
    uint8_t *initial; /* bytes of all initialisers */
    uint32_t *parameter, *used, *entry;
    uint32_t *placed; /* variables that have a place in global memory */
    emu_called *called;
    uint8_t (*pool)[EMU_SLOT_B]; /* constants */
    emu_unread *unread;          /* words of the text that are not known, not declared */
    uint32_t instructions, all_operands, statements, variables, functions, all_parameters, all_used,
        all_called, relocations, constants, all_chunks, initials, entries, all_placed, unreads;
    uint8_t raw_names; /* variables are named as they are mangled */
} emu_program;

/* Decodes a text, which has to stay where it is. 0; or -1 and *error (its line in words): no
 * memory, or a text that is not PTX. What an instruction lacks to be executed is said when it is
 * reached (op EMU_OP_UNKNOWN runs into emu_stop()). */
int emu_decode(emu_program *out, ptx_memory *memory, const char *text, size_t size,
               tma_error *error);

static inline int emu_flag(const emu_instruction *in, uint32_t flag) {
    return (int)(in->flags[flag / 64] >> (flag % 64) & 1);
}

#endif
