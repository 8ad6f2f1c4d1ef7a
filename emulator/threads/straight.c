/* SPDX-License-Identifier: Apache-2.0 */
#include "straight.h"

#include "schedule.h"
#include "undefined.h"

#define MOST 256u /* instructions of a run, which is executed within one turn */

/* What is known of a register while a run is read: in which run it was read, written. */
typedef struct seen {
    uint32_t read, written;
} seen;

typedef struct reader {
    emu_machine *m;
    seen *slot;
    uint32_t run; /* its number, from 1 */
} reader;

static void add_label(uint8_t *comes, const emu_operand *o) {
    if (o->kind == EMU_LABEL) {
        comes[o->number] = 1;
    }
}

/* Where lanes may come to other than from the instruction before. */
static void find_places(const emu_program *p, uint8_t *comes) {
    for (uint32_t i = 0; i < p->functions; i++) {
        comes[p->function[i].first] = 1;
    }
    for (uint32_t i = 0; i < p->instructions; i++) {
        const emu_instruction *in = &p->code[i];
        if (in->join != EMU_NONE) {
            comes[in->join] = 1;
        }
        for (uint32_t k = 0; k < in->operands; k++) {
            const emu_operand *o = &in->operand[k];
            add_label(comes, o);
            for (uint32_t n = 0; o->kind == EMU_VECTOR && n < o->count; n++) {
                add_label(comes, &p->operand[o->first + n]);
            }
        }
    }
}

static int is_straight(const emu_machine *m, uint32_t at) {
    const emu_instruction *in = &m->program->code[at];
    return in->pure && in->guard == EMU_NO_GUARD && m->looks[at] == 1u << EMU_INSIDE;
}

static uint16_t add_slot(emu_machine *m, int32_t slot) {
    int32_t *all = ptx_grow(&m->memory, m->straight_slot, m->straight_slots, sizeof(*all));
    if (!all) {
        return 0;
    }
    m->straight_slot = all;
    all[m->straight_slots++] = slot;
    return 1;
}

/* Registers that the run reads before it writes them, then those that it writes. */
static void read_slots(reader *r, uint32_t at, emu_straight *s) {
    emu_machine *m = r->m;
    r->run++;
    s->first = m->straight_slots;
    for (uint32_t pass = 0; pass < 2; pass++) {
        for (uint32_t i = at; i < at + s->length; i++) {
            const emu_flow *flow = &m->flow[i];
            const int32_t *slot = m->flow_slot + flow->first;
            for (uint32_t k = 0; !pass && k < flow->sources; k++) {
                seen *of = &r->slot[slot[flow->destinations + k]];
                if (of->read != r->run && of->written != r->run) {
                    s->reads = (uint16_t)(s->reads + add_slot(m, slot[flow->destinations + k]));
                    of->read = r->run;
                }
            }
            for (uint32_t k = 0; k < flow->destinations; k++) {
                seen *of = &r->slot[slot[k]];
                if (pass && of->written == r->run) {
                    s->writes = (uint16_t)(s->writes + add_slot(m, slot[k]));
                }
                of->written = pass ? 0 : r->run;
            }
        }
    }
}

static seen *slots_of(emu_machine *m) {
    uint32_t slots = 1;
    for (uint32_t i = 0; i < m->program->functions; i++) {
        const uint32_t own = m->program->function[i].slots;
        slots = own > slots ? own : slots;
    }
    return ptx_memory_take(&m->memory, slots, sizeof(seen));
}

static void find_runs(reader *r, const uint8_t *comes) {
    emu_machine *m = r->m;
    const uint32_t end = m->program->instructions;
    for (uint32_t at = 0, next; at < end; at = next) {
        emu_straight *s = &m->straight[at];
        next = at;
        while (next < end && next - at < MOST && is_straight(m, next) &&
               (next == at || !comes[next])) {
            m->straight[next++].head = at;
        }
        if (next - at > 1) {
            s->length = next - at;
        } else {
            s->head = at;
            next = at + 1;
        }
        if (s->length && m->tracks) {
            read_slots(r, at, s);
        }
    }
}

int emu_straight_begin(emu_machine *m) {
    const size_t instructions = m->program->instructions + 1u;
    m->straight = ptx_memory_take(&m->memory, instructions, sizeof(*m->straight));
    uint8_t *comes = ptx_memory_take(&m->memory, instructions, 1);
    reader r = {.m = m, .slot = slots_of(m)};
    if (m->straight && comes && r.slot) {
        find_places(m->program, comes);
        find_runs(&r, comes);
    }
    return m->memory.failed ? -1 : 0;
}

uint32_t emu_executed(const emu_machine *m, uint32_t instruction) {
    const uint32_t alone = m->executed[instruction];
    const uint32_t in_run = m->straight[m->straight[instruction].head].executed;
    return alone < UINT32_MAX - in_run ? alone + in_run : UINT32_MAX;
}
