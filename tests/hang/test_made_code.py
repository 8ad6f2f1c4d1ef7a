# SPDX-License-Identifier: Apache-2.0
"""What tma hang says of each PC of drawn machine code, against the rules of program/dump/core_wait.c written once more."""
import collections
import json
import os
import random
import struct
import subprocess
import sys

import pytest

sys.path.insert(0, os.path.dirname(__file__))
from made_core import UNIFORMS, Core, Image, lane  # noqa: E402
from test_made_lines import sleb, uleb  # noqa: E402

TMA = os.environ["TMA"]
REGISTERS = 255 # all that a thread can have
NUMBERS = [*[255] * 4, 254, 253, 251, 250, *range(16)]
WORDS = {"BAR": "wait at a barrier of the CTA (bar.sync, __syncthreads)", "MBARRIER": "wait at an mbarrier", "RUNS": "run",
         "CLUSTER": "wait at the cluster's barrier (barrier.cluster.wait)", "GRID": "wait for the grid before (griddepcontrol.wait)",
         "GROUP": "wait for a group of asynchronous copies or wgmma (wait_group)",
         "GLOBAL": "read global memory again and again", "SHARED": "read shared memory again and again"}
# Opcodes by what they do; what is in no row does nothing that counts.
OPCODES = {"CHECK": [0x5A7], "BRA": [0x947], "END": [0x94D, 0x950], "BAR": [0xB1D, 0x51D, 0x31D, 0x91D], "DEPBAR": [0x91A],
           "WARPGROUP": [0x9C5], "WORK": [0x9A7, 0x3B4, 0x5B4, 0x3B5, 0x3BA, 0x9F0], "CLUSTER": [0xDC7], "GRID": [0x82E],
           "PAUSE": [0x946, 0x98F], "GLOBAL": [0x180, 0x381, 0x98A, 0x3A8, 0x5A9], "SHARED": [0x984, 0x38C, 0x58D],
           "ELSE": [0x210, 0x224, 0x80C, 0x182, 0x183, 0x388, 0x5AB, 0x186, 0x9C4, 0x91B, 0x94F, 0x941]}
KIND = {op: kind for kind, ops in OPCODES.items() for op in ops}


class Word:
    """An instruction of 16 bytes, drawn; BRA's target is `to` instructions from it."""

    def __init__(self, r, kind, to=0, **fields):
        self.op = r.choice(OPCODES[kind])
        self.low, self.high = self.op | r.getrandbits(52) << 12, r.getrandbits(64)
        self.guard = 7 if r.random() < (0.85 if kind in ("CHECK", "BAR") else 0.5) else r.randrange(16)
        self.put(12, 4, self.guard)
        if kind == "BRA":
            self.branch(to)
        if kind == "CHECK":
            self.register, self.parity = r.choice(NUMBERS), r.choice(NUMBERS)
            self.uniform, self.offset = r.choice([*[63] * 6, 62, 61, 59, *range(16)]), r.choice([0, 8, 0x400, -8, -0x800000, 0x7FFFFF])
            for at, width, value in ((24, 8, self.register), (32, 8, self.parity), (40, 24, self.offset), (64, 6, self.uniform)):
                self.put(at, width, value)
        if kind in ("ELSE", "GLOBAL", "SHARED"):
            self.put(16, 8, r.choice([*[255] * 25, *[254, 252, 251, 250] * 3, 253, 200, 62, 58, *range(16)]))
        for at, value in fields.values():
            self.put(at, 1, value)

    def put(self, at, width, value):
        both = self.low | self.high << 64
        both = both & ~((1 << width) - 1 << at) | (value & (1 << width) - 1) << at
        self.low, self.high = both & 2**64 - 1, both >> 64

    def branch(self, to):
        """A signed number of 4 bytes from the next instruction: 8 bits at 16, 48 at 34."""
        words = (to - 1) * 4
        self.put(16, 8, words)
        self.put(34, 48, words >> 8)
        self.to = to

    def get(self, at, width):
        return (self.low | self.high << 64) >> at & (1 << width) - 1

    @property
    def kind(self):
        kind = KIND.get(self.op, "ELSE")
        if kind == "BAR" and self.get(77, 1):
            return "ELSE"
        if kind in ("DEPBAR", "WARPGROUP"):
            return "GROUP" if kind == "DEPBAR" or self.get(47, 1) else "ELSE"
        return kind

    @property
    def ends(self):
        return self.guard == 7 and self.kind in ("BRA", "END")


def drawn(r):
    """Loops of all lengths around what waits, and what is no loop."""
    code = []
    while len(code) < 1200:
        body = [Word(r, r.choice(["ELSE"] * 6 + ["PAUSE"])) for _ in range(r.choice([0, 1, 1, 2, 2, 3, 4, 6, 12, 24, 62, 64, 66, 100]))]
        at = r.choice([0, len(body), r.randint(0, len(body))])
        for _ in range(r.choice([1, 1, 2, 3])):
            at = r.choice([at, at, at + 1, r.randint(0, len(body))])
            body.insert(at, Word(r, r.choice(["CHECK"] * 8 + list(OPCODES))))
        if r.random() < 0.3:
            body.insert(r.randint(0, len(body)), Word(r, "WORK"))
        if r.random() < 0.8:
            body.append(Word(r, "BRA", -len(body) + r.choice([0, 0, 0, 0, 1, 2, -1, -3, 3 * len(body) + 2])))
        code += body
    return code


