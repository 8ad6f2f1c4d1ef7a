/* SPDX-License-Identifier: Apache-2.0
 *
 * tensormap.replace, field by field: which bits change and which do not, what is refused, what
 * stays behind; and that its bits are those of an encoded map.
 */
#include "support/testing.h"

#include "support/cases/rule_cases.h"
#include "support/cases/spec_line.h"
#include "support/gen/gen_spec.h"
#include <tma/map.h>

/* One edit and the bits it may touch, typed from the machine code that the compiler emits. */
struct edit {
    tma_replace_field field;
    uint32_t ordinal;
    uint64_t value;
    uint32_t word; /* what changes there: (old & ~mask) | bits */
    uint32_t mask;
    uint32_t bits;
    uint32_t word_2; /* a second word, if mask_2 is not 0 */
    uint32_t mask_2;
    uint32_t bits_2;
};

#define ALL UINT32_MAX

static const struct edit edits[] = {
    {TMA_REPLACE_GLOBAL_ADDRESS, 0, 0x123456789ABCDEF1, 0, ALL, 0x9ABCDEF1, 1, ALL, 0x12345678},
    {TMA_REPLACE_GLOBAL_ADDRESS, 0, 0, 0, ALL, 0, 1, ALL, 0},
    {TMA_REPLACE_RANK, 0, 0, 2, 0x70, 0x00, 0, 0, 0},
    {TMA_REPLACE_RANK, 0, 4, 2, 0x70, 0x40, 0, 0, 0},
    {TMA_REPLACE_RANK, 0, 7, 2, 0x70, 0x70, 0, 0, 0},
    {TMA_REPLACE_RANK, 0, 8, 2, 0x70, 0x00, 0, 0, 0}, /* cut to three bits */
    {TMA_REPLACE_BOX_DIM, 0, 1, 13, 0xFF000000, 0, 0, 0, 0},
    {TMA_REPLACE_BOX_DIM, 0, 256, 13, 0xFF000000, 0xFF000000, 0, 0, 0},
    {TMA_REPLACE_BOX_DIM, 0, 0, 13, 0xFF000000, 0xFF000000, 0, 0, 0}, /* 0 is 256 */
    {TMA_REPLACE_BOX_DIM, 0, 257, 13, 0xFF000000, 0, 0, 0, 0},
    {TMA_REPLACE_BOX_DIM, 1, 64, 14, 0x000000FF, 0x0000003F, 0, 0, 0},
    {TMA_REPLACE_BOX_DIM, 2, 64, 14, 0x0000FF00, 0x00003F00, 0, 0, 0},
    {TMA_REPLACE_BOX_DIM, 3, 64, 14, 0x00FF0000, 0x003F0000, 0, 0, 0},
    {TMA_REPLACE_BOX_DIM, 4, 64, 14, 0xFF000000, 0x3F000000, 0, 0, 0},
    {TMA_REPLACE_GLOBAL_DIM, 0, 1, 8, ALL, 0, 0, 0, 0},
    {TMA_REPLACE_GLOBAL_DIM, 1, 4096, 9, ALL, 4095, 0, 0, 0},
    {TMA_REPLACE_GLOBAL_DIM, 2, 0, 10, ALL, ALL, 0, 0, 0}, /* 0 is 2^32 */
    {TMA_REPLACE_GLOBAL_DIM, 3, 0x100000000, 11, ALL, ALL, 0, 0, 0},
    {TMA_REPLACE_GLOBAL_DIM, 4, 7, 12, ALL, 6, 0, 0, 0},
    {TMA_REPLACE_GLOBAL_STRIDE, 0, 0xFFFFFFFFF0, 3, ALL, ALL, 7, 0x000F, 0x000F},
    {TMA_REPLACE_GLOBAL_STRIDE, 1, 0x5123456780, 4, ALL, 0x12345678, 7, 0x00F0, 0x0050},
    {TMA_REPLACE_GLOBAL_STRIDE, 2, 0x6123456780, 5, ALL, 0x12345678, 7, 0x0F00, 0x0600},
    {TMA_REPLACE_GLOBAL_STRIDE, 3, 0x7123456780, 6, ALL, 0x12345678, 7, 0xF000, 0x7000},
    {TMA_REPLACE_GLOBAL_STRIDE, 3, 0xFF0000000000001F, 6, ALL, 1, 7, 0xF000, 0x0000},
    {TMA_REPLACE_ELEMENT_STRIDE, 0, 1, 13, 0x0007, 0x0000, 0, 0, 0},
    {TMA_REPLACE_ELEMENT_STRIDE, 1, 8, 13, 0x0038, 0x0038, 0, 0, 0},
    {TMA_REPLACE_ELEMENT_STRIDE, 2, 0, 13, 0x01C0, 0x01C0, 0, 0, 0}, /* 0 is 8 */
    {TMA_REPLACE_ELEMENT_STRIDE, 3, 9, 13, 0x0E00, 0x0000, 0, 0, 0}, /* 9 is 1 */
    {TMA_REPLACE_ELEMENT_STRIDE, 4, 3, 13, 0x7000, 0x2000, 0, 0, 0},
    {TMA_REPLACE_ELEMTYPE, 0, 0, 2, 0x780, 0x000, 0, 0, 0},
    {TMA_REPLACE_ELEMTYPE, 0, 7, 2, 0x780, 0x380, 0, 0, 0},
    {TMA_REPLACE_ELEMTYPE, 0, 8, 2, 0x780, 0x400, 0, 0, 0},
    {TMA_REPLACE_ELEMTYPE, 0, 9, 2, 0x780, 0x480, 0, 0, 0},
    {TMA_REPLACE_ELEMTYPE, 0, 10, 2, 0x780, 0x500, 0, 0, 0},
    {TMA_REPLACE_ELEMTYPE, 0, 11, 2, 0x10780, 0x10380, 0, 0, 0}, /* and the TF32 flag */
    {TMA_REPLACE_ELEMTYPE, 0, 12, 2, 0x10780, 0x10400, 0, 0, 0},
    {TMA_REPLACE_ELEMTYPE, 0, 13, 2, 0x780, 0x580, 0, 0, 0},
    {TMA_REPLACE_ELEMTYPE, 0, 14, 2, 0x780, 0x600, 0, 0, 0},
    {TMA_REPLACE_ELEMTYPE, 0, 15, 2, 0x780, 0x680, 0, 0, 0},
    {TMA_REPLACE_INTERLEAVE, 0, 0, 2, 0x1800, 0x0000, 0, 0, 0},
    {TMA_REPLACE_INTERLEAVE, 0, 1, 2, 0x1800, 0x0800, 0, 0, 0},
    {TMA_REPLACE_INTERLEAVE, 0, 2, 2, 0x1800, 0x1000, 0, 0, 0},
    {TMA_REPLACE_SWIZZLE_MODE, 0, 0, 2, 0x406000, 0x000000, 0, 0, 0}, /* and bit 22 */
    {TMA_REPLACE_SWIZZLE_MODE, 0, 1, 2, 0x406000, 0x002000, 0, 0, 0},
    {TMA_REPLACE_SWIZZLE_MODE, 0, 3, 2, 0x406000, 0x006000, 0, 0, 0},
    {TMA_REPLACE_SWIZZLE_MODE, 0, 4, 2, 0x406000, 0x400000, 0, 0, 0}, /* 96 bytes */
    {TMA_REPLACE_FILL_MODE, 0, 0, 2, 0x8000, 0x0000, 0, 0, 0},
    {TMA_REPLACE_FILL_MODE, 0, 1, 2, 0x8000, 0x8000, 0, 0, 0},
    {TMA_REPLACE_SWIZZLE_ATOMICITY, 0, 0, 2, 0x380000, 0x000000, 0, 0, 0}, /* and bit 21 */
    {TMA_REPLACE_SWIZZLE_ATOMICITY, 0, 1, 2, 0x380000, 0x080000, 0, 0, 0},
    {TMA_REPLACE_SWIZZLE_ATOMICITY, 0, 3, 2, 0x380000, 0x180000, 0, 0, 0},
    {TMA_REPLACE_ALLOC_CLASS, 0, TMA_CLASS_SMALL, 2, 0x200000, 0x000000, 0, 0, 0},
    {TMA_REPLACE_ALLOC_CLASS, 0, TMA_CLASS_LARGE, 2, 0x200000, 0x200000, 0, 0, 0},
};

