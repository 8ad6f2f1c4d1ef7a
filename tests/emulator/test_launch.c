/* SPDX-License-Identifier: Apache-2.0
 *
 * Launches that no driver takes, each with what is said of it; what CUDA gives kernels to call.
 */
#include "emulator/harness.h"

#define PLAIN(directives)                                                                          \
    ".visible .entry k(.param .u64 p, .param .u32 n)\n" directives "{\nret;\n}\n"

typedef struct refusal {
    const char *directives, *text;
    uint32_t grid[3], block[3], cluster[3], dynamic_shared_B;
    size_t params_B;
    uint16_t sm; /* 0: the PTX's */
} refusal;

#define PARAMS 12

static const refusal REFUSALS[] = {
    {"", "block: not given, and the kernel has neither .reqntid nor .maxntid", .params_B = PARAMS},
    {"", "block: 1056 threads; at most 1024", .block = {33, 32}, .params_B = PARAMS},
    {"", "block.x: 1025; at most 1024", .block = {1025}, .params_B = PARAMS},
    {"", "block.z: 65; at most 64", .block = {1, 1, 65}, .params_B = PARAMS},
    {".reqntid 64\n", "block.x: 32; the kernel's .reqntid asks for 64", .block = {32},
     .params_B = PARAMS},
    {".maxntid 64\n", "block: 96 threads; the kernel's .maxntid allows 64", .block = {96},
     .params_B = PARAMS},
    {"", "grid.x: 3 CTAs; clusters have 2 of them there", .block = {32}, .grid = {3},
     .cluster = {2}, .params_B = PARAMS},
    {"", "grid.y: 65536; at most 65535", .block = {32}, .grid = {1, 65536}, .params_B = PARAMS},
    {"", "cluster: 32 CTAs; at most 16", .block = {32}, .grid = {8, 4}, .cluster = {8, 4},
     .params_B = PARAMS},
    {".reqnctapercluster 2\n", "cluster.x: 4; the kernel's .reqnctapercluster asks for 2",
     .block = {32}, .grid = {4}, .cluster = {4}, .params_B = PARAMS},
    {"", "params: 8 bytes; the kernel's parameters have 12", .block = {32}, .params_B = 8},
    {"", "dynamic shared memory: 232449 bytes; at most 232448", .block = {32},
     .dynamic_shared_B = 232449, .params_B = PARAMS},
    {"", "dynamic shared memory: 101377 bytes; at most 101376", .block = {32},
     .dynamic_shared_B = 101377, .params_B = PARAMS, .sm = 120},
};

static void launches_that_no_driver_takes(void **state) {
    (void)state;
    for (size_t i = 0; i < COUNT_OF(REFUSALS); i++) {
        const refusal *r = &REFUSALS[i];
        char text[512];
        harness h;
        tma_error error = {.text = ""};
        snprintf(text, sizeof(text), PLAIN("%s"), r->directives);
        harness_begin(&h, text);
        memcpy(h.launch.grid, r->grid, sizeof(r->grid));
        memcpy(h.launch.block, r->block, sizeof(r->block));
        memcpy(h.launch.cluster, r->cluster, sizeof(r->cluster));
        h.launch.dynamic_shared_B = r->dynamic_shared_B;
        h.launch.params_B = r->params_B;
        h.launch.target = (tma_target){.sm = r->sm, .suffix = r->sm ? 'a' : 0};
        assert_int_equal(tma_emulator_run(h.emulator, &h.launch, &error), TMA_INVALID);
        assert_string_equal(error.text, r->text);
        harness_end(&h);
    }
}

