/* SPDX-License-Identifier: Apache-2.0
 *
 * Memory: what the device may touch is what was allocated or registered here, at the host's own
 * addresses.
 */
#include <stdlib.h>

#include "emulated_program.h"

#define UNIT_B 16 /* a tensor store writes whole units */

static program_block *blocks; /* under the lock */
static size_t used_B;         /* of the device */

const program_block *tma_program_blocks(void) {
    return blocks;
}

int tma_program_block_of(program_block *block, const void *at) {
    tma_program_lock();
    const program_block *b = blocks;
    while (b && (uintptr_t)at - (uintptr_t)b->at >= b->size_B) {
        b = b->next;
    }
    if (b) {
        *block = *b;
    }
    tma_program_unlock();
    return b != NULL;
}

size_t tma_program_used_B(void) {
    tma_program_lock();
    const size_t is_used_B = used_B;
    tma_program_unlock();
    return is_used_B;
}

static int is_on_device(uint32_t type) {
    return type == PROGRAM_DEVICE_MEMORY || type == PROGRAM_MANAGED;
}

static cuda_error add(void *at, size_t size_B, uint32_t type) {
    const size_t device_B = is_on_device(type) ? size_B : 0;
    program_block *block = malloc(sizeof(*block));
    if (!block) {
        return CUDA_MEMORY_ALLOCATION;
    }
    tma_program_lock();
    const int is_room = device_B <= PROGRAM_MEMORY_B - used_B;
    if (is_room) {
        *block = (program_block){.at = at, .size_B = size_B, .type = type, .next = blocks};
        blocks = block;
        used_B += device_B;
    }
    tma_program_unlock();
    if (!is_room) {
        free(block);
    }
    return is_room ? CUDA_SUCCESS : CUDA_MEMORY_ALLOCATION;
}

cuda_error tma_program_allocate(void **out, size_t size_B, uint32_t type) {
    const cuda_error died = tma_program_died();
    if (died != CUDA_SUCCESS || !out) {
        return died != CUDA_SUCCESS ? died : CUDA_INVALID_VALUE;
    }
    *out = NULL;
    if (!size_B) {
        return CUDA_SUCCESS;
    }
    if (size_B > PROGRAM_MEMORY_B) {
        return CUDA_MEMORY_ALLOCATION;
    }
    const size_t room_B = (size_B + PROGRAM_GRANULE_B - 1) / PROGRAM_GRANULE_B * PROGRAM_GRANULE_B;
    void *at = aligned_alloc(PROGRAM_GRANULE_B, room_B);
    if (!at || add(at, (size_B + UNIT_B - 1) / UNIT_B * UNIT_B, type) != CUDA_SUCCESS) {
        free(at);
        return CUDA_MEMORY_ALLOCATION;
    }
    *out = at;
    return CUDA_SUCCESS;
}

cuda_error tma_program_allocate_rows(void **out, size_t *pitch_B, size_t width_B, size_t height) {
    if (!pitch_B) {
        return CUDA_INVALID_VALUE;
    }
    if (width_B > PROGRAM_MEMORY_B) {
        return CUDA_MEMORY_ALLOCATION;
    }
    *pitch_B = (width_B + PROGRAM_GRANULE_B - 1) / PROGRAM_GRANULE_B * PROGRAM_GRANULE_B;
    if (*pitch_B && height > PROGRAM_MEMORY_B / *pitch_B) {
        return CUDA_MEMORY_ALLOCATION;
    }
    return tma_program_allocate(out, *pitch_B * height, PROGRAM_DEVICE_MEMORY);
}

cuda_error tma_program_register(void *at, size_t size_B) {
    const cuda_error died = tma_program_died();
    if (died != CUDA_SUCCESS) {
        return died;
    }
    return at && size_B ? add(at, size_B, PROGRAM_REGISTERED) : CUDA_INVALID_VALUE;
}

cuda_error tma_program_release(void *at, int was_registered) {
    const cuda_error died = tma_program_died();
    if (!at || died != CUDA_SUCCESS) {
        return died;
    }
    tma_program_lock();
    program_block **where = &blocks;
    while (*where &&
           !((*where)->at == at && ((*where)->type == PROGRAM_REGISTERED) == was_registered)) {
        where = &(*where)->next;
    }
    program_block *block = *where;
    if (block) {
        *where = block->next;
        used_B -= is_on_device(block->type) ? block->size_B : 0;
    }
    tma_program_unlock();
    if (!block) {
        return CUDA_INVALID_VALUE;
    }
    if (!was_registered) {
        free(at);
    }
    free(block);
    return CUDA_SUCCESS;
}
