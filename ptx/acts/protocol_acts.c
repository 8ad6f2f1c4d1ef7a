/* SPDX-License-Identifier: Apache-2.0
 *
 * What the steps of a kernel do in the protocol of its copies.
 */
#include "ptx_protocol.h"
#include "ptx_ways.h"

#define MOST_GIVEN 5 /* values of values */
/* Of an address in the window of the cluster: which CTA of a pair (CUTLASS: Sm100MmaPeerBitMask).
 */
#define PAIR_BIT UINT32_C(0x1000000)

typedef struct act_row {
    uint8_t kind;
    const char *first, *with, *also, *without;
    int8_t at, barrier, number;
} act_row;

static const act_row act_rows[] = {
#define PTX_ACT(kind, first, with, also, without, at, barrier, number)                             \
    {PTX_ACT_##kind, first, with, also, without, at, barrier, number},
#include "protocol_acts.def"
};

#define ACT_ROWS (sizeof(act_rows) / sizeof(act_rows[0]))

static int has(const tma_ptx_parts *parts, const char *first, const char *qualifier) {
    return !*qualifier || tma_ptx_is(parts, first, qualifier);
}

int ptx_protocol_asks(const ptx_codes *codes, uint32_t row) {
    static const char *const words[] = {"cp.async.bulk.", "cp.reduce.async.bulk.", "wgmma.",
                                        "tcgen05.", "mapa."};
    const tma_ptx_span opcode = ptx_row_opcode(codes, row);
    for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
        if (ptx_begins(opcode, words[i])) {
            return 1;
        }
    }
    return 0;
}

/* The row of an opcode, ACT_ROWS: none. */
static uint8_t row_of(tma_ptx_span opcode) {
    const tma_ptx_parts parts = {.opcode = opcode};
    for (uint32_t i = 0; i < ACT_ROWS; i++) {
        const act_row *a = &act_rows[i];
        if (tma_ptx_is(&parts, a->first, NULL) && has(&parts, a->first, a->with) &&
            has(&parts, a->first, a->also) &&
            !(*a->without && tma_ptx_is(&parts, a->first, a->without))) {
            return a->kind == PTX_ACT_NONE ? ACT_ROWS : (uint8_t)i;
        }
    }
    return ACT_ROWS;
}

typedef struct builder {
    ptx_protocol *p;
    uint8_t *row; /* by opcode: of act_rows + 1; 0: not asked yet */
    int maps_change;
} builder;

static ptx_value operand(ptx_values *v, const ptx_step *step, const tma_ptx_parts *parts, int i) {
    return i >= 0 && (uint32_t)i < parts->count && i < TMA_PTX_PARTS
               ? ptx_value_of_text(v, step, parts->operand[i])
               : PTX_UNKNOWN;
}

/* A shared address, as the 32 bits that it is. */
static ptx_value address(ptx_values *v, const ptx_step *step, const tma_ptx_parts *parts, int i) {
    const ptx_value value = operand(v, step, parts, i);
    return value == PTX_UNKNOWN ? PTX_UNKNOWN
                                : ptx_form_cut(&v->forms, ptx_value_bare(v, value), 32);
}

/* mapa.shared::cluster.u32 %r1, %r2, CTA: what %r2 is, and that it is another CTA's. */
static ptx_value own_address(const ptx_protocol *p, ptx_value value, uint16_t *traits) {
    ptx_values *v = p->v;
    const ptx_form f = v->forms.form[value];
    for (uint32_t i = 0; value != PTX_UNKNOWN && i < f.terms; i++) {
        const ptx_atom a = v->forms.atom[f.term[i].atom];
        if (f.term[i].times != 1 || !ptx_begins(ptx_atom_opcode(v, &a), "mapa.")) {
            continue;
        }
        int64_t added = 0;
        const ptx_atom *to = ptx_value_base(v, a.c, &added);
        const int is_own =
            to && to->kind == PTX_ATOM_SPECIAL && !added && to->a == PTX_SPECIAL_CLUSTER_CTARANK;
        const ptx_value own = ptx_form_cut(&v->forms, ptx_value_bare(v, a.b), 32);
        const ptx_value there = ptx_form_atom(&v->forms, f.term[i].atom, f.bits);
        uint64_t rank = 1;
        *traits |= is_own                                            ? PTX_TO_OWN
                   : ptx_value_number(p->v, a.c, &rank) && rank == 0 ? PTX_TO_PEER | PTX_TO_FIRST
                                                                     : PTX_TO_PEER;
        value = ptx_form_sum(&v->forms, value, there, UINT64_MAX);
        return value == PTX_UNKNOWN ? value : ptx_form_sum(&v->forms, value, own, 1);
    }
    return value;
}

