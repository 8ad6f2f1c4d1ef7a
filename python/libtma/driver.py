# SPDX-License-Identifier: Apache-2.0
"""cuda.bindings.driver's tensor map calls, without a driver.

``from libtma import driver`` in the place of ``from cuda.bindings import driver``: the same names,
orders, tuples and errors; innermost dimension first, strides in bytes. What cuda.bindings answers
with CUDA_ERROR_INVALID_VALUE alone, :func:`last_findings` explains.
"""
from __future__ import annotations

import threading
from collections.abc import Sequence
from enum import IntEnum
from typing import Any

from . import _core
from ._errors import TensorMapError

_said = threading.local()
_target: _core.Target | None = None


CUresult = IntEnum("CUresult", {"CUDA_SUCCESS": 0, **_core.driver_codes()}, module=__name__)


def _enumeration(name: str, family: str) -> type[IntEnum]:
    return IntEnum(name, _core.cuda_names(family), module=__name__)


CUtensorMapDataType = _enumeration("CUtensorMapDataType", "TensorMapDataType")
CUtensorMapInterleave = _enumeration("CUtensorMapInterleave", "TensorMapInterleave")
CUtensorMapSwizzle = _enumeration("CUtensorMapSwizzle", "TensorMapSwizzle")
CUtensorMapL2promotion = _enumeration("CUtensorMapL2promotion", "TensorMapL2Promotion")
CUtensorMapFloatOOBfill = _enumeration("CUtensorMapFloatOOBfill", "TensorMapOOBFill")
CUtensorMapIm2ColWideMode = _enumeration("CUtensorMapIm2ColWideMode", "TensorMapIm2ColWideMode")
CUtensorMapAllocClass = IntEnum("CUtensorMapAllocClass", {
    "CU_TENSOR_MAP_ALLOC_CLASS_AUTO": _core.class_auto,
    "CU_TENSOR_MAP_ALLOC_CLASS_SMALL": _core.class_small,
    "CU_TENSOR_MAP_ALLOC_CLASS_LARGE": _core.class_large}, module=__name__)


class cuuint64_t(int):
    """A number, as cuda.bindings wants it wrapped; plain ints do as well here."""

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {int(self)}>"


class cuuint32_t(cuuint64_t):
    """Likewise."""


class CUtensorMap(_core.Descriptor):
    """The 128 bytes. ``getPtr()`` is their address, ``opaque`` their sixteen 64-bit words."""

    @property
    def opaque(self) -> list[cuuint64_t]:
        data = bytes(self)
        return [cuuint64_t(int.from_bytes(data[i:i + 8], "little"))
                for i in range(0, len(data), 8)]


def set_target(target: _core.Target | str | dict[str, Any] | None) -> None:
    """The machine that this module answers for, on all threads; None is :func:`libtma.set_target`'s."""
    global _target
    _target = _core.Target(target) if isinstance(target, str) else (
        _core.Target(**target) if isinstance(target, dict) else target)


def last_findings() -> tuple[_core.Finding, ...]:
    """What the last call of this thread broke: every rule, refusals first; () if none. A list that
    is None or empty is a null pointer, refused without a rule of its own."""
    return getattr(_said, "findings", ())


# The driver's arrays, and how many entries fewer than the rank each has.
_LISTS = {"dim": 0, "stride_bytes": 1, "box_dim": 0, "element_strides": 0,
          "pixel_box_lower_corner": 2, "pixel_box_upper_corner": 2}


def _encode(arguments: dict[str, Any]) -> tuple[Any, CUtensorMap | None]:
    _said.findings = ()
    rank = int(arguments["rank"])
    missing = False
    for name, fewer in _LISTS.items():
        if name in arguments:
            given, entries = arguments[name], max(min(rank, _core.max_rank) - fewer, 0)
            missing = missing or not given  # cuda.bindings passes a null pointer
            if given and len(given) < entries:
                raise ValueError(
                    f"{name}: {len(given)} entries, a rank of {rank} reads {entries}: the driver "
                    "would read memory that is not the list's")
    data, _said.findings = _core.encode(arguments, _target)
    if data is None or missing:
        return CUresult.CUDA_ERROR_INVALID_VALUE, None
    return CUresult.CUDA_SUCCESS, CUtensorMap._from_buffer(data, _target)


