# SPDX-License-Identifier: Apache-2.0
"""matmul.py CASE [good|bad]: Triton kernels with host and device descriptors.

A case prints what CUDA answers and a hash of the result; `time` prints the milliseconds of a matmul of
4096 (median of five runs of do_bench). run_checked.sh runs it as Triton compiles it and through tma
run-checked.
"""
import hashlib
import sys

import torch
import triton
import triton.language as tl
from triton.tools.tensor_descriptor import TensorDescriptor


@triton.jit
def matmul(a, b, c, K, shift, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr, STAGES: tl.constexpr):
    pm = tl.program_id(0)
    pn = tl.program_id(1)
    acc = tl.zeros((BM, BN), dtype=tl.float32)
    for k in tl.range(0, K, BK, num_stages=STAGES):
        x = a.load([pm * BM, k + shift])
        y = b.load([k, pn * BN])
        acc = tl.dot(x, y, acc)
    c.store([pm * BM, pn * BN], acc.to(tl.float16))


@triton.jit
def shifted(a, c, down, BM: tl.constexpr, BN: tl.constexpr):
    c.store([tl.program_id(0) * BM - down, 0], a.load([tl.program_id(0) * BM, 0]))


@triton.jit
def on_device(p, q, M, N, shift, BM: tl.constexpr, BN: tl.constexpr):
    d = tl.make_tensor_descriptor(p, shape=[M, N], strides=[N, 1], block_shape=[BM, BN])
    e = tl.make_tensor_descriptor(q, shape=[M, N], strides=[N, 1], block_shape=[BM, BN])
    for i in range(0, M, BM):
        e.store([i, 0], d.load([i, shift]))


def operands(size):
    torch.manual_seed(7)
    a = torch.randn(size, size, device="cuda", dtype=torch.float16)
    b = torch.randn(size, size, device="cuda", dtype=torch.float16)
    return a, b, torch.zeros(size, size, device="cuda", dtype=torch.float16)


def multiply(size, shift, BM=128, BN=256, BK=64, STAGES=3):
    a, b, c = operands(size)
    maps = (TensorDescriptor.from_tensor(a, [BM, BK]), TensorDescriptor.from_tensor(b, [BK, BN]),
            TensorDescriptor.from_tensor(c, [BM, BN]))
    grid = (size // BM, size // BN)

    def once():
        matmul[grid](*maps, size, shift, BM, BN, BK, STAGES, num_warps=8)
    return once, c, a, b


def run(case, bad):
    if case == "coord-align":
        once, c, a, b = multiply(1024, int(bad))
        once()
        torch.cuda.synchronize()
        assert torch.allclose(c.float(), a.float() @ b.float(), atol=0.5, rtol=0.02)
        return c
    if case == "coord-negative":
        a, _, c = operands(1024)
        shifted[(16,)](TensorDescriptor.from_tensor(a, [64, 64]), TensorDescriptor.from_tensor(c, [64, 64]),
                       64 if bad else 0, 64, 64)
    elif case == "device-descriptor":
        triton.set_allocator(lambda size, align, stream: torch.empty(size, dtype=torch.int8, device="cuda"))
        a, _, c = operands(512)
        on_device[(1,)](a, c, 512, 512, 4 if bad else 0, 64, 64)
    else:
        sys.exit(f"no case {case}")
    torch.cuda.synchronize()
    return c


def main():
    case = sys.argv[1]
    if case == "time":
        once = multiply(4096, 0)[0]
        once()
        times = [triton.testing.do_bench(once, warmup=50, rep=200, return_mode="median") for _ in range(5)]
        print(f"ms {sorted(times)[2]:.4f}")
        return
    try:
        c = run(case, sys.argv[2] == "bad")
        print("error 0 cudaSuccess")
        print("result", hashlib.sha256(c.cpu().numpy().tobytes()).hexdigest()[:16])
    except (RuntimeError, torch.AcceleratorError) as error:
        print("error", str(error).splitlines()[0])
        sys.exit(1)


if __name__ == "__main__":
    main()
