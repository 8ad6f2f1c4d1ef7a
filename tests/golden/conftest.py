# SPDX-License-Identifier: Apache-2.0
"""--rebase (or REBASE=1 in the environment) writes the sessions as they go now."""
import os


def pytest_addoption(parser):
    parser.addoption("--rebase", action="store_true", default=os.environ.get("REBASE") == "1",
                     help="write the sessions anew; then read the difference")
