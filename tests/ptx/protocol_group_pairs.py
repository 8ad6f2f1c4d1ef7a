# SPDX-License-Identifier: Apache-2.0
"""Groups of warps that are told apart by shuffles, before and after a fix, as in protocol_pairs.py:
order among them, stages that they read in turn and give back, and what holds in one turn alone."""

from protocol_pairs import EXPECT, LOAD, READ, STORE, marked, turn, wait
from protocol_ring_pairs import NEXT, PIECES, RING
from protocol_thread_pairs import BEGUN_LOAD, WAIT

GROUP = "shr.u32 %r31, %r1, 7;\nshfl.sync.idx.b32 %r32, %r31, 0, 31, -1;\n"


def on(barrier, text):
    return text.replace("[%r5]", f"[{barrier}]")


def ordered(missing):
    """Two groups go through two steps of each turn one after the other; a third one only begins."""
    init = "".join(f"mbarrier.init.shared::cta.b64 [%r43+{8 * i}], 128;\n" for i in range(4))
    steps = ""
    for i in range(2):
        one = on(f"%r34+{16 * i}", wait(f"LO{i}", "%r37"))
        steps += marked("+", one) if i == missing else one
        steps += f"mbarrier.arrive.shared::cta.b64 _, [%r36+{16 * i}];\n"
    return f""".shared .align 8 .b8 order[32];
mov.u32 %r43, order;
{BEGUN_LOAD.replace("mbarrier.init", f"{init}mbarrier.init", 1)}{WAIT}{READ}{GROUP}setp.eq.s32 %p6, %r32, 0;
@%p6 bra DONE;
shfl.sync.idx.b32 %r33, %r31, 0, 31, -1;
add.s32 %r38, %r33, -1;
setp.gt.u32 %p7, %r38, 1;
@%p7 bra DONE;
shl.b32 %r35, %r33, 3;
add.s32 %r34, %r43, %r35;
add.s32 %r34, %r34, -8;
shl.b32 %r39, %r38, 3;
and.b32 %r39, %r39, 8;
xor.b32 %r39, %r39, 8;
add.s32 %r36, %r43, %r39;
setp.eq.s32 %p8, %r38, 0;
selp.b32 %r37, 1, 0, %p8;
mov.u32 %r10, 0;
HEAD:
{steps}xor.b32 %r37, %r37, 1;
{turn("HEAD")}DONE:
ret;
"""


def under_a_flag():
    """Two stages in a turn, the second one under a condition; a barrier of the readers alone between. The
    copies are as many in twice the turns."""
    begin, _, readers = RING.partition("READERS:\n")
    roles = f"""barrier.cluster.arrive.aligned;
barrier.cluster.wait.aligned;
{GROUP}setp.eq.s32 %p4, %r32, 1;
@!%p4 bra READERS;
setp.ne.u32 %p5, %r1, 128;
@%p5 bra COPIED;
shl.b32 %r21, %r20, 1;
COPIES:"""
    begin = begin.replace("setp.eq.u32 %p4, %r1, 128;\n@!%p4 bra READERS;\nCOPIES:", roles)
    begin = begin.replace("NEXT", NEXT.replace("%r20", "%r21"))
    begin = begin.replace("@%p2 bra COPIES;\nret;", "@%p2 bra COPIES;\nCOPIED:\nret;")
    body, _, end = readers.partition("@%p2 bra READERS;")
    step = NEXT.split("add.s32 %r10")[0]
    first = body.replace("NEXT\n", f"{step}bar.sync 1, 128;\n")
    second = body.replace("WAIT_FULL", "SECOND").replace("NEXT\n", step)
    rest = NEXT[NEXT.index("add.s32 %r10") :]
    text = f"{begin}READERS:\n{first}setp.eq.s32 %p10, %r20, %r10;\n@%p10 bra SKIP;\n{second}SKIP:\n{rest}\n"
    text += f"@%p2 bra READERS;{end}"
    text = text.replace("SECOND\n", marked("+", PIECES["WAIT_FULL"].replace("LF", "LF2")))
    for name, words in PIECES.items():
        text = text.replace(name, words)
    return text.replace("NEXT", NEXT)


