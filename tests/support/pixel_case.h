/* SPDX-License-Identifier: Apache-2.0
 *
 * im2col examples of the PTX document: sizes and coordinates as N, H, W, C, the order in which the
 * document writes coordinates, and the pixels that a load should bring, stretch by stretch along W.
 */
#ifndef TESTS_PIXEL_CASE_H
#define TESTS_PIXEL_CASE_H

#include <tma/copy.h>

struct pixel_case {
    uint32_t mode;         /* tma_mode */
    uint32_t size[4];      /* N, H, W, C */
    uint32_t pixels;       /* Pixels-per-Column */
    uint32_t channels;     /* Channels-per-Pixel */
    int32_t lower[2];      /* H, W */
    int32_t upper[2];      /* H, W */
    uint32_t stride;       /* along H and W */
    int32_t coordinate[4]; /* N, H, W, C */
    uint16_t offset[2];    /* im2col offsets W, H; or wHalo, wOffset */
    uint32_t swizzle;
};

/* `count` pixels of one row of an image, from W = w on, `stride` apart; offsets included. Those
 * outside the tensor are fill. */
struct pixel_stretch {
    int32_t n;
    int32_t h;
    int32_t w;
    uint32_t count;
};

/* Loads on sm_100a and compares every byte of the window. The stretches end with a count of 0. */
void expect_pixels(const struct pixel_case *c, const struct pixel_stretch *stretches);

/* Its plan and position. */
void pixel_case_plan(tma_plan *plan, tma_position *at, const struct pixel_case *c);

/* What the library answers to the case, without moving anything. */
tma_status pixel_case_status(const struct pixel_case *c, tma_finding *why);

#endif
