# SPDX-License-Identifier: Apache-2.0
"""Triton's interpreter as an H200: what a kernel does with tensor descriptors, bit for bit.

:func:`install` puts this library behind the interpreter's descriptor operations (TRITON_INTERPRET=1;
host-side and device-side descriptors; load, store, gather, scatter and the atomics). Then a store
writes whole units of 16 bytes, behind a row's end too, as the hardware does; padding has the
hardware's NaN; TF32 is rounded as there; and what would kill the kernel, or what the driver would
refuse, is a :class:`TensorMapTrap` or a :class:`TensorMapError` that names the rule, the map, the
coordinates and the kernel's line. Triton is imported by :func:`install`, not before.
"""
from __future__ import annotations

import atexit
import bisect
import ctypes
import functools
import importlib
import itertools
import linecache
import os
import sys
from collections.abc import Callable, Iterable, Iterator
from typing import Any

import numpy as np

from . import _core
from ._descriptor import TensorMapDescriptor, as_target
from ._errors import TensorMapCopyError, TensorMapError
from ._tensor import TensorSpec
from ._triton_driver import Emulation, as_array, emulate
from ._types import TargetLike

__all__ = ["Emulation", "Installation", "as_array", "emulate", "install", "installed", "uninstall"]

_OURS = (TensorMapError, TensorMapCopyError)
_UNIT_B = _core.store_unit_bytes


class _Memory:
    """The host bytes of one launch's tensors. Behind each there is room up to a whole unit, as
    behind every allocation of CUDA: a store that writes there hurts nobody."""

    def __init__(self, ranges: Iterable[tuple[int, int]]) -> None:
        self.starts: list[int] = []
        self.ends: list[int] = []
        for start, end in sorted(ranges):
            if self.ends and start < self.ends[-1]:  # views of one storage
                self.ends[-1] = max(self.ends[-1], end)
            elif start < end:
                self.starts.append(start)
                self.ends.append(end)
        self.memory = _core.Memory()
        for start, end, follows in zip(self.starts, self.ends, [*self.starts[1:], None], strict=False):
            self.memory.map(start, (ctypes.c_char * (end - start)).from_address(start))
            tail = -end % _UNIT_B if follows is None else min(-end % _UNIT_B, follows - end)
            if tail:
                self.memory.map(end, bytearray(tail))

    def holds(self, address: int) -> bool:
        at = bisect.bisect_right(self.starts, address) - 1
        return at >= 0 and address < self.ends[at]


def _storages(arguments: Iterable[Any]) -> Iterator[tuple[int, int]]:
    """Where the tensors among a kernel's arguments lie, whole storages."""
    for argument in arguments:
        if isinstance(argument, tuple):
            yield from _storages(argument)
            continue
        tensor = getattr(argument, "base", argument)  # of a TensorDescriptor, a TensorWrapper
        if hasattr(tensor, "untyped_storage"):
            storage = tensor.untyped_storage()
            yield storage.data_ptr(), storage.data_ptr() + storage.nbytes()


def _number(handle: Any) -> int:
    return int(np.asarray(handle.data).item())


def _operand(coordinate: int) -> int:
    """A coordinate as the instruction has it: 32 bits, signed."""
    return (coordinate + 2**31) % 2**32 - 2**31


