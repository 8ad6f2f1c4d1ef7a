/* SPDX-License-Identifier: Apache-2.0
 *
 * store-reuse: stages that bulk stores read and loads fill again, given back by an arrival while
 * more groups of stores may be under way than stages are kept. All of it is "may".
 */
#include <string.h>

#include "protocol_shapes.h"

#define MOST_WAYS 40 /* groups, and stages, that are counted */
#define NO_WAY    255

/* Groups of stores under way, at most, in their thread: it gives stages back itself, or no one else
 * can do without it. */
typedef struct groups {
    uint8_t count, is_open; /* is_open: stores that are not committed yet */
} groups;

typedef struct returns {
    ptx_protocol *p;
    const uint8_t *class_of; /* by act: + 1 */
    uint64_t among;          /* classes of the stages that stores read, one bit each */
    const ptx_act *store;    /* of such a stage */

    groups *at;        /* by block */
    uint8_t *kept;     /* by block: the most stages that are kept on a way from there on; NO_WAY */
    uint8_t *is_store; /* by block: a store whose memory loads fill again, or a wait for groups */
} returns;

static uint8_t most(uint8_t a, uint8_t b) {
    return a > b ? a : b;
}

static uint8_t least(uint8_t a, uint8_t b) {
    return a < b ? a : b;
}

/* --- which stages --- */

/* The last wait that all ways to a load come past; or PTX_NONE. */
static uint32_t wait_before(const returns *r, const ptx_act *load) {
    const ptx_protocol *p = r->p;
    const ptx_graph *g = p->v->g;
    uint32_t last = PTX_NONE;
    for (uint32_t i = 0; i < p->acts; i++) {
        const uint32_t block = ptx_act_block(p, &p->act[i]);
        if (p->act[i].kind == PTX_ACT_AWAIT && r->class_of[i] &&
            ptx_dominates(g, block, ptx_act_block(p, load)) &&
            (last == PTX_NONE ||
             g->node[block].order >= g->node[ptx_act_block(p, &p->act[last])].order)) {
            last = i;
        }
    }
    return last;
}

/* The classes that are waited for before loads over what a store reads, one bit each. */
static uint64_t waited_over(const returns *r, const ptx_act *store) {
    const ptx_protocol *p = r->p;
    uint64_t classes = 0;
    for (uint32_t i = 0; i < p->acts; i++) {
        const ptx_act *load = &p->act[i];
        if (load->kind == PTX_ACT_LOAD && store->at != PTX_UNKNOWN &&
            ptx_values_alike(p->v, load->at, store->at) == PTX_EQUAL) {
            const uint32_t wait = wait_before(r, load);
            classes |= wait == PTX_NONE ? 0 : UINT64_C(1) << r->class_of[wait];
        }
    }
    return classes;
}

static int is_return(const returns *r, uint32_t act) {
    return r->class_of[act] && r->p->act[act].kind == PTX_ACT_ARRIVE &&
           r->among >> r->class_of[act] & 1;
}

/* --- ways of the storing thread --- */

/* Whether a way out of a block leaves a store, or a wait, out: the other one leads to it, under a
 * condition of its own. */
static int leaves_out(const returns *r, uint32_t block, uint32_t out) {
    const ptx_graph *g = r->p->v->g;
    const ptx_node *n = &g->node[block];
    const uint32_t other = n->outs == 2 ? g->out[n->first_out + (out ^ 1)] : PTX_NONE;
    return other != PTX_NONE && r->is_store[other] && g->node[other].ins == 1 &&
           g->node[other].loop == n->loop && !r->is_store[g->out[n->first_out + out]];
}

static int takes(const returns *r, uint32_t block, uint32_t out) {
    return ptx_act_takes_way(r->p, r->store, block, out) && !leaves_out(r, block, out);
}

static groups past_act(const returns *r, const ptx_act *a, groups now) {
    uint64_t leaves = 0;
    if (a->kind == PTX_ACT_STORE) {
        now.is_open = 1;
    } else if (a->kind == PTX_ACT_COMMIT) {
        now.count = least((uint8_t)(now.count + now.is_open), MOST_WAYS);
        now.is_open = 0;
    } else if (a->kind == PTX_ACT_WAIT_GROUP) {
        leaves = ptx_value_number(r->p->v, a->number, &leaves) ? leaves : 0;
        now.count = least(now.count, (uint8_t)(leaves < MOST_WAYS ? leaves : MOST_WAYS));
    }
    return now;
}

static groups at_act(const returns *r, uint32_t block, uint32_t end) {
    groups now = r->at[block];
    for (uint32_t i = r->p->first[block]; i < end; i++) {
        now = past_act(r, &r->p->act[i], now);
    }
    return now;
}

/* The most groups that may be under way where blocks begin. */
static void take_groups(const returns *r) {
    const ptx_graph *g = r->p->v->g;
    memset(r->at, 0, g->nodes * sizeof(*r->at));
    for (int again = 1; again;) {
        again = 0;
        for (uint32_t i = 0; i < g->reached; i++) {
            const uint32_t block = g->ordered[i];
            const groups now = at_act(r, block, r->p->first[block + 1]);
            for (uint32_t k = 0; k < g->node[block].outs; k++) {
                groups *to = &r->at[g->out[g->node[block].first_out + k]];
                const groups sum = {most(to->count, now.count), to->is_open | now.is_open};
                if ((sum.count != to->count || sum.is_open != to->is_open) && takes(r, block, k)) {
                    *to = sum;
                    again = 1;
                }
            }
        }
    }
}

