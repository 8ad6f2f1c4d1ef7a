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

/* How far an address lies behind another one for some thread, in each turn of loops around a block,
 * or (PTX_NONE) in the first turns of all loops. 1: it is known. */
static int apart_in(const ptx_protocol *p, ptx_value address, ptx_value map, uint32_t around,
                    uint64_t *at_B) {
    ptx_first t = {.p = p, .around = around, .variable = PTX_NONE, .follows = 1};
    const ptx_value apart = address == PTX_UNKNOWN || map == PTX_UNKNOWN
                                ? PTX_UNKNOWN
                                : ptx_form_sum(&p->v->forms, address, map, UINT64_MAX);
    return apart != PTX_UNKNOWN && ptx_value_first(&t, apart, at_B);
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

/* Whether a copy goes by the map that an act edits. */
static int goes_by(const ptx_protocol *p, const ptx_act *edit, const ptx_act *copy, ptx_value map) {
    const uint32_t most_B = edit->kind == PTX_ACT_EDIT ? MAP_B : 1;
    uint64_t at_B = 0;
    return (apart_in(p, edit->at, map, ptx_act_block(p, copy), &at_B) ||
            (!share_loop(p, edit, copy) && apart_in(p, edit->at, map, PTX_NONE, &at_B))) &&
           at_B < most_B;
}

/* Whether a copy goes by the map that an act edits, in the next turn of a loop. */
static int goes_by_last(const ptx_protocol *p, const ptx_act *edit, ptx_value map) {
    const ptx_graph *g = p->v->g;
    for (uint32_t loop = ptx_act_loop(p, edit); loop != PTX_NONE; loop = g->loop[loop].parent) {
        const uint32_t head = g->loop[loop].head;
        for (uint32_t i = 0; i < g->node[head].ins; i++) {
            const uint32_t from = g->in[g->node[head].first_in + i];
            if (ptx_block_in_loop(g, from, loop) &&
                ptx_value_over(p->v, edit->at, from, head) == map) {
                return 1;
            }
        }
    }
    return 0;
}

/* Forwards from the edit. */
enum {
    OWN,
    OWN_RELEASED, /* a release behind the edit */
    ANY,          /* a barrier: from here on any thread's way */
    ANY_RELEASED,
    BARE_ACQUIRED, /* an acquire, and no release before it */
    ELSEWHERE,     /* an acquire of another map, */
    ELSEWHERE_MAY, /* or of what seems to be one */
    FENCED,
    PLANES
};

typedef struct edit_context {
    uint32_t use[64];   /* acts + 1 */
    uint64_t may;       /* by use: an acquire stands on its way, and seems not to count */
    uint64_t other;     /* likewise: an acquire of another map does */
    uint64_t released;  /* likewise: a release does */
    uint64_t published; /* seeds that are no edit: they hold a release */
    uint64_t generic;   /* likewise, that may be of something else than a map */
    uint64_t one_turn;  /* an acquire stands there that runs in one turn of the edit's loop alone */
} edit_context;

typedef enum acquired { IS_OTHERS, SEEMS_OTHERS, MAY_BE_IT } acquired;

/* Whether an acquire is on the map that a seed edits. */
static acquired acquires(const ptx_protocol *p, const ptx_act *fence, const ptx_act *edit) {
    uint64_t apart_B = 0;
    const ptx_alike alike = ptx_values_alike(p->v, fence->at, edit->at);
    if (alike == PTX_EQUAL) {
        return MAY_BE_IT;
    }
    const int is_known = apart_in(p, edit->at, fence->at, ptx_act_block(p, fence), &apart_B) ||
                         apart_in(p, edit->at, fence->at, PTX_NONE, &apart_B);
    if (edit->kind == PTX_ACT_EDIT && is_known && apart_B < MAP_B) {
        return MAY_BE_IT;
    }
    return alike == PTX_DIFFERENT && edit->kind != PTX_ACT_EDIT ? IS_OTHERS
           : is_known && apart_B                                ? SEEMS_OTHERS
                                                                : MAY_BE_IT;
}

/* In one half of the planes: this turn's ways, or those that came over a way back. */
static void acquire(const edit_context *c, uint64_t *half, uint64_t one, acquired by) {
    const uint64_t open = half[OWN] | half[OWN_RELEASED] | half[ANY] | half[ANY_RELEASED];
    const uint64_t bare = (half[OWN] | half[ANY]) & one;
    const uint64_t released = (half[OWN_RELEASED] | half[ANY_RELEASED]) & one;
    if (by != MAY_BE_IT) {
        half[by == SEEMS_OTHERS ? ELSEWHERE_MAY : ELSEWHERE] |= open & one;
        return;
    }
    for (uint32_t k = 0; k < BARE_ACQUIRED; k++) {
        half[k] &= ~one;
    }
    half[c->published & one ? FENCED : BARE_ACQUIRED] |= bare;
    half[FENCED] |= released;
}

static void pass_acquire(ptx_flood *f, uint32_t act, uint64_t *plane) {
    edit_context *c = f->context;
    const ptx_act *fence = &f->p->act[act];
    const uint64_t turned = ptx_flood_below(f, plane, BARE_ACQUIRED);
    for (uint32_t i = 0; i < f->seeds; i++) {
        const uint64_t one = UINT64_C(1) << i;
        const ptx_act *edit = &f->p->act[f->seed[i]];
        if (ptx_act_is_of_one_turn(f->p, fence, edit)) {
            c->one_turn |= one;
            continue;
        }
        const acquired by = acquires(f->p, fence, edit);
        acquire(c, plane, one, by);
        acquire(c, plane + f->planes, one,
                turned & one && goes_by_last(f->p, edit, fence->at) ? MAY_BE_IT : by);
    }
}

/* What a call does is not seen. */
static void pass_call(ptx_flood *f, uint32_t act, uint64_t *plane) {
    const edit_context *c = f->context;
    (void)act;
    f->p->r->calls |= (ptx_flood_below(f, plane, BARE_ACQUIRED) & ~c->generic) != 0;
    ptx_flood_drop(f, plane, UINT64_MAX);
}

static void hit_edit(ptx_flood *f, uint32_t act, const uint64_t *plane) {
    edit_context *c = f->context;
    const ptx_act *a = &f->p->act[act];
    const ptx_step *step = &f->p->v->g->step[a->step];
    const uint64_t here =
        plane[OWN] | plane[OWN_RELEASED] | plane[ANY] | plane[ANY_RELEASED] | plane[BARE_ACQUIRED];
    const uint64_t bits = ptx_flood_below(f, plane, BARE_ACQUIRED + 1);
    if (!(USES >> a->kind & 1) || !bits) {
        return;
    }
    const ptx_value map = ptx_act_map(f->p, step);
    const uint64_t by_map = bits & (ptx_map_is_writable(f->p, map) ? UINT64_MAX : ~c->generic);
    for (uint32_t i = 0; i < f->seeds && by_map >> i; i++) {
        const uint64_t one = UINT64_C(1) << i;
        const ptx_act *edit = &f->p->act[f->seed[i]];
        const uint64_t *half = here & one ? plane : plane + f->planes; /* turned ways else */
        if (!(by_map & one) ||
            !(here & one ? goes_by(f->p, edit, a, map) : goes_by_last(f->p, edit, map))) {
            continue;
        }
        if (ptx_flood_bits(f, plane, FENCED) & one) {
            f->p->r->branches |= !(c->generic & one);
        } else if (!c->use[i]) {
            c->use[i] = act + 1;
            c->may |= (half[BARE_ACQUIRED] | half[ELSEWHERE_MAY]) & one;
            c->other |= half[ELSEWHERE] & one;
            c->released |= (half[OWN_RELEASED] | half[ANY_RELEASED]) & one;
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

/* An edit whose map a copy goes by. */
static void say_edit(const ptx_flood *f, uint32_t bit) {
    const edit_context *c = f->context;
    ptx_protocol *p = f->p;
    const ptx_act *edit = &p->act[f->seed[bit]];
    const ptx_act *use = &p->act[c->use[bit] - 1];
    const int line = ptx_act_line(p, edit);
    const int may = c->may >> bit & 1;
    const int is_released = (c->released | c->published) >> bit & 1;
    const ptx_rule rule = edit->kind == PTX_ACT_EDIT ? PTX_RULE_MAP_EDIT
                          : may && !is_released      ? PTX_RULE_PUBLISH
                                                     : PTX_RULE_FENCE;
    const ptx_unless unless = rule == PTX_RULE_MAP_EDIT ? PTX_UNLESS_NONE : PTX_UNLESS_ACT;
    if (is_released) {
        ptx_protocol_say_unless(
            p, rule, !may && !(c->one_turn >> bit & 1), unless, use, edit,
            "may go by its map as it was before line %d writes it: no "
            "fence.proxy.tensormap::generic.acquire is on any path from there to "
            "here%s. Put " PUT_ACQUIRE,
            line,
            may                      ? " but one that seems to be on another map"
            : c->other >> bit & 1    ? " but one on another map"
            : c->one_turn >> bit & 1 ? " but one that runs in one iteration of a loop alone"
                                     : "");
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
            p, rule, 1, unless, use, edit,
            "may go by its map as it was before line %d writes it: no "
            "fence.proxy.tensormap::generic is on any path from there to here. Put "
            "fence.proxy.tensormap::generic.release.gpu after line %d, and " PUT_ACQUIRE,
            line, line);
    }
}

static void end_edit(ptx_flood *f) {
    const edit_context *c = f->context;
    for (uint32_t i = 0; i < f->seeds; i++) {
        if (c->use[i]) {
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
    .begin = begin_edit,
    .hit = hit_edit,
    .end = end_edit,
    .passing = {{.kinds = PTX_KIND(FENCE_MAP), .by = pass_acquire},
                {RELEASES, 0, PTX_HERE(OWN), PTX_MOVES, OWN_RELEASED, NULL, NULL},
                {RELEASES, 0, PTX_HERE(ANY), PTX_MOVES, ANY_RELEASED, NULL, NULL},
                {RELEASES, 0, PTX_HERE(BARE_ACQUIRED), PTX_MOVES, FENCED, NULL,
                 NULL}, /* not to be told apart */
                {PTX_KIND(SYNC), 0, PTX_HERE(OWN), PTX_MOVES, ANY, NULL, NULL},
                {PTX_KIND(SYNC), 0, PTX_HERE(OWN_RELEASED), PTX_MOVES, ANY_RELEASED, NULL, NULL},
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
