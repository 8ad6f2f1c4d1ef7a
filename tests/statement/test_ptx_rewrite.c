/* SPDX-License-Identifier: Apache-2.0
 *
 * PTX files with checks, whole: where each piece is put in is marked in the text here, and what is
 * put in is written by tma/ptx_check.h for the sites that stand beside it. The text ends where
 * memory does.
 */
#include "support/guard_page.h"
#include "support/testing.h"

#include <stdio.h>
#include <string.h>

#include "ptx_rewrite.h"
#include "tma/ptx_check.h"

/* Marks. */
#define CHECKER "\1" /* the checker and the sites' tables */
#define SHARED  "\2" /* what a function's checks share is declared */
#define START   "\3" /* and set */
#define CHECK   "\4" /* a check, */
#define AFTER   "\5" /* and what is behind its copy */

#define VERSION "\n.version 9.0\n"
#define HEAD    VERSION ".target sm_90a\n.address_size 64\n" CHECKER
/* A kernel with a parameter m that is a map, and registers of each kind. */
#define REGISTERS ".reg .b64 %d<9>; .reg .b32 %r<9>; .reg .b16 %h<9>; .reg .pred %p<9>;\n"
#define KERNEL(name)                                                                               \
    ".visible .entry " name "(.param .align 64 .b8 m[128])\n{" SHARED "\n" REGISTERS START
#define STORE(map, shared)                                                                         \
    CHECK "cp.async.bulk.tensor.1d.global.shared::cta.bulk_group [" map ", {%r1}], [" shared       \
          "];" AFTER "\n"
#define LOAD_1D               "cp.async.bulk.tensor.1d.shared::cluster.global.mbarrier::complete_tx::bytes"
#define LOAD(shared, barrier) CHECK LOAD_1D " [" shared "], [m, {%r1}], [" barrier "];" AFTER "\n"
#define PREFETCH(map)                                                                              \
    CHECK "cp.async.bulk.prefetch.tensor.1d.L2.global [" map ", {%r1}];" AFTER "\n"

#define NO_PASS    TMA_PTX_CHECK_NO_PASS
#define NO_BARRIER TMA_PTX_CHECK_NO_BARRIER
#define MOST_SITES 16
#define MOST_B     (1 << 20)

struct wanted_site {
    uint32_t number, map, shared_bits, pass, changes, barrier_bits;
    const char *function;
    const char *file;
    uint32_t line;
};

struct wanted {
    const char *text;
    const char *notes;
    struct {
        uint32_t passes, change;
    } function[4];                       /* that have checks */
    struct wanted_site site[MOST_SITES]; /* that are checked */
};

static struct guard_arena arena;

static uint32_t sites_of(const struct wanted *w) {
    uint32_t sites = 0;
    while (sites < MOST_SITES && w->site[sites].function) {
        sites++;
    }
    return sites;
}

/* The statement from a mark on. */
static void parse_from(tma_ptx_statement *s, const char *text) {
    tma_error error;
    if (tma_ptx_parse(s, text, strcspn(text, ";") + 1, &error) != TMA_OK) {
        fail_msg("%.60s: %s", text, error.text);
    }
}

static int is_same(tma_ptx_span a, tma_ptx_span b) {
    return a.length == b.length && (!a.length || memcmp(a.at, b.at, a.length) == 0);
}

/* A string that an earlier check has is written once. */
static void share_strings(tma_ptx_check *check, const tma_ptx_span *opcode, uint32_t i) {
    for (uint32_t k = i; k-- > 0;) {
        check[i].file_as = is_same(check[k].file, check[i].file) ? &check[k] : check[i].file_as;
        check[i].function_as =
            is_same(check[k].function, check[i].function) ? &check[k] : check[i].function_as;
        check[i].opcode_as = is_same(opcode[k], opcode[i]) ? &check[k] : check[i].opcode_as;
    }
}

