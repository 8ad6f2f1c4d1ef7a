# SPDX-License-Identifier: Apache-2.0
"""Refused encode calls with the Python line that made each, of whatever makes them: Triton, PyTorch,
CUTLASS, cuda.bindings. libtma-cuda.so sees the calls; ``python -m libtma watch PROGRAM`` brings it
into a process."""
from __future__ import annotations

import ctypes
import functools
import linecache
import os
import sys
import sysconfig
import threading
from collections.abc import Sequence
from dataclasses import dataclass
from types import FrameType
from typing import TYPE_CHECKING, Any

from . import _core
from ._shim import shim_path

if TYPE_CHECKING:
    from typing_extensions import Self

_TOLD = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_char_p, ctypes.c_uint32, ctypes.c_char_p,
                         ctypes.POINTER(ctypes.c_char), ctypes.c_size_t)
_HOW = ("libtma-cuda.so is not in this process: start it with `python -m libtma watch PROGRAM`, or with "
        "LD_PRELOAD=libtma.shim_path()")


_MOST_LINES = 3


@dataclass(frozen=True)
class Refusal:
    """One encode call that the driver, or what stands in for it, refused.

    Attributes
    ----------
    call : str
        "cuTensorMapEncodeTiled", "cuTensorMapEncodeIm2col" or "cuTensorMapEncodeIm2colWide".
    result : CUresult
        What it answered.
    where : str
        The Python line: "FILE:LINE in FUNCTION: SOURCE", and the two lines that led there; "" of a
        thread that runs no Python.
    line : str
        The call as a case line, which ``tma replay`` takes; "" where an argument could not be read.
    """

    call: str
    result: _core.CUresult
    where: str
    line: str

    @property
    def spec(self) -> dict[str, Any]:
        """The call's arguments as the driver counts: innermost first, strides in bytes."""
        return _core.read_case(self.line)[0]

    @property
    def findings(self) -> tuple[_core.Finding, ...]:
        """Every rule that the call breaks, refusals first."""
        return _core.read_case(self.line)[1]


@functools.cache
def _packages() -> tuple[str, ...]:
    """Folders whose lines a user did not write: the standard library, what pip installed, this one."""
    paths = sysconfig.get_paths()
    folders = {paths[name] for name in ("stdlib", "platstdlib", "purelib", "platlib")}
    return (*(os.path.join(folder, "") for folder in folders),
            os.path.join(os.path.dirname(os.path.abspath(__file__)), ""), "<frozen", "<string>")


def _words(frame: FrameType) -> str:
    name, line = frame.f_code.co_filename, frame.f_lineno
    source = linecache.getline(name, line).strip()
    return f"{name}:{line} in {frame.f_code.co_name}" + (f": {source}" if source else "")


def _where(innermost: FrameType | None) -> str:
    """The innermost line that a user wrote and those that called it; of a package that made the call
    for it, where it did."""
    if innermost is None:
        return ""
    own: list[FrameType] = []
    frame: FrameType | None = innermost
    while frame is not None and len(own) < _MOST_LINES:
        if not frame.f_code.co_filename.startswith(_packages()):
            own.append(frame)
        frame = frame.f_back
    if not own:
        return _words(innermost)
    by_way = own[0] is not innermost
    return _words(own[0]) + (
        f" (by way of {innermost.f_code.co_filename}:{innermost.f_lineno})" if by_way else "") + "".join(
        f", from {f.f_code.co_filename}:{f.f_lineno} in {f.f_code.co_name}" for f in own[1:])


class Watch:
    """What :func:`watch` gives.

    Attributes
    ----------
    refusals : list of Refusal
        In their order; the same call of the same line once.
    """

    def __init__(self) -> None:
        self.refusals: list[Refusal] = []
        self._seen: set[Refusal] = set()

    def __enter__(self) -> Self:
        with _lock:
            _watching.append(self)
            _hook(_callback())
        return self

    def __exit__(self, *raised: object) -> None:
        with _lock:
            _watching.remove(self)
            if not _watching:
                _hook(None)

    def _hear(self, refusal: Refusal) -> bool:
        if refusal in self._seen:
            return False
        self._seen.add(refusal)
        self.refusals.append(refusal)
        return True


