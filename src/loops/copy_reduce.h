/* SPDX-License-Identifier: Apache-2.0
 *
 * Reductions on rows, as a template like copy_chunks.h, to be included after it. Each loop gives
 * what tma_reduce() gives, element for element, in C's default floating-point environment.
 * TMA_SUM_F16(g, s), the sum of vectors of 16-bit floats, is the instance's own.
 */

typedef float TMA_NAME(f32) __attribute__((vector_size(TMA_W), aligned(1), may_alias));
typedef double TMA_NAME(f64) __attribute__((vector_size(TMA_W), aligned(1), may_alias));
typedef int32_t TMA_NAME(s32) __attribute__((vector_size(TMA_W), aligned(1), may_alias));
typedef uint64_t TMA_NAME(u64) __attribute__((vector_size(TMA_W), aligned(1), may_alias));
typedef int64_t TMA_NAME(s64) __attribute__((vector_size(TMA_W), aligned(1), may_alias));
typedef uint16_t TMA_NAME(u16) __attribute__((vector_size(TMA_W), aligned(1), may_alias));

#define TMA_SELECT(type, mask, yes, no) (((type)(mask) & (yes)) | (~(type)(mask) & (no)))

TMA_INLINE TMA_NAME(vec) TMA_NAME(sum32)(TMA_NAME(vec) g, TMA_NAME(vec) s) {
    const TMA_NAME(f32) sum = (TMA_NAME(f32))g + (TMA_NAME(f32))s;
    return TMA_SELECT(TMA_NAME(vec), sum != sum, 0x7FFFFFFF, (TMA_NAME(vec))sum);
}

TMA_INLINE TMA_NAME(vec) TMA_NAME(flush32)(TMA_NAME(vec) v) {
    return TMA_SELECT(TMA_NAME(vec), (v & 0x7F800000) != 0, v, v & 0x80000000);
}

TMA_INLINE TMA_NAME(vec) TMA_NAME(sum32_ftz)(TMA_NAME(vec) g, TMA_NAME(vec) s) {
    return TMA_NAME(flush32)(TMA_NAME(sum32)(TMA_NAME(flush32)(g), TMA_NAME(flush32)(s)));
}

TMA_INLINE TMA_NAME(u64) TMA_NAME(sum64)(TMA_NAME(u64) g, TMA_NAME(u64) s) {
    const TMA_NAME(f64) fg = (TMA_NAME(f64))g;
    const TMA_NAME(f64) fs = (TMA_NAME(f64))s;
    const TMA_NAME(f64) sum = fg + fs;
    TMA_NAME(u64)
    r = TMA_SELECT(TMA_NAME(u64), sum != sum, UINT64_C(0xFFF8000000000000), (TMA_NAME(u64))sum);
    r = TMA_SELECT(TMA_NAME(u64), fg != fg, g, r);
    return TMA_SELECT(TMA_NAME(u64), fs != fs, s, r);
}

/* Two in a lane: the upper 16 bits of a 32-bit float are the bfloat16. */
TMA_INLINE TMA_NAME(vec) TMA_NAME(sum_bf16_upper)(TMA_NAME(vec) g, TMA_NAME(vec) s) {
    const TMA_NAME(f32) sum = (TMA_NAME(f32))g + (TMA_NAME(f32))s;
    const TMA_NAME(vec) bits = (TMA_NAME(vec))sum;
    const TMA_NAME(vec) rounded = bits + 0x7FFF + (bits >> 16 & 1);
    return TMA_SELECT(TMA_NAME(vec), sum != sum, 0x7FFF0000, rounded);
}

TMA_INLINE TMA_NAME(vec) TMA_NAME(sum_bf16)(TMA_NAME(vec) g, TMA_NAME(vec) s) {
    const TMA_NAME(vec) upper = TMA_NAME(sum_bf16_upper)(g & 0xFFFF0000, s & 0xFFFF0000);
    const TMA_NAME(vec) lower = TMA_NAME(sum_bf16_upper)(g << 16, s << 16);
    return (upper & 0xFFFF0000) | lower >> 16;
}

