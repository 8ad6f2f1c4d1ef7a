# SPDX-License-Identifier: Apache-2.0
"""from_triton(made="device") beside the tensormap.replace that Triton's compiler writes for a kernel's own
descriptors, Triton's and Gluon's: the same writes, and from_nvmma the same bytes as Gluon's launcher.
Needs Triton (tools/python_beside.sh)."""
import random

import pytest

triton = pytest.importorskip("triton")

import test_triton_launcher
from test_triton_launcher import DRAW, TARGET, launcher, place
from triton.experimental.gluon.language import NVMMASharedLayout
from triton.experimental.gluon.nvidia import hopper
from triton.tools.tensor_descriptor import TensorDescriptor

from libtma import TensorMapDescriptor, TensorSpec

triton_ptx = pytest.importorskip("triton_ptx")
pytestmark = test_triton_launcher.pytestmark

EACH = 40
WORDS = {"float16": "fp16", "bfloat16": "bf16", "float32": "fp32", "float64": "fp64", "int8": "i8",
         "uint8": "u8", "int16": "i16", "uint16": "u16", "int32": "i32", "uint32": "u32", "int64": "i64",
         "float8_e4m3fn": "fp8e4nv", "float8_e5m2": "fp8e5"}


def drawn(r, kind):
    if kind != "fp4 padded":
        return DRAW[kind](r)
    tensor = place(r, "uint8", 2, multiple=32)  # of other ranks some abort Triton 3.8's compiler
    layout = NVMMASharedLayout(128, 8, 2, fp4_padded=True)
    launcher.launcher(13000)  # asked for its target
    block = [1 << r.randrange(3, 8), 64 << r.randrange(2)]
    return hopper.TensorDescriptor(tensor, tensor.shape, tensor.strides, block, layout)


@pytest.mark.parametrize("kind", ["half", "integers", "fp8", "gluon", "gluon default", "fp4 padded"])
def test_what_the_kernel_writes(kind):
    r = random.Random("device " + kind)
    equal, refused = 0, 0
    while equal < EACH:
        try:
            desc = drawn(r, kind)
        except AssertionError:  # Triton takes no such descriptor
            continue
        if max(desc.shape) >= 2**31 or desc.base.data_ptr() >= 2**63:
            continue  # a kernel's are 32 bits and 64 with a sign
        layout = getattr(desc, "layout", None)
        if layout and layout.swizzle_byte_width and triton_ptx.count(desc.block_shape[:-1]) < 8:
            continue  # Triton 3.9's compiler aborts the process: fewer rows than the swizzle's pattern
        try:
            text = triton_ptx.ptx_of(desc, WORDS[desc.base.dtype.name], 100)
        except Exception as error:  # every kind of them
            refused += 1
            assert refused < 2 * EACH, error
            continue
        edits = triton_ptx.edits_of(text)
        assert {"global_address", "box_dim", "global_dim"} <= {field for field, _, _ in edits}
        expected = TensorMapDescriptor.from_bytes(bytes(128), target=TARGET)
        for field, value, ordinal in edits:
            expected.replace(field, value, ordinal=ordinal)
        made = TensorMapDescriptor.from_triton(desc, made="device", target=TARGET)
        assert bytes(made) == bytes(expected), (desc, made, expected)
        equal += 1


def test_a_layout_and_a_tensor_are_gluons_descriptor():
    """from_nvmma beside Gluon's launcher, host and device; the layout comes back out of the map."""
    r, equal = random.Random("nvmma"), 0
    while equal < EACH:
        try:
            desc = DRAW["gluon"](r)
        except AssertionError:
            continue
        meta = launcher.metadata(launcher.signature(desc), 0, 100)
        try:
            expected = launcher.launched(desc, meta)
        except RuntimeError:
            continue
        tensor = TensorSpec(tuple(desc.shape), desc.base.dtype.name, tuple(desc.strides),
                            desc.base.data_ptr())
        made = TensorMapDescriptor.from_nvmma(tensor, desc.block_shape, desc.layout, padding=desc.padding,
                                              target=TARGET)
        assert bytes(made) == expected
        again = NVMMASharedLayout(**made.nvmma_layout())
        assert again == desc.layout
        device = TensorMapDescriptor.from_nvmma(tensor, desc.block_shape, made.nvmma_layout(),
                                                padding=desc.padding, made="device", target=TARGET)
        assert bytes(device) == bytes(TensorMapDescriptor.from_triton(desc, made="device", target=TARGET))
        equal += 1


def test_what_a_kernel_does_not_make():
    tensor = place(random.Random(1), "float32", 2)
    desc = TensorDescriptor(tensor, tensor.shape, tensor.strides, [8, 32])
    with pytest.raises(ValueError, match="made='gpu': 'host' or 'device'"):
        TensorMapDescriptor.from_triton(desc, made="gpu")
    if "round_f32_to_tf32" in TensorDescriptor.__dataclass_fields__:
        desc.round_f32_to_tf32 = True
        with pytest.raises(ValueError, match="round_f32_to_tf32 are the host's"):
            TensorMapDescriptor.from_triton(desc, made="device")
