# SPDX-License-Identifier: Apache-2.0
"""NVIDIA's Tensor Memory Accelerator without a GPU: tensor maps made, checked, read, edited and
drawn, and the copies that use them, bit for bit as the hardware does them.

Top level: cuda.core's words, outermost dimension first, strides in elements.
``libtma.driver``: cuda.bindings' calls, innermost first, strides in bytes.
"""
from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any, overload

from . import _core
from ._core import (
    Finding,
    Memory,
    Target,
    TensorMapDataType,
    TensorMapIm2ColWideMode,
    TensorMapInterleave,
    TensorMapL2Promotion,
    TensorMapOOBFill,
    TensorMapSwizzle,
    __version__,
)
from ._descriptor import TensorMapDescriptor, as_tensor_map
from ._errors import (
    TensorMapCopyError,
    TensorMapError,
    TensorMapInstructionError,
    TensorMapMemoryError,
    TensorMapTrap,
    TensorMapWarning,
)
from ._hang import Hang, hang
from ._picture import Picture
from ._shim import include_path, shim_path
from ._spelling import spelt
from ._tensor import TensorMapDescriptorOptions, TensorSpec
from ._types import SwizzleLike
from ._watch import Refusal, Watch, watch

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

__all__ = [
    "Finding",
    "Hang",
    "Memory",
    "Picture",
    "Refusal",
    "Target",
    "TensorMapCopyError",
    "TensorMapDataType",
    "TensorMapDescriptor",
    "TensorMapDescriptorOptions",
    "TensorMapError",
    "TensorMapIm2ColWideMode",
    "TensorMapInstructionError",
    "TensorMapInterleave",
    "TensorMapL2Promotion",
    "TensorMapMemoryError",
    "TensorMapOOBFill",
    "TensorMapSwizzle",
    "TensorMapTrap",
    "TensorMapWarning",
    "TensorSpec",
    "Watch",
    "__version__",
    "as_tensor_map",
    "hang",
    "include_path",
    "set_target",
    "shim_path",
    "swizzled",
    "watch",
]


def set_target(target: Target | str | dict[str, Any] | None) -> None:
    """Says for which machine maps are made where no ``target=`` is passed, on all threads.

    Parameters
    ----------
    target : Target, str, dict or None
        ``Target("sm_100a")``, its word, or Target's arguments by name. None: sm_90 with driver 13.0.

    The environment's LIBTMA_ARCH and LIBTMA_DRIVER say it when the package is imported.
    """
    _core.set_target(target)


@overload
def swizzled(offset: int, swizzle: SwizzleLike) -> int: ...


@overload
def swizzled(offset: npt.NDArray[Any], swizzle: SwizzleLike) -> npt.NDArray[np.uint64]: ...


@spelt
def swizzled(offset: Any, swizzle: SwizzleLike) -> Any:
    """Where bytes of an unswizzled tile lie in shared memory.

    Parameters
    ----------
    offset : int or array of int
        Of the byte, in bytes from an address that the swizzle's pattern begins at
        (``shared_pattern_bytes``); below 2**32.
    swizzle : TensorMapSwizzle, str or int
        "128B", or another of its words.

    Returns
    -------
    int, or numpy.ndarray of the same shape
        The byte's offset behind the swizzle. Applied twice it is ``offset`` again.
    """
    if isinstance(offset, int):
        if not 0 <= offset < 2**32:
            raise ValueError(f"offset = {offset} B: not between 0 and {2**32 - 1}")
        return _core.swizzled(offset, swizzle)
    import numpy as np
    given, offset = offset, np.asarray(offset)
    if offset.dtype.kind not in "iu" or (offset.size and offset.min() < 0):
        shown = repr(given) if not offset.shape else f"an array of {offset.dtype}"
        raise ValueError(f"offset: whole numbers from 0 on are wanted, not {shown}: pass int(offset), or "
                         "offset.astype(int)")
    if not offset.shape:
        return swizzled(offset.item(), swizzle)
    flat = np.ascontiguousarray(offset, np.uint64)
    return np.frombuffer(_core.swizzled_all(flat, swizzle), np.uint64).reshape(offset.shape)


def _target(arch: str, driver: str, ptx_version: str | None = None,
            readings: dict[str, str] | None = None, toolchain: str | None = None) -> Target:
    return Target(arch, driver=driver, ptx_version=ptx_version, readings=readings, toolchain=toolchain)


def _environment() -> None:
    """LIBTMA_ARCH and LIBTMA_DRIVER. A wrong one is an error: another machine would answer."""
    said = {"arch": os.environ.get("LIBTMA_ARCH"), "driver": os.environ.get("LIBTMA_DRIVER")}
    named = {name: word for name, word in said.items() if word}
    if named:
        try:
            _core.set_target(named)
        except ValueError as error:
            raise ValueError(f"LIBTMA_ARCH, LIBTMA_DRIVER in the environment: {error}") from None


_environment()
