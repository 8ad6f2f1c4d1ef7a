/* SPDX-License-Identifier: Apache-2.0
 *
 * Inline checks, but for the comparison itself (ptx_check.c): the map judged where the kernel
 * begins, and what a broken rule ends in at the function's end. The bodies are
 * program/kernel/pass.c's and program/kernel/fault.c's, compiled.
 */
#include "ptx_inline.h"

#include "ptx_inline_box.inc"
#include "ptx_inline_full.inc"
#include "ptx_inline_full_tile.inc"
#include "ptx_inline_im2col.inc"
#include "ptx_inline_leave.inc"
#include "ptx_inline_quick.inc"
#include "ptx_internal.h"
#include "tma/judge_quick.h"
#include "tma/judge_record.h"

#define CHECKER "libtma_checker_"

/* Parameters of tma_pass_quick(): the map's words, and behind them these. */
#define WORDS   (TMA_MAP_BYTES / 4)
#define IN_OP   WORDS
#define IN_RANK (WORDS + 1)
#define IN_END  (WORDS + 2)
#define IN_ALL  (WORDS + 3)

void ptx_put_inline_shared(tma_out *out, const tma_ptx_check_shared *shared) {
    tma_putf(out,
             ".reg .b32 %%libtma_box<%u>;\n.reg .b32 %%libtma_v<%u>;\n"
             ".reg .pred %%libtma_judged, %%libtma_odd, %%libtma_all, %%libtma_guard<%u>;\n"
             ".reg .pred %%libtma_any, %%libtma_run<%u>;\n"
             ".reg .b64 %%libtma_full_map, %%libtma_leave;\n.local .align 8 .b8 libtma_left[%u];\n"
             ".reg .b32 %%libtma_full_op, %%libtma_full_rank, %%libtma_full_end;\n"
             ".reg .b32 %%libtma_full_im2col, %%libtma_full_types, %%libtma_full_of, "
             "%%libtma_out<%u>;\n",
             (shared->passes ? shared->passes : 1) * PTX_INLINE_BOX,
             shared->inlined * PTX_INLINE_KEPT, shared->inlined, shared->inlined,
             (unsigned)sizeof(tma_judge_left), PTX_INLINE_BOX);
}

static const char *space_of(const tma_ptx_check *check) {
    return check->symbol_map == TMA_PTX_CHECK_CONST ? "const" : "param";
}

static void put_symbol_address(tma_out *out, const tma_ptx_check *check, const char *to) {
    tma_putf(out, "mov.b64 %%libtma_%s, ", to);
    tma_put_bytes(out, check->symbol.at, check->symbol.length);
    tma_putf(out, ";\ncvta.%s.u64 %%libtma_%s, %%libtma_%s;\n", space_of(check), to, to);
    if (check->symbol_at_B) {
        tma_putf(out, "add.s64 %%libtma_%s, %%libtma_%s, %" TMA_D64 ";\n", to, to,
                 check->symbol_at_B);
    }
}

/* The words of a map in registers, and the quick judgement of them: no branches, so that ptxas
 * loads and judges all maps of a kernel side by side. */
static void put_quick(tma_out *out, const tma_ptx_check *check) {
    const tma_ptx_statement *s = check->statement;
    const int is_im2col = s->in.mode == TMA_MODE_IM2COL;
    const uint64_t reads =
        is_im2col ? PTX_INLINE_IM2COL_READS | PTX_INLINE_BOX_READS : PTX_INLINE_QUICK_READS;
    tma_putf(out, "{\n.reg .b32 %%libtma_in<%u>;\n", IN_ALL);
    for (uint32_t i = 0; i < WORDS; i++) {
        if (!(reads >> i & 1)) {
            continue;
        }
        tma_putf(out, "ld.%s.b32 %%libtma_in%u, [", space_of(check), i);
        tma_put_bytes(out, check->symbol.at, check->symbol.length);
        tma_putf(out, "+%" TMA_D64 "];\n", check->symbol_at_B + 4 * (int64_t)i);
    }
    tma_putf(out,
             "mov.u32 %%libtma_in%u, %u;\nmov.u32 %%libtma_in%u, %u;\n"
             "mov.b32 %%libtma_in%u, %%libtma_full_end;\n",
             IN_OP, (unsigned)s->in.op, IN_RANK, (unsigned)s->in.rank, IN_END);
    ptx_put_part(out, is_im2col ? ptx_inline_im2col : ptx_inline_quick);
    tma_putf(out, "mov.b32 %%libtma_pass%u, %%libtma_out0;\n", check->pass);
    if (is_im2col) {
        ptx_put_part(out, ptx_inline_box);
        for (uint32_t i = 0; i < PTX_INLINE_BOX; i++) {
            tma_putf(out, "mov.b32 %%libtma_box%u, %%libtma_out%u;\n",
                     check->pass * PTX_INLINE_BOX + i, i);
        }
    }
    tma_put(out, "}\n");
}

