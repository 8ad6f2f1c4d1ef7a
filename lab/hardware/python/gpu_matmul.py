# SPDX-License-Identifier: Apache-2.0
"""A matmul in Triton through tensor descriptors. Run with LD_PRELOAD=build/libtma-cuda.so and
LIBTMA_MODE=stand-in its maps are libtma's (program/shim/README.md). Besides, the map of each descriptor is
made with TensorMapDescriptor.from_triton(). Needs PyTorch, Triton and a GPU with TMA."""
import os
import sys

import torch
import triton
import triton.language as tl
from triton.tools.tensor_descriptor import TensorDescriptor

import libtma


@triton.jit
def matmul(a, b, c, K, M: tl.constexpr, N: tl.constexpr, STEP: tl.constexpr):
    m, n = tl.program_id(0) * M, tl.program_id(1) * N
    total = tl.zeros((M, N), dtype=tl.float32)
    for k in range(0, K, STEP):
        total = tl.dot(a.load([m, k]), b.load([k, n]), total)
    c.store([m, n], total.to(tl.float16))


def main():
    torch.manual_seed(0)
    rows, columns, inner = 1000, 712, 520
    a = torch.randn(rows, inner, device="cuda", dtype=torch.float16)
    b = torch.randn(inner, columns, device="cuda", dtype=torch.float16)
    c = torch.empty(rows, columns, device="cuda", dtype=torch.float16)
    descs = [TensorDescriptor.from_tensor(t, block) for t, block in
             ((a, [128, 64]), (b, [64, 128]), (c, [128, 128]))]
    for desc in descs:
        made = libtma.TensorMapDescriptor.from_triton(desc)
        assert not [f for f in made.check() if f.severity == "refused"], made
    matmul[(triton.cdiv(rows, 128), triton.cdiv(columns, 128))](*descs, inner, 128, 128, 64)
    torch.cuda.synchronize()
    right = torch.allclose(c.float(), a.float() @ b.float(), atol=0.5, rtol=1e-2)
    maps = "libtma's maps" if os.environ.get("LIBTMA_MODE") == "stand-in" else "the driver's maps"
    print(f"triton {triton.__version__} matmul on {maps}: {'right' if right else 'WRONG'}")
    return 0 if right else 1


if __name__ == "__main__":
    sys.exit(main())
