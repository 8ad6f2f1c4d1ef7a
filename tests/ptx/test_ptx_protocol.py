# SPDX-License-Identifier: Apache-2.0
"""Fences, waits and reuse beside the pairs (pairs/): what lies between their sides, and pieces put together."""

import json
import os
import re
import subprocess
from pathlib import Path

import pytest
from pairs import ALL, findings, pair, sides
from pieces import BEGIN, CLUSTER_SYNC, EXPECT, HEAD, INIT, LOAD, ONE_STORE, OTHER_CTA, STORE, wait

TMA = os.environ["TMA"]


APART = {name: text for name, (_, _, text) in map(pair, sorted((Path(__file__).parent / "pairs/apart").glob("*.ptx")))}


def of(name):
    return sides(ALL[name][2])


def said(text):
    return [(f["rule"], f["certain"]) for f in findings(text)]


def test_cp_async_before_a_matrix_product_has_no_fence_in_shipping_kernels():
    """Triton's products of pointers: the documents ask for a fence, no chip was seen to need it; before a copy it is a mistake."""
    before, after = of("a matrix product")
    store = "st.shared.v4.b32 [%r4], {%r1, %r1, %r1, %r1};"
    copied = before.replace(store, "cp.async.cg.shared.global [%r4], [%q1], 16;\ncp.async.wait_all;")
    assert store in before and said(before) == [("proxy-store", True)]
    assert said(copied) == [] and said(after) == []
    assert said(of("cutlass#2960")[0]) == [("proxy-store", True)]


@pytest.mark.parametrize(("factor", "shift", "divides"), [(-1431655765, 33, True), (1431655766, 32, True), (357913942, 30, False)])
def test_a_product_is_a_quotient_up_to_the_largest_turn(factor, shift, divides):
    """The last one gives the third part of what is below 2^29 alone: no ring, whose barriers are waited for."""
    _, right = of("three stages, two in a turn by remainders: the readers do not wait")
    unmet = right.replace("\nbar.sync 0;", "\n", 1).replace(", -1431655765;", f", {factor};").replace("%q7, %q7, 33;", f"%q7, %q7, {shift};")
    assert [f["line"] for f in findings(unmet) if f["rule"] == "barrier-init"] == [38, 39, 40] * divides


WRITE = "st.shared.b32 [%r4], %r1;\n"
FENCE = "fence.proxy.async.shared::cta;\n"
UNHELPFUL = {
    "after the copy": f"{WRITE}bar.sync 0;\n{ONE_STORE.replace('ret;', FENCE + 'ret;')}",
    "for another space": f"{WRITE}fence.proxy.async.global;\nbar.sync 0;\n{ONE_STORE}",
    "on a branch that no one takes": f"{WRITE}setp.eq.u32 %p5, 1, 0;\n@%p5 bra F;\nbra B;\nF:\n"
    f"{FENCE}B:\nbar.sync 0;\n{ONE_STORE}",
    "in another turn": f"""mov.u32 %r10, 0;
HEAD:
{FENCE}{WRITE}bar.sync 0;
@%p1 bra NEXT;
{STORE}cp.async.bulk.wait_group.read 0;
NEXT:
bar.sync 0;
add.s32 %r10, %r10, 1;
setp.lt.s32 %p2, %r10, %r20;
@%p2 bra HEAD;
ret;
""",
    "under a condition that the copy contradicts": f"{WRITE}setp.ne.u32 %p6, %r20, 7;\n@%p6 bra B;\n"
    f"{FENCE}B:\nbar.sync 0;\n@!%p6 bra DONE;\n{ONE_STORE}",
}


@pytest.mark.parametrize("where", UNHELPFUL)
def test_a_fence_where_it_does_not_help(where):
    assert "proxy-store" in [r for r, _ in said(HEAD + BEGIN + UNHELPFUL[where] + "}\n")]


def test_a_fence_in_a_called_function():
    called = ".func fenced()\n{\n" + FENCE + "ret;\n}\n"
    kernel = f"{WRITE}call fenced;\nbar.sync 0;\n{ONE_STORE}"
    assert said(HEAD + called + BEGIN + kernel + "}\n") == []
    empty = called.replace(FENCE, "")
    assert "proxy-store" in [r for r, _ in said(HEAD + empty + BEGIN + kernel + "}\n")]


WGMMA = """shr.u32 %r30, %r40, 4;
and.b32 %r30, %r30, 16383;
cvt.u64.u32 %q6, %r30;
or.b64 %q6, %q6, 68720001024;
wgmma.fence.sync.aligned;
wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%f0, %f1, %f2, %f3}, %q6, %q6, 0, 1, 1, 0, 0;
wgmma.commit_group.sync.aligned;
wgmma.wait_group.sync.aligned 0;
"""
LOADED_LATER = (".shared .align 1024 .b8 pool[16384];\nmov.u32 %r40, pool;\nadd.s32 %r42, %r40, %r3;\nst.shared.b32 [%r42], %r1;\n"
                f"bar.sync 0;\n{INIT}@%p1 bra COPIED;\n{EXPECT}{LOAD.replace('[%r2]', '[%r40]')}COPIED:\n{wait('W')}{WGMMA}ret;\n")
OWN = "st.u64 [%q11], %q12;\n"


