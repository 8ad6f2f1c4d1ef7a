/* SPDX-License-Identifier: Apache-2.0
 *
 * A PTX file rewritten where memory ends: at each allocation in turn, the answer is that there is
 * none, nothing was written, and all that was taken is given back. Each array ends where memory
 * does. The linker puts the allocator in its place (CMakeLists.txt).
 */
#include "support/exact_memory.h"
#include "support/testing.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ptx_heap.h"
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
    ptx_rewrite_count count = {7, 7, 7, 7};
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
    assert_true(first > 5);
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
/* All that the rewriter asks of a file, in one memory. 0, or -1: it ended. */
static int all_of(ptx_memory *m, ptx_rows *rows, const char *text, size_t size) {
    ptx_codes codes;
    ptx_functions functions;
    ptx_graph g;
    ptx_values v;
    if (ptx_rows_read(rows, m, text, size) || ptx_codes_read(&codes, m, rows) ||
        ptx_functions_read(&functions, m, rows)) {
        return -1;
    }
    return rows->functions &&
                   (ptx_graph_make(&g, m, &functions, &codes, 0, 1) || ptx_values_make(&v, m, &g))
               ? -1
               : 0;
}

/* The parts that others use by themselves. The number of allocations that is enough. */
static long rows_and_values(const char *text, size_t size) {
    long first = 0;
    for (int failed = -1; failed; first++) {
        ptx_heap heap = {NULL};
        ptx_memory memory = ptx_heap_memory(&heap);
        ptx_rows rows;
        exact_memory_ends_after(first);
        failed = all_of(&memory, &rows, text, size);
        exact_memory_ends_after(-1);
        assert_true(failed == 0 || failed == -1);
        assert_int_equal(memory.failed, -failed);
        ptx_heap_free(&heap);
        assert_int_equal(exact_memory_blocks(), 0);
        assert_true(first < 1000);
    }
    return first;
}

static void rows_and_values_give_all_back(void **state) {
    size_t size = 0;
    char *text = kernels(&size, 20);
    (void)state;
    assert_true(rows_and_values(text, size) > 5);
    assert_int_equal(rows_and_values("ret;", 4), 2); /* a chunk; then it is done */
    free(text);
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
    static const char *const none = "none";
    ptx_rows rows;
    ptx_source outer;
    ptx_source inner;
    int inlined = 0;
    ptx_heap heap = {NULL};
    ptx_memory memory = ptx_heap_memory(&heap);
    assert_int_equal(ptx_rows_read(&rows, &memory, text, size), 0);
    assert_int_equal(rows.files, count);
    assert_int_equal(rows.variables, count);
    assert_int_equal(rows.functions, count);
    assert_int_equal(rows.symbols, 2 * count);
    assert_int_equal(rows.places, count);
    for (uint32_t i = 0; i < rows.rows; i++) {
        assert_null(ptx_rows_register(&rows, i, none));
        if (ptx_rows_source(&rows, i, &outer, &inner, &inlined)) {
            assert_int_equal(outer.line, outer.number + 9);
            assert_int_not_equal(outer.file.length, 0);
        }
    }
    ptx_heap_free(&heap);
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
        ptx_heap heap = {NULL};
        ptx_memory memory = ptx_heap_memory(&heap);
        assert_int_equal(all_of(&memory, &rows, text, size), 0);
        assert_int_equal(rows.function[0].end, 5 + count);
        ptx_heap_free(&heap);
        free(text);
    }
}

/* The version is the first statement's module, though its target stands before it; behind it in the
 * array is nothing. */
static void a_module_begins_once(void **state) {
    static const char text[] = ".target sm_90a\n.version 8.7\n.address_size 64\n";
    ptx_rows rows;
    (void)state;
    ptx_heap heap = {NULL};
    ptx_memory memory = ptx_heap_memory(&heap);
    assert_int_equal(ptx_rows_read(&rows, &memory, text, sizeof(text) - 1), 0);
    assert_int_equal(rows.modules, 1);
    assert_int_equal(rows.module[0].version, 87);
    ptx_heap_free(&heap);
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
        cmocka_unit_test(rows_and_values_give_all_back),
        cmocka_unit_test(full_arrays_are_read_to_their_ends),
        cmocka_unit_test(a_cut_kernel_ends_with_its_rows),
        cmocka_unit_test(a_module_begins_once),
    };
    return cmocka_run_group_tests(tests, begin_memory, NULL);
}
