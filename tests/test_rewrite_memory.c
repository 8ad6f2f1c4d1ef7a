/* SPDX-License-Identifier: Apache-2.0
 *
 * A PTX file rewritten where memory ends: at each allocation in turn, the answer is that there is
 * none, nothing was written, and all that was taken is given back. Each array ends where memory
 * does. The linker puts the allocator in its place (CMakeLists.txt).
 */
#define _GNU_SOURCE

#include "support/exact_memory.h"
#include "support/testing.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ptx_rewrite.h"
#include "ptx_values.h"
#include "tma/ptx_check.h"

/* Two kernels with so many copies each, more registers than a table's first size, blocks, files and
 * lines. */
static char *kernels(size_t *size, int copies) {
    char *text = NULL;
    FILE *out = open_memstream(&text, size);
    assert_non_null(out);
    fputs(".version 8.0\n.target sm_90a\n.address_size 64\n.file 1 \"a.cu\"\n", out);
    fputs(".shared .align 128 .b8 s[4096];\n", out);
    for (int k = 0; k < 2; k++) {
        fprintf(out, ".visible .entry k%d(.param .align 64 .b8 m[128])\n{\n.reg .b32 %%r<400>;\n",
                k);
        fputs(".reg .b64 %d<4>;\nmov.b64 %d1, m;\ncvta.param.u64 %d2, %d1;\n", out);
        for (int i = 0; i < 300; i++) {
            fprintf(out, "{ .reg .b32 x; mov.u32 x, %d; }\n.loc 1 %d 3\nmov.u32 %%r%d, %d;\n", i,
                    i + 1, i, i);
        }
        for (int i = 0; i < copies; i++) {
            fprintf(out,
                    "cp.async.bulk.tensor.1d.global.shared::cta.bulk_group [%%d2, {%%r%d}], [s];\n",
                    i);
        }
        fputs("ret;\n}\n", out);
    }
    fclose(out);
    return text;
}

/* The answer, and what was written, in files that are there before memory ends. */
static int rewritten(FILE *out, FILE *notes, const char *text, size_t size,
                     ptx_rewrite_count *count) {
    rewind(out);
    rewind(notes);
    return ptx_rewrite(out, notes, text, size, TMA_PTX_CHECK_ASSERT, count);
}

static void the_end_of_memory_is_an_answer(void **state) {
    size_t size = 0;
    char *text = kernels(&size, 20);
    char *written = NULL;
    char *noted = NULL;
    size_t written_B = 0;
    size_t noted_B = 0;
    FILE *out = open_memstream(&written, &written_B);
    FILE *notes = open_memstream(&noted, &noted_B);
    ptx_rewrite_count count = {7, 7};
    long first = 0; /* the number of allocations that is enough */
    (void)state;
    assert_int_equal(rewritten(out, notes, text, size, &count), 0);
    assert_int_equal(exact_memory_blocks(), 0);
    const long whole_B = ftell(out);
    fflush(out);
    char *whole = malloc((size_t)whole_B);
    assert_non_null(whole);
    memcpy(whole, written, (size_t)whole_B);
    for (int failed = -1; failed; first++) {
        exact_memory_ends_after(first);
        failed = rewritten(out, notes, text, size, &count);
        exact_memory_ends_after(-1);
        assert_true(failed == 0 || failed == -1);
        assert_true(!failed || (ftell(out) == 0 && ftell(notes) == 0));
        assert_true(first || (count.found == 0 && count.checked == 0));
        assert_int_equal(exact_memory_blocks(), 1); /* `whole` */
        assert_true(first < 1000);
    }
    assert_true(first > 30);
    assert_int_equal(count.found, 40);
    assert_int_equal(count.checked, 40);
    assert_true(ftell(out) > (long)size);
    assert_int_equal(ftell(out), whole_B);
    fflush(out);
    assert_memory_equal(written, whole, (size_t)whole_B);
    free(whole);
    fclose(out);
    fclose(notes);
    free(written);
    free(noted);
    free(text);
}

/* As a file in memory that cannot grow. */
static void a_file_that_takes_nothing_is_an_answer(void **state) {
    size_t size = 0;
    char *text = kernels(&size, 1);
    FILE *full = fopen("/dev/full", "wb");
    FILE *file = tmpfile();
    ptx_rewrite_count count;
    (void)state;
    assert_non_null(file);
    if (full) {
        assert_int_equal(setvbuf(full, NULL, _IONBF, 0), 0);
        assert_int_equal(ptx_rewrite(full, file, text, size, TMA_PTX_CHECK_TRAP, &count), -1);
        assert_int_equal(ptx_rewrite(file, full, text, size, TMA_PTX_CHECK_TRAP, &count), -1);
        assert_int_equal(ptx_rewrite(file, file, text, size, TMA_PTX_CHECK_TRAP, &count), 0);
        fclose(full);
    }
    fclose(file);
    free(text);
}

