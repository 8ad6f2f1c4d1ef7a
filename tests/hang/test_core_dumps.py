# SPDX-License-Identifier: Apache-2.0
"""tma hang on dumps that no driver wrote: constants beside parameters, tables that are damaged, a file of a GiB. Made of
the small dumps of lab/fuzz/corpus (lab/fuzz/cut_core.py). TMA is the command."""
import json
import os
import pathlib
import resource
import struct
import subprocess
import sys

ROOT = pathlib.Path(__file__).parents[2]
sys.path.insert(0, str(ROOT / "lab/fuzz"))
import cut_core  # noqa: E402

TMA = os.environ["TMA"]
SMALL = (ROOT / "lab/fuzz/corpus/coverage/fuzz_core/wrong_barrier").read_bytes()
GLOBAL, MAP_B = 0x80000002, 128
MOST_MEMORY_KIB = 64 * 1024
CONSTANTS_BANK = 3  # typed once more, on purpose


def tma(path, *words, **more):
    return subprocess.run([TMA, "hang", *words, str(path)], capture_output=True, text=True, timeout=120, check=False, **more)


def sections_of(data):
    rows, names = cut_core.sections(data)
    return [(s, cut_core.bytes_of(data, s)) for s in rows], names


def write(path, kept, names):
    path.write_bytes(cut_core.put_together(SMALL[:64], kept, names))
    return path


def a_map():
    kept, _ = sections_of(SMALL)
    params = next(held for s, held in kept if s[1] == cut_core.PARAMS)
    return params[112:112 + MAP_B]


def with_constants(path, bank, memory):
    """Two maps in a bank of constants; a section of global memory has it, where `memory`."""
    kept, names = sections_of(SMALL)
    address, held = 0x7F0000000000, bytes(256) + a_map() + a_map()
    grids = next(i for i, (s, _) in enumerate(kept) if s[1] == cut_core.GRIDS)
    kept = [(s, h) for s, h in kept if s[1] != cut_core.BANKS]
    grids = next(i for i, (s, _) in enumerate(kept) if s[1] == cut_core.GRIDS)
    kept.append(([0, cut_core.BANKS, 0, 0, 0, 0, grids, 0, 0, 16], struct.pack("<QII", address + 64, len(held) - 64, bank)))
    if memory:
        kept.append(([0, GLOBAL, 0, address, 0, 0, 0, 0, 0, 0], held))
    return write(path, kept, names)


def test_maps_in_constants(tmp_path):
    maps = json.loads(tma(with_constants(tmp_path / "core", CONSTANTS_BANK, True), "--json").stdout)["maps"]
    assert [m.get("constant_B") for m in maps] == [None, None, 192, 192 + MAP_B]
    assert maps[2]["spec"] == maps[0]["spec"] and maps[2]["copy_B"] == 16384 and maps[2]["findings"] == []
    for bank, memory in (2, True), (CONSTANTS_BANK, False):
        assert len(json.loads(tma(with_constants(tmp_path / "core", bank, memory), "--json").stdout)["maps"]) == 2


def test_a_map_is_judged(tmp_path):
    """A box of 128 x 2 B in a swizzle of 128 B: what tma check says of it is said here."""
    kept, names = sections_of(SMALL)
    edit = ["--field", "box_dim", "--ord", "0", "--value", "128", "--format", "raw"]
    wide = subprocess.run([TMA, "replace", a_map().hex(), *edit], capture_output=True, check=False).stdout
    assert len(wide) == MAP_B
    kept = [(s, held[:112] + wide + held[112 + MAP_B:] if s[1] == cut_core.PARAMS else held) for s, held in kept]
    path = write(tmp_path / "core", kept, names)
    rules = [f["rule"] for f in json.loads(tma(path, "--json").stdout)["maps"][0]["findings"]]
    assert rules and f"    {rules[0]}: " in tma(path).stdout
    assert json.loads(tma(path, "--json").stdout)["maps"][1]["findings"] == []


def image_with_another_function(image):
    """A sequence of three rows before those that are there: another kernel's, which stands nowhere."""
    rows, names = cut_core.sections(image)
    held = [cut_core.bytes_of(image, s) for s in rows]
    lines = next(i for i, s in enumerate(rows) if held[names][s[0]:].startswith(b".debug_line\0"))
    data = held[lines]
    length, _, header = struct.unpack_from("<IHI", data)
    program = 10 + header
    other = b"\0\x09\x02" + struct.pack("<Q", 1 << 60) + bytes([1, 1]) + b"\0\x01\x01"
    held[lines] = struct.pack("<I", length + len(other)) + data[4:program] + other + data[program:]
    return cut_core.put_together(image[:64], list(zip(rows, held)), names)


def test_inlined_lines_of_the_second_function(tmp_path):
    """The rows that others are inlined into are counted in each function anew."""
    kept, names = sections_of(SMALL)
    kept = [(s, image_with_another_function(held) if s[1] == cut_core.RELF else held) for s, held in kept]
    verdict = tma(write(tmp_path / "core", kept, names)).stdout.splitlines()[0]
    assert verdict.startswith("Waits at the mbarrier at 0x400 (hangs.cu:31, inlined from hangs.cu:13): 16384 B missing")


def test_what_is_damaged_is_no_verdict(tmp_path):
    """Registers that lie behind the file's end: the warps that wait are not said to be none."""
    data = bytearray(SMALL)
    at, = struct.unpack_from("<Q", data, 40)
    for i, s in enumerate(cut_core.sections(SMALL)[0]):
        if s[1] == cut_core.REGS:
            struct.pack_into("<Q", data, at + 64 * i + 24, 1 << 40)
    (tmp_path / "core").write_bytes(data)
    done = tma(tmp_path / "core")
    assert done.returncode == 2 and done.stdout.startswith("What the warps wait for cannot be said: 2 sections are")


def test_a_gibibyte(tmp_path):
    """Global memory is passed over: little memory, little time."""
    kept, names = sections_of(SMALL)
    path = write(tmp_path / "core", kept, names)
    size = 1 << 30
    with open(path, "r+b") as file:  # the headers at the end, behind what nobody reads
        data = bytearray(file.read())
        at, = struct.unpack_from("<Q", data, 40)
        struct.pack_into("<Q", data, 40, size)
        file.seek(0)
        file.write(data[:at])
        file.truncate(size)
        file.seek(size)
        file.write(data[at:])
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = tma(path)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    assert done.returncode == 1 and "0x408, where nobody expected them" in done.stdout
    assert after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime < 2
    assert after.ru_maxrss < MOST_MEMORY_KIB or after.ru_maxrss == before.ru_maxrss
