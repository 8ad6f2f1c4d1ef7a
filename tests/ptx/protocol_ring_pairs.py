# SPDX-License-Identifier: Apache-2.0
"""Clusters and rings of stages before and after a fix, as in protocol_pairs.py."""

import re

from protocol_pairs import EXPECT, INIT, INIT_BARRIER, LOAD, READ, STORE, marked, tensor_core, turn, wait

OTHER_CTA = "mov.u32 %r40, %cluster_ctarank;\nxor.b32 %r41, %r40, 1;\n"
CLUSTER_SYNC = "barrier.cluster.arrive.aligned;\nbarrier.cluster.wait.aligned;\n"
CLUSTER_INIT = INIT.replace("BEGUN", "BEGUN_ALL").replace("bar.sync 0;\n", CLUSTER_SYNC)
EMPTY_INIT = CLUSTER_INIT.replace("fence.m", "mbarrier.init.shared::cta.b64 [%r43], 2;\nfence.m")
MULTICAST = LOAD.replace("bytes [", "bytes.multicast::cluster [").replace(";", ", %h1;")

RING = """.shared .align 1024 .b8 stages[16384];
.shared .align 8 .b8 bars[32];
mov.u32 %r43, bars;
mov.u32 %r44, stages;
@%p1 bra BEGUN;
mbarrier.init.shared::cta.b64 [%r43], 1;
mbarrier.init.shared::cta.b64 [%r43+8], 1;
mbarrier.init.shared::cta.b64 [%r43+16], 128;
mbarrier.init.shared::cta.b64 [%r43+24], 128;
fence.mbarrier_init.release.cluster;
BEGUN:
bar.sync 0;
mov.u32 %r10, 0;
mov.u32 %r11, 0;
mov.u32 %r12, 0;
setp.eq.u32 %p4, %r1, 128;
@!%p4 bra READERS;
COPIES:
shl.b32 %r13, %r12, 3;
add.s32 %r14, %r43, %r13;
shl.b32 %r15, %r12, 13;
add.s32 %r16, %r44, %r15;
xor.b32 %r17, %r11, 1;
WAIT_EMPTY
mbarrier.arrive.expect_tx.shared::cta.b64 _, [%r14], 8192;
cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes [%r16], [%q3, {%r8, %r9}], [%r14];
NEXT
@%p2 bra COPIES;
ret;
READERS:
shl.b32 %r13, %r12, 3;
add.s32 %r14, %r43, %r13;
shl.b32 %r15, %r12, 13;
add.s32 %r16, %r4, %r15;
sub.s32 %r16, %r16, %r2;
add.s32 %r16, %r16, %r44;
WAIT_FULL
ld.shared.b32 %r30, [%r16];
st.global.b32 [%q1], %r30;
ARRIVE
NEXT
@%p2 bra READERS;
ret;
"""
PIECES = {
    "WAIT_EMPTY": wait("LE", "%r17").replace("[%r5]", "[%r14+16]"),
    "WAIT_FULL": wait("LF", "%r11").replace("[%r5]", "[%r14]"),
    "ARRIVE": "mbarrier.arrive.shared::cta.b64 _, [%r14+16];\n",
}
STAYING = PIECES["WAIT_FULL"].replace("%r11", "0")
NEXT = """add.s32 %r12, %r12, 1;
setp.eq.s32 %p3, %r12, 2;
selp.b32 %r12, 0, %r12, %p3;
selp.b32 %r18, 1, 0, %p3;
xor.b32 %r11, %r11, %r18;
add.s32 %r10, %r10, 1;
setp.lt.s32 %p2, %r10, %r20;"""

BRANCHED = """add.s32 %r12, %r12, 1;
setp.ne.s32 %p3, %r12, 2;
@%p3 bra SAME;
mov.u32 %r12, 0;
xor.b32 %r11, %r11, 1;
SAME:
add.s32 %r10, %r10, 1;
setp.lt.s32 %p2, %r10, %r20;"""


def ring(without, step=NEXT):
    """A ring of two stages, one thread copies, 128 read; a piece of it is there behind the fix."""
    text = RING.replace("NEXT", step.replace("SAME", "COPIED"), 1).replace("NEXT", step.replace("SAME", "HAS_READ"))
    for name, piece in PIECES.items():
        text = text.replace(name, marked("+", piece) if name == without else piece)
    return text


