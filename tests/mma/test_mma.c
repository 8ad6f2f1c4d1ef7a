/* SPDX-License-Identifier: Apache-2.0
 *
 * Matrix descriptors: the shared addresses that an H200 read; the worked examples of the PTX ISA;
 * and that what a real copy of a map leaves is what is read through the descriptor made for it.
 */
#include "support/testing.h"

#include "support/gen/random.h"
#include <tma/tma.h>
#include <zlib.h>

#ifndef TMA_VECTORS_DIR
#error "TMA_VECTORS_DIR: the folder of the captured answers"
#endif

#define LINE_BYTES 32768
#define WINDOW_B   (1u << 18)
#define TENSOR_B   (1u << 17)

static tma_mma_operand operand(uint32_t type, uint32_t major, uint32_t mn, uint32_t k) {
    const tma_mma_operand o = {.type = type, .major = major, .mn_el = mn, .k_el = k};
    return o;
}

static void as_read_by_h200(void **state) {
    (void)state;
    static char line[LINE_BYTES];
    unsigned lines = 0;
    gzFile file = gzopen(TMA_VECTORS_DIR "/wgmma_reads.txt.gz", "rb");
    assert_non_null(file);
    while (gzgets(file, line, sizeof(line))) {
        const char *bits = strstr(line, " desc=");
        const char *read = strstr(line, " read=");
        assert_true(bits && read && strstr(line, " type=f16 operand=A "));
        tma_mma_descriptor d;
        assert_int_equal(tma_mma_decode(&d, TMA_MMA_WGMMA, strtoull(bits + 6, NULL, 16)), TMA_OK);
        const tma_mma_operand o =
            operand(TMA_MMA_TYPE_F16, strstr(line, " major=M ") != NULL, 64, 0);
        read += strlen(" read=");
        for (uint32_t i = 0; i < 1024; i++) {
            char *end;
            const long seen = strtol(read, &end, 10);
            assert_true(end != read);
            read = end + 1;
            if (seen != (long)tma_mma_read(&d, &o, i / 16, i % 16).address_B) {
                fail_msg("(%u, %u) of %.60s: %ld", i / 16, i % 16, bits, seen);
            }
        }
        lines++;
    }
    gzclose(file);
    assert_int_equal(lines, 300);
}

/* The PTX ISA's examples, "exact layout" and encodings typed in: 9.7.15.5.1.2.1.3. */
static void examples_of_the_document(void **state) {
    (void)state;
    static const struct {
        uint32_t swizzle, type, major, leading_B, stride_B, mn, k, at_el;
    } seen[] = {
        /* ((8,2),(4,4)):((4,32),(1,64)) tf32: (8, 0) at 32, (0, 4) at 64 elements */
        {TMA_SWIZZLE_NONE, TMA_MMA_TYPE_TF32, 0, 64 * 4, 32 * 4, 8, 0, 32},
        {TMA_SWIZZLE_NONE, TMA_MMA_TYPE_TF32, 0, 64 * 4, 32 * 4, 0, 4, 64},
        {TMA_SWIZZLE_NONE, TMA_MMA_TYPE_TF32, 0, 64 * 4, 32 * 4, 3, 2, 14},
        /* ((8,1,2),(8,2)):((1,8,64),(8,128)) bf16 */
        {TMA_SWIZZLE_NONE, TMA_MMA_TYPE_BF16, 1, 128 * 2, 64 * 2, 8, 0, 64},
        {TMA_SWIZZLE_NONE, TMA_MMA_TYPE_BF16, 1, 128 * 2, 64 * 2, 0, 8, 128},
        {TMA_SWIZZLE_NONE, TMA_MMA_TYPE_BF16, 1, 128 * 2, 64 * 2, 2, 3, 26},
        /* 32B: ((8,2),(4,4)):((8,64),(1,4)) tf32; rows 4 to 7 of a pattern have bit 4 turned */
        {TMA_SWIZZLE_32B, TMA_MMA_TYPE_TF32, 0, 16, 64 * 4, 8, 0, 64},
        {TMA_SWIZZLE_32B, TMA_MMA_TYPE_TF32, 0, 16, 64 * 4, 4, 0, 36},
        {TMA_SWIZZLE_32B, TMA_MMA_TYPE_TF32, 0, 16, 64 * 4, 4, 5, 33},
        /* 32B: ((8,2,2),(8,2)):((1,8,128),(16,256)) bf16 */
        {TMA_SWIZZLE_32B, TMA_MMA_TYPE_BF16, 1, 128 * 2, 256 * 2, 16, 0, 128},
        {TMA_SWIZZLE_32B, TMA_MMA_TYPE_BF16, 1, 128 * 2, 256 * 2, 0, 8, 256},
        {TMA_SWIZZLE_32B, TMA_MMA_TYPE_BF16, 1, 128 * 2, 256 * 2, 8, 1, 24},
        /* 64B: ((8,4,2),(8,2)):((1,8,256),(32,512)) bf16 */
        {TMA_SWIZZLE_64B, TMA_MMA_TYPE_BF16, 1, 256 * 2, 512 * 2, 32, 0, 256},
        {TMA_SWIZZLE_64B, TMA_MMA_TYPE_BF16, 1, 256 * 2, 512 * 2, 0, 8, 512},
    };
    for (size_t i = 0; i < COUNT_OF(seen); i++) {
        for (uint32_t family = 0; family < TMA_MMA_FAMILIES; family++) {
            const tma_mma_descriptor d = {.family = family,
                                          .swizzle = seen[i].swizzle,
                                          .leading_B = seen[i].leading_B,
                                          .stride_B = seen[i].stride_B,
                                          .start_B = 4096};
            const tma_mma_operand o = operand(seen[i].type, seen[i].major, 64, 0);
            const uint32_t size_B = seen[i].type == TMA_MMA_TYPE_TF32 ? 4 : 2;
            assert_int_equal(tma_mma_read(&d, &o, seen[i].mn, seen[i].k).address_B,
                             4096 + seen[i].at_el * size_B);
        }
    }
}