static void take_checks(tma_ptx_check *check, tma_ptx_statement *statement, const struct wanted *w,
                        uint32_t on_fault) {
    static const tma_target target = {.sm = 90, .suffix = 'a'};
    const char *at = w->text;
    tma_ptx_span opcode[MOST_SITES];
    for (uint32_t i = 0; i < sites_of(w); i++) {
        const struct wanted_site *s = &w->site[i];
        at = strchr(at, CHECK[0]);
        assert_non_null(at);
        parse_from(&statement[i], ++at);
        check[i] = (tma_ptx_check){.statement = &statement[i],
                                   .number = s->number,
                                   .version = 90,
                                   .features = tma_arch_of(&target)->features,
                                   .map = s->map,
                                   .shared_bits = s->shared_bits,
                                   .pass = s->pass,
                                   .changes = s->changes,
                                   .file = {s->file, s->file ? strlen(s->file) : 0},
                                   .function = {s->function, strlen(s->function)},
                                   .line = s->line,
                                   .on_fault = on_fault,
                                   .inlined = TMA_PTX_CHECK_CALLED,
                                   .barrier_bits = s->barrier_bits};
        opcode[i].at = strstr(at, "cp.");
        opcode[i].length = strcspn(opcode[i].at, " ");
        share_strings(check, opcode, i);
    }
}

static void put_checker(tma_out *out, const tma_ptx_check *check, uint32_t sites,
                        uint32_t on_fault) {
    tma_put(out, "\n");
    tma_ptx_check_put_checker(out, on_fault, sites, NULL);
    for (uint32_t i = 0; i < sites; i++) {
        tma_ptx_check_put_site(out, &check[i]);
    }
}

/* The text as it should be. */
static void put_wanted(tma_out *out, const struct wanted *w, uint32_t on_fault) {
    tma_ptx_statement statement[MOST_SITES];
    tma_ptx_check check[MOST_SITES];
    uint32_t function = 0;
    uint32_t site = 0;
    take_checks(check, statement, w, on_fault);
    for (const char *at = w->text; *at; at++) {
        const tma_ptx_check_shared shared = {.passes = w->function[function].passes,
                                             .changes = w->function[function].change,
                                             .called = 1};
        if (*at == CHECKER[0]) {
            put_checker(out, check, sites_of(w), on_fault);
        } else if (*at == SHARED[0]) {
            tma_ptx_check_put_shared(out, &shared);
        } else if (*at == START[0]) {
            tma_ptx_check_put_start(out, &shared);
            function++;
        } else if (*at == CHECK[0]) {
            tma_ptx_check_put_check(out, &check[site]);
        } else if (*at == AFTER[0]) {
            tma_ptx_check_put_after(out, &check[site++]);
        } else {
            tma_put_bytes(out, at, 1);
        }
    }
}

/* The text without its marks, at the end of memory. */
static const char *placed(const char *text, size_t *size) {
    static char plain[MOST_B];
    *size = 0;
    for (; *text; text++) {
        if ((uint8_t)*text > 5) {
            plain[(*size)++] = *text;
        }
    }
    return memcpy(guard_arena_place(&arena, *size, 1), plain, *size);
}

static size_t read_back(FILE *file, char *to) {
    rewind(file);
    const size_t size = fread(to, 1, MOST_B - 1, file);
    assert_int_equal(fgetc(file), EOF);
    fclose(file);
    to[size] = 0;
    return size;
}

static void expect(const struct wanted *w, uint32_t asked, uint32_t on_fault) {
    static char wanted[MOST_B];
    static char got[MOST_B];
    static char notes[MOST_B];
    tma_out out = tma_out_into(wanted, sizeof(wanted));
    tma_out said = tma_out_into(notes, sizeof(notes));
    ptx_rewrite_count count;
    size_t size = 0;
    FILE *file = tmpfile();
    FILE *notes_file = tmpfile();
    assert_non_null(file);
    assert_non_null(notes_file);
    const char *text = placed(w->text, &size);
    assert_int_equal(ptx_rewrite(file, notes_file, text, size, asked, &count), 0);
    put_wanted(&out, w, on_fault);
    read_back(file, got);
    if (strcmp(got, wanted) != 0) {
        fail_msg("%s\nbecomes\n%s\nand not\n%s", w->text, got, wanted);
    }
    tma_put(&said, w->notes);
    if (sites_of(w)) {
        tma_putf(&said, "on a fault: %s\n", tma_ptx_check_fault_name(on_fault));
    }
    read_back(notes_file, got);
    assert_string_equal(got, notes);
    assert_int_equal(count.checked, sites_of(w));
}

/* Notes of one kernel with nothing left. */
#define ALL(name, count) name ": " count " found, " count " checked, 0 left\n"

