# SPDX-License-Identifier: Apache-2.0
"""Loops whose number of turns matters, before and after a fix, as in protocol_pairs.py."""

from protocol_pairs import EXPECT, INIT, LOAD, READ, STORE, turn, wait
from protocol_phase_pairs import STAGES

STAGE = """and.b32 %r12, %r10, 1;
shl.b32 %r13, %r12, 3;
add.s32 %r5, %r43, %r13;
shl.b32 %r15, %r12, 13;
add.s32 %r2, %r44, %r15;
"""


def tested_first(label, body, most):
    """A loop that asks before each turn whether there is one more, as compilers write it without
    optimisation."""
    return f"""mov.u32 %r10, 0;
{label}:
{most}@%p2 bra {label}_END;
{body}add.s32 %r10, %r10, 1;
bra {label};
{label}_END:
"""


MOST = "-setp.ge.s32 %p2, %r10, 3;\n+setp.ge.s32 %p2, %r10, 2;\n"

STORE_RING = """.shared .align 1024 .b8 tiles[16384];
mov.u32 %r44, tiles;
mov.u32 %r10, 0;
HEAD:
@%p1 bra ON;
WAIT
ON:
SYNC
and.b32 %r12, %r10, 1;
shl.b32 %r13, %r10, 13;
and.b32 %r13, %r13, 8192;
add.s32 %r14, %r44, %r13;
add.s32 %r14, %r14, %r3;
st.shared.b32 [%r14], %r10;
fence.proxy.async.shared::cta;
bar.sync 0;
@%p1 bra NEXT;
shl.b32 %r15, %r12, 13;
add.s32 %r2, %r44, %r15;
STORE
NEXT:
TURN
cp.async.bulk.wait_group 0;
ret;
""".replace("STORE", STORE).replace("TURN", turn("HEAD"))
GROUPS = "cp.async.bulk.wait_group.read {};".format

WRITTEN_BESIDE = f""".shared .align 1024 .b8 stages[32768];
.shared .align 8 .b64 bars[2];
mov.u32 %r44, stages;
mov.u32 %r43, bars;
@%p1 bra BEGUN;
mbarrier.init.shared::cta.b64 [%r43], 1;
mbarrier.init.shared::cta.b64 [%r43+8], 1;
fence.mbarrier_init.release.cluster;
BEGUN:
add.s32 %r16, %r44, %r3;
st.shared.v4.b32 [%r16+16384], {{%r1, %r1, %r1, %r1}};
bar.sync 0;
mov.u32 %r10, 0;
@%p1 bra FILLED;
{tested_first("FILLS", STAGE + EXPECT + LOAD, "setp.ge.s32 %p2, %r10, 2;" + chr(10))}FILLED:
mov.u32 %r10, 0;
mov.u32 %r12, 0;
READS:
shl.b32 %r15, %r12, 13;
add.s32 %r14, %r16, %r15;
-ld.shared.b32 %r30, [%r14];
+ld.shared.b32 %r30, [%r14+16384];
st.global.b32 [%q1], %r30;
xor.b32 %r12, %r12, 1;
{turn("READS")}{wait("L0").replace("[%r5]", "[%r43]")}{wait("L1").replace("[%r5]", "[%r43+8]")}{READ}ret;
"""

# name: (what is wrong, rule, kernel)
PAIRS = {
    "read in turns, beside what threads wrote": (
        "a loop reads two stages and waits for none; FlashKDA's reads what threads wrote, in the same variable",
        "wait-missing",
        WRITTEN_BESIDE,
    ),
    "two stages, three turns": (
        "two stages are filled by a loop and waited for by another one, once each",
        "parity-constant",
        STAGES
        + "@%p1 bra FILLED;\n"
        + tested_first("FILLS", STAGE + EXPECT + LOAD, MOST)
        + "FILLED:\n"
        + tested_first("READS", STAGE + wait("L") + READ, MOST)
        + "ret;\n",
    ),
    "two stages filled three times": (
        "two stages are filled by a loop, and both are waited for behind it",
        "proxy-load",
        STAGES
        + "@%p1 bra FILLED;\n"
        + tested_first("FILLS", STAGE + EXPECT + LOAD, MOST)
        + "FILLED:\n"
        + wait("L0").replace("[%r5]", "[%r43]")
        + wait("L1").replace("[%r5]", "[%r43+8]")
        + "ld.shared.b32 %r30, [%r44];\nst.global.b32 [%q1], %r30;\nret;\n",
    ),
    "the parity begins anew for each tile": (
        "three turns for each tile, and the parity of each tile begins with 0",
        "parity-constant",
        f"""{INIT}mov.u32 %r10, 0;
+mov.u32 %r11, 0;
TILES:
-mov.u32 %r11, 0;
mov.u32 %r12, 0;
PARTS:
@%p1 bra W;
{EXPECT}{LOAD}W:
{wait("L", "%r11")}{READ}bar.sync 0;
xor.b32 %r11, %r11, 1;
add.s32 %r12, %r12, 1;
setp.lt.s32 %p3, %r12, 3;
@%p3 bra PARTS;
{turn("TILES")}ret;
""",
    ),
    "a ring filled one turn ahead": (
        "two stages, the first one is filled before the loop; the parity is that of the turn",
        "parity-constant",
        STAGES
        + f"@%p1 bra HEAD;\n{EXPECT}{LOAD}".replace("%r5]", "%r43]").replace("[%r2]", "[%r44]")
        + "HEAD:\n"
        + STAGE
        + "@%p1 bra W;\nxor.b32 %r13, %r13, 8;\nadd.s32 %r21, %r43, %r13;\n"
        + "xor.b32 %r15, %r15, 8192;\nadd.s32 %r22, %r44, %r15;\n"
        + (EXPECT + LOAD).replace("%r5]", "%r21]").replace("[%r2]", "[%r22]")
        + "W:\n-and.b32 %r11, %r10, 1;\n+shr.u32 %r11, %r10, 1;\n+and.b32 %r11, %r11, 1;\n"
        + wait("L", "%r11")
        + "ld.shared.b32 %r30, [%r2];\nst.global.b32 [%q1], %r30;\nbar.sync 0;\n"
        + turn("HEAD")
        + "ret;\n",
    ),
    "a ring of two, masked before and behind a shift": (
        "the same stage in two spellings: two groups are left under way",
        "store-reuse",
        STORE_RING.replace("WAIT", f"-{GROUPS(2)}\n+{GROUPS(1)}").replace("SYNC", "bar.sync 0;"),
    ),
    "the same, and others do not wait": (
        "no barrier of threads stands behind the wait for the groups",
        "store-reuse",
        STORE_RING.replace("WAIT", GROUPS(1)).replace("SYNC", "+bar.sync 0;"),
    ),
}
