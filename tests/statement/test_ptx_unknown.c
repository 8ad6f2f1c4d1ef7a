/* SPDX-License-Identifier: Apache-2.0
 *
 * What a PTX file's report says of a copy some of whose operands are not known: it holds whatever
 * those are, and nothing that holds is left out. Random maps and copies, each with what is not
 * known tried out in the library's own plans.
 */
#include "support/testing.h"

#include "ptx_heap.h"
#include "ptx_sites.h"
#include "support/gen/gen_copy.h"
#include "tma/plan.h"
#include "tma/ptx.h"

#define MOST_TEXT 4096
#define TRIES     400 /* of what is not known */
#define CASES     (spec_count() / 250 + 400)

/* What the report says that kills the copy on every map, or on the one that is given. */
typedef struct said {
    char rule[64]; /* "": nothing */
    int but_interleaved;
} said;

static void put_operand(tma_ptx_operand *o, const char *name) {
    *o = (tma_ptx_operand){name, 0, (uint32_t)strlen(name), TMA_PTX_NAME};
}

static void put_copy(tma_out *out, const struct gen_copy *c, uint32_t unknown) {
    static const char *const coords[] = {"%r0", "%r1", "%r2", "%r3", "%r4"};
    static const char *const offsets[] = {"%h0", "%h1", "%h2"};
    tma_ptx_statement s;
    tma_ptx_of(&s, &c->instruction, c->spec.rank, &c->at);
    for (uint32_t i = 0; i < s.coords; i++) {
        if (unknown & TMA_PTX_UNKNOWN_COORD << i) {
            put_operand(&s.coord[i], coords[i]);
        }
    }
    for (uint32_t i = 0; i < s.offsets; i++) {
        if (unknown & TMA_PTX_UNKNOWN_OFFSET << i) {
            put_operand(&s.offset[i], offsets[i]);
        }
    }
    if (s.shared.kind && unknown & TMA_PTX_UNKNOWN_SHARED) {
        put_operand(&s.shared, "%r8");
    }
    tma_ptx_print(out, &s);
}

static void put_file(tma_out *out, const struct gen_copy *c, uint32_t unknown) {
    tma_putf(out,
             ".version 9.5\n.target %s\n.address_size 64\n"
             ".visible .entry k(.param .align 64 .b8 map[128])\n{\n"
             ".reg .b32 %%r<9>; .reg .b16 %%h<9>; .shared .b64 mbar;\n",
             tma_arch_of(&c->target)->name);
    put_copy(out, c, unknown);
    tma_put(out, "\nret;\n}\n");
}

static said ask(const struct gen_copy *c, const char *text, size_t size, int is_given) {
    said answer = {"", 0};
    ptx_heap heap = {NULL};
    ptx_report r;
    ptx_given given = {.name = {"map", 3}, .variable = PTX_NONE};
    memcpy(given.map.bytes, c->map.bytes, sizeof(given.map.bytes));
    assert_int_equal(ptx_report_make(&r, ptx_heap_more, &heap, text, size, &given,
                                     (uint32_t)is_given, &c->target),
                     0);
    assert_int_equal(r.sites, 1);
    for (uint32_t i = 0; i < r.findings; i++) {
        const char *rule = r.finding[i].rule;
        if (!strcmp(rule, "ptx-interleaved")) {
            answer.but_interleaved = 1;
        } else if (strncmp(rule, "ptx-", 4) != 0 && strstr(r.finding[i].text, "map: ")) {
            assert_true(r.finding[i].certain);
            snprintf(answer.rule, sizeof(answer.rule), "%s", rule);
        }
    }
    ptx_heap_free(&heap);
    return answer;
}

static int32_t some_coord(struct random_source *r, const struct gen_copy *c, uint32_t i) {
    const uint64_t dim = c->spec.dim_el[i];
    const int64_t values[] = {0,
                              0,
                              0,
                              1,
                              -1,
                              16,
                              INT32_MIN,
                              INT32_MAX,
                              (int64_t)dim - 1,
                              (int64_t)dim,
                              c->at.coord[i],
                              (int64_t)random_below(r, 65) - 32,
                              (int32_t)random_u64(r),
                              (int64_t)random_below(r, dim)};
    return (int32_t)(uint32_t)(uint64_t)values[random_below(r, COUNT_OF(values))];
}

