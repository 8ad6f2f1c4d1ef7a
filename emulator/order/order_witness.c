/* SPDX-License-Identifier: Apache-2.0
 *
 * What a finding names: who made an access, and which bytes. An earlier access of a thread has the
 * size of its instruction, and begins where a multiple of that does; of an earlier operation those
 * bytes are named that the later access meets.
 */
#include "order_state.h"

static const char *what_of(const order_state *s, const order_entry *e) {
    static const char *const WHAT[] = {"read", "write", "copy's read", "MMA's read",
                                       "copy's write"};
    const int writes = (e->flags & ORDER_IS_WRITE) != 0;
    const uint32_t op = s->machine->program->code[e->in].op;
    if (e->flags & ORDER_IS_INIT) {
        return op == EMU_OP_MBARRIER_INVAL ? "invalidation" : "initialisation";
    }
    switch (e->flags & ORDER_IS_ASYNC ? op : EMU_OP_UNKNOWN) {
    case EMU_OP_TCGEN05_COMMIT:
        return "commit's arrival";
    case EMU_OP_TCGEN05_MMA:
        return writes ? "MMA's write" : "MMA's read";
    case EMU_OP_TCGEN05_CP:
    case EMU_OP_TCGEN05_SHIFT:
        return writes ? "copy's write" : "copy's read";
    case EMU_OP_TCGEN05_LD:
    case EMU_OP_TCGEN05_ST:
        return writes ? "store" : "load";
    case EMU_OP_TCGEN05_DEALLOC:
        return "deallocation";
    default:
        return WHAT[order_kind_of(s, e)];
    }
}

/* As PTX has it: a shared address of the cluster; lane << 16 | column of tensor memory. */
static uint64_t address_of(const emu_place *place) {
    switch (place->space) {
    case EMU_SHARED_CTA:
        return (place->cta->rank << EMU_RANK_SHIFT) + place->at;
    case EMU_TMEM:
        return (place->at / 2048 * 16) << 16 | place->at / 4 % 512;
    default:
        return place->at;
    }
}

/* Bytes of an access, as a place and a size. */
typedef struct bytes_at {
    emu_place place;
    uint64_t size_B;
} bytes_at;

/* Where an operation's accesses end that go on from the cell on: no further than the later one. */
static uint64_t end_of(const order_actor *a, const order_entry *e) {
    const uint64_t end = a->place->at + a->size_B;
    uint64_t at = a->cell_at;
    for (uint32_t run = 1; run && at < end;) {
        const order_page *page = order_page_at(a->state, a->place, at);
        uint64_t cells = 0;
        for (uint32_t i = 0; page && i < page->ranges; i++) {
            const order_entry *other = &page->range[i].entry;
            const int is_same =
                other->op == e->op && other->flags == e->flags && other->cta == e->cta;
            cells |= is_same ? page->range[i].cells : 0;
        }
        const uint32_t number = (uint32_t)(at % ORDER_PAGE_B / 4);
        const uint64_t ends = ~(cells >> number);
        run = ends ? (uint32_t)__builtin_ctzll(ends) : ORDER_PAGE_CELLS;
        at += UINT64_C(4) * run;
        run = number + run == ORDER_PAGE_CELLS;
    }
    return at < end ? at : end;
}

static bytes_at bytes_of(const order_actor *a, const order_entry *e) {
    bytes_at b = {*a->place, a->size_B};
    if (e == &a->entry || a->place->space == EMU_TMEM) {
        return b;
    }
    if (e->flags & ORDER_IS_ASYNC) {
        b.place.at = a->cell_at > a->place->at ? a->cell_at : a->place->at;
        b.size_B = end_of(a, e) - b.place.at;
        return b;
    }
    const uint32_t both = e->bytes & a->entry.bytes, bytes = both ? both : e->bytes;
    b.place.at = a->cell_at + (uint32_t)__builtin_ctz(bytes);
    if (e->size_log2 == ORDER_NO_SIZE) {
        b.size_B = (uint32_t)__builtin_popcount(bytes);
    } else {
        b.size_B = UINT64_C(1) << e->size_log2;
        b.place.at &= ~(b.size_B - 1);
    }
    return b;
}

emu_who order_who_of(const order_actor *a, const order_entry *e, uint32_t unordered) {
    const order_state *s = a->state;
    const int is_async = e->flags & ORDER_IS_ASYNC &&
                         s->machine->program->code[e->in].op != EMU_OP_TCGEN05_COMMIT &&
                         order_op_of(s, e->op)->kind != EMU_ASYNC_CP;
    const bytes_at bytes = bytes_of(a, e);
    emu_who who = {.in = &s->machine->program->code[e->in],
                   .what = what_of(s, e),
                   .proxy = a->place->space == EMU_TMEM ? "tensor"
                            : is_async                  ? "async"
                                                        : "generic",
                   .space = a->place->space,
                   .address = address_of(&bytes.place),
                   .size_B = bytes.size_B,
                   .iteration = e->iteration};
    if (e->flags & ORDER_IS_ASYNC) {
        const order_op *op = order_op_of(s, e->op);
        who.cta = op->cta;
        who.thread = op->thread;
    } else {
        who.cta = e->cta;
        who.thread = e->warp * EMU_LANES + (uint32_t)__builtin_ctz(unordered);
    }
    return who;
}
