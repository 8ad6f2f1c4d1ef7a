# SPDX-License-Identifier: Apache-2.0
"""make_npy.py FILE DESCR SHAPE DATA [MAJOR [FORTRAN_ORDER]]: an .npy file, right or wrong.

SHAPE is a list such as 2,4; DATA is hexadecimal, or "ramp": the integers 0, 1, 2 ... in as many
bytes as the descr has.
"""
import math
import re
import struct
import sys


def ramp(descr, count):
    item_B = int((re.findall(r"\d+", descr) or ["1"])[-1])
    order = "big" if descr.startswith(">") else "little"
    return b"".join((i % 256**item_B).to_bytes(item_B, order) for i in range(count))


def main(path, descr, shape, data, major="1", order="False"):
    sizes = tuple(int(n) for n in shape.split(","))
    shown = descr if descr.startswith("[") else repr(descr)
    text = f"{{'descr': {shown}, 'fortran_order': {order}, 'shape': {sizes}, }}"
    length = struct.pack("<H" if major == "1" else "<I", len(text) + 1)
    content = ramp(descr, math.prod(sizes)) if data == "ramp" else bytes.fromhex(data)
    with open(path, "wb") as file:
        file.write(b"\x93NUMPY" + bytes([int(major), 0]) + length + text.encode() + b"\n" + content)


main(*sys.argv[1:])
