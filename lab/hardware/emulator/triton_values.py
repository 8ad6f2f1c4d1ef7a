# SPDX-License-Identifier: Apache-2.0
"""Whole outputs of Triton's kernels, on a GPU or by libtma: the same inputs, bit for bit the same?

    triton_values.py --gpu OUT.npz          on a machine with a GPU and PyTorch
    triton_values.py --emulate OUT.npz      anywhere, with the Python package libtma; --arch sm_100a:
                                            compiled for Blackwell
    triton_values.py --compare A.npz B.npz  1 where an output differs, or one is missing

Each case draws its inputs from a seed; --only NAME runs one.
"""
import argparse
import sys

import numpy as np
import triton
import triton.language as tl


@triton.jit
def add_one(x, y, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(y + at, tl.load(x + at, mask=at < n) * 2 + 1, mask=at < n)


@triton.jit
def softmax(x, y, columns, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    at = tl.arange(0, BLOCK)
    value = tl.load(x + row * columns + at, mask=at < columns, other=-float("inf"))
    value = tl.exp(value - tl.max(value, 0))
    tl.store(y + row * columns + at, value / tl.sum(value, 0), mask=at < columns)


@triton.jit
def layer_norm(x, y, columns, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    at = tl.arange(0, BLOCK)
    value = tl.load(x + row * columns + at, mask=at < columns, other=0.0)
    mean = tl.sum(value, 0) / columns
    off = tl.where(at < columns, value - mean, 0.0)
    scale = 1 / tl.sqrt(tl.sum(off * off, 0) / columns + 1e-5)
    tl.store(y + row * columns + at, off * scale, mask=at < columns)


@triton.jit
def functions(x, y, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    value = tl.load(x + at, mask=at < n, other=1.0)
    tl.store(y + at, tl.sin(value) + tl.cos(value) + tl.sqrt(tl.abs(value)) + tl.exp2(value) +
             tl.log2(tl.abs(value)) + tl.rsqrt(tl.abs(value)) + tl.sigmoid(value), mask=at < n)


@triton.jit
def counts(x, y, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    value = tl.load(x + at, mask=at < n, other=0)
    tl.atomic_add(y + value % 64, 1, mask=at < n)


@triton.jit
def sums(x, y, n, BLOCK: tl.constexpr):
    at = tl.arange(0, BLOCK)
    value = tl.load(x + at)
    tl.store(y + at, tl.cumsum(value, 0))
    tl.store(y + BLOCK + at, tl.sort(value))


@triton.jit
def matmul_pointers(a, b, c, M, N, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr,
                    OUT: tl.constexpr):
    rows = tl.program_id(0) * BM + tl.arange(0, BM)
    columns = tl.program_id(1) * BN + tl.arange(0, BN)
    inner = tl.arange(0, BK)
    total = tl.zeros((BM, BN), tl.float32 if OUT != tl.int32 else tl.int32)
    for k in range(0, K, BK):
        left = tl.load(a + rows[:, None] * K + k + inner[None, :])
        right = tl.load(b + (k + inner)[:, None] * N + columns[None, :])
        total = tl.dot(left, right, total, out_dtype=total.dtype)
    tl.store(c + rows[:, None] * N + columns[None, :], total.to(OUT))


@triton.jit
def matmul_device(a, b, c, M, N, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr,
                  OUT: tl.constexpr):
    left = tl.make_tensor_descriptor(a, [M, K], [K, 1], [BM, BK])
    right = tl.make_tensor_descriptor(b, [K, N], [N, 1], [BK, BN])
    to = tl.make_tensor_descriptor(c, [M, N], [N, 1], [BM, BN])
    row, column = tl.program_id(0) * BM, tl.program_id(1) * BN
    total = tl.zeros((BM, BN), tl.float32)
    for k in range(0, K, BK):
        total = tl.dot(left.load([row, k]), right.load([k, column]), total)
    to.store([row, column], total.to(OUT))


@triton.jit
def matmul_host(left, right, to, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr,
                OUT: tl.constexpr):
    row, column = tl.program_id(0) * BM, tl.program_id(1) * BN
    total = tl.zeros((BM, BN), tl.float32)
    for k in range(0, K, BK):
        total = tl.dot(left.load([row, k]), right.load([k, column]), total)
    to.store([row, column], total.to(OUT))


@triton.jit
def matmul_persistent(left, right, to, M, N, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr,
                      CTAS: tl.constexpr, OUT: tl.constexpr):
    columns = tl.cdiv(N, BN)
    for tile in tl.range(tl.program_id(0), tl.cdiv(M, BM) * columns, CTAS, flatten=True):
        row, column = tile // columns * BM, tile % columns * BN
        total = tl.zeros((BM, BN), tl.float32)
        for k in range(0, K, BK):
            total = tl.dot(left.load([row, k]), right.load([k, column]), total)
        to.store([row, column], total.to(OUT))


@triton.jit
def attention(q, k, v, o, scale, LENGTH, BM: tl.constexpr, BN: tl.constexpr, D: tl.constexpr):
    row = tl.program_id(0) * BM
    head = tl.program_id(1) * LENGTH
    top = tl.full((BM,), -float("inf"), tl.float32)
    weight = tl.zeros((BM,), tl.float32)
    total = tl.zeros((BM, D), tl.float32)
    query = q.load([head + row, 0])
    for at in range(0, LENGTH, BN):
        score = tl.dot(query, k.load([head + at, 0]).T) * scale
        above = tl.maximum(top, tl.max(score, 1))
        p = tl.math.exp2(score - above[:, None])
        keep = tl.math.exp2(top - above)
        weight = weight * keep + tl.sum(p, 1)
        total = total * keep[:, None]
        total = tl.dot(p.to(tl.float16), v.load([head + at, 0]), total)
        top = above
    o.store([head + row, 0], (total / weight[:, None]).to(tl.float16))


class Machine:
    """Arrays where the kernels run."""

    def __init__(self, gpu):
        self.gpu = gpu
        if gpu:
            import torch

            self.torch = torch
            triton.set_allocator(lambda size, align, stream: torch.empty(size, dtype=torch.int8, device="cuda"))

    def array(self, values, kind=None):
        if self.gpu:
            there = self.torch.from_numpy(values).cuda()
            return there.view(getattr(self.torch, kind)) if kind else there
        if kind:
            import ml_dtypes

            return values.view(getattr(ml_dtypes, kind))
        return values

    def back(self, there):
        if self.gpu:
            self.torch.cuda.synchronize()
            bits = {1: self.torch.uint8, 2: self.torch.int16, 4: self.torch.int32}[there.element_size()]
            return there.view(bits).cpu().numpy()
        return there.view({1: np.uint8, 2: np.int16, 4: np.int32}[there.itemsize])

    def descriptor(self, there, block):
        from triton.tools.tensor_descriptor import TensorDescriptor

        if self.gpu:
            return TensorDescriptor.from_tensor(there, block)
        from libtma.triton import as_array

        return TensorDescriptor.from_tensor(as_array(there), block)


CASES = {}


def case(name):
    def keep(run):
        CASES[name] = run
        return run
    return keep


def drawn(seed, shape, kind):
    random = np.random.default_rng(seed)
    if kind == "int8":
        return random.integers(-128, 128, shape).astype(np.int8)
    return random.standard_normal(shape).astype({"float16": np.float16, "float32": np.float32}[kind])


def plain(name, kernel, kind="float32", n=5000, block=1024):
    def run(m):
        x = m.array(drawn(1, n, kind))
        y = m.array(np.zeros(n, np.float32))
        kernel[(triton.cdiv(n, block),)](x, y, n, BLOCK=block)
        return m.back(y)
    CASES[name] = run


plain("add_one", add_one)
plain("functions", functions)


def rows(name, kernel, count=37, columns=781):
    def run(m):
        x = m.array(drawn(2, (count, columns), "float32"))
        y = m.array(np.zeros((count, columns), np.float32))
        kernel[(count,)](x, y, columns, BLOCK=1024)
        return m.back(y)
    CASES[name] = run


rows("softmax", softmax)
rows("layer_norm", layer_norm)


@case("counts")
def _counts(m):
    x = m.array(np.random.default_rng(3).integers(0, 1 << 30, 5000).astype(np.int32))
    y = m.array(np.zeros(64, np.int32))
    counts[(5,)](x, y, 5000, BLOCK=1024)
    return m.back(y)


@case("sums")
def _sums(m):
    x = m.array(drawn(4, 512, "float32"))
    y = m.array(np.zeros(1024, np.float32))
    sums[(1,)](x, y, 512, BLOCK=512)
    return m.back(y)


def products(name, how, kind="float16", out="float16", size=(256, 256, 192), tile=(128, 128, 64), **options):
    def run(m):
        (M, N, K), (BM, BN, BK) = size, tile
        a, b = drawn(5, (M, K), kind), drawn(6, (K, N), kind)
        c = np.zeros((M, N), {"float16": np.float16, "float32": np.float32, "int32": np.int32}[out])
        a, b, c = map(m.array, (a, b, c))
        to = {"float16": tl.float16, "float32": tl.float32, "int32": tl.int32}[out]
        if how in (matmul_pointers, matmul_device):
            how[(M // BM, N // BN)](a, b, c, M, N, K, BM, BN, BK, to, **options)
            return m.back(c)
        ends = m.descriptor(a, [BM, BK]), m.descriptor(b, [BK, BN]), m.descriptor(c, [BM, BN])
        if how is matmul_host:
            how[(M // BM, N // BN)](*ends, K, BM, BN, BK, to, **options)
        else:
            how[(3,)](*ends, M, N, K, BM, BN, BK, 3, to, **options)
        return m.back(c)
    CASES[name] = run


products("matmul_pointers", matmul_pointers, num_warps=4)
products("matmul_pointers_8", matmul_pointers, num_warps=8, num_stages=4)
products("matmul_small", matmul_pointers, tile=(32, 32, 32), num_warps=1)
products("matmul_f32", matmul_pointers, "float32", "float32", tile=(64, 64, 32))
products("matmul_int8", matmul_pointers, "int8", "int32", tile=(64, 64, 64))
products("matmul_device", matmul_device, num_warps=4, num_stages=3)
products("matmul_host", matmul_host, num_warps=8, num_stages=3)
products("matmul_cluster", matmul_host, num_warps=4, num_ctas=2)
products("matmul_persistent", matmul_persistent, num_warps=4, num_stages=3)


@case("attention")
def _attention(m):
    length, heads, depth = 256, 2, 64
    q, k, v = (m.array(drawn(seed, (heads * length, depth), "float16")) for seed in (7, 8, 9))
    o = m.array(np.zeros((heads * length, depth), np.float16))
    ends = [m.descriptor(q, [128, depth]), m.descriptor(k, [64, depth]), m.descriptor(v, [64, depth]),
            m.descriptor(o, [128, depth])]
    attention[(length // 128, heads)](*ends, 0.18, length, 128, 64, depth, num_warps=4, num_stages=2)
    return m.back(o)


def run_all(gpu, out, only, arch):
    machine = Machine(gpu)
    if not gpu:
        import libtma.triton

        libtma.triton.emulate(arch)
    results, bad = {}, 0
    for name, run in CASES.items():
        if only and name != only:
            continue
        try:
            results[name] = run(machine)
            print(name, "done", flush=True)
        except Exception as error:  # each case by itself
            bad += 1
            print(f"{name} failed: {type(error).__name__}: {str(error)[:2000]}", flush=True)
    np.savez_compressed(out, **results)
    return bad != 0


def compare(one, other):
    a, b = np.load(one), np.load(other)
    bad = 0
    for name in sorted(set(a) | set(b)):
        if name not in a or name not in b:
            print(f"{name}: missing in {other if name in a else one}")
            bad += 1
            continue
        different = int((a[name] != b[name]).sum()) if a[name].shape == b[name].shape else -1
        print(f"{name}: {different} of {a[name].size} different")
        bad += different != 0
    print(f"{len(set(a) & set(b))} cases, {bad} differ")
    return bad != 0 or not a.files


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--gpu")
    parser.add_argument("--emulate")
    parser.add_argument("--only")
    parser.add_argument("--arch", default="sm_90a")
    parser.add_argument("--compare", nargs=2)
    args = parser.parse_args()
    if args.compare:
        return compare(*args.compare)
    return run_all(bool(args.gpu), args.gpu or args.emulate, args.only, args.arch)


if __name__ == "__main__":
    sys.exit(main())
