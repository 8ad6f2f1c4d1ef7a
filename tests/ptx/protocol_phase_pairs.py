# SPDX-License-Identifier: Apache-2.0
"""Parities that go on otherwise than the phases, and threads whose ways do not meet, before and
after a fix, as in protocol_pairs.py."""

import re

from protocol_pairs import EXPECT, INIT, LOAD, READ, STORE, marked, turn, wait
from protocol_ring_pairs import CLUSTER_SYNC, OTHER_CTA, ring, unrolled

FENCE = "fence.proxy.async.shared::cta;\n"
STAGES = """.shared .align 1024 .b8 stages[32768];
.shared .align 8 .b64 bars[4];
mov.u32 %r43, bars;
mov.u32 %r44, stages;
mov.u32 %r10, 0;
@%p1 bra BEGUN;
mbarrier.init.shared::cta.b64 [%r43], 1;
mbarrier.init.shared::cta.b64 [%r43+8], 1;
mbarrier.init.shared::cta.b64 [%r43+16], 1;
mbarrier.init.shared::cta.b64 [%r43+24], 1;
fence.mbarrier_init.release.cluster;
BEGUN:
bar.sync 0;
"""


def by_turn(parity):
    """Four stages, one after the other; the parity comes from the number of the turn."""
    return f"""{STAGES}HEAD:
and.b32 %r12, %r10, 3;
shl.b32 %r13, %r12, 3;
add.s32 %r5, %r43, %r13;
shl.b32 %r15, %r12, 13;
add.s32 %r2, %r44, %r15;
{parity}@%p1 bra W;
{EXPECT}{LOAD}W:
{wait("L", "%r11")}ld.shared.b32 %r30, [%r2];
st.global.b32 [%q1], %r30;
bar.sync 0;
{turn("HEAD")}ret;
"""


def swapped(kernel, good, bad, times=-1):
    """A right kernel, which has another line before the fix."""
    assert good in kernel
    return kernel.replace(good, marked("+", good) + marked("-", bad), times)


def plain(kernel):
    """A kernel of two sides with the fix alone."""
    return "\n".join(line[line.startswith("+") :] for line in kernel.split("\n") if line[:1] != "-")


def handed_over(fence, group):
    """128 threads write, and another one stores; each waits for the other by an mbarrier."""
    return f"""setp.eq.u32 %p4, %r1, 128;
mov.u32 %r6, empty;
mov.u32 %r10, 0;
mov.u32 %r11, 0;
@%p1 bra BEGUN;
mbarrier.init.shared::cta.b64 [%r5], 128;
mbarrier.init.shared::cta.b64 [%r6], 1;
fence.mbarrier_init.release.cluster;
BEGUN:
bar.sync 0;
@%p4 bra STORES;
WRITES:
xor.b32 %r17, %r11, 1;
{wait("LE", "%r17").replace("[%r5]", "[%r6]")}st.shared.b32 [%r4], %r10;
{fence}mbarrier.arrive.shared::cta.b64 _, [%r5];
xor.b32 %r11, %r11, 1;
{turn("WRITES")}ret;
STORES:
{wait("LF", "%r11")}{STORE}{group}mbarrier.arrive.shared::cta.b64 _, [%r6];
xor.b32 %r11, %r11, 1;
{turn("STORES")}cp.async.bulk.wait_group 0;
ret;
"""


def refilled(first):
    """Four stages are filled before the loop, which waits for a stage and fills it again while there
    is more; a wait is tried, and waited for in a loop where it did not succeed."""
    tried = wait("L", "%r11").replace("L:", "").replace("@!%p9 bra L;", "@%p9 bra GO;")
    return f"""{STAGES}@%p1 bra BEGUN_COPIES;
{first}BEGUN_COPIES:
mov.u32 %r12, 0;
mov.u32 %r11, 0;
HEAD:
shl.b32 %r13, %r12, 3;
add.s32 %r5, %r43, %r13;
shl.b32 %r15, %r12, 13;
add.s32 %r2, %r44, %r15;
{tried}{wait("L", "%r11")}GO:
ld.shared.b32 %r30, [%r2];
st.global.b32 [%q1], %r30;
bar.sync 0;
add.s32 %r21, %r10, 4;
setp.ge.s32 %p5, %r21, %r20;
or.pred %p6, %p1, %p5;
@%p6 bra ON;
{EXPECT}{LOAD}ON:
add.s32 %r12, %r12, 1;
setp.eq.s32 %p3, %r12, 4;
selp.b32 %r12, 0, %r12, %p3;
selp.b32 %r18, 1, 0, %p3;
+xor.b32 %r11, %r11, %r18;
{turn("HEAD")}ret;
"""


