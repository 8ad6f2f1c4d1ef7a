/* SPDX-License-Identifier: Apache-2.0
 *
 * own good|bad: a kernel that copies with tma/device.cuh; the bad one starts at coordinate 1.
 */
#include <cstdio>
#include <cstring>

#include <cuda_runtime.h>
#include <tma/device.cuh>

struct alignas(64) device_map {
    unsigned char bytes[TMA_MAP_BYTES];
};

__global__ void kernel(const __grid_constant__ device_map map, int x, unsigned *out) {
    __shared__ __align__(128) unsigned char rows[2048];
    __shared__ __align__(8) uint64_t barrier;
    const unsigned bar = tma::checked::shared_address(&barrier);
    if (threadIdx.x == 0) {
        tma::checked::tensor tensor(&map);
        asm volatile(
            "mbarrier.init.shared::cta.b64 [%0], 1;\nfence.proxy.async.shared::cta;" ::"r"(bar));
        asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], 2048;" ::"r"(bar));
        tensor.load(rows, &barrier, x, 0); /* the second finds what the first left */
        tensor.load(rows + 1024, &barrier, 0, 8);
        unsigned done = 0;
        for (int i = 0; i < 1000000 && !done; i++) {
            asm volatile("{.reg .pred p; mbarrier.try_wait.parity.shared::cta.b64 p, [%1], 0; "
                         "selp.u32 %0, 1, 0, p;}"
                         : "=r"(done)
                         : "r"(bar)
                         : "memory");
        }
    }
    __syncthreads();
    atomicAdd(out, rows[threadIdx.x] + rows[1024 + threadIdx.x]);
}

int main(int argc, char **argv) {
    static unsigned char host[64 * 256];
    unsigned char *global = nullptr;
    unsigned *out = nullptr;
    unsigned sum = 0;
    for (unsigned i = 0; i < sizeof(host); i++) {
        host[i] = (unsigned char)(i * 13);
    }
    cudaMalloc(&global, sizeof(host));
    cudaMalloc(&out, sizeof(*out));
    cudaMemset(out, 0, sizeof(*out));
    cudaMemcpy(global, host, sizeof(host), cudaMemcpyHostToDevice);
    tma_spec spec = {};
    spec.dtype = TMA_DTYPE_FLOAT16;
    spec.rank = 2;
    spec.address = (unsigned long long)global;
    spec.dim_el[0] = 128;
    spec.dim_el[1] = 64;
    spec.stride_B[0] = 256;
    spec.box_el[0] = 64;
    spec.box_el[1] = 8;
    spec.element_stride[0] = spec.element_stride[1] = 1;
    tma_target target = {};
    target.sm = 90;
    target.driver = 13000;
    device_map map;
    if (tma_encode(map.bytes, &spec, &target) != TMA_OK) {
        return 2;
    }
    kernel<<<1, 1024>>>(map, argc > 1 && !strcmp(argv[1], "bad"), out);
    const cudaError_t error = cudaDeviceSynchronize();
    unsigned wanted = 0;
    for (int row = 0; row < 16; row++) {
        for (int i = 0; i < 128; i++) {
            wanted += host[256 * row + i];
        }
    }
    if (error == cudaSuccess) {
        cudaMemcpy(&sum, out, sizeof(sum), cudaMemcpyDeviceToHost);
    }
    printf("error %d %s, %s\n", (int)error, cudaGetErrorName(error),
           sum == wanted ? "the bytes are there" : "other bytes");
    return error != cudaSuccess;
}
