# SPDX-License-Identifier: Apache-2.0
"""The tensor instructions as PTX text: read, judged, planned, run.

Here everything is as in PTX: coordinates innermost first, addresses and sizes in bytes. What is an
immediate in the text is a number; for a register its value comes with ``registers={"%r1": 8}``.
"""
from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from . import _core
from ._descriptor import TensorMapDescriptor
from ._spelling import spelt
from ._types import MemoryLike, TargetLike

__all__ = ["Lacking", "Statement", "check", "parse", "plan", "reports", "run", "statements", "why"]

Operand = int | str | None


@dataclass(frozen=True)
class Lacking:
    """One thing that a statement needs, and that a PTX version or a target has not.

    Parameters
    ----------
    name : str
        In PTX's words.
    version : int
        Of PTX that has it: 86 is 8.6.
    targets : str
        Who has it; "" where only the version lacks it.
    by_version : bool
        The version lacks it, not the target.
    evidence : str
    """

    name: str
    version: int
    targets: str
    by_version: bool
    evidence: str


@dataclass(frozen=True)
class Statement:
    """One tensor instruction. Operands are numbers, names of registers and symbols, or None.

    Parameters
    ----------
    text : str
        As PTX's documents order it.
    kind : str
        "cp.async.bulk.tensor".
    op : str or None
        Of copies: load, store, prefetch, or the reduction.
    mode : str or None
        "tile", "tile::gather4", "im2col" ...
    rank : int
        The N of .Nd; 0: it names none.
    cta_group : int
    guard, negated : operand, bool
        Its predicate.
    map, shared, barrier, cta_mask, cache_policy : operand
    coords, im2col_offsets : tuple of operands
        Innermost first, in elements and pixels.
    field, ordinal, value : str or None, operand, operand
        Of tensormap.replace.
    line : int
        In the text that :func:`statements` was given.
    function : str
    """

    text: str
    kind: str
    op: str | None
    mode: str | None
    rank: int
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
    field: str | None
    ordinal: Operand
    value: Operand
    line: int = 0
    function: str = ""

    @spelt
    def lacks(self, target: TargetLike = None, version: int = 0) -> tuple[Lacking, ...]:
        """What it needs and the target, or the version of PTX, has not.

        Parameters
        ----------
        target : Target, str or dict, optional
        version : int
            86 is 8.6; 0: any.

        Returns
        -------
        tuple of Lacking
        """
        if not isinstance(version, int):
            raise TypeError(f"version: {version!r}; it is a number: 86 for PTX 8.6")
        return tuple(Lacking(name, since, targets, by_version, evidence)
                     for name, since, targets, by_version, evidence
                     in _core.ptx_lacks(self.text, target, version))

    def finding(self, target: TargetLike = None) -> _core.Finding | None:
        """What is wrong with its immediates, whatever the map.

        Parameters
        ----------
        target : Target, str or dict, optional

        Returns
        -------
        Finding or None
            None where some map takes it.
        """
        return _core.ptx_judge(self.text, target)[0]

    def __str__(self) -> str:
        return self.text


@spelt
def parse(text: str) -> Statement:
    """One statement.

    Parameters
    ----------
    text : str
        With or without its semicolon.

    Returns
    -------
    Statement

    Raises
    ------
    ValueError
        It names the column, what stands there and what was expected.
    """
    return Statement(**_core.ptx_parse(text))


@spelt
def statements(text: str) -> tuple[Statement, ...]:
    """Every tensor instruction of a PTX file.

    Parameters
    ----------
    text : str
        The whole file.

    Returns
    -------
    tuple of Statement

    Raises
    ------
    ValueError
        It names the line of one that is written wrongly.
    """
    found = []
    for fields, error, line, function in _core.ptx_statements(text):
        if error:
            raise ValueError(f"line {line}: {error}")
        found.append(Statement(**fields, line=line, function=function))
    return tuple(found)


