/* SPDX-License-Identifier: Apache-2.0
 *
 * 4- and 6-bit types: values bit by bit through loads and stores, what is counted, what is left
 * alone, and every alignment on both sides of its limit. Documents, and captured loads of the two
 * 4-bit types (vectors/copy_blackwell).
 */
#include "support/testing.h"

#include "support/paths.h"
#include <tma/check.h>
#include <tma/copy.h>
#include <tma/map.h>

#define ADDRESS  UINT64_C(0x7f0000000000)
#define COLUMNS  256 /* elements of a row of the tensor */
#define ROWS     6
#define BOX      128
#define BOX_ROWS 4
#define GROUP_EL 16

static const tma_target target = {.sm = 100, .suffix = 'a', .driver = 13000};
static uint8_t tensor[ROWS * COLUMNS];
static uint8_t shared[BOX_ROWS * BOX + 64];

/* A type in one direction, as PTX ISA 5.5.1.1 draws it: elements follow each other in groups of
 * 16, in global memory without gaps. */
struct packed_form {
    const char *name;
    uint32_t dtype;
    uint32_t op;
    uint32_t bits;        /* of an element in global memory */
    uint32_t spacing_bit; /* from element to element in a group of shared memory */
    uint32_t group_B;     /* of a group in shared memory, padding included */
};

static const struct packed_form b4_load = {".b4x16", TMA_DTYPE_16U4_ALIGN8B, TMA_OP_LOAD, 4, 4, 8};
static const struct packed_form b4_store = {".b4x16", TMA_DTYPE_16U4_ALIGN8B, TMA_OP_STORE, 4, 4,
                                            8};
static const struct packed_form b4_p64 = {
    ".b4x16_p64", TMA_DTYPE_16U4_ALIGN16B, TMA_OP_LOAD, 4, 4, 16};
static const struct packed_form b6_p32 = {
    ".b6x16_p32", TMA_DTYPE_16U6_ALIGN16B, TMA_OP_LOAD, 6, 6, 16};
static const struct packed_form b6_p2 = {".b6p2x16", TMA_DTYPE_16U6_ALIGN16B, TMA_OP_STORE, 6, 8,
                                         16};

static void put_bits(uint8_t *bytes, uint64_t at, uint32_t count, uint32_t value) {
    for (uint32_t i = 0; i < count; i++, at++) {
        bytes[at / 8] &= (uint8_t) ~(1u << at % 8);
        bytes[at / 8] |= (uint8_t)((value >> i & 1) << at % 8);
    }
}

static uint32_t get_bits(const uint8_t *bytes, uint64_t at, uint32_t count) {
    uint32_t value = 0;
    for (uint32_t i = 0; i < count; i++, at++) {
        value |= (uint32_t)(bytes[at / 8] >> at % 8 & 1) << i;
    }
    return value;
}

/* The value of an element of the tensor; elements of the box have other ones. */
static uint32_t tensor_value(uint32_t row, uint32_t column) {
    return row * 7 + column * 5 + column / 16 + 1;
}

static uint32_t box_value(uint32_t row, uint32_t column) {
    return row * 11 + column * 3 + column / 8 + 2;
}

static uint32_t mask(uint32_t bits) {
    return (1u << bits) - 1;
}

static uint64_t tensor_bit(const struct packed_form *f, uint32_t row, uint32_t column) {
    return ((uint64_t)row * COLUMNS + column) * f->bits;
}

static uint64_t shared_bit(const struct packed_form *f, uint32_t row, uint32_t column) {
    const uint64_t group = ((uint64_t)row * BOX + column) / GROUP_EL;
    return group * f->group_B * 8 + (uint64_t)(column % GROUP_EL) * f->spacing_bit;
}

static tma_spec packed_spec(uint32_t dtype) {
    return (tma_spec){.dtype = dtype,
                      .rank = 2,
                      .address = ADDRESS,
                      .dim_el = {COLUMNS, ROWS},
                      .stride_B = {COLUMNS * (dtype == TMA_DTYPE_16U6_ALIGN16B ? 6 : 4) / 8},
                      .box_el = {BOX, BOX_ROWS},
                      .element_stride = {1, 1}};
}

