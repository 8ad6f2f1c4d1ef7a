/* SPDX-License-Identifier: Apache-2.0
 *
 * Loads, stores and atomics: the bytes, the registers, what is undefined, what is out of bounds.
 */
#include "hand.h"
#include "support/testing.h"

static hand *h;
static emu_warp *w;
static tma_error error;

static int begin(void **state) {
    (void)state;
    h = hand_new(0);
    w = &h->warp[0][0];
    return 0;
}

static void begin_memory(void) {
    assert_int_equal(emu_memory_begin(&h->m, &error), 0);
    for (uint32_t c = 0; c < HAND_CTAS; c++) {
        assert_int_equal(emu_memory_cta(&h->cta[c]), 0);
    }
    for (size_t i = 0; i < sizeof(h->global); i++) {
        h->global[i] = (uint8_t)(i * 37 + (i >> 8) * 11 + 0x80);
    }
}

static int end(void **state) {
    (void)state;
    hand_free(h);
    return 0;
}

static emu_step run(emu_run (*choose)(const emu_instruction *), emu_instruction *in,
                    uint32_t mask) {
    in->run = choose(in);
    assert_non_null(in->run);
    return in->run(w, in, mask);
}

/* A load of a type into a register of another through 64-bit global addresses. */
static void load_type(uint32_t type, uint32_t into, uint64_t step_B, uint32_t mask,
                      uint64_t (*expected)(const uint8_t *bytes)) {
    const emu_operand to = hand_register(h, into), at = hand_register(h, EMU_U64);
    emu_instruction *in = hand_instruction(h, EMU_OP_LD, type, 2);
    in->operand[0] = to;
    in->operand[1] = hand_address(at, 64);
    in->space[0] = EMU_GLOBAL;
    in->spaces = 1;
    for (uint32_t l = 0; l < EMU_LANES; l++) {
        hand_u64(h, at)[l] = HAND_GLOBAL + l * step_B;
    }
    memset(hand_u32(h, to), 0xa5, emu_type_of(into)->bits == 64 ? 256 : 128);
    assert_int_equal(run(emu_choose_load, in, mask), EMU_NEXT);
    for (uint32_t l = 0; l < EMU_LANES; l++) {
        const int wide = emu_type_of(into)->bits == 64;
        const uint64_t is = wide ? hand_u64(h, to)[l] : hand_u32(h, to)[l];
        const uint64_t old = wide ? UINT64_C(0xa5a5a5a5a5a5a5a5) : UINT64_C(0xa5a5a5a5);
        assert_int_equal(is, mask >> l & 1 ? expected(h->global + 64 + l * step_B) : old);
    }
}

static uint64_t bytes_of(const uint8_t *b, uint32_t count) {
    uint64_t v = 0;
    for (uint32_t i = 0; i < count; i++) {
        v |= (uint64_t)b[i] << 8 * i;
    }
    return v;
}
static uint64_t as_u8(const uint8_t *b) {
    return b[0];
}
static uint64_t as_s8_16(const uint8_t *b) {
    return b[0] >= 128 ? b[0] | 0xff00u : b[0];
}
static uint64_t as_s8_32(const uint8_t *b) {
    return b[0] >= 128 ? b[0] | 0xffffff00u : b[0];
}
static uint64_t as_s8_64(const uint8_t *b) {
    return b[0] >= 128 ? b[0] | UINT64_C(0xffffffffffffff00) : b[0];
}
static uint64_t as_u16(const uint8_t *b) {
    return bytes_of(b, 2);
}
static uint64_t as_s16_32(const uint8_t *b) {
    return bytes_of(b, 2) | (b[1] >= 128 ? 0xffff0000u : 0);
}
static uint64_t as_u32(const uint8_t *b) {
    return bytes_of(b, 4);
}
static uint64_t as_s32_64(const uint8_t *b) {
    return bytes_of(b, 4) | (b[3] >= 128 ? UINT64_C(0xffffffff00000000) : 0);
}
static uint64_t as_u64(const uint8_t *b) {
    return bytes_of(b, 8);
}

