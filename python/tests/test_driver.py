# SPDX-License-Identifier: Apache-2.0
"""libtma.driver beside cuda.bindings.driver on the stand-in for libcuda.so.1 (build/stand-in in
LD_LIBRARY_PATH): the same tuples for random arguments, and for those that one mistake spoils."""
import inspect
import os
import random

import pytest
from conftest import SPECS

from libtma import driver

theirs = pytest.importorskip("cuda.bindings.driver", reason="cuda-bindings is not installed")
STAND_IN = "stand-in" in os.environ.get("LD_LIBRARY_PATH", "")
pytestmark = pytest.mark.skipif(not STAND_IN, reason="LD_LIBRARY_PATH has no build/stand-in")

ENUMS = {"tensorDataType": "CUtensorMapDataType", "interleave": "CUtensorMapInterleave",
         "swizzle": "CUtensorMapSwizzle", "l2Promotion": "CUtensorMapL2promotion",
         "oobFill": "CUtensorMapFloatOOBfill", "mode": "CUtensorMapIm2ColWideMode"}
BITS = [8, 16, 32, 32, 64, 64, 16, 32, 64, 16, 32, 32, 32, 4, 4, 6]


def common(r):
    """Arguments that all three calls have, mostly right."""
    dtype = r.randrange(16)
    rank = r.choice([1, 2, 2, 3, 3, 4, 5])
    dim = [r.randint(1, 200) * r.choice([1, 1, 16, 128]) for _ in range(rank)]
    if dtype > 12:
        dim[0] = 128 * r.randint(1, 40)
    row_B = dim[0] * BITS[dtype] // 8
    stride, step = [], -(-row_B // 32) * 32
    for size in dim[1:]:
        step += 32 * r.randint(0, 3)
        stride.append(step)
        step *= size
    return {"tensorDataType": dtype, "tensorRank": rank, "globalAddress": 32 * r.randint(1, 2**40),
            "globalDim": dim, "globalStrides": stride,
            "elementStrides": [r.choice([1, 1, 1, 2, 8]) for _ in range(rank)],
            "interleave": r.choice([0, 0, 0, 1, 2]), "swizzle": r.randrange(7),
            "l2Promotion": r.randrange(4), "oobFill": r.choice([0, 0, 0, 1])}


def spoil(r, arguments):
    """One number becomes another that often stands at a limit."""
    key = r.choice([k for k in arguments if k != "tensorRank"])
    value = r.choice([0, 1, 8, 15, 16, 24, 128, 255, 256, 257, 65536, 2**31, 2**32 - 1])
    if key in ENUMS:
        return
    if "orner" in key:  # int32
        value = min(value, 2**31 - 1)
    if isinstance(arguments[key], list):
        if arguments[key]:
            arguments[key][r.randrange(len(arguments[key]))] = value
    else:
        arguments[key] = value


def specs(count, seed):
    r = random.Random(seed)
    for _ in range(count):
        call = r.choice(["Tiled", "Tiled", "Im2col", "Im2colWide"])
        given = common(r)
        inner = 16 * 8 // BITS[given["tensorDataType"]] * r.choice([1, 2, 4, 8])
        if call == "Tiled":
            given["boxDim"] = [min(inner, 256), *(r.randint(1, 64) for _ in given["globalDim"][1:])]
        else:
            spatial = max(given["tensorRank"] - 2, 0)
            lower = [r.randint(-4, 4) for _ in range(spatial)]
            upper = [r.randint(-4, 4) for _ in range(spatial)]
            given["channelsPerPixel"] = min(inner, 256)
            given["pixelsPerColumn"] = r.randint(1, 256)
            if call == "Im2col":
                given["pixelBoxLowerCorner"], given["pixelBoxUpperCorner"] = lower, upper
            else:
                given["pixelBoxLowerCornerWidth"] = r.randint(-4, 4)
                given["pixelBoxUpperCornerWidth"] = r.randint(-4, 4)
                given["mode"] = r.randrange(2)
        if r.random() < 0.5:
            spoil(r, given)
        yield f"cuTensorMapEncode{call}", given


def wrapped(name, value):
    """As cuda.bindings wants an argument."""
    if name in ENUMS:
        return getattr(theirs, ENUMS[name])(value)
    if name in ("globalDim", "globalStrides"):
        return [theirs.cuuint64_t(v) for v in value]
    if name in ("boxDim", "elementStrides"):
        return [theirs.cuuint32_t(v) for v in value]
    if name in ("tensorRank", "channelsPerPixel", "pixelsPerColumn"):
        return theirs.cuuint32_t(value)
    return value


def test_random_specs():
    accepted = dict.fromkeys(("Tiled", "Im2col", "Im2colWide"), 0)
    for call, given in specs(SPECS, 17):
        order = list(inspect.signature(getattr(driver, call)).parameters)
        if given["tensorRank"] < 3 and call == "cuTensorMapEncodeIm2col":
            given["pixelBoxLowerCorner"] = given["pixelBoxUpperCorner"] = [0]
        expected = getattr(theirs, call)(*(wrapped(name, given[name]) for name in order))
        mine = getattr(driver, call)(*(given[name] for name in order))
        assert int(mine[0]) == int(expected[0]), (call, given, driver.last_findings())
        assert (mine[1] is None) == (expected[1] is None)
        if expected[1] is not None:
            assert [int(w) for w in mine[1].opaque] == [int(w) for w in expected[1].opaque], given
            accepted[call.removeprefix("cuTensorMapEncode")] += 1
            new = 8 * given["globalDim"][0]
            assert int(driver.cuTensorMapReplaceAddress(mine[1], new)[0]) == int(
                theirs.cuTensorMapReplaceAddress(expected[1], new)[0])
            assert bytes(mine[1]) == b"".join(
                int(w).to_bytes(8, "little") for w in expected[1].opaque)
        elif given["tensorRank"] > 1:  # cuda.bindings passes no strides as a null pointer
            assert any(f.severity == "refused" for f in driver.last_findings())
    assert min(accepted.values()) > SPECS // 200, accepted


def test_arguments_have_the_same_names_and_order():
    for call in ("cuTensorMapEncodeTiled", "cuTensorMapEncodeIm2col", "cuTensorMapEncodeIm2colWide",
                 "cuTensorMapReplaceAddress"):
        head = getattr(theirs, call).__doc__.split("\n")[0]
        names = [part.split(":")[0].split(" ")[-1].strip()
                 for part in head[head.index("(") + 1:].split(")")[0].split(",")]
        assert list(inspect.signature(getattr(driver, call)).parameters) == names


def test_enumerations_have_the_same_members():
    for name in ENUMS.values():
        there = {m.name: int(m) for m in getattr(theirs, name)}
        here = {m.name: int(m) for m in getattr(driver, name)}
        assert here == {**there, **here} and set(there) <= set(here)


def test_their_wrapped_numbers_are_taken():
    call, given = next(specs(1, 1))
    order = list(inspect.signature(getattr(driver, call)).parameters)
    plain = getattr(driver, call)(*(given[n] for n in order))
    wrapped_ones = getattr(driver, call)(*(wrapped(n, given[n]) for n in order))
    assert plain[0] == wrapped_ones[0] and plain[1] == wrapped_ones[1]