static void bits_there_and_back(void **state) {
    (void)state;
    struct random_source r = {7};
    uint64_t bits;
    tma_mma_descriptor d = {0};
    /* m64n256k16 of CUTLASS's 128B K-major tile at 0x400 */
    d.swizzle = TMA_SWIZZLE_128B;
    d.start_B = 0x400;
    d.leading_B = 16;
    d.stride_B = 1024;
    assert_int_equal(tma_mma_encode(&bits, &d), TMA_OK);
    assert_true(bits == UINT64_C(0x4000004000010040));
    d.family = TMA_MMA_TCGEN05;
    assert_int_equal(tma_mma_encode(&bits, &d), TMA_OK);
    assert_true(bits == UINT64_C(0x4000404000010040));
    for (unsigned i = 0; i < 100000; i++) {
        const uint32_t family = (uint32_t)random_below(&r, 2);
        const uint64_t asked = random_u64(&r);
        tma_mma_descriptor back;
        const tma_status status = tma_mma_decode(&d, family, asked);
        if (status != TMA_OK) {
            assert_int_equal(family, TMA_MMA_TCGEN05);
            const unsigned code = (unsigned)(asked >> 61);
            assert_true(code == 3 || code == 5 || code == 7);
            assert_true(tma_mma_judge(family, asked, NULL) & 1u << TMA_MMA_RULE_SWIZZLE_CODE);
            continue;
        }
        assert_int_equal(tma_mma_encode(&bits, &d), TMA_OK);
        const uint64_t owned = family ? UINT64_C(0xE01E3FFF3FFF3FFF) : UINT64_C(0xC00E3FFF3FFF3FFF);
        assert_true((bits & owned) == (asked & owned));
        assert_true((bits & ~owned) == (family ? UINT64_C(1) << 46 : 0));
        assert_int_equal(tma_mma_decode(&back, family, bits), TMA_OK);
        assert_memory_equal(&d, &back, sizeof(d));
    }
}

