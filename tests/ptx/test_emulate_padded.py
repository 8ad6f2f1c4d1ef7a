# SPDX-License-Identifier: Apache-2.0
"""Reads of a variable that nothing else touches change nothing of what `tma emulate` reports of a pair: the same end, the same
rules. TMA_PADDED_PAIRS says how many pairs are drawn (make long: all, with each number of reads)."""
import os
import random

import pytest
from pairs import ALL, PADS, noted, padded, sides
from test_ptx_pairs import executed

COUNT = min(int(os.environ.get("TMA_PADDED_PAIRS", "24")), len(ALL))
SEED = 1
# each lost or gained a rule or had another end where a turn was so many instructions
ONCE_MOVED = ["no try before the first read", "the first wait of a ring has parity 1", "a scheduler's answer is read with no wait"]
DRAWN = ONCE_MOVED + random.Random(SEED).sample([name for name in ALL if name not in ONCE_MOVED], COUNT - len(ONCE_MOVED))


def reported(text, launch):
    answer, rules = executed(text, launch)
    return answer["end"], rules


@pytest.mark.parametrize("name", DRAWN)
def test_the_same_is_reported(name):
    kernel = ALL[name][2]
    launch = dict(noted(kernel))["launch"]
    counts = PADS if len(DRAWN) == len(ALL) else [1000]
    for side in sides(kernel):
        assert {reported(padded(side, count), launch) for count in counts} == {reported(side, launch)}
