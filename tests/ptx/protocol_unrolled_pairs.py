# SPDX-License-Identifier: Apache-2.0
"""Loops as compilers unroll them, with stages counted in few bits and phases kept in the bits of one word, before
and after a fix, as in protocol_pairs.py."""

from protocol_pairs import EXPECT as EXPECT_ALL
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


# of nine turns over three stages no loop is left: who copies is elected anew in each of them
BEGIN_WHOLE = f""".shared .align 1024 .b8 stages[24576];
.shared .align 8 .b8 bars[48];
mov.u32 %r43, bars;
mov.u32 %r44, stages;
@%p1 bra BEGUN;
{"".join(f"mbarrier.init.shared::cta.b64 [%r43+{8 * i}], {1 if i < 3 else 128};{chr(10)}" for i in range(6))}fence.mbarrier_init.release.cluster;
BEGUN:
bar.sync 0;
setp.lt.u32 %p4, %r1, 128;
@%p4 bra READERS;
"""
IN_PARTS = "mbarrier.expect_tx.shared::cta.b64 [%r5], 4096;\n" + EXPECT_ALL.replace("8192", "4096")
# stage %r12 of turn %r10, as nvcc counts where it knows that there are few turns
TURN_IN_8_BITS = """cvt.u16.u32 %h1, %r10;
and.b16 %h2, %h1, 255;
mul.wide.u16 %r13, %h2, -21845;
shr.u32 %r13, %r13, 17;
and.b32 %r11, %r13, 1;
cvt.u16.u32 %h3, %r13;
mul.lo.s16 %h4, %h3, 3;
sub.s16 %h5, %h2, %h4;
mul.wide.u16 %r15, %h5, 8;
add.s32 %r14, %r43, %r15;
mul.wide.u16 %r16, %h5, 8192;
add.s32 %r16, %r44, %r16;
"""


def whole(lacks_fill=None, lacks_read=None, expects=EXPECT_ALL, counted=False):
    """`counted`: the readers turn a loop."""
    copies = reads = ""
    for k in range(9):
        i, parity = k % 3, k // 3 & 1
        empty = wait(f"LE{k}", str(parity ^ 1)).replace("[%r5]", f"[%r43+{24 + 8 * i}]")
        full = wait(f"LF{k}", str(parity)).replace("[%r5]", f"[%r43+{8 * i}]")
        copies += marked("+", empty) if k == lacks_fill else empty
        copies += f"elect.sync %r21|%p6, -1;\n@!%p6 bra GO{k};\n{expects}{LOAD}GO{k}:\n".replace(
            "[%r2]", f"[%r44+{8192 * i}]"
        ).replace("[%r5]", f"[%r43+{8 * i}]")
        reads += marked("+", full) if k == lacks_read else full
        reads += f"ld.shared.b32 %r30, [%r44+{8192 * i}];\nst.global.b32 [%q1], %r30;\n"
        reads += f"mbarrier.arrive.shared::cta.b64 _, [%r43+{24 + 8 * i}];\n"
    if counted:
        full = wait("LF", "%r11").replace("[%r5]", "[%r14]")
        reads = f"""mov.u32 %r10, 0;
READ:
{TURN_IN_8_BITS}{marked("+", full) if lacks_read else full}ld.shared.b32 %r30, [%r16];
st.global.b32 [%q1], %r30;
mbarrier.arrive.shared::cta.b64 _, [%r14+24];
add.s32 %r10, %r10, 1;
setp.ne.s32 %p2, %r10, 9;
@%p2 bra READ;
"""
    return f"{BEGIN_WHOLE}{copies}ret;\nREADERS:\n{reads}ret;\n"


# (%r12 + 1 == 5 ? 0 : %r12 + 1), and the parity %r11
MOVE = """add.s32 %r22, %r12, 1;
setp.eq.s32 %p5, %r12, 4;
selp.b32 %r12, 0, %r22, %p5;
setp.eq.s32 %p6, %r12, 0;
selp.u32 %r24, 1, 0, %p6;
xor.b32 %r11, %r11, %r24;
"""


