# SPDX-License-Identifier: Apache-2.0
"""Each generator of slow inputs: a text four times as long takes at most half as many instructions again for each byte (linear times
log: a tenth), and no text takes much memory. TMA_GENERATORS, a regular expression, says which: all."""
import os
import re
import shutil

import generators
import pytest

SMALL_B, TIMES = 25_000, 4
MOST_GROWTH, MOST_MEMORY_B = 1.5, 256  # quadratic: 4
# What still grows, and how much; docs/evidence/fuzzing.md has the sizes at which each ends to.
GROWS = {}


def test_there_are_sixty():
    assert len(generators.GENERATORS) >= 60
    assert {name.split(": ")[0] for name in generators.GENERATORS} == {"ptx", "log", "dump", "launch"}


@pytest.mark.skipif(not shutil.which("valgrind"), reason="no valgrind")
@pytest.mark.parametrize("name", [name for name in generators.GENERATORS if re.search(os.environ.get("TMA_GENERATORS", ""), name)])
def test_nothing_grows_faster_than_its_input(name, tmp_path):
    (small, _), (large, memory_B) = (generators.measured(name, size_B, tmp_path) for size_B in (SMALL_B, TIMES * SMALL_B))
    print(f"{name}: {small:.0f} and {large:.0f} instructions, {memory_B:.0f} B for each byte")
    assert large < small * GROWS.get(name, MOST_GROWTH)
    assert memory_B < MOST_MEMORY_B
