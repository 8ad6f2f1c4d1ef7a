/* SPDX-License-Identifier: Apache-2.0
 *
 * setp, set, selp, slct, testp. Two numbers stand to each other in one of four ways; a comparison
 * accepts some of them.
 */
#include "compute_number.h"
#include "compute_rows.h"

enum { LESS = 1, EQUAL = 2, GREATER = 4, UNORDERED = 8 };

static const uint8_t ACCEPTS[EMU_COMPARES] = {
    [EMU_COMPARE_EQ] = EQUAL,
    [EMU_COMPARE_NE] = LESS | GREATER,
    [EMU_COMPARE_LT] = LESS,
    [EMU_COMPARE_LE] = LESS | EQUAL,
    [EMU_COMPARE_GT] = GREATER,
    [EMU_COMPARE_GE] = GREATER | EQUAL,
    [EMU_COMPARE_LO] = LESS,
    [EMU_COMPARE_LS] = LESS | EQUAL,
    [EMU_COMPARE_HI] = GREATER,
    [EMU_COMPARE_HS] = GREATER | EQUAL,
    [EMU_COMPARE_EQU] = EQUAL | UNORDERED,
    [EMU_COMPARE_NEU] = LESS | GREATER | UNORDERED,
    [EMU_COMPARE_LTU] = LESS | UNORDERED,
    [EMU_COMPARE_LEU] = LESS | EQUAL | UNORDERED,
    [EMU_COMPARE_GTU] = GREATER | UNORDERED,
    [EMU_COMPARE_GEU] = GREATER | EQUAL | UNORDERED,
    [EMU_COMPARE_NUM] = LESS | EQUAL | GREATER,
    [EMU_COMPARE_NAN] = UNORDERED,
};

/* Lanes where a < b, or a == b. */
#define LANES_WHERE(name, kind, value, relation)                                                   \
    static inline __attribute__((always_inline)) uint32_t name(const COMPUTE_AS_##kind *a_of,      \
                                                               const COMPUTE_AS_##kind *b_of) {    \
        uint32_t lanes = 0;                                                                        \
        for (uint32_t l = 0; l < EMU_LANES; l++) {                                                 \
            const COMPUTE_IS_##value a = (COMPUTE_IS_##value)a_of[l];                              \
            const COMPUTE_IS_##value b = (COMPUTE_IS_##value)b_of[l];                              \
            lanes |= a relation b ? emu_lane_bit[l] : 0;                                           \
        }                                                                                          \
        return lanes;                                                                              \
    }

/* Lanes whose relation `accepts` has: of numbers that may be unordered; of integers, where one
 * relation tells the three. */