static tma_plan plan_of(const struct packed_form *f, const tma_spec *spec) {
    const tma_instruction in = {.op = f->op};
    tma_map map;
    tma_plan plan;
    assert_int_equal(tma_encode(map.bytes, spec, &target), TMA_OK);
    assert_int_equal(tma_plan_make(&plan, map.bytes, &in, &target, NULL), TMA_OK);
    return plan;
}

/* Both memories: other bits everywhere, then the elements. */
static void fill(const struct packed_form *f) {
    memset(shared, 0xA5, sizeof(shared));
    memset(tensor, 0x5A, sizeof(tensor));
    for (uint32_t row = 0; row < ROWS; row++) {
        for (uint32_t column = 0; column < COLUMNS; column++) {
            put_bits(tensor, tensor_bit(f, row, column), f->bits, tensor_value(row, column));
        }
    }
    for (uint32_t row = 0; row < BOX_ROWS && f->op == TMA_OP_STORE; row++) {
        for (uint32_t column = 0; column < BOX; column++) {
            put_bits(shared, shared_bit(f, row, column), f->bits, box_value(row, column));
        }
    }
}

static void run(const tma_plan *plan, int32_t column, int32_t row) {
    const tma_range range = {.address = ADDRESS, .size_B = sizeof(tensor), .host = tensor};
    const tma_global global = {.ranges = &range, .count = 1};
    const tma_window window = {.address = 0, .size_B = sizeof(shared), .host = shared};
    const tma_position at = {.coord = {column, row}};
    assert_int_equal(tma_copy(plan, &at, &global, &window, NULL), TMA_OK);
}

static int is_inside(int64_t row, int64_t column) {
    return row >= 0 && row < ROWS && column >= 0 && column < COLUMNS;
}

/* Every bit of the window: the elements, and nothing between them. */
static void expect_loaded(const struct packed_form *f, int32_t column, int32_t row) {
    static uint8_t wanted[sizeof(shared)];
    memset(wanted, 0xA5, sizeof(wanted));
    for (uint32_t r = 0; r < BOX_ROWS; r++) {
        for (uint32_t c = 0; c < BOX; c++) {
            const int inside = is_inside((int64_t)row + r, (int64_t)column + c);
            const uint32_t value =
                inside ? tensor_value((uint32_t)row + r, (uint32_t)column + c) : 0;
            put_bits(wanted, shared_bit(f, r, c), f->bits, value);
        }
    }
    assert_memory_equal(shared, wanted, sizeof(wanted));
}

static void expect_stored(const struct packed_form *f, int32_t column, int32_t row) {
    for (uint32_t r = 0; r < ROWS; r++) {
        for (uint32_t c = 0; c < COLUMNS; c++) {
            const uint32_t br = r - (uint32_t)row;
            const uint32_t bc = c - (uint32_t)column;
            const uint32_t value =
                br < BOX_ROWS && bc < BOX ? box_value(br, bc) : tensor_value(r, c);
            assert_int_equal(get_bits(tensor, tensor_bit(f, r, c), f->bits), value & mask(f->bits));
        }
    }
    for (size_t i = tensor_bit(f, ROWS, 0) / 8; i < sizeof(tensor); i++) {
        assert_int_equal(tensor[i], 0x5A);
    }
}

static void each_place(const struct packed_form *f, int32_t column_step) {
    const tma_spec spec = packed_spec(f->dtype);
    const tma_plan plan = plan_of(f, &spec);
    const int load = f->op == TMA_OP_LOAD;
    tma_plan forced;
    for (int32_t row = load ? -5 : 0; row <= ROWS; row++) {
        for (int32_t column = load ? -BOX : 0; column <= COLUMNS; column += column_step) {
            for_each_path(forced, &plan) {
                fill(f);
                run(&forced, column, row);
                if (load) {
                    expect_loaded(f, column, row);
                } else {
                    expect_stored(f, column, row);
                }
            }
        }
    }
}

static void b4x16_loads(void **state) {
    (void)state;
    each_place(&b4_load, 32);
}

static void b4x16_stores(void **state) {
    (void)state;
    each_place(&b4_store, 32);
}

static void b4x16_p64_loads_and_leaves_its_padding(void **state) {
    (void)state;
    each_place(&b4_p64, 128);
}