/* Bits that one part of an address may have. */
static uint32_t bits_of_part(ptx_values *v, const ptx_term *term, uint32_t bits) {
    const ptx_atom a = v->forms.atom[term->atom];
    const ptx_value part =
        ptx_form_times(&v->forms, ptx_form_atom(&v->forms, term->atom, bits), term->times);
    uint64_t mask = 0;
    uint64_t low = 0;
    const uint32_t known = ptx_value_low_bits(v, part, &low);
    if (ptx_begins(ptx_atom_opcode(v, &a), "and.") && !a.d && !(term->times & (term->times - 1)) &&
        ptx_value_number(v, a.c, &mask)) {
        return (uint32_t)(mask * term->times);
    }
    return known >= 32 || low ? UINT32_MAX : ~((UINT32_C(1) << known) - 1);
}

/* Bits that an address may have: those of its parts, and where two have one all above it. */
static uint32_t bits_of(ptx_values *v, ptx_value address) {
    const ptx_form f = v->forms.form[address];
    uint32_t bits = (uint32_t)f.number;
    for (uint32_t i = 0; i < f.terms; i++) {
        const uint32_t more = bits_of_part(v, &f.term[i], f.bits);
        const uint32_t both = bits & more;
        bits |= more | (both ? ~((both & (0 - both)) - 1) : 0);
    }
    return address == PTX_UNKNOWN ? UINT32_MAX : bits;
}

/* Whether a mask clears the pair's bit of an address, and else but bits that are 0 in it: a barrier
 * is aligned to 8 bytes, and a compiler puts its variable's alignment into the mask. */
static int is_pair_mask(ptx_values *v, uint32_t mask, ptx_value address) {
    const uint32_t cleared = ~(mask | PAIR_BIT);
    return !(mask & PAIR_BIT) && !(cleared & ~UINT32_C(7) & bits_of(v, address));
}

/* and.b32 %r1, %r2, 0xFEFFFFFF, on the barrier of a copy of cta_group::2: what %r2 is, and that it
 * is the pair's first CTA's. */
static ptx_value pair_address(const ptx_protocol *p, ptx_value value, uint16_t *traits) {
    ptx_values *v = p->v;
    const ptx_form f = v->forms.form[value];
    uint64_t mask = 0;
    for (uint32_t i = 0; value != PTX_UNKNOWN && i < f.terms; i++) {
        const ptx_atom a = v->forms.atom[f.term[i].atom];
        if (f.term[i].times == 1 && ptx_begins(ptx_atom_opcode(v, &a), "and.") &&
            ptx_value_number(v, a.c, &mask) && is_pair_mask(v, (uint32_t)mask, a.b)) {
            const ptx_value own = ptx_form_cut(&v->forms, ptx_value_bare(v, a.b), 32);
            const ptx_value there = ptx_form_atom(&v->forms, f.term[i].atom, f.bits);
            *traits |= PTX_TO_LEADER;
            value = ptx_form_sum(&v->forms, value, there, UINT64_MAX);
            return value == PTX_UNKNOWN ? value : ptx_form_sum(&v->forms, value, own, 1);
        }
    }
    return value;
}

