# SPDX-License-Identifier: Apache-2.0
"""What to write instead, where a rule's own sentence does not say it in the caller's words."""
from __future__ import annotations

from typing import TYPE_CHECKING, Any

from . import _core

if TYPE_CHECKING:
    from libtma import Finding

_UNIT_B = 16
# A rule of an enumerator's number: the argument, the kind and what a word of it is made of.
_NUMBERS: dict[str, tuple[str, Any, str]] = {
    "swizzle-range": ("swizzle", _core.TensorMapSwizzle, "{}B"),
    "interleave-range": ("interleave", _core.TensorMapInterleave, "{}B"),
    "l2-range": ("l2_promotion", _core.TensorMapL2Promotion, "{}B"),
    "wide-mode-range": ("mode", _core.TensorMapIm2ColWideMode, "W{}")}


def _element(spec: dict[str, Any]) -> tuple[str, int]:
    kind = spec["data_type"]
    return str(_core.TensorMapDataType(kind).name).lower(), _core.data_type_bits(kind)


def _of_number(rule: str, value: int) -> str:
    argument, kind, form = _NUMBERS[rule]
    word = form.format(value)
    if any(member.name in (word, f"SWIZZLE_{word}", f"INTERLEAVE_{word}", f"L2_{word}") for member in kind):
        return f'a number is cuda.h\'s enumerator: pass {argument}="{word}"'
    return ""


def of_map(finding: Finding, spec: dict[str, Any]) -> str:
    """For a rule that a map breaks; "" where the rule says it all. ``spec`` counts as the driver."""
    rule = finding.rule
    if rule in _NUMBERS:
        return _of_number(rule, int(finding.value))
    if rule in ("dtype-target", "wide-target"):
        return 'pass target="sm_100a", or a GPU such as "B200"'
    if rule == "address-align" and _element(spec)[1] >= 8:
        name, bits = _element(spec)
        return (f"a copy of the tensor begins at a multiple of {_UNIT_B} B, a slice where it leaves out a "
                f"multiple of {_UNIT_B * 8 // bits} {name} elements")
    if rule == "rank-range" and int(finding.value) > _core.max_rank:
        return "dimensions that lie one behind the other without gaps can be one: pass tensor.reshape(...)"
    if rule == "inner-span" and _element(spec)[0] == "float64":
        return "the tensor's elements are float64, of 8 B, as NumPy makes them where no dtype is said"
    if rule == "bounding-box-empty":
        at = finding.index or 0
        least = spec["pixel_box_lower_corner"][at] - spec["dim"][at + 1] + 1
        if least <= 0:
            return f"the upper corner counts from the tensor's end: at least {least} here, 0 for all of it"
        return "the upper corner counts from the tensor's end, the lower one from its beginning"
    return ""


def of_copy(finding: Finding, descriptor: Any) -> str:
    """For a copy that does not run; ``descriptor`` is its map."""
    if finding.rule == "coord-align":
        name, bits = _element(descriptor.decode())
        return f"{_UNIT_B} B are {_UNIT_B * 8 // bits} {name} elements: pass a multiple of them"
    if finding.rule == "wide-map":
        return 'make the map with swizzle="128B", as im2col_wide does where nothing is said'
    if finding.rule == "memory-global":
        return (f"no byte stands for address {int(finding.value):#x}: memory is {{device address: buffer}}, "
                "with all bytes of the tensor that the copy touches")
    return ""