/* What a CTA of the target has; of none that is given what one of the PTX's has. */
static void static_and_dynamic_shared_memory(void **state) {
    (void)state;
    harness h;
    tma_error error = {.text = ""};
    harness_begin(&h, ".visible .entry k()\n{\n.reg .b32 %r1;\n.shared .b8 s[512];\n"
                      "mov.u32 %r1, s;\nret;\n}\n");
    harness_block(&h, 1, 32);
    h.launch.dynamic_shared_B = 101376;
    assert_int_equal(tma_emulator_run(h.emulator, &h.launch, &error), TMA_OK);
    h.launch.target = (tma_target){.sm = 120, .suffix = 'a'};
    assert_int_equal(tma_emulator_run(h.emulator, &h.launch, &error), TMA_INVALID);
    assert_string_equal(error.text,
                        "shared memory: 512 bytes static and 101376 dynamic; a CTA has 101376");
    harness_end(&h);
}

static void a_kernel_by_its_name(void **state) {
    (void)state;
    harness h;
    tma_error error = {.text = ""};
    harness_begin(&h, ".visible .entry a()\n{\nret;\n}\n.visible .entry b()\n{\ntrap;\n}\n");
    harness_block(&h, 1, 1);
    assert_int_equal(tma_emulator_run(h.emulator, &h.launch, &error), TMA_INVALID);
    assert_string_equal(error.text, "kernel: the PTX has 2 entries; name one");
    h.launch.kernel = "c";
    assert_int_equal(tma_emulator_run(h.emulator, &h.launch, &error), TMA_INVALID);
    assert_string_equal(error.text, "kernel: the PTX has no entry 'c'");
    h.launch.kernel = "a";
    assert_int_equal(harness_run(&h), TMA_EMULATE_COMPLETED);
    h.launch.kernel = "b";
    assert_int_equal(harness_run(&h), TMA_EMULATE_TRAP);
    harness_end(&h);
}

/* ---- builtins ---- */

#define BUILTINS                                                                                   \
    ".extern .func (.param .b32 r) vprintf(.param .b64 f, .param .b64 a);\n"                       \
    ".extern .func (.param .b64 r) malloc(.param .b64 n);\n"                                       \
    ".extern .func free(.param .b64 p);\n"                                                         \
    ".extern .func __assertfail(.param .b64 m, .param .b64 f, .param .b32 l, .param .b64 fn, "     \
    ".param .b64 c) .noreturn;\n"

/* "%d %s %f\n" and "yes" */
#define FORMAT                                                                                     \
    ".global .align 1 .b8 fmt[10] = {37, 100, 32, 37, 115, 32, 37, 102, 10, 0};\n"                 \
    ".global .align 1 .b8 yes[4] = {121, 101, 115, 0};\n"

static void a_kernel_prints(void **state) {
    (void)state;
    harness h;
    harness_begin(&h, BUILTINS FORMAT
                  ".visible .entry k()\n{\n.local .align 8 .b8 args[24];\n"
                  ".reg .b64 %rd<9>; .reg .b32 %r<9>; .reg .f64 %fd<2>; .reg .pred %p<2>;\n"
                  "mov.u32 %r1, %tid.x;\nmov.u64 %rd1, args;\ncvta.local.u64 %rd2, %rd1;\n"
                  "st.local.u32 [%rd1], %r1;\nmov.u64 %rd3, yes;\ncvta.global.u64 %rd4, %rd3;\n"
                  "st.local.u64 [%rd1+8], %rd4;\nmov.f64 %fd1, 0d3ff8000000000000;\n"
                  "st.local.f64 [%rd1+16], %fd1;\nmov.u64 %rd5, fmt;\ncvta.global.u64 %rd6, %rd5;\n"
                  "{ .param .b64 a; .param .b64 b; .param .b32 c;\nst.param.b64 [a], %rd6;\n"
                  "st.param.b64 [b], %rd2;\ncall.uni (c), vprintf, (a, b);\n"
                  "ld.param.b32 %r2, [c]; }\n"
                  "setp.ne.s32 %p1, %r2, 3;\n@%p1 trap;\nret;\n}\n");
    harness_block(&h, 1, 3);
    if (harness_run(&h) != TMA_EMULATE_COMPLETED) {
        fail_msg("%s", harness_why(&h));
    }
    assert_string_equal(h.printed, "0 yes 1.500000\n1 yes 1.500000\n2 yes 1.500000\n");
    harness_none(&h);
    harness_end(&h);
}