static const struct wanted checked[] = {
    /* where maps are */
    {HEAD KERNEL("k") STORE("m", "%r1") "ret;\n}\n",
     ALL("k", "1"),
     {{1, 0}},
     {{0, TMA_PTX_CHECK_PARAM, 32, 0, 0, NO_BARRIER, "k", NULL, 0}}},
    {HEAD ".const .align 64 .b8 c[128];\n" KERNEL("k") STORE("c", "%d1") "ret;\n}\n",
     ALL("k", "1"),
     {{1, 0}},
     {{0, TMA_PTX_CHECK_CONST, 64, 0, 0, NO_BARRIER, "k", NULL, 0}}},
    {HEAD ".global .align 64 .b8 g[128];\n" KERNEL("k") STORE("g", "16") "ret;\n}\n",
     ALL("k", "1"),
     {{0, 1}},
     {{0, TMA_PTX_CHECK_GLOBAL, 0, NO_PASS, 1, NO_BARRIER, "k", NULL, 0}}},
    {HEAD KERNEL("k") STORE("%d1", "%r1+16") "ret;\n}\n",
     ALL("k", "1"),
     {{0, 1}},
     {{0, TMA_PTX_CHECK_REGISTER, 32, NO_PASS, 1, NO_BARRIER, "k", NULL, 0}}},
    {HEAD ".func f(.reg .b64 x)\n{" SHARED "\n" REGISTERS START STORE("%d1", "%r1") "ret;\n}\n",
     ALL("f", "1"),
     {{0, 1}},
     {{0, TMA_PTX_CHECK_REGISTER, 32, NO_PASS, 1, NO_BARRIER, "f", NULL, 0}}},
    {HEAD ".const .align 64 .b8 c[128];\n.func f()\n{" SHARED
          "\n" REGISTERS START STORE("c", "%r1") "ret;\n}\n",
     ALL("f", "1"),
     {{0, 1}},
     {{0, TMA_PTX_CHECK_CONST, 32, NO_PASS, 1, NO_BARRIER, "f", NULL, 0}}},
    /* what may change: an address that is one of two, one from memory */
    {HEAD KERNEL("k") "mov.b64 %d1, m; mov.b64 %d2, m; @%p1 add.u64 %d2, %d2, 64; ld.param.b64 "
                      "%d3, [m];\n" STORE("%d1", "%r1") STORE("%d2", "%r1")
                          STORE("%d3", "%r1") "ret;\n}\n",
     ALL("k", "3"),
     {{1, 1}},
     {{0, TMA_PTX_CHECK_REGISTER, 32, 0, 0, NO_BARRIER, "k", NULL, 0},
      {1, TMA_PTX_CHECK_REGISTER, 32, NO_PASS, 1, NO_BARRIER, "k", NULL, 0},
      {2, TMA_PTX_CHECK_REGISTER, 32, NO_PASS, 1, NO_BARRIER, "k", NULL, 0}}},
    /* barriers */
    {HEAD ".shared .b64 b;\n" KERNEL("k") LOAD("%r1", "%r2") LOAD("%d1", "%d2") LOAD("b", "b")
         LOAD("64", "72") LOAD("%r1", "%h1") LOAD("%r1", "nowhere") "ret;\n}\n",
     ALL("k", "6"),
     {{1, 0}},
     {{0, TMA_PTX_CHECK_PARAM, 32, 0, 0, 32, "k", NULL, 0},
      {1, TMA_PTX_CHECK_PARAM, 64, 0, 0, 64, "k", NULL, 0},
      {2, TMA_PTX_CHECK_PARAM, 0, 0, 0, 0, "k", NULL, 0},
      {3, TMA_PTX_CHECK_PARAM, 0, 0, 0, 0, "k", NULL, 0},
      {4, TMA_PTX_CHECK_PARAM, 32, 0, 0, NO_BARRIER, "k", NULL, 0},
      {5, TMA_PTX_CHECK_PARAM, 32, 0, 0, NO_BARRIER, "k", NULL, 0}}},
    /* passes: one for each map, instruction, mode, rank and target */
    {HEAD ".const .align 64 .b8 c[128];\n" KERNEL("k") STORE("m", "%r1") STORE("c", "%r1")
         LOAD("%r1", "%r2") PREFETCH("m") STORE("m", "%d1") PREFETCH("m") CHECK
     "cp.async.bulk.tensor.2d.global.shared::cta.bulk_group [m, {%r1, 0}], [%r1];" AFTER "\n" CHECK
     "cp.reduce.async.bulk.tensor.1d.global.shared::cta.add.bulk_group [m, {%r1}], [%r1];" AFTER
     "\n" CHECK "cp.async.bulk.tensor.1d.shared::cta.global.mbarrier::complete_tx::bytes [%r1], "
     "[m, {%r1}], [%r2];" AFTER "\n" CHECK "@%p1 " LOAD_1D
     ".multicast::cluster [%r1], [m, {%r1}], [%r2], %h1;" AFTER "\n" CHECK "@!%p1 " LOAD_1D
     ".multicast::cluster [%r1], [m, {%r1}], [%r2], 3;" AFTER "\n" CHECK LOAD_1D
     ".cta_group::1 [%r1], [m, {%r1}], [%r2];" AFTER "\n" CHECK LOAD_1D
     ".cta_group::2 [%r1], [m, {%r1}], [%r2];" AFTER "\n" STORE("m+128", "%r1")
         STORE("m+128", "%r1") "ret;\n}\n",
     ALL("k", "15"),
     {{10, 0}},
     {{0, TMA_PTX_CHECK_PARAM, 32, 0, 0, NO_BARRIER, "k", NULL, 0},
      {1, TMA_PTX_CHECK_CONST, 32, 1, 0, NO_BARRIER, "k", NULL, 0},
      {2, TMA_PTX_CHECK_PARAM, 32, 2, 0, 32, "k", NULL, 0},
      {3, TMA_PTX_CHECK_PARAM, 0, 3, 0, NO_BARRIER, "k", NULL, 0},
      {4, TMA_PTX_CHECK_PARAM, 64, 0, 0, NO_BARRIER, "k", NULL, 0},
      {5, TMA_PTX_CHECK_PARAM, 0, 3, 0, NO_BARRIER, "k", NULL, 0},
      {6, TMA_PTX_CHECK_PARAM, 32, 4, 0, NO_BARRIER, "k", NULL, 0},
      {7, TMA_PTX_CHECK_PARAM, 32, 5, 0, NO_BARRIER, "k", NULL, 0},
      {8, TMA_PTX_CHECK_PARAM, 32, 6, 0, 32, "k", NULL, 0},
      {9, TMA_PTX_CHECK_PARAM, 32, 2, 0, 32, "k", NULL, 0},
      {10, TMA_PTX_CHECK_PARAM, 32, 2, 0, 32, "k", NULL, 0},
      {11, TMA_PTX_CHECK_PARAM, 32, 7, 0, 32, "k", NULL, 0},
      {12, TMA_PTX_CHECK_PARAM, 32, 8, 0, 32, "k", NULL, 0},
      {13, TMA_PTX_CHECK_PARAM, 32, 9, 0, NO_BARRIER, "k", NULL, 0},
      {14, TMA_PTX_CHECK_PARAM, 32, 9, 0, NO_BARRIER, "k", NULL, 0}}},
    /* im2col: a box lies in the map */
    {HEAD KERNEL("k") CHECK
     "cp.async.bulk.tensor.3d.shared::cluster.global.im2col.mbarrier::complete_tx::bytes [%r1], "
     "[m, {%r1, 0, 0}], [%r2], {%h1};" AFTER "\n" CHECK
     "cp.async.bulk.tensor.3d.shared::cluster.global.im2col::w.mbarrier::complete_tx::bytes [%r1], "
     "[m, {%r1, 0, 0}], [%r2], {%h1, 2};" AFTER "\n" CHECK
     "cp.async.bulk.tensor.3d.shared::cluster.global.im2col::w::128.mbarrier::complete_tx::bytes "
     "[%r1], [m, {%r1, 0, 0}], [%r2], {1, %h2};" AFTER "\n" CHECK
     "cp.async.bulk.tensor.3d.global.shared::cta.im2col_no_offs.bulk_group [m, {%r1, 0, 0}], "
     "[%r1];" AFTER "\n" CHECK "cp.async.bulk.tensor.2d.shared::cta.global.tile::gather4.mbarrier::"
     "complete_tx::bytes [%r1], [m, {%r1, 0, 1, 2, 3}], [%r2];" AFTER "\n" CHECK
     "cp.async.bulk.tensor.2d.global.shared::cta.tile::scatter4.bulk_group [m, {%r1, 0, "
     "1, 2, 3}], [%r2];" AFTER "\n"
     "ret;\n}\n",
     ALL("k", "6"),
     {{2, 0}},
     {{0, TMA_PTX_CHECK_PARAM, 32, NO_PASS, 0, 32, "k", NULL, 0},
      {1, TMA_PTX_CHECK_PARAM, 32, NO_PASS, 0, 32, "k", NULL, 0},
      {2, TMA_PTX_CHECK_PARAM, 32, NO_PASS, 0, 32, "k", NULL, 0},
      {3, TMA_PTX_CHECK_PARAM, 32, NO_PASS, 0, NO_BARRIER, "k", NULL, 0},
      {4, TMA_PTX_CHECK_PARAM, 32, 0, 0, 32, "k", NULL, 0},
      {5, TMA_PTX_CHECK_PARAM, 32, 1, 0, NO_BARRIER, "k", NULL, 0}}},
    /* functions by themselves, declarations on both sides of the first statement */
    {HEAD ".file 1 \"a.cu\"\n" KERNEL("k") "L:\n.loc 1 7 2\n" STORE("m", "%r1") "{\n" STORE(
         "m", "%r1") "}\nret;\n}\n.visible .entry none()\n{\nret;\n}\n" KERNEL("l")
         STORE("m", "%r1") ".reg .b32 %late;\n.loc 1 9 2\n" STORE(
             "m",
             "%r1") "ret;\n}\n"
                    ".visible .entry at_once(.param .align 64 .b8 m[128])\n{" SHARED START CHECK
                    "cp.async.bulk.prefetch.tensor.1d.L2.global [m, {8}];" AFTER "}\n",
     ALL("k", "2") ALL("l", "2") ALL("at_once", "1"),
     {{1, 0}, {1, 0}, {1, 0}},
     {{0, TMA_PTX_CHECK_PARAM, 32, 0, 0, NO_BARRIER, "k", "a.cu", 7},
      {1, TMA_PTX_CHECK_PARAM, 32, 0, 0, NO_BARRIER, "k", "a.cu", 7},
      {2, TMA_PTX_CHECK_PARAM, 32, 0, 0, NO_BARRIER, "l", NULL, 0},
      {3, TMA_PTX_CHECK_PARAM, 32, 0, 0, NO_BARRIER, "l", "a.cu", 9},
      {4, TMA_PTX_CHECK_PARAM, 0, 0, 0, NO_BARRIER, "at_once", NULL, 0}}},
    /* the checker stands behind the head, whatever of that there is */
    {VERSION ".target sm_90a, debug\n" CHECKER ".file 1 \"a.cu\"\n" KERNEL("k")
         STORE("m", "%r1") "ret;\n}\n",
     ALL("k", "1"),
     {{1, 0}},
     {{0, TMA_PTX_CHECK_PARAM, 32, 0, 0, NO_BARRIER, "k", NULL, 0}}},
    {"// .version 8.0\n" CHECKER ".file 1 \"a.cu\"" VERSION ".target sm_90a\n" KERNEL("k")
         STORE("m", "%r1") "ret;\n}\n// libtma",
     ALL("k", "1"),
     {{1, 0}},
     {{0, TMA_PTX_CHECK_PARAM, 32, 0, 0, NO_BARRIER, "k", NULL, 0}}},
    {VERSION ".target sm_90a\n" CHECKER ".address_size\n" KERNEL("k") CHECK LOAD_1D
     ".L2::cache_hint [%r1], [m, {%r1}], [%r2], %d1;" AFTER "\nret;\n}\n// libtmax",
     ALL("k", "1"),
     {{1, 0}},
     {{0, TMA_PTX_CHECK_PARAM, 32, 0, 0, 32, "k", NULL, 0}}},
};

