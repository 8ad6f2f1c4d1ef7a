# SPDX-License-Identifier: Apache-2.0
"""A project's Triton tests in the interpreter as a GPU: ``pytest --libtma=H200``, ``--libtma=B200``.

Every descriptor of every kernel is then a tensor map of that GPU (docs/triton.md), and TRITON_INTERPRET
is set before a kernel is read. The fixture ``libtma_triton`` does so for one test.
"""
from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from .triton import Installation


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.getgroup("libtma").addoption(
        "--libtma", metavar="GPU", help="run Triton's interpreter as this GPU: H200, B200, sm_100a ...")


@pytest.hookimpl(tryfirst=True)
def pytest_load_initial_conftests(early_config: pytest.Config) -> None:
    """Before any file of the project is imported: Triton reads it at each ``@triton.jit``."""
    if early_config.known_args_namespace.libtma:
        os.environ["TRITON_INTERPRET"] = "1"


def pytest_configure(config: pytest.Config) -> None:
    gpu = config.getoption("libtma")
    if gpu:
        try:
            from .triton import install
            config.stash[_INSTALLED] = install(target=gpu)
        except (ImportError, ValueError) as error:
            raise pytest.UsageError(f"--libtma={gpu}: {error}") from None


def pytest_unconfigure(config: pytest.Config) -> None:
    installed = config.stash.get(_INSTALLED, None)
    if installed is not None:
        installed.remove()


def pytest_report_header(config: pytest.Config) -> str | None:
    gpu = config.getoption("libtma")
    return f"libtma: Triton's interpreter as {gpu}" if gpu else None


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
