# SPDX-License-Identifier: Apache-2.0
"""Kernels that are made to be slow, by a grammar: statements of the protocol, repeated, nested in loops and under branches,
with names and addresses that are alike or not.

A text's score is instructions of `tma ptx` (callgrind's count: the same each time) and bytes of memory, for each byte of the
text. Alone it searches: TMA=build/tma tools/python.sh tests/ptx_bounds/slow_ptx.py SECONDS [SEED] changes what is slowest
so far, and prints what is slower."""
import os
import random
import re
import subprocess
import sys
import time

TMA = os.environ.get("TMA", "build/tma")
HEAD = """.version 8.6
.target sm_90a
.address_size 64
.visible .entry k(.param .align 128 .b8 map[128], .param .u64 from, .param .u32 n)
{
.reg .pred %p<9>; .reg .b32 %r<4000>; .reg .b64 %q<9>; .reg .f32 %f<4>;
.shared .align 1024 .b8 tile[65536]; .shared .align 8 .b8 bars[65536];
ld.param.u64 %q1, [from]; ld.param.u32 %r20, [n]; mov.u64 %q2, map; cvta.param.u64 %q3, %q2;
mov.u32 %r1, %tid.x; mov.u32 %r2, tile; mov.u32 %r3, bars; shl.b32 %r4, %r1, 2; add.s32 %r5, %r2, %r4;
"""
END = "ret;\n}\n"
BARRIERS = ["bars", "bars+{at8}", "%r3", "%r6"]  # one, one each, by register, by one that is not known
TILES = ["tile", "tile+{at64}", "%r2", "%r5", "%r7"]
STATEMENTS = {
    "load": "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [{tile}], [%q1], 64, [{bar}];\n",
    "expect": "mbarrier.arrive.expect_tx.shared::cta.b64 _, [{bar}], 64;\n",
    "wait": "W{i}:\nmbarrier.try_wait.parity.shared::cta.b64 %p1, [{bar}], %r8;\n@!%p1 bra W{i};\nxor.b32 %r8, %r8, 1;\n",
    "arrive": "mbarrier.arrive.shared::cta.b64 _, [{bar}];\n",
    "init": "mbarrier.init.shared::cta.b64 [{bar}], 1;\n",
    "invalidate": "mbarrier.inval.shared::cta.b64 [{bar}];\n",
    "write": "st.shared.b32 [{tile}], %r1;\n",
    "read": "ld.shared.b32 %r9, [{tile}];\n",
    "store": "cp.async.bulk.global.shared::cta.bulk_group [%q1], [{tile}], 64;\ncp.async.bulk.commit_group;\n",
    "drain": "cp.async.bulk.wait_group.read 0;\n",
    "fence": "fence.proxy.async.shared::cta;\n",
    "sync": "bar.sync {name};\n",
    "fetch": "wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {{%f0, %f1, %f2, %f3}}, %q5, %q6, 1, 1, 1, 0, 0;\n"
             "add.s64 %q5, %q5, 4;\n",
    "unknown bar": "ld.global.u32 %r6, [%q1+{at8}];\n",
    "unknown tile": "ld.global.u32 %r7, [%q1+{at8}];\n",
    "next": "add.s32 %r3, %r3, 8; add.s32 %r2, %r2, 64;\n",
    "peer": "mapa.shared::cluster.u32 %r6, %r3, {name};\n",
    "local": "st.local.b32 [%q4+{at8}], %r1;\nld.local.b32 %r9, [%q4+{at8}];\n",
}


class Writer:
    def __init__(self, size_B):
        self.text, self.left, self.i = [], size_B, 0

    def put(self, text):
        self.text.append(text)
        self.left -= len(text)

    def statement(self, kind, bar, tile):
        self.i += 1
        at = {"at8": 8 * (self.i % 8000), "at64": 64 * (self.i % 1000)}
        self.put(STATEMENTS[kind].format(i=self.i, name=self.i % 16, bar=BARRIERS[bar].format(**at), tile=TILES[tile].format(**at), **at))


