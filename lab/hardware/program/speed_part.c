/* SPDX-License-Identifier: Apache-2.0
 *
 * What an encode costs in the driver and in the library, measured in turns in one run; and, as a
 * record, how fast the GPU loads tiles.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "driver.h"
#include "parts.h"

#define ROUNDS 401 /* unless the session has a count */
#define CALLS  2000
#define AIM    0.4 /* of the driver's time */

struct timed_spec {
    const char *name;
    tma_spec spec;
};

#define MATRIX(width_el)                                                                           \
    {                                                                                              \
        .api = TMA_API_TILED, .dtype = TMA_DTYPE_BFLOAT16, .rank = 2, .swizzle = TMA_SWIZZLE_128B, \
        .l2 = TMA_L2_128B, .address = 0x7f0000000000, .dim_el = {8192, 8192}, .stride_B = {16384}, \
        .box_el = {width_el, 128}, .element_stride = {                                             \
            1,                                                                                     \
            1                                                                                      \
        }                                                                                          \
    }

static const struct timed_spec timed[] = {
    {"2-D bf16, 128-byte swizzle", MATRIX(64)},
    {"1-D f32",
     {.api = TMA_API_TILED,
      .dtype = TMA_DTYPE_FLOAT32,
      .rank = 1,
      .address = 0x7f0000000000,
      .dim_el = {1 << 20},
      .box_el = {256},
      .element_stride = {1}}},
    {"5-D f16, element strides",
     {.api = TMA_API_TILED,
      .dtype = TMA_DTYPE_FLOAT16,
      .rank = 5,
      .swizzle = TMA_SWIZZLE_64B,
      .l2 = TMA_L2_256B,
      .fill = TMA_FILL_NAN,
      .address = 0x7f0000000000,
      .dim_el = {64, 50, 40, 30, 20},
      .stride_B = {128, 6400, 256000, 7680000},
      .box_el = {32, 8, 8, 4, 2},
      .element_stride = {1, 2, 1, 2, 1}}},
    {"4-D im2col f16",
     {.api = TMA_API_IM2COL,
      .dtype = TMA_DTYPE_FLOAT16,
      .rank = 4,
      .swizzle = TMA_SWIZZLE_128B,
      .address = 0x7f0000000000,
      .dim_el = {256, 56, 56, 32},
      .stride_B = {512, 28672, 1605632},
      .element_stride = {1, 1, 1, 1},
      .lower_px = {-1, -1},
      .upper_px = {-1, -1},
      .channels_per_pixel = 64,
      .pixels_per_column = 128}},
    {"refused: box one row too wide", MATRIX(72)},
};

#define TIMED (sizeof(timed) / sizeof(timed[0]))

static int ascending(const void *a, const void *b) {
    const double x = *(const double *)a;
    const double y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Nanoseconds a call; the address changes from call to call. */
static double time_calls(const struct session *session, tma_spec spec, int driver) {
    tma_map map;
    int refused = 0;
    const double start = seconds_now();
    for (int i = 0; i < CALLS; i++) {
        spec.address += 256;
        if (driver) {
            driver_encode(&map, &spec);
        } else {
            refused += tma_encode(map.bytes, &spec, &session->device.target) != TMA_OK;
        }
    }
    const double time_ns = (seconds_now() - start) * 1e9 / CALLS;
    return refused == 0 || refused == CALLS ? time_ns : NAN; /* all calls alike, or it is no time */
}

static double median(double *times, int rounds) {
    qsort(times, (size_t)rounds, sizeof(times[0]), ascending);
    return times[rounds / 2];
}

/* Round after round over all specs, so that a slow spell of the processor meets all alike. Half as
 * many go before, until the processor runs at its speed. */
static void time_encodes(const struct session *session, struct tally *tally) {
    static double theirs[TIMED][ROUNDS];
    static double ours[TIMED][ROUNDS];
    const int rounds = session->count && session->count < ROUNDS ? (int)session->count : ROUNDS;
    for (int i = -rounds / 2; i < rounds; i++) {
        for (size_t k = 0; k < TIMED; k++) {
            theirs[k][i < 0 ? 0 : i] = time_calls(session, timed[k].spec, 1);
            ours[k][i < 0 ? 0 : i] = time_calls(session, timed[k].spec, 0);
        }
    }
    for (size_t k = 0; k < TIMED; k++) {
        const double driver_ns = median(theirs[k], rounds);
        const double libtma_ns = median(ours[k], rounds);
        const double ratio = libtma_ns / driver_ns;
        printf("encode, %-30s driver %7.1f ns, libtma %7.1f ns, ratio %.2f\n", timed[k].name,
               driver_ns, libtma_ns, ratio);
        tally->passed += ratio <= AIM;
        tally->failed += !(ratio <= AIM);
    }
}

static void time_tiles(uint32_t row_B, uint32_t columns, tma_swizzle swizzle, const char *name,
                       struct tally *tally) {
    for (uint32_t tile_B = 64; tile_B <= 32768; tile_B *= 2) {
        const uint32_t wide_B = tile_B < row_B ? tile_B : row_B;
        const struct device_tiles tiles = {wide_B, tile_B / wide_B, columns,
                                           wide_B < row_B ? TMA_SWIZZLE_NONE : swizzle};
        double rate_B = 0;
        const char *error = device_bandwidth(&tiles, &rate_B);
        if (error) {
            printf("tile loads, %s, %u bytes: %s\n", name, (unsigned)tile_B, error);
            tally->failed++;
            return;
        }
        printf("tile loads, %s, box %5u B (%4u B x %3u rows): %7.1f GB/s\n", name, (unsigned)tile_B,
               (unsigned)wide_B, (unsigned)(tile_B / wide_B), rate_B / 1e9);
    }
}

struct tally speed_part(const struct session *session) {
    struct tally tally = {0, 0};
    time_encodes(session, &tally);
    time_tiles(128, 128, TMA_SWIZZLE_128B, "matrix of 128 boxes a row, 128-byte swizzle", &tally);
    time_tiles(2048, 1, TMA_SWIZZLE_NONE, "contiguous", &tally);
    return tally;
}