static void test_load_types(void **state) {
    (void)state;
    begin_memory();
    static const uint32_t MASKS[] = {UINT32_MAX, 0x80000001, 0x00ff00f0};
    for (size_t i = 0; i < COUNT_OF(MASKS); i++) {
        const uint32_t mask = MASKS[i];
        for (uint64_t far = 1; far <= 3; far += 2) {
            load_type(EMU_U8, EMU_U16, far, mask, as_u8);
            load_type(EMU_B8, EMU_B32, far, mask, as_u8);
            load_type(EMU_U8, EMU_U64, far, mask, as_u8);
            load_type(EMU_S8, EMU_S16, far, mask, as_s8_16);
            load_type(EMU_S8, EMU_S32, far, mask, as_s8_32);
            load_type(EMU_S8, EMU_S64, far, mask, as_s8_64);
            load_type(EMU_U16, EMU_U16, 2 * far, mask, as_u16);
            load_type(EMU_S16, EMU_S32, 2 * far, mask, as_s16_32);
            load_type(EMU_F32, EMU_F32, 4 * far, mask, as_u32);
            load_type(EMU_U32, EMU_U64, 4 * far, mask, as_u32);
            load_type(EMU_S32, EMU_S64, 4 * far, mask, as_s32_64);
            load_type(EMU_F64, EMU_F64, 8 * far, mask, as_u64);
        }
        memset(h->code, 0, sizeof(h->code));
    }
    assert_int_equal(h->result.findings, 0);
}

/* Vectors of any size: stored to shared memory of the other CTA, loaded back through a generic
 * address. */
static void move_vector(uint32_t type, uint32_t count) {
    const uint32_t each_B = emu_type_of(type)->bits / 8u, whole_B = each_B * count;
    const emu_operand at = hand_register(h, EMU_U32), generic = hand_register(h, EMU_U64);
    emu_operand from = hand_vector(h, type, count), to = hand_vector(h, type, count);
    const uint32_t remote = 1u << EMU_RANK_SHIFT | EMU_SHARED_FIRST;
    for (uint32_t l = 0; l < EMU_LANES; l++) {
        hand_u32(h, at)[l] = remote + (31 - l) * whole_B;
        hand_u64(h, generic)[l] = EMU_SHARED_WINDOW + remote + (31 - l) * whole_B;
    }
    for (uint32_t i = 0; i < count; i++) {
        uint8_t *r = (uint8_t *)hand_u32(h, hand_element(h, &from, i));
        for (uint32_t b = 0; b < EMU_LANES * each_B; b++) {
            r[b] = (uint8_t)(b * 7 + i * 101 + 3);
        }
    }
    emu_instruction *st = hand_instruction(h, EMU_OP_ST, type, 2);
    st->operand[0] = hand_address(at, 0);
    st->operand[1] = from;
    st->space[0] = EMU_SHARED_CLUSTER;
    st->spaces = 1;
    st->vector = (uint8_t)count;
    assert_int_equal(run(emu_choose_store, st, UINT32_MAX), EMU_NEXT);
    for (uint32_t l = 0; l < EMU_LANES; l++) {
        for (uint32_t i = 0; i < count; i++) {
            const uint8_t *memory = h->cta[1].shared + EMU_SHARED_FIRST + (31 - l) * whole_B;
            const uint8_t *r = (uint8_t *)hand_u32(h, hand_element(h, &from, i));
            const uint32_t low_B = each_B == 16 ? 8 : each_B;
            assert_memory_equal(memory + i * each_B, r + l * low_B, low_B);
            if (each_B == 16) {
                assert_memory_equal(memory + i * each_B + 8, r + 256 + l * 8, 8);
            }
        }
    }
    emu_instruction *ld = hand_instruction(h, EMU_OP_LD, type, 2);
    ld->operand[0] = to;
    ld->operand[1] = hand_address(generic, 0);
    ld->vector = (uint8_t)count;
    assert_int_equal(run(emu_choose_load, ld, UINT32_MAX), EMU_NEXT);
    for (uint32_t i = 0; i < count; i++) {
        assert_memory_equal(hand_u32(h, hand_element(h, &to, i)),
                            hand_u32(h, hand_element(h, &from, i)), EMU_LANES * each_B);
    }
}

