# SPDX-License-Identifier: Apache-2.0
"""Rings as nvcc compiles them from C++ (a wait at a loop's head, stages spelled in two ways, signed
remainders, conditions that a branch has joined), before and after a fix, as in protocol_pairs.py."""

import re

from protocol_pairs import EXPECT, INIT_BARRIER, LOAD, ONE_STORE, STORE_OTHER, marked, turn
from protocol_pairs import wait as wait_for

SLOTS = """.shared .align 1024 .b8 tiles[32768];
.shared .align 8 .b64 full[8];
.shared .align 8 .b64 free[8];
mov.u32 %r44, tiles;
mov.u32 %r43, full;
mov.u32 %r42, free;
"""
FILL = """mbarrier.arrive.expect_tx.shared::cta.b64 _, [%r5], 8192;
cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes [%r2], [%q3, {%r8, %r9}], [%r5];
"""
READ = "ld.shared.b32 %r30, [%r16];\nst.global.b32 [%q1], %r30;\n"
ARRIVE = "mbarrier.arrive.shared::cta.b64 _, [%r6];\n"


def init(stages):
    row = "mbarrier.init.shared::cta.b64 [{}+{}], {};\n"
    rows = "".join(row.format("%r43", 8 * i, 1) + row.format("%r42", 8 * i, 128) for i in range(stages))
    return f"""@%p1 bra BEGUN;
{rows}fence.mbarrier_init.release.cluster;
BEGUN:
bar.sync 0;
setp.gt.u32 %p4, %r1, 127;
@%p4 bra FILLS;
"""


def wait(label, bar, parity):
    return f"""{label}:
mbarrier.try_wait.parity.shared::cta.b64 %p9, [{bar}], {parity};
@!%p9 bra {label};
"""


def fills(before, body):
    return f"""FILLS:
setp.ne.u32 %p5, %r1, 128;
@%p5 bra DONE;
mov.u32 %r10, 0;
{before}FILL:
{body}{turn("FILL")}DONE:
ret;
"""


def at_stage(stage="%r11", tile="%r2"):
    """The stage's tile and its two barriers."""
    return f"""shl.b32 %r13, {stage}, 3;
add.s32 %r5, %r43, %r13;
add.s32 %r6, %r42, %r13;
shl.b32 %r14, {stage}, 13;
add.s32 {tile}, %r44, %r14;
"""


STEP = """add.s32 %r11, %r11, 1;
setp.eq.s32 %p6, %r11, 4;
selp.b32 %r11, 0, %r11, %p6;
selp.u32 %r15, 1, 0, %p6;
xor.b32 %r12, %r12, %r15;
"""
ZERO = "mov.u32 %r10, 0;\nmov.u32 %r11, 0;\nmov.u32 %r12, 0;\n"
# one loop and the wait in it begin at one label
HEAD_WAITS = f"""{ZERO}USE:
{at_stage()}mbarrier.try_wait.parity.shared::cta.b64 %p9, [%r5], %r12;
@!%p9 bra USE;
"""
READS = "add.s32 %r16, %r2, %r3;\n" + READ
# a thread reads a row, 16 bytes in a turn
READS_ROW = f"""add.s32 %r16, %r2, %r3;
mov.u32 %r17, 32768;
ROW:
{READ}add.s32 %r16, %r16, 16;
add.s32 %r17, %r17, 16;
setp.ne.s32 %p7, %r17, 32896;
@%p7 bra ROW;
"""


STAGE_FREE = wait("E", "%r6", "%r12")


def struct(begins="mov.u32 %r12, 1;\n", uses=READS + ARRIVE, waits=STAGE_FREE, then=""):
    """A stage and a phase in a struct, four stages; `waits`, `then`: around what fills."""
    body = at_stage() + waits + FILL + then + STEP
    return f"""{SLOTS}{init(4)}{HEAD_WAITS}{uses}{STEP}{turn("USE")}ret;
{fills("mov.u32 %r11, 0;" + chr(10) + begins, body)}"""


def third(stage):
    """What a signed turn leaves, divided by three."""
    return f"""mul.hi.s32 %r15, {stage}, 1431655766;
shr.u32 %r17, %r15, 31;
add.s32 %r15, %r15, %r17;
mul.lo.s32 %r17, %r15, 3;
sub.s32 %r11, {stage}, %r17;
"""


