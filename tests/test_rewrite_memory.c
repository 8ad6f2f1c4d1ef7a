/* SPDX-License-Identifier: Apache-2.0
 *
 * A PTX file rewritten where memory ends: at each allocation in turn, the answer is that there is
 * none, and nothing was written. The linker puts the three functions below in the allocator's place
 * (CMakeLists.txt).
 */
#define _GNU_SOURCE

#include "support/testing.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ptx_rewrite.h"
#include "tma/ptx_check.h"

static long left = -1; /* allocations that are answered; negative: all */

static int is_over(void) {
    return left >= 0 && left-- == 0;
}

void *__real_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void *__real_realloc(void *block, size_t size);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_realloc(void *block, size_t size);

void *__wrap_malloc(size_t size) {
    return is_over() ? NULL : __real_malloc(size);
}

void *__wrap_calloc(size_t count, size_t size) {
    return is_over() ? NULL : __real_calloc(count, size);
}

void *__wrap_realloc(void *block, size_t size) {
    return is_over() ? NULL : __real_realloc(block, size);
}

/* Two kernels with copies, more registers than a table's first size, blocks, files and lines. */
static char *kernels(size_t *size) {
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
        for (int i = 0; i < 20; i++) {
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
    char *text = kernels(&size);
    char *written = NULL;
    char *noted = NULL;
    size_t written_B = 0;
    size_t noted_B = 0;
    FILE *out = open_memstream(&written, &written_B);
    FILE *notes = open_memstream(&noted, &noted_B);
    ptx_rewrite_count count;
    long first = 0; /* the number of allocations that is enough */
    (void)state;
    assert_int_equal(rewritten(out, notes, text, size, &count), 0);
    const long whole_B = ftell(out);
    fflush(out);
    char *whole = malloc((size_t)whole_B);
    assert_non_null(whole);
    memcpy(whole, written, (size_t)whole_B);
    for (int failed = -1; failed; first++) {
        left = first;
        failed = rewritten(out, notes, text, size, &count);
        left = -1;
        assert_true(!failed || (ftell(out) == 0 && ftell(notes) == 0));
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

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(the_end_of_memory_is_an_answer)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
