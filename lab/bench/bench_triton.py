# SPDX-License-Identifier: Apache-2.0
"""What a descriptor's operation costs in Triton's interpreter, with libtma behind it and without, side
by side in one run: the fastest of many launches of a kernel with 33 of them, less the fastest with
one."""
import os
import pathlib
import sys
import time

os.environ["TRITON_INTERPRET"] = "1"
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "python/tests"))

import fake_tensors
import numpy as np
import triton
import triton.language as tl
from triton.tools.tensor_descriptor import TensorDescriptor

import libtma.triton

ROUNDS, MORE = 40, 32


@triton.jit
def loads(desc, times: tl.constexpr):
    for _ in range(times):
        desc.load([64, 64])


@triton.jit
def stores(desc, times: tl.constexpr):
    block = tl.zeros(desc.block_shape, tl.float16)
    for _ in range(times):
        desc.store([64, 64], block)


@triton.jit
def made(base, times: tl.constexpr, ROWS: tl.constexpr, COLUMNS: tl.constexpr):
    for _ in range(times):
        tl.make_tensor_descriptor(base, shape=[512, 512], strides=[512, 1],
                                  block_shape=[ROWS, COLUMNS])


def one(launch):
    start = time.perf_counter_ns()
    launch(1)
    middle = time.perf_counter_ns()
    launch(1 + MORE)
    return middle - start, time.perf_counter_ns() - middle


def main():
    memory = fake_tensors.aligned(512 * 512 * 2).view(np.float16).reshape(512, 512)
    tensor = fake_tensors.flat(memory)
    calls = {}
    for rows, columns in ((128, 64), (8, 16)):
        desc = TensorDescriptor(tensor, [512, 512], [512, 1], [rows, columns])
        size = f"{rows}x{columns} f16"
        calls[f"load {size}"] = lambda n, d=desc: loads[(1,)](d, n)
        calls[f"store {size}"] = lambda n, d=desc: stores[(1,)](d, n)
    calls["make_tensor_descriptor"] = lambda n: made[(1,)](tensor, n, ROWS=128, COLUMNS=64)
    slower = False
    for name, launch in calls.items():
        best = {True: [float("inf")] * 2, False: [float("inf")] * 2}
        for _ in range(ROUNDS):
            for with_libtma in best:
                if with_libtma:
                    libtma.triton.install()
                best[with_libtma] = list(map(min, best[with_libtma], one(launch)))
                libtma.triton.uninstall()
        ours, own = ((best[kind][1] - best[kind][0]) / (1000 * MORE) for kind in (True, False))
        slower = slower or ours > own
        print(f"  {name:<24} {own:8.1f} µs own {ours:8.1f} µs libtma {own / ours:6.1f} x faster")
    return 1 if slower else 0


if __name__ == "__main__":
    print(f"Triton {triton.__version__}'s interpreter, one operation")
    sys.exit(main())