#define RELATIONS(kind, value)                                                                     \
    LANES_WHERE(less_##value, kind, value, <)                                                      \
    LANES_WHERE(equal_##value, kind, value, ==)
#define RELATION(name, kind, value)                                                                \
    RELATIONS(kind, value)                                                                         \
    static inline __attribute__((always_inline)) uint32_t name(const void *a, const void *b,       \
                                                               uint32_t accepts) {                 \
        const uint32_t less = less_##value(a, b);                                                  \
        const uint32_t equal = equal_##value(a, b);                                                \
        const uint32_t greater = less_##value(b, a);                                               \
        return (accepts & LESS ? less : 0) | (accepts & EQUAL ? equal : 0) |                       \
               (accepts & GREATER ? greater : 0) |                                                 \
               (accepts & UNORDERED ? ~(less | equal | greater) : 0);                              \
    }
#define RELATION_INTEGER(name, kind, value)                                                        \
    RELATIONS(kind, value)                                                                         \
    static inline __attribute__((always_inline)) uint32_t name(const void *a, const void *b,       \
                                                               uint32_t accepts) {                 \
        switch (accepts & (LESS | EQUAL | GREATER)) {                                              \
        case LESS:                                                                                 \
            return less_##value(a, b);                                                             \
        case GREATER:                                                                              \
            return less_##value(b, a);                                                             \
        case LESS | EQUAL:                                                                         \
            return ~less_##value(b, a);                                                            \
        case GREATER | EQUAL:                                                                      \
            return ~less_##value(a, b);                                                            \
        case EQUAL:                                                                                \
            return equal_##value(a, b);                                                            \
        case LESS | GREATER:                                                                       \
            return ~equal_##value(a, b);                                                           \
        default:                                                                                   \
            return accepts & EQUAL ? UINT32_MAX : 0;                                               \
        }                                                                                          \
    }
RELATION_INTEGER(of_u16, u16, u16)
RELATION_INTEGER(of_s16, u16, s16)
RELATION_INTEGER(of_u32, u32, u32)
RELATION_INTEGER(of_s32, s32, s32)
RELATION_INTEGER(of_u64, u64, u64)
RELATION_INTEGER(of_s64, s64, s64)
RELATION(of_f32, f32, f32)
RELATION(of_f64, f64, f64)

static float flushed(float x) {
    const uint32_t bits = compute_bits_of(x);
    return bits & 0x7f800000u ? x : compute_float_of(bits & 0x80000000u);
}

/* Numbers of 16 bits as f32, which holds them; element 0 or 1. */
static void widened(float out[EMU_LANES], const compute_u32 *of, uint32_t type, uint32_t element) {
    const compute_format *f = compute_format_of(type);
    const compute_format *wide = compute_format_of(EMU_F32);
    for (uint32_t l = 0; l < EMU_LANES; l++) {
        const compute_number x = compute_read(f, of[l] >> 16 * element & 0xffff);
        out[l] = compute_float_of((uint32_t)compute_round(wide, &x, EMU_RN, 0, 0));
    }
}

/* Lanes where a of the instruction stands to b as it asks. */
static uint32_t related(const emu_warp *w, const emu_instruction *in, uint32_t type,
                        uint32_t element) {
    const void *a = compute_in(w, in, 1);
    const void *b = compute_in(w, in, 2);
    const uint32_t accepts = ACCEPTS[in->compare];
    const int ftz = emu_flag(in, EMU_FLAG_FTZ);
    float own[2][EMU_LANES];
    switch (type) {
    case EMU_U16:
    case EMU_B16:
        return of_u16(a, b, accepts);
    case EMU_S16:
        return of_s16(a, b, accepts);
    case EMU_S32:
        return of_s32(a, b, accepts);
    case EMU_U64:
    case EMU_B64:
        return of_u64(a, b, accepts);
    case EMU_S64:
        return of_s64(a, b, accepts);
    case EMU_F64:
        return of_f64(a, b, accepts);
    case EMU_F32:
        if (!ftz) {
            return of_f32(a, b, accepts);
        }
        for (uint32_t l = 0; l < EMU_LANES; l++) {
            own[0][l] = flushed(((const compute_f32 *)a)[l]);
            own[1][l] = flushed(((const compute_f32 *)b)[l]);
        }
        return of_f32(own[0], own[1], accepts);
    case EMU_F16:
    case EMU_F16X2:
    case EMU_BF16:
    case EMU_BF16X2:
        widened(own[0], a, type, element);
        widened(own[1], b, type, element);
        if (ftz) { /* f16's subnormals, which f32 holds as normal numbers */
            const float least = type == EMU_F16 || type == EMU_F16X2 ? 0x1p-14F : 0x1p-126F;
            for (uint32_t l = 0; l < EMU_LANES; l++) {
                own[0][l] = own[0][l] < least && own[0][l] > -least ? 0 : own[0][l];
                own[1][l] = own[1][l] < least && own[1][l] > -least ? 0 : own[1][l];
            }
        }
        return of_f32(own[0], own[1], accepts);
    default:
        return of_u32(a, b, accepts);
    }
}

static uint32_t combined(const emu_warp *w, const emu_instruction *in, uint32_t lanes) {
    if (in->boolean == EMU_NO_BOOLEAN) {
        return lanes;
    }
    const uint32_t c = emu_predicate(w, &in->operand[3]);
    return in->boolean == EMU_BOOLEAN_AND  ? lanes & c
           : in->boolean == EMU_BOOLEAN_OR ? lanes | c
                                           : lanes ^ c;
}

static void put_predicate(const emu_warp *w, const emu_operand *o, uint32_t mask, uint32_t lanes) {
    if (o->kind == EMU_REGISTER) {
        emu_set_predicate(w, o, mask, lanes);
    }
}

/* p|q: of packed numbers q is the upper halves', else what p is with the comparison turned. */
COMPUTE_STEP(setp) {
    const uint32_t type = in->type[0];
    const uint32_t lanes = related(w, in, type, 0);
    const uint32_t other = emu_type_of(type)->elements == 2 ? related(w, in, type, 1) : ~lanes;
    const uint32_t p = combined(w, in, lanes);
    const uint32_t q = combined(w, in, other);
    put_predicate(w, &in->operand[0], mask, p);
    put_predicate(w, &in->also, mask, q);
    return EMU_NEXT;
}

/* Numbers of the usual types, which are compared in vectors. */
#define SETP(value)                                                                                \
    COMPUTE_LOOP(setp_##value) {                                                                   \
        const uint32_t lanes =                                                                     \
            of_##value(compute_in(w, in, 1), compute_in(w, in, 2), ACCEPTS[in->compare]);          \
        put_predicate(w, &in->operand[0], mask, combined(w, in, lanes));                           \
        put_predicate(w, &in->also, mask, combined(w, in, ~lanes));                                \
        return EMU_NEXT;                                                                           \
    }
SETP(u32)
SETP(s32)
SETP(u64)
SETP(s64)
SETP(f32)

static emu_run setp_of(const emu_instruction *in) {
    switch (in->type[0]) {
    case EMU_U32:
    case EMU_B32:
        return COMPUTE_BEST(setp_u32);
    case EMU_S32:
        return COMPUTE_BEST(setp_s32);
    case EMU_U64:
    case EMU_B64:
        return COMPUTE_BEST(setp_u64);
    case EMU_S64:
        return COMPUTE_BEST(setp_s64);
    case EMU_F32:
        return emu_flag(in, EMU_FLAG_FTZ) ? setp : COMPUTE_BEST(setp_f32);
    default:
        return setp;
    }
}

COMPUTE_STEP(set) {
    const emu_type_traits *to = emu_type_of(in->type[0]);
    const uint32_t from = in->type[1];
    const uint32_t one = to->kind == 'F' ? (uint32_t)compute_one_of(compute_format_of(in->type[0]))
                                         : UINT32_MAX >> (32 - to->bits / to->elements);
    const uint32_t low = combined(w, in, related(w, in, from, 0));
    uint32_t r[EMU_LANES];
    for (uint32_t l = 0; l < EMU_LANES; l++) {
        r[l] = low & emu_lane_bit[l] ? one : 0;
    }
    if (emu_type_of(from)->elements == 2) {
        const uint32_t high = combined(w, in, related(w, in, from, 1));
        for (uint32_t l = 0; l < EMU_LANES; l++) {
            r[l] |= high & emu_lane_bit[l] ? one << 16 : 0;
        }
    }
    compute_put(w, &in->operand[0], mask, r);
    return EMU_NEXT;
}

static int is_compared(const emu_instruction *in, uint32_t type) {
    const emu_type_traits *traits = emu_type_of(type);
    if (in->compare == EMU_NO_COMPARE || !traits->bits) {
        return 0;
    }
    if (traits->kind == 'F') {
        return type == EMU_F16 || type == EMU_F16X2 || type == EMU_BF16 || type == EMU_BF16X2 ||
               type == EMU_F32 || type == EMU_F64;
    }
    return traits->elements == 1 && traits->bits >= 16 && traits->bits <= 64 &&
           in->compare < EMU_COMPARE_EQU;
}

emu_run compute_choose_compare(const emu_instruction *in) {
    if (in->op == EMU_OP_SETP) {
        return is_compared(in, in->type[0]) ? setp_of(in) : NULL;
    }
    /* a pair into one half, or a half into a pair, has no meaning */
    const emu_type_traits *to = emu_type_of(in->type[0]);
    return is_compared(in, in->type[1]) && to->bits >= 16 && to->bits <= 32 ? set : NULL;
}

/* ---- choices ---- */

/* slct: a where c >= 0; -0 is, a NaN is not */
static uint32_t not_negative(const emu_warp *w, const emu_instruction *in) {
    static const uint32_t zeros[EMU_LANES];
    const void *c = compute_in(w, in, 3);
    if (in->type[1] == EMU_S32) {
        return of_s32(c, zeros, GREATER | EQUAL);
    }
    if (!emu_flag(in, EMU_FLAG_FTZ)) {
        return of_f32(c, zeros, GREATER | EQUAL);
    }
    float own[EMU_LANES];
    for (uint32_t l = 0; l < EMU_LANES; l++) {
        own[l] = flushed(((const compute_f32 *)c)[l]);
    }
    return of_f32(own, zeros, GREATER | EQUAL);
}

#define CHOOSE(name, kind, where)                                                                  \
    COMPUTE_LOOP(name) {                                                                           \
        const COMPUTE_AS_##kind *a = compute_in(w, in, 1);                                         \
        const COMPUTE_AS_##kind *b = compute_in(w, in, 2);                                         \
        const uint32_t p = where;                                                                  \
        COMPUTE_AS_##kind r[EMU_LANES];                                                            \
        for (uint32_t l = 0; l < EMU_LANES; l++) {                                                 \
            r[l] = p & emu_lane_bit[l] ? a[l] : b[l];                                              \
        }                                                                                          \
        COMPUTE_PUT_##kind(w, &in->operand[0], mask, r);                                           \
        return EMU_NEXT;                                                                           \
    }
CHOOSE(selp_32, u32, emu_predicate(w, &in->operand[3]))
CHOOSE(selp_64, u64, emu_predicate(w, &in->operand[3]))
CHOOSE(slct_32, u32, not_negative(w, in))
CHOOSE(slct_64, u64, not_negative(w, in))

static int is_tested(const emu_instruction *in, uint64_t bits) {
    const compute_format *f = compute_format_of(in->type[0]);
    const compute_number x = compute_read(f, bits);
    const int is_small = (bits & compute_infinity_of(f)) == 0;
    return emu_flag(in, EMU_FLAG_FINITE)       ? x.kind < COMPUTE_INFINITY
           : emu_flag(in, EMU_FLAG_INFINITE)   ? x.kind == COMPUTE_INFINITY
           : emu_flag(in, EMU_FLAG_NUMBER)     ? x.kind != COMPUTE_NOT_A_NUMBER
           : emu_flag(in, EMU_FLAG_NOTANUMBER) ? x.kind == COMPUTE_NOT_A_NUMBER
           : emu_flag(in, EMU_FLAG_NORMAL) /* zeros are, on an H200 */
               ? x.kind == COMPUTE_ZERO || (x.kind == COMPUTE_NUMBER && !is_small)
               : x.kind == COMPUTE_NUMBER && is_small;
}

COMPUTE_STEP(testp) {
    uint32_t lanes = 0;
    EMU_FOR_LANES(lane, mask) {
        lanes |= (uint32_t)is_tested(in, compute_lane(w, &in->operand[1], lane)) << lane;
    }
    emu_set_predicate(w, &in->operand[0], mask, lanes);
    return EMU_NEXT;
}

emu_run compute_choose_select(const emu_instruction *in) {
    const uint32_t bits = emu_type_of(in->type[0])->bits;
    switch (in->op) {
    case EMU_OP_SELP:
        return bits == 64                 ? COMPUTE_BEST(selp_64)
               : bits == 16 || bits == 32 ? COMPUTE_BEST(selp_32)
                                          : NULL;
    case EMU_OP_SLCT:
        if (in->type[1] != EMU_S32 && in->type[1] != EMU_F32) {
            return NULL;
        }
        return bits == 64                 ? COMPUTE_BEST(slct_64)
               : bits == 16 || bits == 32 ? COMPUTE_BEST(slct_32)
                                          : NULL;
    default:
        return in->type[0] == EMU_F32 || in->type[0] == EMU_F64 ? testp : NULL;
    }
}
