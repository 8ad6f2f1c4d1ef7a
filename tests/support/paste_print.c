/* SPDX-License-Identifier: Apache-2.0
 *
 * The printers, one for each form.
 */
#include "paste_print.h"

#include <inttypes.h>

static void list64(FILE *out, const char *before, const uint64_t *list, uint32_t count,
                   const char *between, const char *after) {
    fputs(before, out);
    for (uint32_t i = 0; i < count; i++) {
        fprintf(out, "%s%" PRIu64, i ? between : "", list[i]);
    }
    fputs(after, out);
}

static void list32(FILE *out, const char *before, const uint32_t *list, uint32_t count,
                   const char *between, const char *after) {
    uint64_t wide[TMA_MAX_RANK];
    for (uint32_t i = 0; i < count; i++) {
        wide[i] = list[i];
    }
    list64(out, before, wide, count, between, after);
}

static void list_signed(FILE *out, const char *before, const int32_t *list, uint32_t count) {
    fputs(before, out);
    for (uint32_t i = 0; i < count; i++) {
        fprintf(out, "%s%" PRId32, i ? ", " : "", list[i]);
    }
    fputs("]\n", out);
}

static const char *error_words(int code) {
    return code == 1     ? "invalid argument"
           : code == 700 ? "an illegal memory access was encountered"
                         : "unknown error";
}

/* The first `rank` entries and then padding; strides with the element's size in front. */
typedef struct padded {
    uint64_t dim[5], stride[6], box[5], step[5];
} padded;

static padded pad(const tma_spec *s) {
    padded p;
    p.stride[0] = tma_dtype_bits(s->dtype) / 8;
    for (uint32_t i = 0; i < 5; i++) {
        p.dim[i] = i < s->rank ? s->dim_el[i] : 1;
        p.box[i] = i < s->rank ? s->box_el[i] : 1;
        p.step[i] = i < s->rank ? s->element_stride[i] : 1;
        p.stride[i + 1] = i + 1 < s->rank ? s->stride_B[i] : 0;
    }
    return p;
}

static int is_tiled(const tma_spec *s) {
    return s->api == TMA_API_TILED;
}

static void cutlass(FILE *out, const tma_spec *s, int code) {
    const padded p = pad(s);
    fprintf(out, "TMA Desc Addr:   0x7ffe10a2c340\nformat         %" PRIu32, s->dtype);
    fprintf(out, "\ndim            %" PRIu32 "\ngmem_address   0x%" PRIx64 "\n", s->rank,
            s->address);
    list64(out, "globalDim      (", p.dim, 5, ",", ")\n");
    list64(out, "globalStrides  (", p.stride, 5, ",", ")\n");
    list64(out, "boxDim         (", p.box, 5, ",", ")\n");
    list64(out, "elementStrides (", p.step, 5, ",", ")\n");
    fprintf(out, "interleave     %" PRIu32 "\nswizzle        %" PRIu32 "\n", s->interleave,
            s->swizzle);
    fprintf(out, "l2Promotion    %" PRIu32 "\noobFill        %" PRIu32 "\n", s->l2, s->fill);
    fprintf(out, "Error: Failed to initialize the TMA descriptor %d\n", code);
}

static int not_wide(const tma_spec *s) {
    return s->api != TMA_API_WIDE;
}

static void tilelang(FILE *out, const tma_spec *s, int code) {
    const padded p = pad(s);
    fprintf(out, "InternalError: Failed to initialize the TMA descriptor %d (X: %s)\n", code,
            error_words(code));
    fprintf(out, "TMA Desc Addr:   0x7ffe10a2c340 (mod64=0)\nformat         %" PRIu32 " (%s)\n",
            s->dtype, tma_enum_row_of(TMA_ENUM_DTYPE, s->dtype)->cuda_name);
    fprintf(out, "dim            %" PRIu32 "\ngmem_address   0x%" PRIx64 " (mod16=0, mod32=0)\n",
            s->rank, s->address);
    list64(out, "globalDim      [", p.dim, s->rank, ", ", "]\n");
    list64(out, "globalStridesRaw [", p.stride, s->rank, ", ", "]\n");
    list64(out, "cudaGlobalStrides [", p.stride + 1, s->rank - 1, ", ", "]\n");
    if (s->api == TMA_API_TILED) {
        list64(out, "boxDim         [", p.box, s->rank, ", ", "]\n");
    } else {
        fprintf(out, "smem_box_pixel %" PRIu32 "\nsmem_box_channel %" PRIu32 "\n",
                s->pixels_per_column, s->channels_per_pixel);
        list_signed(out, "pixelBoxLowerCorner  [", s->lower_px, s->rank - 2);
        list_signed(out, "pixelBoxUpperCorner  [", s->upper_px, s->rank - 2);
    }
    list64(out, "elementStrides [", p.step, s->rank, ", ", "]\n");
    fprintf(out, "interleave     %" PRIu32 " (CU_TENSOR_MAP_INTERLEAVE_X)\n", s->interleave);
    fprintf(out, "swizzle        %" PRIu32 " (CU_TENSOR_MAP_SWIZZLE_X)\n", s->swizzle);
    fprintf(out, "l2Promotion    %" PRIu32 " (X)\noobFill        %" PRIu32 " (X)\n", s->l2,
            s->fill);
}

