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

/* Under the lock. */
static cuda_error add_block(void *at, size_t size_B, uint32_t type, int is_variable) {
    const size_t device_B = is_on_device(type) ? size_B : 0;
    program_block *block =
        device_B <= tma_program_device()->memory_B - used_B ? malloc(sizeof(*block)) : NULL;
    if (!block) {
        return CUDA_MEMORY_ALLOCATION;
    }
    *block = (program_block){
        .at = at, .size_B = size_B, .type = type, .is_variable = is_variable, .next = blocks};
    blocks = block;
    used_B += device_B;
    return CUDA_SUCCESS;
}

static cuda_error add(void *at, size_t size_B, uint32_t type) {
    tma_program_lock();
    const cuda_error error = add_block(at, size_B, type, 0);
    tma_program_unlock();
    return error;
}

/* Whole granules; null: there is none. */
static void *take_granules(size_t size_B) {
    const size_t room_B = (size_B + PROGRAM_GRANULE_B - 1) / PROGRAM_GRANULE_B * PROGRAM_GRANULE_B;
    return aligned_alloc(PROGRAM_GRANULE_B, room_B);
}

static size_t whole_units(size_t size_B) {
    return (size_B + UNIT_B - 1) / UNIT_B * UNIT_B;
}

void *tma_program_variable_new(size_t size_B) {
    void *at = size_B && size_B <= tma_program_device()->memory_B ? take_granules(size_B) : NULL;
    if (at && add_block(at, whole_units(size_B), PROGRAM_DEVICE_MEMORY, 1) != CUDA_SUCCESS) {
        free(at);
        at = NULL;
    }
    return at;
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
    if (size_B > tma_program_device()->memory_B) {
        return CUDA_MEMORY_ALLOCATION;
    }
    void *at = take_granules(size_B);
    if (!at || add(at, whole_units(size_B), type) != CUDA_SUCCESS) {
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
    if (width_B > tma_program_device()->memory_B) {
        return CUDA_MEMORY_ALLOCATION;
    }
    *pitch_B = (width_B + PROGRAM_GRANULE_B - 1) / PROGRAM_GRANULE_B * PROGRAM_GRANULE_B;
    if (*pitch_B && height > tma_program_device()->memory_B / *pitch_B) {
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

/* Under the lock: out of the list; null: it is not there. */
static program_block *take_out(const void *at, int was_registered, int is_variable) {
    program_block **where = &blocks;
    while (*where &&
           !((*where)->at == at && ((*where)->type == PROGRAM_REGISTERED) == was_registered &&
             (*where)->is_variable == is_variable)) {
        where = &(*where)->next;
    }
    program_block *block = *where;
    if (block) {
        *where = block->next;
        used_B -= is_on_device(block->type) ? block->size_B : 0;
    }
    return block;
}

void tma_program_variable_free(void *at) {
    free(at ? take_out(at, 0, 1) : NULL);
    free(at);
}

cuda_error tma_program_release(void *at, int was_registered) {
    const cuda_error died = tma_program_died();
    if (!at || died != CUDA_SUCCESS) {
        return died;
    }
    tma_program_lock();
    program_block *block = take_out(at, was_registered, 0);
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
