/* SPDX-License-Identifier: Apache-2.0
 *
 * The swizzles against the tables that PTX ISA 5.5.7 prints, its base offsets and its Table 14.
 */
#include "support/testing.h"

#include "support/gen/random.h"
#include "support/plain/swizzle_tables.h"
#include <tma/copy.h>
#include <tma/map.h>

#define LINE_B  128
#define PIECE_B 16

static void every_table_line_by_line(void **state) {
    (void)state;
    assert_int_equal(swizzle_table_count, 8);
    for (size_t i = 0; i < swizzle_table_count; i++) {
        const struct swizzle_table *t = &swizzle_tables[i];
        const tma_swizzle_bits bits = tma_swizzle_bits_of(t->swizzle);
        for (uint32_t address = 0; address < 1u << 14; address++) {
            const uint32_t wanted = swizzle_table_place(t, address);
            if (tma_swizzled(bits, address) != wanted) {
                fail_msg("%s: 0x%x goes to 0x%x, not 0x%x", t->name, address,
                         tma_swizzled(bits, address), wanted);
            }
        }
    }
}

/* "Starting address of the repeating pattern": from there on, but from nowhere before it, the
 * lines are those of the table's beginning. */
static void patterns_repeat_at_their_boundary(void **state) {
    (void)state;
    for (size_t i = 0; i < swizzle_table_count; i++) {
        const struct swizzle_table *t = &swizzle_tables[i];
        const tma_swizzle_bits bits = tma_swizzle_bits_of(t->swizzle);
        for (uint32_t start = LINE_B; start <= t->boundary_B; start += LINE_B) {
            uint32_t differ = 0;
            for (uint32_t at = 0; at < 2048; at++) {
                differ += tma_swizzled(bits, start + at) - start != tma_swizzled(bits, at);
            }
            assert_int_equal(differ == 0, start == t->boundary_B);
        }
        const uint32_t none_B = 16; /* the driver stores 16 for no swizzle */
        assert_int_equal(tma_swizzle_repeat_B(t->swizzle), t->swizzle ? t->boundary_B : none_B);
    }
}

/* base offset = (dstMem / 128) % 8, % 2, % 4, % 2: the line of the table that a copy begins with.
 */
static void base_offsets_by_formula(void **state) {
    (void)state;
    static const struct {
        uint32_t swizzle;
        uint32_t modulus;
        uint32_t boundary_B;
    } rows[] = {{TMA_SWIZZLE_128B, 8, 1024},
                {TMA_SWIZZLE_96B, 2, 256},
                {TMA_SWIZZLE_64B, 4, 512},
                {TMA_SWIZZLE_32B, 2, 256}};
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        const struct swizzle_table *t = swizzle_table_of(rows[i].swizzle);
        const tma_swizzle_bits bits = tma_swizzle_bits_of(rows[i].swizzle);
        assert_int_equal(t->lines, rows[i].modulus);
        for (uint32_t dst = 0; dst < 8192; dst += LINE_B) {
            const uint32_t base_offset = dst / LINE_B % rows[i].modulus;
            assert_int_equal(base_offset == 0, dst % rows[i].boundary_B == 0);
            for (uint32_t place = 0; place < 8; place++) {
                const uint32_t piece = t->piece[base_offset][place];
                assert_int_equal(tma_swizzled(bits, dst + piece * PIECE_B), dst + place * PIECE_B);
            }
        }
    }
}

/* Adjacent 8 bytes change places in every second line. */
static void flip_of_8_bytes(void **state) {
    (void)state;
    const tma_swizzle_bits with = tma_swizzle_bits_of(TMA_SWIZZLE_128B_ATOM_32B_FLIP_8B);
    const tma_swizzle_bits without = tma_swizzle_bits_of(TMA_SWIZZLE_128B_ATOM_32B);
    for (uint32_t at = 0; at < 4096; at++) {
        const int odd = at / LINE_B % 2;
        assert_int_equal(tma_swizzled(with, at), tma_swizzled(without, at) ^ (odd ? 8u : 0u));
    }
}

