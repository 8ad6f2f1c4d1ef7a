/* SPDX-License-Identifier: Apache-2.0
 *
 * A statement's guard, opcode and qualifiers.
 */
#include <string.h>

#include "ptx_words.h"
#include "tma/detail/assert.h"
#include "tma/detail/chars.h"

/* What the qualifiers said beside what the statement keeps. */
typedef struct parse {
    ptx_cursor c;
    tma_ptx_statement *s;
    uint32_t seen; /* groups */
    uint8_t space[2];
    uint32_t spaces;
    uint32_t completion;
    uint32_t type_bit;
    size_t mode_at;   /* where the mode stands */
    int mode_no_offs; /* .im2col_no_offs */
    size_t end;       /* of the qualifiers */
} parse;

static int read_guard(ptx_cursor *c, tma_ptx_statement *s) {
    if (!ptx_take(c, '@')) {
        return 0;
    }
    s->negated = (uint8_t)ptx_take(c, '!');
    const ptx_word name = ptx_name(c, 0);
    s->guard = (tma_ptx_operand){name.at, 0, (uint32_t)name.length, TMA_PTX_NAME};
    return name.length ? 0 : ptx_fail(c, c->at, "a predicate after @");
}

static int begins_with(const char *opcode, ptx_word word) {
    for (size_t i = 0; i < word.length; i++) {
        if (opcode[i] != word.at[i]) { /* also at its end: words hold no 0 */
            return 0;
        }
    }
    return 1;
}

/* Takes "cp.async.bulk.tensor": a name and its qualifiers, one by one. */
static int take_opcode(ptx_cursor *c, const char *opcode) {
    ptx_cursor at = *c;
    ptx_word word = ptx_name(&at, 0);
    for (;;) {
        const size_t length = text_until(opcode, text_length(opcode), '.');
        if (word.length != length || !begins_with(opcode, word)) {
            return 0;
        }
        opcode += length;
        if (!*opcode) {
            *c = at;
            return 1;
        }
        opcode++;
        word = ptx_qualifier(&at);
    }
}

/* Whether a word is among the qualifiers that follow. */
static int has_qualifier(ptx_cursor c, const char *word) {
    for (;;) {
        const ptx_word found = ptx_qualifier(&c);
        if (!found.length || text_is(found.at, found.length, word)) {
            return found.length != 0;
        }
    }
}

static tma_ptx_kind kind_of(ptx_cursor *c) {
    static const struct {
        const char *opcode;
        const char *qualifier;
        tma_ptx_kind kind;
    } by_qualifier[] = {{"fence.proxy", "tensormap::generic", TMA_PTX_FENCE},
                        {"prefetch", "tensormap", TMA_PTX_PREFETCH_MAP}};
    const char first = ptx_peek(c); /* of most instructions it says that they are none of these */
    for (uint32_t kind = TMA_PTX_COPY; kind < TMA_PTX_KINDS; kind++) {
        if (kind != TMA_PTX_FENCE && kind != TMA_PTX_PREFETCH_MAP &&
            *tma_ptx_kind_name(kind) == first && take_opcode(c, tma_ptx_kind_name(kind))) {
            return (tma_ptx_kind)kind;
        }
    }
    for (size_t i = 0; i < 2; i++) {
        ptx_cursor at = *c;
        if (take_opcode(&at, by_qualifier[i].opcode) &&
            has_qualifier(at, by_qualifier[i].qualifier)) {
            *c = at;
            return by_qualifier[i].kind;
        }
    }
    return TMA_PTX_OTHER;
}

/* An instruction that none of the kinds is but that has to do with tensor maps by its name. */
static int looks_related(ptx_cursor c) {
    const ptx_word name = ptx_name(&c, 0);
    const int bulk = has_qualifier(c, "bulk");
    return text_is(name.at, name.length, "tensormap") || has_qualifier(c, "tensormap") ||
           has_qualifier(c, "tensormap::generic") || (bulk && has_qualifier(c, "tensor"));
}

