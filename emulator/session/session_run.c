/* SPDX-License-Identifier: Apache-2.0
 *
 * The passes of a launch, and what they found in one list.
 */
#include <string.h>

#include "launch.h"
#include "run_session.h"
#include "tma/detail/chars.h"

/* ---- findings ---- */

/* Whether both tell of a deadlock: then one instruction at which threads wait is one cause, whether
 * the pass could name it or not. Two causes of two barriers are two. */
static int tells_deadlock(const tma_emulate_finding *a, const tma_emulate_finding *b) {
    const int are_causes =
        a->rule != TMA_EMULATE_RULE_DEADLOCK && b->rule != TMA_EMULATE_RULE_DEADLOCK;
    return a->waits && b->waits && (!are_causes || a->barrier_address == b->barrier_address);
}

static int is_same(const tma_emulate_finding *a, const tma_emulate_finding *b) {
    int same = (a->rule == b->rule || tells_deadlock(a, b)) && a->accesses == b->accesses;
    for (uint32_t i = 0; same && i < a->accesses; i++) {
        same = a->access[i].instruction == b->access[i].instruction;
    }
    return same && (a->accesses || text_same(a->text, b->text));
}

static void note_pass(const session *s, session_finding *f) {
    f->number = s->number;
    f->schedule = s->launch.schedule;
    f->seed = s->launch.seed;
}

static int merge_finding(session *s, const tma_emulate_finding *found) {
    tma_emulate_finding f = *found;
    f.certain &= !session_is_unsure(s, found);
    const uint32_t at = f.accesses ? f.access[0].instruction : UINT32_MAX;
    uint32_t next = emu_numbered_first(&s->about, at);
    for (; next; next = s->about.row[next - 1].next) {
        session_finding *one = &s->finding[s->about.row[next - 1].number];
        tma_emulate_finding *there = &one->is;
        if (is_same(there, &f)) {
            f.count += there->count;
            if (f.certain > there->certain ||
                (f.certain == there->certain && f.rule != there->rule &&
                 there->rule == TMA_EMULATE_RULE_DEADLOCK)) {
                *there = f;
                note_pass(s, one);
            }
            there->count = f.count;
            one->passes++;
            return 0;
        }
    }
    const uint32_t all = emu_program_of(s->emulator)->instructions;
    session_finding added = {.is = f, .passes = 1};
    note_pass(s, &added);
    PTX_APPEND(s, finding, findings, added);
    return s->memory->failed || emu_number(&s->about, s->memory, all, at, s->findings - 1);
}

static void merge_note(session *s, const char *text, uint32_t line) {
    const uint32_t all = emu_program_of(s->emulator)->instructions, at = all ? line % all : 0;
    uint32_t next = emu_numbered_first(&s->noted, at);
    for (; next; next = s->noted.row[next - 1].next) {
        const session_note *one = &s->note[s->noted.row[next - 1].number];
        if (one->line == line && text_same(one->text, text)) {
            return;
        }
    }
    const session_note note = {ptx_memory_text(s->memory, text, text_length(text)), line};
    if (!emu_number(&s->noted, s->memory, all, at, s->notes)) {
        PTX_APPEND(s, note, notes, note);
    }
}

void session_say(session *s, const char *text) {
    merge_note(s, text, 0);
    s->said = s->notes;
}

/* Of the ends of several passes the one that is the worst. */
static void merge_end(session *s, uint32_t end, const char *why, uint32_t line) {
    static const uint8_t badness[TMA_EMULATE_ENDS] = {
        [TMA_EMULATE_COMPLETED] = 0,    [TMA_EMULATE_CANCELLED] = 1, [TMA_EMULATE_LIMIT] = 2,
        [TMA_EMULATE_NOT_EXECUTED] = 3, [TMA_EMULATE_DEADLOCK] = 4,  [TMA_EMULATE_TRAP] = 5,
    };
    if (s->passes && badness[end] <= badness[s->end]) {
        return;
    }
    s->end = end;
    s->end_line = line;
    tma_out out = tma_out_into(s->why, sizeof(s->why));
    tma_put(&out, why);
}

