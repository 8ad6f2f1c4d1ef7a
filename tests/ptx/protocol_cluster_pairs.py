# SPDX-License-Identifier: Apache-2.0
"""Copies from one CTA of a cluster to another, multicasts in rings, and named barriers, before and
after a fix, as in protocol_pairs.py."""

from protocol_pairs import EXPECT, INIT_BARRIER, LOAD, READ, marked, turn, wait
from protocol_ring_pairs import CLUSTER_SYNC, OTHER_CTA

ALONE = "bar.sync 0;\n"
WRITE = "st.shared.b32 [%r4], %r1;\n"
FENCE = "fence.proxy.async.shared::cta;\n"
THERE = """mapa.shared::cluster.u32 %r43, %r5, %r41;
mapa.shared::cluster.u32 %r44, %r6, %r41;
"""
SEND = (
    "@!%p1 cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes "
    "[%r44], [%r2], 8192, [%r43];\n"
)
STORE_ASYNC = (
    "mapa.shared::cluster.u32 %r45, %r7, %r41;\n"
    "st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.b32 [%r45], %r1, [%r43];\n"
)
READ_OTHER = READ.replace("[%r4]", "[%r7]")
ARRIVE = "mbarrier.arrive.shared::cta.b64 _, [%r5];\n"


def swapped(before, after):
    return marked("-", before) + marked("+", after)


def to_peer(send=SEND, write=f"{WRITE}{FENCE}", expects=EXPECT, begun=CLUSTER_SYNC, waits=None, ends=CLUSTER_SYNC):
    """Each of two CTAs sends the other one a tile."""
    waits = wait("W") if waits is None else waits
    return f"""{OTHER_CTA}@%p1 bra BEGUN;
{INIT_BARRIER}{expects}BEGUN:
{write}{begun}{THERE}{send}{waits}{READ_OTHER}{ends}ret;
"""


def in_turns(told):
    """In each turn a tile is written, sent, and waited for."""
    return f"""{OTHER_CTA}@%p1 bra BEGUN;
{INIT_BARRIER}BEGUN:
{CLUSTER_SYNC}{THERE}mov.u32 %r10, 0;
HEAD:
and.b32 %r11, %r10, 1;
{WRITE}{FENCE}@!%p1 {EXPECT}{CLUSTER_SYNC}{SEND}{wait("W", "%r11")}{READ_OTHER}{told}{turn("HEAD")}{CLUSTER_SYNC}ret;
"""


def multicasts(arrive, count):
    """Each of two CTAs loads for both, and waits for the readers of its stage."""
    empty = "mov.u32 %r14, empty;\n"
    to_both = LOAD.replace("bytes [%r2]", "bytes.multicast::cluster [%r2]").replace("[%r5];", "[%r5], %h1;")
    return f"""{OTHER_CTA}{empty}mov.u16 %h1, 3;
@%p1 bra BEGUN;
{INIT_BARRIER}{count}BEGUN:
{CLUSTER_SYNC}setp.ne.u32 %p4, %r1, 32;
mov.u32 %r10, 0;
setp.lt.u32 %p5, %r1, 32;
@%p5 bra READERS;
@%p4 bra DONE;
HEAD:
and.b32 %r11, %r10, 1;
xor.b32 %r12, %r11, 1;
{wait("E", "%r12").replace("[%r5]", "[%r14]")}{EXPECT.replace("8192", "16384")}{to_both}{turn("HEAD")}bra DONE;
READERS:
and.b32 %r11, %r10, 1;
{wait("F", "%r11")}{READ}bar.warp.sync -1;
{arrive}{turn("READERS")}DONE:
{CLUSTER_SYNC}ret;
"""


TO_OWN = "@!%p1 mbarrier.arrive.shared::cta.b64 _, [%r14];\n"
TO_BOTH = """setp.gt.u32 %p6, %r1, 1;
mapa.shared::cluster.u32 %r15, %r14, %r1;
@!%p6 mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%r15];
"""
TO_ITSELF = """mov.u32 %r16, %cluster_ctarank;
mapa.shared::cluster.u32 %r15, %r14, %r16;
@!%p1 mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%r15];
"""
COUNT = "mbarrier.init.shared::cta.b64 [%r14], {};\n"

