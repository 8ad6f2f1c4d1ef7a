# SPDX-License-Identifier: Apache-2.0
"""A sample of what a test has too many of, for a test that takes minutes: of TMA_TEST_SHARE cases one, drawn by
TMA_TEST_SEED. Without the first, as in make long and alone, all. A conftest.py that takes the hooks from here has the
option --drawn: of each test the cases that are drawn, at least one."""
import itertools
import os
import zlib

SHARE = int(os.environ.get("TMA_TEST_SHARE") or 1)
SEED = os.environ.get("TMA_TEST_SEED", "")


def is_drawn(name):
    return zlib.crc32(f"{SEED} {name}".encode()) % SHARE == 0


def drawn(names):
    """Those that are drawn, in their order; the first one if none is."""
    every = list(names)
    return [name for name in every if is_drawn(name)] or every[:1]


def pytest_addoption(parser):
    parser.addoption("--drawn", action="store_true", help="of each test's cases those that are drawn")


def pytest_collection_modifyitems(config, items):
    if config.getoption("drawn"):
        tests = [(name, {i.nodeid: i for i in cases})
                 for name, cases in itertools.groupby(items, lambda i: i.nodeid.partition("[")[0])]
        items[:] = [cases[name] for _, cases in tests for name in drawn(cases)]