/* Twice is nothing; bits outside 3 to 6 stay; so each line is a rearrangement of itself. */
static void involutions_within_a_line(void **state) {
    (void)state;
    struct random_source r = {3};
    for (size_t i = 0; i < swizzle_table_count; i++) {
        const tma_swizzle_bits bits = tma_swizzle_bits_of(swizzle_tables[i].swizzle);
        for (uint32_t n = 0; n < 200000; n++) {
            const uint32_t address = (uint32_t)random_u64(&r);
            const uint32_t moved = tma_swizzled(bits, address);
            assert_int_equal(tma_swizzled(bits, moved), address);
            assert_int_equal((moved ^ address) & ~0x78u, 0);
        }
        for (uint32_t line = 0; line < 16; line++) {
            uint8_t hits[LINE_B] = {0};
            for (uint32_t at = 0; at < LINE_B; at++) {
                hits[tma_swizzled(bits, line * LINE_B + at) % LINE_B]++;
            }
            for (uint32_t at = 0; at < LINE_B; at++) {
                assert_int_equal(hits[at], 1);
            }
        }
    }
}

/* What stays together: 16, 32 or 64 bytes, and 8 where they are flipped. */
static void atoms_stay_whole(void **state) {
    (void)state;
    static const struct {
        uint32_t swizzle;
        uint32_t atom_B;
    } atoms[] = {{TMA_SWIZZLE_32B, 16},
                 {TMA_SWIZZLE_64B, 16},
                 {TMA_SWIZZLE_96B, 16},
                 {TMA_SWIZZLE_128B, 16},
                 {TMA_SWIZZLE_128B_ATOM_32B, 32},
                 {TMA_SWIZZLE_128B_ATOM_64B, 64},
                 {TMA_SWIZZLE_128B_ATOM_32B_FLIP_8B, 8}};
    for (size_t i = 0; i < COUNT_OF(atoms); i++) {
        const tma_swizzle_bits bits = tma_swizzle_bits_of(atoms[i].swizzle);
        uint32_t parted = 0;
        for (uint32_t at = 0; at < 2048; at++) {
            const uint32_t start = at / atoms[i].atom_B * atoms[i].atom_B;
            assert_int_equal(tma_swizzled(bits, at), tma_swizzled(bits, start) + at - start);
            const uint32_t wide = at / (2 * atoms[i].atom_B) * 2 * atoms[i].atom_B;
            parted += tma_swizzled(bits, at) != tma_swizzled(bits, wide) + at - wide;
        }
        assert_true(parted > 0); /* and no more than that stays together */
    }
}

static void unknown_numbers_move_nothing(void **state) {
    (void)state;
    for (uint32_t swizzle = 0; swizzle < 200; swizzle++) {
        const tma_swizzle_bits bits = tma_swizzle_bits_of(swizzle);
        if (!swizzle_table_of(swizzle) || swizzle == TMA_SWIZZLE_NONE) {
            assert_int_equal(tma_swizzled(bits, 0xFFFFFFFF), 0xFFFFFFFF);
            assert_int_equal(tma_swizzled(bits, 0x12345678), 0x12345678);
        }
    }
}

/* 64 rows of one 16-byte piece, or more where the swizzle's atom is longer; any swizzle. */
static tma_map map_of(uint32_t swizzle) {
    const tma_target target = {.sm = 103, .suffix = 'a', .driver = 13000};
    tma_map map;
    const uint32_t span_B = tma_swizzle_span_B(swizzle);
    tma_spec spec = {.dtype = TMA_DTYPE_UINT8, .rank = 2, .address = 1 << 20, .swizzle = swizzle};
    spec.dim_el[0] = spec.box_el[0] = span_B ? span_B : LINE_B;
    spec.dim_el[1] = spec.box_el[1] = 64;
    spec.stride_B[0] = LINE_B;
    spec.element_stride[0] = spec.element_stride[1] = 1;
    assert_int_equal(tma_encode_forced(map.bytes, &spec, &target, NULL), TMA_OK);
    return map;
}

