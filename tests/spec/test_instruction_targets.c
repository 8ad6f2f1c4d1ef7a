/* SPDX-License-Identifier: Apache-2.0
 *
 * Which architecture has which form of the instructions: as ptxas 13.0.88 takes them, form by form.
 */
#include "support/testing.h"

#include <tma/map.h>
#include <tma/plan.h>

/* The forms, and what each was written as for ptxas. */
static const struct {
    const char *ptx;
    tma_instruction instruction;
} forms[] = {
    {"tensor.2d.shared::cta.global.tile", {.op = TMA_OP_LOAD}},
    {"tensor.2d.shared::cluster.global.tile.multicast::cluster",
     {.op = TMA_OP_LOAD, .cluster = 1, .cta_mask = 1}},
    {"tensor.2d.shared::cta.global.tile.multicast::cluster", {.op = TMA_OP_LOAD, .cta_mask = 1}},
    {"tensor.2d.shared::cta.global.tile.cta_group::2", {.op = TMA_OP_LOAD, .cta_group = 2}},
    {"tensor.2d.shared::cluster.global.tile.cta_group::1",
     {.op = TMA_OP_LOAD, .cluster = 1, .cta_group = 1}},
    {"tensor.2d.shared::cta.global.tile::gather4", {.op = TMA_OP_LOAD, .mode = TMA_MODE_GATHER4}},
    {"tensor.2d.shared::cluster.global.tile::gather4",
     {.op = TMA_OP_LOAD, .mode = TMA_MODE_GATHER4, .cluster = 1}},
    {"prefetch.tensor.2d.L2.global.tile::gather4",
     {.op = TMA_OP_PREFETCH, .mode = TMA_MODE_GATHER4}},
    {"tensor.2d.global.shared::cta.tile::scatter4",
     {.op = TMA_OP_STORE, .mode = TMA_MODE_SCATTER4}},
    {"tensor.4d.shared::cta.global.im2col::w", {.op = TMA_OP_LOAD, .mode = TMA_MODE_IM2COL_W}},
    {"tensor.4d.shared::cluster.global.im2col::w",
     {.op = TMA_OP_LOAD, .mode = TMA_MODE_IM2COL_W, .cluster = 1}},
    {"prefetch.tensor.4d.L2.global.im2col::w", {.op = TMA_OP_PREFETCH, .mode = TMA_MODE_IM2COL_W}},
    {"tensor.4d.shared::cta.global.im2col::w::128",
     {.op = TMA_OP_LOAD, .mode = TMA_MODE_IM2COL_W128}},
    {"tensor.4d.shared::cluster.global.im2col::w::128",
     {.op = TMA_OP_LOAD, .mode = TMA_MODE_IM2COL_W128, .cluster = 1}},
    {"prefetch.tensor.4d.L2.global.im2col::w::128",
     {.op = TMA_OP_PREFETCH, .mode = TMA_MODE_IM2COL_W128}},
    {"tensor.4d.shared::cta.global.im2col", {.op = TMA_OP_LOAD, .mode = TMA_MODE_IM2COL}},
    {"tensor.4d.global.shared::cta.im2col_no_offs", {.op = TMA_OP_STORE, .mode = TMA_MODE_IM2COL}},
    {"tensor.4d.global.shared::cta.im2col_no_offs::w",
     {.op = TMA_OP_STORE, .mode = TMA_MODE_IM2COL_W}},
};