class _Block:
    """A descriptor of the interpreter as a tensor map, and a block as the boxes that it takes."""

    def __init__(self, installation: Installation, handle: Any) -> None:
        element = handle.base.dtype.element_ty
        self.dtype, type_name = installation._numpy_type(element)
        self.shape = tuple(int(n) for n in handle.block_shape)
        strides = [_number(n) for n in handle.strides]
        shape = [_number(n) for n in handle.shape]
        base = _number(handle.base)
        rounded = getattr(handle, "round_f32_to_tf32", False) and self.dtype == np.float32
        self.box = tuple(min(n, _core.max_box_elements) for n in self.shape)
        self.map = TensorMapDescriptor.tiled(
            TensorSpec(tuple(shape), type_name, tuple(strides), base),
            self.box, data_type="tf32" if rounded else None,
            oob_fill="nan" if handle.padding == installation.nan else "none",
            target=installation.target)
        memory = installation.memory
        if memory is None or not memory.holds(base):  # an address that the kernel made itself
            extent = 1 + sum((n - 1) * step for n, step in zip(shape, strides, strict=True))
            memory = _Memory([(base, base + extent * self.dtype.itemsize)])
        self.memory = memory.memory

    def pieces(self, shape: tuple[int, ...]) -> Iterator[tuple[tuple[int, ...], tuple[slice, ...]]]:
        """Where each box of a block of this shape begins, and the part of the block that it is."""
        steps = [range(0, n, box) for n, box in zip(shape, self.box, strict=True)]
        for start in itertools.product(*steps):
            yield start, tuple(slice(at, at + box) for at, box in zip(start, self.box, strict=True))

    def load(self, offsets: list[int]) -> np.ndarray:
        out = np.empty(self.shape, self.dtype)
        if self.shape == self.box:
            self.map.load(offsets, out=out, memory=self.memory)
            return out
        part = np.empty(self.box, self.dtype)
        for start, where in self.pieces(self.shape):
            self.map.load(_moved(offsets, start), out=part, memory=self.memory)
            out[where] = part
        return out

    def store(self, offsets: list[int], value: Any, op: str | None = None) -> None:
        tile = self._tile(value, self.shape)
        for start, where in self.pieces(self.shape):
            at, part = _moved(offsets, start), np.ascontiguousarray(tile[where])
            if op:
                self.map.reduce(at, part, op, memory=self.memory)
            else:
                self.map.store(at, part, memory=self.memory)

    def gather(self, rows: np.ndarray, column: int) -> np.ndarray:
        out = np.empty((len(rows), self.shape[1]), self.dtype)
        part = np.empty((4, self.box[1]), self.dtype)
        for start, where in self._fours(out.shape):
            self.map.gather4(rows[start[0]:start[0] + 4].tolist(), _operand(column + start[1]),
                             out=part, memory=self.memory)
            out[where] = part
        return out

    def scatter(self, rows: np.ndarray, column: int, value: Any) -> None:
        tile = self._tile(value, (len(rows), self.shape[1]))
        for start, where in self._fours(tile.shape):
            self.map.scatter4(rows[start[0]:start[0] + 4].tolist(), _operand(column + start[1]),
                              np.ascontiguousarray(tile[where]), memory=self.memory)

    def _fours(self, shape: tuple[int, ...]
               ) -> Iterator[tuple[tuple[int, int], tuple[slice, slice]]]:
        for row in range(0, shape[0], 4):
            for column in range(0, shape[1], self.box[1]):
                yield (row, column), (slice(row, row + 4), slice(column, column + self.box[1]))

    def _tile(self, value: Any, shape: tuple[int, ...]) -> np.ndarray:
        return np.broadcast_to(np.asarray(value.data).astype(self.dtype, copy=False), shape)


def _moved(offsets: list[int], start: tuple[int, ...]) -> list[int]:
    return [_operand(offset + by) for offset, by in zip(offsets, start, strict=True)]


def _kernel_line(packages: tuple[str, ...]) -> str:
    """The innermost line that runs which is neither Triton's nor ours: the kernel's."""
    frame: Any = sys._getframe(1)
    while frame is not None and frame.f_code.co_filename.startswith(packages):
        frame = frame.f_back
    if frame is None:
        return ""
    name, line = frame.f_code.co_filename, frame.f_lineno
    source = linecache.getline(name, line).strip()
    return f"{name}:{line} in {frame.f_code.co_name}" + (f": {source}" if source else "")