def write(w, tree):
    """A tree: (what, number, parts) or a statement with its barrier and tile."""
    if isinstance(tree[0], str) and tree[0] in STATEMENTS:
        w.statement(*tree)
        return
    what, number, parts = tree
    if what == "repeat":
        for _ in range(number):
            for part in parts:
                if w.left > 0:
                    write(w, part)
    elif what == "loops":  # in each other: what stands before, then after
        w.i += 1
        first = w.i
        depth = 0
        half = (len(parts) + 1) // 2
        while depth < number and w.left > 0:
            w.put(f"mov.u32 %r{100 + depth % 3000}, 0;\nL{first}_{depth}:\n")
            for part in parts[:half]:
                write(w, part)
            depth += 1
        for at in reversed(range(depth)):
            for part in parts[half:]:
                if w.left > -200000:
                    write(w, part)
            w.put(f"add.s32 %r{100 + at % 3000}, %r{100 + at % 3000}, 1;\nsetp.lt.s32 %p2, %r{100 + at % 3000}, %r20;\n@%p2 bra L{first}_{at};\n")
    else:  # a branch past the parts
        w.i += 1
        here = w.i
        w.put(f"setp.eq.u32 %p3, %r1, {here};\n@%p3 bra B{here};\n")
        for part in parts:
            write(w, part)
        w.put(f"B{here}:\n")


def kernel(tree, size_B):
    w = Writer(size_B)
    while w.left > 0:
        before = w.left
        write(w, tree)
        if w.left == before:
            break
    return HEAD + "".join(w.text) + END


def random_statement(r):
    return (r.choice(list(STATEMENTS)), r.randrange(len(BARRIERS)), r.randrange(len(TILES)))


def random_tree(r, deep=3):
    if not deep or r.random() < 0.3:
        return random_statement(r)
    return (r.choice(["repeat", "loops", "branch"]), r.choice([2, 8, 64, 10000]), [random_tree(r, deep - 1) for _ in range(r.randint(1, 4))])


def changed(r, tree, deep=3):
    if tree[0] in STATEMENTS or r.random() < 0.2:
        return random_tree(r, deep)
    what, number, parts = tree
    parts = list(parts)
    at = r.randrange(len(parts))
    parts[at] = changed(r, parts[at], max(deep - 1, 0))
    if r.random() < 0.2:
        parts.insert(at, random_statement(r))
    return (what, r.choice([number, number, 2, 64, 10000]), parts)


def memory_for_each_byte(text):
    """Of `tma ptx`, which has to end well."""
    code = ("import resource, subprocess, sys; d = subprocess.run(sys.argv[1:], stdin=sys.stdin, stdout=subprocess.DEVNULL); "
            "print(d.returncode, resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss * 1024)")
    done = subprocess.run([sys.executable, "-c", code, TMA, "ptx", "-"], input=text, capture_output=True, text=True, check=True)
    status, used_B = done.stdout.split()
    assert status in ("0", "1"), text
    return int(used_B) / len(text)


def instructions_for_each_byte(text, most_s=None):
    """None: it took more than so many seconds."""
    try:
        counted = subprocess.run(["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null", TMA, "ptx", "-"], input=text,
                                 capture_output=True, text=True, timeout=most_s, check=False)
    except subprocess.TimeoutExpired:
        return None
    return int(re.search(r"Collected : (\d+)", counted.stderr)[1]) / len(text)


def search(seconds, seed, size_B=30000):
    r = random.Random(seed)
    end = time.monotonic() + seconds
    best = []  # (instructions, tree)
    tried = 0
    while time.monotonic() < end:
        tree = changed(r, r.choice(best)[1]) if best and r.random() < 0.7 else random_tree(r)
        text = kernel(tree, size_B)
        spent = instructions_for_each_byte(text, 120)
        tried += 1
        if spent is None or len(best) < 8 or spent > best[-1][0]:
            best = sorted([*best, (float("inf") if spent is None else spent, tree)], key=lambda b: -b[0])[:8]
            words = "more than 120 s" if spent is None else f"{spent:.0f} instructions"
            print(f"{tried}: {words}, {memory_for_each_byte(kernel(tree, 10 * size_B)):.0f} B of memory (in a file ten times "
                  f"as long) for each byte: {tree}", flush=True)


if __name__ == "__main__":
    search(float(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 1)
