/* SPDX-License-Identifier: Apache-2.0
 *
 * Options to an instruction and its operands.
 */
#include <string.h>

#include "entries.h"
#include "tma/detail/chars.h"
#include "tma/grammar.h"

#define DEFAULT_SHARED 0x400

void tma_copy_words_begin(tma_copy_words *words, uint32_t op) {
    memset(words, 0, sizeof(*words));
    words->in.op = op;
    words->at.shared_address = DEFAULT_SHARED;
}

const char *tma_copy_option_name(size_t option) {
    static const char *const names[] = {
#define TMA_COPY_OPTION(id, name, ...) name,
#include "tma/copy_options.def"
    };
    return option < TMA_COPY_OPTIONS ? names[option] : NULL;
}

static int set_offset(tma_copy_words *words, uint32_t i, const char *text, const char *what,
                      tma_error *error) {
    uint32_t number = 0;
    if (tma_read_u32(&number, text, text_length(text), UINT16_MAX, what, error)) {
        return -1;
    }
    words->at.offset[i] = (uint16_t)number;
    return 0;
}

static int set_multicast(tma_copy_words *words, const char *text, uint32_t bits, tma_error *error) {
    const char *what = bits == 32 ? "--multicast-32b" : "--multicast";
    const uint32_t most = bits == 32 ? UINT32_MAX : UINT16_MAX;
    uint32_t mask = 0;
    if (tma_read_u32(&mask, text, text_length(text), most, what, error)) {
        return -1;
    }
    words->in.cta_mask = mask;
    words->in.mask_bits = bits == 32 ? 32 : 0;
    words->in.cluster = 1; /* PTX has no other form */
    return mask ? 0 : tma_fail(error, "%s 0 names no CTA", what);
}

#define MOST_SIZE  255        /* 8 bits */
#define MOST_UPPER UINT16_MAX /* a 16-bit register */

static int read_size(void *out, uint32_t i, const char *text, size_t length, const char *what,
                     tma_error *error) {
    return tma_read_u32((uint32_t *)out + i, text, length, MOST_SIZE, what, error);
}

static int read_stride(void *out, uint32_t i, const char *text, size_t length, const char *what,
                       tma_error *error) {
    return tma_read_u32((uint32_t *)out + i, text, length, UINT32_MAX, what, error);
}

/* Sizes alone, or sizes and strides. */
static int set_override(tma_copy_words *words, tma_copy_option option, const char *value,
                        tma_error *error) {
    tma_override_operands *o = &words->override;
    const size_t length = text_length(value);
    switch (option) {
    case TMA_COPY_OVERRIDE_ADDRESS:
        words->in.overrides |= TMA_OVERRIDE_ADDRESS;
        return tma_read_u64(&o->address, value, length, "--override-address", error);
    case TMA_COPY_OVERRIDE_DIM:
        words->in.overrides |= words->in.overrides & TMA_OVERRIDE_DIM_STRIDE ? 0 : TMA_OVERRIDE_DIM;
        return text_entries(o->size, &words->sizes, TMA_MAX_RANK, value, "--override-dim",
                            read_size, error);
    default:
        words->in.overrides &= ~TMA_OVERRIDE_DIM;
        words->in.overrides |= TMA_OVERRIDE_DIM_STRIDE;
        return option == TMA_COPY_OVERRIDE_LOWER
                   ? text_entries(o->lower_stride, &words->lowers, TMA_MAX_STRIDES, value,
                                  "--override-lower", read_stride, error)
                   : tma_read_u32(&o->upper_stride, value, length, MOST_UPPER, "--override-upper",
                                  error);
    }
}

