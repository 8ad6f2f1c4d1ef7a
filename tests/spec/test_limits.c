/* SPDX-License-Identifier: Apache-2.0
 *
 * The limits, typed in a second time from docs/facts.md and the documents: value and text of each,
 * and that the sentences of the rules say these texts.
 */
#include "support/testing.h"

#include <string.h>
#include <tma/check.h>

static const struct {
    const char *name;
    uint64_t value;
    const char *text;
    const char *rule; /* whose sentence has the text, "" for none */
} limits[] = {
    {"RANK", 5, "5", "rank-range"},
    {"RANK_SLICED", 3, "3", "rank-interleave"},
    {"ADDRESS", 144115188075855872, "2^57", "address-limit"},
    {"ALIGN", 16, "16", "address-align"},
    {"SLICE", 16, "16", ""},
    {"ALIGN_32B", 32, "32", "stride-align-32"},
    {"DIM", 4294967296, "2^32", "dim-limit"},
    {"DIM_TEXT", 2147483648, "2^31", "dim-limit-text"},
    {"COPIED_DIM", 2147483648, "2^31", "dim-signed"},
    {"STRIDE", 1099511627776, "2^40", "stride-limit"},
    {"BOX", 256, "256", "box-limit"},
    {"CHANNELS", 256, "256", "channels-limit"},
    {"PIXELS", 1024, "1024", "pixels-limit"},
    {"STEP", 8, "8", "element-stride-limit"},
    {"CORNER_3D", 16, "16", "corner-range"},
    {"CORNER_4D", 8, "8", "corner-range"},
    {"CORNER_5D", 5, "5", "corner-range"},
    {"BOX_BYTES", 233472, "228 KiB", "box-bytes"},
    {"PAIR", 2, "2", "dim-packed"},
    {"PADDED", 128, "128", "inner-packed"},
    {"HALF_PADDED", 64, "64", "dim-packed"},
    {"LARGE_TENSOR", 131072, "128 KiB", ""},
    {"SMALL_WINDOW", 4096, "4 KiB", ""},
    {"MAP_ALIGN", 64, "64", ""},
    {"MAP_TYPE_ALIGN", 128, "128", ""},
    {"SEEN_DRIVER", 13000, "13.0", ""},
    {"SEEN_TOOLCHAIN", 13000, "13.0", ""},
    {"FIRST_DRIVER", 12000, "12.0", "driver-old"},
    {"WIDE_DRIVER", 12080, "12.8", "wide-driver"},
    {"CLASS_DRIVER", 13050, "13.5", ""},
    {"DIM_DRIVER", 13050, "13.5", "dim-limit-text"},
    {"WIDE_TEXT_DRIVER", 13020, "13.2", "wide-64B-6bit"},
    {"EXTENT_DRIVER", 13020, "13.2", ""},
    {"SHARED", 232448, "227 KiB", ""},
    {"SHARED_120", 101376, "99 KiB", ""},
    {"WINDOW", 4294967296, "2^32", ""},
    {"SHARED_ALIGN", 128, "128", "shared-align"},
    {"BARRIER_ALIGN", 8, "8", "barrier-align"},
    {"BULK_UNIT", 16, "16", "bulk-size"},
    {"W128_PIXELS", 128, "128", "wide-W128-pixels"},
    {"W128_CHUNK", 32, "32", ""},
    {"OFFSET_3D", 16, "16", "im2col-offset-range"},
    {"OFFSET_4D", 8, "8", "im2col-offset-range"},
    {"OFFSET_5D", 5, "5", "im2col-offset-range"},
    {"PTX_TENSOR", 80, "80", ""},
    {"PTX_FORMS", 86, "86", ""},
    {"PTX_94", 94, "94", ""},
    {"OVERRIDE_MEMORY", 131072, "131072", "override-memory"},
    {"HALO", 512, "512", "wide-halo"},
    {"HALO_W128", 32, "32", "wide-halo"},
    {"W_OFFSET", 32, "32", "wide-offset"},
    {"MMA_REACH", 262144, "2^18", ""},
    {"MMA_STEP", 16, "16", ""},
    {"MMA_SIDE", 256, "256", ""},
    {"ZERO_SHIFT", 32, "32", ""},
    {"ZERO_SHIFT_32", 16, "16", ""},
    {"MMA_WINDOW", 233472, "228 KiB", ""},
};

static void as_typed(void **state) {
    (void)state;
    const size_t count = tma_limit_count();
    assert_int_equal(count, sizeof(limits) / sizeof(limits[0]));
    for (size_t i = 0; i < count; i++) {
        assert_string_equal(tma_limit_at(i)->name, limits[i].name);
        assert_int_equal(tma_limit_at(i)->value, limits[i].value);
        assert_string_equal(tma_limit_at(i)->text, limits[i].text);
        assert_true(tma_limit_at(i)->meaning[0] && tma_limit_at(i)->evidence[0]);
        if (*limits[i].rule) {
            const tma_rule *rule = tma_rule_find(limits[i].rule);
            assert_non_null(rule);
            if (!strstr(rule->statement, limits[i].text)) {
                fail_msg("%s does not say %s: %s", limits[i].rule, limits[i].text, rule->statement);
            }
        }
    }
}

static void targets(void **state) {
    (void)state;
    const size_t count = tma_arch_count();
    for (size_t i = 0; i < count; i++) {
        assert_int_equal(tma_arch_at(i)->shared_B, tma_arch_at(i)->sm >= 120 ? 101376 : 232448);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(as_typed), cmocka_unit_test(targets)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
