# SPDX-License-Identifier: Apache-2.0
"""GPU core dumps that are made to be slow for `tma hang`: what a driver writes once, many times, alike or in each other."""
import pathlib
import struct
import sys
import tempfile

HERE = pathlib.Path(__file__).parent
sys.path.insert(0, str(HERE.parent / "hang"))
from made_core import Core, Image, cut_core, lane  # noqa: E402

SEED = "wrong_barrier"
LANE_B, CTA_B, WARP_B = 56 * 32, 64 * 6, 64 * 4


def data_of(core):
    with tempfile.TemporaryDirectory() as folder:
        return core.write(pathlib.Path(folder) / "core").read_bytes()


def begun(image):
    core = Core(image.head)
    core.image(image)
    core.grids(0, [1], [image.params])
    return core


def one_lane(image, at=0):
    return [lane(image.text + 16 * at, {3: 0x400})]


def warps(size_B):
    image = Image(SEED)
    core = begun(image)
    core.cta(1, [one_lane(image, 0x133)] * max(size_B // 2300, 1))
    return data_of(core)


def ctas(size_B):
    image = Image(SEED)
    core = begun(image)
    for i in range(max(size_B // 2700, 1)):
        core.cta(1, [one_lane(image, 0x133)], block=i, words={0: i}, shared_B=64)
    return data_of(core)


def places(size_B):
    """Each warp at a place of its own, in code without loops."""
    image = Image(SEED)
    image.holding(".text", bytes(16 * (size_B // 2400 + 1)))
    core = begun(image)
    core.cta(1, [one_lane(image, i) for i in range(max(size_B // 2400, 1))])
    return data_of(core)


def grids(size_B):
    image = Image(SEED)
    core = Core(image.head)
    core.image(image)
    count = max(size_B // 330, 1)
    core.grids(0, range(1, count + 1), [image.params[:64]] * count)
    core.cta(count, [one_lane(image, 0x133)])
    return data_of(core)


def images(size_B):
    """Images of no kernel, behind the kernel's."""
    image = Image(SEED)
    core = begun(image)
    empty = b"\x7fELF\x02\x01\x01".ljust(40, b"\0") + struct.pack("<Q10xHHH", 64, 64, 0, 0)
    for _ in range(max(size_B // 128, 1)):
        core.add(cut_core.RELF, empty)
    core.cta(1, [one_lane(image, 0x133)] * 8)
    return data_of(core)


def devices(size_B):
    image = Image(SEED)
    core = Core(image.head, [90] * max(size_B // 250, 1))
    core.image(image)
    for device in range(len(core.devices)):
        core.grids(device, [1], [])
    return data_of(core)


def lines(size_B):
    """A program of line numbers, a row for each byte of it."""
    image = Image(SEED)
    program = bytes([0, 9, 2]) + struct.pack("<Q", image.text) + b"\x01" * size_B + b"\0\1\1"
    head = bytes([16, 1, 0, 1, 10, 0, 1, 1, 1, 1, 0, 0, 0, 1]) + b"\0a.cu\0\0\0\0\0"
    made = struct.pack("<HI", 2, len(head)) + head + program
    core = begun(image.holding(".debug_line", struct.pack("<I", len(made)) + made))
    core.cta(1, [one_lane(image, i) for i in range(200)])
    return data_of(core)


def units(size_B):
    """Short programs of line numbers, one behind the other."""
    image = Image(SEED)
    program = bytes([0, 9, 2]) + struct.pack("<Q", image.text) + b"\1\2\x10\1\0\1\1"
    head = bytes([1, 1, 0, 1, 10, 0, 1, 1, 1, 1, 0, 0, 0, 1]) + b"\0a.cu\0\0\0\0\0"
    made = struct.pack("<HI", 2, len(head)) + head + program
    one = struct.pack("<I", len(made)) + made
    core = begun(image.holding(".debug_line", one * (size_B // len(one))))
    core.cta(1, [one_lane(image, i) for i in range(200)])
    return data_of(core)


def registers(size_B):
    """Tables of registers of one lane, given again and again."""
    image = Image(SEED)
    core = begun(image)
    core.cta(1, [one_lane(image, 0x133)])
    lanes = next(i for i, (row, _) in enumerate(core.rows) if row[1] == cut_core.LANES)
    for _ in range(max(size_B // 128, 1)):
        core.add(cut_core.REGS, bytes(64), lanes, 0, 4)
    return data_of(core)


CORES = {"warps": warps, "CTAs": ctas, "places": places, "grids": grids, "images": images, "devices": devices,
         "lines": lines, "units of lines": units, "registers again": registers}
CORES |= {"shared memory": lambda size_B: shared(size_B), "sections": lambda size_B: sections(size_B), "names": lambda size_B: names(size_B)}


def shared(size_B):
    """Words that look like barriers, one behind the other, and lanes that wait at each of some."""
    image = Image(SEED)
    core = begun(image)
    words = {at: 0x8000000000000001 + (at << 20) for at in range(0, 65536, 8)}
    for block in range(max(size_B // 70000, 1)):
        core.cta(1, [[lane(image.text + 0x1330, {3: 0x400 + 8 * i, 0: 0})] for i in range(2)], block=block, words=words, shared_B=65536)
    return data_of(core)


def sections(size_B):
    """Rows of kinds that nobody reads."""
    image = Image(SEED)
    core = begun(image)
    core.cta(1, [one_lane(image, 0x133)])
    core.rows += [([0, 0x80000099, 0, 0, 0, 0, i % 7, i, 0, 1], b"") for i in range(max(size_B // 64, 1))]
    return data_of(core)


def names(size_B):
    """A kernel's image whose sections are many, of no code."""
    image = Image(SEED)
    kept = [(s, cut_core.bytes_of(image.bytes, s)) for s in image.rows]
    row = [0, 1, 2, 0, 0, 0, 0, 0, 1, 0]
    kept += [(list(row), b"") for _ in range(min(max(size_B // 64, 1), 60000))]
    image.bytes = cut_core.put_together(image.bytes[:64], kept, image.names)
    core = begun(image)
    core.cta(1, [one_lane(image, 0x130 + i) for i in range(200)])
    return data_of(core)
