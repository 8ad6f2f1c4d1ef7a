# SPDX-License-Identifier: Apache-2.0
"""A sample of what a test has too many of, for a test that takes minutes: of TMA_TEST_SHARE cases one, drawn by
TMA_TEST_SEED. Without the first, as in make long and alone, all."""
import os
import zlib

SHARE = int(os.environ.get("TMA_TEST_SHARE") or 1)
SEED = os.environ.get("TMA_TEST_SEED", "")


def is_drawn(name):
    return zlib.crc32(f"{SEED} {name}".encode()) % SHARE == 0


def drawn(names):
    """Those that are drawn, in their order; the first one if none is."""
    every = list(names)
    return [name for name in every if is_drawn(name)] or every[:1]
