/* SPDX-License-Identifier: Apache-2.0
 *
 * Which groups wait because of another one, as far as this is asked:
 *   at the same mbarrier, or for registers of the same CTA: it is the same wait;
 *   at a named barrier, the cluster's barrier, or where lanes come together: all threads that have
 *   not come and have not exited wait with the cause; of a named barrier with a count, those that
 *   may come to it (deadlock_ahead.h);
 *   at an mbarrier whose phase has not begun, where the cause's has, or the cause is lanes that do
 *   not come together, or both wait for each other: threads that wait with the cause may still tell
 *   that mbarrier;
 *   at an mbarrier that lacks arrivals alone, where the cause does not wait for the group: threads
 *   that wait with the cause have an instruction before them that told that mbarrier before.
 * All else stays a cause of its own. Groups that no other holds up without being held up by it come
 * first; of mbarriers that wait for each other the one whose last phase was completed earlier.
 */
#include "async.h"
#include "deadlock_needs.h"
#include "heap.h"
#include "run_report.h"
#include "tma/text.h"

typedef struct search {
    emu_waiting *group; /* of one cluster */
    uint32_t groups, base;
    emu_ahead ahead;
    emu_needs needs;
} search;

/* ---- who holds whom ---- */

static int is_held(const emu_waiting *g, uint32_t cause) {
    return g->cause == cause;
}

static int is_at(const emu_waiting *g, const emu_waiting *like) {
    return g->wait == like->wait && g->number == like->number &&
           (g->cta == like->cta || g->wait == EMU_WAITS_CLUSTER);
}

/* Whether a group's threads are among those that a barrier waits for. */
static int may_come(search *s, emu_waiting *other, const emu_waiting *g) {
    if (is_at(other, g) || (g->wait != EMU_WAITS_CLUSTER && other->cta != g->cta)) {
        return 0;
    }
    return g->wait == EMU_WAITS_CLUSTER || !emu_named_counts(g->cta, (uint32_t)g->number) ||
           emu_may_come(&s->ahead, other, g->number);
}

/* Of the threads that a barrier waits for: how many are held; 0 where one is not. */
static uint32_t held_threads(search *s, const emu_waiting *g, uint32_t cause) {
    uint32_t held = 0;
    for (uint32_t i = 0; i < s->groups; i++) {
        emu_waiting *other = &s->group[i];
        if (may_come(s, other, g)) {
            if (!is_held(other, cause)) {
                return 0;
            }
            held += other->threads;
        }
    }
    return held;
}

/* Whether the lanes that do not come to where a group's lanes come together are all held. */
static int has_held_lanes(search *s, const emu_waiting *g, uint32_t cause) {
    for (uint32_t i = 0; i < g->cta->warps; i++) {
        emu_warp *w = &g->cta->warp[i];
        int is_here = 0;
        int is_free = (w->exists & ~w->live) != 0;
        for (const emu_fragment *f = w->fragments; f; f = f->next) {
            const emu_waiting one = emu_wait_of(w, f);
            is_here |= emu_waits_alike(&one, g);
            s->ahead.work += s->groups;
            for (uint32_t k = 0; k < s->groups; k++) {
                is_free |= emu_waits_alike(&one, &s->group[k]) && !emu_waits_alike(&one, g) &&
                           !is_held(&s->group[k], cause);
            }
        }
        if (is_here && is_free) {
            return 0;
        }
    }
    return 1;
}

/* Whether threads that are held may tell the mbarrier that a group waits at. */
static int may_be_told(search *s, const emu_waiting *g, uint32_t cause) {
    for (uint32_t i = 0; i < s->groups; i++) {
        if (is_held(&s->group[i], cause) && emu_may_tell(&s->ahead, &s->group[i], g)) {
            return 1;
        }
    }
    return 0;
}

/* The same by what told it before. */
static int would_be_told(search *s, const emu_waiting *g, uint32_t cause) {
    for (uint32_t i = 0; i < s->groups; i++) {
        if (is_held(&s->group[i], cause) && emu_tells_again(&s->ahead, &s->group[i], g)) {
            return 1;
        }
    }
    return 0;
}

static int follows_at_mbarrier(search *s, uint32_t at, uint32_t cause) {
    const uint32_t first = cause - s->base;
    const emu_waiting *g = &s->group[at], *of = &s->group[first];
    if (of->wait == EMU_WAITS_MBARRIER && g->number == of->number) {
        return 1;
    }
    if (emu_is_begun(g)) {
        return emu_is_upstream(&s->needs, at, first) && !emu_waited_for(g)->state.bytes_missing_B &&
               would_be_told(s, g, cause);
    }
    const int is_sure = of->wait == EMU_WAITS_CONVERGE || of->wait == EMU_WAITS_REGISTERS ||
                        emu_is_begun(of) ||
                        (of->wait == EMU_WAITS_MBARRIER && emu_is_cycle(&s->needs, at, first));
    return is_sure && may_be_told(s, g, cause);
}

