# SPDX-License-Identifier: Apache-2.0
"""Layouts of CuTe, Pallas and TileLang become maps whose copies put each element where the layout has it: the
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


def test_pallas_tiles_the_last_dimensions():
    """(2, 16, 128) tiled (8, 64): (2, 2, 2, 8, 64), the untiled dimension outermost."""
    layout = layouts.of_pallas((2, 16, 128), "float16", transforms_of((8, 64), 128))
    expected = {}
    for b, m, n in itertools.product(range(2), range(16), range(128)):
        index = np.ravel_multi_index((b, m // 8, n // 64, m % 8, n % 64), (2, 2, 2, 8, 64))
        expected[b, m, n] = swizzle(3, 4, 3, int(index) * 2)
    same_places(layout, "float16", expected)


def transforms_of(tiling, width):
    return (*(types.SimpleNamespace(tiling=t) for t in [tiling] if t),
            *(types.SimpleNamespace(swizzle=w) for w in [width] if w))


# What JAX 0.10.2's Mosaic GPU hands to mosaic_gpu_init_tma_desc for plgpu.copy_gmem_to_smem: a tensor, a
# block, a tiling, a swizzle, CTAs; then type, extents, strides in elements, window, outermost first.
MOSAIC = [
    ((256, 512), "float16", (128, 128), (8, 64), 128, 1,
     "FLOAT16", (32, 8, 8, 64), (4096, 64, 512, 1), (16, 2, 8, 64)),
    ((256, 512), "float16", (128, 128), (8, 64), 128, 2,
     "FLOAT16", (32, 8, 8, 64), (4096, 64, 512, 1), (8, 2, 8, 64)),
    ((256, 512), "bfloat16", (64, 64), (8, 32), 64, 1,
     "BFLOAT16", (32, 16, 8, 32), (4096, 32, 512, 1), (8, 2, 8, 32)),
    ((4, 256, 512), "float32", (None, 64, 64), (8, 32), 128, 1,
     "FLOAT32", (4, 32, 16, 8, 32), (131072, 4096, 32, 512, 1), (1, 8, 2, 8, 32)),
    ((4, 256, 512), "int32", (2, 64, 32), (8, 8), 32, 1,
     "UINT32", (4, 32, 64, 8, 8), (131072, 4096, 8, 512, 1), (2, 8, 4, 8, 8)),
    ((3, 4, 5, 64, 128), "int8", (None, None, None, 64, 128), (8, 128), 128, 1,
     "UINT8", (60, 8, 8, 128), (8192, 1024, 128, 1), (1, 8, 8, 128)),
    ((3, 2, 5, 64, 256), "float8_e4m3fn", (None, None, None, 64, 256), (8, 128), 128, 1,
     "UINT8", (30, 8, 2, 8, 128), (16384, 2048, 128, 256, 1), (1, 8, 2, 8, 128)),
    ((256, 4096), "uint16", (64, 64), (), 0, 1, "UINT16", (256, 4096), (4096, 1), (64, 64)),
    ((4, 512), "float16", (8, 64), (8, 64), 128, 1, "FLOAT16", (8, 4, 64), (64, 512, 1), (1, 8, 64)),
    # Of 4 bits: two elements of Mosaic's in each of the map's.
    ((4, 256, 512), "int4", (1, 64, 128), (8, 64), 32, 1,
     "UINT8", (4, 32, 8, 8, 32), (65536, 2048, 32, 256, 1), (1, 8, 2, 8, 32)),
]


@pytest.mark.parametrize("case", MOSAIC, ids=str)
def test_mosaic_map(case):
    shape, dtype, block, tiling, width, ctas, kind, extents, strides, window = case
    desc = TensorMapDescriptor.from_pallas(libtma.TensorSpec(shape, dtype, address=1 << 40), block,
                                           transforms_of(tiling, width), collective=ctas)
    element_B = libtma.TensorMapDescriptor.tiled(
        libtma.TensorSpec((16,), kind.lower()), (16,)).global_tx_bytes // 16
    assert (desc.data_type.name, desc.shape, desc.box_dim) == (kind, extents, window)
    assert desc.stride_bytes == tuple(element_B * n for n in strides[:-1])
    assert desc.swizzle.name == (f"SWIZZLE_{width}B" if width else "NONE")
    assert desc.decode()["l2_promotion"] == desc.decode()["oob_fill"] == 0


@pytest.mark.parametrize("tiling, width", [
    ((8, 64), 128), ((8, 32), 64), ((16, 16), 32), ((64,), 128), ((), 0)])
def test_mosaic_map_fills_what_the_copies_of_the_layout_fill(tiling, width):
    a = np.arange(128 * 128, dtype=np.uint16).view(np.float16).reshape(128, 128)
    block = (64, 128 if tiling else 64)
    one = TensorMapDescriptor.from_pallas(a, block, transforms_of(tiling, width))
    layout = layouts.of_pallas(block, a.dtype, transforms_of(tiling, width))
    several, shared = layout.tiled(a), np.zeros(block[0] * block[1] * 2, np.uint8)
    for copy in layout.copies:
        into = shared[copy.shared_offset:copy.shared_offset + several.shared_storage_bytes]
        several.load((copy.offsets[0] + 64, copy.offsets[1]), out=into, raw=True,
                     shared_address=copy.shared_offset)
    corner = [0] * one.rank
    corner[0] = 64 // tiling[0] if len(tiling) == 2 else 64
    assert one.load(corner, raw=True).tobytes() == shared.tobytes()


@pytest.mark.parametrize("block, tiling, width, ctas, said", [
    ((64,), (8, 64), 128, 1, "block_shape: 1 extents"),
    ((60, 64), (8, 64), 128, 1, "tile of 8 does not divide"),
    ((64, 64), (8, 32), 128, 1, "128 B takes a tile of 64 elements"), ((64, 64), (8, 64), 48, 1, "48 B"),
    ((64, 64), (1, 8, 64), 128, 1, "tiling of 3 extents, the block has 2"),
    ((64, 64), (8, 64), 128, 3, "collective: 3 CTAs"), ((512, 64), (), 128, 1, "box-limit")])
def test_what_pallas_refuses(block, tiling, width, ctas, said):
    with pytest.raises(ValueError, match=said):
        TensorMapDescriptor.from_pallas(libtma.TensorSpec((512, 512), "float16"), block,
                                        transforms_of(tiling, width), collective=ctas)


def test_pallas_tensors():
    spec, kinds = libtma.TensorSpec, transforms_of((8, 64), 128)
    for tensor, said in [(spec((60, 64), "float16"), "tile of 8 does not divide shape"),
                         (spec((64, 64), "float16", strides=(128, 1)), "row-major"),
                         (spec((64, 68), "float16"), "strides.0.: 136 B")]:
        with pytest.raises(ValueError, match=said):
            TensorMapDescriptor.from_pallas(tensor, (64, 64), kinds)
    with pytest.raises(ValueError, match="at most 5"):
        TensorMapDescriptor.from_pallas(spec((2, 2, 64, 128, 128), "float16"), (2, 2, 2, 64, 128), kinds)
    with pytest.raises(ValueError, match="neither tiling nor swizzle"):
        TensorMapDescriptor.from_pallas(spec((64, 64), "float16"), (64, 64), ["128B"])


BANKS = {"full-bank": (128, 3), "half-bank": (64, 2), "quarter-bank": (32, 1)}


@pytest.mark.parametrize("name", BANKS)
@pytest.mark.parametrize("shape, dtype", [((64, 128), "float16"), ((2, 16, 64), "float32"),
                                          ((8, 256), "uint8")])
def test_tilelang(name, shape, dtype):
    """Column blocks of the swizzle's width one behind the other; in each row chunks of 16 B exchanged by
    the row's number in 8, with as many bits as the swizzle has."""
    width, bits = BANKS[name]
    element_B = np.dtype(dtype).itemsize
    wide, chunk_el = width // element_B, 16 // element_B
    layout = layouts.of_tilelang(name, shape, dtype)
    assert layout == layouts.of_tilelang(f"make_{name.replace('-', '_')}_swizzled_layout", shape, dtype)
    expected = {}
    for at in itertools.product(*map(range, shape)):
        *outer, i, j = at
        chunk = j % wide // chunk_el ^ i % 8 >> 3 - bits
        block = np.ravel_multi_index((*outer, j // wide), (*shape[:-2], shape[-1] // wide))
        expected[at] = ((block * shape[-2] + i) * wide + chunk * chunk_el + j % chunk_el) * element_B
    same_places(layout, dtype, expected)


def test_tilelang_linear_and_refused():
    linear = layouts.of_tilelang("make_linear_layout", (16, 32), "float16")
    assert (linear.box_dim, linear.swizzle) == ((16, 32), "none")
    assert layouts.of_tilelang("full-bank", (4, 64), "float16").box_dim == (4, 64)
    for name, shape, said in [("bank", (8, 64), "none of full-bank"), ("full-bank", (64,), "two or more"),
                              ("full-bank", (8, 96), r"shape\[1\] = 96: full-bank takes a multiple of 64"),
                              ("half-bank", (12, 64), "4 rows or a multiple of 8"),
                              ("half-bank", (4, 64), "begins anew every 256 B, a copy's every 512 B")]:
        with pytest.raises(ValueError, match=said):
            layouts.of_tilelang(name, shape, "float16")


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
