# SPDX-License-Identifier: Apache-2.0
"""libtma.driver beside cuda.bindings.driver on the stand-in for libcuda.so.1 (build/stand-in in
LD_LIBRARY_PATH): the same tuples for random arguments, and for those that one mistake spoils."""
import contextlib
import copy
import inspect
import os
import pathlib
import pickle
import random
import subprocess
import sys

import numpy as np
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


def wrapped(name, value, of=theirs):
    """As cuda.bindings wants an argument, of its own types or of this module's."""
    if name in ENUMS:
        return getattr(of, ENUMS[name])(value)
    if name in ("globalDim", "globalStrides"):
        return [of.cuuint64_t(v) for v in value]
    if name in ("boxDim", "elementStrides"):
        return [of.cuuint32_t(v) for v in value]
    if name in ("tensorRank", "channelsPerPixel", "pixelsPerColumn"):
        return of.cuuint32_t(value)
    return value


def test_random_specs():
    accepted = dict.fromkeys(("Tiled", "Im2col", "Im2colWide"), 0)
    for call, given in specs(SPECS, 17):
        order = list(inspect.signature(getattr(driver, call)).parameters)
        if given["tensorRank"] < 3 and call == "cuTensorMapEncodeIm2col":
            given["pixelBoxLowerCorner"] = given["pixelBoxUpperCorner"] = [0]
        expected = getattr(theirs, call)(*(wrapped(name, given[name]) for name in order))
        mine = getattr(driver, call)(*(wrapped(name, given[name], driver) for name in order))
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
    for name in (*ENUMS.values(), "CUtensorMapAllocClass", "CUresult"):
        there = {m.name: int(m) for m in getattr(theirs, name)}
        here = {m.name: int(m) for m in getattr(driver, name)}
        assert here == {**there, **here} and set(there) <= set(here)
        assert name != "CUresult" or set(there) == set(here)
        mine, other = getattr(driver, name)(0), getattr(theirs, name)(0)
        assert (repr(mine), str(mine), f"{mine}", f"{mine:d}") == (
            repr(other), str(other), f"{other}", f"{other:d}")


def answer(call, arguments, named=None):
    """What a call gives, without what is a machine's own: an exception's kind, a map's bytes."""
    try:
        result = call(*arguments, **(named or {}))
    except Exception as error:
        return type(error)
    return tuple([int(w) for w in part.opaque] if hasattr(part, "opaque") else
                 None if part is None else int(part) for part in result)


class Index:
    def __init__(self, value):
        self.value = value

    def __index__(self):
        return self.value


class Int(Index):
    __index__ = None

    def __int__(self):
        return self.value


class Sized:
    def __init__(self, *values):
        self.values = values

    def __len__(self):
        return len(self.values)


class Indexed(Sized):
    def __getitem__(self, i):
        return self.values[i]


class Plain(int):
    pass


HALF = 0x7F0000000000
CALLS = {
    "cuTensorMapEncodeTiled": {
        "tensorDataType": 6, "tensorRank": 2, "globalAddress": HALF, "globalDim": [512, 256],
        "globalStrides": [1024], "boxDim": [64, 128], "elementStrides": [1, 1], "interleave": 0,
        "swizzle": 3, "l2Promotion": 0, "oobFill": 0},
    "cuTensorMapEncodeIm2col": {
        "tensorDataType": 6, "tensorRank": 4, "globalAddress": HALF, "globalDim": [64, 16, 16, 4],
        "globalStrides": [128, 2048, 32768], "pixelBoxLowerCorner": [-1, -1],
        "pixelBoxUpperCorner": [-1, -1], "channelsPerPixel": 64, "pixelsPerColumn": 64,
        "elementStrides": [1] * 4, "interleave": 0, "swizzle": 3, "l2Promotion": 0, "oobFill": 0},
    "cuTensorMapEncodeIm2colWide": {
        "tensorDataType": 6, "tensorRank": 4, "globalAddress": HALF, "globalDim": [64, 16, 16, 4],
        "globalStrides": [128, 2048, 32768], "pixelBoxLowerCornerWidth": -1,
        "pixelBoxUpperCornerWidth": -1, "channelsPerPixel": 64, "pixelsPerColumn": 64,
        "elementStrides": [1] * 4, "interleave": 0, "mode": 0, "swizzle": 3, "l2Promotion": 0,
        "oobFill": 0}}
