# SPDX-License-Identifier: Apache-2.0
"""Kernels that were slow, or took much memory, and some by chance (slow_ptx.py): instructions and bytes for each byte of them."""
import random
import shutil

import pytest
import slow_ptx

MOST_INSTRUCTIONS = 50000  # of 40 kB; bounds are in proportion to a file from there on
MOST_MEMORY_B = 256
SHAPES = {
    # a load and a wait in each of loops that stand in each other: 54 kB took minutes (n^4)
    "nested loops": ("loops", 10000, [("expect", 0, 0), ("load", 0, 0), ("wait", 0, 0)]),
    # stores on ways that others do not take, whose findings each look for a way: 240 kB took 13 s (n^3)
    "stores on ways apart": ("repeat", 10000, [("branch", 1, [("write", 0, 3), ("store", 0, 0)])]),
    # barriers at addresses that are not known, each held against each: 965 kB took 3 GB (n^2)
    "barriers in registers": ("repeat", 10000, [("unknown bar", 0, 0), ("init", 3, 0), ("expect", 3, 0), ("load", 3, 0), ("wait", 3, 0)]),
    "one barrier": ("repeat", 10000, [("expect", 0, 0), ("load", 0, 0), ("wait", 0, 0), ("read", 0, 0)]),
    "loops one behind the other": ("repeat", 10000, [("loops", 1, [("load", 1, 1), ("read", 0, 1), ("arrive", 1, 0)])]),
    "a barrier for each load": ("repeat", 10000, [("expect", 1, 1), ("load", 1, 1), ("wait", 1, 1), ("read", 1, 1)]),
    "made again": ("repeat", 10000, [("init", 0, 0), ("sync", 0, 0), ("load", 0, 0), ("wait", 0, 0), ("invalidate", 0, 0)]),
}
# each act was held against barriers that had ended long before: 150 kB took 2.4 times as many instructions for each byte as 40 kB;
# of each pair of acts it was asked anew who runs them, and where: 3.4 times as many
# each barrier was looked for among all acts: 2.7 times as many
MOST_GROWTH = {"a barrier for each load": 2, "made again": 2, "loops one behind the other": 2.5}
SHAPES |= {f"seed {seed}": slow_ptx.random_tree(random.Random(seed)) for seed in range(6)}


@pytest.mark.skipif(not shutil.which("valgrind"), reason="no valgrind")
@pytest.mark.parametrize("name", SHAPES)
def test_time_and_memory_are_in_proportion(name):
    memory_B = slow_ptx.memory_for_each_byte(slow_ptx.kernel(SHAPES[name], 400000))
    assert memory_B < MOST_MEMORY_B, memory_B
    spent = slow_ptx.instructions_for_each_byte(slow_ptx.kernel(SHAPES[name], 40000))
    print(f"{name}: {spent:.0f} instructions, {memory_B:.0f} B for each byte")
    assert spent < MOST_INSTRUCTIONS, spent
    if name in MOST_GROWTH:
        growth = slow_ptx.instructions_for_each_byte(slow_ptx.kernel(SHAPES[name], 150000)) / spent
        assert growth < MOST_GROWTH[name], growth
