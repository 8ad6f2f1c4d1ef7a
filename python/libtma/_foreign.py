# SPDX-License-Identifier: Apache-2.0
"""The 128 bytes of other packages' objects, none of which is imported here."""
from __future__ import annotations

import ctypes
import importlib
from typing import Any

from . import _core


def _of_cuda_core(descriptor: Any) -> bytes:
    """cuda.core gives its bytes to a launch alone: what a kernel's argument would be is read."""
    package = type(descriptor).__module__.rpartition(".")[0]
    try:
        holder = importlib.import_module(f"{package}._kernel_arg_handler").ParamHolder((descriptor,))
        arguments = ctypes.c_void_p.from_address(holder.ptr)
        return ctypes.string_at(arguments.value or 0, _core.map_bytes) if arguments.value else b""
    except (ImportError, AttributeError, TypeError):
        raise TypeError("data: this version of cuda.core does not say where a TensorMapDescriptor's "
                        "128 bytes are") from None


def bytes_of(data: Any) -> bytes | None:
    """The bytes of cuda.bindings' CUtensorMap or cuda.core's TensorMapDescriptor; None of others."""
    kind = type(data)
    if kind.__name__ == "TensorMapDescriptor" and kind.__module__.startswith("cuda.core."):
        return _of_cuda_core(data)
    return _core.binding_bytes(data) if kind.__module__.startswith("cuda.bindings") else None
