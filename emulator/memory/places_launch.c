/* SPDX-License-Identifier: Apache-2.0
 *
 * A launch's memory laid out: the caller's allocations, shared memory.
 */
#include <string.h>

#include "by_address.h"
#include "heap.h"
#include "places.h"
#include "ptx_place.h"
#include "run_report.h"
#include "tma/detail/assert.h"

#define OURS_FIRST      UINT64_C(0x7e0000000000) /* behind what drivers hand out */
#define DYNAMIC_ALIGN_B 16 /* of dynamic shared memory, where no declaration asks for more */
#define MALLOC_ALIGN_B  16

static int no_memory(tma_error *error) {
    return tma_fail(error, "no memory for the launch");
}

emu_allocation *emu_add_allocation(emu_machine *m, const emu_allocation *a) {
    emu_allocation *all = ptx_grow(&m->memory, m->allocation, m->allocations, sizeof(*all));
    if (!all) {
        return NULL;
    }
    m->allocation = all;
    uint32_t at = m->allocations++;
    for (; at && all[at - 1].address > a->address; at--) {
        all[at] = all[at - 1];
    }
    all[at] = *a;
    return &all[at];
}

static uint8_t *new_bits(emu_machine *m, uint64_t size_B) {
    return ptx_memory_take(&m->memory, emu_size(size_B / 8 + 1), 1);
}

/* ---- the caller's ---- */

int emu_add_callers(emu_machine *m, emu_allocation a, tma_error *error) {
    const uint64_t most = UINT64_C(1) << 56;
    if (a.address >= most || a.size_B > most - a.address || (a.size_B && !a.host)) {
        return tma_fail(error,
                        "%s %u: address 0x%llx, %llu byte%s; it has to end at 2^56 at most, and "
                        "its bytes are not null",
                        a.is_variable ? "variable" : "memory", a.number,
                        (unsigned long long)a.address, (unsigned long long)a.size_B,
                        text_plural(a.size_B));
    }
    if (!a.size_B) {
        return 0;
    }
    emu_allocation *all = ptx_grow(&m->memory, m->allocation, m->allocations, sizeof(*all));
    if (!all) {
        return no_memory(error);
    }
    m->allocation = all;
    all[m->allocations++] = a;
    if (a.address + a.size_B > m->ours_end) {
        m->ours_end = ptx_round_up(a.address + a.size_B, EMU_OURS_ALIGN_B);
    }
    return 0;
}

static int fail_overlap(const emu_allocation *of, const emu_allocation *over, tma_error *error) {
    const int is_later =
        of->is_variable != over->is_variable ? of->is_variable : of->number > over->number;
    const emu_allocation *later = is_later ? of : over;
    const emu_allocation *earlier = later == of ? over : of;
    return tma_fail(error, "%s %u: %.*s overlaps %.*s (0x%llx, %llu byte%s)",
                    later->is_variable ? "variable" : "memory", later->number,
                    (int)later->name_length, later->name, (int)earlier->name_length, earlier->name,
                    (unsigned long long)earlier->address, (unsigned long long)earlier->size_B,
                    text_plural(earlier->size_B));
}

int emu_callers_end(emu_machine *m, tma_error *error) {
    const ptx_mark mark = ptx_memory_mark(&m->memory);
    emu_piece *piece = ptx_memory_take(&m->memory, m->allocations + 1u, sizeof(*piece));
    emu_allocation *added = ptx_memory_take(&m->memory, m->allocations + 1u, sizeof(*added));
    if (!piece || !added) {
        return no_memory(error);
    }
    for (uint32_t i = 0; i < m->allocations; i++) {
        added[i] = m->allocation[i];
        piece[i] = (emu_piece){added[i].address, added[i].size_B, i};
    }
    emu_sort_pieces(piece, m->allocations);
    const emu_piece *over = emu_overlap(piece, m->allocations);
    if (over) {
        return fail_overlap(&added[over[0].index], &added[over[1].index], error);
    }
    for (uint32_t i = 0; i < m->allocations; i++) {
        m->allocation[i] = added[piece[i].index];
    }
    ptx_memory_back(&m->memory, mark);
    return 0;
}