static int is_plain_128B(const tma_spec *s) {
    return is_tiled(s) && s->interleave == TMA_INTERLEAVE_NONE && s->fill == TMA_FILL_NONE &&
           s->l2 == TMA_L2_128B;
}

static void trtllm(FILE *out, const tma_spec *s, int code) {
    padded p = pad(s);
    for (uint32_t i = s->rank; i < 5; i++) { /* what stands on the stack there */
        p.dim[i] = UINT64_C(8319395793566789120) + i;
        p.stride[i] = 94;
        p.box[i] = 1632;
        p.step[i] = 1702129263;
    }
    fprintf(out, "Error: Failed to initialize the TMA descriptor due to %s\n", error_words(code));
    fprintf(out, "tmaFormat: %" PRIu32 " dim: %" PRIu32 " gmem: 0x%" PRIx64 "\n", s->dtype, s->rank,
            s->address);
    list64(out, "Shape: ", p.dim, 5, " ", "\n");
    list64(out, "Stride: ", p.stride + 1, 4, " ", "\n");
    list64(out, "tileShapes: ", p.box, 5, " ", "\n");
    list64(out, "tileStrides: ", p.step, 5, " ", "\n");
    fprintf(out, "swizzleType: %" PRIu32 "\n", s->swizzle);
}

static int is_triton(const tma_spec *s) {
    return is_tiled(s) && s->interleave == TMA_INTERLEAVE_NONE && s->l2 == TMA_L2_128B;
}

static void triton(FILE *out, const tma_spec *s, int code) {
    fprintf(out, "RuntimeError: Triton Error [CUDA]: Failed to create tensor map descriptor: %s\n",
            error_words(code));
    fprintf(out, "elemType=%" PRIu32 " rank=%" PRIu32 " global_address=0x%" PRIx64, s->dtype,
            s->rank, s->address);
    fprintf(out, " elemSize=%" PRIu32 " swizzle=%" PRIu32 " padding=%" PRIu32 "\n",
            tma_dtype_bits(s->dtype) / 8, s->swizzle, s->fill);
    list64(out, "shape=[", s->dim_el, s->rank, ", ", "]\n");
    list64(out, "strides=[", s->stride_B, s->rank - 1, ", ", "]\n");
    list32(out, "blockSize=[", s->box_el, s->rank, ", ", "]");
    list32(out, " elementStrides=[", s->element_stride, s->rank, ", ", "]");
    fprintf(out, " fill=%" PRIu32 "\n", s->fill);
}

static void thunderkittens(FILE *out, const tma_spec *s, int code) {
    const padded p = pad(s);
    fprintf(out, "  what():  Error in tile TMA descriptor creation: %s\nParameters:\n  batch: 2\n",
            error_words(code));
    fputs("  depth: 0\n  rows: 300\ncuTensorMapEncodeTiled arguments:\n", out);
    fprintf(out, "  tma_map: 140731170685760\n  tma_format: %" PRIu32 "\n", s->dtype);
    fprintf(out, "  tma_dim: %" PRIu32 "\n  global_addr: %" PRIu64 "\n", s->rank, s->address);
    fputs("  global_addr memory type: valid device memory\n", out);
    list64(out, "  gmem_shape: 140731170685296 [", p.dim, 5, ", ", "]\n");
    list64(out, "  gmem_stride: 140731170685344 [", p.stride + 1, 4, ", ", "]\n");
    list64(out, "  smem_shape: 140731170685376 [", p.box, 5, ", ", "]\n");
    list64(out, "  smem_stride: 140731170685408 [", p.step, 5, ", ", "]\n");
    fprintf(out, "  tma_interleave: %" PRIu32 "\n  tma_swizzle: %" PRIu32 "\n", s->interleave,
            s->swizzle);
    fprintf(out, "  tma_l2Promotion: %" PRIu32 "\n  tma_oobFill: %" PRIu32 "\n", s->l2, s->fill);
}