static uint16_t traits_of(const tma_ptx_parts *parts, ptx_act_kind kind) {
    uint16_t traits = 0;
    if (kind == PTX_ACT_SYNC && tma_ptx_is(parts, "barrier", "cluster") &&
        tma_ptx_is(parts, "barrier", "wait")) {
        traits |= PTX_OF_CLUSTER;
    }
    if (kind == PTX_ACT_SYNC &&
        (tma_ptx_is(parts, "bar", "arrive") || tma_ptx_is(parts, "barrier", "arrive"))) {
        traits |= PTX_GOES_ON;
    }
    if (kind == PTX_ACT_SYNC && tma_ptx_is(parts, "bar", "warp")) {
        traits |= PTX_OF_WARP;
    }
    if (kind == PTX_ACT_EXPECT && !tma_ptx_is(parts, "mbarrier", "arrive") &&
        !tma_ptx_is(parts, "mbarrier", "arrive_drop")) {
        traits |= PTX_ONLY_BYTES;
    }
    if (kind == PTX_ACT_LOAD && tma_ptx_is(parts, "cp", "multicast::cluster")) {
        traits |= PTX_TO_CLUSTER;
    }
    if (kind == PTX_ACT_LOAD && tma_ptx_is(parts, "cp", "cta_group::2")) {
        traits |= PTX_OF_PAIR;
    }
    if (kind == PTX_ACT_WRITE && tma_ptx_is(parts, "cp", NULL)) {
        traits |= PTX_BY_CP_ASYNC;
    }
    if (kind == PTX_ACT_AWAIT && !tma_ptx_is(parts, "mbarrier", "parity")) {
        traits |= PTX_BY_STATE;
    }
    return traits;
}

static ptx_condition guard_of(ptx_values *v, const ptx_step *step, const ptx_code *c) {
    const ptx_row *row = &v->g->rows->row[step->row];
    const ptx_value predicate =
        c->guard == PTX_NONE ? PTX_UNKNOWN : v->use[step->first_use + (c->guard - row->first_ref)];
    return ptx_condition_of(v, predicate, !c->negated);
}

/* Bytes that a copy says itself, where it is no tensor's. */
static void take_bytes(const ptx_protocol *p, ptx_act *act, uint32_t row) {
    uint64_t bytes_B = 0;
    const uint32_t site = p->r->is_site[row] ? ptx_site_at(p->r, row) : PTX_NONE;
    if (site != PTX_NONE) {
        act->bytes_B = p->r->site[site].has_bytes ? (uint32_t)p->r->site[site].bytes_B : 0;
    } else if (act->kind == PTX_ACT_LOAD && ptx_value_number(p->v, act->number, &bytes_B)) {
        act->bytes_B = (uint32_t)bytes_B;
    }
}

static void add(ptx_protocol *p, ptx_act act) {
    PTX_APPEND(p, act, acts, act);
    p->many[act.kind]++;
    p->has_warps |=
        act.kind == PTX_ACT_SYNC && !(act.traits & (PTX_OF_WARP | PTX_OF_CLUSTER | PTX_OF_MEMORY));
}

/* Descriptors of a product's operands in shared memory: an act each. */
static void add_fetches(ptx_protocol *p, const ptx_act *mma, const tma_ptx_parts *parts) {
    for (int i = 1; i < 3 && (uint32_t)i < parts->count; i++) {
        ptx_act fetch = *mma;
        const char first = parts->operand[i].length ? parts->operand[i].at[0] : '{';
        fetch.kind = PTX_ACT_FETCH;
        fetch.number = first == '{' || first == '['
                           ? PTX_UNKNOWN
                           : operand(p->v, &p->v->g->step[mma->step], parts, i);
        if (fetch.number != PTX_UNKNOWN && ptx_shared_variable(p->v, fetch.number) != PTX_NONE) {
            add(p, fetch);
        }
    }
}

/* What a product of the tensor cores writes in tensor memory. */
static void add_product(ptx_protocol *p, const ptx_act *mma, const tma_ptx_parts *parts) {
    ptx_act product = *mma;
    product.kind = PTX_ACT_TENSOR_PRODUCT;
    product.at = address(p->v, &p->v->g->step[mma->step], parts, 0);
    add(p, product);
}

