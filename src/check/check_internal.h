/* SPDX-License-Identifier: Apache-2.0
 *
 * What the rule files share: one spec under judgement, and how a broken rule is reported.
 */
#ifndef TMA_CHECK_INTERNAL_H
#define TMA_CHECK_INTERNAL_H

#include <string.h>

#include "finding.h"
#include "tma/detail/conditions.h"
#include "traits.h"

typedef struct tma_checker {
    const tma_spec *spec;
    const tma_arch_row *arch;
    uint32_t rank; /* spec->rank, at most 5: how many array entries are looked at */
    const tma_type_traits *type;
    uint32_t bits;     /* of an element, 0 if the type is unknown */
    uint32_t inner_el; /* boxDim[0] or channelsPerPixel */
    tma_argument inner_argument;
    uint32_t spatial; /* corners that are looked at */
    tma_judge judge;
} tma_checker;

/* TMA_INVALID, and in *why (may be null) what is wrong with a target that is none. */
tma_status tma_target_fault(tma_finding *why, const tma_target *target);

void tma_check_refusals(tma_checker *checker);
void tma_check_packed(tma_checker *checker);
void tma_check_notes(tma_checker *checker);
void tma_check_overlap(tma_checker *checker);

/* What addresses and strides are multiples of, by all rules together. */
uint64_t tma_address_align_B(const tma_checker *checker);

/* A stride i that no rule refuses, at least the given one and least_B, and that holds the plane
 * before it too where one can. */
uint64_t tma_stride_legal(const tma_checker *checker, uint32_t i, uint64_t least_B);

/* check_accept.c: word 16 of a map that no rule refuses, or TMA_NOT_QUICKLY: ask the rules. */
uint32_t tma_accepts_quickly(const tma_spec *spec, const tma_arch_row *arch, uint32_t driver);
#define TMA_NOT_QUICKLY UINT32_MAX
/* tma_check(), and whether no rule refuses the spec. */
size_t tma_check_whether(bool *accepted, tma_finding *out, size_t capacity, const tma_spec *spec,
                         const tma_target *target);

bool tma_accepts_by_rules(const tma_spec *spec, const tma_target *target);

/* Of globalDim, by the text of a driver's version. */
static inline uint64_t tma_most_dim_el(uint32_t driver) {
    return driver >= TMA_VALUE(DIM_DRIVER) ? TMA_VALUE(DIM_TEXT) : TMA_VALUE(DIM);
}

/* Not 0 if a target chooses a reading that does not exist. */
uint32_t tma_readings_unknown(uint32_t readings);

/* Not 0 if a reserved member of the target is set, or a reading that does not exist. */
static inline uint32_t tma_target_reserved(const tma_target *target) {
    return target ? target->reserved[0] |
                        (target->readings ? tma_readings_unknown(target->readings) : 0)
                  : 0;
}

/* Whether a target is one that there are tensor maps for; arch: tma_arch_of(target). */
static inline bool tma_is_target(const tma_target *target, const tma_arch_row *arch) {
    return arch &&
           (!target || (target->driver >= TMA_VALUE(FIRST_DRIVER) && !tma_target_reserved(target)));
}

#define TMA_COUNT_OF(array) (sizeof(array) / sizeof((array)[0]))

/* Not 0 if a reserved member of the spec is set: two at a time, the last one once more. */
static inline uint64_t tma_reserved_bits(const tma_spec *s) {
    uint64_t pairs[3];
    memcpy(&pairs[0], s->reserved, sizeof(pairs[0]));
    memcpy(&pairs[1], s->reserved + 2, sizeof(pairs[1]));
    memcpy(&pairs[2], s->reserved + 3, sizeof(pairs[2]));
    return pairs[0] | pairs[1] | pairs[2] | s->reserved_0;
}

/* Bits of a corner. */
static inline int32_t tma_corner_bits(uint32_t rank) {
    return rank >= 5   ? TMA_VALUE(CORNER_5D)
           : rank == 4 ? TMA_VALUE(CORNER_4D)
                       : TMA_VALUE(CORNER_3D);
}

#endif
