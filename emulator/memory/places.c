/* SPDX-License-Identifier: Apache-2.0
 *
 * Where a generic address lies, and what is said where it lies nowhere.
 */
#include "places.h"

#include <string.h>

#include "places_odd.h"
#include "places_origin.h"
#include "run_report.h"
#include "stack.h"
#include "tma/detail/assert.h"
#include "tma/detail/chars.h"
#include "tma/text.h"

emu_allocation *emu_allocation_of(emu_machine *m, uint64_t address) {
    if (m->allocation_hit < m->allocations) {
        emu_allocation *a = &m->allocation[m->allocation_hit];
        if (address - a->address < a->size_B) {
            return a;
        }
    }
    uint32_t low = 0, high = m->allocations;
    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;
        if (m->allocation[middle].address <= address) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    if (!low || address - m->allocation[low - 1].address >= m->allocation[low - 1].size_B) {
        return NULL;
    }
    m->allocation_hit = low - 1;
    return &m->allocation[low - 1];
}

static int find_global(emu_machine *m, uint64_t address, emu_place *out) {
    const emu_allocation *a = emu_allocation_of(m, address);
    if (!a || a->is_freed) {
        return 0;
    }
    *out = (emu_place){.space = a->space,
                       .at = address,
                       .host = a->host + (address - a->address),
                       .follows_B = a->size_B - (address - a->address)};
    return 1;
}

static int find_shared(const emu_warp *w, uint32_t shared, emu_place *out) {
    const emu_machine *m = w->machine;
    const uint32_t rank = shared >> EMU_RANK_SHIFT;
    const uint32_t offset = shared & ((1u << EMU_RANK_SHIFT) - 1);
    const emu_cluster *cluster = w->cta->cluster;
    if (rank >= cluster->ctas || !cluster->cta[rank] || !cluster->cta[rank]->shared) {
        return 0;
    }
    emu_cta *cta = cluster->cta[rank];
    for (uint32_t i = m->shared_regions; i-- > 0;) {
        const emu_shared_region *r = &m->shared_region[i];
        if (offset >= r->begin && offset < r->end) {
            *out = (emu_place){.space = EMU_SHARED_CTA,
                               .cta = cta,
                               .at = offset,
                               .host = cta->shared + offset,
                               .follows_B = r->end - offset};
            return 1;
        }
    }
    return 0;
}

/* How many bytes of a function's variable lie from an offset of its frame on; 0: none lies there.
 */
static uint64_t variable_rest(emu_machine *m, const emu_function *function, uint64_t offset) {
    const emu_program *p = m->program;
    const uint32_t index = (uint32_t)(function - p->function);
    for (uint32_t i = 0; i <= p->variables; i++) { /* the one that was found last comes first */
        const uint32_t at = i ? i - 1 : m->local_hit;
        const emu_variable *v = at < p->variables ? &p->variable[at] : NULL;
        if (v && v->function == index && (v->space == EMU_LOCAL || v->space == EMU_PARAM_CALL) &&
            offset - v->offset_B < v->size_B) {
            m->local_hit = at;
            return v->offset_B + v->size_B - offset;
        }
    }
    return 0;
}

/* A variable in a lane's own memory, in its frame or in those of its callers. */
static int find_local(const emu_warp *w, uint32_t lane, uint64_t local, emu_place *out) {
    for (const emu_frame *f = w->now ? w->now->frame : NULL; f; f = f->caller) {
        const uint64_t each_B = f->function->local_B;
        const uint64_t offset = local - (f->local_at + lane * each_B);
        if (offset < each_B) {
            *out = (emu_place){.space = EMU_LOCAL,
                               .at = local,
                               .host = f->memory + (local - f->local_at),
                               .follows_B = variable_rest(w->machine, f->function, offset)};
            return out->follows_B != 0;
        }
        if (emu_stack_find(f, lane, local, out)) {
            return 1;
        }
    }
    return 0;
}