static void flashmla(FILE *out, const tma_spec *s, int code) {
    (void)code;
    fprintf(out, "Failed to create tensormap\nDim: %" PRIu32 "\n", s->rank);
    list64(out, "size: ", s->dim_el, s->rank, " ", " \n");
    list64(out, "strides: ", s->stride_B, s->rank - 1, " ", " \n");
    list32(out, "box_size: ", s->box_el, s->rank, " ", " \n");
    list32(out, "element_strides: ", s->element_stride, s->rank, " ", " \n");
    fprintf(out, "global ptr: 0x%" PRIx64 "\ndata_type: %" PRIu32 "\n", s->address, s->dtype);
    fprintf(out, "swizzle_mode: %" PRIu32 "\nl2_promotion: %" PRIu32 "\n", s->swizzle, s->l2);
    fprintf(out, "interleave_mode: %" PRIu32 "\noob_fill: %" PRIu32 "\n", s->interleave, s->fill);
}

static int is_unsigned_whole(const tma_spec *s) {
    return is_tiled(s) && (s->dtype <= TMA_DTYPE_UINT32 || s->dtype == TMA_DTYPE_UINT64);
}

static void xla(FILE *out, const tma_spec *s, int code) {
    (void)code;
    fprintf(out, "TmaDescriptor{element_size: %" PRIu32, tma_dtype_bits(s->dtype) / 8);
    list64(out, ", global_dims: {", s->dim_el, s->rank, ",", "}");
    list64(out, ", global_strides: {", s->stride_B, s->rank - 1, ",", "}");
    list32(out, ", box_dims: {", s->box_el, s->rank, ",", "}");
    list32(out, ", element_strides: {", s->element_stride, s->rank, ",", "}");
    fprintf(out, ", interleave: %" PRIu32 ", swizzle: %" PRIu32, s->interleave, s->swizzle);
    fprintf(out, ", l2_promotion: %" PRIu32 ", float_oob_fill: %" PRIu32 "}\n", s->l2, s->fill);
}

static int is_deepgemm(const tma_spec *s) {
    const uint32_t size_B = tma_dtype_bits(s->dtype) / 8;
    return is_unsigned_whole(s) && s->rank == 2 && s->interleave == TMA_INTERLEAVE_NONE &&
           s->fill == TMA_FILL_NONE && s->l2 == TMA_L2_256B && s->swizzle <= TMA_SWIZZLE_128B &&
           s->stride_B[0] % size_B == 0 && s->element_stride[0] == 1 && s->element_stride[1] == 1;
}

static void deepgemm(FILE *out, const tma_spec *s, int code) {
    const uint32_t size_B = tma_dtype_bits(s->dtype) / 8;
    fprintf(out, "Making TMA desc: global memory: %" PRIu64 " %" PRIu64, s->dim_el[0],
            s->dim_el[1]);
    fprintf(out, ", shared memory: %" PRIu32 " %" PRIu32 ", outer stride: %" PRIu64, s->box_el[0],
            s->box_el[1], s->stride_B[0] / size_B);
    fprintf(out, ", swizzle: %" PRIu32 " (base: 0), elem size: %" PRIu32 "\n",
            tma_swizzle_span_B(s->swizzle), size_B);
    fprintf(out,
            "RuntimeError: Failed: CUDA driver error csrc/runtime_utils.hpp:149 '%d (X, %s)'\n",
            code, error_words(code));
}

static void host_source(FILE *out, const tma_spec *s, int code) {
    const padded p = pad(s);
    (void)code;
    fprintf(out,
            "\tCUtensorMap K_desc;\n\tCUtensorMapDataType K_desc_type= "
            "(CUtensorMapDataType)%" PRIu32 ";\n\tcuuint32_t K_desc_tensorRank= %" PRIu32 ";\n",
            s->dtype, s->rank);
    fputs("\tvoid *K_desc_globalAddress= K;\n\tcuuint64_t K_desc_globalDim[5]= {", out);
    list64(out, "", p.dim, s->rank, ",", "};\n\tcuuint64_t K_desc_globalStride[5]= {");
    list64(out, "", p.stride, s->rank, ",", "};\n\tcuuint32_t K_desc_boxDim[5]= {");
    list64(out, "static_cast<cuuint32_t>(", p.box, s->rank, "), static_cast<cuuint32_t>(",
           ")};\n\tcuuint32_t K_desc_elementStrides[5]= {");
    list64(out, "", p.step, s->rank, ",", "};\n");
    fprintf(out, "\tCUtensorMapInterleave K_desc_interleave= (CUtensorMapInterleave)%" PRIu32 ";\n",
            s->interleave);
    fprintf(out, "\tCUtensorMapSwizzle K_desc_swizzle= (CUtensorMapSwizzle)%" PRIu32 ";\n",
            s->swizzle);
    fprintf(out,
            "\tCUtensorMapL2promotion K_desc_l2Promotion= (CUtensorMapL2promotion)%" PRIu32
            ";\n\tCUtensorMapFloatOOBfill K_desc_oobFill= (CUtensorMapFloatOOBfill)%" PRIu32 ";\n",
            s->l2, s->fill);
}

