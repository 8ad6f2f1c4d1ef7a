/* SPDX-License-Identifier: Apache-2.0
 *
 * wait-missing: shared memory that copies fill is read, by wgmma too, in a thread that came past no
 * wait for any of these copies, nor past anything that another one may have told it by.
 */
#include <string.h>

#include "protocol_shapes.h"

#define MOST_ROUNDS 8 /* threads that tell each other one after the other */

typedef struct place {
    uint32_t variable;
    uint64_t at;
    int is_known;
} place;

typedef struct reads {
    ptx_protocol *p;
    uint8_t *seeds;    /* by act: it is looked at */
    uint32_t *load_of; /* by act: a copy that fills what it reads, + 1 */
    uint8_t *tells;    /* by act: another thread may have waited for some copy, and told of it */
    uint8_t *hears; /* by act: of what tells, a barrier that no thread waited before, in its code */
    place *place;   /* by act */
    uint32_t *load; /* acts that are copies */
    uint32_t loads;
    uint64_t answered; /* by seed */
    int passes_loops;  /* ways go through no loop that the read is not in */
    uint8_t *begins;   /* by loop: but through those that are known to have a turn */
    uint64_t *passed;  /* by loop: seeds that are not in it, or not in one around it */
} reads;

static ptx_value place_of(const ptx_act *read) {
    return read->kind == PTX_ACT_FETCH ? read->number : read->at;
}

/* Where the bytes of reads and copies begin, for the first thread in the first turns of all loops,
 * the variable at PTX_PLACE_B; joins: on some way, where it hangs on that. */
static void take_places(reads *r, int joins) {
    const ptx_protocol *p = r->p;
    for (uint32_t i = 0; i < p->acts; i++) {
        const ptx_act *a = &p->act[i];
        if (r->place[i].is_known || (a->kind != PTX_ACT_READ && a->kind != PTX_ACT_FETCH &&
                                     (joins || a->kind != PTX_ACT_LOAD))) {
            continue;
        }
        const uint32_t variable = ptx_shared_variable(p->v, place_of(a));
        ptx_first t = {.p = p, .around = PTX_NONE, .variable = variable, .address = PTX_PLACE_B};
        uint64_t bits = 0;
        t.first_cta = 1;
        t.joins = joins;
        if (variable != PTX_NONE && ptx_value_first(&t, place_of(a), &bits)) {
            r->place[i] =
                (place){variable,
                        a->kind == PTX_ACT_FETCH ? ptx_descriptor_place(bits) : (uint32_t)bits, 1};
        }
    }
}

/* Where an MMA reads is often not known: then each copy into the same variable may bring it. */
static int is_filled_by(const reads *r, uint32_t read, uint32_t load) {
    const place *x = &r->place[read];
    const place *y = &r->place[load];
    if (r->p->act[load].kind == PTX_ACT_LOAD && r->p->act[read].kind == PTX_ACT_FETCH &&
        !x->is_known) {
        const uint32_t variable = ptx_shared_variable(r->p->v, r->p->act[read].number);
        return variable != PTX_NONE && variable == ptx_shared_variable(r->p->v, r->p->act[load].at);
    }
    const uint32_t bytes_B = r->p->act[load].bytes_B;
    return r->p->act[load].kind == PTX_ACT_LOAD && x->is_known && y->is_known &&
           x->variable == y->variable && x->at >= y->at &&
           x->at - y->at < (bytes_B ? bytes_B : PTX_LEAST_COPY_B);
}

