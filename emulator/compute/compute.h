/* SPDX-License-Identifier: Apache-2.0
 *
 * What the executors of numbers share: lanes of operands as arrays, results put where a mask says,
 * the rows of compute_*.def.
 */
#ifndef EMULATOR_COMPUTE_H
#define EMULATOR_COMPUTE_H

#include <string.h>

#include "float_bits.h"
#include "machine.h"
#include "tma/detail/assert.h"
#include "words.h"

/* Slots hold numbers of any type. */
typedef uint32_t __attribute__((may_alias)) compute_u32;
typedef int32_t __attribute__((may_alias)) compute_s32;
typedef uint64_t __attribute__((may_alias)) compute_u64;
typedef int64_t __attribute__((may_alias)) compute_s64;
typedef float __attribute__((may_alias)) compute_f32;
typedef double __attribute__((may_alias)) compute_f64;

/* Words that tell the forms of one operation apart: compute_words_of() reads them. */
/* clang-format off */
#define COMPUTE_WORDS(WORD) \
    WORD(HI) \
    WORD(LO) WORD(WIDE) WORD(SAT) WORD(CC) WORD(RELU) WORD(LEFT) WORD(RIGHT) WORD(WRAP) \
    WORD(CLAMP) WORD(SHIFTAMT) WORD(F4E) WORD(B4E) WORD(RC8) WORD(ECL) WORD(ECR) \
    WORD(RC16) WORD(FTZ) WORD(APPROX) WORD(FULL) WORD(NAN) WORD(XORSIGN) WORD(ABS)
/* clang-format on */
enum {
#define WORD(word) COMPUTE_BIT_##word,
    COMPUTE_WORDS(WORD)
#undef WORD
};
enum {
    COMPUTE_PLAIN = 0,
#define WORD(word) COMPUTE_##word = 1 << COMPUTE_BIT_##word,
    COMPUTE_WORDS(WORD)
#undef WORD
        COMPUTE_HI_SAT = COMPUTE_HI | COMPUTE_SAT,
    COMPUTE_HI_CC = COMPUTE_HI | COMPUTE_CC,
    COMPUTE_LO_CC = COMPUTE_LO | COMPUTE_CC,
    COMPUTE_L_CLAMP = COMPUTE_LEFT | COMPUTE_CLAMP,
    COMPUTE_L_WRAP = COMPUTE_LEFT | COMPUTE_WRAP,
    COMPUTE_R_CLAMP = COMPUTE_RIGHT | COMPUTE_CLAMP,
    COMPUTE_R_WRAP = COMPUTE_RIGHT | COMPUTE_WRAP,
};
uint32_t compute_words_of(const emu_instruction *in);

/* Which types a row is for: one emu_type, or all single integers of a width. */
enum {
#define EMU_TYPE(id, ...) COMPUTE_TYPE_##id = EMU_##id,
#include "types.def"
    COMPUTE_TYPE_INT16,
    COMPUTE_TYPE_INT32,
    COMPUTE_TYPE_INT64,
    COMPUTE_TYPE_ANY,
};

#define COMPUTE_STEP(name)                                                                         \
    static emu_step name(emu_warp *w, const emu_instruction *in, uint32_t mask)

/* An executor that is compiled twice where a processor may have wider vectors than the compiler was
 * told of: COMPUTE_RUNS(name) are both, compute_best() is the one for this machine. */
#if defined(__x86_64__) && defined(__GNUC__) && !defined(_WIN32) && !defined(COMPUTE_PORTABLE)
#define COMPUTE_TWICE __attribute__((target("avx2")))
#define COMPUTE_LOOP(name)                                                                         \
    static inline __attribute__((always_inline))                                                   \
    emu_step name##_body(emu_warp *w, const emu_instruction *in, uint32_t mask);                   \
    static emu_step name(emu_warp *w, const emu_instruction *in, uint32_t mask) {                  \
        return name##_body(w, in, mask);                                                           \
    }                                                                                              \
    COMPUTE_TWICE static emu_step name##_wide(emu_warp *w, const emu_instruction *in,              \
                                              uint32_t mask) {                                     \
        return name##_body(w, in, mask);                                                           \
    }                                                                                              \
    static inline __attribute__((always_inline))                                                   \
    emu_step name##_body(emu_warp *w, const emu_instruction *in, uint32_t mask)