/* min and max of 16-bit floats: in order of sign and magnitude, NaN giving way, two NaN 0x7FFF. */
TMA_INLINE TMA_NAME(u16)
    TMA_NAME(pick16)(TMA_NAME(u16) g, TMA_NAME(u16) s, uint16_t infinity, int max) {
    const TMA_NAME(u16) zero = {0};
    const TMA_NAME(u16) key_g =
        g ^ (TMA_SELECT(TMA_NAME(u16), (g & 0x8000) != 0, zero + 0xFFFF, zero + 0x8000));
    const TMA_NAME(u16) key_s =
        s ^ (TMA_SELECT(TMA_NAME(u16), (s & 0x8000) != 0, zero + 0xFFFF, zero + 0x8000));
    const TMA_NAME(u16) nan_g = (TMA_NAME(u16))((g & 0x7FFF) > infinity);
    const TMA_NAME(u16) nan_s = (TMA_NAME(u16))((s & 0x7FFF) > infinity);
    TMA_NAME(u16) less = (TMA_NAME(u16))(key_s < key_g); /* s below g */
    less = max ? ~less : less;
    TMA_NAME(u16) r = TMA_SELECT(TMA_NAME(u16), less, s, g);
    r = TMA_SELECT(TMA_NAME(u16), nan_g, s, r);
    r = TMA_SELECT(TMA_NAME(u16), nan_s, g, r);
    return TMA_SELECT(TMA_NAME(u16), nan_g & nan_s, zero + 0x7FFF, r);
}

#define TMA_LESSER(type, a, b)  TMA_SELECT(type, (b) < (a), b, a)
#define TMA_GREATER(type, a, b) TMA_SELECT(type, (b) > (a), b, a)

/* Rows of whole vectors within a line (x: exclusive or of chunk numbers), or in a row. `turn` is
 * what x moves within a vector. */
TMA_INLINE void TMA_NAME(combine_as)(uint8_t *to, const uint8_t *line, uint32_t chunk, uint32_t x,
                                     uint32_t row_B,
                                     TMA_NAME(vec) (*one)(TMA_NAME(vec), TMA_NAME(vec)),
                                     uint32_t turn) {
    TMA_UNROLL_8
    for (uint32_t at = 0; at < row_B; at += TMA_W) {
        const uint32_t from = ((chunk + at / 16) ^ x) & ~(TMA_W / 16 - 1u);
        const TMA_NAME(vec) s =
            TMA_NAME(permute)(*(const TMA_NAME(vec) *)(line + (size_t)from * 16), turn, 0);
        TMA_NAME(vec) *const g = (TMA_NAME(vec) *)(to + at);
        *g = one(*g, s);
    }
}

/* With two lanes in a vector, what moves is a constant in each of two loops. */
TMA_INLINE void TMA_NAME(combine)(uint8_t *to, const uint8_t *line, uint32_t chunk, uint32_t x,
                                  uint32_t row_B,
                                  TMA_NAME(vec) (*one)(TMA_NAME(vec), TMA_NAME(vec))) {
#if TMA_W == 32
    if (x & 1) {
        TMA_NAME(combine_as)(to, line, chunk, x, row_B, one, 1);
    } else {
        TMA_NAME(combine_as)(to, line, chunk, x, row_B, one, 0);
    }
#else
    TMA_NAME(combine_as)(to, line, chunk, x, row_B, one, x);
#endif
}

TMA_INLINE void TMA_NAME(combine_lined)(const tma_job *job, uint32_t row_B,
                                        TMA_NAME(vec) (*one)(TMA_NAME(vec), TMA_NAME(vec))) {
    const tma_job j = *job;
    uint8_t *to = j.global;
    uint32_t address = j.address;
    const uint64_t ahead_B = TMA_AHEAD * j.step_B;
    const uint32_t near_end = j.rows > TMA_AHEAD ? j.rows - TMA_AHEAD : 0;
    for (uint32_t row = 0; row < j.rows; row++) {
        if (row < near_end) {
            __builtin_prefetch(to + ahead_B, 1);
            if (row_B > 64) {
                __builtin_prefetch(to + ahead_B + 64, 1);
            }
        }
        const uint8_t *const line =
            j.window + ((int64_t)(address & ~127u) - (int64_t)j.window_address);
        TMA_NAME(combine)
        (to, line, address >> 4 & 7, TMA_NAME(line_xor)(j.bits, address), row_B, one);
        to += j.step_B;
        address += j.pitch_B;
    }
}

