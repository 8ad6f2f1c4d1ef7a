# SPDX-License-Identifier: Apache-2.0
"""Which calls of libc's are refused: all with FAIL_ALL=1, else FAIL_SAMPLE of them, drawn by FAIL_SEED, and the first
ones of each function, since most calls are allocations."""
import os
import random

SAMPLE = int(os.environ.get("FAIL_SAMPLE", "40"))


def count_of(file):
    return int(file.read_text().split()[0])


def chosen(file):
    """Of the calls that fail_libc counted into the file."""
    calls, *first = map(int, file.read_text().split())
    if os.environ.get("FAIL_ALL") or calls <= SAMPLE:
        return range(1, calls + 1)
    return sorted({*first, *random.Random(int(os.environ.get("FAIL_SEED", "1"))).sample(range(1, calls + 1), SAMPLE)})
