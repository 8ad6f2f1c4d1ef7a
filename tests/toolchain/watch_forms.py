# SPDX-License-Identifier: Apache-2.0
"""watch_forms.py PTXAS TMA: tensor instructions of every combination of their qualifiers, each target, each version that
ptxas takes: whether ptxas refuses the line, and whether tma ptx does. It prints what differs."""
import collections
import itertools
import json
import re
import subprocess
import sys
import tempfile
from pathlib import Path

PTXAS, TMA = sys.argv[1:3]
VERSIONS = ["8.0", "8.3", "8.6", "8.7", "8.8", *(f"9.{i}" for i in range(10)), *(f"10.{i}" for i in range(3))]
REFUSES = ("ptx-target", "ptx-version", "ptx-unread")
RANKS = {"": range(1, 6), ".tile": range(1, 6), ".im2col": range(3, 6), ".im2col::w": range(3, 6),
         ".im2col::w::128": range(3, 6), ".tile::gather4": [2], ".tile::scatter4": [2], ".im2col_no_offs": range(3, 6),
         ".im2col_no_offs::w": range(3, 6)}
HINT = [("", ""), (".L2::cache_hint", ", %rd2")]
OVER = [("", ""), (".override::global_address", ", %rd1")]
HEAD = """.version {}
.target {}
.address_size 64
.global .align 128 .b8 gmap[128];
.visible .entry k() {{
.reg .b64 %rd<4>; .reg .b32 %r<8>; .reg .b16 %h<4>; .reg .pred %p<4>;
.shared .align 1024 .b8 sm[4096]; .shared .align 128 .b8 smap[128]; .shared .align 8 .b64 bar;
"""


def coordinates(rank, mode):
    count = 5 if mode.endswith("4") else rank
    return "{" + ", ".join(f"%r{i + 1}" for i in range(count)) + "}"


def offsets(rank, mode):
    if mode == ".im2col":
        return ", {" + ", ".join(f"%h{i + 1}" for i in range(rank - 2)) + "}"
    return ", {%h1, %h2}" if mode.startswith(".im2col::w") else ""


def loads():
    for mode, space, (cast, mask), group, (over, address), (hint, policy) in itertools.product(
            ["", ".tile", ".im2col", ".im2col::w", ".im2col::w::128", ".tile::gather4"], ["cta", "cluster"],
            [("", ""), (".multicast::cluster", ", %h3"), (".multicast::cluster::16b", ", %h3"),
             (".multicast::cluster::32b", ", %r7")], ["", ".cta_group::1", ".cta_group::2"], OVER, HINT):
        for rank in RANKS[mode]:
            yield (f"cp.async.bulk.tensor.{rank}d.shared::{space}.global{mode}.mbarrier::complete_tx::bytes{over}{cast}"
                   f"{group}{hint} [sm], [gmap{address}, {coordinates(rank, mode)}], [bar]{offsets(rank, mode)}{mask}{policy};")


def stores():
    for mode, (over, address), (hint, policy) in itertools.product(
            ["", ".tile", ".im2col_no_offs", ".im2col_no_offs::w", ".tile::scatter4"], OVER, HINT):
        for rank in RANKS[mode]:
            at = f"[gmap{address}, {coordinates(rank, mode)}], [sm]{policy};"
            yield f"cp.async.bulk.tensor.{rank}d.global.shared::cta{mode}.bulk_group{over}{hint} {at}"
            for op in ("add", "min", "max", "inc", "dec", "and", "or", "xor"):
                yield f"cp.reduce.async.bulk.tensor.{rank}d.global.shared::cta.{op}{mode}.bulk_group{over}{hint} {at}"


def prefetches():
    for mode, (over, address), (hint, policy) in itertools.product(
            ["", ".tile", ".im2col", ".im2col::w", ".im2col::w::128", ".tile::gather4"], OVER,
            [*HINT, (".L2::evict_last", "")]):
        for rank in RANKS[mode]:
            yield (f"cp.async.bulk.prefetch.tensor.{rank}d.L2.global{mode}{hint}{over} "
                   f"[gmap{address}, {coordinates(rank, mode)}]{offsets(rank, mode)}{policy};")