#define TMA_ROW_MAX_B 2048 /* 256 elements of 8 bytes */

/* Any rows: out of the swizzle into a row of its own, then onto global memory. */
TMA_INLINE void TMA_NAME(combine_any)(const tma_job *job,
                                      TMA_NAME(vec) (*one)(TMA_NAME(vec), TMA_NAME(vec))) {
    _Alignas(64) uint8_t bytes[TMA_ROW_MAX_B];
    tma_job j = *job;
    const uint32_t whole_B = j.row_B / TMA_W * TMA_W;
    j.rows = 1;
    for (uint32_t row = 0; row < job->rows; row++) {
        uint8_t *const to = job->global + row * job->step_B;
        j.global = bytes;
        TMA_NAME(store)(&j);
        TMA_NAME(combine)(to, bytes, 0, 0, whole_B, one);
        if (whole_B < j.row_B) {
            TMA_NAME(vec) g = {0};
            TMA_NAME(vec) s = {0};
            for (uint32_t i = 0; i < j.row_B - whole_B; i += 16) {
                *(TMA_NAME(v16) *)((uint8_t *)&g + i) = *(TMA_NAME(v16) *)(to + whole_B + i);
                *(TMA_NAME(v16) *)((uint8_t *)&s + i) = *(TMA_NAME(v16) *)(bytes + whole_B + i);
            }
            g = one(g, s);
            for (uint32_t i = 0; i < j.row_B - whole_B; i += 16) {
                *(TMA_NAME(v16) *)(to + whole_B + i) = *(TMA_NAME(v16) *)((uint8_t *)&g + i);
            }
        }
        j.address += j.pitch_B;
    }
}