static void files_are_rewritten(void **state) {
    (void)state;
    for (size_t i = 0; i < COUNT_OF(checked); i++) {
        for (uint32_t on_fault = 0; on_fault < TMA_PTX_CHECK_AUTO; on_fault++) {
            if (on_fault != TMA_PTX_CHECK_RECORD) { /* as auto: test_ptx_checked.py */
                expect(&checked[i], on_fault, on_fault);
            }
        }
    }
}

/* ---- What is left ---- */

#define LINES VERSION ".target sm_90a\n.address_size 64\n"
#define BEFORE                                                                                     \
    LINES ".shared .align 128 .b8 s[128];\n.visible .entry k(.param .align 64 .b8 m[128])\n{"      \
          "\n" REGISTERS
#define BEHIND "\nret;\n}\n"
#define IM2COL_3D                                                                                  \
    "cp.async.bulk.tensor.3d.shared::cluster.global.im2col.mbarrier::complete_tx::bytes"

/* One statement in line 8, and why it is left. */
static const struct {
    const char *statement;
    const char *why;
} left[] = {
    {"cp.async.bulk.prefetch.tensor.1d.L2.global [%r1, {%r1}];",
     "the map's address is in no 64-bit register"},
    {"cp.async.bulk.prefetch.tensor.1d.L2.global [%h1, {%r1}];",
     "the map's address is in no 64-bit register"},
    {"cp.async.bulk.prefetch.tensor.1d.L2.global [nowhere, {%r1}];",
     "nothing says where the map is"},
    {"cp.async.bulk.prefetch.tensor.1d.L2.global [s, {%r1}];", "nothing says where the map is"},
    {"cp.async.bulk.prefetch.tensor.1d.L2.global [16, {%r1}];",
     "the map's address is no register and no variable"},
    {LOAD_1D " [%h1], [m, {%r1}], [s];", "the shared address is in no register"},
    {LOAD_1D " [%p1], [m, {%r1}], [s];", "the shared address is in no register"},
    {LOAD_1D " [nowhere], [m, {%r1}], [s];", "nothing declares the shared address"},
    {LOAD_1D " [s*2], [m, {%r1}], [s];",
     "not understood: column 78: 's*2]' where [dstMem] was expected"},
    {LOAD_1D " [s], [m, {%d1}], [s];", "a coordinate is in no 32-bit register"},
    {LOAD_1D " [s], [m, {%h1}], [s];", "a coordinate is in no 32-bit register"},
    {LOAD_1D " [s], [m, {nowhere}], [s];", "a coordinate is in no 32-bit register"},
    {LOAD_1D " [s], [m, {s}], [s];", "a coordinate is in no 32-bit register"},
    {"cp.async.bulk.tensor.3d.global.shared::cta.bulk_group [m, {%r1, %r2, %d3}], [s];",
     "a coordinate is in no 32-bit register"},
    {IM2COL_3D " [s], [m, {%r1, 0, 0}], [s], {%r1};",
     "an im2col offset or the ctaMask is in no 16-bit register"},
    {IM2COL_3D " [s], [m, {%r1, 0, 0}], [s], {nowhere};",
     "an im2col offset or the ctaMask is in no 16-bit register"},
    {LOAD_1D ".multicast::cluster [s], [m, {%r1}], [s], %r1;",
     "an im2col offset or the ctaMask is in no 16-bit register"},
    {"@%q " LOAD_1D " [s], [m, {%r1}], [s];", "nothing declares the predicate"},
    {"@!q " LOAD_1D " [s], [m, {%r1}], [s];", "nothing declares the predicate"},
    {"cp.async.bulk.tensor.9d.what [%r1];",
     "not understood: column 21: '.9d.what' where a qualifier that the instruction has was "
     "expected"},
    {"fabric.try_get.async.tensor.1d [s], [m, {%r1}], [s];",
     "a form of PTX 9.4 that checks in kernels do not know"},
};

