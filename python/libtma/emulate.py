# SPDX-License-Identifier: Apache-2.0
"""PTX kernels executed on the CPU: their bytes, traps, races and deadlocks, each with its witness.

>>> module = libtma.emulate.Module(ptx_text)                       # doctest: +SKIP
>>> module.launch("scale", grid=2, block=128, args=[array, 3.0])   # doctest: +SKIP

NumPy arrays, PyTorch CPU tensors, what has the buffer protocol and what DLPack gives of this machine's
memory are global memory, read and written in place, with strides of any kind; what is read-only there
no kernel may write. Tensor maps are :class:`libtma.TensorMapDescriptor` or 128 bytes. What is modelled,
and what cannot be told, is in docs/emulator.md.
"""
from __future__ import annotations

import ctypes
import math
import os
import struct
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

from . import _core
from ._descriptor import TensorMapDescriptor
from ._picture import Picture

__all__ = ["Access", "EmulationError", "Finding", "Module", "Result", "rules", "timeline"]

_UNIT_B = 16  # a tensor store writes whole units of 16 bytes
_FLOATS = {2: "<e", 4: "<f", 8: "<d"}


def rules() -> dict[str, str]:
    """The rules of findings, and what each means."""
    return dict(_core.emulate_rules())


@dataclass(frozen=True)
class Access:
    """One access of a finding."""

    line: int  # of the PTX; 0: not known
    source: str | None  # "kernel.py:12", by the PTX's .loc; None: it has none
    thread: int | None  # in its CTA
    cta: int  # in the grid
    proxy: str
    op: str
    space: str
    address: int
    variable: str | None  # shared: the variable that it lies in, "full+8"
    bytes: int
    iteration: int  # from 1; 0: not known

    def __str__(self) -> str:
        by = f"thread {self.thread} of CTA {self.cta}" if self.thread is not None else f"CTA {self.cta}"
        at = f"{self.source} (line {self.line} of the PTX)" if self.source else f"line {self.line}"
        text = f"{self.op} by {by}, {at}"
        if self.bytes:
            text += f": {self.bytes} B of {self.space} memory at {self.address:#x}"
            text += f" ({self.variable})" if self.variable else ""
        return text + (f", iteration {self.iteration}" if self.iteration else "")


@dataclass(frozen=True)
class Wait:
    """Threads that wait at one instruction for one thing, at a deadlock."""

    cta: int
    thread: int  # the first of them, in the CTA
    line: int
    threads: int
    waits_at: str  # mbarrier, barrier, cluster, group, lanes, grid, tensor memory, registers, memory
    barrier: int  # mbarrier: its shared address; barrier: its number

    def __str__(self) -> str:
        which = {"mbarrier": f" {self.barrier:#x}", "barrier": f" {self.barrier}"}.get(self.waits_at, "")
        threads = "1 thread" if self.threads == 1 else f"{self.threads} threads"
        return (f"{threads} of CTA {self.cta}, from thread {self.thread} on, at line {self.line}: "
                f"{self.waits_at}{which}")


@dataclass(frozen=True)
class Finding:
    """What is wrong, with its witness: the later access first."""

    rule: str
    certain: bool
    count: int
    text: str
    missing: str
    accesses: tuple[Access, ...]
    barrier: dict[str, int] | None
    leads_to: str | None = None  # "deadlock": it is the cause of one, or tells of it
    waits: tuple[Wait, ...] = ()  # who waits because of it; first those at its own barrier
    waits_more: int = 0  # groups of them beside those of `waits`

    def __str__(self) -> str:
        lines = [f"{self.rule} ({'certain' if self.certain else 'may'}): {self.text}"]
        lines += [f"    {access}" for access in self.accesses]
        if self.missing:
            lines.append(f"    missing: {self.missing}")
        if self.leads_to and self.leads_to != self.rule:
            lines.append(f"    leads to: {self.leads_to}")
        lines += [f"    with it: {wait}" for wait in self.waits[1:]]
        if self.waits_more:
            lines.append(f"    with it: {self.waits_more} more")
        return "\n".join(lines)


