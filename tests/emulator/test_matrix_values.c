/* SPDX-License-Identifier: Apache-2.0
 *
 * Every captured sum of an H200's matrix units, bit for bit: tests/vectors/mma_values.txt.gz. A
 * block is a line that names the instruction, eight columns of B, then rows of A, each with its
 * eight C>D.
 */
#include <zlib.h>

#include "matrix_fp8.h"
#include "support/testing.h"

#define LINE 1024

typedef struct block {
    char id[64], kind[16], d[8], a[8], b[8];
    matrix_form form;
    uint32_t rows;
    uint8_t column[MATRIX_COLUMNS][MATRIX_ROW_B];
} block;

static uint32_t type_of(const char *word) {
    for (uint32_t t = 1; t < EMU_TYPES; t++) {
        if (strcmp(emu_type_of(t)->word, word) == 0) {
            return t;
        }
    }
    fail_msg("no type %s", word);
    return 0;
}

static const char *unhex(const char *text, uint8_t *out) {
    unsigned byte;
    for (; sscanf(text, "%2x", &byte) == 1 && *text != ' ' && *text != '\n'; text += 2) {
        *out++ = (uint8_t)byte;
    }
    return text;
}

static void read_head(block *b, const char *line) {
    unsigned k = 0;
    assert_int_equal(
        sscanf(line, "%63s %15s %7s %7s %7s k%u", b->id, b->kind, b->d, b->a, b->b, &k), 6);
    assert_int_equal(sscanf(strstr(line, " rows "), " rows %u", &b->rows), 1);
    b->form = (matrix_form){.a = (uint8_t)type_of(b->a),
                            .b = (uint8_t)type_of(b->b),
                            .d = (uint8_t)type_of(b->d),
                            .places = 25,
                            .keeps_bit = 23,
                            .negates = strstr(line, " neg") != NULL,
                            .saturates = strstr(line, " sat") != NULL,
                            .k = k,
                            .k_a = k};
}

static int is_fp8(const matrix_form *form) {
    return form->a == EMU_E4M3 || form->a == EMU_E5M2;
}

static void multiply(block *b, const uint8_t *row, uint32_t (*c)[MATRIX_COLUMNS]) {
    static matrix_a a;
    const int is_wgmma = strcmp(b->kind, "wgmma") == 0;
    if (is_fp8(&b->form) && !is_wgmma) {
        matrix_multiply_fp8(&b->form, row, 1, NULL, b->column[0], MATRIX_ROW_B, c);
        return;
    }
    if (is_fp8(&b->form)) {
        b->form.places = b->form.keeps_bit = 13;
    }
    matrix_prepare(&a, &b->form, row, 1, NULL);
    matrix_multiply(&a, &b->form, b->column[0], MATRIX_ROW_B, c);
}

static uint32_t compare_row(block *b, const char *line) {
    uint8_t row[MATRIX_ROW_B] = {0};
    uint32_t c[1][MATRIX_COLUMNS], d[MATRIX_COLUMNS], different = 0;
    const char *at = unhex(line, row);
    for (uint32_t n = 0; n < MATRIX_COLUMNS; n++) {
        assert_int_equal(sscanf(at, " %x>%x", &c[0][n], &d[n]), 2);
        at = strchr(at + 1, ' ');
        assert_true(at || n + 1 == MATRIX_COLUMNS);
    }
    multiply(b, row, c);
    for (uint32_t n = 0; n < MATRIX_COLUMNS; n++) {
        if (c[0][n] != d[n]) {
            print_error("%s column %u: an H200 says %08x, here %08x\n", b->id, n, d[n], c[0][n]);
            different++;
        }
    }
    return different;
}

static void test_captured(void **state) {
    (void)state;
    char line[LINE];
    block b;
    uint32_t compared = 0, different = 0;
    gzFile file = gzopen(TMA_VECTORS_DIR "/mma_values.txt.gz", "rb");
    assert_non_null(file);
    while (gzgets(file, line, sizeof(line))) {
        memset(&b, 0, sizeof(b));
        read_head(&b, line);
        for (uint32_t n = 0; n < MATRIX_COLUMNS; n++) {
            assert_non_null(gzgets(file, line, sizeof(line)));
            unhex(line, b.column[n]);
        }
        for (uint32_t row = 0; row < b.rows; row++) {
            assert_non_null(gzgets(file, line, sizeof(line)));
            different += compare_row(&b, line);
            compared += MATRIX_COLUMNS;
        }
    }
    gzclose(file);
    assert_int_equal(different, 0);
    assert_int_equal(compared, 47040);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_captured)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