static void what_is_not_understood_is_left(void **state) {
    (void)state;
    for (size_t i = 0; i < COUNT_OF(left); i++) {
        char text[2048];
        char notes[1024];
        const struct wanted w = {.text = text, .notes = notes};
        snprintf(text, sizeof(text), "%s%s%s", BEFORE, left[i].statement, BEHIND);
        snprintf(notes, sizeof(notes), "k: 1 found, 0 checked, 1 left\n  line 9: left: %s: %s\n",
                 left[i].why, left[i].statement);
        expect(&w, TMA_PTX_CHECK_ASSERT, TMA_PTX_CHECK_ASSERT);
    }
}

#define STATEMENT "cp.async.bulk.prefetch.tensor.1d.L2.global [m, {%r1}];"
#define KERNEL_OF(statement)                                                                       \
    ".visible .entry k(.param .align 64 .b8 m[128])\n{\n" REGISTERS statement "\nret;\n}\n"
#define LEFT_FOR(line, why)                                                                        \
    "k: 1 found, 0 checked, 1 left\n  line " line ": left: " why ": " STATEMENT "\n"

static const struct wanted alone[] = {
    {.text = "", .notes = ""},
    {.text = LINES, .notes = ""},
    {.text = BEFORE "cp.async.bulk.tensor.1d.global.shared::cta.bulk_group [m, {%r1}], [s]\n}\n",
     .notes = ""}, /* no statement without its semicolon */
    {.text = STATEMENT,
     .notes = "?: 1 found, 0 checked, 1 left\n  line 1: left: the file's PTX version has no tensor "
              "copies: " STATEMENT "\n"},
    {.text = LINES STATEMENT,
     .notes = "?: 1 found, 0 checked, 1 left\n  line 5: left: in no function: " STATEMENT "\n"},
    {.text = BEFORE STATEMENT,
     .notes =
         "k: 1 found, 0 checked, 1 left\n  line 9: left: its function has no end: " STATEMENT "\n"},
    {.text = BEFORE "membar.gl;" BEHIND, .notes = ""},
    {.text = BEFORE "tensormap.replace.tile.rank.global.b1024.b32 [%d1], 2;\n"
                    "fence.proxy.tensormap::generic.acquire.gpu [%d1], 128;\n"
                    "prefetch.tensormap [%d1];" BEHIND,
     .notes = ""},
    {.text = ".version 7.9\n.target sm_90a\n" KERNEL_OF(STATEMENT),
     .notes = LEFT_FOR("6", "the file's PTX version has no tensor copies")},
    {.text = ".target sm_90a\n" KERNEL_OF(STATEMENT),
     .notes = LEFT_FOR("5", "the file's PTX version has no tensor copies")},
    {.text = ".version 9.0\n.target sm_80\n" KERNEL_OF(STATEMENT),
     .notes = LEFT_FOR("6", "libtma does not know the file's .target")},
    {.text = ".version 9.0\n" KERNEL_OF(STATEMENT),
     .notes = LEFT_FOR("5", "libtma does not know the file's .target")},
    {.text = LINES KERNEL_OF(STATEMENT) ".version 9.0\n",
     .notes = LEFT_FOR("8", "the file has more than one .version")},
    {.text = LINES ".func libtma_checker_tma_check_copy()\n{\nret;\n}\n" KERNEL_OF(STATEMENT),
     .notes = LEFT_FOR("12", "the file has checks already")},
    {.text = LINES KERNEL_OF(STATEMENT) ".func libtma12_checker_tma_check_copy()\n{\nret;\n}\n",
     .notes = LEFT_FOR("8", "the file has checks already")},
};

