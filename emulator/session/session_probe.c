/* SPDX-License-Identifier: Apache-2.0
 *
 * Invented numbers: those with which most of the kernel's protocol is executed.
 */
#include "session.h"

#define MOST_INSTRUCTIONS (UINT64_C(1) << 25)

/* Protocol instructions that the last pass executed; none where a copy of an invented map trapped.
 */
static uint32_t reached(const session *s) {
    tma_emulate_line line;
    uint32_t count = 0;
    for (size_t i = 0; tma_emulator_line_at(s->emulator, i, &line); i++) {
        count += line.protocol && line.executed;
    }
    return session_blamed(s) ? 0 : count;
}

static int try_number(session *s, uint32_t number, tma_error *error) {
    session_number(s, number);
    return s->maps ? session_boxes(s, error) : session_pass(s, TMA_EMULATE_LATE, 0, error);
}

static int find_number(session *s, tma_error *error) {
    static const uint32_t numbers[] = {9, 40, 512};
    uint32_t best = 0, most = 0;
    for (uint32_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++) {
        if (try_number(s, numbers[i], error)) {
            return -1;
        }
        if (reached(s) > most) {
            most = reached(s);
            best = i;
        }
    }
    return try_number(s, numbers[best], error);
}

int session_probe(session *s, tma_error *error) {
    const uint64_t most = s->launch.most_instructions;
    int failed = 0;
    s->launch.most_instructions = most && most < MOST_INSTRUCTIONS ? most : MOST_INSTRUCTIONS;
    if (s->numbers) {
        failed = find_number(s, error);
    } else if (s->maps) {
        failed = session_boxes(s, error);
    }
    s->launch.most_instructions = most;
    return failed;
}
