# SPDX-License-Identifier: Apache-2.0
"""PyTorch's device "cuda" on the CPU: what a program does with it before and after its kernels.

Tensors of device "cuda" are the CPU's, ``torch.cuda`` tells of one H200, and streams are empty words.
PyTorch is imported by :func:`on_cpu`, not before; read in PyTorch 2.15.
"""
from __future__ import annotations

import contextlib
import importlib
from collections.abc import Callable, Iterator
from types import SimpleNamespace
from typing import Any


def _is_gpu(value: Any, torch: Any) -> bool:
    if isinstance(value, torch.device):
        return bool(value.type == "cuda")
    return isinstance(value, str) and (value == "cuda" or value.startswith("cuda:"))


def _mode_of(torch: Any) -> Any:
    overrides = importlib.import_module("torch.overrides")

    class OnCpu(overrides.TorchFunctionMode):  # type: ignore[misc, name-defined]
        """Devices among the arguments of PyTorch's functions are the CPU."""

        def __torch_function__(self, function: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
            def one(value: Any) -> Any:
                return "cpu" if _is_gpu(value, torch) else value

            if function is torch.Tensor.cuda:
                return args[0]
            return function(*map(one, args), **{name: one(value) for name, value in (kwargs or {}).items()})

    return OnCpu()


def _calls(arch: int, properties: dict[str, int]) -> dict[str, Any]:
    """What torch.cuda is asked, and the answers of the one device that there is."""
    capability = (arch // 10, arch % 10)
    told = SimpleNamespace(
        name="libtma's emulator", major=capability[0], minor=capability[1], total_memory=141 * 2**30,
        multi_processor_count=properties["multiprocessor_count"], warp_size=properties["warpSize"],
        shared_memory_per_block_optin=properties["max_shared_mem"],
        shared_memory_per_multiprocessor=properties["max_shared_mem"] + 1024,
        regs_per_multiprocessor=properties["max_num_regs"], max_threads_per_multi_processor=2048)
    stream = SimpleNamespace(cuda_stream=0, synchronize=lambda: None)

    @contextlib.contextmanager
    def device(_: Any) -> Iterator[None]:
        yield

    return {
        "is_available": lambda: True, "device_count": lambda: 1, "current_device": lambda: 0,
        "get_device_capability": lambda _=None: capability, "get_device_name": lambda _=None: told.name,
        "get_device_properties": lambda _=None: told, "synchronize": lambda _=None: None,
        "set_device": lambda _: None, "current_stream": lambda _=None: stream, "device": device,
        "empty_cache": lambda: None, "is_bf16_supported": lambda *_: True,
    }


def on_cpu(arch: int, properties: dict[str, int]) -> Callable[[], None]:
    """PyTorch's device "cuda" is the CPU until what this returns is called; nothing without PyTorch."""
    try:
        torch = importlib.import_module("torch")
    except ImportError:
        return lambda: None
    calls = _calls(arch, properties)
    before = {name: getattr(torch.cuda, name) for name in calls}
    mode = _mode_of(torch)
    mode.__enter__()
    for name, call in calls.items():
        setattr(torch.cuda, name, call)

    def undo() -> None:
        for name, call in before.items():
            setattr(torch.cuda, name, call)
        mode.__exit__(None, None, None)

    return undo
