# SPDX-License-Identifier: Apache-2.0
"""Kernels before and after public fixes, written anew in PTX after what the threads say: the mistake
is the thread's, all else is ours. Names without a number are mistakes that many make.

Lines that begin with - are there before the fix alone, those with + behind it alone.
"""

HEAD = """.version 8.6
.target sm_90a
.address_size 64
"""

HEAD_100 = HEAD.replace("sm_90a", "sm_100a")

BEGIN = """.visible .entry k(.param .align 128 .b8 map[128], .param .u64 src, .param .u32 n)
{
.reg .pred %p<20>;
.reg .b16 %h<9>;
.reg .b32 %r<60>;
.reg .b64 %q<20>;
.reg .f32 %f<4>;
.shared .align 1024 .b8 tile[8192];
.shared .align 1024 .b8 other[8192];
.shared .align 8 .b64 bar;
.shared .align 8 .b64 empty;
ld.param.u64 %q1, [src];
ld.param.u32 %r20, [n];
mov.u64 %q2, map;
cvta.param.u64 %q3, %q2;
mov.u32 %r1, %tid.x;
mov.u32 %r2, tile;
shl.b32 %r3, %r1, 4;
add.s32 %r4, %r2, %r3;
mov.u32 %r6, other;
add.s32 %r7, %r6, %r3;
mov.u32 %r5, bar; mov.u32 %r8, 0; mov.u32 %r9, 0;
setp.ne.u32 %p1, %r1, 0;
"""

STORE = """cp.async.bulk.tensor.2d.global.shared::cta.bulk_group [%q3, {%r8, %r9}], [%r2];
cp.async.bulk.commit_group;
"""
STORE_OTHER = STORE.replace("[%r2]", "[%r6]")
LOAD = (
    "cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes "
    "[%r2], [%q3, {%r8, %r9}], [%r5];\n"
)
EXPECT = "mbarrier.arrive.expect_tx.shared::cta.b64 _, [%r5], 8192;\n"
INIT_BARRIER = "mbarrier.init.shared::cta.b64 [%r5], 1;\nfence.mbarrier_init.release.cluster;\n"
INIT = f"""@%p1 bra BEGUN;
{INIT_BARRIER}BEGUN:
bar.sync 0;
"""
WRITE_TILE = "st.shared.b32 [%r4], %r1;\nfence.proxy.async.shared::cta;\nbar.sync 0;\n"
READ = "ld.shared.b32 %r30, [%r4];\nst.global.b32 [%q1], %r30;\n"


def marked(mark, text):
    """Each line of a piece behind a mark."""
    return "".join(f"{mark}{line}\n" for line in text.strip().split("\n"))


def wait(label, parity="0"):
    return f"""{label}:
mbarrier.try_wait.parity.shared::cta.b64 %p9, [%r5], {parity};
@!%p9 bra {label};
"""


def turn(label):
    """The end of a loop of n turns."""
    return f"""add.s32 %r10, %r10, 1;
setp.lt.s32 %p2, %r10, %r20;
@%p2 bra {label};
"""


def tensor_core(instruction):
    """A generic write that an instruction of the tensor cores reads; the fix is its proxy fence."""
    return f"""{WRITE_TILE.replace("fence", "+fence")}@%p1 bra DONE;
shr.u32 %r30, %r2, 4;
and.b32 %r30, %r30, 16383;
cvt.u64.u32 %q6, %r30;
or.b64 %q6, %q6, 4611756662317645824;
{instruction}
DONE:
ret;
"""


ONE_STORE = f"""@%p1 bra DONE;
{STORE}cp.async.bulk.wait_group.read 0;
DONE:
ret;
"""

