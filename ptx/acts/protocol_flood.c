/* SPDX-License-Identifier: Apache-2.0
 *
 * Ways from acts through a kernel, 64 acts at once.
 */
#include <string.h>

#include "ptx_protocol.h"
#include "tma/detail/assert.h"

/* What the conditions of some seeds ask of a key. */
typedef struct wanted {
    ptx_condition is; /* holds: not looked at */
    uint64_t yes, no; /* seeds that it must hold for, and must not */
    uint32_t place;   /* its own */
    uint8_t is_uniform;
    uint8_t is_of_turn; /* it holds as long as no loop around the seed turns */
} wanted;

#define GUARDS_A_SEED 66
#define PLACES        8192 /* of what is asked, by its hash: a power of two above 64 * GUARDS_A_SEED */

/* Which conditions of a seed count: all of them, also those of its loops' turn; those that are
 * always the same; those that are the same for all threads, too. */
typedef enum counted { OF_TURN, ALWAYS, FOR_ALL, COUNTED } counted;

/* Seeds for which some key must be a number, by what counts; and for which it must be two. */
typedef struct key_asked {
    uint64_t once[COUNTED], twice[COUNTED];
} key_asked;

/* Room for what is asked, which all floods of a kernel use. */
struct asked {
    wanted ask[64 * GUARDS_A_SEED];
    key_asked key[64 * GUARDS_A_SEED];
    uint32_t place[PLACES];
};

uint64_t ptx_flood_bits(const ptx_flood *f, const uint64_t *plane, uint32_t which) {
    return plane[which] | plane[f->planes + which];
}

uint64_t ptx_flood_below(const ptx_flood *f, const uint64_t *plane, uint32_t end) {
    uint64_t bits = 0;
    for (uint32_t i = 0; i < end; i++) {
        bits |= ptx_flood_bits(f, plane, i);
    }
    return bits;
}

void ptx_flood_drop(const ptx_flood *f, uint64_t *plane, uint64_t bits) {
    for (uint32_t i = 0; i < 2 * f->planes; i++) {
        plane[i] &= ~bits;
    }
}

void ptx_flood_move(const ptx_flood *f, uint64_t *plane, uint32_t from, uint32_t to,
                    uint64_t bits) {
    for (uint32_t i = 0; i < 2 * f->planes; i += f->planes) {
        plane[i + to] |= plane[i + from] & bits;
        plane[i + from] &= ~bits;
    }
}

static uint64_t all_seeds(const ptx_flood *f) {
    return f->seeds < 64 ? (UINT64_C(1) << f->seeds) - 1 : UINT64_MAX;
}

/* What is asked of a condition: its place in `place`, where 0 is put if it is not there. */
static uint32_t place_of(const ptx_flood *f, const ptx_condition *c) {
    const uint64_t mixed =
        (c->key * 2u + c->is_equal + c->number * 0x9E3779B9u) * 0x9E3779B97F4A7C15u;
    uint32_t at = (uint32_t)(mixed >> 51);
    for (uint32_t i; (i = f->place[at]); at = (at + 1) % PLACES) {
        const ptx_condition *is = &f->ask[i - 1].is;
        if (is->key == c->key && is->is_equal == c->is_equal && is->number == c->number) {
            break;
        }
    }
    return at;
}

static const wanted *ask_of(const ptx_flood *f, const ptx_condition *c) {
    const uint32_t i = f->slot[c->key] ? f->place[place_of(f, c)] : 0;
    return i ? &f->ask[i - 1] : NULL;
}

uint64_t ptx_flood_surely(const ptx_flood *f, const ptx_act *act) {
    if (!act->is_guarded) {
        return all_seeds(f);
    }
    const wanted *w = act->guard.key ? ask_of(f, &act->guard) : NULL;
    return !w || w->is_of_turn ? 0 : act->guard.holds ? w->yes : w->no;
}

static int does_count(const wanted *w, counted which) {
    return which == OF_TURN || (!w->is_of_turn && (which == ALWAYS || w->is_uniform));
}

/* Seeds whose conditions a way contradicts. */
static uint64_t blocked(const ptx_flood *f, const ptx_condition *way, counted which) {
    if (way->key == PTX_UNKNOWN || !f->slot[way->key]) {
        return 0;
    }
    const key_asked *key = &f->key[f->slot[way->key] - 1];
    const wanted *w = ask_of(f, way);
    w = w && does_count(w, which) ? w : NULL;
    const uint64_t others = (key->once[which] & ~(w ? w->yes : 0)) | key->twice[which];
    return (way->holds && way->is_equal ? others : 0) | (!w ? 0 : way->holds ? w->no : w->yes);
}