BUFFER = np.zeros(256, np.uint8)


def odd_values(name, value):
    """What somebody may pass for one argument, most of it wrong. Not a list with fewer entries than
    the rank, with which cuda.bindings reads memory that is not its own."""
    plain = [None, True, -1, -2, -2**31, 2**31, 2**32 - 1, 2**32, 2**63, 2**64, 2**70, "3", "x", b"3",
             b"x", 3.0, 3.7, float("nan"), float("inf"), Index(3), Int(3), Plain(3), object(), [3], (),
             {}, Int("x"), theirs.cuuint32_t(3), theirs.cuuint64_t(3), theirs.CUtensorMapL2promotion(3),
             theirs.CUdeviceptr(3), np.int64(3), np.float32(3), np.array(3), bytearray(b"3")]
    if not isinstance(value, list):
        if name == "globalAddress":
            yield from (BUFFER, BUFFER[::2], memoryview(BUFFER), BUFFER[:1], np.float64(4096),
                        theirs.CUdeviceptr(HALF), Int(HALF), np.uint64(HALF), Int(HALF + 1))
            plain = [v for v in plain if not isinstance(v, (bytes, bytearray))]  # addresses differ
        yield from plain
        return
    wide = theirs.cuuint64_t if name in ("globalDim", "globalStrides") else theirs.cuuint32_t
    other = theirs.cuuint32_t if wide is theirs.cuuint64_t else theirs.cuuint64_t
    for kind in (wide, other, int, float, str, np.int64, Int, Index, Plain, bool):
        yield [kind(max(v, 0)) for v in value]
        yield tuple(kind(max(v, 0)) for v in value)
    right = [wide(max(v, 0)) for v in value]
    yield from ([], (), {}, None, 5, "ab", b"abcd", [None] * len(value),
                [2**31] * len(value), [-2**31] * len(value),
                [*right[:-1], value[-1]], right + right[:1], [*right, 3], right * 6, Sized(*right),
                Indexed(*right), dict(enumerate(right)), {"a": 1, "b": 2, "c": 3, "d": 4},
                range(len(value)), np.array(value), [2**64] * len(value))


ENUMERATIONS = ("tensorDataType", "interleave", "swizzle", "l2Promotion", "oobFill", "mode")


def test_each_argument_as_cuda_bindings_takes_it():
    seen = set()
    for call, right in CALLS.items():
        for name, value in right.items():
            for odd in odd_values(name, value):
                given = [odd if n == name else wrapped(n, v) for n, v in right.items()]
                expected = answer(getattr(theirs, call), given)
                got = answer(getattr(driver, call), given)
                if name == "tensorRank" and got is ValueError:
                    continue  # of 3 with lists of 2: cuda.bindings reads what is not the list's
                if name in ENUMERATIONS and isinstance(odd, int) and odd < 0:
                    # cuda.bindings for 3.11 hands small negative ones to the driver, which refuses
                    assert got is OverflowError and expected in (OverflowError, (1, None))
                    continue
                assert got == expected, (call, name, type(odd), odd)
                seen.add(got if isinstance(got, type) else got[0])
    assert {TypeError, ValueError, OverflowError, 0, 1} <= seen


def test_the_ways_a_call_is_wrong():
    """Too few, too many, unknown keywords, one twice: the same kind of exception, with the name."""
    call, right = "cuTensorMapEncodeTiled", CALLS["cuTensorMapEncodeTiled"]
    names, given = list(right), [wrapped(n, v) for n, v in right.items()]
    by_name = dict(zip(names, given, strict=True))
    for positional, named in (
            (given, {}), ([], by_name), (given[:4], dict(list(by_name.items())[4:])), (given[:5], {}),
            ([*given, 1], {}), (given[:-1], {"oobfill": given[-1]}), (given, {"swizzle": given[8]}),
            ([], {})):
        assert answer(getattr(driver, call), positional, named) == answer(
            getattr(theirs, call), positional, named)
    with pytest.raises(TypeError, match="'oobfill': 'oobFill'"):
        driver.cuTensorMapEncodeTiled(*given[:-1], oobfill=given[-1])
    with pytest.raises(TypeError, match="missing: l2Promotion, oobFill"):
        driver.cuTensorMapEncodeTiled(*given[:-2])