/* The number of allocations that is enough. */
static long enough_for(int copies) {
    size_t size = 0;
    char *text = kernels(&size, copies);
    FILE *out = tmpfile();
    ptx_rewrite_count count;
    long enough = 0;
    assert_non_null(out);
    for (int failed = -1; failed; enough++) {
        exact_memory_ends_after(enough);
        failed = rewritten(out, out, text, size, &count);
        exact_memory_ends_after(-1);
        assert_true(enough < 1000);
    }
    assert_int_equal(count.checked, 2 * copies);
    fclose(out);
    free(text);
    return enough;
}

/* What a function's registers hold is found once, not for each of its copies: the time would grow
 * with the square of a file's size. */
static void copies_share_what_registers_hold(void **state) {
    (void)state;
    assert_int_equal(enough_for(17), enough_for(30)); /* arrays for 32 and 64 in both */
}

/* The two parts that others use by themselves. The number of allocations that is enough. */
static long rows_and_values(const char *text, size_t size) {
    long first = 0;
    for (int done = 0; !done; first++) {
        ptx_rows rows;
        exact_memory_ends_after(first);
        const int failed = ptx_rows_read(&rows, text, size);
        ptx_values *values = failed || !rows.functions ? NULL : ptx_values_of(&rows, 0);
        exact_memory_ends_after(-1);
        assert_true(failed == 0 || failed == -1);
        assert_int_equal(rows.failed, -failed);
        done = values || (!failed && !rows.functions);
        ptx_values_free(values);
        ptx_rows_free(&rows);
        assert_int_equal(exact_memory_blocks(), 0);
        assert_true(first < 1000);
    }
    return first;
}

static void rows_and_values_give_all_back(void **state) {
    size_t size = 0;
    char *text = kernels(&size, 20);
    (void)state;
    assert_true(rows_and_values(text, size) > 30);
    assert_int_equal(rows_and_values("ret;", 4), 4); /* a block, a row, a module; then it is done */
    free(text);
}

static void arrays_grow_as_is_said(void **state) {
    static const struct {
        uint32_t count;
        size_t room; /* for so many afterwards; 0: as before */
    } cases[] = {{0, 16}, {1, 0},   {2, 0},  {4, 0},  {8, 0},    {15, 0},  {16, 32},  {17, 0},
                 {31, 0}, {32, 64}, {33, 0}, {48, 0}, {64, 128}, {127, 0}, {128, 256}};
    void *array = NULL;
    size_t room = 0;
    (void)state;
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        array = ptx_grow(array, cases[i].count, 12);
        room = cases[i].room ? cases[i].room : room;
        assert_non_null(array);
        assert_int_equal(exact_memory_size(array), 12 * room);
    }
    free(array);
}

/* As many of each thing as asked for: files, variables, functions with copies, lines, registers. */
static char *many(size_t *size, unsigned count) {
    char *text = NULL;
    FILE *out = open_memstream(&text, size);
    assert_non_null(out);
    fputs(".version 8.0\n.target sm_90a\n.address_size 64\n", out);
    for (unsigned i = 0; i < count; i++) {
        fprintf(out, ".file %u \"%u.cu\"\n.const .align 64 .b8 c%u[128];\n", i + 1, i, i);
    }
    for (unsigned i = 0; i < count; i++) {
        fprintf(out, ".visible .entry k%u()\n{\n.reg .b32 r%u;\nmov.b32 r%u, 16;\n.loc %u %u 3\n",
                i, i, i, i + 1, i + 10);
        fprintf(out, "cp.async.bulk.prefetch.tensor.1d.L2.global [c%u, {r%u}];\nret;\n}\n", i, i);
    }
    fclose(out);
    return text;
}

static void look_at_the_ends(const char *text, size_t size, unsigned count) {
    static const tma_ptx_span none = {"none", 4};
    ptx_rows rows;
    ptx_source outer;
    ptx_source inner;
    int inlined = 0;
    uint32_t block = 0;
    assert_int_equal(ptx_rows_read(&rows, text, size), 0);
    assert_int_equal(rows.files, count);
    assert_int_equal(rows.variables, count);
    assert_int_equal(rows.functions, count);
    assert_int_equal(rows.registers, count);
    assert_null(ptx_variable_named(&rows, 0, none));
    for (uint32_t i = 0; i < rows.rows; i++) {
        assert_null(ptx_rows_register(&rows, i, none, &block));
        if (ptx_rows_source(&rows, i, &outer, &inner, &inlined)) {
            assert_int_equal(outer.line, outer.number + 9);
            assert_int_not_equal(outer.file.length, 0);
        }
    }
    ptx_rows_free(&rows);
}

