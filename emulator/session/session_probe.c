/* SPDX-License-Identifier: Apache-2.0
 *
 * Invented numbers: that with which most of the kernel's protocol is executed, and others that lead
 * to instructions which are not executed with it.
 */
#include "run_session.h"

#define MOST_INSTRUCTIONS (UINT64_C(1) << 25)

static const uint32_t NUMBERS[SESSION_NUMBERS] = {9, 40, 512};

/* What the last pass executed, by index of tma_emulator_line_at(); nothing where a copy of an
 * invented map trapped. How many of them are the protocol's. */
static uint32_t take_reached(const session *s, uint8_t *reached, uint32_t lines) {
    tma_emulate_line line;
    uint32_t count = 0;
    const int is_blamed = session_blamed(s) != NULL;
    for (uint32_t i = 0; i < lines && tma_emulator_line_at(s->emulator, i, &line); i++) {
        reached[i] = line.protocol && line.executed && !is_blamed;
        count += reached[i];
    }
    return count;
}

static int try_number(session *s, uint32_t number, tma_error *error) {
    session_number(s, number);
    return s->maps ? session_boxes(s, error) : 0;
}

static uint32_t lines_of(const session *s) {
    tma_emulate_line line;
    uint32_t lines = 0;
    while (tma_emulator_line_at(s->emulator, lines, &line)) {
        lines++;
    }
    return lines;
}

/* Whether a set has something that is not in another one yet; then it is put in there. */
static int adds(uint8_t *all, const uint8_t *set, uint32_t lines) {
    int is_new = 0;
    for (uint32_t i = 0; i < lines; i++) {
        is_new |= set[i] && !all[i];
    }
    for (uint32_t i = 0; i < lines && is_new; i++) {
        all[i] |= set[i];
    }
    return is_new;
}

static int choose_numbers(session *s, tma_error *error) {
    uint8_t *reached[SESSION_NUMBERS] = {NULL}, *all = NULL;
    uint32_t count[SESSION_NUMBERS], best = 0, lines = 0;
    for (uint32_t i = 0; i < SESSION_NUMBERS; i++) {
        if (try_number(s, NUMBERS[i], error) || session_pass(s, TMA_EMULATE_LATE, 0, error)) {
            return -1;
        }
        lines = lines_of(s);
        all = ptx_memory_take(s->memory, lines + 1u, 1);
        reached[i] = ptx_memory_take(s->memory, lines + 1u, 1);
        if (!all || !reached[i]) {
            return tma_fail(error, "no memory");
        }
        count[i] = take_reached(s, reached[i], lines);
        best = count[i] > count[best] ? i : best;
    }
    adds(all, reached[best], lines);
    s->try_number[s->tries++] = NUMBERS[best];
    for (uint32_t i = 0; i < SESSION_NUMBERS; i++) {
        if (adds(all, reached[i], lines)) {
            s->try_number[s->tries++] = NUMBERS[i];
        }
    }
    return 0;
}

int session_probe(session *s, tma_error *error) {
    const uint64_t most = s->launch.most_instructions;
    s->tries = 0;
    if (s->how.only) {
        s->try_number[s->tries++] = s->how.number;
        return 0;
    }
    s->launch.most_instructions = most && most < MOST_INSTRUCTIONS ? most : MOST_INSTRUCTIONS;
    const int failed = s->numbers ? choose_numbers(s, error) : 0;
    s->tries = s->tries ? s->tries : 1;
    s->launch.most_instructions = most;
    return failed;
}

int session_take_number(session *s, uint32_t number, tma_error *error) {
    const uint64_t most = s->launch.most_instructions;
    s->launch.most_instructions = most && most < MOST_INSTRUCTIONS ? most : MOST_INSTRUCTIONS;
    const int failed = try_number(s, number, error);
    s->launch.most_instructions = most;
    return failed;
}

int session_take(session *s, uint32_t i, tma_error *error) {
    return session_take_number(s, s->try_number[i], error);
}