static void test_vectors(void **state) {
    (void)state;
    begin_memory();
    move_vector(EMU_F32, 2);
    move_vector(EMU_B32, 4);
    move_vector(EMU_B32, 8);
    move_vector(EMU_B64, 2);
    move_vector(EMU_F64, 4);
    move_vector(EMU_B128, 1);
    move_vector(EMU_B32, 1);
    assert_int_equal(h->result.findings, 0);
}

static void test_local_and_param(void **state) {
    (void)state;
    h->params[16] = 0x78;
    h->params[17] = 0x56;
    begin_memory();
    h->variable[0] = (emu_variable){.space = EMU_PARAM_ENTRY, .offset_B = 16, .size_B = 4};
    h->variable[1] = (emu_variable){.space = EMU_LOCAL, .offset_B = 8, .size_B = 16};
    h->program.variables = 2;
    const emu_operand r = hand_register(h, EMU_U32);
    emu_instruction *ld = hand_instruction(h, EMU_OP_LD, EMU_U16, 2);
    ld->operand[0] = r;
    ld->operand[1] = (emu_operand){.kind = EMU_ADDRESS, .slot = EMU_NO_SLOT, .variable = 0};
    ld->space[0] = EMU_PARAM_ENTRY;
    ld->spaces = 1;
    assert_int_equal(run(emu_choose_load, ld, 0xffff), EMU_NEXT);
    assert_int_equal(hand_u32(h, r)[15], 0x5678);
    assert_int_equal(hand_u32(h, r)[16], 0);
    /* each lane has its own local variable */
    for (uint32_t l = 0; l < EMU_LANES; l++) {
        hand_u32(h, r)[l] = 1000 + l;
    }
    emu_instruction *st = hand_instruction(h, EMU_OP_ST, EMU_U32, 2);
    st->operand[0] =
        (emu_operand){.kind = EMU_ADDRESS, .slot = EMU_NO_SLOT, .variable = 1, .number = 4};
    st->operand[1] = r;
    st->space[0] = EMU_LOCAL;
    st->spaces = 1;
    assert_int_equal(run(emu_choose_store, st, UINT32_MAX), EMU_NEXT);
    for (uint32_t l = 0; l < EMU_LANES; l++) {
        assert_int_equal(bytes_of(h->local[0][0] + l * HAND_LOCAL_B + 12, 4), 1000 + l);
    }
    assert_int_equal(h->result.findings, 0);
}

/* ---- atomics ---- */

typedef struct atomic_case {
    uint32_t type, operation, space;
    uint64_t old, b, c, left;
} atomic_case;

