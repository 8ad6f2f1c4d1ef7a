/* SPDX-License-Identifier: Apache-2.0
 *
 * The library's calls: a program decoded, launches run one after another.
 */
#include <string.h>

#include "async.h"
#include "deadlock.h"
#include "heap.h"
#include "launch.h"
#include "order.h"
#include "places.h"
#include "run_report.h"
#include "schedule.h"
#include "straight.h"

/* The page's WebAssembly says 4, where tests run it (tests/page); nobody has run another such
 * machine. */
#ifndef EMU_POINTER_B
#define EMU_POINTER_B 8
#endif

/* Before each block of the program's memory. */
typedef struct held {
    _Alignas(16) struct held *next;
} held;

struct tma_emulator {
    tma_emulate_host host;
    ptx_memory memory;
    held *blocks;
    emu_program program;
    emu_machine machine;
    tma_emulate_launch launch;
    tma_emulate_result result;
    uint8_t has_run; /* the machine is there */
    uint8_t runs;    /* and has not come to its end */
};

static void *more_for_program(void *context, size_t size_B) {
    tma_emulator *e = context;
    held *block = size_B <= SIZE_MAX - sizeof(*block)
                      ? e->host.allocate(e->host.context, sizeof(*block) + size_B)
                      : NULL;
    if (!block) {
        return NULL;
    }
    block->next = e->blocks;
    e->blocks = block;
    return block + 1;
}

static void *more_for_run(void *context, size_t size_B) {
    return emu_take(context, size_B);
}

tma_emulator *tma_emulator_new(const tma_emulate_host *host, const char *ptx, size_t size,
                               tma_error *error) {
    if (!host || !host->allocate || !host->release || (!ptx && size)) {
        tma_fail(error, "host: allocate and release are needed, and a text");
        return NULL;
    }
    if (sizeof(void *) < EMU_POINTER_B || __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__) {
        tma_fail(error,
                 "kernels are executed on little-endian machines of 64 bits alone: registers "
                 "and memory are the machine's own");
        return NULL;
    }
    tma_emulator *e = host->allocate(host->context, sizeof(*e));
    if (!e) {
        tma_fail(error, "no memory for an emulator");
        return NULL;
    }
    memset(e, 0, sizeof(*e));
    e->host = *host;
    e->memory = ptx_memory_of(more_for_program, e);
    if (emu_decode(&e->program, &e->memory, ptx, size, error)) {
        tma_emulator_free(e);
        return NULL;
    }
    return e;
}

/* ---- a run ---- */

static void end_run(tma_emulator *e) {
    if (e->runs) {
        emu_async_end(&e->machine);
        order_end(&e->machine);
        e->runs = 0;
    }
}

/* The last run's memory, its findings with it, is given back. */
static void forget_run(tma_emulator *e) {
    end_run(e);
    if (e->has_run) {
        emu_memory_end(&e->machine);
        emu_heap_end(&e->machine);
        e->has_run = 0;
    }
}

void tma_emulator_free(tma_emulator *e) {
    if (!e) {
        return;
    }
    forget_run(e);
    const tma_emulate_host host = e->host;
    while (e->blocks) {
        held *next = e->blocks->next;
        host.release(host.context, e->blocks);
        e->blocks = next;
    }
    host.release(host.context, e);
}

static void make_machine(tma_emulator *e, const tma_emulate_launch *launch) {
    e->launch = *launch;
    e->machine = (emu_machine){.program = &e->program,
                               .host = &e->host,
                               .launch = &e->launch,
                               .ordered = !launch->no_order,
                               .values = !launch->no_values,
                               .tracks = !launch->no_order,
                               .schedule = (uint8_t)launch->schedule,
                               .seed = launch->seed,
                               .result = &e->result};
    e->machine.memory = ptx_memory_of(more_for_run, &e->machine);
    e->result = (tma_emulate_result){.memory = &e->machine.memory};
    e->has_run = 1;
}