def test_what_a_load_brings_over_a_write():
    """The wgmma reads the load's bytes; the write may land after them, unless it is fenced."""
    kernel = HEAD + BEGIN + LOADED_LATER + "}\n"
    assert said(kernel) == [("proxy-load", True)]
    assert said(kernel.replace("bar.sync 0;", FENCE + "bar.sync 0;", 1)) == []


def test_a_fence_behind_the_barrier_before_a_load_over_writes():
    """The copying thread's own fence: no document says that it counts for other threads' writes."""
    late = HEAD + BEGIN + LOADED_LATER.replace(EXPECT, FENCE + EXPECT) + "}\n"
    assert said(late) == [("proxy-load", False)]
    finding, = findings(late)
    assert FENCE.strip() in [place["text"] for place in finding["way"]]
    own = late.replace("st.shared.b32 [%r42], %r1;", "@%p1 bra MET;\nst.shared.b32 [%r42], %r1;\nMET:")
    assert said(own) == [] # one thread writes, fences and copies


KNOWN = [0, 0x7f00, 0x310, 8, 0, 0, 0, 0, 0x3f, 0x3f, 0, 0, 0, 0x0f000000, 3, 0, 0x80, 0, 0x10] + [0] * 13 # a box of 128 B
LOAD_KNOWN = LOAD.replace("[%q3,", "[known,")


@pytest.mark.parametrize(("expected_B", "more", "is_said"), [(64, "", 1), (128, "", 0), (64, LOAD_KNOWN, 0), (64, "call f;\n", 0)])
def test_bytes_that_are_expected_apart_from_the_only_copy(expected_B, more, is_said):
    """In two branches of one condition: a map is known, and nothing else is on the barrier."""
    head = f"{HEAD}.const .align 128 .b32 known[32] = {{{', '.join(map(str, KNOWN))}}};\n.extern .func f();\n"
    kernel = (f"{INIT}@%p1 bra MET;\n{EXPECT.replace('8192', str(expected_B))}MET:\nbar.sync 0;\n@%p1 bra COPIED;\n"
              f"{LOAD_KNOWN}{more}COPIED:\n{wait('W')}ret;\n")
    assert [r for r, _ in said(head + BEGIN + kernel + "}\n") if r == "ptx-expect-tx"] == ["ptx-expect-tx"] * is_said


ELECTED = {
    "a thread of the CTA": ("setp.ne.u32 %p6, %r1, 0;\n", "", 1),
    "of each warp, elected": ("elect.sync %r41|%p7, 0xffffffff;\nnot.pred %p6, %p7;\n", "", 0),
    "of each warp, by its lane": ("mov.u32 %r41, %laneid;\nsetp.ne.u32 %p6, %r41, 0;\n", "", 0),
    "of each row of a block": ("mov.u32 %r41, %tid.y;\nst.shared.u32 [tile+64], %r41;\nsetp.ne.u32 %p6, %r1, 0;\n", "", 0),
    "of each of 4 rows": ("setp.ne.u32 %p6, %r1, 0;\n", ".reqntid 32, 4, 1", 0),
    "of the one row": ("setp.ne.u32 %p6, %r1, 0;\n", ".reqntid 128, 1, 1", 1),
}


@pytest.mark.parametrize(("elected", "size", "is_said"), ELECTED.values(), ids=ELECTED)
def test_bytes_of_a_copy_that_several_threads_may_issue(elected, size, is_said):
    head = f"{HEAD}.const .align 128 .b32 known[32] = {{{', '.join(map(str, KNOWN))}}};\n"
    begin = BEGIN.replace("\n{", f"\n{size}\n{{", 1) if size else BEGIN
    assert (size in begin) and (begin != BEGIN) == bool(size)
    kernel = (f"{INIT}@%p1 bra MET;\n{EXPECT.replace('8192', '64')}MET:\nbar.sync 0;\n{elected}@%p6 bra COPIED;\n"
              f"{LOAD_KNOWN}COPIED:\n{wait('W')}ret;\n")
    assert [r for r, _ in said(head + begin + kernel + "}\n") if r == "ptx-expect-tx"] == ["ptx-expect-tx"] * is_said


@pytest.mark.parametrize(("expected_B", "to", "tile", "is_said"), [
    (8192, "%r2", "tile[8192]", 0), (8208, "%r2", "tile[8192]", 1), (8192, "%r2+4096", "tile[8192]", 1),
    (8208, "%r2", "tile[2][4096]", 1), (8208, "%r2", "tile[8192*2]", 0), (8208, "%r2+%r1", "tile[8192]", 0)])
def test_bytes_for_which_the_variable_has_no_room(expected_B, to, tile, is_said):
    """No map is known; one copy brings all, and no more than to the end of its variable."""
    load = EXPECT.replace("8192", str(expected_B)) + LOAD.replace("[%r2]", f"[{to}]")
    if "+%r1" in to:
        load = "add.s32 %r41, %r2, %r1;\n" + load.replace(to, "%r41")
    text = HEAD + BEGIN.replace("tile[8192]", tile) + f"{INIT}@%p1 bra COPIED;\n{load}COPIED:\n{wait('W')}ret;\n}}\n"
    assert [r for r, _ in said(text) if r == "ptx-expect-tx"] == ["ptx-expect-tx"] * is_said


def test_a_call_that_is_not_seen_makes_nothing_certain():
    outside = ".extern .func outside();\n"
    kernel = f"{WRITE}call outside;\nbar.sync 0;\n{ONE_STORE}"
    assert said(HEAD + outside + BEGIN + kernel + "}\n") == []
    kernel = f"call outside;\n{WRITE}bar.sync 0;\n{ONE_STORE}"
    assert said(HEAD + outside + BEGIN + kernel + "}\n") == [("proxy-store", False)]


