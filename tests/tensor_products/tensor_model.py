# SPDX-License-Identifier: Apache-2.0
"""tcgen05.mma a second time: plain arithmetic on exact numbers, layouts typed from the PTX ISA 9.1.

Nothing of the project is used here. An element is a float (all that are drawn are exact), an address
is worked out bit by bit.
"""
import struct
from dataclasses import dataclass


def minifloat(code, exponent_bits, mantissa_bits, bias):
    sign = -1.0 if code >> (exponent_bits + mantissa_bits) & 1 else 1.0
    exponent, mantissa = code >> mantissa_bits & (1 << exponent_bits) - 1, code & (1 << mantissa_bits) - 1
    if exponent == 0:
        return sign * mantissa * 2.0 ** (1 - bias - mantissa_bits)
    return sign * (1 + mantissa / (1 << mantissa_bits)) * 2.0 ** (exponent - bias)


# name: bits, bits of a place in shared memory, k of an instruction, number in the descriptor
TYPES = {
    "f16": (16, 16, 0), "bf16": (16, 16, 1), "tf32": (32, 8, 2), "e4m3": (8, 32, 0), "e5m2": (8, 32, 1),
    "e2m3": (6, 32, 3), "e3m2": (6, 32, 4), "e2m1": (4, 32, 5), "u8": (8, 32, 0), "s8": (8, 32, 1),
    "mx_e2m1": (4, 64, 1),
}
MINI = {"e4m3": (4, 3, 7), "e5m2": (5, 2, 15), "e2m3": (2, 3, 1), "e3m2": (3, 2, 3), "e2m1": (2, 1, 1),
        "mx_e2m1": (2, 1, 1)}


def element(kind, memory, at, bit):
    """The element that begins at a bit of a byte."""
    if kind == "f16":
        return struct.unpack_from("<e", memory, at)[0]
    if kind == "bf16":
        return struct.unpack("<f", b"\0\0" + memory[at:at + 2])[0]
    if kind == "tf32":
        return struct.unpack_from("<f", memory, at)[0]
    if kind == "u8":
        return memory[at]
    if kind == "s8":
        return memory[at] - 256 if memory[at] > 127 else memory[at]
    bits = TYPES[kind][0]
    both = memory[at] | memory[at + 1] << 8 if bit + bits > 8 else memory[at]
    return minifloat(both >> bit & (1 << bits) - 1, *MINI[kind])


SPAN = {0: 16, 1: 128, 2: 128, 4: 64, 6: 32}  # bytes that a swizzle moves units within


def swizzled(address, mode):
    if mode == 1:  # atoms of 32 bytes: bits 5, 6 by 7, 8
        return address ^ (address >> 7 & 3) << 5
    bits = {0: 0, 2: 3, 4: 2, 6: 1}[mode]
    return address ^ (address >> 7 & (1 << bits) - 1) << 4


