/* SPDX-License-Identifier: Apache-2.0
 *
 * Where variables lie, and shared addresses by their names: "0x408 (full+8)".
 */
#include "places_names.h"

#include "ptx_demangle.h"

#define MOST_NAME 64

uint64_t emu_window_of(uint32_t space) {
    switch (space) {
    case EMU_SHARED_CTA:
    case EMU_SHARED_CLUSTER:
        return EMU_SHARED_WINDOW;
    case EMU_LOCAL:
    case EMU_PARAM_CALL:
        return EMU_LOCAL_WINDOW;
    case EMU_PARAM_ENTRY:
        return EMU_PARAM_WINDOW;
    default:
        return 0;
    }
}

uint64_t emu_generic_of(uint32_t space, uint64_t named) {
    const uint64_t window = emu_window_of(space);
    if (!window || named <= UINT32_MAX) {
        return named + window;
    }
    return window == EMU_SHARED_WINDOW && named >> 32 == window >> 32 ? named
                                                                      : named | EMU_ELSEWHERE;
}

uint64_t emu_variable_address(const emu_warp *w, uint32_t index, uint64_t *step_B) {
    const emu_variable *v = &w->machine->program->variable[index];
    const uint64_t window = emu_window_of(v->space);
    *step_B = 0;
    switch (v->space) {
    case EMU_SHARED_CTA:
    case EMU_SHARED_CLUSTER:
        return window + emu_shared_address(w->cta, w->machine->variable_address[index]);
    case EMU_LOCAL:
    case EMU_PARAM_CALL:
        *step_B = w->now->frame->function->local_B;
        return window + w->now->frame->local_at + v->offset_B;
    case EMU_PARAM_ENTRY:
        return window + v->offset_B;
    default:
        return window + w->machine->variable_address[index];
    }
}

/* A variable of dynamic shared memory that the kernel names; EMU_NONE: it names none. */
static uint32_t dynamic_variable(const emu_machine *m) {
    const emu_program *p = m->program;
    for (uint32_t i = 0; i < m->kernel->used; i++) {
        const uint32_t index = p->used[m->kernel->first_used + i];
        if (p->variable[index].is_extern && p->variable[index].space == EMU_SHARED_CTA) {
            return index;
        }
    }
    return EMU_NONE;
}

/* Where "::tile" begins in "void gemm<A::B>(C::D*)::tile"; 0: it has one part alone. */
static size_t last_part(const char *name, size_t length) {
    uint32_t depth = 0;
    for (size_t i = length; i-- > 1;) {
        const char c = name[i];
        depth += c == ')' || c == '>' || c == '}';
        depth -= depth && (c == '(' || c == '<' || c == '{');
        if (!depth && c == ':' && name[i - 1] == ':') {
            return i - 1;
        }
    }
    return 0;
}

static void put_variable(tma_out *out, const emu_machine *m, uint32_t variable) {
    if (variable == EMU_NONE) {
        tma_put(out, "dynamic shared memory");
        return;
    }
    const tma_ptx_span name = m->program->variable[variable].name;
    char text[PTX_MOST_DEMANGLED + 1];
    tma_out whole = tma_out_into(text, sizeof(text));
    if (m->program->raw_names || !ptx_demangle(&whole, name)) {
        tma_put_printable(out, name.at, name.length < MOST_NAME ? name.length : MOST_NAME);
        tma_put(out, name.length < MOST_NAME ? "" : "...");
        return;
    }
    const size_t from = whole.length < MOST_NAME ? 0 : last_part(text, whole.length);
    const size_t length = whole.length - from;
    tma_put(out, from ? "..." : "");
    tma_put_printable(out, text + from, length < MOST_NAME ? length : MOST_NAME);
    tma_put(out, length < MOST_NAME ? "" : "...");
}

int emu_put_shared_name(tma_out *out, const emu_machine *m, uint32_t shared) {
    const uint32_t rank = shared >> EMU_RANK_SHIFT, offset = shared & EMU_OFFSET_BITS;
    for (uint32_t i = m->shared_regions; i-- > 0;) {
        const emu_shared_region *r = &m->shared_region[i];
        if (offset >= r->begin && offset < r->end) {
            put_variable(out, m, r->variable == EMU_NONE ? dynamic_variable(m) : r->variable);
            if (offset > r->begin) {
                tma_putf(out, "+%u", offset - r->begin);
            }
            if (rank) {
                tma_putf(out, " of rank %u", rank);
            }
            return 1;
        }
    }
    return 0;
}

void emu_put_shared(tma_out *out, const emu_machine *m, uint32_t shared) {
    char name_at[2 * MOST_NAME + 16];
    tma_out name = tma_out_into(name_at, sizeof(name_at));
    tma_putf(out, "0x%x", shared);
    if (emu_put_shared_name(&name, m, shared)) {
        tma_putf(out, " (%s)", name_at);
    }
}