/* What a copy into another CTA reads here. */
static void add_send(ptx_protocol *p, const ptx_act *copy, const tma_ptx_parts *parts) {
    const ptx_step *step = &p->v->g->step[copy->step];
    uint64_t bytes_B = 0;
    ptx_act send = *copy;
    send.kind = PTX_ACT_SEND;
    send.traits = 0;
    send.at = address(p->v, step, parts, 1);
    send.bytes_B =
        ptx_value_number(p->v, operand(p->v, step, parts, 2), &bytes_B) ? (uint32_t)bytes_B : 0;
    add(p, send);
}

/* An act, and what else its instruction does. */
static void add_whole(ptx_protocol *p, ptx_act act, const tma_ptx_parts *parts) {
    if (act.kind == PTX_ACT_REPLACE || act.kind == PTX_ACT_DRAFT || act.kind == PTX_ACT_PUBLISH ||
        act.kind == PTX_ACT_FENCE_MAP) {
        act.number = act.at;
        act.at = ptx_act_map(p, &p->v->g->step[act.step]);
    }
    add(p, act);
    if (act.kind == PTX_ACT_MMA) {
        add_fetches(p, &act, parts);
        if (tma_ptx_is(parts, "tcgen05", NULL)) {
            add_product(p, &act, parts);
        }
    } else if (act.kind == PTX_ACT_REMOTE && tma_ptx_is(parts, "cp", NULL)) {
        add_send(p, &act, parts);
    }
}

static void take_opcode(builder *b, uint32_t i, const ptx_code *c) {
    ptx_protocol *p = b->p;
    ptx_values *v = p->v;
    const ptx_step *step = &v->g->step[i];
    tma_ptx_parts parts;
    if (!b->row[c->name]) {
        b->row[c->name] = (uint8_t)(row_of(v->g->codes->opcode[c->name]) + 1u);
    }
    const uint32_t row = b->row[c->name] - 1u;
    if (row >= ACT_ROWS || tma_ptx_split(&parts, &v->g->rows->row[step->row].piece)) {
        return;
    }
    ptx_act act = {.kind = act_rows[row].kind, .is_guarded = c->guarded, .step = i};
    act.at = address(v, step, &parts, act_rows[row].at);
    act.barrier = address(v, step, &parts, act_rows[row].barrier);
    act.number = operand(v, step, &parts, act_rows[row].number);
    act.traits = traits_of(&parts, act.kind);
    act.at = own_address(p, act.at, &act.traits);
    act.barrier = own_address(p, act.barrier, &act.traits);
    if (act.traits & PTX_OF_PAIR) {
        act.barrier = pair_address(p, act.barrier, &act.traits);
    }
    if (act.traits & PTX_TO_CLUSTER) {
        act.mask = operand(v, step, &parts, act_rows[row].barrier + 1);
    }
    act.bytes_B = (c->bits ? c->bits / 8u : 1u) * (c->lanes ? c->lanes : 1u);
    if (act.kind == PTX_ACT_STORE || act.kind == PTX_ACT_LOAD) {
        act.bytes_B = 0;
        take_bytes(p, &act, step->row);
    }
    if ((act.kind == PTX_ACT_WRITE || act.kind == PTX_ACT_READ) && act.traits & PTX_TO_PEER) {
        act.kind = PTX_ACT_PEER; /* by a generic address */
    }
    if ((act.kind == PTX_ACT_WRITE || act.kind == PTX_ACT_READ) &&
        ptx_shared_variable(v, act.at) == PTX_NONE) {
        if (!tma_ptx_is(&parts, "st", NULL)) {
            return;
        }
        act.kind = PTX_ACT_EDIT; /* a generic address */
    }
    if (act.kind == PTX_ACT_EDIT) {
        if (!b->maps_change) {
            return;
        }
        const ptx_value to = operand(v, step, &parts, 0);
        act.at = to == PTX_UNKNOWN ? to : ptx_value_bare(v, to);
    }
    act.guard = c->guarded ? guard_of(v, step, c) : (ptx_condition){0};
    add_whole(p, act, &parts);
}