static uint32_t word(const uint8_t *map, uint32_t at) {
    const uint8_t *b = map + (size_t)4 * at;
    return b[0] | (uint32_t)b[1] << 8 | (uint32_t)b[2] << 16 | (uint32_t)b[3] << 24;
}

/* On maps of ones, of zeros and of anything: the edit's bits, and no others. */
static void bits_and_no_others(void **state) {
    (void)state;
    struct random_source r = {51};
    for (unsigned round = 0; round < 100; round++) {
        for (size_t i = 0; i < COUNT_OF(edits); i++) {
            const struct edit *e = &edits[i];
            uint8_t before[TMA_MAP_BYTES];
            uint8_t after[TMA_MAP_BYTES];
            for (size_t b = 0; b < sizeof(before); b++) {
                before[b] = (uint8_t)(round == 0 ? 0 : round == 1 ? 0xFF : random_u64(&r));
            }
            memcpy(after, before, sizeof(after));
            assert_int_equal(
                tma_replace(
                    after, &(tma_edit){.field = e->field, .ordinal = e->ordinal, .value = e->value},
                    NULL),
                TMA_OK);
            for (uint32_t w = 0; w < TMA_MAP_WORDS; w++) {
                uint32_t expected = word(before, w);
                expected = w == e->word ? (expected & ~e->mask) | e->bits : expected;
                expected =
                    w == e->word_2 && e->mask_2 ? (expected & ~e->mask_2) | e->bits_2 : expected;
                if (word(after, w) != expected) {
                    fail_msg("edit %zu: word %u is 0x%08x, not 0x%08x", i, w, word(after, w),
                             expected);
                }
            }
        }
    }
}