static int follows(search *s, uint32_t at, uint32_t cause) {
    emu_waiting *g = &s->group[at];
    const emu_waiting *of = &s->group[cause - s->base];
    uint32_t held, threads;
    s->ahead.work += s->groups;
    switch (g->wait) {
    case EMU_WAITS_MBARRIER:
        return follows_at_mbarrier(s, at, cause);
    case EMU_WAITS_BARRIER:
        held = held_threads(s, g, cause);
        return held && held >= emu_named_missing(g->cta, (uint32_t)g->number, &threads);
    case EMU_WAITS_CLUSTER:
        return held_threads(s, g, cause) != 0;
    case EMU_WAITS_CONVERGE: /* what its lanes would do may be what the cause lacks */
        return has_held_lanes(s, g, cause) && !emu_may_tell(&s->ahead, g, NULL);
    case EMU_WAITS_REGISTERS: /* of one pool */
        return of->wait == EMU_WAITS_REGISTERS && of->cta == g->cta;
    default:
        return 0;
    }
}

static void take_followers(search *s, uint32_t at) {
    const uint32_t cause = s->base + at;
    int again = 1;
    s->group[at].cause = cause;
    while (again && !emu_ahead_is_over(&s->ahead)) {
        again = 0;
        for (uint32_t i = 0; i < s->groups; i++) {
            if (s->group[i].cause == EMU_NO_CAUSE && follows(s, i, cause)) {
                s->group[i].cause = cause;
                again = 1;
            }
        }
    }
}

/* What comes first: barriers whose phase has begun and registers, lanes that would tell a barrier
 * and wait for others, other mbarriers, all else. */
static uint32_t rank_of(search *s, emu_waiting *g) {
    if (g->wait == EMU_WAITS_MBARRIER) {
        return emu_is_begun(g) ? 0 : 2;
    }
    if (g->wait == EMU_WAITS_REGISTERS) {
        return 0;
    }
    return g->wait == EMU_WAITS_CONVERGE && emu_may_tell(&s->ahead, g, NULL) ? 1 : 3;
}

/* Whether another group comes first: this one waits for it and not it for this one; or both wait
 * for each other, at mbarriers, and its last phase was completed earlier. */
static int has_earlier(const search *s, uint32_t at) {
    const emu_mbarrier *b = emu_waited_for(&s->group[at]);
    for (uint32_t i = 0; i < s->groups; i++) {
        const emu_mbarrier *other = emu_waited_for(&s->group[i]);
        const int is_behind = b && other && other->completed_at < b->completed_at &&
                              emu_is_begun(&s->group[i]) == emu_is_begun(&s->group[at]);
        if (s->group[i].cause == EMU_NO_CAUSE &&
            (emu_is_upstream(&s->needs, at, i) || (is_behind && emu_is_cycle(&s->needs, at, i)))) {
            return 1;
        }
    }
    return 0;
}

static void look_at_cluster(search *s) {
    emu_needs_of(&s->ahead, s->group, s->groups, &s->needs);
    for (uint32_t rank = 0; rank < 8; rank++) {
        for (uint32_t i = 0; i < s->groups; i++) {
            if (s->group[i].cause == EMU_NO_CAUSE && rank_of(s, &s->group[i]) == rank % 4 &&
                (rank >= 4 || !has_earlier(s, i))) {
                take_followers(s, i);
            }
        }
    }
}

static void end_cluster(search *s) {
    const int is_known = s->groups <= EMU_GROUPS_MOST && !emu_ahead_is_over(&s->ahead);
    for (uint32_t i = 0; i < s->groups; i++) {
        emu_give(s->ahead.m, s->group[i].ahead);
        s->group[i].ahead = NULL;
        s->group[i].cause = is_known ? s->group[i].cause : EMU_NO_CAUSE;
    }
}

static void note_limit(emu_machine *m, uint32_t most) {
    char text[TMA_EMULATE_TEXT];
    tma_out out = tma_out_into(text, sizeof(text));
    tma_put(&out, "at the deadlock ");
    if (most > EMU_GROUPS_MOST) {
        tma_putf(&out, "a cluster has %u groups of threads that wait, more than %u", most,
                 EMU_GROUPS_MOST);
    } else {
        tma_put(&out, "who waits because of whom was not asked to its end");
    }
    tma_put(&out, ": each group is told by itself, not as what follows from another");
    emu_note_copied(m, NULL, text);
}

void emu_waiting_causes(emu_machine *m, emu_waiting *group, uint32_t groups) {
    search s = {.ahead = {.m = m}};
    uint32_t most = 0;
    for (uint32_t i = 0; i < groups; i += s.groups) {
        s.group = &group[i];
        s.base = i;
        s.groups = 0;
        while (i + s.groups < groups && group[i + s.groups].cta->cluster == group[i].cta->cluster) {
            s.groups++;
        }
        most = s.groups > most ? s.groups : most;
        if (s.groups <= EMU_GROUPS_MOST && !emu_ahead_is_over(&s.ahead)) {
            look_at_cluster(&s);
        }
        end_cluster(&s);
    }
    for (uint32_t i = 0; i < groups; i++) {
        group[i].cause = group[i].cause == i ? EMU_NO_CAUSE : group[i].cause;
    }
    if (most > EMU_GROUPS_MOST || emu_ahead_is_over(&s.ahead)) {
        note_limit(m, most);
    }
    emu_ahead_end(&s.ahead);
}
