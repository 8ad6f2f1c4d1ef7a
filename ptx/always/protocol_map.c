/* SPDX-License-Identifier: Apache-2.0
 *
 * map-edit, ptx-fence, ptx-publish: a map in global memory that is edited goes to the tensormap
 * proxy by a release behind the edit and an acquire before the copy, on some way from one to the
 * other.
 */
#include "protocol_rules.h"
#include "ptx_ways.h"

#define MAP_B 128
#define USES  (PTX_KIND(LOAD) | PTX_KIND(STORE) | PTX_KIND(PREFETCH)) /* of maps */

/* How far an address lies behind another one for a thread that may come to an act, in each turn of
 * loops around it or in the first turns of all loops. 1: it is known; by_thread: for that thread.
 */
static int apart_in(const ptx_protocol *p, ptx_value address, ptx_value map, const ptx_act *who,
                    int in_each, uint64_t *at_B, int *by_thread) {
    ptx_first t = {.p = p, .variable = PTX_NONE, .follows = 1};
    t.around = in_each ? ptx_act_block(p, who) : PTX_NONE;
    t.thread = ptx_act_thread(p, who);
    const ptx_value apart = address == PTX_UNKNOWN || map == PTX_UNKNOWN
                                ? PTX_UNKNOWN
                                : ptx_form_sum(&p->v->forms, address, map, UINT64_MAX);
    const int is_known = apart != PTX_UNKNOWN && ptx_value_first(&t, apart, at_B);
    *by_thread = t.by_thread;
    return is_known;
}

/* Whether some loop is around two acts: a way between them may go on to its next turn. */
static int share_loop(const ptx_protocol *p, const ptx_act *a, const ptx_act *b) {
    uint32_t loop = ptx_act_loop(p, a);
    for (; loop != PTX_NONE; loop = p->v->g->loop[loop].parent) {
        if (ptx_block_in_loop(p->v->g, ptx_act_block(p, b), loop)) {
            return 1;
        }
    }
    return 0;
}

/* Whether a copy goes by the map that an act edits: not, it may, or it does. */
static int goes_by(const ptx_protocol *p, const ptx_act *edit, const ptx_act *copy, ptx_value map) {
    const uint32_t most_B = edit->kind == PTX_ACT_EDIT ? MAP_B : 1;
    uint64_t at_B = 0;
    int by_thread = 0;
    if (!(apart_in(p, edit->at, map, copy, 1, &at_B, &by_thread) ||
          (!share_loop(p, edit, copy) && apart_in(p, edit->at, map, copy, 0, &at_B, &by_thread))) ||
        at_B >= most_B) {
        return PTX_NOT;
    }
    return by_thread && copy->is_guarded ? PTX_MAY : PTX_SURE;
}

/* Whether an act's map is the one that an edit wrote a turn before, in a loop around both. */
static int goes_by_last(const ptx_protocol *p, const ptx_act *edit, const ptx_act *act,
                        ptx_value map) {
    const ptx_graph *g = p->v->g;
    uint32_t loop = map == PTX_UNKNOWN ? PTX_NONE : ptx_act_loop(p, edit);
    for (; loop != PTX_NONE; loop = g->loop[loop].parent) {
        const uint32_t head = g->loop[loop].head;
        const int holds = ptx_block_in_loop(g, ptx_act_block(p, act), loop);
        for (uint32_t i = 0; holds && i < g->node[head].ins; i++) {
            const uint32_t from = g->in[g->node[head].first_in + i];
            if (ptx_block_in_loop(g, from, loop) &&
                ptx_value_over(p->v, edit->at, from, head) == map) {
                return PTX_SURE;
            }
        }
    }
    return PTX_NOT;
}

/* What the conditions of two acts hold apart. */
typedef enum apart { TOGETHER, IN_A_TURN, IN_A_THREAD, FOR_ALL } apart;

