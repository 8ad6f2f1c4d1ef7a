# SPDX-License-Identifier: Apache-2.0
"""Copies of one map on the CPU."""
from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, TypeVar, overload

from . import _core
from ._spelling import face_of, spelt
from ._types import MemoryLike, Tensor

if TYPE_CHECKING:
    import numpy.typing as npt

Out = TypeVar("Out")


def numpy_itself() -> Any:
    try:
        import numpy
    except ImportError as error:
        raise ImportError("arrays are returned as NumPy's: install numpy, or pass out=") from error
    return numpy


def _four(rows: Sequence[int]) -> list[int]:
    if not isinstance(rows, Sequence) and not hasattr(rows, "__len__"):
        raise TypeError(f"rows: a sequence of 4 integers is wanted, not {rows!r}: the rows come first, "
                        "and then the column")
    if len(rows) != 4:
        raise ValueError(f"rows has {len(rows)} entries; gather4 and scatter4 take 4")
    return list(reversed(rows))


class Copies(_core.Descriptor):
    """The copies of a :class:`libtma.TensorMapDescriptor`."""

    @overload
    def load(self, offsets: Sequence[int], *, memory: MemoryLike = None, mode: str | None = None,
             im2col_offsets: Sequence[int] | None = None, shared_address: int = 0, out: None = None,
             raw: bool = False) -> npt.NDArray[Any]: ...

    @overload
    def load(self, offsets: Sequence[int], *, memory: MemoryLike = None, mode: str | None = None,
             im2col_offsets: Sequence[int] | None = None, shared_address: int = 0, out: Out,
             raw: bool = False) -> Out: ...

    @face_of(_core.Descriptor._load)
    def load(self, offsets: Sequence[int], *, memory: MemoryLike = None, mode: str | None = None,
             im2col_offsets: Sequence[int] | None = None, shared_address: int = 0, out: Any = None,
             raw: bool = False) -> Any:
        """One load: the tile at these offsets, as ``desc.load([m, n])`` in Triton.

        Parameters
        ----------
        offsets : sequence of int
            The tile's corner in elements, one for each dimension, outermost first, each of 32 bits
            with a sign. Of an im2col map: the first pixel and the first channel.
        memory : Memory or dict, optional
            ``{device address: buffer}``: which bytes stand for the map's addresses. Without it the
            tensor that the map was made of is read.
        mode : str, optional
            "tile", "tile::gather4", "im2col", "im2col::w", "im2col::w::128". None: the map's own.
        im2col_offsets : sequence of int, optional
            The instruction's im2col offsets in pixels (of the wide modes: wHalo, wOffset), outermost
            first, 16 bits each.
        shared_address : int
            Where the tile begins in shared memory, in bytes; it counts with ``raw`` alone.
        out : contiguous tensor in host memory, optional
            Takes the tile: of the box's shape and the map's element type; with ``raw`` bytes.
        raw : bool
            The bytes as they lie in shared memory, swizzled and padded, not the tile in its order.

        Returns
        -------
        out, or numpy.ndarray
            Of the box's shape. Elements outside of the tensor are the map's fill.

        Raises
        ------
        TensorMapTrap
            The copy kills the kernel.
        TensorMapInstructionError
            The target has no such instruction.
        TensorMapMemoryError
            The copy leaves the memory that it was given. In all three cases no byte has moved.
        """
        raise NotImplementedError

    @face_of(_core.Descriptor._store)
    def store(self, offsets: Sequence[int], tile: Tensor, *, memory: MemoryLike = None,
              mode: str | None = None, shared_address: int = 0, raw: bool = False) -> None:
        """One store of a tile. Bytes behind a row's end are written as the hardware writes them: up
        to the next multiple of 16 bytes.

        Parameters
        ----------
        offsets : sequence of int
            The tile's corner in elements, one for each dimension, outermost first.
        tile : contiguous tensor in host memory
            Of the box's shape and the map's element type; with ``raw`` bytes.
        memory, mode, shared_address, raw
            As :meth:`load` takes them. ``mode`` may be "tile::scatter4".

        Raises
        ------
        TensorMapTrap, TensorMapInstructionError, TensorMapMemoryError
            As :meth:`load`; no byte has moved.
        """
        raise NotImplementedError

    @face_of(_core.Descriptor._reduce)
    def reduce(self, offsets: Sequence[int], tile: Tensor, op: str, *, memory: MemoryLike = None,
               mode: str | None = None, shared_address: int = 0, raw: bool = False) -> None:
        """One reduction: global = global op tile, in the hardware's rounding.

        Parameters
        ----------
        offsets, tile, memory, mode, shared_address, raw
            As :meth:`store` takes them.
        op : str
            "add", "min", "max", "inc", "dec", "and", "or" or "xor".

        Raises
        ------
        TensorMapTrap
            The element type has no such reduction, or as :meth:`store`.
        """
        raise NotImplementedError

    @spelt
    def gather4(self, rows: Sequence[int], column: int, *, memory: MemoryLike = None,
                shared_address: int = 0, out: Any = None, raw: bool = False) -> Any:
        """Four rows of a matrix, from one column on (tile::gather4).

        Parameters
        ----------
        rows : sequence of 4 int
            In elements of the outer dimension; rows outside of the tensor are the fill.
        column : int
            The first element of each row.
        memory, shared_address, out, raw
            As :meth:`load` takes them.

        Returns
        -------
        out, or numpy.ndarray of shape (4, box_dim[1])
        """
        return self.load([*_four(rows), column], mode="tile::gather4", memory=memory,
                         shared_address=shared_address, out=out, raw=raw)

    @spelt
    def scatter4(self, rows: Sequence[int], column: int, tile: Tensor, *, memory: MemoryLike = None,
                 shared_address: int = 0, raw: bool = False) -> None:
        """Stores a tile's four rows (tile::scatter4).

        Parameters
        ----------
        rows : sequence of 4 int
            In elements of the outer dimension.
        column : int
            The first element of each row.
        tile : contiguous tensor in host memory, of shape (4, box_dim[1])
        memory, shared_address, raw
            As :meth:`store` takes them.
        """
        self.store([*_four(rows), column], tile, mode="tile::scatter4", memory=memory,
                   shared_address=shared_address, raw=raw)

    @spelt
    def plan(self, offsets: Sequence[int], *, op: str = "load", mode: str | None = None,
             im2col_offsets: Sequence[int] | None = None, shared_address: int = 0
             ) -> dict[str, int]:
        """What one copy moves, without moving it.

        Parameters
        ----------
        offsets, mode, im2col_offsets, shared_address
            As :meth:`load` takes them.
        op : str
            "load", "store", "prefetch", or a reduction as :meth:`reduce` has it.

        Returns
        -------
        dict
            Bytes (names that end in ``_B``), rows, sectors of 32 B and lines of 128 B.

        Raises
        ------
        TensorMapTrap, TensorMapInstructionError
            As :meth:`load`.
        """
        return _core.report(self, op, mode, offsets, True, im2col_offsets, shared_address, True)

    @spelt
    def prefetch(self, offsets: Sequence[int], *, mode: str | None = None,
                 im2col_offsets: Sequence[int] | None = None) -> dict[str, int]:
        """What one prefetch into the L2 brings there; moves nothing.

        Parameters
        ----------
        offsets, mode, im2col_offsets
            As :meth:`load` takes them.

        Returns
        -------
        dict
            As :meth:`plan`.
        """
        return self.plan(offsets, op="prefetch", mode=mode, im2col_offsets=im2col_offsets)

    @spelt
    def walk(self, offsets: Sequence[int], *, op: str = "load", mode: str | None = None,
             im2col_offsets: Sequence[int] | None = None, shared_address: int = 0
             ) -> dict[str, npt.NDArray[Any]]:
        """Every run of bytes of one copy in the hardware's order.

        Parameters
        ----------
        offsets, op, mode, im2col_offsets, shared_address
            As :meth:`plan` takes them.

        Returns
        -------
        dict of numpy.ndarray
            Columns of equal length, one entry a run: ``kind``, ``row``, ``address`` and
            ``shared_address`` and ``length_bytes`` in bytes, ``coord`` of shape (runs, rank),
            innermost first.
        """
        numpy = numpy_itself()
        columns = _core.walk(self, op, mode, offsets, True, im2col_offsets, shared_address)
        wide = {"address": numpy.uint64, "coord": numpy.int64}
        rank = columns.pop("rank")
        arrays = {name: numpy.frombuffer(column, wide.get(name, numpy.uint32))
                  for name, column in columns.items()}
        return arrays | {"coord": arrays["coord"].reshape(-1, rank)}

    # What the map says, and what a load without out= fills.

    @property
    def data_type(self) -> _core.TensorMapDataType:
        """The element type."""
        return _core.TensorMapDataType(self._spec["data_type"])

    @property
    def swizzle(self) -> _core.TensorMapSwizzle:
        """How 16-byte chunks are exchanged in shared memory."""
        return _core.TensorMapSwizzle(self._spec["swizzle"])

    @property
    def element_strides(self) -> tuple[int, ...]:
        """Every how many elements of each dimension are copied, outermost first."""
        return tuple(reversed(self._spec["element_strides"]))

    def _tile(self, offsets: Sequence[int], mode: str | None,
              im2col_offsets: Sequence[int] | None, raw: bool, shared_address: int) -> Any:
        numpy = numpy_itself()
        moved = _core.report(self, "load", mode, offsets, True, im2col_offsets, shared_address)
        if raw:
            return numpy.zeros(moved["footprint_B"], numpy.uint8)
        dtype = self._numpy_dtype()
        shape = self._tile_shape(mode)
        whole = 1
        for extent in shape:
            whole *= extent
        size_B, rest = divmod(moved["tile_B"], whole or 1)
        if dtype is None and not rest and size_B in (1, 2, 4, 8):
            dtype = numpy.dtype(f"uint{8 * size_B}")  # the bits
        if dtype is None or whole * dtype.itemsize != moved["tile_B"]:
            flat = numpy.zeros(moved["tile_B"], numpy.uint8)
            return flat.reshape(moved["rows"], -1) if moved["rows"] else flat
        if mode is None and set(self.element_strides) == {1}:
            self._remember_tile(numpy.empty, (shape, dtype))  # a load writes all of it
        return numpy.zeros(shape, dtype)

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
        numpy = numpy_itself()
        map_type = self.data_type.name.lower()
        for name in (self._dtype, "float32" if "float32" in map_type else map_type):
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
