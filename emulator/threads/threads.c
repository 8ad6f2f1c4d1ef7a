/* SPDX-License-Identifier: Apache-2.0
 *
 * Fragments, joins and frames. A join and a callee's frame belong to the fragments that are under
 * them; each counts as a user of a frame.
 */
#include "threads.h"

#include <string.h>

#include "async.h"
#include "run_report.h"
#include "stack.h"
#include "tma/detail/assert.h"

#define LOCAL_FIRST 0x1000u /* local addresses begin here */
#define ALIGN_B     64u

typedef struct emu_threads {
    emu_fragment *fragments;
    emu_join *joins;
    emu_frame **frames; /* by function */
} emu_threads;

int emu_threads_begin(emu_machine *m) {
    emu_threads *t = ptx_memory_take(&m->memory, 1, sizeof(*t));
    m->threads = t;
    if (t) {
        t->frames = ptx_memory_take(&m->memory, m->program->functions, sizeof(emu_frame *));
    }
    return t && t->frames ? 0 : -1;
}

static void *none_left(emu_warp *w) {
    emu_stop(w->machine, TMA_EMULATE_LIMIT, w, NULL, "no memory is left for threads");
    return NULL;
}

/* ---- frames ---- */

static size_t aligned(size_t size_B) {
    return (size_B + ALIGN_B - 1) / ALIGN_B * ALIGN_B;
}

static emu_frame *new_frame(emu_warp *w, const emu_function *function) {
    emu_machine *m = w->machine;
    emu_frame **spare = &((emu_threads *)m->threads)->frames[function - m->program->function];
    const size_t slots_B = (size_t)function->slots * EMU_SLOT_B;
    const size_t memory_B = aligned((size_t)function->local_B * EMU_LANES);
    const size_t undefined_B = m->tracks ? function->slots * sizeof(uint32_t) : 0;
    emu_frame *frame = *spare;
    if (function->local_B > SIZE_MAX / 4 / EMU_LANES) { /* where pointers have 32 bits */
        return none_left(w);
    }
    if (frame) {
        *spare = frame->caller;
        memset(frame->slots, 0, slots_B + memory_B);
    } else {
        frame = ptx_memory_take(
            &m->memory, 1, aligned(sizeof(*frame)) + slots_B + memory_B + undefined_B + ALIGN_B);
        if (!frame) {
            return none_left(w);
        }
        uint8_t *at = (uint8_t *)frame + sizeof(*frame);
        frame->slots = at + (ALIGN_B - (uintptr_t)at % ALIGN_B) % ALIGN_B;
        frame->memory = frame->slots + slots_B;
        frame->undefined = undefined_B ? (uint32_t *)(void *)(frame->memory + memory_B) : NULL;
    }
    if (undefined_B) {
        memset(frame->undefined, 0xff, undefined_B);
    }
    frame->function = function;
    frame->stack = NULL;
    frame->users = 0;
    return frame;
}

static void drop_frame(emu_machine *m, emu_frame *frame) {
    while (frame && --frame->users == 0) {
        emu_frame *caller = frame->caller;
        emu_frame **spare =
            &((emu_threads *)m->threads)->frames[frame->function - m->program->function];
        emu_stack_drop(m, frame);
        frame->caller = *spare;
        *spare = frame;
        frame = caller;
    }
}

/* A fragment's frame becomes another one. */
static void move_to_frame(emu_machine *m, emu_fragment *f, emu_frame *frame) {
    frame->users++;
    drop_frame(m, f->frame);
    f->frame = frame;
}

/* Frames lie below what alloca gives. */
static int frame_fits(const emu_warp *w, const emu_function *function, uint64_t local_at,
                      const emu_instruction *call) {
    TMA_ASSERT(local_at <= EMU_STACK_FIRST);
    if (function->local_B <= (EMU_STACK_FIRST - local_at) / EMU_LANES) {
        return 1;
    }
    emu_stop(w->machine, TMA_EMULATE_LIMIT, w, call,
             "a warp's local variables need more than 2 GiB");
    return 0;
}

emu_frame *emu_frame_enter(emu_warp *w, const emu_function *function, const emu_instruction *call) {
    emu_frame *caller = w->now->frame;
    const uint64_t local_at =
        caller->local_at + aligned((size_t)caller->function->local_B * EMU_LANES);
    if (!frame_fits(w, function, local_at, call)) {
        return NULL;
    }
    emu_frame *frame = new_frame(w, function);
    if (frame) {
        frame->caller = caller;
        frame->call = call;
        frame->local_at = (uint32_t)local_at;
        frame->users = 1; /* the fragment; its own use of the caller is the frame's now */
        w->now->frame = frame;
        w->now->pc = function->first;
    }
    return frame;
}

