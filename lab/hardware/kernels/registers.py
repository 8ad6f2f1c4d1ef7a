#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""registers.py LIVE [THREADS]: a kernel of CuPy's, compiled by the driver, whose PTX has no block size and which
keeps LIVE values in registers across a copy that it never makes. It is launched with THREADS threads, else with as
many as it can have. Prints them, its registers and a hash of what it wrote; others.sh runs it plain and checked."""
import hashlib
import sys

import cupy
import numpy

SOURCE = r"""
struct alignas(64) Map { char bytes[128]; };
extern "C" __global__ void many(const __grid_constant__ Map map, volatile float *p, int copies) {
    float v[LIVE];
    #pragma unroll
    for (int i = 0; i < LIVE; i++) v[i] = p[i * blockDim.x + threadIdx.x];
    for (int c = 0; c < copies; c++)
        asm volatile("cp.async.bulk.prefetch.tensor.2d.L2.global.tile [%0, {%1, %2}];"
                     :: "l"(&map), "r"(8 * c), "r"(c) : "memory");
    #pragma unroll
    for (int i = 0; i < LIVE; i++) p[i * blockDim.x + threadIdx.x] = 2 * v[i] + i;
}
"""


def main(live, threads):
    kernel = cupy.RawKernel(SOURCE.replace("LIVE", str(live)), "many", options=("-std=c++17",))
    threads = threads or kernel.max_threads_per_block
    values = cupy.arange(live * 1024, dtype=cupy.float32)
    maps = numpy.zeros(1, numpy.dtype([("bytes", numpy.uint8, 128)]))
    try:
        kernel((1,), (threads,), (maps[0], values, numpy.int32(0)))
    except TypeError:  # a structure by value is a numpy.void, or an array of one
        kernel((1,), (threads,), (maps, values, numpy.int32(0)))
    cupy.cuda.Device().synchronize()
    print("threads", threads, "registers", kernel.num_regs, "local", kernel.local_size_bytes)
    print("result", hashlib.sha256(values.get().tobytes()).hexdigest()[:16])


if __name__ == "__main__":
    try:
        main(int(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 0)
    except cupy.cuda.driver.CUDADriverError as error:
        print("error", error)