static int take_mode(parse *p, ptx_word word, uint32_t mode) {
    p->s->in.mode = mode;
    p->s->qualifiers |= TMA_PTX_MODE_WRITTEN;
    p->mode_no_offs = word.length > 6 && word.at[6] == '_';
    TMA_ASSERT(word.at > p->c.text && word.at[-1] == '.');
    p->mode_at = (size_t)(word.at - p->c.text) - 1;
    return 0;
}

static uint32_t override_of(uint32_t qualifier) {
    return qualifier == TMA_PTX_OVER_ADDRESS  ? TMA_OVERRIDE_ADDRESS
           : qualifier == TMA_PTX_OVER_DIM    ? TMA_OVERRIDE_DIM
           : qualifier == TMA_PTX_OVER_STRIDE ? TMA_OVERRIDE_DIM_STRIDE
                                              : 0;
}

static int take(parse *p, ptx_word word, const ptx_meaning *m) {
    tma_ptx_statement *s = p->s;
    switch (m->group) {
    case PTX_RANK:
        s->in.rank = m->value;
        return 0;
    case PTX_SPACE:
        TMA_ASSERT(p->spaces < sizeof(p->space)); /* is_repeated() has looked */
        p->space[p->spaces++] = (uint8_t)m->value;
        return 0;
    case PTX_MODE:
        return take_mode(p, word, m->value);
    case PTX_COMPLETION:
        p->completion = m->value;
        return 0;
    case PTX_CTA_GROUP:
        s->in.cta_group = m->value;
        return 0;
    case PTX_REPORT:
        s->in.inspection = m->value;
        return 0;
    case PTX_ALLOC:
    case PTX_MULTICAST:
    case PTX_FLAG:
        s->qualifiers |= m->value;
        s->in.mask_bits |= m->value == TMA_PTX_MULTICAST_32 ? 32 : 0;
        s->in.overrides |= override_of(m->value);
        return 0;
    case PTX_ORDER:
        s->qualifiers |= m->value == TMA_PTX_RELEASE ? TMA_PTX_RELEASE : 0;
        return 0;
    case PTX_TYPE:
        p->type_bit = m->value;
        return 0;
    case PTX_SCOPE:
        s->scope = (uint8_t)m->value;
        return 0;
    case PTX_REDUCTION:
        s->in.op = m->value;
        return 0;
    case PTX_FIELD:
        s->field = m->value;
        return 0;
    default:
        return 0;
    }
}

/* What goes from one space to another names both. */
static uint32_t most_spaces(uint32_t kind) {
    return kind == TMA_PTX_COPY || kind == TMA_PTX_REDUCE || kind == TMA_PTX_CP_FENCEPROXY ? 2 : 1;
}

/* A second one of a group, a second one of a flag, a space too many. */
static int is_repeated(const parse *p, const ptx_meaning *m) {
    return m->group == PTX_FLAG    ? (p->s->qualifiers & m->value) != 0
           : m->group == PTX_SPACE ? p->spaces == most_spaces(p->s->kind)
                                   : (p->seen & 1u << m->group) != 0;
}

static int read_qualifiers(parse *p) {
    for (;;) {
        ptx_meaning meaning;
        ptx_skip(&p->c);
        const size_t at = p->c.at;
        const ptx_word word = ptx_qualifier(&p->c);
        if (!word.length) {
            p->end = at;
            return 0;
        }
        if (!ptx_meaning_of(p->s->kind, word, &meaning)) {
            return ptx_fail(&p->c, at, "a qualifier that the instruction has");
        }
        if (is_repeated(p, &meaning)) {
            return ptx_fail(&p->c, at, "a qualifier of another kind, for there is one already,");
        }
        p->seen |= 1u << meaning.group;
        take(p, word, &meaning);
    }
}