static const atomic_case ATOMICS[] = {
    {EMU_U32, EMU_OPERATION_ADD, EMU_GLOBAL, 0xffffffff, 3, 0, 2},
    {EMU_S32, EMU_OPERATION_MIN, EMU_GLOBAL, 5, 0xfffffffe, 0, 0xfffffffe},
    {EMU_U32, EMU_OPERATION_MIN, EMU_GLOBAL, 5, 0xfffffffe, 0, 5},
    {EMU_S32, EMU_OPERATION_MAX, EMU_SHARED_CTA, 5, 0xfffffffe, 0, 5},
    {EMU_U32, EMU_OPERATION_MAX, EMU_SHARED_CTA, 5, 0xfffffffe, 0, 0xfffffffe},
    {EMU_S64, EMU_OPERATION_MIN, EMU_GLOBAL, 5, UINT64_MAX, 0, UINT64_MAX},
    {EMU_U64, EMU_OPERATION_MAX, EMU_GLOBAL, 5, UINT64_MAX, 0, UINT64_MAX},
    {EMU_S64, EMU_OPERATION_ADD, EMU_GLOBAL, 5, UINT64_MAX, 0, 4},
    {EMU_U32, EMU_OPERATION_INC, EMU_GLOBAL, 7, 7, 0, 0},
    {EMU_U32, EMU_OPERATION_INC, EMU_GLOBAL, 6, 7, 0, 7},
    {EMU_U32, EMU_OPERATION_DEC, EMU_GLOBAL, 0, 9, 0, 9},
    {EMU_U32, EMU_OPERATION_DEC, EMU_GLOBAL, 9, 9, 0, 8},
    {EMU_B32, EMU_OPERATION_AND, EMU_GLOBAL, 0xf0f0, 0xff, 0, 0xf0},
    {EMU_B32, EMU_OPERATION_OR, EMU_SHARED_CTA, 0xf0f0, 0xff, 0, 0xf0ff},
    {EMU_B64, EMU_OPERATION_XOR, EMU_GLOBAL, UINT64_MAX, 0xff, 0, UINT64_MAX - 0xff},
    {EMU_B32, EMU_OPERATION_EXCH, EMU_GLOBAL, 1, 2, 0, 2},
    {EMU_B64, EMU_OPERATION_EXCH, EMU_GLOBAL, 1, UINT64_MAX, 0, UINT64_MAX},
    {EMU_B32, EMU_OPERATION_CAS, EMU_GLOBAL, 1, 1, 9, 9},
    {EMU_B32, EMU_OPERATION_CAS, EMU_GLOBAL, 2, 1, 9, 2},
    {EMU_B16, EMU_OPERATION_CAS, EMU_GLOBAL, 0xbeef, 0xbeef, 0x1234, 0x1234},
    {EMU_F32, EMU_OPERATION_ADD, EMU_GLOBAL, 0x3f800000, 0x40000000, 0, 0x40400000},
    {EMU_F32, EMU_OPERATION_ADD, EMU_GLOBAL, 0x00000001, 0x00000001, 0, 0},
    {EMU_F32, EMU_OPERATION_ADD, EMU_SHARED_CTA, 0x00000001, 0x00000001, 0, 2},
    {EMU_F64, EMU_OPERATION_ADD, EMU_GLOBAL, UINT64_C(0x3ff0000000000000),
     UINT64_C(0x4000000000000000), 0, UINT64_C(0x4008000000000000)},
    {EMU_F16X2, EMU_OPERATION_ADD, EMU_GLOBAL, 0x3c004000, 0x40003c00, 0, 0x42004200},
    {EMU_BF16X2, EMU_OPERATION_ADD, EMU_SHARED_CTA, 0x3f804000, 0x40003f80, 0, 0x40404040},
    {EMU_F16, EMU_OPERATION_ADD, EMU_GLOBAL, 0x3c00, 0x3c00, 0, 0x4000},
};

static void run_atomic(const atomic_case *a, int returns) {
    const uint32_t bits = emu_type_of(a->type)->bits, bytes = bits / 8;
    const uint32_t reg = bits == 64 ? EMU_B64 : EMU_B32;
    const emu_operand to = hand_register(h, reg), at = hand_register(h, EMU_U64),
                      b = hand_register(h, reg), c = hand_register(h, reg);
    const int shared = a->space == EMU_SHARED_CTA;
    uint8_t *memory = shared ? h->cta[0].shared + EMU_SHARED_FIRST + 512 : h->global + 512;
    emu_instruction *in =
        hand_instruction(h, returns ? EMU_OP_ATOM : EMU_OP_RED, a->type, returns ? 4 : 3);
    emu_operand *o = in->operand;
    if (returns) {
        *o++ = to;
    }
    *o++ = hand_address(at, 0);
    *o++ = b;
    *o = c;
    in->operation = (uint8_t)a->operation;
    in->space[0] = (uint8_t)a->space;
    in->spaces = 1;
    for (uint32_t l = 0; l < EMU_LANES; l++) {
        hand_u64(h, at)[l] = (shared ? EMU_SHARED_FIRST + 512 : HAND_GLOBAL + 512) + l * bytes;
        memcpy(memory + l * bytes, &a->old, bytes);
        if (bits == 64) {
            hand_u64(h, b)[l] = a->b;
            hand_u64(h, c)[l] = a->c;
        } else {
            hand_u32(h, b)[l] = (uint32_t)a->b;
            hand_u32(h, c)[l] = (uint32_t)a->c;
        }
    }
    assert_int_equal(run(emu_choose_atomic, in, 0x7fffffff), EMU_NEXT);
    for (uint32_t l = 0; l < EMU_LANES; l++) {
        assert_int_equal(bytes_of(memory + l * bytes, bytes), l < 31 ? a->left : a->old);
        if (returns && l < 31) {
            assert_int_equal(bits == 64 ? hand_u64(h, to)[l] : hand_u32(h, to)[l], a->old);
        }
    }
    in->op = 0;
}

