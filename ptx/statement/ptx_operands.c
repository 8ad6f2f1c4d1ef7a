/* SPDX-License-Identifier: Apache-2.0
 *
 * A statement's operands.
 */
#include "ptx_internal.h"

static int expect(ptx_cursor *c, char byte, const char *expected) {
    if (ptx_take(c, byte)) {
        return 0;
    }
    ptx_skip(c);
    return ptx_fail(c, c->at, expected);
}

static int ends_operand(ptx_cursor *c) {
    const char next = ptx_peek(c);
    return c->at >= c->size || next == ',' || next == '}' || next == ']' || next == ';';
}

/* Whether an expression ends before this byte: outside of parentheses at a comma or a bracket, and
 * at what stands in none. */
static int ends_expression(const ptx_cursor *c, size_t depth) {
    const char byte = c->text[c->at];
    return byte < ' ' || byte > '~' || byte == ';' || byte == '\\' || byte == '[' || byte == '{' ||
           byte == '"' || (!depth && (byte == ',' || byte == ']' || byte == '}'));
}

/* A constant expression or a float: its text, with the comments in it. */
static int read_expression(ptx_cursor *c, tma_ptx_operand *o, const char *expected) {
    ptx_skip(c);
    const size_t from = c->at;
    size_t end = from;
    size_t depth = 0;
    for (; c->at < c->size && !ends_expression(c, depth); ptx_skip(c)) {
        depth += c->text[c->at] == '(';
        depth -= c->text[c->at] == ')' && depth;
        end = ++c->at;
    }
    if (end == from || depth || !ends_operand(c)) {
        return ptx_fail(c, from, expected);
    }
    *o = (tma_ptx_operand){c->text + from, 0, (uint32_t)(end - from), TMA_PTX_EXPRESSION};
    return 0;
}

/* A register, a symbol, a number or an expression. */
static int read_scalar(ptx_cursor *c, tma_ptx_operand *o, const char *expected) {
    const ptx_cursor from = *c;
    const ptx_word name = ptx_name(c, 1);
    if (name.length) {
        *o = (tma_ptx_operand){name.at, 0, (uint32_t)name.length, TMA_PTX_NAME};
    } else if (ptx_number(c, &o->value)) {
        o->kind = TMA_PTX_NUMBER;
    }
    if (o->kind && ends_operand(c)) {
        return 0;
    }
    *o = (tma_ptx_operand){0};
    *c = from;
    return read_expression(c, o, expected);
}

/* What stands between the brackets of an address, up to `end`. */
static int read_address(ptx_cursor *c, tma_ptx_operand *o, char end, const char *expected) {
    ptx_skip(c);
    const size_t from = c->at;
    const ptx_word name = ptx_name(c, 1);
    if (name.length) {
        *o = (tma_ptx_operand){name.at, 0, (uint32_t)name.length, TMA_PTX_NAME};
        if (ptx_peek(c) == '+' || ptx_peek(c) == '-') {
            c->at += c->text[c->at] == '+';
            if (!ptx_number(c, &o->value)) {
                return ptx_fail(c, c->at, "a number to add to the address");
            }
        }
    } else if (ptx_number(c, &o->value)) {
        o->kind = TMA_PTX_NUMBER;
    }
    return o->kind && ptx_peek(c) == end ? 0 : ptx_fail(c, from, expected);
}

static int read_bracketed(ptx_cursor *c, tma_ptx_operand *o, const char *expected) {
    return expect(c, '[', expected) || read_address(c, o, ']', expected) || expect(c, ']', "]") ? -1
                                                                                                : 0;
}

static int read_vector(ptx_cursor *c, tma_ptx_operand *out, uint32_t count, const char *expected,
                       const char *one) {
    if (expect(c, '{', expected)) {
        return -1;
    }
    for (uint32_t i = 0; i < count; i++) {
        if ((i && expect(c, ',', expected)) || read_scalar(c, &out[i], one)) {
            return -1;
        }
    }
    return expect(c, '}', expected);
}

