/* SPDX-License-Identifier: Apache-2.0
 *
 * tma/layout.h in a kernel and on the host.
 */
#include <tma/layout.h>

struct alignas(128) map_bytes {
    unsigned char bytes[TMA_LAYOUT_BYTES];
};

template <typename Map> __host__ __device__ unsigned long long all_of(const Map *map) {
    unsigned long long sum = tma_layout_address(map) + tma_layout_rank(map);
    sum += tma_layout_is_tiled(map) ? tma_layout_box_el(map, 0) : tma_layout_channels(map);
    sum += tma_layout_dim_el(map, 0) + tma_layout_stride_B(map, 1) + tma_layout_pixels(map);
    sum += tma_layout_element_stride(map, 0) + tma_layout_element_bits(map);
    return sum + tma_layout_swizzled(tma_layout_swizzle(map), 0x70) +
           TMA_LAYOUT_GET(map, BOX_BYTES, 0);
}

__global__ void kernel(const __grid_constant__ map_bytes map, unsigned long long *out) {
    *out = all_of(&map);
}

unsigned long long on_the_host(const map_bytes *map) {
    return all_of(map);
}