static void b6x16_p32_loads_and_leaves_its_padding(void **state) {
    (void)state;
    each_place(&b6_p32, 128);
}

static void b6p2x16_stores_the_low_six_bits(void **state) {
    (void)state;
    each_place(&b6_p2, 128);
}

/* What two copies make of the box: .b4x16 gives its bytes back; .b6p2x16 stores a byte an element
 * and .b6x16_p32 loads them dense in their groups. */
static void round_trips(void **state) {
    (void)state;
    static const struct packed_form *const pairs[][2] = {{&b4_store, &b4_load}, {&b6_p2, &b6_p32}};
    for (size_t i = 0; i < COUNT_OF(pairs); i++) {
        const tma_spec spec = packed_spec(pairs[i][0]->dtype);
        const tma_plan store = plan_of(pairs[i][0], &spec);
        const tma_plan load = plan_of(pairs[i][1], &spec);
        fill(pairs[i][0]);
        run(&store, 128, 1);
        memset(shared, 0xA5, sizeof(shared));
        run(&load, 128, 1);
        for (uint32_t row = 0; row < BOX_ROWS; row++) {
            for (uint32_t column = 0; column < BOX; column++) {
                const struct packed_form *f = pairs[i][1];
                assert_int_equal(get_bits(shared, shared_bit(f, row, column), f->bits),
                                 box_value(row, column) & mask(f->bits));
            }
        }
    }
}

/* A tensor that ends within a group of .b4x16, which only has to be even: exact to the byte, and a
 * store writes the whole 16 bytes that the tensor ends in. */
static void b4x16_ends_in_a_group(void **state) {
    (void)state;
    tma_spec spec = packed_spec(TMA_DTYPE_16U4_ALIGN8B);
    spec.dim_el[0] = 150;
    const tma_plan load = plan_of(&b4_load, &spec);
    const tma_plan store = plan_of(&b4_store, &spec);
    fill(&b4_load);
    run(&load, 128, 0);
    for (uint32_t column = 0; column < BOX; column++) {
        assert_int_equal(get_bits(shared, shared_bit(&b4_load, 0, column), 4),
                         column < 22 ? tensor_value(0, 128 + column) & 15 : 0);
    }
    fill(&b4_store);
    run(&store, 128, 0);
    for (uint32_t column = 128; column < COLUMNS; column++) {
        const uint32_t value =
            column < 160 ? box_value(0, column - 128) : tensor_value(0, column); /* 16 bytes */
        assert_int_equal(get_bits(tensor, tensor_bit(&b4_store, 0, column), 4), value & 15);
    }
}

/* Bytes on the barrier are payload; bytes of shared memory are more where it is padded. */
static void what_is_counted(void **state) {
    (void)state;
    static const struct {
        const struct packed_form *form;
        uint32_t row_B;
        uint32_t row_shared_B;
    } rows[] = {{&b4_load, 64, 64},
                {&b4_store, 64, 64},
                {&b4_p64, 64, 128},
                {&b6_p32, 96, 128},
                {&b6_p2, 96, 128}};
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        const tma_spec spec = packed_spec(rows[i].form->dtype);
        const tma_plan plan = plan_of(rows[i].form, &spec);
        const tma_position at = {.coord = {128, 4}};
        tma_report_result r;
        assert_int_equal(tma_plan_info(&plan)->tx_B, BOX_ROWS * rows[i].row_B);
        assert_int_equal(tma_plan_info(&plan)->row_B, rows[i].row_B);
        assert_int_equal(tma_plan_info(&plan)->row_shared_B, rows[i].row_shared_B);
        assert_int_equal(tma_plan_info(&plan)->pitch_B, rows[i].row_shared_B);
        assert_int_equal(tma_plan_report(&r, &plan, &at, NULL), TMA_OK);
        assert_int_equal(r.tx_B, BOX_ROWS * rows[i].row_B);
        assert_int_equal(r.footprint_B, BOX_ROWS * rows[i].row_shared_B);
        assert_int_equal(r.inside_B, 2 * rows[i].row_B); /* two rows of four */
        assert_int_equal(r.fill_B + r.dropped_B, 2 * rows[i].row_B);
        assert_int_equal(r.global_B, 2 * rows[i].row_B);
    }
}

