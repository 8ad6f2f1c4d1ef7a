# SPDX-License-Identifier: Apache-2.0
"""The kernel in Gluon of hangs.py: two stages of 64 x 64 halves, 8 rounds; WHAT is wrong in round 3 or 5."""
from triton.experimental import gluon
from triton.experimental.gluon import language as gl
from triton.experimental.gluon.language.nvidia.hopper import mbarrier, tma
from triton.experimental.gluon.nvidia.hopper import TensorDescriptor


def descriptor(x):
    return TensorDescriptor.from_tensor(x, [64, 64], gl.NVMMASharedLayout.get_default_for([64, 64], gl.float16))


@gluon.jit
def rounds(source, out, WHAT: gl.constexpr):
    tile = gl.allocate_shared_memory(source.dtype, [2] + source.block_type.shape, source.layout)
    bar = gl.allocate_shared_memory(gl.int64, [2, 1], mbarrier.MBarrierLayout())
    layout: gl.constexpr = gl.BlockedLayout([1, 8], [4, 8], [4, 1], [1, 0])
    for i in gl.static_range(2):
        mbarrier.init(bar.index(i), count=1)
    total = gl.zeros([64, 64], gl.float16, layout)
    for i in range(8):
        now = bar.index(i % 2)
        odd = (i // 2) & 1
        if WHAT == 1:
            mbarrier.expect(now, source.block_type.nbytes, pred=i != 5)
            mbarrier.expect(now, source.block_type.nbytes + 512, pred=i == 5)
        else:
            mbarrier.expect(now, source.block_type.nbytes)
        if WHAT == 2:
            tma.async_copy_global_to_shared(source, [0, i * 64], now, tile.index(i % 2), pred=i != 3)
        else:
            tma.async_copy_global_to_shared(source, [0, i * 64], now, tile.index(i % 2))
        mbarrier.wait(now, odd)
        if WHAT == 3:
            mbarrier.wait(now, 1 - odd, pred=i == 3)
        total += tile.index(i % 2).load(layout)
        gl.thread_barrier()
    rows = gl.arange(0, 64, gl.SliceLayout(1, layout))
    columns = gl.arange(0, 64, gl.SliceLayout(0, layout))
    gl.store(out + rows[:, None] * 64 + columns[None, :], total)
