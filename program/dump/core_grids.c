/* SPDX-License-Identifier: Apache-2.0
 *
 * A core dump's devices and grids: architectures, parameters, constants.
 */
#include "core_pass.h"

#include "tma/detail/assert.h"

/* The shortest rows that have what is read here. */
enum { DEVICE_ROW = 64, GRID_ROW = 96, BANK_ROW = 16 };

#define MOST_BANKS 64

/* Of __constant__ variables: ptxas' section .nv.constant3. No dump that has one was seen yet. */
#define CONSTANTS_BANK 3

void core_devices(core_pass *p, const core_section *s) {
    p->devices = *s;
    p->out->sm = p->out->sm ? p->out->sm : core_device_sm(p, 0);
}

uint32_t core_device_sm(core_pass *p, uint32_t device) {
    uint8_t row[CORE_MOST_ROW_B];
    return core_row(p, &p->devices, device, row, DEVICE_ROW)
               ? core_u32(row + 56) % 100 * 10 + core_u32(row + 60) % 10
               : 0;
}

uint32_t core_grid_number(const core_pass *p, uint32_t device, uint64_t id) {
    uint32_t i = 0;
    TMA_ASSERT(p->out->grid_count <= CORE_GRIDS_KEPT);
    while (i < p->out->grid_count &&
           (p->out->grids[i].id != id || p->out->grids[i].device != device)) {
        i++;
    }
    return i;
}

void core_grids(core_pass *p, const core_section *s) {
    uint8_t row[CORE_MOST_ROW_B];
    for (uint64_t i = 0; core_row(p, s, i, row, GRID_ROW); i++) {
        if (p->out->grid_count == CORE_GRIDS_KEPT) {
            p->out->grids_left_out += s->size / s->row_B - i;
            return;
        }
        core_grid *g = &p->out->grids[p->out->grid_count++];
        g->id = core_u64(row);
        g->device = s->info;
        g->sm = core_device_sm(p, g->device);
        g->entry = core_u64(row + 24);
        for (size_t d = 0; d < 3; d++) {
            g->dim[d] = core_u32(row + 72 + 4 * d);
            g->block[d] = core_u32(row + 84 + 4 * d);
        }
    }
}

/* The grid whose row the section links to, or null. */
static core_grid *grid_of(core_pass *p, const core_section *s) {
    core_section table;
    uint8_t row[CORE_MOST_ROW_B];
    if (!core_elf_section(&p->elf, s->link, &table) ||
        !core_row(p, &table, s->info, row, GRID_ROW)) {
        return NULL;
    }
    const uint32_t number = core_grid_number(p, table.info, core_u64(row));
    return number < p->out->grid_count ? &p->out->grids[number] : NULL;
}

void core_params(core_pass *p, const core_section *s) {
    core_grid *grid = grid_of(p, s);
    if (grid) {
        grid->params = *s;
        grid->has_params = true;
    }
}

void core_banks(core_pass *p, const core_section *s) {
    uint8_t row[CORE_MOST_ROW_B];
    core_grid *grid = grid_of(p, s);
    for (uint64_t i = 0; grid && i < MOST_BANKS && core_row(p, s, i, row, BANK_ROW); i++) {
        if (core_u32(row + 12) == CONSTANTS_BANK) {
            grid->constants_address = core_u64(row);
            grid->constants_B = core_u32(row + 8);
        }
    }
}

/* Constants lie in global memory: where the dump has it. */
static void find_constants(core_pass *p, const core_section *memory) {
    for (size_t i = 0; i < p->out->grid_count; i++) {
        core_grid *g = &p->out->grids[i];
        const uint64_t from = g->constants_address - memory->address;
        if (g->constants_B && g->constants_address >= memory->address && from < memory->size &&
            g->constants_B <= memory->size - from) {
            g->constants_at = memory->at + from;
            g->has_constants = true;
        }
    }
}

static bool has_constants(const core_pass *p) {
    bool any = false;
    for (size_t i = 0; i < p->out->grid_count; i++) {
        any |= p->out->grids[i].constants_B != 0;
    }
    return any;
}

void core_constants(core_pass *p) {
    for (uint64_t i = 0; has_constants(p) && i < p->elf.count; i++) {
        core_section s;
        if (core_elf_section(&p->elf, i, &s) &&
            (s.type == CORE_TYPES + CORE_GLOBAL || s.type == CORE_TYPES + CORE_MANAGED)) {
            find_constants(p, &s);
        }
    }
}
