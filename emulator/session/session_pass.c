/* SPDX-License-Identifier: Apache-2.0
 *
 * One pass of a launch, on its memory as it was at first.
 */
#include <string.h>

#include "deadlock.h"
#include "launch.h"
#include "run_session.h"

int session_pass(session *s, uint32_t schedule, uint64_t seed, tma_error *error) {
    for (uint32_t i = 0; i < s->buffers; i++) {
        memcpy(s->buffer[i].bytes, s->buffer[i].first, (size_t)s->buffer[i].size_B);
    }
    s->launch.schedule = schedule;
    s->launch.seed = seed;
    return tma_emulator_run(s->emulator, &s->launch, error) == TMA_OK ? 0 : -1;
}

int session_is_inventions(const session *s, const tma_emulate_finding *f) {
    const emu_program *p = emu_program_of(s->emulator);
    const uint32_t at = f->accesses ? f->access[0].instruction : UINT32_MAX;
    /* a map's address that was taken in a space of its own is the kernel's mistake: it lacks cvta
     */
    return s->maps && !(f->rule == TMA_EMULATE_RULE_OUT_OF_BOUNDS && f->missing[0]) &&
           at < p->instructions && p->code[at].statement != EMU_NONE &&
           (f->rule == TMA_EMULATE_RULE_TRAP || f->rule == TMA_EMULATE_RULE_OUT_OF_BOUNDS);
}

const tma_emulate_finding *session_blamed(const session *s) {
    const tma_emulate_finding *f = NULL;
    for (size_t i = 0; (f = tma_emulator_finding_at(s->emulator, i)); i++) {
        if (session_is_inventions(s, f)) {
            return f;
        }
    }
    return NULL;
}

/* A copy out of shared memory with an invented map: no barrier says how large its box is. */
static int is_store(const emu_program *p, uint32_t instruction) {
    if (instruction >= p->instructions || p->code[instruction].statement == EMU_NONE) {
        return 0;
    }
    const tma_ptx_statement *s = &p->statement[p->code[instruction].statement];
    return s->kind == TMA_PTX_REDUCE || (s->kind == TMA_PTX_COPY && s->in.op == TMA_OP_STORE);
}

/* Whether a copy that tells an mbarrier was not executed. */
static int lacks_copy(const emu_machine *m) {
    int lacks = 0;
    for (uint32_t i = m->kernel->first; i < m->kernel->end; i++) {
        lacks |= emu_brings_bytes(&m->program->code[i]) && !m->executed[i];
    }
    return lacks;
}

/* Whether a block of another size may not have it: it has none of the first warp's threads alone,
 * or it is how many threads arrive, or what copies of threads that are not there would bring. */
static int is_of_block(const session *s, const tma_emulate_finding *f) {
    const int lacks =
        f->arrivals_missing || (f->bytes_missing_B > 0 && lacks_copy(emu_machine_of(s->emulator)));
    return f->rule == TMA_EMULATE_RULE_ARRIVE_BEYOND || (f->has_barrier && lacks) ||
           !emu_is_narrow(s->emulator, f);
}

/* Whether other values than those invented may not have it. An address that lies nowhere whatever
 * they are says where it came from. */
static int is_of_values(const session *s, const tma_emulate_finding *f) {
    const int is_out = f->rule == TMA_EMULATE_RULE_OUT_OF_BOUNDS && !f->missing[0];
    int is_of = s->block_from == SESSION_INVENTED && is_of_block(s, f);
    for (uint32_t i = 0; i < s->values && is_out; i++) {
        is_of |= s->value[i].from == SESSION_INVENTED && !s->value[i].is_map;
    }
    for (uint32_t i = 0; i < s->values && f->bytes_missing_B && !(f->bytes_missing_B % 16); i++) {
        is_of |= s->value[i].is_less; /* other boxes may have as many, of 16 bytes each */
    }
    return is_of;
}

int session_is_unsure(const session *s, const tma_emulate_finding *f) {
    const emu_program *p = emu_program_of(s->emulator);
    int is_unsure = s->is_shared_out || is_of_values(s, f); /* other boxes may not overlap */
    for (uint32_t i = 0; i < f->accesses && s->is_unsure; i++) {
        is_unsure |= is_store(p, f->access[i].instruction);
    }
    return is_unsure;
}
