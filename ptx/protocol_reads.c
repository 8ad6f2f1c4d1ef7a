/* SPDX-License-Identifier: Apache-2.0
 *
 * wait-missing: shared memory that copies fill is read, by wgmma too, in a thread that came past no
 * wait for any of these copies, nor past anything that another one may have told it by.
 */
#include <string.h>

#include "ptx_protocol.h"

#define MOST_PAIRS   UINT64_C(2000000)
#define LEAST_COPY_B 16
#define PLACE_B      8192 /* of a variable; a descriptor has 18 bits of an address */

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
    place *place;      /* by act */
    uint64_t answered; /* by seed */
} reads;

static ptx_value place_of(const ptx_act *read) {
    return read->kind == PTX_ACT_FETCH ? read->number : read->at;
}

/* Where the bytes of reads and copies begin, for the first thread in the first turns of all loops,
 * the variable at PLACE_B. */
static void take_places(reads *r) {
    const ptx_protocol *p = r->p;
    for (uint32_t i = 0; i < p->acts; i++) {
        const ptx_act *a = &p->act[i];
        if (a->kind != PTX_ACT_READ && a->kind != PTX_ACT_FETCH && a->kind != PTX_ACT_LOAD) {
            continue;
        }
        const uint32_t variable = ptx_shared_variable(p->v, place_of(a));
        ptx_first t = {.p = p, .around = PTX_NONE, .variable = variable, .address = PLACE_B};
        uint64_t bits = 0;
        t.first_cta = 1;
        if (variable != PTX_NONE && ptx_value_first(&t, place_of(a), &bits)) {
            r->place[i] = (place){
                variable, a->kind == PTX_ACT_FETCH ? (bits & 0x3FFF) << 4 : (uint32_t)bits, 1};
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
           x->at - y->at < (bytes_B ? bytes_B : LEAST_COPY_B);
}

/* The first read of each block whose bytes a copy is proved to bring. */
static void take_seeds(reads *r) {
    const ptx_protocol *p = r->p;
    for (uint32_t i = 0; i < p->acts; i++) {
        const ptx_act *read = &p->act[i];
        if (read->kind != PTX_ACT_READ && read->kind != PTX_ACT_FETCH) {
            continue;
        }
        for (uint32_t k = 0; k < p->acts && !r->load_of[i]; k++) {
            if (is_filled_by(r, i, k) && p->act[k].barrier != PTX_UNKNOWN &&
                !ptx_dominates(p->v->g, ptx_act_block(p, read), ptx_act_block(p, &p->act[k]))) {
                r->load_of[i] = k + 1;
            }
        }
        r->seeds[i] = r->load_of[i] != 0;
        for (uint32_t k = p->first[ptx_act_block(p, read)]; k < i; k++) {
            r->seeds[i] &= (uint8_t) !(r->seeds[k] && p->act[k].kind == read->kind);
        }
    }
}

/* What some thread comes to behind a wait, and others learn of: a barrier of threads, an arrival,
 * and then whatever waits for what has arrived. */
static void take_tells(reads *r) {
    const ptx_protocol *p = r->p;
    uint8_t *from = ptx_memory_take(p->memory, (size_t)p->acts + 1, 1);
    for (uint32_t i = 0; from && i < p->acts; i++) {
        from[i] = p->act[i].kind == PTX_ACT_AWAIT;
    }
    const uint8_t *behind = from ? ptx_blocks_behind(p, from) : NULL;
    uint32_t last = PTX_NONE; /* block with a wait before */
    for (uint32_t i = 0; behind && i < p->acts; i++) {
        const ptx_act *a = &p->act[i];
        const uint32_t block = ptx_act_block(p, a);
        if (a->kind == PTX_ACT_CALL ||
            (a->kind == PTX_ACT_SYNC && (behind[block] || last == block))) {
            r->tells[i] = 1;
        }
        last = from[i] ? block : last;
    }
    for (uint32_t i = 0; behind && i < p->acts; i++) {
        for (uint32_t k = 0; p->act[i].kind == PTX_ACT_AWAIT && k < p->acts && !r->tells[i]; k++) {
            r->tells[i] = p->act[k].kind == PTX_ACT_ARRIVE &&
                          behind[ptx_act_block(p, &p->act[k])] &&
                          ptx_barriers_alike(p, &p->act[i], &p->act[k]) != PTX_DIFFERENT;
        }
    }
}

/* Whether a wait is for some copy that fills what is read. */
static int waits_for(const reads *r, const ptx_act *wait, uint32_t read) {
    for (uint32_t i = 0; i < r->p->acts; i++) {
        const ptx_act *load = &r->p->act[i];
        if (is_filled_by(r, read, i) && (load->barrier == PTX_UNKNOWN ||
                                         ptx_barriers_alike(r->p, wait, load) != PTX_DIFFERENT)) {
            return 1;
        }
    }
    return 0;
}

static void pass_read(ptx_flood *f, uint32_t act, uint64_t *plane) {
    (void)f;
    (void)act;
    (void)plane;
}

static void hit_read(ptx_flood *f, uint32_t act, const uint64_t *plane) {
    reads *r = *(reads **)f->context;
    const ptx_act *a = &f->p->act[act];
    uint64_t open = plane[0] & ~r->answered;
    if (!open || (!r->tells[act] && a->kind != PTX_ACT_AWAIT)) {
        return;
    }
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
}

static void end_read(ptx_flood *f) {
    reads *r = *(reads **)f->context;
    for (uint32_t i = 0; i < f->seeds; i++) {
        const ptx_act *read = &f->p->act[f->seed[i]];
        if (!r->seeds[f->seed[i]] || r->answered >> i & 1) {
            continue;
        }
        const ptx_act *load = &f->p->act[r->load_of[f->seed[i]] - 1];
        if (ptx_act_is_said(f->p, load, PTX_RULE_WAIT_MISSING)) {
            continue;
        }
        ptx_protocol_say(f->p, PTX_RULE_WAIT_MISSING, 0, load, read,
                         "line %d reads the bytes that this copy brings, and no wait for it stands "
                         "on a way to there in the same turn, nor anything that another thread "
                         "may have told it by (whether it is the same turn's copy is not known). "
                         "Put mbarrier.try_wait.parity on its barrier in a loop before line %d",
                         ptx_act_line(f->p, read), ptx_act_line(f->p, read));
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
    if (!p->many[PTX_ACT_LOAD] || p->many[PTX_ACT_CALL] || p->is_signalled ||
        (uint64_t)(p->many[PTX_ACT_READ] + p->many[PTX_ACT_FETCH]) * p->many[PTX_ACT_LOAD] >
            MOST_PAIRS) {
        return;
    }
    r.seeds = ptx_memory_take(p->memory, acts, 1);
    r.tells = ptx_memory_take(p->memory, acts, 1);
    r.load_of = ptx_memory_take(p->memory, acts, sizeof(*r.load_of));
    r.place = ptx_memory_take(p->memory, acts, sizeof(*r.place));
    if (!r.seeds || !r.tells || !r.load_of || !r.place || ptx_flood_begin(&f, p)) {
        return;
    }
    take_places(&r);
    take_seeds(&r);
    take_tells(&r);
    ptx_flood_all(&f, PTX_ACT_READ, end_read);
    ptx_flood_all(&f, PTX_ACT_FETCH, end_read);
}
