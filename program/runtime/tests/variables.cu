// SPDX-License-Identifier: Apache-2.0
//
// Variables of the device that live longer than a launch: read and written by the host, by their
// symbols and addresses.
#include <cstdio>

__device__ int counter = 5;
__constant__ int step[2] = {1, 10};
__device__ int *place = &counter;

__global__ void count_up() {
    if (!threadIdx.x) {
        *place += step[1];
    }
}

static int now() {
    int value = -1;
    cudaMemcpyFromSymbol(&value, counter, sizeof(value));
    return value;
}

int main() {
    const int hundred = 100;
    int *address = nullptr;
    count_up<<<1, 32>>>();
    count_up<<<1, 32>>>();
    const int twice = now();
    cudaMemcpyToSymbol(step, &hundred, sizeof(hundred), sizeof(int));
    count_up<<<1, 32>>>();
    const int more = now();
    cudaGetSymbolAddress((void **)&address, counter);
    cudaMemset(address, 0, sizeof(int));
    count_up<<<1, 32>>>();
    printf("%d %d %d %s\n", twice, more, now(), cudaGetErrorName(cudaGetLastError()));
    return 0;
}