void emu_frame_leave(emu_warp *w) {
    emu_fragment *f = w->now;
    const emu_frame *frame = f->frame;
    TMA_ASSERT(frame->caller);
    f->pc = (uint32_t)(frame->call - w->machine->program->code) + 1;
    move_to_frame(w->machine, f, frame->caller);
    if (!emu_arrives(w, f)) {
        w->now = NULL;
    }
}

/* ---- fragments ---- */

static emu_fragment *new_fragment(emu_warp *w, uint32_t mask, uint32_t pc, emu_frame *frame,
                                  emu_join *join) {
    emu_threads *t = w->machine->threads;
    emu_fragment *f = t->fragments;
    if (f) {
        t->fragments = f->next;
    } else if (!(f = ptx_memory_take(&w->machine->memory, 1, sizeof(*f)))) {
        return none_left(w);
    }
    *f = (emu_fragment){.next = w->fragments, .frame = frame, .join = join, .mask = mask, .pc = pc};
    w->fragments = f;
    frame->users++;
    return f;
}

static void end_fragment(emu_warp *w, emu_fragment *f) {
    emu_threads *t = w->machine->threads;
    emu_fragment **link = &w->fragments;
    while (*link != f) {
        link = &(*link)->next;
    }
    *link = f->next;
    drop_frame(w->machine, f->frame);
    f->next = t->fragments;
    t->fragments = f;
}

int emu_warp_begins(emu_warp *w) {
    const emu_function *kernel = w->machine->kernel;
    emu_frame *frame = frame_fits(w, kernel, LOCAL_FIRST, NULL) ? new_frame(w, kernel) : NULL;
    if (!frame) {
        return -1;
    }
    frame->caller = NULL;
    frame->call = NULL;
    frame->local_at = LOCAL_FIRST;
    w->live = w->exists;
    w->fragments = NULL;
    return new_fragment(w, w->exists, kernel->first, frame, NULL) ? 0 : -1;
}

/* ---- joins ---- */

static int is_at(const emu_fragment *f, const emu_join *j) {
    return j && j->pc == f->pc && j->frame == f->frame;
}

/* Whether lanes wait for each other at an instruction: not where they would only exit. */
static int do_meet(const emu_warp *w, const emu_frame *frame, uint32_t pc) {
    const emu_instruction *in = &w->machine->program->code[pc];
    return in->guard != EMU_NO_GUARD ||
           !(in->op == EMU_OP_EXIT || (in->op == EMU_OP_RET && !frame->caller));
}

static emu_join *push_join(emu_warp *w, emu_fragment *f, uint32_t pc) {
    emu_threads *t = w->machine->threads;
    emu_join *j = t->joins;
    if (j) {
        t->joins = j->outer;
    } else if (!(j = ptx_memory_take(&w->machine->memory, 1, sizeof(*j)))) {
        return none_left(w);
    }
    *j = (emu_join){.outer = f->join, .frame = f->frame, .pc = pc, .expected = f->mask};
    f->frame->users++;
    return f->join = j;
}

static emu_join *pop_join(emu_warp *w, emu_join *j) {
    emu_threads *t = w->machine->threads;
    emu_join *outer = j->outer;
    drop_frame(w->machine, j->frame);
    j->outer = t->joins;
    t->joins = j;
    return outer;
}

int emu_arrives(emu_warp *w, emu_fragment *f) {
    while (is_at(f, f->join)) {
        emu_join *j = f->join;
        j->arrived |= f->mask;
        if (j->arrived != (j->expected & w->live)) {
            end_fragment(w, f);
            return 0;
        }
        f->mask = j->arrived;
        f->join = pop_join(w, j);
    }
    return 1;
}

emu_step emu_part(emu_warp *w, uint32_t mask, uint32_t target, uint32_t next, uint32_t join) {
    emu_fragment *f = w->now;
    const uint32_t others = f->mask & ~mask;
    if (!others) {
        f->pc = target;
        w->now = emu_arrives(w, f) ? f : NULL;
        return EMU_JUMPED;
    }
    const int there = f->join && f->join->pc == join && f->join->frame == f->frame;
    if (!there && do_meet(w, f->frame, join) && !push_join(w, f, join)) {
        return EMU_STOPPED;
    }
    emu_fragment *g = new_fragment(w, mask, target, f->frame, f->join);
    if (!g) {
        return EMU_STOPPED;
    }
    g->polls = f->polls;
    f->mask = others;
    f->pc = next;
    const int f_lives = emu_arrives(w, f);
    w->now = emu_arrives(w, g) ? g : f_lives ? f : NULL;
    return EMU_JUMPED;
}

