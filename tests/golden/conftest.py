# SPDX-License-Identifier: Apache-2.0
"""--rebase (or REBASE=1 in the environment) writes the sessions as they go now; --part=quick leaves
out those that start many programs each, --part=longer takes them alone (of TMA_TEST_SHARE one: drawn.py)."""
import os
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).parents[1] / "support"))
from drawn import drawn  # noqa: E402

LONGER = {"check/other_targets", "decode/many_maps", "decode/reads_languages", "decode/wrong_length", "draw/edges",
          "draw/files", "draw/marks", "encode/case_lines", "explain/rules_and_fields", "hang/broken_dumps",
          "hang/what_it_waits_for", "load/npy_files", "load/npy_headers", "load/npy_refused", "load/ramps",
          "load/sums", "mma/zero_mask", "paste/dumps", "plan/grid", "ptx/modules", "ptx/sites", "ptx/values",
          "replay/check", "robust/hostile_input", "robust/writes", "store/files"}


def pytest_addoption(parser):
    parser.addoption("--rebase", action="store_true", default=os.environ.get("REBASE") == "1",
                     help="write the sessions anew; then read the difference")
    parser.addoption("--part", choices=["quick", "longer"], help="some of the sessions")


def pytest_collection_modifyitems(config, items):
    if part := config.getoption("part"):
        taken = LONGER if part == "quick" else drawn(sorted(LONGER))
        items[:] = [i for i in items if (part == "longer") == (i.name.partition("[")[2][:-1] in taken)]
