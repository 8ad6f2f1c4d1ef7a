/* SPDX-License-Identifier: Apache-2.0
 *
 * Judging a spec: all that it breaks, refusals first, then what faults, then what surprises.
 */
#include "check_internal.h"

#define SEEN_SM 90

static const tma_target default_target = {.sm = SEEN_SM, .driver = TMA_VALUE(SEEN_DRIVER)};

/* What a rule stands on for the target in question: what was seen was seen on one machine. */
static tma_standing standing_for(const tma_checker *c, const tma_rule *rule) {
    if (c->seen) {
        return rule->standing;
    }
    switch (rule->standing) {
    case TMA_STANDING_ENFORCED:
        return TMA_STANDING_DOCUMENTED;
    case TMA_STANDING_UNDOCUMENTED:
    case TMA_STANDING_IGNORED:
    case TMA_STANDING_HARDWARE:
        return TMA_STANDING_ELSEWHERE;
    default:
        return rule->standing;
    }
}

static void append(tma_checker *c, tma_rule_id id, tma_place place, tma_fault fault, int has_legal,
                   uint64_t legal) {
    if (c->count < c->capacity) {
        const tma_rule *rule = tma_rule_of(id);
        tma_finding *f = &c->out[c->count];
        f->rule = (uint16_t)id;
        f->severity = (uint8_t)rule->severity;
        f->standing = (uint8_t)standing_for(c, rule);
        f->argument = (uint8_t)place.argument;
        f->index = (int8_t)place.index;
        f->unit = (uint8_t)fault.unit;
        f->relation = (uint8_t)fault.relation;
        f->has_legal = (uint8_t)has_legal;
        f->given = place.given;
        f->value = fault.value;
        f->limit = fault.limit;
        f->legal = legal;
    }
    c->count++;
}

void tma_report(tma_checker *c, tma_rule_id rule, tma_place place, tma_fault fault) {
    append(c, rule, place, fault, 0, 0);
}

void tma_report_legal(tma_checker *c, tma_rule_id rule, tma_place place, tma_fault fault,
                      uint64_t legal) {
    append(c, rule, place, fault, 1, legal);
}

/* Findings come in the order of the rule files; a stable sort by severity of what was kept. */
static void sort_by_severity(tma_finding *out, size_t count) {
    for (size_t i = 1; i < count; i++) {
        const tma_finding f = out[i];
        size_t at = i;
        while (at > 0 && out[at - 1].severity > f.severity) {
            out[at] = out[at - 1];
            at--;
        }
        out[at] = f;
    }
}

static int begin(tma_checker *c, const tma_spec *spec, const tma_target *target) {
    if (!target) {
        target = &default_target;
    }
    c->spec = spec;
    c->arch = tma_arch_of(target);
    c->driver = target->driver;
    c->seen = target->sm == SEEN_SM && target->driver == TMA_VALUE(SEEN_DRIVER);
    c->rank = spec->rank < TMA_MAX_RANK ? spec->rank : TMA_MAX_RANK;
    c->bits = tma_dtype_bits(spec->dtype);
    c->inner_el = spec->api == TMA_API_TILED ? spec->box_el[0] : spec->channels_per_pixel;
    c->inner_argument = spec->api == TMA_API_TILED ? TMA_ARG_BOX : TMA_ARG_CHANNELS;
    c->spatial = spec->api == TMA_API_TILED || c->rank < 3 ? 0
                 : spec->api == TMA_API_WIDE               ? 1
                                                           : c->rank - 2;
    return tma_is_target(target, c->arch);
}

static void not_a_target(tma_checker *c, const tma_target *target) {
    if (!c->arch) {
        tma_report(c, TMA_RULE_TARGET_UNKNOWN, AT(TMA_ARG_ARCH, -1, target->sm),
                   BAD(TMA_MUST_BE, TMA_UNIT_NONE, target->sm, SEEN_SM));
    } else if (tma_target_reserved(target)) {
        const uint32_t bits = tma_target_reserved(target);
        tma_report(c, TMA_RULE_RESERVED_ZERO, AT(TMA_ARG_RESERVED, -1, bits),
                   BAD(TMA_MUST_BE, TMA_UNIT_NONE, bits, 0));
    } else {
        tma_report_legal(
            c, TMA_RULE_DRIVER_OLD, AT(TMA_ARG_DRIVER, -1, c->driver),
            BAD(TMA_MUST_BE_AT_LEAST, TMA_UNIT_NONE, c->driver, TMA_VALUE(FIRST_DRIVER)),
            TMA_VALUE(FIRST_DRIVER));
    }
}

tma_status tma_target_fault(tma_finding *why, const tma_target *target) {
    tma_checker c = {0};
    c.arch = tma_arch_of(target);
    c.driver = target->driver;
    c.out = why;
    c.capacity = why != NULL;
    not_a_target(&c, target);
    return TMA_INVALID;
}

size_t tma_check(tma_finding *out, size_t capacity, const tma_spec *spec,
                 const tma_target *target) {
    tma_checker c = {0};
    c.out = out;
    c.capacity = out ? capacity : 0;
    if (!spec) {
        c.seen = 1; /* follows from the call alone, whatever the target */
        tma_report(&c, TMA_RULE_ARGUMENT_NULL, AT(TMA_ARG_SPEC, -1, 0),
                   BAD(TMA_MUST_NOT_BE, TMA_UNIT_NONE, 0, 0));
        return c.count;
    }
    if (!begin(&c, spec, target)) {
        not_a_target(&c, target);
        return c.count;
    }
    tma_check_refusals(&c);
    tma_check_packed(&c);
    tma_check_notes(&c);
    if (out) {
        sort_by_severity(out, c.count < c.capacity ? c.count : c.capacity);
    }
    return c.count;
}

/* The rules themselves, for what the quick filter leaves open. */
bool tma_accepts_by_rules(const tma_spec *spec, const tma_target *target) {
    tma_checker c = {0};
    if (!begin(&c, spec, target)) {
        return 0;
    }
    tma_check_refusals(&c);
    tma_check_packed(&c);
    return c.count == 0;
}

bool tma_accepts(const tma_spec *spec, const tma_target *target) {
    const tma_arch_row *arch = tma_arch_of(target);
    const uint32_t driver = target ? target->driver : TMA_VALUE(SEEN_DRIVER);
    return spec && tma_is_target(target, arch) &&
           (tma_accepts_quickly(spec, arch, driver) != TMA_NOT_QUICKLY ||
            tma_accepts_by_rules(spec, target));
}