RING_FOR_BOTH = f""".shared .align 1024 .b8 tiles[16384];
.shared .align 8 .b64 bars[4];
mov.u32 %r43, tiles;
mov.u32 %r44, bars;
mov.u32 %r40, %cluster_ctarank;
setp.ne.u32 %p7, %r40, 0;
mov.u16 %h1, 3;
@%p1 bra BEGUN;
mbarrier.init.shared::cta.b64 [%r44], 1;
mbarrier.init.shared::cta.b64 [%r44+8], 1;
mbarrier.init.shared::cta.b64 [%r44+16], 2;
mbarrier.init.shared::cta.b64 [%r44+24], 2;
fence.mbarrier_init.release.cluster;
BEGUN:
{CLUSTER_SYNC}mov.u32 %r10, 0;
HEAD:
and.b32 %r11, %r10, 1;
shr.u32 %r12, %r10, 1;
and.b32 %r12, %r12, 1;
xor.b32 %r13, %r12, 1;
shl.b32 %r14, %r11, 3;
add.s32 %r5, %r44, %r14;
add.s32 %r15, %r5, 16;
shl.b32 %r14, %r11, 13;
add.s32 %r2, %r43, %r14;
add.s32 %r4, %r2, %r3;
@%p1 bra READ;
{wait("E", "%r13").replace("[%r5]", "[%r15]")}-@%p7 bra LOAD;
xor.b32 %r18, %r11, 1;
shl.b32 %r18, %r18, 3;
xor.b32 %r18, %r18, 8;
add.s32 %r17, %r44, %r18;
{EXPECT.replace("8192", "16384").replace("%r5", "%r17")}LOAD:
shl.b32 %r14, %r40, 12;
add.s32 %r2, %r2, %r14;
{LOAD.replace("bytes [%r2]", "bytes.multicast::cluster [%r2]").replace("[%r5];", "[%r5], %h1;")}READ:
{wait("F", "%r12")}{READ}bar.sync 0;
setp.gt.u32 %p6, %r1, 1;
mapa.shared::cluster.u32 %r16, %r15, %r1;
@!%p6 mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%r16];
{turn("HEAD")}{CLUSTER_SYNC}ret;
"""

WARP_0_LOADS = f"""@%p1 bra BEGUN;
{INIT_BARRIER}BEGUN:
bar.sync 0;
mov.u32 %r10, 0;
setp.lt.u32 %p5, %r1, 32;
@!%p5 bra READERS;
HEAD:
setp.eq.u32 %p6, %r10, 0;
@%p6 bra FIRST;
+bar.sync 5, 160;
FIRST:
@%p1 bra NEXT;
{EXPECT}{LOAD}NEXT:
{turn("HEAD")}ret;
READERS:
and.b32 %r11, %r10, 1;
{wait("F", "%r11")}{READ}bar.arrive 5, 160;
{turn("READERS")}ret;
"""

EVERY = f"""-{INIT_BARRIER.replace(chr(10), chr(10) + "-", 1)}+@!%p1 {INIT_BARRIER.splitlines()[0]}
+fence.mbarrier_init.release.cluster;
bar.sync 0;
@%p1 bra W;
{EXPECT}{LOAD}W:
{wait("L")}{READ}ret;
"""

PAIRS = {
    "written, and sent to another CTA with no fence": (
        "cutlass#2960, into another CTA's shared memory",
        "proxy-store",
        to_peer(write=f"{WRITE}+{FENCE}"),
    ),
    "a fence for global memory, then sent": (
        "it does not help",
        "proxy-store",
        to_peer(write=WRITE + swapped("fence.proxy.async.global;", FENCE)),
    ),
    "sent to a CTA that expects nothing": (
        "facebookexperimental/triton#908, between two CTAs",
        "expect-missing",
        to_peer(expects=swapped(ARRIVE, EXPECT)),
    ),
    "st.async to a CTA that expects nothing": (
        "likewise, of registers",
        "expect-missing",
        to_peer(STORE_ASYNC, "", swapped(ARRIVE, EXPECT.replace("8192", "4096"))),
    ),
    "sent to a barrier that may not be initialised": (
        "cutlass#3324: a barrier of the CTA, where one of the cluster is needed",
        "barrier-init",
        to_peer(begun=swapped(ALONE, CLUSTER_SYNC)),
    ),
    "st.async to a barrier that may not be initialised": (
        "likewise, of registers",
        "barrier-init",
        to_peer(STORE_ASYNC, "", EXPECT.replace("8192", "4096"), swapped(ALONE, CLUSTER_SYNC)),
    ),
    "st.async that nobody waits for": (
        "a barrier of the cluster does not wait for st.async",
        "wait-missing",
        to_peer(STORE_ASYNC, "", EXPECT.replace("8192", "4096"), waits=marked("+", wait("W"))),
    ),
    "the CTA ends while its tile is sent": (
        "its own bytes have come; whether the other CTA has its is not known",
        "exit",
        to_peer(ends=marked("+", CLUSTER_SYNC)),
    ),
    "the next tile is written while the last one is sent": (
        "tilelang#2613, between two CTAs",
        "store-reuse",
        in_turns(marked("+", CLUSTER_SYNC)),
    ),
    "a multicast over what the other CTA reads": (
        "triton#9510: the empty barrier hears of one CTA alone",
        "proxy-load",
        multicasts(swapped(TO_OWN, TO_BOTH), swapped(COUNT.format(1), COUNT.format(2))),
    ),
    "readers arrive on their own CTA's barrier by its address in the cluster": (
        "the rank that mapa is given is this CTA's",
        "proxy-load",
        multicasts(swapped(TO_ITSELF, TO_BOTH), swapped(COUNT.format(1), COUNT.format(2))),
    ),
    "one CTA alone expects what a ring of multicasts brings": (
        "facebookexperimental/triton#908, two stages",
        "expect-missing",
        RING_FOR_BOTH,
    ),
    "readers arrive on a named barrier, and the loader goes on": (
        "vllm#26026: bar.arrive holds nobody",
        "proxy-load",
        WARP_0_LOADS,
    ),
    "every thread initialises the barrier": (
        "the condition is forgotten",
        "barrier-init",
        EVERY,
    ),
}
