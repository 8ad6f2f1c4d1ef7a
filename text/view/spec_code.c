/* SPDX-License-Identifier: Apache-2.0
 *
 * Specs as source text. Names of arguments and enumerators come from the core's tables.
 */
#include "spec_table.h"
#include "tma/check.h"
#include "tma/code.h"
#include "tma/detail/chars.h"

/* Arguments in the order of cuda.h's calls, of which each takes its own. */
static const uint8_t order[] = {
    TMA_OPTION_DTYPE,     TMA_OPTION_RANK,           TMA_OPTION_ADDRESS,
    TMA_OPTION_DIM,       TMA_OPTION_STRIDE,         TMA_OPTION_BOX,
    TMA_OPTION_LOWER,     TMA_OPTION_UPPER,          TMA_OPTION_CHANNELS,
    TMA_OPTION_PIXELS,    TMA_OPTION_ELEMENT_STRIDE, TMA_OPTION_INTERLEAVE,
    TMA_OPTION_WIDE_MODE, TMA_OPTION_SWIZZLE,        TMA_OPTION_L2,
    TMA_OPTION_FILL};
#define ARGUMENTS (sizeof(order) / sizeof(order[0]))

/* What cuda.h calls the argument and its type. The wide call takes one corner, as a number. */
typedef struct words {
    tma_argument argument;
    const char *type;  /* of an array's entry or of an enumerator, in cuda.h */
    const char *class; /* in cuda.core */
    const char *cut;   /* of cuda.h's enumerators to give cuda.core's */
    const char *word;  /* of cuda.core's as_tensor_map() */
} words;

static words words_of(uint32_t option) {
    switch (option) {
    case TMA_OPTION_DTYPE:
        return (words){TMA_ARG_DTYPE, "CUtensorMapDataType", "TensorMapDataType",
                       "CU_TENSOR_MAP_DATA_TYPE_", "data_type"};
    case TMA_OPTION_INTERLEAVE:
        return (words){TMA_ARG_INTERLEAVE, "CUtensorMapInterleave", "TensorMapInterleave",
                       "CU_TENSOR_MAP_", "interleave"};
    case TMA_OPTION_SWIZZLE:
        return (words){TMA_ARG_SWIZZLE, "CUtensorMapSwizzle", "TensorMapSwizzle", "CU_TENSOR_MAP_",
                       "swizzle"};
    case TMA_OPTION_L2:
        return (words){TMA_ARG_L2, "CUtensorMapL2promotion", "TensorMapL2Promotion",
                       "CU_TENSOR_MAP_L2_PROMOTION_", "l2_promotion"};
    case TMA_OPTION_FILL:
        return (words){TMA_ARG_FILL, "CUtensorMapFloatOOBfill", "TensorMapOOBFill",
                       "CU_TENSOR_MAP_FLOAT_OOB_FILL_", "oob_fill"};
    case TMA_OPTION_WIDE_MODE:
        return (words){TMA_ARG_WIDE_MODE, "CUtensorMapIm2ColWideMode", "", "", ""};
    case TMA_OPTION_DIM:
        return (words){TMA_ARG_DIM, "cuuint64_t", "", "", ""};
    case TMA_OPTION_STRIDE:
        return (words){TMA_ARG_STRIDE, "cuuint64_t", "", "", ""};
    case TMA_OPTION_BOX:
        return (words){TMA_ARG_BOX, "cuuint32_t", "", "", "box_dim"};
    case TMA_OPTION_LOWER:
        return (words){TMA_ARG_LOWER, "int", "", "", ""};
    case TMA_OPTION_UPPER:
        return (words){TMA_ARG_UPPER, "int", "", "", ""};
    case TMA_OPTION_ELEMENT_STRIDE:
        return (words){TMA_ARG_ELEMENT_STRIDE, "cuuint32_t", "", "", "element_strides"};
    default:
        return (words){TMA_ARG_NONE, "", "", "", ""};
    }
}

static const tma_enum_row *enumerator(const tma_spec *s, const spec_row *row) {
    const tma_enum_row *e = tma_enum_row_of(row->names, (uint32_t)tma_spec_get(s, row, 0));
    return e && *e->cuda_name ? e : NULL;
}

static const char *call_of(const tma_spec *s) {
    const tma_enum_row *row = tma_enum_row_of(TMA_ENUM_API, s->api);
    return row ? row->cuda_name : "";
}

static int is_array(const tma_spec *s, const spec_row *row) {
    return spec_is_list(row) && !(row->entries == CORNERS && s->api == TMA_API_WIDE);
}

const char *tma_code_form_name(size_t form) {
    static const char *const names[] = {"cuda", "c", "cuda-bindings", "cuda-core"};
    return form < TMA_CODE_FORMS ? names[form] : NULL;
}