static const char *coords_wanted(const tma_ptx_statement *s) {
    static const char *const wanted[] = {"",
                                         "one coordinate in braces for .1d",
                                         "2 coordinates in braces for .2d",
                                         "3 coordinates in braces for .3d",
                                         "4 coordinates in braces for .4d",
                                         "5 coordinates in braces for .5d"};
    return tma_mode_is_rows4(s->in.mode) ? "{column, row, row, row, row} for this mode"
                                         : wanted[s->in.rank];
}

/* What .override takes instead of the map's: gAddr, {sizes}, {lower strides}, upper strides. */
static int read_override(ptx_cursor *c, tma_ptx_statement *s) {
    if (!(s->qualifiers & TMA_PTX_OVER_ADDRESS)) {
        return 0;
    }
    if (read_scalar(c, &s->over_address, "gAddrToOverride of .override::global_address") ||
        expect(c, ',', ", after gAddrToOverride")) {
        return -1;
    }
    if (s->qualifiers & (TMA_PTX_OVER_DIM | TMA_PTX_OVER_STRIDE) &&
        (read_vector(c, s->over_size, s->in.rank,
                     "tensorSizeToOverride, a size a dimension in braces,", "a size") ||
         expect(c, ',', ", after tensorSizeToOverride"))) {
        return -1;
    }
    return s->qualifiers & TMA_PTX_OVER_STRIDE &&
                   (read_vector(
                        c, s->over_lower, s->in.rank - 1,
                        "tensorLowerStrideToOverride, a stride less than dimensions in braces,",
                        "a stride") ||
                    expect(c, ',', ", after tensorLowerStrideToOverride") ||
                    read_scalar(c, &s->over_upper, "tensorUpperStrideToOverride") ||
                    expect(c, ',', ", after tensorUpperStrideToOverride"))
               ? -1
               : 0;
}

/* [map, {coordinates}] */
static int read_tensor(ptx_cursor *c, tma_ptx_statement *s) {
    s->coords = tma_mode_coords(s->in.mode, s->in.rank);
    return expect(c, '[', "[ of the tensor map") ||
                   read_address(c, &s->map, ',', "the tensor map and a comma") ||
                   expect(c, ',', ",") || read_override(c, s) ||
                   read_vector(c, s->coord, s->coords, coords_wanted(s), "a coordinate") ||
                   expect(c, ']', "] after the coordinates")
               ? -1
               : 0;
}

static int read_offsets(ptx_cursor *c, tma_ptx_statement *s) {
    static const char *const wanted[] = {"", "one im2col offset in braces for .3d",
                                         "2 im2col offsets in braces for .4d",
                                         "3 im2col offsets in braces for .5d"};
    s->offsets = tma_mode_offsets(s->in.op, s->in.mode, s->in.rank);
    return s->offsets && (expect(c, ',', ", and the im2col offsets") ||
                          read_vector(c, s->offset, s->offsets,
                                      tma_mode_is_wide(s->in.mode) ? "{wHalo, wOffset}"
                                                                   : wanted[s->offsets],
                                      "an im2col offset"))
               ? -1
               : 0;
}

static int read_after_comma(ptx_cursor *c, tma_ptx_operand *o, const char *expected) {
    return expect(c, ',', expected) || read_scalar(c, o, expected) ? -1 : 0;
}

static int read_policy(ptx_cursor *c, tma_ptx_statement *s) {
    return s->qualifiers & TMA_PTX_CACHE_HINT
               ? read_after_comma(c, &s->policy, "the cache policy of .L2::cache_hint")
               : 0;
}

static int read_mask(ptx_cursor *c, tma_ptx_statement *s) {
    if (!(s->qualifiers & (TMA_PTX_MULTICAST | TMA_PTX_MULTICAST_16 | TMA_PTX_MULTICAST_32))) {
        return 0;
    }
    if (read_after_comma(c, &s->mask, "the ctaMask of .multicast::cluster")) {
        return -1;
    }
    if (s->mask.kind == TMA_PTX_NUMBER && !(s->qualifiers & TMA_PTX_MULTICAST_32)) {
        s->in.cta_mask = (uint16_t)s->mask.value; /* ptxas cuts it */
    } else if (s->mask.kind == TMA_PTX_NUMBER) {
        s->in.cta_mask = (uint32_t)s->mask.value;
    }
    return 0;
}

