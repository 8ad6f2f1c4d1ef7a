/* SPDX-License-Identifier: Apache-2.0
 *
 * div, rcp, sqrt, rsqrt, ex2, lg2, sin, cos, tanh: which form, lane by lane.
 */
#include "compute_approximate.h"
#include "compute_float.h"
#include "compute_rows.h"

COMPUTE_1(ex2, u32, u32, compute_ex2(a))
COMPUTE_1(ex2_ftz, u32, u32, compute_ex2_ftz(a))
COMPUTE_1(lg2, u32, u32, compute_lg2(a))
COMPUTE_1(lg2_ftz, u32, u32, compute_lg2_ftz(a))
COMPUTE_1(rcp, u32, u32, compute_rcp(a))
COMPUTE_1(rcp_ftz, u32, u32, compute_rcp_ftz(a))
COMPUTE_1(rsqrt, u32, u32, compute_rsqrt(a))
COMPUTE_1(rsqrt_ftz, u32, u32, compute_rsqrt_ftz(a))
COMPUTE_1(root, u32, u32, compute_sqrt(a))
COMPUTE_1(root_ftz, u32, u32, compute_sqrt_ftz(a))
COMPUTE_1(sine, u32, u32, compute_sin(a))
COMPUTE_1(cosine, u32, u32, compute_cos(a))
COMPUTE_1(hyperbolic, u32, u32, compute_tanh(a))
COMPUTE_1(hyperbolic_f16, u32, u32, compute_tanh_half(0, a & 0xffff))
COMPUTE_1(hyperbolic_bf16, u32, u32, compute_tanh_half(1, a & 0xffff))
COMPUTE_1(hyperbolic_f16x2, u32, u32,
          compute_tanh_half(0, a & 0xffff) | compute_tanh_half(0, a >> 16) << 16)
COMPUTE_1(hyperbolic_bf16x2, u32, u32,
          compute_tanh_half(1, a & 0xffff) | compute_tanh_half(1, a >> 16) << 16)
COMPUTE_1(ex2_f16, u32, u32, compute_ex2_half(0, a & 0xffff))
COMPUTE_1(ex2_bf16, u32, u32, compute_ex2_half(1, a & 0xffff))
COMPUTE_1(ex2_f16x2, u32, u32, compute_ex2_half(0, a & 0xffff) | compute_ex2_half(0, a >> 16) << 16)
COMPUTE_1(ex2_bf16x2, u32, u32,
          compute_ex2_half(1, a & 0xffff) | compute_ex2_half(1, a >> 16) << 16)
COMPUTE_1(rcp_f64, u64, u64, (uint64_t)compute_rcp_upper((uint32_t)(a >> 32)) << 32)
COMPUTE_1(rsqrt_f64, u64, u64, (uint64_t)compute_rsqrt_upper((uint32_t)(a >> 32)) << 32)
COMPUTE_2(div_approx, u32, u32, compute_div_approx(a, b, 0))
COMPUTE_2(div_approx_ftz, u32, u32, compute_div_approx(a, b, 1))
COMPUTE_2(div_full, u32, u32, compute_div_full(a, b, 0))
COMPUTE_2(div_full_ftz, u32, u32, compute_div_full(a, b, 1))

enum {
    COMPUTE_APPROX_FTZ = COMPUTE_APPROX | COMPUTE_FTZ,
    COMPUTE_FULL_FTZ = COMPUTE_FULL | COMPUTE_FTZ,
};

static const compute_form FORMS[] = {
    COMPUTE_FORM(ex2, EX2, F32, APPROX) COMPUTE_FORM(ex2_ftz, EX2, F32, APPROX_FTZ) COMPUTE_FORM(
        ex2_f16, EX2, F16, APPROX) COMPUTE_FORM(ex2_f16x2, EX2, F16X2, APPROX)
        COMPUTE_FORM(ex2_bf16, EX2, BF16, APPROX_FTZ) COMPUTE_FORM(
            ex2_bf16x2, EX2, BF16X2, APPROX_FTZ) COMPUTE_FORM(lg2, LG2, F32, APPROX)
            COMPUTE_FORM(lg2_ftz, LG2, F32, APPROX_FTZ) COMPUTE_FORM(rcp, RCP, F32, APPROX)
                COMPUTE_FORM(rcp_ftz, RCP, F32, APPROX_FTZ) COMPUTE_FORM(
                    rcp_f64, RCP, F64, APPROX_FTZ) COMPUTE_FORM(rsqrt, RSQRT, F32, APPROX)
                    COMPUTE_FORM(rsqrt_ftz, RSQRT, F32, APPROX_FTZ) COMPUTE_FORM(
                        rsqrt_f64, RSQRT, F64, APPROX_FTZ) COMPUTE_FORM(root, SQRT, F32, APPROX)
                        COMPUTE_FORM(root_ftz, SQRT, F32, APPROX_FTZ) COMPUTE_FORM(
                            sine, SIN, F32, APPROX) COMPUTE_FORM(sine, SIN, F32, APPROX_FTZ)
                            COMPUTE_FORM(cosine, COS, F32, APPROX) COMPUTE_FORM(cosine, COS, F32,
                                                                                APPROX_FTZ)
                                COMPUTE_FORM(hyperbolic, TANH, F32, APPROX) COMPUTE_FORM(
                                    hyperbolic_f16, TANH, F16,
                                    APPROX) COMPUTE_FORM(hyperbolic_f16x2, TANH, F16X2, APPROX)
                                    COMPUTE_FORM(hyperbolic_bf16, TANH, BF16, APPROX)
                                        COMPUTE_FORM(hyperbolic_bf16x2, TANH, BF16X2, APPROX)
                                            COMPUTE_FORM(div_approx, DIV, F32, APPROX) COMPUTE_FORM(
                                                div_approx_ftz, DIV, F32, APPROX_FTZ)
                                                COMPUTE_FORM(div_full, DIV, F32, FULL)
                                                    COMPUTE_FORM(div_full_ftz, DIV, F32, FULL_FTZ)};

emu_run compute_choose_divide(const emu_instruction *in) {
    if (emu_type_of(in->type[0])->kind != 'F') {
        return compute_choose_integer(in);
    }
    if (in->rounding != EMU_NO_ROUNDING) {
        return in->type[0] == EMU_F32 || in->type[0] == EMU_F64 ? compute_choose_float(in) : NULL;
    }
    return compute_find(FORMS, sizeof FORMS / sizeof FORMS[0], in);
}