/* Every field has edits above, and every ordinal that it takes. */
static void all_are_tried(void **state) {
    (void)state;
    for (uint32_t field = 0; field < TMA_REPLACE_FIELDS; field++) {
        const tma_replace_row *row = tma_replace_row_of(field);
        assert_non_null(row);
        const uint32_t ordinals = row->ordinals ? (uint32_t)row->ordinals : 1;
        for (uint32_t ordinal = 0; ordinal < ordinals; ordinal++) {
            int tried = field == TMA_REPLACE_GLOBAL_STRIDE && ordinal == 4; /* below */
            for (size_t i = 0; i < COUNT_OF(edits); i++) {
                tried |= edits[i].field == field && edits[i].ordinal == ordinal;
            }
            if (!tried) {
                fail_msg("%s, ordinal %u", row->name, ordinal);
            }
        }
    }
    assert_null(tma_replace_row_of(TMA_REPLACE_FIELDS));
    assert_null(tma_replace_row_of(UINT32_MAX));
}

static void expect_status(tma_replace_field field, uint32_t ordinal, uint64_t value,
                          tma_status expected) {
    uint8_t map[TMA_MAP_BYTES];
    uint8_t before[TMA_MAP_BYTES];
    memset(map, 0x3C, sizeof(map));
    memset(before, 0x3C, sizeof(before));
    assert_int_equal(
        tma_replace(map, &(tma_edit){.field = field, .ordinal = ordinal, .value = value}, NULL),
        expected);
    if (expected != TMA_OK) {
        assert_memory_equal(map, before, sizeof(map));
    }
}