int emu_find_place(const emu_warp *w, uint32_t lane, uint64_t generic, emu_place *out) {
    emu_machine *m = w->machine;
    if (generic < EMU_WINDOWS) {
        return find_global(m, generic, out);
    }
    const uint64_t inside = generic & UINT64_C(0xffffffffffff);
    switch (generic - inside) {
    case EMU_SHARED_WINDOW:
        return inside <= UINT32_MAX && find_shared(w, (uint32_t)inside, out);
    case EMU_LOCAL_WINDOW:
        return find_local(w, lane, inside, out);
    case EMU_PARAM_WINDOW:
        if (inside >= m->params_B) {
            return 0;
        }
        *out = (emu_place){.space = EMU_PARAM_ENTRY,
                           .at = inside,
                           .host = m->params + inside,
                           .follows_B = m->params_B - inside};
        return 1;
    default:
        return 0;
    }
}

/* ---- what is wrong ---- */

static uint8_t space_of(uint64_t generic) {
    switch (generic & ~UINT64_C(0xffffffffffff)) {
    case EMU_SHARED_WINDOW:
        return EMU_SHARED_CTA;
    case EMU_LOCAL_WINDOW:
        return EMU_LOCAL;
    case EMU_PARAM_WINDOW:
        return EMU_PARAM_ENTRY;
    default:
        return EMU_GLOBAL;
    }
}

/* An address that does not lie where its instruction's space does, as it was named. */
static int is_elsewhere(uint64_t generic) {
    return (generic & EMU_ELSEWHERE) && (generic ^ EMU_ELSEWHERE) <= EMU_PARAM_WINDOW + UINT32_MAX;
}

static uint64_t named_address(uint64_t generic) {
    return is_elsewhere(generic) ? generic ^ EMU_ELSEWHERE : generic;
}

static void report_at(emu_warp *w, const emu_instruction *in, uint32_t lane, uint32_t rule,
                      uint64_t generic, uint32_t size_B, int writes, const char *text,
                      const char *missing) {
    const uint64_t named = named_address(generic);
    const uint8_t space = space_of(named);
    const emu_who who = {.in = in,
                         .cta = w->cta->index,
                         .thread = w->index * EMU_LANES + lane,
                         .proxy = "generic",
                         .what = writes ? "write" : "read",
                         .space = space,
                         .address = space == EMU_GLOBAL ? named : (uint32_t)named,
                         .size_B = size_B};
    emu_report(w->machine, rule, 1, &who, NULL, text, missing);
}

static int stop(emu_warp *w, const emu_instruction *in, const char *text) {
    emu_stop(w->machine, TMA_EMULATE_TRAP, w, in, text);
    return -1;
}

/* The allocation nearest below an address. */
static const emu_allocation *allocation_below(const emu_machine *m, uint64_t address) {
    const emu_allocation *below = NULL;
    for (uint32_t i = 0; i < m->allocations && m->allocation[i].address <= address; i++) {
        below = &m->allocation[i];
    }
    return below;
}

__attribute__((noinline)) static void say_allocation(tma_out *out, const emu_allocation *a,
                                                     uint64_t address, uint32_t size_B,
                                                     int writes) {
    const uint64_t over_B = address - a->address;
    tma_putf(out, ": ");
    if (over_B < a->size_B && a->is_freed) {
        tma_putf(out, "use after free of ");
    } else if (over_B < a->size_B && writes && a->is_read_only) {
        tma_putf(out, "read-only: ");
    } else if (over_B < a->size_B) {
        tma_putf(out, "%llu byte%s beyond the end of ",
                 (unsigned long long)(over_B + size_B - a->size_B),
                 text_plural(over_B + size_B - a->size_B));
    } else {
        tma_putf(out, "it begins %llu byte%s past the end of ",
                 (unsigned long long)(over_B - a->size_B), text_plural(over_B - a->size_B));
    }
    tma_put_printable(out, a->name, a->name_length);
    tma_putf(out, " (0x%llx, %llu byte%s)", (unsigned long long)a->address,
             (unsigned long long)a->size_B, text_plural(a->size_B));
}