/* Coordinate 0: 16 bytes for .b4x16, 128 elements for the others. */
static void coordinates_on_both_sides(void **state) {
    (void)state;
    static const struct {
        const struct packed_form *form;
        int32_t good[4];
        int32_t bad[4];
    } rows[] = {
        {&b4_load, {0, 32, -32, 96}, {1, 16, 31, -16}},
        {&b4_store, {0, 32, 64, 96}, {2, 16, 24, 48}},
        {&b4_p64, {0, 128, -128, 256}, {16, 32, 64, -64}},
        {&b6_p32, {0, 128, -128, 256}, {16, 64, 96, -64}},
        {&b6_p2, {0, 128, 256, 384}, {16, 64, 96, 32}},
    };
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        const tma_spec spec = packed_spec(rows[i].form->dtype);
        const tma_plan plan = plan_of(rows[i].form, &spec);
        for (int k = 0; k < 4; k++) {
            const tma_position good = {.coord = {rows[i].good[k]}};
            const tma_position bad = {.coord = {rows[i].bad[k]}};
            tma_finding why;
            assert_int_equal(tma_plan_at(&plan, &good, NULL), TMA_OK);
            assert_int_equal(tma_plan_at(&plan, &bad, &why), TMA_TRAP);
            assert_true(why.rule == TMA_RULE_PACKED_COORD || why.rule == TMA_RULE_TRAP_COORD_ALIGN);
        }
    }
}

enum field { FIELD_ADDRESS, FIELD_STRIDE, FIELD_DIM, FIELD_BOX };

static void set_field(tma_spec *spec, enum field field, uint64_t value) {
    switch (field) {
    case FIELD_ADDRESS:
        spec->address = value;
        break;
    case FIELD_STRIDE:
        spec->stride_B[0] = value;
        break;
    case FIELD_DIM:
        spec->dim_el[0] = value;
        break;
    default:
        spec->box_el[0] = (uint32_t)value;
    }
}

/* What the driver asks of maps of these types. */
static void maps_on_both_sides(void **state) {
    (void)state;
    static const struct {
        uint32_t dtype;
        enum field field;
        uint64_t good;
        uint64_t bad;
    } rows[] = {
        {TMA_DTYPE_16U4_ALIGN8B, FIELD_ADDRESS, ADDRESS + 16, ADDRESS + 8},
        {TMA_DTYPE_16U4_ALIGN8B, FIELD_STRIDE, 144, 136},
        {TMA_DTYPE_16U4_ALIGN8B, FIELD_DIM, 254, 255},
        {TMA_DTYPE_16U4_ALIGN8B, FIELD_BOX, 32, 16},
        {TMA_DTYPE_16U4_ALIGN16B, FIELD_ADDRESS, ADDRESS + 32, ADDRESS + 16},
        {TMA_DTYPE_16U4_ALIGN16B, FIELD_STRIDE, 160, 144},
        {TMA_DTYPE_16U4_ALIGN16B, FIELD_DIM, 128, 192},
        {TMA_DTYPE_16U4_ALIGN16B, FIELD_BOX, 128, 96},
        {TMA_DTYPE_16U4_ALIGN16B, FIELD_BOX, 128, 160},
        {TMA_DTYPE_16U6_ALIGN16B, FIELD_ADDRESS, ADDRESS + 32, ADDRESS + 16},
        {TMA_DTYPE_16U6_ALIGN16B, FIELD_STRIDE, 224, 208},
        {TMA_DTYPE_16U6_ALIGN16B, FIELD_DIM, 384, 320},
        {TMA_DTYPE_16U6_ALIGN16B, FIELD_BOX, 128, 64},
        {TMA_DTYPE_16U6_ALIGN16B, FIELD_BOX, 128, 192},
    };
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        tma_spec spec = packed_spec(rows[i].dtype);
        set_field(&spec, rows[i].field, rows[i].good);
        assert_int_equal(tma_accepts(&spec, &target), 1);
        set_field(&spec, rows[i].field, rows[i].bad);
        assert_int_equal(tma_accepts(&spec, &target), 0);
    }
}

