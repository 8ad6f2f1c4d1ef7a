# SPDX-License-Identifier: Apache-2.0
"""What Triton's launcher passes to the encode call for a host-made tensor descriptor, and what its
compiled kernels write for one of their own.

Read in Triton 3.6 to 3.9: ``make_tensordesc_arg`` and ``fill_tma_descriptor*`` of
``triton/backends/nvidia``, what the compiler writes into ``metadata.tensordesc_meta``, and the
``tensormap.replace`` of its PTX. Neither Triton nor Gluon is imported.
"""
from __future__ import annotations

import sys
import types
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from . import _core

_SWIZZLE_WIDTHS_B = (128, 64, 32)
_SWIZZLED_ROWS = 8  # fewer rows than the swizzle's pattern has: Triton's default is none
_MOST_EL = 256  # Triton's own limit of a box, im2col's pixels aside
_SMALL_B = 128 * 1024
_FP4_PADDED = "16u4_align16b"
_CLASS_CLEARED_UNTIL = 13010  # the driver's version, as cuDriverGetVersion says it


def default_swizzle_width(block_shape: Sequence[int], element_bits: int) -> int:
    """The width in bytes that Triton's compiler, and Gluon's ``get_default_for``, choose where
    nothing else asks for another one: the widest that divides a row, none for fewer than 8 rows."""
    rows = 1
    for extent in block_shape[:-1]:
        rows *= extent
    if len(block_shape) < 2 or rows < _SWIZZLED_ROWS:
        return 0
    row_B = block_shape[-1] * element_bits // 8
    return next((width for width in _SWIZZLE_WIDTHS_B if row_B and row_B % width == 0), 0)


def _per_cta(block_shape: Sequence[int], cga_layout: Sequence[Sequence[int]] | None) -> list[int]:
    """A block of which each CTA of a cluster has its part."""
    block = list(block_shape)
    for axis in range(len(block)):
        largest = max((basis[axis] for basis in cga_layout or ()), default=0)
        block[axis] //= 2 * largest if largest else 1
    return block


def _box(block_shape: Sequence[int], bits: int, width: int, layout: Any, im2col: bool) -> list[int]:
    box = _per_cta(block_shape, getattr(layout, "cga_layout", None))
    inner = 0 if getattr(layout, "transposed", False) else len(box) - 1
    if getattr(layout, "fp4_padded", False):
        box[inner] *= 2
    box = [extent if im2col and axis != inner else min(extent, _MOST_EL)
           for axis, extent in enumerate(box)]
    if width:
        span = 8 * width // bits
        if box[inner] < span:
            raise ValueError(f"block_shape[{inner}]: {box[inner]} elements of {bits} bits, a swizzle of "
                             f"{width} B takes at least {span}: Triton refuses this layout")
        box[inner] = span
    return box


def metadata_of(desc: Any) -> dict[str, Any]:
    """``metadata.tensordesc_meta``'s entry, as the compiler writes it for this descriptor where
    nothing in the kernel asks for another layout."""
    if not all(hasattr(desc, name) for name in ("base", "shape", "strides", "block_shape")):
        raise TypeError(f"desc: '{type(desc).__name__}' is no tensor descriptor of Triton's or Gluon's: "
                        "it has base, shape, strides and block_shape")
    layout = getattr(desc, "layout", None)
    kind = _core.data_type(desc.base.dtype)
    bits = _core.data_type_bits(kind)
    width = getattr(layout, "swizzle_byte_width", None)
    if width is None:
        width = default_swizzle_width(desc.block_shape, bits)
    im2col = getattr(desc, "pixel_box_lower_corner", None) is not None
    fp4_padded = bool(getattr(layout, "fp4_padded", False))
    if fp4_padded:
        kind = int(_core.data_type(_FP4_PADDED))
    return {"swizzle": swizzle_of_width(width), "elem_size": bits // 8, "data_type": kind,
            "block_size": _box(desc.block_shape, bits, width, layout, im2col),
            "fp4_padded": fp4_padded, "is_im2col": im2col}


def swizzle_of_width(width: int) -> int:
    name = f"SWIZZLE_{width}B" if width else "NONE"
    return int(_core.TensorMapSwizzle[name])


