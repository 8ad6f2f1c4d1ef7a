/* SPDX-License-Identifier: Apache-2.0
 *
 * What the pass over a core dump's sections keeps.
 */
#ifndef DUMP_CORE_PASS_H
#define DUMP_CORE_PASS_H

#include "core_hang.h"

#define CORE_LANES_A_WARP 32
#define CORE_WAITED       16
#define CORE_MOST_ROW_B   256

typedef struct core_pass {
    core_hang *out;
    core_elf elf;
    core_elf image;
    uint64_t image_number;       /* section that `image` is; 0: none */
    core_section text;           /* of `image`: what was looked at last */
    uint64_t relf_from, relf_to; /* numbers of the first and behind the last */
    uint64_t looks;              /* at sections of images, that are left */
    core_section devices;
    core_section shared, uregs;
    uint64_t cta_serial, warp_serial, lane_table, warp_table;
    uint32_t grid, sm, cta[3];
    uint32_t waited[CORE_WAITED]; /* barriers at which this CTA waits */
    size_t waited_count;
    uint32_t waited_grid, waited_from, waited_to; /* and its grid so far: the first, the last */
    bool in_cta, unknown_code;
    core_code *code_of[CORE_LANES_A_WARP]; /* null: the lane is not there */
    uint32_t thread[CORE_LANES_A_WARP][3];
} core_pass;

/* A row of a table, zeros behind its end; false where it is not there or shorter than `least`. */
bool core_row(core_pass *p, const core_section *s, uint64_t row, uint8_t *to, size_t least);

/* Sections of devices, of grids and what belongs to a grid. */
void core_devices(core_pass *p, const core_section *s);
void core_grids(core_pass *p, const core_section *s);
void core_params(core_pass *p, const core_section *s);
void core_banks(core_pass *p, const core_section *s);

/* Behind all sections: where the constants of each grid lie in the file. */
void core_constants(core_pass *p);

/* The device's architecture, 90 of sm_90; 0: not said. */
uint32_t core_device_sm(core_pass *p, uint32_t device);

/* Number of the grid in core_hang.grids; grid_count where it is not kept. */
uint32_t core_grid_number(const core_pass *p, uint32_t device, uint64_t id);

/* How many sections of images are looked at for all PCs of a dump of so many bytes: so that the
 * time is in proportion to it. */
uint64_t core_looks(uint64_t size_B);

/* What stands at a PC: kept from warp to warp. */
core_code *core_code_at(core_pass *p, uint64_t pc);

#endif