def cuTensorMapEncodeTiled(
        tensorDataType: int, tensorRank: int, globalAddress: int | None,
        globalDim: Sequence[int] | None, globalStrides: Sequence[int] | None,
        boxDim: Sequence[int] | None, elementStrides: Sequence[int] | None, interleave: int,
        swizzle: int, l2Promotion: int, oobFill: int) -> tuple[Any, CUtensorMap | None]:
    """(CUDA_SUCCESS, map), or (CUDA_ERROR_INVALID_VALUE, None)."""
    return _encode({
        "api": _core.api("tiled"), "data_type": tensorDataType, "rank": tensorRank,
        "address": globalAddress or 0, "dim": globalDim, "stride_bytes": globalStrides,
        "box_dim": boxDim, "element_strides": elementStrides, "interleave": interleave,
        "swizzle": swizzle, "l2_promotion": l2Promotion, "oob_fill": oobFill})


def cuTensorMapEncodeIm2col(
        tensorDataType: int, tensorRank: int, globalAddress: int | None,
        globalDim: Sequence[int] | None, globalStrides: Sequence[int] | None,
        pixelBoxLowerCorner: Sequence[int] | None, pixelBoxUpperCorner: Sequence[int] | None,
        channelsPerPixel: int, pixelsPerColumn: int, elementStrides: Sequence[int] | None,
        interleave: int, swizzle: int, l2Promotion: int,
        oobFill: int) -> tuple[Any, CUtensorMap | None]:
    """The same for im2col. The corners' index 0 is W, as the driver reads them."""
    return _encode({
        "api": _core.api("im2col"), "data_type": tensorDataType, "rank": tensorRank,
        "address": globalAddress or 0, "dim": globalDim, "stride_bytes": globalStrides,
        "pixel_box_lower_corner": pixelBoxLowerCorner,
        "pixel_box_upper_corner": pixelBoxUpperCorner, "channels_per_pixel": channelsPerPixel,
        "pixels_per_column": pixelsPerColumn, "element_strides": elementStrides,
        "interleave": interleave, "swizzle": swizzle, "l2_promotion": l2Promotion,
        "oob_fill": oobFill})


def cuTensorMapEncodeIm2colWide(
        tensorDataType: int, tensorRank: int, globalAddress: int | None,
        globalDim: Sequence[int] | None, globalStrides: Sequence[int] | None,
        pixelBoxLowerCornerWidth: int, pixelBoxUpperCornerWidth: int, channelsPerPixel: int,
        pixelsPerColumn: int, elementStrides: Sequence[int] | None, interleave: int, mode: int,
        swizzle: int, l2Promotion: int, oobFill: int) -> tuple[Any, CUtensorMap | None]:
    """The same for the wide modes."""
    return _encode({
        "api": _core.api("wide"), "data_type": tensorDataType, "rank": tensorRank,
        "address": globalAddress or 0, "dim": globalDim, "stride_bytes": globalStrides,
        "pixel_box_lower_corner": [pixelBoxLowerCornerWidth, 0, 0],
        "pixel_box_upper_corner": [pixelBoxUpperCornerWidth, 0, 0],
        "channels_per_pixel": channelsPerPixel, "pixels_per_column": pixelsPerColumn,
        "element_strides": elementStrides, "interleave": interleave, "mode": mode,
        "swizzle": swizzle, "l2_promotion": l2Promotion, "oob_fill": oobFill})


def cuTensorMapReplaceAddress(tensorMap: CUtensorMap, globalAddress: int) -> tuple[Any]:
    """(CUDA_SUCCESS,), the map edited in place; or (CUDA_ERROR_INVALID_VALUE,), unchanged."""
    _said.findings = ()
    try:
        tensorMap.replace_address(int(globalAddress))
    except TensorMapError as error:
        _said.findings = error.findings
        return (CUresult.CUDA_ERROR_INVALID_VALUE,)
    return (CUresult.CUDA_SUCCESS,)


def cuTensorMapSetAllocationClass(tensorMap: CUtensorMap, allocClass: int) -> tuple[Any, Any]:
    """(CUDA_SUCCESS, the class in effect), the map edited in place; or (CUDA_ERROR_INVALID_VALUE,
    CU_TENSOR_MAP_ALLOC_CLASS_SMALL), unchanged."""
    _said.findings = ()
    taken, in_effect = tensorMap._set_class(int(allocClass))
    result = CUresult.CUDA_SUCCESS if taken else CUresult.CUDA_ERROR_INVALID_VALUE
    return result, CUtensorMapAllocClass(in_effect)


def __getattr__(name: str) -> Any:
    """Everything else that cuda.bindings.driver has needs a driver, and this module says so."""
    raise AttributeError(f"libtma.driver has the tensor map calls of cuda.bindings.driver, and no "
                         f"'{name}'")