void emu_put_outside(tma_out *out, const emu_machine *m, uint64_t address) {
    const emu_allocation *below = allocation_below(m, address);
    tma_putf(out, "touches global address 0x%" TMA_X64, address);
    if (below) {
        say_allocation(out, below, address, 1, 0);
    } else {
        emu_put_nowhere(out, m, address);
    }
}

/* A shared address in a CTA of the cluster whose threads have exited. */
static int has_ended(const emu_warp *w, uint32_t shared) {
    const emu_cluster *cluster = w->cta->cluster;
    const uint32_t rank = shared >> EMU_RANK_SHIFT;
    return rank < cluster->ctas && (!cluster->cta[rank] || !cluster->cta[rank]->shared);
}

static void say_shared(tma_out *out, const emu_warp *w, uint32_t shared) {
    const emu_machine *m = w->machine;
    const uint32_t rank = shared >> EMU_RANK_SHIFT;
    const uint32_t offset = shared & ((1u << EMU_RANK_SHIFT) - 1);
    const emu_cluster *cluster = w->cta->cluster;
    if (rank >= cluster->ctas) {
        tma_putf(out, ": the cluster has %u CTA%s, and none of rank %u", cluster->ctas,
                 text_plural(cluster->ctas), rank);
    } else if (!cluster->cta[rank] || !cluster->cta[rank]->shared) {
        tma_putf(out, ": the CTA of rank %u has ended", rank);
    } else if (offset < EMU_SHARED_FIRST) {
        tma_putf(out, ": the first %u bytes are the system's", EMU_SHARED_FIRST);
    } else {
        for (uint32_t i = 0; i < m->shared_regions; i++) {
            const emu_shared_region *r = &m->shared_region[i];
            if (offset >= r->begin && (i + 1 == m->shared_regions || offset < r[1].begin)) {
                tma_putf(out, ": beyond the end of ");
                if (r->variable == EMU_NONE) {
                    tma_putf(out, "dynamic shared memory");
                } else {
                    const tma_ptx_span *name = &m->program->variable[r->variable].name;
                    tma_put_printable(out, name->at, name->length);
                }
                tma_putf(out, " (offset 0x%x, %u byte%s)", r->begin, r->end - r->begin,
                         text_plural(r->end - r->begin));
            }
        }
    }
}

/* What lies at an address that an instruction of another space names. */
static void say_elsewhere(tma_out *out, tma_out *missing, const emu_warp *w,
                          const emu_instruction *in, uint64_t named) {
    const emu_allocation *a = emu_allocation_of(w->machine, named);
    const uint8_t space = a ? a->space : space_of(named);
    tma_put(out, ", which is no address of the instruction's space");
    tma_put(out, in->spaces && !emu_window_of(in->space[0]) ? "" : " (32 bits)");
    tma_put(out, ": it is one of ");
    tma_put(out, space == EMU_SHARED_CTA ? "shared memory"
                 : space == EMU_LOCAL    ? "local memory"
                 : space == EMU_GLOBAL   ? "global memory"
                 : space == EMU_CONST    ? "constant memory"
                                         : "the kernel's parameters");
    if (a) {
        tma_put(out, ", ");
        tma_put_printable(out, a->name, a->name_length);
    }
    tma_put(missing, "an address of the instruction's space, or an instruction without one");
}

/* odd: what the device makes of it, if that is known; it may go on. 0; or -1: the run is stopped.
 */
