# SPDX-License-Identifier: Apache-2.0
"""Pieces of kernels of which tests put more together."""
import re

HEAD = """.version 8.6
.target sm_90a
.address_size 64
"""

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
READ = "ld.shared.b32 %r30, [%r4];\nst.global.b32 [%q1], %r30;\n"


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


ONE_STORE = f"""@%p1 bra DONE;
{STORE}cp.async.bulk.wait_group.read 0;
DONE:
ret;
"""

OTHER_CTA = "mov.u32 %r40, %cluster_ctarank;\nxor.b32 %r41, %r40, 1;\n"
CLUSTER_SYNC = "barrier.cluster.arrive.aligned;\nbarrier.cluster.wait.aligned;\n"


def nested(text):
    """Tensor instructions in blocks of their own."""
    return re.sub(r"^\s*(@\S+\s+)?(cp\.async\.bulk\.tensor[^;]*;)", r"{ .reg .pred q; \1\2 }", text, flags=re.M)