/* What another thread's stores may be waited for with. */
static int reads_signals(tma_ptx_span opcode) {
    static const char *const words[] = {"ld.acquire.", "ld.volatile.", "ld.relaxed.", "atom."};
    for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
        if (ptx_begins(opcode, words[i])) {
            return 1;
        }
    }
    return 0;
}

static void take_step(builder *b, uint32_t i) {
    const ptx_graph *g = b->p->v->g;
    const ptx_step *step = &g->step[i];
    const ptx_code *c = &g->codes->code[step->row];
    if (ptx_step_is_opaque(g, step)) {
        if (!ptx_call_is_harmless(g, step)) {
            add(b->p, (ptx_act){.kind = PTX_ACT_CALL, .step = i});
        }
    } else if (step->kind == PTX_STEP_ROW && c->op == PTX_OP_OTHER) {
        if (c->name >= g->codes->opcodes) { /* no statement of the file has an opcode */
            return;
        }
        take_opcode(b, i, c);
        if (reads_signals(g->codes->opcode[c->name]) && g->node[step->block].loop != PTX_NONE) {
            add(b->p, (ptx_act){.kind = PTX_ACT_SYNC, .traits = PTX_OF_MEMORY, .step = i});
        }
    } else if (c->op == PTX_OP_EXIT || (c->op == PTX_OP_RETURN && step->context == 0)) {
        ptx_act act = {.kind = PTX_ACT_END, .is_guarded = c->guarded, .step = i};
        act.guard = c->guarded ? guard_of(b->p->v, step, c) : (ptx_condition){0};
        add(b->p, act);
    }
}

/* Instructions that do nothing but give a value. */
static int only_gives(const ptx_code *c) {
    return c->defs == 1 && ptx_op_is_value(c->op);
}

static int is_used(const ptx_protocol *p, uint32_t of, int deep, uint32_t *budget);

/* Whether ways from a block lead on to another one past nothing but values that nobody looks at. */
/* NOLINTNEXTLINE(misc-no-recursion): MOST_GIVEN */
static int leads_idly(const ptx_protocol *p, uint32_t block, uint32_t to, int deep,
                      uint32_t *budget) {
    const ptx_graph *g = p->v->g;
    for (int blocks = 0; block != to; blocks++) {
        const ptx_node *n = &g->node[block];
        if (n->outs != 1 || blocks == MOST_GIVEN) {
            return 0;
        }
        for (uint32_t i = n->first; i < n->end; i++) {
            const ptx_step *step = &g->step[i];
            const ptx_code *c = &g->codes->code[step->row];
            if (step->kind != PTX_STEP_ROW ||
                (c->op != PTX_OP_BRANCH &&
                 (!only_gives(c) || is_used(p, step->row, deep - 1, budget)))) {
                return 0;
            }
        }
        block = g->out[n->first_out];
    }
    return 1;
}

/* Whether a branch decides nothing: it has one way, or one of its ways leads idly on to the other.
 */
/* NOLINTNEXTLINE(misc-no-recursion): MOST_GIVEN */
static int decides_nothing(const ptx_protocol *p, uint32_t row, int deep, uint32_t *budget) {
    const ptx_graph *g = p->v->g;
    int nothing = g->codes->code[row].op == PTX_OP_BRANCH;
    for (uint32_t i = 0; nothing && i<g->reached; i++, *budget -= *budget> 0) {
        const ptx_node *n = &g->node[g->ordered[i]];
        const uint32_t *to = &g->out[n->first_out];
        if (n->first < n->end && g->step[n->end - 1].row == row && n->outs != 1) {
            nothing = deep && n->outs == 2 &&
                      (leads_idly(p, to[1], to[0], deep, budget) ||
                       leads_idly(p, to[0], to[1], deep, budget));
        }
    }
    return nothing;
}

/* Whether an instruction's result is an operand anywhere, but of what gives a value that is none.
 */
