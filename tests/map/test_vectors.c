/* SPDX-License-Identifier: Apache-2.0
 *
 * What the driver of an H200 answered, line by line: the same rc and the same 128 bytes.
 */
#include "support/testing.h"

#include "support/cases/case_reader.h"
#include <tma/check.h>
#include <zlib.h>

#ifndef TMA_VECTORS_DIR
#error "TMA_VECTORS_DIR: the folder of the captured answers"
#endif

struct tally {
    unsigned lines;
    unsigned failed;
};

static int same_map(const uint8_t *ours, int has_theirs, const uint8_t *theirs) {
    return !has_theirs || memcmp(ours, theirs, TMA_MAP_BYTES) == 0;
}

/* Encode, then cuTensorMapReplaceAddress: the first always worked, rc is the second's. */
static int rep_agrees(const struct case_line *line) {
    tma_map map;
    if (tma_encode(map.bytes, &line->spec, NULL) != TMA_OK) {
        return 0;
    }
    const tma_status status = tma_replace_address(map.bytes, line->naddr, NULL);
    return (int)status == line->rc && line->has_desc && same_map(map.bytes, 1, line->desc);
}

/* Encode, then tensormap.replace on the device; rc is the encode call's. */
static int dev_agrees(const struct case_line *line) {
    tma_map map;
    const tma_status status = tma_encode(map.bytes, &line->spec, NULL);
    if ((int)status != line->rc || status != TMA_OK) {
        return (int)status == line->rc && !line->has_desc;
    }
    if (!line->has_before || !line->has_desc || !same_map(map.bytes, 1, line->before)) {
        return 0;
    }
    const tma_replace_row *row = tma_replace_row_of((uint32_t)line->field);
    const uint32_t ordinal = row && row->ordinals ? (uint32_t)line->ord : 0;
    return tma_replace(map.bytes,
                       &(tma_edit){.field = line->field, .ordinal = ordinal, .value = line->val},
                       NULL) == TMA_OK &&
           same_map(map.bytes, 1, line->desc);
}

static int enc_agrees(const struct case_line *line) {
    tma_map map;
    const tma_status status = tma_encode(map.bytes, &line->spec, NULL);
    return (int)status == line->rc && (status == TMA_OK) == line->has_desc &&
           same_map(map.bytes, line->has_desc, line->desc);
}

static int agrees(const struct case_line *line) {
    switch (line->kind) {
    case CASE_ENC:
        return enc_agrees(line);
    case CASE_REP:
        return rep_agrees(line);
    default:
        return dev_agrees(line);
    }
}

static gzFile open_vectors(const char *name) {
    char path[4096];
    snprintf(path, sizeof(path), "%s/%s.txt.gz", TMA_VECTORS_DIR, name);
    gzFile file = gzopen(path, "rb");
    if (!file) {
        fail_msg("cannot open %s", path);
    }
    return file;
}

static struct tally replay(const char *name) {
    struct tally tally = {0, 0};
    char text[8192];
    gzFile file = open_vectors(name);
    while (gzgets(file, text, sizeof(text))) {
        struct case_line line;
        const char *wrong = case_read(text, &line);
        tally.lines++;
        if (wrong || !agrees(&line)) {
            print_error("%s:%u: %s: %s", name, tally.lines, wrong ? wrong : "disagrees", text);
            tally.failed++;
        }
    }
    gzclose(file);
    return tally;
}

static unsigned total;

static void expect(const char *name, unsigned lines) {
    const struct tally tally = replay(name);
    assert_int_equal(tally.failed, 0);
    assert_int_equal(tally.lines, lines);
    total += tally.lines;
}

static void one_field_at_a_time(void **state) {
    (void)state;
    expect("encode_sweep", 669);
}

static void random_maps(void **state) {
    (void)state;
    expect("encode", 24000);
}

static void maps_of_shipping_kernels(void **state) {
    (void)state;
    expect("encode_real_world", 574);
}

static void tensormap_replace(void **state) {
    (void)state;
    expect("replace", 1500);
}

static void replace_address(void **state) {
    (void)state;
    expect("replace_address", 351);
}

static void probes(void **state) {
    (void)state;
    expect("encode_probes", 22);
    expect("replace_probes", 87);
}

static void all_of_them(void **state) {
    (void)state;
    assert_int_equal(total, 27203);
    print_message("%u of 27203 captured answers reproduced\n", total);
}

/* The rule that alone refuses a spec; TMA_RULE_NONE if none or several do. */
static uint32_t sole_refusal(const tma_spec *spec) {
    tma_finding found[64];
    const size_t count = tma_check(found, COUNT_OF(found), spec, NULL);
    uint32_t sole = TMA_RULE_NONE;
    for (size_t i = 0; i < count && found[i].severity == TMA_SEVERITY_REFUSED; i++) {
        if (i > 0 && found[i].rule != sole) {
            return TMA_RULE_NONE;
        }
        sole = found[i].rule;
    }
    return sole;
}

/* The refused lines of encode_sweep, encode and encode_probes that only one rule explains: without
 * that rule they would be answered wrongly. Every rule that claims to have been seen has some. */
