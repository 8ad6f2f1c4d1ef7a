/* SPDX-License-Identifier: Apache-2.0
 *
 * The table of rules.
 */
#include "tma/check.h"
#include "tma/detail/chars.h"

/* Where a rule's row stands below; its number says nothing about that. */
enum {
#define TMA_RULE(number, id, ...) AT_##id,
#include "tma/rules.def"
    MAP_RULES,
    LAST_MAP_RULE = MAP_RULES - 1,
#include "tma/traps.def"
    COPY_RULES,
    LAST_COPY_RULE = COPY_RULES - 1,
#include "tma/edits.def"
#undef TMA_RULE
    RULES
};

static const tma_rule rules[RULES] = {
#define ALL              0, 0
#define WITH(feature)    TMA_FEATURE_##feature, 0
#define WITHOUT(feature) 0, TMA_FEATURE_##feature
#define TMA_RULE(number, id, name, severity, hardware, standing, targets, argument, statement,     \
                 source, evidence)                                                                 \
    [AT_##id] = {name,                                                                             \
                 TMA_SEVERITY_##severity,                                                          \
                 TMA_STANDING_##standing,                                                          \
                 TMA_ARG_##argument,                                                               \
                 statement,                                                                        \
                 source,                                                                           \
                 evidence,                                                                         \
                 TMA_RULE_##id,                                                                    \
                 AT_##id < MAP_RULES    ? TMA_RULES_OF_MAPS                                        \
                 : AT_##id < COPY_RULES ? TMA_RULES_OF_COPIES                                      \
                                        : TMA_RULES_OF_EDITS,                                      \
                 TMA_HARDWARE_##hardware,                                                          \
                 targets},
#include "tma/edits.def"
#include "tma/rules.def"
#include "tma/traps.def"
#undef TMA_RULE
};

size_t tma_rule_count(void) {
    return RULES;
}

const tma_rule *tma_rule_at(size_t index) {
    return index < RULES ? &rules[index] : NULL;
}

/* A rule's number to its place in rules[], counted from 1; 0 is no rule. */
static const uint8_t places[TMA_RULE_LIMIT] = {
#define TMA_RULE(number, id, ...) [TMA_RULE_##id] = AT_##id + 1,
#include "tma/edits.def"
#include "tma/rules.def"
#include "tma/traps.def"
#undef TMA_RULE
};

_Static_assert(RULES < UINT8_MAX, "places[] has bytes");

const tma_rule *tma_rule_of(uint32_t number) {
    return number < TMA_RULE_LIMIT && places[number] ? &rules[places[number] - 1] : NULL;
}

const tma_rule *tma_rule_find(const char *name) {
    for (size_t i = 0; name && i < RULES; i++) {
        if (!text_compare(rules[i].name, name)) {
            return &rules[i];
        }
    }
    return NULL;
}

static const tma_limit limits[] = {
#define ROW(form, n, unit, what, who)                                                              \
    TMA_VALUE_##form(n), TMA_SAY_##form(n), TMA_UNIT_##unit, what, who
#define LIMIT(id) {#id, TMA_LIMIT_##id(ROW)},
    TMA_LIMITS(LIMIT)
#undef LIMIT
#undef ROW
};

size_t tma_limit_count(void) {
    return sizeof(limits) / sizeof(limits[0]);
}

const tma_limit *tma_limit_at(size_t index) {
    return index < sizeof(limits) / sizeof(limits[0]) ? &limits[index] : NULL;
}