/* cuda.core 1.2's enumerations: swizzles without atoms, types of whole bytes. */
static int core_has(const tma_spec *s) {
    switch (s->swizzle) {
    case TMA_SWIZZLE_NONE:
    case TMA_SWIZZLE_32B:
    case TMA_SWIZZLE_64B:
    case TMA_SWIZZLE_128B:
        return tma_dtype_bits(s->dtype) % 8 == 0;
    default:
        return 0;
    }
}

const char *tma_code_unfit(const tma_spec *s, tma_code_form form) {
    if (form >= TMA_CODE_FORMS) {
        return "no such form";
    }
    if (form != TMA_CODE_C && (!*call_of(s) || s->rank == 0 || s->rank > TMA_MAX_RANK)) {
        return "the arrays of the call have no such rank";
    }
    if (form != TMA_CODE_C && tma_enum_row_of(TMA_ENUM_SWIZZLE, s->swizzle) &&
        !enumerator(s, &tma_spec_rows[TMA_OPTION_SWIZZLE])) {
        return "no driver call makes a map with this swizzle";
    }
    if (form != TMA_CODE_CUDA_CORE) {
        return NULL;
    }
    if (s->api != TMA_API_TILED) {
        return "cuda.core makes tiled maps alone: see cuda-bindings";
    }
    if (!core_has(s)) {
        return "cuda.core has no such swizzle or type: see cuda-bindings";
    }
    for (uint32_t option = 0; option < TMA_SPEC_OPTIONS; option++) {
        const spec_row *row = &tma_spec_rows[option];
        if (row->form == NAME && spec_has(row, s->api) && !enumerator(s, row)) {
            return "a number of the spec has no name";
        }
    }
    for (uint32_t i = 0; i + 1 < s->rank; i++) {
        if (s->stride_B[i] % (tma_dtype_bits(s->dtype) / 8)) {
            return "a stride is no whole number of elements, in which tensors count";
        }
    }
    return NULL;
}

static void put_list(tma_out *out, const tma_spec *s, const spec_row *row) {
    if (tma_spec_entries_of(row, s->api, s->rank)) {
        tma_spec_put(out, s, row, ", ", 0);
    } else {
        tma_put(out, "0"); /* strides of rank 1: not read */
    }
}

/* One argument of the call; arrays by their names in C, in full in Python. */
static void put_argument(tma_out *out, const tma_spec *s, uint32_t option, int is_python) {
    const spec_row *row = &tma_spec_rows[option];
    const words w = words_of(option);
    const uint64_t number = tma_spec_get(s, row, 0);
    if (is_array(s, row) && is_python && *w.type == 'i') {
        tma_put(out, "[");
        put_list(out, s, row);
        tma_put(out, "]");
    } else if (is_array(s, row) && is_python) {
        tma_putf(out, "[driver.%s(n) for n in [", w.type);
        put_list(out, s, row);
        tma_put(out, "]]");
    } else if (is_array(s, row)) {
        tma_put(out, tma_argument_name(w.argument));
    } else if (row->form == NAME && enumerator(s, row)) {
        if (is_python) {
            tma_putf(out, "driver.%s.", w.type);
        }
        tma_put(out, enumerator(s, row)->cuda_name);
    } else if (row->form == NAME) {
        tma_putf(out, "%s%s%s%u%s", is_python ? "driver." : "(", w.type, is_python ? "(" : ")",
                 (unsigned)number, is_python ? ")" : "");
    } else if (option == TMA_OPTION_ADDRESS) {
        tma_putf(out, "%s0x%" TMA_X64, is_python ? "" : "(void *)", number);
    } else if (row->form == LIST_I32) {
        tma_putf(out, "%" TMA_D64, (int64_t)number);
    } else {
        tma_putf(out, "%" TMA_U64, number);
    }
}

static void put_call(tma_out *out, const tma_spec *s, int is_python) {
    const char *between = is_python ? "\n    " : ",\n    ";
    for (size_t i = 0; i < ARGUMENTS; i++) {
        if (spec_has(&tma_spec_rows[order[i]], s->api)) {
            tma_put(out, between);
            put_argument(out, s, order[i], is_python);
            between = ",\n    ";
        }
    }
    tma_put(out, is_python ? ",\n)\n" : ");\n");
}

static void put_cuda(tma_out *out, const tma_spec *s) {
    for (size_t i = 0; i < ARGUMENTS; i++) {
        const spec_row *row = &tma_spec_rows[order[i]];
        if (spec_has(row, s->api) && is_array(s, row)) {
            const words w = words_of(order[i]);
            tma_putf(out, "const %s %s[] = {", w.type, tma_argument_name(w.argument));
            put_list(out, s, row);
            tma_put(out, "};\n");
        }
    }
    tma_putf(out, "CUtensorMap tensorMap;\nCUresult result = %s(\n    &tensorMap", call_of(s));
    put_call(out, s, 0);
}