static void limits_of_encode(void **state) {
    (void)state;
    const tma_mma_descriptor good = {.start_B = 0x3FFF0,
                                     .leading_B = 0x3FFF0,
                                     .stride_B = 0x3FFF0,
                                     .base_offset = 7,
                                     .swizzle = TMA_SWIZZLE_32B};
    uint64_t bits = 1;
    assert_int_equal(tma_mma_encode(&bits, &good), TMA_OK);
    assert_true(bits == UINT64_C(0xC00E3FFF3FFF3FFF));
    for (unsigned i = 0; i < 10; i++) {
        tma_mma_descriptor d = good;
        uint32_t *const member[] = {&d.start_B, &d.leading_B, &d.stride_B};
        if (i < 6) {
            *member[i / 2] += i % 2 ? 8 : 16;
        }
        d.base_offset += i == 6;
        d.swizzle = i == 7 ? TMA_SWIZZLE_128B_ATOM_32B : d.swizzle;
        d.leading_absolute = i == 8;
        d.family = i == 9 ? TMA_MMA_FAMILIES : 0;
        bits = 99;
        assert_int_equal(tma_mma_encode(&bits, &d), TMA_INVALID);
        assert_true(bits == 99);
    }
    assert_int_equal(tma_mma_encode(NULL, &good), TMA_INVALID);
    assert_int_equal(tma_mma_encode(&bits, NULL), TMA_INVALID);
}

#define SWIZZLED UINT64_C(0x4000004000010040)
#define TCGEN05  UINT64_C(0x4000404000010040)

/* Rule, the bits that break it alone, the bits next to it that do not. */
static void said_of_one(void **state) {
    (void)state;
    const tma_mma_operand k16 = operand(TMA_MMA_TYPE_F16, TMA_MMA_K_MAJOR, 64, 0);
    const tma_mma_operand mn8 = operand(TMA_MMA_TYPE_E4M3, TMA_MMA_MN_MAJOR, 64, 0);
    const tma_mma_operand mn32 = operand(TMA_MMA_TYPE_TF32, TMA_MMA_MN_MAJOR, 64, 0);
    const tma_mma_operand mn4 = operand(TMA_MMA_TYPE_E2M1, TMA_MMA_MN_MAJOR, 64, 0);
    const tma_mma_operand b1 = operand(TMA_MMA_TYPE_B1, TMA_MMA_K_MAJOR, 64, 0);
    const struct {
        uint32_t rule, family;
        uint64_t breaks, keeps;
        const tma_mma_operand *o;
    } cases[] = {
        {TMA_MMA_RULE_SWIZZLE_CODE, 1, 0x6000404000010040, 0x4000404000010040, &k16},
        {TMA_MMA_RULE_VERSION, 1, 0x4000004000010040, 0x4000404000010040, &k16},
        {TMA_MMA_RULE_UNOWNED, 0, 0x400000400001C040, 0x4000004000010040, &k16},
        {TMA_MMA_RULE_BASE_WITHOUT_SWIZZLE, 0, 0x0002004000010040, 0x0000004000010040, &k16},
        {TMA_MMA_RULE_BASE_OFFSET, 0, 0x4002004000010040, 0x4000004000010040, &k16},
        {TMA_MMA_RULE_LEADING_UNUSED, 0, 0x4000004000020040, 0x4000004000010040, &k16},
        {TMA_MMA_RULE_OVERLAP, 0, 0x4000000000010040, 0x4000004000010040, &k16},
        {TMA_MMA_RULE_ABSOLUTE, 1, 0x8010404000010040, 0x4010404000010040, &k16},
        {TMA_MMA_RULE_WINDOW, 0, 0x4000004000013708, 0x4000004000013700, &k16},
        {TMA_MMA_RULE_WINDOW, 0, 0x0000084000080000, 0x0000080000080000, &k16},
        {TMA_MMA_RULE_WINDOW, 1, 0x4010404039000047, 0x4010404000800047, &k16},
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        assert_int_equal(tma_mma_judge(cases[i].family, cases[i].breaks, cases[i].o),
                         1u << cases[i].rule);
        assert_int_equal(tma_mma_judge(cases[i].family, cases[i].keeps, cases[i].o), 0);
    }
    const uint64_t atoms = 0x2000404000010040;
    assert_int_equal(tma_mma_judge(0, SWIZZLED, &mn8), 1u << TMA_MMA_RULE_MN_MAJOR_TYPE);
    assert_int_equal(tma_mma_judge(1, TCGEN05, &mn8), 0);
    assert_int_equal(tma_mma_judge(1, TCGEN05, &mn32), 1u << TMA_MMA_RULE_ATOM_32B);
    assert_int_equal(tma_mma_judge(1, atoms, &mn32), 0);
    assert_int_equal(tma_mma_judge(1, atoms, &k16), 1u << TMA_MMA_RULE_ATOM_32B);
    assert_int_equal(tma_mma_judge(1, TCGEN05, &mn4), 1u << TMA_MMA_RULE_PACKED_MAJOR);
    assert_int_equal(tma_mma_judge(1, TCGEN05, &b1), 1u << TMA_MMA_RULE_TYPE);
    assert_int_equal(tma_mma_judge(0, SWIZZLED, &b1), 0);
}

