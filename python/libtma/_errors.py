# SPDX-License-Identifier: Apache-2.0
"""The exceptions: what is wrong, whole, as objects and as text."""
from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from libtma import Finding


# cuda.h's name: the caller's name, and how many dimensions lie inside of entry 0.
_CALLERS = {"globalDim": ("shape", 0), "globalStrides": ("strides", 1), "boxDim": ("box_dim", 0),
            "elementStrides": ("element_strides", 0),
            "pixelBoxLowerCorner": ("pixel_box_lower_corner", 2),
            "pixelBoxUpperCorner": ("pixel_box_upper_corner", 2), "tensorCoords": ("offsets", 0)}


def _in_callers_order(finding: Finding, rank: int, order: tuple[int, ...] = ()) -> str:
    """A finding's text with the index as the caller counts, outermost first, and the driver's,
    innermost first, behind it in brackets. ``order`` is the caller's stride_order."""
    text = str(finding)
    driver = f"{finding.argument}[{finding.index}]"
    if finding.index is None or finding.argument not in _CALLERS or not text.startswith(driver):
        return text
    name, inside = _CALLERS[finding.argument]
    index = rank - 1 - inside - finding.index
    if order and not name.startswith("pixel"):
        index = order[inside + finding.index]
    return f"{name}[{index}] [{driver}]{text[len(driver):]}"


class TensorMapError(ValueError):
    """A tensor map that the driver refuses. A ValueError, as cuda.core raises.

    ``findings`` has every rule that is broken, refusals first; ``spec`` the encode call's
    arguments as the driver would have got them: innermost dimension first, strides in bytes.
    ``where`` is the kernel's line, in Triton's interpreter; ``order`` the ``stride_order`` that was
    passed.
    """

    where = ""
    order: tuple[int, ...] = ()

    def __init__(self, findings: tuple[Finding, ...], spec: dict[str, Any]) -> None:
        self.findings = findings
        self.spec = spec

    def __str__(self) -> str:
        refused = [f for f in self.findings if f.severity == "refused"]
        head = f"the driver refuses this tensor map: {len(refused)} rule" + "s"[: len(refused) != 1]
        rank = self.spec["rank"]
        lines = [head, *(f"  {f.rule}: {_in_callers_order(f, rank, self.order)}" for f in self.findings)]
        return "\n".join([*lines, f"  at {self.where}"] if self.where else lines)


class TensorMapCopyError(RuntimeError):
    """A copy that does not run. No byte has moved. ``position`` is the instruction's coordinates,
    innermost first; ``where`` is the kernel's line, in Triton's interpreter."""

    where = ""

    def __init__(self, finding: Finding, descriptor: object, position: object) -> None:
        super().__init__(finding, descriptor, position)
        self.finding = finding
        self.descriptor = descriptor
        self.position = position

    _what = "this copy does not run"

    def __str__(self) -> str:
        at = self.position if isinstance(self.position, tuple) else ()
        text = _in_callers_order(self.finding, len(at))
        return f"{self._what}: {self.finding.rule}: {text}\n  of {self.descriptor!r}" + (
            f" at offsets {at[::-1]} [{at}]" if at else "") + (
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