/* Whether loops around a seed alone make a value: it stays until one of them turns. */
static int is_made_around(const ptx_flood *f, uint32_t bit, ptx_value value) {
    const ptx_values *v = f->p->v;
    const ptx_form *form = &v->forms.form[value];
    const uint32_t block = v->g->step[f->p->act[f->seed[bit]].step].block;
    for (uint32_t i = 0; i < form->terms; i++) {
        const uint32_t loop = v->forms.atom[form->term[i].atom].loop;
        if (loop != PTX_NONE && !ptx_block_in_loop(v->g, block, loop)) {
            return 0;
        }
    }
    return 1;
}

static void want(ptx_flood *f, uint32_t bit, const ptx_condition *c) {
    const int is_of_turn = c->key != PTX_UNKNOWN && !ptx_is_constant(f->p->v, c->key);
    if (c->key == PTX_UNKNOWN ||
        (is_of_turn && !(f->by_turn && f->stays_own && is_made_around(f, bit, c->key)))) {
        return;
    }
    TMA_ASSERT(c->key < f->keys && f->asks < 64 * GUARDS_A_SEED);
    const uint32_t place = place_of(f, c);
    if (!f->place[place]) {
        const int is_uniform = ptx_condition_hangs(f->p, c) == PTX_HANGS_UNIFORM;
        f->ask[f->asks++] = (wanted){*c, 0, 0, place, (uint8_t)is_uniform, (uint8_t)is_of_turn};
        f->place[place] = f->asks;
    }
    wanted *w = &f->ask[f->place[place] - 1];
    *(c->holds ? &w->yes : &w->no) |= UINT64_C(1) << bit;
}

/* What all numbers of a key ask. */
static void take_keys(ptx_flood *f) {
    for (uint32_t i = 0; i < f->asks; i++) {
        const wanted *w = &f->ask[i];
        uint32_t *slot = &f->slot[w->is.key];
        if (!*slot) {
            *slot = i + 1;
            f->key[i] = (key_asked){{0}, {0}};
        }
        key_asked *key = &f->key[*slot - 1];
        for (int which = 0; which < COUNTED && w->is.is_equal; which++) {
            const uint64_t yes = does_count(w, (counted)which) ? w->yes : 0;
            key->twice[which] |= key->once[which] & yes;
            key->once[which] |= yes;
        }
    }
}

/* Whether a value may be another one over a way back (1), or over one of no loop's (2). */
static int may_move(const ptx_values *v, ptx_value value) {
    const ptx_form *f = &v->forms.form[value];
    int may = 0;
    for (uint32_t i = 0; i < f->terms; i++) {
        const ptx_atom *a = &v->forms.atom[f->term[i].atom];
        may |= a->loop != PTX_NONE || a->is_mixed ? 1 : a->kind > PTX_ATOM_WINDOW ? 2 : 0;
    }
    return may;
}

static void begin_seeds(ptx_flood *f) {
    for (uint32_t i = 0; i < f->seeds; i++) {
        const ptx_act *act = &f->p->act[f->seed[i]];
        ptx_guard_walk at = {0};
        f->begins[f->seed[i]] |= UINT64_C(1) << i;
        f->open[f->p->v->g->step[act->step].block] = 1;
        for (ptx_condition c; ptx_act_condition(f->p, act, &at, &c);) {
            want(f, i, &c);
        }
        const int moves = !f->by_turn ? may_move(f->p->v, act->at) | may_move(f->p->v, act->barrier)
                          : f->p->v->g->node[ptx_act_block(f->p, act)].loop == PTX_NONE ? 2
                                                                                        : 1;
        f->moves[0] |= (uint64_t)(moves & 1) << i;
        f->moves[1] |= (uint64_t)(moves != 0) << i;
    }
    take_keys(f);
}

static void end_seeds(ptx_flood *f) {
    for (uint32_t i = 0; i < f->seeds; i++) {
        f->begins[f->seed[i]] = 0;
    }
    for (uint32_t i = 0; i < f->asks; i++) {
        f->slot[f->ask[i].is.key] = 0;
        f->place[f->ask[i].place] = 0;
    }
    f->asks = 0;
    f->moves[0] = 0;
    f->moves[1] = 0;
}

/* Bits that go on as others over a loop's way back. */
static uint64_t made_anew(const ptx_flood *f, uint32_t from, uint32_t to, uint32_t loop) {
    const uint64_t may = f->moves[loop == PTX_NONE];
    uint64_t anew = 0;
    for (uint32_t i = 0; may >> i && i < f->seeds; i++) {
        const ptx_act *act = &f->p->act[f->seed[i]];
        if (!(may >> i & 1)) {
            continue;
        }
        const uint32_t block = f->p->v->g->step[act->step].block;
        if (f->by_turn) {
            anew |= (uint64_t)(loop == PTX_NONE || ptx_block_in_loop(f->p->v->g, block, loop)) << i;
            continue;
        }
        anew |= (uint64_t)(ptx_value_over(f->p->v, act->at, from, to) != act->at ||
                           ptx_value_over(f->p->v, act->barrier, from, to) != act->barrier)
                << i;
    }
    return anew;
}