@dataclass(frozen=True)
class Result:
    """What came of one launch."""

    end: str  # "completed", "deadlock", "trap", "limit", "not-executed", "cancelled"
    why: str
    line: int
    instructions: int  # thread instructions
    findings: tuple[Finding, ...]
    notes: tuple[tuple[int, str], ...]
    printed: str
    lines: tuple[tuple[int, int, bool], ...] = field(repr=False)  # line, executions by warps, protocol

    @property
    def coverage(self) -> tuple[int, int]:
        """Protocol instructions (copies, barriers, fences, waits, MMAs) executed, and all of them."""
        protocol = [executed for _, executed, is_protocol in self.lines if is_protocol]
        return sum(1 for executed in protocol if executed), len(protocol)

    def raise_unless_right(self, kernel: str, check: bool | str = True) -> None:
        """Raises :class:`EmulationError` unless the launch completed without findings.

        Parameters
        ----------
        kernel : str
            Its name, for the message.
        check : bool or str
            False: nothing is raised; "certain": findings that only may be are let through.
        """
        if check not in (True, False, "certain"):
            raise ValueError(f"check: {check!r}; it is True, False or 'certain'")
        if check and (self.end != "completed" or any(f.certain or check != "certain" for f in self.findings)):
            raise EmulationError(kernel, self)

    def __str__(self) -> str:
        executed, total = self.coverage
        at = f" at line {self.line}" if self.line else ""
        head = f"{self.end}{f'{at}: {self.why}' if self.why else ''}; "
        head += f"{executed} of {total} protocol instructions executed; "
        head += f"{len(self.findings)} finding{'' if len(self.findings) == 1 else 's'}"
        return "\n".join([head, *map(str, self.findings)])


class EmulationError(RuntimeError):
    """A launch that did not complete, or has findings; ``result`` is all of it."""

    def __init__(self, kernel: str, result: Result) -> None:
        super().__init__(f"{kernel}: {result}")
        self.kernel = kernel
        self.result = result


def timeline(trace: str | os.PathLike[str] | bytes, *, first: int = 0, columns: int = 0) -> Picture:
    """A picture of a run: warps down, order across, copies under way, the finding's two accesses.

    Parameters
    ----------
    trace : str, os.PathLike or bytes
        A file that ``tma emulate --trace`` wrote, or what is in it.
    first : int
        The first step to draw. 0: shortly before the first access of the finding.
    columns : int
        The most columns. 0: 48.
    """
    text = trace if isinstance(trace, bytes) else Path(trace).read_bytes()
    return Picture(partial(_core.draw_timeline, text, first, columns), "timeline of a run")


class _Ranges:
    """The host memory of one launch, each range with room up to a whole unit behind it."""

    def __init__(self, emulator: Any) -> None:
        self.emulator = emulator
        self.spans: list[tuple[int, int, str, bool]] = []
        self.copies: list[tuple[bytearray, int, int, bool]] = []
        self.owners: list[Any] = []

    def add(self, memory: _Memory, name: str) -> None:
        self.owners.append(memory.owner)
        if memory.size_B:
            self.spans.append((memory.start, memory.start + memory.size_B, name, memory.writable))

    def enter(self) -> None:
        merged: list[tuple[int, int, str, bool]] = []
        for start, end, name, writable in sorted(self.spans):
            if merged and start < merged[-1][1]:
                first, last, called, may = merged[-1]
                merged[-1] = (first, max(end, last), called, may or writable)
            else:
                merged.append((start, end, name, writable))
        self.emulator.clear_ranges()
        for i, (start, end, name, writable) in enumerate(merged):
            room = merged[i + 1][0] - end if i + 1 < len(merged) else _UNIT_B
            tail = min(-end % _UNIT_B, room)
            if not tail:
                self.emulator.add_range(start, start, end - start, name, False, not writable)
                continue
            copy = bytearray(ctypes.string_at(start, end - start)) + bytearray(tail)
            self.copies.append((copy, start, end - start, writable))
            host = ctypes.addressof((ctypes.c_char * len(copy)).from_buffer(copy))
            self.emulator.add_range(start, host, len(copy), name, False, not writable)

    def leave(self) -> None:
        for copy, start, size_B, writable in self.copies:
            if writable:
                ctypes.memmove(start, bytes(copy[:size_B]), size_B)
        self.emulator.clear_ranges()


