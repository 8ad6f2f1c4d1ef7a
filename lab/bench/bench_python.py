# SPDX-License-Identifier: Apache-2.0
"""bench_python.py YARDS: what the package's calls cost beside cuda.bindings' (on the stand-in:
LD_LIBRARY_PATH), NumPy's and those in C (YARDS, python_yards.c's library), side by side in one run:
rounds of the calls by turns, the fastest of each. make bench-python."""
import ctypes
import sys
import time

import numpy as np

import libtma
from libtma import driver as ours

try:
    from cuda.bindings import driver as theirs
except ImportError:
    theirs = None
ROUNDS, CALLS = 300, 200
YARDS = ctypes.CDLL(sys.argv[1])


def yard(name, *arguments):
    """A function of YARDS, which times itself: ns a call."""
    function = getattr(YARDS, name)
    function.restype = ctypes.c_double
    pointers = [ctypes.c_void_p(array.ctypes.data) for array in arguments]
    assert function(*pointers, ctypes.c_uint32(1)) >= 0
    return lambda: function(*pointers, ctypes.c_uint32(CALLS))


def fastest(calls, in_c):
    """{name: ns} of the fastest round of each call."""
    best = dict.fromkeys([*calls, "the call in C"], float("inf"))
    for _ in range(ROUNDS):
        best["the call in C"] = min(best["the call in C"], in_c())
        for name, call in calls.items():
            start = time.perf_counter_ns()
            for _ in range(CALLS):
                call()
            best[name] = min(best[name], (time.perf_counter_ns() - start) / CALLS)
    return best


def show(title, best):
    print(title)
    first = next(iter(best.values()))
    for name, ns in best.items():
        print(f"  {name:<44} {ns / 1000:8.2f} µs  {ns / first:6.2f} x")


def encode_arguments(m):
    """Of cuda.bindings' call, or of this package's."""
    wide, word = m.cuuint64_t, m.cuuint32_t
    return (m.CUtensorMapDataType.CU_TENSOR_MAP_DATA_TYPE_FLOAT16, word(2), a.ctypes.data,
            [wide(512), wide(256)], [wide(1024)], [word(64), word(128)], [word(1), word(1)],
            m.CUtensorMapInterleave(0), m.CUtensorMapSwizzle(3), m.CUtensorMapL2promotion(0),
            m.CUtensorMapFloatOOBfill(0))


def refused(a):
    try:
        libtma.TensorMapDescriptor.tiled(a, (300, 64), swizzle=3)
    except libtma.TensorMapError:
        return
    raise AssertionError("no rule was broken")


def encodes(a):
    own = encode_arguments(ours)
    calls = {"TensorMapDescriptor.tiled(array)":
             lambda: libtma.TensorMapDescriptor.tiled(a, (128, 64), swizzle=3),
             "the same, refused and caught": lambda: refused(a),
             "libtma.driver, arguments made before": lambda: ours.cuTensorMapEncodeTiled(*own)}
    if theirs:
        wide, word = theirs.cuuint64_t, theirs.cuuint32_t
        given = encode_arguments(theirs)
        assert int(theirs.cuTensorMapEncodeTiled(*given)[0]) == 0
        calls["cuda.bindings, arguments made before"] = lambda: theirs.cuTensorMapEncodeTiled(*given)
        calls["cuda.bindings, arguments made of the array"] = lambda: theirs.cuTensorMapEncodeTiled(
            theirs.CUtensorMapDataType.CU_TENSOR_MAP_DATA_TYPE_FLOAT16, word(a.ndim),
            a.ctypes.data, [wide(n) for n in a.shape[::-1]], [wide(n) for n in a.strides[-2::-1]],
            [word(64), word(128)], [word(1)] * 2, theirs.CUtensorMapInterleave(0),
            theirs.CUtensorMapSwizzle(3), theirs.CUtensorMapL2promotion(0),
            theirs.CUtensorMapFloatOOBfill(0))
    return calls


def loads(a):
    desc = libtma.TensorMapDescriptor.tiled(a, (128, 64), swizzle="128B")
    out = np.empty(desc.shared_storage_bytes, np.uint8)
    tile = np.empty((128, 64), a.dtype)
    taken, chunks = tile.view(np.uint8).reshape(-1, 16), np.arange(1024)
    order = chunks ^ (chunks >> 3 & 7)

    def by_numpy():
        np.take(np.ascontiguousarray(a[64:192, 128:192]).view(np.uint8).reshape(-1, 16), order,
                axis=0, out=taken, mode="clip")

    by_numpy()
    desc.load([64, 128], out=out, raw=True)
    assert out.tobytes() == taken.tobytes()
    assert len(desc.walk([64, 128])["kind"]) == 1024
    return {"load(out=, raw=True), 16 KiB, 128B": lambda: desc.load([64, 128], out=out, raw=True),
            "load(out=), the tile in its order": lambda: desc.load([64, 128], out=tile),
            "load(), a new array": lambda: desc.load([64, 128]),
            "walk(), 1,024 runs": lambda: desc.walk([64, 128]),
            "NumPy's slice and take": by_numpy}


a = (np.arange(256 * 512) % 2048).reshape(256, 512).astype(np.float16)
show("a map", fastest(encodes(a), yard("tma_yard_encode", a)))
show("a swizzled tile", fastest(loads(a), yard("tma_yard_load", a, np.empty(16384, np.uint8))))