static int missing(const parse *p, uint32_t group, const char *expected) {
    return p->seen & 1u << group ? 0 : ptx_fail(&p->c, p->end, expected);
}

static int mode_fits(const parse *p) {
    const tma_ptx_statement *s = p->s;
    const uint32_t mode = s->in.mode;
    const int loads = s->in.op == TMA_OP_LOAD || s->in.op == TMA_OP_PREFETCH;
    if (loads ? mode == TMA_MODE_SCATTER4 || p->mode_no_offs
              : mode == TMA_MODE_GATHER4 || (tma_mode_is_im2col(mode) && !p->mode_no_offs)) {
        return ptx_fail(&p->c, p->mode_at,
                        loads ? "a mode of loads (.tile, .tile::gather4, .im2col, .im2col::w, "
                                ".im2col::w::128)"
                              : "a mode of stores (.tile, .tile::scatter4, .im2col_no_offs)");
    }
    if (tma_mode_is_rows4(mode) && s->in.rank != 2) {
        return ptx_fail(&p->c, p->mode_at,
                        "a mode that takes this rank (.tile::gather4 and "
                        ".tile::scatter4 take .2d)");
    }
    if (tma_mode_is_im2col(mode) && s->in.rank < 3) {
        return ptx_fail(&p->c, p->mode_at,
                        "a mode that takes this rank (im2col modes take .3d, "
                        ".4d and .5d)");
    }
    return 0;
}

/* As ptxas takes them. What more the documents ask is the plan's. */
static int overrides_fit(const parse *p) {
    const tma_ptx_statement *s = p->s;
    const uint32_t attribute = s->qualifiers & (TMA_PTX_OVER_DIM | TMA_PTX_OVER_STRIDE);
    if (!attribute) {
        return 0;
    }
    if (!(s->qualifiers & TMA_PTX_OVER_ADDRESS)) {
        return ptx_fail(&p->c, p->end, ".override::global_address beside the other .override");
    }
    if (attribute != (s->in.rank == 1 ? TMA_PTX_OVER_DIM : TMA_PTX_OVER_STRIDE)) {
        return ptx_fail(&p->c, p->end,
                        s->in.rank == 1 ? ".override::global_dim of .1d"
                                        : ".override::global_dim_stride of .2d to .5d");
    }
    return s->in.mode == TMA_MODE_TILE
               ? 0
               : ptx_fail(&p->c, p->mode_at, "mode .tile, which .override of sizes takes alone,");
}

static int finish_load(parse *p) {
    tma_ptx_statement *s = p->s;
    s->in.cluster = p->space[0] == TMA_PTX_SHARED_CLUSTER;
    if (p->completion != COMPLETION_BARRIER) {
        return ptx_fail(&p->c, p->end, "a load's .mbarrier::complete_tx::bytes");
    }
    if ((p->seen & 1u << PTX_MULTICAST) && !s->in.cluster) {
        return ptx_fail(&p->c, p->end, "a .shared::cluster destination of .multicast::cluster");
    }
    if (s->in.overrides & ~TMA_OVERRIDE_ADDRESS && p->seen & 1u << PTX_MULTICAST &&
        s->in.mask_bits != 32) {
        return ptx_fail(&p->c, p->end,
                        ".multicast::cluster::32b, which .override of sizes takes alone,");
    }
    return mode_fits(p) || overrides_fit(p) ? -1 : 0;
}

static int finish_store(parse *p) {
    if (p->completion != COMPLETION_GROUP) {
        return ptx_fail(&p->c, p->end, "a store's .bulk_group");
    }
    if (p->seen & (1u << PTX_MULTICAST | 1u << PTX_CTA_GROUP | 1u << PTX_REPORT)) {
        return ptx_fail(
            &p->c, p->end,
            "a load, for .multicast::cluster, .cta_group and .mbarrier::report are theirs,");
    }
    return mode_fits(p) || overrides_fit(p) ? -1 : 0;
}

