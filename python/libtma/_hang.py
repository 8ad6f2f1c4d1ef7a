# SPDX-License-Identifier: Apache-2.0
"""GPU core dumps of kernels that hang."""
from __future__ import annotations

import gzip
import json
import os
import shutil
import tempfile
import zlib
from dataclasses import dataclass
from typing import Any

from . import _core

__all__ = ["Barrier", "Hang", "HangKernel", "HangMap", "HangWait", "hang"]

Three = tuple[int, int, int]


@dataclass(frozen=True)
class Barrier:
    """An mbarrier's word in shared memory, as the dump has it."""

    address: int  # in the CTA's shared window
    word: int
    parity: int  # of the phase that is open
    count: int  # arrivals that each phase takes
    arrivals_missing: int
    bytes_missing: int  # below 0: more came than were expected
    likely: bool  # False: no mbarrier.init left such a word
    kernel: int  # its number in Hang.kernels; len(kernels): of none that was read
    ctas: int = 0  # that have this word there, where nobody waits for it
    first_cta: Three = (0, 0, 0)


@dataclass(frozen=True)
class HangWait:
    """Warps that are at one place and wait for one thing."""

    does: str  # "wait at an mbarrier", "read global memory again and again", ...
    waits: bool  # an mbarrier keeps them
    sure: bool  # False: the registers that name the barrier may have changed
    barrier: Barrier | None  # where they wait at an mbarrier whose word is in the dump
    parity: int  # that they wait for
    function: str
    offset: int  # of the instruction in it, in bytes
    file: str  # "" without line numbers (-lineinfo)
    line: int
    inlined_into: tuple[tuple[str, int], ...]  # files and lines, the nearest first
    kernel: int
    ctas: int
    warps: int
    lanes: int
    first_cta: Three
    first_thread: Three


@dataclass(frozen=True)
class HangMap:
    """A tensor map in a kernel's parameters, or in its constants."""

    spec: dict[str, Any]
    copy_bytes: int  # that one copy of its box brings
    findings: tuple[str, ...]  # rules that it breaks
    offset: int  # in the parameters, or in the constants
    in_constants: bool
    kernel: int


@dataclass(frozen=True)
class HangKernel:
    """A kernel that ran."""

    device: int  # its number in the dump
    sm: int  # 90 of sm_90
    id: int
    grid: Three
    block: Three


@dataclass(frozen=True)
class Hang:
    """What a GPU core dump shows: the verdict first, then what it stands on. ``str()`` is what
    ``tma hang`` prints.

    Parameters
    ----------
    verdict : str
    waits : tuple of HangWait
        The first is what the verdict names.
    beside : tuple of Barrier
        Barriers near to those, at which nobody waits.
    maps : tuple of HangMap
    kernels : tuple of HangKernel
    ctas, warps : int
    version : int
        Of the dump.
    version_known : bool
        False: another driver's, whose dumps nobody tried.
    sections_damaged : int
    text : str
    """

    verdict: str
    waits: tuple[HangWait, ...]
    beside: tuple[Barrier, ...]
    maps: tuple[HangMap, ...]
    kernels: tuple[HangKernel, ...]
    ctas: int
    warps: int
    version: int
    version_known: bool
    sections_damaged: int
    text: str

    @property
    def hangs(self) -> bool:
        """Whether an mbarrier keeps a warp."""
        return any(wait.waits for wait in self.waits)

    def __str__(self) -> str:
        return self.text


def _three(numbers: list[int]) -> Three:
    return numbers[0], numbers[1], numbers[2]


def _barrier(said: dict[str, Any], kernel: int) -> Barrier:
    return Barrier(int(said["at"], 16), int(said["word"], 16), said["parity"], said["arrivals"],
                   said["arrivals_missing"], said["bytes_missing_B"], said["likely"], kernel,
                   said.get("ctas", 0), _three(said.get("first_cta", [0, 0, 0])))


def _wait(said: dict[str, Any]) -> HangWait:
    at = said.get("barrier", {})
    return HangWait(said["does"], at.get("waits", False), at.get("sure", True),
                    _barrier(at, said["grid_index"]) if "word" in at else None, at.get("wait_parity", 0),
                    said["function"], said["offset_B"], said["file"], said["line"],
                    tuple((call["file"], call["line"]) for call in said["inlined_into"]), said["grid_index"],
                    said["ctas"], said["warps"], said["lanes"], _three(said["first_cta"]),
                    _three(said["first_thread"]))


def _map(said: dict[str, Any]) -> HangMap:
    in_constants = "constant_B" in said
    return HangMap(said["spec"], said["copy_B"], tuple(finding["rule"] for finding in said["findings"]),
                   said["constant_B" if in_constants else "parameter_B"], in_constants, said["grid_index"])


def _hang(said: dict[str, Any]) -> Hang:
    kernels = tuple(
        HangKernel(k["device"], k["sm"], k["grid_id"], _three(k["grid_dim"]), _three(k["block_dim"]))
        for k in said["grids"])
    barriers = tuple(_barrier(w, w["grid_index"]) for w in said["words"])
    return Hang(said["verdict"], tuple(_wait(w) for w in said["places"]), barriers,
                tuple(_map(m) for m in said["maps"]), kernels, said["ctas"], said["warps"],
                said["dump_version"], said["version_known"], said["sections_damaged"], said["text"])


def hang(core: str | os.PathLike[str]) -> Hang:
    """Says why a kernel hangs, out of its GPU core dump: at which mbarrier it waits, what the
    mbarrier lacks, which warps wait where, and what the maps in the kernel's parameters bring.

    Parameters
    ----------
    core : path
        The dump, plain or packed by gzip (``tma run-hang`` gets one; ``tma hang --help`` says how
        without it). It is read piece by piece, in constant memory.

    Returns
    -------
    Hang
        The verdict, and what it stands on.

    Raises
    ------
    OSError
        If the file cannot be opened or unpacked.
    ValueError
        If it is no GPU core dump, cut off, or its gzip is damaged.
    """
    path = os.fspath(core)
    with open(path, "rb") as file:
        packed = file.read(2) == b"\x1f\x8b"
    if not packed:
        return _hang(json.loads(_core.hang(path, path)))
    with tempfile.TemporaryDirectory(prefix="libtma-") as folder:  # mode 0700: it holds a program's memory
        plain = os.path.join(folder, "core")
        try:
            with gzip.open(path, "rb") as file, open(plain, "wb") as to:
                head = file.read(4)
                to.write(head)
                if head == b"\x7fELF":  # else it is enough to say so: what comes may have no end
                    shutil.copyfileobj(file, to, 1 << 20)
        except EOFError as error:
            raise ValueError(f"{path}: its gzip is cut off") from error
        except (gzip.BadGzipFile, zlib.error) as error:
            raise ValueError(f"{path}: its gzip is damaged: {error}") from error
        return _hang(json.loads(_core.hang(plain, path)))
