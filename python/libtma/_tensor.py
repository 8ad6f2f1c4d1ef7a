# SPDX-License-Identifier: Apache-2.0
"""Tensors that need not exist, and the options of a tiled map."""
from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from ._core import (
    TensorMapInterleave,
    TensorMapL2Promotion,
    TensorMapOOBFill,
    TensorMapSwizzle,
)
from ._spelling import spelt_fields


@spelt_fields
@dataclass(frozen=True)
class TensorSpec:
    """Stands for a tensor that need not exist.

    Parameters
    ----------
    shape : tuple of int
        In elements, outermost first.
    dtype : str or dtype
        Anything that has the name of an element type.
    strides : tuple of int, optional
        In elements, outermost first, as DLPack has them. None: row-major.
    address : int
        In bytes.
    """

    shape: tuple[int, ...]
    dtype: Any
    strides: tuple[int, ...] | None = None
    address: int = 0

    def __post_init__(self) -> None:
        for name in ("shape", "strides"):
            value = getattr(self, name)
            if isinstance(value, (int, float)):
                raise TypeError(f"{name}: a sequence of integers, outermost first, is wanted, not "
                                f"{value!r}: pass ({value},) for one dimension")


@spelt_fields
@dataclass(frozen=True)
class TensorMapDescriptorOptions:
    """The arguments of :meth:`TensorMapDescriptor.tiled` in one object, as in cuda.core.

    Parameters
    ----------
    box_dim, element_strides, data_type, interleave, swizzle, l2_promotion, oob_fill
        As :meth:`TensorMapDescriptor.tiled` takes them.
    """

    box_dim: Sequence[int]
    element_strides: Sequence[int] | None = None
    data_type: Any = None
    interleave: TensorMapInterleave | str = TensorMapInterleave.NONE
    swizzle: TensorMapSwizzle | str = TensorMapSwizzle.NONE
    l2_promotion: TensorMapL2Promotion | str = TensorMapL2Promotion.NONE
    oob_fill: TensorMapOOBFill | str = TensorMapOOBFill.NONE