/* Stages given back from an act on, less groups of stores there: what is kept there, of what comes
 * behind an act. */
static uint8_t before_act(const returns *r, uint32_t act, uint8_t kept) {
    const ptx_act *a = &r->p->act[act];
    if (is_return(r, act)) {
        return least((uint8_t)(kept + 1), MOST_WAYS);
    }
    int stores = 0; /* one commit counts where stores stand before it */
    for (uint32_t i = act;
         a->kind == PTX_ACT_COMMIT && i-- > r->p->first[ptx_act_block(r->p, a)];) {
        stores |= r->p->act[i].kind == PTX_ACT_STORE;
    }
    return kept && stores ? (uint8_t)(kept - 1) : kept;
}

static uint8_t kept_at(const returns *r, uint32_t block, uint32_t act) {
    const ptx_graph *g = r->p->v->g;
    uint8_t kept = g->node[block].outs ? NO_WAY : 0;
    for (uint32_t k = 0; k < g->node[block].outs; k++) {
        const uint8_t there = r->kept[g->out[g->node[block].first_out + k]];
        if (there != NO_WAY && takes(r, block, k)) {
            kept = kept == NO_WAY ? there : most(kept, there);
        }
    }
    for (uint32_t i = r->p->first[block + 1]; kept != NO_WAY && i-- > act;) {
        kept = before_act(r, i, kept);
    }
    return kept;
}

/* The most stages that a way to the end still gives back, less the groups of stores on it. */
static void take_kept(const returns *r) {
    const ptx_graph *g = r->p->v->g;
    memset(r->kept, NO_WAY, g->nodes);
    for (int again = 1; again;) {
        again = 0;
        for (uint32_t i = g->reached; i-- > 0;) {
            const uint32_t block = g->ordered[i];
            const uint8_t kept = kept_at(r, block, r->p->first[block]);
            again |= kept != r->kept[block];
            r->kept[block] = kept;
        }
    }
}

/* --- more under way than kept --- */

static void check(const returns *r) {
    ptx_protocol *p = r->p;
    uint32_t bad = PTX_NONE;
    uint32_t bads = 0;
    const ptx_act *like = NULL;
    take_groups(r);
    take_kept(r);
    for (uint32_t i = 0; i < p->acts; i++) {
        const uint32_t block = ptx_act_block(p, &p->act[i]);
        if (!is_return(r, i) || ptx_acts_exclude(p, &p->act[i], r->store)) {
            continue;
        }
        const groups is = at_act(r, block, i);
        const uint8_t kept = kept_at(r, block, i + 1);
        const int is_bad = kept != NO_WAY && is.count < MOST_WAYS && is.count > kept;
        bads += is_bad;
        bad = is_bad ? i : bad;
        like = is_bad ? like : &p->act[i];
    }
    if (bads == 1 && like) {
        const groups is = at_act(r, ptx_act_block(p, &p->act[bad]), bad);
        const int line = ptx_act_line(p, &p->act[bad]);
        ptx_protocol_say(p, PTX_RULE_STORE_REUSE, 0, r->store, &p->act[bad],
                         "line %d gives a stage back while %d groups of stores may be under way, "
                         "and at most %d stages are given back behind it: a store may still read "
                         "the stage when it is loaded over (which stage it is is not known). Put "
                         "cp.async.bulk.wait_group.read %d before line %d, in the thread that "
                         "commits, and a barrier behind it",
                         line, (int)is.count,
                         (int)kept_at(r, ptx_act_block(p, &p->act[bad]), bad + 1),
                         (int)kept_at(r, ptx_act_block(p, &p->act[bad]), bad + 1), line);
    }
}

/* Finds the stores whose memory loads fill again, and the waits for groups. */
static void take_stores(returns *r) {
    const ptx_protocol *p = r->p;
    for (uint32_t i = 0; i < p->acts; i++) {
        const ptx_act *a = &p->act[i];
        const uint64_t over = a->kind == PTX_ACT_STORE ? waited_over(r, a) : 0;
        r->is_store[ptx_act_block(p, a)] |= over || a->kind == PTX_ACT_WAIT_GROUP;
        r->store = over && !r->store ? a : r->store;
        r->among |= over;
    }
}

void ptx_returns_check(ptx_protocol *p) {
    const size_t nodes = (size_t)p->v->g->nodes + 1;
    uint32_t classes = 0;
    returns r = {.p = p};
    const uint64_t asked = (uint64_t)p->many[PTX_ACT_STORE] * p->many[PTX_ACT_LOAD];
    if (!asked || !p->many[PTX_ACT_ARRIVE] || !p->many[PTX_ACT_AWAIT] ||
        !ptx_can_judge(p, PTX_BUDGET_RETURNS, asked * p->acts)) {
        return;
    }
    r.class_of = ptx_classes_of(p, &classes);
    r.at = ptx_memory_take(p->memory, nodes, sizeof(*r.at));
    r.kept = ptx_memory_take(p->memory, nodes, 1);
    r.is_store = ptx_memory_take(p->memory, nodes, 1);
    if (r.class_of && r.at && r.kept && r.is_store) {
        take_stores(&r);
        if (r.store) {
            check(&r);
        }
    }
}