static void files_are_left_alone(void **state) {
    (void)state;
    for (size_t i = 0; i < COUNT_OF(alone); i++) {
        expect(&alone[i], TMA_PTX_CHECK_TRAP, TMA_PTX_CHECK_TRAP);
        expect(&alone[i], TMA_PTX_CHECK_RECORD, TMA_PTX_CHECK_RECORD);
    }
}

/* The first that has copies. */
static void version_8_0_is_checked(void **state) {
    static const char text[] = ".version 8.0\n.target sm_90a\n" KERNEL_OF(STATEMENT);
    ptx_rewrite_count count;
    size_t size = 0;
    FILE *out = tmpfile();
    const char *at = placed(text, &size);
    (void)state;
    assert_int_equal(ptx_rewrite(out, out, at, size, TMA_PTX_CHECK_TRAP, &count), 0);
    assert_int_equal(count.found, 1);
    assert_int_equal(count.checked, 1);
    fclose(out);
}

/* A function's parameter is in no space that can be named; its caller has the map. */
static void functions_have_no_map_of_their_own(void **state) {
    static const struct wanted w = {
        .text = LINES ".func f(.param .align 64 .b8 m[128])\n{\n" REGISTERS STATEMENT "\nret;\n}\n",
        .notes = "f: 1 found, 0 checked, 1 left\n  line 8: left: nothing says where the map "
                 "is: " STATEMENT "\n"};
    (void)state;
    expect(&w, TMA_PTX_CHECK_TRAP, TMA_PTX_CHECK_TRAP);
}

