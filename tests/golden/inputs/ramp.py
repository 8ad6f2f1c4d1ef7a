# SPDX-License-Identifier: Apache-2.0
"""ramp.py: holds arrays against the elements 0, 1, 2 ... as --ramp has them. A line of standard input is
one array: its type, its dimensions, which are printed, its count of elements, and the .npy file."""
import pathlib
import struct
import sys

BITS = {"int32": 31, "int64": 63, "float16": 11, "bfloat16": 8, "float32": 24, "float32_ftz": 24, "float64": 53,
        "tfloat32": 11, "tfloat32_ftz": 11}
FORMS = {"uint8": "B", "uint16": "<H", "uint32": "<I", "int32": "<i", "uint64": "<Q", "int64": "<q", "float16": "<e",
         "float32": "<f", "float32_ftz": "<f", "float64": "<d", "tfloat32": "<f", "tfloat32_ftz": "<f"}
PACKED = {"16u4_align8b": 4, "16u4_align16b": 4, "16u6_align16b": 6}


def ramp(dtype, count):
    if dtype in PACKED:
        bits = PACKED[dtype]
        whole = sum((i % 2**bits) << bits * i for i in range(count))
        return whole.to_bytes((bits * count + 7) // 8, "little")
    period = 2 ** BITS.get(dtype, 64 if dtype == "uint64" else 8 * struct.calcsize(FORMS.get(dtype, "H")))
    if dtype == "bfloat16":
        return b"".join(struct.pack("<f", i % period)[2:] for i in range(count))
    return b"".join(struct.pack(FORMS[dtype], i % period) for i in range(count))


HEADER_B = 128 # of the .npy
for line in sys.stdin:
    dtype, dim, count, file = line.split()
    got, wanted = pathlib.Path(file).read_bytes()[HEADER_B:], ramp(dtype, int(count))
    print(f"{dtype} {dim}: {f'the same {len(wanted)} B' if got == wanted else 'another array'}")
