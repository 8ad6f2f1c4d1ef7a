/* SPDX-License-Identifier: Apache-2.0
 *
 * Loops that go on to another stage of a ring without waiting: proxy-load where they load,
 * wait-missing where they read. All of it is "may": how often a loop turns is not known.
 */
#include "protocol_shapes.h"

#define LEAST_RING_B 1024 /* what moves less stays in one tile */
#define DESCRIPTOR_B 16   /* the unit of a matrix descriptor's address */
#define WARP         32
#define MOST_USES    64 /* loads of which it is asked who waits for them */

typedef struct loop_facts {
    uint8_t syncs;        /* a barrier of threads, a group, a call */
    uint8_t warp_syncs;   /* a barrier of a warp */
    uint8_t waits;        /* for an mbarrier */
    uint8_t reader_waits; /* on which readers arrive, as far as is known */
    uint8_t groups;       /* waits for stores */
    uint8_t said;
} loop_facts;

static uint32_t loop_of(const ptx_protocol *p, const ptx_act *a) {
    return p->v->g->node[p->v->g->step[a->step].block].loop;
}

static void take_facts(const ptx_protocol *p, loop_facts *facts) {
    const ptx_graph *g = p->v->g;
    for (uint32_t i = 0; i < p->acts; i++) {
        const ptx_act *a = &p->act[i];
        const int waits = a->kind == PTX_ACT_AWAIT && a->traits & PTX_SPINS;
        const int of_warp = a->kind == PTX_ACT_SYNC && a->traits & PTX_OF_WARP;
        const int syncs = (a->kind == PTX_ACT_SYNC && !of_warp) || a->kind == PTX_ACT_CALL;
        const int groups = a->kind == PTX_ACT_WAIT_GROUP;
        const int reader_waits =
            waits && ptx_barrier_anywhere(p, a, PTX_ACT_ARRIVE) != PTX_DIFFERENT;
        const int any = waits || syncs || of_warp || groups;
        for (uint32_t loop = loop_of(p, a); any && loop != PTX_NONE; loop = g->loop[loop].parent) {
            facts[loop].syncs |= (uint8_t)syncs;
            facts[loop].warp_syncs |= (uint8_t)of_warp;
            facts[loop].waits |= (uint8_t)waits;
            facts[loop].reader_waits |= (uint8_t)reader_waits;
            facts[loop].groups |= (uint8_t)groups;
        }
    }
}

typedef enum move { STAYS, RING, GOES_ON, NOT_KNOWN } move;

/* How an address moves with the turns of a loop: `unit_B` bytes are one, and what moves less than
 * `tile_B` stays in one tile. */
static move move_in(const ptx_protocol *p, ptx_value address, uint32_t loop, uint32_t unit_B,
                    int64_t tile_B) {
    ptx_forms *forms = &p->v->forms;
    const ptx_form f = forms->form[address];
    move most = address == PTX_UNKNOWN ? NOT_KNOWN : STAYS;
    for (uint32_t i = 0; i < f.terms; i++) {
        const ptx_atom a = forms->atom[f.term[i].atom];
        int64_t low = 0;
        int64_t high = 0;
        if (a.loop == PTX_NONE || !ptx_loop_in_loop(p->v->g, a.loop, loop)) {
            continue;
        }
        if (a.kind == PTX_ATOM_TURN) {
            return GOES_ON;
        }
        const uint32_t shift = f.bits < 64 ? 64 - f.bits : 0;
        const int64_t times = (int64_t)(f.term[i].times << shift) >> shift;
        if (!ptx_value_range(p, ptx_form_atom(forms, f.term[i].atom, f.bits), &low, &high)) {
            return NOT_KNOWN;
        }
        const int64_t moves = (high - low) * (times < 0 ? -times : times) * (int64_t)unit_B;
        most = moves >= tile_B ? RING : most;
    }
    return most;
}

/* `by_warps`: by another warp, as far as the first threads of warps say. */
static int is_read_by_others(const ptx_protocol *p, const ptx_act *load, int by_warps,
                             const ptx_act **reader) {
    *reader = ptx_reader_of(p, load, by_warps ? PTX_BY_OTHER_WARPS : PTX_BY_OTHERS);
    return *reader || (p->many[PTX_ACT_MMA] && !by_warps);
}

/* Whether some store may read what a load brings. */
static int is_stored(const ptx_protocol *p, const ptx_act *load, const ptx_reach *at) {
    const uint32_t into = ptx_shared_variable(p->v, load->at);
    for (uint32_t i = 0; i < p->acts; i++) {
        const ptx_act *a = &p->act[i];
        if (a->kind != PTX_ACT_STORE) {
            continue;
        }
        const uint32_t from = ptx_shared_variable(p->v, a->at);
        const ptx_reach reach = ptx_reach_of(p, a->at);
        if (into == PTX_NONE || from == PTX_NONE ||
            (into == from &&
             !ptx_reaches_apart(&reach, at, a->bytes_B ? a->bytes_B : PTX_LEAST_COPY_B,
                                load->bytes_B ? load->bytes_B : PTX_LEAST_COPY_B))) {
            return 1;
        }
    }
    return 0;
}

