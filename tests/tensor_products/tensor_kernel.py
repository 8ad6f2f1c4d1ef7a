# SPDX-License-Identifier: Apache-2.0
"""One PTX kernel that executes a tcgen05.mma of each CTA's (or pair's) own job."""

SHIFT_B = 4096             # the second CTA of a pair begins so much further on in the image
A_B, B_B = 24576, 24576    # bytes that matrices of each may lie in
B_FROM = A_B + SHIFT_B
SHARED_B = B_FROM + B_B
JOB_WORDS = 20  # a_desc, b_desc, idesc, column, enable, lane of D, 8 words of disabled lanes, column of metadata
TENSOR_A, SCALES, METADATA = 288, 320, 332  # columns of A; of scale factors: 4 of A, 8 of B; of metadata: 4


def registers(names):
    return "{" + ", ".join(names) + "}"


def kernel(words, ctas, from_tensor, scaled, masked, issuer, sparse):
    """words: the opcode behind tcgen05.mma; masked: it takes lanes that stay as they are; issuer: the rank
    of the CTA whose thread 0 issues it."""
    a = "[%r41]" if from_tensor else "%q10"
    operands = f"[%r40], {a}, %q11, {'[%r52], ' if sparse else ''}%r30"
    if scaled:
        operands += ", [%r42], [%r43]"
    elif masked:
        operands += ", " + registers(f"%r{44 + i}" for i in range(4 * ctas))
    operands += ", %p2"
    commit = (".multicast::cluster.b64 [%r20], %h0" if ctas == 2 else ".b64 [%r20]")
    cluster = "barrier.cluster.arrive.aligned;\nbarrier.cluster.wait.aligned;\n" if ctas == 2 else "bar.sync 0;\n"
    spread = registers(["%r21"] * 128)
    eight = registers(f"%r{60 + i}" for i in range(8))
    sixteen = registers(f"%r{60 + i}" for i in range(16))
    return f"""
.version 8.7
.target sm_100a
.address_size 64
.visible .entry k(.param .u64 image, .param .u64 jobs, .param .u64 lanes, .param .u64 out)
{{
.reg .b32 %r<80>; .reg .b64 %q<20>; .reg .pred %p<6>; .reg .b16 %h<2>;
.shared .align 1024 .b8 shared[{SHARED_B}];
.shared .align 8 .b64 bar;
.shared .b32 got;
ld.param.u64 %q0, [image]; ld.param.u64 %q1, [jobs]; ld.param.u64 %q2, [lanes]; ld.param.u64 %q3, [out];
mov.u32 %r0, %tid.x; mov.u32 %r1, %ctaid.x; mov.u32 %r2, %cluster_ctarank;
shr.u32 %r3, %r1, {ctas - 1};
mul.wide.u32 %q4, %r3, {4 * JOB_WORDS}; add.u64 %q1, %q1, %q4;
setp.eq.u32 %p0, %r0, 0;
setp.lt.u32 %p1, %r0, 32;
@%p0 mbarrier.init.shared::cta.b64 [bar], 1;
@%p0 fence.mbarrier_init.release.cluster;
mul.wide.u32 %q5, %r2, {SHIFT_B}; add.u64 %q0, %q0, %q5;
mul.wide.u32 %q5, %r0, 16; add.u64 %q0, %q0, %q5;
mov.u32 %r4, shared; mad.lo.u32 %r5, %r0, 16, %r4; mov.u32 %r6, 0;
COPY:
ld.global.v4.u32 {{%r7, %r8, %r9, %r10}}, [%q0];
st.shared.v4.u32 [%r5], {{%r7, %r8, %r9, %r10}};
add.u64 %q0, %q0, 2048; add.u32 %r5, %r5, 2048; add.u32 %r6, %r6, 2048;
setp.lt.u32 %p3, %r6, {SHARED_B};
@%p3 bra COPY;
fence.proxy.async.shared::cta;
{cluster}
@%p1 tcgen05.alloc.cta_group::{ctas}.sync.aligned.shared::cta.b32 [got], 512;
{cluster}
ld.shared.u32 %r11, [got];
shr.u32 %r12, %r0, 5; shl.b32 %r12, %r12, 21; add.u32 %r12, %r12, %r11;
mad.lo.u32 %r13, %r2, 128, %r0; mul.wide.u32 %q6, %r13, 128; add.u64 %q2, %q2, %q6;
ld.global.u32 %r21, [%q2];
tcgen05.st.sync.aligned.32x32b.x128.b32 [%r12], {spread};
tcgen05.st.sync.aligned.32x32b.x128.b32 [%r12+128], {spread};
ld.global.v4.u32 {{%r60, %r61, %r62, %r63}}, [%q2+16];
ld.global.v4.u32 {{%r64, %r65, %r66, %r67}}, [%q2+32];
tcgen05.st.sync.aligned.32x32b.x8.b32 [%r12+{TENSOR_A}], {eight};
ld.global.v4.u32 {{%r60, %r61, %r62, %r63}}, [%q2+48];
ld.global.v4.u32 {{%r64, %r65, %r66, %r67}}, [%q2+64];
ld.global.v4.u32 {{%r68, %r69, %r70, %r71}}, [%q2+80];
ld.global.v4.u32 {{%r72, %r73, %r74, %r75}}, [%q2+96];
tcgen05.st.sync.aligned.32x32b.x16.b32 [%r12+{SCALES}], {sixteen};
tcgen05.wait::st.sync.aligned;
tcgen05.fence::before_thread_sync;
{cluster}
tcgen05.fence::after_thread_sync;
bfe.u32 %r14, %r4, 4, 14; cvt.u64.u32 %q7, %r14;
ld.global.u64 %q10, [%q1]; add.u64 %q10, %q10, %q7;
ld.global.u64 %q11, [%q1+8]; add.u64 %q11, %q11, %q7;
ld.global.u32 %r30, [%q1+16]; ld.global.u32 %r31, [%q1+20]; ld.global.u32 %r32, [%q1+24];
ld.global.u32 %r33, [%q1+28];
setp.ne.u32 %p2, %r32, 0;
shl.b32 %r33, %r33, 16;
add.u32 %r40, %r11, %r33;
add.u32 %r41, %r40, {TENSOR_A};
add.u32 %r42, %r11, {SCALES};
add.u32 %r43, %r11, {SCALES + 4};
ld.global.u32 %r52, [%q1+64]; add.u32 %r52, %r52, %r40; add.u32 %r52, %r52, {METADATA};
ld.global.v4.u32 {{%r44, %r45, %r46, %r47}}, [%q1+32];
ld.global.v4.u32 {{%r48, %r49, %r50, %r51}}, [%q1+48];
mov.u32 %r20, bar; mov.u16 %h0, 3;
setp.eq.and.u32 %p4, %r2, {issuer}, %p0;
@%p4 tcgen05.mma.{words} {operands};
@%p4 tcgen05.commit.cta_group::{ctas}.mbarrier::arrive::one.shared::cluster{commit};
W:
mbarrier.try_wait.parity.shared::cta.b64 %p3, [bar], 0;
@!%p3 bra W;
tcgen05.fence::after_thread_sync;
add.u32 %r15, %r12, %r31;
tcgen05.ld.sync.aligned.32x32b.x8.b32 {eight}, [%r15];
tcgen05.wait::ld.sync.aligned;
mad.lo.u32 %r16, %r1, 128, %r0; mul.wide.u32 %q8, %r16, 32; add.u64 %q3, %q3, %q8;
st.global.v4.u32 [%q3], {{%r60, %r61, %r62, %r63}};
st.global.v4.u32 [%q3+16], {{%r64, %r65, %r66, %r67}};
{cluster}
@%p1 tcgen05.dealloc.cta_group::{ctas}.sync.aligned.b32 %r11, 512;
ret;
}}
"""
