# SPDX-License-Identifier: Apache-2.0
"""Mistakes of kernels that were written as others write them, by somebody who did not look at the
rules, before and after a fix, as in protocol_pairs.py."""

from protocol_cluster_pairs import CLUSTER_SYNC
from protocol_pairs import EXPECT, INIT, INIT_BARRIER, LOAD, ONE_STORE, READ, STORE, marked, turn, wait
from protocol_phase_pairs import plain
from protocol_ring_pairs import ring, two_in_a_turn

RING_OF_TWO = """.shared .align 1024 .b8 stages[16384];
.shared .align 8 .b8 bars[40];
mov.u32 %r43, bars;
mov.u32 %r44, stages;
@%p1 bra BEGUN;
mbarrier.init.shared::cta.b64 [%r43], 1;
mbarrier.init.shared::cta.b64 [%r43+8], 1;
mbarrier.init.shared::cta.b64 [%r43+16], COUNT;
mbarrier.init.shared::cta.b64 [%r43+24], COUNT;
mbarrier.init.shared::cta.b64 [%r43+32], 1;
fence.mbarrier_init.release.cluster;
BEGUN:
SYNC
mov.u32 %r10, 0;
"""
STAGE = """and.b32 %r12, %r10, 1;
shl.b32 %r13, %r12, 3;
add.s32 %r5, %r43, %r13;
shl.b32 %r15, %r12, 13;
add.s32 %r2, %r44, %r15;
add.s32 %r4, %r2, %r3;
shr.u32 %r11, %r10, 1;
and.b32 %r11, %r11, 1;
xor.b32 %r17, %r11, 1;
"""
WAIT_EMPTY = wait("LE", "%r17").replace("[%r5]", "[%r5+16]")


def filled_and_read(sync, count="1", load=LOAD, back="mbarrier.arrive.shared::cta.b64 _, [%r5+16];\n"):
    """One thread fills a ring of two stages, all threads read them and meet in each turn."""
    return f"""{RING_OF_TWO.replace("SYNC", sync).replace("COUNT", count)}HEAD:
{STAGE}@%p1 bra W;
{WAIT_EMPTY}{EXPECT}{load}W:
{wait("LF", "%r11")}{READ}bar.sync 0;
@%p1 bra NEXT;
{back}NEXT:
{turn("HEAD")}{CLUSTER_SYNC}ret;
"""


# CTA 0 and 1 of two hear of both readers
TO_BOTH = """mapa.shared::cluster.u32 %r40, %r5, 0;
mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%r40+16];
mapa.shared::cluster.u32 %r41, %r5, 1;
mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%r41+16];
"""
MULTICAST = LOAD.replace("bytes [", "bytes.multicast::cluster [").replace(";", ", 3;")

EMPTIES = (
    "-mbarrier.init.shared::cta.b64 [%r43+{0}], 1024;\n+mbarrier.init.shared::cta.b64 [%r43+{0}], 128;\n"
)

# what unoptimised code does with what a lambda captures: its address lies in a register
OWN_MEMORY = f""".local .align 8 .b8 depot[24];
mov.u64 %q9, depot;
cvta.local.u64 %q10, %q9;
add.u64 %q11, %q10, 8;
cvt.u64.u32 %q12, %r2;
st.u64 [%q11], %q12;
AGAIN
st.shared.b32 [%r4], %r1;
FENCE
bar.sync 0;
ld.u64 %q13, [%q10+8];
cvt.u32.u64 %r2, %q13;
{ONE_STORE}"""

