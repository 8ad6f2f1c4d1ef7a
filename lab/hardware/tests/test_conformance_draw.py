# SPDX-License-Identifier: Apache-2.0
"""What is drawn (draw_lines prints it). A seed draws the same cases in every build: reports name them
by seed and number. Of copies, each kind is among them about as often as here, of 100: what is meant by
a change of draw_copy.c or place_copy.c is a change of this table."""
import collections
import hashlib
import os
import re
import subprocess

import pytest
from conformance import keys

COUNT = 6000
LEFT_B = (48 - 1) << 10  # of a copy's memory, for its tensor
FURTHER_OFF = 0.5  # percent of all cases, beside a tenth of the share


def numbers(text):
    return [int(n, 0) for n in text.split(",") if n]


def is_reduction(case):
    return case["op"] not in ("load", "store", "prefetch")


def ends_left(case):
    """The ends of the tensor over which a tile hangs."""
    if case["mode"] != "tile":
        return "no tile"
    axes = list(zip(*(numbers(case[k]) for k in ("coord", "dim", "box"))))
    below = any(at < 0 for at, _, _ in axes)
    above = any(at + box > size for at, size, box in axes)
    return {(0, 0): "none", (1, 0): "lower", (0, 1): "upper", (1, 1): "both"}[below, above]


def corners(case):
    if "lo" not in case:
        return "none"
    return "far" if max(abs(n) for n in numbers(case["lo"]) + numbers(case["up"])) > 4 else "near"


def strides(case):
    of = numbers(case["stride"])
    return "zero" if 0 in of else "rising" if of == sorted(of) else "falling"


# What is asked of a case, and the shares in percent for sm_90a and sm_100a.
MIX = [
    ("operation", lambda c: "reduction" if is_reduction(c) else c["op"],
     {"load": (51.1, 57.0), "store": (19.9, 17.6), "prefetch": (3.7, 3.9),
      "reduction": (25.3, 21.6)}),
    ("reduction", lambda c: c["op"] if is_reduction(c) else "none",
     {"none": (74.7, 78.5), "add": (7.1, 7.0), "min": (4.7, 3.7), "max": (4.8, 3.7),
      "inc": (0.6, 0.6), "dec": (0.7, 0.7), "and": (2.4, 1.9), "or": (2.6, 1.9),
      "xor": (2.3, 2.0)}),
    ("mode", lambda c: c["mode"],
     {"tile": (75.1, 62.9), "im2col": (24.9, 20.7), "gather4": (0, 5.8), "scatter4": (0, 2.0),
      "im2col_w": (0, 3.8), "im2col_w128": (0, 4.7)}),
    ("type", lambda c: c["dtype"],
     {"0": (6.2, 5.5), "1": (5.8, 5.3), "2": (11.4, 10.7), "3": (10.3, 9.3), "4": (10.2, 9.1),
      "5": (6.8, 7.0), "6": (8.1, 6.8), "7": (6.4, 6.1), "8": (6.5, 6.1), "9": (8.4, 7.2),
      "10": (6.0, 5.7), "11": (6.9, 6.1), "12": (6.8, 5.9), "13": (0, 4.9), "14": (0, 2.0),
      "15": (0, 2.2)}),
    ("rank", lambda c: c["rank"],
     {"1": (11.1, 10.6), "2": (11.1, 17.2), "3": (31.6, 28.4), "4": (26.2, 24.1),
      "5": (20.1, 19.8)}),
    ("interleave", lambda c: c["il"], {"0": (67.5, 75.8), "1": (17.8, 12.8), "2": (14.7, 11.4)}),
    ("swizzle", lambda c: c["sw"],
     {"0": (21.4, 18.5), "1": (27.4, 19.9), "2": (25.3, 24.0), "3": (25.9, 26.2), "4": (0, 5.0),
      "5": (0, 2.5), "6": (0, 4.0)}),
    ("L2 promotion", lambda c: c["l2"],
     {"0": (24.5, 24.9), "1": (25.8, 25.5), "2": (25.0, 24.2), "3": (24.7, 25.4)}),
    ("fill", lambda c: c["oob"], {"0": (75.7, 78.7), "1": (24.3, 21.3)}),
    ("to .shared::cluster", lambda c: c["cluster"], {"0": (74.4, 72.3), "1": (25.6, 27.7)}),
    ("memory", lambda c: c["fill"],
     {"rand": (30.2, 36.7), "special": (23.3, 21.3), "mix16": (11.0, 9.4), "mix32": (23.5, 22.1),
      "mix64": (12.0, 10.5)}),
    ("element strides", lambda c: max(numbers(c["es"])) > 1,
     {False: (65.5, 65.9), True: (34.5, 34.1)}),
    ("tensor's address is 0", lambda c: int(c["addr"], 0) == 0,
     {True: (51.7, 52.3), False: (48.3, 47.7)}),
    ("shared address", lambda c: "0" if c["smem"] == "0" else
     "odd" if int(c["smem"]) % 128 else "a multiple of 128",
     {"0": (52.1, 52.5), "a multiple of 128": (47.4, 47.0), "odd": (0.5, 0.5)}),
    ("ends over which a tile hangs", ends_left,
     {"no tile": (24.9, 37.1), "none": (12.7, 12.1), "lower": (2.5, 2.0), "upper": (45.7, 38.1),
      "both": (14.1, 10.8)}),
    ("strides", strides, {"rising": (91.7, 91.9), "falling": (4.1, 3.5), "zero": (4.2, 4.5)}),
    ("corners", corners, {"none": (75.1, 70.8), "near": (24.0, 27.9), "far": (0.9, 1.3)}),
    ("more than 48 KiB of memory", lambda c: int(c["gwin"]) > 48 << 10,
     {True: (2.3, 2.0), False: (97.7, 98.0)}),
    ("more than 32 KiB of window", lambda c: int(c["win"]) > 33 << 10,
     {True: (0.9, 0.8), False: (99.1, 99.2)}),
    ("2^31 - 1 elements and more", lambda c: max(numbers(c["dim"])) >= 2**31 - 1,
     {True: (0.4, 0.5), False: (99.6, 99.5)}),
    ("traps", lambda c: c["trap"] != "no", {True: (1.6, 2.0), False: (98.4, 98.0)}),
]