/* Over one way from a block (backwards: against it). `out` is the way's index from `from`. */
static void past_way(ptx_flood *f, uint32_t from, uint32_t to, uint32_t out, uint32_t next,
                     const uint64_t *plane) {
    const ptx_graph *g = f->p->v->g;
    uint32_t loop = 0;
    const uint64_t anew =
        ptx_way_of(g, from, to, &loop) == PTX_WAY_ON ? 0 : made_anew(f, from, to, loop);
    uint64_t *in = &f->state[(size_t)next * 2 * f->planes];
    ptx_condition way = f->p->branch[from];
    way.holds ^= (uint8_t)(out == 1);
    if (out < 2 && !(f->p->can_branch[from] >> out & 1)) {
        return;
    }
    const uint64_t own = blocked(f, &way, ALWAYS);
    const uint64_t others = f->stays_own ? own : blocked(f, &way, FOR_ALL);
    const uint64_t of_turn = f->by_turn ? blocked(f, &way, OF_TURN) : own;
    for (uint32_t i = 0; i < f->planes; i++) {
        const uint64_t no = i < f->crossed ? own : others;
        const uint64_t here = plane[i] & ~(i < f->crossed ? of_turn : no);
        const uint64_t older = f->one_back ? anew : 0;
        const uint64_t turned = (plane[f->planes + i] & ~no & ~older) | (here & anew);
        if ((here & ~anew & ~in[i]) || (turned & ~in[f->planes + i])) {
            in[i] |= here & ~anew;
            in[f->planes + i] |= turned;
            f->open[next] = 1;
        }
    }
}

static uint32_t out_of(const ptx_graph *g, uint32_t from, uint32_t to) {
    for (uint32_t i = 0; i < g->node[from].outs; i++) {
        if (g->out[g->node[from].first_out + i] == to) {
            return i;
        }
    }
    return 0;
}

static void spend(ptx_protocol *p, uint32_t work) {
    p->work -= p->work > work ? work : p->work;
}

/* Whether a seed is in the block, or has come to it. */
static int has_any(const ptx_flood *f, uint32_t block) {
    uint64_t any = 0;
    for (uint32_t i = 0; i < 2 * f->planes; i++) {
        any |= f->state[(size_t)block * 2 * f->planes + i];
    }
    for (uint32_t i = f->p->first[block]; !any && i < f->p->first[block + 1]; i++) {
        any = f->begins[i];
    }
    return any != 0;
}

/* An earlier turn's way ends where its act comes again: it is its own story. With one_back, that of
 * another address goes on. */
static void begin_again(const ptx_flood *f, uint64_t *plane, uint64_t bits) {
    for (uint32_t i = 0; i < (f->one_back ? 1 : 2) * f->planes; i++) {
        plane[i] &= ~bits;
    }
    plane[0] |= bits;
}

static void past_block(ptx_flood *f, uint32_t block, int shows) {
    const ptx_graph *g = f->p->v->g;
    const ptx_node *n = &g->node[block];
    const uint32_t first = f->p->first[block];
    const uint32_t acts = f->p->first[block + 1] - first;
    uint64_t plane[2 * PTX_MOST_PLANES];
    TMA_ASSERT(f->planes && f->planes <= PTX_MOST_PLANES);
    if (shows && !has_any(f, block)) {
        return;
    }
    memcpy(plane, &f->state[(size_t)block * 2 * f->planes], 2 * (size_t)f->planes * sizeof(*plane));
    for (uint32_t i = 0; i < acts; i++) {
        const uint32_t act = f->backwards ? first + acts - 1 - i : first + i;
        if (shows) {
            f->hit(f, act, plane);
        }
        f->pass(f, act, plane);
        if (f->begins[act]) {
            begin_again(f, plane, f->begins[act]);
        }
    }
    spend(f->p, acts + 4);
    for (uint32_t i = 0; !shows && !f->backwards && i < n->outs; i++) {
        past_way(f, block, g->out[n->first_out + i], i, g->out[n->first_out + i], plane);
    }
    for (uint32_t i = 0; !shows && f->backwards && i < n->ins; i++) {
        const uint32_t from = g->in[n->first_in + i];
        if (g->node[from].order != PTX_NONE) {
            past_way(f, from, block, out_of(g, from, block), from, plane);
        }
    }
}