def two_in_a_turn(side, piece):
    """A turn of one side's loop goes through two stages, and waits for the second one behind the fix."""
    before, body, after = re.split(rf"(?<={side}:\n)(.*?)(?=@%p2 bra {side};)", ring(None), flags=re.S)
    second = body.replace("LE", "LE2").replace("LF", "LF2")
    awaited = PIECES[piece].replace("LE", "LE2").replace("LF", "LF2")
    return before + body + second.replace(awaited, marked("+", awaited)) + after


def unrolled(rounds=1, of_pair=False):
    """Three stages in each round of a turn of a loop, each with barriers at places that are numbers; the
    first round lacks a wait. `of_pair`: copies of cta_group::2 on the barriers of the pair's first CTA,
    whose alignment is in the mask."""
    init = copies = reads = ""
    for i in range(3):
        init += f"mbarrier.init.shared::cta.b64 [%r43+{8 * i}], 1;\n"
        init += f"mbarrier.init.shared::cta.b64 [%r43+{24 + 8 * i}], 128;\n"
    for k in range(3 * rounds):
        i = k % 3
        empty = wait(f"LE{k}", "%r17").replace("[%r5]", f"[%r43+{24 + 8 * i}]")
        copies += marked("+", empty) if k == 1 else empty
        copies += EXPECT.replace("[%r5]", f"[%r43+{8 * i}]")
        load = LOAD.replace("[%r2]", f"[%r44+{8192 * i}]")
        if of_pair:
            copies += f"add.s32 %r45, %r43, {8 * i};\nand.b32 %r46, %r45, {(0xFEFFFC00 + 8 * i) - (1 << 32)};\n"
            load = load.replace("::bytes", "::bytes.cta_group::2").replace("[%r5]", "[%r46]")
        copies += load.replace("[%r5]", f"[%r43+{8 * i}]")
        reads += wait(f"LF{k}", "%r11" if k < 3 else "%r18").replace("[%r5]", f"[%r43+{8 * i}]")
        reads += f"ld.shared.b32 %r30, [%r44+{8192 * i}];\nst.global.b32 [%q1], %r30;\n"
        reads += f"mbarrier.arrive.shared::cta.b64 _, [%r43+{24 + 8 * i}];\n"
        if k == 2 and rounds == 2:
            copies += "xor.b32 %r17, %r17, 1;\n"
            reads += "xor.b32 %r18, %r11, 1;\n"
    turn = "xor.b32 %r11, %r11, 1;\n" if rounds == 1 else ""
    turn += "add.s32 %r10, %r10, 1;\nsetp.lt.s32 %p2, %r10, %r20;\n"
    return f""".shared .align 1024 .b8 stages[24576];
.shared .align {1024 if of_pair else 8} .b8 bars[48];
mov.u32 %r43, bars;
mov.u32 %r44, stages;
mov.u32 %r10, 0;
mov.u32 %r11, 0;
@%p1 bra BEGUN;
{init}fence.mbarrier_init.release.cluster;
BEGUN:
bar.sync 0;
setp.eq.u32 %p4, %r1, 128;
@!%p4 bra READERS;
COPIES:
xor.b32 %r17, %r11, 1;
{copies}{turn}@%p2 bra COPIES;
ret;
READERS:
{reads}{turn}@%p2 bra READERS;
ret;
"""


IN_TURNS = f""".shared .align 1024 .b8 stages[16384];
mov.u32 %r44, stages;
mov.u32 %r12, 0;
mov.u32 %r10, 0;
HEAD:
@%p1 bra GO;
-cp.async.bulk.wait_group.read 2;
+cp.async.bulk.wait_group.read 1;
GO:
bar.sync 0;
shl.b32 %r15, %r12, 13;
add.s32 %r16, %r44, %r15;
add.s32 %r17, %r16, %r3;
st.shared.b32 [%r17], %r10;
fence.proxy.async.shared::cta;
bar.sync 0;
@%p1 bra NEXT;
{STORE.replace("[%r2]", "[%r16]")}NEXT:
xor.b32 %r12, %r12, 1;
{turn("HEAD")}@%p1 bra DONE;
cp.async.bulk.wait_group.read 0;
DONE:
ret;
"""


