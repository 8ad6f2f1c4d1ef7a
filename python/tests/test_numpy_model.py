# SPDX-License-Identifier: Apache-2.0
"""Copies beside a model in NumPy, written from CUDA's and PTX's documents: a box is a slice, what
lies outside of the tensor is filled or not stored, a swizzle exchanges 16-byte chunks."""
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import libtma

DTYPES = ["uint8", "uint16", "int32", "float16", "float32", "int64", "float64"]
SPANS = {"none": 0, "32B": 32, "64B": 64, "128B": 128}


@st.composite
def copies(draw, lowest=-3):
    """(tensor with what lies behind its rows, its width, box, offsets, swizzle): random shapes, the
    box anywhere about the tensor. Stores take no negative offsets."""
    dtype = np.dtype(draw(st.sampled_from(DTYPES)))
    swizzle = draw(st.sampled_from(sorted(SPANS)))
    unit = 16 // dtype.itemsize
    rank = draw(st.integers(2, 4))
    widest = max(1, (SPANS[swizzle] or 128) // 16)
    box = [draw(st.integers(1, 5)) for _ in range(rank - 1)]
    box += [unit * draw(st.integers(1, widest))]
    shape = [draw(st.integers(2, 7)) for _ in range(rank - 1)] + [draw(st.integers(1, 5 * unit))]
    stored = [*shape[:-1], -(-shape[-1] // unit) * unit]
    seed = draw(st.integers(0, 2**32 - 1))
    bits = np.random.default_rng(seed).integers(0, 250, stored).astype(dtype)
    offsets = [draw(st.integers(lowest, size + 2)) for size in shape[:-1]]
    offsets += [unit * draw(st.integers(max(lowest, -2), 6))]
    return aligned(bits), shape[-1], box, offsets, swizzle


def aligned(values):
    """A copy at an address that is a multiple of 16."""
    room = np.empty(values.nbytes + 16, np.uint8)
    start = -room.ctypes.data % 16
    out = room[start:start + values.nbytes].view(values.dtype).reshape(values.shape)
    out[...] = values
    return out


def places(shape, box, offsets):
    """(where in the tensor, where in the tile) as index arrays of the elements that are inside."""
    inside = [(np.arange(b) + o >= 0) & (np.arange(b) + o < s)
              for s, b, o in zip(shape, box, offsets, strict=True)]
    tile = [np.flatnonzero(mask) for mask in inside]
    tensor = [index + o for index, o in zip(tile, offsets, strict=True)]
    return np.ix_(*tensor), np.ix_(*tile)


def swizzled(tile, span_B):
    """The tile's bytes as shared memory holds them: rows packed to 16 bytes; within each group of
    span/16 rows of 128 bytes, chunk c goes to c xor the row's number."""
    rows = np.ascontiguousarray(tile).reshape(-1, tile.shape[-1]).view(np.uint8)
    pitch_B = span_B or rows.shape[1]
    out = np.full((rows.shape[0], pitch_B), 0xA5, np.uint8)
    out[:, :rows.shape[1]] = rows
    if not span_B:
        return out.reshape(-1), np.ones(out.size, bool)
    written = np.zeros(out.shape, bool)
    written[:, :rows.shape[1]] = True
    chunks = np.arange(out.size // 16)
    to = chunks ^ (chunks >> 3 & span_B // 16 - 1)
    size = 16 * (int(to.max()) + 1)
    moved, mask = np.full(size, 0xA5, np.uint8), np.zeros(size, bool)
    moved.reshape(-1, 16)[to] = out.reshape(-1, 16)
    mask.reshape(-1, 16)[to] = written.reshape(-1, 16)
    return moved, mask


@given(copies())
@settings(max_examples=400)
def test_load(case):
    room, width, box, offsets, swizzle = case
    tensor = room[..., :width]
    desc = libtma.TensorMapDescriptor.tiled(tensor, box, swizzle=swizzle)
    expected = np.zeros(box, tensor.dtype)
    there, here = places(tensor.shape, box, offsets)
    expected[here] = tensor[there]
    tile = desc.load(offsets)
    assert tile.dtype == tensor.dtype and tile.shape == tuple(box)
    assert tile.tobytes() == expected.tobytes()


@given(copies())
@settings(max_examples=300)
def test_load_as_in_shared_memory(case):
    room, width, box, offsets, swizzle = case
    desc = libtma.TensorMapDescriptor.tiled(room[..., :width], box, swizzle=swizzle)
    model, mask = swizzled(desc.load(offsets), SPANS[swizzle])
    out = np.full(max(model.size, desc.shared_storage_bytes), 0xA5, np.uint8)
    desc.load(offsets, out=out, raw=True)
    assert (out[:model.size][mask] == model[mask]).all()


@given(copies(lowest=0))
@settings(max_examples=300)
def test_store(case):
    """Whole 16 bytes are written: what lies behind a row up to there is overrun (triton#11583)."""
    room, width, box, offsets, swizzle = case
    before = room.copy()
    desc = libtma.TensorMapDescriptor.tiled(room[..., :width], box, swizzle=swizzle)
    tile = np.random.default_rng(1).integers(0, 250, box).astype(room.dtype)
    desc.store(offsets, tile, memory=libtma.Memory({room.ctypes.data: room}))
    there, here = places(room.shape, box, offsets)
    before[there] = tile[here]
    assert room.tobytes() == before.tobytes()


@given(copies(lowest=0))
@settings(max_examples=200)
def test_what_is_stored_is_loaded(case):
    """Through shared memory: the swizzled bytes of a load, stored into another tensor."""
    room, _width, box, offsets, swizzle = case
    other = aligned(np.zeros_like(room))
    source = libtma.TensorMapDescriptor.tiled(room, box, swizzle=swizzle)
    target = libtma.TensorMapDescriptor.tiled(other, box, swizzle=swizzle)
    target.store(offsets, source.load(offsets, raw=True), raw=True)
    there, _ = places(room.shape, box, offsets)
    expected = np.zeros_like(room)
    expected[there] = room[there]
    assert other.tobytes() == expected.tobytes()


REDUCTIONS = {"add": np.add, "min": np.minimum, "max": np.maximum, "and": np.bitwise_and,
              "or": np.bitwise_or, "xor": np.bitwise_xor}


@given(st.sampled_from(sorted(REDUCTIONS)), st.integers(0, 11), st.integers(0, 3))
@settings(max_examples=100)
def test_reduce(op, row, column):
    tensor = aligned(np.arange(80, dtype=np.int32).reshape(10, 8))
    before = tensor.copy()
    desc = libtma.TensorMapDescriptor.tiled(tensor, (4, 4))
    tile = np.arange(5, 21, dtype=np.int32).reshape(4, 4)
    desc.reduce([row, 4 * column], tile, op)
    there, here = places(tensor.shape, (4, 4), (row, 4 * column))
    before[there] = REDUCTIONS[op](before[there], tile[here])
    assert (tensor == before).all()


def test_gather4_and_scatter4():
    tensor = aligned(np.arange(64 * 64, dtype=np.float16).reshape(64, 64))
    blackwell = libtma.Target("sm_100a")
    desc = libtma.TensorMapDescriptor.tiled(tensor, (1, 16), target=blackwell)
    rows = [5, 60, 2, 33]
    tile = desc.gather4(rows, 8)
    assert (tile == tensor[rows, 8:24]).all()
    desc.scatter4(rows, 24, tile)
    assert (tensor[rows, 24:40] == tensor[rows, 8:24]).all()


def test_nan_fill():
    tensor = aligned(np.ones((8, 8), np.float16))
    desc = libtma.TensorMapDescriptor.tiled(tensor, (8, 8), oob_fill="nan")
    tile = desc.load([4, 0])
    assert (tile[:4] == 1).all() and np.isnan(tile[4:]).all()


def test_stores_at_odd_widths_overrun_to_16_bytes():
    room = aligned(np.zeros((2, 16), np.float16))
    tile = np.ones((2, 16), np.float16)
    desc = libtma.TensorMapDescriptor.tiled(room[:, :3], (2, 16))
    with pytest.raises(libtma.TensorMapMemoryError):  # the last row's is not the view's memory
        desc.store([0, 0], tile)
    assert (room == 0).all()
    desc.store([0, 0], tile, memory=libtma.Memory({room.ctypes.data: room}))
    assert (room[:, :8] == 1).all() and (room[:, 8:] == 0).all()
