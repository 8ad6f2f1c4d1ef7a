/* SPDX-License-Identifier: Apache-2.0
 *
 * Enumerators and element types of the documents.
 */
#include "enum_view.h"

#include <stdio.h>
#include <string.h>

#include "cli_out.h"
#include "out_text.h"
#include "tma/spec.h"

/* What each enumeration is called: in cuda.h, as an argument of the calls, as an option, in list.
 */
static const struct kind_words {
    tma_enum_kind kind;
    const char *type;
    const char *argument;
    const char *option;
    const char *topic;
} kinds[] = {
    {TMA_ENUM_DTYPE, "CUtensorMapDataType", "tensorDataType", "--dtype", "dtypes"},
    {TMA_ENUM_INTERLEAVE, "CUtensorMapInterleave", "interleave", "--interleave", "interleaves"},
    {TMA_ENUM_SWIZZLE, "CUtensorMapSwizzle", "swizzle", "--swizzle", "swizzles"},
    {TMA_ENUM_L2, "CUtensorMapL2promotion", "l2Promotion", "--l2", "l2"},
    {TMA_ENUM_FILL, "CUtensorMapFloatOOBfill", "oobFill", "--fill", "fills"},
    {TMA_ENUM_WIDE_MODE, "CUtensorMapIm2ColWideMode", "mode", "--wide-mode", "wide-modes"},
    {TMA_ENUM_CLASS, "CUtensorMapAllocClass", "allocation class", "", "alloc-classes"},
};

/* What a value means beyond its name: bits of a type, bytes of a swizzle's span and pattern. */
static void put_size(char *text, size_t size, tma_enum_kind kind, const tma_enum_row *row) {
    const uint32_t value = (uint32_t)row->driver;
    text[0] = 0;
    if (kind == TMA_ENUM_DTYPE) {
        (void)snprintf(text, size, "%u bits an element in global memory", tma_dtype_bits(value));
    } else if (kind == TMA_ENUM_SWIZZLE && tma_swizzle_span_B(value)) {
        (void)snprintf(text, size, "rows of at most %u B; the pattern repeats after %u B",
                       tma_swizzle_span_B(value), tma_swizzle_repeat_B(value));
    }
}

static void print_row(const struct kind_words *kind, const tma_enum_row *row, const char *word) {
    char text[128];
    printf("%s\n    value %d of %s, the argument %s", word, (int)row->driver, kind->type,
           kind->argument);
    if (strcmp(word, row->cuda_name) != 0) {
        printf(": %s", row->cuda_name);
    }
    puts("\n");
    put_size(text, sizeof(text), kind->kind, row);
    out_labelled("size:", text);
    (void)snprintf(text, sizeof(text), "%s %s", kind->option, row->name);
    out_labelled("option:", *kind->option ? text : "");
    out_labelled("in PTX:", row->ptx_name);
    if (word[0] == '.' && strcmp(word + 1, row->ptx_name) != 0) {
        out_labelled("", "(the same bytes: a copy moves them as they are)");
    }
    (void)snprintf(text, sizeof(text), "tma explain %s; tma list %s", kind->argument, kind->topic);
    out_labelled("see:", text);
    out_labelled("source:", strcmp(row->evidence, "seen") == 0 ? "driver 13.0 on an H200 stored it"
                                                               : row->evidence);
}

static void print_json(const struct kind_words *kind, const tma_enum_row *row, const char *word) {
    out_json out;
    tma_json *json = out_json_begin(&out, "explain");
    tma_json_text(json, "word", word);
    tma_json_text(json, "type", kind->type);
    tma_json_text(json, "argument", kind->argument);
    tma_json_text(json, "name", row->name);
    tma_json_text(json, "cuda", row->cuda_name);
    tma_json_text(json, "ptx", row->ptx_name);
    tma_json_i64(json, "value", row->driver);
    tma_json_text(json, "source", row->evidence);
    out_json_end(&out);
}

/* An enumerator by cuda.h's name, a type by libtma's or by PTX's, which begins with a dot. */
static const tma_enum_row *row_of(const struct kind_words *kind, const char *word) {
    const int is_cuda = strncmp(word, "CU_TENSOR_MAP_", strlen("CU_TENSOR_MAP_")) == 0;
    if (is_cuda) {
        return tma_enum_find(kind->kind, word);
    }
    return kind->kind == TMA_ENUM_DTYPE ? tma_enum_find(kind->kind, word + (word[0] == '.')) : NULL;
}

int enum_explain(const char *word, int json) {
    for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
        const tma_enum_row *row = row_of(&kinds[i], word);
        if (row && json) {
            print_json(&kinds[i], row, word);
        } else if (row) {
            print_row(&kinds[i], row, word);
        }
        if (row) {
            return 1;
        }
    }
    return 0;
}