/* NOLINTNEXTLINE(misc-no-recursion): MOST_GIVEN */
static int is_used(const ptx_protocol *p, uint32_t of, int deep, uint32_t *budget) {
    const ptx_rows *rows = p->v->g->rows;
    const ptx_codes *codes = p->v->g->codes;
    const ptx_code *c = &codes->code[of];
    const uint32_t function = rows->row[of].function;
    const uint32_t place = c->defs ? codes->def[c->first_def] : PTX_NONE;
    if (place == PTX_NONE || function == PTX_NONE || !deep) {
        return 1;
    }
    for (uint32_t i = rows->function[function].first; i < rows->function[function].end; i++) {
        const ptx_row *row = &rows->row[i];
        int named = 0;
        for (uint32_t k = 0; i != of && k<row->refs; k++, *budget -= *budget> 0) {
            named |= rows->ref[row->first_ref + k].place == place;
        }
        if (named && !(only_gives(&codes->code[i]) && !is_used(p, i, deep - 1, budget)) &&
            !decides_nothing(p, i, deep - 1, budget)) {
            return 1;
        }
    }
    return !*budget;
}

/* A wait that is tried once, and whose answer nobody looks at, is none. */
static void drop_unused(ptx_protocol *p) {
    uint32_t budget = (uint32_t)ptx_budget_most(PTX_BUDGET_REFS);
    for (uint32_t i = 0; i < p->acts && budget; i++) {
        ptx_act *a = &p->act[i];
        if (a->kind == PTX_ACT_AWAIT && !(a->traits & PTX_SPINS) &&
            !is_used(p, p->v->g->step[a->step].row, MOST_GIVEN, &budget)) {
            p->many[PTX_ACT_AWAIT]--;
            a->kind = PTX_ACT_NONE;
        }
    }
    if (!budget) {
        ptx_leave_unjudged(p->r, p->v->g->root, PTX_BUDGET_REFS);
    }
}

/* A bar.arrive on a barrier that nobody waits for holds nobody. */
static void drop_idle(ptx_protocol *p) {
    uint32_t waited = 0;
    for (uint32_t i = 0; i < p->acts; i++) {
        waited |= p->act[i].traits & PTX_GOES_ON ? 0 : ptx_sync_names(p, &p->act[i]);
    }
    for (uint32_t i = 0; i < p->acts; i++) {
        ptx_act *a = &p->act[i];
        const uint32_t names = a->traits & PTX_GOES_ON ? ptx_sync_names(p, a) : 0;
        if (names && !(names & waited)) {
            p->many[PTX_ACT_SYNC]--;
            a->kind = PTX_ACT_NONE;
        }
    }
}

enum { DOES_ACTS = 1, DOES_MORE = 2 };

/* What a loop does with an act in it, beside waiting for barriers, or for memory. */
static uint8_t does_of(const ptx_act *a) {
    if (a->kind == PTX_ACT_AWAIT) {
        return DOES_MORE;
    }
    const int reads = a->kind == PTX_ACT_READ || a->traits & PTX_OF_MEMORY;
    return reads ? DOES_ACTS : DOES_ACTS | DOES_MORE;
}

/* Waits in loops where nothing else is done. */
static void take_spins(ptx_protocol *p) {
    const ptx_graph *g = p->v->g;
    uint8_t *does = ptx_memory_take(p->memory, (size_t)g->loops + 1, 1);
    for (uint32_t i = 0; does && i < p->acts; i++) {
        uint32_t loop = g->node[g->step[p->act[i].step].block].loop;
        for (; loop != PTX_NONE; loop = g->loop[loop].parent) {
            does[loop] |= does_of(&p->act[i]);
        }
    }
    for (uint32_t i = 0; does && i < p->acts; i++) {
        ptx_act *a = &p->act[i];
        const uint32_t loop = g->node[g->step[a->step].block].loop;
        if (a->kind == PTX_ACT_AWAIT && loop != PTX_NONE && !(does[loop] & DOES_ACTS)) {
            a->traits |= PTX_SPINS;
        } else if (a->traits & PTX_OF_MEMORY && does[loop] & DOES_MORE) {
            p->many[PTX_ACT_SYNC]--;
            a->kind = PTX_ACT_NONE;
        }
    }
}

