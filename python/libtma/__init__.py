# SPDX-License-Identifier: Apache-2.0
"""NVIDIA's Tensor Memory Accelerator without a GPU: tensor maps made, checked, read, edited and
drawn, and the copies that use them, bit for bit as the hardware does them.

Top level: cuda.core's words, outermost dimension first, strides in elements.
``libtma.driver``: cuda.bindings' calls, innermost first, strides in bytes.
"""
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
)
from ._picture import Picture
from ._shim import shim_path
from ._tensor import TensorMapDescriptorOptions, TensorSpec

__all__ = [
    "Finding",
    "Memory",
    "Picture",
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
    "TensorSpec",
    "__version__",
    "as_tensor_map",
    "shim_path",
]


def _target(arch: str, driver: str, ptx_version: str | None = None,
            readings: dict[str, str] | None = None) -> Target:
    return Target(arch, driver=driver, ptx_version=ptx_version, readings=readings)
