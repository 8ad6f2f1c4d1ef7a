# SPDX-License-Identifier: Apache-2.0
"""tma hang's lines: rows are drawn, put into .debug_line by drawn opcodes, and the lines of PCs compared with the rows."""
import json
import os
import random
import struct
import subprocess
import sys

import pytest

sys.path.insert(0, os.path.dirname(__file__))
from made_core import Core, Image, lane  # noqa: E402

TMA = os.environ["TMA"]
CODE_B = 0x4000
OPERANDS = {1: 0, 2: 1, 3: 1, 4: 1, 5: 1, 6: 0, 7: 0, 8: 0, 9: 1, 10: 0, 11: 0, 12: 1}


def uleb(value):
    out = bytearray()
    while True:
        value, low = value >> 7, value & 0x7F
        out.append(low | (0x80 if value else 0))
        if not value:
            return bytes(out)


def sleb(value):
    out = bytearray()
    while True:
        low = value & 0x7F
        value >>= 7
        if (value == 0 and not low & 0x40) or (value == -1 and low & 0x40):
            return bytes([*out, low])
        out.append(low | 0x80)


class Unit:
    """Tables, and sequences of rows (address, file, line, the row of the same sequence that it is inlined into)."""

    def __init__(self, r, text):
        self.r, self.version = r, r.choice([2, 3, 4])
        self.shortest, self.base, self.range = r.choice([1, 4, 16]), r.randint(-10, 1), r.randint(1, 20)
        self.first = r.choice([10, 13, 16])
        self.operands = [OPERANDS.get(n, r.randint(0, 3)) for n in range(1, self.first)]
        self.folders = [f"/folder_{n}/{'x' * r.choice([1, 1, 60])}" for n in range(r.randint(0, 3))]
        self.files = [(r.choice(["", "", "/absolute/"]) + f"file_{n}{'y' * r.choice([1, 1, 1, 190, 194])}.cu",
                       r.randint(0, len(self.folders) + 1), r.randint(0, 300)) for n in range(r.randint(1, 4))]
        self.sequences = [self.sequence(text) for _ in range(r.randint(1, 4))]

    def sequence(self, text):
        r = self.r
        address, line, rows = text + 16 * r.randrange(CODE_B // 16), r.randint(1, 5000), []
        for n in range(r.randint(1, 12)):
            caller = r.choice([r.randint(1, n), r.randint(1, n), n + 1, 999]) if n and r.random() < 0.6 else 0
            rows.append((address, r.randint(1, len(self.files) + (r.random() < 0.1)), line, caller))
            address += 16 * r.choice([0, 1, 1, 2, 3, 7, 40])
            line = max(1, line + r.choice([0, 1, 2, -3, 5, 100, -200, 70000]))
        return rows, address

    def path(self, number):
        """The file's, as users have it: its folder before a name that is not absolute."""
        if number > len(self.files):
            return ""
        name, folder, _ = self.files[number - 1]
        name = name[:199]
        before = self.folders[folder - 1] + "/" if 0 < folder <= len(self.folders) and name[0] != "/" else ""
        return before + name if len(before) + (not before) + len(name) < 256 else ""

    def noise(self):
        r = self.r
        known = [bytes([5]) + uleb(r.randint(0, 99)), b"\6", b"\7", b"\0\3\x85ab", b"\0\1\x84"]
        if self.first > 12:
            known += [b"\x0a", b"\x0b", b"\x0c" + uleb(r.randint(0, 9))]
        for op in range(13, self.first):
            known.append(bytes([op]) + b"".join(uleb(r.randint(0, 99999)) for _ in range(self.operands[op - 1])))
        return b"".join(r.choices(known, k=r.choice([0, 0, 1, 3])))

    def moved(self, by):
        """Opcodes that move the address; all moves are multiples of 16 bytes."""
        r, out = self.r, b""
        constant = (255 - self.first) // self.range * self.shortest
        while by:
            ways = [bytes([2]) + uleb(by // self.shortest)]
            if by < 65536:
                ways.append(bytes([9]) + struct.pack("<H", by))
            way = r.choice(ways)
            if constant and constant <= by and (by - constant) % self.shortest == 0 and r.random() < 0.5:
                way, by = b"\x08", by - constant
            else:
                by = 0
            out += way
        return out

    def row(self, by, line, caller, file):
        """The opcodes that make a row of the one before, of which the arguments say what differs."""
        r, out = self.r, [self.noise()]
        if file is not None:
            out.append(bytes([4]) + uleb(file))
        if caller is not None:
            out.append(bytes([0, 1 + len(uleb(caller)) + 1, 0x90]) + uleb(caller) + b"\0")
        r.shuffle(out)
        specials = [(a, s) for s in range(256 - self.first) if (a := s // self.range * self.shortest) <= by and
                    (by - a) % self.shortest == 0]
        if not specials or r.random() < 0.3:
            return b"".join(out) + self.moved(by) + bytes([3]) + sleb(line) + b"\1"
        a, s = r.choice(specials)
        left = line - (self.base + s % self.range)
        return b"".join(out) + self.moved(by - a) + (bytes([3]) + sleb(left) if left else b"") + bytes([self.first + s])

    def bytes(self):
        program = b""
        for rows, end in self.sequences:
            at, file, line, caller = 0, 1, 1, 0
            size = self.r.choice([n for n in range(4, 13) if rows[0][0] >> 8 * n == 0]) # 8, and what is read of others
            program += bytes([0, 1 + size, 2]) + (struct.pack("<Q", rows[0][0]) + bytes([0x5A] * 4))[:size]
            at = rows[0][0]
            for row in rows:
                program += self.row(row[0] - at, row[2] - line, row[3] if row[3] != caller else None,
                                    row[1] if row[1] != file else None)
                at, file, line, caller = row
            program += self.moved(end - at) + self.noise() + b"\0\1\1"
        tables = b"".join(f.encode() + b"\0" for f in self.folders) + b"\0"
        tables += b"".join(name.encode() + b"\0" + uleb(folder) + uleb(time) + uleb(time * 77)
                           for name, folder, time in self.files) + b"\0"
        head = bytes([self.shortest]) + (b"\1" if self.version >= 4 else b"") + b"\1"
        head += struct.pack("<bBB", self.base, self.range, self.first) + bytes(self.operands) + tables
        head += bytes(self.r.choice([0, 0, 3])) # what a newer producer has behind them
        body = struct.pack("<HI", self.version, len(head)) + head + program
        return struct.pack("<I", len(body)) + body

    def line_of(self, pc):
        """(file, line, calls), of the first row that covers the PC; None."""
        for rows, end in self.sequences:
            ends = [row[0] for row in rows[1:]] + [end]
            for row, until in zip(rows, ends):
                if row[0] <= pc < until:
                    return self.path(row[1]), row[2], self.calls(rows, row)
        return None

    def calls(self, rows, row):
        calls = []
        while row[3] and row[3] <= len(rows) and len(calls) < 32:
            row = rows[row[3] - 1]
            calls.append((self.path(row[1]), row[2]))
        return calls[:5] + calls[-1:] if len(calls) > 6 else calls


def places_of(tmp_path, lines, pcs, text=Image("wrong_barrier").text):
    """{PC: (file, line, calls)} as the command says it."""
    image = Image("wrong_barrier").moved(text).holding(".text", bytes(CODE_B)).holding(".debug_line", lines)
    core = Core(image.head)
    core.image(image)
    core.grids(0, [1], [image.params])
    core.cta(1, [[lane(image.text + pc) for pc in pcs[n:n + 32]] for n in range(0, len(pcs), 32)])
    said = subprocess.run([TMA, "hang", "--json", core.write(tmp_path / "core")], stdout=subprocess.PIPE, timeout=60, check=False)
    places = json.loads(said.stdout)["places"]
    assert len(places) == len(pcs) and {p["does"] for p in places} == {"run"}
    return {p["offset_B"]: (p["file"], p["line"], [(c["file"], c["line"]) for c in p["inlined_into"]]) for p in places}


@pytest.mark.parametrize("seed", range(int(os.environ.get("DRAWN", 3))))
def test_lines_of_drawn_rows(tmp_path, seed):
    r = random.Random(f"lines {seed}")
    text = Image("wrong_barrier").text + (seed % 2 * 0x5A << 56)
    units = [Unit(r, text) for _ in range(r.choice([1, 3, 12]))]
    edges = {row[0] - text + step for u in units for rows, _ in u.sequences for row in rows for step in (-16, 0, 16)}
    pcs = sorted({*r.sample(sorted(edges), min(80, len(edges))), *r.sample(range(0, CODE_B, 16), 120)} & set(range(0, CODE_B, 16)))
    said = places_of(tmp_path, b"".join(u.bytes() for u in units), pcs, text)
    found = {pc: next((line for u in units if (line := u.line_of(text + pc))), ("", 0, [])) for pc in pcs}
    assert said == found
    assert any(line[1] for line in found.values())


def test_lines_behind_what_is_not_read(tmp_path):
    """A unit of DWARF 5, and one cut off, end what is read; what stands before counts."""
    r = random.Random("lines behind")
    text = Image("wrong_barrier").text
    unit = Unit(r, text)
    rows, _ = unit.sequences[0]
    pc = rows[0][0] - text
    unit.sequences = [([(text, 1, 77, 0)], text + CODE_B)]
    whole = unit.bytes()
    newer, older = bytearray(whole), bytearray(whole)
    newer[4], older[4] = 5, 1
    # The operation that ends the sequence reaches into what stands behind the unit.
    torn = whole[:-3] + b"\0\3\1"
    for lines, line in ((whole, 77), (bytes(newer), 0), (bytes(newer) + whole, 0), (whole + bytes(newer), 77),
                        (bytes(older) + whole, 0), (torn, 0), (torn + bytes(newer), 0),
                        (whole[:-1], 0), (whole + b"\1", 77), (b"\0\0\0", 0), (b"\0\0\0\0", 0)):
        assert places_of(tmp_path, lines, [pc])[pc][1] == line
