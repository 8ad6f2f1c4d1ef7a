/* SPDX-License-Identifier: Apache-2.0
 *
 * A statement as text, in the order of PTX's documents.
 */
#include <string.h>

#include "ptx_words.h"

/* Without its comments, on one line. */
static void put_expression(tma_out *out, const tma_ptx_operand *o) {
    ptx_cursor c = {o->name, o->length, 0, NULL};
    for (size_t end = 0; c.at < c.size; end = c.at) {
        ptx_skip(&c);
        if (c.at < c.size) {
            tma_put_bytes(out, " ", end && c.at > end);
            tma_put_bytes(out, c.text + c.at++, 1);
        }
    }
}

static void put_operand(tma_out *out, const tma_ptx_operand *o) {
    if (o->kind == TMA_PTX_NUMBER) {
        tma_putf(out, "%" TMA_D64, o->value);
    } else if (o->kind == TMA_PTX_EXPRESSION) {
        put_expression(out, o);
    } else {
        tma_put_bytes(out, o->name, o->length);
    }
}

/* Of an address or a mask: numbers in hex, what is added behind a plus. */
static void put_address(tma_out *out, const tma_ptx_operand *o) {
    if (o->kind == TMA_PTX_NUMBER) {
        tma_putf(out, o->value < 0 ? "%" TMA_D64 : "0x%" TMA_X64, o->value);
        return;
    }
    put_operand(out, o);
    if (o->kind == TMA_PTX_NAME && o->value) {
        tma_putf(out, "+%" TMA_D64, o->value);
    }
}

static void put_bracketed(tma_out *out, const tma_ptx_operand *o) {
    tma_put(out, "[");
    put_address(out, o);
    tma_put(out, "]");
}

static void put_list(tma_out *out, const tma_ptx_operand *list, uint32_t count) {
    for (uint32_t i = 0; i < count; i++) {
        tma_put(out, i ? ", " : "{");
        put_operand(out, &list[i]);
    }
    tma_put(out, "}");
}

static void put_override(tma_out *out, const tma_ptx_statement *s) {
    const uint32_t rank = s->in.rank < TMA_MAX_RANK ? s->in.rank : TMA_MAX_RANK;
    if (s->over_address.kind) {
        put_address(out, &s->over_address);
        tma_put(out, ", ");
    }
    if (s->over_size[0].kind) {
        put_list(out, s->over_size, rank);
        tma_put(out, ", ");
    }
    if (s->over_upper.kind && rank) {
        put_list(out, s->over_lower, rank - 1);
        tma_put(out, ", ");
        put_address(out, &s->over_upper);
        tma_put(out, ", ");
    }
}

static void put_tensor(tma_out *out, const tma_ptx_statement *s) {
    tma_put(out, "[");
    put_address(out, &s->map);
    tma_put(out, ", ");
    put_override(out, s);
    put_list(out, s->coord, s->coords);
    tma_put(out, "]");
}

/* The word of the mode as it is written. */
static const char *mode_word(const tma_ptx_statement *s) {
    const int loads = s->in.op == TMA_OP_LOAD || s->in.op == TMA_OP_PREFETCH;
    if (!loads && tma_mode_is_im2col(s->in.mode)) {
        return tma_mode_is_wide(s->in.mode) ? "im2col_no_offs::w" : "im2col_no_offs";
    }
    return tma_mode_name(s->in.mode);
}

static void put_mode(tma_out *out, const tma_ptx_statement *s) {
    if (s->qualifiers & TMA_PTX_MODE_WRITTEN) {
        tma_putf(out, ".%s", mode_word(s));
    }
}

static const struct {
    uint32_t bit;
    const char *text;
} flags[] = {
    {TMA_PTX_MULTICAST, ".multicast::cluster"},
    {TMA_PTX_MULTICAST_16, ".multicast::cluster::16b"},
    {TMA_PTX_MULTICAST_32, ".multicast::cluster::32b"},
    {0, NULL}, /* .cta_group stands here */
    {TMA_PTX_CACHE_HINT, ".L2::cache_hint"},
    {TMA_PTX_EVICT_LAST, ".L2::evict_last"},
    {TMA_PTX_EVICT_NORMAL, ".L2::evict_normal"},
    {TMA_PTX_OVER_ADDRESS, ".override::global_address"},
    {TMA_PTX_OVER_DIM, ".override::global_dim"},
    {TMA_PTX_OVER_STRIDE, ".override::global_dim_stride"},
};

static void put_flags(tma_out *out, const tma_ptx_statement *s) {
    for (size_t i = 0; i < sizeof(flags) / sizeof(flags[0]); i++) {
        if (!flags[i].bit && s->in.cta_group) {
            tma_putf(out, ".cta_group::%u", s->in.cta_group);
        }
        tma_put(out, flags[i].bit & s->qualifiers ? flags[i].text : "");
    }
}