def signed(phase, again=""):
    """Three stages, counted over all tiles by an int; `again`: where a tile's readers begin."""
    uses = at_stage() + wait("F", "%r5", "%r12") + READS + ARRIVE + "add.s32 %r40, %r40, 1;\n"
    body = at_stage() + "not.b32 %r12, %r15;\nand.b32 %r12, %r12, 1;\n" + wait("E", "%r6", "%r12")
    tiles = "add.s32 %r41, %r41, 1;\nsetp.lt.s32 %p3, %r41, %r20;\n@%p3 bra {};\n"
    return f"""{SLOTS}{init(3)}mov.u32 %r41, 0;
mov.u32 %r40, 0;
TILES:
{again}mov.u32 %r10, 0;
USE:
{third("%r40")}{phase}{uses}{turn("USE")}{tiles.format("TILES")}ret;
FILLS:
setp.ne.u32 %p5, %r1, 128;
@%p5 bra DONE;
mov.u32 %r41, 0;
mov.u32 %r40, 0;
MORE:
mov.u32 %r10, 0;
FILL:
{third("%r40")}{body}{FILL}add.s32 %r40, %r40, 1;
{turn("FILL")}{tiles.format("MORE")}DONE:
ret;
"""


def two_rings(arrive):
    """Attention: K and V in rings of two, with one index; the compiler spells it twice."""
    pair = """and.b32 %r11, %r10, 1;
shl.b32 %r13, %r10, 3;
and.b32 %r13, %r13, 8;
add.s32 %r21, %r43, %r13;
add.s32 %r23, %r43, %r13;
shl.b32 %r14, %r11, 3;
add.s32 %r22, %r43, %r14;
shr.u32 %r12, %r10, 1;
and.b32 %r12, %r12, 1;
shl.b32 %r15, %r11, 13;
add.s32 %r2, %r44, %r15;
"""
    ring = "mbarrier.init.shared::cta.b64 [%r43+{}], {};\n"
    inits = "".join(ring.format(8 * i, 1 if i < 4 else 128) for i in range(8))
    other = FILL.replace("[%r5]", "[%r5+16]").replace("[%r2]", "[%r18]")
    return f"""{SLOTS}{init(0).replace("fence", inits + "fence", 1)}mov.u32 %r10, 0;
USE:
{pair}{wait("K", "%r21", "%r12")}{arrive[0]}add.s32 %r16, %r2, %r3;
{READ}{arrive[1]}{wait("V", "%r22+16", "%r12")}ld.shared.b32 %r30, [%r16+16384];
st.global.b32 [%q1], %r30;
mbarrier.arrive.shared::cta.b64 _, [%r22+48];
{turn("USE")}ret;
{
        fills(
            "",
            pair
            + "not.b32 %r12, %r12;"
            + chr(10)
            + "and.b32 %r12, %r12, 1;"
            + chr(10)
            + "mov.u32 %r5, %r22;"
            + chr(10)
            + wait("A", "%r23+32", "%r12")
            + FILL
            + wait("B", "%r22+48", "%r12")
            + "add.s32 %r18, %r2, 16384;"
            + chr(10)
            + other,
        )
    }"""


K_BACK = "mbarrier.arrive.shared::cta.b64 _, [%r22+32];\n"


def one_waits():
    """Two ways lead to one thread's wait: from its copy, and past it; all read behind."""
    stage = at_stage().replace("%r6", "%r18")
    begun = init(2).split("setp.gt")[0]  # all threads do the same
    return f"""{SLOTS}{begun}{ZERO}USE:
and.b32 %r11, %r10, 1;
{stage}shr.u32 %r12, %r10, 1;
and.b32 %r12, %r12, 1;
setp.ge.s32 %p5, %r10, %r20;
-or.pred %p6, %p1, %p5;
-@%p6 bra PAST;
+@%p1 bra WAIT;
{FILL}bra WAIT;
PAST:
setp.ne.u32 %p7, %r1, 0;
@%p7 bra READS;
{wait("WAIT", "%r5", "%r12")}READS:
{READS}bar.sync 0;
{turn("USE")}ret;
"""


def waits_within(wait_group):
    """A ring of two tiles that are stored; the wait for stores stands in an inner loop."""
    return f"""{SLOTS}{ZERO}TILES:
and.b32 %r11, %r10, 1;
shl.b32 %r14, %r11, 13;
add.s32 %r2, %r44, %r14;
mov.u32 %r13, 0;
INNER:
setp.ge.s32 %p5, %r13, %r20;
@%p5 bra BEHIND;
setp.ne.u32 %p6, %r13, 0;
or.pred %p6, %p6, %p1;
@%p6 bra NEXT;
{wait_group}NEXT:
bar.sync 0;
add.s32 %r13, %r13, 1;
bra INNER;
BEHIND:
add.s32 %r16, %r2, %r3;
st.shared.b32 [%r16], %r10;
fence.proxy.async.shared::cta;
bar.sync 0;
@%p1 bra STORED;
cp.async.bulk.tensor.2d.global.shared::cta.bulk_group [%q3, {{%r8, %r9}}], [%r2];
cp.async.bulk.commit_group;
STORED:
{turn("TILES")}cp.async.bulk.wait_group.read 0;
ret;
"""