void ptx_put_quick_now(tma_out *out, const tma_ptx_check *check, const char *pass) {
    static const uint32_t read[] = {0, 8, 12}; /* the words that it reads, four each */
    _Static_assert(!(PTX_INLINE_QUICK_READS & ~UINT64_C(0x70000FF0F)), "and no others");
    const tma_ptx_statement *s = check->statement;
    tma_putf(out, "{\n.reg .b32 %%libtma_in<%u>, %%libtma_out<1>;\n", IN_ALL);
    for (size_t i = 0; i < sizeof(read) / sizeof(read[0]); i++) {
        const uint32_t at = read[i];
        if (s->guard.kind == TMA_PTX_NAME) {
            tma_put(out, s->negated ? "@!" : "@");
            tma_put_bytes(out, s->guard.name, s->guard.length);
            tma_put(out, " ");
        }
        tma_putf(out,
                 "ld.relaxed.gpu.v4.b32 {%%libtma_in%u,%%libtma_in%u,%%libtma_in%u,%%libtma_in%u}, "
                 "[%%libtma_map+%u];\n",
                 at, at + 1, at + 2, at + 3, 4 * at);
    }
    tma_putf(out,
             "mov.u32 %%libtma_in%u, %u;\nmov.u32 %%libtma_in%u, %u;\n"
             "mov.b32 %%libtma_in%u, %%libtma_w0;\n",
             IN_OP, (unsigned)s->in.op, IN_RANK, (unsigned)s->in.rank, IN_END);
    ptx_put_part(out, ptx_inline_quick);
    tma_putf(out, "mov.b32 %%libtma_%s, %%libtma_out0;\n}\n", pass);
}

void tma_ptx_check_put_judge(tma_out *out, const tma_ptx_check *check) {
    tma_putf(out,
             "mov.u32 %%libtma_full_end, %%aggr_smem_size;\n"
             "add.u32 %%libtma_full_end, %%libtma_full_end, %u;\n"
             "and.b32 %%libtma_full_end, %%libtma_full_end, %u;\n",
             PTX_WINDOW_UNIT_B - 1, ~(PTX_WINDOW_UNIT_B - 1));
    for (const tma_ptx_check *one = check; one; one = one->other) {
        put_quick(out, one);
        tma_putf(out,
                 one == check ? "setp.eq.u32 %%libtma_odd, %%libtma_pass%u, 0;\n"
                              : "setp.eq.or.u32 %%libtma_odd, %%libtma_pass%u, 0, %%libtma_odd;\n",
                 one->pass);
    }
    tma_put(out, "@%libtma_odd bra $libtma_odd;\n$libtma_judged:\n");
}

static int is_multicast(const tma_ptx_check *check) {
    return (check->statement->qualifiers & (TMA_PTX_MULTICAST | TMA_PTX_MULTICAST_16)) != 0;
}

/* How many of %libtma_c it has. */
static uint32_t kept_coords(const tma_ptx_check *check) {
    return ptx_is_expect(check) ? TMA_JUDGE_STATE + 1
           : ptx_is_bulk(check) ? TMA_JUDGE_SIZE + 1
                                : check->statement->coords;
}

void ptx_put_kept(tma_out *out, const tma_ptx_check *check) {
    const uint32_t first = check->inlined * PTX_INLINE_KEPT;
    const uint32_t members = kept_coords(check);
    for (uint32_t i = 0; i < members; i++) {
        tma_putf(out, "mov.b32 %%libtma_v%u, %%libtma_c%u;\n", first + i, i);
    }
    if (ptx_knows_barrier(check)) {
        tma_putf(out, "mov.b32 %%libtma_v%u, %%libtma_b;\n", first + PTX_INLINE_BARRIER);
    }
    tma_putf(out, "mov.b32 %%libtma_v%u, %%libtma_s;\n", first + PTX_INLINE_SHARED);
    if (is_multicast(check)) {
        tma_putf(out, "mov.b32 %%libtma_v%u, %%libtma_mask;\n", first + PTX_INLINE_MASK);
    }
}