#define TMA_REDUCE(name, expression)                                                               \
    TMA_INLINE TMA_NAME(vec) TMA_NAME(name##_one)(TMA_NAME(vec) g, TMA_NAME(vec) s) {              \
        return (TMA_NAME(vec))(expression);                                                        \
    }                                                                                              \
    static void TMA_NAME(name)(const tma_job *job) {                                               \
        const int whole = job->lined && !job->bits.flip_mask;                                      \
        if (whole && job->row_B == 128) {                                                          \
            TMA_NAME(combine_lined)(job, 128, TMA_NAME(name##_one));                               \
        } else if (whole && job->row_B == 64 && !(job->address & 63)) {                            \
            TMA_NAME(combine_lined)(job, 64, TMA_NAME(name##_one));                                \
        } else {                                                                                   \
            TMA_NAME(combine_any)(job, TMA_NAME(name##_one));                                      \
        }                                                                                          \
    }
#define TMA_REDUCE_AS(name, type, expression_of_g_and_s)                                           \
    TMA_INLINE type TMA_NAME(name##_as)(type g, type s) {                                          \
        return (type)(expression_of_g_and_s);                                                      \
    }                                                                                              \
    TMA_REDUCE(name, TMA_NAME(name##_as)((type)g, (type)s))

TMA_REDUCE(add_u32, g + s)
TMA_REDUCE_AS(add_u64, TMA_NAME(u64), g + s)
TMA_REDUCE(add_f32, TMA_NAME(sum32)(g, s))
TMA_REDUCE(add_f32_ftz, TMA_NAME(sum32_ftz)(g, s))
TMA_REDUCE_AS(add_f64, TMA_NAME(u64), TMA_NAME(sum64)(g, s))
TMA_REDUCE(add_bf16, TMA_NAME(sum_bf16)(g, s))
TMA_REDUCE(add_f16, TMA_SUM_F16(g, s))
TMA_REDUCE(min_u32, TMA_LESSER(TMA_NAME(vec), g, s))
TMA_REDUCE_AS(min_s32, TMA_NAME(s32), TMA_LESSER(TMA_NAME(s32), g, s))
TMA_REDUCE_AS(min_u64, TMA_NAME(u64), TMA_LESSER(TMA_NAME(u64), g, s))
TMA_REDUCE_AS(min_s64, TMA_NAME(s64), TMA_LESSER(TMA_NAME(s64), g, s))
TMA_REDUCE_AS(min_f16, TMA_NAME(u16), TMA_NAME(pick16)(g, s, 0x7C00, 0))
TMA_REDUCE_AS(min_bf16, TMA_NAME(u16), TMA_NAME(pick16)(g, s, 0x7F80, 0))
TMA_REDUCE(max_u32, TMA_GREATER(TMA_NAME(vec), g, s))
TMA_REDUCE_AS(max_s32, TMA_NAME(s32), TMA_GREATER(TMA_NAME(s32), g, s))
TMA_REDUCE_AS(max_u64, TMA_NAME(u64), TMA_GREATER(TMA_NAME(u64), g, s))
TMA_REDUCE_AS(max_s64, TMA_NAME(s64), TMA_GREATER(TMA_NAME(s64), g, s))
TMA_REDUCE_AS(max_f16, TMA_NAME(u16), TMA_NAME(pick16)(g, s, 0x7C00, 1))
TMA_REDUCE_AS(max_bf16, TMA_NAME(u16), TMA_NAME(pick16)(g, s, 0x7F80, 1))
TMA_REDUCE(inc_u32, (g + 1) & (TMA_NAME(vec))(g < s))
TMA_REDUCE(dec_u32, TMA_SELECT(TMA_NAME(vec), (g == 0) | (g > s), s, g - 1))
TMA_REDUCE(and_bits, g &s)
TMA_REDUCE(or_bits, g | s)
TMA_REDUCE(xor_bits, g ^ s)

typedef void (*TMA_NAME(reduction))(const tma_job *job);

static TMA_NAME(reduction) TMA_NAME(reduction_of)(uint32_t op, uint32_t dtype) {
    static const TMA_NAME(reduction) adds[] = {
        [TMA_DTYPE_UINT32] = TMA_NAME(add_u32),    [TMA_DTYPE_INT32] = TMA_NAME(add_u32),
        [TMA_DTYPE_UINT64] = TMA_NAME(add_u64),    [TMA_DTYPE_FLOAT16] = TMA_NAME(add_f16),
        [TMA_DTYPE_FLOAT32] = TMA_NAME(add_f32),   [TMA_DTYPE_FLOAT64] = TMA_NAME(add_f64),
        [TMA_DTYPE_BFLOAT16] = TMA_NAME(add_bf16), [TMA_DTYPE_FLOAT32_FTZ] = TMA_NAME(add_f32_ftz),
        [TMA_DTYPE_TFLOAT32] = TMA_NAME(add_f32),  [TMA_DTYPE_TFLOAT32_FTZ] = TMA_NAME(add_f32_ftz),
    };
    static const TMA_NAME(reduction) picks[2][TMA_DTYPE_BFLOAT16 + 1] = {
        {[TMA_DTYPE_UINT32] = TMA_NAME(min_u32),
         [TMA_DTYPE_INT32] = TMA_NAME(min_s32),
         [TMA_DTYPE_UINT64] = TMA_NAME(min_u64),
         [TMA_DTYPE_INT64] = TMA_NAME(min_s64),
         [TMA_DTYPE_FLOAT16] = TMA_NAME(min_f16),
         [TMA_DTYPE_BFLOAT16] = TMA_NAME(min_bf16)},
        {[TMA_DTYPE_UINT32] = TMA_NAME(max_u32),
         [TMA_DTYPE_INT32] = TMA_NAME(max_s32),
         [TMA_DTYPE_UINT64] = TMA_NAME(max_u64),
         [TMA_DTYPE_INT64] = TMA_NAME(max_s64),
         [TMA_DTYPE_FLOAT16] = TMA_NAME(max_f16),
         [TMA_DTYPE_BFLOAT16] = TMA_NAME(max_bf16)},
    };
    switch (op) { /* the plan has seen that the pair exists */
    case TMA_OP_ADD:
        return adds[dtype];
    case TMA_OP_MIN:
    case TMA_OP_MAX:
        return picks[op == TMA_OP_MAX][dtype];
    case TMA_OP_INC:
        return TMA_NAME(inc_u32);
    case TMA_OP_DEC:
        return TMA_NAME(dec_u32);
    case TMA_OP_AND:
        return TMA_NAME(and_bits);
    case TMA_OP_OR:
        return TMA_NAME(or_bits);
    default:
        return TMA_NAME(xor_bits);
    }
}

static void TMA_NAME(reduce)(const tma_job *job) {
    TMA_NAME(reduction_of)(job->op, job->dtype)(job);
}