#define HEAP(between)                                                                              \
    BUILTINS ".visible .entry k(.param .u64 p)\n{\n.reg .b64 %rd<9>; .reg .b32 %r<9>;\n"           \
             "ld.param.u64 %rd1, [p];\nmov.u32 %r1, %tid.x;\n"                                     \
             "{ .param .b64 n; .param .b64 r;\nst.param.b64 [n], 8;\n"                             \
             "call.uni (r), malloc, (n);\nld.param.b64 %rd2, [r]; }\n"                             \
             "st.u32 [%rd2], %r1;\nld.u32 %r2, [%rd2];\nmul.wide.u32 %rd3, %r1, 4;\n"              \
             "add.u64 %rd4, %rd1, %rd3;\nst.global.u32 [%rd4], %r2;\n"                             \
             "{ .param .b64 q;\nst.param.b64 [q], %rd2;\ncall.uni free, (q); }\n" between          \
             "ret;\n}\n"

static void a_kernel_allocates(void **state) {
    (void)state;
    harness h;
    harness_begin(&h, HEAP(""));
    const uint32_t *out = harness_memory(&h, 256);
    harness_block(&h, 1, 40);
    if (harness_run(&h) != TMA_EMULATE_COMPLETED) {
        fail_msg("%s", harness_why(&h));
    }
    harness_none(&h);
    for (uint32_t i = 0; i < 40; i++) {
        assert_int_equal(out[i], i);
    }
    harness_end(&h);
    harness_begin(&h, HEAP("ld.u32 %r3, [%rd2];\n"));
    harness_memory(&h, 256);
    harness_block(&h, 1, 1);
    assert_int_equal(harness_run(&h), TMA_EMULATE_TRAP);
    assert_int_equal(harness_findings(&h, TMA_EMULATE_RULE_OUT_OF_BOUNDS), 1);
    harness_end(&h);
}

static void a_kernel_asserts(void **state) {
    (void)state;
    harness h;
    harness_begin(&h, BUILTINS
                  ".global .align 1 .b8 m[6] = {120, 32, 62, 32, 49, 0};\n"
                  ".global .align 1 .b8 f[5] = {97, 46, 99, 117, 0};\n"
                  ".global .align 1 .b8 fn[2] = {107, 0};\n"
                  ".visible .entry k()\n{\n.reg .b64 %rd<9>; .reg .b32 %r<3>; .reg .pred %p<2>;\n"
                  "mov.u32 %r1, %tid.x;\nsetp.ne.u32 %p1, %r1, 5;\n@%p1 bra END;\n"
                  "mov.u64 %rd1, m;\nmov.u64 %rd2, f;\nmov.u64 %rd3, fn;\n"
                  "{ .param .b64 a; .param .b64 b; .param .b32 c; .param .b64 d; .param .b64 e;\n"
                  "st.param.b64 [a], %rd1;\nst.param.b64 [b], %rd2;\nst.param.b32 [c], 42;\n"
                  "st.param.b64 [d], %rd3;\nst.param.b64 [e], 1;\n"
                  "call.uni __assertfail, (a, b, c, d, e); }\nEND: ret;\n}\n");
    harness_block(&h, 1, 32);
    assert_int_equal(harness_run(&h), TMA_EMULATE_TRAP);
    assert_string_equal(harness_why(&h), "a.cu:42: k: block: [0,0,0], thread: [5,0,0] Assertion "
                                         "`x > 1` failed.");
    harness_end(&h);
}

#define COUNTS                                                                                     \
    ".visible .global .u32 counter = 5;\n.visible .const .u32 step[2] = {1, 10};\n"                \
    ".visible .global .u64 place = generic(counter);\n.global .u32 none;\n"                        \
    ".visible .entry k()\n{\n.reg .b32 %r<4>; .reg .b64 %rd<2>;\nld.const.u32 %r1, [step+4];\n"    \
    "ld.global.u64 %rd1, [place];\nld.u32 %r2, [%rd1];\nadd.u32 %r3, %r1, %r2;\n"                  \
    "st.global.u32 [counter], %r3;\nret;\n}\n"

