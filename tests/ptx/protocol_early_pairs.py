# SPDX-License-Identifier: Apache-2.0
"""Stages given back, or loaded over, while an MMA may still read them, before and after a fix, as in
protocol_pairs.py."""

from protocol_pairs import EXPECT, INIT, LOAD, marked, turn, wait
from protocol_phase_pairs import plain
from protocol_ring_pairs import PIECES, ring

LD = "ld.shared.b32 %r30, [%r16];\nst.global.b32 [%q1], %r30;\n"
ARRIVE = PIECES["ARRIVE"]
DESCRIPTOR = """shr.u32 %r30, {}, 4;
and.b32 %r30, %r30, 16383;
cvt.u64.u32 %q6, %r30;
or.b64 %q6, %q6, 4611756662317645824;
"""
COMMIT = "wgmma.commit_group.sync.aligned;\n"
WGMMA = "wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%f0, %f1, %f2, %f3}, %q6, %q6, 1, 1, 1, 0, 0;\n" + COMMIT
TCGEN05 = "tcgen05.mma.cta_group::1.kind::f16 [%r8], %q6, %q6, %r9, %p1;\n"
DONE = "wgmma.wait_group.sync.aligned {};\n".format
ONE_ARRIVES = "tcgen05.commit.cta_group::1.mbarrier::arrive::one.shared::cluster.b64 [%r14+16];\n"
PREVIOUS = """setp.eq.s32 %p5, %r10, 0;
@%p5 bra NONE;
xor.b32 %r19, %r12, 1;
shl.b32 %r19, %r19, 3;
add.s32 %r19, %r43, %r19;
mbarrier.arrive.shared::cta.b64 _, [%r19+16];
NONE:
"""
AGAIN = PIECES["WAIT_FULL"].replace("LF", "LA")
TURNED = "xor.b32 %r11, %r11, 1;\n"


def staged(mma, back):
    """A ring of two stages whose readers give each to an MMA, and back by an arrival."""
    text = plain(ring("none"))
    stage = "add.s32 %r19, %r44, %r15;\n" + DESCRIPTOR.format("%r19")
    readers = text.partition("READERS:\n")
    end = readers[2].replace(LD, stage + mma).replace(ARRIVE, back)
    return readers[0] + readers[1] + end.replace("ret;", DONE(0) + "ret;" if mma == WGMMA else "ret;")


def filled_twice():
    """Both sides go through each stage twice in a turn: its parities are 0 and 1 in each."""
    text = staged(TCGEN05, ONE_ARRIVES + TURNED + marked("+", AGAIN) + TCGEN05 + ONE_ARRIVES + TURNED)
    fill = PIECES["WAIT_EMPTY"] + text.partition(PIECES["WAIT_EMPTY"])[2].partition("add.s32 %r12")[0]
    text = text.replace(fill, f"{fill}xor.b32 %r17, %r17, 1;\n{fill.replace('LE', 'LE2')}")
    return text.replace("xor.b32 %r11, %r11, %r18;\n", "")


SAME_PLACE = f"""{INIT}mov.u32 %r10, 0;
mov.u32 %r11, 0;
HEAD:
@%p1 bra W;
{EXPECT}{LOAD}W:
{wait("L", "%r11")}xor.b32 %r11, %r11, 1;
{DESCRIPTOR.format("%r2")}{WGMMA}{marked("+", DONE(0))}bar.sync 0;
{turn("HEAD")}{DONE(0)}ret;
"""

# name: (what is wrong, rule, kernel)
PAIRS = {
    "given back before wgmma is done": (
        "the group is committed and not waited for when the stage is given back",
        "proxy-load",
        staged(WGMMA, marked("+", DONE(0)) + ARRIVE),
    ),
    "one wgmma under way": (
        "all groups but the last are waited for, and the last one's stage is given back",
        "proxy-load",
        staged(WGMMA, DONE(1) + marked("-", ARRIVE) + marked("+", PREVIOUS)),
    ),
    "waited for behind the arrival": (
        "the wait stands behind what gives the stage back",
        "proxy-load",
        staged(WGMMA, marked("+", DONE(0)) + ARRIVE + marked("-", DONE(0))),
    ),
    "one place, loaded in each turn": (
        "a barrier of threads does not wait for wgmma",
        "proxy-load",
        SAME_PLACE,
    ),
    "a thread arrives for tcgen05.mma": (
        "tcgen05.commit arrives when the MMAs are done, mbarrier.arrive at once",
        "proxy-load",
        staged(TCGEN05, marked("-", ARRIVE) + marked("+", ONE_ARRIVES)),
    ),
    "the stage's next bytes behind tcgen05.commit": (
        "right: the MMA behind the commit reads what came since (the sm100 MLA of CUTLASS)",
        "proxy-load",
        filled_twice(),
    ),
    "half of the MMAs behind tcgen05.commit": (
        "the stage is given back when the first MMA is done, and the second one reads it too",
        "proxy-load",
        staged(TCGEN05, marked("-", ONE_ARRIVES) + TCGEN05 + marked("+", ONE_ARRIVES)),
    ),
}
