/* SPDX-License-Identifier: Apache-2.0
 *
 * Options to an instruction and its operands.
 */
#include <string.h>

#include "strings.h"
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
#undef TMA_COPY_OPTION
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

static int set_multicast(tma_copy_words *words, const char *text, tma_error *error) {
    uint32_t mask = 0;
    if (tma_read_u32(&mask, text, text_length(text), UINT16_MAX, "--multicast", error)) {
        return -1;
    }
    words->in.cta_mask = mask;
    words->in.cluster = 1; /* PTX has no other form */
    return mask ? 0 : tma_fail(error, "--multicast 0 names no CTA");
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
        return set_multicast(words, value, error);
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
    return 0;
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
        tma_putf(out, " --multicast 0x%" TMA_X64, in->cta_mask);
    } else if (in->cluster) {
        tma_put(out, " --cluster");
    }
    if (in->cta_group) {
        tma_putf(out, " --cta-group %u", in->cta_group);
    }
}

int tma_copy_words_together(const tma_copy_words *words, tma_error *error) {
    return words->offsets && (words->has_halo || words->has_offset)
               ? tma_fail(error, "--offset and --w-halo, --w-offset exclude each other")
               : 0;
}
