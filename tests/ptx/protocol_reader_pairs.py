# SPDX-License-Identifier: Apache-2.0
"""Who reads what a copy brings, and by what it may know that the bytes are there, before and after a
fix, as in protocol_pairs.py."""

from protocol_pairs import EXPECT, INIT, INIT_BARRIER, LOAD, READ, STORE_OTHER, marked, turn, wait
from protocol_phase_pairs import plain
from protocol_ring_pairs import NEXT, PIECES, ring

GO, TOLD, READY = "[%r43]", "[%r43+8]", "[%r43+16]"


def last_behind_a_loop():
    """A ring of two stages: its readers' loop may have no turn, and one more stage is read behind it, as is
    filled."""
    copies, _, readers = plain(ring("none", "TURN\n")).partition("READERS:\n")
    step, _, _ = readers.partition("TURN\n")
    last = step.replace(PIECES["WAIT_FULL"], "WAIT\n").replace(PIECES["ARRIVE"], "")
    copies = copies.replace("COPIES:", "add.s32 %r21, %r20, 1;\nCOPIES:").replace("TURN\n", f"{NEXT.replace('%r20', '%r21')}\n")
    text = f"{copies}READERS:\nsetp.lt.s32 %p8, %r20, 1;\n@%p8 bra LAST;\nTURNS:\n{readers}"
    text = text.replace("@%p2 bra READERS;\nret;", f"@%p2 bra TURNS;\nLAST:\n{last}ret;")
    return text.replace("WAIT\n", marked("+", PIECES["WAIT_FULL"].replace("LF", "LF2"))).replace("TURN\n", f"{NEXT}\n")


def relayed(waits):
    """One thread tells another one, which tells the readers, that the bytes are there: behind a wait for
    them, or for another word."""
    return f""".shared .align 8 .b8 words[24];
mov.u32 %r43, words;
@%p1 bra BEGUN;
mbarrier.init.shared::cta.b64 {GO}, 1;
mbarrier.init.shared::cta.b64 {TOLD}, 1;
mbarrier.init.shared::cta.b64 {READY}, 1;
{INIT.partition(";")[2]}setp.ne.u32 %p5, %r1, 32;
setp.gt.u32 %p6, %r1, 63;
setp.ne.u32 %p10, %r1, 33;
@%p1 bra RELAY;
{EXPECT}{LOAD}mbarrier.arrive.shared::cta.b64 _, {GO};
ret;
RELAY:
@%p5 bra READERS;
{wait("LG").replace("[%r5]", GO)}{waits}mbarrier.arrive.shared::cta.b64 _, {TOLD};
ret;
READERS:
@%p10 bra ALL;
{wait("LT").replace("[%r5]", TOLD)}mbarrier.arrive.shared::cta.b64 _, {READY};
ret;
ALL:
@!%p6 bra OTHERS;
{wait("LR").replace("[%r5]", READY)}{READ}ret;
OTHERS:
{wait("LO")}ret;
"""


TRY = """mbarrier.try_wait.parity.shared::cta.b64 %p9, [%r5], 0;
@%p9 bra READY;
"""

GIVE = """@%p1 bra GIVEN;
mbarrier.arrive.shared::cta.b64 _, [%r14];
GIVEN:
"""
BY_ONE_OF_A_WARP = f"""mov.u32 %r14, empty;
@%p1 bra BEGUN;
mbarrier.init.shared::cta.b64 [%r14], 1;
{INIT_BARRIER}BEGUN:
bar.sync 0;
mov.u32 %r10, 0;
setp.ne.u32 %p4, %r1, 32;
setp.lt.u32 %p5, %r1, 32;
@%p5 bra READERS;
@%p4 bra DONE;
HEAD:
not.b32 %r12, %r10;
and.b32 %r12, %r12, 1;
{wait("E", "%r12").replace("[%r5]", "[%r14]")}{EXPECT}{LOAD}{turn("HEAD")}bra DONE;
READERS:
and.b32 %r11, %r10, 1;
{wait("F", "%r11")}{marked("-", GIVE)}{READ}{marked("+", f"bar.warp.sync -1;{chr(10)}{GIVE}")}{turn("READERS")}DONE:
ret;
"""



TOLD_OF_NEXT = "bar.arrive 3, 160;\nbar.sync 5, 160;\n"


SECOND = """setp.ne.u32 %p8, %r10, 0;
@%p8 bra THERE;
"""


WHOLE = "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%r2], [%q1], 8192, [%r16];\n"
IN_PARTS = f"""{EXPECT.replace("%r5]", "%r16]")}{WHOLE}{wait("Y").replace("%r5]", "%r16]")}mov.u32 %r18, parts;
{EXPECT.replace("%r5]", "%r18]")}mov.u32 %r10, 0;
PARTS:
shl.b32 %r17, %r10, 12;
add.s32 %r17, %r2, %r17;
-add.s32 %r17, %r17, 8192;
{LOAD.replace("%r5]", "%r18]").replace("[%r2]", "[%r17]")}add.s32 %r10, %r10, 1;
setp.lt.u32 %p9, %r10, 2;
@%p9 bra PARTS;
"""


def brought_anew(waits, second=(EXPECT + LOAD).replace("%r5]", "%r16]"), read=READ):
    """A tile is read, given back, and filled by another copy on a barrier of its own, which the first turn
    of a loop waits for."""
    return f"""mov.u32 %r14, empty;
mov.u32 %r16, anew;
@%p1 bra BEGUN;
mbarrier.init.shared::cta.b64 [%r14], 128;
mbarrier.init.shared::cta.b64 [%r16], 1;
{INIT_BARRIER}BEGUN:
bar.sync 0;
setp.eq.u32 %p4, %r1, 128;
@!%p4 bra READERS;
{EXPECT}{LOAD}{wait("E").replace("%r5]", "%r14]")}{second}ret;
READERS:
{wait("F")}{READ}mbarrier.arrive.shared::cta.b64 _, [%r14];
mov.u32 %r10, 0;
TURNS:
{waits}{read}{turn("TURNS")}ret;
"""