static void full_arrays_are_read_to_their_ends(void **state) {
    static const unsigned counts[] = {0, 1, 15, 16, 17, 32, 64};
    (void)state;
    for (size_t i = 0; i < COUNT_OF(counts); i++) {
        size_t size = 0;
        size_t noted_B = 0;
        char *text = many(&size, counts[i]);
        char *noted = NULL;
        FILE *out = tmpfile();
        FILE *notes = open_memstream(&noted, &noted_B);
        ptx_rewrite_count count;
        assert_non_null(out);
        look_at_the_ends(text, size, counts[i]);
        assert_int_equal(ptx_rewrite(out, notes, text, size, TMA_PTX_CHECK_TRAP, &count), 0);
        assert_int_equal(count.found, counts[i]);
        assert_int_equal(count.checked, counts[i]);
        assert_int_equal(exact_memory_blocks(), 0);
        fclose(out);
        fclose(notes);
        free(noted);
        free(text);
    }
}

/* Kernels that the file's end cuts off, behind so many statements. */
static void a_cut_kernel_ends_with_its_rows(void **state) {
    (void)state;
    for (unsigned count = 0; count < 70; count++) {
        char *text = NULL;
        size_t size = 0;
        FILE *out = open_memstream(&text, &size);
        ptx_rows rows;
        assert_non_null(out);
        fputs(".version 8.0\n.target sm_90a\n.visible .entry k()\n{\n.reg .b32 x;\n", out);
        for (unsigned i = 0; i < count; i++) {
            fputs("mov.b32 x, 1;\n", out);
        }
        fclose(out);
        assert_int_equal(ptx_rows_read(&rows, text, size), 0);
        assert_int_equal(rows.function[0].end, 5 + count);
        ptx_values *values = ptx_values_of(&rows, 0);
        assert_non_null(values);
        ptx_values_free(values);
        ptx_rows_free(&rows);
        free(text);
    }
}

/* The version is the first statement's module, though its target stands before it; behind it in the
 * array is nothing. */
static void a_module_begins_once(void **state) {
    static const char text[] = ".target sm_90a\n.version 8.7\n.address_size 64\n";
    ptx_rows rows;
    (void)state;
    assert_int_equal(ptx_rows_read(&rows, text, sizeof(text) - 1), 0);
    assert_int_equal(rows.modules, 1);
    assert_int_equal(rows.module[0].version, 87);
    ptx_rows_free(&rows);
}

/* Names whose hashes begin at every second slot of the table alone, half as many as it has slots.
 */
static void one_half_of_the_slots_is_taken(void **state) {
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    ptx_rows rows;
    (void)state;
    fputs(".version 8.0\n.target sm_90a\n.visible .entry k()\n{\n.reg .b32 %r<1000>;\n", out);
    for (unsigned i = 0, named = 0; named < 128; i++) {
        if ((i / 100 + i / 10 + i) % 2 == 0 && i >= 100) { /* digits of even sum */
            fprintf(out, "mov.b32 %%r%u, %u;\n", i, i);
            named++;
        }
    }
    fputs("ret;\n}\n", out);
    fclose(out);
    assert_int_equal(ptx_rows_read(&rows, text, size), 0);
    ptx_values *values = ptx_values_of(&rows, 0);
    assert_non_null(values);
    for (unsigned i = 100; i < 1000; i++) {
        char name[8];
        snprintf(name, sizeof(name), "%%r%u", i);
        const tma_ptx_operand o = tma_ptx_operand_of((tma_ptx_span){name, strlen(name)}, NULL);
        const ptx_value v = ptx_value_at(values, rows.rows - 2, &o);
        assert_true(v.kind == PTX_NUMBER ? v.added == i : v.kind == PTX_REGISTER && !v.version);
    }
    ptx_values_free(values);
    ptx_rows_free(&rows);
    free(text);
}

static int begin_memory(void **state) {
    (void)state;
    exact_memory_begins();
    return 0;
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_end_of_memory_is_an_answer),
        cmocka_unit_test(a_file_that_takes_nothing_is_an_answer),
        cmocka_unit_test(copies_share_what_registers_hold),
        cmocka_unit_test(rows_and_values_give_all_back),
        cmocka_unit_test(arrays_grow_as_is_said),
        cmocka_unit_test(full_arrays_are_read_to_their_ends),
        cmocka_unit_test(a_cut_kernel_ends_with_its_rows),
        cmocka_unit_test(a_module_begins_once),
        cmocka_unit_test(one_half_of_the_slots_is_taken),
    };
    return cmocka_run_group_tests(tests, begin_memory, NULL);
}
