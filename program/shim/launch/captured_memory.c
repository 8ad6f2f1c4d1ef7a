/* SPDX-License-Identifier: Apache-2.0
 *
 * Contents come through the launch's own stream, so that what was launched before has been done.
 */
#include "captured_memory.h"

#include <stdatomic.h>
#include <string.h>

#include "map_memory.h"
#include "real_driver.h"
#include "report_out.h"

#define ZEROS_B         4096u  /* pieces of zeros are left out */
#define FOLLOWED_B      65536u /* of an allocation whose words are followed */
#define LOWEST_ADDRESS  0x10000u
#define HIGHEST_ADDRESS (UINT64_C(1) << 56)

void captured_memory_begin(struct captured_memory *m, uint64_t most_B, struct CUstream_st *stream) {
    shim_capturing_call *ask = (shim_capturing_call *)real_function(AT_cuStreamIsCapturing);
    uint32_t is_capturing = 0;
    if (ask && ask(stream, &is_capturing) != SHIM_SUCCESS) {
        is_capturing = 1;
    }
    m->stream = stream;
    m->left_B = is_capturing ? 0 : most_B;
}

int captured_memory_range(uint64_t address, uint64_t *start, uint64_t *end) {
    return address >= LOWEST_ADDRESS && address < HIGHEST_ADDRESS &&
           map_memory_range(address, start, end);
}

/* Waits for all that the stream had before. */
static int read_memory(const struct captured_memory *m, void *to, uint64_t from, size_t size_B) {
    shim_read_call *take = (shim_read_call *)real_function(AT_cuMemcpyDtoHAsync_v2);
    shim_stream_call *wait = (shim_stream_call *)real_function(AT_cuStreamSynchronize);
    return !take || !wait || take(to, from, size_B, m->stream) || wait(m->stream);
}

/* It has one place in the list. */
static void add_once(struct captured_memory *m, uint64_t address) {
    uint64_t start = 0, end = 0;
    for (uint32_t i = 0; i < m->allocations; i++) {
        if (address >= m->allocation[i].start && address < m->allocation[i].end) {
            return;
        }
    }
    if (!captured_memory_range(address, &start, &end)) {
        return;
    }
    if (m->allocations == MOST_ALLOCATIONS) {
        static atomic_flag said = ATOMIC_FLAG_INIT;
        if (!atomic_flag_test_and_set(&said)) {
            report_message("a launch leads to more than %d allocations: the others are not in its "
                           "file",
                           MOST_ALLOCATIONS);
        }
        return;
    }
    struct captured_allocation *a = &m->allocation[m->allocations++];
    *a = (struct captured_allocation){start, end, end - start <= m->left_B};
    m->left_B -= a->has_contents ? end - start : 0;
}

/* A pointer does not say how far it reaches: of pieces that are mapped next to one another, all. */
static void add_pieces(struct captured_memory *m, uint64_t address) {
    uint64_t start = 0, end = 0, first = 0, last = 0;
    add_once(m, address);
    if (!captured_memory_range(address, &start, &end) ||
        !map_memory_reserved(address, &first, &last)) {
        return;
    }
    uint64_t low = start, high = end;
    for (int i = 0; i < MOST_ALLOCATIONS && high < last; i++) {
        if (!captured_memory_range(high, &start, &end)) {
            break;
        }
        add_once(m, high);
        high = end;
    }
    for (int i = 0; i < MOST_ALLOCATIONS && low > first; i++) {
        if (!captured_memory_range(low - 1, &start, &end)) {
            break;
        }
        add_once(m, low - 1);
        low = start;
    }
}

/* What the words of the small ones point to, from one in the list on: also of those that come
 * meanwhile. */
static void follow_words(struct captured_memory *m, uint32_t first) {
    for (uint32_t i = first; i < m->allocations; i++) {
        const struct captured_allocation *a = &m->allocation[i];
        const size_t size_B = (size_t)(a->end - a->start);
        if (!a->has_contents || size_B > FOLLOWED_B || read_memory(m, m->piece, a->start, size_B)) {
            continue;
        }
        for (size_t at = 0; at + 8 <= size_B; at += 8) {
            uint64_t word;
            memcpy(&word, m->piece + at, sizeof(word));
            add_pieces(m, word);
        }
    }
}

void captured_memory_add(struct captured_memory *m, uint64_t address) {
    const uint32_t first = m->allocations;
    add_pieces(m, address);
    follow_words(m, first);
}

void captured_memory_reach(struct captured_memory *m, uint64_t address, uint64_t size_B) {
    const uint32_t first = m->allocations;
    uint64_t start = 0, end = address;
    add_once(m, address);
    for (uint32_t i = 0;
         i < MOST_ALLOCATIONS && captured_memory_range(end, &start, &end) && end - address < size_B;
         i++) {
        add_once(m, end);
    }
    follow_words(m, first);
}

static int is_zero(const uint8_t *bytes, size_t size_B) {
    size_t at = 0;
    while (at < size_B && !bytes[at]) {
        at++;
    }
    return at == size_B;
}

static void put_piece(tma_json *json, const uint8_t *bytes, uint64_t offset_B, size_t size_B) {
    for (size_t at = 0; at < size_B; at += ZEROS_B) {
        const size_t size = size_B - at < ZEROS_B ? size_B - at : ZEROS_B;
        if (!is_zero(bytes + at, size)) {
            tma_json_object(json, NULL);
            tma_json_u64(json, "offset_B", offset_B + at);
            tma_out text = tma_json_text_out(json, "hex");
            tma_put_hex_bytes(&text, bytes + at, size);
            tma_json_text_end(json);
            tma_json_end(json);
        }
    }
}

static void put_contents(tma_json *json, struct captured_memory *m,
                         const struct captured_allocation *a) {
    tma_json_list(json, "bytes");
    for (uint64_t at = a->start; at < a->end; at += MEMORY_PIECE_B) {
        const uint64_t left_B = a->end - at;
        const size_t size_B = left_B < MEMORY_PIECE_B ? (size_t)left_B : MEMORY_PIECE_B;
        if (read_memory(m, m->piece, at, size_B)) {
            report_message("memory at 0x%llx cannot be read: zeros are in the launch's file",
                           (unsigned long long)at);
            break;
        }
        put_piece(json, m->piece, at - a->start, size_B);
    }
    tma_json_end(json);
}

void captured_memory_put(tma_json *json, struct captured_memory *m) {
    tma_json_list(json, "memory");
    for (uint32_t i = 0; i < m->allocations; i++) {
        const struct captured_allocation *a = &m->allocation[i];
        tma_json_object(json, NULL);
        tma_json_hex(json, "address", a->start);
        tma_json_u64(json, "size_B", a->end - a->start);
        if (a->has_contents) {
            put_contents(json, m, a);
        }
        tma_json_end(json);
    }
    tma_json_end(json);
}