#define NO_SPACES(what)                                                                            \
    "not understood: column 25: '" what "' where .shared::cta.global, .shared::cluster.global or " \
    ".global.shared::cta was expected"

/* What is checked among what is left, by kernels; a copy outside of them is left, too. */
static void notes_are_by_kernel(void **state) {
    static const struct wanted w = {
        HEAD KERNEL("k") "cp.async.bulk.tensor.1d [%r1];\n" STORE(
            "m", "%r1") "cp.async.bulk.tensor.1d [%r2];\n"
                        "ret;\n}\n.visible .entry l()\n{\ncp.async.bulk.tensor.1d [%r3];\n}\n"
                        "cp.async.bulk.tensor.1d [%r4];\n" KERNEL("n") STORE("m", "%r1")
                            STORE("m", "%r1") "}\n",
        "k: 3 found, 1 checked, 2 left\n"
        "  line 8: left: " NO_SPACES(
            "[%r1];") ": cp.async.bulk.tensor.1d [%r1];\n"
                      "  line 10: left: " NO_SPACES(
                          "[%r2];") ": cp.async.bulk.tensor.1d [%r2];\n"
                                    "l: 1 found, 0 checked, 1 left\n"
                                    "  line 15: left: " NO_SPACES(
                                        "[%r3];") ": cp.async.bulk.tensor.1d [%r3];\n"
                                                  "?: 1 found, 0 checked, 1 left\n"
                                                  "  line 17: left: " NO_SPACES(
                                                      "[%r4];") ": cp.async.bulk.tensor.1d "
                                                                "[%r4];\n" ALL("n", "2"),
        {{1, 0}, {1, 0}},
        {{1, TMA_PTX_CHECK_PARAM, 32, 0, 0, NO_BARRIER, "k", NULL, 0},
         {5, TMA_PTX_CHECK_PARAM, 32, 0, 0, NO_BARRIER, "n", NULL, 0},
         {6, TMA_PTX_CHECK_PARAM, 32, 0, 0, NO_BARRIER, "n", NULL, 0}}};
    (void)state;
    expect(&w, TMA_PTX_CHECK_SKIP, TMA_PTX_CHECK_SKIP);
}

