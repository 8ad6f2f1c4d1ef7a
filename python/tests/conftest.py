# SPDX-License-Identifier: Apache-2.0
"""What the package's tests share: captured lines (tests/vectors), and how much is tried."""
import gzip
import os
import pathlib

from hypothesis import settings

ROOT = pathlib.Path(__file__).resolve().parents[2]
VECTORS = ROOT / "tests/vectors"
SPECS = int(os.environ.get("TMA_TEST_SPECS", "5000"))  # random specs beside cuda.bindings
BASE = 0x7F0000000000  # where the captured copies' global buffer is, 256-byte aligned
TEXTS = {"raw", "hash", "others", "g", "s", "desc", "before", "bars", "st", "id", "patch"}
LISTS = {"dim", "stride", "box", "es", "lo", "up", "coord", "off"}

settings.register_profile("libtma", deadline=None, database=None)
settings.load_profile("libtma")


def lines(name):
    """The cases of one captured file: {key: text}, numbers and lists of them already read."""
    with gzip.open(VECTORS / f"{name}.txt.gz", "rt") as file:
        for line in file:
            if not line.startswith("#") and line.strip():
                yield read_line(line)


def read_line(line):
    kind, *fields = line.split()
    case = {"kind": kind}
    for key, _, text in (field.partition("=") for field in fields):
        if key in LISTS:
            case[key] = [int(n, 0) for n in text.split(",")] if text else []
        else:
            case[key] = text if key in TEXTS or not text[:1].isdigit() else int(text, 0)
    return case


def padded(values, count):
    return (values + [0] * count)[:max(count, 0)]
