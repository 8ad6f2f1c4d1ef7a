# SPDX-License-Identifier: Apache-2.0
"""Which calls of libc's are refused: all with FAIL_ALL=1, else FAIL_SAMPLE of them, drawn by FAIL_SEED, and the first
ones of each function, since most calls are allocations."""
import atexit
import os
import pathlib
import random
import shutil
import tempfile

SAMPLE = int(os.environ.get("FAIL_SAMPLE", "40"))


def preloadable(path):
    """The path, or a link to it: LD_PRELOAD's names end at a blank."""
    if " " not in path:
        return path
    link = pathlib.Path(tempfile.mkdtemp()) / os.path.basename(path)
    link.symlink_to(path)
    atexit.register(shutil.rmtree, link.parent)
    return str(link)


def count_of(file):
    return int(file.read_text().split()[0])


def chosen(file, after=0):
    """Of the calls that fail_libc counted into the file, from the one after `after` on."""
    calls, *first = map(int, file.read_text().split())
    every = range(after + 1, calls + 1)
    if os.environ.get("FAIL_ALL") or len(every) <= SAMPLE:
        return every
    drawn = random.Random(int(os.environ.get("FAIL_SEED", "1"))).sample(every, SAMPLE)
    return sorted({*drawn, *(at for at in first if at > after)})
