/* SPDX-License-Identifier: Apache-2.0
 *
 * Checks of bulk copies without a map: cp.async.bulk, cp.reduce.async.bulk and their prefetch. What
 * is compared is tma_judge_bulk() of judge_bulk.h.
 */
#include "ptx_inline.h"
#include "ptx_internal.h"
#include "tma/detail/chars.h"
#include "tma/detail/judge_bulk.h"

/* --- reading --- */

/* Qualifiers that change neither the operands nor what is asked of them; reductions have their
 * operation and type besides. */
static int is_plain(ptx_word word) {
    static const char *const words[] = {"async",
                                        "bulk",
                                        "L2",
                                        "L2::cache_hint",
                                        "mbarrier::complete_tx::bytes",
                                        "bulk_group",
                                        "cp_mask",
                                        "multicast::cluster",
                                        "global",
                                        "shared::cta",
                                        "shared::cluster",
                                        "prefetch",
                                        "noftz"};
    for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
        if (text_is(word.at, word.length, words[i])) {
            return 1;
        }
    }
    return 0;
}

static int is_of_reduction(ptx_word word) {
    static const char *const words[] = {"add", "min", "max", "inc",  "dec", "and",
                                        "or",  "xor", "u32", "s32",  "u64", "s64",
                                        "b32", "b64", "f16", "bf16", "f32", "f64"};
    for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
        if (text_is(word.at, word.length, words[i])) {
            return 1;
        }
    }
    return 0;
}

/* Its words, and what they say. */
typedef struct bulk_words {
    int reduces, prefetches, tensor, copies, from_here, to_global, completes, others;
} bulk_words;

static bulk_words words_of(const tma_ptx_parts *parts) {
    ptx_cursor c = {parts->opcode.at, parts->opcode.length, 0, NULL};
    bulk_words is = {0};
    int spaces = 0;
    (void)ptx_name(&c, 0);
    for (ptx_word word = ptx_qualifier(&c); word.length; word = ptx_qualifier(&c)) {
        const int is_global = text_is(word.at, word.length, "global");
        const int is_here = text_is(word.at, word.length, "shared::cta");
        is.reduces |= text_is(word.at, word.length, "reduce");
        is.prefetches |= text_is(word.at, word.length, "prefetch");
        is.tensor |= text_is(word.at, word.length, "tensor");
        is.copies |= text_is(word.at, word.length, "bulk");
        is.to_global |= is_global && !spaces;
        is.from_here |= is_here && spaces;
        is.completes |= text_is(word.at, word.length, "mbarrier::complete_tx::bytes");
        spaces += is_global || is_here || text_is(word.at, word.length, "shared::cluster");
        is.others |= !is_plain(word) && !text_is(word.at, word.length, "reduce") &&
                     !(is.reduces && is_of_reduction(word));
    }
    is.copies = is.copies && !is.tensor && (spaces == 2 || (is.prefetches && spaces == 1));
    return is;
}

static tma_ptx_operand operand(const tma_ptx_parts *parts, uint32_t i) {
    const tma_ptx_operand none = {0};
    return i < parts->count && i < TMA_PTX_PARTS ? tma_ptx_operand_of(parts->operand[i], NULL)
                                                 : none;
}

void ptx_guard_of(tma_ptx_statement *out, const tma_ptx_parts *parts) {
    out->negated = (uint8_t)parts->negated;
    if (parts->guard.length) {
        out->guard =
            (tma_ptx_operand){parts->guard.at, 0, (uint32_t)parts->guard.length, TMA_PTX_NAME};
    }
}