static apart held_apart(const ptx_protocol *p, const ptx_act *a, const ptx_act *b) {
    apart most = TOGETHER;
    ptx_guard_walk at = {0};
    for (ptx_condition c; ptx_act_condition(p, a, &at, &c);) {
        ptx_guard_walk other = {0};
        for (ptx_condition d; ptx_act_condition(p, b, &other, &d);) {
            const ptx_hangs on = ptx_condition_hangs(p, &c);
            const apart is = !ptx_conditions_clash(&c, &d)                           ? TOGETHER
                             : on == PTX_HANGS_UNIFORM                               ? FOR_ALL
                             : on != PTX_HANGS_OTHER || ptx_is_constant(p->v, c.key) ? IN_A_THREAD
                                                                                     : IN_A_TURN;
            most = is > most ? is : most;
        }
    }
    return most;
}

#define MOST_DEEP 8

/* What may make a value another one in another thread. */
enum { BY_THREAD = 1, BY_MEMORY = 2 };

/* NOLINTNEXTLINE(misc-no-recursion): MOST_DEEP */
static int differs(const ptx_protocol *p, ptx_value value, int deep) {
    const ptx_form *f = &p->v->forms.form[value];
    int by = value == PTX_UNKNOWN || !deep ? BY_MEMORY : 0;
    for (uint32_t i = 0; deep && i < f->terms; i++) {
        const ptx_atom *a = &p->v->forms.atom[f->term[i].atom];
        const uint32_t of[] = {a->b, a->c, a->d};
        const int is_made = a->kind == PTX_ATOM_OPERATION;
        by |= ptx_atom_tells_threads(a)             ? BY_THREAD
              : !is_made && a->kind > PTX_ATOM_TURN ? BY_MEMORY
                                                    : 0;
        for (int k = 0; is_made && k < 3; k++) {
            by |= of[k] ? differs(p, of[k], deep - 1) : 0;
        }
    }
    return by;
}

/* Forwards from the edit. */
enum {
    OWN,
    OWN_RELEASED, /* a release behind the edit */
    ANY,          /* behind a barrier: any thread's way, beside the own one */
    ANY_RELEASED,
    BARE_ACQUIRED, /* an acquire, and no release before it */
    ELSEWHERE,     /* an acquire of another map, */
    ELSEWHERE_MAY, /* or of what seems to be one, */
    ONE_TURN,      /* or one that runs in one turn of the edit's loop alone */
    CALLED,        /* a call, whose inside is not seen */
    FENCED,
    PLANES
};

/* The use of an edited map that is said. */
typedef struct used {
    uint32_t act; /* + 1 */
    uint16_t by;  /* planes of its ways */
    uint8_t is_sure, rank;
} used;

typedef struct edit_context {
    used use[64];
    uint64_t published; /* seeds that are no edit: they hold a release */
    uint64_t generic;   /* likewise, that may be of something else than a map */
} edit_context;

typedef enum acquired { IS_OTHERS, SEEMS_OTHERS, MAY_BE_IT } acquired;

/* Whether an acquire is on the map that a seed edits. */
static acquired acquires(const ptx_protocol *p, const ptx_act *fence, const ptx_act *edit) {
    uint64_t apart_B = 0;
    const ptx_alike alike = ptx_values_alike(p->v, fence->at, edit->at);
    if (alike == PTX_EQUAL) {
        return MAY_BE_IT;
    }
    int by_thread = 0;
    const int is_known = apart_in(p, edit->at, fence->at, fence, 1, &apart_B, &by_thread) ||
                         apart_in(p, edit->at, fence->at, fence, 0, &apart_B, &by_thread);
    if (edit->kind == PTX_ACT_EDIT && is_known && apart_B < MAP_B) {
        return MAY_BE_IT;
    }
    return alike == PTX_DIFFERENT && edit->kind != PTX_ACT_EDIT ? IS_OTHERS
           : is_known && apart_B                                ? SEEMS_OTHERS
                                                                : MAY_BE_IT;
}

