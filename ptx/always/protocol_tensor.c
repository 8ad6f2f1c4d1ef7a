/* SPDX-License-Identifier: Apache-2.0
 *
 * tensor-alloc: tensor memory that is not deallocated, or too early, or otherwise than it was
 * allocated. The ways are those of the thread that begins them: what another warp does is its own.
 */
#include "protocol_rules.h"

/* --- which allocation --- */

/* The shared address that tcgen05.alloc's result was read from, of an address in tensor memory; or
 * PTX_UNKNOWN. */
static ptx_value slot_of(const ptx_protocol *p, ptx_value at) {
    const ptx_form f = p->v->forms.form[at];
    for (uint32_t i = 0; at != PTX_UNKNOWN && i < f.terms; i++) {
        const ptx_atom a = p->v->forms.atom[f.term[i].atom];
        const ptx_step *step =
            a.kind == PTX_ATOM_RESULT && !a.b && f.term[i].times == 1 ? &p->v->g->step[a.a] : NULL;
        tma_ptx_parts parts;
        if (!step || step->kind != PTX_STEP_ROW ||
            tma_ptx_split(&parts, &p->v->g->rows->row[step->row].piece) ||
            !tma_ptx_is(&parts, "ld", NULL) || parts.count != 2) {
            continue;
        }
        const ptx_value slot = ptx_value_of_text(p->v, step, parts.operand[1]);
        if (slot != PTX_UNKNOWN) {
            return ptx_form_cut(&p->v->forms, ptx_value_bare(p->v, slot), 32);
        }
    }
    return PTX_UNKNOWN;
}

/* Whether a thread may write the address of an allocation, to hand it on. */
static int may_write(const ptx_protocol *p, const ptx_act *write, ptx_value slot) {
    const uint32_t one = ptx_shared_variable(p->v, write->at);
    const uint32_t other = ptx_shared_variable(p->v, slot);
    return (one == other || one == PTX_NONE || other == PTX_NONE) &&
           ptx_values_alike(p->v, write->at, slot) != PTX_DIFFERENT;
}

/* The only tcgen05.alloc that writes its address there, where nothing else may; or null. */
static const ptx_act *alloc_of(const ptx_protocol *p, ptx_value slot) {
    const ptx_act *only = NULL;
    for (uint32_t i = 0; slot != PTX_UNKNOWN && i < p->acts; i++) {
        if (p->act[i].kind == PTX_ACT_WRITE && may_write(p, &p->act[i], slot)) {
            return NULL;
        }
        if (p->act[i].kind != PTX_ACT_TENSOR_ALLOC) {
            continue;
        }
        const ptx_alike alike = ptx_values_alike(p->v, p->act[i].at, slot);
        if (alike == PTX_MAYBE || (only && alike == PTX_EQUAL)) {
            return NULL;
        }
        only = alike == PTX_EQUAL ? &p->act[i] : only;
    }
    return only;
}

/* Whether what is added to an address leads on in one allocation: numbers, a thread's part, a
 * turn's. What is read from memory or given to the kernel may lead to another one. */
static int is_inside(const ptx_protocol *p, ptx_value added) {
    const ptx_form f = p->v->forms.form[added];
    for (uint32_t i = 0; i < f.terms; i++) {
        const uint32_t atom = f.term[i].atom;
        const uint32_t kind = p->v->forms.atom[atom].kind;
        if (kind != PTX_ATOM_TURN && kind != PTX_ATOM_SPECIAL &&
            ptx_value_hangs(p, ptx_form_atom(&p->v->forms, atom, f.bits)) != PTX_HANGS_THREAD) {
            return 0;
        }
    }
    return 1;
}

/* Whether an access is into what begins at another act's address: that one's and something more, or
 * both from the one place that one allocation was told at, once. */
static int is_in(const ptx_protocol *p, const ptx_act *access, const ptx_act *whole) {
    ptx_forms *forms = &p->v->forms;
    if (access->at == PTX_UNKNOWN || whole->at == PTX_UNKNOWN) {
        return 0;
    }
    const uint32_t terms = forms->form[whole->at].terms, more = forms->form[access->at].terms;
    const ptx_value apart = ptx_form_sum(forms, access->at, whole->at, UINT64_MAX);
    if (terms && apart != PTX_UNKNOWN && forms->form[apart].terms + terms == more) {
        return is_inside(p, apart);
    }
    const ptx_value slot = slot_of(p, whole->at);
    const ptx_act *alloc = alloc_of(p, slot);
    return alloc && p->v->g->node[ptx_act_block(p, alloc)].loop == PTX_NONE &&
           ptx_values_alike(p->v, slot, slot_of(p, access->at)) == PTX_EQUAL;
}

/* --- which threads --- */

