# SPDX-License-Identifier: Apache-2.0
"""Maps that a kernel edits in loops, and maps in arrays, before and after a fix, as in
protocol_pairs.py: fences that are missing, before the edit instead of behind it, or on another map."""

from protocol_pairs import EXPECT, INIT, LOAD, READ, turn, wait

REPLACE = "tensormap.replace.tile.global_address.{}.b1024.b64 [{}], %q7;\n"
IN_SHARED = ".shared .align 128 .b8 smap[128];\nmov.u32 %r50, smap;\n"
PUBLISH = (
    "tensormap.cp_fenceproxy.global.shared::cta.tensormap::generic.release.gpu.sync.aligned "
    "[%q5], [%r50], 128;\n"
)
RELEASE = "fence.proxy.tensormap::generic.release.gpu;\n"
ACQUIRE = "fence.proxy.tensormap::generic.acquire.gpu [%q5{}], 128;\n"
NEXT_PHASE = "and.b32 %r11, %r10, 1;\n"


def by_map(text, register="%q5"):
    return text.replace("[%q3,", f"[{register},")


def at_map(index="%r10"):
    """Where the map of this turn lies."""
    return f"mul.wide.s32 %q6, {index}, 128;\nadd.s64 %q5, %q1, %q6;\n"


def in_turns(edits, index="%r10"):
    """One thread edits the map of the turn and copies by it; all wait and read."""
    return f"""{INIT}{IN_SHARED}mov.u32 %r10, 0;
HEAD:
{NEXT_PHASE}{at_map(index)}ld.global.u64 %q7, [%q1];
@%p1 bra ALL;
{edits}{EXPECT}{by_map(LOAD)}ALL:
{wait("W", "%r11")}{READ}bar.sync 0;
{turn("HEAD")}ret;
"""


def in_two_loops(acquire):
    """All maps are edited, then used."""
    return f"""{INIT}@%p1 bra EDITED;
mov.u32 %r10, 0;
EDITS:
{at_map()}ld.global.u64 %q7, [%q1];
{REPLACE.format("global", "%q5")}{turn("EDITS")}{RELEASE}EDITED:
bar.sync 0;
mov.u32 %r10, 0;
HEAD:
{NEXT_PHASE}{at_map()}@%p1 bra ALL;
{acquire}{EXPECT}{by_map(LOAD)}ALL:
{wait("W", "%r11")}{READ}bar.sync 0;
{turn("HEAD")}ret;
"""


GLOBAL = REPLACE.format("global", "%q5")
SHARED = REPLACE.format("shared::cta", "%r50")
STORED = "st.global.u64 [%q5], %q7;\n"
HALF = "and.b32 %r12, %r10, 1;\n"
FIRST_TURN = f"setp.ne.u32 %p6, %r10, 0;\n@%p6 bra F;\n{ACQUIRE.format('')}F:\n"
UNDER_A_FLAG = f"mov.u32 %r21, %nctaid.y;\nsetp.ne.u32 %p6, %r21, 7;\n@%p6 bra F;\n{ACQUIRE.format('')}F:\n"


def marks(before, after):
    """Lines of before alone, and of after alone."""
    return "".join(f"-{x}\n" for x in before.splitlines()) + "".join(f"+{x}\n" for x in after.splitlines())


def array(space, address):
    return f"""{space}mov.u32 %r10, 0;
{INIT}HEAD:
{NEXT_PHASE}{address}@%p1 bra ALL;
{EXPECT}{by_map(LOAD)}ALL:
{wait("W", "%r11")}{READ}bar.sync 0;
{turn("HEAD")}ret;
"""


LOCAL = ".local .align 128 .b8 maps[512];\nmov.u64 %q8, maps;\ncvta.local.u64 %q9, %q8;\n"
PICKED = "and.b32 %r12, %r10, 3;\nmul.wide.u32 %q6, %r12, 128;\nadd.s64 %q5, {}, %q6;\n"
CHOSEN = "setp.eq.s32 %p5, %r10, 0;\nadd.s64 %q10, {0}, 128;\nselp.b64 %q5, {0}, %q10, %p5;\n"

PAIRS = {
    "a map of a group, published and not acquired": (
        "TransformerEngine#3474: tensormap.cp_fenceproxy in each turn, no acquire",
        "ptx-fence",
        in_turns(SHARED + PUBLISH + "+" + ACQUIRE.format("")),
    ),
    "the acquire stands before the edit": (
        "cutlass#3091: the fence is there, in the wrong place",
        "ptx-fence",
        in_turns("-" + ACQUIRE.format("") + SHARED + PUBLISH + "+" + ACQUIRE.format("")),
    ),
    "the acquire is on the next map": (
        "triton#7293: of several maps another one is acquired",
        "ptx-fence",
        in_turns(SHARED + PUBLISH + marks(ACQUIRE.format("+128"), ACQUIRE.format(""))),
    ),
    "the acquire is on the other one of two maps": (
        "the same where two maps are edited by turns",
        "ptx-fence",
        in_turns(
            f"{GLOBAL}{RELEASE}xor.b64 %q10, %q6, 128;\nadd.s64 %q11, %q1, %q10;\n"
            + marks(ACQUIRE.format("").replace("%q5", "%q11"), ACQUIRE.format("")),
            "%r11",
        ),
    ),
    "the release stands before the edit": (
        "DeepGEMM#343: edited in global memory, released too early",
        "ptx-publish",
        in_turns(f"-{RELEASE}{GLOBAL}+{RELEASE}{ACQUIRE.format('')}"),
    ),
    "generic stores, released and not acquired": (
        "TransformerEngine#3474, by plain stores",
        "map-edit",
        in_turns(f"{STORED}{RELEASE}+{ACQUIRE.format('')}"),
    ),
    "generic stores, acquired and not released": (
        "the other half is missing",
        "map-edit",
        in_turns(f"{STORED}+{RELEASE}{ACQUIRE.format('')}"),
    ),
    "edited in one loop, used in another": (
        "cutlass#3165: a grouped product whose maps are made before its tiles",
        "ptx-fence",
        in_two_loops("+" + ACQUIRE.format("")),
    ),
    "the acquire is under a flag": (
        "it does not help where nobody sets the flag",
        "ptx-fence",
        in_turns(SHARED + PUBLISH + marks(UNDER_A_FLAG, ACQUIRE.format(""))),
    ),
    "the acquire in the first turn alone": (
        "cutlass#2912: a map that is edited in each turn",
        "ptx-fence",
        in_turns(SHARED + PUBLISH + marks(FIRST_TURN, ACQUIRE.format(""))),
    ),
    "an array of maps in local memory": (
        "__grid_constant__ is missing, and the kernel picks a map by an index",
        "map-local",
        array(LOCAL, marks(PICKED.format("%q9"), PICKED.format("%q3"))),
    ),
    "one of two maps in local memory": (
        "likewise, by a condition",
        "map-local",
        array(LOCAL, marks(CHOSEN.format("%q9"), CHOSEN.format("%q3"))),
    ),
}
