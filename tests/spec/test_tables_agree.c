/* SPDX-License-Identifier: Apache-2.0
 *
 * What reads the tables agrees with itself, whatever their numbers: decode undoes encode, and edits
 * with tensormap.replace lead where encoding the edited spec leads. No position or code is typed
 * here (those are in test_layout and test_replace), so that tools/mutate_tables.py can change a
 * row and ask whether all followed.
 */
#include "support/testing.h"

#include "support/cases/spec_line.h"
#include "support/gen/gen_spec.h"
#include <string.h>
#include <tma/map.h>

static const tma_target target = {.sm = 90, .suffix = 'a', .driver = 13000};

static tma_spec encoded(struct random_source *r, tma_map *map) {
    for (;;) {
        const tma_spec spec = gen_good_spec(r, &target);
        if (tma_encode(map->bytes, &spec, &target) == TMA_OK) {
            return spec;
        }
    }
}

static void decode_undoes_encode(void **state) {
    (void)state;
    struct random_source r = {51};
    for (unsigned long i = 0; i < spec_count(); i++) {
        tma_map map;
        tma_map again;
        tma_decoded d;
        const tma_spec s = encoded(&r, &map);
        assert_int_equal(tma_decode(&d, map.bytes), TMA_OK);
        assert_int_equal(d.odd, 0);
        if (d.spec.dtype != s.dtype || d.spec.rank != s.rank || d.spec.address != s.address ||
            d.spec.interleave != s.interleave || d.spec.swizzle != s.swizzle || d.spec.l2 != s.l2 ||
            d.spec.fill != s.fill || (d.spec.api == TMA_API_TILED) != (s.api == TMA_API_TILED) ||
            memcmp(d.spec.dim_el, s.dim_el, s.rank * sizeof(s.dim_el[0])) != 0 ||
            memcmp(d.spec.element_stride, s.element_stride, s.rank * sizeof(uint32_t)) != 0 ||
            memcmp(d.spec.stride_B, s.stride_B, (s.rank - 1) * sizeof(s.stride_B[0])) != 0 ||
            (s.api == TMA_API_TILED &&
             memcmp(d.spec.box_el, s.box_el, s.rank * sizeof(uint32_t)) != 0)) {
            char line[SPEC_LINE_BYTES];
            fail_msg("read otherwise: %s", spec_line(&s, &target, line));
        }
        assert_int_equal(tma_encode(again.bytes, &d.spec, &target), TMA_OK);
        assert_memory_equal(&again, &map, sizeof(map));
    }
}

static void edit(tma_map *map, tma_replace_field field, uint32_t ordinal, uint64_t value) {
    assert_int_equal(tma_replace(map->bytes,
                                 &(tma_edit){.field = field, .ordinal = ordinal, .value = value},
                                 NULL),
                     TMA_OK);
}

static uint64_t immediate(tma_enum_kind kind, uint32_t number) {
    const tma_enum_row *row = tma_enum_row_of(kind, number);
    assert_non_null(row);
    return (uint64_t)row->ptx;
}

/* Makes the map of one tiled spec that of another; what tensormap.replace has no field for stays.
 */
static void become(tma_map *map, const tma_spec *s) {
    edit(map, TMA_REPLACE_GLOBAL_ADDRESS, 0, s->address);
    edit(map, TMA_REPLACE_RANK, 0, s->rank - 1);
    edit(map, TMA_REPLACE_ELEMTYPE, 0, immediate(TMA_ENUM_DTYPE, s->dtype));
    edit(map, TMA_REPLACE_INTERLEAVE, 0, immediate(TMA_ENUM_INTERLEAVE, s->interleave));
    edit(map, TMA_REPLACE_SWIZZLE_MODE, 0, immediate(TMA_ENUM_SWIZZLE, s->swizzle));
    edit(map, TMA_REPLACE_FILL_MODE, 0, immediate(TMA_ENUM_FILL, s->fill));
    for (uint32_t i = 0; i < s->rank; i++) {
        edit(map, TMA_REPLACE_GLOBAL_DIM, i, (uint32_t)s->dim_el[i]); /* 0: 2^32 */
        edit(map, TMA_REPLACE_BOX_DIM, i, s->box_el[i]);
        edit(map, TMA_REPLACE_ELEMENT_STRIDE, i, s->element_stride[i]);
        if (i > 0) {
            edit(map, TMA_REPLACE_GLOBAL_STRIDE, i - 1, s->stride_B[i - 1]);
        }
    }
}

static void edits_lead_where_encode_leads(void **state) {
    (void)state;
    struct random_source r = {52};
    unsigned long compared = 0;
    for (unsigned long i = 0; i < spec_count(); i++) {
        tma_map from;
        tma_map to;
        tma_map whole;
        tma_decoded d;
        const tma_spec a = encoded(&r, &from);
        tma_spec b = encoded(&r, &to);
        b.l2 = a.l2;
        if (a.api != TMA_API_TILED || b.api != TMA_API_TILED || a.rank > b.rank ||
            tma_encode(to.bytes, &b, &target) != TMA_OK) {
            continue;
        }
        become(&from, &b);
        assert_int_equal(tma_decode(&d, from.bytes), TMA_OK);
        if (d.spec.dtype != b.dtype) { /* the TF32 flag stays */
            continue;
        }
        assert_int_equal(d.odd & ~(TMA_ODD_BOX_BYTES | TMA_ODD_REPEAT | TMA_ODD_TF32_FLAG), 0);
        if (d.odd & TMA_ODD_TF32_FLAG) {
            continue;
        }
        assert_int_equal(tma_encode(whole.bytes, &d.spec, &target), TMA_OK); /* derived words too */
        assert_memory_equal(&whole, &to, sizeof(to));
        compared++;
    }
    print_message("%lu maps became others\n", compared);
    assert_true(compared > spec_count() / 20);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(decode_undoes_encode),
        cmocka_unit_test(edits_lead_where_encode_leads),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