static tma_status ask(uint32_t dtype, uint32_t swizzle, const tma_instruction *in,
                      const tma_target *on, tma_finding *why) {
    tma_spec spec = packed_spec(dtype);
    tma_map map;
    tma_plan plan;
    spec.swizzle = swizzle;
    assert_int_equal(tma_encode_forced(map.bytes, &spec, on, NULL), TMA_OK);
    return tma_plan_make(&plan, map.bytes, in, on, why);
}

static void directions(void **state) {
    (void)state;
    for (uint32_t dtype = TMA_DTYPE_16U4_ALIGN8B; dtype <= TMA_DTYPE_16U6_ALIGN16B; dtype++) {
        for (uint32_t op = 0; op < TMA_OPS; op++) {
            const tma_instruction in = {.op = op};
            const int reduces = op >= TMA_OP_ADD && op <= TMA_OP_XOR;
            const int refused = reduces || (op == TMA_OP_STORE && dtype == TMA_DTYPE_16U4_ALIGN16B);
            tma_finding why;
            assert_int_equal(ask(dtype, 0, &in, &target, &why), refused ? TMA_UNKNOWN : TMA_OK);
            if (refused) {
                assert_int_equal(why.rule,
                                 reduces ? TMA_RULE_PACKED_REDUCE : TMA_RULE_PACKED_STORE);
            }
        }
    }
}

/* cuTensorMapEncodeTiled: which swizzles each padded type has, and in which direction. */
static void swizzles(void **state) {
    (void)state;
    static const struct {
        uint32_t dtype;
        uint32_t swizzle;
        int map;
        int load;
        int store;
    } rows[] = {
        {TMA_DTYPE_16U4_ALIGN16B, TMA_SWIZZLE_NONE, 1, 1, 0},
        {TMA_DTYPE_16U4_ALIGN16B, TMA_SWIZZLE_32B, 0, 0, 0},
        {TMA_DTYPE_16U4_ALIGN16B, TMA_SWIZZLE_64B, 0, 0, 0},
        {TMA_DTYPE_16U4_ALIGN16B, TMA_SWIZZLE_128B, 1, 1, 0},
        {TMA_DTYPE_16U4_ALIGN16B, TMA_SWIZZLE_128B_ATOM_32B, 1, 1, 0},
        {TMA_DTYPE_16U4_ALIGN16B, TMA_SWIZZLE_128B_ATOM_32B_FLIP_8B, 0, 0, 0},
        {TMA_DTYPE_16U4_ALIGN16B, TMA_SWIZZLE_128B_ATOM_64B, 0, 0, 0},
        {TMA_DTYPE_16U6_ALIGN16B, TMA_SWIZZLE_NONE, 1, 1, 1},
        {TMA_DTYPE_16U6_ALIGN16B, TMA_SWIZZLE_32B, 0, 0, 0},
        {TMA_DTYPE_16U6_ALIGN16B, TMA_SWIZZLE_64B, 0, 0, 0},
        {TMA_DTYPE_16U6_ALIGN16B, TMA_SWIZZLE_128B, 1, 1, 1},
        {TMA_DTYPE_16U6_ALIGN16B, TMA_SWIZZLE_128B_ATOM_32B, 1, 1, 1},
        {TMA_DTYPE_16U6_ALIGN16B, TMA_SWIZZLE_128B_ATOM_32B_FLIP_8B, 0, 0, 0},
        {TMA_DTYPE_16U6_ALIGN16B, TMA_SWIZZLE_128B_ATOM_64B, 1, 0, 1},
    };
    const tma_instruction load = {.op = TMA_OP_LOAD};
    const tma_instruction store = {.op = TMA_OP_STORE};
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        tma_spec spec = packed_spec(rows[i].dtype);
        spec.swizzle = rows[i].swizzle;
        assert_int_equal(tma_accepts(&spec, &target), rows[i].map);
        if (rows[i].map) {
            const uint32_t swizzle = rows[i].swizzle;
            assert_int_equal(ask(rows[i].dtype, swizzle, &load, &target, NULL) == TMA_OK,
                             rows[i].load);
            assert_int_equal(ask(rows[i].dtype, swizzle, &store, &target, NULL) == TMA_OK,
                             rows[i].store);
        }
    }
}

