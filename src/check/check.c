/* SPDX-License-Identifier: Apache-2.0
 *
 * Judging a spec: all that it breaks, refusals first, then what faults, then what surprises: the
 * rule files report in that order.
 */
#include "check_internal.h"

static int begin(tma_checker *c, const tma_spec *spec, const tma_target *target) {
    c->spec = spec;
    c->arch = tma_arch_of(target);
    c->judge.sm = target ? target->sm : c->arch->sm;
    c->judge.driver = target ? target->driver : TMA_VALUE(SEEN_DRIVER);
    c->rank = spec->rank < TMA_MAX_RANK ? spec->rank : TMA_MAX_RANK;
    c->type = c->arch ? tma_type_on(spec->dtype, c->arch->features, 1) : tma_type_of(spec->dtype);
    c->bits = c->type->bits;
    c->inner_el = spec->api == TMA_API_TILED ? spec->box_el[0] : spec->channels_per_pixel;
    c->inner_argument = spec->api == TMA_API_TILED ? TMA_ARG_BOX : TMA_ARG_CHANNELS;
    c->spatial = spec->api == TMA_API_TILED || c->rank < TMA_VALUE(RANK_SLICED) ? 0
                 : spec->api == TMA_API_WIDE                                    ? 1
                                                                                : c->rank - 2;
    return tma_is_target(target, c->arch);
}

static void not_a_target(tma_checker *c, const tma_target *target) {
    if (!c->arch) {
        tma_report(&c->judge, TMA_RULE_TARGET_UNKNOWN, AT(TMA_ARG_ARCH, -1, target->sm),
                   BAD(TMA_MUST_BE, TMA_UNIT_NONE, target->sm, tma_arch_of(NULL)->sm));
    } else if (tma_target_reserved(target)) {
        const uint32_t bits = tma_target_reserved(target);
        tma_report(&c->judge, TMA_RULE_RESERVED_ZERO, AT(TMA_ARG_RESERVED, -1, bits),
                   BAD(TMA_MUST_BE, TMA_UNIT_NONE, bits, 0));
    } else {
        tma_report_legal(
            &c->judge, TMA_RULE_DRIVER_OLD, AT(TMA_ARG_DRIVER, -1, c->judge.driver),
            BAD(TMA_MUST_BE_AT_LEAST, TMA_UNIT_NONE, c->judge.driver, TMA_VALUE(FIRST_DRIVER)),
            TMA_VALUE(FIRST_DRIVER));
    }
}

tma_status tma_target_fault(tma_finding *why, const tma_target *target) {
    tma_checker c = {0};
    c.arch = tma_arch_of(target);
    c.judge = (tma_judge){why, why != NULL, 0, target->sm, target->driver};
    not_a_target(&c, target);
    return TMA_INVALID;
}

size_t tma_check_whether(bool *accepted, tma_finding *out, size_t capacity, const tma_spec *spec,
                         const tma_target *target) {
    tma_checker c = {0};
    c.judge.out = out;
    c.judge.capacity = out ? capacity : 0;
    *accepted = false;
    if (!spec) {
        tma_report(&c.judge, TMA_RULE_ARGUMENT_NULL, AT(TMA_ARG_SPEC, -1, 0), NOT(0));
        return c.judge.count;
    }
    const tma_spec own = *spec; /* the findings may be written where the spec lies */
    if (!begin(&c, &own, target)) {
        not_a_target(&c, target);
        return c.judge.count;
    }
    tma_check_refusals(&c);
    tma_check_packed(&c);
    *accepted = c.judge.count == 0;
    tma_check_notes(&c);
    return c.judge.count;
}

size_t tma_check(tma_finding *out, size_t capacity, const tma_spec *spec,
                 const tma_target *target) {
    bool accepted = false;
    return tma_check_whether(&accepted, out, capacity, spec, target);
}

bool tma_check_map_address(tma_finding *out, uint64_t map_address, const tma_target *target) {
    tma_judge j = {.out = out, .capacity = out != NULL};
    j.sm = target ? target->sm : TMA_SEEN_SM;
    j.driver = target ? target->driver : TMA_VALUE(SEEN_DRIVER);
    if (map_address % TMA_VALUE(MAP_ALIGN)) {
        tma_report(
            &j, TMA_RULE_TENSOR_MAP_ALIGN, AT(TMA_ARG_MAP, -1, map_address),
            BAD(TMA_MUST_BE_MULTIPLE_OF, TMA_UNIT_ADDRESS, map_address, TMA_VALUE(MAP_ALIGN)));
    }
    return j.count == 0;
}

/* The rules themselves, for what the quick filter leaves open. */
bool tma_accepts_by_rules(const tma_spec *spec, const tma_target *target) {
    tma_checker c = {0};
    if (!begin(&c, spec, target)) {
        return 0;
    }
    tma_check_refusals(&c);
    tma_check_packed(&c);
    return c.judge.count == 0;
}

bool tma_accepts(const tma_spec *spec, const tma_target *target) {
    const tma_arch_row *arch = tma_arch_of(target);
    const uint32_t driver = target ? target->driver : TMA_VALUE(SEEN_DRIVER);
    return spec && tma_is_target(target, arch) &&
           (tma_accepts_quickly(spec, arch, driver) != TMA_NOT_QUICKLY ||
            tma_accepts_by_rules(spec, target));
}