def by_product(factor, shift):
    """Three stages, the turn's remainder by a product and a shift, as compilers divide."""
    text = IN_TURNS.replace("[16384]", "[24576]").replace("read 2", "read 3").replace("read 1", "read 2")
    text = text.replace("mov.u32 %r12, 0;\n", "").replace("xor.b32 %r12, %r12, 1;\n", "")
    return text.replace(
        "shl.b32 %r15",
        f"mul.wide.u32 %q7, %r10, {factor};\nshr.u64 %q7, %q7, {shift};\ncvt.u32.u64 %r13, %q7;\n"
        "mul.lo.s32 %r13, %r13, 3;\nsub.s32 %r12, %r10, %r13;\nshl.b32 %r15",
    )


def by_halves():
    """Seven stages: the factor has 33 bits, so that compilers halve between."""
    text = IN_TURNS.replace("[16384]", "[57344]").replace("read 2", "read 7").replace("read 1", "read 6")
    text = text.replace("mov.u32 %r12, 0;\n", "").replace("xor.b32 %r12, %r12, 1;\n", "")
    return text.replace(
        "shl.b32 %r15",
        "mov.u32 %r16, %r10;\nmul.wide.u32 %q7, %r16, 613566757;\nshr.u64 %q7, %q7, 32;\n"
        "cvt.u32.u64 %r13, %q7;\nsub.s32 %r17, %r16, %r13;\nshr.u32 %r17, %r17, 1;\nadd.s32 %r17, %r17, %r13;\n"
        "shr.u32 %r17, %r17, 2;\nmul.lo.s32 %r17, %r17, 7;\nsub.s32 %r12, %r16, %r17;\nshl.b32 %r15",
    )


STAGE = """add.s32 %r12, %r10, ADDED;
mul.wide.u32 %q7, %r12, -1431655765;
shr.u64 %q7, %q7, 33;
cvt.u32.u64 %r18, %q7;
and.b32 %r11, %r18, 1;
mul.lo.s32 %r18, %r18, 3;
sub.s32 %r12, %r12, %r18;
"""


def by_remainder(without):
    """Three stages; a turn goes through k % 3 and (k + 1) % 3, as compilers unroll a loop."""
    barriers = "".join(f"mbarrier.init.shared::cta.b64 [%r43+{8 * i}], {1 if i < 3 else 128};\n" for i in range(6))
    text = ring(without, "STEP").replace("[16384]", "[24576]").replace("[32]", "[48]").replace("%r14+16", "%r14+24")
    text = re.sub(r"(mbarrier\.init.*\n)+", barriers, text)

    def twice(loop):
        first = re.sub(r"^\+", "", loop[2], flags=re.M)
        second = loop[2].replace("LE", "LE2").replace("LF", "LF2")
        turn = "add.s32 %r10, %r10, 2;\nsetp.lt.s32 %p2, %r10, %r20;\n"
        return f"{loop[1]}{STAGE.replace('ADDED', '0')}{first}{STAGE.replace('ADDED', '1')}{second}{turn}"

    return re.sub(r"(COPIES:\n|READERS:\n)(.*?)STEP\n", twice, text, flags=re.S)


def by_sign(without, sign, stages):
    """The turn's signed remainder by a power of two, as compilers write int % 2."""
    stage = f"{sign}add.s32 %r18, %r10, %r18;\nand.b32 %r18, %r18, -{stages};\nsub.s32 %r12, %r10, %r18;\n"
    stage += f"shr.u32 %r11, %r10, {stages.bit_length() - 1};\nand.b32 %r11, %r11, 1;\n"
    turn = "add.s32 %r10, %r10, 1;\nsetp.lt.s32 %p2, %r10, %r20;"
    text = ring(without, turn).replace("[16384]", f"[{8192 * stages}]").replace("[32]", f"[{16 * stages}]")
    init = "".join(
        f"mbarrier.init.shared::cta.b64 [%r43+{8 * i}], {1 if i < stages else 128};\n" for i in range(2 * stages)
    )
    text = re.sub(r"(mbarrier\.init.*\n)+", init, text).replace("%r14+16", f"%r14+{8 * stages}")
    return text.replace("COPIES:\n", f"COPIES:\n{stage}").replace("READERS:\n", f"READERS:\n{stage}")


