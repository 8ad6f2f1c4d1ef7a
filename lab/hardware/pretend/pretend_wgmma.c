/* SPDX-License-Identifier: Apache-2.0
 *
 * wgmma's reads without a GPU, from the table of docs/mma.md typed in once more in CuTe's form:
 * shapes and strides of 16-byte units.
 */
#include <stdlib.h>
#include <string.h>

#include "device.h"
#include <tma/tma.h>

static int lies(const char *about) {
    const char *said = getenv("PRETEND");
    return said && strcmp(said, about) == 0;
}

static uint32_t field(uint64_t bits, unsigned from) {
    return (uint32_t)(bits >> from & 0x3FFF) << 4;
}

static uint32_t address_of(uint64_t bits, const tma_mma_operand *o, uint32_t mn, uint32_t k,
                           uint32_t element_bits) {
    static const uint32_t units[] = {1, 8, 4,
                                     2}; /* 16 bytes in a row of the swizzle, by its code */
    const uint32_t code = (uint32_t)(bits >> 62);
    const uint32_t start = field(bits, 0), lbo = field(bits, 16), sbo = field(bits, 32);
    const uint32_t t = 128 / element_bits, w = units[code];
    uint32_t a;
    if (o->major == TMA_MMA_K_MAJOR) { /* ((8,m),(T,2k)):((wT,SBO),(1,T or LBO)) */
        a = start + mn % 8 * w * 16 + mn / 8 * sbo + k / t % w * 16 + k / t / w * lbo;
    } else { /* ((T,w,m),(8,k)):((1,T,LBO),(wT,SBO)), SBO and LBO the other way without swizzle */
        a = start + mn / t % w * 16 + mn / t / w * (code ? lbo : sbo) + k % 8 * w * 16 +
            k / 8 * (code ? sbo : lbo);
    }
    const uint32_t row = (a >> 7) - (uint32_t)(bits >> 49 & 7);
    return a ^ (row % w) << 4;
}

const char *device_mma_reads(const tma_mma_operand *o, uint32_t n, int sparse,
                             const uint64_t *descriptors, size_t count, uint32_t *numbers) {
    const uint32_t element_bits = tma_mma_type_at(o->type)->bits;
    (void)n;
    (void)sparse;
    if (lies("wgmma-die")) {
        return "cudaErrorIllegalInstruction";
    }
    for (size_t i = 0; i < count; i++) {
        for (uint32_t e = 0; e < o->mn_el * o->k_el; e++) {
            const uint32_t mn = e / o->k_el, k = e % o->k_el;
            const uint32_t major = o->major == TMA_MMA_K_MAJOR ? k : mn;
            const uint32_t a = address_of(descriptors[i], o, mn, k, element_bits);
            numbers[i * o->mn_el * o->k_el + e] =
                a * 8 / element_bits + major % (128 / element_bits);
        }
        if (lies("wgmma") && i % 100 == 7) {
            numbers[i * o->mn_el * o->k_el + 5] ^= 1;
        }
    }
    return NULL;
}

/* The tensor's elements hold a byte of their number each, another in each pass. */
#define PASSES 3

static uint8_t tensor[PASSES * DEVICE_MMA_TENSOR_B];

const char *device_mma_tensor(uint32_t type, uint64_t *address, uint32_t *passes) {
    const uint32_t element_B = tma_mma_type_at(type)->bits / 8u;
    memset(tensor, 0, sizeof(tensor));
    for (uint32_t pass = 0; pass < PASSES; pass++) {
        for (uint32_t i = 0; i < DEVICE_MMA_TENSOR_B / element_B; i++) {
            tensor[pass * DEVICE_MMA_TENSOR_B + i * element_B] = (uint8_t)(i >> 8 * pass);
        }
    }
    *address = 1 << 20;
    *passes = PASSES;
    return NULL;
}

/* Copies by the library, one a pass, into windows of 0xFF. A barrier that expects other bytes than
 * come keeps its waiter for ever. */
static const char *load(uint8_t windows[PASSES][1 << 18], const tma_map *maps,
                        const struct device_mma_tile *tile) {
    const tma_range range = {.address = 1 << 20, .size_B = sizeof(tensor), .host = tensor};
    const tma_global global = {.ranges = &range, .count = 1};
    const tma_instruction instruction = {.op = TMA_OP_LOAD, .cluster = 1};
    const tma_position at = {.shared_address = tile->shared_at};
    for (uint32_t pass = 0; pass < PASSES; pass++) {
        const tma_window shared = {.address = 0, .size_B = 1 << 18, .host = windows[pass]};
        tma_plan plan;
        memset(windows[pass], 0xFF, 1 << 18);
        if (tma_plan_make(&plan, maps[pass].bytes, &instruction, NULL, NULL) != TMA_OK ||
            tma_copy_reference(&plan, &at, &global, &shared, NULL) != TMA_OK) {
            return "cudaErrorIllegalInstruction";
        }
        tma_report_result report;
        if (tma_plan_report(&report, &plan, &at, NULL) != TMA_OK || report.tx_B != tile->expect_B ||
            tma_plan_info(&plan)->rank != tile->rank) {
            return "cudaErrorLaunchTimeout";
        }
    }
    return NULL;
}

/* The copies, then the reads by the table above. */
const char *device_mma_tiles(const tma_mma_operand *o, uint32_t n, const uint64_t *descriptors,
                             const struct device_mma_tile *tiles, const tma_map *maps, size_t count,
                             uint32_t *numbers) {
    static uint8_t windows[PASSES][1 << 18];
    const uint32_t bits = tma_mma_type_at(o->type)->bits;
    (void)n;
    for (size_t i = 0; i < count; i++) {
        const char *error = load(windows, &maps[i * DEVICE_MMA_PASSES], &tiles[i]);
        if (error) {
            return error;
        }
        for (uint32_t e = 0; e < o->mn_el * o->k_el; e++) {
            const uint32_t mn = e / o->k_el, k = e % o->k_el;
            const uint32_t major = o->major == TMA_MMA_K_MAJOR ? k : mn;
            const uint32_t a =
                address_of(descriptors[i], o, mn, k, bits) + major % (128 / bits) * (bits / 8);
            uint32_t number = 0;
            for (uint32_t pass = 0; pass < PASSES; pass++) {
                number |= (uint32_t)windows[pass][a] << 8 * pass;
            }
            numbers[i * o->mn_el * o->k_el + e] = number == 0xFFFFFF ? DEVICE_MMA_NOTHING : number;
        }
        if (lies("wgmma-tile") && i == 3) {
            numbers[i * o->mn_el * o->k_el] ^= 1;
        }
    }
    return NULL;
}