_lock = threading.Lock()
_watching: list[Watch] = []


def _hook(told: Any) -> None:
    ctypes.CDLL(None).libtma_cuda_tell(told)


@functools.cache
def _callback() -> Any:
    """Kept for as long as the process runs: a call of another thread may be within it."""
    return _TOLD(_told)


def _told(call: bytes, result: int, line: bytes, where: Any, size: int) -> int:
    """Of one refused call, in the thread that made it; whether it is news."""
    refusal = Refusal(call.decode(), _core.CUresult(result), _where(sys._getframe(1)), line.decode())
    text = refusal.where.encode(errors="replace")[:size - 1].decode(errors="ignore").encode() + b"\0"
    ctypes.memmove(where, text, len(text))
    news = [watching._hear(refusal) for watching in tuple(_watching)]  # each of them hears it
    return int(any(news))


def watch() -> Watch:
    """Hears of each encode call that is refused within a ``with`` block, on all threads.

    Returns
    -------
    Watch
        ``with libtma.watch() as seen: ...``, then ``seen.refusals``. Each is reported on standard
        error, too, with its rules and the Python line that made it (LIBTMA_QUIET=1: not).

    Raises
    ------
    RuntimeError
        libtma-cuda.so is not in the process: ``python -m libtma watch PROGRAM`` starts one where it
        is.
    """
    if not hasattr(ctypes.CDLL(None), "libtma_cuda_tell"):
        raise RuntimeError(_HOW)
    return Watch()


_USAGE = """Usage: python -m libtma watch PROGRAM [ARGUMENT...]
       python -m libtma watch -m MODULE [ARGUMENT...]

Runs a Python program with libtma-cuda.so in its process: each tensor map encode call that the driver
refuses is said on standard error, with the rules that it breaks and the Python line that made it.
Where no driver is, libtma answers the calls in its place. LIBTMA_ARCH, LIBTMA_DRIVER, LIBTMA_QUIET
and LIBTMA_LOG count as with the library itself (program/shim/README.md)."""


_BEGIN = "import sys; from libtma import _watch; _watch.run(sys.argv[1:])"


def start(arguments: Sequence[str]) -> int:  # noqa: RET503  (execve does not return)
    """``python -m libtma watch``: this process becomes one with the library in it."""
    if not arguments or arguments[0] in ("-h", "--help") or (arguments[0] == "-m" and len(arguments) < 2):
        print(_USAGE, file=sys.stdout if arguments and arguments[0] != "-m" else sys.stderr)
        return 0 if arguments and arguments[0] != "-m" else 2
    library = str(shim_path())
    if any(sign in library for sign in " :"):
        raise FileNotFoundError(f"{library}: the loader splits LD_PRELOAD at blanks and colons: install "
                                "this package into a folder that has none in its name")
    before = os.environ.get("LD_PRELOAD")
    environment = {**os.environ, "LD_PRELOAD": f"{library}:{before}" if before else library}
    sys.stdout.flush()
    os.execve(sys.executable, [sys.executable, "-c", _BEGIN, *arguments], environment)


def run(arguments: list[str]) -> None:
    """The program of ``python -m libtma watch``, in the process that has the library."""
    import runpy
    with watch():
        if arguments[0] == "-m":
            sys.argv = arguments[1:]
            runpy.run_module(arguments[1], run_name="__main__", alter_sys=True)
        else:
            sys.argv = list(arguments)
            sys.path[0] = os.path.dirname(os.path.abspath(arguments[0]))
            runpy.run_path(arguments[0], run_name="__main__")