/* Ways in one half of the planes on which nothing brings the edit to the tensormap proxy. */
static uint64_t open_of(const uint64_t *half) {
    return half[OWN] | half[OWN_RELEASED] | half[ANY] | half[ANY_RELEASED];
}

/* In one half of the planes: this turn's ways, or those that came over a way back. */
static void acquire(const edit_context *c, uint64_t *half, uint64_t one, acquired by) {
    const uint64_t bare = (half[OWN] | half[ANY]) & one;
    const uint64_t released = (half[OWN_RELEASED] | half[ANY_RELEASED]) & one;
    if (by != MAY_BE_IT) {
        half[by == SEEMS_OTHERS ? ELSEWHERE_MAY : ELSEWHERE] |= open_of(half) & one;
        return;
    }
    for (uint32_t k = 0; k < BARE_ACQUIRED; k++) {
        half[k] &= ~one;
    }
    half[CALLED] &= ~one;
    half[c->published & one ? FENCED : BARE_ACQUIRED] |= bare;
    half[FENCED] |= released;
}

static void pass_acquire(ptx_flood *f, uint32_t act, uint64_t *plane) {
    const edit_context *c = f->context;
    const ptx_act *fence = &f->p->act[act];
    uint64_t *turned = plane + f->planes;
    const uint64_t by_last = open_of(turned) | turned[CALLED];
    for (uint32_t i = 0; i < f->seeds; i++) {
        const uint64_t one = UINT64_C(1) << i;
        const ptx_act *edit = &f->p->act[f->seed[i]];
        if (ptx_act_is_of_one_turn(f->p, fence, edit)) {
            plane[ONE_TURN] |= open_of(plane) & one;
            turned[ONE_TURN] |= open_of(turned) & one;
            continue;
        }
        const acquired by = acquires(f->p, fence, edit);
        acquire(c, plane, one, by);
        acquire(c, turned, one,
                by_last & one && goes_by_last(f->p, edit, fence, fence->at) ? MAY_BE_IT : by);
    }
}

/* What a call does is not seen. */
static void pass_call(ptx_flood *f, uint32_t act, uint64_t *plane) {
    (void)act;
    for (uint32_t half = 0; half < 2 * f->planes; half += f->planes) {
        const uint64_t called = open_of(plane + half) | plane[half + CALLED];
        for (uint32_t k = 0; k < f->planes; k++) {
            plane[half + k] = k == CALLED ? called : 0;
        }
    }
}

/* Whether a use is one of the map as it was before an edit, on ways of some planes; if it goes by
 * that map at all. */
static int is_use(const ptx_protocol *p, const ptx_act *edit, const ptx_act *use, uint32_t by,
                  int is_turned) {
    const apart is = held_apart(p, edit, use);
    const uint32_t own_by = PTX_HERE(OWN) | PTX_HERE(OWN_RELEASED) | PTX_HERE(BARE_ACQUIRED);
    const int own = by & own_by && is < IN_A_THREAD;
    const int any = by & (PTX_BELOW(BARE_ACQUIRED + 1) & ~PTX_BELOW(ANY)) && is < FOR_ALL;
    if (!own && !any) {
        return PTX_NOT;
    }
    const int by_other = own ? 0 : differs(p, edit->at, MOST_DEEP);
    if (by_other & BY_THREAD && ptx_act_is_elected(p, edit) && ptx_act_is_elected(p, use) &&
        !ptx_act_is_of_each_warp(p, edit) && !ptx_act_is_of_each_warp(p, use)) {
        return PTX_NOT; /* of two threads, each has its own */
    }
    return by_other || (!is_turned && is == IN_A_TURN && !ptx_is_constant(p->v, edit->at))
               ? PTX_MAY
               : PTX_SURE;
}

#define IN_DOUBT (PTX_HERE(BARE_ACQUIRED) | PTX_HERE(ELSEWHERE_MAY) | PTX_HERE(ONE_TURN))