#define COMPUTE_RUNS(name)                                                                         \
    { name, name##_wide }
#else
#define COMPUTE_LOOP(name) COMPUTE_STEP(name)
#define COMPUTE_RUNS(name)                                                                         \
    { name, name }
#endif
#define COMPUTE_BEST(name) compute_best((const emu_run[2])COMPUTE_RUNS(name))

static inline emu_run compute_best(const emu_run run[2]) {
#ifdef COMPUTE_TWICE
    return run[__builtin_cpu_supports("avx2") ? 1 : 0];
#else
    return run[0];
#endif
}

typedef struct compute_form {
    uint16_t op;
    uint8_t type;
    uint32_t words;
    emu_run run[2];
} compute_form;

/* The form of an instruction among rows; null: there is none. */
emu_run compute_find(const compute_form *forms, size_t count, const emu_instruction *in);

/* Lanes of an operand, in a turn. */
static inline void *compute_lanes(const emu_warp *w, int32_t slot) {
    TMA_ASSERT(w->slots == w->now->frame->slots && w->pool == w->machine->program->pool);
    return slot >= 0 ? w->slots + (size_t)slot * EMU_SLOT_B : w->pool[~slot];
}
static inline void *compute_in(const emu_warp *w, const emu_instruction *in, uint32_t operand) {
    TMA_ASSERT(operand < in->operands);
    return compute_lanes(w, in->operand[operand].slot);
}

/* A result's lanes where the mask has them. */
static inline void compute_put(const emu_warp *w, const emu_operand *o, uint32_t mask,
                               const void *result) {
    const compute_u32 *r = result;
    if (o->kind != EMU_REGISTER) {
        return; /* _ */
    }
    compute_u32 *d = compute_lanes(w, o->slot);
    if (mask == UINT32_MAX) {
        memcpy(d, r, EMU_SLOT_B);
        return;
    }
    for (uint32_t l = 0; l < EMU_LANES; l++) {
        const uint32_t put = mask & emu_lane_bit[l] ? UINT32_MAX : 0;
        d[l] = (r[l] & put) | (d[l] & ~put);
    }
}

static inline void compute_put_wide(const emu_warp *w, const emu_operand *o, uint32_t mask,
                                    const void *result) {
    const compute_u64 *r = result;
    if (o->kind != EMU_REGISTER) {
        return;
    }
    compute_u64 *d = compute_lanes(w, o->slot);
    if (mask == UINT32_MAX) {
        memcpy(d, r, (size_t)2 * EMU_SLOT_B);
        return;
    }
    for (uint32_t l = 0; l < EMU_LANES; l++) {
        d[l] = mask >> l & 1 ? r[l] : d[l];
    }
}

/* A lane's operand as 64 bits by its register's own width. */
uint64_t compute_lane(const emu_warp *w, const emu_operand *o, uint32_t lane);
void compute_put_lane(const emu_warp *w, const emu_operand *o, uint32_t lane, uint64_t value);

/* Shift amounts and positions: 32 bits, whatever width an immediate was given. */
const compute_u32 *compute_wide_amounts(const emu_warp *w, const emu_operand *o, uint32_t *own);
static inline const compute_u32 *compute_amounts(const emu_warp *w, const emu_operand *o,
                                                 uint32_t *own) {
    return emu_type_of(o->type)->bits == 64 ? compute_wide_amounts(w, o, own)
                                            : compute_lanes(w, o->slot);
}

/* Choosers of operations_*.def. */
emu_run compute_choose_add(const emu_instruction *in);
emu_run compute_choose_compare(const emu_instruction *in);
emu_run compute_choose_convert(const emu_instruction *in);
emu_run compute_choose_divide(const emu_instruction *in);
emu_run compute_choose_extreme(const emu_instruction *in);
emu_run compute_choose_float(const emu_instruction *in);
emu_run compute_choose_integer(const emu_instruction *in);
emu_run compute_choose_logic(const emu_instruction *in);
emu_run compute_choose_pack(const emu_instruction *in);
emu_run compute_choose_select(const emu_instruction *in);
emu_run compute_choose_sign(const emu_instruction *in);
emu_run compute_choose_video(const emu_instruction *in);

#endif