static int has_condition(const ptx_protocol *p, const ptx_act *act, const ptx_condition *is) {
    ptx_guard_walk at = {0};
    for (ptx_condition c; ptx_act_condition(p, act, &at, &c);) {
        if (ptx_conditions_same(&c, is)) {
            return 1;
        }
    }
    return 0;
}

/* Whether who runs an act runs another one, too: all its conditions are that one's. */
static int runs_with(const ptx_protocol *p, const ptx_act *act, const ptx_act *other) {
    ptx_guard_walk at = {0};
    for (ptx_condition c; ptx_act_condition(p, act, &at, &c);) {
        if (!has_condition(p, other, &c)) {
            return 0;
        }
    }
    return 1;
}

/* Whether a launch's parameters may keep the warp that allocates from an act, and nothing else does
 * but loops, which end. */
static int hangs_on_launch(const ptx_protocol *p, const ptx_act *act, const ptx_act *alloc) {
    ptx_guard_walk at = {0};
    int hangs = 0;
    for (ptx_condition c; ptx_act_condition(p, act, &at, &c);) {
        if (has_condition(p, alloc, &c) ||
            (c.key != PTX_UNKNOWN && !ptx_is_constant(p->v, c.key))) {
            continue;
        }
        if (ptx_condition_hangs(p, &c) != PTX_HANGS_UNIFORM) {
            return 0;
        }
        hangs = 1;
    }
    return hangs;
}

/* --- never deallocated --- */

enum { HELD, FREED, KEPT_PLANES };

static int is_never_freed(ptx_protocol *p, const ptx_act *end, const ptx_act *alloc) {
    (void)end;
    (void)alloc;
    return p->many[PTX_ACT_TENSOR_FREE] ? PTX_NOT : PTX_SURE;
}

static int is_freed_by_launch(ptx_protocol *p, const ptx_act *end, const ptx_act *alloc) {
    (void)end;
    for (uint32_t i = 0; i < p->acts; i++) {
        if (p->act[i].kind == PTX_ACT_TENSOR_FREE && !hangs_on_launch(p, &p->act[i], alloc)) {
            return PTX_NOT;
        }
    }
    return p->many[PTX_ACT_TENSOR_FREE] ? PTX_MAY : PTX_NOT;
}

#define KEEPS(certain, why, sentence)                                                              \
    {                                                                                              \
        .access = PTX_KIND(END), .open = PTX_HERE(HELD), .most = (certain),                        \
        .rule = PTX_RULE_TENSOR_ALLOC, .is = (why), .text = (sentence),                            \
    }

const ptx_paths ptx_rule_tensor_kept = {
    .seeds = PTX_KIND(TENSOR_ALLOC),
    .needs = PTX_KIND(END),
    .planes = KEPT_PLANES,
    .crossed = KEPT_PLANES,
    .by_turn = 1,
    .stays_own = 1,
    .passing = {{PTX_KIND(TENSOR_FREE), 0, PTX_HERE(HELD), PTX_MOVES, FREED, NULL, NULL},
                {PTX_KIND(CALL), 0, PTX_BELOW(KEPT_PLANES), PTX_ENDS, 0, NULL, NULL}},
    .claim = {KEEPS(PTX_SURE, is_never_freed,
                    "allocates tensor memory that is still allocated where the kernel ends, at "
                    "line @: no tcgen05.dealloc is in it. Put tcgen05.dealloc, with the same "
                    "address and columns, before each end"),
              KEEPS(PTX_MAY, is_freed_by_launch,
                    "allocates tensor memory, and a path leads to the end, at line @, with no "
                    "tcgen05.dealloc on it. Put one on each path, before its end")},
};

/* --- used, or deallocated again, after that --- */

static int uses_freed(ptx_protocol *p, const ptx_act *a, const ptx_act *freed) {
    return runs_with(p, a, freed) && is_in(p, a, freed) ? PTX_SURE : PTX_NOT;
}

#define AFTER_FREE(kinds, sentence)                                                                \
    {                                                                                              \
        .access = (kinds), .open = PTX_HERE(0), .most = PTX_SURE, .about_access = 1,               \
        .rule = PTX_RULE_TENSOR_ALLOC, .unless = PTX_UNLESS_ACT, .is = uses_freed,                 \
        .text = (sentence),                                                                        \
    }

#define ENDS_AT(kinds)                                                                             \
    { (kinds), 0, PTX_HERE(0), PTX_ENDS, 0, NULL, NULL }

const ptx_paths ptx_rule_tensor_freed = {
    .seeds = PTX_KIND(TENSOR_FREE),
    .needs = PTX_KIND(TENSOR_FREE),
    .planes = 1,
    .by_turn = 1,
    .stays_own = 1,
    .passing = {ENDS_AT(PTX_KIND(TENSOR_ALLOC) | PTX_KIND(CALL))},
    .claim = {AFTER_FREE(PTX_KIND(TENSOR_LOAD) | PTX_KIND(TENSOR_PRODUCT) | PTX_KIND(TENSOR_USE),
                         "uses tensor memory that line @ deallocates. Put tcgen05.dealloc after "
                         "the last use"),
              AFTER_FREE(
                  PTX_KIND(TENSOR_FREE),
                  "deallocates again what line @ deallocates: no allocation is at that address "
                  "any more. Leave one of the two out")},
};