/* What ptxas takes and what it does not: both sides of every ordinal and immediate. */
static void expect_finding(tma_replace_field field, uint32_t ordinal, uint64_t value,
                           tma_rule_id rule, uint64_t given, uint64_t limit) {
    const tma_edit edit = {.field = field, .ordinal = ordinal, .value = value};
    tma_map map = {{0}};
    const tma_map before = map;
    tma_finding why = {0};
    const tma_status status = tma_replace(map.bytes, &edit, &why);
    assert_int_equal(status, rule == TMA_RULE_REPLACE_FIELD ? TMA_INVALID : TMA_PTXAS);
    assert_int_equal(why.rule, rule);
    assert_int_equal(tma_rule_of(rule)->scope, TMA_RULES_OF_EDITS);
    assert_true(why.given == given && why.value == given && why.limit == limit);
    assert_memory_equal(&map, &before, sizeof(map));
}

/* Flags that no version gave a meaning are reserved too. */
static void reserved_is_zero(void) {
    tma_map map = {{0}};
    for (int i = 0; i < 3; i++) {
        tma_edit edit = {.field = TMA_REPLACE_RANK, .flags = i == 2 ? 2 : 0};
        tma_finding why = {0};
        edit.reserved[i % 2] = i < 2;
        assert_int_equal(tma_replace(map.bytes, &edit, &why), TMA_INVALID);
        assert_int_equal(why.rule, TMA_RULE_RESERVED_ZERO);
    }
}

static void ordinals_and_immediates(void **state) {
    (void)state;
    static const tma_replace_field with_ordinal[] = {TMA_REPLACE_BOX_DIM, TMA_REPLACE_GLOBAL_DIM,
                                                     TMA_REPLACE_GLOBAL_STRIDE,
                                                     TMA_REPLACE_ELEMENT_STRIDE};
    static const struct {
        tma_replace_field field;
        uint64_t max;
    } immediate[] = {{TMA_REPLACE_ELEMTYPE, 15},
                     {TMA_REPLACE_INTERLEAVE, 2},
                     {TMA_REPLACE_SWIZZLE_MODE, 4},
                     {TMA_REPLACE_FILL_MODE, 1},
                     {TMA_REPLACE_SWIZZLE_ATOMICITY, 3}};
    for (size_t i = 0; i < COUNT_OF(with_ordinal); i++) {
        expect_status(with_ordinal[i], 4, 16, TMA_OK);
        expect_finding(with_ordinal[i], 5, 16, TMA_RULE_REPLACE_ORDINAL, 5, 5);
        expect_finding(with_ordinal[i], UINT32_MAX, 16, TMA_RULE_REPLACE_ORDINAL, UINT32_MAX, 5);
    }
    for (size_t i = 0; i < COUNT_OF(immediate); i++) {
        for (uint64_t value = 0; value <= immediate[i].max; value++) {
            expect_status(immediate[i].field, 0, value, TMA_OK);
        }
        expect_finding(immediate[i].field, 0, immediate[i].max + 1, TMA_RULE_REPLACE_IMMEDIATE,
                       immediate[i].max + 1, immediate[i].max);
        expect_status(immediate[i].field, 0, UINT64_MAX, TMA_PTXAS);
        expect_status(immediate[i].field, 0, UINT64_C(1) << 32, TMA_PTXAS);
    }
    expect_status(TMA_REPLACE_RANK, 0, UINT64_MAX, TMA_OK); /* registers hold anything */
    expect_finding(TMA_REPLACE_FIELDS, 0, 0, TMA_RULE_REPLACE_FIELD, TMA_REPLACE_FIELDS,
                   TMA_REPLACE_FIELDS);
    reserved_is_zero();
    expect_status((tma_replace_field)-1, 0, 0, TMA_INVALID);
    assert_int_equal(tma_replace(NULL, &(tma_edit){.field = TMA_REPLACE_RANK}, NULL), TMA_INVALID);
}

/* Ordinal 4 of global_stride: what the compiler's code does with it. The low word lands on word 7,
 * then the nibble of ordinal 4, bits 19 to 16 of that same word, is set. */
static void stride_ordinal_4(void **state) {
    (void)state;
    uint8_t map[TMA_MAP_BYTES];
    memset(map, 0xFF, sizeof(map));
    assert_int_equal(
        tma_replace(
            map,
            &(tma_edit){.field = TMA_REPLACE_GLOBAL_STRIDE, .ordinal = 4, .value = 0x5123456780},
            NULL),
        TMA_OK);
    assert_int_equal(word(map, 7), 0x12355678);
    for (uint32_t w = 0; w < TMA_MAP_WORDS; w++) {
        assert_true(w == 7 || word(map, w) == UINT32_MAX);
    }
}