@pytest.mark.parametrize(("is_released", "missing"), [(False, "generic is"), (True, "generic.acquire is")])
def test_a_finding_names_the_acquire_of_another_map(is_released, missing):
    release = "fence.proxy.tensormap::generic.release.gpu;\n"
    other = "fence.proxy.tensormap::generic.acquire.gpu [%q3+128], 128;\n"
    broken = of("acquired behind the loop of edits")[0]
    assert release in broken
    text = broken.replace(release, release * is_released + other)
    (found,) = (f for f in findings(text) if f["rule"] == "ptx-fence")
    assert found["certain"]
    assert f"{missing} on any path from there to here but one on another map." in found["text"]


@pytest.mark.parametrize(("bring", "is_certain"), [("add.u64 %q5, %q3, 128;", True), ("ld.global.u64 %q5, [%q3];", False)])
def test_a_map_that_each_thread_reads_from_memory_may_be_one(bring, is_certain):
    right = of("of two threads each has its map")[1]
    own = "add.u64 %q5, %q3, %q7;"
    assert own in right
    assert said(right.replace(own, bring)) == [("ptx-fence", is_certain)]


def test_one_thread_fences_what_it_writes():
    """A thread that writes alone needs no other one's fence."""
    kernel = f"@%p1 bra B;\n{WRITE}{FENCE}B:\nbar.sync 0;\n{ONE_STORE}"
    assert said(HEAD + BEGIN + kernel + "}\n") == []


INIT_1 = "mbarrier.init.shared::cta.b64 [%r5], 1;\nfence.mbarrier_init.release.cluster;\n"
LOADED = (f"{INIT_1}mbarrier.arrive.expect_tx.shared::cta.b64 _, [%r5], 8192;\n"
          "cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes [%r2], [%q3, {%r8, %r9}], [%r5];\n")
WAIT = "{}: mbarrier.try_wait.parity.shared::cta.b64 %p7, [%r5], 0;\n@!%p7 bra {};\n"
READ = "ld.shared.b32 %r30, [%r4];\nst.global.b32 [%q1], %r30;\nret;\n"
SPIN = "S:\nld.{}.b32 %r40, [%q1];\nsetp.eq.u32 %p6, %r40, 0;\n@%p6 bra S;\n"
FLAGS = { # another thread's flag in memory: between what one thread does first, and what all do then
    "acquired": (SPIN.format("acquire.gpu.global"), False), "volatile": (SPIN.format("volatile.global"), False),
    "read once": ("ld.acquire.gpu.global.b32 %r40, [%q1];\n", True),
    "in a loop that stores": (SPIN.format("volatile.global").replace("setp", "st.shared.b32 [%r7], %r40;\nsetp"), True),
    "not another thread's": (SPIN.format("global"), True),
}


@pytest.mark.parametrize("name", FLAGS)
@pytest.mark.parametrize("rule", ["barrier-init", "wait-missing"])
def test_a_flag_in_memory_is_a_barrier_of_threads(name, rule):
    flag, is_said = FLAGS[name]
    first = LOADED + (WAIT.format("W", "W") if rule == "wait-missing" else "")
    kernel = f"@%p1 bra OTHERS;\n{first}st.release.gpu.global.b32 [%q1], 1;\nbra ALL;\nOTHERS:\n{flag}ALL:\n"
    kernel += ("" if rule == "wait-missing" else WAIT.format("V", "V")) + READ
    assert ((rule, True) in said(HEAD + BEGIN + kernel + "}\n")) == is_said


ARRIVE = "mbarrier.arrive.shared::cta.b64 _, [%r5]{};\n"
REMOTE = "mapa.shared::cluster.u32 %r51, %r5, 0;\n@!%p1 mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%r51];\n"
ONE, ALL_OF_THEM = "@!%p1 " + ARRIVE.format(""), ARRIVE.format("")


def turned(body, counter, begin, end):
    """A loop that has one turn at least, as compilers end it."""
    return (f"mov.u32 %r{counter}, {begin};\nT{counter}:\n{body}add.u32 %r{counter}, %r{counter}, 1;\n"
            f"setp.ne.u32 %p2, %r{counter}, {end};\n@%p2 bra T{counter};\n")


HALF = f"setp.lt.u32 %p4, %r1, 64;\n@!%p4 bra H;\n{ALL_OF_THEM}H:\n"
LED = "shr.u32 %r31, %r1, 5;\nshfl.sync.idx.b32 %r32, {}, 0, 31, -1;\nsetp.eq.u32 %p4, %r32, 0;\n@!%p4 bra H;\n"
LED += f"{ALL_OF_THEM}H:\n"


