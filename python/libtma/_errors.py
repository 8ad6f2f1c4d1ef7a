# SPDX-License-Identifier: Apache-2.0
"""The exceptions: what is wrong, whole, as objects and as text."""
from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from libtma import Finding


class TensorMapError(ValueError):
    """A tensor map that the driver refuses. A ValueError, as cuda.core raises.

    ``findings`` has every rule that is broken, refusals first; ``spec`` the encode call's
    arguments as the driver would have got them: innermost dimension first, strides in bytes.
    ``where`` is the kernel's line, in Triton's interpreter.
    """

    where = ""

    def __init__(self, findings: tuple[Finding, ...], spec: dict[str, Any]) -> None:
        super().__init__(findings, spec)
        self.findings = findings
        self.spec = spec

    def __str__(self) -> str:
        refused = [f for f in self.findings if f.severity == "refused"]
        head = f"the driver refuses this tensor map: {len(refused)} rule" + "s"[: len(refused) != 1]
        lines = [head, *(f"  {f.rule}: {f}" for f in self.findings)]
        return "\n".join([*lines, f"  at {self.where}"] if self.where else lines)


class TensorMapCopyError(RuntimeError):
    """A copy that does not run. No byte has moved. ``where`` is the kernel's line, in Triton's
    interpreter."""

    where = ""

    def __init__(self, finding: Finding, descriptor: object, position: object) -> None:
        super().__init__(finding, descriptor, position)
        self.finding = finding
        self.descriptor = descriptor
        self.position = position

    _what = "this copy does not run"

    def __str__(self) -> str:
        return f"{self._what}: {self.finding.rule}: {self.finding}\n  of {self.descriptor!r}" + (
            f" at {self.position}" if self.position is not None else "") + (
            f"\n  at {self.where}" if self.where else "")


class TensorMapTrap(TensorMapCopyError):
    """The hardware would kill the kernel."""

    _what = "this copy kills the kernel"


class TensorMapMemoryError(TensorMapCopyError):
    """The copy would leave the memory that it was given."""

    _what = "this copy leaves the memory that it was given"


class TensorMapInstructionError(TensorMapCopyError):
    """The target has no such instruction, or nobody knows what it does."""

    _what = "there is no such copy"


for _shown in (TensorMapError, TensorMapCopyError, TensorMapTrap, TensorMapMemoryError,
               TensorMapInstructionError):
    _shown.__module__ = "libtma"