/* Follows the seeds' ways to their end, then shows `hit` each act with what reaches it. */
static void go(ptx_flood *f) {
    const ptx_graph *g = f->p->v->g;
    int again = 1;
    memset(f->state, 0, (size_t)g->nodes * 2 * f->planes * sizeof(*f->state));
    memset(f->open, 0, g->nodes);
    begin_seeds(f);
    while (again && f->p->work && !f->p->memory->failed) {
        again = 0;
        for (uint32_t i = 0; i < g->reached; i++) {
            const uint32_t block = g->ordered[f->backwards ? g->reached - 1 - i : i];
            if (f->open[block]) {
                f->open[block] = 0;
                again = 1;
                past_block(f, block, 0);
            }
        }
        spend(f->p, g->reached / 8); /* ways back may need one turn each */
    }
    for (uint32_t i = 0; i < g->reached && f->p->work; i++) {
        past_block(f, g->ordered[i], 1);
    }
    end_seeds(f);
}

int ptx_flood_begin(ptx_flood *f, ptx_protocol *p) {
    const ptx_graph *g = p->v->g;
    f->p = p;
    f->state =
        ptx_memory_take(p->memory, ((size_t)g->nodes + 1) * 2 * f->planes, sizeof(*f->state));
    f->open = ptx_memory_take(p->memory, (size_t)g->nodes + 1, 1);
    f->begins = ptx_memory_take(p->memory, (size_t)p->acts + 1, sizeof(*f->begins));
    /* ways make values for other turns; none of them is a condition's key */
    f->keys = p->v->forms.forms + 1;
    f->slot = ptx_memory_take(p->memory, f->keys, sizeof(*f->slot));
    p->asked = p->asked ? p->asked : ptx_memory_take(p->memory, 1, sizeof(*p->asked));
    if (p->asked) {
        f->ask = p->asked->ask;
        f->key = p->asked->key;
        f->place = p->asked->place;
    }
    return p->memory->failed ? -1 : 0;
}

void ptx_flood_all(ptx_flood *f, ptx_act_kind kind, void (*end)(ptx_flood *f)) {
    f->seeds = 0;
    for (uint32_t i = 0; i <= f->p->acts && !f->p->memory->failed; i++) {
        if (i < f->p->acts && f->p->act[i].kind == kind) {
            f->seed[f->seeds++] = i;
        }
        if (f->seeds == 64 || (i == f->p->acts && f->seeds)) {
            memset(f->context, 0, f->context_B);
            if (f->begin) {
                f->begin(f);
            }
            go(f);
            if (f->p->work) {
                end(f);
            }
            f->seeds = 0;
        }
    }
}

/* --- what is reached --- */

uint8_t *ptx_acts_reached(const ptx_protocol *p, const uint8_t *from, const uint8_t *stops,
                          const ptx_act *who) {
    const ptx_graph *g = p->v->g;
    uint8_t *is = ptx_memory_take(p->memory, (size_t)p->acts + g->nodes + 1, 1);
    uint8_t *in = is ? is + p->acts : NULL; /* by block: 1 it is, 2 and what it leads to, too */
    for (int again = is && g->reached; again;) {
        again = 0;
        in[g->ordered[0]] |= !from;
        for (uint32_t i = 0; i < g->reached; i++) {
            const uint32_t block = g->ordered[i];
            int now = in[block] & 1;
            for (uint32_t k = p->first[block]; k < p->first[block + 1]; k++) {
                is[k] |= (uint8_t)now;
                now = (now && !(stops && stops[k])) || (from && from[k]);
            }
            for (uint32_t k = 0; now && !(in[block] & 2) && k < g->node[block].outs; k++) {
                const uint32_t to = g->out[g->node[block].first_out + k];
                if (!(in[to] & 1) && (!who || ptx_act_takes_way(p, who, block, k))) {
                    in[to] |= 1;
                    again |= g->node[to].order <= i;
                }
            }
            in[block] |= now ? 2 : 0;
        }
    }
    return is;
}

void ptx_blocks_mark_leading(const ptx_protocol *p, uint8_t *is, uint32_t *todo) {
    const ptx_graph *g = p->v->g;
    uint32_t todos = 0;
    for (uint32_t i = 0; i < g->nodes; i++) {
        if (is[i]) {
            todo[todos++] = i;
        }
    }
    while (todos) {
        const ptx_node *n = &g->node[todo[--todos]];
        for (uint32_t i = 0; i < n->ins; i++) {
            const uint32_t from = g->in[n->first_in + i];
            if (!is[from] && g->node[from].order != PTX_NONE) {
                is[from] = 1;
                todo[todos++] = from;
            }
        }
    }
}
