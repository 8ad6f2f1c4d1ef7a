# SPDX-License-Identifier: Apache-2.0
"""Each generator of slow inputs: a text four times as long takes at most half as many instructions again for each byte (linear times
log: a fifth), and no text takes much memory. Of kernels each part spends from a budget (ptx_budget.def) that is in proportion to
larger files alone: what is bounded of all is the instructions, of those that are STEADY their growth, too. TMA_GENERATORS, a regular
expression, says which: all."""
import os
import re
import shutil

import generators
import pytest

SMALL_B, TIMES = 25_000, 4
MOST_GROWTH, MOST_MEMORY_B = 1.5, 256  # quadratic: 4
MOST_INSTRUCTIONS = 12_000  # of a kernel, for each byte
AT_MOST = {"ptx: barriers of peers": 2_000, "ptx: a variable for each load": 3_000, "ptx: a barrier for each load": 3_000}
STEADY = {"ptx: " + name for name in ("stores on ways apart", "made again", "tiles in registers", "syncs by name", "MMAs' descriptors",
                                      "local memory", "kernels", "functions that arrive", "branches anywhere", "a table of branches")}


def test_there_are_sixty():
    assert len(generators.GENERATORS) >= 60
    assert {name.split(": ")[0] for name in generators.GENERATORS} == {"ptx", "log", "dump", "launch"}


@pytest.mark.skipif(not shutil.which("valgrind"), reason="no valgrind")
@pytest.mark.parametrize("name", [name for name in generators.GENERATORS if re.search(os.environ.get("TMA_GENERATORS", ""), name)])
def test_nothing_grows_faster_than_its_input(name, tmp_path):
    (small, _), (large, memory_B) = (generators.measured(name, size_B, tmp_path) for size_B in (SMALL_B, TIMES * SMALL_B))
    print(f"{name}: {small:.0f} and {large:.0f} instructions, {memory_B:.0f} B for each byte")
    if name.startswith("ptx: "):
        assert large < AT_MOST.get(name, MOST_INSTRUCTIONS)
    if name in STEADY or not name.startswith("ptx: "):
        assert large < small * MOST_GROWTH
    assert memory_B < MOST_MEMORY_B