static void test_atomics(void **state) {
    (void)state;
    begin_memory();
    h->m.tracks = 0;
    for (size_t i = 0; i < COUNT_OF(ATOMICS); i++) {
        run_atomic(&ATOMICS[i], 1);
        run_atomic(&ATOMICS[i], 0);
    }
}

/* All lanes on one place, one after the other; what a lane gets is what the lane before left. */
static void test_atomic_one_place(void **state) {
    (void)state;
    begin_memory();
    const emu_operand to = hand_register(h, EMU_U32), at = hand_register(h, EMU_U64),
                      b = hand_register(h, EMU_U32);
    emu_instruction *in = hand_instruction(h, EMU_OP_ATOM, EMU_U32, 3);
    in->operand[0] = to;
    in->operand[1] = hand_address(at, 0);
    in->operand[2] = b;
    in->operation = EMU_OPERATION_ADD;
    memset(h->global, 0, 4);
    for (uint32_t l = 0; l < EMU_LANES; l++) {
        hand_u64(h, at)[l] = HAND_GLOBAL;
        hand_u32(h, b)[l] = l;
    }
    assert_int_equal(run(emu_choose_atomic, in, UINT32_MAX), EMU_NEXT);
    for (uint32_t l = 0; l < EMU_LANES; l++) {
        assert_int_equal(hand_u32(h, to)[l], l * (l - 1) / 2);
    }
    assert_int_equal(bytes_of(h->global, 4), 31 * 32 / 2);
}

static void test_atomic_vector(void **state) {
    (void)state;
    begin_memory();
    emu_operand to = hand_vector(h, EMU_F32, 4), b = hand_vector(h, EMU_F32, 4);
    emu_instruction *in = hand_instruction(h, EMU_OP_ATOM, EMU_F32, 3);
    in->operand[0] = to;
    in->operand[1] = hand_absolute((int64_t)HAND_GLOBAL);
    in->operand[2] = b;
    in->operation = EMU_OPERATION_ADD;
    in->vector = 4;
    for (uint32_t i = 0; i < 4; i++) {
        const float old = (float)i, more = 0.5F;
        memcpy(h->global + 4 * i, &old, 4);
        memcpy(&hand_u32(h, hand_element(h, &b, i))[3], &more, 4);
    }
    assert_int_equal(run(emu_choose_atomic, in, 8), EMU_NEXT);
    for (uint32_t i = 0; i < 4; i++) {
        const float old = (float)i, left = old + 0.5F;
        assert_memory_equal(h->global + 4 * i, &left, 4);
        assert_memory_equal(&hand_u32(h, hand_element(h, &to, i))[3], &old, 4);
    }
}

/* ---- what is wrong ---- */

static emu_step store_at(uint32_t space, uint64_t address, uint32_t type) {
    const emu_operand at = hand_register(h, EMU_U64), v = hand_register(h, type);
    emu_instruction *in = hand_instruction(h, EMU_OP_ST, type, 2);
    in->operand[0] = hand_address(at, 0);
    in->operand[1] = v;
    in->space[0] = (uint8_t)space;
    in->spaces = space != EMU_GENERIC;
    hand_u64(h, at)[5] = address;
    h->result.findings = 0;
    return run(emu_choose_store, in, 1u << 5);
}

static void assert_stops(uint32_t space, uint64_t address, uint32_t type, uint32_t rule,
                         const char *says) {
    assert_int_equal(store_at(space, address, type), EMU_STOPPED);
    assert_int_equal(h->result.findings, 1);
    assert_int_equal(hand_rule(h, 0), rule);
    assert_int_equal(h->result.finding[0].certain, 1);
    assert_int_equal(h->result.finding[0].access[0].thread, 5);
    assert_string_equal(h->result.finding[0].text, says);
    assert_int_equal(h->m.end, TMA_EMULATE_TRAP);
}

