/* SPDX-License-Identifier: Apache-2.0
 *
 * What the kernels of kernels.def are declared as.
 */
#ifndef HARDWARE_PROTOCOL_KERNELS_CUH
#define HARDWARE_PROTOCOL_KERNELS_CUH

#include "instructions.cuh"

constexpr int THREADS = 128;

#define KERNEL_(name, side)                                                                        \
    extern "C" __global__ void __launch_bounds__(THREADS)                                          \
        name##_##side(const __grid_constant__ tensor_map in,                                       \
                      const __grid_constant__ tensor_map out, const __grid_constant__ job j)
#define TWINS(name, break_it, do_it)                                                               \
    KERNEL_(name, broken) {                                                                        \
        break_it;                                                                                  \
    }                                                                                              \
    KERNEL_(name, right) {                                                                         \
        do_it;                                                                                     \
    }

#define PROTOCOL_KERNEL(name, rule, ctas, what)                                                    \
    KERNEL_(name, broken);                                                                         \
    KERNEL_(name, right);
#include "kernels.def"

#endif
