/* SPDX-License-Identifier: Apache-2.0
 *
 * Tensor memory of sm_100: 128 lanes of 512 columns of 32 bits for each CTA. An address is
 * lane << 16 | column. Everything here is as PTX ISA 9.1 has it; no Blackwell was measured.
 */
#ifndef EMULATOR_TENSOR_MEMORY_H
#define EMULATOR_TENSOR_MEMORY_H

#include "machine.h"

#define TENSOR_LANES                 128u
#define TENSOR_COLUMNS               512u
#define TENSOR_UNIT                  32u /* columns: what is allocated is a multiple of it */
#define TENSOR_UNITS                 (TENSOR_COLUMNS / TENSOR_UNIT)
#define TENSOR_QUARTER               32u /* lanes that a warp reaches */
#define TENSOR_PART                  16u /* lanes that order.h tells apart */
#define TENSOR_ADDRESS(lane, column) ((lane) << 16 | (column))

/* One tcgen05.alloc or .dealloc of a pair of CTAs, which both have to execute. */
typedef struct tensor_meeting {
    const emu_instruction *in; /* null: nobody waits */
    emu_warp *warp;
    uint32_t columns, column;
    uint8_t is_over; /* the other CTA came */
} tensor_meeting;

typedef struct tensor_memory {
    uint32_t cell[TENSOR_LANES][TENSOR_COLUMNS];
    uint32_t written[TENSOR_LANES][TENSOR_COLUMNS / 32];
    const emu_instruction *owner[TENSOR_UNITS]; /* the alloc that took it; null: free */
    uint32_t owner_warp[TENSOR_UNITS];
    uint8_t begins[TENSOR_UNITS]; /* an allocation begins there, */
    uint8_t units[TENSOR_UNITS];  /* of so many units */
    uint8_t was_given[TENSOR_UNITS];
    uint8_t relinquished;
    tensor_meeting meeting;
} tensor_memory;

/* A CTA's; made where it has none yet. Null: no memory, and the run is stopped. */
tensor_memory *tensor_of(emu_cta *cta);

/* What a warp has under way: tcgen05.ld and .st up to now; what the MMAs and copies of a lane did
 * that are complete. Null: no memory. */
typedef struct tensor_warp {
    emu_sync loads, stores, done[EMU_LANES];
} tensor_warp;
tensor_warp *tensor_warp_of(emu_warp *w);

/* Reports a rule, certain, of a lane's `what` at an address (lane << 16 | column; 0 where it is of
 * none), and stops the run. */
emu_step tensor_wrong(emu_warp *w, const emu_instruction *in, uint32_t lane, uint32_t rule,
                      const char *what, uint32_t at, const char *why, const char *missing);

/* The other CTA of the pair; null: the cluster has none, which is reported, and the run is
 * stopped. */
emu_cta *tensor_peer(emu_warp *w, const emu_instruction *in, uint32_t lane);

/* Whether columns of lanes are allocated. 0; or -1: it is reported and the run is stopped. */
int tensor_check(emu_warp *w, const emu_instruction *in, uint32_t lane, emu_cta *cta,
                 uint32_t first_lane, uint32_t lanes, uint32_t column, uint32_t columns);

static inline int tensor_is_written(const tensor_memory *t, uint32_t lane, uint32_t column) {
    return (int)(t->written[lane][column / 32] >> column % 32 & 1);
}
static inline void tensor_now_written(tensor_memory *t, uint32_t lane, uint32_t column, int is) {
    const uint32_t bit = UINT32_C(1) << column % 32;
    t->written[lane][column / 32] =
        is ? t->written[lane][column / 32] | bit : t->written[lane][column / 32] & ~bit;
}

/* Says order_async_access() of columns, in the parts of 16 lanes that `parts` names. */
void tensor_access(emu_async *a, int is_write, emu_cta *cta, uint32_t parts, uint32_t column,
                   uint32_t columns);

/* A piece of EMU_ASYNC_TCGEN05 to be issued, of so many bytes: MMAs and copies of a cluster are
 * executed in the order of their issue. Null: no memory, and the run is stopped. */
void *tensor_async_new(emu_warp *w, uint32_t lane, const emu_instruction *in, size_t size_B);
/* It is complete: what tcgen05.commit of its thread will tell. */
void tensor_async_done(emu_async *a);

/* 32 bytes of each lane of a quarter become those of the next lane, but for the last. */
#define TENSOR_SHIFTED 8u /* columns */
void tensor_shift(tensor_memory *t, uint32_t quarter, uint32_t column);

/* A CTA ends: what it did not deallocate is reported; a warp's and a CTA's are given back. */
void emu_tensor_cta_ends(emu_cta *cta);

/* Issues an asynchronous instruction for each lane: 0; or -1, the run is stopped. */
emu_step emu_tensor_issue(emu_warp *w, const emu_instruction *in, uint32_t mask,
                          int (*issue)(emu_warp *w, const emu_instruction *in, uint32_t lane));

#endif