/* --- the function's end --- */

/* What a broken copy leaves stands in the thread's memory, a tma_judge_left: a warp that gave
 * registers away (setmaxnreg.dec) has none to spare, and ptxas lets code that other warps reach too
 * use more than it has (ThunderKittens' GEMM: R41 of 40, an illegal instruction in the place of a
 * record). */
#define LEFT_AT(member) ((uint32_t)offsetof(tma_judge_left, member))

static void put_left(tma_out *out, uint32_t at_B, uint32_t kept) {
    tma_putf(out, "st.local.b32 [libtma_left+%u], %%libtma_v%u;\n", at_B, kept);
}

/* On to the next check of the group, where this copy runs. */
static void put_once_more(tma_out *out, const tma_ptx_check *check) {
    const tma_ptx_statement *s = check->statement;
    const uint32_t first = check->inlined * PTX_INLINE_KEPT;
    const uint32_t members = kept_coords(check);
    ptx_put_check_registers(out);
    for (uint32_t i = 0; i < members; i++) {
        tma_putf(out, "mov.b32 %%libtma_c%u, %%libtma_v%u;\n", i, first + i);
    }
    tma_putf(out, "mov.b32 %%libtma_s, %%libtma_v%u;\n", first + PTX_INLINE_SHARED);
    if (ptx_knows_barrier(check)) {
        tma_putf(out, "mov.b32 %%libtma_b, %%libtma_v%u;\n", first + PTX_INLINE_BARRIER);
    }
    if (is_multicast(check)) {
        tma_putf(out,
                 "mov.b32 %%libtma_mask, %%libtma_v%u;\n"
                 "mov.u32 %%libtma_ctas, %%cluster_nctarank;\n",
                 first + PTX_INLINE_MASK);
    }
    ptx_put_inline_comparison(out, check);
    if (s->guard.kind == TMA_PTX_NAME) {
        tma_putf(out, "@%s%%libtma_guard%u bra $libtma_cold_%u;\n", s->negated ? "" : "!",
                 check->inlined, check->next);
    }
    tma_putf(out, "@%%libtma_go bra $libtma_cold_%u;\n}\n", check->next);
}

void tma_ptx_check_put_cold(tma_out *out, const tma_ptx_check *check) {
    const uint32_t first = check->inlined * PTX_INLINE_KEPT;
    const int masked = is_multicast(check);
    tma_putf(out, "$libtma_cold_%u:\n", check->number);
    if (check->together && check->group == check->number) {
        tma_put(out, "@%libtma_all bra $libtma_beside;\n");
    }
    if (check->next != TMA_PTX_CHECK_LAST) {
        put_once_more(out, check);
    }
    for (uint32_t i = 0; i < kept_coords(check); i++) {
        put_left(out, LEFT_AT(coord) + 4 * i, first + i);
    }
    put_left(out, LEFT_AT(shared_address), first + PTX_INLINE_SHARED);
    if (masked) {
        put_left(out, LEFT_AT(cta_mask), first + PTX_INLINE_MASK);
    }
    if (ptx_knows_barrier(check)) {
        put_left(out, LEFT_AT(barrier), first + PTX_INLINE_BARRIER);
    } else if (check->statement->in.op == TMA_OP_LOAD) {
        tma_putf(out, "st.local.b32 [libtma_left+%u], %u;\n", LEFT_AT(barrier),
                 (unsigned)TMA_JUDGE_NO_BARRIER);
    }
    if (!ptx_is_bulk(check) && !ptx_is_expect(check)) {
        put_symbol_address(out, check, "leave");
        tma_putf(out, "st.local.b64 [libtma_left+%u], %%libtma_leave;\n", LEFT_AT(map));
    }
    tma_putf(out,
             "mov.b64 %%libtma_leave, " CHECKER "site_%u;\n"
             "cvta.global.u64 %%libtma_leave, %%libtma_leave;\n"
             "st.local.b64 [libtma_left+%u], %%libtma_leave;\nbra $libtma_leave;\n",
             check->number, LEFT_AT(site));
}

