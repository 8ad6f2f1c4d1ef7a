# SPDX-License-Identifier: Apache-2.0
"""The tensor instructions as PTX text: read, judged, planned, run.

Here everything is as in PTX: coordinates innermost first, addresses and sizes in bytes. What is an
immediate in the text is a number; for a register its value comes with ``registers={"%r1": 8}``.
"""
from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from . import _core
from ._descriptor import TensorMapDescriptor

__all__ = ["Lacking", "Statement", "parse", "plan", "run", "statements"]

Operand = int | str | None


@dataclass(frozen=True)
class Lacking:
    """One thing that a statement needs, and that a PTX version or a target has not."""

    name: str
    version: int  # of PTX that has it: 86 is 8.6
    targets: str  # who has it; "" where only the version lacks it
    by_version: bool
    evidence: str


@dataclass(frozen=True)
class Statement:
    """One tensor instruction. Operands are numbers, names of registers and symbols, or None."""

    text: str  # as PTX's documents order it
    kind: str  # "cp.async.bulk.tensor"
    op: str | None  # of copies: load, store, prefetch, or the reduction
    mode: str | None  # "tile", "tile::gather4", "im2col" ...
    rank: int  # the N of .Nd; 0: it names none
    cta_group: int
    guard: Operand
    negated: bool
    map: Operand
    coords: tuple[Operand, ...]
    im2col_offsets: tuple[Operand, ...]
    shared: Operand
    barrier: Operand
    cta_mask: Operand
    cache_policy: Operand
    field: str | None  # of tensormap.replace
    ordinal: Operand
    value: Operand
    line: int = 0  # in the text that :func:`statements` was given
    function: str = ""

    def lacks(self, target: _core.Target | None = None, version: int = 0) -> tuple[Lacking, ...]:
        """What it needs and the target, or the version of PTX (86 is 8.6), has not."""
        return tuple(Lacking(name, since, targets, by_version, evidence)
                     for name, since, targets, by_version, evidence
                     in _core.ptx_lacks(self.text, target, version))

    def finding(self, target: _core.Target | None = None) -> _core.Finding | None:
        """What is wrong with its immediates whatever the map; None where some map takes it."""
        return _core.ptx_judge(self.text, target)[0]

    def __str__(self) -> str:
        return self.text


def parse(text: str) -> Statement:
    """One statement, with or without its semicolon. ValueError names the column, what stands there
    and what was expected."""
    return Statement(**_core.ptx_parse(text))


def statements(text: str) -> tuple[Statement, ...]:
    """Every tensor instruction of a PTX file. ValueError names the line of one that is written
    wrongly."""
    found = []
    for fields, error, line, function in _core.ptx_statements(text):
        if error:
            raise ValueError(f"line {line}: {error}")
        found.append(Statement(**fields, line=line, function=function))
    return tuple(found)


def plan(text: str | Statement, descriptor: TensorMapDescriptor, *,
         registers: Mapping[str, int] | None = None) -> dict[str, int]:
    """What one instruction moves, as :meth:`TensorMapDescriptor.plan` says it; raises
    :class:`TensorMapTrap` for one that kills the kernel."""
    return _core.ptx_report(descriptor, str(text), dict(registers or {}))


def run(text: str | Statement, descriptor: TensorMapDescriptor, shared: Any = (), *,
        memory: _core.Memory | None = None, window_address: int = 0,
        registers: Mapping[str, int] | None = None) -> None:
    """Runs one copy, reduction or prefetch. ``shared`` is the bytes of shared memory from
    ``window_address`` on; of a ``.multicast::cluster`` load a list of them, one for each CTA of the
    cluster, in the order of %cluster_ctarank. ``memory`` is as in
    :meth:`TensorMapDescriptor.load`."""
    windows: Sequence[Any] = shared if isinstance(shared, (list, tuple)) else [shared]
    _core.ptx_run(descriptor, str(text), dict(registers or {}), memory, list(windows),
                  window_address)
