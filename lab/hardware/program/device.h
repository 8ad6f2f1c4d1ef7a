/* SPDX-License-Identifier: Apache-2.0
 *
 * What the parts ask of a GPU. device.cu and the other .cu files
 * ask a real one; pretend_device.c answers with the library itself, to test the program around it.
 *
 * Functions return null, or the error that CUDA named.
 */
#ifndef HARDWARE_DEVICE_H
#define HARDWARE_DEVICE_H

#include <stddef.h>
#include <stdint.h>
#include <tma/map.h>
#include <tma/mma.h>

#ifdef __cplusplus
extern "C" {
#endif

struct device_info {
    char name[256];
    tma_target target; /* of the code that runs, and of the driver */
    unsigned multiprocessors;
    size_t shared_B; /* that one block can have */
};

/* Makes a GPU the calling thread's, and asks it. */
const char *device_open(int ordinal, struct device_info *info);

/* Makes the opened GPU another thread's. */
void device_use(void);

/* One copy, to be run by one block. */
struct device_copy {
    uint64_t global_at; /* where its slice of the global buffer begins */
    uint64_t window_at; /* where its window is kept afterwards */
    uint64_t seed;
    uint32_t global_B;
    uint32_t window_B;
    uint32_t fill;     /* tma_pattern */
    uint32_t expect_B; /* what the barrier of a load is told to expect */
    uint32_t op, mode, rank, cluster;
    uint32_t shared_at; /* in the window */
    int32_t coord[5];
    uint16_t offset[3];
};

struct device_copied {
    uint32_t window_address; /* of the window, in shared memory */
    uint32_t completed;      /* a load's barrier completed with the bytes expected */
    uint32_t exact;          /* and no byte was counted beyond them */
};

/* Room for the copies of one launch; what the last launch left is lost. */
struct device_room {
    uint64_t global_address; /* of the global buffer */
    const uint8_t *global;   /* what it holds after a launch */
    const uint8_t *windows;
    const struct device_copied *copied;
};

const char *device_reserve(uint64_t global_B, uint64_t windows_B, size_t copies,
                           struct device_room *room);

/* Fills memory, runs the copies, brings memory back. The copies are sorted by window_B. */
const char *device_run_copies(const struct device_copy *copies, const tma_map *maps, size_t count);

#define DEVICE_CLUSTER_CTAS 4

/* One load by a CTA of a cluster; each of its CTAs has a window and a barrier. */
struct device_cluster_copy {
    struct device_copy copy; /* window_at: of CTA 0, the others' follow */
    uint32_t expect_B[DEVICE_CLUSTER_CTAS];
    uint32_t cta_mask;    /* 0: no multicast, to the issuer's own window */
    uint32_t cta_group;   /* 0 or 2 */
    uint32_t issuer;      /* CTA that issues it */
    uint32_t barrier_cta; /* whose barrier is the operand: with cta_group 2 maybe the peer's */
};

/* The same for clusters, after device_reserve() for as many copies as there are CTAs: results are
 * by CTA. `plain` are the copies' own copies. */
const char *device_run_clusters(const struct device_cluster_copy *copies,
                                const struct device_copy *plain, const tma_map *maps, size_t count);

struct device_edit {
    uint32_t field, ordinal;
    uint64_t value;
};

/* Runs one tensormap.replace on each map. */
const char *device_replace(tma_map *maps, const struct device_edit *edits, size_t count);

/* Which element of shared memory wgmma reads as each element of an operand. */
#define DEVICE_MMA_N        128        /* usual n where B is looked at */
#define DEVICE_MMA_NOTHING  UINT32_MAX /* memory that holds no element's number */
#define DEVICE_MMA_FIRST_B  0x800u     /* shared addresses from here on hold elements, */
#define DEVICE_MMA_LAST_B   (DEVICE_MMA_FIRST_B + 217u * 1024) /* up to here */
#define DEVICE_MMA_PASSES   8             /* at most: as many maps has each tile */
#define DEVICE_MMA_TENSOR_B (256u * 1024) /* of one pass */

/* numbers[i * mn_el * k_el + mn * k_el + k]: the shared address times 8 over the element's bits, of
 * what is read through descriptor i. The operand has all its members; sparse: of wgmma.sp. */
const char *device_mma_reads(const tma_mma_operand *operand, uint32_t n, int sparse,
                             const uint64_t *descriptors, size_t count, uint32_t *numbers);

/* A tensor copy into shared memory that holds nothing else. */
struct device_mma_tile {
    uint32_t shared_at; /* an address */
    uint32_t expect_B;
    uint32_t rank; /* 2 or 3 */
};

/* The tensor that the maps are of, of elements of this tma_mma_type_id: one for each of *passes,
 * DEVICE_MMA_TENSOR_B apart. */
const char *device_mma_tensor(uint32_t type, uint64_t *address, uint32_t *passes);

/* The same with a load before it: numbers are the elements' places in the tensor. The maps of
 * descriptor i are from i * DEVICE_MMA_PASSES on, one a pass. */
const char *device_mma_tiles(const tma_mma_operand *operand, uint32_t n,
                             const uint64_t *descriptors, const struct device_mma_tile *tiles,
                             const tma_map *maps, size_t count, uint32_t *numbers);

/* A kernel "k" in PTX of 128 threads, whose parameters are the addresses of in and of out. */
struct device_text {
    const char *text;
    const void *in;
    void *out;
    size_t in_B, out_B;
    unsigned grid;
};
const char *device_run_text(const struct device_text *text);

/* Loads tiles of a matrix with all multiprocessors at once: rows of row_B bytes, `columns` of them
 * beside each other, `rows` in a box. Returns bytes a second in *rate_B. */
struct device_tiles {
    uint32_t row_B;
    uint32_t rows;
    uint32_t columns;
    tma_swizzle swizzle;
};

const char *device_bandwidth(const struct device_tiles *tiles, double *rate_B);

#ifdef __cplusplus
}
#endif
#endif
