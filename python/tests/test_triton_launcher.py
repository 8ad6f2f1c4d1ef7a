# SPDX-License-Identifier: Apache-2.0
"""TensorMapDescriptor.from_triton beside Triton's own launcher before a pretended Blackwell: the same
128 bytes for random descriptors of every kind. Needs Triton (tools/python_with.sh) and build/stand-in;
LIBTMA_ARCH and LIBTMA_DRIVER are set by the test's line in CMakeLists.txt."""
import os
import random
import warnings

import pytest

triton = pytest.importorskip("triton")

import fake_tensors
from triton.tools.tensor_descriptor import TensorDescriptor

import libtma
from libtma import TensorMapDescriptor

launcher = pytest.importorskip("triton_launcher")
from triton.experimental.gluon.language import NVMMASharedLayout
from triton.experimental.gluon.nvidia import hopper

pytestmark = pytest.mark.skipif(
    not launcher.STAND_IN or os.environ.get("LIBTMA_ARCH") != "sm_100a",
    reason="no build/stand-in in LD_LIBRARY_PATH, or LIBTMA_ARCH is not sm_100a")
TARGET = libtma.Target("sm_100a", driver="13.0")
NEW = launcher.VERSION >= (3, 8)
EACH = 80
KINDS = ["half", "integers", "fp8", "gluon", "gluon default", "fp4 padded",
         *(["tf32", "im2col"] if NEW else [])]


class Place:
    """A tensor that need not exist, as Triton asks for one."""

    def __init__(self, name, shape, strides, address):
        self.dtype, self.shape, self.strides = fake_tensors.TYPES[name], shape, strides
        self.address = address

    def data_ptr(self):
        return self.address

    def stride(self):
        return self.strides