def arguments_of(desc: Any, meta: Mapping[str, Any]) -> dict[str, Any]:
    """The encode call's arguments, innermost dimension first, strides in bytes."""
    shape = [int(n) for n in desc.shape]
    strides = [int(n) for n in desc.strides]
    if strides[-1] != 1:
        raise ValueError(f"strides[{len(strides) - 1}] = {strides[-1]}: Triton's descriptors have 1, "
                         "a tensor map's innermost dimension is contiguous")
    if meta["fp4_padded"]:
        shape[-1] *= 2
    kind = meta["data_type"] if "data_type" in meta else _core.data_type_of_ptx(meta["elem_type"])
    if getattr(desc, "round_f32_to_tf32", False):
        kind = int(_core.TensorMapDataType.TFLOAT32)
    nan = getattr(desc, "padding", "zero") == "nan"
    fill = _core.TensorMapOOBFill
    block = [int(n) for n in meta["block_size"]]
    steps = getattr(desc, "element_strides", None) or [1] * len(shape)
    arguments: dict[str, Any] = {
        "api": _core.api("im2col" if meta.get("is_im2col") else "tiled"), "data_type": int(kind),
        "rank": len(shape), "address": desc.base.data_ptr(), "dim": shape[::-1],
        "stride_bytes": [meta["elem_size"] * step for step in strides[-2::-1]],
        "element_strides": [int(step) for step in reversed(steps)],
        "interleave": int(_core.TensorMapInterleave.NONE), "swizzle": int(meta["swizzle"]),
        "l2_promotion": int(_core.TensorMapL2Promotion.L2_128B),
        "oob_fill": int(fill.NAN_REQUEST_ZERO_FMA if nan else fill.NONE)}
    if meta.get("is_im2col"):
        arguments |= {"pixel_box_lower_corner": list(reversed(desc.pixel_box_lower_corner)),
                      "pixel_box_upper_corner": list(reversed(desc.pixel_box_upper_corner)),
                      "pixels_per_column": block[0], "channels_per_pixel": block[1]}
    else:
        arguments["box_dim"] = block[::-1]
    return arguments


def clears_class(desc: Any, arguments: Mapping[str, Any], element_B: int,
                 target: _core.Target) -> bool:
    """Whether the launcher takes the allocation class "large" out again: Triton 3.7 and later, for
    drivers up to 13.1 and tensors whose last element begins below 128 KiB. It counts in 32 bits."""
    package = sys.modules.get("triton")
    version = tuple(int(part) for part in getattr(package, "__version__", "3.9").split(".")[:2])
    major, _, minor = target.driver.partition(".")
    if version < (3, 7) or int(major) * 1000 + int(minor or 0) * 10 > _CLASS_CLEARED_UNTIL:
        return False
    if arguments["api"] != _core.api("tiled"):
        return False
    steps = [element_B, *arguments["stride_bytes"]]
    last: int = sum((n - 1) * step for n, step in zip(arguments["dim"], steps, strict=True)) % 2**32
    last -= 2**32 if last >= 2**31 else 0
    return last + 1 < _SMALL_B


def device_edits(desc: Any, meta: Mapping[str, Any]) -> Iterator[tuple[str, int, int]]:
    """What a kernel's tl.make_tensor_descriptor writes into 128 zero bytes, in its order:
    tensormap.replace's field, operand and ordinal."""
    if meta.get("is_im2col") or getattr(desc, "round_f32_to_tf32", False):
        raise ValueError("made='device': a kernel makes tiled descriptors without TF32 rounding alone; "
                         "im2col and round_f32_to_tf32 are the host's")
    said = arguments_of(desc, meta)
    rank = said["rank"]
    yield "global_address", said["address"], 0
    yield "rank", rank - 1, 0
    for field, values in (("box_dim", said["box_dim"]), ("global_dim", said["dim"]),
                          ("global_stride", said["stride_bytes"]), ("element_stride", [1] * rank)):
        for ordinal, value in enumerate(values):
            yield field, value, ordinal
    yield "elemtype", _core.ptx_of_data_type(said["data_type"]), 0
    yield "interleave_layout", 0, 0
    yield "swizzle_mode", int(meta["swizzle"]), 0
    yield "fill_mode", int(getattr(desc, "padding", "zero") == "nan"), 0


