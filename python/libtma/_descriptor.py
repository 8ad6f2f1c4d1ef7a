# SPDX-License-Identifier: Apache-2.0
"""Tensor maps in cuda.core's words: outermost dimension first, strides in elements."""
from __future__ import annotations

import difflib
import functools
import html
import inspect
import re
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from . import _core, _triton_map
from ._errors import TensorMapError
from ._foreign import bytes_of
from ._picture import Picture

if TYPE_CHECKING:
    from typing import Self

    import numpy as np


TargetLike = _core.Target | str | dict[str, Any] | None


def _as_target(target: TargetLike) -> _core.Target:
    """A target of what every ``target=`` takes."""
    if isinstance(target, str):
        return _core.Target(target)
    if isinstance(target, dict):
        return _core.Target(**target)
    return _core.target() if target is None else target


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
    def from_bytes(cls, data: Any, *, target: TargetLike = None) -> Self:
        """A map that is there already.

        Parameters
        ----------
        data : buffer, str, CUtensorMap or TensorMapDescriptor
            128 bytes; text that says them, as a debugger's dump, a hexadecimal string, a C array or
            a repr; or the object of cuda.bindings, of cuda.core or of this package.
        target : Target, str, dict or None
            The machine that it is judged and copied for.

        Returns
        -------
        TensorMapDescriptor
            With the same 128 bytes, whatever they are, and without a tensor.

        Raises
        ------
        ValueError
            The text says no 128 bytes.
        TypeError
            ``data`` is none of these.
        """
        if isinstance(data, str):
            return cls._from_buffer(_core.read_dump(data.encode()), target)
        found = bytes_of(data)
        if found is None:
            try:
                found = bytes(memoryview(data).cast("B"))
            except TypeError:
                raise TypeError(f"data: 128 bytes, text that says them, or a map of cuda.bindings or "
                                f"cuda.core is wanted, not '{type(data).__name__}'") from None
        return cls._from_buffer(found if len(found) == _core.map_bytes else _core.read_dump(found), target)

    @classmethod
    def from_triton(cls, desc: Any, *, swizzle: Any = None, meta: Mapping[str, Any] | None = None,
                    made: str = "host", target: TargetLike = None) -> Self:
        """The map that Triton's launcher, or a kernel of Triton's, makes of a tensor descriptor, byte
        for byte.

        Parameters
        ----------
        desc : triton.tools.tensor_descriptor.TensorDescriptor, or Gluon's TensorDescriptor or
            TensorDescriptorIm2Col
            Read by its attributes; neither package is imported.
        swizzle : TensorMapSwizzle, str or int, optional
            Instead of the layout's. Triton's compiler chooses one by itself: without it, and
            without ``meta``, the one that it takes where nothing in the kernel asks for another.
        meta : mapping, optional
            The descriptor's entry of ``kernel.metadata.tensordesc_meta``: what the compiler chose.
        made : "host" or "device"
            "device": as a kernel's own ``make_tensor_descriptor``, Triton's or Gluon's, writes it with
            ``tensormap.replace``. Nothing refuses such a map: :meth:`check` says what a driver would.
        target : Target, str or dict, optional
            The machine. ``fp4_padded`` layouts are Blackwell's.

        Raises
        ------
        TensorMapError
            The driver refuses the map.
        ValueError
            Triton refuses the layout, or the strides.
        """
        on = _as_target(target)
        chosen = dict(_triton_map.metadata_of(desc) if meta is None else meta)
        if swizzle is not None:
            chosen["swizzle"] = _core.swizzle_number(swizzle)
        if made != "host":
            return cls._made_on_device(desc, chosen, made, on)
        arguments = _triton_map.arguments_of(desc, chosen)
        data, findings = _core.encode(arguments, on)
        if data is None:
            raise TensorMapError(findings, arguments)
        made = cls._from_buffer(data, on, _core.dtype_name(desc.base.dtype),
                                _triton_map.owner_of(desc))
        if _triton_map.clears_class(desc, arguments, chosen["elem_size"], on):
            made._set_class(_core.CUtensorMapAllocClass.CU_TENSOR_MAP_ALLOC_CLASS_SMALL)
        return made

    @classmethod
    def _made_on_device(cls, desc: Any, meta: Mapping[str, Any], made: str, on: _core.Target) -> Self:
        if made != "device":
            raise ValueError(f"made={made!r}: 'host' or 'device'")
        edited = cls._from_buffer(bytes(_core.map_bytes), on, _core.dtype_name(desc.base.dtype),
                                  _triton_map.owner_of(desc))
        for field, value, ordinal in _triton_map.device_edits(desc, meta):
            edited.replace(field, value, ordinal=ordinal)
        return edited

    @classmethod
    def from_nvmma(cls, tensor: Any, block_shape: Sequence[int], layout: Any, *, padding: str = "zero",
                   round_f32_to_tf32: bool = False, made: str = "host", target: TargetLike = None) -> Self:
        """The map of a whole tensor whose blocks lie in shared memory by Gluon's NVMMASharedLayout.

        Parameters
        ----------
        tensor : tensor or TensorSpec
        block_shape : sequence of int
            Outermost first, in elements: of all CTAs together where the layout has a ``cga_layout``.
        layout : NVMMASharedLayout, or a mapping of its arguments
        padding, round_f32_to_tf32
            As Gluon's TensorDescriptor has them.
        made, target
            As :meth:`from_triton` takes them.
        """
        return cls.from_triton(_triton_map.described(tensor, block_shape, layout, padding, round_f32_to_tf32),
                               made=made, target=target)

    def nvmma_layout(self) -> dict[str, Any]:
        """The arguments of Gluon's NVMMASharedLayout for blocks that this map brings:
        ``NVMMASharedLayout(**desc.nvmma_layout())``. ValueError where Gluon has none."""
        return _triton_map.layout_of(self)

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
        rank = columns.pop("rank")
        arrays = {name: numpy.frombuffer(column, wide.get(name, numpy.uint32))
                  for name, column in columns.items()}
        return arrays | {"coord": arrays["coord"].reshape(-1, rank)}

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
        whole = 1
        for extent in shape:
            whole *= extent
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

    def __copy__(self) -> Self:
        return type(self)._from_buffer(bytes(self), self.target, self._dtype, self.owner)

    def __deepcopy__(self, _memo: dict[int, Any]) -> Self:
        """The tensor stays the same one: another's address would be another map."""
        return self.__copy__()

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