def by_word():
    """Two groups of 128 read each stage; one waits for it, and tells the other at a barrier of its own."""
    begin, readers = ring(None).replace("], 128;", "], 256;").replace("%r1, 128;", "%r1, 256;").split("READERS:\n")
    word = "+bar.sync 1, 256;\n"
    waits = readers.replace("ld.shared", f"{word}ld.shared")
    told = waits.replace(PIECES["WAIT_FULL"], "").replace("READERS", "TOLD").replace("SAME", "OTHERS")
    return f"{begin}READERS:\nsetp.lt.s32 %p3, %r1, 128;\n@!%p3 bra TOLD;\nWAITING:\n" + waits.replace(
        "bra READERS", "bra WAITING"
    ) + f"TOLD:\n{told}"


MOVE = """add.s32 %r12, %r12, 1;
mul.wide.u32 %q7, %r12, -1431655765;
shr.u64 %q7, %q7, 33;
cvt.u32.u64 %r18, %q7;
and.b32 %r19, %r18, 1;
xor.b32 %r11, %r11, %r19;
mul.lo.s32 %r18, %r18, 3;
sub.s32 %r12, %r12, %r18;
"""


def carried(without):
    """The same; the stage goes on from turn to turn, and moves twice in each."""
    return re.sub(r"(COPIES|READERS):\n(?:.*\n){7}", r"\1:\n", by_remainder(without)).replace(
        STAGE.replace("ADDED", "1"), MOVE
    ).replace("add.s32 %r10, %r10, 2;", f"{MOVE}add.s32 %r10, %r10, 2;")


OWN = """setp.lt.s32 %p3, %r1, 128;
shr.u32 %r21, %r20, 1;
selp.b32 %r27, %r20, %r21, %p3;
selp.b32 %r28, %r21, %r20, %p3;
"""
TURNS = "shr.u32 %r21, %r20, 1;\nadd.s32 %r22, %r20, %r21;\nmul.lo.s32 %r22, %r22, %r20;\n"
MMA = """shr.u32 %r30, %r16, 4;
and.b32 %r30, %r30, 16383;
cvt.u64.u32 %q6, %r30;
or.b64 %q6, %q6, 4611756662317645824;
wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%f0, %f1, %f2, %f3}, %q6, %q6, 1, 1, 1, 0, 0;
wgmma.commit_group.sync.aligned;
wgmma.wait_group.sync.aligned 0;
"""


def by_tiles():
    """Two groups of 128 read each other tile of some stages, and move on by both groups' tiles: a remainder of a
    remainder. The last stage of a tile is read behind the loop."""
    barriers = "".join(f"mbarrier.init.shared::cta.b64 [%r43+{8 * i}], {1 if i < 3 else 128};\n" for i in range(6))
    text = ring(None).replace("[16384]", "[24576]").replace("[32]", "[48]").replace("%r14+16", "%r14+24")
    text = re.sub(r"(mbarrier\.init.*\n)+", barriers, text).replace("%r12, 2;", "%r12, 3;")
    text = text.replace("ld.shared.b32 %r30, [%r16];\nst.global.b32 [%q1], %r30;\n", MMA)
    begin, read = text.split("READERS:\n")
    begin = begin.replace("%r10, %r20", "%r10, %r22").replace("COPIES:", TURNS + "COPIES:", 1)
    own, others = (MOVE.replace("%r12, 1;", f"%r12, {by};") for by in ("%r27", "%r28"))
    read = read.partition("add.s32 %r10")[0].replace("%r12", "%r24").replace("%r11", "%r25")
    last = marked("+", PIECES["WAIT_FULL"]).replace("LF", "LF2").replace("%r11", "%r25")
    last = read.replace(PIECES["WAIT_FULL"].replace("%r11", "%r25"), last).partition("add.s32 %r24, %r24")[0]
    return f"""{begin.replace("%r1, 128;", "%r1, 256;")}READERS:
{OWN}@%p3 bra TILE;
{others}TILE:
mov.u32 %r24, %r12;
mov.u32 %r25, %r11;
mov.u32 %r26, 1;
setp.ge.s32 %p2, %r26, %r27;
@%p2 bra LAST;
STAGE:
{read}add.s32 %r26, %r26, 1;
setp.lt.s32 %p2, %r26, %r27;
@%p2 bra STAGE;
LAST:
{last}{own}{others}add.s32 %r10, %r10, 1;
setp.lt.s32 %p2, %r10, %r20;
@%p2 bra TILE;
ret;
"""