static void said_of_shapes(void **state) {
    static const struct {
        uint32_t family, matrix, type, mn, k, is_shape;
    } shapes[] = {
        {0, 0, TMA_MMA_TYPE_F16, 64, 0, 1},
        {0, 0, TMA_MMA_TYPE_F16, 128, 0, 0},
        {0, 0, TMA_MMA_TYPE_F16, 32, 0, 0},
        {1, 0, TMA_MMA_TYPE_F16, 128, 0, 1},
        {1, 0, TMA_MMA_TYPE_F16, 32, 0, 1},
        {1, 0, TMA_MMA_TYPE_F16, 96, 0, 0},
        {0, 1, TMA_MMA_TYPE_F16, 256, 0, 1},
        {0, 1, TMA_MMA_TYPE_F16, 8, 0, 1},
        {0, 1, TMA_MMA_TYPE_F16, 248, 0, 1},
        {0, 1, TMA_MMA_TYPE_F16, 12, 0, 0},
        {0, 1, TMA_MMA_TYPE_S8, 24, 0, 1},
        {0, 1, TMA_MMA_TYPE_S8, 40, 0, 0},
        {0, 1, TMA_MMA_TYPE_S8, 48, 0, 1},
        {1, 1, TMA_MMA_TYPE_U8, 56, 0, 0},
        {0, 1, TMA_MMA_TYPE_F16, 128, 32, 1},
        {0, 1, TMA_MMA_TYPE_F16, 128, 48, 0},
        {1, 1, TMA_MMA_TYPE_E2M1_PACKED, 128, 96, 1},
        {1, 1, TMA_MMA_TYPE_E2M1, 128, 96, 0},
    };
    (void)state;
    for (size_t i = 0; i < COUNT_OF(shapes); i++) {
        tma_mma_operand o = operand(shapes[i].type, TMA_MMA_K_MAJOR, shapes[i].mn, shapes[i].k);
        o.matrix = shapes[i].matrix;
        assert_int_equal(tma_mma_judge(shapes[i].family, shapes[i].family ? TCGEN05 : SWIZZLED, &o),
                         shapes[i].is_shape ? 0 : 1u << TMA_MMA_RULE_SHAPE);
    }
    for (uint32_t i = 0; i < TMA_MMA_RULES; i++) {
        assert_true(tma_mma_rule_at(i)->name[0] && tma_mma_rule_at(i)->evidence[0]);
    }
    assert_null(tma_mma_rule_at(TMA_MMA_RULES));
}

/* 96 elements of e2m1 are 48 bytes: the third of a row begins at byte 96, and its last 16 bytes
 * lie in the next tile's row, which the leading address names. */
