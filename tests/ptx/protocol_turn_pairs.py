# SPDX-License-Identifier: Apache-2.0
"""Loops whose number of turns matters, before and after a fix, as in protocol_pairs.py."""

from protocol_pairs import EXPECT, LOAD, READ, wait
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

# name: (what is wrong, rule, kernel)
PAIRS = {
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
}