/* "OOB-NaN fill mode is not supported" for them. */
static void nan_fill_is_refused(void **state) {
    (void)state;
    for (uint32_t dtype = TMA_DTYPE_16U4_ALIGN8B; dtype <= TMA_DTYPE_16U6_ALIGN16B; dtype++) {
        tma_spec spec = packed_spec(dtype);
        assert_int_equal(tma_accepts(&spec, &target), 1);
        spec.fill = TMA_FILL_NAN;
        assert_int_equal(tma_accepts(&spec, &target), 0);
    }
}

/* Maps that no encode call makes, but tensormap.replace does: an instruction takes none of them. */
static void maps_that_no_driver_makes(void **state) {
    (void)state;
    static const struct {
        uint32_t dtype;
        tma_replace_field field;
        uint64_t good;
        uint64_t bad;
        tma_rule_id rule;
    } rows[] = {
        {TMA_DTYPE_16U4_ALIGN8B, TMA_REPLACE_FILL_MODE, 0, 1, TMA_RULE_FILL_NAN_PACKED},
        {TMA_DTYPE_16U6_ALIGN16B, TMA_REPLACE_FILL_MODE, 0, 1, TMA_RULE_FILL_NAN_PACKED},
        {TMA_DTYPE_16U4_ALIGN8B, TMA_REPLACE_GLOBAL_DIM, 150, 151, TMA_RULE_DIM_PACKED},
        {TMA_DTYPE_16U4_ALIGN16B, TMA_REPLACE_GLOBAL_DIM, 128, 144, TMA_RULE_DIM_PACKED},
        {TMA_DTYPE_16U6_ALIGN16B, TMA_REPLACE_GLOBAL_DIM, 384, 320, TMA_RULE_DIM_PACKED},
        {TMA_DTYPE_16U4_ALIGN16B, TMA_REPLACE_BOX_DIM, 128, 112, TMA_RULE_INNER_PACKED},
        {TMA_DTYPE_16U6_ALIGN16B, TMA_REPLACE_BOX_DIM, 128, 256, TMA_RULE_INNER_PACKED},
        {TMA_DTYPE_16U4_ALIGN8B, TMA_REPLACE_BOX_DIM, 64, 40, TMA_RULE_TRAP_ROW_16B},
        {TMA_DTYPE_16U4_ALIGN16B, TMA_REPLACE_SWIZZLE_MODE, 3, 1, TMA_RULE_SWIZZLE_PACKED},
        {TMA_DTYPE_16U6_ALIGN16B, TMA_REPLACE_SWIZZLE_MODE, 3, 2, TMA_RULE_SWIZZLE_PACKED},
    };
    const tma_instruction load = {.op = TMA_OP_LOAD};
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        const tma_spec spec = packed_spec(rows[i].dtype);
        tma_map map;
        tma_plan plan;
        tma_finding why;
        assert_int_equal(tma_encode(map.bytes, &spec, &target), TMA_OK);
        assert_int_equal(tma_replace(map.bytes,
                                     &(tma_edit){.field = rows[i].field, .value = rows[i].good},
                                     NULL),
                         TMA_OK);
        assert_int_equal(tma_plan_make(&plan, map.bytes, &load, &target, &why), TMA_OK);
        assert_int_equal(
            tma_replace(map.bytes, &(tma_edit){.field = rows[i].field, .value = rows[i].bad}, NULL),
            TMA_OK);
        assert_int_not_equal(tma_plan_make(&plan, map.bytes, &load, &target, &why), TMA_OK);
        assert_int_equal(why.rule, rows[i].rule);
    }
}

/* What PTX 9.1 lets .b6p2x16 stores of sm_103a have beside rows of 128 elements; loads, and stores
 * of other targets, take none of it. */