/* From tf32 to anything below 11 the flag stays, and decode says so. */
static void tf32_flag_stays(void **state) {
    (void)state;
    for (uint32_t immediate = 0; immediate < 16; immediate++) {
        tma_spec spec;
        tma_target target;
        tma_map map;
        tma_decoded decoded;
        rule_base_make(BASE_CUBE, &spec, &target);
        spec.dtype = TMA_DTYPE_TFLOAT32;
        assert_int_equal(tma_encode(map.bytes, &spec, NULL), TMA_OK);
        assert_int_equal(tma_replace(map.bytes,
                                     &(tma_edit){.field = TMA_REPLACE_ELEMTYPE, .value = immediate},
                                     NULL),
                         TMA_OK);
        assert_int_equal(tma_decode(&decoded, map.bytes), TMA_OK);
        assert_int_equal(word(map.bytes, 2) >> 16 & 1, 1);
        const int f32 = immediate == 7 || immediate == 8 || immediate == 11 || immediate == 12;
        assert_int_equal((decoded.odd & TMA_ODD_TF32_FLAG) != 0, !f32);
        if (immediate == 7) { /* f32 over tf32 is tf32 still */
            assert_int_equal(decoded.spec.dtype, TMA_DTYPE_TFLOAT32);
        }
    }
}

/* The derived words stay as they were; decode reports them stale. */
static void derived_words_go_stale(void **state) {
    (void)state;
    tma_spec spec;
    tma_target target;
    tma_map map;
    tma_decoded decoded;
    rule_base_make(BASE_TILE, &spec, &target);
    assert_int_equal(tma_encode(map.bytes, &spec, NULL), TMA_OK);
    assert_int_equal(
        tma_replace(map.bytes, &(tma_edit){.field = TMA_REPLACE_BOX_DIM, .ordinal = 1, .value = 64},
                    NULL),
        TMA_OK);
    assert_int_equal(tma_decode(&decoded, map.bytes), TMA_OK);
    assert_int_equal(decoded.odd, TMA_ODD_BOX_BYTES);
    assert_int_equal(decoded.box_B, 64 * 128 * 2);
    assert_int_equal(decoded.spec.box_el[1], 64);
    assert_int_equal(
        tma_replace(map.bytes,
                    &(tma_edit){.field = TMA_REPLACE_BOX_DIM, .ordinal = 1, .value = 128}, NULL),
        TMA_OK);
    assert_int_equal(
        tma_replace(map.bytes, &(tma_edit){.field = TMA_REPLACE_SWIZZLE_MODE, .value = 3}, NULL),
        TMA_OK);
    assert_int_equal(tma_decode(&decoded, map.bytes), TMA_OK);
    assert_int_equal(decoded.odd, TMA_ODD_REPEAT);
    assert_int_equal(decoded.repeat_B, 16);
    assert_int_equal(tma_replace(map.bytes, &(tma_edit){.field = TMA_REPLACE_SWIZZLE_MODE}, NULL),
                     TMA_OK);
    /* from 2 to 1 dimensions */
    assert_int_equal(tma_replace(map.bytes, &(tma_edit){.field = TMA_REPLACE_RANK}, NULL), TMA_OK);
    assert_int_equal(tma_decode(&decoded, map.bytes), TMA_OK);
    assert_int_equal(decoded.odd, TMA_ODD_BEYOND_RANK | TMA_ODD_BOX_BYTES);
}

