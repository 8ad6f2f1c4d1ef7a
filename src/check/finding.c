/* SPDX-License-Identifier: Apache-2.0
 *
 * Findings out of their rules' rows.
 */
#include "finding.h"
#include "tma/detail/assert.h"
#include "tma/limits.def"

bool tma_rule_holds(tma_rule_id rule, const tma_arch_row *arch) {
    const tma_rule *row = tma_rule_of(rule);
    return (arch->features & row->with) == row->with && !(arch->features & row->without);
}

static void append(tma_judge *j, tma_rule_id id, tma_place place, tma_fault fault, int has_legal,
                   uint64_t legal) {
    TMA_ASSERT(tma_rule_of(id) && (j->out || !j->capacity));
    TMA_ASSERT(place.index >= -1 && place.index < 16); /* of an array, a dimension or a CTA */
    if (j->count < j->capacity) {
        const tma_rule *rule = tma_rule_of(id);
        tma_finding *f = &j->out[j->count];
        f->rule = (uint16_t)id;
        f->severity = (uint8_t)rule->severity;
        f->standing = (uint8_t)tma_standing_on(rule->standing, j->sm, j->driver);
        f->argument = (uint8_t)place.argument;
        f->index = (int8_t)place.index;
        f->unit = (uint8_t)fault.unit;
        f->relation = (uint8_t)fault.relation;
        f->has_legal = (uint8_t)has_legal;
        f->given = place.given;
        f->value = fault.value;
        f->limit = fault.limit;
        f->legal = legal;
        f->reserved[0] = f->reserved[1] = 0;
    }
    j->count++;
}

void tma_report(tma_judge *j, tma_rule_id rule, tma_place place, tma_fault fault) {
    append(j, rule, place, fault, 0, 0);
}

void tma_report_legal(tma_judge *j, tma_rule_id rule, tma_place place, tma_fault fault,
                      uint64_t legal) {
    append(j, rule, place, fault, 1, legal);
}

static tma_status status_of(const tma_rule *rule) {
    switch (rule->hardware) {
    case TMA_HARDWARE_KILLS:
    case TMA_HARDWARE_MISALIGNS:
    case TMA_HARDWARE_LAUNCH:
        return TMA_TRAP;
    case TMA_HARDWARE_LEAVES:
        return TMA_MEMORY;
    case TMA_HARDWARE_PTXAS:
        return TMA_PTXAS;
    case TMA_HARDWARE_INVALID:
        return TMA_INVALID;
    default:
        return TMA_UNKNOWN;
    }
}

tma_status tma_stop_as(tma_status status, tma_finding *why, uint16_t sm, tma_rule_id rule,
                       int index, uint64_t given, tma_fault fault) {
    tma_judge j = {why, why != NULL, 0, sm, TMA_VALUE(SEEN_DRIVER)};
    tma_report(&j, rule, AT(tma_rule_of(rule)->argument, index, given), fault);
    return status;
}

tma_status tma_stop(tma_finding *why, uint16_t sm, tma_rule_id rule, int index, uint64_t given,
                    tma_fault fault) {
    return tma_stop_as(status_of(tma_rule_of(rule)), why, sm, rule, index, given, fault);
}

tma_status tma_null_fault(tma_finding *why, tma_argument argument) {
    tma_judge j = {why, why != NULL, 0, TMA_SEEN_SM, TMA_VALUE(SEEN_DRIVER)};
    tma_report(&j, TMA_RULE_ARGUMENT_NULL, AT(argument, -1, 0), NOT(0));
    return TMA_INVALID;
}