class Installation:
    """What :func:`install` put behind the interpreter. As a context manager it is taken back at the
    end; :meth:`remove` does so too.

    Parameters
    ----------
    target : Target or None
        The machine; None: :func:`libtma.set_target`'s, else an H200.
    """

    def __init__(self, target: _core.Target | None) -> None:
        ir = importlib.import_module("triton._C.libtriton").ir  # Triton has no types to read
        bfloat16 = importlib.import_module("triton.language").bfloat16
        interpreter: Any = importlib.import_module("triton.runtime.interpreter")

        self.target = target
        self.memory: _Memory | None = None
        self.nan = ir.PADDING_OPTION.PAD_NAN
        self._interpreter = interpreter
        self._types: dict[str, tuple[np.dtype, str]] = {}
        self._bfloat16 = bfloat16
        self._before: list[tuple[Any, str, Any]] = []
        package = os.path.dirname(os.path.dirname(os.path.abspath(interpreter.__file__)))
        self._packages = (package + os.sep, os.path.dirname(os.path.abspath(__file__)) + os.sep)

    def _numpy_type(self, element: Any) -> tuple[np.dtype, str]:
        """What NumPy and this library call Triton's element type; its 8-bit floats are bytes."""
        known = self._types.get(element.name)
        if known is None:
            dtype = self._interpreter._get_np_dtype(element)
            known = dtype, "bfloat16" if element == self._bfloat16 else dtype.name
            self._types[element.name] = known
        return known

    def __enter__(self) -> Installation:
        return self

    def __exit__(self, *raised: object) -> None:
        self.remove()

    def remove(self) -> None:
        """Gives the interpreter its own operations back."""
        global _installed
        while self._before:
            holder, name, before = self._before.pop()
            if before is None:
                delattr(holder, name)
            else:
                setattr(holder, name, before)
        if _installed is self:
            _installed = None
        self.target = self.memory = None  # who keeps this object keeps nothing of the extension module

    def _put(self, holder: Any, name: str, value: Any) -> None:
        self._before.append((holder, name, vars(holder).get(name)))
        setattr(holder, name, value)

    def _block(self, handle: Any) -> _Block:
        rounded = getattr(handle, "round_f32_to_tf32", False)
        known = getattr(handle, "_libtma", None)
        if known is None or known[0] != rounded:
            known = handle._libtma = (rounded, _Block(self, handle))
        return known[1]

    def _operation(self, run: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(run)
        def in_kernel(_builder: Any, *arguments: Any, **named: Any) -> Any:
            try:
                return run(*arguments, **named)
            except _OURS as error:
                error.where = error.where or _kernel_line(self._packages)
                raise
        return in_kernel

    def _launch(self, own: Callable[..., Any]) -> Callable[..., Any]:
        """A launch whose exceptions are ours, not words in an InterpreterError."""
        @functools.wraps(own)
        def launch(*arguments: Any, **named: Any) -> Any:
            try:
                return own(*arguments, **named)
            except self._interpreter.InterpreterError as error:
                cause: BaseException | None = error
                while cause is not None and not isinstance(cause, _OURS):
                    cause = cause.__cause__
                if cause is None:
                    raise
                raise cause from None
            finally:
                self.memory = None
        return launch

    def _to_host(self, own: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(own)
        def to_host(executor: Any, positional: Any, named: Any) -> Any:
            arguments = own(executor, positional, named)
            self.memory = _Memory(_storages([*arguments[0], *arguments[1].values()]))
            return arguments
        return to_host

    def _convert(self, own: Callable[[Any], Any]) -> Callable[[Any], Any]:
        """Triton 3.8 forgets that a host's descriptor rounds."""
        @functools.wraps(own)
        def convert(argument: Any) -> Any:
            made = own(argument)
            if getattr(argument, "round_f32_to_tf32", None) is True and hasattr(made, "handle"):
                made.handle.round_f32_to_tf32 = True
            return made
        return convert

    def _native(self, own: Callable[..., bool]) -> Callable[..., bool]:
        """The interpreter would ask a GPU what it is."""
        @functools.wraps(own)
        def native(semantic: Any) -> bool:
            return isinstance(semantic.builder, self._interpreter.InterpreterBuilder) or own(semantic)
        return native

    def _install(self) -> None:
        builder = self._interpreter.InterpreterBuilder
        handle_of = self._interpreter.TensorHandle
        make_handle = self._interpreter.TensorDescHandle

        def create_make_tensor_descriptor(base: Any, shape: Any, strides: Any, tensor_shape: Any,
                                          is_signed: bool, padding: Any = "zero") -> Any:
            handle = make_handle(base, shape, strides, tensor_shape, padding)
            self._block(handle)
            return handle

        def create_descriptor_load(desc: Any, indices: Any, *_hints: Any, **_named: Any) -> Any:
            at = [_number(index) for index in indices]
            return handle_of(self._block(desc).load(at), desc.base.dtype.element_ty)

        def create_descriptor_store(desc: Any, value: Any, indices: Any) -> None:
            self._block(desc).store([_number(index) for index in indices], value)

        def create_descriptor_reduce(kind: Any, desc: Any, value: Any, indices: Any) -> None:
            self._block(desc).store([_number(index) for index in indices], value, kind.name.lower())

        def create_descriptor_gather(desc: Any, x_offsets: Any, y_offset: Any, _type: Any) -> Any:
            rows = self._block(desc).gather(x_offsets.data, _number(y_offset))
            return handle_of(rows, desc.base.dtype.element_ty)

        def create_descriptor_scatter(desc: Any, value: Any, x_offsets: Any, y_offset: Any) -> None:
            self._block(desc).scatter(x_offsets.data, _number(y_offset), value)

        for run in (create_make_tensor_descriptor, create_descriptor_load, create_descriptor_store,
                    create_descriptor_reduce, create_descriptor_gather, create_descriptor_scatter):
            self._put(builder, run.__name__, self._operation(run))
        semantic = self._interpreter.TritonSemantic
        self._put(semantic, "_has_native_tma", self._native(semantic._has_native_tma))
        self._put(self._interpreter, "_implicit_cvt", self._convert(self._interpreter._implicit_cvt))
        executor = self._interpreter.GridExecutor
        self._put(executor, "_init_args_hst", self._to_host(executor._init_args_hst))
        self._put(executor, "__call__", self._launch(executor.__call__))


_installed: Installation | None = None


def installed() -> Installation | None:
    """What stands behind the interpreter now.

    Returns
    -------
    Installation or None
    """
    return _installed


def install(target: TargetLike = None) -> Installation:
    """Puts this library behind the descriptor operations of Triton's interpreter, in this process,
    until :func:`uninstall`; or in a ``with`` block, until its end. Installed twice, the last counts.

    Parameters
    ----------
    target : Target, str or dict, optional
        Another machine than the H200 (sm_90): gather and scatter are Blackwell's, "sm_100a".

    Returns
    -------
    Installation
    """
    global _installed
    uninstall()
    _installed = Installation(None if target is None else as_target(target))
    _installed._install()
    return _installed


def uninstall() -> None:
    """Gives Triton's interpreter its own operations back, if they were taken."""
    if _installed is not None:
        _installed.remove()


atexit.register(uninstall)  # nothing of the extension module outlives it
