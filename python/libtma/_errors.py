# SPDX-License-Identifier: Apache-2.0
"""The exceptions: what is wrong, whole, as objects and as text."""
from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from . import _remedies

if TYPE_CHECKING:
    from libtma import Finding


# cuda.h's name: the caller's name, and how many dimensions lie inside of entry 0.
_CALLERS = {"globalDim": ("shape", 0), "globalStrides": ("strides", 1), "boxDim": ("box_dim", 0),
            "elementStrides": ("element_strides", 0),
            "pixelBoxLowerCorner": ("pixel_box_lower_corner", 2),
            "pixelBoxUpperCorner": ("pixel_box_upper_corner", 2), "tensorCoords": ("offsets", 0)}
_PLAIN = {"tensorDataType": "data_type", "tensorRank": "the tensor's dimensions",
          "globalAddress": "the tensor's address", "channelsPerPixel": "channels_per_pixel",
          "pixelsPerColumn": "pixels_per_column", "pixelBoxLowerCornerWidth": "pixel_box_lower_corner_width",
          "pixelBoxUpperCornerWidth": "pixel_box_upper_corner_width", "l2Promotion": "l2_promotion",
          "oobFill": "oob_fill", "architecture": "target"}


def _in_callers_order(finding: Finding, rank: int, order: tuple[int, ...] = ()) -> str:
    """A finding's text with its argument as the caller has it, indices outermost first, and the
    driver's, innermost first, behind it in brackets. ``order`` is the caller's stride_order."""
    text, name = str(finding), finding.argument
    driver = name if finding.index is None else f"{name}[{finding.index}]"
    if not text.startswith(driver + " "):
        return text
    rest = text[len(driver):]
    if finding.index is None:
        return f"{_PLAIN[name]} [{driver}]{rest}" if name in _PLAIN else text
    if name not in _CALLERS:
        return text
    said, inside = _CALLERS[name]
    index = rank - 1 - inside - finding.index
    if order and not said.startswith("pixel"):
        index = order[inside + finding.index]
    return f"{said}[{index}] [{driver}]{rest}"


class TensorMapError(ValueError):
    """A tensor map that the driver refuses. A ValueError, as cuda.core raises.

    ``findings`` has every rule that is broken, refusals first; ``spec`` the encode call's
    arguments as the driver would have got them: innermost dimension first, strides in bytes.
    ``where`` is the kernel's line, in Triton's interpreter; ``order`` the ``stride_order`` that was
    passed.
    """

    where = ""

    def __init__(self, findings: tuple[Finding, ...], spec: dict[str, Any],
                 order: Sequence[int] | None = None) -> None:
        super().__init__(findings, spec, order)
        self.findings = findings
        self.spec = spec
        self.order = tuple(order or ())

    def __str__(self) -> str:
        refused = [f for f in self.findings if f.severity == "refused"]
        head = f"the driver refuses this tensor map: {len(refused)} rule" + "s"[: len(refused) != 1]
        rank = self.spec["rank"]
        lines = [head]
        for f in self.findings:
            lines.append(f"  {f.rule}: {_in_callers_order(f, rank, self.order)}")
            remedy = _remedies.of_map(f, self.spec) if f.severity == "refused" else ""
            lines += [f"    {remedy}"] * bool(remedy)
        return "\n".join([*lines, f"  at {self.where}"] if self.where else lines)


class TensorMapCopyError(RuntimeError):
    """A copy that does not run. No byte has moved. ``position`` is the instruction's coordinates,
    innermost first; ``remedy`` says what there is instead, where that is known; ``where`` is the
    kernel's line, in Triton's interpreter."""

    where = ""

    def __init__(self, finding: Finding, descriptor: object, position: object, remedy: str = "") -> None:
        super().__init__(finding, descriptor, position, remedy)
        self.finding = finding
        self.descriptor = descriptor
        self.position = position
        self.remedy = remedy

    _what = "this copy does not run"

    def _place(self, at: tuple[int, ...]) -> str:
        """As the caller counts: more coordinates than dimensions are gather4's rows."""
        if len(at) > getattr(self.descriptor, "rank", len(at)):
            return f"rows {at[1:]}, column {at[0]}"
        return f"offsets {at[::-1]}"

    def __str__(self) -> str:
        at = self.position if isinstance(self.position, tuple) else ()
        offsets = self.finding.argument == "tensorCoords"
        text = _in_callers_order(self.finding, len(at) if offsets else getattr(self.descriptor, "rank", 0))
        remedy = self.remedy or _remedies.of_copy(self.finding, self.descriptor)
        return f"{self._what}: {self.finding.rule}: {text}" + (
            f"\n  {remedy}" if remedy else "") + f"\n  of {self.descriptor!r}" + (
            f" at {self._place(at)} [{at}]" if at else "") + (
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


class TensorMapWarning(UserWarning):
    """A copy has run, and may not have done what was meant."""


for _shown in (TensorMapWarning, TensorMapError, TensorMapCopyError, TensorMapTrap, TensorMapMemoryError,
               TensorMapInstructionError):
    _shown.__module__ = "libtma"