static void k_of_48_bytes(void **state) {
    (void)state;
    const tma_mma_operand o = operand(TMA_MMA_TYPE_E2M1_PACKED, TMA_MMA_K_MAJOR, 64, 96);
    const tma_spec spec = {.dtype = TMA_DTYPE_16U4_ALIGN8B,
                           .rank = 2,
                           .dim_el = {512, 64},
                           .box_el = {256, 64},
                           .swizzle = TMA_SWIZZLE_128B};
    const tma_mma_tile tile = {.shared_address = 0x400, .copies = 2};
    tma_mma_descriptor d = {.family = TMA_MMA_TCGEN05,
                            .swizzle = TMA_SWIZZLE_128B,
                            .start_B = 0x400 + 96,
                            .leading_B = 0x400 + 64 * 128,
                            .stride_B = 1024,
                            .leading_absolute = 1};
    tma_mma_difference said;
    assert_int_equal(tma_mma_read(&d, &o, 0, 63).address_B, 0x400 + 127);
    assert_int_equal(tma_mma_read(&d, &o, 0, 64).address_B, 0x400 + 64 * 128);
    assert_int_equal(tma_mma_read(&d, &o, 9, 64).address_B, 0x400 + 64 * 128 + 1024 + 128 + 16);
    assert_int_equal(tma_mma_compare(&said, &d, &o, &spec, &tile, 0, 192), TMA_OK);
    assert_int_equal(said.equal_el, 64 * 96);
    assert_int_equal(said.all_el, 64 * 96);
    d.leading_absolute = 0; /* an offset is not looked at before a span is full: from byte 96 on */
    assert_int_equal(tma_mma_compare(&said, &d, &o, &spec, &tile, 0, 192), TMA_OK);
    assert_int_equal(said.equal_el, 64 * 64);
    assert_int_equal(said.k, 64);
    d.leading_absolute = 1; /* a start at which it all fits does not look at the address */
    d.start_B = 0x400 + 48;
    d.leading_B = 0;
    assert_int_equal(tma_mma_compare(&said, &d, &o, &spec, &tile, 0, 96), TMA_OK);
    assert_int_equal(said.equal_el, said.all_el);
}

static void instruction_descriptors(void **state) {
    (void)state;
    /* CUTLASS's make_instr_desc for f16 x f16 + f32, M 128, N 256, both K-major: by the table */
    uint32_t idesc = 0;
    const tma_idesc_field n = tma_idesc_field_find(TMA_IDESC_KIND_F16, "n");
    const tma_idesc_field m = tma_idesc_field_find(TMA_IDESC_KIND_F16, "m");
    assert_int_equal(tma_idesc_write(&idesc, n, 256), TMA_OK);
    assert_int_equal(tma_idesc_write(&idesc, m, 128), TMA_OK);
    assert_int_equal(tma_idesc_write(&idesc, tma_idesc_field_find(TMA_IDESC_KIND_F16, "d_type"), 1),
                     TMA_OK);
    assert_int_equal(idesc, 0x8400010);
    assert_int_equal(tma_idesc_read(idesc, n), 256);
    assert_int_equal(tma_idesc_read(idesc, m), 128);
    assert_int_equal(tma_idesc_write(&idesc, n, 12), TMA_INVALID);
    assert_int_equal(tma_idesc_write(&idesc, n, 512), TMA_INVALID);
    assert_int_equal(idesc, 0x8400010);
    assert_int_equal(tma_idesc_unowned(TMA_IDESC_KIND_F16), 1u << 6 | 1u << 23 | 1u << 29);
    assert_int_equal(tma_idesc_unowned(TMA_IDESC_KIND_MXF8F6F4),
                     3u | 1u << 3 | 1u << 6 | 7u << 24 | 1u << 31);
    assert_int_equal(tma_idesc_unowned(TMA_IDESC_KIND_MXF4),
                     3u | 1u << 3 | 1u << 6 | 1u << 12 | 7u << 24);
    assert_int_equal(tma_idesc_field_find(TMA_IDESC_KIND_MXF4, "m").bit, 27);
    assert_null(tma_idesc_field_find(TMA_IDESC_KIND_MXF4, "saturate").name);
    assert_null(tma_idesc_field_at(TMA_IDESC_KINDS, 0).name);
}

/* The table "instruction descriptor format" of the PTX ISA's chapter on tcgen05: atype by kind, a
 * row a kind, the stored numbers from 0. */
static void types_by_kind(void **state) {
    (void)state;
    static const char *const types[TMA_IDESC_KINDS][8] = {
        [TMA_IDESC_KIND_F16] = {"f16", "bf16"},
        [TMA_IDESC_KIND_TF32] = {NULL, NULL, "tf32"},
        [TMA_IDESC_KIND_F8F6F4] = {"e4m3", "e5m2", NULL, "e2m3", "e3m2", "e2m1"},
        [TMA_IDESC_KIND_I8] = {"u8", "s8"},
        [TMA_IDESC_KIND_MXF8F6F4] = {"e4m3", "e5m2", NULL, "e2m3", "e3m2", "e2m1"},
        [TMA_IDESC_KIND_MXF4] = {NULL, "e2m1-packed"},
    };
    for (uint32_t kind = 0; kind < TMA_IDESC_KINDS; kind++) {
        for (uint32_t number = 0; number < 8; number++) {
            const uint32_t type = tma_idesc_type(kind, number);
            if (types[kind][number]) {
                assert_true(type < TMA_MMA_TYPES);
                assert_string_equal(tma_mma_type_at(type)->name, types[kind][number]);
            } else {
                assert_int_equal(type, TMA_MMA_TYPES);
            }
        }
    }
    assert_int_equal(tma_idesc_type(TMA_IDESC_KINDS, 0), TMA_MMA_TYPES);
}

