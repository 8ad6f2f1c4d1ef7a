# SPDX-License-Identifier: Apache-2.0
"""What an MMA or a store reads that generic writes bring, before and after a fix, as in
protocol_pairs.py: kernels that load, too, shared memory whose place is rounded up by its generic
address, fences of another turn, and memory that is given back to those who write it."""

from protocol_group_pairs import on
from protocol_pairs import EXPECT, INIT, LOAD, STORE, turn, wait

FENCE = "fence.proxy.async.shared::cta;\n"
WGMMA = """shr.u32 %r30, {0}, 4;
and.b32 %r30, %r30, 16383;
cvt.u64.u32 %q6, %r30;
or.b64 %q6, %q6, 68720001024;
wgmma.fence.sync.aligned;
wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {{%f0, %f1, %f2, %f3}}, %q6, %q6, 0, 1, 1, 0, 0;
wgmma.commit_group.sync.aligned;
wgmma.wait_group.sync.aligned 0;
""".format
POOL = """.shared .align 1024 .b8 pool[16384];
mov.u32 %r40, pool;
add.s32 %r41, %r40, 8192;
add.s32 %r42, %r40, %r3;
"""
# the first place of a variable that is a multiple of 1024, as many a library finds it, and a
# thread's place there, with a swizzle
ROUNDED = """mov.u32 %r43, pool;
cvt.u64.u32 %q7, %r43;
cvta.shared.u64 %q8, %q7;
and.b64 %q9, %q8, 1023;
mov.u64 %q10, 1024;
sub.s64 %q11, %q10, %q9;
add.s64 %q12, %q8, %q11;
setp.eq.s64 %p11, %q9, 0;
selp.b64 %q13, %q8, %q12, %p11;
cvta.to.shared.u64 %q14, %q13;
cvt.u32.u64 %r44, %q14;
add.s32 %r46, %r44, %r3;
and.b32 %r47, %r46, 896;
shr.u32 %r47, %r47, 3;
xor.b32 %r45, %r46, %r47;
"""


def loaded(to):
    return f"{INIT}@%p1 bra COPIED;\n{EXPECT}{LOAD.replace('[%r2]', f'[{to}]')}COPIED:\n"


def in_another_turn():
    """The fence of a turn's begin is that of some threads, and stands before what they write."""
    return f"""setp.gt.u32 %p4, %r1, 63;
@%p4 bra DONE;
mov.u32 %r10, 0;
HEAD:
{FENCE}st.shared.b32 [%r4], %r10;
+{FENCE}bar.sync 1, 64;
@%p1 bra NEXT;
{STORE}cp.async.bulk.wait_group.read 0;
NEXT:
bar.sync 1, 64;
{turn("HEAD")}DONE:
ret;
"""


def given_back_to_writers():
    """Others write a tile, one thread stores it and gives it back, twice in a turn."""
    tiles = writes = ""
    for i in range(2):
        done = "+" if i == 0 else ""
        tiles += on("%r43", wait(f"F{i}", str(i)))
        tiles += STORE.replace("[%r2]", "[%r44]")
        tiles += f"{done}cp.async.bulk.wait_group.read 0;\nmbarrier.arrive.shared::cta.b64 _, [%r43+8];\n"
        writes += on("%r43+8", wait(f"E{i}", str(1 - i)))
        writes += f"st.shared.b32 [%r45], %r10;\n{FENCE}mbarrier.arrive.shared::cta.b64 _, [%r43];\n"
    return f"""{POOL}{ROUNDED}.shared .align 8 .b8 bars[16];
mov.u32 %r43, bars;
@%p1 bra BEGUN;
mbarrier.init.shared::cta.b64 [%r43], 128;
mbarrier.init.shared::cta.b64 [%r43+8], 1;
BEGUN:
bar.sync 0;
mov.u32 %r10, 0;
setp.eq.u32 %p4, %r1, 128;
@!%p4 bra WRITES;
TILES:
{tiles}{turn("TILES")}ret;
WRITES:
{writes}{turn("WRITES")}ret;
"""


def stored_at_a_rounded_place():
    """Each turn writes and stores one tile; what waits behind the loop does not count in it."""
    return f"""{POOL}{ROUNDED}mov.u32 %r10, 0;
HEAD:
+cp.async.bulk.wait_group.read 0;
bar.sync 0;
st.shared.b32 [%r45], %r10;
{FENCE}bar.sync 0;
@%p1 bra NEXT;
{STORE.replace("[%r2]", "[%r44]")}NEXT:
{turn("HEAD")}cp.async.bulk.wait_group.read 0;
ret;
"""


PAIRS = {
    "a fence of some threads in another turn": (
        "tiles are stored in a loop whose turns begin with a fence, and written behind it",
        "proxy-store",
        in_another_turn(),
    ),
    "a matrix product beside loads": (
        "a load brings other bytes of the variable that wgmma's operand is written to",
        "proxy-store",
        f"{POOL}{loaded('%r41')}{wait('W')}st.shared.b32 [%r42], %r1;\n+{FENCE}bar.sync 0;\n{WGMMA('%r40')}ret;\n",
    ),
    "a matrix product at a rounded place": (
        "shared memory begins where its generic address is a multiple of 1024",
        "proxy-store",
        f"{POOL}{ROUNDED}st.shared.b32 [%r45], %r1;\n+{FENCE}bar.sync 0;\n{WGMMA('%r44')}ret;\n",
    ),
    "stored again at a rounded place": (
        "a loop writes a tile again that it stores, and waits for the stores behind the loop alone",
        "store-reuse",
        stored_at_a_rounded_place(),
    ),
    "given back to those who write": (
        "a tile is given back to its writers while a store still reads it, one of two times",
        "store-reuse",
        given_back_to_writers(),
    ),
    "written beside what is loaded, and a wait between": (
        "attention: the scores lie beside the rings of one pool, and the next tile is waited for before the product",
        "proxy-store",
        f"""{POOL}{loaded("%r41")}st.shared.b32 [%r42], %r1;
+{FENCE}bar.sync 0;
{wait("L")}{WGMMA("%r40")}ret;
""",
    ),
    "a warp writes an operand for another one": (
        "the producer converts an operand by itself, and hands it over by the stage's barrier",
        "proxy-store",
        f"""{POOL}{INIT}setp.gt.u32 %p4, %r1, 127;
@%p4 bra PRODUCTS;
@%p1 bra DONE;
st.shared.v4.b32 [%r42], {{%r1, %r1, %r1, %r1}};
+{FENCE}{EXPECT}{LOAD.replace("[%r2]", "[%r41]")}bra DONE;
PRODUCTS:
{wait("L")}{WGMMA("%r40")}DONE:
ret;
""",
    ),
}

# wgmma reads what a load brought over a write that no fence follows: that is the load's story
LOADED_LATER = f"{POOL}st.shared.b32 [%r42], %r1;\nbar.sync 0;\n{loaded('%r40')}{wait('W')}{WGMMA('%r40')}ret;\n"