def meeting():
    """Both sides arrive on the barrier that they wait for, by the state of that arrival; readers make the ring ready."""
    text = ring(None)
    for piece, barrier, label in (("WAIT_EMPTY", "%r14+16", "LE"), ("WAIT_FULL", "%r14", "LF")):
        state = f"""{label}:
mbarrier.try_wait.shared::cta.b64 %p9, [{barrier}], %q9;
@!%p9 bra {label};
"""
        arrives = f"mbarrier.arrive.shared::cta.b64 %q9, [{barrier}];\n"
        text = text.replace(PIECES[piece], arrives + (marked("+", state) if label == "LF" else state))
    text = re.sub(r"(mbarrier\.init.*\], )\d+;", r"\g<1>129;", text)
    ready = "".join(f"mbarrier.arrive.shared::cta.b64 _, [%r43+{at}];\n" for at in (16, 24))
    return text.replace("READERS:\n", f"READERS:\n{ready}HAS_BEGUN:\n").replace("bra READERS;\nret", "bra HAS_BEGUN;\nret")


AGAIN = f"""mov.u32 %r10, 0;
HEAD:
xor.b32 %r16, %r3, %r20;
and.b32 %r16, %r16, 8176;
add.s32 %r17, %r2, %r16;
st.shared.b32 [%r17], %r10;
fence.proxy.async.shared::cta;
bar.sync 0;
@%p1 bra NEXT;
{STORE}+cp.async.bulk.wait_group.read 0;
NEXT:
bar.sync 0;
{turn("HEAD")}ret;
"""
ON_TWO_WAYS = AGAIN.replace("@%p1 bra NEXT;", "@%p1 bra NEXT;\nand.b32 %r18, %r10, 1;\nsetp.eq.s32 %p3, %r18, 1;\n@%p3 bra ODD;")
ON_TWO_WAYS = ON_TWO_WAYS.replace("NEXT:", f"bra NEXT;\nODD:\n{STORE}cp.async.bulk.wait_group.read 0;\nNEXT:")

# name: (what is wrong, rule, kernel)


def last_arrivals(rank, begun="", ended=""):
    """Readers give stages back to the CTA of `rank`, whose thread ends after its last copy."""
    return f"""{OTHER_CTA}mov.u32 %r43, empty;
{EMPTY_INIT}mapa.shared::cluster.u32 %r42, %r43, {rank};
mov.u32 %r10, 0;
mov.u32 %r11, 0;
{begun}@%p1 bra READERS;
COPIES:
xor.b32 %r12, %r11, 1;
{wait("L", "%r12").replace("%r5", "%r43")}{EXPECT}{LOAD}
xor.b32 %r11, %r11, 1;
{turn("COPIES")}xor.b32 %r12, %r11, 1;
{ended}ret;
READERS:
{wait("L2", "%r11")}{READ}
mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%r42];
xor.b32 %r11, %r11, 1;
{turn("READERS")}DONE:
ret;
"""


