/* SPDX-License-Identifier: Apache-2.0
 *
 * How many registers a thread of a kernel with setmaxnreg has at the launch. PTX does not say; this
 * is what ptxas 13.0 answered with -v for sm_90a to sm_121a (docs/evidence/executed.md): those that
 * the launch bounds leave, shared evenly by a multiprocessor's four partitions, no more than
 * .maxnreg or the largest setmaxnreg.inc.
 */
#include "heap.h"
#include "registers.h"
#include "schedule.h"

#define PARTITIONS 4u
#define OF_LANE    512u /* registers that a partition has for each lane of a warp */
#define UNIT       8u
#define MOST       255u

static int is_copy_to_cluster(const emu_instruction *in) {
    return (in->op == EMU_OP_CP_BULK || in->op == EMU_OP_CP_TENSOR) && in->spaces > 1 &&
           in->space[0] == EMU_SHARED_CLUSTER && in->space[1] == EMU_GLOBAL;
}

/* The functions that the kernel may call, and itself. */
static const emu_function *called(const emu_machine *m, uint32_t i) {
    return &m->program->function[m->program->called[m->kernel->first_called + i].function];
}

/* Whether ptxas leaves setmaxnreg out because of an instruction: it makes calls by address (C7506),
 * among them those to copies to .shared::cluster on sm_120. */
static int leaves_out(const emu_machine *m, const emu_instruction *in) {
    return (in->op == EMU_OP_CALL && in->operand[1].kind != EMU_FUNCTION) ||
           (m->target.sm >= 120 && is_copy_to_cluster(in));
}

enum {
    INLINED = 1, /* or could be */
    ADDRESSED    /* somewhere in the module */
};

static void mark_addressed(const emu_program *p, uint8_t *is) {
    for (uint32_t at = 0; at < p->instructions; at++) {
        const emu_instruction *in = &p->code[at];
        for (uint32_t i = 0; i < in->operands; i++) {
            if (in->operand[i].kind == EMU_FUNCTION && in->op != EMU_OP_CALL) {
                is[in->operand[i].number] = ADDRESSED;
            }
        }
    }
    for (uint32_t i = 0; i < p->variables; i++) {
        for (uint32_t k = 0; k < p->variable[i].relocations; k++) {
            const emu_relocation *r = &p->relocation[p->variable[i].first_relocation + k];
            if (r->variable == EMU_NONE && r->function != EMU_NONE) {
                is[r->function] = ADDRESSED;
            }
        }
    }
}

static int calls_inlined(const emu_program *p, const emu_function *f, const uint8_t *is) {
    for (uint32_t at = f->first; at < f->end; at++) {
        const emu_operand *to = &p->code[at].operand[1];
        if (p->code[at].op == EMU_OP_CALL && to->kind == EMU_FUNCTION &&
            p->function[to->number].is_defined && is[to->number] != INLINED) {
            return 0;
        }
    }
    return 1;
}

/* Whether one of the functions may call itself, or has an address. */
static int has_calls(emu_machine *m) {
    uint8_t *is = emu_take(m, m->program->functions);
    uint32_t inlined = 0;
    if (is) {
        mark_addressed(m->program, is);
    }
    for (int again = is != NULL; again;) {
        again = 0;
        for (uint32_t i = 0; i < m->kernel->called; i++) {
            const size_t at = (size_t)(called(m, i) - m->program->function);
            if (!is[at] && calls_inlined(m->program, called(m, i), is)) {
                is[at] = INLINED;
                inlined++;
                again = 1;
            }
        }
    }
    emu_give(m, is);
    return inlined < m->kernel->called;
}

/* The largest count of setmaxnreg.inc; 0: setmaxnreg is left out. */
static uint32_t most_taken(emu_machine *m) {
    uint32_t most = 0;
    for (uint32_t i = 0; i < m->kernel->called; i++) {
        for (uint32_t at = called(m, i)->first; at < called(m, i)->end; at++) {
            const emu_instruction *in = &m->program->code[at];
            const int takes = in->op == EMU_OP_SETMAXNREG && in->operation == EMU_OPERATION_INC;
            const uint32_t count = takes ? (uint32_t)in->operand[0].number : 0;
            if (leaves_out(m, in)) {
                return 0;
            }
            most = count > most ? count : most;
        }
    }
    return has_calls(m) ? 0 : most && most < MOST ? most : MOST;
}

/* What the bounds of the launch leave; 0: there is none. */
static uint32_t bound_of(const emu_machine *m) {
    const emu_function *f = m->kernel;
    const uint32_t *block = f->required[0] ? f->required : f->most;
    uint64_t threads = 1;
    for (uint32_t i = 0; i < 3; i++) {
        threads *= block[i];
    }
    const uint64_t warps = (threads + EMU_LANES - 1) / EMU_LANES * f->least_ctas;
    if (!warps || warps * EMU_LANES > emu_chip_of(m->target.sm)->threads) {
        return f->most_registers;
    }
    const uint32_t of = (uint32_t)(warps + PARTITIONS - 1) / PARTITIONS;
    const uint32_t share = OF_LANE / of / UNIT * UNIT;
    return f->most_registers && f->most_registers < share ? f->most_registers : share;
}

uint32_t emu_registers_at_entry(emu_machine *m) {
    if (!m->knows_registers) {
        const uint32_t most = most_taken(m), bound = bound_of(m);
        const uint32_t count = most < bound ? most : bound;
        m->registers = (count + UNIT - 1) / UNIT * UNIT;
        m->knows_registers = 1;
    }
    return m->registers;
}