tma_status tma_emulator_begin(tma_emulator *e, const tma_emulate_launch *launch, tma_error *error) {
    if (!e || !launch) {
        tma_fail(error, "an emulator and a launch are needed");
        return TMA_INVALID;
    }
    forget_run(e);
    make_machine(e, launch);
    emu_machine *m = &e->machine;
    if (emu_launch_judge(m, error) || emu_memory_begin(m, error) || emu_launch_shared(m, error) ||
        emu_residents_judge(m, error)) {
        forget_run(e);
        return TMA_INVALID;
    }
    e->runs = 1;
    if (order_begin(m) || emu_schedule_begin(m)) {
        if (!m->stopped) {
            emu_stop(m, TMA_EMULATE_LIMIT, NULL, NULL, "there is no memory for the run");
        }
        end_run(e);
    }
    return TMA_OK;
}

int tma_emulator_step(tma_emulator *e, uint64_t instructions) {
    if (!e || !e->runs) {
        return 0;
    }
    emu_machine *m = &e->machine;
    const uint64_t until =
        instructions < UINT64_MAX - m->instructions ? m->instructions + instructions : UINT64_MAX;
    if (emu_schedule_run(m, until)) {
        return 1;
    }
    emu_settle(m);
    if (!m->stopped) {
        emu_note_undone(m);
    }
    end_run(e);
    return 0;
}

tma_status tma_emulator_run(tma_emulator *e, const tma_emulate_launch *launch, tma_error *error) {
    const tma_status status = tma_emulator_begin(e, launch, error);
    while (status == TMA_OK && tma_emulator_step(e, UINT64_MAX)) {
    }
    return status;
}

/* ---- what came of it ---- */

uint32_t tma_emulator_end(const tma_emulator *e, const char **why, uint32_t *line) {
    const int stopped = e && e->has_run && e->machine.stopped;
    if (why) {
        *why = stopped ? e->result.why : "";
    }
    if (line) {
        *line = stopped ? e->result.stopped_line : 0;
    }
    return stopped ? (uint32_t)e->machine.end : TMA_EMULATE_COMPLETED;
}

const tma_emulate_finding *tma_emulator_finding_at(const tma_emulator *e, size_t index) {
    return e && e->has_run && index < e->result.findings ? &e->result.finding[index] : NULL;
}

const char *tma_emulator_note_at(const tma_emulator *e, size_t index, uint32_t *line) {
    if (!e || !e->has_run || index >= e->result.notes) {
        return NULL;
    }
    if (line) {
        *line = emu_line(&e->machine, e->result.note[index].in);
    }
    return e->result.note[index].text;
}

bool tma_emulator_proves(const tma_emulator *e, const char **why, uint32_t *line) {
    const emu_machine *m = &e->machine;
    *line = 0;
    *why = !e->has_run || m->stopped ? "the run did not come to its end"
           : !m->ordered             ? "the order was not followed"
           : e->result.findings      ? "there are findings"
                                     : m->unproved;
    if (*why && *why == m->unproved) {
        *line = emu_line(m, m->unproved_in);
    }
    return !*why;
}

uint64_t tma_emulator_instructions(const tma_emulator *e) {
    return e && e->has_run ? e->machine.instructions : 0;
}

const emu_machine *emu_machine_of(const tma_emulator *e) {
    return &e->machine;
}

void emu_name_raw(tma_emulator *e, int raw_names) {
    e->program.raw_names = (uint8_t)(raw_names != 0);
}

int emu_is_narrow(const tma_emulator *e, const tma_emulate_finding *finding) {
    return e->result.is_narrow[finding - e->result.finding];
}

const emu_program *emu_program_of(const tma_emulator *e) {
    return &e->program;
}

const char *tma_emulator_kernel_at(const tma_emulator *e, size_t index, size_t *length) {
    if (!e || index >= e->program.entries) {
        return NULL;
    }
    const emu_function *f = &e->program.function[e->program.entry[index]];
    *length = f->name.length;
    return f->name.at;
}

bool tma_emulator_parameter_at(const tma_emulator *e, const char *kernel, size_t index,
                               tma_emulate_parameter *out) {
    const emu_function *f =
        e ? emu_kernel_of(&e->program, kernel, kernel ? strlen(kernel) : 0, NULL) : NULL;
    if (!f || index >= f->parameters) {
        return false;
    }
    const emu_variable *v = &e->program.variable[e->program.parameter[f->first_parameter + index]];
    *out = (tma_emulate_parameter){.name = v->name.at,
                                   .name_length = v->name.length,
                                   .offset_B = (uint32_t)v->offset_B,
                                   .size_B = (uint32_t)v->size_B,
                                   .align_B = v->align_B,
                                   .type = emu_type_of(v->type)->word};
    return true;
}

