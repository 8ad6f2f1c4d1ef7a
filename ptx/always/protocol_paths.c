/* SPDX-License-Identifier: Apache-2.0
 *
 * The walk of all rules that look at paths.
 */
#include "protocol_paths.h"

typedef struct found {
    uint32_t act; /* + 1 */
    int is;       /* PTX_MAY, PTX_SURE */
} found;

typedef struct paths_context {
    _Alignas(uint64_t) uint8_t own[PTX_MOST_CONTEXT_B];
    found best[PTX_MOST_CLAIMS][64];
} paths_context;

/* --- on the way --- */

static void move(const ptx_flood *f, uint64_t *plane, const ptx_passing *how, uint64_t bits) {
    for (uint32_t k = 0; k < f->planes; k++) {
        for (uint32_t i = k; how->from >> k & 1 && i < 2 * f->planes; i += f->planes) {
            const uint64_t moved = plane[i] & bits;
            plane[i] &= how->how == PTX_ADDS ? UINT64_MAX : ~moved;
            plane[i - k + how->to] |= how->how == PTX_ENDS ? 0 : moved;
        }
    }
}

/* Of the seeds whose ways would be moved, those that an act is so to. */
static uint64_t counts_for(ptx_flood *f, const ptx_passing *how, const ptx_act *a,
                           const uint64_t *plane) {
    uint64_t bits = 0;
    for (uint32_t k = 0; k < f->planes; k++) {
        bits |= how->from >> k & 1 ? ptx_flood_bits(f, plane, k) : 0;
    }
    for (uint32_t i = 0; bits && how->of && i < f->seeds; i++) {
        const uint64_t one = UINT64_C(1) << i;
        bits &= bits & one && !how->of(f->p, a, &f->p->act[f->seed[i]]) ? ~one : UINT64_MAX;
    }
    return bits;
}

static void pass(ptx_flood *f, uint32_t act, uint64_t *plane) {
    const ptx_act *a = &f->p->act[act];
    for (const ptx_passing *how = f->rule->passing; how->kinds; how++) {
        if (!(how->kinds >> a->kind & 1) || (how->traits && !(how->traits & a->traits))) {
            continue;
        }
        if (how->by) {
            how->by(f, act, plane);
        } else {
            move(f, plane, how, counts_for(f, how, a, plane));
        }
    }
}

/* --- at its end --- */

static uint64_t bits_of(const ptx_flood *f, const uint64_t *plane, uint32_t which) {
    uint64_t bits = 0;
    for (uint32_t k = 0; k < f->planes; k++) {
        bits |= which >> k & 1 ? plane[k] : 0;
        bits |= which >> (16 + k) & 1 ? plane[f->planes + k] : 0;
    }
    return bits;
}

static void hit(ptx_flood *f, uint32_t act, const uint64_t *plane) {
    paths_context *c = f->context;
    const ptx_act *a = &f->p->act[act];
    for (uint32_t k = 0; k < PTX_MOST_CLAIMS; k++) {
        const ptx_claim *claim = &f->rule->claim[k];
        const uint64_t bits = claim->access >> a->kind & 1
                                  ? bits_of(f, plane, claim->open) & ~bits_of(f, plane, claim->shut)
                                  : 0;
        for (uint32_t i = 0; bits >> i && i < f->seeds; i++) {
            found *best = &c->best[k][i];
            if (!(bits >> i & 1) || best->is >= claim->most + claim->is_last) {
                continue;
            }
            const int is = claim->is(f->p, a, &f->p->act[f->seed[i]]);
            if (is >= best->is + !claim->is_last && is) {
                *best = (found){act + 1, is < claim->most ? is : claim->most};
            }
        }
    }
}

static void say(ptx_protocol *p, const ptx_claim *claim, const ptx_act *about, const ptx_act *with,
                const ptx_act *access, int is) {
    tma_out *out = ptx_text_begin(p->r);
    for (const char *text = claim->text; *text; text++) {
        if (*text == '@') {
            tma_putf(out, "%d", ptx_act_line(p, with));
        } else if (*text == '~') {
            tma_putf(out, "%s", access->kind == PTX_ACT_READ ? "read" : "write");
        } else {
            tma_putf(out, "%c", *text);
        }
    }
    ptx_protocol_said(p, (ptx_rule)claim->rule, is == PTX_SURE, (ptx_unless)claim->unless, about,
                      with);
}

static void end(ptx_flood *f) {
    const paths_context *c = f->context;
    for (uint32_t k = 0; k < PTX_MOST_CLAIMS; k++) {
        const ptx_claim *claim = &f->rule->claim[k];
        for (uint32_t i = 0; i < f->seeds; i++) {
            const found *best = &c->best[k][i];
            const ptx_act *seed = &f->p->act[f->seed[i]];
            const ptx_act *access = best->act ? &f->p->act[best->act - 1] : NULL;
            if (access && (!claim->holds || claim->holds(f->p, access, seed))) {
                say(f->p, claim, claim->about_access ? access : seed,
                    claim->about_access ? seed : access, access, best->is);
            }
        }
    }
}

/* --- the rule --- */

static uint64_t has(const ptx_protocol *p, uint64_t kinds) {
    uint64_t has = 0;
    for (uint32_t i = 0; i < PTX_ACTS; i++) {
        has += kinds >> i & 1 ? p->many[i] : 0;
    }
    return has;
}

void ptx_paths_follow(ptx_protocol *p, const ptx_paths *rule) {
    paths_context c;
    ptx_flood f = {.rule = rule,
                   .planes = rule->planes,
                   .crossed = rule->crossed ? rule->crossed : rule->planes,
                   .backwards = rule->backwards,
                   .by_turn = rule->by_turn,
                   .stays_own = rule->stays_own,
                   .one_back = rule->one_back,
                   .pass = pass,
                   .hit = rule->hit ? rule->hit : hit,
                   .begin = rule->begin,
                   .context = &c,
                   .context_B = sizeof(c)};
    if (!has(p, rule->seeds) || !has(p, rule->needs) || (rule->asks && !rule->asks(p)) ||
        ptx_flood_begin(&f, p)) {
        return;
    }
    for (uint32_t kind = 0; kind < PTX_ACTS; kind++) {
        if (rule->seeds >> kind & 1) {
            ptx_flood_all(&f, (ptx_act_kind)kind, rule->end ? rule->end : end);
        }
    }
}
