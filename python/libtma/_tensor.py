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


@dataclass(frozen=True)
class TensorSpec:
    """Stands for a tensor: shape and strides outermost first, strides in elements, as DLPack has
    them; None is row-major. ``dtype`` is anything that has the name of an element type."""

    shape: tuple[int, ...]
    dtype: Any
    strides: tuple[int, ...] | None = None
    address: int = 0


@dataclass(frozen=True)
class TensorMapDescriptorOptions:
    """The arguments of :meth:`TensorMapDescriptor.tiled` in one object, as in cuda.core."""

    box_dim: Sequence[int]
    element_strides: Sequence[int] | None = None
    data_type: Any = None
    interleave: TensorMapInterleave | str = TensorMapInterleave.NONE
    swizzle: TensorMapSwizzle | str = TensorMapSwizzle.NONE
    l2_promotion: TensorMapL2Promotion | str = TensorMapL2Promotion.NONE
    oob_fill: TensorMapOOBFill | str = TensorMapOOBFill.NONE