bool tma_emulator_variable_at(const tma_emulator *e, size_t index, tma_emulate_variable *out) {
    if (!e || index >= e->program.all_placed) {
        return false;
    }
    const emu_variable *v = &e->program.variable[e->program.placed[index]];
    *out = (tma_emulate_variable){.name = v->name.at,
                                  .name_length = v->name.length,
                                  .size_B = v->size_B,
                                  .align_B = v->align_B ? v->align_B : 1,
                                  .is_constant = v->space == EMU_CONST};
    return true;
}

bool tma_emulator_initialise(const tma_emulator *e, const tma_emulate_memory *variable,
                             size_t count) {
    tma_emulate_variable v;
    size_t at = 0;
    for (; tma_emulator_variable_at(e, at, &v); at++) {
        if (!variable || at >= count || variable[at].size_B != v.size_B ||
            (v.size_B && !variable[at].bytes)) {
            return false;
        }
    }
    if (!e || at != count) {
        return false;
    }
    emu_write_variables(&e->program, variable);
    return true;
}

bool tma_emulator_line_at(const tma_emulator *e, size_t index, tma_emulate_line *out) {
    const emu_function *kernel = e && e->has_run ? e->machine.kernel : NULL;
    if (!kernel || !kernel->called) {
        return false;
    }
    const emu_called *called = &e->program.called[kernel->first_called];
    uint32_t from = 0, to = kernel->called; /* the last that begins at the index or before it */
    while (to - from > 1) {
        const uint32_t middle = from + (to - from) / 2;
        *(called[middle].before <= index ? &from : &to) = middle;
    }
    const emu_function *f = &e->program.function[called[from].function];
    if (index - called[from].before >= f->end - f->first) {
        return false;
    }
    const uint32_t at = f->first + (uint32_t)index - called[from].before;
    const emu_instruction *in = &e->program.code[at];
    *out = (tma_emulate_line){.line = emu_line(&e->machine, in),
                              .executed = e->machine.straight ? emu_executed(&e->machine, at) : 0,
                              .protocol = in->protocol};
    return true;
}

/* ---- between two steps, and where a run ended ---- */

static emu_cta *resident(const tma_emulator *e, uint64_t cta) {
    return e && e->has_run && e->machine.cta && cta < e->machine.ctas ? e->machine.cta[cta] : NULL;
}

bool tma_emulator_thread_at(const tma_emulator *e, uint64_t cta, uint32_t thread,
                            tma_emulate_thread *out) {
    const emu_cta *at = resident(e, cta);
    if (!at || thread >= at->threads) {
        return false;
    }
    const uint32_t bit = UINT32_C(1) << thread % EMU_LANES;
    *out = (tma_emulate_thread){.waits_at = ""};
    emu_warp *w = &at->warp[thread / EMU_LANES];
    const int is_dead = !e->runs && e->machine.stopped && e->machine.end == TMA_EMULATE_DEADLOCK;
    for (const emu_fragment *f = w->fragments; f; f = f->next) {
        if (f->mask & bit && is_dead) {
            emu_deadlock_thread(w, f, out);
            return true;
        }
        if (f->mask & bit) {
            out->line = emu_line(&e->machine, &e->program.code[f->pc]);
            out->waits_at = emu_wait_name(f->wait);
            out->waits = out->waits_at[0] != 0;
            out->barrier =
                f->wait == EMU_WAITS_BARRIER || f->wait == EMU_WAITS_MBARRIER ? f->number : 0;
            return true;
        }
        for (const emu_join *j = f->join; j; j = j->outer) {
            if (j->arrived & bit) {
                out->line = emu_line(&e->machine, &e->program.code[j->pc]);
                out->waits_at = emu_wait_name(EMU_WAITS_CONVERGE);
                out->waits = 1;
                return true;
            }
        }
    }
    return true;
}

const uint8_t *tma_emulator_shared_at(const tma_emulator *e, uint64_t cta, uint32_t *first,
                                      size_t *size_B) {
    const emu_cta *at = resident(e, cta);
    if (!at || !at->shared) {
        return NULL;
    }
    *first = EMU_SHARED_FIRST;
    *size_B = at->shared_B - EMU_SHARED_FIRST;
    return at->shared + EMU_SHARED_FIRST;
}