/* Whether a row names the register that an arrival writes its state to. */
static int takes_state(const ptx_protocol *p, const ptx_act *wait, const ptx_act *arrive) {
    const ptx_graph *g = p->v->g;
    const ptx_row *row = &g->rows->row[g->step[wait->step].row];
    const ptx_code *c = &g->codes->code[g->step[arrive->step].row];
    for (uint32_t i = 0; c->defs && i < row->refs; i++) {
        if (g->rows->ref[row->first_ref + i].place == g->codes->def[c->first_def]) {
            return ptx_dominates(g, g->step[arrive->step].block, g->step[wait->step].block);
        }
    }
    return 0;
}

static int is_meeting(const ptx_act *a) {
    return a->kind == PTX_ACT_AWAIT && a->traits & PTX_SPINS && a->traits & PTX_BY_STATE;
}

/* Arrivals whose threads wait for the same phase: all who arrive meet there. */
static void take_meetings(ptx_protocol *p) {
    uint64_t asked = 0;
    for (uint32_t i = 0; i < p->acts; i++) {
        asked += is_meeting(&p->act[i]) ? p->acts : 0;
    }
    if (!ptx_can_judge(p, PTX_BUDGET_MEETINGS, asked)) {
        return;
    }
    for (uint32_t k = 0; k < p->acts; k++) {
        const ptx_act *wait = &p->act[k];
        for (uint32_t i = 0; is_meeting(wait) && i < p->acts; i++) {
            ptx_act *a = &p->act[i];
            if (a->kind == PTX_ACT_ARRIVE && takes_state(p, wait, a)) {
                a->traits |= PTX_MEETS;
            }
        }
    }
}

/* Acts behind loops that wait for memory. */
static void take_signalled(ptx_protocol *p) {
    uint8_t *from = ptx_memory_take(p->memory, (size_t)p->acts + 1, 1);
    int any = 0;
    for (uint32_t i = 0; from && i < p->acts; i++) {
        from[i] = p->act[i].kind == PTX_ACT_SYNC && p->act[i].traits & PTX_OF_MEMORY;
        any |= from[i];
    }
    p->is_signalled = any ? ptx_acts_reached(p, from, NULL, NULL) : NULL;
}

int ptx_protocol_make(ptx_protocol *p, ptx_memory *memory, ptx_report *r, ptx_values *v) {
    const ptx_graph *g = v->g;
    *p = (ptx_protocol){.memory = memory, .r = r, .v = v};
    builder b = {.p = p, .row = ptx_memory_take(memory, (size_t)g->codes->opcodes + 1, 1)};
    p->first = ptx_memory_take(memory, (size_t)g->nodes + 1, sizeof(*p->first));
    b.maps_change = ptx_maps_change(p);
    if (memory->failed || ptx_guards_make(p)) {
        return -1;
    }
    for (uint32_t i = 0; b.row && p->first && i < g->nodes; i++) {
        p->first[i] = p->acts;
        const uint32_t end = p->is_reached[i] ? g->node[i].end : 0;
        for (uint32_t k = g->node[i].first; k < end && !memory->failed; k++) {
            take_step(&b, k);
        }
        p->first[i + 1] = p->acts;
    }
    p->thread_of = ptx_memory_take(memory, (size_t)p->guards + 1, sizeof(*p->thread_of));
    if (memory->failed) {
        return -1;
    }
    p->work = 64 * ((uint64_t)g->steps + g->edges + 100000);
    p->way_work = p->work;
    p->elected = ptx_memory_take(memory, (size_t)p->acts + 1, sizeof(*p->elected));
    ptx_variables_keep(v);
    for (uint32_t i = 0; i < p->acts; i++) {
        p->act[i].reach = ptx_reach_at(p, p->act[i].barrier, &p->act[i]);
    }
    take_spins(p);
    take_meetings(p);
    drop_unused(p);
    drop_idle(p);
    take_signalled(p);
    return ptx_slices_make(p) || memory->failed ? -1 : 0;
}
