/* SPDX-License-Identifier: Apache-2.0
 *
 * Operands in checks, for all kinds of copies.
 */
#include "ptx_inline.h"
#include "tma/detail/judge_bulk.h"

int ptx_is_bulk(const tma_ptx_check *check) {
    return check->statement->in.mode == TMA_JUDGE_BULK;
}

static void put_name(tma_out *out, const tma_ptx_operand *o) {
    tma_put_bytes(out, o->name, o->length);
}

/* A register of so many bits, or a number that is cut to them, into a register of 32. */
void ptx_put_u32(tma_out *out, const char *to, const tma_ptx_operand *o, uint32_t bits) {
    if (o->kind == TMA_PTX_NAME) {
        tma_putf(out, bits == 32 ? "mov.b32 %%libtma_%s, " : "cvt.u32.u16 %%libtma_%s, ", to);
        put_name(out, o);
    } else {
        const uint32_t value = o->kind == TMA_PTX_NUMBER ? (uint32_t)o->value : 0;
        tma_putf(out, "mov.u32 %%libtma_%s, %u", to, bits == 32 ? value : value & 0xFFFF);
    }
    tma_put(out, ";\n");
}

/* A shared address, in a register of so many bits where it is in one. */
void ptx_put_shared(tma_out *out, const char *to, const tma_ptx_operand *o, uint32_t bits) {
    const int wide = o->kind == TMA_PTX_NAME && bits == 64;
    tma_putf(out, wide ? "cvt.u32.u64 %%libtma_%s, " : "mov.u32 %%libtma_%s, ", to);
    if (o->kind == TMA_PTX_NAME) {
        put_name(out, o);
    } else {
        tma_putf(out, "%u", o->kind == TMA_PTX_NUMBER ? (uint32_t)o->value : 0u);
    }
    tma_put(out, ";\n");
    if (o->kind == TMA_PTX_NAME && o->value) {
        tma_putf(out, "add.u32 %%libtma_%s, %%libtma_%s, %u;\n", to, to, (uint32_t)o->value);
    }
}

int ptx_knows_barrier(const tma_ptx_check *check) {
    const tma_ptx_operand *o = &check->statement->barrier;
    return check->statement->in.op == TMA_OP_LOAD &&
           (o->kind == TMA_PTX_NUMBER || o->kind == TMA_PTX_NAME) &&
           check->barrier_bits != TMA_PTX_CHECK_NO_BARRIER;
}

void ptx_put_barrier(tma_out *out, const tma_ptx_check *check) {
    if (ptx_knows_barrier(check)) {
        ptx_put_shared(out, "b", &check->statement->barrier, check->barrier_bits);
    } else {
        tma_putf(out, "mov.u32 %%libtma_b, %u;\n", TMA_JUDGE_NO_BARRIER);
    }
}

void ptx_put_window(tma_out *out) {
    tma_putf(out,
             "mov.u32 %%libtma_w0, %%aggr_smem_size;\n"
             "add.u32 %%libtma_w0, %%libtma_w0, %u;\n"
             "and.b32 %%libtma_w0, %%libtma_w0, %u;\n",
             PTX_WINDOW_UNIT_B - 1, ~(PTX_WINDOW_UNIT_B - 1));
}

void ptx_put_barrier_bits(tma_out *out, const tma_ptx_check *check) {
    if (ptx_knows_barrier(check) && !check->barrier_is_aligned) {
        tma_putf(out,
                 "and.b32 %%libtma_w1, %%libtma_b, %u;\n"
                 "or.b32 %%libtma_t, %%libtma_t, %%libtma_w1;\n",
                 TMA_VALUE(BARRIER_ALIGN) - 1);
    }
}
