/* SPDX-License-Identifier: Apache-2.0
 *
 * libFuzzer's own changes of a core dump mostly hit machine code: here they hit the headers, the
 * rows of tables and the file's end as often.
 */
#include "fuzz_assert.h"

#include "core_file.h"

#define HEADER_B 64

size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t most);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t most, unsigned seed);

static uint64_t draw(uint64_t *state) {
    *state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return *state >> 33;
}

/* A number beside a limit, or one that stands elsewhere in the headers. */
static uint64_t odd_number(uint64_t *state, const uint8_t *data, size_t size) {
    switch (draw(state) % 6) {
    case 0:
        return draw(state) % 256;
    case 1:
        return UINT64_C(1) << draw(state) % 64;
    case 2:
        return UINT64_MAX - draw(state) % 256;
    case 3:
        return size - draw(state) % 256;
    case 4:
        return core_u64(data + draw(state) % (size - 7));
    default:
        return draw(state) << 31 ^ draw(state);
    }
}

static void put(uint8_t *at, uint64_t value, unsigned bytes) {
    for (unsigned i = 0; i < bytes; i++) {
        at[i] = (uint8_t)(value >> 8 * i);
    }
}

/* Where a section's header begins; 0: the file's. */
static size_t some_header(uint64_t *state, const uint8_t *data, size_t size) {
    const uint64_t at = core_u64(data + 40);
    if (at >= size || size - at < HEADER_B || draw(state) % 16 == 0) {
        return 0;
    }
    return (size_t)(at + draw(state) % ((size - at) / HEADER_B) * HEADER_B);
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t most, unsigned seed) {
    uint64_t state = seed;
    if (size < (size_t)2 * HEADER_B || draw(&state) % 4 == 0) {
        return LLVMFuzzerMutate(data, size, most);
    }
    for (uint64_t i = draw(&state) % 3 + 1; i > 0; i--) {
        const size_t header = some_header(&state, data, size);
        const uint64_t value = odd_number(&state, data, size);
        const uint64_t held_at = core_u64(data + header + 24);
        const uint64_t held_B = core_u64(data + header + 32);
        if (draw(&state) % 2 && header && held_at < size && held_B && held_B <= size - held_at) {
            const uint64_t in = draw(&state) % (held_B < 512 ? held_B : 512);
            const uint64_t left = held_B - in;
            put(data + held_at + in, value, left < 8 ? (unsigned)left : 8);
        } else {
            const unsigned width = draw(&state) % 2 ? 8 : 4;
            put(data + header + draw(&state) % (HEADER_B / width) * (uint64_t)width, value, width);
        }
    }
    return draw(&state) % 16 ? size : size - (size_t)(draw(&state) % (size / 2));
}
