# SPDX-License-Identifier: Apache-2.0
"""Beside the installed cuda.core: the same names and defaults, and its objects read."""
import ctypes
import dataclasses
import inspect
import os
import random

import pytest
from test_driver import both_maps

import libtma
from libtma import TensorMapDescriptor, TensorMapDescriptorOptions, TensorSpec

core = pytest.importorskip("cuda.core", reason="cuda-core is not installed: its defaults are not compared")
module = inspect.getmodule(core.TensorMapDescriptorOptions)
CALLS = {"tiled": "_from_tiled", "im2col": "_from_im2col", "im2col_wide": "_from_im2col_wide"}
PIXELS = TensorSpec((4, 16, 16, 64), "float16", address=0x7F0000000000)
ARGUMENTS = {"tiled": (PIXELS, (1, 8, 8, 64)), "im2col": (PIXELS, (0, 0), (0, 0), 64, 64),
             "im2col_wide": (PIXELS, 0, 0, 64, 64)}


@pytest.mark.parametrize("mine", CALLS)
def test_the_same_defaults(mine):
    """Each default of cuda.core, passed here by name, changes nothing."""
    own = inspect.signature(getattr(TensorMapDescriptor, mine)).parameters
    plain = getattr(TensorMapDescriptor, mine)(*ARGUMENTS[mine], target="sm_100a")
    compared = 0
    there = inspect.signature(getattr(core.TensorMapDescriptor, CALLS[mine])).parameters
    for name, parameter in there.items():
        if name == "view":
            continue
        assert name in own, f"cuda.core's {name} is missing"
        assert own[name].kind == parameter.kind
        assert (own[name].default is inspect.Parameter.empty) == (
            parameter.default is inspect.Parameter.empty), name
        if parameter.kind == parameter.KEYWORD_ONLY and parameter.default is not None:
            value = int(parameter.default)
            assert getattr(TensorMapDescriptor, mine)(
                *ARGUMENTS[mine], target="sm_100a", **{name: value}) == plain, (name, value)
            assert own[name].default == value, (name, own[name].default)
            compared += 1
    assert compared == {"tiled": 4, "im2col": 4, "im2col_wide": 5}[mine]


def test_the_options_have_the_same_fields():
    theirs_of = {f.name: f.default for f in dataclasses.fields(core.TensorMapDescriptorOptions)}
    mine_of = {f.name: f.default for f in dataclasses.fields(TensorMapDescriptorOptions)}
    assert list(theirs_of) == list(mine_of)
    for name, default in theirs_of.items():
        if default not in (None, dataclasses.MISSING):
            assert int(mine_of[name]) == int(default), name


@pytest.mark.parametrize("name", ["TensorMapDataType", "TensorMapInterleave", "TensorMapSwizzle",
                                  "TensorMapL2Promotion", "TensorMapOOBFill", "TensorMapIm2ColWideMode"])
def test_the_enumerations_have_the_same_members(name):
    there = {m.name: int(m) for m in getattr(module, name)}
    here = {m.name: int(m) for m in getattr(libtma, name)}
    assert there.items() <= here.items()


def test_from_bytes_reads_their_objects():
    mine, other = both_maps()
    for given in (mine, other, bytes(mine), TensorMapDescriptor.from_bytes(mine)):
        read = TensorMapDescriptor.from_bytes(given)
        assert bytes(read) == bytes(mine) and type(read) is TensorMapDescriptor
    descriptor = core.TensorMapDescriptor.__new__(core.TensorMapDescriptor)
    handler = __import__(f"{type(descriptor).__module__.rpartition('.')[0]}._kernel_arg_handler",
                         fromlist=["ParamHolder"])
    holder = handler.ParamHolder((descriptor,))
    ctypes.memmove(ctypes.c_void_p.from_address(holder.ptr).value, mine.getPtr(), 128)
    assert bytes(TensorMapDescriptor.from_bytes(descriptor)) == bytes(mine)
    for nothing in (5, None, object(), 1.5, [1]):
        with pytest.raises(TypeError, match="128 bytes, text that says them, or a map of cuda.bindings"):
            TensorMapDescriptor.from_bytes(nothing)


class Elsewhere:
    """A tensor in a GPU's memory, as far as cuda.core looks."""

    def __init__(self, spec, strides):
        step_B = 2
        self.__cuda_array_interface__ = {"shape": spec.shape, "typestr": "<f2", "version": 3, "stream": None,
                                         "data": (spec.address, False),
                                         "strides": strides and tuple(step * step_B for step in strides)}


@pytest.mark.skipif("stand-in" not in os.environ.get("LD_LIBRARY_PATH", ""),
                    reason="build/stand-in is not in LD_LIBRARY_PATH: cuda.core makes no maps")
def test_cuda_core_makes_its_maps_without_a_driver():
    """libtma-cuda.so answers what cuda.core asks of contexts and addresses: the same 128 bytes."""
    from cuda.core.utils import StridedMemoryView
    r = random.Random("cuda.core")
    for _ in range(200):
        rank = r.randrange(3, 6)
        shape = [r.randrange(8, 40) for _ in range(rank - 1)] + [8 * r.randrange(8, 40)]
        strides = [1]
        for extent in shape[:0:-1]:
            strides.insert(0, strides[0] * extent + 8 * r.randrange(3))
        spec = TensorSpec(tuple(shape), "float16", tuple(strides), 16 * r.randrange(1, 2**40))
        view = StridedMemoryView.from_any_interface(Elsewhere(spec, strides), stream_ptr=-1)
        words = {"swizzle": r.randrange(4), "l2_promotion": r.randrange(4), "oob_fill": r.randrange(2)}
        box = (*(r.randrange(1, 5) for _ in range(rank - 1)), r.choice([8, 16]))
        theirs = view.as_tensor_map(box_dim=box, **named(words))
        assert bytes(TensorMapDescriptor.from_bytes(theirs)) == bytes(
            TensorMapDescriptor.tiled(spec, box, **words))
        corners = [tuple(r.randrange(-4, 4) for _ in range(rank - 2)) for _ in range(2)]
        theirs = core.TensorMapDescriptor._from_im2col(view, *corners, 16, 32, **named(words))
        assert bytes(TensorMapDescriptor.from_bytes(theirs)) == bytes(
            TensorMapDescriptor.im2col(spec, *corners, 16, 32, **words))


def named(words):
    """The members that cuda.core wants where this package takes numbers."""
    kinds = {"swizzle": "TensorMapSwizzle", "l2_promotion": "TensorMapL2Promotion",
             "oob_fill": "TensorMapOOBFill"}
    return {name: next(m for m in getattr(module, kinds[name]) if int(m) == number)
            for name, number in words.items()}