@dataclass
class Operand:
    """One matrix in shared memory: its descriptor's fields, and its type."""
    kind: str
    start: int
    leading: int
    stride: int
    mode: int
    turned: bool  # M or N is contiguous

    def place(self, row, k):
        """Byte and bit of element (row of A or column of B, k)."""
        bits = TYPES[self.kind][0]
        in_unit = 32 if self.kind == "mx_e2m1" else 16 if bits < 8 else 128 // bits
        fast, slow = (row, k) if self.turned else (k, row)
        unit, within = fast // in_unit, fast % in_unit * bits
        span, rows = SPAN[self.mode], 4 if self.mode == 1 else 8
        if self.mode == 0 and self.turned:
            linear = unit * self.stride + slow // 8 * self.leading + slow % 8 * 16
        elif self.mode == 0:
            linear = unit * self.leading + slow // 8 * self.stride + slow % 8 * 16
        else:
            linear = unit // (span // 16) * self.leading + unit % (span // 16) * 16
            linear += slow // rows * self.stride + slow % rows * span
        return swizzled(self.start + linear + within // 8, self.mode), within % 8

    def at(self, memory, base, row, k):
        place, bit = self.place(row, k)
        return element(self.kind, memory, place - base, bit)


# ---- sparse A: 9.7.16.10.8. Four bits for each chunk of a row name those elements that are stored ----

# k of a chunk, elements that it stores, what the four bits may be
CHUNKS = {"tf32": (2, 1, {0b1110: (1,), 0b0100: (0,)}),
          "mx_e2m1": (8, 4, {}),
          "others": (4, 2, {})}
for low, high in ((0, 1), (0, 2), (0, 3), (1, 2), (1, 3), (2, 1), (2, 3)):
    CHUNKS["others"][2][high << 2 | low] = (low, high)
    CHUNKS["mx_e2m1"][2][high << 2 | low] = (2 * low, 2 * low + 1, 2 * high, 2 * high + 1)


def chunk(kind):
    return CHUNKS.get(kind, CHUNKS["others"])


def told_by(kind, m, ctas, ws):
    """Each four bits of metadata: {(lane, column, nibble of the word): (row of the CTA's, chunk)}, from the
    first lane on. 9.7.16.10.8.4 has figures alone: these are the layouts of CUTLASS' tmem_e_frg and
    tmem_e_frg_ws, and for half of the lanes those of D, as 9.7.16.10.8.5 asks for."""
    rows = m // ctas
    halves = not ws and rows == 64             # layouts F and C: 16 lanes of each quarter
    cells = {}
    for lane in range(128):
        if halves and lane % 32 >= 16:
            continue
        at = lane // 32 * 16 + lane % 16 if halves else lane % rows
        for nibble in range(8):
            if TYPES[kind][0] >= 16:           # 16 rows in 16 lanes: their first half of K, then the second
                row = at // 16 * 16 + nibble // 4 * 8 + at % 8
                cells[lane, 0, nibble] = row, at % 16 // 8 * 4 + nibble % 4
            else:                              # a row in a lane: two words
                cells[lane, 0, nibble] = at, nibble
                cells[lane, 1, nibble] = at, 8 + nibble
    return cells


def meets(kind, cells, words, lane, row):
    """k of B that the stored elements of a row meet; words: (lane, column) -> a word. Where the metadata lies
    several times, a lane of D takes what lies in its own part of the lanes."""
    wide, _, _ = chunk(kind)
    own = {}
    for (at, column, nibble), (of, number) in cells.items():
        if of == row and (number not in own or abs(at - lane) < abs(own[number][0] - lane)):
            own[number] = at, column, nibble
    found = []
    for number in sorted(own):
        at, column, nibble = own[number]
        found += [number * wide + place for place in chunk(kind)[2][words(at, column) >> 4 * nibble & 15]]
    return found


def d_element(m, ctas, ws, n, rank, lane, column, sparse=False):
    """(row of all of D, column of D) of a cell, counted from D's first lane and column; None: no part of D."""
    if ws and m == 32:                       # layout G: a quarter of the columns in each 32 lanes
        found = (lane % 32, lane // 32 * (n // 4) + column) if column < n // 4 else None
    elif (ws and m == 64) or (ctas == 2 and m == 128 and not sparse):   # layouts E, B: halves in 64 lanes each
        found = (lane % 64, lane // 64 * (n // 2) + column) if column < n // 2 else None
    elif m // ctas == 64:                    # layouts F, C: 16 lanes of each quarter
        found = (lane // 32 * 16 + lane % 16, column) if lane % 32 < 16 and column < n else None
    else:                                    # layouts A, D
        found = (lane, column) if column < n else None
    return found and (found[0] + rank * (m // ctas), found[1])


def f32(value):
    return struct.unpack("<I", struct.pack("<f", value))[0]


def f16(value):
    return struct.unpack("<H", struct.pack("<e", value))[0]


def from_word(dtype, word):
    if dtype == "f32":
        return struct.unpack("<f", struct.pack("<I", word))[0]
    if dtype == "f16":
        return struct.unpack("<e", struct.pack("<H", word & 0xffff))[0]
    return word - (1 << 32) if word >> 31 else word


def to_word(dtype, value):
    return f32(value) if dtype == "f32" else f16(value) if dtype == "f16" else int(value) & 0xffffffff
