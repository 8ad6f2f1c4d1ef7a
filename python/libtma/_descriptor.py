# SPDX-License-Identifier: Apache-2.0
"""Tensor maps in cuda.core's words: outermost dimension first, strides in elements."""
from __future__ import annotations

import html
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from . import _core
from ._picture import Picture
from ._tensor import TensorSpec

if TYPE_CHECKING:
    from typing import Self

    import numpy as np


def _numpy() -> Any:
    try:
        import numpy
    except ImportError as error:
        raise ImportError("arrays are returned as NumPy's: install numpy, or pass out=") from error
    return numpy


class TensorMapDescriptor(_core.Descriptor):
    """A CUtensorMap: 128 bytes, made by :meth:`tiled`, :meth:`im2col`, :meth:`im2col_wide` or read
    by :meth:`from_bytes`. Equal if the bytes are; mutable through :meth:`replace_address`, so not
    hashable. Keeps the tensor that it was made of alive."""

    @classmethod
    def from_bytes(cls, data: Any, *, target: _core.Target | None = None) -> Self:
        """128 bytes, or text that says them: a debugger's dump, a hex string, a C array, a repr."""
        if isinstance(data, str):
            data = _core.read_dump(data.encode())
        else:
            data = bytes(memoryview(data).cast("B"))
            if len(data) != _core.map_bytes:
                data = _core.read_dump(data)
        return cls._from_buffer(data, target)

    @classmethod
    def from_triton(cls, desc: Any, *, swizzle: Any = None,
                    target: _core.Target | None = None) -> Self:
        """The map of a Triton or Gluon ``TensorDescriptor`` (by its attributes; neither package is
        imported). The swizzle is Gluon's layout's, or the argument; Triton's compiler chooses one
        by itself."""
        layout = getattr(desc, "layout", None)
        width = getattr(layout, "swizzle_byte_width", None)
        if swizzle is None and width:
            swizzle = f"{width}B"
        base = desc.base
        tensor = TensorSpec(tuple(desc.shape), base.dtype, tuple(desc.strides), base.data_ptr())
        fill = "nan" if getattr(desc, "padding", "zero") == "nan" else None
        return cls.tiled(tensor, tuple(desc.block_shape), swizzle=swizzle, oob_fill=fill,
                         target=target)

    # What the map says.

    @property
    def data_type(self) -> _core.TensorMapDataType:
        return _core.TensorMapDataType(self._spec["data_type"])

    @property
    def swizzle(self) -> _core.TensorMapSwizzle:
        return _core.TensorMapSwizzle(self._spec["swizzle"])

    @property
    def element_strides(self) -> tuple[int, ...]:
        return tuple(reversed(self._spec["element_strides"]))

    def decode(self) -> dict[str, Any]:
        """The encode call's arguments as the driver counts: innermost first, strides in bytes."""
        return dict(self._spec)

    def check(self, *, target: _core.Target | None = None) -> tuple[_core.Finding, ...]:
        """All that the map breaks on a target: none, for most maps that a driver made."""
        return tuple(self._findings(target))

    def diff(self, other: TensorMapDescriptor) -> dict[str, tuple[Any, Any]]:
        """The arguments in which two maps differ: {name: (this one's, the other's)}."""
        mine, theirs = self.decode(), other.decode()
        return {name: (mine.get(name), theirs.get(name)) for name in mine | theirs
                if mine.get(name) != theirs.get(name)}

    def to_c(self) -> str:
        """A C initialiser of the 128 bytes."""
        return _core.map_form(self, "c")

    def to_json(self) -> str:
        return _core.json(self)

    def as_numpy(self) -> np.void:
        """The 128 bytes as a NumPy scalar: what CuPy's RawKernel takes by value."""
        numpy = _numpy()
        return numpy.frombuffer(bytes(self), dtype=numpy.dtype((numpy.void, len(bytes(self)))))[0]

    # Copies.

    def gather4(self, rows: Sequence[int], column: int, **how: Any) -> Any:
        """Four rows, from one column on (tile::gather4)."""
        return self.load([*reversed(rows), column], mode="tile::gather4", **how)

    def scatter4(self, rows: Sequence[int], column: int, tile: Any, **how: Any) -> None:
        """Stores a tile's four rows (tile::scatter4)."""
        self.store([*reversed(rows), column], tile, mode="tile::scatter4", **how)

    def plan(self, offsets: Sequence[int], *, op: str = "load", mode: str | None = None,
             im2col_offsets: Sequence[int] | None = None, shared_address: int = 0
             ) -> dict[str, int]:
        """What one copy moves, in bytes, rows, sectors and lines, without moving it. Raises
        :class:`TensorMapTrap` for one that kills the kernel."""
        return _core.report(self, op, mode, offsets, True, im2col_offsets, shared_address)

    def prefetch(self, offsets: Sequence[int], *, mode: str | None = None,
                 im2col_offsets: Sequence[int] | None = None) -> dict[str, int]:
        """What one prefetch into the L2 brings there; moves nothing. Raises as :meth:`plan`."""
        return self.plan(offsets, op="prefetch", mode=mode, im2col_offsets=im2col_offsets)

    def walk(self, offsets: Sequence[int], *, op: str = "load", mode: str | None = None,
             im2col_offsets: Sequence[int] | None = None, shared_address: int = 0
             ) -> dict[str, np.ndarray]:
        """Every run of bytes of one copy in the hardware's order, as columns of equal length."""
        numpy = _numpy()
        columns = _core.walk(self, op, mode, offsets, True, im2col_offsets, shared_address)
        wide = {"address": numpy.uint64, "coord": numpy.int64}
        return {name: numpy.array(column, dtype=wide.get(name, numpy.uint32))
                for name, column in columns.items()}

    # Pictures.

    def draw(self, picture: str = "copy", offsets: Sequence[int] | None = None, *,
             op: str = "load", mode: str | None = None,
             im2col_offsets: Sequence[int] | None = None, shared_address: int = 0,
             label: str = "number", color_by: str = "chunk", lines: int = 0) -> Picture:
        """A picture of the map, or of one copy: copy, box, im2col, gather, swizzle, banks, cost,
        packed, bytes."""
        svg = _core.draw(self, picture, op, mode, offsets, True, im2col_offsets, shared_address,
                         _core.draw_label(label), _core.draw_color(color_by), 0, lines)
        return Picture(svg, f"<Picture {picture} of {self!r}>")

    def link(self, picture: str = "copy", offsets: Sequence[int] | None = None, *,
             op: str = "load", mode: str | None = None,
             im2col_offsets: Sequence[int] | None = None, shared_address: int = 0,
             page: str | None = None) -> str:
        """The address of the page with that picture, to look at and to change: of the file in this
        package, or of a ``page`` that was published."""
        from .page import url  # not before: `python -m libtma.page` runs it
        return url(_core.draw_command(self, picture, op, mode, offsets, True, im2col_offsets,
                                      shared_address), page=page)

    # Python's own.

    def _tile(self, offsets: Sequence[int], mode: str | None,
              im2col_offsets: Sequence[int] | None, raw: bool, shared_address: int) -> Any:
        numpy = _numpy()
        moved = self.plan(offsets, mode=mode, im2col_offsets=im2col_offsets,
                          shared_address=shared_address)
        if raw:
            return numpy.zeros(moved["footprint_B"], numpy.uint8)
        dtype = self._numpy_dtype()
        shape = self._tile_shape(mode)
        flat = numpy.zeros(moved["tile_B"], numpy.uint8)
        whole = 1
        for extent in shape:
            whole *= extent
        if dtype is None or whole * dtype.itemsize != flat.size:
            return flat.reshape(moved["rows"], -1) if moved["rows"] else flat
        return flat.view(dtype).reshape(shape)

    def _tile_shape(self, mode: str | None) -> tuple[int, ...]:
        if mode in ("tile::gather4", "tile::scatter4", "gather4", "scatter4"):
            return (4, self.box_dim[-1])
        if len(self.box_dim) != self.rank:
            return tuple(self.box_dim)
        steps = zip(self.box_dim, self.element_strides, strict=True)
        counts = [-(-box // stride) for box, stride in steps]
        return (*counts[:-1], self.box_dim[-1])

    def _numpy_dtype(self) -> Any:
        """The tensor's own dtype where NumPy has it (ml_dtypes adds names), else the map's bits."""
        numpy = _numpy()
        for name in (self._dtype, self.data_type.name.lower()):
            try:
                return numpy.dtype(name)
            except (TypeError, ValueError):
                pass
            try:
                import ml_dtypes
                return numpy.dtype(getattr(ml_dtypes, name))
            except (ImportError, AttributeError, TypeError):
                pass
        return None

    def __repr__(self) -> str:
        return f"<TensorMapDescriptor{_core.spec_words(self)}>"

    def __reduce__(self) -> tuple[Any, ...]:
        return (_unpickled, (type(self), bytes(self), self.target, self._dtype))

    def _repr_html_(self) -> str:
        rows = "".join(
            f"<tr><th style='text-align:left'>{html.escape(name)}</th>"
            f"<td style='text-align:left'><code>{html.escape(_word(name, value))}</code></td></tr>"
            for name, value in self.decode().items())
        findings = self.check()
        said = "".join(f"<li><b>{html.escape(f.rule)}</b> ({html.escape(f.severity)}): "
                       f"{html.escape(str(f))}</li>" for f in findings)
        verdict = f"<ul>{said}</ul>" if findings else "<p>No rule is broken.</p>"
        return f"<table>{rows}</table>{verdict}"


_FAMILIES = {
    "data_type": _core.TensorMapDataType, "interleave": _core.TensorMapInterleave,
    "swizzle": _core.TensorMapSwizzle, "l2_promotion": _core.TensorMapL2Promotion,
    "oob_fill": _core.TensorMapOOBFill, "mode": _core.TensorMapIm2ColWideMode,
}


def _word(argument: str, value: Any) -> str:
    """One argument of the encode call, in words where it is a number that has a name."""
    if argument == "api":
        return next(name for name in ("tiled", "im2col", "wide") if _core.api(name) == value)
    try:
        return _FAMILIES[argument](value).name
    except (KeyError, ValueError):  # a number without a name
        return str(value)


def _unpickled(cls: type[TensorMapDescriptor], data: bytes, target: _core.Target,
               dtype: str) -> TensorMapDescriptor:
    return cls._from_buffer(data, target, dtype)


def as_tensor_map(tensor: Any, box_dim: Sequence[int] | None = None,
                  **how: Any) -> TensorMapDescriptor:
    """cuda.core's ``StridedMemoryView.as_tensor_map``, as a function."""
    return TensorMapDescriptor.tiled(tensor, box_dim, **how)