COUNTS = { # (arrivals that the barrier is initialised for, the kernel's head, who arrives, what is said: certain or nothing)
    "one of two": ("2", "", ONE, True), "one of one": ("1", "", ONE, None), "two of two": ("2", "", ONE + ONE, None),
    "all of 1024": ("1024", "", ALL_OF_THEM, None), "all of 1025": ("1025", "", ALL_OF_THEM, True),
    "all of a CTA": ("128", ".reqntid 32, 4", ALL_OF_THEM, None),
    "more than a CTA has": ("129", ".reqntid 32, 4", ALL_OF_THEM, True),
    "more than a CTA may have": ("129", ".maxntid 128", ALL_OF_THEM, True),
    "two of three at once": ("3", "", "@!%p1 " + ARRIVE.format(", 2"), True),
    "three of three at once": ("3", "", "@!%p1 " + ARRIVE.format(", 3"), None),
    "not known how many": ("3", "", "@!%p1 " + ARRIVE.format(", %r20"), None),
    "not known for how many": ("%r20", "", ONE, None),
    "another CTA's too": ("2", "", ONE + REMOTE, None),
    "in a loop that waits for nothing": ("2", "", f"T:\n{ONE}add.u32 %r10, %r10, 1;\nsetp.lt.u32 %p2, %r10, %r20;\n"
                                         "@%p2 bra T;\n", None),
    "four of five in turns": ("5", "", turned(ONE, "10", "0", "4"), True),
    "four of four in turns": ("4", "", turned(ONE, "10", "0", "4"), None),
    "eight of nine in turns of turns": ("9", "", turned(turned(ONE, "11", "0", "2"), "10", "0", "4"), True),
    "up to the outer loop's turn": ("10", "", turned(turned(ONE, "11", "0", "%r10"), "10", "1", "5"), None),
    "from the outer loop's turn on": ("10", "", turned(
        f"sub.u32 %r12, 3, %r10;\n{turned(ONE, '11', '%r12', '4')}", "10", "0", "4"), None),
    "up to an earlier loop's last turn": ("9", "", turned("", "10", "0", "9") + turned(ONE, "11", "0", "%r10"), None),
    "in several dimensions": ("2", "", f"mov.u32 %r52, %tid.y;\nst.global.b32 [%q1], %r52;\n{ONE}", None),
    "more than half of a CTA": ("65", ".reqntid 128", HALF, True), "half of a CTA": ("64", ".reqntid 128", HALF, None),
    "more than a warp by a shuffle": ("33", ".reqntid 128", LED.format("%r31"), True),
    "a warp by its first lane's number": ("32", ".reqntid 128", LED.format("%r1"), None),
    "bytes alone": ("2", "", ONE + "@!%p1 mbarrier.expect_tx.relaxed.cta.shared::cta.b64 [%r5], 0;\n", True),
    "one that drops": ("2", "", ONE + "@!%p1 mbarrier.arrive_drop.shared::cta.b64 _, [%r5];\n", None),
}


@pytest.mark.parametrize("name", COUNTS)
def test_arrivals_that_cannot_reach_the_count(name):
    needed, head, arrives, certain = COUNTS[name]
    kernel = f"@!%p1 mbarrier.init.shared::cta.b64 [%r5], {needed};\nbar.sync 0;\n{arrives}"
    kernel += f"{WAIT.format('W', 'W')}{STORE}cp.async.bulk.wait_group 0;\nret;\n}}\n"
    found = [c for r, c in said(HEAD + BEGIN.replace("{", f"{head} {{", 1) + kernel) if r == "arrive-missing"]
    assert found == ([] if certain is None else [certain])


@pytest.mark.parametrize("parities, found", [("1", []), ("11", []), ("0", [True]), ("10", [True])])
def test_the_phase_before_the_first_is_over(parities, found):
    """Waits of a loop for a barrier on which nothing arrives: parity 1 is no wait."""
    waits = "".join(f"W{i}: mbarrier.try_wait.parity.shared::cta.b64 %p2, [%r5], {parity};\n@!%p2 bra W{i};\n"
                    for i, parity in enumerate(parities))
    kernel = "@!%p1 mbarrier.init.shared::cta.b64 [%r5], 1;\nbar.sync 0;\n" + turned(waits, "10", "0", "%r20")
    kernel += f"{STORE}cp.async.bulk.wait_group 0;\nret;\n}}\n"
    assert [c for r, c in said(HEAD + BEGIN + kernel) if r == "arrive-missing"] == found


HANDED = { # by the thread that waits, to the others in a branch of their own
    "bar.arrive": ("bar.arrive 1, 64;", "bar.sync 1, 64;"),
    "bar.sync": ("bar.sync 1, 64;", "bar.sync 1, 64;"),
    "bar.arrive on another one": ("bar.arrive 2, 64;", "bar.sync 1, 64;"),
    "an mbarrier": ("mbarrier.arrive.shared::cta.b64 _, [empty];",
                    WAIT.format("V", "V").replace("[%r5]", "[empty]").replace("%p7", "%p8")),
    "nothing": ("", ""),
}


@pytest.mark.parametrize("name", HANDED)
def test_one_waits_and_hands_on(name):
    hands, takes = HANDED[name]
    kernel = (f"@!%p1 mbarrier.init.shared::cta.b64 [empty], 1;\n@!%p1 {INIT_1}bar.sync 0;\n@%p1 bra OTHERS;\n"
              f"{LOADED[len(INIT_1):]}{WAIT.format('W', 'W')}{hands}\nret;\nOTHERS:\n{takes}\n{READ}}}\n")
    assert (("wait-missing", True) in said(HEAD + BEGIN + kernel)) == (name == "nothing")


