/* SPDX-License-Identifier: Apache-2.0
 *
 * Initialisers of variables: nested lists of numbers and addresses.
 */
#include <string.h>

#include "decode.h"
#include "ptx_constant.h"
#include "ptx_names.h"

#define MOST_DEEP 16

typedef struct filler {
    decode *d;
    emu_variable *v;
    const uint64_t *strides;
    uint32_t levels, type;
    uint64_t element_B;
} filler;

static int take(tma_ptx_span *rest, char byte) {
    ptx_skip_blanks(rest);
    if (!rest->length || rest->at[0] != byte) {
        return 0;
    }
    rest->at++;
    rest->length--;
    return 1;
}

static uint32_t *global_slot(const decode *d, tma_ptx_span name) {
    uint32_t at = ptx_hash(name, 0) & (d->global_slots - 1);
    while (d->global_slot[at] != EMU_NONE &&
           !ptx_same(d->rows->variable[d->global_slot[at]].v.name, name)) {
        at = (at + 1) & (d->global_slots - 1);
    }
    return &d->global_slot[at];
}

int decode_globals(decode *d) {
    d->global_slots = 16;
    while (d->global_slots < 2 * d->rows->variables + 2) {
        d->global_slots *= 2;
    }
    d->global_slot = ptx_memory_take(d->memory, d->global_slots, sizeof(*d->global_slot));
    if (!d->global_slot) {
        return -1;
    }
    memset(d->global_slot, 0xFF, d->global_slots * sizeof(*d->global_slot));
    for (uint32_t i = 0; i < d->rows->variables; i++) {
        if (d->rows->variable[i].function == PTX_NONE) {
            uint32_t *slot = global_slot(d, d->rows->variable[i].v.name);
            *slot = *slot == EMU_NONE ? i : *slot; /* the first of several */
        }
    }
    return 0;
}

static uint32_t global_named(const decode *d, tma_ptx_span name) {
    return *global_slot(d, name);
}

/* name, name + 4, generic(name) + 4. 0: it is none of these. */
static int take_address(const filler *f, tma_ptx_span text, emu_relocation *out) {
    tma_ptx_span rest = text;
    tma_ptx_span name = tma_ptx_next_name(&rest);
    int64_t addend = 0;
    if (!name.length || name.at != text.at) {
        return 0;
    }
    out->is_generic = ptx_is_text(name, "generic") && take(&rest, '(');
    if (out->is_generic) {
        name = tma_ptx_next_name(&rest);
        if (!take(&rest, ')')) {
            return 0;
        }
    }
    ptx_skip_blanks(&rest);
    if (rest.length && !ptx_constant(rest, &addend)) {
        return 0;
    }
    out->addend = (uint64_t)addend;
    out->variable = global_named(f->d, name);
    const uint32_t module = f->d->rows->modules ? f->d->rows->modules - 1 : 0;
    out->function = out->variable != EMU_NONE
                        ? EMU_NONE
                        : ptx_function_declared(&f->d->functions, module, name);
    return out->variable != EMU_NONE || out->function != EMU_NONE;
}

/* 0xFF(name): one byte of an address; the first of them stands for all eight. */
static int take_byte(const filler *f, tma_ptx_span text, uint64_t at_B, emu_relocation *out) {
    const size_t open = text_until(text.at, text.length, '(');
    uint64_t mask = 0;
    if (open == text.length || text.at[text.length - 1] != ')' ||
        !decode_number((tma_ptx_span){text.at, open}, EMU_U64, &mask) || !mask) {
        return 0;
    }
    const uint32_t byte = (uint32_t)__builtin_ctzll(mask) / 8;
    const tma_ptx_span name = {text.at + open + 1, text.length - open - 2};
    out->at_B = at_B - byte;
    return mask == UINT64_C(0xFF) << (8 * byte) && at_B >= byte && take_address(f, name, out);
}

static int put_address(const filler *f, tma_ptx_span text, uint64_t at_B) {
    emu_program *p = f->d->p;
    emu_relocation r = {.at_B = at_B};
    const int is_whole = take_address(f, text, &r);
    if ((!is_whole && !take_byte(f, text, at_B, &r)) || r.at_B + 8 > f->v->size_B ||
        (is_whole && f->element_B != 8)) {
        return 0;
    }
    if (!is_whole && r.at_B != at_B) { /* another byte of the last one */
        const emu_relocation *last = p->relocations ? &p->relocation[p->relocations - 1] : NULL;
        return last && f->v->relocations && last->at_B == r.at_B && last->variable == r.variable &&
               last->function == r.function;
    }
    PTX_APPEND(p, relocation, relocations, r);
    f->v->relocations++;
    return 1;
}

/* One more byte, behind the last one or as a chunk of its own. */
static void put_byte(const filler *f, uint64_t at_B, uint8_t byte) {
    emu_program *p = f->d->p;
    emu_chunk *last = f->v->chunks ? &p->chunk[p->all_chunks - 1] : NULL;
    if (last && last->at_B + last->size_B == at_B) {
        last->size_B++;
    } else {
        const emu_chunk chunk = {.at_B = at_B, .first = p->initials, .size_B = 1};
        PTX_APPEND(p, chunk, all_chunks, chunk);
        f->v->chunks++;
    }
    PTX_APPEND(p, initial, initials, byte);
}

static int put(const filler *f, tma_ptx_span text, uint64_t at_B) {
    uint64_t bits = 0;
    if (at_B + f->element_B > f->v->size_B) {
        return 0;
    }
    if (!decode_number(text, f->type, &bits)) {
        return put_address(f, text, at_B);
    }
    for (uint32_t i = 0; i < f->element_B; i++) { /* little-endian, as PTX's memory */
        put_byte(f, at_B + i, i < sizeof(bits) ? (uint8_t)(bits >> (8 * i)) : 0);
    }
    return f->element_B <= sizeof(bits) && !f->d->memory->failed;
}

// NOLINTNEXTLINE(misc-no-recursion): at most MOST_DEEP deep
static int fill(const filler *f, tma_ptx_span list, uint32_t level, uint64_t at_B) {
    const uint64_t step_B = level < f->levels ? f->strides[level + 1] : f->element_B;
    for (uint64_t at = at_B; list.length;) {
        const tma_ptx_span one = decode_cut(&list);
        if (!one.length) {
            return 0;
        }
        if (one.at[0] == '{') {
            const tma_ptx_span inner = {one.at + 1, one.length - 2};
            if (level >= MOST_DEEP || one.length < 2 || !fill(f, inner, level + 1, at)) {
                return 0;
            }
            at += step_B;
        } else {
            if (!put(f, one, at)) {
                return 0;
            }
            at += f->element_B;
        }
        ptx_skip_blanks(&list);
    }
    return 1;
}

int decode_initialiser(decode *d, uint32_t variable, const uint64_t *strides, uint32_t levels,
                       uint32_t type) {
    emu_variable *v = &d->p->variable[variable];
    filler f = {.d = d,
                .v = v,
                .strides = strides,
                .levels = levels,
                .type = type,
                .element_B = (emu_type_of(type)->bits + 7u) / 8};
    v->first_relocation = d->p->relocations;
    v->first_chunk = d->p->all_chunks;
    return fill(&f, d->rows->variable[variable].v.values, 0, 0) ? 0 : -1;
}
