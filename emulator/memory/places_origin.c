/* SPDX-License-Identifier: Apache-2.0
 *
 * Where an address came from that lies nowhere: the variable whose address, in a space of its own,
 * was taken for a generic or a global one; or the parameter that it was loaded from. Registers are
 * followed back by what writes them, wherever that stands in the function.
 */
#include "places_origin.h"

#include "places_names.h"
#include "run_report.h"

#define NEAR_B (UINT64_C(1) << 20) /* an address so little before memory is named with it */

#define MOST_SLOTS 64

typedef struct search {
    const emu_warp *w;
    uint32_t lane;
    uint64_t address;
    int32_t slot[MOST_SLOTS];
    uint32_t slots;
    const emu_instruction *taken_in, *loaded_in; /* the first of each */
    uint32_t variable;
    uint64_t offset_B;
    uint32_t loads;
} search;

static void add(search *s, const emu_operand *o) {
    const int has_slot = o->kind == EMU_REGISTER || o->kind == EMU_ADDRESS;
    if (!has_slot || o->variable != EMU_NONE || o->slot < 0 || s->slots == MOST_SLOTS) {
        return;
    }
    for (uint32_t i = 0; i < s->slots; i++) {
        if (s->slot[i] == o->slot) {
            return;
        }
    }
    s->slot[s->slots++] = o->slot;
}

/* Whether the address lies in a variable, as its own space counts. */
static int is_in(search *s, uint32_t index) {
    const emu_variable *v = &s->w->machine->program->variable[index];
    uint64_t step_B;
    if (v->space == EMU_GLOBAL || v->space == EMU_CONST || !s->w->now) {
        return 0;
    }
    const uint64_t first =
        emu_variable_address(s->w, index, &step_B) + s->lane * step_B - emu_window_of(v->space);
    const uint64_t own = s->w->now->frame->local_at + v->offset_B; /* without the lane's part */
    const int is_local = v->space == EMU_LOCAL;
    s->offset_B = is_local && s->address - own < v->size_B ? s->address - own : s->address - first;
    return s->offset_B <= v->size_B;
}

static int is_full(const emu_instruction *in) {
    return emu_type_of(in->type[0])->bits == 64;
}

/* What an instruction makes a register of. */
static void look_at(search *s, const emu_instruction *in) {
    const emu_operand *from = &in->operand[1];
    if (in->op == EMU_OP_LD && in->spaces && in->space[0] == EMU_PARAM_ENTRY && is_full(in) &&
        from->kind == EMU_ADDRESS && from->variable != EMU_NONE) {
        s->loaded_in = in;
        s->loads++;
    } else if (in->op == EMU_OP_MOV && from->kind == EMU_VARIABLE) {
        if (!s->taken_in && is_in(s, from->variable)) {
            s->taken_in = in;
            s->variable = from->variable;
        }
    } else if (in->pure && (in->op != EMU_OP_CVTA || emu_flag(in, EMU_FLAG_TO))) {
        for (uint32_t i = 1; i < in->operands; i++) {
            add(s, &in->operand[i]);
        }
    }
}

static void follow(search *s, const emu_instruction *in) {
    const emu_program *p = s->w->machine->program;
    const emu_function *f = &p->function[in->function];
    for (uint32_t i = 0; i < in->operands; i++) {
        if (in->operand[i].kind == EMU_ADDRESS) {
            add(s, &in->operand[i]);
        }
    }
    for (uint32_t i = 0; i < s->slots && !s->taken_in; i++) {
        for (uint32_t at = f->first; at < f->end; at++) {
            const emu_operand *to = &p->code[at].operand[0];
            if (p->code[at].operands > 1 && to->kind == EMU_REGISTER && to->slot == s->slot[i]) {
                look_at(s, &p->code[at]);
            }
        }
    }
}

static void put_name(tma_out *out, const emu_machine *m, uint32_t variable, uint64_t offset_B) {
    const tma_ptx_span *name = &m->program->variable[variable].name;
    tma_put_printable(out, name->at, name->length);
    if (offset_B) {
        tma_putf(out, "+%llu", (unsigned long long)offset_B);
    }
}

/* The word of a space as cvta and ld have it. */
static const char *word_of(const emu_machine *m, uint32_t variable) {
    const uint8_t space = m->program->variable[variable].space;
    return space == EMU_LOCAL ? "local" : space == EMU_PARAM_ENTRY ? "param" : "shared";
}

static void say_taken(tma_out *out, tma_out *missing, const search *s, const emu_instruction *in) {
    const emu_machine *m = s->w->machine;
    const char *word = word_of(m, s->variable);
    const uint32_t line = emu_line(m, s->taken_in);
    const int is_global = in->spaces && in->space[0] == EMU_GLOBAL;
    tma_put(out, ": that is ");
    put_name(out, m, s->variable, s->offset_B);
    tma_putf(out, " by its .%s address (taken at line %u), which is no %s one", word, line,
             is_global ? "global" : "generic");
    tma_putf(missing, "cvta.%s of the address that line %u takes%s", word, line,
             is_global ? ", and an access without .global" : "");
    if (in->op == EMU_OP_LD || in->op == EMU_OP_ST) {
        tma_putf(missing, "; or .%s at the access", word);
    }
}

void emu_put_nowhere(tma_out *out, const emu_machine *m, uint64_t address) {
    const emu_allocation *first = m->allocation;
    const uint64_t before_B = m->allocations ? first->address - address : UINT64_MAX;
    tma_put(out, ": no allocation lies there or below");
    if (before_B < NEAR_B) {
        tma_putf(out, ", %u byte%s before ", (uint32_t)before_B, text_plural(before_B));
        tma_put_printable(out, first->name, first->name_length);
    }
}

int emu_say_origin(tma_out *out, tma_out *missing, const emu_warp *w, const emu_instruction *in,
                   uint32_t lane, uint64_t address) {
    const emu_program *p = w->machine->program;
    search s = {.w = w, .lane = lane, .address = address};
    if (in < p->code || in >= p->code + p->instructions) {
        return 0;
    }
    follow(&s, in);
    if (s.taken_in) {
        say_taken(out, missing, &s, in);
        return 1;
    }
    if (s.loads != 1) {
        return 0;
    }
    emu_put_nowhere(out, w->machine, address);
    tma_put(out, "; it is made of parameter ");
    put_name(out, w->machine, s.loaded_in->operand[1].variable,
             (uint64_t)s.loaded_in->operand[1].number);
    tma_putf(out, ", loaded at line %u", emu_line(w->machine, s.loaded_in));
    return 1;
}