def stored_in_turn():
    """Two tiles in a turn, which is stored in some turns alone."""
    write = "st.shared.b32 [%r4], %r10;\nfence.proxy.async.shared::cta;\nbar.sync 0;\n"
    first = f"""{write}@%p7 bra S1;
@%p1 bra S1;
{STORE}+cp.async.bulk.wait_group.read 0;
S1:
bar.sync 0;
"""
    second = first.replace("S1", "S2").replace("+cp", "cp")
    return f"""mov.u32 %r10, 0;
HEAD:
ld.global.b32 %r31, [%q1];
setp.eq.s32 %p7, %r31, 0;
{first}{second}{turn("HEAD")}ret;
"""


def given_back():
    """Tiles are loaded, changed and stored where they lie, each given back one store later."""
    init = copies = tiles = ""
    for i in range(4):
        init += f"mbarrier.init.shared::cta.b64 [%r43+{8 * i}], 1;\n"
        init += f"mbarrier.init.shared::cta.b64 [%r43+{32 + 8 * i}], 128;\n"
        copies += on(f"%r43+{32 + 8 * i}", wait(f"LE{i}", "%r17")) + on(f"%r43+{8 * i}", EXPECT)
        copies += on(f"%r43+{8 * i}", LOAD).replace("[%r2]", f"[%r44+{8192 * i}]")
        tiles += on(f"%r43+{8 * i}", wait(f"LF{i}", "%r11"))
        tiles += f"""st.shared.b32 [%r16+{8192 * i}], %r10;
fence.proxy.async.shared::cta;
bar.sync 1, 128;
@%p1 bra S{i};
{STORE.replace("[%r2]", f"[%r44+{8192 * i}]")}{"+" if i == 1 else ""}cp.async.bulk.wait_group.read 1;
S{i}:
bar.sync 1, 128;
{"" if i else "@!%p5 bra FIRST;"}
mbarrier.arrive.shared::cta.b64 _, [%r43+{24 + 8 * (i or 4)}];
{"" if i else "FIRST:"}
"""
    return f""".shared .align 1024 .b8 stages[32768];
.shared .align 8 .b8 bars[64];
mov.u32 %r43, bars;
mov.u32 %r44, stages;
@%p1 bra BEGUN;
{init}fence.mbarrier_init.release.cluster;
BEGUN:
bar.sync 0;
mov.u32 %r10, 0;
mov.u32 %r11, 0;
setp.eq.u32 %p4, %r1, 128;
@!%p4 bra TILES;
COPIES:
xor.b32 %r17, %r11, 1;
{copies}xor.b32 %r11, %r11, 1;
{turn("COPIES")}ret;
TILES:
add.s32 %r16, %r44, %r3;
HEAD:
setp.ne.s32 %p5, %r10, 0;
{tiles}xor.b32 %r11, %r11, 1;
{turn("HEAD")}@%p1 bra LAST;
cp.async.bulk.wait_group.read 0;
LAST:
bar.sync 1, 128;
mbarrier.arrive.shared::cta.b64 _, [%r43+56];
ret;
"""