@pytest.mark.parametrize("inval", ["@%p9 bra NEXT;\n{}NEXT:\n", "@%p9 {}"])
def test_an_inval_under_a_condition_that_is_not_known(inval):
    end = inval.format("mbarrier.inval.shared::cta.b64 [%r5];\n")
    kernel = f"TURN:\n@!%p1 {INIT_1}bar.sync 0;\nld.global.b32 %r41, [%q1];\nsetp.eq.u32 %p9, %r41, 0;\n{LOADED[len(INIT_1):]}"
    kernel += f"{WAIT.format('W', 'W')}{{}}add.u32 %r10, %r10, 1;\nsetp.lt.u32 %p2, %r10, %r20;\n@%p2 bra TURN;\nret;\n}}\n"
    assert ("barrier-init", True) not in said(HEAD + BEGIN + kernel.replace("{}", end))
    assert ("barrier-init", True) in said(HEAD + BEGIN + kernel.replace("{}", ""))


def test_barriers_of_other_ctas():
    begin = BEGIN.replace("ld.param.u64 %q1", "mov.u32 %r50, {}; setp.ne.u32 %p10, %r50, 0;\nld.param.u64 %q1")
    cast = LOADED[len(INIT_1):].replace("[%r5];\n", "[%r5], 3;\n").replace("bytes [%r2]", "bytes.multicast::cluster [%r2]")
    expect, copy = cast.split("\n")[:2]
    remote = ("mapa.shared::cluster.u32 %r51, %r5, %r1;\n"
              "mbarrier.arrive.expect_tx.release.cluster.shared::cluster.b64 _, [%r51], 8192;")
    sync = "barrier.cluster.arrive;\nbarrier.cluster.wait;\n"
    for register, by, is_said in [("%cluster_ctarank", expect, True), ("%cluster_ctarank", remote, False),
                                  ("%cluster_ctaid.x", expect, False)]: # two CTAs may have this one
        kernel = f"@!%p1 {INIT_1}{sync}@%p10 bra OTHERS;\n{by}\n@!%p1 {copy}\nOTHERS:\n"
        kernel += f"{WAIT.format('W', 'W')}{sync}{READ}}}\n"
        assert (("expect-missing", True) in said(HEAD + begin.replace("{}", register) + kernel)) == is_said, by


def test_notes_of_ptxas_have_the_findings(tmp_path):
    source, notes = tmp_path / "k.ptx", tmp_path / "notes"
    source.write_text(of("FlashKDA#24")[0])
    command = [TMA, "ptxas", f"--notes={notes}", "--real=/bin/true", "-arch=sm_90a", str(source)]
    subprocess.run(command, check=True, capture_output=True)
    assert "proxy-store, certain: reads shared memory as it was" in notes.read_text()


@pytest.mark.parametrize("directive, is_certain", [
    ("", False), (".explicitcluster\n.reqnctapercluster 1, 1, 1\n", False), (".maxclusterrank 8\n", False),
    (".reqnctapercluster 2\n", True), (".explicitcluster\n.reqnctapercluster 1, 12, 1\n", True)])
def test_a_cluster_may_be_of_one_cta(directive, is_certain):
    """Where the kernel does not say how many it takes, its launch does."""
    before, _ = of("a store into a CTA that ends")
    assert said(before.replace(")\n{", f")\n{directive}{{", 1)) == [("exit", is_certain)]


@pytest.mark.parametrize("directive, is_certain", [("", False), (".reqnctapercluster 2\n", True)])
def test_a_barrier_of_the_cluster_does_not_say_that_it_has_others(directive, is_certain):
    ends = f"{CLUSTER_SYNC}@!%p1 {LOAD}{ONE_STORE}}}\n"
    arrives = "mapa.shared::cluster.u32 %r42, %r5, %r41;\nmbarrier.arrive.release.cluster.shared::cluster.b64 _, [%r42];\n"
    before = f"{HEAD}{BEGIN}{OTHER_CTA}{INIT}{arrives}{ends}"
    assert ("barrier-init", is_certain) in said(before.replace(")\n{", f")\n{directive}{{", 1))


@pytest.mark.parametrize("again", [
    "st.u64 [%q11], %q1;", "st.local.u32 [%q9+12], %r1;", "@%p1 st.u64 [%q11], %q12;", "st.volatile.u64 [%q11], %q12;",
    "st.u64 [%q10+1], %q1;", "st.u64 [%q10+15], %q1;", "st.local.u8 [%q9+15], %r1;", "st.local.v2.u64 [%q9], {%q1, %q1};",
    "st.v4.u32 [%q10], {%r1, %r1, %r1, %r1};", "atom.exch.b64 %q14, [%q11], %q1;", "red.add.u64 [%q10], %q1;",
    "cvt.u64.u32 %q15, %r20;\nadd.u64 %q15, %q15, %q10;\nst.u64 [%q15], %q1;",
    "st.global.u64 [%q1], %q10;\nld.global.u64 %q15, [%q1];\nst.u64 [%q15], %q1;",
    "shr.u64 %q15, %q10, 1;\nshl.b64 %q15, %q15, 1;\nst.u64 [%q15+8], %q1;"])
def test_an_address_that_is_stored_twice(again):
    """Which of the two stores a load has its value from is not followed; nor what goes where nothing is followed."""
    kernel = of("an address that goes through the thread's own memory")[0].replace(OWN, f"{OWN}AGAIN\n")
    assert "AGAIN" in kernel
    assert [r for r, _ in said(sides(kernel.replace("AGAIN\n", ""))[0])] == ["proxy-store"]
    assert said(kernel.replace("AGAIN", again)) == []


