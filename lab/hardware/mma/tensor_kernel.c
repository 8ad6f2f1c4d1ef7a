/* SPDX-License-Identifier: Apache-2.0
 *
 * The kernel of the part tcgen05: shared and tensor memory filled, one tcgen05.mma, columns of D
 * stored. A GPU's driver compiles it, and the emulator executes it.
 */
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include "tensor_forms.h"

#define COLUMN_A        288 /* columns of tensor memory: D before them */
#define COLUMN_SCALES   320
#define COLUMN_METADATA 332
#define RESULT          160 /* registers that nothing else writes */
#define AT(member)      ((unsigned)offsetof(tensor_input, member))
#define LANE_AT(member) ((unsigned)offsetof(tensor_lane_words, member))
#define JOB_AT(member)  ((unsigned)offsetof(tensor_job, member))

__attribute__((format(printf, 2, 3))) static void add(char *out, const char *words, ...) {
    va_list more;
    const size_t length = strlen(out);
    va_start(more, words);
    (void)vsnprintf(out + length, TENSOR_TEXT_B - length, words, more);
    va_end(more);
}

static void add_registers(char *out, unsigned first, unsigned count, unsigned step) {
    for (unsigned i = 0; i < count; i++) {
        add(out, "%s%%r%u", i ? ", " : "{", first + i * step);
    }
    add(out, "}");
}

/* Where the CTAs of a job meet. */
static const char *meeting(const tensor_form *f) {
    return f->ctas == 2 ? "barrier.cluster.arrive.aligned;\nbarrier.cluster.wait.aligned;\n"
                        : "bar.sync 0;\n";
}

static void add_begin(char *out, const tensor_form *f, const tma_target *target) {
    add(out,
        ".version %s\n.target sm_%ua\n.address_size 64\n"
        ".visible .entry k(.param .u64 in, .param .u64 out)\n"
        ".reqntid 128, 1, 1\n.reqnctapercluster %u, 1, 1\n{\n",
        target->sm == 110 ? "9.0" : "8.8", (unsigned)target->sm, (unsigned)f->ctas);
    add(out,
        ".reg .b32 %%r<200>; .reg .b64 %%q<20>; .reg .b16 %%h<2>; .reg .pred %%p<6>;\n"
        ".shared .align 1024 .b8 shared[%u];\n.shared .align 8 .b64 bar;\n.shared .b32 got;\n"
        "ld.param.u64 %%q0, [in]; ld.param.u64 %%q3, [out];\n"
        "mov.u32 %%r0, %%tid.x; mov.u32 %%r1, %%ctaid.x; mov.u32 %%r2, %%cluster_ctarank;\n",
        TENSOR_SHARED);
    add(out, "shr.u32 %%r3, %%r1, %u; mul.wide.u32 %%q4, %%r3, %u;\n", f->ctas - 1u,
        (unsigned)sizeof(tensor_job));
    add(out, "add.u64 %%q1, %%q0, %%q4; add.u64 %%q1, %%q1, %u;\n", AT(job));
    add(out, "mad.lo.u32 %%r13, %%r2, 128, %%r0; mul.wide.u32 %%q6, %%r13, %u;\n",
        (unsigned)sizeof(tensor_lane_words));
    add(out,
        "add.u64 %%q2, %%q0, %%q6; add.u64 %%q2, %%q2, %u;\n"
        "setp.eq.u32 %%p0, %%r0, 0; setp.lt.u32 %%p1, %%r0, 32;\n"
        "@%%p0 mbarrier.init.shared::cta.b64 [bar], 1;\n"
        "@%%p0 fence.mbarrier_init.release.cluster;\n",
        AT(lane));
}

static void add_shared(char *out) {
    add(out,
        "mul.wide.u32 %%q5, %%r2, %u; add.u64 %%q5, %%q0, %%q5;\n"
        "mul.wide.u32 %%q6, %%r0, 16; add.u64 %%q5, %%q5, %%q6;\n"
        "mov.u32 %%r4, shared; mad.lo.u32 %%r5, %%r0, 16, %%r4; mov.u32 %%r6, 0;\nCOPY:\n"
        "ld.global.v4.u32 {%%r7, %%r8, %%r9, %%r10}, [%%q5];\n"
        "st.shared.v4.u32 [%%r5], {%%r7, %%r8, %%r9, %%r10};\n"
        "add.u64 %%q5, %%q5, 2048; add.u32 %%r5, %%r5, 2048; add.u32 %%r6, %%r6, 2048;\n"
        "setp.lt.u32 %%p3, %%r6, %u;\n@%%p3 bra COPY;\nfence.proxy.async.shared::cta;\n",
        TENSOR_SHIFT_B, TENSOR_SHARED);
}

static void add_words(char *out, unsigned first, unsigned count, unsigned from_B, unsigned column) {
    for (unsigned i = 0; i < count; i += 4) {
        add(out, "ld.global.v4.u32 {%%r%u, %%r%u, %%r%u, %%r%u}, [%%q2+%u];\n", first + i,
            first + i + 1, first + i + 2, first + i + 3, from_B + 4 * i);
    }
    add(out, "tcgen05.st.sync.aligned.32x32b.x%u.b32 [%%r12+%u], ", count, column);
    add_registers(out, first, count, 1);
    add(out, ";\n");
}