static int add_given(emu_machine *m, uint32_t number, tma_error *error) {
    const tma_emulate_memory *given = &m->launch->memory[number];
    const char *name = given->name ? given->name : "an allocation";
    emu_allocation a = {.address = given->address,
                        .size_B = given->size_B,
                        .host = given->bytes,
                        .name = name,
                        .name_length = strlen(name),
                        .space = EMU_GLOBAL,
                        .number = number,
                        .is_read_only = given->read_only != 0};
    if (given->uninitialised && m->tracks && given->bytes && !(a.written = new_bits(m, a.size_B))) {
        return no_memory(error);
    }
    return emu_add_callers(m, a, error);
}

/* ---- shared memory ---- */

static int add_region(emu_machine *m, uint64_t begin, uint64_t end, uint32_t variable) {
    emu_shared_region *all =
        ptx_grow(&m->memory, m->shared_region, m->shared_regions, sizeof(*all));
    if (!all) {
        return -1;
    }
    m->shared_region = all;
    all[m->shared_regions++] = (emu_shared_region){(uint32_t)begin, (uint32_t)end, variable};
    return 0;
}

/* The kernel's variables one after another, then the dynamic part, where all that are extern
 * begin. */
static int place_shared(emu_machine *m, tma_error *error) {
    const emu_program *p = m->program;
    uint64_t end = EMU_SHARED_FIRST, dynamic_align_B = DYNAMIC_ALIGN_B;
    for (uint32_t i = 0; i < m->kernel->used; i++) {
        const uint32_t index = p->used[m->kernel->first_used + i];
        const emu_variable *v = &p->variable[index];
        if (v->space != EMU_SHARED_CTA) {
            continue;
        }
        if (v->is_extern) {
            dynamic_align_B = v->align_B > dynamic_align_B ? v->align_B : dynamic_align_B;
            continue;
        }
        const uint64_t begin = ptx_round_up(end, v->align_B);
        m->variable_address[index] = begin;
        end = begin + v->size_B;
        if (end >> EMU_RANK_SHIFT) {
            return tma_fail(error, "the kernel's static shared memory has more than 2^%u bytes",
                            EMU_RANK_SHIFT);
        }
        if (v->size_B && add_region(m, begin, end, index)) {
            return no_memory(error);
        }
    }
    end = ptx_round_up(end, dynamic_align_B);
    m->static_shared_B = (uint32_t)(end - EMU_SHARED_FIRST);
    for (uint32_t i = 0; i < m->kernel->used; i++) {
        const uint32_t index = p->used[m->kernel->first_used + i];
        if (p->variable[index].space == EMU_SHARED_CTA && p->variable[index].is_extern) {
            m->variable_address[index] = end;
        }
    }
    m->dynamic_shared_B = m->launch->dynamic_shared_B;
    if ((end + m->dynamic_shared_B) >> EMU_RANK_SHIFT) {
        return tma_fail(error, "dynamic shared memory: %u bytes; a CTA has fewer than 2^%u",
                        m->dynamic_shared_B, EMU_RANK_SHIFT);
    }
    if (m->dynamic_shared_B && add_region(m, end, end + m->dynamic_shared_B, EMU_NONE)) {
        return no_memory(error);
    }
    return 0;
}

/* What grid.sync of CUDA's cooperative_groups finds by %envreg1 and %envreg2: its size, and the
 * word that CTAs count in, which each launch has at 0. */
typedef struct grid_workspace {
    uint32_t size_B, barrier;
} grid_workspace;

static int place_grid_workspace(emu_machine *m, tma_error *error) {
    const char *name = "the grid's barrier";
    grid_workspace *host = ptx_memory_take(&m->memory, 1, sizeof(*host));
    const emu_allocation a = {.address = ptx_round_up(m->ours_end, EMU_OURS_ALIGN_B),
                              .size_B = sizeof(*host),
                              .host = (uint8_t *)host,
                              .name = name,
                              .name_length = strlen(name),
                              .space = EMU_GLOBAL};
    if (!host || !emu_add_allocation(m, &a)) {
        return no_memory(error);
    }
    host->size_B = sizeof(*host);
    m->grid_workspace = a.address;
    m->ours_end = a.address + a.size_B + EMU_OURS_ALIGN_B;
    return 0;
}