/* Whether who waits for a load's bytes may read them, or tell others of them: else they are brought
 * for the cache's sake. */
static int is_of_use(const ptx_protocol *p, const ptx_act *load) {
    uint8_t *from = ptx_memory_take(p->memory, (size_t)p->acts + 1, 1);
    int waits = 0;
    for (uint32_t i = 0; from && i < p->acts; i++) {
        from[i] = (uint8_t)ptx_is_wait_for(p, &p->act[i], load);
        waits |= from[i];
    }
    const uint8_t *behind = waits ? ptx_blocks_behind(p, from) : NULL;
    uint32_t last = PTX_NONE; /* block with a wait before */
    for (uint32_t i = 0; behind && i < p->acts; i++) {
        const ptx_act *a = &p->act[i];
        const uint32_t block = ptx_act_block(p, a);
        const int tells =
            a->kind == PTX_ACT_READ || a->kind == PTX_ACT_MMA || a->kind == PTX_ACT_FETCH ||
            a->kind == PTX_ACT_SYNC || a->kind == PTX_ACT_ARRIVE || a->kind == PTX_ACT_PEER ||
            a->kind == PTX_ACT_STORE || a->kind == PTX_ACT_SEND || a->kind == PTX_ACT_CALL;
        if (tells && (behind[block] || last == block)) {
            return 1;
        }
        last = from[i] ? block : last;
    }
    return !behind;
}

static void check_load(ptx_protocol *p, const ptx_act *load, loop_facts *facts, uint32_t *asked) {
    const ptx_graph *g = p->v->g;
    const ptx_reach at = ptx_reach_of(p, load->at);
    const uint32_t block = g->step[load->step].block;
    const ptx_act *reader = NULL;
    for (uint32_t loop = loop_of(p, load); loop != PTX_NONE; loop = g->loop[loop].parent) {
        if (facts[loop].syncs || facts[loop].reader_waits || facts[loop].said & 1 ||
            (facts[loop].warp_syncs && !p->has_warps) ||
            (facts[loop].groups && is_stored(p, load, &at))) {
            return;
        }
        const move moves = move_in(p, load->at, loop, 1, LEAST_RING_B);
        if (moves == NOT_KNOWN) {
            return;
        }
        if (moves != GOES_ON && !ptx_comes_to_each_once(p, block, loop_of(p, load), loop, &at) &&
            is_read_by_others(p, load, facts[loop].warp_syncs, &reader) &&
            (++*asked > MOST_USES || is_of_use(p, load))) {
            facts[loop].said |= 1;
            ptx_protocol_say_turns(
                p, loop, PTX_RULE_PROXY_LOAD, 0, load, reader,
                "comes back to the same shared memory in a loop (line %d) in which "
                "nothing says that its readers are done: no wait for a barrier that "
                "they arrive on, no barrier of threads (how often the loop turns is "
                "not known). Put a wait for the stage's empty barrier before the load",
                ptx_loop_line(p, loop));
            return;
        }
    }
}

static const ptx_act *load_into(const ptx_protocol *p, uint32_t variable) {
    for (uint32_t i = 0; variable != PTX_NONE && i < p->acts; i++) {
        if (p->act[i].kind == PTX_ACT_LOAD && ptx_shared_variable(p->v, p->act[i].at) == variable) {
            return &p->act[i];
        }
    }
    return NULL;
}

/* The largest stage that loads of a variable go on by, or bring; INT64_MAX: it is not known, or
 * they all go to one place, which is no ring. */
static int64_t tile_of(const ptx_protocol *p, uint32_t variable) {
    int64_t tile_B = LEAST_RING_B;
    ptx_value place = PTX_UNKNOWN;
    int is_ring = 0;
    for (uint32_t i = 0; i < p->acts; i++) {
        const ptx_act *a = &p->act[i];
        if (a->kind == PTX_ACT_LOAD && ptx_shared_variable(p->v, a->at) == variable) {
            const ptx_reach at = ptx_reach_of(p, a->at);
            is_ring |=
                at.base == PTX_UNKNOWN || at.step || (place != PTX_UNKNOWN && place != a->at);
            place = a->at;
            const int64_t one_B = at.base == PTX_UNKNOWN && !a->bytes_B ? INT64_MAX
                                  : (int64_t)at.step > a->bytes_B       ? (int64_t)at.step
                                                                        : a->bytes_B;
            tile_B = one_B > tile_B ? one_B : tile_B;
        }
    }
    return is_ring ? tile_B : INT64_MAX;
}