class _Described:
    """A whole tensor with a block and a layout, under the names that Gluon's TensorDescriptor has."""

    def __init__(self, tensor: Any, block_shape: Sequence[int], layout: Any) -> None:
        self.base = self
        self.owner = tensor
        self.address, self.shape, self.strides, self.dtype = _core.tensor_facts(tensor)
        self.block_shape = [int(n) for n in block_shape]
        self.layout = layout
        self.padding, self.round_f32_to_tf32 = "zero", False

    def data_ptr(self) -> int:
        return int(self.address)


def owner_of(desc: Any) -> Any:
    """The tensor that the map keeps alive."""
    return desc.owner if isinstance(desc, _Described) else desc.base


def described(tensor: Any, block_shape: Sequence[int], layout: Any, padding: str,
              round_f32_to_tf32: bool) -> _Described:
    """What :func:`metadata_of` and :func:`arguments_of` read, refused where Gluon refuses it."""
    if not isinstance(layout, Mapping) and not hasattr(layout, "swizzle_byte_width"):
        raise TypeError(f"layout: '{type(layout).__name__}'; it is Gluon's NVMMASharedLayout, or a mapping "
                        "such as {'swizzle_byte_width': 128, 'element_bitwidth': 16}")
    lacking = [name for name in ("swizzle_byte_width", "element_bitwidth")
               if isinstance(layout, Mapping) and name not in layout]
    if lacking:
        raise TypeError(f"layout: {' and '.join(lacking)} missing; NVMMASharedLayout's arguments are such as "
                        "{'swizzle_byte_width': 128, 'element_bitwidth': 16}")
    desc = _Described(tensor, block_shape, types.SimpleNamespace(**layout) if isinstance(layout, Mapping)
                      else layout)
    if len(desc.block_shape) != len(desc.shape):
        raise ValueError(f"block_shape: {len(desc.block_shape)} extents, the tensor has {len(desc.shape)} "
                         "dimensions")
    if padding not in ("zero", "nan"):
        raise ValueError(f"padding: {padding!r}, it is 'zero' or 'nan'")
    width, bits = desc.layout.swizzle_byte_width, desc.layout.element_bitwidth
    own = _core.data_type_bits(_core.data_type(desc.dtype))
    if width not in (0, *_SWIZZLE_WIDTHS_B):
        raise ValueError(f"layout.swizzle_byte_width: {width}, it is 0, 32, 64 or 128")
    if bits != own:
        raise ValueError(f"layout.element_bitwidth: {bits}, the tensor's elements "
                         f"({desc.dtype}) have {own} bits")
    desc.padding, desc.round_f32_to_tf32 = padding, round_f32_to_tf32
    return desc


def layout_of(made: Any) -> dict[str, Any]:
    """NVMMASharedLayout's arguments for the blocks of a map; ValueError where Gluon has none."""
    spec = made.decode()
    swizzle = _core.TensorMapSwizzle(spec["swizzle"]).name
    widths = {"NONE": 0, **{f"SWIZZLE_{width}B": width for width in _SWIZZLE_WIDTHS_B}}
    if swizzle not in widths:
        raise ValueError(f"swizzle: Gluon's NVMMASharedLayout has none, 32B, 64B and 128B, not {swizzle}")
    if spec["interleave"] != int(_core.TensorMapInterleave.NONE):
        raise ValueError("interleave: Gluon's NVMMASharedLayout has none, the map has "
                         f"{_core.TensorMapInterleave(spec['interleave']).name}")
    bits, width = _core.data_type_bits(spec["data_type"]), widths[swizzle]
    padded = spec["data_type"] == _core.data_type(_FP4_PADDED)
    if bits < 8 and not padded:
        raise ValueError(f"data_type: of the packed types Gluon's NVMMASharedLayout has {_FP4_PADDED} "
                         f"(fp4_padded), not {_core.TensorMapDataType(spec['data_type']).name}")
    bits = 8 if padded else bits
    inner = spec["box_dim"][0] if "box_dim" in spec else spec["channels_per_pixel"]
    if width and inner * bits // 8 != width:
        raise ValueError(f"box_dim: {inner} elements of {bits} bits a row; Gluon's boxes are as wide as "
                         f"their swizzle, {width} B")
    return {"swizzle_byte_width": width, "element_bitwidth": bits,
            "rank": len(spec["box_dim"]) if "box_dim" in spec else 2, "transposed": False,
            "fp4_padded": padded}