/* Swizzling mode and atomicity of tensormap.replace, and the driver's one number for both. */
static const struct {
    uint32_t mode;      /* PTX immediates: 0 none, 1 32B, 2 64B, 3 128B, 4 96B */
    uint32_t atomicity; /* 0 16B, 1 32B, 2 32B + 8B flip, 3 64B */
    uint32_t swizzle;
} table_14[] = {
    {0, 0, TMA_SWIZZLE_NONE},
    {1, 0, TMA_SWIZZLE_32B},
    {2, 0, TMA_SWIZZLE_64B},
    {4, 0, TMA_SWIZZLE_96B},
    {3, 0, TMA_SWIZZLE_128B},
    {3, 1, TMA_SWIZZLE_128B_ATOM_32B},
    {3, 2, TMA_SWIZZLE_128B_ATOM_32B_FLIP_8B},
    {3, 3, TMA_SWIZZLE_128B_ATOM_64B},
};

static uint32_t in_table_14(uint32_t mode, uint32_t atomicity) {
    for (size_t i = 0; i < COUNT_OF(table_14); i++) {
        if (table_14[i].mode == mode && table_14[i].atomicity == atomicity) {
            return table_14[i].swizzle;
        }
    }
    return UINT32_MAX;
}

/* Every pair by tensormap.replace: those of the table decode to their swizzle and are not odd, the
 * others are said to contradict themselves. */
static void table_14_by_replace(void **state) {
    (void)state;
    for (uint32_t mode = 0; mode <= 4; mode++) {
        for (uint32_t atomicity = 0; atomicity <= 3; atomicity++) {
            tma_map map = map_of(TMA_SWIZZLE_NONE);
            tma_decoded decoded;
            assert_int_equal(
                tma_replace(map.bytes,
                            &(tma_edit){.field = TMA_REPLACE_SWIZZLE_MODE, .value = mode}, NULL),
                TMA_OK);
            assert_int_equal(
                tma_replace(map.bytes,
                            &(tma_edit){.field = TMA_REPLACE_SWIZZLE_ATOMICITY, .value = atomicity},
                            NULL),
                TMA_OK);
            assert_int_equal(tma_decode(&decoded, map.bytes), TMA_OK);
            const uint64_t odd = decoded.odd & (TMA_ODD_ATOMICITY | TMA_ODD_SWIZZLE_96B);
            const uint32_t wanted = in_table_14(mode, atomicity);
            assert_int_equal(odd == 0, wanted != UINT32_MAX);
            if (wanted != UINT32_MAX) {
                assert_int_equal(decoded.spec.swizzle, wanted);
            }
        }
    }
}

/* And back: what the driver's number encodes to is that pair. */
static void table_14_by_encode(void **state) {
    (void)state;
    for (size_t i = 0; i < COUNT_OF(table_14); i++) {
        tma_map by_driver = map_of(table_14[i].swizzle);
        tma_map by_replace = by_driver;
        tma_decoded decoded;
        assert_int_equal(
            tma_replace(by_replace.bytes,
                        &(tma_edit){.field = TMA_REPLACE_SWIZZLE_MODE, .value = table_14[i].mode},
                        NULL),
            TMA_OK);
        assert_int_equal(tma_replace(by_replace.bytes,
                                     &(tma_edit){.field = TMA_REPLACE_SWIZZLE_ATOMICITY,
                                                 .value = table_14[i].atomicity},
                                     NULL),
                         TMA_OK);
        assert_memory_equal(&by_driver, &by_replace, sizeof(by_driver));
        assert_int_equal(tma_decode(&decoded, by_driver.bytes), TMA_OK);
        assert_int_equal(decoded.spec.swizzle, table_14[i].swizzle);
        assert_int_equal(decoded.odd, 0);
    }
}