/* A map, copied by tma_copy(): which element lies where, found by looking. */
static uint8_t window[WINDOW_B];
static uint8_t tensor[TENSOR_B * 4];

typedef struct question {
    tma_spec spec;
    tma_mma_tile tile;
    tma_mma_operand o;
    uint32_t family;
    uint32_t mn0, k0;
} question;

static const uint32_t map_types[TMA_MMA_TYPES] = {
    TMA_DTYPE_FLOAT16, TMA_DTYPE_BFLOAT16, TMA_DTYPE_FLOAT32, TMA_DTYPE_UINT8,
    TMA_DTYPE_UINT8,   TMA_DTYPE_UINT8,    TMA_DTYPE_UINT8,   TMA_DTYPE_UINT8};

static question ask(struct random_source *r) {
    static const uint32_t swizzles[] = {TMA_SWIZZLE_NONE, TMA_SWIZZLE_32B, TMA_SWIZZLE_64B,
                                        TMA_SWIZZLE_128B, TMA_SWIZZLE_128B_ATOM_32B};
    question q = {0};
    q.o.type = (uint32_t)random_below(r, TMA_MMA_TYPE_U8 + 1);
    q.o.major = (uint32_t)random_below(r, 2);
    q.o.matrix = (uint32_t)random_below(r, 2);
    q.family = (uint32_t)random_below(r, 2);
    q.spec.dtype = map_types[q.o.type];
    q.spec.swizzle = swizzles[random_below(r, COUNT_OF(swizzles))];
    const uint32_t size_B = tma_dtype_bits(q.spec.dtype) / 8;
    static const uint32_t spans[] = {16, 32, 64, 128, 128};
    uint32_t row_B = 16 * random_in(r, 1, 8);
    for (size_t i = 0; i < COUNT_OF(swizzles); i++) {
        if (swizzles[i] == q.spec.swizzle &&
            ((swizzles[i] && row_B > spans[i]) || !random_one_in(r, 3))) {
            row_B = spans[i];
        }
    }
    q.spec.rank = random_one_in(r, 3) ? 3 : 2;
    q.tile.panel_dims = q.spec.rank == 3 && random_one_in(r, 2);
    q.spec.box_el[0] = row_B / size_B;
    q.spec.box_el[1] = 8 * random_in(r, 1, 16);
    q.spec.box_el[2] = random_in(r, 1, 3);
    for (uint32_t i = 0; i < q.spec.rank; i++) {
        q.spec.dim_el[i] = q.spec.box_el[i];
    }
    q.tile.shared_address = 1024 * random_in(r, 1, 20) + (random_one_in(r, 4) ? 128 : 0);
    const tma_mma_extent size = tma_mma_extent_of(&q.spec, &q.tile, &q.o);
    q.o.mn_el = q.o.matrix ? 8 * random_in(r, 1, 8) : 64;
    const uint32_t k_el = tma_mma_type_at(q.o.type)->k_el;
    q.k0 = random_one_in(r, 2) && size.k_el > k_el
               ? k_el * (uint32_t)random_below(r, size.k_el / k_el)
               : 0;
    q.mn0 = random_one_in(r, 4) && size.mn_el > 64 ? 64 : 0;
    return q;
}