/* The planes of one half in which a seed's ways are. */
static uint32_t planes_of(const ptx_flood *f, const uint64_t *half, uint32_t bit) {
    uint32_t planes = 0;
    for (uint32_t k = 0; k < f->planes; k++) {
        planes |= (uint32_t)(half[k] >> bit & 1) << k;
    }
    return planes;
}

/* A use that ways of an edit come to, in each half of the planes; this turn's use is said before
 * another's, and what is certain before both. */
static void hit_one(ptx_flood *f, uint32_t act, ptx_value map, uint32_t bit,
                    const uint64_t *plane) {
    edit_context *c = f->context;
    ptx_protocol *p = f->p;
    const ptx_act *edit = &p->act[f->seed[bit]];
    const ptx_act *use = &p->act[act];
    for (int is_turned = 0; is_turned < 2; is_turned++) {
        const uint32_t by = planes_of(f, plane + (is_turned ? f->planes : 0), bit);
        const uint32_t other = planes_of(f, plane + (is_turned ? 0 : f->planes), bit);
        const int goes = !(by & (PTX_BELOW(BARE_ACQUIRED + 1) | PTX_HERE(CALLED))) ? PTX_NOT
                         : is_turned ? goes_by_last(p, edit, use, map)
                                     : goes_by(p, edit, use, map);
        const int is = goes ? is_use(p, edit, use, by, is_turned) : PTX_NOT;
        const int is_sure = is == PTX_SURE && goes == PTX_SURE;
        const uint8_t rank = (uint8_t)(1 + !is_turned + 2 * (is_sure && !(by & IN_DOUBT)));
        const uint32_t past = share_loop(p, edit, use) ? by : by | other;
        if (goes && by & PTX_HERE(CALLED)) {
            p->r->calls = 1;
        } else if (is && past & PTX_HERE(FENCED)) {
            p->r->branches |= !(c->generic >> bit & 1);
        } else if (is && rank > c->use[bit].rank) {
            c->use[bit] = (used){act + 1, (uint16_t)by, (uint8_t)is_sure, rank};
        }
    }
}

static void hit_edit(ptx_flood *f, uint32_t act, const uint64_t *plane) {
    const edit_context *c = f->context;
    const ptx_act *a = &f->p->act[act];
    const uint64_t bits =
        ptx_flood_below(f, plane, BARE_ACQUIRED + 1) | ptx_flood_bits(f, plane, CALLED);
    if (!(USES >> a->kind & 1) || !bits) {
        return;
    }
    const ptx_value map = ptx_act_map(f->p, &f->p->v->g->step[a->step]);
    const uint64_t by_map = bits & (ptx_map_is_writable(f->p, map) ? UINT64_MAX : ~c->generic);
    for (uint32_t i = 0; i < f->seeds && by_map >> i; i++) {
        if (by_map >> i & 1) {
            hit_one(f, act, map, i, plane);
        }
    }
}

static void begin_edit(ptx_flood *f) {
    edit_context *c = f->context;
    for (uint32_t i = 0; i < f->seeds; i++) {
        const uint8_t kind = f->p->act[f->seed[i]].kind;
        c->published |= (uint64_t)(kind == PTX_ACT_PUBLISH) << i;
        c->generic |= (uint64_t)(kind == PTX_ACT_EDIT) << i;
    }
}

#define PUT_ACQUIRE                                                                                \
    "fence.proxy.tensormap::generic.acquire.gpu [map], 128 before the copy, in its thread"

/* What stands on the way to a use, and does not count or is in doubt. */
static const char *but_of(const used *u) {
    return u->by & (PTX_HERE(BARE_ACQUIRED) | PTX_HERE(ELSEWHERE_MAY))
               ? " but one that seems to be on another map"
           : u->by & PTX_HERE(ELSEWHERE) ? " but one on another map"
           : u->by & PTX_HERE(ONE_TURN)  ? " but one that runs in one iteration of a loop alone"
           : u->is_sure                  ? ""
                                         : ", if both go by one map";
}

