# SPDX-License-Identifier: Apache-2.0
"""A driver for Triton's own JIT: kernels are compiled as for the GPU and their PTX is executed here.

Read in Triton 3.6 to 3.9: what ``triton.runtime`` asks of a driver, what its launcher passes. Triton is
imported by :func:`emulate`, not before.
"""
from __future__ import annotations

import atexit
import functools
import importlib
import itertools
import re
import struct
from collections import Counter, deque
from collections.abc import Callable, Iterator
from typing import Any

from . import _core
from . import emulate as _emulate
from ._torch_cpu import on_cpu

_WARP = 32
_KEPT = 256  # results: each has a row for each of its kernel's instructions
_SCALARS = ("i1", "u1", "i8", "u8", "i16", "u16", "i32", "u32", "i64", "u64")
_H200 = {"max_shared_mem": 232448, "max_num_regs": 65536, "multiprocessor_count": 132, "warpSize": 32,
         "sm_clock_rate": 1980000, "mem_clock_rate": 3201000, "mem_bus_width": 6144}


class _Interface:
    """What triton.testing asks of torch.cuda."""

    @staticmethod
    def synchronize() -> None:
        """All launches have ended when they return."""


@functools.lru_cache(maxsize=16)
def _module(ptx: bytes) -> _emulate.Module:
    """A kernel decoded; not all of a program's at once: each keeps the memory of its last launch."""
    return _emulate.Module(ptx)


class _Utils:
    def __init__(self) -> None:
        self.modules: dict[int, tuple[bytes, str]] = {}
        self.handles = itertools.count(1)

    def load_binary(self, name: str, kernel: bytes | str, shared: int, device: int) -> tuple[int, ...]:
        handle = next(self.handles)
        self.modules[handle] = (kernel.encode() if isinstance(kernel, str) else bytes(kernel), name)
        return handle, handle, 0, 0, 1024

    def unload_module(self, handle: int) -> None:
        self.modules.pop(handle, None)

    def get_device_properties(self, device: int) -> dict[str, int]:
        return dict(_H200)

    def set_printf_fifo_size(self, size: int) -> None:
        """What kernels print comes out at once."""

    def cuOccupancyMaxActiveClusters(self, *_: Any) -> int:
        return _H200["multiprocessor_count"]


def _encode(desc: Any, meta: dict[str, Any], arch: str) -> bytes:
    from ._descriptor import TensorMapDescriptor

    return bytes(TensorMapDescriptor.from_triton(desc, meta=meta, target=arch))


def _bits(value: Any, kind: str) -> int | float | bytes:
    """A scalar argument as the launcher packs it."""
    if kind in _SCALARS:
        return int(value)
    if kind == "fp16":
        return struct.pack("<e", value)
    if kind == "bf16":
        return struct.pack("<f", value)[2:]
    return struct.pack("<d" if kind == "fp64" else "<f", value)


class _Launcher:
    """Stands for the launcher that Triton compiles in C for each signature."""

    driver: Any = None

    def __init__(self, src: Any, metadata: Any) -> None:
        self.signature = list(src.signature.values())
        self.metadata = metadata
        self.descriptors = getattr(metadata, "tensordesc_meta", None)

    def _values(self, kind: Any, value: Any, metas: Iterator[Any], tensors: list[Any]) -> Iterator[Any]:
        if isinstance(kind, tuple):
            for inner, one in zip(kind, value, strict=True):
                yield from self._values(inner, one, metas, tensors)
        elif kind == "constexpr":
            return
        elif kind.startswith("tensordesc"):
            yield from self._descriptor(value, next(metas, None), tensors)
        elif kind[0] == "*":
            if value is not None and not isinstance(value, int):
                tensors.append(value)
            yield value
        elif kind == "nvTmaDesc":
            yield bytes(value)
        else:
            yield _bits(value, kind)

    def _descriptor(self, desc: Any, meta: Any, tensors: list[Any]) -> Iterator[Any]:
        shape, strides = [int(n) for n in desc.shape], [int(n) for n in desc.strides]
        tensors.append(desc.base)
        if meta is None:
            yield desc.base
            yield from shape + strides
            yield int(desc.padding == "nan")
        else:
            yield _encode(desc, meta, self.driver.arch)
        yield from shape + strides

    def __call__(self, x: int, y: int, z: int, stream: int, function: int, *rest: Any) -> None:
        _packed, launch_metadata, enter, leave, *args = rest
        if x * y * z == 0:
            return
        if enter is not None:
            enter(launch_metadata)
        ptx, name = self.driver.utils.modules[function]
        module = _module(ptx)
        tensors: list[Any] = []
        metas = iter(self.descriptors or ())
        values = [one for kind, value in zip(self.signature, args, strict=True)
                  for one in self._values(kind, value, metas, tensors)]
        ctas = int(getattr(self.metadata, "num_ctas", 1))
        for size in ("global_scratch_size", "profile_scratch_size"):
            scratch = self._scratch(int(getattr(self.metadata, size, 0) or 0) * x * y * z * ctas)
            values.append(scratch)
            if scratch is not None:
                tensors.append(scratch)
        values = values[:len(module._emulator.parameters(name))]
        self.driver.launched(module.launch(
            name, (x * ctas, y, z), _WARP * int(self.metadata.num_warps), values, memory=tensors,
            cluster=(ctas, 1, 1), shared=int(self.metadata.shared), check=False, **self.driver.options),
            name)
        if leave is not None:
            leave(launch_metadata)

    @staticmethod
    def _scratch(size_B: int) -> Any:
        if not size_B:
            return None
        import numpy as np

        room = np.zeros(size_B + 128, np.uint8)
        start = -room.__array_interface__["data"][0] % 128
        return room[start:start + size_B]


