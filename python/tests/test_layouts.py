# SPDX-License-Identifier: Apache-2.0
"""Layouts of CuTe and Pallas become maps whose copies put each element where the layout has it: the
layouts are evaluated here once more, element by element, and shared memory is looked at."""
import itertools
import types

import numpy as np
import pytest

import libtma
from libtma import TensorMapDescriptor, layouts


def evaluated(shape, stride, coordinate):
    """CuTe's layout function: a mode's first part runs fastest."""
    if isinstance(shape, tuple) and isinstance(coordinate, tuple):
        return sum(map(evaluated, shape, stride, coordinate))
    if isinstance(shape, tuple):
        total = 0
        for extent, step in zip(shape, stride, strict=True):
            size = int(np.prod(extent))
            total += evaluated(extent, step, coordinate % size)
            coordinate //= size
        return total
    return coordinate * stride


def swizzle(bits, base, shift, address):
    return address ^ (address >> shift & ((1 << bits) - 1) << base)


def extents(shape):
    return tuple(int(np.prod(mode)) for mode in shape)


# Of https://github.com/NVIDIA/cutlass/issues/2381 the two of 256 x 64 x 3.
CUTE = [
    ("Sw<3,4,3> o smem_ptr[16b](unset) o ((_64,_4),(_8,_8),(_1,_3)):((_1,_512),(_64,_2048),(_0,_16384))",
     ((64, 4), (8, 8), (1, 3)), ((1, 512), (64, 2048), (0, 16384)), (3, 4, 3), "float16", (64, 8, 1)),
    ("Sw<3,4,3> o smem_ptr[16b](unset) o ((_64,_4),(_8,_8),(_1,_3)):((_1,_4096),(_64,_512),(_0,_16384))",
     ((64, 4), (8, 8), (1, 3)), ((1, 4096), (64, 512), (0, 16384)), (3, 4, 3), "float16", (64, 64, 1)),
    ("Sw<3,4,3> o smem_ptr[16b](unset) o ((_8,_16),(_64,_2)):((_64,_512),(_1,_8192))",
     ((8, 16), (64, 2)), ((64, 512), (1, 8192)), (3, 4, 3), "float16", (128, 64)),
    ("S<3,3,3> o 0 o (128,64):(64,1)", (128, 64), (64, 1), (3, 4, 3), "float16", (128, 64)),
    ("Sw<2,4,3> o smem_ptr[32b](unset) o (_32,_16):(_16,_1)", (32, 16), (16, 1), (2, 4, 3), "float32",
     (32, 16)),
    ("Sw<1,4,3> o smem_ptr[8b](unset) o (_64,_32):(_32,_1)", (64, 32), (32, 1), (1, 4, 3), "uint8", (64, 32)),
    ("(_128,_64):(_64,_1)", (128, 64), (64, 1), (0, 4, 3), "float16", (128, 64)),
    ("(64,512):(512,1)", (64, 512), (512, 1), (0, 4, 3), "uint8", (1, 256)),
]


@pytest.mark.parametrize("text, shape, stride, how, dtype, box", CUTE, ids=[case[0] for case in CUTE])
def test_cute(text, shape, stride, how, dtype, box):
    layout = layouts.of_cute(text, dtype)
    assert layout.box_dim == box and layout.shape == extents(shape)
    element_B = np.dtype(dtype).itemsize
    expected = {}
    for at in itertools.product(*map(range, layout.shape)):
        expected[at] = swizzle(*how, evaluated(shape, stride, at) * element_B)
    same_places(layout, dtype, expected)


def same_places(layout, dtype, expected):
    """Copies a tensor of different elements into shared memory, and looks for each."""
    count, element_B = int(np.prod(layout.shape)), np.dtype(dtype).itemsize
    values = (np.random.default_rng(1).integers(0, 256, (count, element_B))).astype(np.uint8)
    order = layout.stride_order[::-1]
    tensor = np.empty([layout.shape[at] for at in order], dtype).transpose(np.argsort(order))
    tensor[...] = values.view(dtype).reshape(layout.shape)
    desc = layout.tiled(tensor)
    shared = np.zeros(count * element_B, np.uint8)
    for copy in layout.copies:
        size = desc.shared_storage_bytes
        into = shared[copy.shared_offset:copy.shared_offset + size]
        desc.load(copy.offsets, out=into, raw=True, shared_address=copy.shared_offset)
    for at, address in expected.items():
        assert shared[address:address + element_B].tobytes() == tensor[at].tobytes(), (at, address)