/* An edit whose map a copy goes by. */
static void say_edit(const ptx_flood *f, uint32_t bit) {
    const edit_context *c = f->context;
    ptx_protocol *p = f->p;
    const used *u = &c->use[bit];
    const ptx_act *edit = &p->act[f->seed[bit]];
    const ptx_act *use = &p->act[u->act - 1];
    const int line = ptx_act_line(p, edit);
    const int may = (u->by & (PTX_HERE(BARE_ACQUIRED) | PTX_HERE(ELSEWHERE_MAY))) != 0;
    const int is_released =
        u->by & (PTX_HERE(OWN_RELEASED) | PTX_HERE(ANY_RELEASED)) || edit->kind == PTX_ACT_PUBLISH;
    const int certain = u->is_sure && !(u->by & IN_DOUBT);
    const ptx_rule rule = edit->kind == PTX_ACT_EDIT ? PTX_RULE_MAP_EDIT
                          : may && !is_released      ? PTX_RULE_PUBLISH
                                                     : PTX_RULE_FENCE;
    const ptx_unless unless = rule == PTX_RULE_MAP_EDIT ? PTX_UNLESS_NONE : PTX_UNLESS_ACT;
    if (is_released) {
        ptx_protocol_say_unless(
            p, rule, certain, unless, use, edit,
            "may go by its map as it was before line %d writes it: no "
            "fence.proxy.tensormap::generic.acquire is on any path from there to "
            "here%s. Put " PUT_ACQUIRE,
            line, but_of(u));
    } else if (may) {
        ptx_protocol_say_unless(
            p, rule, 0, unless, use, edit,
            "may go by its map as it was before line %d writes it: no "
            "fence.proxy.tensormap::generic.release follows line %d on any path "
            "to here, only an acquire. Put "
            "fence.proxy.tensormap::generic.release.gpu after line %d, in its thread",
            line, line, line);
    } else {
        ptx_protocol_say_unless(
            p, rule, certain, unless, use, edit,
            "may go by its map as it was before line %d writes it: no "
            "fence.proxy.tensormap::generic is on any path from there to here%s. Put "
            "fence.proxy.tensormap::generic.release.gpu after line %d, and " PUT_ACQUIRE,
            line, but_of(u), line);
    }
}

static void end_edit(ptx_flood *f) {
    const edit_context *c = f->context;
    for (uint32_t i = 0; i < f->seeds; i++) {
        if (c->use[i].act) {
            say_edit(f, i);
        }
    }
}

static int may_cost(ptx_protocol *p) {
    const uint64_t copies =
        (uint64_t)p->many[PTX_ACT_LOAD] + p->many[PTX_ACT_STORE] + p->many[PTX_ACT_PREFETCH];
    const uint64_t edits =
        (uint64_t)p->many[PTX_ACT_EDIT] + p->many[PTX_ACT_REPLACE] + p->many[PTX_ACT_PUBLISH];
    return ptx_can_judge(p, PTX_BUDGET_EDIT, (copies + p->many[PTX_ACT_FENCE_MAP]) * edits);
}

#define RELEASES (PTX_KIND(MAP_RELEASE) | PTX_KIND(PUBLISH))

const ptx_paths ptx_rule_edited = {
    .seeds = PTX_KIND(EDIT) | PTX_KIND(REPLACE) | PTX_KIND(PUBLISH),
    .needs = USES,
    .asks = may_cost,
    .planes = PLANES,
    .crossed = ANY,
    .one_back = 1,
    .begin = begin_edit,
    .hit = hit_edit,
    .end = end_edit,
    .passing = {{.kinds = PTX_KIND(FENCE_MAP), .by = pass_acquire},
                {RELEASES, 0, PTX_HERE(OWN), PTX_MOVES, OWN_RELEASED, NULL, NULL},
                {RELEASES, 0, PTX_HERE(ANY), PTX_MOVES, ANY_RELEASED, NULL, NULL},
                {RELEASES, 0, PTX_HERE(BARE_ACQUIRED), PTX_MOVES, FENCED, NULL,
                 NULL}, /* not to be told apart */
                {PTX_KIND(SYNC), 0, PTX_HERE(OWN), PTX_ADDS, ANY, NULL, NULL},
                {PTX_KIND(SYNC), 0, PTX_HERE(OWN_RELEASED), PTX_ADDS, ANY_RELEASED, NULL, NULL},
                {.kinds = PTX_KIND(CALL), .by = pass_call}},
};