@pytest.mark.parametrize("beside", [
    "st.u64 [%q10], %q1;", "st.local.u64 [%q9+16], %q1;", "st.local.v2.u64 [%q9+16], {%q1, %q1};", "st.local.v2.u32 [%q9], {%r1, %r1};",
    "st.global.u64 [%q1], %q1;", "st.shared.b32 [%r7], %r1;", "ld.u64 %q14, [%q11];", "ld.local.v2.u64 {%q14, %q15}, [%q9];",
    "@%p1 st.local.u64 [%q9], %q1;", "ld.global.u64 %q15, [%q1];\nst.u64 [%q15], %q1;", "mov.u64 %q15, map;\nst.u64 [%q15], %q1;"])
def test_a_store_beside_an_address_that_is_kept(beside):
    kernel = of("an address that goes through the thread's own memory")[0].replace(OWN, f"{OWN}AGAIN\n")
    assert "AGAIN" in kernel
    assert [r for r, _ in said(kernel.replace("AGAIN", beside))] == ["proxy-store"]


@pytest.mark.parametrize("ctas", [2, 4, 15, 16, 17])
def test_a_multicast_whose_mask_each_cta_computes(ctas):
    """CUTLASS' masks of a row or a column: 3 << (rank & 2) is 3 for both CTAs of a cluster of two. No cluster has over 16."""
    computed = "and.b32 %r42, %r40, 30;\nmov.u32 %r41, 3;\nshl.b32 %r41, %r41, %r42;\ncvt.u16.u32 %h1, %r41;"
    before, after = (
        side.replace("mov.u16 %h1, 3;", computed).replace("\n{", f"\n.reqnctapercluster {ctas}\n{{", 1)
        for side in of("one CTA alone expects what a ring of multicasts brings")
    )
    assert ("expect-missing" in [rule for rule, _ in said(before)]) == (ctas <= 16)
    assert said(after) == []


@pytest.mark.parametrize("ctas, beyond", [("2", False), ("3, 1, 1", False), ("1", True), ("", False)])
def test_a_multicast_to_a_cta_that_no_cluster_has(ctas, beyond):
    """Seen in cutlass#3658. The mask is 3."""
    head = f"\n.reqnctapercluster {ctas}\n{{" if ctas else "\n{"
    right = of("one CTA alone expects what a ring of multicasts brings")[1].replace("\n{", head, 1)
    assert ("multicast-cluster", True) in said(right) if beyond else "multicast-cluster" not in [r for r, _ in said(right)]


def test_a_wait_for_groups_that_nothing_commits():
    """Seen in humming: a wait_group without a commit waits for nothing."""
    kernel = """.version 8.6
.target sm_90a
.address_size 64
.visible .entry k(.param .u64 out)
{
.reg .b64 %q<2>;
.shared .align 128 .b8 tile[512];
ld.param.u64 %q1, [out];
cp.async.bulk.global.shared::cta.bulk_group [%q1], [tile], 512;
COMMIT
cp.async.bulk.wait_group 0;
ret;
}
"""
    assert said(kernel.replace("COMMIT", "")) == [("store-reuse", True)]
    assert said(kernel.replace("COMMIT", "cp.async.bulk.commit_group;")) == []


def test_a_pair_s_copies_that_no_cta_expects():
    """The first CTA of the pair runs the same kernel, which expects nothing."""
    right = sides(APART["each stage twice in a turn, for a pair of CTAs"])[1].replace("sm_90a", "sm_100a")
    nobody = "\n".join(line.replace("arrive.expect_tx", "arrive") for line in right.split("\n"))
    nobody = re.sub(r"(mbarrier.arrive.shared::\w+.b64 _, \[.*\]), \d+;", r"\1;", nobody)
    assert ("expect-missing", True) in said(nobody)
    assert said(right) == []