def _spelt(name: str) -> Any:
    """One of the extension module's class methods, which names a keyword that it has not."""
    own: Any = vars(_core.Descriptor)[name].__func__
    said, _doc, defaults = own.__nb_signature__[0]
    arguments_said = re.findall(r"(\w+): [^,=]*(?:= \\(\d+))?", said)
    names = [word for word, _default in arguments_said]
    positional = said[:said.index("*, ")].count(": ")
    parameters = [inspect.Parameter(
        word, inspect.Parameter.POSITIONAL_OR_KEYWORD if at < positional
        else inspect.Parameter.KEYWORD_ONLY,
        default=defaults[int(default)] if default else inspect.Parameter.empty)
        for at, (word, default) in enumerate(arguments_said)]

    @functools.wraps(own)
    def call(*arguments: Any, **named: Any) -> Any:
        try:
            return own(*arguments, **named)
        except TensorMapError as error:
            error.order = tuple(named.get("stride_order") or ())
            raise
        except TypeError:
            for word in named:
                if word not in names:
                    near = difflib.get_close_matches(word, names, 1, 0)[0]
                    raise TypeError(f"{name}(): no argument is called '{word}': '{near}'? It takes "
                                    f"{', '.join(names[1:])}") from None
            raise

    call.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    return classmethod(call)


for _name in ("tiled", "im2col", "im2col_wide"):
    setattr(TensorMapDescriptor, _name, _spelt(_name))
