# SPDX-License-Identifier: Apache-2.0
"""Layouts of shared memory as other packages write them, and the tensor maps whose copies fill them.

CuTe's (C++ and the DSL: what ``print(layout)`` says), JAX Pallas' transforms and TileLang's swizzled
layouts. A layout becomes the box, the swizzle and the list of copies; that they put each element where
the layout has it is checked element by element, and a layout that no copies fill is a ValueError.
"""
from __future__ import annotations

import itertools
import math
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, NoReturn

from . import _core
from ._copies import numpy_itself
from ._descriptor import TensorMapDescriptor
from ._pallas_map import read_transforms
from ._types import DataTypeLike, Tensor

__all__ = ["Copy", "SharedLayout", "of_cute", "of_pallas", "of_tilelang"]

_ALIGNED_B = 128  # where every copy may begin, whatever its swizzle
_TILELANG = {"full-bank": 128, "half-bank": 64, "quarter-bank": 32}  # bytes of a row's swizzle
_PERIOD_ROWS = 8  # of TileLang's swizzles
_Leaf = tuple[int, int, int]  # extent, stride in elements, what one step of it is in its mode's coordinate


@dataclass(frozen=True)
class Copy:
    """One of the copies that fill a tile.

    Parameters
    ----------
    offsets : tuple of int
        The box's corner in the tile, in elements, as the map's ``load`` takes them: outermost first
        in memory, whatever the order of the layout's modes.
    shared_offset : int
        Where the box begins behind the tile's beginning, in bytes.
    """

    offsets: tuple[int, ...]
    shared_offset: int


@dataclass(frozen=True)
class SharedLayout:
    """A tile of shared memory, and the boxes that fill it.

    Parameters
    ----------
    shape : tuple of int
        The tile's extents in elements, one a mode, as the tensor's dimensions.
    element_bits : int
    box_dim : tuple of int
        In elements, in the same order.
    stride_order : tuple of int
        The dimensions from the innermost on, as :meth:`TensorMapDescriptor.tiled` takes them.
    swizzle : str
        "none", "32B", "64B", "128B" ...
    copies : tuple of Copy
    """

    shape: tuple[int, ...]
    element_bits: int
    box_dim: tuple[int, ...]
    stride_order: tuple[int, ...]
    swizzle: str
    copies: tuple[Copy, ...]

    def tiled(self, tensor: Tensor, **options: Any) -> TensorMapDescriptor:
        """The map of a tensor whose copies fill the layout.

        Parameters
        ----------
        tensor : tensor or TensorSpec
            With as many dimensions as the layout has modes.
        **options
            As :meth:`TensorMapDescriptor.tiled` takes them.

        Returns
        -------
        TensorMapDescriptor
        """
        return TensorMapDescriptor.tiled(tensor, self.box_dim, swizzle=self.swizzle,
                                         stride_order=self.stride_order, **options)


