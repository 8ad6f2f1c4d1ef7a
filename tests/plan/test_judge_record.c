/* SPDX-License-Identifier: Apache-2.0
 *
 * What a kernel leaves of a copy that breaks a rule, in words (judge_record.h): the words of the
 * library's own finding, on every random copy that traps; any bytes in a record are safe.
 */
#include "support/testing.h"

#include "support/gen/gen_copy.h"
#include "support/judged.h"
#include <stdlib.h>
#include <tma/judge_record.h>

#define TEXT_BYTES 4096

/* As program/kernel/fault.c fills it. */
static void fill(tma_judge_record *r, const struct gen_copy *c, const tma_judge_fault *fault) {
    r->rule = fault->rule;
    r->index = fault->index;
    r->relation = fault->relation;
    r->unit = fault->unit;
    r->given = fault->given;
    r->value = fault->value;
    r->limit = fault->limit;
    r->op = c->instruction.op;
    for (uint32_t i = 0; i < TMA_MAP_BYTES / 4; i++) {
        const uint8_t *b = c->map.bytes + (size_t)i * 4;
        r->words[i] = b[0] | (uint32_t)b[1] << 8 | (uint32_t)b[2] << 16 | (uint32_t)b[3] << 24;
    }
}

/* What it has where nobody has judged yet. */
static tma_judge_record unjudged(const struct gen_copy *c, const tma_judge_site *site,
                                 const tma_judge_at *at) {
    const tma_judge_fault none = {0};
    tma_judge_record r = {.state = TMA_JUDGE_RECORD_DONE,
                          .features = site->features,
                          .mode = site->mode,
                          .rank = site->rank,
                          .cluster = site->cluster,
                          .cta_group = site->cta_group,
                          .multicast = site->multicast,
                          .shared_address = at->shared_address,
                          .window_end = at->window_end,
                          .cta_mask = at->cta_mask,
                          .ctas = at->ctas,
                          .barrier = at->barrier,
                          .offset = {at->offset[0], at->offset[1]}};
    fill(&r, c, &none);
    memcpy(r.coord, at->coord, sizeof(r.coord));
    return r;
}

static void words_are_the_findings(void **state) {
    (void)state;
    struct random_source r = {631};
    const unsigned long count = spec_count();
    unsigned long said = 0;
    for (unsigned long i = 0; i < count; i++) {
        struct gen_copy c;
        tma_finding why = {0};
        tma_judge_fault fault;
        char expected[TEXT_BYTES];
        char text[TEXT_BYTES];
        gen_copy(&r, GEN_ANY, &c);
        if (random_one_in(&r, 2)) {
            c.at.coord[random_below(&r, TMA_MAX_RANK)] = (int32_t)random_u64(&r);
        } else {
            c.at.offset[random_below(&r, 2)] = (uint16_t)random_u64(&r);
        }
        const tma_judge_site site = judged_site(&c.instruction, &c.target);
        const tma_judge_at at = judged_at(&c.at, 0);
        const tma_status status =
            judged_by_plan(c.map.bytes, &c.instruction, &c.target, &c.at, &why);
        if (status != TMA_TRAP || tma_judge_copy(&fault, c.map.bytes, &site, &at) != TMA_TRAP) {
            continue;
        }
        tma_judge_record record = {.state = TMA_JUDGE_RECORD_DONE};
        fill(&record, &c, &fault);
        const int head =
            snprintf(expected, sizeof(expected), "libtma: %s: ", tma_rule_of(why.rule)->name);
        size_t length = (size_t)head;
        length += tma_finding_text(expected + length, sizeof(expected) - length, &why);
        tma_judge_record_text(text, sizeof(text), &record);
        assert_memory_equal(text, expected, length);
        assert_int_equal(text[length], '\n');
        record = unjudged(&c, &site, &at);
        tma_judge_record_text(text, sizeof(text), &record);
        assert_memory_equal(text, expected, length);
        assert_int_equal(text[length], '\n');
        said++;
    }
    print_message("%lu of %lu copies trap\n", said, count);
    assert_true(said > count / 20);
}

static void the_whole_text(void **state) {
    (void)state;
    char text[TEXT_BYTES];
    tma_judge_record r = {.map = 0x7f5c362b0240,
                          .given = 1,
                          .value = 2,
                          .limit = 16,
                          .rule = TMA_RULE_TRAP_COORD_ALIGN,
                          .relation = TMA_MUST_BE_MULTIPLE_OF,
                          .unit = TMA_UNIT_B,
                          .coords = 2,
                          .coord = {1, -384, 7, 7, 7},
                          .shared_address = 0x18400,
                          .block = {3, 1, 0},
                          .thread = {0, 5, 0},
                          .line = 23,
                          .words = {0x34800000, [31] = 0x01020304},
                          .opcode = "cp.async.bulk.tensor.2d",
                          .file = "matmul.py",
                          .function = "matmul"};
    const size_t length = tma_judge_record_text(text, sizeof(text), &r);
    assert_int_equal(length, strlen(text));
    assert_string_equal(
        text, "libtma: coord-align: tensorCoords[0] = 1: 2 B, must be a multiple of 16 B: without "
              "interleave the first coordinate, in bytes, is a multiple of 16\n"
              "  cp.async.bulk.tensor.2d: map 0x7f5c362b0240, coordinates {1, -384}, shared "
              "0x18400\n  tma decode "
              "0000803400000000000000000000000000000000000000000000000000000000"
              "0000000000000000000000000000000000000000000000000000000000000000"
              "0000000000000000000000000000000000000000000000000000000000000000"
              "0000000000000000000000000000000000000000000000000000000004030201\n");
    tma_judge_record_place(text, sizeof(text), &r);
    assert_string_equal(text, "matmul.py:23: matmul: block: [3,1,0], thread: [0,5,0]");
    r.op = TMA_OP_PREFETCH;
    tma_judge_record_text(text, sizeof(text), &r);
    assert_null(strstr(text, ", shared "));
    r.rule = 65535;
    tma_judge_record_text(text, sizeof(text), &r);
    assert_memory_equal(text, "libtma: rule 65535\n", 19);
    assert_int_equal(tma_judge_record_text(text, sizeof(text), NULL), 0);
    assert_int_equal(tma_judge_record_place(text, sizeof(text), NULL), 0);
}

/* Strings without an end, numbers of nothing, buffers of every size: what fits is written. */
static void any_bytes(void **state) {
    (void)state;
    struct random_source r = {17};
    for (int i = 0; i < 200; i++) {
        tma_judge_record *record = malloc(sizeof(*record));
        assert_non_null(record);
        for (size_t k = 0; k < sizeof(*record); k++) {
            ((uint8_t *)record)[k] = (uint8_t)(1 + random_below(&r, 255));
        }
        const size_t size = random_below(&r, TEXT_BYTES);
        char *text = malloc(size ? size : 1);
        assert_non_null(text);
        const size_t length = tma_judge_record_text(text, size, record);
        assert_int_equal(length, tma_judge_record_text(NULL, 0, record));
        if (size) {
            assert_int_equal(strlen(text), length < size ? length : size - 1);
        }
        const size_t place = tma_judge_record_place(text, size, record);
        assert_in_range(place, sizeof(record->file) + sizeof(record->function), TEXT_BYTES);
        free(text);
        free(record);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(words_are_the_findings),
        cmocka_unit_test(the_whole_text),
        cmocka_unit_test(any_bytes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