def both_maps():
    given = [wrapped(n, v) for n, v in CALLS["cuTensorMapEncodeTiled"].items()]
    return (driver.cuTensorMapEncodeTiled(*given)[1], theirs.cuTensorMapEncodeTiled(*given)[1])


def test_the_address_as_cuda_bindings_takes_it():
    for odd in (0, 16, 8, -16, None, "5", 2**64, 2**70, theirs.CUdeviceptr(4096), 4096.0, Int(4096),
                Index(4096), BUFFER, BUFFER[::2], [16], theirs.cuuint64_t(4096), b"x" * 0):
        mine, other = both_maps()
        mixed = both_maps()[1]
        expected = answer(theirs.cuTensorMapReplaceAddress, (other, odd))
        assert answer(driver.cuTensorMapReplaceAddress, (mine, odd)) == expected, odd
        assert repr(mine) == repr(other)
        assert answer(driver.cuTensorMapReplaceAddress, (mixed, odd)) == expected
        assert repr(mixed) == repr(other), "a map of cuda.bindings is edited in place"
    for none in (None, 5, bytes(128), object()):
        assert answer(driver.cuTensorMapReplaceAddress, (none, 16)) == answer(
            theirs.cuTensorMapReplaceAddress, (none, 16)), none


def test_the_map_is_as_theirs():
    mine, other = both_maps()
    again = both_maps()[0]
    assert repr(mine) == repr(other) == str(mine)
    assert (mine == again) == (other == both_maps()[1]) and mine == mine
    assert hash(mine) == hash(mine) and len({mine, again}) == 2
    assert repr(driver.CUtensorMap()) == repr(theirs.CUtensorMap())
    assert bytes(driver.CUtensorMap()) == bytes(128)
    assert isinstance(mine, driver.CUtensorMap_st) and driver.CUtensorMap.__name__ == "CUtensorMap"
    for odd in ([1] * 16, [driver.cuuint64_t(2)] * 16, range(16), (3.0,) * 16, [1] * 15, [1] * 17, None,
                5, [-1] * 16, ["a"] * 16, [2**64] * 16, [None] * 16):
        got = []
        for one in (mine, other):
            try:
                one.opaque = odd if one is mine or not isinstance(odd, list) else [
                    theirs.cuuint64_t(2) if isinstance(o, driver.cuuint64_t) else o for o in odd]
                got.append(None)
            except Exception as error:
                got.append(type(error))
        assert got[0] is got[1], odd
        if got[0] is None:
            assert repr(mine) == repr(other)
    with pytest.raises(ValueError, match="_ptr"):
        driver.CUtensorMap(mine.getPtr())
    for copied in (copy.copy, copy.deepcopy, pickle.dumps):
        with pytest.raises(TypeError):
            copied(other)
        with pytest.raises(TypeError, match="from_bytes"):
            copied(mine)


@pytest.mark.parametrize("name", ["cuuint32_t", "cuuint64_t"])
def test_the_numbers_are_as_theirs(name):
    mine, other = getattr(driver, name), getattr(theirs, name)
    for value in (0, 5, -1, 2**32, 2**64, "5", 5.0, None, True, b"5", Plain(3), Index(3), Int(3),
                  np.int64(3), driver.cuuint32_t(3), driver.cuuint64_t(2**40)):
        theirs_value = theirs.cuuint64_t(int(value)) if type(value).__module__ == "libtma.driver" else value
        got = []
        for kind, given in ((mine, value), (other, theirs_value)):
            try:
                got.append((repr(kind(given)), str(kind(given)), int(kind(init_value=given))))
            except Exception as error:
                got.append(type(error))
        assert got[0] == got[1], value
    three = mine(3)
    assert three != mine(3) and three != 3 and repr(mine()) == repr(other())
    for wrong in (lambda n: n + 1, lambda n: [1, 2, 3, 4][n], float, lambda n: n < n):
        for kind in (mine, other):
            with pytest.raises(TypeError):
                wrong(kind(3))