int emu_release_join(emu_warp *w) {
    for (emu_fragment *f = w->fragments; f; f = f->next) {
        for (emu_join *j = f->join; j; j = j->outer) {
            if (j->arrived) {
                emu_fragment *g = new_fragment(w, j->arrived, j->pc, j->frame, j->outer);
                if (g) {
                    j->expected &= ~j->arrived;
                    j->arrived = 0;
                    emu_arrives(w, g);
                }
                return g != NULL;
            }
        }
    }
    return 0;
}

/* A fragment without lanes: what it was under may be complete without it. */
static void fragment_exits(emu_warp *w, emu_fragment *f) {
    while (f->join) {
        emu_join *j = f->join;
        const uint32_t alive = j->expected & w->live;
        if (j->arrived != alive) {
            break;
        }
        if (alive) {
            f->mask = alive;
            f->pc = j->pc;
            move_to_frame(w->machine, f, j->frame);
            f->join = pop_join(w, j);
            w->now = emu_arrives(w, f) ? f : NULL;
            return;
        }
        f->join = pop_join(w, j);
    }
    end_fragment(w, f);
    w->now = NULL;
}

void emu_lanes_exit(emu_warp *w, uint32_t mask) {
    emu_fragment *f = w->now;
    TMA_ASSERT((mask & ~f->mask) == 0);
    f->mask &= ~mask;
    w->live &= ~mask;
    w->cta->running -= (uint32_t)__builtin_popcount(mask);
    w->machine->exits |= !w->cta->running;
    emu_progress_near(w->machine, w->cta->cluster);
    if (f->mask) {
        f->pc++;
        w->now = emu_arrives(w, f) ? f : NULL;
    } else {
        fragment_exits(w, f);
    }
}

/* ---- lanes that go on together ---- */

static int waits_here(const emu_fragment *s, const emu_fragment *f) {
    return s != f && s->wait == EMU_WAITS_CONVERGE && s->pc == f->pc && s->frame == f->frame;
}

/* A fragment that waited has had its instruction executed by f. */
static void goes_along(emu_warp *w, emu_fragment *s, emu_fragment *f) {
    if (s->join == f->join) {
        f->mask |= s->mask;
        end_fragment(w, s);
    } else {
        s->wait = EMU_RUNS;
        s->pc++;
        emu_arrives(w, s);
    }
}

emu_step emu_together(emu_warp *w, const emu_instruction *in, uint32_t *mask, uint32_t named) {
    emu_fragment *f = w->now;
    uint32_t missing = named & w->live & ~*mask;
    if (!missing) {
        return EMU_NEXT;
    }
    if (missing & f->mask) {
        const emu_who who = {.in = in,
                             .cta = w->cta->index,
                             .thread =
                                 w->index * EMU_LANES + (uint32_t)__builtin_ctz(missing & f->mask)};
        emu_report(w->machine, TMA_EMULATE_RULE_DIVERGENCE, 1, &who, NULL,
                   "a lane that the instruction names passes it by, its guard false", NULL);
        missing &= ~f->mask;
    }
    uint32_t here = 0;
    for (const emu_fragment *s = w->fragments; s; s = s->next) {
        here |= waits_here(s, f) ? (uint32_t)s->number : 0;
    }
    if (missing & ~here) {
        f->wait = EMU_WAITS_CONVERGE;
        f->number = *mask;
        return EMU_BLOCKED;
    }
    for (emu_fragment *s = w->fragments, *next; s; s = next) {
        next = s->next;
        if (waits_here(s, f) && (s->number & missing)) {
            *mask |= (uint32_t)s->number;
            goes_along(w, s, f);
        }
    }
    emu_progress_near(w->machine, w->cta->cluster);
    return EMU_NEXT;
}

emu_step emu_all_together(emu_warp *w, const emu_instruction *in, uint32_t *mask) {
    const emu_step step = emu_together(w, in, mask, UINT32_MAX);
    const uint32_t exited = w->exists & ~w->live;
    if (step == EMU_NEXT && exited) {
        const emu_who who = {.in = in,
                             .cta = w->cta->index,
                             .thread = w->index * EMU_LANES + (uint32_t)__builtin_ctz(exited)};
        emu_report(w->machine, TMA_EMULATE_RULE_DIVERGENCE, 1, &who, NULL,
                   "the thread has exited: the instruction is one that all threads of the warp "
                   "execute together",
                   NULL);
    }
    return step;
}