/* One priority: .L2::evict_last goes without a policy. */
static int priority_fits(const parse *p) {
    const uint32_t both = TMA_PTX_CACHE_HINT | TMA_PTX_EVICT_LAST;
    return (p->s->qualifiers & both) == both
               ? ptx_fail(&p->c, p->end, ".L2::evict_last without .L2::cache_hint")
               : 0;
}

/* applypriority: the operands of a prefetch. */
static int finish_priority(parse *p) {
    tma_ptx_statement *s = p->s;
    s->in.op = TMA_OP_PREFETCH;
    s->qualifiers |= p->spaces ? TMA_PTX_GLOBAL_WRITTEN : 0;
    if (missing(p, PTX_RANK, "the rank, .1d to .5d,") ||
        missing(p, PTX_COMPLETION, ".bulk_group")) {
        return -1;
    }
    if (!(s->qualifiers & TMA_PTX_EVICT_NORMAL)) {
        return ptx_fail(&p->c, p->end, ".L2::evict_normal");
    }
    return mode_fits(p) || overrides_fit(p) ? -1 : 0;
}

static int finish_copy(parse *p) {
    tma_ptx_statement *s = p->s;
    if (missing(p, PTX_RANK, "the rank, .1d to .5d,")) {
        return -1;
    }
    if (s->kind == TMA_PTX_PREFETCH) {
        s->in.op = TMA_OP_PREFETCH;
        return missing(p, PTX_LEVEL, ".L2") || missing(p, PTX_SPACE, ".global") || mode_fits(p) ||
                       priority_fits(p) || overrides_fit(p)
                   ? -1
                   : 0;
    }
    if (s->kind == TMA_PTX_REDUCE && missing(p, PTX_REDUCTION, "the reduction, .add to .xor,")) {
        return -1;
    }
    const int stores = p->space[0] == TMA_PTX_GLOBAL && p->space[1] == TMA_PTX_SHARED_CTA;
    const int loads = p->spaces == 2 && p->space[0] != TMA_PTX_GLOBAL &&
                      p->space[1] == TMA_PTX_GLOBAL && s->kind == TMA_PTX_COPY;
    if (!stores && !loads) {
        return ptx_fail(&p->c, p->end,
                        s->kind == TMA_PTX_COPY ? ".shared::cta.global, .shared::cluster.global or "
                                                  ".global.shared::cta"
                                                : ".global.shared::cta");
    }
    if (stores && s->kind == TMA_PTX_COPY) {
        s->in.op = TMA_OP_STORE;
    }
    return loads ? finish_load(p) : finish_store(p);
}

/* .alloc_small and .alloc_large without a field: no operand, so no type. */
static int finish_class(parse *p) {
    tma_ptx_statement *s = p->s;
    s->field = TMA_REPLACE_ALLOC_CLASS;
    if (missing(p, PTX_TILE, ".tile") || missing(p, PTX_SIZE, ".b1024")) {
        return -1;
    }
    if (s->qualifiers & TMA_PTX_ALLOC_SAME) {
        return ptx_fail(&p->c, p->end, ".global_address beside .alloc_same");
    }
    return p->seen & 1u << PTX_TYPE ? ptx_fail(&p->c, p->end, "no type, for there is no operand,")
                                    : 0;
}

/* .b64 for what 64 bits hold, .b32 for the rest. */
static int finish_replace(parse *p) {
    tma_ptx_statement *s = p->s;
    s->space = p->space[0];
    if (s->qualifiers & TMA_PTX_ALLOCS && !(p->seen & 1u << PTX_FIELD)) {
        return finish_class(p);
    }
    if (s->qualifiers & TMA_PTX_ALLOCS && s->field != TMA_REPLACE_GLOBAL_ADDRESS) {
        return ptx_fail(&p->c, p->end, ".alloc_* beside .global_address alone, or beside no field");
    }
    if (missing(p, PTX_TILE, ".tile") || missing(p, PTX_FIELD, "a field of the tensor map") ||
        missing(p, PTX_SIZE, ".b1024") || missing(p, PTX_TYPE, ".b32 or .b64")) {
        return -1;
    }
    const int wide =
        s->field == TMA_REPLACE_GLOBAL_ADDRESS || s->field == TMA_REPLACE_GLOBAL_STRIDE;
    return p->type_bit == (wide ? 64u : 32u)
               ? 0
               : ptx_fail(&p->c, p->end, wide ? ".b64 for this field" : ".b32 for this field");
}