static int out_of_bounds(emu_warp *w, const emu_instruction *in, uint32_t lane, uint64_t generic,
                         uint32_t size_B, int writes, const emu_odd *odd) {
    char text[TMA_EMULATE_TEXT], missing_at[TMA_EMULATE_TEXT];
    tma_out out = tma_out_into(text, sizeof(text));
    tma_out missing = tma_out_into(missing_at, sizeof(missing_at));
    const emu_allocation *below = allocation_below(w->machine, generic);
    const char *act = writes ? "writes" : "reads";
    const unsigned long long inside = generic & UINT64_C(0xffffffffffff);
    uint32_t rule = TMA_EMULATE_RULE_OUT_OF_BOUNDS;
    switch (space_of(generic)) {
    case EMU_SHARED_CTA:
        tma_putf(&out, "%s %u byte%s at shared address 0x%llx", act, size_B, text_plural(size_B),
                 inside);
        say_shared(&out, w, (uint32_t)generic);
        rule = has_ended(w, (uint32_t)generic) ? TMA_EMULATE_RULE_EXIT_EARLY : rule;
        break;
    case EMU_LOCAL:
        tma_putf(&out, "%s %u byte%s at local address 0x%llx: no variable of the thread lies there",
                 act, size_B, text_plural(size_B), inside);
        break;
    case EMU_PARAM_ENTRY:
        tma_putf(&out, "%s %u byte%s at offset %llu of the kernel's parameters, which have %u", act,
                 size_B, text_plural(size_B), inside, w->machine->params_B);
        break;
    default:
        tma_putf(&out, "%s %u byte%s at %saddress 0x%llx", act, size_B, text_plural(size_B),
                 is_elsewhere(generic) ? "" : "global ",
                 (unsigned long long)named_address(generic));
        if (is_elsewhere(generic)) {
            say_elsewhere(&out, &missing, w, in, named_address(generic));
        } else if (below) {
            say_allocation(&out, below, generic, size_B, writes);
        } else if (!emu_say_origin(&out, &missing, w, in, lane, generic)) {
            emu_put_nowhere(&out, w->machine, generic);
        }
        break;
    }
    emu_put_odd(&out, odd);
    report_at(w, in, lane, rule, generic, size_B, writes, text, missing_at[0] ? missing_at : NULL);
    return odd && !odd->error ? 0 : stop(w, in, text);
}

static int misaligned(emu_warp *w, const emu_instruction *in, uint32_t lane, uint64_t generic,
                      uint32_t size_B, uint32_t align_B, int writes) {
    char text[TMA_EMULATE_TEXT];
    tma_out out = tma_out_into(text, sizeof(text));
    tma_putf(&out, "%s %u byte%s at ", writes ? "writes" : "reads", size_B, text_plural(size_B));
    if (space_of(generic) == EMU_SHARED_CTA) {
        tma_put(&out, "shared address ");
        emu_put_shared(&out, w->machine, (uint32_t)generic);
    } else {
        tma_putf(&out, "address 0x%llx", (unsigned long long)named_address(generic));
    }
    tma_putf(&out, ", which is no multiple of %u", align_B);
    report_at(w, in, lane, TMA_EMULATE_RULE_MISALIGNED, generic, size_B, writes, text, NULL);
    return stop(w, in, text);
}

/* The row of an address at which nothing of the instruction's space lies. */
static const emu_odd *odd_nowhere(const emu_instruction *in, uint64_t generic) {
    const int is_system =
        space_of(generic) == EMU_SHARED_CTA && (uint32_t)generic < EMU_SHARED_FIRST;
    return emu_odd_of(in, is_elsewhere(generic) ? EMU_ODD_ELSEWHERE
                          : is_system           ? EMU_ODD_SYSTEM
                                                : EMU_ODD_ANYWHERE);
}

int emu_place_of(emu_warp *w, const emu_instruction *in, uint32_t lane, uint64_t generic,
                 uint32_t size_B, uint32_t align_B, int writes, emu_place *out) {
    TMA_ASSERT((align_B & (align_B - 1)) == 0);
    if (align_B && (generic & (align_B - 1))) {
        return misaligned(w, in, lane, generic, size_B, align_B, writes);
    }
    const int is_found = emu_find_place(w, lane, generic, out);
    const emu_odd *odd = is_found ? emu_odd_place(in, out->space) : odd_nowhere(in, generic);
    if (odd && !odd->error) {
        *out = emu_odd_zeros(w, lane);
    }
    if (odd || !is_found || out->follows_B < size_B ||
        (writes && !emu_may_write(w->machine, out))) {
        return out_of_bounds(w, in, lane, generic | (odd && is_found ? EMU_ELSEWHERE : 0), size_B,
                             writes, odd);
    }
    return 0;
}

