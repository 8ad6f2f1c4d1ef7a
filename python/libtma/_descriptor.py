# SPDX-License-Identifier: Apache-2.0
"""Tensor maps in cuda.core's words: outermost dimension first, strides in elements."""
from __future__ import annotations

import html
from collections.abc import Iterable, Mapping, Sequence
from copy import copy
from enum import IntEnum
from functools import partial
from typing import TYPE_CHECKING, Any

from . import _core, _pallas_map, _triton_map
from ._copies import Copies, numpy_itself
from ._errors import TensorMapError
from ._foreign import bytes_of
from ._picture import Picture
from ._spelling import face_of, spelt
from ._types import (
    DataTypeLike,
    InterleaveLike,
    L2PromotionLike,
    Made,
    OOBFillLike,
    SwizzleLike,
    TargetLike,
    Tensor,
    WideModeLike,
)

if TYPE_CHECKING:
    import numpy as np
    from typing_extensions import Self

_NO_INTERLEAVE = _core.TensorMapInterleave.NONE
_NO_SWIZZLE, _WIDE_SWIZZLE = _core.TensorMapSwizzle.NONE, _core.TensorMapSwizzle.SWIZZLE_128B
_NO_PROMOTION, _NO_FILL = _core.TensorMapL2Promotion.NONE, _core.TensorMapOOBFill.NONE


def _own(name: str) -> Any:
    """The extension module's function behind one of its class methods."""
    return vars(_core.Descriptor)[name].__func__


def as_target(target: TargetLike) -> _core.Target:
    """A target of what every ``target=`` takes."""
    if isinstance(target, str):
        return _core.Target(target)
    if isinstance(target, dict):
        return _core.Target(**target)
    return _core.target() if target is None else target


