# SPDX-License-Identifier: Apache-2.0
"""What JAX Pallas' Mosaic GPU passes to the encode call for its asynchronous copies of a block.

Read in JAX 0.10: ``LaunchContext.async_copy`` of ``jax/experimental/mosaic/gpu``, which tiles the
tensor's dimensions, and ``mosaic_gpu_init_tma_desc`` of ``jaxlib/mosaic/gpu``, which encodes. JAX is not
imported.
"""
from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from . import _core

_MOST_DIMENSIONS = 5
_STRIDE_B = 16
# Mosaic's element types: floats of 16 bits and more keep theirs, all other elements are bits.
_FLOATS = {int(_core.TensorMapDataType[name]) for name in ("FLOAT16", "BFLOAT16", "FLOAT32")}
_BITS = {8: "UINT8", 16: "UINT16", 32: "UINT32", 64: "UINT64"}
_PARTS_OF_A_BYTE = {"int4": 4, "uint4": 4, "float4_e2m1fn": 4, "int2": 2, "uint2": 2}


@dataclass
class _Dimension:
    """One of the map's, counted in elements."""

    extent: int
    stride: int
    window: int
    squeezed: bool = False


def read_transforms(transforms: Iterable[Any]) -> tuple[tuple[int, ...], int]:
    """The tiling, () without one, and the swizzle's width in bytes, 0 without one."""
    tiling: tuple[int, ...] = ()
    width = 0
    if not isinstance(transforms, Iterable):
        raise TypeError(f"transforms: a sequence of TilingTransform and SwizzleTransform is wanted, not "
                        f"{transforms!r}")
    for transform in transforms:
        if hasattr(transform, "tiling"):
            tiling = tuple(int(n) for n in transform.tiling)
        elif hasattr(transform, "swizzle"):
            width = int(transform.swizzle)
        else:
            raise ValueError(f"transforms: {transform!r} has neither tiling nor swizzle: TilingTransform and "
                             "SwizzleTransform are read")
    if width not in (0, 16, 32, 64, 128):
        raise ValueError(f"transforms: a swizzle of {width} B, Pallas has 32, 64 and 128")
    return tiling, width