int tma_copy_words_set(tma_copy_words *words, tma_copy_option option, const char *value,
                       tma_error *error) {
    const size_t length = text_length(value);
    switch (option) {
    case TMA_COPY_OP:
        return tma_read_op(&words->in.op, value, "--op", error);
    case TMA_COPY_MODE:
        words->has_mode = 1;
        return tma_read_mode(&words->in.mode, value, "--mode", error);
    case TMA_COPY_COORD:
        return tma_read_coords(words->at.coord, &words->coords, value, "--coord", error);
    case TMA_COPY_OFFSET:
        return tma_read_offsets(words->at.offset, &words->offsets, value, "--offset", error);
    case TMA_COPY_HALO:
        words->has_halo = 1;
        return set_offset(words, 0, value, "--w-halo", error);
    case TMA_COPY_W_OFFSET:
        words->has_offset = 1;
        return set_offset(words, 1, value, "--w-offset", error);
    case TMA_COPY_SHARED:
        return tma_read_u32(&words->at.shared_address, value, length, UINT32_MAX, "--shared",
                            error);
    case TMA_COPY_CLUSTER: /* without a value */
        words->in.cluster = 1;
        return 0;
    case TMA_COPY_CTA_GROUP:
        return tma_read_u32(&words->in.cta_group, value, length, UINT32_MAX, "--cta-group", error);
    case TMA_COPY_MULTICAST:
        return set_multicast(words, value, 16, error);
    case TMA_COPY_MULTICAST_32:
        return set_multicast(words, value, 32, error);
    case TMA_COPY_REPORT:
        return tma_read_inspection(&words->in.inspection, value, "--report", error);
    case TMA_COPY_OVERRIDE_ADDRESS:
    case TMA_COPY_OVERRIDE_DIM:
    case TMA_COPY_OVERRIDE_LOWER:
    case TMA_COPY_OVERRIDE_UPPER:
        return set_override(words, option, value, error);
    default:
        return tma_fail(error, "option %u is none of a copy", (unsigned)option);
    }
}

static uint32_t default_mode(const tma_spec *spec) {
    return spec->api == TMA_API_TILED         ? TMA_MODE_TILE
           : spec->api == TMA_API_IM2COL      ? TMA_MODE_IM2COL
           : spec->wide_mode == TMA_WIDE_W128 ? TMA_MODE_IM2COL_W128
                                              : TMA_MODE_IM2COL_W;
}

void tma_copy_words_default(tma_copy_words *words, const tma_spec *spec) {
    if (!words->has_mode) {
        words->in.mode = default_mode(spec);
    }
}

static const char *entries(uint32_t count) {
    return count == 1 ? "entry" : "entries";
}

/* As many sizes and strides as the rank wants. */
static int check_override(const tma_copy_words *words, uint32_t rank, tma_error *error) {
    const uint32_t overrides = words->in.overrides;
    const int strides = (overrides & TMA_OVERRIDE_DIM_STRIDE) != 0;
    if (overrides & (TMA_OVERRIDE_DIM | TMA_OVERRIDE_DIM_STRIDE) && words->sizes != rank) {
        return tma_fail(error, "--override-dim has %u %s; a map of rank %u takes %u", words->sizes,
                        entries(words->sizes), rank, rank);
    }
    if (rank > 1 && (strides || overrides & TMA_OVERRIDE_DIM) && words->lowers != rank - 1) {
        return tma_fail(error,
                        "--override-lower has %u %s; a map of rank %u takes %u: sizes and strides "
                        "are overridden together",
                        words->lowers, entries(words->lowers), rank, rank - 1);
    }
    if (overrides & ~TMA_OVERRIDE_ADDRESS && !(overrides & TMA_OVERRIDE_ADDRESS)) {
        return tma_fail(error, "--override-dim goes with --override-address, as "
                               ".override::global_dim with .override::global_address");
    }
    return 0;
}