static void put_copy_head(tma_out *out, const tma_ptx_statement *s) {
    tma_putf(out, "%s.%ud", tma_ptx_kind_name(s->kind), s->in.rank);
    if (s->in.op == TMA_OP_LOAD) {
        tma_put(out, s->in.cluster ? ".shared::cluster.global" : ".shared::cta.global");
    } else if (s->in.op == TMA_OP_PREFETCH) {
        tma_put(out, ".L2.global");
    } else {
        tma_put(out, ".global.shared::cta");
    }
    if (s->kind == TMA_PTX_REDUCE) {
        tma_putf(out, ".%s", tma_op_name(s->in.op));
    }
    put_mode(out, s);
    if (s->in.op != TMA_OP_PREFETCH) {
        tma_put(out, s->in.op == TMA_OP_LOAD ? ".mbarrier::complete_tx::bytes" : ".bulk_group");
    }
    const tma_inspection *inspection = tma_inspection_of(s->in.inspection);
    if (inspection) {
        tma_putf(out, ".mbarrier::report::%s", inspection->name);
    }
    put_flags(out, s);
    tma_put(out, " ");
}

static void put_priority(tma_out *out, const tma_ptx_statement *s) {
    tma_putf(out, "%s.%ud%s.bulk_group", tma_ptx_kind_name(s->kind), s->in.rank,
             s->qualifiers & TMA_PTX_GLOBAL_WRITTEN ? ".global" : "");
    put_mode(out, s);
    put_flags(out, s);
    tma_put(out, " ");
    put_tensor(out, s);
    if (s->offsets) {
        tma_put(out, ", ");
        put_list(out, s->offset, s->offsets);
    }
}

static void put_copy(tma_out *out, const tma_ptx_statement *s) {
    put_copy_head(out, s);
    if (s->in.op == TMA_OP_LOAD) {
        put_bracketed(out, &s->shared);
        tma_put(out, ", ");
    }
    put_tensor(out, s);
    if (s->in.op != TMA_OP_PREFETCH) {
        tma_put(out, ", ");
        put_bracketed(out, s->in.op == TMA_OP_LOAD ? &s->barrier : &s->shared);
    }
    if (s->offsets) {
        tma_put(out, ", ");
        put_list(out, s->offset, s->offsets);
    }
    if (s->mask.kind) {
        tma_put(out, ", ");
        put_address(out, &s->mask);
    }
    if (s->policy.kind) {
        tma_put(out, ", ");
        put_operand(out, &s->policy);
    }
}

static void put_space(tma_out *out, const tma_ptx_statement *s) {
    tma_putf(out, "%s%s", s->space ? "." : "", tma_ptx_space_name(s->space));
}

static const char *alloc_word(const tma_ptx_statement *s) {
    return s->qualifiers & TMA_PTX_ALLOC_SMALL   ? ".alloc_small"
           : s->qualifiers & TMA_PTX_ALLOC_LARGE ? ".alloc_large"
           : s->qualifiers & TMA_PTX_ALLOC_SAME  ? ".alloc_same"
                                                 : "";
}

static void put_replace(tma_out *out, const tma_ptx_statement *s) {
    const int wide =
        s->field == TMA_REPLACE_GLOBAL_ADDRESS || s->field == TMA_REPLACE_GLOBAL_STRIDE;
    const int has_field = s->field != TMA_REPLACE_ALLOC_CLASS;
    tma_putf(out, "%s.tile%s%s%s", tma_ptx_kind_name(s->kind), has_field ? "." : "",
             has_field ? tma_replace_row_of(s->field)->name : "", alloc_word(s));
    put_space(out, s);
    if (!has_field) {
        tma_put(out, ".b1024 ");
        put_bracketed(out, &s->map);
        return;
    }
    tma_put(out, wide ? ".b1024.b64 " : ".b1024.b32 ");
    put_bracketed(out, &s->map);
    if (s->ordinal.kind) {
        tma_put(out, ", ");
        put_operand(out, &s->ordinal);
    }
    tma_put(out, ", ");
    put_operand(out, &s->value);
}

static void put_fenceproxy(tma_out *out, const tma_ptx_statement *s) {
    tma_putf(out, "%s.global.shared::cta.tensormap::generic.release.%s.sync.aligned ",
             tma_ptx_kind_name(s->kind), tma_ptx_scope_name(s->scope));
    put_bracketed(out, &s->map);
    tma_put(out, ", ");
    put_bracketed(out, &s->shared);
    tma_put(out, ", ");
    put_operand(out, &s->value);
}

static void put_fence(tma_out *out, const tma_ptx_statement *s) {
    const int release = (s->qualifiers & TMA_PTX_RELEASE) != 0;
    tma_putf(out, "%s.%s.%s", tma_ptx_kind_name(s->kind), release ? "release" : "acquire",
             tma_ptx_scope_name(s->scope));
    if (!release) {
        tma_put(out, " ");
        put_bracketed(out, &s->map);
        tma_put(out, ", ");
        put_operand(out, &s->value);
    }
}

static void put_query(tma_out *out, const tma_ptx_statement *s) {
    tma_put(out, tma_ptx_kind_name(s->kind));
    put_space(out, s);
    tma_put(out, ".b1024 ");
    put_operand(out, &s->value);
    tma_put(out, ", ");
    put_bracketed(out, &s->map);
}