def second(text):
    """The same of the second tile and its barrier."""
    return text.replace("%r5]", "%r14]").replace("%r2]", "%r6]").replace("%r4]", "%r7]")


def loads_when_told(waits, passes_on="", last=wait("LAST", "%r11")):
    """A warp begins two copies when their readers have said, on barrier 3, that the ones before are read,
    and tells them so on barrier 5."""
    return f"""mov.u32 %r14, empty;
@%p1 bra BEGUN;
mbarrier.init.shared::cta.b64 [%r14], 1;
{INIT_BARRIER}BEGUN:
bar.sync 0;
mov.u32 %r10, 0;
setp.lt.u32 %p5, %r1, 32;
@!%p5 bra READERS;
HEAD:
bar.sync 3, 160;
and.b32 %r11, %r10, 1;
@%p1 bra BEGINS;
{EXPECT}{LOAD}{second(EXPECT + LOAD)}BEGINS:
{passes_on}bar.arrive 5, 160;
{turn("HEAD").replace(".lt", ".le")}ret;
READERS:
{TOLD_OF_NEXT}TILES:
and.b32 %r11, %r10, 1;
{waits}{READ}{second(wait("S", "%r11") + READ)}{TOLD_OF_NEXT}{turn("TILES")}and.b32 %r11, %r10, 1;
{last}{READ}ret;
"""


ANSWER = "ld.shared.v4.b32 {%r30, %r31, %r32, %r33}, [%r2];\nst.global.b32 [%q1], %r30;\n"


def answered():
    """Who asks for the next tile, and two groups of warps that read the answer (beside tcgen05.mma)."""
    parity = "and.b32 %r11, %r10, 1;\n"
    ask = "clusterlaunchcontrol.try_cancel.async.shared::cta.mbarrier::complete_tx::bytes.b128 [%r2], [%r5];\n"
    return f"""// tcgen05's machines have it
{INIT}mov.u32 %r10, 0;
setp.lt.u32 %p3, %r1, 64;
setp.eq.u32 %p4, %r1, 128;
@%p3 bra READERS;
@!%p4 bra OTHERS;
ASKS:
{EXPECT.replace("8192", "16")}{ask}{parity}{wait("LA", "%r11")}{ANSWER}{turn("ASKS")}{STORE_OTHER}cp.async.bulk.wait_group 0;
ret;
READERS:
{parity}{marked("+", wait("LR", "%r11"))}{ANSWER}{turn("READERS")}ret;
OTHERS:
{parity}{wait("LO", "%r11")}{ANSWER}{turn("OTHERS")}ret;
"""


def brought_in_parts():
    """Beside the third copy, which is waited for: the copies of a loop, which begin behind what is read, and then
    fill it in their second turn."""
    text = brought_anew(wait("P").replace("%r5]", "%r18]"), IN_PARTS, READ.replace("%r4]", "%r4+4096]"))
    text = text.replace("READERS:\n", "READERS:\nmov.u32 %r18, parts;\n")
    one = "mbarrier.init.shared::cta.b64 [%r16], 1;\n"
    text = text.replace(one, f"{one}mov.u32 %r18, parts;\n{one.replace('%r16', '%r18')}")
    return f".shared .align 8 .b64 anew;\n.shared .align 8 .b64 parts;\n{text}"


# name: (what is wrong, rule, kernel)
PAIRS = {
    "the last stage, behind a loop": (
        "what is read behind the readers' loop is not waited for, if the loop has no turn",
        "wait-missing",
        last_behind_a_loop(),
    ),
    "a try that decides nothing": (
        "a barrier is tried once, and both answers lead on to the read",
        "wait-missing",
        f"{INIT}@%p1 bra W;\n{EXPECT}{LOAD}W:\n{TRY}-mov.u32 %r31, 5;\n{marked('+', wait('L'))}READY:\n{READ}ret;\n",
    ),
    "told by a warp that has not waited": (
        "the warp that tells the readers waits for the word that the copy was begun",
        "wait-missing",
        relayed(marked("+", wait("L"))),
    ),
    "bar.arrive waits for nobody": (
        "one thread waits, and the others come past bar.arrive alone",
        "wait-missing",
        f"{INIT}@%p1 bra W;\n{EXPECT}{LOAD}{wait('L')}W:\n-bar.arrive 1, 256;\n+bar.sync 1, 128;\n{READ}ret;\n",
    ),
    "told by a warp that has begun the copy": (
        "FlashAttention 3: the warp that tells the readers was told by them that the tile before is read",
        "wait-missing",
        loads_when_told(marked("+", wait("F", "%r11"))),
    ),
    "told by a warp that has waited for the copy it began": (
        "likewise; the warp itself waits then",
        "wait-missing",
        loads_when_told("", marked("+", wait("F", "%r11")), ""),
    ),
    "given back, and read when it is filled anew": (
        "FlashInfer's MLA, whose first turn waits for the second copy; here none does",
        "proxy-load",
        ".shared .align 8 .b64 anew;\n"
        + brought_anew(marked("+", SECOND + wait("A").replace("%r5]", "%r16]") + "THERE:")),
    ),
    "given back by one of a warp, and read by all": (
        "the arrival stands before the reads, under a condition of its own",
        "proxy-load",
        BY_ONE_OF_A_WARP,
    ),
    "a scheduler's answer is read with no wait": (
        "clusterlaunchcontrol.try_cancel, whose barrier all others wait for who read it",
        "wait-missing",
        answered(),
    ),
}