int tma_copy_words_check(const tma_copy_words *words, const tma_spec *spec, tma_error *error) {
    const tma_instruction *in = &words->in;
    const char *mode = tma_mode_name(in->mode);
    const uint32_t coords = tma_mode_coords(in->mode, spec->rank);
    const uint32_t offsets = tma_mode_offsets(in->op, in->mode, spec->rank);
    const int is_rows4 = tma_mode_is_rows4(in->mode);
    if (words->coords != coords && (words->coords || is_rows4)) {
        return tma_fail(error, "--coord has %u %s; %s on a map of rank %u takes %u%s",
                        words->coords, entries(words->coords), mode, spec->rank, coords,
                        is_rows4 ? ": column, four rows" : "");
    }
    if (words->offsets && words->offsets != offsets) {
        return tma_fail(error, "--offset has %u %s; %s %s on a map of rank %u takes %u",
                        words->offsets, entries(words->offsets), tma_op_name(in->op), mode,
                        spec->rank, offsets);
    }
    if ((words->has_halo || words->has_offset) && (!tma_mode_is_wide(in->mode) || !offsets)) {
        return tma_fail(error,
                        "--w-halo and --w-offset belong to loads of im2col::w and "
                        "im2col::w::128; this is %s %s",
                        tma_op_name(in->op), mode);
    }
    if (in->cluster && in->op != TMA_OP_LOAD && !in->cta_mask) {
        return tma_fail(error, "--cluster belongs to loads; this is %s %s", tma_op_name(in->op),
                        mode);
    }
    return check_override(words, spec->rank, error);
}

void tma_put_copy_words(tma_out *out, const tma_instruction *in, uint32_t map_rank,
                        const tma_position *at) {
    const uint32_t coords = tma_mode_coords(in->mode, map_rank);
    const uint32_t offsets = tma_mode_offsets(in->op, in->mode, map_rank);
    tma_putf(out, " --op %s --mode %s", tma_op_name(in->op), tma_mode_name(in->mode));
    for (uint32_t i = 0; i < coords && i < TMA_MAX_RANK; i++) {
        tma_putf(out, "%s%d", i ? "," : " --coord=", at->coord[i]);
    }
    for (uint32_t i = 0; i < offsets && i < TMA_MAX_SPATIAL; i++) {
        tma_putf(out, "%s%u", i ? "," : " --offset=", at->offset[i]);
    }
    tma_putf(out, " --shared 0x%x", at->shared_address);
    if (in->cta_mask) {
        tma_putf(out, " --multicast%s 0x%" TMA_X64, in->mask_bits == 32 ? "-32b" : "",
                 in->cta_mask);
    } else if (in->cluster) {
        tma_put(out, " --cluster");
    }
    if (in->cta_group) {
        tma_putf(out, " --cta-group %u", in->cta_group);
    }
    if (tma_inspection_of(in->inspection)) {
        tma_putf(out, " --report %s", tma_inspection_of(in->inspection)->name);
    }
}

static void put_numbers(tma_out *out, const char *option, const uint32_t *list, uint32_t count) {
    for (uint32_t i = 0; i < count; i++) {
        tma_putf(out, "%s%u", i ? "," : option, list[i]);
    }
}

void tma_put_override_words(tma_out *out, const tma_instruction *in, uint32_t map_rank,
                            const tma_override_operands *o) {
    const uint32_t rank = map_rank < TMA_MAX_RANK ? map_rank : TMA_MAX_RANK;
    if (in->overrides & TMA_OVERRIDE_ADDRESS) {
        tma_putf(out, " --override-address 0x%" TMA_X64, o->address);
    }
    if (in->overrides & (TMA_OVERRIDE_DIM | TMA_OVERRIDE_DIM_STRIDE)) {
        put_numbers(out, " --override-dim ", o->size, rank);
    }
    if (in->overrides & TMA_OVERRIDE_DIM_STRIDE && rank > 1) {
        put_numbers(out, " --override-lower ", o->lower_stride, rank - 1);
        tma_putf(out, " --override-upper 0x%x", o->upper_stride);
    }
}

int tma_copy_words_together(const tma_copy_words *words, tma_error *error) {
    return words->offsets && (words->has_halo || words->has_offset)
               ? tma_fail(error, "--offset and --w-halo, --w-offset exclude each other")
               : 0;
}