static int finish_fenceproxy(parse *p) {
    if (p->space[0] != TMA_PTX_GLOBAL || p->space[1] != TMA_PTX_SHARED_CTA) {
        return ptx_fail(&p->c, p->end, ".global.shared::cta");
    }
    return missing(p, PTX_PROXY, ".tensormap::generic") || missing(p, PTX_ORDER, ".release") ||
                   missing(p, PTX_SCOPE, "a scope, .cta to .sys,") ||
                   missing(p, PTX_SYNC, ".sync") || missing(p, PTX_ALIGNED, ".aligned")
               ? -1
               : 0;
}

static int finish(parse *p) {
    tma_ptx_statement *s = p->s;
    switch (s->kind) {
    case TMA_PTX_REPLACE:
        return finish_replace(p);
    case TMA_PTX_CP_FENCEPROXY:
        return finish_fenceproxy(p);
    case TMA_PTX_QUERY:
        s->space = p->space[0];
        return missing(p, PTX_SIZE, ".b1024");
    case TMA_PTX_FENCE:
        return missing(p, PTX_ORDER, ".acquire or .release") ||
                       missing(p, PTX_SCOPE, "a scope, .cta to .sys,")
                   ? -1
                   : 0;
    case TMA_PTX_PREFETCH_MAP:
        s->space = p->space[0];
        return 0;
    case TMA_PTX_PRIORITY:
        return finish_priority(p);
    default:
        return finish_copy(p);
    }
}

/* To the semicolon or the end, as one operand. */
static int read_rest(ptx_cursor *c, tma_ptx_statement *s) {
    ptx_skip(c);
    s->rest.kind = TMA_PTX_EXPRESSION;
    s->rest.name = c->text + c->at;
    while (c->at < c->size && c->text[c->at] != ';') {
        if (c->text[c->at] < ' ' || c->text[c->at] > '~') {
            return ptx_fail(c, c->at, "an operand on one line");
        }
        c->at++;
        s->rest.length++;
    }
    return 0;
}

static int read_all(parse *p) {
    tma_ptx_statement *s = p->s;
    if (s->kind >= TMA_PTX_FABRIC_GET
            ? read_rest(&p->c, s)
            : read_qualifiers(p) || finish(p) || ptx_read_operands(&p->c, s)) {
        return -1;
    }
    ptx_take(&p->c, ';');
    ptx_skip(&p->c);
    return p->c.at < p->c.size ? ptx_fail(&p->c, p->c.at, "the statement's end") : 0;
}

tma_status tma_ptx_parse(tma_ptx_statement *out, const char *text, size_t size, tma_error *error) {
    parse p = {.c = {text, size, 0, error}, .s = out};
    if (!out || (!text && size)) {
        tma_fail(error, "no statement");
        return TMA_INVALID;
    }
    memset(out, 0, sizeof(*out));
    if (read_guard(&p.c, out)) {
        return TMA_INVALID;
    }
    out->kind = (uint8_t)kind_of(&p.c);
    if (out->kind == TMA_PTX_OTHER) {
        if (!looks_related(p.c)) {
            return TMA_OK;
        }
        ptx_skip(&p.c);
        ptx_fail(&p.c, p.c.at, "an instruction on tensors or tensor maps that PTX 9.5 has");
        return TMA_INVALID;
    }
    return read_all(&p) ? TMA_INVALID : TMA_OK;
}