# what a copy of the first 6000 breaks, if it breaks anything
BROKEN = {
    "sm_90a": {"coord-above-box", "coord-align", "coord-below-box", "coord-negative",
               "corner-upper-store", "reduction-type", "shared-align"},
    "sm_100a": {"coord-align", "coord-below-box", "coord-negative", "corner-lower-store",
                "corner-upper-store", "dim-signed", "reduction-type", "shared-align", "wide-halo",
                "wide-offset"},
}


# SHA-256 of the first 30000 cases' lines (COUNTS), its beginning. A change of what is drawn is a change of these, and
# makes the numbers of older reports mean nothing: README.md's figures are then of older cases.
SAME = {
    ("copies", "sm_90a"): "0ba9530c8df72905",
    ("copies", "sm_100a"): "12fe76750d827f20",
    ("encode", "sm_90a"): "98b2ab9be61f0be4",
    ("encode", "sm_100a"): "45f3e7d63fac850e",
    ("replace", "sm_90a"): "a6a7a1947c0ab940",
    ("replace", "sm_100a"): "2b7e73715304c55f",
    ("barrier", "sm_90a"): "1a7eb7b8348cd735",
    ("wgmma", "sm_90a"): "5c1d8888f814cac6",
}
COUNTS = {"barrier": 3000, "wgmma": 1000}
LINES = {"barrier": 2, "wgmma": 40}  # of a case


def lines(part, arch, count=COUNT, first=0):
    done = subprocess.run([os.environ["DRAW_LINES"], part, arch, str(count), str(first)], text=True,
                          capture_output=True, check=True, timeout=120)
    found = done.stdout.splitlines()
    assert len(found) == count * LINES.get(part, 1)
    return found


@pytest.mark.parametrize("part, arch", SAME, ids=map(" ".join, SAME))
def test_a_seed_draws_the_same_cases(part, arch):
    text = "".join(line + "\n" for line in lines(part, arch, COUNTS.get(part, 30000)))
    assert hashlib.sha256(text.encode()).hexdigest()[:16] == SAME[part, arch]


@pytest.fixture(scope="module", params=["sm_90a", "sm_100a"])
def drawn(request):
    cases = [keys(line) for line in lines("copies", request.param)]
    assert len(cases) == COUNT
    return request.param, cases


@pytest.mark.parametrize("what, ask, shares", MIX, ids=[row[0] for row in MIX])
def test_each_kind_is_drawn_as_often_as_meant(what, ask, shares, drawn):
    arch, cases = drawn
    found = collections.Counter(map(ask, cases))
    wrong = {}
    for key in shares.keys() | found.keys():
        meant = shares.get(key, (0, 0))[arch == "sm_100a"]
        share = 100 * found[key] / COUNT
        few_are_some = (meant == 0) == (share == 0)
        if not few_are_some or abs(share - meant) > meant / 10 + min(meant / 3, FURTHER_OFF):
            wrong[key] = f"{share:.1f} %, meant {meant} %"
    assert not wrong, what


@pytest.mark.parametrize("arch, number", [("sm_90a", 705812), ("sm_100a", 115853), ("sm_100a", 3973821)])
def test_a_dimension_that_no_memory_is_left_for_has_one_element(arch, number):
    """The one before it, with a gap behind it, has taken all."""
    case = keys(lines("copies", arch, 1, number)[0])
    dims, strides_B = numbers(case["dim"]), numbers(case["stride"])
    assert (dims[-2] - 1) * strides_B[-2] < LEFT_B < dims[-2] * strides_B[-2] + 4 * 32 and dims[-1] == 1


@pytest.mark.parametrize("arch, field, count", [("sm_90a", 6, 13), ("sm_100a", 6, 16), ("sm_90a", 8, 4),
                                                ("sm_100a", 8, 4), ("sm_103a", 8, 5), ("sm_107a", 8, 5)])
def test_each_immediate_of_the_chip_is_drawn(arch, field, count):
    """Of field 6 (.elemtype) and 8 (.swizzle_mode), whose last ones few chips have."""
    values = [re.search(rf" field={field} ord=0 val=(\w+) ", line) for line in lines("replace", arch)]
    assert {int(m[1], 0) for m in values if m} == set(range(count))


def test_each_trap_is_drawn(drawn):
    arch, cases = drawn
    assert {c["trap"] for c in cases} - {"no"} == BROKEN[arch]


def test_cases_differ(drawn):
    _, cases = drawn
    assert len({c["seed"] for c in cases}) > COUNT - 10
    assert len({tuple(sorted(c.items())) for c in cases}) == COUNT