static void add_tensor(char *out, const tensor_form *f) {
    add(out, "%s@%%p1 tcgen05.alloc.cta_group::%u.sync.aligned.shared::cta.b32 [got], 512;\n%s",
        meeting(f), (unsigned)f->ctas, meeting(f));
    add(out,
        "ld.shared.u32 %%r11, [got];\nshr.u32 %%r12, %%r0, 5; shl.b32 %%r12, %%r12, 21; "
        "add.u32 %%r12, %%r12, %%r11;\nld.global.u32 %%r21, [%%q2+%u];\n",
        LANE_AT(d));
    for (unsigned column = 0; column < 256; column += 128) {
        add(out, "tcgen05.st.sync.aligned.32x32b.x128.b32 [%%r12+%u], ", column);
        add_registers(out, 21, 128, 0);
        add(out, ";\n");
    }
    add_words(out, 60, 8, LANE_AT(a), COLUMN_A);
    add_words(out, 60, 16, LANE_AT(scale_a), COLUMN_SCALES);
    add(out,
        "tcgen05.wait::st.sync.aligned;\ntcgen05.fence::before_thread_sync;\n%s"
        "tcgen05.fence::after_thread_sync;\n",
        meeting(f));
}

static void add_operands(char *out) {
    add(out,
        "bfe.u32 %%r14, %%r4, 4, 14; cvt.u64.u32 %%q7, %%r14;\n"
        "ld.global.u64 %%q10, [%%q1+%u]; add.u64 %%q10, %%q10, %%q7;\n"
        "ld.global.u64 %%q11, [%%q1+%u]; add.u64 %%q11, %%q11, %%q7;\n",
        JOB_AT(a), JOB_AT(b));
    add(out,
        "ld.global.u32 %%r30, [%%q1+%u]; ld.global.u32 %%r31, [%%q1+%u];\n"
        "ld.global.u32 %%r32, [%%q1+%u]; ld.global.u32 %%r33, [%%q1+%u];\n"
        "ld.global.u32 %%r34, [%%q1+%u];\n",
        JOB_AT(idesc), JOB_AT(column), JOB_AT(adds), JOB_AT(lane), JOB_AT(metadata));
    add(out,
        "setp.ne.u32 %%p2, %%r32, 0;\nshl.b32 %%r33, %%r33, 16; add.u32 %%r40, %%r11, %%r33;\n"
        "add.u32 %%r41, %%r40, %u; add.u32 %%r42, %%r11, %u; add.u32 %%r43, %%r11, %u;\n"
        "add.u32 %%r52, %%r34, %%r40; add.u32 %%r52, %%r52, %u;\n",
        COLUMN_A, COLUMN_SCALES, COLUMN_SCALES + 4, COLUMN_METADATA);
    for (unsigned i = 0; i < 4 * TENSOR_CTAS; i++) {
        add(out, "ld.global.u32 %%r%u, [%%q1+%u];\n", 44 + i, JOB_AT(disabled) + 4 * i);
    }
}

static void add_mma(char *out, const tensor_case *c) {
    const tensor_form *f = &c->form;
    char words[80];
    tensor_form_words(words, sizeof(words), f);
    add(out, "mov.u32 %%r20, bar; mov.u16 %%h0, 3;\nsetp.eq.and.u32 %%p4, %%r2, %u, %%p0;\n",
        (unsigned)c->issuer);
    add(out, "@%%p4 tcgen05.mma.%s [%%r40], %s, %%q11, %s%%r30, ", words,
        f->from_tensor ? "[%r41]" : "%q10", f->is_sparse ? "[%r52], " : "");
    if (f->scales) {
        add(out, "[%%r42], [%%r43], ");
    } else if (!f->is_ws) {
        add_registers(out, 44, 4u * f->ctas, 1);
        add(out, ", ");
    }
    add(out, "%%p2");
    if (c->scale_d) {
        add(out, ", %u", (unsigned)c->scale_d);
    }
    add(out, ";\n@%%p4 tcgen05.commit.cta_group::%u.mbarrier::arrive::one.shared::cluster%s;\n",
        (unsigned)f->ctas, f->ctas == 2 ? ".multicast::cluster.b64 [%r20], %h0" : ".b64 [%r20]");
    add(out, "W:\nmbarrier.try_wait.parity.shared::cta.b64 %%p3, [bar], 0;\n@!%%p3 bra W;\n"
             "tcgen05.fence::after_thread_sync;\n");
}

static void add_end(char *out, const tensor_form *f) {
    add(out, "add.u32 %%r15, %%r12, %%r31;\ntcgen05.ld.sync.aligned.32x32b.x%u.b32 ",
        (unsigned)TENSOR_CELLS);
    add_registers(out, RESULT, TENSOR_CELLS, 1);
    add(out,
        ", [%%r15];\ntcgen05.wait::ld.sync.aligned;\nmul.lo.u32 %%r16, %%r3, %u; "
        "add.u32 %%r16, %%r16, %%r2; mad.lo.u32 %%r16, %%r16, 128, %%r0;\n"
        "mul.wide.u32 %%q8, %%r16, %u; add.u64 %%q3, %%q3, %%q8;\n",
        (unsigned)TENSOR_CTAS, 4u * TENSOR_CELLS);
    for (unsigned i = 0; i < TENSOR_CELLS; i++) {
        add(out, "st.global.u32 [%%q3+%u], %%r%u;\n", 4 * i, RESULT + i);
    }
    add(out, "%s@%%p1 tcgen05.dealloc.cta_group::%u.sync.aligned.b32 %%r11, 512;\nret;\n}\n",
        meeting(f), (unsigned)f->ctas);
}

void tensor_kernel(char out[TENSOR_TEXT_B], const tensor_case *c, const tma_target *target) {
    out[0] = 0;
    add_begin(out, &c->form, target);
    add_shared(out);
    add_tensor(out, &c->form);
    add_operands(out);
    add_mma(out, c);
    add_end(out, &c->form);
}
