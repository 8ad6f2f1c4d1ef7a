/* SPDX-License-Identifier: Apache-2.0
 *
 * A module's variables: each launch has its own, or they are in memory of the caller's.
 */
#include <string.h>

#include "heap.h"
#include "places.h"
#include "ptx_place.h"
#include "run_report.h"
#include "tma/detail/assert.h"

static void write_chunks(const emu_program *p, const emu_variable *v, uint8_t *host) {
    for (uint32_t i = 0; i < v->chunks; i++) {
        const emu_chunk *c = &p->chunk[v->first_chunk + i];
        TMA_ASSERT(c->at_B + c->size_B <= v->size_B);
        memcpy(host + c->at_B, p->initial + c->first, c->size_B);
    }
}

static int place_variable(emu_machine *m, uint32_t index, tma_error *error) {
    const emu_variable *v = &m->program->variable[index];
    const uint64_t align_B = v->align_B > EMU_OURS_ALIGN_B ? v->align_B : EMU_OURS_ALIGN_B;
    emu_allocation a = {.address = ptx_round_up(m->ours_end, align_B),
                        .size_B = v->size_B,
                        .name = v->name.at,
                        .name_length = v->name.length,
                        .space = v->space,
                        .is_read_only = v->space == EMU_CONST};
    m->variable_address[index] = a.address;
    m->ours_end = a.address + a.size_B + EMU_OURS_ALIGN_B; /* a gap: to run over one end is seen */
    if (!v->size_B) {
        return 0;
    }
    a.host = ptx_memory_take(&m->memory, emu_size(v->size_B), 1);
    if (!a.host || !emu_add_allocation(m, &a)) {
        return tma_fail(error, "no memory for the launch");
    }
    write_chunks(m->program, v, a.host);
    return 0;
}

/* Where variables are: by index, or in the caller's memory. */
typedef struct place_of {
    const uint64_t *address;
    const tma_emulate_memory *given;
} place_of;

/* 0 of one that has no place in global memory: no initialiser of such a variable is one. */
static uint64_t given_address(const emu_variable *v, const tma_emulate_memory *given) {
    return given && emu_is_placed(v) ? given[v->placed].address : 0;
}

/* Addresses in initialisers, once all variables have theirs. */
static void relocate(const emu_program *p, const place_of *place, const emu_variable *v,
                     uint8_t *host) {
    for (uint32_t i = 0; i < v->relocations; i++) {
        const emu_relocation *r = &p->relocation[v->first_relocation + i];
        uint64_t value = r->addend;
        if (r->variable != EMU_NONE) {
            const uint8_t space = p->variable[r->variable].space;
            value += place->address ? place->address[r->variable]
                                    : given_address(&p->variable[r->variable], place->given);
            value += r->is_generic && space == EMU_SHARED_CTA ? EMU_SHARED_WINDOW : 0;
        } else if (r->function != EMU_NONE) {
            value += EMU_FUNCTION_ADDRESS(r->function);
        }
        TMA_ASSERT(r->at_B + sizeof(value) <= v->size_B);
        memcpy(host + r->at_B, &value, sizeof(value));
    }
}

/* In the caller's memory, with what is in it. */
static int place_given(emu_machine *m, tma_error *error) {
    const emu_program *p = m->program;
    const tma_emulate_launch *launch = m->launch;
    uint32_t at = 0;
    for (; at < p->all_placed; at++) {
        const emu_variable *v = &p->variable[p->placed[at]];
        const tma_emulate_memory *given = at < launch->variables ? &launch->variable[at] : NULL;
        const uint64_t align_B = v->align_B ? v->align_B : 1;
        if (!given || given->size_B != v->size_B || given->address % align_B) {
            return tma_fail(error, "variable %u: %.*s has %llu byte%s, at a multiple of %llu; %s",
                            at, (int)v->name.length, v->name.at, (unsigned long long)v->size_B,
                            text_plural(v->size_B), (unsigned long long)align_B,
                            given ? "what is given does not fit" : "it is not given");
        }
        const emu_allocation a = {.address = given->address,
                                  .size_B = v->size_B,
                                  .host = given->bytes,
                                  .name = v->name.at,
                                  .name_length = v->name.length,
                                  .space = v->space,
                                  .number = at,
                                  .is_variable = 1,
                                  .is_read_only = v->space == EMU_CONST};
        m->variable_address[p->placed[at]] = a.address;
        if (emu_add_callers(m, a, error)) {
            return -1;
        }
    }
    if (at != launch->variables) {
        return tma_fail(error, "variables: %zu are given; the module has %u", launch->variables,
                        at);
    }
    return emu_callers_end(m, error);
}

void emu_write_variables(const emu_program *p, const tma_emulate_memory *given) {
    const place_of place = {.given = given};
    for (uint32_t i = 0; i < p->all_placed; i++) {
        const emu_variable *v = &p->variable[p->placed[i]];
        uint8_t *host = given[i].bytes;
        if (given[i].size_B) {
            memset(host, 0, (size_t)given[i].size_B);
        }
        write_chunks(p, v, host);
        relocate(p, &place, v, host);
    }
}

int emu_place_variables(emu_machine *m, tma_error *error) {
    const emu_program *p = m->program;
    const place_of place = {.address = m->variable_address};
    if (m->launch->variables) {
        return place_given(m, error);
    }
    if (emu_callers_end(m, error)) {
        return -1;
    }
    for (uint32_t i = 0; i < p->all_placed; i++) {
        if (place_variable(m, p->placed[i], error)) {
            return -1;
        }
    }
    for (uint32_t i = 0; i < p->all_placed; i++) {
        const emu_variable *v = &p->variable[p->placed[i]];
        if (v->relocations) {
            relocate(p, &place, v, emu_allocation_of(m, m->variable_address[p->placed[i]])->host);
        }
    }
    return 0;
}