@spelt
def check(text: str, *, target: TargetLike = None,
          maps: Mapping[str, TensorMapDescriptor | bytes] | None = None) -> dict[str, Any]:
    """What ``tma ptx --json`` says of a PTX file.

    Parameters
    ----------
    text : str
        The whole file.
    target : Target, str or dict, optional
        In the place of the file's.
    maps : mapping, optional
        The maps that a kernel's parameters or variables hold, by their names; the map of the name
        ``""`` is every other one.

    Returns
    -------
    dict
        ``"instructions"``, each with its line, source, kernel, operands that are known and
        ``"findings"``; ``"findings"`` of other lines; ``"notes"``; ``"not_judged"``, what only a
        launch shows (libtma.emulate); ``"unjudged"``, the kernels that were too large to be judged
        to their end, by which rules. A finding about two places (two threads, or two turns of a
        loop, of one place, too) has the way between them as ``"way"``, else None.

    Raises
    ------
    ValueError
        The text is no PTX.
    """
    given = [(name, bytes(memoryview(m).cast("B"))) for name, m in dict(maps or {}).items()]
    said: dict[str, Any] = json.loads(_core.ptx_file(text, target, given))
    return said


@spelt
def why(text: str, line: int) -> str:
    """What the registers of an instruction of a PTX file hold, and the proof.

    Parameters
    ----------
    text : str
        The whole file.
    line : int
        From 1 on.

    Returns
    -------
    str
        As ``tma ptx --why`` prints it.

    Raises
    ------
    ValueError
        No kernel runs an instruction of that line.
    """
    return _core.ptx_why(text, line)


@spelt
def plan(text: str | Statement, descriptor: TensorMapDescriptor, *,
         registers: Mapping[str, int] | None = None) -> dict[str, int]:
    """What one instruction moves.

    Parameters
    ----------
    text : str or Statement
    descriptor : TensorMapDescriptor
    registers : mapping, optional
        Values of the registers in the text: ``{"%r1": 8}``.

    Returns
    -------
    dict
        As :meth:`TensorMapDescriptor.plan`.

    Raises
    ------
    TensorMapTrap
        It kills the kernel.
    """
    return _core.ptx_report(descriptor, str(text), dict(registers or {}))


@spelt
def reports(text: str | Statement, descriptor: TensorMapDescriptor, *,
            memory: MemoryLike = None,
            registers: Mapping[str, int] | None = None) -> Literal["no", "yes", "perhaps"]:
    """Whether the barrier of a load with ``.mbarrier::report`` (PTX 9.4) reports the tensor's bytes
    as they are now.

    Parameters
    ----------
    text, descriptor, registers
        As :func:`plan` takes them.
    memory : Memory or dict, optional
        As :meth:`TensorMapDescriptor.load` takes it.

    Returns
    -------
    str
        "no", "yes", or "perhaps": no document says which element of 16 bytes is looked at.
    """
    answer: Literal["no", "yes", "perhaps"] = _core.ptx_inspect(
        descriptor, str(text), dict(registers or {}), memory)
    return answer


@spelt
def run(text: str | Statement, descriptor: TensorMapDescriptor, shared: Any = (), *,
        memory: MemoryLike = None, window_address: int = 0,
        registers: Mapping[str, int] | None = None) -> None:
    """Runs one copy, reduction or prefetch.

    Parameters
    ----------
    text, descriptor, registers
        As :func:`plan` takes them.
    shared : buffer or list of buffers
        The bytes of shared memory from ``window_address`` on; of a ``.multicast::cluster`` load one
        for each CTA of the cluster, in the order of %cluster_ctarank.
    memory : Memory or dict, optional
        As :meth:`TensorMapDescriptor.load` takes it.
    window_address : int
        In bytes.

    Raises
    ------
    TensorMapTrap, TensorMapMemoryError
        No byte has moved.
    """
    windows: Sequence[Any] = shared if isinstance(shared, (list, tuple)) else [shared]
    _core.ptx_run(descriptor, str(text), dict(registers or {}), memory, list(windows),
                  window_address)