/* 160 characters of a name and of a statement are shown. */
static void notes_are_cut(void **state) {
    static const char x[] =
        "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"
        "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"
        "xxxxxxxxxxxxxxxxxxxxxxxx"; /* 168 */
    (void)state;
    for (int length = 158; length < 163; length++) {
        char text[1024];
        char notes[1024];
        const int shown = length < 160 ? length : 160;
        const struct wanted w = {.text = text, .notes = notes};
        const int rest = length - (int)strlen("cp.async.bulk.tensor.1d [];");
        snprintf(text, sizeof(text),
                 LINES ".visible .entry %.*s()\n{\ncp.async.bulk.tensor.1d [%.*s];\n}\n", length, x,
                 rest, x);
        char statement[256];
        snprintf(statement, sizeof(statement), "cp.async.bulk.tensor.1d [%.*s];", rest, x);
        snprintf(
            notes, sizeof(notes),
            "%.*s: 1 found, 0 checked, 1 left\n  line 7: left: " NO_SPACES("[%.39s") ": %.*s\n",
            shown, x, x, shown, statement);
        expect(&w, TMA_PTX_CHECK_TRAP, TMA_PTX_CHECK_TRAP);
    }
}

/* How many CTAs a cluster has is asked for a multicast's mask alone: where the pass lets a copy
 * through, its operands are all that it pays for. */
static void clusters_are_asked_for_masks(void **state) {
    static const char *const copies[] = {LOAD_1D " [%r1], [m, {%r1}], [%r2];", LOAD_1D
                                         ".multicast::cluster [%r1], [m, {%r1}], [%r2], %h1;"};
    (void)state;
    for (size_t i = 0; i < COUNT_OF(copies); i++) {
        char text[8192];
        tma_ptx_statement statement;
        tma_out out = tma_out_into(text, sizeof(text));
        parse_from(&statement, copies[i]);
        tma_ptx_check_put_check(&out, &(tma_ptx_check){.statement = &statement,
                                                       .version = 90,
                                                       .map = TMA_PTX_CHECK_PARAM,
                                                       .shared_bits = 32,
                                                       .barrier_bits = 32});
        assert_true(out.length < sizeof(text));
        assert_int_equal(strstr(text, "%cluster_nctarank") != NULL, i == 1);
    }
}

static int make_arena(void **state) {
    (void)state;
    guard_arena_make(&arena, MOST_B);
    return 0;
}

static int free_arena(void **state) {
    (void)state;
    guard_arena_free(&arena);
    return 0;
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(files_are_rewritten),
        cmocka_unit_test(what_is_not_understood_is_left),
        cmocka_unit_test(files_are_left_alone),
        cmocka_unit_test(version_8_0_is_checked),
        cmocka_unit_test(functions_have_no_map_of_their_own),
        cmocka_unit_test(notes_are_by_kernel),
        cmocka_unit_test(notes_are_cut),
        cmocka_unit_test(clusters_are_asked_for_masks),
    };
    return cmocka_run_group_tests(tests, make_arena, free_arena);
}