/* FNV-1a of all memory, so that passes can be compared. */
static int hash_memory(session *s) {
    uint64_t hash = UINT64_C(0xcbf29ce484222325);
    for (uint32_t i = 0; i < s->buffers; i++) {
        for (uint64_t k = 0; k < s->buffer[i].size_B; k++) {
            hash = (hash ^ s->buffer[i].bytes[k]) * UINT64_C(0x100000001b3);
        }
    }
    PTX_APPEND(s, memory_hash, hashes, hash);
    return s->memory->failed;
}

static int merge_lines(session *s) {
    tma_emulate_line line;
    if (!s->executed) {
        while (tma_emulator_line_at(s->emulator, s->lines, &line)) {
            s->lines++;
        }
        s->executed = ptx_memory_take(s->memory, s->lines + 1u, sizeof(*s->executed));
    }
    for (uint32_t i = 0; s->executed && i < s->lines; i++) {
        if (tma_emulator_line_at(s->emulator, i, &line)) {
            s->executed[i] |= line.executed;
        }
    }
    return s->executed ? 0 : -1;
}

static int merge(session *s, tma_error *error) {
    const tma_emulate_finding *f;
    const char *text = "";
    uint32_t line = 0;
    const tma_emulate_finding *const blamed = session_blamed(s);
    char why[TMA_EMULATE_TEXT];
    for (size_t i = 0; (f = tma_emulator_finding_at(s->emulator, i)); i++) {
        if (!session_is_inventions(s, f) && merge_finding(s, f)) {
            return tma_fail(error, "no memory");
        }
    }
    uint32_t end = tma_emulator_end(s->emulator, &text, &line);
    if (blamed && end == TMA_EMULATE_TRAP) {
        tma_out out = tma_out_into(why, sizeof(why));
        tma_putf(&out, "a copy traps with a map that is invented: give it with --map (%s)",
                 blamed->text);
        end = TMA_EMULATE_NOT_EXECUTED;
        text = why;
    }
    merge_end(s, end, text, line);
    for (size_t i = 0; (text = tma_emulator_note_at(s->emulator, i, &line)); i++) {
        merge_note(s, text, line);
    }
    if (!s->unproved && !tma_emulator_proves(s->emulator, &text, &line)) {
        s->unproved = text;
        s->unproved_line = line;
    }
    s->instructions += tma_emulator_instructions(s->emulator);
    s->passes++;
    return merge_lines(s) || hash_memory(s) ? tma_fail(error, "no memory") : 0;
}

/* Late, early, and the seeded ones; or the one that is asked for. */
static int run_passes(session *s, tma_error *error) {
    const session_how *how = &s->how;
    const uint32_t passes = how->only ? 1 : 2 + how->schedules;
    for (uint32_t i = 0; i < passes; i++) {
        const uint32_t schedule = how->only ? how->launch.schedule : i < 2 ? i : TMA_EMULATE_SEEDED;
        if (session_pass(s, schedule, how->launch.seed + i, error) || merge(s, error)) {
            return -1;
        }
    }
    return 0;
}

int session_run(session *s, tma_error *error) {
    char text[SESSION_VALUE] = "";
    tma_out numbers = tma_out_into(text, sizeof(text));
    if (session_probe(s, error)) {
        return -1;
    }
    for (uint32_t launch = 0; launch < s->tries; launch++) {
        if (session_take(s, launch, error)) {
            return -1;
        }
        tma_putf(&numbers, launch ? "; %u" : "%u", s->number);
        if (run_passes(s, error)) {
            return -1;
        }
    }
    session_number_text(s, text);
    return 0;
}

/* ---- coverage ---- */

void session_coverage(const session *s, uint32_t *executed, uint32_t *total) {
    tma_emulate_line line;
    *executed = *total = 0;
    for (uint32_t i = 0; i < s->lines && tma_emulator_line_at(s->emulator, i, &line); i++) {
        *total += line.protocol != 0;
        *executed += line.protocol && s->executed[i];
    }
}

int session_missed(const session *s, uint32_t index, uint32_t *first, uint32_t *last) {
    tma_emulate_line line;
    int is_open = 0;
    for (uint32_t i = 0; i < s->lines && tma_emulator_line_at(s->emulator, i, &line); i++) {
        if (line.protocol && !s->executed[i]) {
            *first = is_open ? *first : line.line;
            *last = line.line;
            is_open = 1;
        } else if (line.protocol && is_open) {
            if (!index--) {
                return 1;
            }
            is_open = 0;
        }
    }
    return is_open && !index;
}
