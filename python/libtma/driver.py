# SPDX-License-Identifier: Apache-2.0
"""cuda.bindings.driver's tensor map calls, without a driver.

``from libtma import driver`` in the place of ``from cuda.bindings import driver``: the same names,
types, orders, tuples and exceptions; innermost dimension first, strides in bytes. What cuda.bindings
answers with CUDA_ERROR_INVALID_VALUE alone, :func:`last_findings` explains.
"""
from __future__ import annotations

from typing import TYPE_CHECKING, Any

from . import _core
from ._core import (
    CUresult,
    CUtensorMap,
    CUtensorMapAllocClass,
    CUtensorMapDataType,
    CUtensorMapFloatOOBfill,
    CUtensorMapIm2ColWideMode,
    CUtensorMapInterleave,
    CUtensorMapL2promotion,
    CUtensorMapSwizzle,
    cuTensorMapEncodeIm2col,
    cuTensorMapEncodeIm2colWide,
    cuTensorMapEncodeTiled,
    cuTensorMapReplaceAddress,
    cuTensorMapSetAllocationClass,
    cuuint32_t,
    cuuint64_t,
)
from ._spelling import spelt

if TYPE_CHECKING:
    from types import TracebackType

    from typing_extensions import Self

__all__ = [
    "CUresult",
    "CUtensorMap",
    "CUtensorMapAllocClass",
    "CUtensorMapDataType",
    "CUtensorMapFloatOOBfill",
    "CUtensorMapIm2ColWideMode",
    "CUtensorMapInterleave",
    "CUtensorMapL2promotion",
    "CUtensorMapSwizzle",
    "CUtensorMap_st",
    "cuTensorMapEncodeIm2col",
    "cuTensorMapEncodeIm2colWide",
    "cuTensorMapEncodeTiled",
    "cuTensorMapReplaceAddress",
    "cuTensorMapSetAllocationClass",
    "cuuint32_t",
    "cuuint64_t",
    "last_findings",
    "lenient",
    "set_target",
]

CUtensorMap_st = CUtensorMap


class lenient:
    """Takes plain integers where cuda.bindings wants cuuint32_t and cuuint64_t, on all threads:
    called alone from now on, in a ``with`` block until its end.

    Parameters
    ----------
    on : bool
        False: exactly cuda.bindings' types again, which is how the module starts.
    """

    @spelt
    def __init__(self, on: bool = True) -> None:
        self._before = _core.driver_lenient()
        _core.set_driver_lenient(on)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None,
                 trace: TracebackType | None) -> None:
        _core.set_driver_lenient(self._before)


def set_target(target: _core.Target | str | dict[str, Any] | None) -> None:
    """The machine that this module answers for, on all threads.

    Parameters
    ----------
    target : Target, str, dict or None
        As :func:`libtma.set_target` takes it. None: the one that was said there.
    """
    _core.driver_set_target(target)


def last_findings() -> tuple[_core.Finding, ...]:
    """What the last call of this thread broke.

    Returns
    -------
    tuple of Finding
        Every rule, refusals first; () if none, and after a call that raised. A list that is None or
        empty is a null pointer, refused whatever the rules say.
    """
    return _core.driver_findings()


def _words(member: Any) -> str:
    return f"<{type(member).__name__}.{member.name}: {int(member)}>"


def _formatted(member: Any, how: str) -> str:
    return format(int(member), how) if how else _words(member)


for _kind in (CUresult, CUtensorMapAllocClass, CUtensorMapDataType, CUtensorMapFloatOOBfill,
              CUtensorMapIm2ColWideMode, CUtensorMapInterleave, CUtensorMapL2promotion,
              CUtensorMapSwizzle):  # cuda.bindings' members are printed as they look in a list
    setattr(_kind, "__str__", _words)  # noqa: B010  (mypy takes no assignment)
    setattr(_kind, "__format__", _formatted)  # noqa: B010
    _kind.__doc__ = f"cuda.h's {_kind.__name__}."
for _own in (CUresult, CUtensorMap, CUtensorMapAllocClass, CUtensorMapDataType,
             CUtensorMapFloatOOBfill, CUtensorMapIm2ColWideMode, CUtensorMapInterleave,
             CUtensorMapL2promotion, CUtensorMapSwizzle, cuuint32_t, cuuint64_t):
    _own.__module__ = __name__


def __getattr__(name: str) -> Any:
    """Everything else that cuda.bindings.driver has needs a driver, and this module says so."""
    raise AttributeError(f"libtma.driver has the tensor map calls of cuda.bindings.driver, and no "
                         f"'{name}'")