static void test_out_of_bounds(void **state) {
    (void)state;
    h->variable[0] =
        (emu_variable){.name = {"tile", 4}, .space = EMU_SHARED_CTA, .align_B = 16, .size_B = 24};
    h->variable[1] = (emu_variable){.space = EMU_LOCAL, .offset_B = 0, .size_B = 8};
    h->variable[2] = (emu_variable){.space = EMU_LOCAL, .offset_B = 16, .size_B = 48};
    h->program.variables = 3;
    h->function.used = 1;
    begin_memory();
    assert_int_equal(h->m.static_shared_B, 32);
    const uint64_t end = HAND_GLOBAL + HAND_GLOBAL_B;
    assert_int_equal(store_at(EMU_GLOBAL, end - 4, EMU_U32), EMU_NEXT);
    assert_stops(EMU_GLOBAL, end, EMU_U32, TMA_EMULATE_RULE_OUT_OF_BOUNDS,
                 "writes 4 bytes at global address 0x700010000: it begins 0 bytes past the end "
                 "of A (0x700000000, 65536 bytes)");
    assert_stops(EMU_GENERIC, HAND_GLOBAL - 8, EMU_U64, TMA_EMULATE_RULE_OUT_OF_BOUNDS,
                 "writes 8 bytes at global address 0x6fffffff8: no allocation lies there or below, "
                 "8 bytes before A");
    assert_stops(EMU_GLOBAL, HAND_GLOBAL + 2, EMU_U32, TMA_EMULATE_RULE_MISALIGNED,
                 "writes 4 bytes at address 0x700000002, which is no multiple of 4");
    assert_int_equal(store_at(EMU_SHARED_CTA, 0x400 + 20, EMU_U32), EMU_NEXT);
    assert_stops(EMU_SHARED_CTA, 0x400 + 24, EMU_U32, TMA_EMULATE_RULE_OUT_OF_BOUNDS,
                 "writes 4 bytes at shared address 0x418: beyond the end of tile (offset 0x400, 24 "
                 "bytes)");
    assert_stops(
        EMU_SHARED_CTA, 0x400 + 16, EMU_B128, TMA_EMULATE_RULE_OUT_OF_BOUNDS,
        "writes 16 bytes at shared address 0x410: beyond the end of tile (offset 0x400, 24 "
        "bytes)");
    assert_stops(EMU_SHARED_CTA, 0x3fc, EMU_U32, TMA_EMULATE_RULE_OUT_OF_BOUNDS,
                 "writes 4 bytes at shared address 0x3fc: the first 1024 bytes are the system's");
    assert_int_equal(store_at(EMU_SHARED_CTA, 0x420, EMU_U32), EMU_NEXT);
    assert_stops(
        EMU_SHARED_CTA, 0x420 + HAND_DYNAMIC_B, EMU_U32, TMA_EMULATE_RULE_OUT_OF_BOUNDS,
        "writes 4 bytes at shared address 0x10420: beyond the end of dynamic shared memory "
        "(offset 0x420, 65536 bytes)");
    assert_stops(EMU_SHARED_CLUSTER, 0x2000420, EMU_U32, TMA_EMULATE_RULE_OUT_OF_BOUNDS,
                 "writes 4 bytes at shared address 0x2000420: the cluster has 2 CTAs, and none of "
                 "rank 2");
    emu_memory_cta_ends(&h->cta[1]);
    assert_stops(EMU_SHARED_CLUSTER, 0x1000420, EMU_U32, TMA_EMULATE_RULE_EXIT_EARLY,
                 "writes 4 bytes at shared address 0x1000420: the CTA of rank 1 has ended");
    assert_stops(EMU_PARAM_ENTRY, 8, EMU_U32, TMA_EMULATE_RULE_OUT_OF_BOUNDS,
                 "writes 4 bytes at offset 8 of the kernel's parameters, which have 64");
    /* lane 5's own 64 bytes end where lane 6's begin */
    assert_int_equal(store_at(EMU_LOCAL, 5 * HAND_LOCAL_B + 60, EMU_U32), EMU_NEXT);
    assert_int_equal(store_at(EMU_LOCAL, 5 * HAND_LOCAL_B + 4, EMU_U32), EMU_NEXT);
    assert_stops(EMU_LOCAL, 5 * HAND_LOCAL_B + 8, EMU_U32, TMA_EMULATE_RULE_OUT_OF_BOUNDS,
                 "writes 4 bytes at local address 0x148: no variable of the thread lies there");
    assert_stops(EMU_LOCAL, 6 * HAND_LOCAL_B, EMU_U32, TMA_EMULATE_RULE_OUT_OF_BOUNDS,
                 "writes 4 bytes at local address 0x180: no variable of the thread lies there");
}

