# SPDX-License-Identifier: Apache-2.0
"""A project's Triton tests without a GPU.

``pytest --libtma=H200``, ``--libtma=B200``: in Triton's interpreter as that GPU. Every descriptor of
every kernel is then a tensor map of it (docs/triton.md), and TRITON_INTERPRET is set before a kernel is
read. The fixture ``libtma_triton`` does so for one test.

``pytest --libtma=emulate``, ``--libtma=emulate:sm_90a``: compiled for that architecture, and the PTX
executed (docs/emulator.md). A launch that races, hangs, traps or ends early fails its test. PyTorch's
device "cuda" is the CPU there.
"""
from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from .triton import Emulation, Installation

_EMULATE = "emulate"


def _arch_of(option: str) -> str | None:
    """The architecture of ``emulate[:ARCH]``; None: another option."""
    word, _, arch = option.partition(":")
    return (arch or "sm_90a") if word == _EMULATE else None


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.getgroup("libtma").addoption(
        "--libtma", metavar="GPU", help="run Triton's interpreter as this GPU: H200, B200, sm_100a ...; "
        "or emulate[:ARCH]: compile Triton's kernels and execute their PTX")


@pytest.hookimpl(tryfirst=True)
def pytest_load_initial_conftests(early_config: pytest.Config) -> None:
    """Before any file of the project is imported: Triton reads it at each ``@triton.jit``."""
    gpu = early_config.known_args_namespace.libtma
    if gpu and _arch_of(gpu) is None:
        os.environ["TRITON_INTERPRET"] = "1"


def pytest_configure(config: pytest.Config) -> None:
    gpu = config.getoption("libtma")
    if gpu:
        try:
            arch = _arch_of(gpu)
            if arch is not None:
                from .triton import emulate
                config.stash[_EMULATION] = emulate(arch, check="certain", torch_on_cpu=True)
            else:
                from .triton import install
                config.stash[_INSTALLED] = install(target=gpu)
        except (ImportError, ValueError) as error:
            raise pytest.UsageError(f"--libtma={gpu}: {error}") from None


def pytest_unconfigure(config: pytest.Config) -> None:
    installed = config.stash.get(_INSTALLED, None)
    if installed is not None:
        installed.remove()
    emulation = config.stash.get(_EMULATION, None)
    if emulation is not None:
        emulation.stop()


def pytest_report_header(config: pytest.Config) -> str | None:
    gpu = config.getoption("libtma")
    if not gpu:
        return None
    arch = _arch_of(gpu)
    return f"libtma: Triton's interpreter as {gpu}" if arch is None else (
        f"libtma: Triton's PTX for {arch} executed")


def pytest_sessionfinish(session: pytest.Session) -> None:
    """A worker of pytest-xdist hands its counts to the run that started it."""
    emulation: Emulation | None = session.config.stash.get(_EMULATION, None)
    if emulation is not None and hasattr(session.config, "workeroutput"):
        session.config.workeroutput["libtma"] = [emulation.ends, emulation.found]


@pytest.hookimpl(optionalhook=True)
def pytest_testnodedown(node: Any, error: Any) -> None:
    node.config.stash.setdefault(_OF_WORKERS, []).append(getattr(node, "workeroutput", {}).get("libtma"))


def pytest_terminal_summary(terminalreporter: Any, config: pytest.Config) -> None:
    emulation: Emulation | None = config.stash.get(_EMULATION, None)
    if emulation is None:
        return
    ends, found = Counter(emulation.ends), Counter(emulation.found)
    of_workers = config.stash.get(_OF_WORKERS, [])
    for counts in filter(None, of_workers):
        ends.update(counts[0])
        found.update(counts[1])
    said = [
        ", ".join(f"{count} {word}" for word, count in counts.items()) or "none"
        for counts in (ends, found)
    ]
    lost = of_workers.count(None)
    terminalreporter.write_line(f"libtma: launches: {said[0]}; findings: {said[1]}" + (
        f"; not counted: those of {lost} worker{'s' * (lost > 1)} that died" if lost else ""))


@pytest.fixture
def libtma_triton(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[..., Installation]]:
    """Triton's interpreter as a GPU, for one test.

    Returns
    -------
    callable
        ``libtma_triton("B200")`` installs, as :func:`libtma.triton.install` does; afterwards what was
        installed before is there again. Kernels that are read before it has been called are none of
        the interpreter's, unless TRITON_INTERPRET=1 was set.
    """
    from . import triton
    before = triton.installed()
    target = before.target if before is not None else None
    monkeypatch.setenv("TRITON_INTERPRET", "1")

    def as_gpu(target: Any = None) -> Installation:
        return triton.install(target)

    yield as_gpu
    if before is None:
        triton.uninstall()
    else:
        triton.install(target)


_INSTALLED = pytest.StashKey[Any]()
_EMULATION = pytest.StashKey[Any]()
_OF_WORKERS = pytest.StashKey[list[Any]]()