def filled(stage):
    """One stage of STAGES, at a place that is a number."""
    copy = LOAD.replace("[%r2]", f"[%r44+{8192 * stage}]").replace("[%r5]", f"[%r43+{8 * stage}]")
    return EXPECT.replace("[%r5]", f"[%r43+{8 * stage}]") + copy


FIRST = "".join(filled(i) for i in range(4))
BACK = "mbarrier.arrive.shared::cta.b64 _, [%r43+24];\n"
READ_GROUP = "cp.async.bulk.wait_group.read 0;\n"
EMPTY_FIRST = "xor.b32 %r17, %r11, 1;"
PAIRS = {
    "parity of three stages": (
        "four stages, and the parity changes each three turns",
        "parity-constant",
        by_turn("-div.u32 %r13, %r10, 3;\n+shr.u32 %r13, %r10, 2;\nand.b32 %r11, %r13, 1;\n"),
    ),
    "parity of each turn": (
        "four stages, and the parity changes each turn",
        "parity-constant",
        by_turn("-and.b32 %r11, %r10, 1;\n+shr.u32 %r13, %r10, 2;\n+and.b32 %r11, %r13, 1;\n"),
    ),
    "parity of half as many": (
        "one barrier, and the parity changes each two turns",
        "parity-constant",
        f"""{INIT}mov.u32 %r10, 0;
HEAD:
@%p1 bra W;
{EXPECT}{LOAD}W:
-shr.u32 %r12, %r10, 1;
+mov.u32 %r12, %r10;
and.b32 %r11, %r12, 1;
{wait("L", "%r11")}{READ}bar.sync 0;
{turn("HEAD")}ret;
""",
    ),
    "the first wait has parity 1": (
        "the phase before the first one counts as complete",
        "parity-constant",
        f"{INIT}@%p1 bra W;\n{EXPECT}{LOAD}W:\n"
        f"{marked('-', wait('L', '1'))}{marked('+', wait('L'))}{READ}ret;\n",
    ),
    "the first wait of a ring has parity 1": (
        "the readers begin with the phase of the copier",
        "parity-constant",
        swapped(plain(ring("none")), "mov.u32 %r11, 0;\nmov.u32 %r12, 0;", "mov.u32 %r11, 1;\nmov.u32 %r12, 0;")
        .replace(EMPTY_FIRST, "-mov.u32 %r17, %r11;\n+xor.b32 %r17, %r11, 1;"),
    ),
    "the copier waits for parity 0 first": (
        "nobody has given a stage back yet: both sides wait for ever",
        "parity-constant",
        swapped(plain(ring("none")), EMPTY_FIRST, "mov.u32 %r17, %r11;"),
    ),
    "the same, three stages in each turn": (
        "the loop is unrolled",
        "parity-constant",
        swapped(plain(unrolled()), EMPTY_FIRST, "mov.u32 %r17, %r11;"),
    ),
    "the parity stays, and the stage is filled again": (
        "the copies before the loop are phase 0, those in it come while there are more",
        "parity-constant",
        refilled(FIRST),
    ),
    "given back, then read": (
        "one stage: the reader arrives on its empty barrier before it reads",
        "proxy-load",
        plain(unrolled())
        .replace("ld.shared.b32 %r30, [%r44+0];\n", "+ld.shared.b32 %r30, [%r44+0];\n")
        .replace(BACK, f"{BACK}-ld.shared.b32 %r30, [%r44+0];\n"),
    ),
    "stages in two variables": (
        "full and empty barriers are variables of their own, the loop is unrolled",
        "proxy-load",
        re.sub(r"%r43\+(24|32|40)", lambda m: f"%r45+{int(m[1]) - 24}", unrolled()).replace(
            "mov.u32 %r44", ".shared .align 8 .b8 empties[24];\nmov.u32 %r45, empties;\nmov.u32 %r44"),
    ),
    "another warp stores": (
        "the ways of those who write and of the one who stores do not meet",
        "proxy-store",
        handed_over(f"+{FENCE}", READ_GROUP),
    ),
    "another warp gives back": (
        "the tile is given back to those who write while its store reads it",
        "store-reuse",
        handed_over(FENCE, f"+{READ_GROUP}"),
    ),
    "a generic read of another CTA": (
        "mapa.u64 and a plain ld: the other CTA may have ended",
        "exit",
        f"""{OTHER_CTA}st.shared.b32 [%r4], %r1;
{CLUSTER_SYNC}cvt.u64.u32 %q5, %r4;
cvta.shared.u64 %q5, %q5;
mapa.u64 %q6, %q5, %r41;
ld.b32 %r30, [%q6];
{marked("+", CLUSTER_SYNC)}st.global.b32 [%q1], %r30;
ret;
""",
    ),
}