bool tma_ptx_bulk_of(tma_ptx_statement *out, const tma_ptx_parts *parts, const char **lacks) {
    const tma_ptx_statement nothing = {0};
    *out = nothing;
    *lacks = NULL;
    if (!tma_ptx_is(parts, "cp", "bulk")) {
        return false;
    }
    const bulk_words is = words_of(parts);
    if (!is.copies || (!is.completes && !is.prefetches && !is.to_global)) {
        return false;
    }
    ptx_guard_of(out, parts);
    out->in.mode = TMA_JUDGE_BULK;
    out->in.op = is.prefetches ? TMA_OP_PREFETCH : is.completes ? TMA_OP_LOAD : TMA_OP_STORE;
    out->map = operand(parts, is.prefetches || is.from_here ? 0 : 1);
    out->coord[0] = operand(parts, is.prefetches ? 1 : 2);
    out->coords = 1;
    if (!is.prefetches) {
        out->shared = operand(parts, is.from_here ? 1 : 0);
    }
    if (is.completes) {
        out->barrier = operand(parts, 3);
    }
    if (is.others) {
        *lacks = "a form of bulk copies that checks in kernels do not know";
    } else if (out->map.kind != TMA_PTX_NAME) {
        *lacks = "an address of the bulk copy is no register and no variable";
    } else if (!is.prefetches && out->shared.kind != TMA_PTX_NAME &&
               out->shared.kind != TMA_PTX_NUMBER) {
        *lacks = "the shared address is an expression";
    } else if (out->coord[0].kind != TMA_PTX_NAME && out->coord[0].kind != TMA_PTX_NUMBER) {
        *lacks = "the size of the bulk copy is an expression";
    }
    return true;
}

/* --- writing --- */

void ptx_put_bulk_operands(tma_out *out, const tma_ptx_check *check) {
    const tma_ptx_statement *s = check->statement;
    tma_put(out, check->far_bits == 32 ? "cvt.u64.u32 %libtma_map, " : "mov.b64 %libtma_map, ");
    tma_put_bytes(out, s->map.name, s->map.length);
    tma_put(out, ";\n");
    if (s->map.value) {
        tma_putf(out, "add.s64 %%libtma_map, %%libtma_map, %" TMA_D64 ";\n", s->map.value);
    }
    tma_put(out, "mov.b64 {%libtma_c0, %libtma_c1}, %libtma_map;\n");
    ptx_put_u32(out, "c2", &s->coord[0], 32);
    if (s->in.op == TMA_OP_PREFETCH) {
        tma_put(out, "mov.u32 %libtma_s, 0;\n");
    } else {
        ptx_put_shared(out, "s", &s->shared, check->shared_bits);
    }
    ptx_put_barrier(out, check);
}

void ptx_put_bulk_comparison(tma_out *out, const tma_ptx_check *check) {
    tma_put(out, "or.b32 %libtma_t, %libtma_c0, %libtma_c2;\n"
                 "or.b32 %libtma_t, %libtma_t, %libtma_s;\n");
    ptx_put_barrier_bits(out, check);
    tma_putf(out,
             "and.b32 %%libtma_t, %%libtma_t, %u;\n"
             "setp.eq.u32 %%libtma_go, %%libtma_t, 0;\n",
             TMA_VALUE(BULK_UNIT) - 1);
    if (check->version >= PTX_VERSION_OF_AGGR_SMEM) {
        ptx_put_window(out);
        if (check->statement->in.op != TMA_OP_PREFETCH) {
            tma_putf(out,
                     "and.b32 %%libtma_t, %%libtma_s, %u;\n"
                     "setp.le.and.u32 %%libtma_go, %%libtma_t, %%libtma_w0, %%libtma_go;\n"
                     "sub.u32 %%libtma_t, %%libtma_w0, %%libtma_t;\n"
                     "setp.le.and.u32 %%libtma_go, %%libtma_c2, %%libtma_t, %%libtma_go;\n",
                     TMA_JUDGE_CTA_BITS);
        }
    }
    if (ptx_knows_barrier(check) && check->version >= PTX_VERSION_OF_AGGR_SMEM) {
        tma_putf(out,
                 "and.b32 %%libtma_t, %%libtma_b, %u;\n"
                 "setp.lt.and.u32 %%libtma_go, %%libtma_t, %%libtma_w0, %%libtma_go;\n",
                 TMA_JUDGE_CTA_BITS);
    }
}