static void put_prefetch_map(tma_out *out, const tma_ptx_statement *s) {
    tma_put(out, "prefetch");
    put_space(out, s);
    tma_put(out, ".tensormap ");
    put_bracketed(out, &s->map);
}

void ptx_put(tma_out *out, const tma_ptx_statement *s) {
    switch (s->kind) {
    case TMA_PTX_REPLACE:
        put_replace(out, s);
        break;
    case TMA_PTX_CP_FENCEPROXY:
        put_fenceproxy(out, s);
        break;
    case TMA_PTX_QUERY:
        put_query(out, s);
        break;
    case TMA_PTX_FENCE:
        put_fence(out, s);
        break;
    case TMA_PTX_PREFETCH_MAP:
        put_prefetch_map(out, s);
        break;
    case TMA_PTX_PRIORITY:
        put_priority(out, s);
        break;
    case TMA_PTX_FABRIC_GET:
    case TMA_PTX_FABRIC_PUT:
    case TMA_PTX_FABRIC_RED:
        tma_put(out, tma_ptx_kind_name(s->kind));
        tma_put_bytes(out, s->rest.name, s->rest.length);
        break;
    case TMA_PTX_OTHER:
        break;
    default:
        put_copy(out, s);
    }
}

void tma_ptx_print(tma_out *out, const tma_ptx_statement *s) {
    if (s->guard.kind) {
        tma_put(out, s->negated ? "@!" : "@");
        put_operand(out, &s->guard);
        tma_put(out, " ");
    }
    ptx_put(out, s);
    tma_put(out, ";");
}

static tma_ptx_operand number(int64_t value) {
    return (tma_ptx_operand){NULL, value, 0, TMA_PTX_NUMBER};
}

static tma_ptx_operand named(const char *name, uint32_t length) {
    return (tma_ptx_operand){name, 0, length, TMA_PTX_NAME};
}

static uint32_t multicast_of(const tma_instruction *in) {
    return in->op != TMA_OP_LOAD || !in->cta_mask ? 0
           : in->mask_bits == 32                  ? TMA_PTX_MULTICAST_32
                                                  : TMA_PTX_MULTICAST;
}

/* The operands of .override, which no instruction holds, by name. */
static void name_override(tma_ptx_statement *s) {
    static const char *const sizes[] = {"s0", "s1", "s2", "s3", "s4"};
    static const char *const strides[] = {"l0", "l1", "l2", "l3"};
    const uint32_t rank = s->in.rank < TMA_MAX_RANK ? s->in.rank : TMA_MAX_RANK;
    if (s->in.overrides & TMA_OVERRIDE_ADDRESS) {
        s->qualifiers |= TMA_PTX_OVER_ADDRESS;
        s->over_address = named("gAddr", 5);
    }
    if (s->in.overrides & (TMA_OVERRIDE_DIM | TMA_OVERRIDE_DIM_STRIDE)) {
        for (uint32_t i = 0; i < rank; i++) {
            s->over_size[i] = named(sizes[i], 2);
        }
    }
    s->qualifiers |= s->in.overrides & TMA_OVERRIDE_DIM ? TMA_PTX_OVER_DIM : 0;
    if (s->in.overrides & TMA_OVERRIDE_DIM_STRIDE) {
        s->qualifiers |= TMA_PTX_OVER_STRIDE;
        for (uint32_t i = 0; i + 1 < rank; i++) {
            s->over_lower[i] = named(strides[i], 2);
        }
        s->over_upper = named("upper", 5);
    }
}

void tma_ptx_of(tma_ptx_statement *out, const tma_instruction *instruction, uint32_t rank,
                const tma_position *at) {
    const tma_instruction in = *instruction; /* which may lie in the statement */
    const tma_position position = *at;
    const int loads = in.op == TMA_OP_LOAD;
    memset(out, 0, sizeof(*out));
    out->in = in;
    out->in.rank = in.rank ? in.rank : tma_mode_is_rows4(in.mode) ? 2 : rank;
    out->kind = loads || in.op == TMA_OP_STORE ? TMA_PTX_COPY
                : in.op == TMA_OP_PREFETCH     ? TMA_PTX_PREFETCH
                                               : TMA_PTX_REDUCE;
    out->qualifiers = TMA_PTX_MODE_WRITTEN | multicast_of(&in);
    name_override(out);
    out->coords = tma_mode_coords(in.mode, out->in.rank);
    out->coords = out->coords < TMA_MAX_RANK ? out->coords : TMA_MAX_RANK;
    out->offsets = tma_mode_offsets(in.op, in.mode, out->in.rank);
    out->map = named("map", 3);
    if (in.op != TMA_OP_PREFETCH) {
        out->shared = number(position.shared_address);
    }
    if (loads) {
        out->barrier = named("mbar", 4);
    }
    if (loads && in.cta_mask) {
        out->mask = number((int64_t)in.cta_mask);
    }
    for (uint32_t i = 0; i < out->coords; i++) {
        out->coord[i] = number(position.coord[i]);
    }
    for (uint32_t i = 0; i < out->offsets; i++) {
        out->offset[i] = number(position.offset[i]);
    }
}