static void test_heap(void **state) {
    (void)state;
    begin_memory();
    const uint64_t p = emu_malloc(&h->m, 40), q = emu_malloc(&h->m, 8);
    assert_true(p && q > p && p % 16 == 0 && q % 16 == 0);
    assert_int_equal(emu_malloc(&h->m, 0), 0);
    assert_int_equal(store_at(EMU_GENERIC, p + 32, EMU_U64), EMU_NEXT);
    emu_instruction *call = hand_instruction(h, EMU_OP_LD, EMU_NO_TYPE, 0);
    emu_free(w, call, 5, p);
    assert_int_equal(h->result.findings, 0);
    char says[TMA_EMULATE_TEXT];
    snprintf(says, sizeof(says),
             "writes 8 bytes at global address 0x%llx: use after free of malloc()'s (0x%llx, 40 "
             "bytes)",
             (unsigned long long)p, (unsigned long long)p);
    assert_stops(EMU_GENERIC, p, EMU_U64, TMA_EMULATE_RULE_OUT_OF_BOUNDS, says);
    h->result.findings = 0;
    emu_free(w, call, 5, p);
    assert_int_equal(h->result.findings, 1);
    emu_free(w, call, 5, 0);
    emu_free(w, call, 5, q);
    assert_int_equal(h->result.findings, 1);
}

static void test_undefined(void **state) {
    (void)state;
    begin_memory();
    const uint64_t fresh = h->memory[1].address;
    const emu_operand at = hand_register(h, EMU_U64), v = hand_register(h, EMU_U32),
                      good = hand_register(h, EMU_U32), out = hand_register(h, EMU_U64);
    for (uint32_t l = 0; l < EMU_LANES; l++) {
        hand_u64(h, at)[l] = fresh + 4 * l;
        hand_u64(h, out)[l] = HAND_GLOBAL + 4 * l;
    }
    emu_instruction *ld = hand_instruction(h, EMU_OP_LD, EMU_U32, 2);
    ld->operand[0] = v;
    ld->operand[1] = hand_address(at, 0);
    emu_instruction *fill = hand_instruction(h, EMU_OP_ST, EMU_U32, 2);
    fill->operand[0] = hand_address(at, 0);
    fill->operand[1] = good;
    emu_instruction *st = hand_instruction(h, EMU_OP_ST, EMU_U32, 2);
    st->operand[0] = hand_address(out, 0);
    st->operand[1] = v;
    assert_int_equal(run(emu_choose_load, ld, UINT32_MAX), EMU_NEXT);
    assert_int_equal(emu_undefined(w, &v), UINT32_MAX);
    assert_int_equal(run(emu_choose_store, fill, 0x0000fff0), EMU_NEXT);
    assert_int_equal(run(emu_choose_load, ld, 0xffffff00), EMU_NEXT);
    assert_int_equal(emu_undefined(w, &v), 0xffff00ff);
    assert_int_equal(run(emu_choose_store, st, 0x0000ff00), EMU_NEXT);
    assert_int_equal(h->result.findings, 0);
    assert_int_equal(run(emu_choose_store, st, 0x00010100), EMU_NEXT);
    assert_int_equal(h->result.findings, 1);
    assert_int_equal(hand_rule(h, 0), TMA_EMULATE_RULE_UNINITIALISED);
    assert_int_equal(h->result.finding[0].access[0].thread, 16);
    /* through shared memory and back */
    const emu_operand in_shared = hand_register(h, EMU_U64);
    for (uint32_t l = 0; l < EMU_LANES; l++) {
        hand_u64(h, in_shared)[l] = EMU_SHARED_WINDOW + EMU_SHARED_FIRST + 8 * l;
    }
    emu_set_undefined(w, &v, UINT32_MAX, 0x0000ff00);
    st->operand[0] = hand_address(in_shared, 0);
    assert_int_equal(run(emu_choose_store, st, UINT32_MAX), EMU_NEXT);
    ld->operand[1] = hand_address(in_shared, 0);
    assert_int_equal(run(emu_choose_load, ld, UINT32_MAX), EMU_NEXT);
    assert_int_equal(emu_undefined(w, &v), 0x0000ff00);
    ld->operand[1] = hand_address(at, 0);
    /* an undefined address */
    emu_set_undefined(w, &at, 2, 2);
    h->result.findings = 0;
    assert_int_equal(run(emu_choose_load, ld, 3), EMU_NEXT);
    assert_int_equal(hand_rule(h, 0), TMA_EMULATE_RULE_UNINITIALISED);
    assert_int_equal(h->result.finding[0].access[0].thread, 1);
}