static int copy(const question *q) {
    tma_map map;
    tma_plan plan;
    tma_spec spec = q->spec;
    spec.address = 1 << 24;
    const tma_target target = {.sm = 100, .suffix = 'a', .driver = 13000};
    const tma_instruction load = {.op = TMA_OP_LOAD};
    const tma_range range = {.address = spec.address, .size_B = sizeof(tensor), .host = tensor};
    const tma_global global = {.ranges = &range, .count = 1};
    const tma_window shared = {.address = 0, .size_B = sizeof(window), .host = window};
    const tma_position at = {.shared_address = q->tile.shared_address};
    if (tma_spec_fill(&spec) != TMA_OK || tma_encode(map.bytes, &spec, &target) != TMA_OK ||
        tma_plan_make(&plan, map.bytes, &load, &target, NULL) != TMA_OK) {
        return 0;
    }
    memset(window, 0xA5, sizeof(window));
    assert_int_equal(tma_copy(&plan, &at, &global, &shared, NULL), TMA_OK);
    return 1;
}

/* Element (mn, k) of the tile in the packed tensor, in bytes: panels are dimension 2. */
static uint32_t in_tensor(const question *q, uint32_t mn, uint32_t k, uint32_t size_B) {
    const uint32_t major = q->o.major ? mn : k;
    const uint32_t row = q->o.major ? k : mn;
    const uint32_t n0 = q->spec.box_el[0];
    return q->tile.panel_dims ? ((major / n0 * q->spec.box_el[1] + row) * n0 + major % n0) * size_B
                              : (row * n0 + major) * size_B;
}

static void copies_and_reads_agree(void **state) {
    (void)state;
    struct random_source r = {31};
    unsigned solved = 0;
    unsigned refused[TMA_MMA_REASONS] = {0};
    for (uint32_t i = 0; i < sizeof(tensor); i += 4) {
        const uint32_t number = i / 4 * 2654435761u;
        memcpy(tensor + i, &number, 4);
    }
    for (unsigned long i = spec_count() / 20; i-- > 0;) {
        question q = ask(&r);
        tma_mma_descriptor d;
        tma_mma_why why;
        if (!copy(&q)) {
            continue;
        }
        const uint32_t size_B = tma_mma_type_at(q.o.type)->bits / 8;
        const tma_mma_extent size = tma_mma_extent_of(&q.spec, &q.tile, &q.o);
        for (unsigned j = 0; j < 20; j++) {
            const uint32_t mn = (uint32_t)random_below(&r, size.mn_el);
            const uint32_t k = (uint32_t)random_below(&r, size.k_el);
            tma_mma_place at;
            assert_int_equal(tma_mma_written(&at, &q.spec, &q.tile, &q.o, mn, k), TMA_OK);
            assert_memory_equal(window + at.address_B, tensor + in_tensor(&q, mn, k, size_B),
                                size_B);
        }
        if (tma_mma_descriptor_of(&d, &why, &q.spec, &q.tile, q.family, &q.o, q.mn0, q.k0) !=
            TMA_OK) {
            refused[why.reason]++;
            continue;
        }
        solved++;
        for (uint32_t mn = 0; mn < q.o.mn_el; mn++) {
            for (uint32_t k = 0; k < tma_mma_type_at(q.o.type)->k_el; k++) {
                assert_memory_equal(window + tma_mma_read(&d, &q.o, mn, k).address_B,
                                    tensor + in_tensor(&q, q.mn0 + mn, q.k0 + k, size_B), size_B);
            }
        }
    }
    assert_true(solved > spec_count() / 20 / 20);
    assert_true(refused[TMA_MMA_REASON_PITCH] && refused[TMA_MMA_REASON_BEYOND] &&
                refused[TMA_MMA_REASON_MAJOR] && refused[TMA_MMA_REASON_SWIZZLE]);
}

