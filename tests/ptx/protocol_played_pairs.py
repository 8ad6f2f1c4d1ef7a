# SPDX-License-Identifier: Apache-2.0
"""Loops in which one thread copies what all use, stages ahead, before and after a fix, as in
protocol_pairs.py. Kernels of this kind have no warp of their own for copies."""

from protocol_pairs import EXPECT, LOAD, STORE, marked, turn, wait

THREE = """.shared .align 1024 .b8 tiles[24576];
.shared .align 8 .b64 bars[3];
mov.u32 %r44, tiles;
mov.u32 %r43, bars;
@%p1 bra BEGUN;
mbarrier.init.shared::cta.b64 [%r43], 1;
mbarrier.init.shared::cta.b64 [%r43+8], 1;
mbarrier.init.shared::cta.b64 [%r43+16], 1;
fence.mbarrier_init.release.cluster;
"""


def stage(turn_of, bar="%r5", at="%r2"):
    return f"""rem.u32 %r12, {turn_of}, 3;
shl.b32 %r13, %r12, 3;
add.s32 {bar}, %r43, %r13;
mul.lo.u32 %r13, %r12, 8192;
add.s32 {at}, %r44, %r13;
"""


FILLED = f"""mov.u32 %r15, 0;
FILL:
{stage("%r15")}{EXPECT}{LOAD}add.s32 %r15, %r15, 1;
setp.lt.u32 %p5, %r15, 2;
setp.lt.s32 %p6, %r15, %r20;
and.pred %p5, %p5, %p6;
@%p5 bra FILL;
BEGUN:
bar.sync 0;
"""
AHEAD = f"""@%p1 bra ON;
add.s32 %r15, %r10, 2;
setp.ge.s32 %p3, %r15, %r20;
@%p3 bra ON;
{stage("%r15")}{EXPECT}{LOAD}ON:
"""
OWN = f"{stage('%r10')}add.s32 %r16, %r2, %r3;\n"
PARITY = "div.u32 %r14, %r10, 3;\nand.b32 %r14, %r14, 1;\n"
READ = "ld.shared.b32 %r30, [%r16];\nst.global.b32 [%q1], %r30;\n"
# a thread reads a row of those that its warp has
ROWS = """shr.u32 %r31, %r1, 3;
shl.b32 %r31, %r31, 9;
add.s32 %r31, %r31, %r2;
mov.u32 %r32, 0;
ROW:
ld.shared.b32 %r30, [%r31];
st.global.b32 [%q1], %r30;
add.s32 %r31, %r31, 4;
add.s32 %r32, %r32, 1;
setp.ne.s32 %p6, %r32, 32;
@%p6 bra ROW;
"""
BEGIN = f"{THREE}{FILLED}mov.u32 %r10, 0;\nHEAD:\n{OWN}"
END = f"{turn('HEAD')}ret;\n"
ALONE = f"@%p1 bra PAST;\n{wait('L', '%r14')}PAST:\n"

# a stage is written by all, stored by one thread; then it is loaded anew
IN_PLACE = f"""{BEGIN}{PARITY}{wait("L", "%r14")}ld.shared.b32 %r30, [%r16];
add.s32 %r30, %r30, 1;
st.shared.b32 [%r16], %r30;
fence.proxy.async.shared::cta;
MEET
@%p1 bra ON;
{STORE}GROUPS
add.s32 %r15, %r10, 2;
setp.ge.s32 %p3, %r15, %r20;
@%p3 bra ON;
{stage("%r15")}{EXPECT}{LOAD}ON:
{turn("HEAD")}cp.async.bulk.wait_group 0;
ret;
"""
# a warp's own buffers, two stages; its first lane copies
OF_WARPS = f""".shared .align 1024 .b8 tiles[32768];
.shared .align 8 .b64 bars[16];
mov.u32 %r44, tiles;
mov.u32 %r43, bars;
and.b32 %r17, %r1, 31;
shr.u32 %r18, %r1, 5;
shl.b32 %r19, %r18, 12;
add.s32 %r44, %r44, %r19;
shl.b32 %r19, %r18, 4;
add.s32 %r43, %r43, %r19;
shl.b32 %r3, %r17, 2;
setp.ne.u32 %p1, %r17, 0;
@%p1 bra BEGUN;
mbarrier.init.shared::cta.b64 [%r43], 1;
mbarrier.init.shared::cta.b64 [%r43+8], 1;
fence.mbarrier_init.release.cluster;
mov.u32 %r2, %r44;
mov.u32 %r5, %r43;
{EXPECT}{LOAD}BEGUN:
bar.warp.sync -1;
mov.u32 %r10, 0;
HEAD:
@%p1 bra ON;
cp.async.bulk.wait_group.read 0;
add.s32 %r15, %r10, 1;
and.b32 %r15, %r15, 1;
shl.b32 %r13, %r15, 3;
add.s32 %r5, %r43, %r13;
shl.b32 %r13, %r15, 11;
add.s32 %r2, %r44, %r13;
{EXPECT}{LOAD}ON:
and.b32 %r15, %r10, 1;
shl.b32 %r13, %r15, 3;
add.s32 %r5, %r43, %r13;
shl.b32 %r13, %r15, 11;
add.s32 %r2, %r44, %r13;
add.s32 %r16, %r2, %r3;
shr.u32 %r14, %r10, 1;
and.b32 %r14, %r14, 1;
{wait("L", "%r14")}ld.shared.b32 %r30, [%r16];
add.s32 %r30, %r30, 1;
st.shared.b32 [%r16], %r30;
fence.proxy.async.shared::cta;
MEET
@%p1 bra NEXT;
{STORE}NEXT:
bar.warp.sync -1;
{turn("HEAD")}cp.async.bulk.wait_group 0;
ret;
"""
SYNC = "bar.sync 0;"
ONE_LEFT = "cp.async.bulk.wait_group.read 1;"

PAIRS = {
    "a stage is loaded over before the barrier": (
        "TransformerEngine#3474: others read the stage of the turn before until they come to the barrier",
        "proxy-load",
        f"""{BEGIN}{PARITY}{wait("L", "%r14")}{marked("-", AHEAD)}bar.sync 0;
{marked("+", AHEAD)}{OWN}{READ}{END}""",
    ),
    "one thread waits for its stage": (
        "TransformerEngine#3417: the barrier stands behind the reads of the turn, and not behind the wait",
        "wait-missing",
        f"""{BEGIN}{PARITY}{marked("-", ALONE)}{marked("+", wait("L", "%r14"))}{AHEAD}{OWN}{ROWS}bar.sync 0;
{END}""",
    ),
    "parities by the turn, three stages": (
        "the parity changes with each turn, and the ring has three stages",
        "parity-constant",
        f"""{BEGIN}{marked("-", "and.b32 %r14, %r10, 1;")}{marked("+", PARITY)}{wait("L", "%r14")}bar.sync 0;
{READ}bar.sync 0;
{AHEAD}{END}""",
    ),
    "a group too many is left, and its stage is loaded over": (
        "DeepEP#657: the stage of the turn before is loaded two turns ahead",
        "store-reuse",
        IN_PLACE.replace("MEET", SYNC).replace("GROUPS", f"-{ONE_LEFT.replace('1', '2')}\n+{ONE_LEFT}"),
    ),
    "no barrier before a lane stores what its warp writes, in place": (
        "DeepEP#642: each thread has its fence",
        "proxy-store",
        OF_WARPS.replace("MEET", "+bar.warp.sync -1;"),
    ),
}
