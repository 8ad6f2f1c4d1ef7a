/* SPDX-License-Identifier: Apache-2.0
 *
 * What a check gives the checker inside kernels: the few instructions before its call are run here,
 * and the position that they leave is held against the copy's operands; and what the tables of a
 * site say of its place.
 */
#include "support/ptx_thread.h"
#include "support/testing.h"
#include "tma/judge.h"
#include "tma/ptx_check.h"

/* program/kernel/checker.h, checked_position: a tma_judge_at, the map's address. */
#define WORDS    14
#define MAP_WORD 12
_Static_assert(sizeof(tma_judge_at) == 48, "the operands stand before the map's address");

/* The position that the check before a copy leaves. %r, %d and %h are numbers of 32, 64, 16 bits.
 */
static struct ptx_thread checked(const char *copy, tma_ptx_check check, uint32_t window_B) {
    struct ptx_thread t = {.count = 0};
    char text[8192];
    tma_ptx_statement s;
    tma_out out = tma_out_into(text, sizeof(text));
    memset(t.position, 0xEE, sizeof(t.position));
    for (unsigned i = 1; i < 8; i++) {
        char name[24];
        sprintf(name, "%%r%u", i);
        ptx_thread_set(&t, name, 0x11111111u * i);
    }
    ptx_thread_set(&t, "%h1", 0xFFF1);
    ptx_thread_set(&t, "%d1", UINT64_C(0x500000123));
    ptx_thread_set(&t, "%aggr_smem_size", window_B);
    ptx_thread_set(&t, "%cluster_nctarank", 4);
    ptx_thread_set(&t, "m", 0x1000);
    ptx_thread_set(&t, "libtma_at", 0);
    ptx_thread_set(&t, "libtma_checker_site_0", 0);
    assert_int_equal(tma_ptx_parse(&s, copy, strlen(copy), NULL), TMA_OK);
    check.statement = &s;
    check.pass = TMA_PTX_CHECK_NO_PASS;
    check.inlined = TMA_PTX_CHECK_CALLED;
    tma_ptx_check_put_check(&out, &check);
    assert_true(out.length < sizeof(text));
    assert_true(ptx_thread_run(&t, text));
    return t;
}

#define LOAD  "shared::cluster.global.mbarrier::complete_tx::bytes"
#define STORE "global.shared::cta.bulk_group"
#define WIDE  "shared::cta.global.im2col::w.mbarrier::complete_tx::bytes"
#define SKIP  .version = 90, .on_fault = TMA_PTX_CHECK_SKIP
#define ALONE SKIP, .barrier_bits = TMA_PTX_CHECK_NO_BARRIER