static void stores_of_sm_103a(void **state) {
    (void)state;
    static const tma_target sm_103a = {.sm = 103, .suffix = 'a', .driver = 13000};
    static const tma_target others[] = {{.sm = 103, .suffix = 'f', .driver = 13000},
                                        {.sm = 100, .suffix = 'a', .driver = 13000}};
    const tma_instruction store = {.op = TMA_OP_STORE};
    const tma_instruction load = {.op = TMA_OP_LOAD};
    static const struct {
        uint64_t dim_el;
        uint64_t stride_B;
        uint32_t box_el;
        uint32_t swizzle;
        int runs;
    } rows[] = {{192, 144, 64, TMA_SWIZZLE_NONE, 1},
                {192, 144, 128, TMA_SWIZZLE_NONE, 1},
                {128, 96, 64, TMA_SWIZZLE_64B, 1},
                {192, 144, 64, TMA_SWIZZLE_128B, 1},
                {128, 112, 128, TMA_SWIZZLE_128B, 1},
                {192, 144, 64, TMA_SWIZZLE_128B_ATOM_32B, 1},
                {192, 144, 192, TMA_SWIZZLE_NONE, 0},
                {160, 128, 64, TMA_SWIZZLE_NONE, 0},
                {128, 96, 128, TMA_SWIZZLE_64B, 0},
                {128, 96, 64, TMA_SWIZZLE_32B, 0},
                {128, 96, 64, TMA_SWIZZLE_128B_ATOM_32B_FLIP_8B, 0}};
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        tma_map map;
        tma_plan plan;
        tma_finding why;
        const tma_spec spec = {.dtype = TMA_DTYPE_16U6_ALIGN16B,
                               .rank = 2,
                               .address = ADDRESS + 16,
                               .dim_el = {rows[i].dim_el, 8},
                               .stride_B = {rows[i].stride_B},
                               .box_el = {rows[i].box_el, 4},
                               .element_stride = {1, 1},
                               .swizzle = rows[i].swizzle};
        assert_int_equal(tma_accepts(&spec, &sm_103a), rows[i].runs);
        assert_int_equal(tma_encode_forced(map.bytes, &spec, &sm_103a, NULL), TMA_OK);
        assert_int_equal(tma_plan_make(&plan, map.bytes, &store, &sm_103a, &why) == TMA_OK,
                         rows[i].runs);
        assert_int_equal(tma_plan_make(&plan, map.bytes, &load, &sm_103a, &why), TMA_UNKNOWN);
        for (size_t k = 0; k < COUNT_OF(others); k++) {
            assert_int_equal(tma_accepts(&spec, &others[k]), 0);
            assert_int_equal(tma_plan_make(&plan, map.bytes, &store, &others[k], &why),
                             TMA_UNKNOWN);
        }
    }
}

static void targets(void **state) {
    (void)state;
    static const tma_target sm_90 = {.sm = 90, .suffix = 'a', .driver = 13000};
    static const tma_target sm_120 = {.sm = 120, .suffix = 'a', .driver = 13000};
    const tma_instruction to_cta = {.op = TMA_OP_LOAD};
    const tma_instruction to_cluster = {.op = TMA_OP_LOAD, .cluster = 1};
    for (uint32_t dtype = TMA_DTYPE_16U4_ALIGN8B; dtype <= TMA_DTYPE_16U6_ALIGN16B; dtype++) {
        tma_finding why;
        const tma_spec spec = packed_spec(dtype);
        assert_int_equal(tma_accepts(&spec, &sm_90), 0);
        assert_int_equal(ask(dtype, 0, &to_cluster, &target, NULL), TMA_OK);
        assert_int_equal(ask(dtype, 0, &to_cta, &sm_120, NULL), TMA_OK);
        assert_int_equal(ask(dtype, 0, &to_cluster, &sm_120, &why), TMA_UNKNOWN);
        assert_int_equal(why.rule, TMA_RULE_PACKED_SPACE);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(b4x16_loads),
        cmocka_unit_test(b4x16_stores),
        cmocka_unit_test(b4x16_p64_loads_and_leaves_its_padding),
        cmocka_unit_test(b6x16_p32_loads_and_leaves_its_padding),
        cmocka_unit_test(b6p2x16_stores_the_low_six_bits),
        cmocka_unit_test(round_trips),
        cmocka_unit_test(b4x16_ends_in_a_group),
        cmocka_unit_test(what_is_counted),
        cmocka_unit_test(coordinates_on_both_sides),
        cmocka_unit_test(maps_on_both_sides),
        cmocka_unit_test(directions),
        cmocka_unit_test(swizzles),
        cmocka_unit_test(nan_fill_is_refused),
        cmocka_unit_test(maps_that_no_driver_makes),
        cmocka_unit_test(stores_of_sm_103a),
        cmocka_unit_test(targets),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
