/* SPDX-License-Identifier: Apache-2.0
 *
 * Instructions in words.
 */
#include "copy_words.h"

#include <inttypes.h>
#include <string.h>

#include "names.h"

static const struct {
    const char *name;
    uint32_t mode;
} modes[] = {
    {"tile", TMA_MODE_TILE},
    {"tile::gather4", TMA_MODE_GATHER4},
    {"tile::scatter4", TMA_MODE_SCATTER4},
    {"im2col", TMA_MODE_IM2COL},
    {"im2col::w", TMA_MODE_IM2COL_W},
    {"im2col::w::128", TMA_MODE_IM2COL_W128},
    {"im2col_no_offs", TMA_MODE_IM2COL},
    {"im2col_no_offs::w", TMA_MODE_IM2COL_W},
    {"gather4", TMA_MODE_GATHER4},
    {"scatter4", TMA_MODE_SCATTER4},
    {"im2col_w", TMA_MODE_IM2COL_W},
    {"im2col_w128", TMA_MODE_IM2COL_W128},
};

#define MODES (sizeof(modes) / sizeof(modes[0]))

static const char *mode_name(size_t i) {
    return i < MODES ? modes[i].name : NULL;
}

static const char *op_name(size_t i) {
    return i < TMA_OPS ? tma_op_name((uint32_t)i) : NULL;
}

int copy_op_named(const char *text, const char *what, uint32_t *op, cli_error *error) {
    return tma_op_find(op, text) ? 0 : name_unknown(text, what, op_name, error);
}

int copy_mode_named(const char *text, const char *what, uint32_t *mode, cli_error *error) {
    for (size_t i = 0; i < MODES; i++) {
        if (!strcmp(text, modes[i].name)) {
            *mode = modes[i].mode;
            return 0;
        }
    }
    return name_unknown(text, what, mode_name, error);
}

int copy_is_wide(uint32_t mode) {
    return mode == TMA_MODE_IM2COL_W || mode == TMA_MODE_IM2COL_W128;
}

int copy_is_im2col(uint32_t mode) {
    return mode == TMA_MODE_IM2COL || copy_is_wide(mode);
}

int copy_is_rows4(uint32_t mode) {
    return mode == TMA_MODE_GATHER4 || mode == TMA_MODE_SCATTER4;
}

uint32_t copy_coords(uint32_t mode, uint32_t rank) {
    return copy_is_rows4(mode) ? TMA_MAX_RANK : rank;
}

static int loads(uint32_t op) {
    return op == TMA_OP_LOAD || op == TMA_OP_PREFETCH;
}

uint32_t copy_offsets(uint32_t op, uint32_t mode, uint32_t rank) {
    if (!loads(op) || !copy_is_im2col(mode) || rank < 3) {
        return 0;
    }
    return copy_is_wide(mode) ? 2 : rank > TMA_MAX_RANK ? TMA_MAX_SPATIAL : rank - 2;
}

static const char *mode_text(const tma_instruction *in) {
    if (!loads(in->op) && copy_is_im2col(in->mode)) {
        return copy_is_wide(in->mode) ? "im2col_no_offs::w" : "im2col_no_offs";
    }
    return tma_mode_name(in->mode);
}

static void put_coords(FILE *out, const tma_instruction *in, uint32_t rank,
                       const tma_position *at) {
    fputs("[map, {", out);
    for (uint32_t i = 0; i < copy_coords(in->mode, rank) && i < TMA_MAX_RANK; i++) {
        fprintf(out, "%s%" PRId32, i ? ", " : "", at->coord[i]);
    }
    fputs("}]", out);
}

static void put_offsets(FILE *out, const tma_instruction *in, uint32_t rank,
                        const tma_position *at) {
    const uint32_t count = copy_offsets(in->op, in->mode, rank);
    for (uint32_t i = 0; i < count; i++) {
        fprintf(out, "%s%" PRIu16, i ? ", " : ", {", at->offset[i]);
    }
    fputs(count ? "}" : "", out);
}

static void put_load(FILE *out, const tma_instruction *in, uint32_t rank, const tma_position *at) {
    fprintf(out, "cp.async.bulk.tensor.%" PRIu32 "d.shared::%s.global.%s", rank,
            in->cluster ? "cluster" : "cta", mode_text(in));
    fputs(".mbarrier::complete_tx::bytes", out);
    fputs(in->cta_mask ? ".multicast::cluster" : "", out);
    if (in->cta_group) {
        fprintf(out, ".cta_group::%" PRIu32, in->cta_group);
    }
    fprintf(out, " [0x%" PRIx32 "], ", at->shared_address);
    put_coords(out, in, rank, at);
    fputs(", [mbar]", out);
    put_offsets(out, in, rank, at);
    if (in->cta_mask) {
        fprintf(out, ", 0x%" PRIx32, in->cta_mask);
    }
}

void copy_ptx(FILE *out, const tma_instruction *in, uint32_t map_rank, const tma_position *at) {
    const uint32_t rank = copy_is_rows4(in->mode) ? 2 : map_rank;
    if (in->op == TMA_OP_LOAD) {
        put_load(out, in, rank, at);
    } else if (in->op == TMA_OP_PREFETCH) {
        fprintf(out, "cp.async.bulk.prefetch.tensor.%" PRIu32 "d.L2.global.%s ", rank,
                mode_text(in));
        put_coords(out, in, rank, at);
        put_offsets(out, in, rank, at);
    } else {
        const int reduces = in->op != TMA_OP_STORE;
        fprintf(out, "cp%s.async.bulk.tensor.%" PRIu32 "d.global.shared::cta%s%s.%s.bulk_group ",
                reduces ? ".reduce" : "", rank, reduces ? "." : "",
                reduces ? tma_op_name(in->op) : "", mode_text(in));
        put_coords(out, in, rank, at);
        fprintf(out, ", [0x%" PRIx32 "]", at->shared_address);
    }
}