@dataclass(frozen=True)
class _Memory:
    """A tensor's memory: where its first element lies, and all that a kernel may reach by it."""

    address: int
    start: int
    size_B: int
    writable: bool = True
    owner: Any = None  # keeps it alive


def _reach(address: int, shape: Sequence[int], strides_B: Sequence[int], itemsize_B: int) -> tuple[int, int]:
    """From the lowest byte of the elements, with strides of any sign: address and size."""
    if 0 in shape:
        return address, 0
    steps = [(extent - 1) * stride for extent, stride in zip(shape, strides_B, strict=True)]
    start = address + sum(step for step in steps if step < 0)
    size_B = sum(abs(step) for step in steps) + itemsize_B
    if start < 0 or start + size_B > 1 << 64:
        raise ValueError(f"{size_B} B from {start:#x} on, as its shape and strides say, are no addresses of "
                         f"64 bits")
    return start, size_B


def _of_interface(value: Any) -> _Memory:
    """A NumPy array: all of the array that it is a view of."""
    owner = value
    while getattr(owner, "base", None) is not None and hasattr(owner.base, "__array_interface__"):
        owner = owner.base
    has = owner.__array_interface__
    itemsize_B = int(has["typestr"][2:])
    shape = has["shape"]
    strides_B = has.get("strides") or [itemsize_B * math.prod(shape[i + 1:]) for i in range(len(shape))]
    address, read_only = value.__array_interface__["data"]
    return _Memory(address, *_reach(has["data"][0], shape, strides_B, itemsize_B), not read_only, owner)


def _memory_of(value: Any) -> _Memory:
    """Raises TypeError of what is no tensor, ValueError of one that no kernel here can reach."""
    device = getattr(value, "device", None)
    if hasattr(value, "untyped_storage") and getattr(device, "type", "cpu") == "cpu":
        storage = value.untyped_storage()
        return _Memory(int(value.data_ptr()), int(storage.data_ptr()), int(storage.nbytes()), owner=value)
    if hasattr(value, "__array_interface__"):
        return _of_interface(value)
    address, shape, strides_B, itemsize_B, on_host, writable, is_copy, owner = _core.memory_facts(value)
    if not on_host:
        raise ValueError(f"the memory of '{type(value).__name__}' is not this machine's: copy it first "
                         f"(.cpu() of PyTorch, .get() of CuPy)")
    if is_copy:
        raise ValueError(f"'{type(value).__name__}' gives a copy by DLPack: what a kernel writes there would "
                         f"be lost")
    return _Memory(address, *_reach(address, shape, strides_B, itemsize_B), writable, owner or value)


def _three(value: int | Sequence[int]) -> tuple[int, ...]:
    return (value,) if isinstance(value, int) else tuple(int(n) for n in value)


def _finding(row: dict[str, Any]) -> Finding:
    return Finding(row["rule"], row["certain"], row["count"], row["text"], row["missing"],
                   tuple(Access(**access) for access in row["accesses"]), row["barrier"],
                   row["leads_to"], tuple(Wait(**wait) for wait in row["waits"]), row["waits_more"])