WAITED = """.version 8.6
.target sm_90a
.address_size 64
.visible .entry k(.param .u64 from, .param .u32 n)
{
.shared .align 128 .b8 tile[1024];
.shared .align 8 .b64 other, bar, bars[8];
.reg .pred %p<9>; .reg .b64 %q<9>; .reg .b32 %r<20>; .local .align 8 .b8 depot[16];
ld.param.u64 %q1, [from]; ld.param.u32 %r9, [n]; mov.u32 %r6, bar; mov.u32 %r7, other; mov.u32 %r8, bars;
mov.u32 %r1, %tid.x; setp.ne.u32 %p1, %r1, 0; setp.ne.u32 %p3, %r9, 0;
@%p1 bra I;
mbarrier.init.shared::cta.b64 [ON], 1; mbarrier.init.shared::cta.b64 [other], 1;
fence.mbarrier_init.release.cluster;
I: bar.sync 0;
@%p1 bra L;
mbarrier.arrive.expect_tx.shared::cta.b64 _, [ON], 64;
cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [tile], [%q1], 64, [ON];
L:
PLACE
W: mbarrier.try_wait.parity.shared::cta.b64 %p2, [%r5], 0;
@!%p2 bra W;
ld.shared.b32 %r8, [tile]; st.global.b32 [%q1], %r8; ret;
}
"""
PLACES = {  # where a copy's barrier is, the place that is waited for; whether that is another one
    "itself": ("bar", "mov.u32 %r5, bar;", False),
    "read from global memory": ("bar", "ld.global.u32 %r5, [%q1];", False),
    "read from shared memory": ("bar", "ld.shared.u32 %r5, [tile+512];", False),
    "one of several": ("bars", "mad.lo.u32 %r5, %r9, 8, %r8;", False),
    "one of several, not the first": ("bars+8", "mad.lo.u32 %r5, %r9, 8, %r8;", False),
    "one of two": ("bar", "selp.b32 %r5, %r7, %r6, %p3;", False),
    "one of two, turned": ("bar", "selp.b32 %r5, %r6, %r7, %p3;", False),
    "by a branch": ("bar", "mov.u32 %r5, other; @%p3 bra J; mov.u32 %r5, bar; J:", False),
    "by a predicate": ("bar", "mov.u32 %r5, other; @%p3 mov.u32 %r5, bar;", False),
    "the opposite predicate": ("bar", "mov.u32 %r5, bar; @!%p3 mov.u32 %r5, other;", False),
    "by a branch, from memory": ("bars", "ld.global.u32 %r5, [%q1]; @%p3 bra J; mov.u32 %r5, other; J:", False),
    "the lower one": ("bar", "min.u32 %r5, %r7, %r6;", False),
    "the upper one": ("bar", "max.u32 %r5, %r7, %r6;", False),
    "by a distance": ("bar", "sub.u32 %r10, %r6, %r7; mul.lo.u32 %r11, %r10, %r9; add.u32 %r5, %r7, %r11;", False),
    "in turns": ("bar", "mov.u32 %r5, other; N: mov.u32 %r10, %r5; mov.u32 %r5, %r6; mov.u32 %r6, %r10; sub.u32 %r9, %r9, 1; "
                 "setp.ne.u32 %p4, %r9, 0; @%p4 bra N;", False),
    "by a generic address": ("bar", "mov.u64 %q5, bar; cvta.shared.u64 %q6, %q5; cvta.to.shared.u64 %q7, %q6; cvt.u32.u64 %r5, %q7;", False),
    "rounded down": ("bar", "and.b32 %r5, %r6, -8;", False),
    "kept in local memory": ("bar", "st.local.u32 [depot], %r6; ld.local.u32 %r5, [depot];", False),
    "of another lane": ("bar", "shfl.sync.idx.b32 %r5, %r6, 0, 31, -1;", False),
    "by a deep distance": ("bar", "sub.u32 %r10, %r6, %r7; " + "".join(f"add.u32 %r11, %r9, {i}; xor.b32 %r10, %r10, %r11; " for i in [*range(1, 9)] * 2) +
                           "add.u32 %r5, %r7, %r10;", False),
    "by a distance of many paths": ("bar", "sub.u32 %r12, %r6, %r7; mov.u32 %r10, 0; " + "".join(
        f"setp.eq.u32 %p4, %r9, {i}; @%p4 mov.u32 %r10, {i}; @%p4 bra J; " for i in range(300)) + "mov.u32 %r10, %r12; J: add.u32 %r5, %r7, %r10;", False),
    "by a distance of a loop": ("bar", "sub.u32 %r12, %r6, %r7; mov.u32 %r10, 0; mov.u32 %r11, 0; N: add.u32 %r11, %r11, 1; setp.gt.u32 %p4, %r11, 2; "
                                "@%p4 bra J; mov.u32 %r10, %r12; bra N; J: add.u32 %r5, %r7, %r10;", False),
    "by a distance in turns": ("bar", "mov.u32 %r10, 0; sub.u32 %r11, %r6, %r7; N: mov.u32 %r12, %r10; mov.u32 %r10, %r11; mov.u32 %r11, %r12; "
                               "sub.u32 %r9, %r9, 1; setp.ne.u32 %p4, %r9, 0; @%p4 bra N; add.u32 %r5, %r7, %r10;", False),
    "by another lane's distance": ("bar", "sub.u32 %r10, %r6, %r7; shfl.sync.idx.b32 %r10, %r10, 0, 31, -1; add.u32 %r5, %r7, %r10;", False),
    "by a distance that has been a float": ("bar", "sub.u32 %r10, %r6, %r7; .reg .f64 %d; cvt.rn.f64.u32 %d, %r10; cvt.rzi.u32.f64 %r10, %d; "
                                            "add.u32 %r5, %r7, %r10;", False),
    "one of several, by a number in shared memory": ("bar", "st.shared.u32 [tile+512], %r9; ld.shared.u32 %r10, [tile+512]; "
                                                     "mad.lo.u32 %r5, %r10, 8, %r8;", "may"),
    "one of two others": ("bar", "selp.b32 %r5, %r7, %r8, %p3;", True),
    "one of two others, in turns": ("bar", "mov.u32 %r5, other; N: mov.u32 %r10, %r5; mov.u32 %r5, %r8; mov.u32 %r8, %r10; sub.u32 %r9, %r9, 1; "
                                    "setp.ne.u32 %p4, %r9, 0; @%p4 bra N;", True),
    "another variable": ("bar", "mov.u32 %r5, other;", True),
    "another variable's place": ("bar", "mad.lo.u32 %r5, %r9, 8, %r8;", "may"),
    "another variable's place, in turns": ("bar", "mov.u32 %r5, %r8; N: add.u32 %r5, %r5, 8; setp.ne.u32 %p4, %r5, %r9; @%p4 bra N;", "may"),
    "behind another variable": ("bar", "add.u32 %r5, %r8, 64;", False),
    "a place of another variable, in turns below its end": ("bar", "mov.u32 %r10, 0; N: mad.lo.u32 %r5, %r10, 8, %r8; add.u32 %r10, %r10, 1; "
                                                            "setp.lt.u32 %p4, %r10, 8; @%p4 bra N;", True),
    "a place of another variable, in turns past its end": ("bar", "mov.u32 %r10, 0; N: mad.lo.u32 %r5, %r10, 8, %r8; add.u32 %r10, %r10, 1; "
                                                           "setp.lt.u32 %p4, %r10, 9; @%p4 bra N;", False),
    "a place of another variable, below a number": ("bar", "setp.lo.u32 %p4, %r9, 8; @%p4 bra J; ret; J: mad.lo.u32 %r5, %r9, 8, %r8;", True),
    "a place of another variable, a number above it": ("bar", "setp.gt.u32 %p4, 8, %r9; @%p4 bra J; ret; J: mad.wide.u32 %q5, %r9, 8, 0; cvt.u32.u64 %r5, %q5; "
                                                       "add.u32 %r5, %r5, %r8;", True),
    "a place of another variable, below a larger number": ("bar", "setp.lo.u32 %p4, %r9, 9; @%p4 bra J; ret; J: mad.lo.u32 %r5, %r9, 8, %r8;", False),
    "a place of another variable, below a number with a sign": ("bar", "setp.lt.s32 %p4, %r9, 8; @%p4 bra J; ret; J: mad.lo.u32 %r5, %r9, 8, %r8;", "may"),
    "a place of another variable, down to its begin": ("bar", "mov.u32 %r10, 7; N: mad.lo.u32 %r5, %r10, 8, %r8; add.s32 %r10, %r10, -1; "
                                                       "setp.ge.s32 %p4, %r10, 0; @%p4 bra N;", True),
    "a place of another variable, down past its begin": ("bar", "mov.u32 %r10, 7; N: mad.lo.u32 %r5, %r10, 8, %r8; add.s32 %r10, %r10, -1; "
                                                         "setp.ge.s32 %p4, %r10, -1; @%p4 bra N;", False),
    "bits of a number": ("bar", "bfe.u32 %r10, %r9, 4, 3; mad.lo.u32 %r5, %r10, 8, %r8;", True),
    "one bit more": ("bar", "bfe.u32 %r10, %r9, 4, 4; mad.lo.u32 %r5, %r10, 8, %r8;", False),
    "a number below 0 is a large one": ("bars+56", "and.b32 %r10, %r9, 7; sub.u32 %r10, %r10, 1; min.u32 %r10, %r10, 7; mad.lo.u32 %r5, %r10, 8, %r8;", False),
    "the larger of it and another one": ("bars+56", "and.b32 %r10, %r9, 7; sub.u32 %r10, %r10, 1; max.u32 %r10, %r10, 3; min.u32 %r10, %r10, 7; "
                                         "mad.lo.u32 %r5, %r10, 8, %r8;", False),
    "low bits, moved up and down": ("bars+8", "mov.u32 %r11, 7; N: shl.b32 %r10, %r11, 29; shr.u32 %r10, %r10, 29; mad.lo.u32 %r5, %r10, 8, %r8; "
                                    "add.s32 %r11, %r11, -1; setp.ge.s32 %p4, %r11, 1; @%p4 bra N;", False),
    "low bits of another variable's place, moved up and down": ("bar", "mov.u32 %r11, 7; N: shl.b32 %r10, %r11, 29; shr.u32 %r10, %r10, 29; "
                                                                "mad.lo.u32 %r5, %r10, 8, %r8; add.s32 %r11, %r11, -1; setp.ge.s32 %p4, %r11, 1; @%p4 bra N;", True),
    "where 16 bits wrap": ("bars+56", ".reg .b16 %h<3>; and.b32 %r10, %r9, 7; cvt.u16.u32 %h1, %r10; add.s16 %h2, %h1, 32765; setp.lt.s16 %p4, %h2, 0; "
                           "selp.b16 %h1, %h1, 3, %p4; cvt.u32.u16 %r10, %h1; mad.lo.u32 %r5, %r10, 8, %r8;", False),
    "one of the threads'": ("bar", "mov.u32 %r10, %tid.x; mad.lo.u32 %r5, %r10, 8, %r8;", False),
    "one of few places of another variable": ("bar", "and.b32 %r10, %r9, 7; mad.lo.u32 %r5, %r10, 8, %r8;", True),
    "another place of a variable": ("bars", "add.u32 %r5, %r8, 8;", True),
    "one of two places of another variable": ("bar", "add.u32 %r10, %r8, 8; selp.b32 %r5, %r8, %r10, %p3;", True),
    "another variable, by a generic address": ("bar", "mov.u64 %q5, other; cvta.shared.u64 %q6, %q5; cvta.to.shared.u64 %q7, %q6; "
                                               "cvt.u32.u64 %r5, %q7;", True),
}


@pytest.mark.parametrize("name", PLACES)
def test_a_wait_for_what_may_be_a_copys_barrier(name):
    """Certain, that nobody waits, is said where each value of the address is another barrier; a choice of two is neither's alone.
    `may`, where a number that is not known could lead out of the variable."""
    on, place, is_other = PLACES[name]
    found = said(WAITED.replace("ON", on).replace("PLACE", place))
    assert [("wait-missing", True) in found, ("wait-missing", False) in found] == [is_other is True, is_other == "may"]
    assert is_other != "may" or not any(certain for _, certain in found)
    assert is_other or found == []