def long_turn():
    """A turn fills a stage, and one of the readers goes on by 60."""
    place = PLACE.split("add.s32 %r17")[0]
    fill = wait("LE", "%r17").replace("[%r5]", f"[%r14+{8 * STAGES}]")
    copies = f"{place}xor.b32 %r17, %r11, 1;\n{fill}{EXPECT}{COPY}{MOVE}"
    fulls = [wait(f"LF{i}", "%r11").replace("[%r5]", "[%r14]") for i in range(60)]
    fulls[9] = marked("+", fulls[9])
    reads = "".join(
        place
        + fulls[i]
        + f"ld.shared.b32 %r30, [%r16];\nst.global.b32 [%q1], %r30;\n{BACK}{MOVE}"
        for i in range(60)
    )
    return f"""{BEGIN_RING}mov.u32 %r11, 0;
@!%p4 bra READERS;
COPIES:
{copies}{on(1, "COPIES")}ret;
READERS:
{reads}{on(60, "READERS")}ret;
"""


def read_between():
    """Of three stages two are waited for in the end, one behind the other; or they are read, at addresses of more
    terms than are followed, moved on by a loop."""
    fill = f"""{EXPECT}{COPY}add.s32 %r10, %r10, 1;
setp.lt.s32 %p2, %r10, %r20;
@%p2 bra COPIES;
"""
    place = """add.s32 %r12, %r10, ADDED;
mul.hi.u32 %r13, %r12, -1431655765;
shr.u32 %r13, %r13, 1;
and.b32 %r11, %r13, 1;
mul.lo.s32 %r13, %r13, 3;
sub.s32 %r12, %r12, %r13;
shl.b32 %r13, %r12, 3;
add.s32 %r14, %r43, %r13;
shl.b32 %r15, %r12, 13;
add.s32 %r16, %r44, %r15;
"""
    reads = """mov.u32 %r47, %laneid;
add.s32 %r45, %r16, %r47;
add.s32 %r45, %r45, %r1;
mov.u32 %r49, 0;
READ:
ld.shared.b32 %r30, [%r45];
st.global.b32 [%q1], %r30;
add.s32 %r45, %r45, 512;
add.s32 %r49, %r49, 1;
setp.lt.s32 %p6, %r49, %r20;
@%p6 bra READ;
"""
    first, second = (wait(f"LF{i}", "%r11").replace("[%r5]", "[%r14]") for i in range(2))
    return f"""{BEGIN_WHOLE.split("setp.lt")[0]}mov.u32 %r10, 0;
@%p1 bra DRAINS;
COPIES:
{place.replace("ADDED", "0")}{fill}
mov.u32 %r10, %r20;
DRAINS:
{place.replace("ADDED", "1")}{first}{marked("+", reads)}{place.replace("ADDED", "2")}{second}{marked("+", reads.replace("READ", "READ2"))}ret;
"""


def of_each_warp():
    """Each warp has two stages of its own, which its first lane fills one turn ahead."""
    place = """and.b32 %r12, %r10, 1;
shl.b32 %r13, %r12, 3;
add.s32 %r14, %r43, %r13;
shl.b32 %r15, %r12, 9;
add.s32 %r16, %r44, %r15;
"""
    copy = (
        "@%p5 bra GO;\nmbarrier.arrive.expect_tx.shared::cta.b64 _, [%r14], 512;\n"
        "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%r16], [%q1], 512, [%r14];\nGO:\n"
    )
    return f""".shared .align 128 .b8 stages[4096];
.shared .align 8 .b8 bars[64];
shr.u32 %r40, %r1, 5;
and.b32 %r41, %r1, 31;
setp.ne.u32 %p5, %r41, 0;
shl.b32 %r42, %r40, 4;
mov.u32 %r43, bars;
add.s32 %r43, %r43, %r42;
shl.b32 %r42, %r40, 10;
mov.u32 %r44, stages;
add.s32 %r44, %r44, %r42;
@%p5 bra BEGUN;
mbarrier.init.shared::cta.b64 [%r43], 1;
mbarrier.init.shared::cta.b64 [%r43+8], 1;
fence.mbarrier_init.release.cluster;
BEGUN:
bar.warp.sync -1;
mov.u32 %r10, 0;
{place}{copy.replace("GO", "FIRST")}READERS:
add.s32 %r10, %r10, 1;
bar.warp.sync -1;
{place}{copy}sub.s32 %r10, %r10, 1;
{place}-mov.u32 %r11, 0;
+shr.u32 %r11, %r10, 1;
+and.b32 %r11, %r11, 1;
{wait("LF", "%r11").replace("[%r5]", "[%r14]")}shl.b32 %r42, %r41, 2;
add.s32 %r42, %r16, %r42;
ld.shared.b32 %r30, [%r42];
st.global.b32 [%q1], %r30;
{on(1, "READERS")}ret;
"""


