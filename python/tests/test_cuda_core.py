# SPDX-License-Identifier: Apache-2.0
"""Beside the installed cuda.core: the same names and defaults, and its objects read."""
import ctypes
import dataclasses
import inspect

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
