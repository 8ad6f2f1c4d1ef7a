/* SPDX-License-Identifier: Apache-2.0
 *
 * Reductions on rows, as a template like copy_chunks.h, to be included after it. Each loop gives
 * what tma_reduce() gives, element for element, in C's default floating-point environment.
 */

typedef float TMA_NAME(f32) __attribute__((vector_size(TMA_W), aligned(1), may_alias));
typedef double TMA_NAME(f64) __attribute__((vector_size(TMA_W), aligned(1), may_alias));
typedef int32_t TMA_NAME(s32) __attribute__((vector_size(TMA_W), aligned(1), may_alias));
typedef uint64_t TMA_NAME(u64) __attribute__((vector_size(TMA_W), aligned(1), may_alias));
typedef int64_t TMA_NAME(s64) __attribute__((vector_size(TMA_W), aligned(1), may_alias));
typedef uint16_t TMA_NAME(u16) __attribute__((vector_size(TMA_W), aligned(1), may_alias));
typedef uint16_t TMA_NAME(half) __attribute__((vector_size(TMA_W / 2), aligned(1), may_alias));

/* A loop over n bytes (a multiple of 16) of two rows: g = expression of g and s. */
#define TMA_LOOP(name, type, expression)                                                           \
    static inline type TMA_NAME(name##_one)(type g, type s) {                                      \
        return expression;                                                                         \
    }                                                                                              \
    static void TMA_NAME(name)(uint8_t * to, const uint8_t *from, uint32_t n) {                    \
        uint32_t i = 0;                                                                            \
        for (; i + sizeof(type) <= n; i += sizeof(type)) {                                         \
            *(type *)(to + i) =                                                                    \
                TMA_NAME(name##_one)(*(type *)(to + i), *(const type *)(from + i));                \
        }                                                                                          \
        if (i < n) {                                                                               \
            type g = {0};                                                                          \
            type s = {0};                                                                          \
            memcpy(&g, to + i, n - i);                                                             \
            memcpy(&s, from + i, n - i);                                                           \
            g = TMA_NAME(name##_one)(g, s);                                                        \
            memcpy(to + i, &g, n - i);                                                             \
        }                                                                                          \
    }

#define TMA_SELECT(type, mask, yes, no) (((type)(mask) & (yes)) | (~(type)(mask) & (no)))

static inline TMA_NAME(vec) TMA_NAME(sum32)(TMA_NAME(vec) g, TMA_NAME(vec) s) {
    const TMA_NAME(f32) sum = (TMA_NAME(f32))g + (TMA_NAME(f32))s;
    return TMA_SELECT(TMA_NAME(vec), sum != sum, 0x7FFFFFFF, (TMA_NAME(vec))sum);
}

static inline TMA_NAME(vec) TMA_NAME(flush32)(TMA_NAME(vec) v) {
    return TMA_SELECT(TMA_NAME(vec), (v & 0x7F800000) != 0, v, v & 0x80000000);
}

static inline TMA_NAME(vec) TMA_NAME(sum32_ftz)(TMA_NAME(vec) g, TMA_NAME(vec) s) {
    return TMA_NAME(flush32)(TMA_NAME(sum32)(TMA_NAME(flush32)(g), TMA_NAME(flush32)(s)));
}

static inline TMA_NAME(u64) TMA_NAME(sum64)(TMA_NAME(u64) g, TMA_NAME(u64) s) {
    const TMA_NAME(f64) fg = (TMA_NAME(f64))g;
    const TMA_NAME(f64) fs = (TMA_NAME(f64))s;
    const TMA_NAME(f64) sum = fg + fs;
    TMA_NAME(u64)
    r = TMA_SELECT(TMA_NAME(u64), sum != sum, UINT64_C(0xFFF8000000000000), (TMA_NAME(u64))sum);
    r = TMA_SELECT(TMA_NAME(u64), fg != fg, g, r);
    return TMA_SELECT(TMA_NAME(u64), fs != fs, s, r);
}

static inline TMA_NAME(half) TMA_NAME(sum_bf16)(TMA_NAME(half) g, TMA_NAME(half) s) {
    const TMA_NAME(vec) a = __builtin_convertvector(g, TMA_NAME(vec)) << 16;
    const TMA_NAME(vec) b = __builtin_convertvector(s, TMA_NAME(vec)) << 16;
    const TMA_NAME(f32) sum = (TMA_NAME(f32))a + (TMA_NAME(f32))b;
    const TMA_NAME(vec) bits = (TMA_NAME(vec))sum;
    const TMA_NAME(vec) rounded = (bits + 0x7FFF + (bits >> 16 & 1)) >> 16;
    return __builtin_convertvector(TMA_SELECT(TMA_NAME(vec), sum != sum, 0x7FFF, rounded),
                                   TMA_NAME(half));
}

/* min and max of 16-bit floats: in order of sign and magnitude, NaN giving way, two NaN 0x7FFF. */
static inline TMA_NAME(u16)
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

TMA_LOOP(add_u32, TMA_NAME(vec), g + s)
TMA_LOOP(add_u64, TMA_NAME(u64), g + s)
TMA_LOOP(add_f32, TMA_NAME(vec), TMA_NAME(sum32)(g, s))
TMA_LOOP(add_f32_ftz, TMA_NAME(vec), TMA_NAME(sum32_ftz)(g, s))
TMA_LOOP(add_f64, TMA_NAME(u64), TMA_NAME(sum64)(g, s))
TMA_LOOP(add_bf16, TMA_NAME(half), TMA_NAME(sum_bf16)(g, s))
TMA_LOOP(min_u32, TMA_NAME(vec), TMA_LESSER(TMA_NAME(vec), g, s))
TMA_LOOP(min_s32, TMA_NAME(s32), TMA_LESSER(TMA_NAME(s32), g, s))
TMA_LOOP(min_u64, TMA_NAME(u64), TMA_LESSER(TMA_NAME(u64), g, s))
TMA_LOOP(min_s64, TMA_NAME(s64), TMA_LESSER(TMA_NAME(s64), g, s))
TMA_LOOP(min_f16, TMA_NAME(u16), TMA_NAME(pick16)(g, s, 0x7C00, 0))
TMA_LOOP(min_bf16, TMA_NAME(u16), TMA_NAME(pick16)(g, s, 0x7F80, 0))
TMA_LOOP(max_u32, TMA_NAME(vec), TMA_GREATER(TMA_NAME(vec), g, s))
TMA_LOOP(max_s32, TMA_NAME(s32), TMA_GREATER(TMA_NAME(s32), g, s))
TMA_LOOP(max_u64, TMA_NAME(u64), TMA_GREATER(TMA_NAME(u64), g, s))
TMA_LOOP(max_s64, TMA_NAME(s64), TMA_GREATER(TMA_NAME(s64), g, s))
TMA_LOOP(max_f16, TMA_NAME(u16), TMA_NAME(pick16)(g, s, 0x7C00, 1))
TMA_LOOP(max_bf16, TMA_NAME(u16), TMA_NAME(pick16)(g, s, 0x7F80, 1))
TMA_LOOP(inc_u32, TMA_NAME(vec), (g + 1) & (TMA_NAME(vec))(g < s))
TMA_LOOP(dec_u32, TMA_NAME(vec), TMA_SELECT(TMA_NAME(vec), (g == 0) | (g > s), s, g - 1))
TMA_LOOP(and_bits, TMA_NAME(vec), g &s)
TMA_LOOP(or_bits, TMA_NAME(vec), g | s)
TMA_LOOP(xor_bits, TMA_NAME(vec), g ^ s)

#ifdef TMA_SUM_F16 /* conversions of 16-bit floats in the machine */
TMA_LOOP(add_f16, TMA_NAME(half), TMA_SUM_F16(g, s))
#else
static void TMA_NAME(add_f16)(uint8_t *to, const uint8_t *from, uint32_t n) {
    for (uint32_t i = 0; i < n; i += 2) {
        uint16_t g = 0;
        uint16_t s = 0;
        memcpy(&g, to + i, 2);
        memcpy(&s, from + i, 2);
        g = (uint16_t)tma_reduce(TMA_OP_ADD, TMA_DTYPE_FLOAT16, g, s);
        memcpy(to + i, &g, 2);
    }
}
#endif

typedef void (*TMA_NAME(row_loop))(uint8_t *to, const uint8_t *from, uint32_t n);

static TMA_NAME(row_loop) TMA_NAME(loop_of)(uint32_t op, uint32_t dtype) {
    static const TMA_NAME(row_loop) adds[] = {
        [TMA_DTYPE_UINT32] = TMA_NAME(add_u32),    [TMA_DTYPE_INT32] = TMA_NAME(add_u32),
        [TMA_DTYPE_UINT64] = TMA_NAME(add_u64),    [TMA_DTYPE_FLOAT16] = TMA_NAME(add_f16),
        [TMA_DTYPE_FLOAT32] = TMA_NAME(add_f32),   [TMA_DTYPE_FLOAT64] = TMA_NAME(add_f64),
        [TMA_DTYPE_BFLOAT16] = TMA_NAME(add_bf16), [TMA_DTYPE_FLOAT32_FTZ] = TMA_NAME(add_f32_ftz),
        [TMA_DTYPE_TFLOAT32] = TMA_NAME(add_f32),  [TMA_DTYPE_TFLOAT32_FTZ] = TMA_NAME(add_f32_ftz),
    };
    static const TMA_NAME(row_loop) picks[2][TMA_DTYPE_BFLOAT16 + 1] = {
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

#define TMA_ROW_MAX_B 2048 /* 256 elements of 8 bytes */

/* Row by row: out of the swizzle into a line of its own, then onto global memory. */
static void TMA_NAME(reduce)(const tma_job *j) {
    const TMA_NAME(row_loop) loop = TMA_NAME(loop_of)(j->op, j->dtype);
    uint8_t row_bytes[TMA_ROW_MAX_B];
    tma_job one = *j;
    one.rows = 1;
    for (uint32_t row = 0; row < j->rows; row++) {
        const uint8_t *from = j->window + (one.address - j->window_address);
        uint8_t *to = j->global + row * j->step_B;
        if (j->bits.mask) {
            one.global = row_bytes;
            TMA_NAME(store)(&one);
            from = row_bytes;
        }
        loop(to, from, j->row_B);
        one.address += j->pitch_B;
    }
}