def _dimensions(shape: Sequence[int], strides: Sequence[int], block: Sequence[int | None],
                tiling: Sequence[int]) -> list[_Dimension]:
    """Squeezed dimensions, those without a tile, then of each tiled one the tiles, then what is in one."""
    squeezed, plain, outer, inner = [], [], [], []
    kept = [at for at, extent in enumerate(block) if extent is not None]
    if len(tiling) > len(kept):
        raise ValueError(f"transforms: a tiling of {len(tiling)} extents, the block has {len(kept)}")
    tile_of = dict(zip(kept[len(kept) - len(tiling):], tiling, strict=True))
    for at, (extent, stride, window) in enumerate(zip(shape, strides, block, strict=True)):
        if window is None:
            squeezed.append(_Dimension(extent, stride, 1, True))
        elif at not in tile_of:
            plain.append(_Dimension(extent, stride, window))
        else:
            tile = tile_of[at]
            fits = min(tile, extent)  # a dimension shorter than a tile is one tile
            if window % tile:
                raise ValueError(f"transforms: a tile of {tile} does not divide block_shape[{at}] = {window}")
            if extent % fits:
                raise ValueError(f"transforms: a tile of {tile} does not divide shape[{at}] = {extent}: "
                                 "Pallas refuses such a tensor")
            outer.append(_Dimension(extent // fits, stride * fits, window // tile))
            inner.append(_Dimension(fits, stride, tile))
    return squeezed + plain + outer + inner


def _collapsed(dimensions: list[_Dimension]) -> list[_Dimension]:
    """Squeezed dimensions as one, where there would be more than five."""
    squeezed = [d for d in dimensions if d.squeezed]
    if len(dimensions) > _MOST_DIMENSIONS and squeezed:
        common = math.gcd(*(d.stride for d in squeezed))
        extent = sum((d.extent - 1) * d.stride // common for d in squeezed) + 1
        dimensions = [_Dimension(extent, common, 1, True), *dimensions[len(squeezed):]]
    if len(dimensions) > _MOST_DIMENSIONS:
        raise ValueError(f"block_shape: {len(dimensions)} dimensions behind the transforms, Pallas copies at "
                         f"most {_MOST_DIMENSIONS}: squeeze some (None)")
    return dimensions


def _share(dimensions: list[_Dimension], ctas: int, swizzled: bool) -> None:
    """The part of one CTA where several load a block together, each for all."""
    left = ctas
    for d in dimensions[:-1] if swizzled else dimensions:
        if d.window % left == 0:
            d.window //= left
            return
        if left % d.window:
            break
        left //= d.window
        d.window = 1
    if left == 1:
        return
    raise ValueError(f"collective: {ctas} CTAs, no leading extents of the block divide among them")


def _element(dtype: Any) -> tuple[int, int]:
    """The map's element type, and how many bits an element of the tensor has."""
    bits = _PARTS_OF_A_BYTE.get(_core.dtype_name(dtype), 0)
    kind = int(_core.TensorMapDataType.UINT8) if bits else int(_core.data_type(dtype))
    bits = bits or _core.data_type_bits(kind)
    return kind if kind in _FLOATS else int(_core.TensorMapDataType[_BITS[max(bits, 8)]]), bits


def _packed(dimensions: list[_Dimension], bits: int) -> int:
    """Elements of less than a byte as bytes; the bytes of an element of the map."""
    if bits >= 8:
        return bits // 8
    many = 8 // bits
    for d in dimensions[:-1]:
        d.stride //= many
    dimensions[-1].extent //= many
    dimensions[-1].window //= many
    return 1


def arguments_of(facts: tuple[Any, ...], block_shape: Sequence[int | None], transforms: Iterable[Any],
                 collective: int) -> dict[str, Any]:
    """The encode call's arguments, innermost dimension first, strides in bytes."""
    address, shape, strides, dtype = facts
    tiling, width = read_transforms(transforms)
    if len(block_shape) != len(shape):
        raise ValueError(f"block_shape: {len(block_shape)} extents, the tensor has {len(shape)} dimensions; "
                         "None squeezes one")
    kind, bits = _element(dtype)
    if list(strides) != [math.prod(shape[at + 1:]) for at in range(len(shape))]:
        raise ValueError(f"strides: {tuple(strides)}, Pallas' tensors are row-major without gaps")
    for at, stride in enumerate(strides[:-1]):
        if stride * bits % (8 * _STRIDE_B):
            raise ValueError(f"strides[{at}]: {stride * bits / 8:g} B, Pallas copies where it is a "
                             f"multiple of {_STRIDE_B} B")
    dimensions = _dimensions(shape, strides, block_shape, tiling)
    dimensions = [d for d in dimensions if (d.extent, d.window) != (1, 1)]
    if not dimensions:
        raise ValueError("block_shape: one element; Pallas makes no map of it")
    dimensions = _collapsed(dimensions)
    if collective > 1:
        _share(dimensions, collective, width > _STRIDE_B)
    row_B = dimensions[-1].window * bits // 8
    if width > _STRIDE_B and row_B != width:
        raise ValueError(f"transforms: a swizzle of {width} B takes a tile of {8 * width // bits} elements "
                         f"of {bits} bits in the innermost dimension, it has {dimensions[-1].window}")
    element_B = _packed(dimensions, bits)
    swizzle = f"SWIZZLE_{width}B" if width > _STRIDE_B else "NONE"
    inner_first = dimensions[::-1]
    return {"api": _core.api("tiled"), "data_type": kind, "rank": len(dimensions), "address": address,
            "dim": [d.extent for d in inner_first],
            "stride_bytes": [d.stride * element_B for d in inner_first[1:]],
            "box_dim": [d.window for d in inner_first], "element_strides": [1] * len(dimensions),
            "interleave": int(_core.TensorMapInterleave.NONE),
            "swizzle": int(_core.TensorMapSwizzle[swizzle]),
            "l2_promotion": int(_core.TensorMapL2Promotion.NONE),
            "oob_fill": int(_core.TensorMapOOBFill.NONE)}
