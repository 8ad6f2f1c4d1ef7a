# SPDX-License-Identifier: Apache-2.0
"""--drawn: of each test's cases those that TMA_TEST_SHARE and TMA_TEST_SEED draw."""
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).parents[3] / "tests/support"))
from drawn_cases import pytest_addoption, pytest_collection_modifyitems  # noqa: E402, F401