static const struct {
    const char *copy;
    tma_ptx_check check;
    tma_judge_at at;
    uint64_t map;
} POSITIONS[] = {
    {"cp.async.bulk.tensor.5d." LOAD " [%r6], [m, {%r1, %r2, %r3, %r4, %r5}], [%r7];",
     {SKIP, .map = TMA_PTX_CHECK_PARAM, .shared_bits = 32, .barrier_bits = 32},
     {.coord = {0x11111111, 0x22222222, 0x33333333, 0x44444444, 0x55555555},
      .shared_address = 0x66666666,
      .window_end = 1024,
      .barrier = 0x77777777},
     PTX_THREAD_GENERIC + 0x1000},
    {"cp.async.bulk.tensor.2d." LOAD ".multicast::cluster [%d1+16], [m, {-1, %r1}], [%d1+8], "
     "%h1;",
     {SKIP, .map = TMA_PTX_CHECK_CONST, .shared_bits = 64, .barrier_bits = 64},
     {.coord = {-1, 0x11111111},
      .shared_address = 0x133,
      .window_end = 1024,
      .cta_mask = 0xFFF1,
      .ctas = 4,
      .barrier = 0x12B},
     PTX_THREAD_GENERIC + 0x1000},
    {"cp.async.bulk.tensor.4d." WIDE " [64], [m+128, {7, 0, 1, 2}], [128], {%h1, 0x10003};",
     {SKIP, .map = TMA_PTX_CHECK_PARAM},
     {.coord = {7, 0, 1, 2},
      .offset = {0xFFF1, 3},
      .shared_address = 64,
      .window_end = 1024,
      .barrier = 128},
     PTX_THREAD_GENERIC + 0x1080},
    {"cp.async.bulk.tensor.1d." LOAD " [64], [m, {0}], [128];",
     {SKIP, .map = TMA_PTX_CHECK_PARAM, .shared_bits = 64, .barrier_bits = 64},
     {.shared_address = 64, .window_end = 1024, .barrier = 128},
     PTX_THREAD_GENERIC + 0x1000},
    {"cp.async.bulk.tensor.1d." LOAD " [m+48], [m, {0}], [m+8];",
     {SKIP, .map = TMA_PTX_CHECK_PARAM},
     {.shared_address = 0x1030, .window_end = 1024, .barrier = 0x1008},
     PTX_THREAD_GENERIC + 0x1000},
    {"cp.async.bulk.tensor.3d." STORE " [%d1, {%r1, -2147483648, 8}], [%r6];",
     {ALONE, .shared_bits = 32},
     {.coord = {0x11111111, INT32_MIN, 8},
      .shared_address = 0x66666666,
      .window_end = 1024,
      .barrier = TMA_JUDGE_NO_BARRIER},
     UINT64_C(0x500000123)},
    {"cp.async.bulk.prefetch.tensor.1d.L2.global [%d1, {%r1}];",
     {ALONE},
     {.coord = {0x11111111}, .window_end = 1024, .barrier = TMA_JUDGE_NO_BARRIER},
     UINT64_C(0x500000123)},
    {"cp.async.bulk.prefetch.tensor.1d.L2.global [%d1, {%r1}];",
     {.version = 80},
     {.coord = {0x11111111}, .barrier = TMA_JUDGE_NO_BARRIER},
     UINT64_C(0x500000123)},
};

static void positions_are_the_operands(void **state) {
    (void)state;
    for (size_t i = 0; i < COUNT_OF(POSITIONS); i++) {
        const struct ptx_thread t = checked(POSITIONS[i].copy, POSITIONS[i].check, 1000);
        uint32_t expected[WORDS];
        memset(expected, 0xEE, sizeof(expected));
        memcpy(expected, &POSITIONS[i].at, sizeof(POSITIONS[i].at));
        expected[MAP_WORD] = (uint32_t)POSITIONS[i].map;
        expected[MAP_WORD + 1] = (uint32_t)(POSITIONS[i].map >> 32);
        for (size_t k = 0; k < WORDS; k++) {
            if (t.position[k] != expected[k]) {
                fail_msg("%s: word %zu is 0x%x, not 0x%x", POSITIONS[i].copy, k,
                         (unsigned)t.position[k], (unsigned)expected[k]);
            }
        }
    }
}

/* Shared memory is given out in units of 128 bytes. */
static void windows_are_whole_units(void **state) {
    static const uint32_t windows_B[][2] = {
        {0, 0},       {1, 128},     {127, 128},   {128, 128},     {129, 256},      {1000, 1024},
        {1024, 1024}, {1025, 1152}, {4224, 4224}, {49153, 49280}, {232448, 232448}};
    (void)state;
    for (size_t i = 0; i < COUNT_OF(windows_B); i++) {
        const struct ptx_thread t =
            checked("cp.async.bulk.tensor.1d." STORE " [%d1, {0}], [%r6];",
                    (tma_ptx_check){.version = 90, .shared_bits = 32}, windows_B[i][0]);
        assert_int_equal(t.position[offsetof(tma_judge_at, window_end) / 4], windows_B[i][1]);
    }
}