def _driver_of(base: type, name: str, arch: int, target_of: Callable[..., Any], options: dict[str, Any],
               check: bool | str) -> Any:
    class EmulatedDriver(base):  # type: ignore[misc]
        def __init__(self) -> None:
            self.utils = _Utils()
            self.arch = name  # of the maps that launches encode
            self.options = options
            self.results: deque[tuple[str, _emulate.Result]] = deque(maxlen=_KEPT)
            self.ends, self.found = Counter[str](), Counter[str]()
            self.launcher_cls = type("Launcher", (_Launcher,), {"driver": self})

        @staticmethod
        def is_active() -> bool:
            return True

        def launched(self, result: _emulate.Result, name: str) -> None:
            self.results.append((name, result))
            self.ends[result.end] += 1
            self.found.update(f.rule for f in result.findings)
            if result.printed:
                print(result.printed, end="")
            result.raise_unless_right(name, check)

        def map_python_to_cpp_type(self, ty: str) -> str:
            return ty

        def get_current_target(self) -> Any:
            return target_of("cuda", arch, _WARP)

        def get_current_device(self) -> int:
            return 0

        def set_current_device(self, device: int) -> None:
            """There is one."""

        def get_current_stream(self, device: int) -> int:
            return 0

        def get_device_capability(self, device: int = 0) -> tuple[int, int]:
            return arch // 10, arch % 10

        def get_device_interface(self) -> Any:
            return _Interface

        def get_active_torch_device(self) -> Any:
            return importlib.import_module("torch").device("cpu")

        def get_benchmarker(self) -> Any:
            return lambda kernel, **_: (kernel(), [0.0, 0.0, 0.0])[1]

        def get_empty_cache_for_benchmark(self) -> Any:
            return None

        def clear_cache(self, cache: Any) -> None:
            """There is none."""

    return EmulatedDriver()


def _text_of_ptx(kernel: type) -> Callable[[], None]:
    """``asm["ptx"]`` of a compiled kernel is text, though it is what is loaded, too."""
    init = kernel.__init__  # type: ignore[misc]

    @functools.wraps(init)
    def inited(self: Any, *args: Any, **kwargs: Any) -> None:
        init(self, *args, **kwargs)
        if isinstance(self.asm.get("ptx"), bytes):
            self.asm["ptx"] = self.asm["ptx"].decode()

    def undo() -> None:
        kernel.__init__ = init  # type: ignore[misc]

    kernel.__init__ = inited  # type: ignore[misc]
    return undo


def _ends_in_ptx(backend: type) -> Callable[[], None]:
    """Compilation stops at PTX: no ptxas is needed. Returns what undoes it."""
    init, add_stages, digest = backend.__init__, backend.add_stages, backend.hash  # type: ignore[misc, attr-defined]

    @functools.wraps(init)
    def inited(self: Any, *args: Any, **kwargs: Any) -> None:
        init(self, *args, **kwargs)
        self.binary_ext = "ptx"

    @functools.wraps(add_stages)
    def added(self: Any, stages: dict[str, Any], *args: Any, **kwargs: Any) -> None:
        add_stages(self, stages, *args, **kwargs)
        stages.pop("cubin", None)

    backend.__init__, backend.add_stages = inited, added  # type: ignore[misc, attr-defined]
    backend.hash = lambda self: f"libtma-{_core.__version__}-{self.target.arch}"  # type: ignore[attr-defined]

    def undo() -> None:
        backend.__init__, backend.add_stages, backend.hash = init, add_stages, digest  # type: ignore[misc, attr-defined]

    return undo


