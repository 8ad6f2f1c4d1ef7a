# SPDX-License-Identifier: Apache-2.0
"""npy_texts.py [DATA_B [MAJOR [FIRST]]]: an .npy file of each line of standard input, its header, in which Python's
escapes stand for what they do: 1.npy, 2.npy ..., with DATA_B bytes behind it (default: 32) that begin with FIRST, of
version MAJOR."""
import struct
import sys


def main(data_B="32", major="1", first=""):
    for number, line in enumerate(sys.stdin, 1):
        text = line.rstrip("\n").encode().decode("unicode_escape").encode("latin-1")
        length = struct.pack("<H" if major == "1" else "<I", len(text))
        data = first.encode().ljust(int(data_B), b"\0")[:int(data_B)]
        with open(f"{number}.npy", "wb") as file:
            file.write(b"\x93NUMPY" + bytes([int(major), 0]) + length + text + data)


main(*sys.argv[1:])