def writes_within(wait_group):
    """Who writes a tile in an inner loop stores it, too, and tells another thread of it; where the
    barriers are hangs on a parameter."""
    bars = """shl.b32 %r13, %r20, 3;
add.s32 %r5, %r43, %r13;
mov.u32 %r13, %nctaid.x;
shl.b32 %r13, %r13, 3;
add.s32 %r6, %r43, %r13;
mov.u32 %r12, 1;
"""
    return f"""{SLOTS}{init(2)}{bars}{ZERO}TILES:
{wait("F", "%r5", "%r12")}xor.b32 %r12, %r12, 1;
@%p1 bra WAITED;
{wait_group}WAITED:
bar.sync 1, 128;
mov.u32 %r17, 0;
ROW:
setp.eq.s32 %p7, %r17, 4;
@%p7 bra WRITTEN;
shl.b32 %r16, %r17, 4;
add.s32 %r16, %r16, %r44;
add.s32 %r16, %r16, %r3;
st.shared.b32 [%r16], %r10;
add.s32 %r17, %r17, 1;
bra ROW;
WRITTEN:
fence.proxy.async.shared::cta;
bar.sync 1, 128;
@%p1 bra STORED;
cp.async.bulk.tensor.2d.global.shared::cta.bulk_group [%q3, {{%r8, %r9}}], [%r44];
cp.async.bulk.commit_group;
STORED:
{ARRIVE}{turn("TILES")}@%p1 bra END;
cp.async.bulk.wait_group.read 0;
END:
ret;
{fills(bars, wait("E", "%r6", "%r12") + "xor.b32 %r12, %r12, 1;" + chr(10) + ARRIVE.replace("%r6", "%r5"))}"""


BY_RANK = f"""mov.u32 %r30, %tid.z;
mov.u32 %r31, %ntid.y;
mov.u32 %r32, %tid.y;
mad.lo.s32 %r31, %r31, %r30, %r32;
mov.u32 %r32, %ntid.x;
mad.lo.s32 %r31, %r31, %r32, %r1;
setp.ne.s32 %p3, %r31, 0;
@%p3 bra BEGUN;
{INIT_BARRIER}BEGUN:
+bar.sync 0;
@%p3 bra W;
{EXPECT}{LOAD}W:
{wait_for("L", "0")}ld.shared.b32 %r33, [%r4];
st.global.b32 [%q1], %r33;
ret;
"""

# each of the first lanes initialises the barriers of a stage
BY_LANES = """setp.gt.u32 %p4, %r1, 3;
@%p4 bra BEGUN;
shl.b32 %r13, %r1, 3;
add.s32 %r5, %r43, %r13;
add.s32 %r6, %r42, %r13;
mbarrier.init.shared::cta.b64 [%r5], 1;
-mbarrier.init.shared::cta.b64 [%r6], 160;
+mbarrier.init.shared::cta.b64 [%r6], 128;
"""


def by_lanes():
    begin, end = struct().split("@%p1 bra BEGUN;\n")
    return begin + BY_LANES + end[end.index("fence.mbarrier_init") :]


def ahead():
    """CuTe's tutorial: one of those who read fills three stages first, then what they give back."""
    places = [("[%r43+0]", "[%r44+0]"), ("[%r43+8]", "[%r44+8192]"), ("[%r43+16]", "[%r44+16384]")]
    first = "".join(FILL.replace("[%r5]", bar).replace("[%r2]", tile) for bar, tile in places)
    begun = re.sub(r"(mbarrier.init.*), 128;", r"-\1, 1025;\n+\1, 1024;", init(3).split("setp.gt")[0])
    step = STEP.replace("%r11, 4", "%r11, 3")
    return f"""{SLOTS}{begun}{ZERO}@%p1 bra USE;
{first}USE:
{at_stage()}{wait("F", "%r5", "%r12")}{READS}{ARRIVE}@%p1 bra FILLED;
add.s32 %r21, %r10, 3;
setp.ge.s32 %p7, %r21, %r20;
@%p7 bra FILLED;
{wait("E", "%r6", "%r12")}{FILL}FILLED:
{step}{turn("USE")}ret;
"""


