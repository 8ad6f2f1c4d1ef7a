// SPDX-License-Identifier: Apache-2.0
//
// What the two programs of CUTLASS share: operands, a launch, a hash of the result, milliseconds.
#pragma once

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

#include <cutlass/cutlass.h>
#include <cutlass/numeric_types.h>

#include <cute/tensor.hpp>
#include <cutlass/kernel_hardware_info.hpp>

using fp16 = cutlass::half_t;
constexpr int ALIGNMENT = 8;

static void check(cudaError_t error, const char *what) {
    if (error != cudaSuccess) {
        printf("error %d %s (%s)\n", static_cast<int>(error), cudaGetErrorName(error), what);
        exit(1);
    }
}

static fp16 *filled(size_t count, uint32_t seed) {
    std::vector<fp16> host(count);
    for (auto &value : host) {
        seed = seed * 1664525u + 1013904223u;
        value = fp16(static_cast<float>(static_cast<int>(seed >> 24) % 9 - 4));
    }
    fp16 *device = nullptr;
    check(cudaMalloc(&device, count * sizeof(fp16)), "cudaMalloc");
    check(cudaMemcpy(device, host.data(), count * sizeof(fp16), cudaMemcpyHostToDevice),
          "cudaMemcpy");
    return device;
}

static void print_hash(const fp16 *device, size_t count) {
    std::vector<uint16_t> host(count);
    check(cudaMemcpy(host.data(), device, count * sizeof(uint16_t), cudaMemcpyDeviceToHost),
          "cudaMemcpy");
    uint64_t hash = 14695981039346656037u;
    size_t zeros = 0;
    for (uint16_t value : host) {
        hash = (hash ^ value) * 1099511628211u;
        zeros += value == 0;
    }
    printf("result %016llx, %zu of %zu are 0\n", static_cast<unsigned long long>(hash), zeros,
           count);
}

// One launch, its bytes; then the mean of some launches.
template <class Operation>
static int run(typename Operation::Arguments arguments, const fp16 *d, size_t count, int turns) {
    Operation operation;
    void *workspace = nullptr;
    check(cudaMalloc(&workspace, Operation::get_workspace_size(arguments) + 1), "cudaMalloc");
    cutlass::Status status = operation.can_implement(arguments);
    status =
        status == cutlass::Status::kSuccess ? operation.initialize(arguments, workspace) : status;
    status = status == cutlass::Status::kSuccess ? operation.run() : status;
    if (status != cutlass::Status::kSuccess) {
        printf("CUTLASS: %s\n", cutlassGetStatusString(status));
        return 1;
    }
    check(cudaDeviceSynchronize(), "the kernel");
    print_hash(d, count);
    cudaEvent_t from, to;
    cudaEventCreate(&from);
    cudaEventCreate(&to);
    cudaEventRecord(from);
    for (int i = 0; i < turns; i++) {
        operation.run();
    }
    cudaEventRecord(to);
    check(cudaDeviceSynchronize(), "the kernel");
    float ms = 0;
    cudaEventElapsedTime(&ms, from, to);
    printf("ms %.4f\n", ms / turns);
    return 0;
}
