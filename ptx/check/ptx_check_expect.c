/* SPDX-License-Identifier: Apache-2.0
 *
 * The check before an instruction that expects bytes of a barrier: whether that was initialised.
 *
 * No load sees a barrier's word. An arrival with a count of 0 changes nothing, and its state has
 * the word's upper half (program/kernel/hang.c): the missing arrivals, and the missing bytes /
 * 2048. Where both are 0, either nothing is missing, so that no mbarrier.init made the word; or no
 * arrival is, and 1 to 2047 bytes came that nobody expected yet. 2047 more tell the two apart.
 * Others may have used the barrier meanwhile, so 2046 are taken back and it is looked at once more;
 * never all, which would end a phase that lacks nothing. A barrier that turns out to live gets back
 * what it had.
 */
#include "ptx_inline.h"
#include "ptx_internal.h"
#include "tma/detail/judge_bulk.h"

/* Of the instructions of a thread: an arrival takes tens of cycles, and a barrier that is not
 * initialised shows when it is first used. */
#define MOST_ASKED 64u
#define UNSEEN_B   2047u /* bytes that do not show in the upper half */

bool tma_ptx_expect_of(tma_ptx_statement *out, const tma_ptx_parts *parts) {
    const tma_ptx_statement nothing = {0};
    int bracketed = 0;
    *out = nothing;
    if (!tma_ptx_is(parts, "mbarrier", "expect_tx") || parts->count < 2) {
        return false;
    }
    const uint32_t at =
        tma_ptx_is(parts, "mbarrier", "arrive") || tma_ptx_is(parts, "mbarrier", "arrive_drop");
    out->barrier = tma_ptx_operand_of(parts->operand[at], &bracketed);
    if (parts->count != at + 2 || !bracketed || !tma_ptx_is(parts, "mbarrier", "b64") ||
        !(tma_ptx_is(parts, "mbarrier", "shared") ||
          tma_ptx_is(parts, "mbarrier", "shared::cta"))) {
        return false;
    }
    ptx_guard_of(out, parts);
    out->in.mode = TMA_JUDGE_BARRIER;
    out->in.op = TMA_OP_LOAD;
    return true;
}

int ptx_is_expect(const tma_ptx_check *check) {
    return check->statement->in.mode == TMA_JUDGE_BARRIER;
}

/* %libtma_p: whether something is missing. */
static void put_look(tma_out *out) {
    tma_putf(out,
             "mbarrier.arrive.shared.b64 %%libtma_map, [%%libtma_b], %%libtma_w0;\n"
             "mov.b64 {%%libtma_w1, %%libtma_c%d}, %%libtma_map;\n"
             "and.b32 %%libtma_t, %%libtma_c%d, %u;\n"
             "setp.ne.u32 %%libtma_p, %%libtma_t, 0;\n",
             TMA_JUDGE_STATE, TMA_JUDGE_STATE, TMA_JUDGE_MISSING);
}

static void put_bytes(tma_out *out, const char *guard, const char *what, uint32_t bytes_B) {
    tma_putf(out, "%smbarrier.%s_tx.relaxed.cta.shared::cta.b64 [%%libtma_b], %u;\n", guard, what,
             bytes_B);
}

static void put_asked(tma_out *out, const tma_ptx_operand *guard, int negated) {
    tma_putf(out, "setp.lt.u32 %%libtma_go, %%libtma_asked, %u;\n", MOST_ASKED);
    if (guard->kind == TMA_PTX_NAME) {
        tma_put(out, negated ? "not.pred %libtma_p, " : "mov.pred %libtma_p, ");
        tma_put_bytes(out, guard->name, guard->length);
        tma_put(out, ";\nand.pred %libtma_go, %libtma_go, %libtma_p;\n");
    }
    tma_put(out, "add.u32 %libtma_asked, %libtma_asked, 1;\n");
}

/* Falls through to what ends the kernel; %libtma_w0 is 0, which ptxas does not know: no count that
 * it sees may be 0. */
void ptx_put_expect(tma_out *out, const tma_ptx_check *check) {
    const uint32_t number = check->number;
    put_asked(out, &check->statement->guard, check->statement->negated);
    tma_putf(out, "@!%%libtma_go bra $libtma_%u;\n", number);
    ptx_put_barrier(out, check);
    tma_put(out, "mov.u32 %libtma_w0, %total_smem_size;\nshr.u32 %libtma_w0, %libtma_w0, 24;\n");
    put_look(out);
    tma_putf(out, "@%%libtma_p bra $libtma_%u;\n", number);
    put_bytes(out, "", "complete", UNSEEN_B);
    put_look(out);
    put_bytes(out, "@%libtma_p ", "expect", UNSEEN_B);
    tma_putf(out, "@%%libtma_p bra $libtma_%u;\n", number);
    put_bytes(out, "", "expect", UNSEEN_B - 1);
    put_look(out);
    put_bytes(out, "@%libtma_p ", "expect", 1);
    tma_putf(out, "@%%libtma_p bra $libtma_%u;\n", number);
}