class TensorMapDescriptor(Copies):
    """A CUtensorMap: 128 bytes, made by :meth:`tiled`, :meth:`im2col`, :meth:`im2col_wide` or read
    by :meth:`from_bytes`. Equal if the bytes are; mutable through :meth:`replace_address`, so not
    hashable. Keeps the tensor that it was made of alive."""

    def __init__(self, *_given: Any, **_named: Any) -> None:
        raise TypeError(f"{type(self).__name__} is made by {type(self).__name__}.tiled(tensor, box_dim), "
                        ".im2col(...), .im2col_wide(...) or .from_bytes(...), not by calling it")

    @classmethod
    @face_of(_own("_tiled"))
    def tiled(cls, tensor: Tensor, box_dim: Sequence[int] | None = None, *, options: Any = None,
              element_strides: Sequence[int] | None = None, data_type: DataTypeLike = None,
              interleave: InterleaveLike = _NO_INTERLEAVE, swizzle: SwizzleLike = _NO_SWIZZLE,
              l2_promotion: L2PromotionLike = _NO_PROMOTION, oob_fill: OOBFillLike = _NO_FILL,
              stride_order: Sequence[int] | None = None, target: TargetLike = None,
              check: bool = True) -> Self:
        """A tiled map: cuTensorMapEncodeTiled.

        Parameters
        ----------
        tensor : tensor or TensorSpec
            Its address, shape, strides and dtype are read, nothing of its memory.
        box_dim : sequence of int
            The box in elements, one extent for each dimension, outermost first, each 1 to 256.
        options : TensorMapDescriptorOptions or dict, optional
            Instead of ``box_dim`` and what stands below up to ``oob_fill``.
        element_strides : sequence of int, optional
            Every how many elements are copied, outermost first, each 1 to 8. None: all.
        data_type : TensorMapDataType, str or dtype, optional
            Another one than the tensor's: "tf32", "16u4_align16b".
        interleave, swizzle, l2_promotion, oob_fill : member, str or int
            "32B"; "128B"; "256B"; "nan".
        stride_order : sequence of int, optional
            The tensor's dimensions from the innermost on: (1, 0) is row-major.
        target : Target, str or dict, optional
            The machine. None: what :func:`libtma.set_target` said, else sm_90 with driver 13.0.
        check : bool
            False: the map is made although the driver refuses it.

        Raises
        ------
        TensorMapError
            The driver refuses the map; it names every broken rule.
        ValueError, TypeError
            An argument has no meaning.
        """
        raise NotImplementedError

    @classmethod
    @face_of(_own("_im2col"))
    def im2col(cls, tensor: Tensor, pixel_box_lower_corner: Sequence[int],
               pixel_box_upper_corner: Sequence[int], channels_per_pixel: int, pixels_per_column: int,
               *, element_strides: Sequence[int] | None = None, data_type: DataTypeLike = None,
               interleave: InterleaveLike = _NO_INTERLEAVE, swizzle: SwizzleLike = _NO_SWIZZLE,
               l2_promotion: L2PromotionLike = _NO_PROMOTION, oob_fill: OOBFillLike = _NO_FILL,
               stride_order: Sequence[int] | None = None, target: TargetLike = None,
               check: bool = True) -> Self:
        """An im2col map of a tensor of shape (N, ..., W, C): cuTensorMapEncodeIm2col.

        Parameters
        ----------
        tensor : tensor or TensorSpec
            Of 3 to 5 dimensions, channels innermost.
        pixel_box_lower_corner, pixel_box_upper_corner : sequence of int
            In pixels, one for each of D, H, W that the tensor has, outermost first.
        channels_per_pixel : int
            In elements, at most 256.
        pixels_per_column : int
            In pixels, at most 1024.
        element_strides, data_type, interleave, swizzle, l2_promotion, oob_fill, stride_order, target, check
            As :meth:`tiled` takes them.

        Raises
        ------
        TensorMapError, ValueError, TypeError
            As :meth:`tiled`.
        """
        raise NotImplementedError

    @classmethod
    @face_of(_own("_im2col_wide"))
    def im2col_wide(cls, tensor: Tensor, pixel_box_lower_corner_width: int,
                    pixel_box_upper_corner_width: int, channels_per_pixel: int, pixels_per_column: int,
                    *, mode: WideModeLike = _core.TensorMapIm2ColWideMode.W,
                    element_strides: Sequence[int] | None = None, data_type: DataTypeLike = None,
                    interleave: InterleaveLike = _NO_INTERLEAVE, swizzle: SwizzleLike = _WIDE_SWIZZLE,
                    l2_promotion: L2PromotionLike = _NO_PROMOTION, oob_fill: OOBFillLike = _NO_FILL,
                    stride_order: Sequence[int] | None = None, target: TargetLike = None,
                    check: bool = True) -> Self:
        """A map for im2col's wide modes, which walk along W alone: cuTensorMapEncodeIm2colWide.

        Parameters
        ----------
        tensor : tensor or TensorSpec
            Of 3 to 5 dimensions, channels innermost.
        pixel_box_lower_corner_width, pixel_box_upper_corner_width : int
            In pixels along W.
        channels_per_pixel : int
            In elements, at most 256.
        pixels_per_column : int
            In pixels.
        mode : TensorMapIm2ColWideMode, str or int
            "W" or "W128".
        element_strides, data_type, interleave, swizzle, l2_promotion, oob_fill, stride_order, target, check
            As :meth:`tiled` takes them; the swizzle is 128B, without which no wide copy runs.

        Raises
        ------
        TensorMapError, ValueError, TypeError
            As :meth:`tiled`.
        """
        raise NotImplementedError

    @classmethod
    @spelt
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
    @spelt
    def from_triton(cls, desc: Any, *, swizzle: SwizzleLike | None = None,
                    meta: Mapping[str, Any] | None = None, made: Made = "host",
                    target: TargetLike = None) -> Self:
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
        on = as_target(target)
        chosen = dict(_triton_map.metadata_of(desc) if meta is None else meta)
        if swizzle is not None:
            chosen["swizzle"] = _core.swizzle_number(swizzle)
        if made != "host":
            return cls._made_on_device(desc, chosen, made, on)
        arguments = _triton_map.arguments_of(desc, chosen)
        data, findings = _core.encode(arguments, on)
        if data is None:
            raise TensorMapError(findings, arguments)
        encoded = cls._from_buffer(data, on, _core.dtype_name(desc.base.dtype),
                                   _triton_map.owner_of(desc))
        if _triton_map.clears_class(desc, arguments, chosen["elem_size"], on):
            encoded._set_class(_core.CUtensorMapAllocClass.CU_TENSOR_MAP_ALLOC_CLASS_SMALL)
        return encoded

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
    @spelt
    def from_nvmma(cls, tensor: Tensor, block_shape: Sequence[int], layout: Any, *, padding: str = "zero",
                   round_f32_to_tf32: bool = False, made: Made = "host", target: TargetLike = None) -> Self:
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

    @classmethod
    @spelt
    def from_pallas(cls, tensor: Tensor, block_shape: Sequence[int | None], transforms: Iterable[Any] = (),
                    *, collective: int = 1, target: TargetLike = None) -> Self:
        """The map that JAX Pallas (Mosaic GPU) makes for its asynchronous copies of a block, byte for
        byte: a tiled dimension is two of the map's. :func:`libtma.layouts.of_pallas` has a map of the
        tensor's own rank, which fills the same shared memory in several copies.

        Parameters
        ----------
        tensor : tensor or TensorSpec
            Row-major.
        block_shape : sequence of int or None
            In elements, outermost first; None squeezes a dimension.
        transforms : iterable
            ``plgpu.TilingTransform`` and ``plgpu.SwizzleTransform``, read by ``tiling`` and ``swizzle``
            (bytes); JAX is not imported.
        collective : int
            How many CTAs load a block together: each copies its part.
        target : Target, str or dict, optional
            The machine.

        Raises
        ------
        TensorMapError
            The driver refuses the map.
        ValueError
            Pallas refuses the block. Where a block without a swizzle lies in one piece, Pallas copies it
            without a map, which is not said here.
        """
        on = as_target(target)
        facts = _core.tensor_facts(tensor)
        arguments = _pallas_map.arguments_of(facts, block_shape, transforms, collective)
        data, findings = _core.encode(arguments, on)
        if data is None:
            raise TensorMapError(findings, arguments)
        return cls._from_buffer(data, on, _core.dtype_name(facts[3]), tensor)

    def nvmma_layout(self) -> dict[str, Any]:
        """The arguments of Gluon's NVMMASharedLayout for blocks that this map brings.

        Returns
        -------
        dict
            For ``NVMMASharedLayout(**desc.nvmma_layout())``; widths in bytes.

        Raises
        ------
        ValueError
            Gluon has no such layout.
        """
        return _triton_map.layout_of(self)

    # Edits.

    @face_of(_core.Descriptor._replace_address)
    def replace_address(self, tensor: Tensor | int) -> None:
        """cuTensorMapReplaceAddress, in place.

        Parameters
        ----------
        tensor : tensor or int
            Another tensor, which is kept alive then, or an address in bytes.

        Raises
        ------
        TensorMapError
            The driver refuses the address.
        """
        raise NotImplementedError

    @face_of(_core.Descriptor._replace)
    def replace(self, field: str, value: int, *, ordinal: int = 0) -> None:
        """PTX's tensormap.replace, in place. Nothing is checked, as there.

        Parameters
        ----------
        field : str
            "global_address", "rank", "box_dim", "global_dim", "global_stride", "element_stride",
            "elemtype", "interleave_layout", "swizzle_mode", "swizzle_atomicity", "fill_mode", or
            "alloc_class" (PTX's .alloc_small and .alloc_large without a field: 1 and 2).
        value : int
            The instruction's operand: of the rank one less, of strides bytes. What the compiler
            makes of it hangs on ``Target.toolchain``: a new address leaves the allocation class as
            it is up to CUDA 13.4, and makes it small from 13.5 on.
        ordinal : int
            Which entry, innermost first.

        Raises
        ------
        ValueError
            ptxas takes no such instruction.
        """
        raise NotImplementedError

    # What the map says.

    def decode(self) -> dict[str, Any]:
        """The encode call's arguments as the driver counts.

        Returns
        -------
        dict
            Lists innermost first, strides in bytes. Enumerators are members of ``TensorMapSwizzle``
            and its kin, which are integers: the driver's. A number without a name stays one.
        """
        return {name: _member(name, value) for name, value in self._spec.items()}

    @spelt
    def check(self, *, target: TargetLike = None) -> tuple[_core.Finding, ...]:
        """All that the map breaks on a target: none, for most maps that a driver made.

        Parameters
        ----------
        target : Target, str or dict, optional
            None: the map's own.

        Returns
        -------
        tuple of Finding
            Refusals first.
        """
        return tuple(self._findings(target))

    def diff(self, other: TensorMapDescriptor) -> dict[str, tuple[Any, Any]]:
        """The arguments in which two maps differ.

        Parameters
        ----------
        other : TensorMapDescriptor

        Returns
        -------
        dict
            ``{name: (this one's, the other's)}``, as :meth:`decode` has them.
        """
        if not isinstance(other, TensorMapDescriptor):
            raise TypeError(f"other: a TensorMapDescriptor is wanted, not '{type(other).__name__}': "
                            "TensorMapDescriptor.from_bytes() makes one of bytes or text")
        mine, theirs = self.decode(), other.decode()
        return {name: (mine.get(name), theirs.get(name)) for name in mine | theirs
                if mine.get(name) != theirs.get(name)}

    def to_c(self) -> str:
        """The 128 bytes in C.

        Returns
        -------
        str
            An initialiser of 16 words, which :meth:`from_bytes` reads.
        """
        return _core.map_form(self, "c")

    def to_json(self) -> str:
        """The map as JSON.

        Returns
        -------
        str
            In the words of ``tma decode --json``.
        """
        return _core.json(self)

    def as_numpy(self) -> np.void:
        """The 128 bytes for CuPy's RawKernel, which takes them by value.

        Returns
        -------
        numpy.void
            A scalar of 128 bytes.
        """
        numpy = numpy_itself()
        one: np.void = numpy.frombuffer(bytes(self), dtype=numpy.dtype((numpy.void, _core.map_bytes)))[0]
        return one

    # Pictures.

    @spelt
    def draw(self, picture: str = "copy", offsets: Sequence[int] | None = None, *,
             op: str = "load", mode: str | None = None,
             im2col_offsets: Sequence[int] | None = None, shared_address: int = 0,
             label: str = "number", color_by: str = "chunk", lines: int = 0) -> Picture:
        """A picture of the map, or of one copy.

        Parameters
        ----------
        picture : str
            copy, box, im2col, gather, swizzle, banks, cost, packed or bytes.
        offsets, op, mode, im2col_offsets, shared_address
            The copy, as :meth:`plan` takes it. None: at the tensor's beginning.
        label, color_by : str
            What is written in cells, and what their colour stands for: ``tma draw --help``.
        lines : int
            Rows of shared memory that are drawn. 0: as many as fit.

        Returns
        -------
        Picture
            SVG, which a notebook shows; :meth:`Picture.save` writes .png, too.
        """
        draw = partial(_core.draw, copy(self), picture, op, mode, copy(offsets), True, copy(im2col_offsets),
                       shared_address, _core.draw_label(label), _core.draw_color(color_by), 0, lines)
        return Picture(draw, f"<Picture {picture} of {self!r}>")

    @spelt
    def link(self, picture: str = "copy", offsets: Sequence[int] | None = None, *,
             op: str = "load", mode: str | None = None,
             im2col_offsets: Sequence[int] | None = None, shared_address: int = 0,
             page: str | None = None) -> str:
        """The address of the page with that picture, to look at and to change.

        Parameters
        ----------
        picture, offsets, op, mode, im2col_offsets, shared_address
            As :meth:`draw` takes them.
        page : str, optional
            Where the page was published. None: the file in this package.

        Returns
        -------
        str
        """
        from .page import url  # not before: `python -m libtma.page` runs it
        return url(_core.draw_command(self, picture, op, mode, offsets, True, im2col_offsets,
                                      shared_address), page=page)

    # Python's own.

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
    named = _member(argument, value)
    return named.name if isinstance(named, IntEnum) else str(value)


def _member(argument: str, value: Any) -> Any:
    """The enumerator of an argument's number, where it has one."""
    try:
        return _FAMILIES[argument](value)
    except (KeyError, ValueError):
        return value


def _unpickled(cls: type[TensorMapDescriptor], data: bytes, target: _core.Target,
               dtype: str) -> TensorMapDescriptor:
    return cls._from_buffer(data, target, dtype)


def as_tensor_map(tensor: Tensor, box_dim: Sequence[int] | None = None,
                  **how: Any) -> TensorMapDescriptor:
    """cuda.core's ``StridedMemoryView.as_tensor_map``, as a function.

    Parameters
    ----------
    tensor, box_dim, **how
        As :meth:`TensorMapDescriptor.tiled` takes them.

    Returns
    -------
    TensorMapDescriptor
    """
    return TensorMapDescriptor.tiled(tensor, box_dim, **how)
