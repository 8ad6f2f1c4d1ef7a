# SPDX-License-Identifier: Apache-2.0
"""A short search for slow inputs (slow_inputs.py), the same each time: a text that is four times as long takes at most half
as many instructions again for each byte, and no text takes much memory."""
import shutil

import pytest
import slow_inputs

SEED, COUNT = 8, 2  # 8: loops in each other, whose joins once took the square of them
MOST_GROWTH, MOST_MEMORY_B = 1.5, 1000  # quadratic: 4


@pytest.mark.skipif(not shutil.which("valgrind"), reason="no valgrind")
@pytest.mark.parametrize("target", slow_inputs.TARGETS)
def test_nothing_is_slow(target, tmp_path):
    found = list(slow_inputs.search(target, SEED, COUNT, tmp_path))
    assert len(found) == COUNT
    for grows, each, bytes_each, tree in found:
        print(f"{grows:.2f} times, {each:.0f} instructions and {bytes_each:.0f} B for each byte: {tree}")
    assert max(f[0] for f in found) < MOST_GROWTH
    assert max(f[2] for f in found) < MOST_MEMORY_B
