# SPDX-License-Identifier: Apache-2.0
"""Kernels in Triton and Gluon for real.py."""
import torch
import triton
import triton.language as tl
from triton.experimental import gluon
from triton.experimental.gluon import language as gl
from triton.experimental.gluon.language.nvidia.hopper import fence_async_shared, mbarrier, tma
from triton.experimental.gluon.nvidia.hopper import TensorDescriptor as GluonDescriptor
from triton.tools.tensor_descriptor import TensorDescriptor


@triton.jit
def persistent_matmul(a, b, c, c_ptr, M, N, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr,
                      SMS: tl.constexpr, ON_DEVICE: tl.constexpr):
    """Tiles of C in turns of the SMs; the descriptor of C comes from the host or is made here."""
    if ON_DEVICE:
        c = tl.make_tensor_descriptor(c_ptr, shape=[M, N], strides=[N, 1], block_shape=[BM, BN])
    columns = tl.cdiv(N, BN)
    for tile in tl.range(tl.program_id(0), tl.cdiv(M, BM) * columns, SMS, flatten=True):
        row = tile // columns * BM
        column = tile % columns * BN
        acc = tl.zeros((BM, BN), dtype=tl.float32)
        for k in range(0, tl.cdiv(K, BK)):
            acc = tl.dot(a.load([row, k * BK]), b.load([column, k * BK]).T, acc)
        c.store([row, column], acc.to(tl.float16))


def operands(size):
    torch.manual_seed(7)
    make = lambda: torch.randn(size, size, device="cuda", dtype=torch.float16)
    return make(), make(), torch.zeros(size, size, device="cuda", dtype=torch.float16)


def persistent(report, size, on_device=False):
    a, b, c = operands(size)
    sms = torch.cuda.get_device_properties(0).multi_processor_count
    triton.set_allocator(lambda size, align, stream: torch.empty(size, dtype=torch.int8, device="cuda"))
    maps = [TensorDescriptor.from_tensor(t, box) for t, box in ((a, [128, 64]), (b, [256, 64]), (c, [128, 256]))]

    def once():
        persistent_matmul[(sms,)](*maps, c, size, size, size, 128, 256, 64, sms, on_device, num_warps=8, num_stages=3)
    once()
    assert torch.allclose(c.float(), a.float() @ b.float().T, atol=1, rtol=0.02)
    report(once, c)


@gluon.jit
def gluon_tiles(source, out, XBLOCK: gl.constexpr, YBLOCK: gl.constexpr, TILES: gl.constexpr, layout: gl.constexpr):
    """A row of tiles: loads two tiles ahead of the stores, each with a barrier of its own."""
    tile = gl.allocate_shared_memory(source.dtype, [2] + source.block_type.shape, source.layout)
    stored = gl.allocate_shared_memory(source.dtype, source.block_type.shape, source.layout)
    bar = gl.allocate_shared_memory(gl.int64, [2, 1], mbarrier.MBarrierLayout())
    for i in gl.static_range(2):
        mbarrier.init(bar.index(i), count=1)
    row = gl.program_id(0) * XBLOCK
    for i in gl.static_range(2):
        mbarrier.expect(bar.index(i), source.block_type.nbytes)
        tma.async_copy_global_to_shared(source, [row, i * YBLOCK], bar.index(i), tile.index(i))
    for i in range(TILES):
        mbarrier.wait(bar.index(i % 2), (i // 2) & 1)
        value = tile.index(i % 2).load(layout)
        tma.store_wait(pendings=0)
        gl.thread_barrier()  # the tile has been read by all, and so has what was stored
        if i + 2 < TILES:
            mbarrier.expect(bar.index(i % 2), source.block_type.nbytes)
            tma.async_copy_global_to_shared(source, [row, (i + 2) * YBLOCK], bar.index(i % 2), tile.index(i % 2))
        stored.store(value + value)
        fence_async_shared()
        gl.thread_barrier()
        tma.async_copy_shared_to_global(out, [row, i * YBLOCK], stored)
    tma.store_wait(pendings=0)
    for i in gl.static_range(2):
        mbarrier.invalidate(bar.index(i))


def gluon_copy(report, size):
    x, _, out = operands(size)
    shared = gl.NVMMASharedLayout.get_default_for([64, 64], gl.float16)
    registers = gl.BlockedLayout([1, 8], [4, 8], [4, 1], [1, 0])
    maps = [GluonDescriptor.from_tensor(t, [64, 64], shared) for t in (x, out)]

    def once():
        gluon_tiles[(size // 64,)](*maps, 64, 64, size // 64, registers, num_warps=4)
    once()
    assert torch.equal(out, x + x)
    report(once, out)
