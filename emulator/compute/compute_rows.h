/* SPDX-License-Identifier: Apache-2.0
 *
 * Executors of one line each: COMPUTE_n(name, kind of a and b, kind of the result, expression) is a
 * loop over all lanes that a compiler turns into vectors. Lanes outside of the mask are computed
 * too and thrown away, so an expression has to be defined for any operands.
 *
 * A kind says how lanes lie: u16 in 32 bits each; u16x2 as 64 lanes, u8x4 as 128, since
 * parts do not meet.
 */
#ifndef EMULATOR_COMPUTE_ROWS_H
#define EMULATOR_COMPUTE_ROWS_H

#include "compute.h"

typedef uint16_t __attribute__((may_alias)) compute_u16;
typedef int16_t __attribute__((may_alias)) compute_s16;
typedef uint8_t __attribute__((may_alias)) compute_u8;
typedef int8_t __attribute__((may_alias)) compute_s8;

/* kind: lies as, is, how many; a result is, and is put by */
#define COMPUTE_AS_u16    compute_u32
#define COMPUTE_AS_s16    compute_u32
#define COMPUTE_AS_u32    compute_u32
#define COMPUTE_AS_s32    compute_s32
#define COMPUTE_AS_u64    compute_u64
#define COMPUTE_AS_s64    compute_s64
#define COMPUTE_AS_u16x2  compute_u16
#define COMPUTE_AS_s16x2  compute_s16
#define COMPUTE_AS_u8x4   compute_u8
#define COMPUTE_AS_s8x4   compute_s8
#define COMPUTE_AS_f32    compute_f32
#define COMPUTE_AS_f32x2  compute_f32
#define COMPUTE_AS_f64    compute_f64
#define COMPUTE_IS_u16    uint16_t
#define COMPUTE_IS_s16    int16_t
#define COMPUTE_IS_u32    uint32_t
#define COMPUTE_IS_s32    int32_t
#define COMPUTE_IS_u64    uint64_t
#define COMPUTE_IS_s64    int64_t
#define COMPUTE_IS_u16x2  uint16_t
#define COMPUTE_IS_s16x2  int16_t
#define COMPUTE_IS_u8x4   uint8_t
#define COMPUTE_IS_s8x4   int8_t
#define COMPUTE_IS_f32    float
#define COMPUTE_IS_f32x2  float
#define COMPUTE_IS_f64    double
#define COMPUTE_OF_u16    EMU_LANES
#define COMPUTE_OF_s16    EMU_LANES
#define COMPUTE_OF_u32    EMU_LANES
#define COMPUTE_OF_s32    EMU_LANES
#define COMPUTE_OF_u64    EMU_LANES
#define COMPUTE_OF_s64    EMU_LANES
#define COMPUTE_OF_u16x2  (2 * EMU_LANES)
#define COMPUTE_OF_s16x2  (2 * EMU_LANES)
#define COMPUTE_OF_u8x4   (4 * EMU_LANES)
#define COMPUTE_OF_s8x4   (4 * EMU_LANES)
#define COMPUTE_OF_f32    EMU_LANES
#define COMPUTE_OF_f32x2  (2 * EMU_LANES)
#define COMPUTE_OF_f64    EMU_LANES
#define COMPUTE_CUT_u16   (uint32_t)(uint16_t)
#define COMPUTE_CUT_s16   (uint32_t)(uint16_t)
#define COMPUTE_CUT_u32   (uint32_t)
#define COMPUTE_CUT_s32   (int32_t)
#define COMPUTE_CUT_u64   (uint64_t)
#define COMPUTE_CUT_s64   (int64_t)
#define COMPUTE_CUT_u16x2 (uint16_t)
#define COMPUTE_CUT_s16x2 (int16_t)
#define COMPUTE_CUT_u8x4  (uint8_t)
#define COMPUTE_CUT_s8x4  (int8_t)
#define COMPUTE_CUT_f32
#define COMPUTE_CUT_f32x2
#define COMPUTE_CUT_f64
#define COMPUTE_PUT_u16   compute_put
#define COMPUTE_PUT_s16   compute_put
#define COMPUTE_PUT_u32   compute_put
#define COMPUTE_PUT_s32   compute_put
#define COMPUTE_PUT_u64   compute_put_wide
#define COMPUTE_PUT_s64   compute_put_wide
#define COMPUTE_PUT_u16x2 compute_put
#define COMPUTE_PUT_s16x2 compute_put
#define COMPUTE_PUT_u8x4  compute_put
#define COMPUTE_PUT_s8x4  compute_put
#define COMPUTE_PUT_f32   compute_put
#define COMPUTE_PUT_f32x2 compute_put_wide
#define COMPUTE_PUT_f64   compute_put_wide

/* Where results go: into their register at once where all lanes run and lie as operands do, else
 * over an array. A lane reads its operands before it is written, so that lanes do not depend on
 * each other though registers may be the same: gcc is told so. */