/* One bit of odd each, made by hand: what it takes, and its sentence. */
static void each_oddity(void **state) {
    (void)state;
    static const struct {
        uint32_t word;
        uint32_t flip;
        uint64_t odd;
    } cases[] = {
        {2, 0x00000002, TMA_ODD_KIND},         {2, 0x00000400, TMA_ODD_ELEMENT},
        {2, 0x00001800, TMA_ODD_INTERLEAVE},   {2, 0x00010000, TMA_ODD_TF32_FLAG},
        {2, 0x00080000, TMA_ODD_ATOMICITY},    {16, 0x00000001, TMA_ODD_BOX_BYTES},
        {18, 0x00000001, TMA_ODD_REPEAT},      {12, 0x00000001, TMA_ODD_BEYOND_RANK},
        {14, 0x00000100, TMA_ODD_BEYOND_RANK}, {6, 0x80000000, TMA_ODD_BEYOND_RANK},
        {13, 0x00000040, TMA_ODD_BEYOND_RANK}, {17, 0x00000001, TMA_ODD_UNOWNED},
        {31, 0x80000000, TMA_ODD_UNOWNED},     {2, 0x00800000, TMA_ODD_UNOWNED},
        {7, 0x00010000, TMA_ODD_UNOWNED},      {13, 0x00008000, TMA_ODD_UNOWNED},
        {15, 0x00000001, TMA_ODD_UNOWNED},
    };
    tma_spec spec;
    tma_target target;
    tma_decoded decoded;
    rule_base_make(BASE_TILE, &spec, &target);
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        tma_map map;
        assert_int_equal(tma_encode(map.bytes, &spec, NULL), TMA_OK);
        for (uint32_t b = 0; b < 4; b++) {
            map.bytes[4 * cases[i].word + b] ^= (uint8_t)(cases[i].flip >> (8 * b));
        }
        assert_int_equal(tma_decode(&decoded, map.bytes), TMA_OK);
        const uint32_t others = /* an unknown type has no bytes */
            cases[i].odd == TMA_ODD_ELEMENT ? TMA_ODD_BOX_BYTES : 0;
        if (decoded.odd != (cases[i].odd | others)) {
            fail_msg("word %u ^ 0x%x: odd 0x%llx", cases[i].word, cases[i].flip,
                     (unsigned long long)decoded.odd);
        }
    }
    for (uint64_t odd = 1; odd <= TMA_ODD_ALL; odd <<= 1) {
        assert_true(strlen(tma_odd_text(odd)) > 10);
    }
    assert_string_equal(tma_odd_text(0), "");
    assert_string_equal(tma_odd_text(TMA_ODD_ALL + 1), "");
    assert_string_equal(tma_odd_text(TMA_ODD_KIND | TMA_ODD_RANK), "");
}

/* What one description of an RTX 5090's maps has otherwise is not odd: word 18 is 1024 whatever the
 * atom, word 16 is 0 for packed types. The same words of other maps are. */
static void words_of_another_description(void **state) {
    (void)state;
    static const struct {
        uint32_t dtype;
        uint32_t swizzle;
        uint32_t word;
        uint32_t value;
        uint64_t odd;
    } cases[] = {
        {TMA_DTYPE_FLOAT16, TMA_SWIZZLE_128B_ATOM_32B, 18, 0x400, 0},
        {TMA_DTYPE_FLOAT16, TMA_SWIZZLE_128B_ATOM_32B_FLIP_8B, 18, 0x400, 0},
        {TMA_DTYPE_FLOAT16, TMA_SWIZZLE_128B_ATOM_64B, 18, 0x400, 0},
        {TMA_DTYPE_FLOAT16, TMA_SWIZZLE_128B_ATOM_64B, 18, 0x200, TMA_ODD_REPEAT},
        {TMA_DTYPE_FLOAT16, TMA_SWIZZLE_64B, 18, 0x400, TMA_ODD_REPEAT},
        {TMA_DTYPE_FLOAT16, TMA_SWIZZLE_96B, 18, 0x10, TMA_ODD_REPEAT},
        {TMA_DTYPE_16U4_ALIGN8B, TMA_SWIZZLE_NONE, 16, 0, 0},
        {TMA_DTYPE_16U4_ALIGN16B, TMA_SWIZZLE_128B, 16, 0, 0},
        {TMA_DTYPE_16U6_ALIGN16B, TMA_SWIZZLE_128B, 16, 0, 0},
        {TMA_DTYPE_16U6_ALIGN16B, TMA_SWIZZLE_128B, 16, 64, TMA_ODD_BOX_BYTES},
        {TMA_DTYPE_FLOAT16, TMA_SWIZZLE_NONE, 16, 0, TMA_ODD_BOX_BYTES},
    };
    tma_spec spec;
    tma_target target;
    rule_base_make(BASE_TILE, &spec, &target);
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        tma_map map;
        tma_decoded decoded;
        spec.dtype = cases[i].dtype;
        spec.swizzle = cases[i].swizzle;
        assert_int_equal(tma_encode_forced(map.bytes, &spec, NULL, NULL), TMA_OK);
        for (uint32_t b = 0; b < 4; b++) {
            map.bytes[4 * cases[i].word + b] = (uint8_t)(cases[i].value >> (8 * b));
        }
        assert_int_equal(tma_decode(&decoded, map.bytes), TMA_OK);
        if (decoded.odd != cases[i].odd) {
            fail_msg("case %zu: odd 0x%llx", i, (unsigned long long)decoded.odd);
        }
    }
}

