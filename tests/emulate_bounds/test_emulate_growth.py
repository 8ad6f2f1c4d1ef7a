# SPDX-License-Identifier: Apache-2.0
"""Modules that once took a time that grew with the square of their size: four times the text takes at most six times the instructions.
Memory that all warps read or count in: the instructions of eight times the warps are as many for each of them, and a quarter more at most.
Pieces of memory and variables that are given, copies under way in a seeded schedule: the instructions of eight times as many are as many for each, and a quarter more at most.
(callgrind's count, the same each time; what tma ptx says of lines that are not executed is ptx_growth's)."""
import json
import os
import re
import shutil
import subprocess

import pytest
from hostile_ptx import HEAD, chain, module

TMA, VARIABLES = os.environ["TMA"], os.environ["VARIABLES"]
SMALL_B, TIMES, MOST_TIMES = 100_000, 4, 6


def entries(size_B):
    return HEAD + "".join(f".visible .entry k{i}() {{st.global.u32 [g], 0;ret;}}\n" for i in range(size_B // 50)) + ".global .u32 g;\n"


GROW = {
    # each line of a kernel was looked for among all functions that it calls: 1.9 MB took 30 s
    "functions that call each other": lambda size_B: module(f"call f{size_B // 38 - 1},();", before=chain(size_B // 38)),
    # a name in an initialiser was looked for among all variables: 2.5 MB took 8.7 s
    "addresses in initialisers": lambda size_B: module("mov.u64 %q1, a1;", before="".join(
        f".global .u64 a{i}[1] = {{a{i * 7 % (size_B // 40)}}};\n" for i in range(size_B // 40))),
    # for each entry all functions and variables were gone through: 3.1 MB took 7.6 s
    "entries": entries,
    "branches": lambda size_B: module("".join(f"@%p1 bra L{i * 7919 % (size_B // 30)};\nL{i}: add.s32 %r1, %r1, 1;\n" for i in range(size_B // 30))),
    # where lanes meet again was looked for along all loops around each block
    "loops in each other": lambda size_B: module("".join(f"L{i}: add.s32 %r1, %r1, 1;\n" for i in range(size_B // 70)) + "".join(
        f"setp.lt.s32 %p1, %r1, {i};\n@%p1 bra L{i};\n" for i in reversed(range(size_B // 70)))),
    "parameters": lambda size_B: module("", before=".func f(" + ",".join(f".reg .b32 a{i}" for i in range(size_B // 17)) + ") {ret;}\n"),
    "shared variables": lambda size_B: module("".join(f"st.shared.u8 [s{i}], %r1;\n" for i in range(size_B // 45)),
                                              before="".join(f".shared .b8 s{i};\n" for i in range(size_B // 45))),
    "numbers": lambda size_B: module("".join(f"add.s32 %r1, %r1, {i};\n" for i in range(size_B // 24))),
    # each finding was compared with all before it: 750 kB took minutes
    "findings": lambda size_B: module("".join(f"L{i}: @%p1 bra L{i};\n" for i in range(size_B // 22))),
    "labels of a table": lambda size_B: module("ts: .branchtargets " + ",".join(f"L{i}" for i in range(size_B // 20)) + ";\nbrx.idx %r1, ts;\n" +
                                               "".join(f"L{i}: ret;\n" for i in range(size_B // 20))),
}


# each read was compared with those of all other warps: a table of curand's that 256 warps read took 100 s
READS = {
    "one word by all lanes": "ld.global.u32 %r3, [%q1];",
    "words by lanes of their own": "mad.lo.u32 %r4, %r1, 7, %r2; and.b32 %r4, %r4, 63; mad.wide.u32 %q2, %r4, 4, %q0; ld.global.u32 %r3, [%q2];",
    "bytes": "ld.global.u8 %r3, [%q1+1];",
    "volatile words": "ld.volatile.global.u32 %r3, [%q1];",
    "words between barriers": "ld.global.u32 %r3, [%q1]; bar.sync 0;",
    "words that lanes alone read": "and.b32 %r4, %r1, 5; setp.eq.u32 %p1, %r4, 4; @%p1 ld.global.u32 %r3, [%q1];",
}


# each atomic was compared with those of all other warps: 64 CTAs of one warp took ten times as many instructions a warp as one does
COUNTS = {
    "one word by all lanes": "red.global.add.u32 [%q1], 1;",
    "one word by all lanes, with its value": "atom.global.add.u32 %r3, [%q1], 1;",
    "one word by one lane": "setp.eq.u32 %p1, %r1, 0; @%p1 red.global.add.u32 [%q1], 1;",
    "words by lanes of their own": "mad.lo.u32 %r4, %r1, 7, %r2; and.b32 %r4, %r4, 63; mad.wide.u32 %q2, %r4, 4, %q0; red.global.max.u32 [%q2], %r1;",
    "a word that is looked at, too": "ld.volatile.global.u32 %r3, [%q1]; red.global.add.u32 [%q1], 1;",
}

# one of them was drawn by going through all that were under way, and then looked for: 2,048 took 1.7 times as many instructions each as 256 do
def copies(each):
    return module("mov.u32 %r1, %tid.x; shl.b32 %r2, %r1, 4; mov.u32 %r3, s; add.u32 %r3, %r3, %r2; mul.wide.u32 %q1, %r1, 16;\n"
                  "mov.u64 %q0, t; add.u64 %q0, %q0, %q1; mov.u32 %r4, 0;\nL: cp.async.cg.shared.global [%r3], [%q0], 16;\n"
                  "add.u32 %r3, %r3, 4096; add.u64 %q0, %q0, 4096; add.u32 %r4, %r4, 1;\n"
                  f"setp.lt.u32 %p2, %r4, {each}; @%p2 bra L;\ncp.async.commit_group; cp.async.wait_all;",
                  before=".global .align 16 .b8 t[131072]; .shared .align 16 .b8 s[131072];\n")


# each piece was looked for among all that came before it: 8,000 of them took ten times as many instructions each as 500 do
# a copy that was complete asked every warp of every CTA that waited: Triton's 32 x 32 tiles in 1,024 CTAs took 300 s
WAITERS = module("""mov.u32 %r1, %tid.x; mov.u32 %r2, b; setp.ne.u32 %p1, %r1, 0; mov.u64 %q0, t;
@!%p1 mbarrier.init.shared.b64 [b], 1; @!%p1 fence.mbarrier_init.release.cluster; bar.sync 0; mov.u32 %r3, 0;
L: @%p1 bra W; mbarrier.arrive.expect_tx.shared.b64 _, [b], 16;
cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [s], [%q0], 16, [b];
W: and.b32 %r4, %r3, 1;
V: mbarrier.try_wait.parity.shared.b64 %p2, [b], %r4; @!%p2 bra V; bar.sync 0;
add.u32 %r3, %r3, 1; setp.lt.u32 %p2, %r3, 4; @%p2 bra L;""",
                 before=".global .align 16 .b8 t[16]; .shared .align 16 .b8 s[16]; .shared .align 8 .b64 b;\n")


ORDERS = {"ascending": lambda i, count: i, "descending": lambda i, count: count - 1 - i, "mixed": lambda i, count: i * 7919 % count}


def pieces(count, order):
    first, each = 0x7f0000000, 512
    return json.dumps({"schema": 2, "verb": "launch", "kernel": "k", "block": [32],
                       "ptx": module("ld.param.u64 %q1, [p]; st.global.u32 [%q1], 1;", ".param .u64 p"),
                       "params": [{"name": "p", "param": "hex:" + first.to_bytes(8, "little").hex()}],
                       "memory": [{"address": first + order(i, count) * each, "size_B": each // 2, "bytes": [{"offset_B": 0, "hex": "0102"}]}
                                  for i in range(count)]})


def visitors(access):
    return module("mov.u32 %r1, %tid.x; mov.u64 %q0, t; mov.u64 %q1, t; mov.u32 %r2, 0;\n"
                  f"L: {access}\nadd.u64 %q1, %q1, 4; add.u32 %r2, %r2, 1; setp.lt.u32 %p2, %r2, 64; @%p2 bra L;", before=".global .u32 t[64];\n")


def counted(command, text="", ends=(0,)):
    run = subprocess.run(["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null", *command],
                         input=text, capture_output=True, text=True, check=False)
    assert run.returncode in ends, run.stderr
    return int(re.search(r"Collected : (\d+)", run.stderr)[1])


def instructions(text, *launch):
    return counted([TMA, "emulate", "-", "--no-static", *launch], text, ends=(0, 1, 3))  # findings, a limit


@pytest.mark.skipif(not shutil.which("valgrind"), reason="no valgrind")
@pytest.mark.parametrize("name", GROW)
def test_time_is_in_proportion_to_the_text(name):
    small, large = GROW[name](SMALL_B), GROW[name](TIMES * SMALL_B)
    named = ["--kernel=k0"] if name == "entries" else []
    spent, more = (instructions(text, *named, "--block=32", "--max-instructions=1000") for text in (small, large))
    print(f"{name}: {spent / len(small):.0f} and {more / len(large):.0f} instructions for each byte of {len(small)} and {len(large)}")
    assert more * len(small) < spent * len(large) * MOST_TIMES / TIMES


# a counter that all CTAs release to, and what it tells the threads near each
def counters(scope):
    return module(f"mov.u64 %q0, c; fence.acq_rel.{scope}; atom.acq_rel.gpu.global.add.u32 %r1, [%q0], 1;\n", before=".global .u32 c;\n")


@pytest.mark.skipif(not shutil.which("valgrind"), reason="no valgrind")
def test_what_a_flag_tells_near_threads_costs_no_more_than_what_it_tells_all():
    ctas = 128
    near, plain = (instructions(counters(scope), "--block=1", f"--grid={ctas}") for scope in ("cta", "gpu"))
    print(f"{near // ctas} and {plain // ctas} instructions for each CTA")
    assert plain < near < plain * 2.5


@pytest.mark.skipif(not shutil.which("valgrind"), reason="no valgrind")
@pytest.mark.parametrize("body, warps_each", [*((body, 4) for body in READS.values()), *((body, 1) for body in COUNTS.values())],
                         ids=[*(f"read: {name}" for name in READS), *(f"count: {name}" for name in COUNTS)])
def test_an_access_costs_the_same_however_many_warps_make_it(body, warps_each):
    few, many = 8, 64
    spent, more = (instructions(visitors(body), f"--block={32 * warps_each}", f"--grid={warps // warps_each}") for warps in (few, many))
    print(f"{spent // few} and {more // many} instructions for each of {few} and {many} warps")
    assert more * few < spent * many * 1.25


@pytest.mark.skipif(not shutil.which("valgrind"), reason="no valgrind")
def test_copies_under_way_take_their_proportion():
    threads, spent = 256, []
    for each in (1, 8):
        late, seeded = (instructions(copies(each), f"--block={threads}", f"--schedules={seeds}") for seeds in (0, 1))
        spent.append((seeded - late) // (threads * each))
    print(f"copies under way: {spent} instructions for each of {threads} and {8 * threads} in a seeded pass")
    assert 0 < spent[1] < spent[0] * 1.25


@pytest.mark.skipif(not shutil.which("valgrind"), reason="no valgrind")
def test_a_copy_wakes_those_that_wait_for_it():
    few, many = 16, 256
    spent, more = (instructions(WAITERS, "--block=128", f"--grid={ctas}") // ctas for ctas in (few, many))
    print(f"CTAs that wait: {spent} and {more} instructions for each of {few} and {many}")
    assert spent > 1000 and more < 1.25 * spent


@pytest.mark.skipif(not shutil.which("valgrind"), reason="no valgrind")
@pytest.mark.parametrize("order", ORDERS)
def test_memory_takes_its_proportion(order, tmp_path):
    few, many = 500, 4000
    file, spent = tmp_path / "memory.launch", []
    for count in (few, many):
        file.write_text(pieces(count, ORDERS[order]))
        spent.append(counted([TMA, "emulate", str(file), "--no-static"]) // count)
    print(f"memory, {order}: {spent} instructions for each piece of {few} and {many}")
    assert spent[1] < spent[0] * 1.25


@pytest.mark.skipif(not shutil.which("valgrind"), reason="no valgrind")
def test_variables_take_their_proportion():
    few, many = 500, 4000
    spent = [counted([VARIABLES, str(count)]) // count for count in (few, many)]
    print(f"variables: {spent} instructions for each of {few} and {many}")
    assert spent[1] < spent[0] * 1.25