/* The first read of each block whose bytes a copy is proved to bring. */
static void take_seeds(reads *r) {
    const ptx_protocol *p = r->p;
    uint32_t seeded[2] = {PTX_NONE, PTX_NONE};
    for (uint32_t i = 0; i < p->acts; i++) {
        const ptx_act *read = &p->act[i];
        if (read->kind != PTX_ACT_READ && read->kind != PTX_ACT_FETCH) {
            continue;
        }
        r->load_of[i] = 0;
        for (uint32_t at = 0; at < r->loads && !r->load_of[i]; at++) {
            const uint32_t k = r->load[at];
            if ((!r->passes_loops || r->place[i].is_known) && is_filled_by(r, i, k) &&
                p->act[k].barrier != PTX_UNKNOWN &&
                !ptx_dominates(p->v->g, ptx_act_block(p, read), ptx_act_block(p, &p->act[k]))) {
                r->load_of[i] = k + 1;
            }
        }
        const uint32_t block = ptx_act_block(p, read);
        uint32_t *last = &seeded[read->kind == PTX_ACT_FETCH]; /* block with one before */
        r->seeds[i] = r->load_of[i] && *last != block;
        *last = r->seeds[i] ? block : *last;
    }
}

/* Whether a wait is for some copy. */
static int is_wait_for_some(const ptx_protocol *p, const ptx_act *wait) {
    for (uint32_t i = 0; i < p->acts; i++) {
        if (p->act[i].kind == PTX_ACT_LOAD && ptx_is_wait_for(p, wait, &p->act[i])) {
            return 1;
        }
    }
    return 0;
}

/* Whether an arrival that a wait is for stands behind something. */
static int is_told(const ptx_protocol *p, const ptx_act *wait, const uint8_t *behind) {
    for (uint32_t i = 0; wait->kind == PTX_ACT_AWAIT && i < p->acts; i++) {
        if (p->act[i].kind == PTX_ACT_ARRIVE && behind[ptx_act_block(p, &p->act[i])] &&
            ptx_is_wait_for(p, wait, &p->act[i])) {
            return 1;
        }
    }
    return 0;
}

/* Whether other threads than those at a barrier come to the same one behind what they waited for.
 * Not those that run the same code: they may have come there before they waited. */
static int others_meet(const ptx_protocol *p, const ptx_act *sync, const uint8_t *is_behind) {
    const uint32_t names = ptx_sync_names(p, sync);
    for (uint32_t i = 0; names && i < p->acts; i++) {
        if (is_behind[i] && (ptx_sync_names(p, &p->act[i]) & names) != 0 &&
            ptx_acts_exclude(p, &p->act[i], sync)) {
            return 1;
        }
    }
    return 0;
}

/* By act: whether some thread comes to it behind what `from` marks. */
static uint8_t *acts_behind(const ptx_protocol *p, const uint8_t *from, const uint8_t *behind) {
    uint8_t *is = ptx_memory_take(p->memory, (size_t)p->acts + 1, 1);
    uint32_t last = PTX_NONE; /* block with one before */
    for (uint32_t i = 0; is && i < p->acts; i++) {
        const uint32_t block = ptx_act_block(p, &p->act[i]);
        is[i] = behind[block] || last == block;
        last = from[i] ? block : last;
    }
    return is;
}

/* What some thread comes to behind what `from` marks, and others learn of: a barrier of threads, an
 * arrival, and then whatever waits for what has arrived. 0: nothing is new. */
static int tell(reads *r, const uint8_t *from) {
    const ptx_protocol *p = r->p;
    const uint8_t *behind = ptx_blocks_behind(p, from);
    const uint8_t *is_behind = behind ? acts_behind(p, from, behind) : NULL;
    int is_new = 0;
    for (uint32_t i = 0; is_behind && i < p->acts; i++) {
        const ptx_act *a = &p->act[i];
        const int syncs = a->kind == PTX_ACT_SYNC && !(a->traits & PTX_GOES_ON) &&
                          (is_behind[i] || others_meet(p, a, is_behind));
        r->hears[i] = (uint8_t)(syncs && !is_behind[i]);
        if (!r->tells[i] && (a->kind == PTX_ACT_CALL || syncs || is_told(p, a, behind))) {
            r->tells[i] = 1;
            is_new = 1;
        }
    }
    return is_new;
}

/* By block: whether some way from there leads to a copy. */
static uint8_t *leads_to_copies(const ptx_protocol *p) {
    uint8_t *is = ptx_memory_take(p->memory, (size_t)p->v->g->nodes + 1, 1);
    uint32_t *todo = ptx_memory_take(p->memory, (size_t)p->v->g->nodes + 1, sizeof(*todo));
    for (uint32_t i = 0; is && i < p->acts; i++) {
        is[ptx_act_block(p, &p->act[i])] |= p->act[i].kind == PTX_ACT_LOAD;
    }
    if (is && todo) {
        ptx_blocks_mark_leading(p, is, todo);
    }
    return todo ? is : NULL;
}

