# SPDX-License-Identifier: Apache-2.0
"""Loops that try a stage's barrier a turn ahead, and wait only where the try did not succeed, before and after a
fix, as in protocol_pairs.py."""

from protocol_ring_pairs import ring

TRY = """mbarrier.try_wait.parity.shared::cta.b64 %p8, [{}], {};
selp.b32 %r46, 1, 0, %p8;
"""
TILES = "mov.u32 %r33, 0;\nTILES:\nmov.u32 %r10, 0;\nmov.u32 %r46, 0;\n"
NEXT_TILE = "@%p2 bra COPIES;\nadd.s32 %r33, %r33, 1;\nsetp.lt.s32 %p3, %r33, %r20;\n@%p3 bra TILES;\nret;\n"


def tried(fill_first, fill_next, read_first, read_next):
    """Which tries are there: "" the answer is, else a number in its place. Tiles are filled in turn."""
    begin, copies = ring(None).split("COPIES:\n")
    copies, readers = copies.split("READERS:\n")
    full, empty = "%r14", "%r14+16"
    place = "shl.b32 %r13, %r12, 3;\nadd.s32 %r14, %r43, %r13;\n"

    def token(lacks, at, parity):
        right = TRY.format(at, parity)
        return "".join(f"+{line}\n" for line in right.splitlines()) + "-mov.u32 %r46, 1;\n" if lacks else right

    skip = "setp.ne.s32 %p6, %r46, 0;\n@%p6 bra {0};\n{1}{0}:\n"
    wait_empty = copies[copies.index("LE:") : copies.index("mbarrier.arrive")]
    wait_full = readers[readers.index("LF:") : readers.index("ld.shared")]
    ahead = "xor.b32 %r17, %r11, 1;\n"
    copies = copies.replace(wait_empty, skip.format("TRIED", wait_empty)).replace(
        "add.s32 %r10", f"{place}{ahead}{token(fill_next, empty, '%r17')}add.s32 %r10"
    )
    readers = readers.replace(wait_full, skip.format("GOT", wait_full)).replace(
        "add.s32 %r10", f"{place}{token(read_next, full, '%r11')}add.s32 %r10"
    )
    copies = copies.replace("@%p2 bra COPIES;\nret;\n", NEXT_TILE)
    readers = readers.replace("add.s32 %r10, %r10, 1;\nsetp.lt.s32 %p2, %r10, %r20;", "add.s32 %r10, %r10, 1;\nmul.lo.s32 %r34, %r20, %r20;\nsetp.lt.s32 %p2, %r10, %r34;")
    first = TILES + place + ahead + token(fill_first, empty, "%r17")
    begin = begin.replace("@!%p4 bra READERS;\n", f"@!%p4 bra READ;\n{first}")
    return f"{begin}COPIES:\n{copies}READ:\n{place}{token(read_first, full, '%r11')}READERS:\n{readers}"


# name: (what is wrong, rule, kernel)
PAIRS = {
    "no try before a tile's first fill": (
        "a loop's first turn takes a number for the answer of a try: the stage is not waited for",
        "proxy-load",
        tried(True, False, False, False),
    ),
    "no try for the next fill": (
        "the same in all turns but the first",
        "proxy-load",
        tried(False, True, False, False),
    ),
    "no try before the first read": (
        "the readers of the ring take a number for the answer in their first turn",
        "wait-missing",
        tried(False, False, True, False),
    ),
    "no try for the next read": (
        "the same in all turns but the first",
        "wait-missing",
        tried(False, False, False, True),
    ),
}
