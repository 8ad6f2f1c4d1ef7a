# SPDX-License-Identifier: Apache-2.0
"""GPU core dumps made from a description, in the order and with the rows of a driver's (r580). The code is that of a
real dump: the image of a seed of fuzz_core, whose function lies at `text(image)`."""
import struct
import sys
import pathlib

ROOT = pathlib.Path(__file__).parents[2]
sys.path.insert(0, str(ROOT / "lab/fuzz"))
import cut_core  # noqa: E402

SMS = 0x8000000B
READY, EXITED, BLOCKED = 1, 0, 9
WINDOW, SHARED_B, REGISTERS, UNIFORMS = 0x400, 2048, 16, 63


class Image:
    """A kernel's machine code and lines, as a dump has it; `moved` puts it elsewhere."""

    def __init__(self, seed):
        data = (ROOT / "lab/fuzz/corpus/coverage/fuzz_core" / seed).read_bytes()
        rows, _ = cut_core.sections(data)
        self.head = data[:64]
        self.bytes = next(cut_core.bytes_of(data, s) for s in rows if s[1] == cut_core.RELF)
        self.params = next(cut_core.bytes_of(data, s) for s in rows if s[1] == cut_core.PARAMS)
        self.rows, self.names = cut_core.sections(self.bytes)
        self.text = next(s[3] for s in self.rows if s[1] == 1 and s[3])

    def without_lines(self):
        return self.holding(".debug_line", b"")

    def holding(self, name, held):
        """Other contents of the section whose name begins so."""
        names = self.bytes[self.rows[self.names][4]:]
        kept = [(s, held if names[s[0]:].startswith(name.encode()) else cut_core.bytes_of(self.bytes, s)) for s in self.rows]
        self.bytes = cut_core.put_together(self.bytes[:64], kept, self.names)
        self.rows, self.names = cut_core.sections(self.bytes)
        return self

    def moved(self, address):
        kept = [([*s[:3], address if s[3] == self.text else s[3], *s[4:]], cut_core.bytes_of(self.bytes, s)) for s in self.rows]
        self.bytes = cut_core.put_together(self.bytes[:64], kept, self.names)
        self.rows, self.names = cut_core.sections(self.bytes)
        self.text = address
        return self


def lane(pc, registers=None, state=READY):
    """A lane at a PC, by its registers' numbers."""
    return pc, registers or {}, state


class Core:
    def __init__(self, head, devices=(90,)):
        self.head, self.rows, self.ctas, self.devices, self.block = head, [([0] * 10, b"")], 0, [], (1 << 20, 1, 1)
        held = b"".join(struct.pack("<56xII24x", sm // 10, sm % 10) for sm in devices)
        table = self.add(cut_core.DEVICES, held, row_B=88)
        for number in range(len(devices)):
            self.devices.append([table, number, None, None])

    def thread(self, number):
        """Its coordinates in the block."""
        x, y, _ = self.block
        return number % x, number // x % y, number // x // y

    def add(self, kind, held, link=0, info=0, row_B=0):
        self.rows.append(([0, kind, 2, 0, 0, 0, link, info, 0, row_B], held))
        return len(self.rows) - 1

    def image(self, image):
        self.add(cut_core.RELF, image.bytes)

    def grids(self, device, ids, params):
        """The device's table of grids, and the parameters of each."""
        table, number, _, _ = self.devices[device]
        held = b"".join(struct.pack("<QQQQ40xIIIIII40x", i, 0, 0, 0, 4, 1, 1, 64, 1, 1) for i in ids)
        grids = self.add(cut_core.GRIDS, held, table, number, 136)
        for i, given in enumerate(params):
            self.add(cut_core.PARAMS, given, grids, i)
        self.devices[device][3] = self.add(SMS, bytes(48), table, number, 48)

    def cta(self, grid, warps, words=None, block=0, device=0, shared_B=SHARED_B, uniforms=bytes(4 * UNIFORMS), row_B=56):
        """A CTA of a grid with words at addresses of its shared memory (none where it has no bytes); a warp is a list of lanes."""
        row = struct.pack("<QIII36x", grid, *(block if isinstance(block, tuple) else (block, 0, 0)))
        table = self.add(cut_core.CTAS, row + bytes(row_B - 56), self.devices[device][3], self.ctas, row_B)
        self.ctas += 1
        shared = bytearray(shared_B)
        for at, word in (words or {}).items():
            struct.pack_into("<Q", shared, at, word)
        if shared_B:
            self.add(cut_core.SHARED, bytes(shared), table)
        rows = b"".join(struct.pack("<QIII44x", 0, i, (1 << len(w)) - 1, (1 << len(w)) - 1) for i, w in enumerate(warps))
        warp_table = self.add(cut_core.WARPS, rows, table, 0, 64)
        for i, warp in enumerate(warps):
            if len(uniforms) == 4 * UNIFORMS or uniforms and i == 0: # fewer: of the first warp alone
                self.add(cut_core.UREGS, uniforms, warp_table, i, 4)
            held = b"".join(struct.pack("<QQIIII16xII", pc, pc, n, *self.thread(32 * i + n), state, 0)
                            for n, (pc, _, state) in enumerate(warp))
            lanes = self.add(cut_core.LANES, held + bytes(56 * (32 - len(warp))), warp_table, i, 56)
            for n, (_, registers, _) in enumerate(warp):
                values = [registers.get(k, 0xDEAD0000 + k) for k in range(max([REGISTERS - 1, *registers]) + 1)]
                self.add(cut_core.REGS, struct.pack(f"<{len(values)}I", *values), lanes, n, 4)

    def write(self, path):
        names = len(self.rows)
        path.write_bytes(cut_core.put_together(self.head, [*self.rows, ([0, 3, *[0] * 8], b"\0")], names))
        return path
