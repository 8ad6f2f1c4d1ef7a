# SPDX-License-Identifier: Apache-2.0
"""A conftest.py that takes the hooks from here has the option --drawn: of each test the cases that are drawn (drawn.py),
at least one."""
import itertools

import pytest
from drawn import drawn


def pytest_addoption(parser):
    parser.addoption("--drawn", action="store_true", help="of each test's cases those that are drawn")


@pytest.hookimpl(trylast=True)  # of what -k leaves
def pytest_collection_modifyitems(config, items):
    if config.getoption("drawn"):
        tests = [(name, {i.nodeid: i for i in cases})
                 for name, cases in itertools.groupby(items, lambda i: i.nodeid.partition("[")[0])]
        taken = [cases[name] for _, cases in tests for name in drawn(cases)]
        config.hook.pytest_deselected(items=[i for i in items if i not in taken])
        items[:] = taken