def in_loop(code, at, pc):
    """Whether the first branch behind both goes before both, over nothing that is more than waiting."""
    low, high = min(at, pc), max(at, pc)
    for i in range(high, min(high + 64, len(code))):
        if code[i].kind == "BRA" and i + code[i].to in range(low + 1):
            return not any(w.kind in ("WORK", "CLUSTER", "BAR", "GROUP") for w in code[i + code[i].to:i])
        if code[i].ends:
            return False
    return False


def writes(word, number, zero):
    to = word.get(16, 8)
    return number != zero and 0 <= number - (to if zero == 255 else to & 63) < 4 and (zero == 63 or to != 255)


def sure(code, at, pc):
    check = code[at]
    between = [w for w in code[at + 1:max(at + 1, pc)] if w.kind not in ("BRA", "PAUSE", "CHECK")]
    return not any(writes(w, check.register, 255) or writes(w, check.parity, 255) or writes(w, check.uniform, 63) for w in between)


def wait_of(code, pc):
    """(kind, its instruction), of the code around that the command reads."""
    if pc and code[pc - 1].kind == "BAR":
        return "BAR", pc - 1
    for at in range(pc - 1, max(pc - 25, -1), -1):
        if code[at].ends:
            break
        if code[at].kind == "CHECK" and ((code[at].get(72, 1) and pc - at < 3) or in_loop(code, at, pc)):
            return "MBARRIER", at
    for at in range(pc, min(pc + 24, len(code))):
        if code[at].kind == "CHECK" and in_loop(code, at, pc):
            return "MBARRIER", at
        if code[at].ends:
            break
    for kind in "CLUSTER", "GROUP", "GRID":
        for at in (pc, pc - 1):
            if at >= 0 and code[at].kind == kind:
                return kind, at
    for at in range(max(0, pc - 12), min(pc + 12, len(code))):
        if code[at].kind in ("GLOBAL", "SHARED") and in_loop(code, at, pc):
            return code[at].kind, at
    return "RUNS", pc


def window(code, pc):
    first = max(0, pc - 32)
    return code[first:first + 112], first


def lines_of(count, text):
    """Instruction n is on line n + 1."""
    program = bytes([0, 9, 2]) + struct.pack("<Q", text) + b"\1" + (b"\2\x10" + b"\3" + sleb(1) + b"\1") * (count - 1)
    tables = bytes([1, 1, 0, 1, 10, 0, 1, 1, 1, 1, 0, 0, 0, 1]) + b"\0a.cu\0" + uleb(0) * 3 + b"\0"
    body = struct.pack("<HI", 2, len(tables)) + tables + program + b"\2\x10\0\1\1"
    return struct.pack("<I", len(body)) + body


def said_of(tmp_path, code, pcs, registers, uniforms):
    image = Image("wrong_barrier")
    held = b"".join(struct.pack("<QQ", w.low, w.high) for w in code)
    image.holding(".text", held).holding(".debug_line", lines_of(len(code), image.text))
    core = Core(image.head)
    core.image(image)
    core.grids(0, [1], [image.params])
    warps = [[lane(image.text + 16 * pc, dict(enumerate(registers))) for pc in pcs[n:n + 32]] for n in range(0, len(pcs), 32)]
    core.cta(1, warps, uniforms=struct.pack(f"<{UNIFORMS}I", *uniforms))
    said = subprocess.run([TMA, "hang", "--json", core.write(tmp_path / "core")], stdout=subprocess.PIPE, timeout=60, check=False)
    return json.loads(said.stdout)["places"]


def wanted_of(code, pcs, registers, uniforms):
    """{(words, line): details of the first}, and of how many PCs."""
    wanted, count = {}, collections.Counter()
    for pc in pcs:
        near, first = window(code, pc)
        kind, at = wait_of(near, pc - first)
        word = near[at]
        key, more = (WORDS[kind], first + at + 1), None
        if kind == "BAR" and word.op in (0xB1D, 0x91D):
            more = (word.get(54, 4), word.get(42, 12) if word.op == 0xB1D else 0)
        if kind == "MBARRIER":
            base = registers[word.register] if word.register != 255 else 0
            base += uniforms[word.uniform] if word.uniform != 63 else 0
            parity = registers[word.parity] >> 31 if word.parity != 255 else 0
            more = ((base + word.offset) & 0xFFFFFF, parity, sure(near, at, pc - first))
        wanted.setdefault(key, more)
        count[key] += 1
    return wanted, count


@pytest.mark.parametrize("seed", range(int(os.environ.get("DRAWN", 3))))
def test_waits_of_drawn_code(tmp_path, seed):
    r = random.Random(f"code {seed}")
    code = drawn(r)
    registers = [r.getrandbits(32) for _ in range(REGISTERS)]
    uniforms = [r.getrandbits(32) for _ in range(UNIFORMS)]
    kinds = set()
    for first in range(0, len(code), 250): # more places than that are left out
        pcs = list(range(first, min(first + 250, len(code))))
        r.shuffle(pcs) # the first lane of a place says what is said of it
        wanted, count = wanted_of(code, pcs, registers, uniforms)
        said, lanes = {}, {}
        for p in said_of(tmp_path, code, pcs, registers, uniforms):
            more = tuple(p["bar_sync"].values()) if "bar_sync" in p else None
            if "barrier" in p:
                more = (int(p["barrier"]["at"], 16), p["barrier"]["wait_parity"], p["barrier"]["sure"])
            key = p["does"], p["line"]
            said[key], lanes[key] = more, p["lanes"]
        assert said == wanted and lanes == count
        kinds |= {does for does, _ in said}
    assert len(kinds) > 4