def masked():
    """One stage; turns that memory leaves out. Who reads asks twice, who fills two turns of a loop once each."""
    ask = "ld.global.b32 %r30, [%q1];\nsetp.eq.u32 %p5, %r30, 0;\n"
    parity = "and.b32 %r11, %r12, 1;\nxor.b32 %r17, %r11, 1;\n"
    fills = [wait(f"LE{i}", "%r17").replace("[%r5]", f"[%r43+{8 * STAGES}]") for i in range(2)]
    fills[1] = marked("+", fills[1])
    place = (("[%r14]", "[%r43]"), ("[%r16]", "[%r44]"))
    one, back = EXPECT + COPY, BACK
    for what, at in place:
        one, back = one.replace(what, at), back.replace("[%r14+", "[%r43+")
    copies = "".join(
        f"{ask}@%p5 bra GO{i};\n{parity}{fills[i]}{one}add.s32 %r12, %r12, 1;\nGO{i}:\n" for i in range(2)
    )
    full = wait("LF", "%r11").replace("[%r5]", "[%r43]")
    return f"""{BEGIN_RING}@!%p4 bra READERS;
COPIES:
{copies}{on(2, "COPIES")}ret;
READERS:
{ask}@%p5 bra ASKED;
{parity}{full}ASKED:
mov.u32 %r31, 0;
@%p5 bra GO;
ld.shared.b32 %r31, [%r44];
{back}add.s32 %r12, %r12, 1;
GO:
st.global.b32 [%q1], %r31;
{on(1, "READERS")}ret;
"""


# name: (what is wrong, rule, kernel)
PAIRS = {
    "turns that memory leaves out: one of two fills does not wait": (
        "who reads waits under a condition that it reads under, too",
        "proxy-load",
        masked(),
    ),
    "a turn of the readers goes on by 60 stages, and does not wait for one": (
        "a stage of selects in selects",
        "wait-missing",
        long_turn(),
    ),
    "two stages of three are waited for in the end": (
        "nothing stands between; behind the fix both are read, at an address of many terms",
        "wait-missing",
        read_between(),
    ),
    "each warp waits for parity 0 of its own two barriers": (
        "a barrier that hangs on the thread, and on the turn",
        "parity-constant",
        of_each_warp(),
    ),
    "nine turns unrolled: the fifth fill does not wait": (
        "barriers of numbers; the wait before it is for the stage before",
        "proxy-load",
        whole(lacks_fill=4),
    ),
    "nine turns unrolled: the fifth read does not wait": ("the same", "wait-missing", whole(lacks_read=4)),
    "nine turns unrolled, a stage's bytes expected in two parts": (
        "the first part is no arrival, and no stage of its own",
        "proxy-load",
        whole(lacks_fill=7, expects=IN_PARTS),
    ),
    "nine turns unrolled where copies are made, and counted in 8 bits where they are read": (
        "a stage made of a loop's turns, whose number is known",
        "proxy-load",
        whole(lacks_fill=5, counted=True),
    ),
    "nine turns counted in 8 bits where copies are read, with no wait": (
        "the same",
        "wait-missing",
        whole(lacks_read=1, counted=True),
    ),
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
