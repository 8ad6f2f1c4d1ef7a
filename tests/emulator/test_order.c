/* SPDX-License-Identifier: Apache-2.0
 *
 * The order table (order_cases.def): of each edge a right kernel, which an engine without it would
 * report, and the same kernel without the instruction that makes the edge, which is reported by its
 * rule. Under every schedule.
 */
#include "support/plain/plain_host.h"
#include "support/testing.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tma/emulate.h"

#define MEMORY_B 4096
#define OUT      0x10000000u
#define IN       0x20000000u

typedef struct order_case {
    const char *name;
    uint32_t threads, ctas, cluster, rule, certain;
    const char *text;
} order_case;

static const order_case CASES[] = {
#define ORDER_CASE(name, threads, ctas, cluster, rule, certain, text)                              \
    {#name, threads, ctas, cluster, TMA_EMULATE_RULE_##rule, certain, text},
#include "order_cases.def"
};
#define COUNT (sizeof CASES / sizeof *CASES)

static const char HEAD[] = ".version 8.6\n.target sm_90a\n.address_size 64\n"
                           ".visible .entry k(.param .u64 out, .param .u64 in)\n{\n"
                           ".reg .b32 %r<16>;\n.reg .b64 %q<8>;\n.reg .pred %p<4>;\n"
                           ".shared .align 1024 .b8 tile[4096];\n"
                           ".shared .align 1024 .b8 other[4096];\n"
                           ".shared .align 8 .b64 bar;\n.shared .align 8 .b64 bar2;\n"
                           "ld.param.u64 %q0, [out];\nld.param.u64 %q1, [in];\n"
                           "mov.u32 %r0, %tid.x;\nshr.u32 %r1, %r0, 5;\nmov.u32 %r2, %ctaid.x;\n"
                           "setp.eq.u32 %p0, %r0, 0;\nand.b32 %r8, %r0, 31;\n"
                           "setp.eq.u32 %p1, %r8, 0;\nmov.u32 %r8, tile;\n"
                           "mad.lo.u32 %r9, %r0, 4, %r8;\nxor.b32 %r7, %r0, 1;\n"
                           "mad.lo.u32 %r10, %r7, 4, %r8;\nxor.b32 %r7, %r0, 32;\n"
                           "mad.lo.u32 %r11, %r7, 4, %r8;\nmov.u32 %r7, %ntid.x;\n"
                           "mad.lo.u32 %r6, %r2, %r7, %r0;\n"
                           "mul.wide.u32 %q2, %r6, 4;\nadd.u64 %q2, %q0, %q2;\n"
                           "@%p0 mbarrier.init.shared::cta.b64 [bar], 1;\n"
                           "@%p0 mbarrier.init.shared::cta.b64 [bar2], %r7;\n"
                           "@%p0 fence.mbarrier_init.release.cluster;\n"
                           "bar.sync 0;\n";

/* The kernel of one side, at `to`. */
static void write_kernel(char *to, size_t size, const char *text, char side) {
    size_t at = (size_t)snprintf(to, size, "%s", HEAD);
    for (const char *line = text; *line;) {
        const char *end = strchr(line, '\n') + 1;
        const int is_marked = *line == '+' || *line == '-';
        if (!is_marked || *line == side) {
            at += (size_t)snprintf(to + at, size - at, "%.*s", (int)(end - line - is_marked),
                                   line + is_marked);
        }
        line = end;
    }
    assert_true((size_t)snprintf(to + at, size - at, "ret;\n}\n") < size - at);
}

static void run_case(tma_emulator *e, const order_case *c, uint32_t schedule, uint64_t seed) {
    static _Alignas(256) uint32_t out[MEMORY_B / 4], in[MEMORY_B / 4];
    uint64_t params[2] = {OUT, IN};
    const tma_emulate_memory memory[2] = {
        {.address = OUT, .size_B = MEMORY_B, .bytes = out, .name = "out"},
        {.address = IN, .size_B = MEMORY_B, .bytes = in, .name = "in"}};
    tma_emulate_launch launch = {.kernel = "k", .params = params, .params_B = sizeof params};
    tma_error error = {0};
    memset(out, 0, sizeof out);
    memset(in, 1, sizeof in);
    launch.grid[0] = c->ctas;
    launch.block[0] = c->threads;
    launch.cluster[0] = c->cluster;
    launch.grid[1] = launch.grid[2] = launch.block[1] = launch.block[2] = 1;
    launch.cluster[1] = launch.cluster[2] = 1;
    launch.memory = memory;
    launch.memories = 2;
    launch.schedule = schedule;
    launch.seed = seed;
    if (tma_emulator_run(e, &launch, &error) != TMA_OK) {
        fail_msg("%s: %s", c->name, error.text);
    }
}

static void say(const tma_emulator *e, const order_case *c, char side, uint32_t schedule) {
    const char *why = "";
    uint32_t line = 0;
    const uint32_t end = tma_emulator_end(e, &why, &line);
    print_error("%s, %s, schedule %u: %s %s (line %u)\n", c->name, side == '+' ? "right" : "broken",
                schedule, tma_emulate_end_name(end), why, line);
    for (size_t i = 0; tma_emulator_finding_at(e, i); i++) {
        const tma_emulate_finding *f = tma_emulator_finding_at(e, i);
        print_error("    %s certain %u lines %u %u: %s\n", tma_emulate_rule_name(f->rule),
                    f->certain, f->access[0].line, f->access[1].line, f->text);
    }
}

/* 1 where it answers as it should. */
static int side_is_right(const order_case *c, char side, uint32_t schedule, uint64_t seed) {
    const tma_emulate_host host = plain_host();
    char text[16384];
    tma_error error = {0};
    int ok;
    write_kernel(text, sizeof text, c->text, side);
    tma_emulator *e = tma_emulator_new(&host, text, strlen(text), &error);
    if (!e) {
        fail_msg("%s: %s", c->name, error.text);
    }
    run_case(e, c, schedule, seed);
    const tma_emulate_finding *f = tma_emulator_finding_at(e, 0);
    if (side == '+') {
        ok = !f && tma_emulator_end(e, NULL, NULL) == TMA_EMULATE_COMPLETED;
    } else {
        ok = f != NULL;
        for (size_t i = 0; f && (f = tma_emulator_finding_at(e, i)); i++) {
            ok &= (f->rule == c->rule || f->rule == TMA_EMULATE_RULE_DEADLOCK ||
                   f->rule == TMA_EMULATE_RULE_TRAP) &&
                  f->certain == c->certain;
        }
        int has = 0;
        for (size_t i = 0; (f = tma_emulator_finding_at(e, i)); i++) {
            has |= f->rule == c->rule;
        }
        ok &= has;
    }
    if (!ok) {
        say(e, c, side, schedule);
    }
    tma_emulator_free(e);
    return ok;
}

static void each_side(char side) {
    size_t wrong = 0;
    for (size_t i = 0; i < COUNT; i++) {
        int ok = 1;
        for (uint32_t schedule = 0; ok && schedule < 5; schedule++) {
            ok = side_is_right(&CASES[i], side, schedule < 2 ? schedule : 2, schedule);
        }
        wrong += !ok;
    }
    if (wrong) {
        fail_msg("%zu of %zu cases", wrong, COUNT);
    }
}

static void test_right_kernels_have_no_finding(void **state) {
    (void)state;
    each_side('+');
}

static void test_broken_kernels_have_theirs(void **state) {
    (void)state;
    each_side('-');
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_right_kernels_have_no_finding),
        cmocka_unit_test(test_broken_kernels_have_theirs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