static tma_position some_position(struct random_source *r, const struct gen_copy *c,
                                  uint32_t unknown) {
    static const uint16_t offsets[] = {0, 0, 0, 1, 2, 3, 31, 255, 256, 0x8000, 65535};
    tma_position at = c->at;
    for (uint32_t i = 0; i < TMA_MAX_RANK; i++) {
        at.coord[i] = unknown & TMA_PTX_UNKNOWN_COORD << i ? some_coord(r, c, i) : at.coord[i];
    }
    for (uint32_t i = 0; i < TMA_MAX_SPATIAL; i++) {
        if (unknown & TMA_PTX_UNKNOWN_OFFSET << i) {
            at.offset[i] = offsets[random_below(r, COUNT_OF(offsets))];
        }
    }
    if (unknown & TMA_PTX_UNKNOWN_SHARED) {
        at.shared_address = (uint32_t)random_below(r, 64) << random_below(r, 16);
    }
    return at;
}

/* Whether a finding is about an operand that is known. */
static int is_known(const tma_finding *f, uint32_t unknown) {
    const uint32_t bit = f->argument == TMA_ARG_SHARED   ? TMA_PTX_UNKNOWN_SHARED
                         : f->argument == TMA_ARG_OFFSET ? TMA_PTX_UNKNOWN_OFFSET << f->index
                         : f->argument == TMA_ARG_COORD  ? TMA_PTX_UNKNOWN_COORD << f->index
                                                         : 0;
    return f->index < 0 && f->argument != TMA_ARG_SHARED ? !unknown : !(unknown & bit);
}

/* Whether the copy dies, whatever was tried of what is not known: 2, and once of what is known. */
static int always_dies(struct random_source *r, const struct gen_copy *c, uint32_t unknown,
                       tma_finding *why) {
    tma_plan plan;
    tma_finding found;
    int dies = 1;
    if (tma_plan_make(&plan, c->map.bytes, &c->instruction, &c->target, why) != TMA_OK) {
        return 2;
    }
    for (int i = 0; i < TRIES; i++) {
        const tma_position at = some_position(r, c, i ? unknown : 0);
        if (tma_plan_at(&plan, &at, &found) == TMA_OK) {
            return 0;
        }
        if (is_known(&found, unknown)) {
            *why = found;
            dies = 2;
        }
    }
    return dies;
}

/* Now and then something beside its limit, of what is known. */
static void spoil(struct random_source *r, struct gen_copy *c) {
    const uint32_t i = (uint32_t)random_below(r, TMA_MAX_RANK);
    if (random_one_in(r, 2)) {
        c->at.coord[i] = some_coord(r, c, i);
    }
    if (random_one_in(r, 8)) {
        c->at.offset[i % TMA_MAX_SPATIAL] = (uint16_t)random_below(r, 300);
    }
    if (random_one_in(r, 8)) {
        c->at.shared_address += 1u << random_below(r, 10);
    }
}

static void what_is_said_holds_for_all(void **state) {
    struct random_source r = {26};
    unsigned long deaths = 0;
    unsigned long unsaid = 0;
    unsigned long every = 0;
    (void)state;
    for (unsigned long i = 0; i < CASES; i++) {
        struct gen_copy c;
        char text[MOST_TEXT];
        char line[GEN_COPY_LINE_BYTES];
        tma_finding why = {0};
        tma_out out = tma_out_into(text, sizeof(text));
        gen_copy(&r, random_one_in(&r, 4) ? GEN_ANY : GEN_SMALL, &c);
        spoil(&r, &c);
        const uint32_t unknown = (uint32_t)(random_u64(&r) & random_u64(&r)) & 0x1FF;
        put_file(&out, &c, unknown);
        const int dies = always_dies(&r, &c, unknown, &why);
        const said given = ask(&c, text, out.length, 1);
        const said any = ask(&c, text, out.length, 0);
        if ((*given.rule || *any.rule) && !dies) {
            fail_msg("%lu: on this map \"%s\", on every map \"%s\" is said, and it runs\n%s\n%s", i,
                     given.rule, any.rule, text, gen_copy_line(&c, line));
        }
        if (any.but_interleaved && !dies && !c.spec.interleave) {
            fail_msg("%lu: it runs, and is not interleaved\n%s\n%s", i, text,
                     gen_copy_line(&c, line));
        }
        if (dies == 2 && !*given.rule) {
            printf("%lu: %s is not said (unknown 0x%x)\n%s", i, tma_rule_of(why.rule)->name,
                   unknown, text);
            unsaid++;
        }
        deaths += dies != 0;
        every += *any.rule != 0;
    }
    printf("%lu copies die, %lu of them on every map, of %lu\n", deaths, every, CASES);
    assert_true(deaths > CASES / 20 && every > CASES / 100);
    assert_int_equal(unsaid, 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(what_is_said_holds_for_all)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