/* In the order of the forms: x taken, a point refused. */
static const struct {
    const char *name;
    const char *taken;
} targets[] = {
    {"sm_90", "xx.............xx."},   {"sm_90a", "xx.............xx."},
    {"sm_100", "xx...x...x.....xx."},  {"sm_100f", "xx.xxxxxxxxxxxxxx."},
    {"sm_100a", "xx.xxxxxxxxxxxxxx."}, {"sm_103", "xx...x...x.....xx."},
    {"sm_103f", "xx.xxxxxxxxxxxxxx."}, {"sm_103a", "xx.xxxxxxxxxxxxxx."},
    {"sm_107", "xx...x...x.....xx."},  {"sm_107f", "xx.xxxxxxxxxxxxxxx"},
    {"sm_107a", "xx.xxxxxxxxxxxxxxx"}, {"sm_121", "xx...x...x.....xx."},
    {"sm_121f", "xx...x...x.....xx."}, {"sm_121a", "xx...x...x.....xx."},
    {"sm_101", "xx...x...x.....xx."},  {"sm_101f", "xx.xxxxxxxxxxxxxx."},
    {"sm_101a", "xx.xxxxxxxxxxxxxx."}, {"sm_110", "xx...x...x.....xx."},
    {"sm_110f", "xx.xxxxxxxxxxxxxx."}, {"sm_110a", "xx.xxxxxxxxxxxxxx."},
    {"sm_120", "xx...x...x.....xx."},  {"sm_120f", "xx...x...x.....xx."},
    {"sm_120a", "xx...x...x.....xx."},
};

static tma_map map_for(uint32_t mode) {
    const tma_target target = {.sm = 100, .suffix = 'a', .driver = 13000};
    const int tiled =
        mode == TMA_MODE_TILE || mode == TMA_MODE_GATHER4 || mode == TMA_MODE_SCATTER4;
    tma_spec spec = {.api = tiled ? TMA_API_TILED : TMA_API_IM2COL,
                     .dtype = TMA_DTYPE_FLOAT16,
                     .rank = tiled ? 2 : 4,
                     .swizzle = TMA_SWIZZLE_128B,
                     .address = 1 << 20,
                     .dim_el = {64, 8, 8, 8},
                     .stride_B = {128, 1024, 8192},
                     .box_el = {64, 1},
                     .element_stride = {1, 1, 1, 1},
                     .channels_per_pixel = 64,
                     .pixels_per_column = 8};
    tma_map map;
    assert_int_equal(tma_encode(map.bytes, &spec, &target), TMA_OK);
    return map;
}

static void as_the_compiler_takes_them(void **state) {
    (void)state;
    assert_int_equal(tma_arch_count(), COUNT_OF(targets));
    for (size_t i = 0; i < COUNT_OF(targets); i++) {
        const tma_arch_row *row = tma_arch_find(targets[i].name);
        assert_non_null(row);
        assert_int_equal(strlen(targets[i].taken), COUNT_OF(forms));
        for (size_t k = 0; k < COUNT_OF(forms); k++) {
            const tma_target target = {.sm = row->sm, .suffix = row->suffix, .driver = 13000};
            const tma_map map = map_for(forms[k].instruction.mode);
            tma_plan plan;
            const tma_status status =
                tma_plan_make(&plan, map.bytes, &forms[k].instruction, &target, NULL);
            const char taken = targets[i].taken[k];
            if (status != (taken == 'x' ? TMA_OK : TMA_PTXAS)) {
                fail_msg("%s on %s: %s", forms[k].ptx, targets[i].name, tma_status_name(status));
            }
        }
    }
}

static void names_go_both_ways(void **state) {
    (void)state;
    uint32_t found = 0;
    for (uint32_t op = 0; op < TMA_OPS; op++) {
        found = UINT32_MAX;
        assert_true(tma_op_find(&found, tma_op_name(op)));
        assert_int_equal(found, op);
    }
    for (uint32_t mode = 0; mode < TMA_MODES; mode++) {
        found = UINT32_MAX;
        assert_true(tma_mode_find(&found, tma_mode_name(mode)));
        assert_int_equal(found, mode);
    }
    static const char *const others[] = {"stor", "stores", "", "?", NULL};
    found = 77;
    for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++) {
        assert_false(tma_op_find(&found, others[i]));
        assert_false(tma_mode_find(&found, others[i]));
    }
    assert_false(tma_mode_find(&found, "im2col::"));
    assert_false(tma_op_find(NULL, "load"));
    assert_int_equal(found, 77);
    assert_string_equal(tma_op_name(TMA_OPS), "?");
    assert_string_equal(tma_mode_name(TMA_MODES), "?");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(as_the_compiler_takes_them),
        cmocka_unit_test(names_go_both_ways),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
