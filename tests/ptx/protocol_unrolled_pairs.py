# SPDX-License-Identifier: Apache-2.0
"""Loops as compilers unroll them, with stages counted in few bits and phases kept in the bits of one word, before
and after a fix, as in protocol_pairs.py."""

from protocol_pairs import LOAD, marked, wait
from protocol_ring_pairs import NEXT, ring

STAGES = 5
BEGIN_RING = f""".shared .align 1024 .b8 stages[{8192 * STAGES}];
.shared .align 8 .b8 bars[{16 * STAGES}];
mov.u32 %r43, bars;
mov.u32 %r44, stages;
@%p1 bra BEGUN;
{"".join(f"mbarrier.init.shared::cta.b64 [%r43+{8 * i}], 1;{chr(10)}" for i in range(2 * STAGES))}fence.mbarrier_init.release.cluster;
BEGUN:
bar.sync 0;
mov.u32 %r10, 0;
mov.u32 %r11, -65536;
mov.u32 %r12, 0;
setp.eq.u32 %p4, %r1, 128;
"""
# stage %r12; the bit of a stage in %r11 is the parity of its full barrier, 16 bits higher that of its empty one
PLACE = """shl.b32 %r13, %r12, 3;
add.s32 %r14, %r43, %r13;
shl.b32 %r15, %r12, 13;
add.s32 %r16, %r44, %r15;
add.s32 %r17, %r12, 16;
shr.u32 %r19, %r11, %r12;
and.b32 %r19, %r19, 1;
shr.u32 %r18, %r11, %r17;
and.b32 %r18, %r18, 1;
"""
TOGGLE = "mov.u32 %r21, 1;\nshl.b32 %r21, %r21, {};\nxor.b32 %r11, %r21, %r11;\n"
# (%r12 + 1) % 5
IN_32_BITS = """add.s32 %r12, %r12, 1;
mul.hi.s32 %r22, %r12, 1717986919;
shr.u32 %r23, %r22, 31;
shr.s32 %r22, %r22, 1;
add.s32 %r22, %r22, %r23;
mul.lo.s32 %r22, %r22, 5;
sub.s32 %r12, %r12, %r22;
"""
IN_8_BITS = """cvt.u16.u32 %h1, %r12;
add.s16 %h2, %h1, 1;
cvt.s16.s8 %h3, %h2;
mul.lo.s16 %h4, %h3, 103;
shr.u16 %h5, %h4, 15;
shr.s16 %h6, %h4, 9;
add.s16 %h7, %h6, %h5;
mul.lo.s16 %h7, %h7, 5;
sub.s16 %h8, %h2, %h7;
cvt.u32.u16 %r22, %h8;
cvt.s32.s8 %r12, %r22;
"""
EXPECT = "mbarrier.arrive.expect_tx.shared::cta.b64 _, [%r14], 8192;\n"
COPY = LOAD.replace("[%r2]", "[%r16]").replace("[%r5]", "[%r14]")
BACK = f"mbarrier.arrive.shared::cta.b64 _, [%r14+{8 * STAGES}];\n"


def empty(label):
    return wait(label, "%r18").replace("[%r5]", f"[%r14+{8 * STAGES}]")


def full(label):
    return wait(label, "%r19").replace("[%r5]", "[%r14]")


def on(by, loop):
    return f"add.s32 %r10, %r10, {by};\nsetp.lt.s32 %p2, %r10, %r20;\n@%p2 bra {loop};\n"


def fill(i, lacks, expect):
    one = empty(f"LE{i}")
    move = IN_8_BITS if i else IN_32_BITS
    return PLACE + (marked("+", one) if lacks else one) + expect + COPY + TOGGLE.format("%r17") + move


def unrolled(lacks):
    """A turn fills four of five stages, one after the other."""
    fills = "".join(fill(i, i == lacks, EXPECT) for i in range(4))
    return f"""{BEGIN_RING}@!%p4 bra READERS;
COPIES:
{fills}{on(4, "COPIES")}ret;
READERS:
{PLACE}{full("LF")}ld.shared.b32 %r30, [%r16];
st.global.b32 [%q1], %r30;
{BACK}{TOGGLE.format("%r12")}{IN_32_BITS}{on(1, "READERS")}ret;
"""


def left_over(lacks):
    """Tiles in a loop; of each, what is left of the unrolled loop is filled behind it. Another warp expects the
    bytes."""
    loop = "".join(fill(i, False, "") for i in range(2))
    rest = [fill(i, i == lacks, "").replace("LE", "LR") for i in range(3)]
    return f"""{BEGIN_RING}and.b32 %r31, %r20, 3;
setp.eq.u32 %p5, %r31, 0;
setp.eq.u32 %p6, %r31, 1;
setp.eq.u32 %p7, %r31, 2;
mov.u32 %r32, 0;
@!%p4 bra READERS;
TILES:
mov.u32 %r10, 0;
COPIES:
{loop}{on(2, "COPIES")}@%p5 bra NEXT;
{rest[0]}@%p6 bra NEXT;
{rest[1]}@%p7 bra NEXT;
{rest[2]}NEXT:
add.s32 %r32, %r32, 1;
setp.lt.s32 %p3, %r32, %r20;
@%p3 bra TILES;
ret;
READERS:
{PLACE}{EXPECT}{full("LF")}ld.shared.b32 %r30, [%r16];
st.global.b32 [%q1], %r30;
{BACK}{TOGGLE.format("%r12")}{IN_32_BITS}{on(1, "READERS")}ret;
"""


def told_by_third():
    """A third warp arrives on the full barriers, too, once the readers have told it at a barrier of their own. What
    it gives is no stage: it waits for no copy."""
    text = ring("WAIT_EMPTY").replace("bars[32]", "bars[40]").replace("[%r43], 1;", "[%r43], 2;")
    text = text.replace("[%r43+8], 1;", "[%r43+8], 2;\nmbarrier.init.shared::cta.b64 [%r43+32], 128;")
    hears = wait("LH", "%r35").replace("[%r5]", "[%r43+32]").replace("%p9", "%p8")
    begin, readers = text.split("READERS:\n")
    readers = readers.replace("%r10, 1;", "%r10, 1;\nmbarrier.arrive.shared::cta.b64 _, [%r43+32];", 1)
    return f"""{begin}READERS:
setp.eq.u32 %p5, %r1, 129;
@!%p5 bra READ;
TELLS:
shl.b32 %r13, %r12, 3;
add.s32 %r14, %r43, %r13;
not.b32 %r35, %r10;
and.b32 %r35, %r35, 1;
{hears}mbarrier.arrive.shared::cta.b64 _, [%r14];
{NEXT}
@%p2 bra TELLS;
ret;
READ:
{readers.replace("bra READERS", "bra READ")}"""


# name: (what is wrong, rule, kernel)
PAIRS = {
    "four stages of five in a turn, counted in 8 bits: the first is not waited for": (
        "a stage counted by remainders of remainders, its phase a bit of a word",
        "proxy-load",
        unrolled(0),
    ),
    "four stages of five in a turn, counted in 8 bits: the last is not waited for": (
        "the same",
        "proxy-load",
        unrolled(3),
    ),
    "what an unrolled loop leaves over, whose bytes another warp expects": (
        "one of three stages that are filled behind the loop is not waited for",
        "proxy-load",
        left_over(1),
    ),
    "a third warp arrives on full barriers": (
        "the copying thread does not wait; who arrives with it on the full barriers gives no stage back",
        "proxy-load",
        told_by_third(),
    ),
}