/* The edit of a plain map gives the map that encode gives, but for the derived words 16 and 18 and
 * bit 21, which swizzle_atomicity clears. */
static void expect_agreement(struct random_source *r, const tma_target *target, uint32_t dtype,
                             uint32_t swizzle) {
    tma_spec spec = gen_good_spec(r, target);
    tma_map wanted;
    tma_map edited;
    spec.dtype = dtype;
    spec.swizzle = swizzle;
    assert_int_equal(tma_encode_forced(wanted.bytes, &spec, target, NULL), TMA_OK);
    spec.dtype = TMA_DTYPE_UINT8;
    spec.swizzle = TMA_SWIZZLE_NONE;
    assert_int_equal(tma_encode_forced(edited.bytes, &spec, target, NULL), TMA_OK);
    const tma_enum_row *type = tma_enum_row_of(TMA_ENUM_DTYPE, dtype);
    const int atomicity = swizzle >= TMA_SWIZZLE_128B_ATOM_32B && swizzle <= 6;
    const uint64_t mode = swizzle == TMA_SWIZZLE_96B ? 4 : atomicity ? 3 : swizzle;
    assert_int_equal(
        tma_replace(edited.bytes,
                    &(tma_edit){.field = TMA_REPLACE_ELEMTYPE, .value = (uint64_t)type->ptx}, NULL),
        TMA_OK);
    assert_int_equal(tma_replace(edited.bytes,
                                 &(tma_edit){.field = TMA_REPLACE_SWIZZLE_MODE, .value = mode},
                                 NULL),
                     TMA_OK);
    if (atomicity) {
        assert_int_equal(
            tma_replace(edited.bytes,
                        &(tma_edit){.field = TMA_REPLACE_SWIZZLE_ATOMICITY, .value = swizzle - 3},
                        NULL),
            TMA_OK);
    }
    for (uint32_t w = 0; w < TMA_MAP_WORDS; w++) {
        const uint32_t apart = w == 16 || w == 18 ? UINT32_MAX : w == 2 ? 1u << 21 : 0;
        if ((word(edited.bytes, w) ^ word(wanted.bytes, w)) & ~apart) {
            char line[SPEC_LINE_BYTES];
            fail_msg("dtype %u, swizzle %u: word %u differs: %s", dtype, swizzle, w,
                     spec_line(&spec, target, line));
        }
    }
}

static void encode_agrees_with_replace(void **state) {
    (void)state;
    static const uint32_t swizzles[] = {0, 1, 2, 3, 4, 5, 6, TMA_SWIZZLE_96B};
    const tma_target sm_103a = {.sm = 103, .suffix = 'a', .driver = 13000};
    struct random_source r = {53};
    for (uint32_t dtype = 0; dtype < 16; dtype++) {
        for (size_t i = 0; i < COUNT_OF(swizzles); i++) {
            for (unsigned n = 0; n < 100; n++) {
                expect_agreement(&r, &sm_103a, dtype, swizzles[i]);
            }
        }
    }
}