#if defined(__GNUC__) && !defined(__clang__)
#define COMPUTE_APART    _Pragma("GCC ivdep")
#define COMPUTE_IS_APART 1
#else
#define COMPUTE_APART
#define COMPUTE_IS_APART 0
#endif
#define COMPUTE_RESULT(from, to)                                                                   \
    _Alignas(16) COMPUTE_AS_##to own[COMPUTE_OF_##to];                                             \
    COMPUTE_AS_##to *const r = COMPUTE_IS_APART && mask == UINT32_MAX &&                           \
                                       in->operand[0].kind == EMU_REGISTER &&                      \
                                       sizeof(COMPUTE_AS_##from) == sizeof(own[0]) &&              \
                                       COMPUTE_OF_##from == COMPUTE_OF_##to                        \
                                   ? compute_lanes(w, in->operand[0].slot)                         \
                                   : own
#define COMPUTE_RETURN(to)                                                                         \
    if (r == own) {                                                                                \
        COMPUTE_PUT_##to(w, &in->operand[0], mask, r);                                             \
    }                                                                                              \
    return EMU_NEXT

#define COMPUTE_1(name, kind, out, expression)                                                     \
    COMPUTE_LOOP(name) {                                                                           \
        const COMPUTE_AS_##kind *a_of = compute_in(w, in, 1);                                      \
        COMPUTE_RESULT(kind, out);                                                                 \
        COMPUTE_APART for (uint32_t l = 0; l < COMPUTE_OF_##out; l++) {                            \
            const COMPUTE_IS_##kind a = (COMPUTE_IS_##kind)a_of[l];                                \
            r[l] = COMPUTE_CUT_##out(expression);                                                  \
        }                                                                                          \
        COMPUTE_RETURN(out);                                                                       \
    }

#define COMPUTE_2(name, kind, out, expression)                                                     \
    COMPUTE_LOOP(name) {                                                                           \
        const COMPUTE_AS_##kind *a_of = compute_in(w, in, 1);                                      \
        const COMPUTE_AS_##kind *b_of = compute_in(w, in, 2);                                      \
        COMPUTE_RESULT(kind, out);                                                                 \
        COMPUTE_APART for (uint32_t l = 0; l < COMPUTE_OF_##out; l++) {                            \
            const COMPUTE_IS_##kind a = (COMPUTE_IS_##kind)a_of[l];                                \
            const COMPUTE_IS_##kind b = (COMPUTE_IS_##kind)b_of[l];                                \
            r[l] = COMPUTE_CUT_##out(expression);                                                  \
        }                                                                                          \
        COMPUTE_RETURN(out);                                                                       \
    }

/* c is of the result's kind */
#define COMPUTE_3(name, kind, out, expression)                                                     \
    COMPUTE_LOOP(name) {                                                                           \
        const COMPUTE_AS_##kind *a_of = compute_in(w, in, 1);                                      \
        const COMPUTE_AS_##kind *b_of = compute_in(w, in, 2);                                      \
        const COMPUTE_AS_##out *c_of = compute_in(w, in, 3);                                       \
        COMPUTE_RESULT(kind, out);                                                                 \
        COMPUTE_APART for (uint32_t l = 0; l < COMPUTE_OF_##out; l++) {                            \
            const COMPUTE_IS_##kind a = (COMPUTE_IS_##kind)a_of[l];                                \
            const COMPUTE_IS_##kind b = (COMPUTE_IS_##kind)b_of[l];                                \
            const COMPUTE_IS_##out c = (COMPUTE_IS_##out)c_of[l];                                  \
            r[l] = COMPUTE_CUT_##out(expression);                                                  \
        }                                                                                          \
        COMPUTE_RETURN(out);                                                                       \
    }

/* a and shift or field positions n (operand 2) and m (3), 32 bits each */
/* Where the amount is a constant, lanes shift alike: that is a loop of its own, in vectors. */
#define COMPUTE_SHIFTED(kind, out, amount, expression)                                             \
    COMPUTE_APART for (uint32_t l = 0; l < COMPUTE_OF_##out; l++) {                                \
        const COMPUTE_IS_##kind a = (COMPUTE_IS_##kind)a_of[l];                                    \
        const uint32_t n = (amount);                                                               \
        r[l] = COMPUTE_CUT_##out(expression);                                                      \
    }
#define COMPUTE_AMOUNT(name, kind, out, expression)                                                \
    COMPUTE_LOOP(name) {                                                                           \
        uint32_t amounts[EMU_LANES];                                                               \
        const COMPUTE_AS_##kind *a_of = compute_in(w, in, 1);                                      \
        const compute_u32 *n_of = compute_amounts(w, &in->operand[2], amounts);                    \
        COMPUTE_RESULT(kind, out);                                                                 \
        if (in->operand[2].slot < 0) {                                                             \
            const uint32_t alike = n_of[0];                                                        \
            COMPUTE_SHIFTED(kind, out, alike, expression)                                          \
        } else {                                                                                   \
            COMPUTE_SHIFTED(kind, out, n_of[l], expression)                                        \
        }                                                                                          \
        COMPUTE_RETURN(out);                                                                       \
    }

#define COMPUTE_FORM(name, op, type, words)                                                        \
    {EMU_OP_##op, COMPUTE_TYPE_##type, COMPUTE_##words, COMPUTE_RUNS(name)},

#endif
