/* SPDX-License-Identifier: Apache-2.0
 *
 * A simulator's loop: runs are pulled a packet at a time, as its memory system has room for them,
 * and each counts its share on the barrier. Memory is in pages that are found by a resolver.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <tma/tma.h>

#define PAGE_B   4096u
#define PAGES    4u
#define ADDRESS  0x7f0000000000u
#define PACKET_B 512u

static uint8_t pages[PAGES][PAGE_B]; /* in any order: here backwards */

static uint8_t *page_of(uint64_t address) {
    const uint64_t page = (address - ADDRESS) / PAGE_B;
    return page < PAGES ? &pages[PAGES - 1 - page][(address - ADDRESS) % PAGE_B] : NULL;
}

static void *resolve(void *context, uint64_t address, uint64_t size_B, bool write,
                     uint64_t *follows_B) {
    (void)context;
    (void)size_B;
    (void)write;
    *follows_B = PAGE_B - (address - ADDRESS) % PAGE_B;
    return page_of(address);
}

/* Moves one run; its bytes lie together in shared memory, in global memory on one page or two. */
static void move(uint8_t *shared, const tma_run *run) {
    for (uint32_t i = 0; i < run->length_B; i++) {
        shared[run->shared_address + i] =
            run->kind == TMA_RUN_INSIDE ? *page_of(run->address + i) : 0;
    }
}

int main(void) {
    static uint8_t by_packets[8192];
    static uint8_t at_once[8192];
    const tma_spec spec = {
        .api = TMA_API_TILED,
        .dtype = TMA_DTYPE_UINT8,
        .rank = 2,
        .address = ADDRESS,
        .dim_el = {240, 64},
        .stride_B = {240},
        .box_el = {128, 32},
        .element_stride = {1, 1},
        .swizzle = TMA_SWIZZLE_128B,
    };
    const tma_instruction load = {.op = TMA_OP_LOAD};
    const tma_position at = {.coord = {128, 40}, .shared_address = 1024};
    const tma_global global = {.resolve = resolve};
    const tma_window window = {.address = 0, .size_B = sizeof(at_once), .host = at_once};
    tma_cursor cursor = {{0}};
    tma_run runs[PACKET_B / 16];
    size_t count = 0;
    uint64_t barrier_B = 0;
    unsigned packets = 0;
    tma_map map;
    tma_plan plan;
    for (uint32_t i = 0; i < PAGES * PAGE_B; i++) {
        *page_of(ADDRESS + i) = (uint8_t)(i * 7);
    }
    if (tma_encode(map.bytes, &spec, NULL) != TMA_OK ||
        tma_plan_make(&plan, map.bytes, &load, NULL, NULL) != TMA_OK) {
        return 1;
    }
    do {
        if (tma_runs(runs, PACKET_B / 16, &count, &cursor, &plan, &at, NULL) != TMA_OK) {
            return 1;
        }
        for (size_t i = 0; i < count; i++) {
            move(by_packets, &runs[i]);
            barrier_B += runs[i].barrier_B;
        }
        packets += count > 0;
    } while (count > 0);
    printf("%u packets, %" PRIu64 " of %" PRIu64 " B counted\n", packets, barrier_B,
           tma_plan_info(&plan)->tx_B);
    if (tma_copy(&plan, &at, &global, &window, NULL) != TMA_OK) {
        return 1;
    }
    printf("%s\n", memcmp(by_packets, at_once, sizeof(at_once)) ? "other bytes" : "the same bytes");
    return 0;
}
