# SPDX-License-Identifier: Apache-2.0
"""Stages that lack the wait that their like have, before and after a fix, as in protocol_pairs.py:
mistakes that a compiler's unrolled loops make hard to see."""

from protocol_pairs import EXPECT, INIT, LOAD, marked, wait
from protocol_ring_pairs import NEXT, PIECES, RING

FILL = """shl.b32 %r13, %r12, 3;
add.s32 %r14, %r43, %r13;
shl.b32 %r15, %r12, 13;
add.s32 %r16, %r44, %r15;
xor.b32 %r17, %r11, 1;
WAIT_EMPTY
mbarrier.arrive.expect_tx.shared::cta.b64 _, [%r14], 8192;
cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes [%r16], [%q3, {%r8, %r9}], [%r14];
"""
READ_STAGE = """shl.b32 %r13, %r12, 3;
add.s32 %r14, %r43, %r13;
shl.b32 %r15, %r12, 13;
add.s32 %r16, %r44, %r15;
WAIT_FULL
ld.shared.b32 %r30, [%r16];
st.global.b32 [%q1], %r30;
mbarrier.arrive.shared::cta.b64 _, [%r14+16];
"""
GO_ON = NEXT.split("add.s32 %r10")[0]


def piece(name, label):
    return (
        PIECES[name]
        .replace("LE:", f"{label}:")
        .replace("bra LE", f"bra {label}")
        .replace("LF:", f"{label}:")
        .replace("bra LF", f"bra {label}")
    )


def behind_the_loop():
    """Two more stages behind the loop on both sides; the second fill lacks its wait."""
    begin, copies, readers = (
        RING.partition("COPIES:")[0],
        RING.partition("COPIES:")[2],
        RING.partition("READERS:\n")[2],
    )
    copies = copies.partition("READERS:")[0]
    more, less = "", ""
    for i in range(2):
        empty = piece("WAIT_EMPTY", f"LEM{i}")
        more += FILL.replace("WAIT_EMPTY\n", marked("+", empty) if i else empty) + GO_ON
        less += READ_STAGE.replace("WAIT_FULL\n", piece("WAIT_FULL", f"LFM{i}")) + GO_ON
    text = begin + "COPIES:" + copies.replace("@%p2 bra COPIES;\nret;\n", f"@%p2 bra COPIES;\n{more}ret;\n")
    text += "READERS:\n" + readers.replace("@%p2 bra READERS;\nret;\n", f"@%p2 bra READERS;\n{less}ret;\n")
    for name, words in PIECES.items():
        text = text.replace(name, words)
    return text.replace("NEXT", NEXT)


def drained():
    """Three stages; the copying thread waits for all of them to be given back before it ends."""
    text = (
        RING.replace("[16384]", "[24576]")
        .replace("bars[32]", "bars[48]")
        .replace(
            "@%p1 bra BEGUN;",
            """@%p1 bra BEGUN;
mbarrier.init.shared::cta.b64 [%r43+32], 128;
mbarrier.init.shared::cta.b64 [%r43+40], 128;""",
        )
    )
    text = text.replace("[%r43+16], 128", "[%r43+16], 1")
    next_of_three = NEXT.replace("%r12, 2;", "%r12, 3;")
    ends = ""
    for i in range(3):
        one = "shl.b32 %r13, %r12, 3;\nadd.s32 %r14, %r43, %r13;\nxor.b32 %r17, %r11, 1;\n"
        one += piece("WAIT_EMPTY", f"LED{i}") + next_of_three.split("add.s32 %r10")[0]
        ends += marked("+", one) if i == 1 else one
    text = text.replace("@%p2 bra COPIES;\nret;\n", f"@%p2 bra COPIES;\n{ends}ret;\n")
    for name, words in PIECES.items():
        text = text.replace(name, words)
    return (
        text.replace("NEXT", next_of_three).replace("+16]", "+24]").replace("[%r43+24], 1;", "[%r43+16], 1;")
    )


def unheard():
    """Readers say in each turn that they are done; the copying thread does not listen."""
    text = RING
    for name, words in PIECES.items():
        text = text.replace(name, words)
    text = text.replace(
        "@%p1 bra BEGUN;", "mov.u32 %r45, empty;\n@%p1 bra BEGUN;\nmbarrier.init.shared::cta.b64 [%r45], 128;"
    )
    say = "mbarrier.arrive.shared::cta.b64 _, [%r45];\n"
    hear = "and.b32 %r46, %r10, 1;\n" + wait("LD", "%r46").replace("[%r5]", "[%r45]")
    copies, _, readers = text.partition("READERS:\n")
    return (
        copies.replace("NEXT", marked("+", hear) + NEXT) + "READERS:\n" + readers.replace("NEXT", say + NEXT)
    )


WGMMA = "wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%f0, %f1, %f2, %f3}, %q6, %q6, 1, 1, 1, 0, 0;"
TWO_ROLES = f"""{INIT}setp.eq.u32 %p4, %r1, 256;
@!%p4 bra MORE;
{EXPECT}{LOAD}ret;
MORE:
shr.u32 %r30, %r2, 4;
and.b32 %r30, %r30, 16383;
cvt.u64.u32 %q6, %r30;
or.b64 %q6, %q6, 4611756662317645824;
setp.lt.u32 %p5, %r1, 128;
@%p5 bra OTHERS;
{wait("LA")}{WGMMA}
ret;
OTHERS:
{marked("+", wait("LB"))}{WGMMA}
ret;
"""

# name: (what is wrong, rule, kernel)
PAIRS = {
    "a stage filled behind the loop": (
        "a compiler's remainder: the loop waits before each fill, one fill behind it does not",
        "proxy-load",
        behind_the_loop(),
    ),
    "one of three stages at the end": (
        "the copying thread waits for two of its three stages before it ends",
        "wait-missing",
        drained(),
    ),
    "nobody listens": (
        "readers arrive on a barrier in each turn, and nobody waits for it",
        "proxy-load",
        unheard(),
    ),
    "two roles read one tile": (
        "the warps of one role wait, those of the other give the tile to wgmma at once",
        "wait-missing",
        TWO_ROLES,
    ),
}