PAIRS = {
    "a place that is stored again, on two ways": (
        "the turns' other way waits (FlashMLA's sparse decoding has two)",
        "store-reuse",
        ON_TWO_WAYS,
    ),
    "a ring whose sides meet at their barriers": (
        "readers arrive at the full barrier and do not wait for its phase",
        "wait-missing",
        meeting(),
    ),
    "facebookexperimental/triton#908": (
        "a multicast to both CTAs, and only the first one expects its bytes",
        "expect-missing",
        f"""mov.u32 %r40, %cluster_ctarank;
setp.ne.u32 %p7, %r40, 0;
mov.b16 %h1, 3;
{CLUSTER_INIT}
@%p1 bra W;
-@%p7 bra W;
{EXPECT}
+@%p7 bra W;
{MULTICAST}W:
{wait("L")}{READ}{CLUSTER_SYNC}ret;
""",
    ),
    "a multicast to a CTA that does not wait": (
        "the second CTA expects the bytes, waits for nothing, and ends before they come",
        "exit",
        f"""mov.u32 %r40, %cluster_ctarank;
setp.ne.u32 %p7, %r40, 0;
mov.b16 %h1, 3;
{CLUSTER_INIT}
@%p1 bra W;
{EXPECT}
@%p7 bra W;
{MULTICAST}W:
@%p7 bra DONE;
{wait("L")}{READ}DONE:
{marked("+", CLUSTER_SYNC)}ret;
""",
    ),
    "a barrier of the CTA alone": (
        "the other CTA may not have initialised the barrier that a multicast completes",
        "barrier-init",
        f"""mov.b16 %h1, 3;
@%p1 bra BEGUN;
{INIT_BARRIER}BEGUN:
-bar.sync 0;
{marked("+", CLUSTER_SYNC)}
@%p1 bra W;
{EXPECT}{MULTICAST}W:
{wait("L")}{READ}{CLUSTER_SYNC}ret;
""",
    ),
    "a store into a CTA that ends": (
        "the CTA of a cluster ends while the other one writes into it",
        "exit",
        f"""{OTHER_CTA}{CLUSTER_SYNC}mapa.shared::cluster.u32 %r42, %r4, %r41;
st.shared::cluster.b32 [%r42], %r1;
{marked("+", CLUSTER_SYNC)}ret;
""",
    ),
    "an arrival in a CTA that ends": (
        "the last arrival on the other CTA's barrier comes when nobody waits for it any more",
        "exit",
        f"""{OTHER_CTA}mov.u32 %r43, empty;
{EMPTY_INIT}
mapa.shared::cluster.u32 %r42, %r43, %r41;
@%p1 bra W;
{EXPECT}{LOAD}W:
{wait("L")}{READ}
mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%r42];
{marked("+", CLUSTER_SYNC)}ret;
""",
    ),
    "the last arrivals in a ring": (
        "both CTAs give stages back to the other one, and its copying thread ends after its last copy",
        "exit",
        last_arrivals("%r41", ended=marked("+", wait("L3", "%r12").replace("%r5", "%r43"))),
    ),
    "the last arrivals in a ring of CTA 0 alone": (
        "mapa of rank 0 is another CTA's barrier but in CTA 0 (right: the scheduler of CUTLASS' sm100 kernels)",
        "exit",
        last_arrivals("0", begun="setp.ne.u32 %p9, %r40, 0;\n+@%p9 bra DONE;\n"),
    ),
    "a ring: the copying thread does not wait": (
        "it loads over stages that their readers have not given back",
        "proxy-load",
        ring("WAIT_EMPTY"),
    ),
    "a ring: the readers do not wait": (
        "they read stages whose bytes may not be there",
        "wait-missing",
        ring("WAIT_FULL"),
    ),
    "a ring: the readers do not arrive": (
        "no stage is ever given back",
        "arrive-missing",
        ring("ARRIVE"),
    ),
    "a ring that begins again by a branch: the copying thread does not wait": (
        "the loop's first stage is overwritten",
        "proxy-load",
        ring("WAIT_EMPTY", BRANCHED),
    ),
    "a ring that begins again by a branch: the readers do not wait": (
        "the readers read before the copy is there",
        "wait-missing",
        ring("WAIT_FULL", BRANCHED),
    ),
    "a ring that begins again by a branch: the readers do not arrive": (
        "the copying thread waits for ever",
        "arrive-missing",
        ring("ARRIVE", BRANCHED),
    ),
    "a ring: the readers arrive too early": (
        "a stage is given back before it is read",
        "proxy-load",
        RING.replace("NEXT", NEXT)
        .replace("WAIT_EMPTY", PIECES["WAIT_EMPTY"])
        .replace("WAIT_FULL", PIECES["WAIT_FULL"] + marked("-", PIECES["ARRIVE"]))
        .replace("ARRIVE", marked("+", PIECES["ARRIVE"])),
    ),
    "a ring: two stages are filled in a turn, one is waited for": (
        "the copying thread runs ahead of the readers by a stage in each turn",
        "proxy-load",
        two_in_a_turn("COPIES", "WAIT_EMPTY"),
    ),
    "a ring: two stages are given back in a turn, one is waited for": (
        "the readers read each second stage without a wait for its bytes",
        "wait-missing",
        two_in_a_turn("READERS", "WAIT_FULL"),
    ),
    "a barrier of its own for each stage": (
        "the copying thread goes round three stages in one turn, and does not wait for the second one",
        "proxy-load",
        unrolled(),
    ),
    "each stage twice in a turn": (
        "a compiler has unrolled the loop: the first of two waits for a stage is missing (DeepGEMM's producer)",
        "proxy-load",
        unrolled(2),
    ),
    "a ring: the readers' parity stays": (
        "the readers wait for parity 0 each time the ring comes round",
        "parity-constant",
        RING.replace("NEXT", NEXT)
        .replace("WAIT_EMPTY", PIECES["WAIT_EMPTY"])
        .replace("ARRIVE", PIECES["ARRIVE"])
        .replace("WAIT_FULL", marked("-", STAYING) + marked("+", PIECES["WAIT_FULL"])),
    ),
    "three stages in turns by a product": (
        "as many groups may be under way as the ring has stages",
        "store-reuse",
        by_product(2863311531, 33),
    ),
    "seven stages, their turn in two halves": (
        "CUTLASS's rings of seven stages begin each tile where the last one ended",
        "store-reuse",
        by_halves(),
    ),
    "three stages, two in a turn by remainders: the copying thread does not wait": (
        "it runs ahead of the readers by a stage in each turn",
        "proxy-load",
        by_remainder("WAIT_EMPTY"),
    ),
    "three stages, two in a turn by remainders: the readers do not wait": (
        "each second stage is read before it is there",
        "wait-missing",
        by_remainder("WAIT_FULL"),
    ),
    "two stages by a signed remainder: the copying thread does not wait": (
        "int % 2 is a difference of a sum with its sign, masked (FlashMLA's sparse decoding)",
        "proxy-load",
        by_sign("WAIT_EMPTY", "shr.u32 %r18, %r10, 31;\n", 2),
    ),
    "two stages by a signed remainder: the readers do not wait": (
        "the same on the other side",
        "wait-missing",
        by_sign("WAIT_FULL", "shr.u32 %r18, %r10, 31;\n", 2),
    ),
    "four stages by a signed remainder: the copying thread does not wait": (
        "int % 4: the sign's two lowest bits",
        "proxy-load",
        by_sign("WAIT_EMPTY", "shr.s32 %r18, %r10, 31;\nshr.u32 %r18, %r18, 30;\n", 4),
    ),
    "readers that another group tells": (
        "the group that waits tells nobody (FlashMLA's does by named barriers)",
        "wait-missing",
        by_word(),
    ),
    "three stages, moved by two tiles at once": (
        "CUTLASS's grouped GEMMs, their two groups of readers in turns: a tile's last stage is not waited for",
        "wait-missing",
        by_tiles(),
    ),
    "three stages, moved twice in a turn: the copying thread does not wait": (
        "the stage is moved behind each fill: its address has both remainders",
        "proxy-load",
        carried("WAIT_EMPTY"),
    ),
    "three stages, moved twice in a turn: the readers do not wait": (
        "each second stage is read before it is there",
        "wait-missing",
        carried("WAIT_FULL"),
    ),
    "DeepEP#657, two stages in turns": (
        "as many groups may be under way as the ring has stages",
        "store-reuse",
        IN_TURNS,
    ),
    "TransformerEngine#3417, a load": (
        "one thread waits for the bytes, and the others read them with no barrier behind its wait",
        "wait-missing",
        f"""{INIT}@%p1 bra W;
{EXPECT}{LOAD}{wait("L")}W:
+bar.sync 0;
{READ}ret;
""",
    ),
    "tcgen05.cp": (
        "tcgen05.cp reads shared memory through the async proxy, too",
        "proxy-store",
        tensor_core("tcgen05.cp.cta_group::1.128x256b [%r20], %q6;"),
    ),
}
