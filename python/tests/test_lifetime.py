# SPDX-License-Identifier: Apache-2.0
"""Who keeps whom alive, what a call leaves behind, and threads."""
import gc
import sys
import threading
import tracemalloc
import weakref

import numpy as np
import pytest

import libtma
from libtma import TensorMapDescriptor


class Array(np.ndarray):
    """A NumPy array that can be watched."""


def made():
    return np.zeros((256, 512), np.float16).view(Array)


def test_a_descriptor_keeps_its_tensor():
    tensor = made()
    watch = weakref.ref(tensor)
    desc = TensorMapDescriptor.tiled(tensor, (128, 64))
    del tensor
    gc.collect()
    assert watch() is desc.owner
    assert (desc.load([0, 0]) == 0).all()
    del desc
    gc.collect()
    assert watch() is None


def test_a_new_tensor_replaces_the_old():
    first, second = made(), made()
    desc = TensorMapDescriptor.tiled(first, (128, 64))
    desc.load([0, 0])
    second[...] = 3
    watch = weakref.ref(first)
    desc.replace_address(second)
    del first
    gc.collect()
    assert watch() is None and desc.owner is second
    assert (desc.load([0, 0]) == 3).all()


def test_a_view_keeps_the_descriptor():
    view = memoryview(TensorMapDescriptor.tiled(made(), (128, 64)))
    gc.collect()
    assert bytes(view) == bytes(TensorMapDescriptor.from_bytes(view))


def test_cycles_are_collected():
    tensor = made()
    tensor.desc = TensorMapDescriptor.tiled(tensor, (128, 64))
    tensor.desc.load([0, 0])
    watch = weakref.ref(tensor)
    del tensor
    gc.collect()
    assert watch() is None


def test_memory_keeps_its_buffers():
    data = bytearray(1024)
    memory = libtma.Memory({4096: data})
    with pytest.raises(BufferError):
        data.append(1)
    del memory
    data.append(1)


def test_nothing_is_left_behind():
    tensor = made()
    tile = np.zeros((128, 64), np.float16)
    counts = []
    for _ in range(3):
        for _ in range(200):
            desc = TensorMapDescriptor.tiled(tensor, (128, 64), swizzle="128B")
            desc.load([0, 0], out=tile)
            desc.store([0, 0], tile)
            desc.plan([0, 0])
            with pytest.raises(libtma.TensorMapTrap):
                desc.load([0, 3], out=tile)
            with pytest.raises(libtma.TensorMapError):
                TensorMapDescriptor.tiled(tensor, (128, 128), swizzle="128B")
        del desc
        gc.collect()
        counts.append((sys.getrefcount(tensor), sys.getrefcount(tile),
                       sys.getrefcount(TensorMapDescriptor)))
    assert counts[0] == counts[1] == counts[2]


def test_memory_does_not_grow():
    tensor = made()

    def round_of_work():
        for _ in range(300):
            TensorMapDescriptor.from_bytes(bytes(TensorMapDescriptor.tiled(tensor, (128, 64))))
        gc.collect()
        return tracemalloc.get_traced_memory()[0]

    tracemalloc.start()
    try:
        first = [round_of_work() for _ in range(3)][-1]
        assert round_of_work() - first < 10_000
    finally:
        tracemalloc.stop()


def test_threads_share_a_descriptor():
    tensor = np.arange(256 * 512, dtype=np.uint16).reshape(256, 512)
    desc = TensorMapDescriptor.tiled(tensor, (128, 64), swizzle="128B")
    wrong = []

    def work(seed):
        rng = np.random.default_rng(seed)
        tile = np.empty((128, 64), np.uint16)
        for _ in range(300):
            m, n = int(rng.integers(0, 128)), 8 * int(rng.integers(0, 56))
            desc.load([m, n], out=tile)
            if not (tile == tensor[m:m + 128, n:n + 64]).all():
                wrong.append((m, n))
            desc.plan([m, n], op="store")  # another plan in between

    threads = [threading.Thread(target=work, args=(i,)) for i in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong
