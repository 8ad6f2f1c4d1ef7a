/* SPDX-License-Identifier: Apache-2.0
 *
 * Initialisers of variables: nested lists of numbers and addresses.
 */
#include <string.h>

#include "decode.h"
#include "ptx_constant.h"

#define MOST_DEEP 16

typedef struct filler {
    decode *d;
    emu_variable *v;
    uint8_t *bytes;
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

uint32_t decode_global(const decode *d, tma_ptx_span name) {
    for (uint32_t i = 0; i < d->rows->variables; i++) {
        if (d->rows->variable[i].function == PTX_NONE &&
            ptx_same(d->rows->variable[i].v.name, name)) {
            return i;
        }
    }
    return EMU_NONE;
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
    out->variable = decode_global(f->d, name);
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

static int put(const filler *f, tma_ptx_span text, uint64_t at_B) {
    uint64_t bits = 0;
    if (at_B + f->element_B > f->v->size_B) {
        return 0;
    }
    if (!decode_number(text, f->type, &bits)) {
        return put_address(f, text, at_B);
    }
    memcpy(f->bytes + at_B, &bits, f->element_B); /* little-endian, as PTX's memory */
    return f->element_B <= sizeof(bits);
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
    f.bytes = ptx_memory_take(d->memory, v->size_B + 1, 1);
    v->first_relocation = d->p->relocations;
    if (!f.bytes || !fill(&f, d->rows->variable[variable].v.values, 0, 0)) {
        return -1;
    }
    v->bytes = f.bytes;
    return 0;
}
