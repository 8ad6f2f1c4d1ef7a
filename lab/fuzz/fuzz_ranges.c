/* SPDX-License-Identifier: Apache-2.0
 *
 * A copy whose global memory is cut into any number of pieces, each against a page that nobody may
 * touch: every path answers and leaves what the reference does, and no byte beside a piece is read.
 * The pieces are ranges, or come from a resolver, or half of each. The input is fuzz_copy's, with
 * three bytes more for each piece: how far behind the one before, and how long.
 */
#define _DEFAULT_SOURCE /* MAP_ANONYMOUS */
#include "fuzz_assert.h"
#include "fuzz_said.h"

#include <sys/mman.h>

#include "fuzz_copy_input.h"
#include <tma/copy.h>

#define MOST_PIECES 256
#define PIECE_B     4096 /* a page: behind each piece's room is one that nobody may touch */
#define PAGE_B      4096
#define MOST_ROWS   1024 /* of a copy that is tried: the reference goes byte by byte */

struct pieces {
    tma_range range[MOST_PIECES];
    size_t count;
    size_t given; /* so many are ranges, the resolver has the rest */
};

static uint8_t before[MOST_PIECES][PIECE_B];
static uint8_t after[MOST_PIECES][PIECE_B];
static uint8_t window_before[65536];
static uint8_t window_after[65536];
static uint8_t window_bytes[65536];

/* Room i, made once. */
static uint8_t *room(size_t i) {
    static uint8_t *rooms;
    if (!rooms) {
        const size_t all_B = (size_t)MOST_PIECES * (PIECE_B + PAGE_B) + PAGE_B;
        rooms = mmap(NULL, all_B, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        DEMAND(rooms != MAP_FAILED);
        for (size_t k = 0; k < MOST_PIECES; k++) {
            uint8_t *at = rooms + PAGE_B + k * (PIECE_B + PAGE_B);
            DEMAND(mprotect(at, PIECE_B, PROT_READ | PROT_WRITE) == 0);
        }
    }
    return rooms + PAGE_B + i * (PIECE_B + PAGE_B);
}

/* Each piece ends where its room ends, or every second one begins where it begins. */
static void pieces_read(struct pieces *p, const struct fuzz_copy_input *in, const uint8_t *data,
                        size_t size) {
    uint64_t address = in->range_address[0];
    uint64_t seed = in->seed;
    p->count = 0;
    for (; size >= 3 && p->count < MOST_PIECES; data += 3, size -= 3, p->count++) {
        const uint64_t size_B = 1 + (data[1] | (uint64_t)data[2] << 8) % PIECE_B;
        uint8_t *end = room(p->count) + PIECE_B;
        address += data[0];
        p->range[p->count] = (tma_range){
            .address = address,
            .size_B = size_B,
            .host = p->count % 2 && in->seed & 4 ? end - PIECE_B : end - size_B,
        };
        address += size_B;
        for (size_t i = 0; i < size_B; i++) {
            seed = seed * UINT64_C(6364136223846793005) + 1442695040888963407;
            before[p->count][i] = (uint8_t)(seed >> 56);
        }
    }
    p->given = in->seed % 4 == 0 ? p->count : in->seed % 4 == 1 ? 0 : p->count / 2;
}

static void *resolve(void *context, uint64_t address, uint64_t size_B, bool write,
                     uint64_t *follows_B) {
    const struct pieces *p = context;
    (void)size_B;
    (void)write;
    for (size_t i = p->given; i < p->count; i++) {
        const tma_range *r = &p->range[i];
        if (address - r->address < r->size_B) {
            *follows_B = r->size_B - (address - r->address);
            return (uint8_t *)r->host + (address - r->address);
        }
    }
    return NULL;
}

static void restore(const struct pieces *p, const tma_window *window) {
    for (size_t i = 0; i < p->count; i++) {
        memcpy(p->range[i].host, before[i], p->range[i].size_B);
    }
    memcpy(window->host, window_before, window->size_B);
}

static void keep(const struct pieces *p, const tma_window *window) {
    for (size_t i = 0; i < p->count; i++) {
        memcpy(after[i], p->range[i].host, p->range[i].size_B);
    }
    memcpy(window_after, window->host, window->size_B);
}

static void demand_same(const struct pieces *p, const tma_window *window) {
    for (size_t i = 0; i < p->count; i++) {
        DEMAND(memcmp(after[i], p->range[i].host, p->range[i].size_B) == 0);
    }
    DEMAND(memcmp(window_after, window->host, window->size_B) == 0);
}

static void demand_untouched(const struct pieces *p, const tma_window *window) {
    for (size_t i = 0; i < p->count; i++) {
        DEMAND(memcmp(before[i], p->range[i].host, p->range[i].size_B) == 0);
    }
    DEMAND(memcmp(window_before, window->host, window->size_B) == 0);
}

static void try_paths(const struct fuzz_copy_input *in, const tma_plan *plan, struct pieces *p) {
    const tma_global global = {
        .ranges = p->range, .count = p->given, .resolve = resolve, .context = p};
    const tma_window window = {
        .address = in->window_address, .size_B = in->window_B, .host = window_bytes};
    tma_finding why = {0};
    for (size_t i = 0; i < window.size_B; i++) {
        window_before[i] = (uint8_t)(i * 7 + in->seed);
    }
    restore(p, &window);
    const tma_status wanted = tma_copy_reference(plan, &in->at, &global, &window, &why);
    keep(p, &window);
    fuzz_said_number("status", wanted);
    fuzz_said_number("rule", wanted == TMA_OK ? 0 : why.rule);
    if (wanted != TMA_OK) {
        demand_untouched(p, &window);
    }
    for (uint32_t path = TMA_PATH_PORTABLE; path < TMA_PATHS; path++) {
        tma_plan forced = *plan;
        tma_finding other = {0};
        if (tma_plan_set_path(&forced, path) != TMA_OK) {
            continue;
        }
        restore(p, &window);
        DEMAND(tma_copy_judge(&forced, &in->at, &global, &window, &other) == wanted);
        demand_untouched(p, &window);
        DEMAND(tma_copy(&forced, &in->at, &global, &window, &other) == wanted);
        demand_same(p, &window);
        DEMAND(wanted == TMA_OK || (other.rule == why.rule && other.value == why.value));
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    struct fuzz_copy_input in;
    struct pieces p;
    tma_plan plan;
    const size_t head = size < FUZZ_COPY_BYTES ? size : FUZZ_COPY_BYTES;
    fuzz_copy_read(&in, data, head);
    if (tma_plan_make(&plan, in.map, &in.instruction, &in.target, NULL) == TMA_OK &&
        tma_plan_info(&plan)->rows <= MOST_ROWS && tma_plan_info(&plan)->row_shared_B <= PIECE_B) {
        pieces_read(&p, &in, data + head, size - head);
        try_paths(&in, &plan, &p);
    }
    return 0;
}
