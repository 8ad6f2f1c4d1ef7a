/* SPDX-License-Identifier: Apache-2.0
 *
 * Names and what they are declared as.
 */
#include "ptx_names.h"

#include <string.h>

#define MOST_DIGITS 10
#define MOST_HIDDEN 64 /* declarations of one name, block in block */

uint32_t ptx_hash(tma_ptx_span name, uint32_t seed) {
    uint32_t hash = 2166136261u ^ seed;
    for (size_t i = 0; i < name.length; i++) {
        hash = (hash ^ (uint8_t)name.at[i]) * 16777619u;
    }
    return hash ^ hash >> 15;
}

/* A slot whose name is not declared at present keeps one of its symbols, with the highest bit. */
#define CLOSED (1u << 31)

/* %r<4> and %r are two names. */
static uint32_t key_of(tma_ptx_span name, int is_range) {
    return ptx_hash(name, is_range ? 0x9E3779B9u : 0);
}

/* Where the name stands, or would: once used, a slot keeps its name, with PTX_NONE for none. */
static uint32_t *slot_of(const ptx_names *n, tma_ptx_span name, int is_range) {
    uint32_t at = key_of(name, is_range) & (n->slots - 1);
    for (;; at = (at + 1) & (n->slots - 1)) {
        const uint32_t i = n->slot[at];
        if (i == PTX_NONE) {
            return &n->slot[at];
        }
        const ptx_symbol *s = &n->rows->symbol[i & ~CLOSED];
        if ((s->kind == PTX_IS_REGISTERS) == is_range && ptx_same(s->name, name)) {
            return &n->slot[at];
        }
    }
}

static int is_full(const ptx_names *n) {
    return 2 * (n->used + 1) > n->slots;
}

static int grow(ptx_names *n) {
    const uint32_t old = n->slots;
    const uint32_t *from = n->slot;
    const uint32_t slots = old ? 2 * old : 256;
    uint32_t *slot = ptx_memory_take(n->memory, slots, sizeof(*slot));
    if (!slot) {
        return -1; /* and the old ones stay: a statement may declare more */
    }
    memset(slot, 0xFF, slots * sizeof(*slot));
    n->slot = slot;
    n->slots = slots;
    for (uint32_t i = 0; i < old; i++) {
        if (from[i] != PTX_NONE) {
            const ptx_symbol *s = &n->rows->symbol[from[i] & ~CLOSED];
            *slot_of(n, s->name, s->kind == PTX_IS_REGISTERS) = from[i];
        }
    }
    return 0;
}

static int grow_places(ptx_names *n) {
    const uint32_t slots = n->place_slots ? 2 * n->place_slots : 256;
    uint32_t *slot = ptx_memory_take(n->memory, slots, sizeof(*slot));
    if (!slot) {
        return -1;
    }
    memset(slot, 0xFF, slots * sizeof(*slot));
    n->place_slot = slot;
    n->place_slots = slots;
    return 0;
}

int ptx_names_begin(ptx_names *n, ptx_rows *rows) {
    *n = (ptx_names){.memory = rows->memory, .rows = rows};
    return grow(n) || grow_places(n) ? -1 : 0;
}

void ptx_names_declare(ptx_names *n, ptx_symbol symbol) {
    ptx_rows *rows = n->rows;
    if (is_full(n) && grow(n)) {
        return;
    }
    uint32_t *slot = slot_of(n, symbol.name, symbol.kind == PTX_IS_REGISTERS);
    n->used += *slot == PTX_NONE;
    symbol.before = *slot == PTX_NONE || *slot & CLOSED ? PTX_NONE : *slot;
    const uint32_t at = rows->symbols;
    symbol.slot = PTX_NONE;
    PTX_APPEND(rows, symbol, symbols, symbol);
    if (rows->symbols == at) {
        return;
    }
    *slot = at;
    PTX_APPEND(n, open, opens, at);
}

void ptx_names_close(ptx_names *n, uint32_t block) {
    while (n->opens) {
        const uint32_t last = n->open[n->opens - 1];
        const ptx_symbol *s = &n->rows->symbol[last];
        if (s->block < block) { /* blocks are counted in the order in which they open */
            return;
        }
        n->opens--;
        *slot_of(n, s->name, s->kind == PTX_IS_REGISTERS) =
            s->before == PTX_NONE ? last | CLOSED : s->before;
    }
}

static uint32_t open_symbol(const ptx_names *n, tma_ptx_span name, int is_range) {
    const uint32_t i = *slot_of(n, name, is_range);
    return i == PTX_NONE || i & CLOSED ? PTX_NONE : i;
}

const ptx_symbol *ptx_names_symbol(const ptx_names *n, tma_ptx_span name) {
    const uint32_t i = open_symbol(n, name, 0);
    return i == PTX_NONE ? NULL : &n->rows->symbol[i];
}

