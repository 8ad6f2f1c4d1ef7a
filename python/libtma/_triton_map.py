# SPDX-License-Identifier: Apache-2.0
"""What Triton's launcher passes to the encode call for a host-made tensor descriptor.

Read in Triton 3.6, 3.8 and 3.9: ``make_tensordesc_arg`` and ``fill_tma_descriptor*`` of
``triton/backends/nvidia``, and what the compiler writes into ``metadata.tensordesc_meta``. Neither
Triton nor Gluon is imported.
"""
from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from typing import Any

from . import _core

_SWIZZLE_WIDTHS_B = (128, 64, 32)
_SWIZZLED_ROWS = 8  # fewer rows than the swizzle's pattern has: Triton's default is none
_MOST_EL = 256  # Triton's own limit of a box, im2col's pixels aside
_SMALL_B = 128 * 1024
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
    layout = getattr(desc, "layout", None)
    kind = _core.data_type(desc.base.dtype)
    bits = _core.data_type_bits(kind)
    width = getattr(layout, "swizzle_byte_width", None)
    if width is None:
        width = default_swizzle_width(desc.block_shape, bits)
    im2col = getattr(desc, "pixel_box_lower_corner", None) is not None
    fp4_padded = bool(getattr(layout, "fp4_padded", False))
    if fp4_padded:
        kind = int(_core.data_type("16u4_align16b"))
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
    package = sys.modules.get(type(desc).__module__.split(".")[0])
    version = tuple(int(part) for part in getattr(package, "__version__", "3.9").split(".")[:2])
    major, _, minor = target.driver.partition(".")
    if version < (3, 7) or int(major) * 1000 + int(minor or 0) * 10 > _CLASS_CLEARED_UNTIL:
        return False
    if arguments["api"] != _core.api("tiled"):
        return False
    steps = [element_B, *arguments["stride_bytes"]]
    last = sum((n - 1) * step for n, step in zip(arguments["dim"], steps, strict=True)) % 2**32
    last -= 2**32 if last >= 2**31 else 0
    return last + 1 < _SMALL_B