def warps_store(sync):
    """ThunderKittens: one thread loads for all warps, and each warp stores what it makes of its part."""
    lane = "and.b32 %r31, %r1, 31;\nsetp.ne.u32 %p5, %r31, 0;\n@%p5 bra {};\n"
    return f"""@%p1 bra BEGUN;
{INIT_BARRIER}BEGUN:
bar.sync 0;
{lane.split("@")[0]}mov.u32 %r10, 0;
mov.u32 %r12, 0;
HEAD:
@%p1 bra W;
{EXPECT}{LOAD}W:
{wait_for("L", "%r12")}xor.b32 %r12, %r12, 1;
@%p5 bra WAITED;
cp.async.bulk.wait_group.read 0;
WAITED:
bar.warp.sync -1;
ld.shared.b32 %r30, [%r4];
st.shared.b32 [%r7], %r30;
fence.proxy.async.shared::cta;
bar.warp.sync -1;
@%p5 bra STORED;
{STORE_OTHER}STORED:
{sync}{turn("HEAD")}cp.async.bulk.wait_group.read 0;
ret;
"""


LOAD_OF_PAIR = LOAD.replace("::bytes", "::bytes.cta_group::2")
# the mask has the bits that the compiler knows to be 0 in the address, and leaves the stage's
OF_PAIR = f"""tcgen05.fence::before_thread_sync;
.shared .align 1024 .b8 pool[17408];
mov.u32 %r44, pool;
add.s32 %r43, %r44, 16384;
@%p1 bra BEGUN;
mbarrier.init.shared::cta.b64 [%r43], 1;
mbarrier.init.shared::cta.b64 [%r43+8], 1;
fence.mbarrier_init.release.cluster;
BEGUN:
-bar.sync 0;
+barrier.cluster.arrive.aligned;
+barrier.cluster.wait.aligned;
mov.u32 %r10, 0;
HEAD:
and.b32 %r11, %r10, 1;
shl.b32 %r13, %r11, 3;
add.s32 %r5, %r43, %r13;
shl.b32 %r14, %r11, 13;
add.s32 %r2, %r44, %r14;
shr.u32 %r12, %r10, 1;
and.b32 %r12, %r12, 1;
@%p1 bra W;
and.b32 %r15, %r5, -16778232;
{EXPECT.replace("8192", "16384")}{LOAD_OF_PAIR.replace("[%r5]", "[%r15]")}W:
{wait_for("L", "%r12")}add.s32 %r16, %r2, %r3;
{READ}bar.sync 0;
{turn("HEAD")}barrier.cluster.arrive.aligned;
barrier.cluster.wait.aligned;
ret;
"""


def store_warp(waits):
    """Four tiles that 128 threads write and another one stores; it tells them of free ones."""
    parity = """shr.u32 %r12, %r10, 2;
and.b32 %r12, %r12, 1;
and.b32 %r11, %r10, 3;
"""
    store = """cp.async.bulk.tensor.2d.global.shared::cta.bulk_group [%q3, {%r8, %r9}], [%r2];
cp.async.bulk.commit_group;
cp.async.bulk.wait_group.read 0;
"""
    return f"""{SLOTS}{init(4)}{ZERO}USE:
{parity}xor.b32 %r12, %r12, 1;
{at_stage()}{waits}add.s32 %r16, %r2, %r3;
st.shared.b32 [%r16], %r10;
fence.proxy.async.shared::cta;
{ARRIVE}{turn("USE")}ret;
{fills("", parity + at_stage() + wait("R", "%r6", "%r12") + store + ARRIVE.replace("%r6", "%r5"))}"""


# lanes copy a map, and the first of them writes another address; which word it is, two ways bring
PATCHED = f"""{INIT_BARRIER.replace("mbar", "@!%p1 mbar", 1)}setp.gt.u32 %p3, %r1, 15;
@%p3 bra COPIED;
mov.u64 %q6, 0;
mov.u64 %q7, %q1;
@!%p1 bra WORD;
cvt.u64.u32 %q6, %r1;
mul.wide.u32 %q8, %r1, 8;
add.s64 %q9, %q2, %q8;
ld.param.u64 %q7, [%q9];
WORD:
shl.b64 %q8, %q6, 3;
add.s64 %q8, %q1, %q8;
st.global.u64 [%q8], %q7;
COPIED:
+fence.proxy.tensormap::generic.release.gpu;
bar.sync 0;
@%p1 bra W;
fence.proxy.tensormap::generic.acquire.gpu [%q1], 128;
{EXPECT}{LOAD.replace("%q3", "%q1")}W:
{wait_for("L", "0")}ld.shared.b32 %r30, [%r4];
st.global.b32 [%q1+256], %r30;
ret;
"""

