# SPDX-License-Identifier: Apache-2.0
"""driver_call CASE: one call of the driver's, answered by libtma-cuda.so (TMA_CUDA) in its place.

Prints the call's name, how many parameters it has been given, its result, and whether the map's
bytes are those of `tma encode`; `names` prints the calls that the library has."""
import ctypes
import os
import subprocess
import sys

U32, U64, I32 = ctypes.c_uint32, ctypes.c_uint64, ctypes.c_int
ADDRESS = 0x7f0000000000
CALLS = ["cuTensorMapEncodeTiled", "cuTensorMapEncodeIm2col", "cuTensorMapEncodeIm2colWide",
         "cuTensorMapReplaceAddress"]
UINT8, NONE, SWIZZLE_64B, L2_128B = 0, 0, 2, 2


def array(kind, *values):
    return (kind * len(values))(*values)


def buffer(off):
    """128 bytes whose address is `off` beyond a multiple of 128."""
    room = ctypes.create_string_buffer(512)
    at = (ctypes.addressof(room) + 127) // 128 * 128 + off
    return room, at


def tiled(box=64):
    return ("cuTensorMapEncodeTiled",
            [I32(UINT8), U32(2), ctypes.c_void_p(ADDRESS), array(U64, 256, 32), array(U64, 256),
             array(U32, box, 8), array(U32, 1, 1), I32(NONE), I32(SWIZZLE_64B), I32(L2_128B),
             I32(NONE)],
            "--dtype u8 --dim 256,32 --box 64,8 --swizzle 64B --l2 128B")


SIZES = [I32(UINT8), U32(4), ctypes.c_void_p(ADDRESS), array(U64, 64, 9, 7, 4),
         array(U64, 64, 576, 4032)]
SIZES_OPTIONS = "--dtype u8 --dim 64,9,7,4 --channels 64 --pixels 16 --swizzle 64B"
STRIDES = array(U32, 1, 2, 1, 1)


def im2col():
    return ("cuTensorMapEncodeIm2col",
            [*SIZES, array(I32, -1, -2), array(I32, 1, 2), U32(64), U32(16), STRIDES, I32(NONE),
             I32(SWIZZLE_64B), I32(NONE), I32(NONE)],
            f"--api im2col {SIZES_OPTIONS} --lower=-1,-2 --upper=1,2 --element-stride 1,2,1,1")


def wide():
    return ("cuTensorMapEncodeIm2colWide",
            [*SIZES, I32(-1), I32(1), U32(64), U32(16), STRIDES, I32(NONE), I32(NONE),
             I32(SWIZZLE_64B), I32(NONE), I32(NONE)],
            f"--api wide {SIZES_OPTIONS} --lower=-1 --upper=1 --element-stride 1,2,1,1")


def encoded(options, *more):
    done = subprocess.run(["tma", "encode", *options.split(), *more], check=True,
                          capture_output=True)
    return bytes.fromhex(done.stdout.decode())


def call(library, name, at, arguments, wanted):
    result = getattr(library, name)(ctypes.c_void_p(at), *arguments)
    found = ctypes.string_at(at, 128)
    same = {wanted: "same", b"\xee" * 128: "unchanged"}.get(found, "different")
    print(name, 1 + len(arguments), result, same)


def main():
    library = ctypes.CDLL(os.environ["TMA_CUDA"])
    case = sys.argv[1]
    room, at = buffer({"aligned-64": 64, "off-16": 16}.get(case, 0))
    ctypes.memset(at, 0xee, 128)
    if case == "names":
        print("\n".join(name for name in CALLS if getattr(library, name)))
    elif case == "replace":
        name, arguments, options = tiled()
        before = encoded(options)
        ctypes.memmove(at, before, 128)
        call(library, CALLS[3], at, [ctypes.c_void_p(ADDRESS + 4096)],
             encoded(options, "--address", hex(ADDRESS + 4096)))
    else:
        makers = {"im2col": im2col, "wide": wide, "refused": lambda: tiled(box=80)}
        name, arguments, options = makers.get(case, tiled)()
        call(library, name, at, arguments, encoded(options))
    del room


main()
