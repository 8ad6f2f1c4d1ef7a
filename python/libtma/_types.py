# SPDX-License-Identifier: Apache-2.0
"""What arguments may be, for those who read signatures and for type checkers."""
from __future__ import annotations

from typing import Any, Literal, TypeAlias

from . import _core

# What tma list archs, swizzles and dtypes print, for editors. Other spellings are taken, too.
ArchName: TypeAlias = Literal[
    "sm_90", "sm_90a", "sm_100", "sm_100f", "sm_100a", "sm_101", "sm_101f", "sm_101a", "sm_103",
    "sm_103f", "sm_103a", "sm_107", "sm_107f", "sm_107a", "sm_110", "sm_110f", "sm_110a", "sm_120",
    "sm_120f", "sm_120a", "sm_121", "sm_121f", "sm_121a",
]
SwizzleName: TypeAlias = Literal[
    "none", "32B", "64B", "128B", "128B_ATOM_32B", "128B_ATOM_32B_FLIP_8B", "128B_ATOM_64B", "96B",
]
DataTypeName: TypeAlias = Literal[
    "uint8", "uint16", "uint32", "int32", "uint64", "int64", "float16", "float32", "float64", "bfloat16",
    "float32_ftz", "tfloat32", "tfloat32_ftz", "16u4_align8b", "16u4_align16b", "16u6_align16b",
]

TargetLike: TypeAlias = _core.Target | ArchName | str | dict[str, Any] | None
SwizzleLike: TypeAlias = _core.TensorMapSwizzle | SwizzleName | str | int
InterleaveLike: TypeAlias = _core.TensorMapInterleave | str | int
L2PromotionLike: TypeAlias = _core.TensorMapL2Promotion | str | int
OOBFillLike: TypeAlias = _core.TensorMapOOBFill | str | int
WideModeLike: TypeAlias = _core.TensorMapIm2ColWideMode | str | int
DataTypeLike: TypeAlias = DataTypeName | Any  # a member, a word, a dtype of NumPy, ml_dtypes or PyTorch
Tensor: TypeAlias = Any  # anything with one of the protocols that read_tensor() knows
MemoryLike: TypeAlias = _core.Memory | dict[int, Any] | None
Made: TypeAlias = Literal["host", "device"]
