/* SPDX-License-Identifier: Apache-2.0
 *
 * A spec in words.
 */
#include "spec_words.h"

#include <inttypes.h>

#include "names.h"

uint32_t spec_dims(const tma_spec *s) {
    return s->rank < TMA_MAX_RANK ? s->rank : TMA_MAX_RANK;
}

uint32_t spec_strides(const tma_spec *s) {
    return spec_dims(s) ? spec_dims(s) - 1 : 0;
}

uint32_t spec_corners(const tma_spec *s) {
    const uint32_t spatial = spec_dims(s) < 3 ? 0 : spec_dims(s) - 2;
    return s->api == TMA_API_TILED ? 0 : s->api == TMA_API_WIDE && spatial ? 1 : spatial;
}

static void words_u64(FILE *out, const char *option, const uint64_t *list, uint32_t count) {
    for (uint32_t i = 0; i < count; i++) {
        fprintf(out, "%s%s%" PRIu64, i ? "," : option, i ? "" : " ", list[i]);
    }
}

static void words_u32(FILE *out, const char *option, const uint32_t *list, uint32_t count) {
    for (uint32_t i = 0; i < count; i++) {
        fprintf(out, "%s%s%" PRIu32, i ? "," : option, i ? "" : " ", list[i]);
    }
}

static void words_i32(FILE *out, const char *option, const int32_t *list, uint32_t count) {
    for (uint32_t i = 0; i < count; i++) {
        fprintf(out, "%s%s%" PRId32, i ? "," : option, i ? "" : " ", list[i]);
    }
}

static void words_name(FILE *out, const char *option, tma_enum_kind kind, uint32_t number) {
    char buffer[16];
    fprintf(out, " %s %s", option, name_of(kind, number, buffer));
}

void spec_words(FILE *out, const tma_spec *s) {
    const uint32_t n = spec_dims(s);
    words_name(out, "--api", TMA_ENUM_API, s->api);
    words_name(out, "--dtype", TMA_ENUM_DTYPE, s->dtype);
    fprintf(out, " --address 0x%" PRIx64, s->address);
    if (s->rank > TMA_MAX_RANK || s->rank == 0) {
        fprintf(out, " --rank %" PRIu32, s->rank);
    }
    words_u64(out, " --dim", s->dim_el, n);
    words_u64(out, " --stride", s->stride_B, spec_strides(s));
    if (s->api == TMA_API_TILED) {
        words_u32(out, " --box", s->box_el, n);
    } else {
        words_i32(out, " --lower", s->lower_px, spec_corners(s));
        words_i32(out, " --upper", s->upper_px, spec_corners(s));
        fprintf(out, " --channels %" PRIu32 " --pixels %" PRIu32, s->channels_per_pixel,
                s->pixels_per_column);
    }
    words_u32(out, " --element-stride", s->element_stride, n);
    words_name(out, "--interleave", TMA_ENUM_INTERLEAVE, s->interleave);
    words_name(out, "--swizzle", TMA_ENUM_SWIZZLE, s->swizzle);
    words_name(out, "--l2", TMA_ENUM_L2, s->l2);
    words_name(out, "--fill", TMA_ENUM_FILL, s->fill);
    if (s->api == TMA_API_WIDE) {
        words_name(out, "--wide-mode", TMA_ENUM_WIDE_MODE, s->wide_mode);
    }
}