class Emulation:
    """Triton's kernels run here until :meth:`stop`, or to the end of a ``with``."""

    def __init__(self, driver: Any, undo: list[Callable[[], None]]) -> None:
        self.driver, self._undo = driver, undo

    @property
    def results(self) -> list[tuple[str, _emulate.Result]]:
        """Kernel and result of each launch, the last 256."""
        return list(self.driver.results)

    @property
    def ends(self) -> dict[str, int]:
        """How many of all launches came to which end: "completed" ..."""
        return dict(self.driver.ends)

    @property
    def found(self) -> dict[str, int]:
        """How many findings of all launches have which rule."""
        return dict(self.driver.found)

    def stop(self) -> None:
        """Triton has its own driver again."""
        for undo in reversed(self._undo):
            undo()
        self._undo = []

    def __enter__(self) -> Emulation:
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()


_array_class: Any = None


def _array_type() -> Any:
    global _array_class
    if _array_class is not None:
        return _array_class
    import numpy as np

    class Array(np.ndarray):
        """A NumPy array under the names that Triton asks a tensor for."""

        def data_ptr(self) -> int:
            return int(self.__array_interface__["data"][0])

        def stride(self, axis: int | None = None) -> Any:
            steps = tuple(step // self.itemsize for step in self.strides)
            return steps if axis is None else steps[axis]

    _array_class = Array
    return Array


def as_array(array: Any) -> Any:
    """The same memory under the names that Triton asks a tensor for, for its TensorDescriptor.

    Parameters
    ----------
    array : numpy.ndarray

    Returns
    -------
    numpy.ndarray
    """
    return array.view(_array_type())


def _takes_arrays(jit: Any) -> Callable[[], None]:
    """NumPy arrays as arguments: Triton asks tensors for data_ptr()."""
    import numpy as np

    def one(value: Any) -> Any:
        return as_array(value) if type(value) is np.ndarray else value

    run = jit.run

    @functools.wraps(run)
    def run_with(self: Any, *args: Any, **kwargs: Any) -> Any:
        return run(self, *map(one, args), **{name: one(value) for name, value in kwargs.items()})

    jit.run = run_with

    def undo() -> None:
        jit.run = run

    return undo


def emulate(arch: str = "sm_90a", *, check: bool | str = True, torch_on_cpu: bool = False,
            **options: Any) -> Emulation:
    """Has Triton compile for ``arch`` and executes the compiled PTX on the arguments' memory.

    Parameters
    ----------
    arch : str
        "sm_90a", or another that Triton compiles for.
    check : bool or str
        Raise :class:`libtma.emulate.EmulationError` where a launch does not complete or has findings;
        "certain": certain ones.
    torch_on_cpu : bool
        PyTorch's device "cuda" is the CPU, too, and ``torch.cuda`` tells of an H200: for programs that
        put their tensors there.
    **options
        As :meth:`libtma.emulate.Module.launch` takes them: order, values, schedule, seed ...

    Returns
    -------
    Emulation
    """
    found = re.fullmatch(r"sm_(\d+)[af]?", arch)
    if not found:
        raise ValueError(f"arch: {arch!r}; it is such as 'sm_90a'")
    active = importlib.import_module("triton.runtime").driver
    compiler = importlib.import_module("triton.backends.compiler")
    drivers = importlib.import_module("triton.backends.driver")
    nvidia = importlib.import_module("triton.backends.nvidia.compiler")
    jit = importlib.import_module("triton.runtime.jit")
    driver = _driver_of(drivers.DriverBase, arch, int(found[1]), compiler.GPUTarget, options, check)
    made = importlib.import_module("triton.compiler.compiler").CompiledKernel
    undo = [_ends_in_ptx(nvidia.CUDABackend), _takes_arrays(jit.JITFunction), _text_of_ptx(made)]
    before = getattr(active, "_active", None)
    active.set_active(driver)
    undo.append(lambda: setattr(active, "_active", before))
    if torch_on_cpu:
        undo.append(on_cpu(int(found[1]), _H200))
    emulation = Emulation(driver, undo)
    atexit.register(emulation.stop)
    return emulation