static int read_copy(ptx_cursor *c, tma_ptx_statement *s) {
    if (s->in.op == TMA_OP_LOAD) {
        return read_bracketed(c, &s->shared, "[dstMem]") ||
                       expect(c, ',', ", and the tensor map") || read_tensor(c, s) ||
                       expect(c, ',', ", and the mbarrier") ||
                       read_bracketed(c, &s->barrier, "[mbar]") || read_offsets(c, s) ||
                       read_mask(c, s) || read_policy(c, s)
                   ? -1
                   : 0;
    }
    if (s->in.op == TMA_OP_PREFETCH) { /* applypriority too */
        return read_tensor(c, s) || read_offsets(c, s) || read_policy(c, s) ? -1 : 0;
    }
    return read_tensor(c, s) || expect(c, ',', ", and [srcMem]") ||
                   read_bracketed(c, &s->shared, "[srcMem]") || read_policy(c, s)
               ? -1
               : 0;
}

static int read_replace(ptx_cursor *c, tma_ptx_statement *s) {
    const tma_replace_row *row = tma_replace_row_of(s->field);
    if (read_bracketed(c, &s->map, "[address of the tensor map]")) {
        return -1;
    }
    if (s->field == TMA_REPLACE_ALLOC_CLASS) {
        return 0; /* the word is the value */
    }
    if (row->ordinals) {
        ptx_cursor at = *c;
        if (read_after_comma(c, &s->ordinal, "the field's ordinal")) {
            return -1;
        }
        if (s->ordinal.kind == TMA_PTX_NAME ||
            (s->ordinal.kind == TMA_PTX_NUMBER &&
             (s->ordinal.value < 0 || s->ordinal.value >= row->ordinals))) {
            ptx_take(&at, ',');
            ptx_skip(&at);
            return ptx_fail(&at, at.at, "an ordinal that the field has, 0 to 4,");
        }
    }
    ptx_cursor at = *c;
    if (read_after_comma(c, &s->value, "the new value")) {
        return -1;
    }
    if (row->immediate_max >= 0 &&
        (s->value.kind == TMA_PTX_NAME ||
         (s->value.kind == TMA_PTX_NUMBER &&
          (s->value.value < 0 || s->value.value > row->immediate_max)))) {
        ptx_take(&at, ',');
        ptx_skip(&at);
        return ptx_fail(&at, at.at, "an immediate that the field takes");
    }
    return 0;
}

/* The size that fences and cp_fenceproxy name: the map's. */
static int read_map_size(ptx_cursor *c, tma_ptx_statement *s) {
    ptx_cursor at = *c;
    if (read_after_comma(c, &s->value, "the tensor map's size, 128")) {
        return -1;
    }
    ptx_take(&at, ',');
    ptx_skip(&at);
    return s->value.kind == TMA_PTX_EXPRESSION ||
                   (s->value.kind == TMA_PTX_NUMBER && s->value.value == TMA_MAP_BYTES)
               ? 0
               : ptx_fail(&at, at.at, "the tensor map's size, 128,");
}

int ptx_read_operands(ptx_cursor *c, tma_ptx_statement *s) {
    switch (s->kind) {
    case TMA_PTX_REPLACE:
        return read_replace(c, s);
    case TMA_PTX_CP_FENCEPROXY:
        return read_bracketed(c, &s->map, "[global address]") || expect(c, ',', ",") ||
                       read_bracketed(c, &s->shared, "[shared address]") || read_map_size(c, s)
                   ? -1
                   : 0;
    case TMA_PTX_QUERY:
        return read_scalar(c, &s->value, "a predicate") || expect(c, ',', ",") ||
                       read_bracketed(c, &s->map, "[address of the tensor map]")
                   ? -1
                   : 0;
    case TMA_PTX_FENCE:
        if (s->qualifiers & TMA_PTX_RELEASE) {
            return 0;
        }
        return read_bracketed(c, &s->map, "[address of the tensor map]") || read_map_size(c, s) ? -1
                                                                                                : 0;
    case TMA_PTX_PREFETCH_MAP:
        return read_bracketed(c, &s->map, "[address of the tensor map]");
    default:
        return read_copy(c, s);
    }
}
