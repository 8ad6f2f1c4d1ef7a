/* SPDX-License-Identifier: Apache-2.0 */
#include "tma/emulate.h"

const char *tma_emulate_end_name(uint32_t end) {
    static const char *const NAME[TMA_EMULATE_ENDS] = {
        [TMA_EMULATE_COMPLETED] = "completed",
        [TMA_EMULATE_DEADLOCK] = "deadlock",
        [TMA_EMULATE_TRAP] = "trap",
        [TMA_EMULATE_LIMIT] = "limit",
        [TMA_EMULATE_NOT_EXECUTED] = "not-executed",
        [TMA_EMULATE_CANCELLED] = "cancelled",
    };
    return end < TMA_EMULATE_ENDS ? NAME[end] : "";
}

static const char *const RULE[TMA_EMULATE_RULES][3] = {
#define TMA_EMULATE_RULE(id, name, meaning, source, advice) {name, meaning, source},
#include "tma/emulate_rules.def"
};

const char *tma_emulate_rule_name(uint32_t rule) {
    return rule < TMA_EMULATE_RULES ? RULE[rule][0] : "";
}

const char *tma_emulate_rule_meaning(uint32_t rule) {
    return rule < TMA_EMULATE_RULES ? RULE[rule][1] : "";
}

const char *tma_emulate_rule_source(uint32_t rule) {
    return rule < TMA_EMULATE_RULES ? RULE[rule][2] : "";
}

static const char *const READING[TMA_EMULATE_READINGS][3] = {
#define TMA_EMULATE_READING(id, name, value, meaning, otherwise) {name, value, meaning},
#include "tma/emulate_readings.def"
};

const char *tma_emulate_reading_name(uint32_t reading) {
    return reading < TMA_EMULATE_READINGS ? READING[reading][0] : "";
}

const char *tma_emulate_reading_value(uint32_t reading) {
    return reading < TMA_EMULATE_READINGS ? READING[reading][1] : "";
}

const char *tma_emulate_reading_meaning(uint32_t reading) {
    return reading < TMA_EMULATE_READINGS ? READING[reading][2] : "";
}
