/* SPDX-License-Identifier: Apache-2.0
 *
 * Functions and labels by name.
 */
#include <string.h>

#include "tma/detail/assert.h"

#include "ptx_functions.h"
#include "ptx_names.h"

static uint32_t slots_for(uint32_t count) {
    uint32_t slots = 16;
    while (slots < 2 * count + 2) {
        slots *= 2;
    }
    return slots;
}

static uint32_t *slots_of(ptx_memory *m, uint32_t slots) {
    uint32_t *slot = ptx_memory_take(m, slots, sizeof(*slot));
    return slot ? memset(slot, 0xFF, slots * sizeof(*slot)) : NULL;
}

static uint32_t *function_slot(const ptx_functions *f, uint32_t module, tma_ptx_span name) {
    uint32_t at = ptx_hash(name, module) & (f->slots - 1);
    for (;; at = (at + 1) & (f->slots - 1)) {
        const uint32_t i = f->slot[at];
        if (i == PTX_NONE ||
            (f->rows->function[i].module == module && ptx_same(f->rows->function[i].name, name))) {
            return &f->slot[at];
        }
    }
}

static tma_ptx_span label_name(const ptx_rows *rows, uint32_t row) {
    return (tma_ptx_span){rows->row[row].piece.at, rows->row[row].piece.size};
}

static uint32_t *label_slot(const ptx_functions *f, uint32_t block, tma_ptx_span name) {
    uint32_t at = ptx_hash(name, block * 0x9E3779B9u) & (f->label_slots - 1);
    for (;; at = (at + 1) & (f->label_slots - 1)) {
        const uint32_t i = f->label_slot[at];
        if (i == PTX_NONE ||
            (f->rows->row[i].block == block && ptx_same(label_name(f->rows, i), name))) {
            return &f->label_slot[at];
        }
    }
}

/* .alias NAME, OTHER: one of the two. */
static tma_ptx_span alias_name(const ptx_functions *f, uint32_t row, int other) {
    const tma_ptx_piece *p = &f->rows->row[row].piece;
    tma_ptx_span rest = {p->at + 6, p->size - 6};
    const tma_ptx_span name = tma_ptx_next_name(&rest);
    return other ? tma_ptx_next_name(&rest) : name;
}

static uint32_t *alias_slot(const ptx_functions *f, uint32_t module, tma_ptx_span name) {
    uint32_t at = ptx_hash(name, module) & (f->alias_slots - 1);
    for (;; at = (at + 1) & (f->alias_slots - 1)) {
        const uint32_t row = f->alias_slot[at];
        if (row == PTX_NONE ||
            (f->rows->row[row].module == module && ptx_same(alias_name(f, row, 0), name))) {
            return &f->alias_slot[at];
        }
    }
}

static void take_aliases(ptx_functions *f) {
    for (uint32_t i = 0; i < f->rows->rows; i++) {
        const tma_ptx_piece *p = &f->rows->row[i].piece;
        if (p->kind == TMA_PTX_PIECE_DIRECTIVE && p->size > 7 &&
            ptx_begins((tma_ptx_span){p->at, p->size}, ".alias")) {
            PTX_APPEND(f, alias, aliases, i);
        }
    }
    f->alias_slots = slots_for(f->aliases);
    f->alias_slot = slots_of(f->memory, f->alias_slots);
    for (uint32_t i = 0; f->alias_slot && i < f->aliases; i++) {
        const uint32_t row = f->alias[i];
        uint32_t *slot = alias_slot(f, f->rows->row[row].module, alias_name(f, row, 0));
        *slot = *slot == PTX_NONE ? row : *slot; /* the first one of a name */
    }
}

static void take_labels(ptx_functions *f) {
    const ptx_rows *rows = f->rows;
    f->labelled = ptx_memory_take(f->memory, rows->blocks, sizeof(*f->labelled));
    if (!f->labelled) {
        return;
    }
    memset(f->labelled, 0xFF, rows->blocks * sizeof(*f->labelled));
    for (uint32_t i = 0; i < rows->labels; i++) {
        const uint32_t row = rows->label[i];
        uint32_t *slot = label_slot(f, rows->row[row].block, label_name(rows, row));
        *slot = *slot == PTX_NONE ? row : *slot;
        f->labelled[rows->row[row].block] = rows->row[row].block;
    }
    for (uint32_t block = 0; block < rows->blocks;
         block++) { /* what is around a block comes before it */
        const uint32_t parent = rows->block[block].parent;
        TMA_ASSERT(parent == PTX_NONE || parent < block);
        if (f->labelled[block] == PTX_NONE && parent != PTX_NONE) {
            f->labelled[block] = f->labelled[parent];
        }
    }
}

int ptx_functions_read(ptx_functions *f, ptx_memory *memory, const ptx_rows *rows) {
    *f = (ptx_functions){.rows = rows, .memory = memory};
    f->slots = slots_for(rows->functions);
    f->slot = slots_of(memory, f->slots);
    f->label_slots = slots_for(rows->labels);
    f->label_slot = slots_of(memory, f->label_slots);
    if (!f->slot || !f->label_slot) {
        return -1;
    }
    for (uint32_t i = 0; i < rows->functions; i++) {
        const ptx_function *one = &rows->function[i];
        uint32_t *slot = function_slot(f, one->module, one->name);
        if (*slot == PTX_NONE || one->first < one->end) {
            *slot = i; /* the one with a body */
        }
    }
    take_labels(f);
    take_aliases(f);
    return memory->failed ? -1 : 0;
}

/* The name that an alias stands for; its own where there is none. */
static tma_ptx_span behind_alias(const ptx_functions *f, uint32_t module, tma_ptx_span name) {
    const uint32_t row = f->aliases ? *alias_slot(f, module, name) : PTX_NONE;
    return row == PTX_NONE ? name : alias_name(f, row, 1);
}

uint32_t ptx_function_declared(const ptx_functions *f, uint32_t module, tma_ptx_span name) {
    return *function_slot(f, module, behind_alias(f, module, name));
}

uint32_t ptx_function_named(const ptx_functions *f, uint32_t module, tma_ptx_span name) {
    const uint32_t i = ptx_function_declared(f, module, name);
    return i != PTX_NONE && f->rows->function[i].first < f->rows->function[i].end ? i : PTX_NONE;
}

uint32_t ptx_label_named(const ptx_functions *f, uint32_t row, tma_ptx_span name) {
    const ptx_rows *rows = f->rows;
    uint32_t block = f->labelled[rows->row[row].block];
    while (block != PTX_NONE) {
        const uint32_t found = *label_slot(f, block, name);
        if (found != PTX_NONE) {
            return rows->row[found].function == rows->row[row].function ? found : PTX_NONE;
        }
        const uint32_t parent = rows->block[block].parent;
        block = parent == PTX_NONE ? PTX_NONE : f->labelled[parent];
    }
    return PTX_NONE;
}
