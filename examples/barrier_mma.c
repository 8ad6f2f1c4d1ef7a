/* SPDX-License-Identifier: Apache-2.0
 *
 * A tile from its copy to its MMA: two phases of the mbarrier, a parity that was not flipped, and
 * the matrix descriptor through which wgmma reads the tile.
 */
#include <inttypes.h>
#include <stdio.h>
#include <tma/tma.h>

#define TILE_AT 0x400u

static void show(const char *what, const tma_barrier *barrier) {
    printf("%016" PRIx64 ": %" PRIu32 " arrivals, %" PRId32 " B missing, parity %d waits: %s\n",
           tma_barrier_word(barrier), barrier->arrivals_missing, barrier->bytes_missing_B,
           tma_barrier_waits(barrier, 1), what);
}

/* One operation; the kernel's end, if it is one. */
static void step(tma_barrier *barrier, tma_barrier_operation operation, uint32_t count,
                 uint32_t bytes_B) {
    const tma_barrier_death death = tma_barrier_apply(barrier, operation, count, bytes_B);
    show(tma_barrier_operation_name(operation), barrier);
    if (death != TMA_BARRIER_LIVES) {
        printf("the kernel dies: %s\n", tma_barrier_death_text(death));
    }
}

static int barrier_of(uint32_t tile_B) {
    tma_barrier full;
    if (!tma_barrier_init(&full, 1)) {
        return 1;
    }
    show("mbarrier.init", &full);
    step(&full, TMA_BARRIER_ARRIVE_EXPECT, 1, tile_B);
    step(&full, TMA_BARRIER_COMPLETE, 0, tile_B / 2);
    step(&full, TMA_BARRIER_COMPLETE, 0, tile_B / 2);
    /* Phase 1 is open: who waits with parity 0 again returns before the second tile is there. */
    step(&full, TMA_BARRIER_ARRIVE_EXPECT, 1, tile_B);
    step(&full, TMA_BARRIER_ARRIVE, 1, 0);
    return 0;
}

static int operand_of(const tma_spec *spec) {
    const tma_mma_tile tile = {.shared_address = TILE_AT, .copies = 1};
    const tma_mma_operand a = {
        .matrix = TMA_MMA_A, .major = TMA_MMA_K_MAJOR, .type = TMA_MMA_TYPE_BF16, .mn_el = 64};
    tma_mma_descriptor descriptor;
    tma_mma_difference difference;
    tma_mma_why why;
    uint64_t bits = 0;
    if (tma_mma_descriptor_of(&descriptor, &why, spec, &tile, TMA_MMA_WGMMA, &a, 0, 0) != TMA_OK ||
        tma_mma_encode(&bits, &descriptor) != TMA_OK) {
        printf("no descriptor: %s\n", tma_mma_reason_text(why.reason));
        return 1;
    }
    printf("descriptor %016" PRIx64 ": start %" PRIu32 ", SBO %" PRIu32 " B\n", bits,
           descriptor.start_B, descriptor.stride_B);
    descriptor.stride_B /= 2;
    if (tma_mma_compare(&difference, &descriptor, &a, spec, &tile, 0, 0) != TMA_OK) {
        return 1;
    }
    printf("SBO %" PRIu32 " B: %" PRIu64 " of %" PRIu64 " elements agree; first (m %" PRIu32
           ", k %" PRIu32 ") is read at 0x%" PRIx32 ", and lies at 0x%" PRIx32 "\n",
           descriptor.stride_B, difference.equal_el, difference.all_el, difference.mn, difference.k,
           difference.read_B, difference.written_B);
    return 0;
}

int main(void) {
    const tma_spec spec = {
        .api = TMA_API_TILED,
        .dtype = TMA_DTYPE_BFLOAT16,
        .rank = 2,
        .address = 0x7f0000000000,
        .dim_el = {4096, 8192},
        .stride_B = {8192},
        .box_el = {64, 64},
        .element_stride = {1, 1},
        .swizzle = TMA_SWIZZLE_128B,
    };
    tma_measure_result bytes;
    if (tma_measure(&bytes, &spec, NULL) != TMA_OK) {
        return 1;
    }
    return barrier_of((uint32_t)bytes.copy_B) || operand_of(&spec);
}
