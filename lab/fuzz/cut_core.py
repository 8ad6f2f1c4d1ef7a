#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""cut_core.py CORE[.gz] OUT [--lanes N] [--shared-B N]: a GPU core dump cut down to what tma hang reads of one warp a
place, a few KiB: a seed for fuzz_core. Sections that are not read go, and modules in which no warp stands."""
import argparse
import gzip
import pathlib
import struct

HEADER = struct.Struct("<IIQQQQIIQQ")
SHARED, REGS, RELF, DEVICES, GRIDS, CTAS, WARPS, LANES, PARAMS, UREGS, BANKS, META = (
    0x80000000 + n for n in (0x4, 0x5, 0x7, 0x9, 0xC, 0xD, 0xE, 0xF, 0x12, 0x13, 0x15, 0x16))


def sections(data):
    at, = struct.unpack_from("<Q", data, 40)
    count, names = struct.unpack_from("<HH", data, 60)
    return [list(HEADER.unpack_from(data, at + HEADER.size * i)) for i in range(count)], names


def bytes_of(data, s):
    return b"" if s[1] == 8 else data[s[4]:s[4] + s[5]]


def small_module(data, pc):
    """The module where the PC stands, without what the reader of lines and code passes over; or None."""
    rows, names = sections(data)
    if not any(s[1] == 1 and s[3] and s[3] <= pc < s[3] + s[5] for s in rows):
        return None
    name_of = [bytes_of(data, rows[names])[s[0]:].split(b"\0")[0] for s in rows]
    keep = [i for i, s in enumerate(rows) if i in (0, names) or name_of[i] in (b".debug_line", b".debug_str") or
            (s[1] == 1 and s[3] and s[3] <= pc < s[3] + s[5])]
    return put_together(data[:64], [(rows[i], bytes_of(data, rows[i])) for i in keep], keep.index(names))


def put_together(head, kept, names):
    out, rows = bytearray(head), []
    for s, held in kept:
        at = len(out)
        out += held + bytes(-len(held) % 8)
        rows.append(HEADER.pack(*s[:4], at, len(held), *s[6:]))
    struct.pack_into("<Q", out, 40, len(out))
    struct.pack_into("<HH", out, 60, len(rows), names)
    return bytes(out) + b"".join(rows)


def cut(data, lanes, shared_B):
    rows, names = sections(data)
    used = {i for i, s in enumerate(rows) if s[1] in (DEVICES, GRIDS, PARAMS, BANKS, META) or i in (0, names)}
    pcs = set()
    for i, s in enumerate(rows):
        if s[1] == LANES:
            here = {struct.unpack_from("<Q", data, s[4] + k * s[9])[0] for k in range(s[5] // s[9])}
            if not here <= pcs:
                pcs |= here
                warp = (s[6], s[7])
                cta = tuple(rows[s[6]][6:8])
                used |= {i, s[6], rows[s[6]][6]}
                used |= {k for k, r in enumerate(rows) if r[1] == UREGS and tuple(r[6:8]) == warp}
                used |= {k for k, r in enumerate(rows) if r[1] == SHARED and tuple(r[6:8]) == cta}
                used |= {k for k, r in enumerate(rows) if r[1] == REGS and r[6] == i and r[7] < lanes}
    kept = []
    for i, s in enumerate(rows):
        held = bytes_of(data, s)
        if s[1] == RELF:
            modules = [m for pc in pcs if (m := small_module(held, pc))]
            if not modules:
                continue
            used, held = used | {i}, modules[0]
        if i in used:
            kept.append((i, s, held[:shared_B] if s[1] == SHARED else held))
    numbers = {i: n for n, (i, _, _) in enumerate(kept)}
    for i, s, _ in kept:
        s[6] = numbers.get(s[6], 0)
    return put_together(data[:64], [(s, held) for _, s, held in kept], numbers[names])


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("core", type=pathlib.Path)
    parser.add_argument("out", type=pathlib.Path)
    parser.add_argument("--lanes", type=int, default=2)
    parser.add_argument("--shared-B", type=int, default=2048)
    args = parser.parse_args()
    data = args.core.read_bytes()
    data = gzip.decompress(data) if data[:2] == b"\x1f\x8b" else data
    args.out.write_bytes(cut(data, args.lanes, args.shared_B))


if __name__ == "__main__":
    main()