class Module:
    """A PTX text, decoded once.

    Parameters
    ----------
    ptx : str or bytes
    """

    def __init__(self, ptx: str | bytes) -> None:
        self._emulator = _core.Emulator(ptx.encode() if isinstance(ptx, str) else bytes(ptx))

    @property
    def kernels(self) -> list[str]:
        return list(self._emulator.kernels())

    def _packed(self, kernel: str, args: Sequence[Any], ranges: _Ranges) -> bytes:
        rows = self._emulator.parameters(kernel)
        if len(args) != len(rows):
            raise TypeError(f"args: {len(args)} arguments, {kernel} takes {len(rows)}: "
                            f"{', '.join(name for name, *_ in rows)}")
        packed = bytearray(max((offset + size for _, offset, size, _, _ in rows), default=0))
        for value, (name, offset, size, _, _) in zip(args, rows, strict=True):
            packed[offset:offset + size] = self._bytes_of(value, name, size, ranges)
        return bytes(packed)

    @staticmethod
    def _bytes_of(value: Any, name: str, size: int, ranges: _Ranges) -> bytes:
        if value is None:
            return bytes(size)
        if isinstance(value, bool):
            value = int(value)
        if isinstance(value, TensorMapDescriptor):
            value = bytes(value)
        if isinstance(value, (bytes, bytearray)):
            if len(value) != size:
                raise ValueError(f"{name}: {len(value)} B given, the parameter has {size}")
            return bytes(value)
        if isinstance(value, int):
            return (value % (1 << 8 * size)).to_bytes(size, "little")
        if isinstance(value, float):
            if size not in _FLOATS:
                raise ValueError(f"{name}: a parameter of {size} B takes no float")
            return struct.pack(_FLOATS[size], value)
        try:
            memory = _memory_of(value)
        except TypeError:
            raise TypeError(f"{name}: '{type(value).__name__}' is no number, tensor, tensor map or "
                            f"bytes") from None
        except ValueError as error:
            raise ValueError(f"{name}: {error}") from None
        ranges.add(memory, name)
        return memory.address.to_bytes(8, "little")[:size]

    def launch(self, kernel: str, grid: int | Sequence[int], block: int | Sequence[int],
               args: Sequence[Any] = (), *, cluster: int | Sequence[int] = (), shared: int = 0,
               memory: Iterable[Any] = (), order: bool = True, values: bool = True,
               schedule: str = "late", seed: int = 0, resident: int = 0,
               cooperative: bool = False, max_instructions: int = 0, max_memory: int = 0,
               check: bool | str = True) -> Result:
        """Runs one launch to its end.

        Parameters
        ----------
        kernel : str
            An entry of the PTX.
        grid, block, cluster : int or sequence of int
            CTAs, threads, CTAs of a cluster; x first.
        args : sequence
            One for each parameter: integers, floats, None, tensors (in place), tensor maps, bytes.
        shared : int
            Dynamic shared memory in bytes.
        memory : iterable of tensors
            What the kernel reaches without a parameter that points there: tensors of tensor maps.
        order : bool
            False: races are not looked for.
        values : bool
            False: products of MMAs are not computed.
        schedule : str
            "late": copies complete as late as allowed, "early", or "seeded" by ``seed``.
        cooperative : bool
            The whole grid at once, with a barrier of its own: ``grid.sync()``.
        max_instructions, max_memory : int
            Limits of thread instructions and bytes; 0: the defaults.
        check : bool or str
            Raise :class:`EmulationError` unless the launch completes without findings; "certain":
            without certain ones.
        """
        if kernel not in self.kernels:
            raise ValueError(f"kernel: the PTX has no entry '{kernel}': {', '.join(self.kernels)}")
        ranges = _Ranges(self._emulator)
        params = self._packed(kernel, args, ranges)
        for extra in memory:
            try:
                ranges.add(_memory_of(extra), "memory")
            except (TypeError, ValueError) as error:
                raise type(error)(f"memory: {error}") from None
        ranges.enter()
        try:
            row = self._emulator.run(kernel, _three(grid), _three(block), _three(cluster), shared, params,
                                     order, values, schedule, seed, resident, cooperative, max_instructions,
                                     max_memory)
        finally:
            ranges.leave()
        result = Result(row["end"], row["why"], row["line"], row["instructions"],
                        tuple(_finding(f) for f in row["findings"]), tuple(row["notes"]), row["printed"],
                        tuple(row["lines"]))
        result.raise_unless_right(kernel, check)
        return result