/* A descriptor changed somewhere: equal or the first difference, found by asking one by one. */
static void first_difference(void **state) {
    (void)state;
    struct random_source r = {77};
    unsigned differ = 0;
    for (unsigned long i = 0; i < spec_count() / 20; i++) {
        question q = ask(&r);
        tma_mma_descriptor d;
        tma_mma_why why;
        tma_mma_difference said;
        if (tma_mma_descriptor_of(&d, &why, &q.spec, &q.tile, q.family, &q.o, q.mn0, q.k0) !=
            TMA_OK) {
            continue;
        }
        uint32_t *const member[] = {&d.start_B, &d.leading_B, &d.stride_B};
        *member[random_below(&r, 3)] ^= 16u << random_below(&r, 9);
        d.base_offset = random_one_in(&r, 4) ? (uint32_t)random_below(&r, 8) : 0;
        assert_int_equal(tma_mma_compare(&said, &d, &q.o, &q.spec, &q.tile, q.mn0, q.k0), TMA_OK);
        const uint32_t k_el = tma_mma_type_at(q.o.type)->k_el;
        uint64_t equal = 0;
        int seen = 0;
        for (uint32_t mn = 0; mn < q.o.mn_el; mn++) {
            for (uint32_t k = 0; k < k_el; k++) {
                tma_mma_place put;
                const uint32_t read = tma_mma_read(&d, &q.o, mn, k).address_B;
                const int is =
                    tma_mma_written(&put, &q.spec, &q.tile, &q.o, q.mn0 + mn, q.k0 + k) == TMA_OK;
                if (is && put.address_B == read) {
                    equal++;
                } else if (!seen) {
                    seen = 1;
                    assert_int_equal(said.mn, mn);
                    assert_int_equal(said.k, k);
                    assert_int_equal(said.read_B, read);
                    assert_int_equal(said.has_written, is);
                    assert_true(!is || said.written_B == put.address_B);
                    tma_mma_place back = {0, 0};
                    assert_true(!said.has_element ||
                                (tma_mma_written(&back, &q.spec, &q.tile, &q.o, said.other_mn,
                                                 said.other_k) == TMA_OK &&
                                 back.address_B == read));
                }
            }
        }
        assert_true(said.equal_el == equal && said.all_el == (uint64_t)q.o.mn_el * k_el);
        differ += seen;
    }
    assert_true(differ > spec_count() / 20 / 20);
}

/* What would do does. */
static void suggestions(void **state) {
    (void)state;
    tma_spec spec = {
        .dtype = TMA_DTYPE_FLOAT16, .rank = 2, .dim_el = {64, 128}, .box_el = {64, 128}};
    tma_mma_tile tile = {.shared_address = 1024};
    const tma_mma_operand o = operand(TMA_MMA_TYPE_F16, TMA_MMA_K_MAJOR, 64, 0);
    tma_mma_descriptor d;
    tma_mma_why why;
    assert_int_equal(tma_mma_descriptor_of(&d, &why, &spec, &tile, TMA_MMA_WGMMA, &o, 0, 0),
                     TMA_REFUSED);
    assert_int_equal(why.reason, TMA_MMA_REASON_PITCH);
    assert_int_equal(why.value, 128);
    assert_int_equal(why.would_swizzle, TMA_SWIZZLE_128B);
    assert_int_equal(why.would_box0_el, 64);
    spec.swizzle = TMA_SWIZZLE_128B;
    uint64_t bits;
    for (uint32_t step = 0; step < 4; step++) { /* the step within the atom: 32 bytes */
        assert_int_equal(
            tma_mma_descriptor_of(&d, &why, &spec, &tile, TMA_MMA_WGMMA, &o, 64, 16 * step),
            TMA_OK);
        assert_int_equal(tma_mma_encode(&bits, &d), TMA_OK);
        assert_true(bits == UINT64_C(0x4000004000010240) + 2 * step);
    }
    assert_int_equal(tma_mma_descriptor_of(&d, &why, &spec, &tile, TMA_MMA_WGMMA, &o, 0, 64),
                     TMA_REFUSED);
    assert_int_equal(why.reason, TMA_MMA_REASON_BEYOND);
    tile.copies = 2;
    assert_int_equal(tma_mma_descriptor_of(&d, &why, &spec, &tile, TMA_MMA_WGMMA, &o, 0, 64),
                     TMA_OK);
    assert_int_equal(d.start_B, 1024 + 128 * 128);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(as_read_by_h200),     cmocka_unit_test(examples_of_the_document),
        cmocka_unit_test(bits_there_and_back), cmocka_unit_test(limits_of_encode),
        cmocka_unit_test(said_of_one),         cmocka_unit_test(said_of_shapes),
        cmocka_unit_test(k_of_48_bytes),       cmocka_unit_test(instruction_descriptors),
        cmocka_unit_test(types_by_kind),       cmocka_unit_test(copies_and_reads_agree),
        cmocka_unit_test(first_difference),    cmocka_unit_test(suggestions),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