/* --- deallocated too early --- */

enum { UNDER_WAY, OVER, EARLY_PLANES };

/* A load, or a product, is under way in what is deallocated. */
static int frees_under(ptx_protocol *p, const ptx_act *a, const ptx_act *access) {
    return runs_with(p, a, access) && is_in(p, access, a) ? PTX_SURE : PTX_NOT;
}

#define FREED_EARLY(kind, waits, sentence)                                                         \
    {                                                                                              \
        .seeds = PTX_KIND(kind), .needs = PTX_KIND(TENSOR_FREE), .planes = EARLY_PLANES,           \
        .crossed = EARLY_PLANES, .by_turn = 1, .stays_own = 1,                                     \
        .passing = {{(waits), 0, PTX_HERE(UNDER_WAY), PTX_MOVES, OVER, NULL, NULL},                \
                    {PTX_KIND(CALL), 0, PTX_BELOW(EARLY_PLANES), PTX_ENDS, 0, NULL, NULL}},        \
        .claim = {{                                                                                \
            .access = PTX_KIND(TENSOR_FREE),                                                       \
            .open = PTX_HERE(UNDER_WAY),                                                           \
            .shut = PTX_EVER(OVER),                                                                \
            .most = PTX_SURE,                                                                      \
            .about_access = 1,                                                                     \
            .rule = PTX_RULE_TENSOR_ALLOC,                                                         \
            .unless = PTX_UNLESS_ACT,                                                              \
            .is = frees_under,                                                                     \
            .text = (sentence),                                                                    \
        }},                                                                                        \
    }

const ptx_paths ptx_rule_tensor_loaded =
    FREED_EARLY(TENSOR_LOAD, PTX_KIND(TENSOR_WAIT),
                "deallocates tensor memory that line @ still loads: no tcgen05.wait::ld is on any "
                "path from there to here. Put tcgen05.wait::ld.sync.aligned before it");

const ptx_paths ptx_rule_tensor_made =
    FREED_EARLY(TENSOR_PRODUCT, PTX_KIND(AWAIT) | PTX_KIND(SYNC) | PTX_KIND(WARP),
                "deallocates tensor memory that line @ still writes: no wait for a barrier is on "
                "any path from there to here. Put tcgen05.commit after line @, and "
                "mbarrier.try_wait.parity for its barrier in a loop before the deallocation");

/* --- allocated without the permit --- */

static int lacks_permit(ptx_protocol *p, const ptx_act *a, const ptx_act *gives) {
    return runs_with(p, a, gives) ? PTX_SURE : PTX_NOT;
}

const ptx_paths ptx_rule_tensor_permit = {
    .seeds = PTX_KIND(TENSOR_PERMIT),
    .needs = PTX_KIND(TENSOR_ALLOC),
    .planes = 1,
    .by_turn = 1,
    .stays_own = 1,
    .passing = {ENDS_AT(PTX_KIND(CALL))},
    .claim = {{
        .access = PTX_KIND(TENSOR_ALLOC),
        .open = PTX_HERE(0),
        .most = PTX_SURE,
        .about_access = 1,
        .rule = PTX_RULE_TENSOR_ALLOC,
        .unless = PTX_UNLESS_ACT,
        .is = lacks_permit,
        .text = "allocates tensor memory after line @ gave up the right to: "
                "tcgen05.relinquish_alloc_permit is for the CTA's last allocation. Put it after "
                "this one",
    }},
};

/* --- other columns --- */

void ptx_tensor_check(ptx_protocol *p) {
    const uint64_t frees = p->many[PTX_ACT_TENSOR_FREE];
    if (!ptx_can_judge(p, PTX_BUDGET_LIFE, frees * p->acts)) {
        return;
    }
    for (uint32_t i = 0; frees && i < p->acts; i++) {
        const ptx_act *a = &p->act[i];
        const ptx_act *alloc =
            a->kind == PTX_ACT_TENSOR_FREE ? alloc_of(p, slot_of(p, a->at)) : NULL;
        uint64_t given = 0, taken = 0;
        if (alloc && ptx_value_number(p->v, a->number, &given) &&
            ptx_value_number(p->v, alloc->number, &taken) && (uint32_t)given != (uint32_t)taken) {
            ptx_protocol_say_unless(p, PTX_RULE_TENSOR_ALLOC, 1, PTX_UNLESS_ACT, a, alloc,
                                    "deallocates other columns of tensor memory, %u, than line %d "
                                    "allocates, %u. Put the same number into both",
                                    (unsigned)given, ptx_act_line(p, alloc), (unsigned)taken);
        }
    }
}
