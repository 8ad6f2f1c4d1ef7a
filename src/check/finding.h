/* SPDX-License-Identifier: Apache-2.0
 *
 * The one reporter: every finding of the library is made here, for a spec, an instruction, a
 * position or memory alike, out of its rule's row and for the target that was asked about.
 */
#ifndef TMA_FINDING_H
#define TMA_FINDING_H

#include "tma/check.h"
#include "tma/limits.def"

/* Who is told, and on which target. */
typedef struct tma_judge {
    tma_finding *out;
    size_t capacity;
    size_t count; /* of all, beyond the capacity too */
    uint16_t sm;
    uint32_t driver;
} tma_judge;

/* Where a finding is: an argument of the call, and for arrays which entry. */
typedef struct tma_place {
    tma_argument argument;
    int index;
    uint64_t given;
} tma_place;

/* What is wrong there: value stands wrongly to limit. */
typedef struct tma_fault {
    tma_relation relation;
    tma_unit unit;
    uint64_t value;
    uint64_t limit;
} tma_fault;

#define AT(argument, index, given) ((tma_place){argument, index, (uint64_t)(given)})
#define BAD(relation, unit, value, limit)                                                          \
    ((tma_fault){relation, unit, (uint64_t)(value), (uint64_t)(limit)})
/* The value itself is what must not be. */
#define NOT(value) BAD(TMA_MUST_NOT_BE, TMA_UNIT_NONE, value, value)

/* The architecture of the machine that was asked. */
#define TMA_SEEN_SM 90

/* What something that stands so on the machine that was asked stands on elsewhere. What the
 * hardware does was seen whatever the driver; what a driver does, of one driver. */
static inline tma_standing tma_standing_on(tma_standing standing, uint16_t sm, uint32_t driver) {
    const int seen = sm == TMA_SEEN_SM && driver == TMA_VALUE(SEEN_DRIVER);
    switch (standing) {
    case TMA_STANDING_HARDWARE:
        return sm == TMA_SEEN_SM ? standing : TMA_STANDING_ELSEWHERE;
    case TMA_STANDING_ENFORCED:
        return seen ? standing : TMA_STANDING_DOCUMENTED;
    case TMA_STANDING_UNDOCUMENTED:
        return seen ? standing : TMA_STANDING_ELSEWHERE;
    case TMA_STANDING_IGNORED:
        return seen ? standing : TMA_STANDING_NOT_ASKED;
    default:
        return standing;
    }
}

/* Whether a rule is one of the target's: its row may ask for a feature, or for its absence. */
bool tma_rule_holds(tma_rule_id rule, const tma_arch_row *arch);

/* Of wide maps: a swizzle that PTX reads and the driver's list lacks. Of these sm_90 has 32B. */
static inline tma_rule_id tma_wide_unlisted(uint32_t swizzle) {
    return swizzle == TMA_SWIZZLE_32B ? TMA_RULE_WIDE_SWIZZLE_LIST : TMA_RULE_WIDE_SWIZZLE_READ;
}

void tma_report(tma_judge *judge, tma_rule_id rule, tma_place place, tma_fault fault);
void tma_report_legal(tma_judge *judge, tma_rule_id rule, tma_place place, tma_fault fault,
                      uint64_t legal);

/* The one rule that ends a call, about its row's argument: *why (may be null), and the status that
 * its row gives; or, for the few rules that have two, `status`. */
tma_status tma_stop(tma_finding *why, uint16_t sm, tma_rule_id rule, int index, uint64_t given,
                    tma_fault fault);
tma_status tma_stop_as(tma_status status, tma_finding *why, uint16_t sm, tma_rule_id rule,
                       int index, uint64_t given, tma_fault fault);

/* TMA_INVALID, and why: a pointer that is null. */
tma_status tma_null_fault(tma_finding *why, tma_argument argument);

#endif
