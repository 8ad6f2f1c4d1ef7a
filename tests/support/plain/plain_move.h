/* SPDX-License-Identifier: Apache-2.0
 *
 * Moves the bytes of a copy by the plain loops of plain_copy.h: what memory must hold afterwards.
 */
#ifndef TESTS_PLAIN_MOVE_H
#define TESTS_PLAIN_MOVE_H

#include "plain_copy.h"

/* Two stretches of memory, by the addresses that the copy sees. */
struct plain_memory {
    uint8_t *global;
    uint64_t global_address;
    uint64_t global_B;
    uint8_t *window;
    uint32_t window_address;
    uint32_t window_B;
};

/* The smallest such stretches that a copy needs: of global memory what it reads or writes (none:
 * first == end), of shared memory all of its rows, gaps included, before and after the swizzle. */
struct plain_need {
    uint64_t global_first;
    uint64_t global_end;
    uint32_t shared_first;
    uint32_t shared_end;
};

struct plain_need plain_need_of(const struct plain_copy *p);

/* One element of a reduction goes through tma_reduce(); all else is plain. Fails the test if a byte
 * lies outside the memory. */
void plain_move(const struct plain_copy *p, const struct plain_memory *m);

#endif
