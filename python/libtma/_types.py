# SPDX-License-Identifier: Apache-2.0
"""What arguments may be, for those who read signatures and for type checkers."""
from __future__ import annotations

from typing import Any, Literal, TypeAlias

from . import _core

TargetLike: TypeAlias = _core.Target | str | dict[str, Any] | None
SwizzleLike: TypeAlias = _core.TensorMapSwizzle | str | int
InterleaveLike: TypeAlias = _core.TensorMapInterleave | str | int
L2PromotionLike: TypeAlias = _core.TensorMapL2Promotion | str | int
OOBFillLike: TypeAlias = _core.TensorMapOOBFill | str | int
WideModeLike: TypeAlias = _core.TensorMapIm2ColWideMode | str | int
DataTypeLike: TypeAlias = Any  # a member, a word, a dtype of NumPy, ml_dtypes or PyTorch
Tensor: TypeAlias = Any  # anything with one of the protocols that read_tensor() knows
MemoryLike: TypeAlias = _core.Memory | dict[int, Any] | None
Made: TypeAlias = Literal["host", "device"]