@pytest.mark.parametrize("width", [16, 32, 64, 128])
def test_pallas(width):
    """A (256, 128) block tiled (8, n): a transformed shape of (32, 128 / n, 8, n), row-major, swizzled."""
    inner = max(width, 64) // 2
    transforms = (types.SimpleNamespace(tiling=(8, inner)), types.SimpleNamespace(swizzle=width))
    if width == 32:  # two swizzles wide
        with pytest.raises(ValueError, match="no copies of one map fill this layout"):
            layouts.of_pallas((64, 128), "float16", transforms)
        transforms = (types.SimpleNamespace(tiling=(8, 16)), transforms[1])
        inner = 16
    layout = layouts.of_pallas((64, 128), "float16", transforms)
    bits = {16: 0, 32: 1, 64: 2, 128: 3}[width]
    expected = {}
    for m, n in itertools.product(range(64), range(128)):
        index = np.ravel_multi_index((m // 8, n // inner, m % 8, n % inner), (8, 128 // inner, 8, inner))
        expected[m, n] = swizzle(bits, 4, 3, int(index) * 2)
    same_places(layout, "float16", expected)
    with pytest.raises(ValueError, match="does not divide"):
        layouts.of_pallas((60, 128), "float16", transforms)


@pytest.mark.parametrize("text, said", [
    ("(8,64)", "is no layout"), ("(8,64):(64,1", "no layout|no '\\)'"), ("(8,64):(64)", "not of one form"),
    ("Sw<3,5,3> o smem_ptr[16b](unset) o (8,64):(64,1)", "no tensor map has the swizzle <3,5,3>"),
    ("Sw<3,4,3> o smem_ptr[4b](unset) o (8,64):(64,1)", "elements of 4 bits"),
    ("(8,64):(65,1)", "no copies of one map"),
    ("Sw<3,4,3> o smem_ptr[16b](unset) o (64,16):(16,1)", "no copies of one map fill this layout: element"),
    ("((8,(2)),64):((64,512),1)", "not of one form"),
    ("(,):(,)", "no shape")])
def test_what_is_no_layout(text, said):
    with pytest.raises(ValueError, match=said):
        layouts.of_cute(text, "float16")
    with pytest.raises(ValueError, match="dtype is missing"):
        layouts.of_cute("(8,64):(64,1)")


@pytest.mark.filterwarnings("ignore::libtma.TensorMapWarning")  # of 128B_ATOM_64B
@pytest.mark.parametrize("word", ["none", "32B", "64B", "128B", "128B_ATOM_32B", "128B_ATOM_64B"])
def test_swizzled_takes_arrays(word):
    """Each element's place in shared memory, as a raw load leaves it."""
    wide = {"none": 64, "32B": 16, "64B": 32}.get(word, 64)
    a = np.random.default_rng(2).integers(0, 2**16, (64, wide), np.uint16)
    desc = TensorMapDescriptor.tiled(a, a.shape, swizzle=word, target="sm_100a")
    offsets = 2 * np.arange(a.size).reshape(a.shape)
    places = libtma.swizzled(offsets, word)
    assert places.shape == a.shape and (libtma.swizzled(places, word) == offsets).all()
    assert (desc.load([0, 0], raw=True).view(np.uint16)[places // 2] == a).all()
    assert [libtma.swizzled(int(n), word) for n in offsets[:3, 1]] == places[:3, 1].tolist()
    for wrong in (np.array([-1]), np.array([2**32]), np.array([0.5])):
        with pytest.raises(ValueError, match="offset"):
            libtma.swizzled(wrong, word)