static void test_launch_memory(void **state) {
    (void)state;
    static const uint8_t FIRST[16] = {1, 2, 3, 4, 5, 6, 7, 8};
    static const emu_relocation REFERS[] = {
        {.at_B = 8, .addend = 4, .variable = 1, .function = EMU_NONE, .is_generic = 1}};
    static const emu_chunk WHERE[] = {{.size_B = sizeof(FIRST)}};
    h->variable[0] = (emu_variable){
        .name = {"table", 5}, .space = EMU_CONST, .size_B = 16, .chunks = 1, .relocations = 1};
    h->variable[1] = (emu_variable){.name = {"counter", 7}, .space = EMU_GLOBAL, .size_B = 8};
    h->program.variables = h->program.all_placed = 2;
    h->program.placed = (uint32_t[]){0, 1};
    h->program.relocation = (emu_relocation *)(uintptr_t)REFERS;
    h->program.chunk = (emu_chunk *)(uintptr_t)WHERE;
    h->program.initial = (uint8_t *)(uintptr_t)FIRST;
    begin_memory();
    const uint64_t table = h->m.variable_address[0], counter = h->m.variable_address[1];
    emu_place place;
    assert_int_equal(emu_place_of(w, &h->code[0], 0, table, 16, 8, 0, &place), 0);
    assert_memory_equal(place.host, FIRST, 8);
    assert_int_equal(bytes_of(place.host + 8, 8), counter + 4);
    assert_int_equal(emu_place_of(w, &h->code[0], 0, table, 16, 8, 1, &place), -1);
    uint64_t follows_B = 0;
    assert_null(emu_resolve_global(&h->m, table, 4, true, &follows_B));
    assert_non_null(emu_resolve_global(&h->m, table + 4, 4, false, &follows_B));
    assert_int_equal(follows_B, 12);
}

static void test_overlap(void **state) {
    (void)state;
    h->memory[1].address = HAND_GLOBAL + HAND_GLOBAL_B - 256;
    assert_int_equal(emu_memory_begin(&h->m, &error), -1);
    assert_string_equal(error.text, "memory 1: fresh overlaps A (0x700000000, 65536 bytes)");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_load_types, begin, end),
        cmocka_unit_test_setup_teardown(test_vectors, begin, end),
        cmocka_unit_test_setup_teardown(test_local_and_param, begin, end),
        cmocka_unit_test_setup_teardown(test_atomics, begin, end),
        cmocka_unit_test_setup_teardown(test_atomic_one_place, begin, end),
        cmocka_unit_test_setup_teardown(test_atomic_vector, begin, end),
        cmocka_unit_test_setup_teardown(test_out_of_bounds, begin, end),
        cmocka_unit_test_setup_teardown(test_heap, begin, end),
        cmocka_unit_test_setup_teardown(test_undefined, begin, end),
        cmocka_unit_test_setup_teardown(test_launch_memory, begin, end),
        cmocka_unit_test_setup_teardown(test_overlap, begin, end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