static uint32_t place_hash(uint32_t symbol, uint32_t number) {
    const uint64_t key = ((uint64_t)symbol << 32 | number) * 0x9E3779B97F4A7C15u;
    return (uint32_t)(key >> 32);
}

static uint32_t *place_slot(const ptx_names *n, uint32_t symbol, uint32_t number) {
    uint32_t at = place_hash(symbol, number) & (n->place_slots - 1);
    for (;; at = (at + 1) & (n->place_slots - 1)) {
        const uint32_t i = n->place_slot[at];
        if (i == PTX_NONE ||
            (n->rows->place[i].symbol == symbol && n->rows->place[i].number == number)) {
            return &n->place_slot[at];
        }
    }
}

/* Whether there is a place at an offset, of other than so many bits. */
static int is_other(const ptx_names *n, uint32_t symbol, uint32_t offset, uint32_t bits) {
    const uint32_t i = *place_slot(n, symbol, offset);
    return i != PTX_NONE && n->rows->place[i].bits != bits;
}

int ptx_names_overlap(const ptx_names *n, uint32_t symbol, uint32_t offset, uint32_t bits) {
    const uint32_t size_B = bits / 8;
    int overlaps = is_other(n, symbol, offset, bits);
    for (uint32_t i = 1; i < size_B; i++) {
        overlaps |= is_other(n, symbol, offset + i, 0);
    }
    for (uint32_t wide_B = 2 * size_B; size_B && wide_B <= 8; wide_B *= 2) {
        const uint32_t i = *place_slot(n, symbol, offset & ~(wide_B - 1));
        overlaps |= i != PTX_NONE && n->rows->place[i].bits == 8 * wide_B;
    }
    return overlaps;
}

uint32_t ptx_names_place(ptx_names *n, uint32_t symbol, uint32_t number, uint32_t bits) {
    ptx_rows *rows = n->rows;
    if (rows->memory->failed) { /* where it was to grow, there is none */
        return PTX_NONE;
    }
    if (2 * (rows->places + 1) > n->place_slots) {
        if (grow_places(n)) {
            return PTX_NONE;
        }
        for (uint32_t i = 0; i < rows->places; i++) {
            *place_slot(n, rows->place[i].symbol, rows->place[i].number) = i;
        }
    }
    uint32_t *slot = place_slot(n, symbol, number);
    if (*slot == PTX_NONE) {
        const uint32_t at = rows->places;
        PTX_APPEND(rows, place, places,
                   (ptx_place){symbol, number, rows->symbol[symbol].slot, bits});
        *slot = rows->places > at ? at : PTX_NONE;
        rows->symbol[symbol].slot = *slot;
    }
    return *slot;
}

/* The innermost %r<...> of those that are open that has such a number. */
static uint32_t open_range(const ptx_names *n, tma_ptx_span name, uint64_t number) {
    uint32_t at = open_symbol(n, name, 1);
    for (int i = 0; at != PTX_NONE && n->rows->symbol[at].count <= number; i++) {
        at = i < MOST_HIDDEN ? n->rows->symbol[at].before : PTX_NONE;
    }
    return at;
}

/* The declaration %r<4> that a name such as %r3 is of. */
static uint32_t range_of(const ptx_names *n, tma_ptx_span name, uint32_t *number) {
    uint32_t best = PTX_NONE;
    uint64_t value = 0;
    uint64_t unit = 1;
    size_t length = name.length;
    for (int i = 0; i < MOST_DIGITS && length > 1; i++) {
        const char digit = name.at[length - 1];
        if (!text_is_digit(digit)) {
            break;
        }
        length--;
        value += unit * (uint64_t)(digit - '0');
        unit *= 10;
        if (digit == '0' && name.length - length > 1) {
            continue; /* %r03 is none of %r<4> */
        }
        const uint32_t at = open_range(n, (tma_ptx_span){name.at, length}, value);
        if (at != PTX_NONE && (best == PTX_NONE || best < at)) {
            best = at;
            *number = (uint32_t)value;
        }
    }
    return best;
}

ptx_ref ptx_names_find(ptx_names *n, tma_ptx_span name, uint32_t function) {
    uint32_t number = 0;
    ptx_ref ref = {name.at, open_symbol(n, name, 0), PTX_NONE};
    const uint32_t range = range_of(n, name, &number);
    if (range != PTX_NONE && (ref.symbol == PTX_NONE || ref.symbol < range)) {
        ref.symbol = range; /* the one declared later */
    } else {
        number = 0;
    }
    if (ref.symbol != PTX_NONE && n->rows->symbol[ref.symbol].kind != PTX_IS_VARIABLE) {
        /* places of a function follow each other */
        ref.place = n->rows->symbol[ref.symbol].function == function
                        ? ptx_names_place(n, ref.symbol, number, 0)
                        : PTX_NONE;
    }
    return ref;
}