/* Who is told, and does not go on to fill the stage again, may tell others. */
static void take_tells(reads *r) {
    const ptx_protocol *p = r->p;
    const uint8_t *loads = leads_to_copies(p);
    uint8_t *from = ptx_memory_take(p->memory, (size_t)p->acts + 1, 1);
    int is_new = from && loads;
    for (uint32_t i = 0; is_new && i < p->acts; i++) {
        from[i] = p->act[i].kind == PTX_ACT_AWAIT && is_wait_for_some(p, &p->act[i]);
    }
    for (int round = 0; is_new; round++) {
        is_new = tell(r, from) && round < MOST_ROUNDS;
        for (uint32_t i = 0; i < p->acts; i++) {
            const int waits = p->act[i].kind == PTX_ACT_AWAIT || r->hears[i];
            from[i] |= (r->tells[i] && !(waits && loads[ptx_act_block(p, &p->act[i])])) ||
                       (waits && round == MOST_ROUNDS - 1);
        }
    }
}

/* Whether a wait is for some copy that fills what is read. */
static int waits_for(const reads *r, const ptx_act *wait, uint32_t read) {
    for (uint32_t i = 0; i < r->loads; i++) {
        const ptx_act *load = &r->p->act[r->load[i]];
        if (is_filled_by(r, read, r->load[i]) &&
            (load->barrier == PTX_UNKNOWN ||
             ptx_barriers_alike(r->p, wait, load) != PTX_DIFFERENT)) {
            return 1;
        }
    }
    return 0;
}

/* Seeds that are in no loop of an act's that may have no turn: ways through it do not count. */
static uint64_t passed_by(const ptx_flood *f, uint32_t act) {
    const reads *r = *(reads **)f->context;
    const uint32_t loop = r->passes_loops ? ptx_act_loop(f->p, &f->p->act[act]) : PTX_NONE;
    return loop == PTX_NONE ? 0 : r->passed[loop];
}

/* For all loops, where 64 seeds begin. */
static void take_passed(reads *r, const ptx_flood *f) {
    const ptx_graph *g = f->p->v->g;
    for (uint32_t i = 0; i < g->loops && r->passes_loops; i++) {
        r->passed[i] = 0;
        for (uint32_t loop = i; loop != PTX_NONE; loop = g->loop[loop].parent) {
            for (uint32_t k = 0; !r->begins[loop] && k < f->seeds; k++) {
                const uint32_t block = ptx_act_block(f->p, &f->p->act[f->seed[k]]);
                r->passed[i] |= (uint64_t)!ptx_block_in_loop(g, block, loop) << k;
            }
        }
    }
}

static void pass_read(ptx_flood *f, uint32_t act, uint64_t *plane) {
    const uint64_t by = passed_by(f, act);
    if (by) {
        ptx_flood_drop(f, plane, by);
    }
}

static void hit_read(ptx_flood *f, uint32_t act, const uint64_t *plane) {
    reads *r = *(reads **)f->context;
    const ptx_act *a = &f->p->act[act];
    uint64_t open = plane[0] & ~r->answered;
    if (!open || (!r->tells[act] && a->kind != PTX_ACT_AWAIT)) {
        return;
    }
    open &= ~passed_by(f, act);
    for (uint32_t i = 0; i < f->seeds; i++) {
        if (open >> i & 1 &&
            (r->tells[act] || !r->seeds[f->seed[i]] || waits_for(r, a, f->seed[i]))) {
            r->answered |= UINT64_C(1) << i;
        }
    }
}

static void begin_read(ptx_flood *f) {
    reads *r = *(reads **)f->context;
    r->answered = 0;
    take_passed(r, f);
}