static void variables_that_stay(void **state) {
    (void)state;
    uint32_t counter = 0, step[2] = {0}, none = 9;
    uint64_t place = 0;
    const tma_emulate_memory all[] = {
        {.address = 0x10000, .size_B = 4, .bytes = &counter},
        {.address = 0x20000, .size_B = 8, .bytes = step},
        {.address = 0x30000, .size_B = 8, .bytes = &place},
        {.address = 0x40000, .size_B = 4, .bytes = &none},
    };
    tma_emulate_variable v;
    tma_error error = {.text = ""};
    harness h;
    harness_begin(&h, COUNTS);
    assert_true(tma_emulator_variable_at(h.emulator, 1, &v));
    assert_memory_equal(v.name, "step", v.name_length);
    assert_true(v.size_B == 8 && v.align_B == 4 && v.is_constant);
    assert_false(tma_emulator_variable_at(h.emulator, COUNT_OF(all), &v));
    assert_false(tma_emulator_variable_at(NULL, 0, &v));
    assert_false(tma_emulator_initialise(h.emulator, all, COUNT_OF(all) - 1));
    assert_false(tma_emulator_initialise(h.emulator, all, COUNT_OF(all) + 1));
    assert_false(tma_emulator_initialise(h.emulator, NULL, COUNT_OF(all)));
    assert_true(tma_emulator_initialise(h.emulator, all, COUNT_OF(all)));
    assert_true(counter == 5 && step[1] == 10 && place == 0x10000 && !none);
    harness_block(&h, 1, 1);
    harness_run(&h);
    assert_int_equal(counter, 5); /* each launch has its own */
    h.launch.variable = all;
    h.launch.variables = COUNT_OF(all);
    for (uint32_t i = 1; i <= 3; i++) {
        assert_int_equal(harness_run(&h), TMA_EMULATE_COMPLETED);
        assert_int_equal(counter, 5 + 10 * i);
    }
    harness_none(&h);
    h.launch.variables = 3;
    assert_int_equal(tma_emulator_run(h.emulator, &h.launch, &error), TMA_INVALID);
    assert_string_equal(error.text,
                        "variable 3: none has 4 bytes, at a multiple of 4; it is not given");
    harness_end(&h);
}

static void variables_that_do_not_fit(void **state) {
    (void)state;
    static const struct {
        tma_emulate_memory is;
        const char *text;
    } rows[] = {
        {{.address = 0x10000, .size_B = 8},
         "variable 0: a has 4 bytes, at a multiple of 4; what is given does not fit"},
        {{.address = 0x10002, .size_B = 4},
         "variable 0: a has 4 bytes, at a multiple of 4; what is given does not fit"},
        {{.address = 0x10000, .size_B = 4},
         "variable 0: address 0x10000, 4 bytes; it has to end at 2^56 at most, and its bytes are "
         "not null"},
    };
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        tma_error error = {.text = ""};
        harness h;
        harness_begin(&h, ".global .u32 a;\n.visible .entry k()\n{\nret;\n}\n");
        harness_block(&h, 1, 1);
        h.launch.variable = &rows[i].is;
        h.launch.variables = 1;
        assert_int_equal(tma_emulator_run(h.emulator, &h.launch, &error), TMA_INVALID);
        assert_string_equal(error.text, rows[i].text);
        harness_end(&h);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(variables_that_stay),
        cmocka_unit_test(variables_that_do_not_fit),
        cmocka_unit_test(launches_that_no_driver_takes),
        cmocka_unit_test(static_and_dynamic_shared_memory),
        cmocka_unit_test(a_kernel_by_its_name),
        cmocka_unit_test(a_kernel_prints),
        cmocka_unit_test(a_kernel_allocates),
        cmocka_unit_test(a_kernel_asserts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