def test_lenient():
    plain = list(CALLS["cuTensorMapEncodeTiled"].values())
    with pytest.raises(TypeError, match=r"globalDim\[0\]: .*driver.cuuint64_t\(512\).*lenient"):
        driver.cuTensorMapEncodeTiled(*plain)
    with driver.lenient():
        assert bytes(driver.cuTensorMapEncodeTiled(*plain)[1]) == bytes(both_maps()[0])
        with driver.lenient(False), pytest.raises(TypeError):
            driver.cuTensorMapEncodeTiled(*plain)
        for no_number in ("64", b"64", None, [64]):
            with pytest.raises(TypeError):
                driver.cuTensorMapEncodeTiled(*plain[:5], [no_number, 128], *plain[6:])
        assert driver.cuTensorMapEncodeTiled(*plain)[0] == 0
    with pytest.raises(TypeError):
        driver.cuTensorMapEncodeTiled(*plain)


CLASSES = """
import sys
from cuda.bindings import driver as theirs
from libtma import driver
sys.path.insert(0, sys.argv[1])
from test_driver import CALLS, answer, both_maps
for asked in (0, 1, 2, 7, "1", "x", None, 2**70, 1.0, theirs.CUtensorMapAllocClass(1)):
    mine, other = both_maps()
    mixed = both_maps()[1]
    expected = answer(theirs.cuTensorMapSetAllocationClass, (other, asked))
    assert answer(driver.cuTensorMapSetAllocationClass, (mine, asked)) == expected, asked
    assert answer(driver.cuTensorMapSetAllocationClass, (mixed, asked)) == expected, asked
    assert repr(mine) == repr(other) == repr(mixed), asked
assert answer(driver.cuTensorMapSetAllocationClass, (both_maps()[0], -1)) is OverflowError
for none in (None, 5):
    assert answer(driver.cuTensorMapSetAllocationClass, (none, 1)) == answer(
        theirs.cuTensorMapSetAllocationClass, (none, 1))
print("the same")
"""


def test_the_allocation_class_as_cuda_bindings_has_it():
    """Of a driver 13.5, in a process of its own: the stand-in has the call from there on."""
    done = subprocess.run(
        [sys.executable, "-c", CLASSES, str(pathlib.Path(__file__).parent)], text=True, capture_output=True,
        env={**os.environ, "LIBTMA_ARCH": "sm_100a", "LIBTMA_DRIVER": "13.5"})
    assert done.stdout == "the same\n", done.stderr


def test_findings_are_never_an_older_calls():
    right = [wrapped(n, v, driver) for n, v in CALLS["cuTensorMapEncodeTiled"].items()]
    refused = [*right[:2], HALF + 8, *right[3:]]
    spoilt = [lambda: driver.cuTensorMapEncodeTiled(*right),
              lambda: driver.cuTensorMapEncodeTiled(*right[:-1]),
              lambda: driver.cuTensorMapEncodeTiled(*right, oobfill=1),
              lambda: driver.cuTensorMapEncodeTiled("x", *right[1:]),
              driver.cuTensorMapEncodeIm2col, lambda: driver.cuTensorMapEncodeIm2colWide(1),
              lambda: driver.cuTensorMapReplaceAddress(both_maps()[0], 4096),
              lambda: driver.cuTensorMapReplaceAddress(5, 4096), driver.cuTensorMapReplaceAddress,
              lambda: driver.cuTensorMapSetAllocationClass(both_maps()[0], 1),
              driver.cuTensorMapSetAllocationClass]
    for call in spoilt:
        assert driver.cuTensorMapEncodeTiled(*refused)[0] == 1
        assert [f.rule for f in driver.last_findings()] == ["address-align"]
        with contextlib.suppress(TypeError, ValueError):
            call()
        assert driver.last_findings() == ()
    driver.cuTensorMapReplaceAddress(both_maps()[0], 8)
    assert [f.rule for f in driver.last_findings()] == ["address-align"]