PAIRS = {
    "a loop begins with its wait, and the phase of who fills with 0": (
        "CUTLASS' make_producer_start_state is forgotten; the readers' loop and its wait begin at one label",
        "parity-constant",
        struct(marked("-", "mov.u32 %r12, 0;") + marked("+", "mov.u32 %r12, 1;")),
    ),
    "a loop begins with its wait, and all threads are counted": (
        "the empty barriers are made for the threads of the CTA, and those of the readers arrive",
        "arrive-missing",
        re.sub(r"(mbarrier.init.*), 128;", r"-\1, 160;\n+\1, 128;", struct()),
    ),
    "a stage given back before a row of it is read": (
        "the arrival stands before the loop that reads",
        "proxy-load",
        struct(uses=marked("-", ARRIVE) + READS_ROW + marked("+", ARRIVE)),
    ),
    "a signed turn over three stages": (
        "phases counted as if the ring had one stage",
        "parity-constant",
        signed(marked("-", "and.b32 %r12, %r40, 1;") + marked("+", "and.b32 %r12, %r15, 1;")),
    ),
    "stage and phase are set back for each tile": (
        "the loop that fills counts on over all tiles",
        "parity-constant",
        signed("and.b32 %r12, %r15, 1;\n", marked("-", "mov.u32 %r40, 0;")),
    ),
    "a warp fills a ring, and meets at its own barrier alone": (
        "vllm#26026: nobody holds the warp that loads; bar.warp.sync does not hold its readers",
        "proxy-load",
        struct(waits=marked("+", wait("E", "%r6", "%r12")), then="bar.warp.sync -1;\n"),
    ),
    "K given back before it is read, V behind it": (
        "attention: two rings with one index, K's barriers lie beside V's",
        "proxy-load",
        two_rings((marked("-", K_BACK), marked("+", K_BACK))),
    ),
    "one thread waits on two ways": (
        "TransformerEngine#3417: if (leader && more) {...} if (leader) wait();",
        "wait-missing",
        one_waits(),
    ),
    "the wait for stores in an inner loop": (
        "uccl-project/mKernel#18: a tile of the input's ring is the output's",
        "store-reuse",
        waits_within(marked("+", "cp.async.bulk.wait_group.read 0;")),
    ),
    "written in an inner loop by who stores": (
        "a persistent epilogue with tcgen05.ld, compiled without optimising",
        "store-reuse",
        writes_within(marked("+", "cp.async.bulk.wait_group.read 0;")),
    ),
    "the rank of cooperative groups initialises": (
        "cg::this_thread_block().thread_rank() == 0, and no sync() behind it",
        "barrier-init",
        BY_RANK,
    ),
    "lanes initialise, and all threads are counted": (
        "the empty barriers are made for more threads than read",
        "arrive-missing",
        by_lanes(),
    ),
    "stages filled first, and one thread more counted": (
        "CuTe's tutorial wgmma_sm90: who reads fills, too",
        "arrive-missing",
        ahead(),
    ),
    "loaded for all warps, and each waits for its own stores": (
        "a wait_group says nothing of who reads what the next load overwrites",
        "proxy-load",
        warps_store(marked("+", "bar.sync 0;")),
    ),
    "the first CTA's barriers in a ring, not initialised there": (
        "CUTLASS' Sm100MmaPeerBitMask; __syncthreads in the place of a barrier of the cluster",
        "barrier-init",
        OF_PAIR,
    ),
    "FlashKDA#24, an empty sequence": (
        "the state is zeroed by all, and the only fence stands in the loop over the sequence",
        "proxy-store",
        f"""st.shared.b32 [%r4], %r1;
+fence.proxy.async.shared::cta;
bar.sync 0;
mov.u32 %r10, 0;
setp.lt.s32 %p3, %r20, 1;
@%p3 bra EMPTY;
HEAD:
st.shared.b32 [%r4], %r10;
fence.proxy.async.shared::cta;
bar.sync 0;
{turn("HEAD")}EMPTY:
{ONE_STORE}""",
    ),
    "free tiles that nobody waits for": (
        "a warp stores tiles and says that they are free; who writes them does not listen",
        "store-reuse",
        store_warp(marked("+", wait("E", "%r5", "%r12"))),
    ),
    "lanes copy a map and patch its first word": (
        "cutlass#2162: an acquire before the copy, and no release behind what the lanes write",
        "map-edit",
        PATCHED,
    ),
}