/* Its own text, no byte of what stands behind; with the branch behind it the run's guard instead of
 * its own. */
static void copies_stay_as_they_are(void **state) {
    static const char *const guards[] = {"", "@%p1 ", "@!%p12\t", "\n\t@%p1\n\t", "  ", "@ !%p1 "};
    static const char copy[] = "cp.async.bulk.tensor.1d." STORE " [%d1, {0}], [%r6];";
    static const char behind[] = "bar.sync 0; bar.sync 1; bar.sync 2;";
    (void)state;
    for (size_t i = 0; i < COUNT_OF(guards); i++) {
        for (unsigned way = 0; way < 4; way++) {
            char text[256];
            char said[512];
            char expected[512];
            tma_out out = tma_out_into(said, sizeof(said));
            const tma_ptx_check check = {.together = way & 1,
                                         .inlined = way & 2 ? 7 : TMA_PTX_CHECK_CALLED};
            const int size = snprintf(text, sizeof(text), "%s%s", guards[i], copy);
            const tma_ptx_piece piece = {.at = text, .size = (size_t)size};
            strcat(text, behind);
            if (way == 3) {
                snprintf(expected, sizeof(expected), "@%%libtma_run7 %s", copy);
            } else {
                snprintf(expected, sizeof(expected), "%s%s", guards[i], copy);
            }
            tma_ptx_check_put_copy(&out, &check, &piece);
            assert_string_equal(said, expected);
        }
    }
}

/* The bytes of one of a site's strings, with the zero behind them. */
static size_t string_of(char *to, size_t room, const char *tables, const char *what) {
    size_t n = 0;
    unsigned long declared = 0;
    char name[64];
    sprintf(name, "libtma_checker_%s_3[", what);
    const char *at = strstr(tables, name);
    assert_non_null(at);
    declared = strtoul(at + strlen(name), NULL, 10);
    for (at = strchr(at, '{'); at && *at != '}'; n++) {
        char *end = NULL;
        assert_true(n < room);
        to[n] = (char)strtoul(at + 1, &end, 10);
        at = end;
    }
    assert_non_null(at);
    assert_int_equal(n, declared);
    return n;
}

/* What a message says of the place: the source file as it is called, or that nobody knows it. */
static void sites_say_where(void **state) {
    static const struct {
        const char *file, *said;
    } cases[] = {{"", "<unknown>"}, {"a.cu", "a.cu"}, {"x", "x"}, {"d\\e f.cu", "d\\e f.cu"}};
    static const char copy[] = "@p cp.async.bulk.tensor.1d." STORE " [%d1, {0}], [%r6];";
    tma_ptx_statement s;
    (void)state;
    assert_int_equal(tma_ptx_parse(&s, copy, strlen(copy), NULL), TMA_OK);
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        char text[4096];
        char got[64];
        tma_out out = tma_out_into(text, sizeof(text));
        const tma_ptx_check check = {.statement = &s,
                                     .number = 3,
                                     .file = {cases[i].file, strlen(cases[i].file)},
                                     .function = {"gemm(int)", 4}};
        tma_ptx_check_put_site(&out, &check);
        assert_true(out.length < sizeof(text));
        assert_int_equal(string_of(got, sizeof(got), text, "file"), strlen(cases[i].said) + 1);
        assert_string_equal(got, cases[i].said);
        assert_int_equal(string_of(got, sizeof(got), text, "function"), sizeof("gemm"));
        assert_string_equal(got, "gemm");
        assert_int_equal(string_of(got, sizeof(got), text, "opcode"),
                         sizeof("cp.async.bulk.tensor.1d." STORE));
        assert_string_equal(got, "cp.async.bulk.tensor.1d." STORE);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(positions_are_the_operands),
        cmocka_unit_test(windows_are_whole_units),
        cmocka_unit_test(copies_stay_as_they_are),
        cmocka_unit_test(sites_say_where),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