def edits():
    fields = {"global_address": ("b64", ["%rd1"]), "rank": ("b32", ["%r1"]), "box_dim": ("b32", ["0, %r1", "4, %r1", "5, %r1"]),
              "global_dim": ("b32", ["0, %r1", "4, %r1", "5, %r1"]), "global_stride": ("b64", ["0, %rd1", "3, %rd1", "4, %rd1"]),
              "element_stride": ("b32", ["0, %r1", "4, %r1", "5, %r1"]), "elemtype": ("b32", map(str, range(18))),
              "interleave_layout": ("b32", map(str, range(4))), "swizzle_mode": ("b32", map(str, range(7))),
              "fill_mode": ("b32", map(str, range(3))), "swizzle_atomicity": ("b32", map(str, range(6)))}
    for field, (bits, operands) in fields.items():
        for operand, space in itertools.product(operands, ("global", "shared::cta")):
            at = "gmap" if space == "global" else "smap"
            yield f"tensormap.replace.tile.{field}.{space}.b1024.{bits} [{at}], {operand};"
    for space, at in (("global", "gmap"), ("shared::cta", "smap")):
        for word in ("small", "large", "same"):
            yield f"tensormap.replace.tile.global_address.alloc_{word}.{space}.b1024.b64 [{at}], %rd1;"
            yield f"tensormap.replace.tile.alloc_{word}.{space}.b1024 [{at}];"
        yield f"tensormap.query.alloc_class_large.{space}.b1024 %p1, [{at}];"
    for scope in ("cta", "cluster", "gpu", "sys"):
        yield f"fence.proxy.tensormap::generic.release.{scope};"
        yield f"fence.proxy.tensormap::generic.acquire.{scope} [gmap], 128;"
        yield f"tensormap.cp_fenceproxy.global.shared::cta.tensormap::generic.release.{scope}.sync.aligned [gmap], [smap], 128;"


def refused_by_ptxas(path, target):
    """Lines, or None where it has no such target or version."""
    done = subprocess.run([PTXAS, f"-arch={target}", "-o", "/dev/null", path], capture_output=True, text=True)
    said = done.stdout + done.stderr
    if "is not defined for option" in said or "Unsupported .version" in said or "does not support .target" in said:
        return None
    return {int(line) for line in re.findall(r"line (\d+); (?:error|fatal)", said)}


def main():
    statements = [*loads(), *stores(), *prefetches(), *edits()]
    targets = [row["name"] for row in json.loads(subprocess.run(
        [TMA, "list", "archs", "--json"], capture_output=True, text=True, check=True).stdout)["table"]]
    first = HEAD.count("\n") + 1
    compared, refused, differ = 0, 0, collections.defaultdict(list)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "forms.ptx")
        for target, version in itertools.product(targets, VERSIONS):
            path.write_text(HEAD.format(version, target) + "\n".join(statements) + "\nret;\n}\n")
            theirs = refused_by_ptxas(path, target)
            if theirs is None:
                continue
            answer = json.loads(subprocess.run([TMA, "ptx", "--json", str(path)], capture_output=True, text=True).stdout)
            ours = {site["line"] for site in answer["instructions"]
                    if {found["rule"] for found in site["findings"]} & set(REFUSES) or not site["understood"]}
            compared += len(statements)
            refused += len(theirs)
            for line in sorted(ours ^ theirs):
                differ[statements[line - first], "tma ptx" if line in ours else "ptxas"].append(f"{target} {version}")
    for (statement, who), where in list(differ.items())[:20]:
        print(f"only {who} refuses {statement} ({len(where)}: {', '.join(where[:4])})")
    print(f"{len(statements)} statements, {compared} combinations of statement, target and version compared, "
          f"{sum(map(len, differ.values()))} differ")
    sys.exit(bool(differ) or not 0 < refused < compared)


main()