# name: (what the thread says, rule, kernel)
PAIRS = {
    "FlashKDA#24": (
        "generic writes, a barrier, a store: no proxy fence",
        "proxy-store",
        f"st.shared.b32 [%r4], %r1;\n+fence.proxy.async.shared::cta;\nbar.sync 0;\n{ONE_STORE}",
    ),
    "FlashKDA#24, part 2": (
        "the barrier is initialised by one thread, others wait with nothing between",
        "barrier-init",
        f"""@%p1 bra W;
mbarrier.init.shared::cta.b64 [%r5], 1;
+fence.mbarrier_init.release.cluster;
{EXPECT}{LOAD}
W:
+bar.sync 0;
{wait("L")}{READ}ret;
""",
    ),
    "cuLA#114": (
        "one warp writes and stores: a warp's barrier is no proxy fence",
        "proxy-store",
        f"st.shared.v4.b32 [%r4], {{%r1, %r1, %r1, %r1}};\n+fence.proxy.async.shared::cta;\n"
        f"bar.warp.sync -1;\n{ONE_STORE}",
    ),
    "Fuser#1967": (
        "a loop over rows, the fence is missing in each turn",
        "proxy-store",
        f"""mov.u32 %r10, 0;
HEAD:
st.shared.b32 [%r4], %r10;
+fence.proxy.async.shared::cta;
bar.sync 0;
@%p1 bra NEXT;
{STORE}cp.async.bulk.wait_group.read 0;
NEXT:
bar.sync 0;
{turn("HEAD")}ret;
""",
    ),
    "DeepEP#657": (
        "wait_group <stages - 1> leaves the stage's own store under way, and the next load comes",
        "store-reuse",
        f"""{INIT}@%p1 bra DONE;
{STORE}{STORE_OTHER}
-cp.async.bulk.wait_group 2;
+cp.async.bulk.wait_group 1;
{EXPECT}{LOAD}{wait("L")}
fence.proxy.async.shared::cta;
{STORE}cp.async.bulk.wait_group 0;
DONE:
ret;
""",
    ),
    "ao#4278": (
        "the fence stands behind __syncthreads() instead of before it",
        "proxy-store",
        f"""st.shared.b32 [%r4], %r1;
+fence.proxy.async.shared::cta;
bar.sync 0;
-fence.proxy.async.shared::cta;
{ONE_STORE}""",
    ),
    "DeepEP#660": (
        "the same in a loop over two stages in turns",
        "store-reuse",
        f"""mov.u32 %r10, 0;
HEAD:
@%p1 bra GO;
-cp.async.bulk.wait_group.read 2;
+cp.async.bulk.wait_group.read 1;
GO:
bar.sync 0;
st.shared.b32 [%r4], %r10;
fence.proxy.async.shared::cta;
bar.sync 0;
@%p1 bra GO2;
{STORE}
-cp.async.bulk.wait_group.read 2;
+cp.async.bulk.wait_group.read 1;
GO2:
bar.sync 0;
st.shared.b32 [%r7], %r10;
fence.proxy.async.shared::cta;
bar.sync 0;
@%p1 bra NEXT;
{STORE_OTHER}
NEXT:
{turn("HEAD")}@%p1 bra DONE;
cp.async.bulk.wait_group.read 0;
DONE:
ret;
""",
    ),
    "DeepEP#549": (
        "another thread than the one that committed waits for the group",
        "store-reuse",
        f"""{WRITE_TILE}setp.ne.u32 %p3, %r1, 32;
@%p1 bra OTHER;
{STORE}
+cp.async.bulk.wait_group.read 0;
OTHER:
-@%p3 bra ALL;
-cp.async.bulk.wait_group.read 0;
-ALL:
bar.sync 0;
st.shared.b32 [%r4], %r20;
ret;
""",
    ),
    "a reduction": (
        "writes of 16 bytes, a store of another kind: cp.reduce",
        "proxy-store",
        """st.shared.v4.b32 [%r4], {%r1, %r1, %r1, %r1};
+fence.proxy.async;
bar.sync 0;
@%p1 bra DONE;
cp.reduce.async.bulk.tensor.2d.global.shared::cta.add.bulk_group [%q3, {%r8, %r9}], [%r2];
cp.async.bulk.commit_group;
cp.async.bulk.wait_group.read 0;
DONE:
ret;
""",
    ),
    "each thread its own bytes": (
        "a kernel with no tensor copy: each thread copies what it has just written",
        "proxy-store",
        """st.shared.v4.b32 [%r4], {%r1, %r1, %r1, %r1};
+fence.proxy.async.shared::cta;
cp.async.bulk.global.shared::cta.bulk_group [%q1], [%r4], 16;
cp.async.bulk.commit_group;
cp.async.bulk.wait_group.read 0;
ret;
""",
    ),
    "a matrix product": (
        "wgmma reads shared memory through the async proxy, too",
        "proxy-store",
        """st.shared.b32 [%r4], %r1;
+fence.proxy.async.shared::cta;
bar.sync 0;
shr.u32 %r30, %r2, 4;
and.b32 %r30, %r30, 16383;
cvt.u64.u32 %q6, %r30;
or.b64 %q6, %q6, 68720001024;
wgmma.fence.sync.aligned;
wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%f0, %f1, %f2, %f3}, %q6, %q6, 0, 1, 1, 0, 0;
wgmma.commit_group.sync.aligned;
wgmma.wait_group.sync.aligned 0;
ret;
""",
    ),
    "the fence of the second tile": (
        "two tiles one after the other, at places that are not known; one fence is there",
        "proxy-store",
        f"""shl.b32 %r21, %r20, 4;
xor.b32 %r22, %r3, %r21;
add.s32 %r23, %r2, %r22;
st.shared.b32 [%r23], %r1;
fence.proxy.async.shared::cta;
bar.sync 0;
@%p1 bra SECOND;
{STORE}SECOND:
bar.sync 0;
st.shared.b32 [%r23+2048], %r1;
+fence.proxy.async.shared::cta;
bar.sync 0;
@%p1 bra DONE;
add.s32 %r2, %r2, 2048;
{STORE}cp.async.bulk.wait_group.read 0;
DONE:
ret;
""",
    ),
    "fence before the writes": (
        "the fence stands before the writes",
        "proxy-store",
        f"""-fence.proxy.async;
st.shared.b32 [%r4], %r1;
+fence.proxy.async;
bar.sync 0;
{ONE_STORE}""",
    ),
    "Fuser#5448": (
        "a loop writes the tile again while the store of the turn before reads it",
        "store-reuse",
        f"""mov.u32 %r10, 0;
HEAD:
st.shared.b32 [%r4], %r10;
fence.proxy.async.shared::cta;
bar.sync 0;
@%p1 bra NEXT;
{STORE}
+cp.async.bulk.wait_group.read 0;
NEXT:
bar.sync 0;
{turn("HEAD")}-@%p1 bra DONE;
-cp.async.bulk.wait_group.read 0;
-DONE:
ret;
""",
    ),
    "tilelang#2613": (
        "two tiles one after the other from the same memory",
        "store-reuse",
        f"""{WRITE_TILE}@%p1 bra SECOND;
{STORE}
+cp.async.bulk.wait_group.read 0;
SECOND:
+bar.sync 0;
st.shared.b32 [%r4], %r20;
fence.proxy.async.shared::cta;
bar.sync 0;
{ONE_STORE}""",
    ),
    "tilelang#2634": (
        "stmatrix is a generic write, too",
        "proxy-store",
        f"""stmatrix.sync.aligned.m8n8.x1.shared.b16 [%r4], {{%r1}};
+fence.proxy.async.shared::cta;
bar.sync 0;
{ONE_STORE}""",
    ),
    "TransformerEngine#3417": (
        "a wait for the group stands where the leader does not come",
        "store-reuse",
        f"""{WRITE_TILE}@%p1 bra OTHERS;
{STORE}
+cp.async.bulk.wait_group.read 0;
bra ALL;
OTHERS:
-cp.async.bulk.wait_group.read 0;
ALL:
bar.sync 0;
st.shared.b32 [%r4], %r20;
ret;
""",
    ),
    "TransformerEngine#3474": (
        "the next load overwrites what other threads still read",
        "proxy-load",
        f"""{INIT}mov.u32 %r10, 0;
mov.u32 %r11, 0;
HEAD:
@%p1 bra W;
{EXPECT}{LOAD}W:
{wait("L", "%r11")}{READ}
xor.b32 %r11, %r11, 1;
+bar.sync 0;
{turn("HEAD")}ret;
""",
    ),
    "cutlass#2960": (
        "cp.async writes through the generic proxy, too",
        "proxy-store",
        f"""cp.async.ca.shared.global [%r4], [%q1], 16;
cp.async.wait_all;
+fence.proxy.async.shared::cta;
bar.sync 0;
{ONE_STORE}""",
    ),
    "sglang#39124": (
        "sums by atomics in shared memory, then a store",
        "proxy-store",
        f"""red.shared.add.u32 [%r4], %r1;
+fence.proxy.async.shared::cta;
bar.sync 0;
{ONE_STORE}""",
    ),
    "triton#10106": (
        "the barrier is initialised again in memory that still holds one",
        "barrier-init",
        f"""{INIT}@%p1 bra W;
{EXPECT}{LOAD}W:
{wait("L")}{READ}bar.sync 0;
@%p1 bra AGAIN;
+mbarrier.inval.shared::cta.b64 [%r5];
{INIT_BARRIER}AGAIN:
bar.sync 0;
@%p1 bra W2;
{EXPECT}{LOAD}W2:
{wait("L2")}{READ}ret;
""",
    ),
    "biondizzle": (
        "arrives without expecting bytes: the phase ends before they are there",
        "expect-missing",
        f"""{INIT}@%p1 bra W;
{marked("+", EXPECT)}{LOAD}
-mbarrier.arrive.shared::cta.b64 _, [%r5];
W:
{wait("L")}{READ}ret;
""",
    ),
    "no wait": (
        "the bytes are read behind a barrier of the CTA alone",
        "wait-missing",
        f"""{INIT}@%p1 bra W;
{EXPECT}{LOAD}W:
bar.sync 0;
-bra R;
{wait("L")}
-R:
{READ}ret;
""",
    ),
    "constant parity": (
        "each turn waits for parity 0",
        "parity-constant",
        f"""{INIT}mov.u32 %r10, 0;
mov.u32 %r11, 0;
HEAD:
@%p1 bra W;
{EXPECT}{LOAD}W:
{marked("-", wait("L", "0"))}
{marked("+", wait("L", "%r11"))}
{READ}
xor.b32 %r11, %r11, 1;
bar.sync 0;
{turn("HEAD")}ret;
""",
    ),
    "another thread copies": (
        "one thread initialises the barrier, another one uses it with nothing between",
        "barrier-init",
        f"""setp.ne.u32 %p3, %r1, 32;
@%p1 bra BEGUN;
{INIT_BARRIER}BEGUN:
+bar.sync 0;
@%p3 bra W;
{EXPECT}{LOAD}W:
bar.sync 0;
{wait("L")}{READ}ret;
""",
    ),
    "the same parity again": (
        "a second tile on the barrier, and the second wait has the first one's parity",
        "parity-constant",
        f"""{INIT}@%p1 bra W;
{EXPECT}{LOAD}W:
{wait("L")}{READ}bar.sync 0;
@%p1 bra W2;
{EXPECT}{LOAD}W2:
{marked("-", wait("L2", "0"))}{marked("+", wait("L2", "1"))}
{READ}ret;
""",
    ),
    "tilelang#2566": (
        "mbarrier.expect_tx is no arrival: the phase never ends",
        "arrive-missing",
        f"""{INIT}@%p1 bra W;
-mbarrier.expect_tx.relaxed.cta.shared::cta.b64 [%r5], 8192;
{marked("+", EXPECT)}{LOAD}W:
{wait("L")}{READ}ret;
""",
    ),
    "tcgen05.mma": (
        "tcgen05.mma reads shared memory through the async proxy, too",
        "proxy-store",
        tensor_core("tcgen05.mma.cta_group::1.kind::f16 [%r20], %q6, %q6, 136314896, %p2;"),
    ),
    "CUTLASS#2002": (
        "the CTA ends while its store reads shared memory",
        "store-reuse",
        f"""{WRITE_TILE}@%p1 bra DONE;
{STORE}
+cp.async.bulk.wait_group.read 0;
DONE:
ret;
""",
    ),
    "triton#7293": (
        "a map in global memory is written by the kernel that uses it",
        "map-edit",
        f"""{INIT}mov.u64 %q3, %q1;
shl.b32 %r30, %r1, 3;
cvt.u64.u32 %q5, %r30;
add.s64 %q6, %q1, %q5;
setp.gt.u32 %p4, %r1, 15;
@%p4 bra WRITTEN;
st.global.b64 [%q6], %q5;
+fence.proxy.tensormap::generic.release.gpu;
WRITTEN:
bar.sync 0;
@%p1 bra W;
+fence.proxy.tensormap::generic.acquire.gpu [%q3], 128;
{EXPECT}{LOAD}W:
{wait("L")}ld.shared.b32 %r30, [%r4];
st.global.b32 [%q1+256], %r30;
ret;
""",
    ),
    "__grid_constant__": (
        "the compiler copies the map to the stack",
        "map-local",
        f"""{INIT}.local .align 128 .b8 depot[128];
mov.u64 %q5, depot;
-cvta.local.u64 %q3, %q5;
@%p1 bra W;
{EXPECT}{LOAD}W:
{wait("L")}{READ}ret;
""",
    ),
}


def sides(kernel):
    """The kernel before and after the fix."""
    before, after = [], []
    for line in kernel.split("\n"):
        mark = line[0] if line[:1] in "+-" and line else ""
        text = line[1:] if mark else line
        if mark != "+":
            before.append(text)
        if mark != "-":
            after.append(text)
    texts = ("\n".join(side) + "\n}\n" for side in (before, after))
    return tuple((HEAD_100 if "tcgen05" in text else HEAD) + BEGIN + text for text in texts)