def place(r, name, rank, multiple=16):
    """Shape, strides and an address that Triton takes."""
    size_B = fake_tensors.TYPES[name].itemsize
    shape = [r.choice([1, 3, 8, 100, 257, 1024, 70000]) for _ in range(rank - 1)]
    shape.append(r.choice([16, 33, 64, 100, 128, 1000, 4096]) * (128 if multiple == 32 else 1))
    strides, step = [1], -(-shape[-1] * size_B // multiple) * multiple // size_B
    for extent in reversed(shape[:-1]):
        step += multiple // size_B * r.choice([0, 0, 1, 5])
        strides.insert(0, step)
        step *= extent
        if step * size_B >= 2**39:
            return place(r, name, rank, multiple)
    return Place(name, shape, strides, multiple * r.randrange(1, 2**38))


def powers(r, rank, inner, most=4096):
    """A block: powers of two, the innermost from `inner` on."""
    while True:
        block = [1 << r.randrange(7) for _ in range(rank - 1)] + [inner << r.randrange(5)]
        count = 1
        for extent in block:
            count *= extent
        if count <= 2**14 and block[-1] <= most:
            return block


def padding(r, tensor):
    return r.choice(["zero", "nan"]) if tensor.dtype.is_floating_point else "zero"


def plain(r, names, **more):
    rank = r.randrange(1, 6)
    tensor = place(r, r.choice(names), rank)
    block = powers(r, rank, 16 // tensor.dtype.itemsize)
    return TensorDescriptor(tensor, tensor.shape, tensor.strides, block, padding(r, tensor), **more)


def gluon(r, default):
    rank = r.randrange(1, 6)
    tensor = place(r, r.choice(["float16", "bfloat16", "float32", "int32", "uint8", "float8_e5m2"]), rank)
    bits = 8 * tensor.dtype.itemsize
    width = r.choice([0, 32, 64, 128]) if rank > 1 else 0
    block = powers(r, rank, max(width, 16) * 8 // bits)
    if default:
        class Element:
            primitive_bitwidth = bits
        layout = NVMMASharedLayout.get_default_for(block, Element)
    else:
        layout = NVMMASharedLayout(width, bits, rank)
    return hopper.TensorDescriptor(tensor, tensor.shape, tensor.strides, block, layout, padding(r, tensor))


def fp4(r):
    rank = r.randrange(2, 5)
    tensor = place(r, "uint8", rank, multiple=32)
    block = powers(r, rank, 64)
    layout = NVMMASharedLayout(128, 8, rank, fp4_padded=True)
    launcher.launcher(13000)  # asked for its target
    return hopper.TensorDescriptor(tensor, tensor.shape, tensor.strides, block, layout)


def im2col(r):
    rank = r.randrange(3, 6)
    tensor = place(r, r.choice(["float16", "bfloat16", "float32", "float8_e4m3fn"]), rank)
    size_B = tensor.dtype.itemsize
    width = r.choice([0, 32, 64, 128])
    block = [1 << r.randrange(11), (max(width, 16) // size_B) << r.randrange(3)]
    most = {3: 100, 4: 60, 5: 7}[rank]
    corners = [[r.randint(-most, most) for _ in range(rank - 2)] for _ in range(2)]
    steps = r.choice([None, [r.randint(1, 8) for _ in range(rank - 1)] + [1]])
    return hopper.TensorDescriptorIm2Col(
        tensor, tensor.shape, tensor.strides, block, NVMMASharedLayout(width, 8 * size_B, 2),
        padding(r, tensor), element_strides=steps, pixel_box_lower_corner=corners[0],
        pixel_box_upper_corner=corners[1])


DRAW = {"half": lambda r: plain(r, ["float16", "bfloat16"]),
        "integers": lambda r: plain(r, ["int8", "int16", "uint16", "int32", "uint32", "int64", "float64"]),
        "fp8": lambda r: plain(r, ["float8_e4m3fn", "float8_e5m2"]),
        "tf32": lambda r: plain(r, ["float32"], round_f32_to_tf32=True),
        "gluon": lambda r: gluon(r, False), "gluon default": lambda r: gluon(r, True),
        "fp4 padded": fp4, "im2col": im2col}


def theirs(desc):
    """Triton's bytes; None where its compiler or its launcher refuses. With what it says."""
    size = 1
    for extent in desc.block_shape:
        size *= extent
    is_gluon = hasattr(desc, "layout")
    try:
        meta = launcher.metadata(launcher.signature(desc), 0 if is_gluon else size, 100)
    except Exception as error:  # every kind of them
        return None, None, f"{type(error).__name__}: {error}"
    try:
        return launcher.launched(desc, meta), meta, ""
    except RuntimeError as error:
        return None, meta, str(error)


@pytest.mark.parametrize("kind", KINDS)
def test_the_launchers_bytes(kind):
    r = random.Random(kind)
    equal, refused = 0, 0
    while equal < EACH:
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                desc = DRAW[kind](r)
        except AssertionError:  # Triton takes no such descriptor
            continue
        expected, meta, why = theirs(desc)
        if expected is None:
            refused += 1
            with pytest.raises(ValueError):
                TensorMapDescriptor.from_triton(desc, target=TARGET)
            assert refused < 10 * EACH, why
            continue
        made = TensorMapDescriptor.from_triton(desc, target=TARGET)
        assert bytes(made) == expected, (desc, meta, made)
        assert bytes(TensorMapDescriptor.from_triton(desc, meta=meta, target=TARGET)) == expected
        equal += 1


def test_a_small_tensor_of_many_elements_is_not_large():
    """Drivers to 13.1 count elements; Triton from 3.7 on takes the class away again, 3.6 does not."""
    small = Place("float8_e5m2", [1000, 400], [16, 1], 1 << 20)  # overlapping rows: 16 KiB
    desc = TensorDescriptor(small, small.shape, small.strides, [16, 16])
    expected, _meta, why = theirs(desc)
    assert expected is not None, why
    made = TensorMapDescriptor.from_triton(desc, target=TARGET)
    assert bytes(made) == expected