/* cuTensorMapReplaceAddress: both sides of its three refusals, and nothing but words 0 and 1. */
static void replace_address(void **state) {
    (void)state;
    static const struct {
        uint64_t address;
        tma_status status;
        tma_rule_id rule;
    } cases[] = {{16, TMA_OK, TMA_RULE_NONE},
                 {0, TMA_REFUSED, TMA_RULE_REPLACE_ADDRESS_NULL},
                 {8, TMA_REFUSED, TMA_RULE_ADDRESS_ALIGN},
                 {17, TMA_REFUSED, TMA_RULE_ADDRESS_ALIGN},
                 {(UINT64_C(1) << 57) - 16, TMA_OK, TMA_RULE_NONE},
                 {UINT64_C(1) << 57, TMA_REFUSED, TMA_RULE_ADDRESS_LIMIT},
                 {UINT64_MAX - 15, TMA_REFUSED, TMA_RULE_ADDRESS_LIMIT}};
    tma_spec spec;
    tma_target target;
    rule_base_make(BASE_SLICES_32B, &spec, &target); /* takes 16 here, though encode asks for 32 */
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        tma_map before;
        tma_map map;
        assert_int_equal(tma_encode(before.bytes, &spec, NULL), TMA_OK);
        map = before;
        tma_finding why = {0};
        assert_int_equal(tma_replace_address(map.bytes, cases[i].address, &why), cases[i].status);
        assert_int_equal(why.rule, cases[i].rule);
        assert_int_equal(why.given, cases[i].status == TMA_OK ? 0 : cases[i].address);
        assert_int_equal(why.index, cases[i].status == TMA_OK ? 0 : -1);
        if (cases[i].status == TMA_OK) {
            assert_int_equal(word(map.bytes, 0), (uint32_t)cases[i].address);
            assert_int_equal(word(map.bytes, 1), cases[i].address >> 32);
            memcpy(before.bytes, map.bytes, 8);
        }
        assert_memory_equal(map.bytes, before.bytes, TMA_MAP_BYTES);
    }
    assert_int_equal(tma_replace_address(NULL, 16, NULL), TMA_INVALID);
}

/* The text asks for the alignment of the encode calls; seen of interleave 32B, which the driver
 * lets through, and of no padded type. */
static void replace_address_of_padded_types(void **state) {
    (void)state;
    static const struct {
        enum rule_base base;
        tma_status at_16;
    } rows[] = {{BASE_U4_PADDED, TMA_REFUSED},
                {BASE_U6, TMA_REFUSED},
                {BASE_U4, TMA_OK},
                {BASE_SLICES_32B, TMA_OK}};
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        tma_spec spec;
        tma_target target;
        tma_map map;
        tma_map before;
        rule_base_make(rows[i].base, &spec, &target);
        assert_int_equal(tma_encode(map.bytes, &spec, &target), TMA_OK);
        before = map;
        tma_finding why = {0};
        assert_int_equal(tma_replace_address(map.bytes, 0x1010, &why), rows[i].at_16);
        if (rows[i].at_16 != TMA_OK) {
            assert_int_equal(why.rule, TMA_RULE_ADDRESS_ALIGN_PACKED);
            assert_int_equal(why.index, -1);
            assert_int_equal(why.limit, 32);
            assert_memory_equal(map.bytes, before.bytes, sizeof(map.bytes));
        }
        assert_int_equal(tma_replace_address(map.bytes, 0x1020, NULL), TMA_OK);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bits_and_no_others),
        cmocka_unit_test(all_are_tried),
        cmocka_unit_test(ordinals_and_immediates),
        cmocka_unit_test(stride_ordinal_4),
        cmocka_unit_test(tf32_flag_stays),
        cmocka_unit_test(derived_words_go_stale),
        cmocka_unit_test(each_oddity),
        cmocka_unit_test(words_of_another_description),
        cmocka_unit_test(encode_agrees_with_replace),
        cmocka_unit_test(replace_address),
        cmocka_unit_test(replace_address_of_padded_types),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