static void every_seen_rule_is_needed(void **state) {
    (void)state;
    static const char *const names[] = {"encode_sweep", "encode", "encode_probes"};
    unsigned sole[TMA_RULE_LIMIT] = {0};
    for (size_t i = 0; i < COUNT_OF(names); i++) {
        char text[8192];
        gzFile file = open_vectors(names[i]);
        while (gzgets(file, text, sizeof(text))) {
            struct case_line line;
            if (!case_read(text, &line) && line.rc == 1) {
                sole[sole_refusal(&line.spec)]++;
            }
        }
        gzclose(file);
    }
    for (size_t i = 0; i < tma_rule_count(); i++) {
        const tma_rule *rule = tma_rule_at(i);
        const int seen =
            rule->scope == TMA_RULES_OF_MAPS && (rule->standing == TMA_STANDING_ENFORCED ||
                                                 rule->standing == TMA_STANDING_UNDOCUMENTED);
        if (seen && !sole[rule->number]) {
            fail_msg("%s: no line needs it", rule->name);
        }
        if (!seen && sole[rule->number]) {
            fail_msg("%s: %u lines need it, but it does not say so", rule->name,
                     sole[rule->number]);
        }
    }
    assert_int_equal(sole[TMA_RULE_BOX_BYTES], 2204 + 12);
    assert_int_equal(sole[TMA_RULE_INNER_16B_ALWAYS], 1260);
    assert_int_equal(sole[TMA_RULE_BOX_EMPTY], 998);
    assert_int_equal(sole[TMA_RULE_INNER_SPAN], 155);
    assert_int_equal(sole[TMA_RULE_PIXELS_ZERO], 23);
    assert_int_equal(sole[TMA_RULE_CHANNELS_ZERO], 35);
}

/* The calls that break a rule and were accepted, by the rule's evidence; 0: it counts none so. */
static unsigned accepted_by_evidence(const tma_rule *rule) {
    unsigned count = 0;
    const char *at = rule->evidence;
    for (; (*at >= '0' && *at <= '9') || *at == ','; at++) {
        count = *at == ',' ? count : count * 10 + (unsigned)(*at - '0');
    }
    return strncmp(at, " calls that broke it were accepted", 34) == 0 ||
                   strncmp(at, " call that broke it was accepted", 32) == 0
               ? count
               : 0;
}

/* The accepted lines of encode_sweep and encode that break a rule. A rule that says that the driver
 * was seen to accept has some, one that says that it was not seen has none, and the number that a
 * rule's evidence gives is theirs. */
static void what_was_accepted_is_said(void **state) {
    (void)state;
    static const char *const names[] = {"encode_sweep", "encode"};
    unsigned accepted[TMA_RULE_LIMIT] = {0}, counted = 0;
    for (size_t i = 0; i < COUNT_OF(names); i++) {
        char text[8192];
        gzFile file = open_vectors(names[i]);
        while (gzgets(file, text, sizeof(text))) {
            struct case_line line;
            tma_finding found[64];
            const int taken = !case_read(text, &line) && line.rc == 0;
            const size_t count = taken ? tma_check(found, COUNT_OF(found), &line.spec, NULL) : 0;
            for (size_t k = 0; k < count; k++) {
                size_t first = 0;
                for (; found[first].rule != found[k].rule; first++) {
                }
                accepted[found[k].rule] += first == k;
            }
        }
        gzclose(file);
    }
    for (size_t i = 0; tma_rule_at(i)->scope == TMA_RULES_OF_MAPS; i++) {
        const tma_rule *rule = tma_rule_at(i);
        const unsigned said = accepted_by_evidence(rule);
        const unsigned seen = accepted[rule->number];
        counted += said != 0;
        if ((rule->standing == TMA_STANDING_IGNORED && !seen) ||
            (rule->standing == TMA_STANDING_DOCUMENTED && seen) || (said && said != seen)) {
            fail_msg("%s: %s; %s: but %u calls were accepted", rule->name,
                     tma_standing_name(rule->standing), rule->evidence, seen);
        }
    }
    assert_true(counted >= 6);
}

/* The reader must not pass over what it does not understand. */
static void reader_refuses(void **state) {
    (void)state;
    static const char *const wrong[] = {
        "",
        "hw api=tiled rc=0",
        "enc api=tiled dtype=6",
        "enc api=tile rc=1",
        "enc colour=3 rc=1",
        "enc dim=1,,2 rc=1",
        "enc dim=1,2, rc=1",
        "enc dim=1,2,3,4,5,6 rc=1",
        "enc dtype=4294967296 rc=1",
        "enc lo=-2147483649 rc=1",
        "enc rank=2x rc=1",
        "enc rank= rc=1",
        "enc rank rc=1",
        "enc rc=0 desc=00",
    };
    struct case_line line;
    for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
        if (!case_read(wrong[i], &line)) {
            fail_msg("read without complaint: %s", wrong[i]);
        }
    }
    assert_null(case_read("enc addr=18446744073709551616 stride= lo=-5 rc=1\n", &line));
    assert_true(line.spec.address == UINT64_MAX);
    assert_int_equal(line.spec.lower_px[0], -5);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reader_refuses),
        cmocka_unit_test(one_field_at_a_time),
        cmocka_unit_test(random_maps),
        cmocka_unit_test(maps_of_shipping_kernels),
        cmocka_unit_test(tensormap_replace),
        cmocka_unit_test(replace_address),
        cmocka_unit_test(probes),
        cmocka_unit_test(all_of_them),
        cmocka_unit_test(every_seen_rule_is_needed),
        cmocka_unit_test(what_was_accepted_is_said),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