static void tvm(FILE *out, const tma_spec *s, int code) {
    (void)code;
    fprintf(out,
            "T.call_packed(\"runtime.cuTensorMapEncodeTiled\", A_map, %" PRIu32 ", %" PRIu32
            ", A.data",
            s->dtype, s->rank);
    list64(out, ", ", s->dim_el, s->rank, ", ", "");
    list64(out, s->rank > 1 ? ", " : "", s->stride_B, s->rank - 1, ", ", "");
    list32(out, ", ", s->box_el, s->rank, ", ", "");
    list32(out, ", ", s->element_stride, s->rank, ", ", "");
    fprintf(out, ", %" PRIu32 ", %" PRIu32 ", %" PRIu32 ", %" PRIu32 ")\n", s->interleave,
            s->swizzle, s->l2, s->fill);
}

static void python_call(FILE *out, const tma_spec *s, int code) {
    fprintf(out,
            "cuTensorMapEncodeTiled(<CUtensorMapDataType.%s: %" PRIu32 ">, %" PRIu32 ", %" PRIu64
            ", ",
            tma_enum_row_of(TMA_ENUM_DTYPE, s->dtype)->cuda_name, s->dtype, s->rank, s->address);
    list64(out, "[", s->dim_el, s->rank, ", ", "], [");
    list64(out, "", s->stride_B, s->rank - 1, ", ", "], [");
    list32(out, "", s->box_el, s->rank, ", ", "], [");
    list32(out, "", s->element_stride, s->rank, ", ", "], ");
    fprintf(out, "<CUtensorMapInterleave.X: %" PRIu32 ">, <CUtensorMapSwizzle.X: %" PRIu32 ">, ",
            s->interleave, s->swizzle);
    fprintf(out,
            "<CUtensorMapL2promotion.X: %" PRIu32 ">, <CUtensorMapFloatOOBfill.X: %" PRIu32
            ">)\n(<CUresult.CUDA_X: %d>,)\n",
            s->l2, s->fill, code);
}

static void c_call(FILE *out, const tma_spec *s, int code) {
    (void)code;
    fputs("constexpr uint64_t one = 1;\n", out);
    list64(out, "uint64_t gdim[] = {", s->dim_el, s->rank, ", ", "};\n");
    list64(out, "uint64_t gstride[5] = {", s->stride_B, s->rank - 1, " * one, ",
           s->rank > 1 ? " * one};\n" : "0};\n");
    list32(out, "const cuuint32_t box[5]{", s->box_el, s->rank, "u, ", "u};\n");
    list32(out, "uint32_t estr[] = {", s->element_stride, s->rank, ", ", "};\n");
    fprintf(out,
            "CHECK(cuTensorMapEncodeTiled(&map, %s,\n    %" PRIu32 ", (void*)0x%" PRIx64
            ", gdim, gstride, box, estr,\n",
            tma_enum_row_of(TMA_ENUM_DTYPE, s->dtype)->cuda_name, s->rank, s->address);
    fprintf(out,
            "    (CUtensorMapInterleave)%" PRIu32 ", static_cast<CUtensorMapSwizzle>(%" PRIu32
            "), (CUtensorMapL2promotion)%" PRIu32 ", (CUtensorMapFloatOOBfill)%" PRIu32 "));\n",
            s->interleave, s->swizzle, s->l2, s->fill);
}

const paste_form paste_forms[] = {
    {"CUTLASS", is_tiled, cutlass, 0, 1},
    {"TileLang", not_wide, tilelang, 0, 1},
    {"TensorRT-LLM", is_plain_128B, trtllm, HIDES_L2_128B, 1},
    {"Triton", is_triton, triton, 0, 1},
    {"ThunderKittens", is_tiled, thunderkittens, 0, 1},
    {"FlashMLA", is_tiled, flashmla, 0, 0},
    {"XLA", is_unsigned_whole, xla, HIDES_ADDRESS, 0},
    {"DeepGEMM", is_deepgemm, deepgemm, HIDES_ADDRESS | HIDES_L2_256B, 1},
    {"TileLang's host source", is_tiled, host_source, HIDES_ADDRESS, 0},
    {"a call in TVM's IR", is_tiled, tvm, HIDES_ADDRESS, 0},
    {"a call in source text", is_tiled, python_call, 0, 1},
    {"a call in source text", is_tiled, c_call, 0, 0},
};
const size_t paste_form_count = sizeof(paste_forms) / sizeof(paste_forms[0]);