/* Bytes of an access or a copy, from where it begins for a thread that may run it, in the first
 * turns of all loops, the variable at PTX_PLACE_B; of a write those of the threads of its warp,
 * too, which write side by side. 0: they are not known. */
static int64_t bytes_of(const ptx_protocol *p, const ptx_act *a, uint32_t variable, uint64_t *at) {
    ptx_first t = {.p = p, .around = PTX_NONE, .variable = variable, .address = PTX_PLACE_B};
    t.thread = ptx_act_thread(p, a);
    t.follows = 1;
    t.first_cta = 1;
    if (!ptx_value_first(&t, a->at, at)) {
        return 0;
    }
    return a->kind == PTX_ACT_WRITE && t.by_thread ? (int64_t)a->bytes_B * WARP
           : a->bytes_B                            ? (int64_t)a->bytes_B
                                                   : PTX_LEAST_COPY_B;
}

/* Whether threads write what is read, and all copies into the variable are known to begin elsewhere
 * than at what is read. */
static int is_written_alone(const ptx_protocol *p, const ptx_act *read) {
    const uint32_t variable = ptx_shared_variable(p->v, read->at);
    uint64_t at = 0;
    uint64_t there = 0;
    int is_written = 0;
    if (read->kind != PTX_ACT_READ || !bytes_of(p, read, variable, &at)) {
        return 0;
    }
    for (uint32_t i = 0; i < p->acts; i++) {
        const ptx_act *a = &p->act[i];
        const int loads = a->kind == PTX_ACT_LOAD;
        if ((!loads && (a->kind != PTX_ACT_WRITE || is_written)) ||
            ptx_shared_variable(p->v, a->at) != variable) {
            continue;
        }
        const int64_t bytes_B = bytes_of(p, a, variable, &there);
        const int64_t in_B = (int64_t)at - (int64_t)there;
        const int is_there = in_B >= 0 && in_B < bytes_B;
        if (loads && (!bytes_B || is_there)) {
            return 0;
        }
        is_written |= is_there;
    }
    return is_written;
}

static void check_read(ptx_protocol *p, const ptx_act *read, loop_facts *facts) {
    const ptx_graph *g = p->v->g;
    const int is_fetch = read->kind == PTX_ACT_FETCH;
    const ptx_value at = is_fetch ? read->number : read->at;
    const ptx_act *load = load_into(p, ptx_shared_variable(p->v, at));
    for (uint32_t loop = loop_of(p, read); load && loop != PTX_NONE; loop = g->loop[loop].parent) {
        if (facts[loop].syncs || facts[loop].warp_syncs || facts[loop].waits ||
            facts[loop].said & 2) {
            return;
        }
        const uint32_t unit_B = is_fetch ? DESCRIPTOR_B : 1;
        if (move_in(p, at, loop, unit_B, LEAST_RING_B) == RING &&
            move_in(p, at, loop, unit_B, tile_of(p, ptx_shared_variable(p->v, at))) == RING &&
            !is_written_alone(p, read)) {
            facts[loop].said |= 2;
            ptx_protocol_say_turns(
                p, loop, PTX_RULE_WAIT_MISSING, 0, read, load,
                "reads another stage of shared memory in each turn of a loop (line "
                "%d) that waits for no mbarrier: nothing says that its bytes are "
                "there. Put mbarrier.try_wait.parity on the stage's barrier in a loop "
                "before it",
                ptx_loop_line(p, loop));
            return;
        }
    }
}

void ptx_turns_check(ptx_protocol *p) {
    const uint64_t asked = (uint64_t)p->many[PTX_ACT_READ] + p->many[PTX_ACT_FETCH] +
                           p->many[PTX_ACT_LOAD] + p->many[PTX_ACT_AWAIT];
    loop_facts *facts = ptx_memory_take(p->memory, (size_t)p->v->g->loops + 1, sizeof(*facts));
    uint32_t asked_uses = 0;
    if (!facts || !p->many[PTX_ACT_LOAD] || !p->v->g->loops ||
        !ptx_can_judge(p, PTX_BUDGET_TURNS, asked * p->acts)) {
        return;
    }
    take_facts(p, facts);
    for (uint32_t i = 0; i < p->acts; i++) {
        const ptx_act *a = &p->act[i];
        if (a->kind == PTX_ACT_LOAD) {
            check_load(p, a, facts, &asked_uses);
        } else if (a->kind == PTX_ACT_READ || a->kind == PTX_ACT_FETCH) {
            check_read(p, a, facts);
        }
    }
}