def of_cute(text: str, dtype: DataTypeLike = None) -> SharedLayout:
    """CuTe's layout of a tile.

    Parameters
    ----------
    text : str
        What ``print`` says: "Sw<3,4,3> o smem_ptr[16b](unset) o ((_8,_16),_64):((_64,_512),_1)",
        "S<3,4,3> o 0 o (8,64):(64,1)", "(128,64):(64,1)". Its first mode is the tensor's first
        dimension.
    dtype : TensorMapDataType, str or dtype, optional
        The elements' type, where the text does not say how many bits they have.

    Returns
    -------
    SharedLayout

    Raises
    ------
    ValueError
        The text is no layout, or no copies of one map fill it; it says which element lies elsewhere.
    """
    if not isinstance(text, str):
        raise TypeError(f"text: '{type(text).__name__}'; pass str(layout), what print says of it")
    plain = re.sub(r"\s|_(?=\d)", "", text)
    found = re.fullmatch(r"(?:Sw?<(\d+),(-?\d+),(-?\d+)>o(?:smem_ptr\[(\d+)b\]\(\w+\)|0)o)?"
                         r"([\d(),]+):([\d(),]+)", plain)
    if not found:
        raise ValueError(f"text: '{text}' is no layout such as 'Sw<3,4,3> o smem_ptr[16b](unset) o "
                         "(128,64):(64,1)'")
    said_bits = int(found[4]) if found[4] else None
    if said_bits is None and dtype is None:
        raise ValueError("dtype is missing: this layout does not say how many bits its elements have")
    bits = said_bits or _core.data_type_bits(_core.data_type(dtype))
    if bits % 8:
        raise ValueError(f"dtype: elements of {bits} bits; layouts of whole bytes are read")
    modes = _modes(_nested(found[5]), _nested(found[6]), text)
    swizzle = (0, 4, 3) if found[1] is None else (int(found[1]), int(found[2]), int(found[3]))
    if found[4] is None:  # on elements, not on the address in bytes
        swizzle = (swizzle[0], swizzle[1] + (bits // 8).bit_length() - 1, swizzle[2])
    return _layout(modes, bits, _word_of(*swizzle))


def of_pallas(shape: Sequence[int], dtype: DataTypeLike, transforms: Iterable[Any] = ()) -> SharedLayout:
    """JAX Pallas' (Mosaic GPU) block of shared memory.

    Parameters
    ----------
    shape : sequence of int
        The block's extents in elements.
    dtype : TensorMapDataType, str or dtype
    transforms : iterable
        ``plgpu.TilingTransform`` and ``plgpu.SwizzleTransform``, read by ``tiling`` and ``swizzle``
        (bytes); JAX is not imported.

    Returns
    -------
    SharedLayout

    Raises
    ------
    ValueError
        A transform is none of these, or the tiling does not divide the block.
    """
    bits = _core.data_type_bits(_core.data_type(dtype))
    said, width = read_transforms(transforms)
    tiling = (*(1,) * (len(shape) - len(said)), *said) if said else tuple(shape)
    if len(tiling) != len(shape) or any(t < 1 or n % t for n, t in zip(shape, tiling, strict=True)):
        raise ValueError(f"transforms: a tiling of {tiling} does not divide a block of {tuple(shape)}")
    inner: list[_Leaf] = []
    outer: list[_Leaf] = []
    step = 1
    for extent in reversed(tiling):
        inner.insert(0, (extent, step, 1))
        step *= extent
    for extent, tile in zip(reversed(shape), reversed(tiling), strict=True):
        outer.insert(0, (extent // tile, step, tile))
        step *= extent // tile
    return _layout([list(pair) for pair in zip(inner, outer, strict=True)], bits,
                   "none" if width in (0, 16) else f"{width}B")


def of_tilelang(name: str, shape: Sequence[int], dtype: DataTypeLike) -> SharedLayout:
    """TileLang's layout of a shared buffer.

    Parameters
    ----------
    name : str
        "full-bank", "half-bank", "quarter-bank" or "linear", or the name of TileLang's function, such as
        "make_full_bank_swizzled_layout".
    shape : sequence of int
        The buffer's extents in elements, two or more: dimensions before the last two are outermost.
    dtype : TensorMapDataType, str or dtype

    Returns
    -------
    SharedLayout

    Raises
    ------
    ValueError
        TileLang has no such layout of this buffer, or no copies of one map fill it.
    """
    plain = re.sub(r"^make_|_swizzled_layout$|_layout$", "", name).replace("_", "-")
    extents = [int(n) for n in shape]
    bits = _core.data_type_bits(_core.data_type(dtype))
    if plain == "linear":
        step_el = [math.prod(extents[at + 1:]) for at in range(len(extents))]
        return _layout([[(n, step, 1)] for n, step in zip(extents, step_el, strict=True)], bits, "none")
    if plain not in _TILELANG:
        raise ValueError(f"name: '{name}' is none of {', '.join(_TILELANG)}, linear")
    if len(extents) < 2:
        raise ValueError(f"shape: {len(extents)} extents, TileLang's swizzled layouts have two or more")
    wide = 8 * _TILELANG[plain] // bits
    rows, columns = extents[-2:]
    if columns % wide:
        raise ValueError(f"shape[{len(extents) - 1}] = {columns}: {plain} takes a multiple of {wide} "
                         f"elements ({_TILELANG[plain]} B)")
    if rows % _PERIOD_ROWS and rows != _PERIOD_ROWS // 2:
        raise ValueError(f"shape[{len(extents) - 2}] = {rows}: {plain} takes 4 rows or a multiple of "
                         f"{_PERIOD_ROWS}")
    if rows % _PERIOD_ROWS and math.prod(extents) != rows * wide:
        raise ValueError(f"no copies of one map fill this layout: with {rows} rows the swizzle begins anew "
                         f"every {rows * _TILELANG[plain]} B, a copy's every "
                         f"{_PERIOD_ROWS * _TILELANG[plain]} B")
    modes: list[list[_Leaf]] = [[(n, math.prod(extents[at + 1:]), 1)] for at, n in enumerate(extents[:-2])]
    modes += [[(rows, wide, 1)], [(wide, 1, 1), (columns // wide, rows * wide, wide)]]
    return _layout(modes, bits, f"{_TILELANG[plain]}B")


def _nested(text: str) -> Any:
    """"((8,16),64)" as tuples."""
    at = 0

    def read() -> Any:
        nonlocal at
        if text[at:at + 1] != "(":
            number = re.match(r"\d+", text[at:])
            if not number:
                raise ValueError(f"text: '{text}' is no shape")
            at += number.end()
            return int(number[0])
        parts = []
        while text[at:at + 1] in ("(", ","):
            at += 1
            parts.append(read())
        if text[at:at + 1] != ")":
            raise ValueError(f"text: '{text}' has no ')' where one is wanted")
        at += 1
        return tuple(parts)

    whole = read()
    if at != len(text):
        raise ValueError(f"text: '{text[at:]}' behind a shape")
    return whole if isinstance(whole, tuple) else (whole,)


def _leaves(shape: Any, stride: Any, text: str) -> list[tuple[int, int]]:
    if isinstance(shape, tuple) != isinstance(stride, tuple) or (
            isinstance(shape, tuple) and len(shape) != len(stride)):
        raise ValueError(f"text: shape and strides of '{text}' are not of one form")
    if not isinstance(shape, tuple):
        return [(shape, stride)]
    return [leaf for pair in zip(shape, stride, strict=True) for leaf in _leaves(*pair, text)]


def _modes(shape: Any, stride: Any, text: str) -> list[list[_Leaf]]:
    modes = []
    if len(shape) != len(stride):
        raise ValueError(f"text: shape and strides of '{text}' are not of one form")
    for pair in zip(shape, stride, strict=True):
        step, mode = 1, []
        for extent, stride_el in _leaves(*pair, text):
            mode.append((extent, stride_el, step))
            step *= extent
        modes.append(mode)
    return modes


def _word_of(bits: int, base: int, shift: int) -> str:
    """The swizzle of tensor maps that is CuTe's Swizzle<bits, base, shift> on bytes."""
    numpy = numpy_itself()
    addresses = numpy.arange(4096, dtype=numpy.uint64)
    if base >= 0 and shift >= 0 and bits + base + shift < 32:
        mask = ((1 << bits) - 1) << base
        expected = addresses ^ (addresses >> numpy.uint64(shift) & numpy.uint64(mask))
        for member in _core.TensorMapSwizzle:
            if _core.swizzled_all(addresses, member) == expected.tobytes():
                return str(member.name).removeprefix("SWIZZLE_") if member else "none"
    raise ValueError(f"text: no tensor map has the swizzle <{bits},{base},{shift}>, counted on bytes")


def _box(modes: list[list[_Leaf]], element_B: int, swizzle: str) -> tuple[list[int], list[int]]:
    """The largest box that lies in one piece, and its dimensions from the innermost on."""
    span_B = _core.swizzle_span(swizzle)
    box, packed = [1] * len(modes), 1
    order: list[int] = []
    leaves = sorted((stride, at, extent, step) for at, mode in enumerate(modes)
                    for extent, stride, step in mode if extent > 1)
    for stride, at, extent, step in leaves:
        if stride != packed or step != box[at] or (at in order and order[-1] != at):
            break
        is_row = not order or order[0] == at
        most = span_B // element_B if is_row and span_B else _core.max_box_elements
        fits = next(n for n in range(min(extent, most // box[at]), 0, -1) if extent % n == 0)
        if at not in order:
            order.append(at)
        box[at] *= fits
        packed *= fits
        if fits != extent:
            break
    return box, order + [at for at in reversed(range(len(modes))) if at not in order]


def _no_copies(element: tuple[int, ...], there: int, here: int) -> NoReturn:
    raise ValueError(f"no copies of one map fill this layout: element {element} lies {there} B behind the "
                     f"tile's beginning, a copy would put it {here} B behind")


def _layout(modes: list[list[_Leaf]], bits: int, swizzle: str) -> SharedLayout:
    numpy = numpy_itself()
    element_B = bits // 8
    shape = [math.prod(extent for extent, _stride, _step in mode) for mode in modes]
    if any(extent < 1 for mode in modes for extent, _stride, _step in mode):
        raise ValueError(f"a layout of {tuple(shape)} elements: each extent is 1 or more")
    if math.prod(shape) * element_B > _core.max_shared_bytes:
        raise ValueError(f"a layout of {tuple(shape)} elements of {element_B} B: a CTA's shared memory has "
                         f"{_core.max_shared_bytes} B")
    lies_el = numpy.zeros((1,) * len(modes), numpy.int64)  # where each element lies, before the swizzle
    for at, mode in enumerate(modes):
        along = numpy.zeros(1, numpy.int64)
        for extent, stride, _step in mode:
            along = (numpy.arange(extent)[:, None] * stride + along).ravel()
        lies_el = lies_el + along.reshape([-1 if i == at else 1 for i in range(len(modes))])
    box, order = _box(modes, element_B, swizzle)
    in_box = numpy.zeros((1,) * len(modes), numpy.int64)
    step = 1
    for at in order:
        in_box = in_box + (numpy.arange(box[at]) * step).reshape(
            [-1 if i == at else 1 for i in range(len(modes))])
        step *= box[at]
        if at == order[0]:  # a row is as wide as its swizzle's span, filled or not
            step = max(step, _core.swizzle_span(swizzle) // element_B)
    copies = []
    for corner in itertools.product(*(range(0, n, b) for n, b in zip(shape, box, strict=True))):
        part = lies_el[tuple(slice(at, at + b) for at, b in zip(corner, box, strict=True))]
        begin = int(lies_el[corner])
        wrong = numpy.argwhere(part != begin + in_box)
        if len(wrong):
            first = tuple(int(i) for i in wrong[0])
            _no_copies(tuple(c + i for c, i in zip(corner, first, strict=True)),
                       int(part[first]) * element_B, (begin + int(in_box[first])) * element_B)
        if begin * element_B % _ALIGNED_B:
            raise ValueError(f"no copies of one map fill this layout: the box at {corner} begins "
                             f"{begin * element_B} B behind the tile's beginning, which is no multiple of "
                             f"{_ALIGNED_B} B")
        copies.append(Copy(tuple(corner[at] for at in reversed(order)), begin * element_B))
    return SharedLayout(tuple(shape), bits, tuple(box), tuple(order), swizzle, tuple(copies))
