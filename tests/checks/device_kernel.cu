/* SPDX-License-Identifier: Apache-2.0
 *
 * tma/device.cuh in a kernel: each form, at ranks 1 to 5.
 */
#include <tma/device.cuh>

struct alignas(64) map_bytes {
    unsigned char bytes[TMA_LAYOUT_BYTES];
};

__global__ void kernel(const __grid_constant__ map_bytes map, int x, int y, unsigned *out) {
    extern __shared__ __align__(128) unsigned char smem[];
    __shared__ uint64_t barrier;
    tma::checked::tensor a(&map);
    for (int i = 0; i < 8; i++) {
        a.load(smem, &barrier, x + 64 * i, y);
        a.load_multicast(smem, &barrier, 3, x, y, 0);
        a.store(smem, x);
        a.add(smem, x, y, 1, 2, 3);
    }
    tma::checked::tensor b(&map, true);
    b.load(smem, &barrier, x, y, 0, 1);
    b.judge_only({{x, y, 0, 0, 0}, {0, 0}, 1024}, TMA_OP_LOAD, TMA_MODE_IM2COL, 4, true);
    out[0] = smem[0];
}