static void put_bindings(tma_out *out, const tma_spec *s) {
    tma_putf(out, "from cuda.bindings import driver\n\nresult, tensor_map = driver.%s(",
             call_of(s));
    put_call(out, s, 1);
}

/* The members by the names that JSON has too, which are those of tma_spec but for units. */
static void put_c(tma_out *out, const tma_spec *s, const tma_target *t) {
    static const char *const members[] = {
#define TMA_OPTION(id, argument, name, stands, form, names, member, ...) #member,
#include "tma/spec_options.def"
    };
    tma_put(out, "#include <tma/tma.h>\n\nconst tma_spec spec = {\n");
    for (uint32_t option = 0; option < TMA_SPEC_OPTIONS; option++) {
        const spec_row *row = &tma_spec_rows[option];
        const uint64_t number = tma_spec_get(s, row, 0);
        if (!spec_has(row, s->api) ||
            (spec_is_list(row) && !tma_spec_entries_of(row, s->api, s->rank))) {
            continue;
        }
        tma_putf(out, "    .%s = ", members[option]);
        if (spec_is_list(row)) {
            tma_put(out, "{");
            put_list(out, s, row);
            tma_put(out, "},\n");
        } else if (row->form == NAME && tma_enum_row_of(row->names, (uint32_t)number)) {
            tma_putf(out, "%u, /* %s */\n", (unsigned)number,
                     tma_enum_row_of(row->names, (uint32_t)number)->name);
        } else {
            tma_spec_put(out, s, row, "", 0);
            tma_put(out, ",\n");
        }
    }
    tma_putf(out, "};\nconst tma_target target = {.sm = %u", t->sm);
    if (t->suffix) {
        tma_putf(out, ", .suffix = '%c'", t->suffix);
    }
    tma_putf(out,
             ", .driver = %u};\ntma_map map;\n"
             "tma_status status = tma_encode(map.bytes, &spec, &target);\n",
             t->driver);
}

static void put_reversed(tma_out *out, const tma_spec *s, uint32_t option) {
    const uint32_t count = s->rank;
    tma_put(out, "(");
    for (uint32_t i = count; i-- > 0;) {
        tma_putf(out, "%" TMA_U64 "%s", tma_spec_get(s, &tma_spec_rows[option], i),
                 count == 1 ? ","
                 : i        ? ", "
                            : "");
    }
    tma_put(out, ")");
}

/* Strides of a tensor count elements, outermost first. */
static void put_core(tma_out *out, const tma_spec *s) {
    const uint32_t element_B = tma_dtype_bits(s->dtype) / 8;
    tma_put(out, "from cuda.core import StridedMemoryView\nfrom cuda.core._tensor_map import (\n"
                 "    TensorMapDataType, TensorMapInterleave, TensorMapL2Promotion,\n"
                 "    TensorMapOOBFill, TensorMapSwizzle)\n\n# tensor: on the device, shape ");
    put_reversed(out, s, TMA_OPTION_DIM);
    tma_put(out, ", strides in elements (");
    for (uint32_t i = s->rank - 1; i-- > 0;) {
        tma_putf(out, "%" TMA_U64 ", ", s->stride_B[i] / element_B);
    }
    tma_put(out, s->rank == 1 ? "1,)\n" : "1)\n");
    tma_put(out, "view = StridedMemoryView.from_any_interface(tensor, stream_ptr=-1)\n"
                 "tensor_map = view.as_tensor_map(\n    box_dim=");
    put_reversed(out, s, TMA_OPTION_BOX);
    tma_put(out, ",\n    element_strides=");
    put_reversed(out, s, TMA_OPTION_ELEMENT_STRIDE);
    for (size_t i = 0; i < ARGUMENTS; i++) {
        const words w = words_of(order[i]);
        if (*w.class) {
            const tma_enum_row *e = enumerator(s, &tma_spec_rows[order[i]]);
            tma_putf(out, ",\n    %s=%s.%s", w.word, w.class,
                     text_same(e->name, "none") ? "NONE" : e->cuda_name + text_length(w.cut));
        }
    }
    tma_put(out, ",\n)\n");
}

void tma_put_code(tma_out *out, const tma_spec *spec, const tma_target *target,
                  tma_code_form form) {
    if (tma_code_unfit(spec, form)) {
        return;
    }
    switch (form) {
    case TMA_CODE_CUDA:
        put_cuda(out, spec);
        break;
    case TMA_CODE_C:
        put_c(out, spec, target);
        break;
    case TMA_CODE_CUDA_BINDINGS:
        put_bindings(out, spec);
        break;
    default:
        put_core(out, spec);
    }
}