static void say_read(ptx_protocol *p, const ptx_act *load, const ptx_act *read, int passes_loops) {
    const int line = ptx_act_line(p, read);
    if (passes_loops) {
        ptx_protocol_say(p, PTX_RULE_WAIT_MISSING, 0, load, read,
                         "line %d reads the bytes that this copy brings, and no wait for it stands "
                         "on a way to there from the kernel's begin on which no loop before it has "
                         "a turn, nor anything that another thread may have told it by (whether "
                         "there is such a way is not known). Put mbarrier.try_wait.parity on its "
                         "barrier in a loop before line %d",
                         line, line);
    } else {
        ptx_protocol_say(p, PTX_RULE_WAIT_MISSING, 0, load, read,
                         "line %d reads the bytes that this copy brings, and no wait for it stands "
                         "on a way to there in the same turn, nor anything that another thread "
                         "may have told it by (whether it is the same turn's copy is not known). "
                         "Put mbarrier.try_wait.parity on its barrier in a loop before line %d",
                         line, line);
    }
}

static void end_read(ptx_flood *f) {
    reads *r = *(reads **)f->context;
    for (uint32_t i = 0; i < f->seeds; i++) {
        const ptx_act *read = &f->p->act[f->seed[i]];
        if (!r->seeds[f->seed[i]] || r->answered >> i & 1 ||
            (r->passes_loops && !(f->state[0] >> i & 1))) {
            continue;
        }
        const ptx_act *load = &f->p->act[r->load_of[f->seed[i]] - 1];
        if (!ptx_act_is_said(f->p, load, PTX_RULE_WAIT_MISSING)) {
            say_read(f->p, load, read, r->passes_loops);
        }
    }
}

void ptx_reads_check(ptx_protocol *p) {
    const size_t acts = (size_t)p->acts + 1;
    reads r = {.p = p};
    reads *context = &r;
    ptx_flood f = ptx_flood_of(1, pass_read, hit_read, &context, 0);
    f.begin = begin_read;
    f.backwards = 1;
    f.stays_own = 1;
    f.by_turn = 1;
    const uint64_t asked =
        (uint64_t)p->many[PTX_ACT_READ] + p->many[PTX_ACT_FETCH] + p->many[PTX_ACT_AWAIT];
    if (!p->many[PTX_ACT_LOAD] || p->many[PTX_ACT_CALL] || p->is_signalled ||
        !(p->many[PTX_ACT_READ] + p->many[PTX_ACT_FETCH]) ||
        !ptx_can_judge(p, PTX_BUDGET_READS, asked * p->many[PTX_ACT_LOAD])) {
        return;
    }
    r.seeds = ptx_memory_take(p->memory, acts, 1);
    r.tells = ptx_memory_take(p->memory, acts, 1);
    r.hears = ptx_memory_take(p->memory, acts, 1);
    r.load_of = ptx_memory_take(p->memory, acts, sizeof(*r.load_of));
    r.place = ptx_memory_take(p->memory, acts, sizeof(*r.place));
    r.load = ptx_memory_take(p->memory, acts, sizeof(*r.load));
    r.passed = ptx_memory_take(p->memory, (size_t)p->v->g->loops + 1, sizeof(*r.passed));
    r.begins = ptx_memory_take(p->memory, (size_t)p->v->g->loops + 1, 1);
    if (!r.seeds || !r.tells || !r.hears || !r.load_of || !r.place || !r.begins || !r.load ||
        !r.passed || ptx_flood_begin(&f, p)) {
        return;
    }
    for (uint32_t i = 0; i < p->acts; i++) {
        r.load[r.loads] = i;
        r.loads += p->act[i].kind == PTX_ACT_LOAD;
    }
    for (uint32_t i = 0; i < p->v->g->loops; i++) {
        r.begins[i] = (uint8_t)ptx_loop_begins(p, i);
    }
    take_tells(&r);
    for (r.passes_loops = 0; r.passes_loops < 2; r.passes_loops++) {
        take_places(&r, r.passes_loops);
        take_seeds(&r);
        ptx_flood_all(&f, PTX_ACT_READ, end_read);
        ptx_flood_all(&f, PTX_ACT_FETCH, end_read);
    }
}