int emu_may_write(emu_machine *m, const emu_place *place) {
    switch (place->space) {
    case EMU_GLOBAL:
        return !emu_allocation_of(m, place->at)->is_read_only;
    case EMU_CONST:
    case EMU_PARAM_ENTRY:
        return 0;
    default:
        return 1;
    }
}

int emu_shared_place(emu_warp *w, const emu_instruction *in, uint32_t lane, uint32_t shared,
                     uint32_t size_B, uint32_t align_B, emu_place *out) {
    return emu_place_of(w, in, lane, EMU_SHARED_WINDOW + shared, size_B, align_B, 1, out);
}

void *emu_resolve_global(void *machine, uint64_t address, uint64_t size_B, bool write,
                         uint64_t *follows_B) {
    emu_machine *m = machine;
    emu_place place;
    (void)size_B;
    if (address >= EMU_WINDOWS || !find_global(m, address, &place) ||
        (write && !emu_may_write(m, &place))) {
        return NULL;
    }
    *follows_B = place.follows_B;
    return place.host;
}

/* ---- what is written ---- */

/* The bits of a place's bytes, and where the first of them is; null: all is written. */
static uint8_t *written_bits(emu_machine *m, const emu_place *place, uint64_t *first) {
    if (place->space == EMU_SHARED_CTA) {
        *first = place->at;
        return place->cta->shared_written;
    }
    if (place->space != EMU_GLOBAL) {
        return NULL;
    }
    const emu_allocation *a = emu_allocation_of(m, place->at);
    TMA_ASSERT(a);
    *first = place->at - a->address;
    return a->written;
}

/* The bits of byte `at` of the bitmap that belong to [first, end). */
static uint8_t bits_of(uint64_t at, uint64_t first, uint64_t end) {
    uint32_t bits = 0xff;
    if (at * 8 < first) {
        bits &= 0xffu << (first - at * 8);
    }
    if (at * 8 + 8 > end) {
        bits &= 0xffu >> (at * 8 + 8 - end);
    }
    return (uint8_t)bits;
}

int emu_is_written(emu_machine *m, const emu_place *place, uint64_t size_B) {
    uint64_t first = 0;
    const uint8_t *written = written_bits(m, place, &first);
    if (!written || !size_B) {
        return 1;
    }
    const uint64_t end = first + size_B;
    for (uint64_t at = first / 8; at * 8 < end; at++) {
        if (first <= at * 8 && at * 8 + 64 <= end) { /* most: eight bytes of the bitmap at once */
            uint64_t eight;
            memcpy(&eight, &written[at], sizeof(eight));
            if (eight != UINT64_MAX) {
                return 0;
            }
            at += 7;
            continue;
        }
        const uint8_t bits = bits_of(at, first, end);
        if ((written[at] & bits) != bits) {
            return 0;
        }
    }
    return 1;
}

static void mark(emu_machine *m, const emu_place *place, uint64_t size_B, int is_written) {
    uint64_t first = 0;
    uint8_t *written = written_bits(m, place, &first);
    if (!written || !size_B) {
        return;
    }
    const uint64_t end = first + size_B;
    for (uint64_t at = first / 8; at * 8 < end; at++) {
        const uint8_t bits = bits_of(at, first, end);
        written[at] = (uint8_t)(is_written ? written[at] | bits : written[at] & ~bits);
    }
}

void emu_now_written(emu_machine *m, const emu_place *place, uint64_t size_B) {
    mark(m, place, size_B, 1);
}

void emu_now_unwritten(emu_machine *m, const emu_place *place, uint64_t size_B) {
    mark(m, place, size_B, 0);
}
