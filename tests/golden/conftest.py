# SPDX-License-Identifier: Apache-2.0
"""--rebase (or REBASE=1 in the environment) writes the sessions as they go now; --part=quick leaves
out those that start hundreds of programs each, --part=longer takes them alone."""
import os

LONGER = {"check/other_targets", "decode/many_maps", "draw/edges", "draw/marks", "explain/rules_and_fields",
          "load/npy_headers", "load/ramps", "load/sums", "plan/grid", "ptx/modules", "ptx/sites", "replay/check",
          "robust/hostile_input", "store/files"}


def pytest_addoption(parser):
    parser.addoption("--rebase", action="store_true", default=os.environ.get("REBASE") == "1",
                     help="write the sessions anew; then read the difference")
    parser.addoption("--part", choices=["quick", "longer"], help="some of the sessions")


def pytest_collection_modifyitems(config, items):
    if part := config.getoption("part"):
        items[:] = [i for i in items if (part == "longer") == (i.name.partition("[")[2][:-1] in LONGER)]