int emu_memory_begin(emu_machine *m, tma_error *error) {
    TMA_ASSERT(m->kernel && !m->allocations);
    const tma_emulate_launch *launch = m->launch;
    m->params_B = (uint32_t)m->kernel->parameter_B;
    TMA_ASSERT(launch->params_B == m->params_B || !launch->params_B);
    m->params = ptx_memory_take(&m->memory, m->params_B + 1u, 1);
    m->variable_address =
        ptx_memory_take(&m->memory, m->program->variables + 1u, sizeof(*m->variable_address));
    if (!m->params || !m->variable_address) {
        return no_memory(error);
    }
    if (launch->params_B) {
        memcpy(m->params, launch->params, launch->params_B);
    }
    m->ours_end = OURS_FIRST;
    if (launch->memories >= EMU_NONE) {
        return no_memory(error);
    }
    for (uint32_t i = 0; i < launch->memories; i++) {
        if (add_given(m, i, error)) {
            return -1;
        }
    }
    return emu_place_variables(m, error) || place_shared(m, error) ||
                   (launch->cooperative && place_grid_workspace(m, error))
               ? -1
               : 0;
}

void emu_memory_end(emu_machine *m) {
    m->allocation = NULL; /* what they hold is of the run's memory, and given back with it */
    m->allocations = 0;
}

int emu_memory_cta(emu_cta *cta) {
    const emu_machine *m = cta->machine;
    cta->shared_B = EMU_SHARED_FIRST + m->static_shared_B + m->dynamic_shared_B;
    const size_t bits_B = m->tracks ? cta->shared_B / 8 + 1 : 0;
    cta->shared = emu_take(cta->machine, cta->shared_B + bits_B);
    if (!cta->shared) {
        return -1;
    }
    cta->shared_written = bits_B ? cta->shared + cta->shared_B : NULL;
    return 0;
}

void emu_memory_cta_ends(emu_cta *cta) {
    emu_give(cta->machine, cta->shared);
    cta->shared = cta->shared_written = NULL;
}

/* ---- a kernel's own ---- */

uint64_t emu_malloc(emu_machine *m, uint64_t size_B) {
    if (!size_B || size_B > UINT32_MAX) {
        return 0;
    }
    emu_allocation a = {.address = ptx_round_up(m->ours_end, MALLOC_ALIGN_B),
                        .size_B = size_B,
                        .name = "malloc()'s",
                        .name_length = strlen("malloc()'s"),
                        .space = EMU_GLOBAL,
                        .is_malloc = 1};
    a.host = ptx_memory_take(&m->memory, emu_size(size_B), 1);
    if (m->tracks) {
        a.written = new_bits(m, size_B);
    }
    if (!a.host || (m->tracks && !a.written) || !emu_add_allocation(m, &a)) {
        return 0;
    }
    m->ours_end = a.address + size_B + EMU_OURS_ALIGN_B;
    return a.address;
}

void emu_free(emu_warp *w, const emu_instruction *in, uint32_t lane, uint64_t address) {
    emu_allocation *a = address ? emu_allocation_of(w->machine, address) : NULL;
    if (!address) {
        return;
    }
    if (a && a->is_malloc && a->address == address && !a->is_freed) {
        a->is_freed = 1;
        return;
    }
    const char *text = a && a->is_freed ? "free() of what is freed already"
                                        : "free() of an address that malloc() did not return";
    const emu_who who = {.in = in,
                         .cta = w->cta->index,
                         .thread = w->index * EMU_LANES + lane,
                         .proxy = "generic",
                         .what = "free",
                         .space = EMU_GLOBAL,
                         .address = address};
    emu_report(w->machine, TMA_EMULATE_RULE_OUT_OF_BOUNDS, 1, &who, NULL, text, NULL);
    emu_stop(w->machine, TMA_EMULATE_TRAP, w, in, text);
}