/* --- an edit that nothing brings to the tensormap proxy --- */

static int is_of_map(const ptx_protocol *p, const ptx_act *a) {
    return (a->kind == PTX_ACT_REPLACE || a->kind == PTX_ACT_DRAFT) &&
           ptx_step_site(p, &p->v->g->step[a->step]);
}

/* What the kernel publishes, and which edit of a map is its first one. */
typedef struct published {
    ptx_value_set to, from; /* shared addresses in 32 bits */
    uint32_t *first;        /* by value: a step, + 1 */
} published;

/* A map's address, as that of what cp_fenceproxy reads. */
static ptx_value as_source(const ptx_protocol *p, ptx_value map) {
    return map == PTX_UNKNOWN ? map : ptx_form_cut(&p->v->forms, map, 32);
}

static int take_published(const ptx_protocol *p, published *s) {
    for (uint32_t i = 0; i < p->acts; i++) { /* classes are made before there are sets */
        const ptx_act *a = &p->act[i];
        if (a->kind == PTX_ACT_PUBLISH || is_of_map(p, a)) {
            ptx_ways_class(p->v, a->at);
            ptx_ways_class(p->v, a->kind == PTX_ACT_PUBLISH ? a->number : as_source(p, a->at));
        }
    }
    s->first = ptx_memory_take(p->memory, (size_t)p->v->forms.forms + 1, sizeof(*s->first));
    if (ptx_set_begin(&s->to, p->memory, p->v) || ptx_set_begin(&s->from, p->memory, p->v) ||
        !s->first) {
        return -1;
    }
    for (uint32_t i = 0; i < p->acts; i++) {
        const ptx_act *a = &p->act[i];
        uint32_t *first = &s->first[a->at];
        if (a->kind == PTX_ACT_PUBLISH) {
            ptx_set_add(&s->to, p->v, a->at);
            ptx_set_add(&s->from, p->v, a->number);
        } else if (is_of_map(p, a) && (!*first || a->step < *first - 1)) {
            *first = a->step + 1;
        }
    }
    return 0;
}

/* Whether an edit is the first one of its map, and no copy of the map may publish it. */
static int is_kept(const ptx_protocol *p, const published *s, const ptx_act *e) {
    const int is_draft = e->kind == PTX_ACT_DRAFT;
    const int is_global = ptx_step_site(p, &p->v->g->step[e->step])->s.space == TMA_PTX_GLOBAL;
    return (e->at == PTX_UNKNOWN || s->first[e->at] == e->step + 1) &&
           (is_draft || !ptx_set_may_have(&s->to, p->v, e->at)) &&
           (is_global || !ptx_set_may_have(&s->from, p->v, as_source(p, e->at)));
}

void ptx_publish_check(ptx_protocol *p) {
    published s;
    if (p->many[PTX_ACT_MAP_RELEASE] || !(p->many[PTX_ACT_REPLACE] + p->many[PTX_ACT_DRAFT]) ||
        take_published(p, &s)) {
        return;
    }
    for (uint32_t i = 0; i < p->acts; i++) {
        const int is_draft = p->act[i].kind == PTX_ACT_DRAFT;
        if (is_of_map(p, &p->act[i]) && is_kept(p, &s, &p->act[i])) {
            ptx_protocol_say(p, PTX_RULE_PUBLISH, 1, &p->act[i], NULL,
                             "the map is edited in %s memory, and the function has no "
                             "tensormap.cp_fenceproxy %s it and no "
                             "fence.proxy.tensormap::generic.release",
                             is_draft ? "shared" : "global", is_draft ? "from" : "to");
        }
    }
}