PAIRS = {
    "initialised for one warp": (
        "__syncwarp behind the initialisation, and all warps wait",
        "barrier-init",
        f"""setp.gt.u32 %p4, %r1, 31;
@%p4 bra WAIT;
@%p1 bra BEGUN;
{INIT_BARRIER}{EXPECT}{LOAD}BEGUN:
bar.warp.sync -1;
WAIT:
+bar.sync 0;
{wait("L")}{READ}bar.sync 0;
ret;
""",
    ),
    "a multicast in the first turn": (
        "cutlass#3324 in a ring: the barrier of the CTA, where one of the cluster is needed",
        "barrier-init",
        filled_and_read(f"-bar.sync 0;\n{marked('+', CLUSTER_SYNC)}", "2", MULTICAST, TO_BOTH),
    ),
    "what is left of an unrolled loop": (
        "up to three turns arrive on barriers of a ring, and nobody on the one behind it",
        "arrive-missing",
        f"""{RING_OF_TWO.replace("SYNC", "bar.sync 0;").replace("COUNT", "1").replace("[40]", "[48]")}
and.b32 %r21, %r20, 3;
@%p1 bra WAITS;
{LOAD.replace("[%r5]", "[%r43]")}{EXPECT.replace("[%r5]", "[%r43]")}setp.eq.s32 %p5, %r21, 0;
@%p5 bra DONE;
neg.s32 %r22, %r21;
add.s32 %r23, %r43, 8;
REST:
mbarrier.arrive.shared::cta.b64 _, [%r23];
{wait("LR").replace("[%r5]", "[%r23]")}add.s32 %r23, %r23, 8;
add.s32 %r22, %r22, 1;
setp.ne.s32 %p6, %r22, 0;
@%p6 bra REST;
DONE:
+mbarrier.arrive.shared::cta.b64 _, [%r43+32];
WAITS:
{wait("LF").replace("[%r5]", "[%r43]")}{READ}{wait("LD").replace("[%r5]", "[%r43+32]")}ret;
""",
    ),
    "one warp waits for a stage, four read it": (
        "the wait stands under the condition of the first warp",
        "wait-missing",
        plain(ring("none")).replace(
            "LF:\n", "-setp.gt.u32 %p6, %r1, 31;\n-@%p6 bra READS;\nLF:\n"
        ).replace("ld.shared.b32 %r30, [%r16]", "READS:\nld.shared.b32 %r30, [%r16]"),
    ),
    "fenced, and not met": (
        "each thread fences its writes, and one copies with no barrier between",
        "proxy-store",
        f"""st.shared.b32 [%r4], %r1;
fence.proxy.async.shared::cta;
+bar.sync 0;
@%p1 bra MEET;
{STORE}cp.async.bulk.wait_group.read 0;
MEET:
bar.sync 0;
ret;
""",
    ),
    "a fence where the data say so": (
        "all threads write, and those with a value of 0 alone run the fence",
        "proxy-store",
        f"""ld.global.b32 %r31, [%q1];
setp.ne.s32 %p6, %r31, 0;
st.shared.b32 [%r4], %r31;
-@%p6 bra MEET;
fence.proxy.async.shared::cta;
MEET:
bar.sync 0;
{ONE_STORE}""",
    ),
    "one arrival too many, two phases in a row": (
        "what arrives in the second phase does not count in the first one",
        "arrive-missing",
        f"""@%p1 bra BEGUN;
-mbarrier.init.shared::cta.b64 [%r5], 1025;
+mbarrier.init.shared::cta.b64 [%r5], 1024;
fence.mbarrier_init.release.cluster;
BEGUN:
bar.sync 0;
@!%p1 bra LOAD0;
mbarrier.arrive.shared::cta.b64 _, [%r5];
bra WAIT0;
LOAD0:
{EXPECT}{LOAD}WAIT0:
{wait("L0")}{READ}bar.sync 0;
@!%p1 bra LOAD1;
mbarrier.arrive.shared::cta.b64 _, [%r5];
bra WAIT1;
LOAD1:
{EXPECT}{LOAD}WAIT1:
{wait("L1", "1")}{READ}ret;
""",
    ),
    "one arrival too many, two stages in a turn": (
        "a compiler has unrolled the loop: a thread still arrives once a phase",
        "arrive-missing",
        plain(two_in_a_turn("READERS", "WAIT_FULL"))
        .replace("[%r43+16], 128;", "[%r43+16], COUNT;")
        .replace("[%r43+24], 128;", "[%r43+24], COUNT;")
        .replace("mbarrier.init.shared::cta.b64 [%r43+16], COUNT;\n", EMPTIES.format(16))
        .replace("mbarrier.init.shared::cta.b64 [%r43+24], COUNT;\n", EMPTIES.format(24)),
    ),
    "a stage that is always waited for with parity 0": (
        "tcgen05.commit ends a phase of the barrier in each turn",
        "parity-constant",
        f"""@%p1 bra DONE;
mbarrier.init.shared::cta.b64 [%r5], 1;
mov.u32 %r10, 0;
HEAD:
tcgen05.mma.cta_group::1.kind::f16 [%r8], %q6, %q6, %r9, %p1;
tcgen05.commit.cta_group::1.mbarrier::arrive::one.shared::cluster.b64 [%r5];
-mov.u32 %r11, 0;
+and.b32 %r11, %r10, 1;
{wait("L", "%r11")}{turn("HEAD")}DONE:
ret;
""",
    ),
    "an arrival on CTA 0's barrier, and no copy": (
        "cutlass#3324: sums of a cluster, where the barrier of the CTA stands behind the initialisation",
        "barrier-init",
        f"""mov.u32 %r40, %cluster_ctarank;
@%p1 bra BEGUN;
mbarrier.init.shared::cta.b64 [%r5], 2;
fence.mbarrier_init.release.cluster;
BEGUN:
-bar.sync 0;
{marked('+', CLUSTER_SYNC)}@%p1 bra SENT;
mapa.shared::cluster.u32 %r41, %r2, 0;
mapa.shared::cluster.u32 %r42, %r5, 0;
shl.b32 %r43, %r40, 2;
add.s32 %r41, %r41, %r43;
st.shared::cluster.b32 [%r41], %r40;
mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%r42];
SENT:
setp.ne.u32 %p4, %r40, 0;
@%p4 bra DONE;
{wait("L")}ld.shared.b32 %r30, [%r2];
st.global.b32 [%q1], %r30;
DONE:
{CLUSTER_SYNC}ret;
""",
    ),
    "one warp begins the barriers, and another one waits for them elsewhere": (
        "the barrier behind the initialisation is missing, and the compiler has put it into the warp's own branch",
        "barrier-init",
        f"""shr.u32 %r40, %r1, 5;
setp.eq.u32 %p4, %r40, 1;
+@%p4 bra MEET;
-@%p4 bra CONSUMER;
setp.ne.u32 %p5, %r1, 0;
@%p5 bra BEGUN;
mbarrier.init.shared::cta.b64 [%r5], 1;
fence.mbarrier_init.release.cluster;
BEGUN:
+MEET:
+bar.sync 0;
+@%p4 bra CONSUMER;
@%p5 bra DONE;
{EXPECT}{LOAD}bra DONE;
CONSUMER:
{wait("L")}{READ}DONE:
ret;
""",
    ),
    "a bulk copy without a map moves more than is expected": (
        "tilelang#2644: half of the bytes are expected, in each turn of a loop",
        "ptx-expect-tx",
        f"""@%p1 bra BEGUN;
mbarrier.init.shared::cta.b64 [%r5], 1;
fence.mbarrier_init.release.cluster;
BEGUN:
bar.sync 0;
mov.u32 %r10, 0;
HEAD:
@%p1 bra ON;
-mbarrier.arrive.expect_tx.shared::cta.b64 _, [%r5], 4096;
+mbarrier.arrive.expect_tx.shared::cta.b64 _, [%r5], 8192;
cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%r2], [%q1], 8192, [%r5];
ON:
and.b32 %r11, %r10, 1;
{wait("L", "%r11")}{READ}bar.sync 0;
{turn("HEAD")}ret;
""",
    ),
    "an address that goes through the thread's own memory": (
        "FlashKDA#24, not optimised",
        "proxy-store",
        OWN_MEMORY.replace("AGAIN\n", "").replace("FENCE", "+fence.proxy.async.shared::cta;"),
    ),
    "a copy of the map by an address in a register": (
        "the map is copied to the stack, and the copy goes by it",
        "map-local",
        f"""{INIT}.local .align 128 .b8 depot[128];
mov.u64 %q9, depot;
ld.param.u64 %q12, [map];
st.local.u64 [%q9], %q12;
cvta.local.u64 %q10, %q9;
@%p1 bra W;
{EXPECT}{marked("-", LOAD.replace("[%q3,", "[%q10,"))}{marked("+", LOAD)}W:
{wait("L")}{READ}ret;
""",
    ),
    "products that nobody waits for": (
        "tcgen05.commit says when they are done, and the epilogue reads the tensor memory at once",
        "wait-missing",
        f"""@%p1 bra BEGUN;
mbarrier.init.shared::cta.b64 [%r5], 1;
BEGUN:
bar.sync 0;
@%p1 bra DONE;
tcgen05.mma.cta_group::1.kind::f16 [%r8], %q6, %q6, %r9, %p1;
tcgen05.commit.cta_group::1.mbarrier::arrive::one.shared::cluster.b64 [%r5];
DONE:
bar.sync 0;
{marked("+", wait("L"))}tcgen05.fence::after_thread_sync;
tcgen05.ld.sync.aligned.32x32b.x1.b32 {{%r30}}, [%r8];
tcgen05.wait::ld.sync.aligned;
st.global.b32 [%q1], %r30;
ret;
""",
    ),
}