def stored_by_later_warps():
    """Warps 4 to 7 write one stage and then the other; their places are made of the warp's number less 4."""
    return f"""shr.u32 %r31, %r1, 5;
shfl.sync.idx.b32 %r32, %r31, 0, 31, -1;
and.b32 %r33, %r32, -4;
setp.ne.s32 %p6, %r33, 4;
@%p6 bra DONE;
add.s32 %r36, %r32, -4;
and.b32 %r37, %r1, 31;
shl.b32 %r38, %r36, 10;
shl.b32 %r39, %r37, 4;
or.b32 %r40, %r38, %r39;
add.s32 %r41, %r2, %r40;
-mov.u32 %r42, %r41;
+add.s32 %r42, %r41, 4096;
st.shared.v4.b32 [%r41], {{%r1, %r1, %r1, %r1}};
fence.proxy.async.shared::cta;
bar.sync 8, 128;
setp.ne.s32 %p7, %r36, 0;
setp.ne.s32 %p8, %r37, 0;
@%p7 bra STORED;
@%p8 bra STORED;
{STORE}STORED:
bar.warp.sync -1;
@%p7 bra FREE;
cp.async.bulk.wait_group.read 1;
FREE:
bar.sync 8, 128;
st.shared.v4.b32 [%r42], {{%r1, %r1, %r1, %r1}};
fence.proxy.async.shared::cta;
bar.sync 8, 128;
@%p7 bra DONE;
@%p8 bra DONE;
add.s32 %r43, %r2, 4096;
{STORE.replace("[%r2]", "[%r43]")}cp.async.bulk.wait_group.read 0;
DONE:
ret;
"""


def pipelines_side_by_side():
    """Full and empty barriers of pipelines with one stage and two, as CUTLASS lays them: F E, F E, F F E E. The
    distance of other pipelines' barriers fits some of the stages."""
    full, empty = [0, 16, 32, 40], [8, 24, 48, 56]
    init = "".join(f"mbarrier.init.shared::cta.b64 [%r43+{8 * i}], 128;\n" for i in range(8))

    def waits(name, place, parity):
        return on(f"%r43+{place}", wait(name, parity))

    def arrives(place):
        return f"mbarrier.arrive.shared::cta.b64 _, [%r43+{place}];\n"

    fills = "".join(waits(f"E{i}", empty[i], "%r12") + arrives(full[i]) for i in range(4))
    takes = waits("F0", full[0], "%r11") + marked("+", waits("F2", full[2], "%r11")) + arrives(empty[1]) + arrives(empty[2])
    takes += waits("F1", full[1], "%r11") + waits("F3", full[3], "%r11") + arrives(empty[0]) + arrives(empty[3])
    return f""".shared .align 8 .b8 order[64];
mov.u32 %r43, order;
{BEGUN_LOAD.replace("mbarrier.init", f"{init}mbarrier.init", 1)}{WAIT}{READ}mov.u32 %r10, 0;
mov.u32 %r11, 0;
mov.u32 %r12, 1;
setp.gt.u32 %p4, %r1, 127;
@%p4 bra TAKES;
FILLS:
{fills}xor.b32 %r12, %r12, 1;
{turn("FILLS")}ret;
TAKES:
{takes}xor.b32 %r11, %r11, 1;
{turn("TAKES")}ret;
"""


PAIRS = {
    "pipelines side by side": (
        "CUTLASS' sm100 attention, right: each barrier is waited for",
        "wait-missing",
        pipelines_side_by_side(),
    ),
    "two stages of later warps": (
        "DeepGEMM's sm100 epilogue, right: with one store under way the other stage is written",
        "store-reuse",
        stored_by_later_warps(),
    ),
    "groups in order, the first step": (
        "two groups of warps take turns, one does not wait for its own before the first step",
        "wait-missing",
        ordered(0),
    ),
    "groups in order, the second step": (
        "the same of the second step",
        "wait-missing",
        ordered(1),
    ),
    "the second stage of a turn": (
        "readers wait for one of two stages of a turn, and meet at a barrier of their own between",
        "wait-missing",
        under_a_flag(),
    ),
    "stored in some turns": (
        "the next tile of a turn is written with no wait for the store of the one before",
        "store-reuse",
        stored_in_turn(),
    ),
    "given back one store too early": (
        "a stage that is stored from is given back with two stores under way, the others with one",
        "store-reuse",
        given_back(),
    ),
}
