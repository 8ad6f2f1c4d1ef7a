/* SPDX-License-Identifier: Apache-2.0
 *
 * Instructions in words.
 */
#include "entries.h"
#include "ptx_internal.h"
#include "tma/detail/chars.h"
#include "tma/grammar.h"

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

int tma_read_op(uint32_t *out, const char *text, const char *what, tma_error *error) {
    return tma_op_find(out, text) ? 0 : tma_fail_name(error, text, what, op_name);
}

static const char *inspection_name(size_t i) {
    const tma_inspection *row = tma_inspection_of((uint32_t)i + 1);
    return row ? row->name : NULL;
}

int tma_read_inspection(uint32_t *out, const char *text, const char *what, tma_error *error) {
    return tma_inspection_find(out, text) ? 0 : tma_fail_name(error, text, what, inspection_name);
}

int tma_read_mode(uint32_t *out, const char *text, const char *what, tma_error *error) {
    size_t found = 0;
    if (tma_read_name(&found, text, what, mode_name, error)) {
        return -1;
    }
    *out = modes[found].mode;
    return 0;
}

const char *tma_mode_key(uint32_t mode) {
    static const char *const keys[TMA_MODES] = {"tile",     "im2col",   "gather4",
                                                "scatter4", "im2col_w", "im2col_w128"};
    return mode < TMA_MODES ? keys[mode] : NULL;
}

bool tma_mode_is_wide(uint32_t mode) {
    return mode == TMA_MODE_IM2COL_W || mode == TMA_MODE_IM2COL_W128;
}

bool tma_mode_is_im2col(uint32_t mode) {
    return mode == TMA_MODE_IM2COL || tma_mode_is_wide(mode);
}

bool tma_mode_is_rows4(uint32_t mode) {
    return mode == TMA_MODE_GATHER4 || mode == TMA_MODE_SCATTER4;
}

uint32_t tma_mode_coords(uint32_t mode, uint32_t rank) {
    return tma_mode_is_rows4(mode) ? TMA_MAX_RANK : rank;
}

static int loads(uint32_t op) {
    return op == TMA_OP_LOAD || op == TMA_OP_PREFETCH;
}

uint32_t tma_mode_offsets(uint32_t op, uint32_t mode, uint32_t rank) {
    if (!loads(op) || !tma_mode_is_im2col(mode) || rank < 3) {
        return 0;
    }
    return tma_mode_is_wide(mode) ? 2 : rank > TMA_MAX_RANK ? TMA_MAX_SPATIAL : rank - 2;
}

void tma_put_instruction(tma_out *out, const tma_instruction *in, uint32_t map_rank,
                         const tma_position *at) {
    tma_ptx_statement statement;
    tma_ptx_of(&statement, in, map_rank, at);
    ptx_put(out, &statement);
}

static tma_ptx_operand number(uint64_t value) {
    return (tma_ptx_operand){NULL, (int64_t)value, 0, TMA_PTX_NUMBER};
}

void tma_put_overriding(tma_out *out, const tma_instruction *in, uint32_t map_rank,
                        const tma_position *at, const tma_override_operands *o) {
    tma_ptx_statement s;
    tma_ptx_of(&s, in, map_rank, at);
    for (uint32_t i = 0; o && i < TMA_MAX_RANK && s.over_size[i].kind; i++) {
        s.over_size[i] = number(o->size[i]);
    }
    for (uint32_t i = 0; o && i < TMA_MAX_STRIDES && s.over_lower[i].kind; i++) {
        s.over_lower[i] = number(o->lower_stride[i]);
    }
    if (o && s.over_address.kind) {
        s.over_address = number(o->address);
    }
    if (o && s.over_upper.kind) {
        s.over_upper = number(o->upper_stride);
    }
    ptx_put(out, &s);
}

static int read_coord(void *out, uint32_t i, const char *text, size_t length, const char *what,
                      tma_error *error) {
    return tma_read_i32((int32_t *)out + i, text, length, what, error);
}

static int read_offset(void *out, uint32_t i, const char *text, size_t length, const char *what,
                       tma_error *error) {
    uint32_t number = 0;
    if (tma_read_u32(&number, text, length, UINT16_MAX, what, error)) {
        return -1;
    }
    ((uint16_t *)out)[i] = (uint16_t)number;
    return 0;
}

int tma_read_coords(int32_t out[TMA_MAX_RANK], uint32_t *count, const char *text, const char *what,
                    tma_error *error) {
    return text_entries(out, count, TMA_MAX_RANK, text, what, read_coord, error);
}

int tma_read_offsets(uint16_t out[TMA_MAX_SPATIAL], uint32_t *count, const char *text,
                     const char *what, tma_error *error) {
    return text_entries(out, count, TMA_MAX_SPATIAL, text, what, read_offset, error);
}