void tma_ptx_check_put_leave(tma_out *out, const tma_ptx_check_shared *shared) {
    if (shared->together) { /* a thread of the warp whose copy is right: it has no site */
        tma_putf(out,
                 "$libtma_beside:\nmov.b64 %%libtma_leave, 0;\n"
                 "st.local.b64 [libtma_left+%u], %%libtma_leave;\n",
                 LEFT_AT(site));
    }
    tma_put(out, "$libtma_leave:\n{\n.reg .b64 %libtma_in0;\n"
                 "mov.b64 %libtma_in0, libtma_left;\n"
                 "cvta.local.u64 %libtma_in0, %libtma_in0;\n");
    ptx_put_part(out, ptx_inline_leave);
    tma_put(out, "}\n");
}

/* What is asked of the map whose turn it is: %libtma_full_of. No branches, and what all turns have
 * alike is a number to ptxas. */
static const char *const asked[] = {"op", "rank", "types", "im2col"};
#define ASKED (sizeof(asked) / sizeof(asked[0]))

static uint32_t asked_of(const tma_ptx_check *check, size_t i) {
    const tma_instruction *in = &check->statement->in;
    return i == 0   ? (uint32_t)in->op
           : i == 1 ? (uint32_t)in->rank
           : i == 2 ? tma_quick_types(in->op)
                    : in->mode == TMA_MODE_IM2COL;
}

static void put_asked(tma_out *out, const tma_ptx_check *first) {
    uint32_t turn = 0;
    put_symbol_address(out, first, "full_map");
    for (size_t i = 0; i < ASKED; i++) {
        tma_putf(out, "mov.u32 %%libtma_full_%s, %u;\n", asked[i], (unsigned)asked_of(first, i));
    }
    for (const tma_ptx_check *one = first->other; one; one = one->other) {
        tma_putf(out, "setp.eq.u32 %%libtma_judged, %%libtma_full_of, %u;\n", ++turn);
        put_symbol_address(out, one, "leave");
        tma_put(out, "selp.b64 %libtma_full_map, %libtma_leave, %libtma_full_map, "
                     "%libtma_judged;\n");
        for (size_t i = 0; i < ASKED; i++) {
            if (asked_of(one, i) != asked_of(first, i)) {
                tma_putf(out, "selp.b32 %%libtma_full_%s, %u, %%libtma_full_%s, %%libtma_judged;\n",
                         asked[i], (unsigned)asked_of(one, i), asked[i]);
            }
        }
    }
}

static int has_im2col(const tma_ptx_check *check) {
    while (check && check->statement->in.mode != TMA_MODE_IM2COL) {
        check = check->other;
    }
    return check != NULL;
}

static void put_full(tma_out *out, int im2col) {
    tma_put(out, "{\n.reg .b64 %libtma_in0;\n"
                 ".reg .b32 %libtma_in1, %libtma_in2, %libtma_in3, %libtma_in4, %libtma_in5;\n"
                 "mov.b64 %libtma_in0, %libtma_full_map;\n"
                 "mov.b32 %libtma_in1, %libtma_full_op;\n"
                 "mov.b32 %libtma_in2, %libtma_full_rank;\n"
                 "mov.b32 %libtma_in3, %libtma_full_end;\n"
                 "mov.b32 %libtma_in4, %libtma_full_types;\n"
                 "mov.b32 %libtma_in5, %libtma_full_im2col;\n");
    ptx_put_part(out, im2col ? ptx_inline_full : ptx_inline_full_tile);
    tma_put(out, "}\n");
}

void tma_ptx_check_put_full(tma_out *out, const tma_ptx_check *check) {
    uint32_t turns = 0;
    tma_put(out, "$libtma_odd:\nmov.u32 %libtma_full_of, 0;\n$libtma_full:\n");
    put_asked(out, check);
    put_full(out, has_im2col(check));
    for (const tma_ptx_check *one = check; one; one = one->other) {
        tma_putf(out,
                 "setp.eq.u32 %%libtma_judged, %%libtma_full_of, %u;\n"
                 "@%%libtma_judged mov.b32 %%libtma_pass%u, %%libtma_out0;\n",
                 turns++, one->pass);
    }
    tma_putf(out,
             "add.u32 %%libtma_full_of, %%libtma_full_of, 1;\n"
             "setp.lt.u32 %%libtma_judged, %%libtma_full_of, %u;\n"
             "@%%libtma_judged bra $libtma_full;\n"
             "bra $libtma_judged;\n",
             turns);
}