/* The alignment that each mode asks of shared memory: 128, but 32 and 64 with those atomicities. */
static void alignment_of_shared_memory(void **state) {
    (void)state;
    const tma_target target = {.sm = 103, .suffix = 'a', .driver = 13000};
    const tma_instruction load = {.op = TMA_OP_LOAD};
    for (size_t i = 0; i < swizzle_table_count; i++) {
        const struct swizzle_table *t = &swizzle_tables[i];
        const tma_map map = map_of(t->swizzle);
        tma_plan plan;
        assert_int_equal(tma_plan_make(&plan, map.bytes, &load, &target, NULL), TMA_OK);
        for (uint32_t address = 0; address < 512; address += 4) {
            const tma_position at = {.shared_address = address};
            tma_finding why = {0};
            const tma_status status = tma_plan_at(&plan, &at, &why);
            assert_int_equal(status, address % t->align_B ? TMA_TRAP : TMA_OK);
            if (status == TMA_TRAP) {
                assert_int_equal(why.rule, TMA_RULE_TRAP_SHARED_ALIGN);
                assert_int_equal(why.limit, t->align_B);
                assert_string_equal(tma_trap_name(&why), "cudaErrorMisalignedAddress");
            }
        }
    }
}

/* Whole tables as a load leaves them: a tensor of rows as long as the swizzle's span, every 8 bytes
 * numbered; at every base offset. */
static void tables_as_a_load_leaves_them(void **state) {
    (void)state;
    static uint8_t tensor[64 * LINE_B];
    static uint8_t shared[16384];
    const tma_target target = {.sm = 103, .suffix = 'a', .driver = 13000};
    const tma_instruction load = {.op = TMA_OP_LOAD};
    const tma_range range = {.address = 1 << 20, .size_B = sizeof(tensor), .host = tensor};
    const tma_global global = {.ranges = &range, .count = 1};
    for (size_t i = 0; i < sizeof(tensor); i++) {
        tensor[i] = (uint8_t)(i / LINE_B * 8 + i % LINE_B / 8); /* row and 8-byte half */
    }
    for (size_t i = 1; i < swizzle_table_count; i++) {
        const struct swizzle_table *t = &swizzle_tables[i];
        const tma_map map = map_of(t->swizzle);
        const uint32_t span_B = tma_swizzle_span_B(t->swizzle);
        tma_plan plan;
        assert_int_equal(tma_plan_make(&plan, map.bytes, &load, &target, NULL), TMA_OK);
        for (uint32_t dst = 0; dst < 2048; dst += LINE_B) {
            const tma_position at = {.shared_address = dst};
            const tma_window window = {.address = 0, .size_B = sizeof(shared), .host = shared};
            assert_int_equal(tma_copy(&plan, &at, &global, &window, NULL), TMA_OK);
            for (uint32_t byte = 0; byte < 64 * span_B; byte++) {
                const uint32_t place = swizzle_table_place(t, dst + byte);
                assert_int_equal(shared[place], tensor[byte / span_B * LINE_B + byte % span_B]);
            }
        }
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_table_line_by_line),
        cmocka_unit_test(patterns_repeat_at_their_boundary),
        cmocka_unit_test(base_offsets_by_formula),
        cmocka_unit_test(flip_of_8_bytes),
        cmocka_unit_test(involutions_within_a_line),
        cmocka_unit_test(atoms_stay_whole),
        cmocka_unit_test(unknown_numbers_move_nothing),
        cmocka_unit_test(table_14_by_replace),
        cmocka_unit_test(table_14_by_encode),
        cmocka_unit_test(alignment_of_shared_memory),
        cmocka_unit_test(tables_as_a_load_leaves_them),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
